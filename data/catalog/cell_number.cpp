// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/cell_number.h"

#include "data/json/reader.h"
#include "model/units/parse.h"
#include "model/units/text.h"
#include "model/units/unit_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace alidade::data {
namespace {

/// The unit of a column. A number in it is stored value / factor.
struct ColumnUnit {
    std::string_view label;
    Dimension dimension;
    double factor;
    std::string_view bare; ///< as parseQuantity knows it
};

constexpr ColumnUnit columnUnits[] = {
    {"", Dimension::number, 1, ""},
    {"tokens", Dimension::tokens, 1, "tokens"},
    {"GB", Dimension::bytes, 1e9, "GB"},
    {"TB", Dimension::bytes, 1e12, "TB"},
    {"MiB", Dimension::bytes, 0x1p20, "MiB"},
    {"GiB", Dimension::bytes, 0x1p30, "GiB"},
    {"MB/s", Dimension::bytesPerSecond, 1e6, "MB/s"},
    {"GB/s", Dimension::bytesPerSecond, 1e9, "GB/s"},
    {"TB/s", Dimension::bytesPerSecond, 1e12, "TB/s"},
    {"Gbit/s", Dimension::bytesPerSecond, 1.25e8, "Gbit/s"},
    {"TFLOP/s", Dimension::flopPerSecond, 1e12, "TFLOP/s"},
    {"PFLOP/s", Dimension::flopPerSecond, 1e15, "PFLOP/s"},
    {"TOP/s", Dimension::flopPerSecond, 1e12, "TFLOP/s"},
    {"us", Dimension::seconds, 1e-6, "us"},
    {"%", Dimension::ratio, 0.01, "%"},
    {"W", Dimension::watts, 1, "W"},
    {"$/h", Dimension::dollarsPerHour, 1, "/h"},
    {"$/(GB month)", Dimension::dollars, 1, "$"},
    {"billion parameters", Dimension::number, 1e9, "B"},
};

const ColumnUnit& unitOf(const CatalogKey& key) {
    const auto found = std::ranges::find(columnUnits, key.unit, &ColumnUnit::label);
    return found == std::end(columnUnits) ? columnUnits[0] : *found;
}

void cut(std::string& text, std::initializer_list<std::string_view> endings) {
    for (const std::string_view ending : endings) {
        if (text.size() > ending.size() && text.ends_with(ending)) {
            text.resize(text.size() - ending.size());
            break;
        }
    }
}

/// Returns the text with units that only columns use replaced by those that parseQuantity reads.
std::string plainUnit(const ColumnUnit& unit, std::string_view typed) {
    std::string text(typed);
    if (unit.label == "TOP/s") {
        for (const std::string_view ending : {"OP/s", "OPS", "OPs"}) {
            if (!text.ends_with(ending) || text.ends_with("FL" + std::string(ending)))
                continue;
            text.resize(text.size() - ending.size());
            text += "FLOP/s";
            break;
        }
    } else if (unit.label == "$/(GB month)") {
        cut(text, {"/(GB month)", "/(GB-month)", "/GB-month", "/GB month", "/GB/month", "per GB and month",
                   "per GB-month", "per GB month"});
    } else if (unit.label == "billion parameters") {
        cut(text, {"parameters", "params"});
        text = std::string(trimmed(text));
        if (text.ends_with("billion")) {
            text.resize(text.size() - std::string_view("billion").size());
            text = std::string(trimmed(text)) + " B";
        }
    }
    return text;
}

/// Splits a typed text into number and unit: "$1.5", " GB".
std::pair<std::string, std::string> split(std::string_view text) {
    const std::size_t digit = text.find_first_of("0123456789");
    if (digit == std::string_view::npos)
        return {};
    std::size_t end = text.find_first_not_of("0123456789.,' ", digit);
    if (end != std::string_view::npos && end + 1 < text.size() && (text[end] == 'e' || text[end] == 'E') &&
        std::string_view("0123456789+-").find(text[end + 1]) != std::string_view::npos)
        end = text.find_first_not_of("0123456789", end + 2);
    end = std::min(end, text.size());
    return {std::string(trimmed(text.substr(0, end))), std::string(trimmed(text.substr(end)))};
}

/// Returns "3,35" and "3.350,5" with a decimal point and without thousands separators.
std::string withPoint(std::string number) {
    const std::size_t comma = number.rfind(',');
    const bool decimal = comma != std::string::npos && number.find('.', comma) == std::string::npos;
    if (decimal) {
        number[comma] = '.';
        for (std::size_t i = comma; i-- > 0;)
            if (number[i] == '.' || number[i] == ',' || number[i] == ' ')
                number.erase(i, 1);
    } else {
        std::erase(number, ',');
    }
    return number;
}

void proposeUnits(std::vector<std::string>& out, const ColumnUnit& unit, const std::string& number,
                  const std::string& written) {
    const std::string name = canonicalUnit(written);
    const std::string lead = number + ' ';
    if (unit.dimension == Dimension::bytesPerSecond && !name.empty()) {
        if (name.ends_with('b'))
            out.push_back(lead + name + "it/s");
        out.push_back(lead + name + "/s");
    }
    if (unit.dimension == Dimension::flopPerSecond && !name.empty())
        out.push_back(lead + name + "/s");
    if (const std::size_t slash = name.find('/'); slash != std::string::npos)
        out.push_back(lead + name.substr(0, slash));
    if (name.ends_with("ps"))
        out.push_back(lead + name.substr(0, name.size() - 2));
    if (name.ends_with('b'))
        out.push_back(lead + name.substr(0, name.size() - 1) + 'B');
    std::string others = unitsOfOtherCase(name, unit.dimension);
    constexpr std::string_view between = " or ";
    while (!others.empty()) {
        const std::size_t end = others.find(between);
        out.push_back(lead + others.substr(0, end));
        others = end == std::string::npos ? std::string() : others.substr(end + between.size());
    }
}

/// Proposes the same number in other units of the dimension, for one that is far out of range.
void proposeSizes(std::vector<std::string>& out, const ColumnUnit& unit, const std::string& number) {
    if (unit.dimension != Dimension::bytes && unit.dimension != Dimension::bytesPerSecond &&
        unit.dimension != Dimension::flopPerSecond)
        return;
    const std::string stem = unit.dimension == Dimension::bytes            ? "B"
                             : unit.dimension == Dimension::bytesPerSecond ? "B/s"
                                                                           : "FLOP/s";
    for (const char prefix : {'G', 'T', 'M', 'P', 'k'})
        out.push_back(number + ' ' + prefix + stem);
}

} // namespace

Result<double> cellNumber(const CatalogKey& key, std::string_view text) {
    const ColumnUnit& unit = unitOf(key);
    const Result<double> si = parseQuantity(plainUnit(unit, text), unit.dimension, unit.bare);
    if (!si)
        return Error{si.error()};
    // 15 digits hide the rounding errors of the conversion.
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.15g", *si / unit.factor);
    return std::strtod(digits.data(), nullptr);
}

std::vector<std::string> numberProposals(const CatalogKey& key, std::string_view text) {
    const ColumnUnit& unit = unitOf(key);
    const auto [typed, written] = split(text);
    std::vector<std::string> out;
    if (typed.empty())
        return out;
    const std::string number = withPoint(typed);
    const std::string tail = written.empty() ? "" : ' ' + written;
    out.push_back(number + tail);
    if (!written.empty())
        proposeUnits(out, unit, number, written);
    if (key.value == ValueKind::wholeNumber) {
        if (const Result<double> value = cellNumber(key, number); value && std::abs(*value) < 1e15)
            out.push_back(numberText(std::round(*value)));
    }
    if (!key.unit.empty())
        out.push_back(number + ' ' + key.unit);
    out.push_back(number);
    proposeSizes(out, unit, number);
    return out;
}

} // namespace alidade::data
