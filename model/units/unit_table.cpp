// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/units/unit_table.h"

#include "model/units/constants.h"
#include "model/units/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace alidade {
namespace {

/// What the numerator of a unit counts.
enum class Base : std::uint8_t {
    count,
    percent,
    bytes,
    bits,
    shortBits,
    flop,
    seconds,
    dollars,
    watts,
    wattHours,
    tokens
};

enum class Prefixes : std::uint8_t { none, small, large, largeAndBinary };

struct Stem {
    std::string_view text;
    Base base;
    Prefixes prefixes = Prefixes::none;
    bool perSecond = false; ///< implies "per second"
    double multiply = 1;
};

constexpr Stem stems[] = {
    {"B", Base::bytes, Prefixes::largeAndBinary},
    {"byte", Base::bytes, Prefixes::largeAndBinary},
    {"bytes", Base::bytes, Prefixes::largeAndBinary},
    {"Byte", Base::bytes, Prefixes::largeAndBinary},
    {"Bytes", Base::bytes, Prefixes::largeAndBinary},
    {"Bps", Base::bytes, Prefixes::largeAndBinary, true},
    {"b", Base::shortBits, Prefixes::largeAndBinary},
    {"bit", Base::bits, Prefixes::largeAndBinary},
    {"bits", Base::bits, Prefixes::largeAndBinary},
    {"bps", Base::bits, Prefixes::largeAndBinary, true},
    {"FLOP", Base::flop, Prefixes::large},
    {"FLOPs", Base::flop, Prefixes::large},
    {"Flop", Base::flop, Prefixes::large},
    {"flop", Base::flop, Prefixes::large},
    {"FLOPS", Base::flop, Prefixes::large, true},
    {"s", Base::seconds, Prefixes::small},
    {"sec", Base::seconds},
    {"secs", Base::seconds},
    {"second", Base::seconds},
    {"seconds", Base::seconds},
    {"min", Base::seconds, Prefixes::none, false, 60},
    {"mins", Base::seconds, Prefixes::none, false, 60},
    {"minute", Base::seconds, Prefixes::none, false, 60},
    {"minutes", Base::seconds, Prefixes::none, false, 60},
    {"h", Base::seconds, Prefixes::none, false, secondsPerHour},
    {"hr", Base::seconds, Prefixes::none, false, secondsPerHour},
    {"hrs", Base::seconds, Prefixes::none, false, secondsPerHour},
    {"hour", Base::seconds, Prefixes::none, false, secondsPerHour},
    {"hours", Base::seconds, Prefixes::none, false, secondsPerHour},
    {"d", Base::seconds, Prefixes::none, false, secondsPerDay},
    {"day", Base::seconds, Prefixes::none, false, secondsPerDay},
    {"days", Base::seconds, Prefixes::none, false, secondsPerDay},
    {"week", Base::seconds, Prefixes::none, false, 604800},
    {"weeks", Base::seconds, Prefixes::none, false, 604800},
    {"W", Base::watts, Prefixes::large},
    {"watt", Base::watts},
    {"watts", Base::watts},
    {"Wh", Base::wattHours, Prefixes::large},
    {"%", Base::percent},
    {"percent", Base::percent},
};

/// Units that take count multipliers (with or without a space), not SI prefixes.
constexpr Stem words[] = {
    {"", Base::count},    {"token", Base::tokens}, {"tokens", Base::tokens},  {"tok", Base::tokens},
    {"$", Base::dollars}, {"USD", Base::dollars},  {"dollar", Base::dollars}, {"dollars", Base::dollars},
};

struct Prefix {
    std::string_view text;
    int exponent = 0;
    double multiply = 1;
};

constexpr Prefix largePrefixes[] = {{"k", 3},  {"M", 6},  {"G", 9},  {"T", 12},
                                    {"P", 15}, {"E", 18}, {"Z", 21}, {"Y", 24}};
constexpr Prefix smallPrefixes[] = {{"m", -3}, {"u", -6}, {"n", -9}, {"p", -12}};
constexpr Prefix binaryPrefixes[] = {{"Ki", 0, 0x1p10}, {"Mi", 0, 0x1p20}, {"Gi", 0, 0x1p30},
                                     {"Ti", 0, 0x1p40}, {"Pi", 0, 0x1p50}, {"Ei", 0, 0x1p60}};
constexpr Prefix multipliers[] = {{"k", 3}, {"K", 3}, {"M", 6}, {"G", 9}, {"B", 9}, {"T", 12}};

std::array<std::span<const Prefix>, 2> prefixesOf(Prefixes kind) {
    switch (kind) {
    case Prefixes::none:
        return {};
    case Prefixes::small:
        return {smallPrefixes};
    case Prefixes::large:
        return {largePrefixes};
    case Prefixes::largeAndBinary:
        return {largePrefixes, binaryPrefixes};
    }
    return {};
}

/// Calls visit(prefix) for "no prefix" and for each prefix of the stem until it returns true.
template <class Visit>
bool anyPrefix(Prefixes kind, Visit visit) {
    if (visit(Prefix{}))
        return true;
    for (const auto group : prefixesOf(kind))
        for (const Prefix& prefix : group)
            if (visit(prefix))
                return true;
    return false;
}

bool isJoined(std::string_view text, std::string_view first, std::string_view second) {
    return text.size() == first.size() + second.size() && text.starts_with(first) && text.ends_with(second);
}

/// One side of the "/".
struct Side {
    Stem stem;
    Prefix prefix;
};

std::optional<Side> findSymbol(std::string_view text) {
    for (const Stem& stem : stems) {
        Side found{stem, {}};
        if (anyPrefix(stem.prefixes, [&](const Prefix& prefix) {
                found.prefix = prefix;
                return isJoined(text, prefix.text, stem.text);
            }))
            return found;
    }
    return {};
}

/// A word alone, or after a multiplier and an optional space: "tokens", "T tokens", "M$", "k".
std::optional<Side> findWord(std::string_view text) {
    auto match = [](std::string_view rest, const Prefix& prefix) -> std::optional<Side> {
        if (rest.starts_with(' '))
            rest.remove_prefix(1);
        for (const Stem& word : words)
            if (rest == word.text)
                return Side{word, prefix};
        return {};
    };
    for (const Prefix& prefix : binaryPrefixes)
        if (text.starts_with(prefix.text))
            if (auto side = match(text.substr(prefix.text.size()), prefix))
                return side;
    for (const Prefix& prefix : multipliers)
        if (text.starts_with(prefix.text))
            if (auto side = match(text.substr(prefix.text.size()), prefix))
                return side;
    return match(text, {});
}

std::optional<Side> findNumerator(std::string_view text, Dimension expected) {
    if (takesMultipliers(expected)) {
        const auto word = findWord(text);
        return word ? word : findSymbol(text);
    }
    const auto symbol = findSymbol(text);
    return symbol ? symbol : findWord(text);
}

std::optional<Dimension> amountOf(Base base) {
    switch (base) {
    case Base::count:
        return Dimension::number;
    case Base::percent:
        return Dimension::ratio;
    case Base::bytes:
    case Base::bits:
    case Base::shortBits:
        return Dimension::bytes;
    case Base::flop:
        return Dimension::flop;
    case Base::seconds:
        return Dimension::seconds;
    case Base::dollars:
        return Dimension::dollars;
    case Base::watts:
        return Dimension::watts;
    case Base::wattHours:
        return Dimension::wattHours;
    case Base::tokens:
        return Dimension::tokens;
    }
    return {};
}

std::optional<Dimension> rateOf(Base base) {
    switch (amountOf(base).value_or(Dimension::number)) {
    case Dimension::bytes:
        return Dimension::bytesPerSecond;
    case Dimension::flop:
        return Dimension::flopPerSecond;
    case Dimension::dollars:
        return Dimension::dollarsPerHour;
    case Dimension::tokens:
        return Dimension::tokensPerSecond;
    default:
        return {};
    }
}

/// Divides by a time, or FLOP by bytes. Other ratios are not supported.
bool applyDenominator(std::string_view text, Base numerator, UnitMeaning& unit) {
    const auto side = findSymbol(text);
    if (!side || !side->prefix.text.empty())
        return false;
    if (side->stem.base == Base::bytes && !side->stem.perSecond && numerator == Base::flop) {
        unit.dimension = Dimension::flopPerByte;
        return true;
    }
    const auto rate = rateOf(numerator);
    if (side->stem.base != Base::seconds || !rate)
        return false;
    unit.dimension = *rate;
    const double seconds = side->stem.multiply;
    if (*rate == Dimension::dollarsPerHour && seconds <= secondsPerHour)
        unit.multiply *= secondsPerHour / seconds;
    else
        unit.divide = *rate == Dimension::dollarsPerHour ? seconds / secondsPerHour : seconds;
    return true;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equalIgnoringCase(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

bool isJoinedIgnoringCase(std::string_view text, std::string_view first, std::string_view second) {
    return text.size() == first.size() + second.size() &&
           equalIgnoringCase(text.substr(0, first.size()), first) &&
           equalIgnoringCase(text.substr(first.size()), second);
}

} // namespace

bool takesMultipliers(Dimension dimension) {
    return dimension == Dimension::number || dimension == Dimension::tokens ||
           dimension == Dimension::dollars || dimension == Dimension::dollarsPerHour ||
           dimension == Dimension::tokensPerSecond;
}

std::string canonicalUnit(std::string_view text) {
    std::string result;
    for (text = trimmed(text); !text.empty();) {
        const CodePoint c = firstCodePoint(text);
        if (isSpace(c.value)) {
            if (!result.ends_with(' '))
                result += ' ';
        } else if (c.value == 0x00B5 || c.value == 0x03BC) {
            result += 'u';
        } else {
            result += text.substr(0, c.length);
        }
        text.remove_prefix(c.length);
    }
    if (result.starts_with("per ")) // after "$"
        result.insert(0, 1, ' ');
    constexpr std::string_view per = " per ";
    for (std::size_t at = result.find(per); at != std::string::npos; at = result.find(per)) {
        result.erase(at, per.size() - 1);
        result[at] = '/';
    }
    for (std::size_t at = result.find(" /"); at != std::string::npos; at = result.find(" /"))
        result.erase(at, 1);
    for (std::size_t at = result.find("/ "); at != std::string::npos; at = result.find("/ "))
        result.erase(at + 1, 1);
    return result;
}

std::optional<UnitMeaning> findUnit(std::string_view canonical, Dimension expected) {
    const std::size_t slash = canonical.find('/');
    const auto side = findNumerator(canonical.substr(0, slash), expected);
    if (!side)
        return {};
    Base base = side->stem.base;
    if (base == Base::count && slash != std::string_view::npos && expected == Dimension::dollarsPerHour)
        base = Base::dollars; // "98.32/h"
    UnitMeaning unit;
    unit.exponent = side->prefix.exponent - (base == Base::percent ? 2 : 0);
    unit.multiply = side->prefix.multiply * side->stem.multiply;
    const bool bits = base == Base::bits || base == Base::shortBits;
    if (bits)
        unit.multiply /= 8;
    if (slash != std::string_view::npos) {
        const bool understood =
            !side->stem.perSecond && applyDenominator(canonical.substr(slash + 1), base, unit);
        return understood ? std::optional(unit) : std::nullopt;
    }
    const auto dimension = side->stem.perSecond ? rateOf(base) : amountOf(base);
    unit.dimension = *dimension;
    unit.shortBits = base == Base::shortBits;
    unit.multiplierOnly = base == Base::count && !side->prefix.text.empty();
    return unit;
}

std::string unitsOfOtherCase(std::string_view canonical, Dimension expected) {
    std::string numerator(canonical.substr(0, canonical.find('/')));
    std::string denominator(canonical.substr(numerator.size()));
    std::erase(numerator, ' ');
    std::transform(denominator.begin(), denominator.end(), denominator.begin(), lower);
    std::string result;
    auto consider = [&](std::string_view prefix, std::string_view gap, std::string_view stem) {
        if (!isJoinedIgnoringCase(numerator, prefix, stem))
            return;
        std::string candidate(prefix);
        candidate.append(gap).append(stem).append(denominator);
        const auto unit = findUnit(candidate, expected);
        if (!unit || !(unit->dimension == expected || (unit->multiplierOnly && takesMultipliers(expected))) ||
            unit->shortBits || candidate == canonical)
            return;
        result += result.empty() ? "" : " or ";
        result += candidate;
    };
    for (const Stem& stem : stems) {
        anyPrefix(stem.prefixes, [&](const Prefix& prefix) {
            consider(prefix.text, "", stem.text);
            return false;
        });
    }
    for (const Stem& word : words) {
        consider("", "", word.text);
        for (const Prefix& prefix : multipliers)
            consider(prefix.text, word.text.empty() ? "" : " ", word.text);
    }
    return result;
}

} // namespace alidade
