// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/units/digits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace alidade {
namespace {

std::string print(double x, std::chars_format form, int precision) {
    std::array<char, 400> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, form, precision).ptr;
    return {buffer.data(), end};
}

/// Returns "3.80e+25" as "3.80e25", "1.00e-05" as "1.00e-5".
std::string plainExponent(std::string_view text) {
    const std::size_t e = text.find('e');
    std::string_view exponent = text.substr(e + 1);
    const bool negative = exponent.starts_with('-');
    exponent.remove_prefix(std::min(exponent.find_first_not_of("+-0"), exponent.size() - 1));
    std::string result(text.substr(0, e + 1));
    return result.append(negative ? "-" : "").append(exponent);
}

int decimalExponent(const std::string& scientificText) {
    int exponent = 0;
    std::string_view digits = std::string_view(scientificText).substr(scientificText.find('e') + 1);
    digits.remove_prefix(digits.starts_with('+') ? 1 : 0);
    std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    return exponent;
}

/// Removes trailing zeros of the decimals but keeps `keep` decimals if any remain.
void trimDecimals(std::string& text, std::size_t keep) {
    const std::size_t point = text.find('.');
    if (point == std::string::npos)
        return;
    while (text.size() > point + 1 + keep && text.back() == '0')
        text.pop_back();
    if (text.back() == '.')
        text.pop_back();
}

void insertCommas(std::string& text) {
    const std::size_t whole = std::min(text.find('.'), text.size());
    for (std::size_t at = whole; at > 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
}

} // namespace

std::string positional(double x, const Rounding& rounding) {
    const int exponent = decimalExponent(print(x, std::chars_format::scientific, rounding.significant - 1));
    const int bySignificance = std::max(0, x == 0 ? 0 : rounding.significant - 1 - exponent);
    int least = x < rounding.minDecimalsBelow ? rounding.minDecimals : 0;
    std::string text = print(x, std::chars_format::fixed, std::max(bySignificance, least));
    double rounded = valueOfDigits(text);
    if (least > 0 && rounded >= rounding.minDecimalsBelow) {
        least = 0;
        text = print(x, std::chars_format::fixed, bySignificance);
        rounded = valueOfDigits(text);
    }
    if (x == 0 || (rounding.trimIfWhole && rounded == std::floor(rounded)))
        trimDecimals(text, 0);
    else if (rounding.trimZeros)
        trimDecimals(text, static_cast<std::size_t>(least));
    insertCommas(text);
    return text;
}

std::string scientific(double x, const Rounding& rounding) {
    std::string text = print(x, std::chars_format::scientific, rounding.significant - 1);
    if (rounding.trimZeros) {
        const std::size_t e = text.find('e');
        std::string mantissa = text.substr(0, e);
        trimDecimals(mantissa, 0);
        text = mantissa + text.substr(e);
    }
    return plainExponent(text);
}

double valueOfDigits(const std::string& text) {
    std::string plain = text;
    std::erase(plain, ',');
    double value = 0;
    std::from_chars(plain.data(), plain.data() + plain.size(), value);
    return value;
}

ShortestDigits shortestDigits(double x) {
    std::array<char, 40> buffer;
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, std::chars_format::scientific).ptr;
    const std::string text(buffer.data(), end);
    ShortestDigits result{text.substr(0, text.find('e')), decimalExponent(text) + 1};
    std::erase(result.digits, '.');
    while (result.digits.size() > 1 && result.digits.back() == '0')
        result.digits.pop_back();
    return result;
}

std::string exactDecimal(const ShortestDigits& number, int shift) {
    if (number.digits == "0")
        return "0";
    constexpr int mostPlaces = 21; // for longer numbers, an exponent is easier to read
    const int point = number.point + shift;
    const auto size = static_cast<int>(number.digits.size());
    std::string text = number.digits;
    if (point > mostPlaces || point < -4) {
        if (size > 1)
            text.insert(1, 1, '.');
        return text + "e" + std::to_string(point - 1);
    }
    if (point <= 0)
        return "0." + std::string(static_cast<std::size_t>(-point), '0') + text;
    if (point >= size)
        return text + std::string(static_cast<std::size_t>(point - size), '0');
    return text.insert(static_cast<std::size_t>(point), 1, '.');
}

} // namespace alidade
