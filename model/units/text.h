// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace alidade {

/// The first character of a UTF-8 text. A byte that does not belong there is U+FFFD of length 1.
struct CodePoint {
    char32_t value = 0;
    std::size_t length = 0; ///< bytes; 0 only for the empty text
};
CodePoint firstCodePoint(std::string_view text);

/// White space that people put into numbers: ASCII, no-break, figure, thin and narrow no-break space.
bool isSpace(char32_t c);
bool isDash(char32_t c); ///< hyphens and dashes other than '-' and the minus sign U+2212

std::string_view trimmed(std::string_view text);

/// A character that could do something to a terminal, an editor or a spreadsheet, or make a text look like
/// another one: control characters (C0, DEL, C1), line and paragraph separators, byte order marks, marks and
/// overrides of the direction of writing.
bool isUnprintable(char32_t c);

/// Text from outside as it may be shown: valid UTF-8, with U+FFFD for each unprintable character and each
/// wrong byte, but for those of `kept` (ASCII, such as "\n").
std::string printable(std::string_view text, std::string_view kept = {});

/// At most so many characters (3 or more), "…" for what is left out in the middle.
std::string elided(std::string_view text, std::size_t characters);

/// 'text', for an error message: always printable, and cut after 40 characters.
std::string quoted(std::string_view text);

} // namespace alidade
