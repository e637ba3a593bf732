// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/gate.h"
#include "data/json/json.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// A description of 100,000 nodes fits; `kubectl` writes ten kilobytes a node.
inline constexpr JsonLimits topologyLimits{.bytes = 256U << 20, .values = 20'000'000};

/// Reads documents that follow each other in one text, as page after page of a reply appended to a file.
/// The error names the line and column in the whole text.
Result<std::vector<nlohmann::json>> readJsonDocuments(std::string_view text, const JsonLimits& limits);

} // namespace alidade::data
