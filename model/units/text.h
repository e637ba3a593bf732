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

/// 'text', for an error message: always valid UTF-8 without control characters, and cut after 40 characters.
std::string quoted(std::string_view text);

} // namespace alidade
