// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// Returns the ids of the scenarios that are compiled in, sorted.
std::vector<std::string> sampleScenarioIds();

/// Returns the text of a shipped scenario file; absent if the id is unknown.
std::optional<std::string> sampleScenarioText(std::string_view id);

} // namespace alidade::data
