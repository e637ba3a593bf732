// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/compare_page.h"

#include "app/cli/cells.h"
#include "app/cli/page.h"
#include "model/explore/comparison_words.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace alidade::cli {

namespace {

using data::ColumnKind;

/// The figures that are printed, of those that there are; --json has all.
constexpr std::array<std::string_view, 9> printed{"training.run_time_s",
                                                  "training.step_time_s",
                                                  "training.mfu",
                                                  "cost.dollars_per_run",
                                                  "serving.ttft_percentiles_s.p90",
                                                  "serving.tpot_s",
                                                  "serving.output_tokens_per_s_per_gpu",
                                                  "cost.dollars_per_million_output_tokens",
                                                  "cost.energy_kwh"};

std::string changeWords(const FigureRow& row, std::size_t i) {
    if (!row.values[i])
        return "\u2013";
    const std::string value = formatQuantity(*row.values[i], row.figure->dimension);
    const auto& change = row.changes[i];
    const std::string best = row.best == i ? ", best" : "";
    if (!change || change->before == change->after)
        return value + best;
    return value + " (" + changeText(*row.figure, *change) + (change->certain ? "" : ", within the error") +
           best + ")";
}

} // namespace

std::string comparisonText(std::span<const ComparedScenario> scenarios, const Comparison& comparison,
                           const Terminal& terminal) {
    std::string out = headingText("Against " + scenarios[comparison.baseline].name, terminal);
    out += paragraphText(comparison.sentence, terminal);
    if (!comparison.detail.empty())
        out += paragraphText(comparison.detail, terminal);
    data::Table table;
    table.columns.push_back(column("Scenario", ColumnKind::text));
    std::vector<const FigureRow*> rows;
    for (const std::string_view path : printed) {
        for (const FigureRow& row : comparison.figures) {
            if (row.figure->path == path) {
                rows.push_back(&row);
                table.columns.push_back(column(row.figure->label.data(), ColumnKind::text));
            }
        }
    }
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        std::vector<data::Cell> cells{words(scenarios[i].name)};
        for (const FigureRow* row : rows)
            cells.push_back(words(changeWords(*row, i)));
        table.rows.push_back(std::move(cells));
    }
    return out + tableText(std::move(table), terminal);
}

std::string reasonsText(std::span<const ComparedScenario> scenarios, const Comparison& comparison,
                        const Terminal& terminal) {
    std::string out = headingText("Why they differ from " + scenarios[comparison.baseline].name, terminal);
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        if (i == comparison.baseline)
            continue;
        bool any = false;
        for (const Reasons& reasons : comparison.reasons) {
            if (!reasons.totals[i])
                continue;
            any = true;
            const bool points = reasons.dimension == Dimension::ratio;
            const auto amount = [&](double value) {
                return amountText(value, reasons.dimension) + (points ? " %" : "");
            };
            std::string parts;
            for (const ReasonRow& row : reasons.rows)
                if (row.amounts[i].value_or(0) != 0)
                    parts += (parts.empty() ? ": " : ", ") + row.name + " " + amount(*row.amounts[i]);
            out += paragraphText(reasons.name + " of " + scenarios[i].name + ": " +
                                     amount(*reasons.totals[i]) + parts,
                                 terminal);
        }
        if (!any)
            out += paragraphText(scenarios[i].name + ": no step to compare", terminal);
    }
    return out;
}

} // namespace alidade::cli
