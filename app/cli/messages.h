// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"

#include <string>
#include <string_view>

namespace alidade::cli {

/// One line on standard error, after "alidade: ": printable, and of at most 300 characters.
void say(std::string_view line);
void warn(std::string_view line);

/// What standard output may get of a text that holds words from outside: lines of printable characters, and
/// the styles of `styled` where the terminal has any.
std::string printableOutput(std::string_view text, const Terminal& terminal);

/// The same JSON document with escapes for all characters that are not printable. They are only in strings.
std::string printableJson(std::string_view document);

} // namespace alidade::cli
