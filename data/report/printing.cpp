// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/printing.h"

#include "model/kernels/bound_words.h"
#include "model/units/format.h"
#include "model/units/written_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

namespace alidade::data {
namespace {

void capitalize(std::string& text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
}

std::optional<std::chrono::sys_days> day(std::string_view iso) {
    if (iso.size() < 10 || iso[4] != '-' || iso[7] != '-')
        return std::nullopt;
    const auto number = [&](std::size_t from, std::size_t size, auto& out) {
        const char* end = iso.data() + from + size;
        return std::from_chars(iso.data() + from, end, out).ptr == end;
    };
    int y = 0;
    unsigned m = 0, d = 0;
    if (!number(0, 4, y) || !number(5, 2, m) || !number(8, 2, d))
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{y}, std::chrono::month{m}, std::chrono::day{d}};
    if (!date.ok())
        return std::nullopt;
    return std::chrono::sys_days{date};
}

/// Of the rows that decide; of all where none does.
double largest(const Table& table, std::size_t column, const std::vector<bool>& deciding) {
    const bool any = std::ranges::find(deciding, true) != deciding.end();
    double most = 0;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const auto& row = table.rows[r];
        if (column < row.size() && row[column].value && std::isfinite(*row[column].value) &&
            (!any || (r < deciding.size() && deciding[r])))
            most = std::max(most, std::abs(*row[column].value));
    }
    return most;
}

bool unitStaysInCell(Dimension d) {
    return d == Dimension::dollars || d == Dimension::dollarsPerHour || d == Dimension::ratio ||
           d == Dimension::number;
}

} // namespace

std::string plainText(const Sentence& sentence) {
    std::string text;
    for (const TextRun& run : sentence)
        text += run.text;
    return text;
}

std::optional<int> daysBetween(std::string_view from, std::string_view to) {
    const auto a = day(from), b = day(to);
    if (!a || !b)
        return std::nullopt;
    return static_cast<int>((*b - *a).count());
}

std::string printedRange(double low, double high, Dimension dimension) {
    if (dimension == Dimension::dollars || dimension == Dimension::dollarsPerHour)
        return formatQuantity(low, dimension) + " – " + formatQuantity(high, dimension);
    FormatOptions options;
    options.fixed = chooseUnit(dimension, std::max(std::abs(low), std::abs(high)));
    return formatParts(low, dimension, options).number + " – " + formatParts(high, dimension, options).text();
}

std::string printedDifference(double value, Dimension dimension) {
    return (value > 0 ? "+" : "") + formatQuantity(value, dimension);
}

std::string capitalized(std::string text) {
    capitalize(text);
    return text;
}

std::string spokenName(std::string_view identifier) {
    if (identifier.find(' ') != std::string_view::npos)
        return capitalized(std::string(identifier));
    std::string text;
    for (std::size_t at = 0; at <= identifier.size();) {
        const std::size_t end = std::min(identifier.find('_', at), identifier.size());
        if (!text.empty())
            text += ' ';
        text += writtenWord(identifier.substr(at, end - at));
        at = end + 1;
    }
    capitalize(text);
    return text;
}

std::string spokenPhase(Phase phase) {
    switch (phase) {
    case Phase::forward:
        return "forward";
    case Phase::backwardInput:
        return "backward, inputs";
    case Phase::backwardWeight:
        return "backward, weights";
    case Phase::recompute:
        return "recompute";
    case Phase::prefill:
        return "prefill";
    case Phase::decode:
        return "decode";
    }
    return {};
}

Cell textCell(std::string text, Emphasis emphasis) {
    Cell cell;
    cell.text = std::move(text);
    cell.emphasis = emphasis;
    return cell;
}

Cell boundCell(Bound bound) {
    Cell cell = textCell(boundWords(bound).title);
    cell.bound = bound;
    return cell;
}

Cell valueCell(double value, Dimension dimension, Emphasis emphasis) {
    Cell cell = textCell(formatQuantity(value, dimension), emphasis);
    cell.value = value;
    cell.dimension = dimension;
    return cell;
}

Cell exactCell(double value, Emphasis emphasis) {
    Cell cell = valueCell(value, Dimension::number, emphasis);
    constexpr double most = 1e13; // beyond it a hundredth is not a digit of a double
    if (std::abs(value) < most)
        cell.text = formatQuantity(std::round(value * 100) / 100, Dimension::number,
                                   {.significant = 15, .trimZeros = true});
    return cell;
}

Cell noCell() { return textCell("–", Emphasis::quiet); }

Cell moneyCell(double dollars, Dimension dimension, Emphasis emphasis) {
    Cell cell = valueCell(dollars, dimension, emphasis);
    cell.text = formatQuantity(dollars, dimension, FormatOptions{.significant = 5, .fixed = {}});
    return cell;
}

void addFigure(Table& table, std::string name, double value, Dimension dimension, std::string remark) {
    table.rows.push_back({textCell(std::move(name)), valueCell(value, dimension),
                          textCell(std::move(remark), Emphasis::quiet)});
}

Column textColumn(std::string title) { return {title, ColumnKind::text, Dimension::number, title}; }

Column quantityColumn(std::string title, Dimension dimension) {
    return {title, ColumnKind::quantity, dimension, title};
}

Column mixedColumn(std::string title) { return {title, ColumnKind::mixed, Dimension::number, title}; }

void unifyDifferences(Table& table, std::size_t column) {
    FormatOptions options;
    options.fixed = chooseUnit(table.columns[column].dimension, largest(table, column, {}));
    for (auto& row : table.rows)
        if (column < row.size() && row[column].value)
            row[column].text = (*row[column].value > 0 ? "+" : "") +
                               formatQuantity(*row[column].value, row[column].dimension, options);
}

void unifyUnits(Table& table, const std::vector<bool>& deciding) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        Column& column = table.columns[c];
        if (column.kind != ColumnKind::quantity || unitStaysInCell(column.dimension))
            continue;
        FormatOptions options;
        options.fixed = chooseUnit(column.dimension, largest(table, c, deciding));
        if (!options.fixed->label.empty())
            column.title = column.name + ", " + std::string(options.fixed->label);
        for (auto& row : table.rows)
            if (c < row.size() && row[c].value)
                row[c].text = formatParts(*row[c].value, column.dimension, options).number;
    }
}

} // namespace alidade::data
