// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/accuracy_file.h"

#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"
#include "model/units/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace alidade::data {

namespace {

constexpr double mostSamples = 1e6;
constexpr double mostTokens = 1e8;

/// Two columns, row by row, with the place of each row for messages.
struct CurveRows {
    std::vector<std::array<double, 2>> values;
    std::vector<std::string> places;
};

/// The pairs of columns that make a table.
struct CurveLayout {
    std::string_view at, value;
    AccuracyMeasure measure;
    bool counts = false;
};
constexpr std::array<CurveLayout, 5> curveLayouts{{{"k", "pass_at_k", AccuracyMeasure::passAtK},
                                                   {"k", "majority", AccuracyMeasure::majority},
                                                   {"k", "best_of_n", AccuracyMeasure::bestOfN},
                                                   {"thinking_tokens", "accuracy", AccuracyMeasure::thinking},
                                                   {"n", "c", AccuracyMeasure::passAtK, true}}};
constexpr const char* wantedColumns = "the columns k,pass_at_k (or majority, or best_of_n), or "
                                      "thinking_tokens,accuracy, or n,c";

std::string plainNumber(double value) { return numberText(value); }

/// The layout whose columns are all there. \returns null, and adds a fault, unless there is exactly one
const CurveLayout* curveLayoutOf(const std::vector<std::string>& columns, const std::string& place,
                                 std::vector<std::string>& faults) {
    const CurveLayout* found = nullptr;
    for (const CurveLayout& each : curveLayouts) {
        if (std::ranges::find(columns, each.at) == columns.end() ||
            std::ranges::find(columns, each.value) == columns.end()) {
            continue;
        }
        if (found) {
            addFault(faults, place + ": both '" + std::string(found->value) + "' and '" +
                                 std::string(each.value) + "' could be the curve; keep one of them");
            return nullptr;
        }
        found = &each;
    }
    if (!found) {
        std::string names;
        for (const std::string& each : columns)
            names += (names.empty() ? "" : ", ") + alidade::quoted(each);
        addFault(faults, place + ": " + (names.empty() ? "no columns" : "the columns " + names) +
                             " are not a table of accuracies; name " + wantedColumns);
    }
    return found;
}

std::optional<double> curveNumber(std::string_view cell) {
    double value = 0;
    const auto end = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return end.ec == std::errc{} && end.ptr == cell.data() + cell.size() && std::isfinite(value)
               ? std::optional(value)
               : std::nullopt;
}

std::vector<std::string> curveCells(std::string_view line) {
    const char separator = line.find('\t') != std::string_view::npos  ? '\t'
                           : line.find(';') != std::string_view::npos ? ';'
                                                                      : ',';
    std::vector<std::string> out;
    for (std::size_t from = 0; from <= line.size();) {
        const std::size_t end = std::min(line.find(separator, from), line.size());
        std::string_view cell = trimmed(line.substr(from, end - from));
        if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
            cell = cell.substr(1, cell.size() - 2);
        out.emplace_back(cell);
        from = end + 1;
    }
    return out;
}

/// Is a row a point of a curve, or a problem with its counts? Else adds a fault.
bool checkCurveRow(const CurveLayout& layout, const std::array<double, 2>& row, const std::string& place,
                   std::vector<std::string>& faults) {
    const auto& [at, value] = row;
    const auto refuse = [&](std::string_view column, double wrong, const std::string& right) {
        addFault(faults, place + ": " + std::string(column) + " is " + plainNumber(wrong) + "; " + right);
        return false;
    };
    const bool tokens = layout.measure == AccuracyMeasure::thinking;
    const double most = tokens ? mostTokens : mostSamples;
    if (!(at >= 1 && at <= most) || (!tokens && at != std::floor(at))) {
        return refuse(layout.at, at,
                      std::string("expected ") + (tokens ? "a number" : "a whole number") + " from 1 to " +
                          plainNumber(most));
    }
    if (layout.counts && !(value >= 0 && value <= at && value == std::floor(value))) {
        return refuse(layout.value, value,
                      "expected how many of the n = " + plainNumber(at) + " samples were right");
    }
    if (!layout.counts && !(value >= 0 && value <= 1)) {
        return refuse(layout.value, value,
                      value > 1 && value <= 100 ? "expected a share of 1, such as " + plainNumber(value / 100)
                                                : "expected an accuracy from 0 to 1");
    }
    return true;
}

std::optional<AccuracyCurve> curveOf(const CurveLayout& layout, const CurveRows& rows,
                                     std::vector<std::string>& faults) {
    if (layout.counts) {
        std::vector<AnswerCount> problems;
        for (const auto& [n, c] : rows.values)
            problems.push_back({static_cast<int>(n), static_cast<int>(c)});
        return curveOfCounts(problems);
    }
    std::vector<std::size_t> order(rows.values.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows.values[i][0]; });
    AccuracyCurve out{.measure = layout.measure, .points = {}, .majorityAtLeast = {}};
    for (const std::size_t i : order) {
        const auto& [at, value] = rows.values[i];
        const std::string here = std::string(layout.at) + " = " + plainNumber(at);
        if (!out.points.empty() && out.points.back().at == at) {
            addFault(faults, rows.places[i] + ": a second row for " + here + "; keep one of them");
        } else if (layout.measure == AccuracyMeasure::passAtK && !out.points.empty() &&
                   out.points.back().accuracy > value) {
            addFault(faults, rows.places[i] + ": pass_at_k falls from " +
                                 plainNumber(out.points.back().accuracy) + " to " + plainNumber(value) +
                                 " at " + here +
                                 ", but more samples cannot lower it; correct the row, or name the column "
                                 "majority or best_of_n");
        }
        out.points.push_back({at, value});
    }
    return out;
}

AccuracyReading finishedCurve(const CurveLayout& layout, const CurveRows& rows, const std::string& fileName,
                              std::vector<std::string> faults) {
    AccuracyReading out;
    if (rows.values.empty() && faults.empty())
        addFault(faults, fileName + ": no rows; add one for each number of samples, such as 1,0.41");
    if (faults.empty())
        out.curve = curveOf(layout, rows, faults);
    if (!faults.empty())
        out.curve.reset();
    out.faults = std::move(faults);
    return out;
}

AccuracyReading readCurveTable(std::string_view text, const std::string& fileName) {
    std::vector<std::string> faults;
    const CurveLayout* layout = nullptr;
    std::size_t at = 0, value = 0;
    CurveRows rows;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#')
            continue;
        const std::string place = fileName + ":" + std::to_string(number);
        const std::vector<std::string> cells = curveCells(line);
        if (!layout) {
            layout = curveLayoutOf(cells, place, faults);
            if (!layout)
                return {std::nullopt, std::move(faults)};
            at = static_cast<std::size_t>(std::ranges::find(cells, layout->at) - cells.begin());
            value = static_cast<std::size_t>(std::ranges::find(cells, layout->value) - cells.begin());
            continue;
        }
        if (cells.size() <= std::max(at, value)) {
            addFault(faults, place + ": has " + std::to_string(cells.size()) +
                                 " columns; use as many as in the first line");
            continue;
        }
        const auto a = curveNumber(cells[at]), v = curveNumber(cells[value]);
        if (!a || !v) {
            addFault(faults, place + ": " + alidade::quoted(a ? cells[value] : cells[at]) +
                                 " is not a number; write one such as " + (a ? "0.41" : "16"));
        } else if (checkCurveRow(*layout, {*a, *v}, place, faults)) {
            rows.values.push_back({*a, *v});
            rows.places.push_back(place);
        }
    }
    if (!layout) {
        addFault(faults, fileName + ": is empty; name " + wantedColumns + " and add rows");
        return {std::nullopt, std::move(faults)};
    }
    return finishedCurve(*layout, rows, fileName, std::move(faults));
}

AccuracyReading readCurveColumns(std::string_view text, const std::string& fileName) {
    std::vector<std::string> faults;
    const auto json = parseJson(text);
    if (!json) {
        addFault(faults, fileName + ": " + json.error());
        return {std::nullopt, std::move(faults)};
    }
    std::vector<std::string> columns;
    for (const auto& [key, unused] : json->items())
        columns.push_back(key);
    const CurveLayout* layout = curveLayoutOf(columns, fileName, faults);
    if (!layout)
        return {std::nullopt, std::move(faults)};
    const nlohmann::json &at = (*json)[std::string(layout->at)], &value = (*json)[std::string(layout->value)];
    const std::string pointer = fileName + ":/" + std::string(layout->value);
    if (!at.is_array() || !value.is_array() || at.size() != value.size()) {
        addFault(faults, pointer + ": expected an array with as many numbers as " + std::string(layout->at));
        return {std::nullopt, std::move(faults)};
    }
    CurveRows rows;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const std::string place = pointer + "/" + std::to_string(i);
        if (!at[i].is_number() || !value[i].is_number()) {
            addFault(faults, place + ": " + describe(at[i].is_number() ? value[i] : at[i]) +
                                 " is not a number; write one such as 0.41");
            continue;
        }
        const std::array<double, 2> row{at[i].get<double>(), value[i].get<double>()};
        if (checkCurveRow(*layout, row, place, faults)) {
            rows.values.push_back(row);
            rows.places.push_back(place);
        }
    }
    return finishedCurve(*layout, rows, fileName, std::move(faults));
}

} // namespace

AccuracyReading readAccuracy(std::string_view text, const std::string& fileName) {
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    return trimmed(text).starts_with('{') ? readCurveColumns(text, fileName) : readCurveTable(text, fileName);
}

} // namespace alidade::data
