// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace alidade {

/// The first character of a UTF-8 text. An invalid byte is U+FFFD of length 1.
struct CodePoint {
    char32_t value = 0;
    std::size_t length = 0; ///< bytes; 0 only for the empty text
};
CodePoint firstCodePoint(std::string_view text);

/// White space used in numbers: ASCII, no-break, figure, thin and narrow no-break space.
bool isSpace(char32_t c);
bool isDash(char32_t c); ///< hyphens and dashes other than '-' and the minus sign U+2212

std::string_view trimmed(std::string_view text);

/// A character that could affect a terminal, an editor or a spreadsheet, or make a text look like another:
/// control characters (C0, DEL, C1), line and paragraph separators, byte order marks, and directional marks
/// and overrides.
bool isUnprintable(char32_t c);

/// Returns external text that is safe to show: valid UTF-8, with U+FFFD for each unprintable character and
/// each invalid byte, except those of `kept` (ASCII, such as "\n").
std::string printable(std::string_view text, std::string_view kept = {});

/// Returns at most `characters` (3 or more) characters, with "…" for the omitted middle.
std::string elided(std::string_view text, std::size_t characters);

/// Returns 'text' for an error message: always printable, and cut after 40 characters.
std::string quoted(std::string_view text);

} // namespace alidade
