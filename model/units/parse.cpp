// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/units/parse.h"

#include "model/units/decimal.h"
#include "model/units/dimension.h"
#include "model/units/text.h"
#include "model/units/unit_hints.h"
#include "model/units/unit_table.h"

#include <cmath>
#include <optional>
#include <string>

namespace alidade {
namespace {

/// "'400 Gbps' is a bandwidth; a memory size is expected here, for example 80 GB or 80 GiB.", or, if the
/// reason itself says what to write, "'80 gb' has its unit in the wrong case; write GB."
Error refusal(std::string_view text, std::string_view what, Dimension dimension) {
    std::string message = text.empty() ? std::string("The text") : quoted(text);
    message.append(" ").append(what);
    if (what.find("; write ") != std::string_view::npos)
        return {message.append(".")};
    message.append("; ").append(dimensionName(dimension));
    message.append(" is expected here, for example ").append(unitExamples(dimension)).append(".");
    return {std::move(message)};
}

/// What precedes the digits.
struct Lead {
    bool negative = false;
    bool money = false; ///< a "$", "US$" or "USD"
    bool dash = false;  ///< a dash where a minus sign should be
};

void skipSpaces(std::string_view& text) {
    for (CodePoint c = firstCodePoint(text); c.length != 0 && isSpace(c.value); c = firstCodePoint(text))
        text.remove_prefix(c.length);
}

bool takeSign(std::string_view& text, Lead& lead) {
    const CodePoint c = firstCodePoint(text);
    lead.dash = lead.dash || isDash(c.value);
    const bool minus = c.value == U'-' || c.value == 0x2212;
    if (!minus && c.value != U'+')
        return false;
    lead.negative = minus;
    text.remove_prefix(c.length);
    skipSpaces(text);
    return true;
}

Lead takeLead(std::string_view& text) {
    Lead lead;
    const bool sign = takeSign(text, lead);
    for (const std::string_view currency : {"US$", "USD", "$"}) {
        if (!text.starts_with(currency))
            continue;
        lead.money = true;
        text.remove_prefix(currency.size());
        skipSpaces(text);
        if (!sign)
            takeSign(text, lead);
        break;
    }
    return lead;
}

bool isNotFinite(std::string_view text) {
    const std::string_view word = text.substr(0, 3);
    constexpr std::string_view names[] = {"inf", "Inf", "INF", "nan", "NaN", "NAN", "∞"};
    for (const std::string_view name : names)
        if (word == name)
            return true;
    return false;
}

/// "$1.2 M/h" has its unit on both sides of the number; "1.2 M$/h" is the same on one side.
std::string moneyUnit(const std::string& after) {
    const std::size_t slash = std::min(after.find('/'), after.size());
    return after.substr(0, slash) + "$" + after.substr(slash);
}

/// Returns the meaning of the unit, or the second half of a sentence that says why it has none here.
Result<UnitMeaning> unitFor(const std::string& written, Dimension dimension, std::string_view bareUnit) {
    const bool bare = written.empty();
    const std::string name =
        bare ? canonicalUnit(bareUnit.empty() ? baseUnitName(dimension) : bareUnit) : written;
    auto unit = findUnit(name, dimension);
    if (unit && bare && name.empty())
        unit->dimension = dimension; // a number or a ratio
    if (unit && unit->multiplierOnly && takesMultipliers(dimension)) {
        unit->dimension = dimension;
        return *unit;
    }
    if (unit && unit->dimension == dimension && !unit->shortBits && !unit->multiplierOnly)
        return *unit;
    return Error{unitRefusal(name, unit ? &*unit : nullptr, dimension)};
}

/// Returns number and unit together, or the second half of a sentence that says what is wrong.
Result<double> read(std::string_view text, Dimension dimension, std::string_view bareUnit) {
    if (text.empty())
        return Error{"is empty"};
    if (text.size() > longestQuantityText)
        return Error{"is too long for a number with a unit"};
    std::string_view rest = text;
    const Lead lead = takeLead(rest);
    if (lead.dash)
        return Error{"begins with a dash, which is not a minus sign; write -"};
    if (isNotFinite(rest))
        return Error{"is not a finite number"};
    const Result<Decimal> number = readDecimal(rest);
    if (!number)
        return Error{number.error()};
    rest.remove_prefix(number->used);
    if (std::string wrong = numberRefusal(rest); !wrong.empty())
        return Error{std::move(wrong)};

    const std::string after = canonicalUnit(rest);
    const bool money = dimension == Dimension::dollars || dimension == Dimension::dollarsPerHour;
    const bool bare = after.empty() && (!lead.money || (money && !bareUnit.empty()));
    const Result<UnitMeaning> unit =
        unitFor(lead.money && !bare ? moneyUnit(after) : after, dimension, bareUnit);
    if (!unit)
        return Error{unit.error()};
    if (lead.negative && !mayBeNegative(dimension) && !number->isZero())
        return Error{"is below zero"};
    const std::optional<double> scaled = number->toDouble(unit->exponent);
    const double value = scaled ? *scaled * unit->multiply / unit->divide : 0;
    if (!std::isfinite(value) || (!scaled && number->isLarge(unit->exponent)))
        return Error{"is too large a number"};
    if (value == 0 && !number->isZero())
        return Error{"is too small a number"};
    if (dimension == Dimension::ratio && after.empty() && bareUnit.empty() && value > 1)
        return Error{"may mean a percentage or a factor; write the % sign if it is a percentage"};
    return lead.negative && value != 0 ? -value : value;
}

} // namespace

Result<double> parseQuantity(std::string_view text, Dimension dimension, std::string_view bareUnit) {
    text = trimmed(text);
    Result<double> value = read(text, dimension, bareUnit);
    return value ? std::move(value) : refusal(text, value.error(), dimension);
}

} // namespace alidade
