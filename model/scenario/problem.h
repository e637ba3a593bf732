// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alidade {

enum class Severity : std::uint8_t { error, warning, info };

/// A change that fixes a problem: texts in the form that --set accepts and undo shows.
struct Fix {
    std::string text;                                     ///< "Set pipeline parallel to 16"
    std::vector<std::pair<std::string, std::string>> set; ///< field path, value as typed
};

/// An error, warning or note about a scenario.
struct Problem {
    Severity severity = Severity::error;
    std::string place; ///< JSON pointer into the scenario: "/plan/tensor_parallel"
    std::string message;
    std::optional<Fix> fix;
};

/// "plan.tensor_parallel" -> "/plan/tensor_parallel"
std::string pointerOf(std::string_view fieldPath);

} // namespace alidade
