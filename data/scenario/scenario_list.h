// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/scenario/spec.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// One scenario of a list that is kept with a workspace.
struct ListedScenario {
    enum class Kind : std::uint8_t {
        open,   ///< whatever is open at the moment
        stored, ///< a scenario of the workspace, as it is at the moment
        fixed   ///< a state that does not change any more
    };
    Kind kind = Kind::fixed;
    std::int64_t id = 0; ///< of a stored one
    std::string name;
    ScenarioSpec spec; ///< of a fixed one
};

/// The scenarios of a comparison, or the baselines.
struct ScenarioList {
    std::vector<ListedScenario> scenarios;
    std::size_t chosen = 0; ///< the baseline; beyond the end: none
};

/// UTF-8 JSON; readScenarioList(writeScenarioList(l)) is l.
std::string writeScenarioList(const ScenarioList& list);
/// \returns an error with the place of what is wrong
Result<ScenarioList> readScenarioList(std::string_view text);

} // namespace alidade::data
