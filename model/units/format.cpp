// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/units/format.h"

#include "model/units/digits.h"
#include "model/units/parse.h"
#include "model/units/unit_ladder.h"

#include <algorithm>
#include <cmath>

namespace alidade {
namespace {

bool isMoney(Dimension dimension) {
    return dimension == Dimension::dollars || dimension == Dimension::dollarsPerHour;
}

/// Counts: in their own unit they have decimals only if they are not whole.
bool isCount(Dimension dimension) {
    return dimension == Dimension::number || dimension == Dimension::tokens ||
           dimension == Dimension::bytes || dimension == Dimension::flop;
}

Rounding roundingFor(Dimension dimension, double factor, const FormatOptions& options) {
    Rounding rounding;
    rounding.significant = std::clamp(options.significant, 1, 15);
    rounding.trimZeros = options.trimZeros;
    rounding.trimIfWhole = factor == 1 && isCount(dimension);
    if (factor == 1 && isMoney(dimension)) { // cents, unless negligible
        rounding.minDecimals = 2;
        const bool sum = dimension == Dimension::dollars && rounding.significant < 5;
        rounding.minDecimalsBelow = sum ? 100 : 1000;
        rounding.trimZeros = true;
    }
    return rounding;
}

/// Below this, leading zeros are harder to read than an exponent.
bool isTiny(double scaled, const Rounding& rounding) {
    return scaled != 0 && valueOfDigits(scientific(scaled, rounding)) < 1e-4;
}

struct Scaled {
    std::string number;
    std::string_view label;
};

Scaled printFixed(double abs, const ScaledUnit& unit, const Rounding& rounding) {
    const double scaled = abs / unit.factor;
    const bool plain = scaled < 1e15 && !isTiny(scaled, rounding);
    return {plain ? positional(scaled, rounding) : scientific(scaled, rounding), unit.label};
}

/// The value from which the largest unit would need more than six digits: a power of ten, so that a rounded
/// value falls on the same side.
double scientificFrom(const Rung& top) { return std::pow(10.0, std::floor(std::log10(top.unit.factor)) + 6); }

Scaled printBest(double abs, Dimension dimension, const FormatOptions& options) {
    const auto ladder = unitLadder(dimension, options.binary);
    const Rung& base = baseRung(ladder);
    auto inBaseUnit = [&] {
        const Rounding rounding = roundingFor(dimension, base.unit.factor, options);
        return Scaled{scientific(abs / base.unit.factor, rounding), base.unit.label};
    };
    const double limit = scientificFrom(ladder.back());
    if (abs >= limit)
        return inBaseUnit();
    for (const Rung* rung = &rungFor(ladder, abs);; ++rung) {
        const double factor = rung->unit.factor;
        const Rounding rounding = roundingFor(dimension, factor, options);
        if (isTiny(abs / factor, rounding))
            return inBaseUnit();
        std::string number = positional(abs / factor, rounding);
        const double printed = valueOfDigits(number) * factor * (1 + 1e-12); // may have been rounded up
        if (printed >= limit)
            return inBaseUnit();
        if (rung == &ladder.back() || printed < (rung + 1)->from)
            return {std::move(number), rung->unit.label};
        abs = std::max(abs, (rung + 1)->from); // 119.6 s rounds to 120 s, which is 2 min and not 1.99 min
    }
}

/// Returns "M$/h" without its "$", which is printed before the number.
std::string withoutCurrency(std::string_view label) {
    std::string unit(label);
    std::erase(unit, '$');
    return unit;
}

/// Uses units that are not powers of ten if they make the text shorter: 80 GiB, 2 h.
void shortenByMultiple(double abs, Dimension dimension, bool binary, std::string& number,
                       std::string_view& label) {
    for (const Rung& rung : unitLadder(dimension, binary)) {
        const double scaled = abs / rung.unit.factor;
        if (rung.decimal || scaled < 1 || scaled >= 1e6 || scaled * rung.unit.factor != abs)
            continue;
        std::string text = exactDecimal(shortestDigits(scaled), 0);
        if (text.size() >= number.size() || text.size() > 6)
            continue;
        label = text == "1" && rung.unit.label == "days" ? "day" : rung.unit.label;
        number = std::move(text);
    }
}

} // namespace

std::string Formatted::text() const {
    const bool apart = !unit.empty() && !unit.starts_with('/');
    return apart ? number + ' ' + unit : number + unit;
}

Formatted formatParts(double si, Dimension dimension, const FormatOptions& options) {
    if (!std::isfinite(si))
        return {"–", ""};
    const double abs = std::abs(si);
    const bool currencyFirst = isMoney(dimension) && !options.fixed;
    const Scaled scaled = options.fixed ? printFixed(abs, *options.fixed,
                                                     roundingFor(dimension, options.fixed->factor, options))
                                        : printBest(abs, dimension, options);
    std::string number = si < 0 ? "−" : "";
    number.append(currencyFirst ? "$" : "").append(scaled.number);
    return {std::move(number), currencyFirst ? withoutCurrency(scaled.label) : std::string(scaled.label)};
}

std::string formatQuantity(double si, Dimension dimension, const FormatOptions& options) {
    return formatParts(si, dimension, options).text();
}

ScaledUnit chooseUnit(Dimension dimension, double maxAbsValue, bool binary) {
    const auto ladder = unitLadder(dimension, binary);
    return std::isfinite(maxAbsValue) ? rungFor(ladder, std::abs(maxAbsValue)).unit : baseRung(ladder).unit;
}

Formatted editParts(double si, Dimension dimension) {
    if (!std::isfinite(si))
        return {};
    const double abs = std::abs(si);
    const Rung* rung = &rungFor(unitLadder(dimension, false), abs);
    while (!rung->decimal)
        --rung;
    std::string number = exactDecimal(shortestDigits(abs), -rung->exponent);
    std::string_view label = rung->unit.label;
    shortenByMultiple(abs, dimension, false, number, label);
    shortenByMultiple(abs, dimension, true, number, label);
    const bool money = isMoney(dimension);
    std::string text = si < 0 ? "-" : "";
    text.append(money ? "$" : "").append(number);
    return {std::move(text), money ? withoutCurrency(label) : std::string(label)};
}

std::string editText(double si, Dimension dimension) { return editParts(si, dimension).text(); }

} // namespace alidade
