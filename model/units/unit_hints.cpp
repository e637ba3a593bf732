// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/units/unit_hints.h"

#include "model/units/dimension.h"
#include "model/units/text.h"

#include <algorithm>

namespace alidade {
namespace {

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

/// Returns a hint for common units with no single meaning, or none here. Empty if there is no hint.
std::string doubtfulUnit(std::string_view canonical, Dimension expected) {
    if (expected == Dimension::seconds && canonical == "m")
        return "may mean minutes or milliseconds; write min or ms";
    const std::string_view numerator = canonical.substr(0, canonical.find('/'));
    const std::string_view denominator =
        numerator.size() < canonical.size() ? canonical.substr(numerator.size() + 1) : canonical;
    if (isOneOf(denominator, {"month", "months", "mo", "year", "years", "yr", "y", "a"}))
        return "has a month or a year, which have no fixed length; write days or hours";
    if (isOneOf(numerator, {"€", "EUR", "£", "GBP", "¥", "JPY", "CNY"}))
        return "is in another currency; money is in US dollars";
    if (numerator.starts_with('K')) {
        std::string small(canonical);
        small[0] = 'k';
        std::string binary = small;
        binary.insert(1, 1, 'i');
        binary[0] = 'K';
        const auto unit = findUnit(small, expected);
        if (unit && unit->dimension == expected)
            return findUnit(binary, expected)
                       ? "has the prefix K; write " + small + " (1000) or " + binary + " (1024)"
                       : "has the prefix K; write " + small;
    }
    return {};
}

/// "Gb" to "GB", "b" to "B".
std::string bytesForBits(std::string_view canonical) {
    return std::string(canonical.substr(0, canonical.size() - 1)) + "B";
}

} // namespace

std::string unitRefusal(std::string_view canonical, const UnitMeaning* unit, Dimension expected) {
    if (unit && unit->multiplierOnly)
        return "has the multiplier " + std::string(canonical) + " without a unit";
    if (unit && unit->dimension == expected && unit->shortBits)
        return "is in bits (b), not bytes (B); write " + bytesForBits(canonical) + " for bytes or " +
               std::string(canonical) + "it for bits";
    if (unit)
        return "is " + std::string(dimensionName(unit->dimension));
    if (std::string doubtful = doubtfulUnit(canonical, expected); !doubtful.empty())
        return doubtful;
    if (const std::string other = unitsOfOtherCase(canonical, expected); !other.empty())
        return "has its unit in the wrong case; write " + other;
    return "has an unknown unit after the number";
}

std::string numberRefusal(std::string_view rest) {
    const CodePoint c = firstCodePoint(trimmed(rest));
    if (c.value == U'-' || c.value == 0x2212 || isDash(c.value) || rest.starts_with(".."))
        return "looks like a range; write one value";
    if (c.value == U'^' || c.value == U'*' || c.value == 0x00D7)
        return "is a calculation; write one number, powers of ten as in 1e15";
    if (c.value == U'.')
        return "has two decimal points";
    return {};
}

} // namespace alidade
