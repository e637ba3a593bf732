// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/units/decimal.h"

#include "model/units/text.h"

#include <algorithm>
#include <charconv>

namespace alidade {
namespace {

constexpr int exponentLimit = 99'999;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool isLineControl(char c) { return c >= '\t' && c <= '\r'; }

std::size_t digitsAt(std::string_view text, std::size_t from) {
    std::size_t end = from;
    while (end < text.size() && isDigit(text[end]))
        ++end;
    return end - from;
}

/// Returns the length of the thousands separator at this place, 0 if no digit follows it. Its first byte
/// identifies its kind.
std::size_t separatorLength(std::string_view text, std::size_t at) {
    const CodePoint c = firstCodePoint(text.substr(at));
    const bool separates = c.value == U',' || isSpace(c.value) || c.value == U'\'' || c.value == U'_';
    const std::size_t next = at + c.length;
    return separates && next < text.size() && isDigit(text[next]) ? c.length : 0;
}

Error groupError(char separator) {
    if (separator == ',')
        return {"has a comma that is not between groups of three digits; write decimals with a point, as in "
                "3.35, and thousands as in 2,048"};
    if (separator == '\'' || separator == '_')
        return {"has a character between its digits; write thousands as in 2,048 or 2 048"};
    return {"has a space between digits that are not groups of three; write one number, as in 2048 or 2 048"};
}

/// Collects the digits before the point. Returns the error of a malformed group, if any.
std::optional<Error> readWhole(std::string_view text, Decimal& number) {
    auto take = [&](std::size_t count) {
        std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(number.used), count,
                    number.digits.begin() + static_cast<std::ptrdiff_t>(number.length));
        number.length += count;
        number.used += count;
    };
    const std::size_t first = digitsAt(text, 0);
    take(first);
    std::string_view separator;
    while (const std::size_t length = first == 0 ? 0 : separatorLength(text, number.used)) {
        const std::string_view here = text.substr(number.used, length);
        const bool firstIsGroup = first <= 3 && text[0] != '0';
        const bool same = separator.empty() || separator == here;
        const bool known = here != "'" && here != "_" && !isLineControl(here[0]);
        if (!firstIsGroup || !same || !known || digitsAt(text, number.used + length) != 3)
            return groupError(here[0]);
        separator = here;
        number.used += length;
        take(3);
    }
    return {};
}

void readExponent(std::string_view text, Decimal& number) {
    std::size_t at = number.used;
    if (at >= text.size() || (text[at] != 'e' && text[at] != 'E'))
        return;
    ++at;
    const bool negative = at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+'))
        ++at;
    const std::size_t count = digitsAt(text, at);
    if (count == 0)
        return; // the prefix exa, or not a unit
    int value = 0;
    for (const char c : text.substr(at, count))
        value = std::min(exponentLimit, value * 10 + (c - '0'));
    number.exponent = negative ? -value : value;
    number.used = at + count;
}

} // namespace

bool Decimal::isZero() const {
    return std::none_of(digits.begin(), digits.begin() + static_cast<std::ptrdiff_t>(length),
                        [](char c) { return c >= '1' && c <= '9'; });
}

std::optional<double> Decimal::toDouble(int shift) const {
    if (isZero())
        return 0.0;
    std::array<char, longestQuantityText + 16> text;
    char* end = std::copy_n(digits.begin(), length, text.data());
    *end++ = 'e';
    end = std::to_chars(end, text.data() + text.size(), exponent + shift).ptr;
    double value = 0;
    if (std::from_chars(text.data(), end, value).ec != std::errc{})
        return {};
    return value;
}

bool Decimal::isLarge(int shift) const {
    const std::string_view text(digits.data(), length);
    const std::size_t whole = std::min(text.find('.'), text.size());
    return static_cast<int>(whole) + exponent + shift > 0;
}

Result<Decimal> readDecimal(std::string_view text) {
    text = text.substr(0, longestQuantityText);
    Decimal number;
    if (auto error = readWhole(text, number))
        return std::move(*error);
    const std::size_t whole = number.length;
    if (number.used < text.size() && text[number.used] == '.') {
        const std::size_t count = digitsAt(text, number.used + 1);
        if (whole + count == 0)
            return Error{"has a point without digits"};
        std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(number.used), count + 1,
                    number.digits.begin() + static_cast<std::ptrdiff_t>(whole));
        number.length += count + 1;
        number.used += count + 1;
        if (number.used < text.size() && text[number.used] == '.')
            return Error{"has two decimal points"};
        if (separatorLength(text, number.used) != 0)
            return groupError(text[number.used]);
    }
    if (number.length == 0)
        return Error{"does not begin with a number"};
    readExponent(text, number);
    return number;
}

} // namespace alidade
