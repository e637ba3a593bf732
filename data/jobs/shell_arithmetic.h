// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace alidade::data::handoff {

using ShellVariables = std::function<std::optional<std::string>(const std::string& name)>;

/// The value of an expression of whole numbers, variables, + - * / % and brackets, as $((...)) takes it;
/// absent if it holds something else, a variable that is not known, or leaves the range of 64 bits.
std::optional<std::int64_t> evaluateArithmetic(const std::string& text, const ShellVariables& variables);

/// How often "i = 0; i < 4; i++" of a `for` runs; 1 where that is not known.
int countOfLoop(const std::string& inside, const ShellVariables& variables);

} // namespace alidade::data::handoff
