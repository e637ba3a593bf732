// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// Ids of the scenarios that are compiled in, sorted.
std::vector<std::string> sampleScenarioIds();

/// The text of a shipped scenario's file; absent if there is no such id.
std::optional<std::string> sampleScenarioText(std::string_view id);

} // namespace alidade::data
