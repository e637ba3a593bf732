// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/outcome_page.h"

#include "app/cli/cells.h"
#include "app/cli/json_parts.h"
#include "app/cli/page.h"
#include "model/base/text.h"
#include "model/units/format.h"

#include <algorithm>

namespace alidade::cli {

namespace {

using Json = nlohmann::ordered_json;
using data::ColumnKind;

constexpr int drawnColumns = 32;
constexpr std::size_t shownDrivers = 8;

std::string quantityText(double value, Dimension dimension) { return formatQuantity(value, dimension); }

std::string probabilityText(double share) {
    return formatQuantity(share, Dimension::ratio, {.significant = 2});
}

std::string histogramText(const OutcomeFigure& figure, const Terminal& terminal) {
    constexpr std::size_t lines = 20; // of a screen
    const std::size_t together = std::max<std::size_t>(1, figure.histogram.size() / lines);
    data::Table table;
    table.columns = {column("From", ColumnKind::text), column("Draws", ColumnKind::text),
                     column("", ColumnKind::text)};
    std::vector<std::size_t> counts;
    for (std::size_t i = 0; i < figure.histogram.size(); ++i) {
        if (i % together == 0)
            counts.push_back(0);
        counts.back() += figure.histogram[i];
    }
    const std::size_t most = std::max<std::size_t>(1, *std::ranges::max_element(counts));
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const double from = figure.histogramLow + static_cast<double>(i * together) * figure.histogramWidth;
        table.rows.push_back(
            {{words(quantityText(from, figure.figure->dimension)),
              words(formatCount(static_cast<std::int64_t>(counts[i]))),
              words(bar(static_cast<double>(counts[i]) / static_cast<double>(most), drawnColumns))}});
    }
    return tableText(std::move(table), terminal);
}

} // namespace

std::string outcomesText(const Outcomes& o, const Terminal& terminal) {
    std::string out;
    const auto say = [&](const std::string& text, Style style = Style::plain) {
        out += paragraphText(text, terminal, style);
    };
    if (!o.complete)
        out += styled(terminal, "Partial: stopped before the last draw", Style::warning) + "\n";
    for (const OutcomeLimit& each : o.limits) {
        say(std::string(each.limit.figure->label) + (each.limit.atMost ? " at most " : " at least ") +
                quantityText(each.limit.value, each.limit.figure->dimension) + " is missed with " +
                probabilityText(each.missed) + " probability",
            Style::strong);
    }
    data::Table table;
    table.columns = {column("Figure", ColumnKind::text), column("Estimate", ColumnKind::text),
                     column("P10", ColumnKind::text),    column("P50", ColumnKind::text),
                     column("P90", ColumnKind::text),    column("Mean", ColumnKind::text)};
    for (const OutcomeFigure& each : o.figures) {
        std::vector<data::Cell> row{words(std::string(each.figure->label))};
        for (const double value : {each.present, each.p10, each.p50, each.p90, each.mean})
            row.push_back(words(quantityText(value, each.figure->dimension)));
        table.rows.push_back({std::move(row)});
    }
    out += tableText(std::move(table), terminal);
    if (!o.figures.empty() && !o.figures.front().histogram.empty()) {
        const OutcomeFigure& first = o.figures.front();
        out += headingText(std::string(first.figure->label), terminal);
        out += histogramText(first, terminal);
        out += headingText("What drives it", terminal);
        data::Table drivers;
        drivers.columns = {column("Input", ColumnKind::text),
                           column("Share of the variance", ColumnKind::text), column("", ColumnKind::text)};
        for (std::size_t i = 0; i < std::min(shownDrivers, first.drivers.size()); ++i) {
            const Driver& each = first.drivers[i];
            drivers.rows.push_back({{words(each.label), words(probabilityText(each.share)),
                                     words(bar(each.share, drawnColumns))}});
        }
        out += tableText(std::move(drivers), terminal);
    }
    say(formatCount(static_cast<std::int64_t>(o.draws)) + " draws of " +
            formatCount(static_cast<std::int64_t>(o.inputs.size())) + " inputs" +
            (o.modelLogSd > 0 ? ", and of what the model leaves out" : "") + "; the memory suffices in " +
            probabilityText(o.fits) +
            (o.failed > 0 ? "; " + formatCount(static_cast<std::int64_t>(o.failed)) + " do not run" : ""),
        Style::quiet);
    return out;
}

std::string outcomesJson(const Outcomes& o, std::uint64_t seed) {
    Json figures = Json::array(), limits = Json::array(), inputs = Json::array();
    for (const OutcomeFigure& each : o.figures) {
        Json drivers = Json::array();
        for (const Driver& driver : each.drivers) {
            drivers.push_back({{"path", driver.path},
                               {"share_of_variance", driver.share},
                               {"correlation", driver.correlation}});
        }
        figures.push_back(
            {{"figure", each.figure->path},
             {"value", each.present},
             {"mean", each.mean},
             {"p10", each.p10},
             {"p50", each.p50},
             {"p90", each.p90},
             {"histogram",
              {{"low", each.histogramLow}, {"width", each.histogramWidth}, {"counts", each.histogram}}},
             {"drivers", std::move(drivers)}});
    }
    for (const OutcomeLimit& each : o.limits) {
        limits.push_back({{"figure", each.limit.figure->path},
                          {each.limit.atMost ? "at_most" : "at_least", each.limit.value},
                          {"probability_missed", each.missed}});
    }
    for (const Uncertain& each : o.inputs)
        inputs.push_back({{"path", each.variable.path()}, {"distribution", textOf(each)}});
    return dumped({{"alidade", 1},
                   {"draws", o.draws},
                   {"seed", seed},
                   {"complete", o.complete},
                   {"probability_fits", o.fits},
                   {"failed_draws", o.failed},
                   {"model_log_sd", o.modelLogSd},
                   {"figures", std::move(figures)},
                   {"limits", std::move(limits)},
                   {"inputs", std::move(inputs)}});
}

} // namespace alidade::cli
