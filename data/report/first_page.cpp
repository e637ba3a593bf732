// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/document_sections.h"
#include "data/report/printing.h"
#include "data/report/sections.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>

namespace alidade::data {
namespace {

/// Of the first page: what the whole depends on most, if the estimate uses it.
constexpr std::array<std::string_view, 8> mainAssumptions{
    "planned_goodput", "gemm_compute_efficiency", "attention_efficiency", "straggler_spread",
    "overlap_tensor",  "overlap_gradient",        "memory_reserve",       "fragmentation"};
constexpr std::array<std::string_view, 8> mainServingAssumptions{
    "prefix_cache_hit",      "input_tokens_cv",         "memory_utilisation",
    "chunk_tokens",          "serving_gemm_efficiency", "serving_memory_efficiency",
    "serving_step_overhead", "serving_request_overhead"};
constexpr std::size_t mostMainAssumptions = 6, mostMainServingAssumptions = 4; // alongside a tall plot

void addTotalRow(Table& table, const Cost& cost) {
    const bool run = cost.dollarsPerRun && linesMake(cost, *cost.dollarsPerRun);
    if (!run && !linesMake(cost, cost.dollarsPerHour))
        return;
    std::vector<Cell> row(table.columns.size(), textCell(""));
    row.front() =
        textCell(run ? "Total of the run, before tax" : "Total per hour, before tax", Emphasis::strong);
    row.back() =
        moneyCell(run ? *cost.dollarsPerRun : cost.dollarsPerHour, Dimension::dollars, Emphasis::strong);
    table.rows.push_back(std::move(row));
    table.totalRow = true;
}

std::vector<Cell> assumptionRow(const AssumptionT<double>& a) {
    constexpr std::array<const char*, 5> kinds{"catalog", "fitted", "assumed", "yours", "derived"};
    return {textCell(assumptionLabel(a)), valueCell(a.value, a.dimension),
            textCell(kinds.at(static_cast<std::size_t>(a.kind)), Emphasis::quiet)};
}

/// "−$0.31", quiet where it is not known.
Cell differenceCell(const std::optional<double>& difference, Dimension dimension) {
    if (!difference)
        return noCell();
    Cell cell = valueCell(*difference, dimension);
    cell.text = printedDifference(*difference, dimension);
    return cell;
}

Table runSuggestions(const std::vector<Suggestion>& suggestions) {
    Table table{
        .id = "suggestions",
        .columns = {textColumn("Change"), quantityColumn("Step", Dimension::seconds),
                    quantityColumn("Tokens/s", Dimension::ratio),
                    quantityColumn("Rent of the run", Dimension::dollars),
                    quantityColumn("Memory", Dimension::bytes), textColumn("Why")},
        .note = "Each line is a full estimate of the plan with this one change; each still runs and fits."};
    for (const Suggestion& s : suggestions) {
        table.rows.push_back({textCell(s.change.text), valueCell(s.stepTime, Dimension::seconds),
                              differenceCell(s.tokensPerSecondGain, Dimension::ratio),
                              differenceCell(s.dollarsPerRunDifference, Dimension::dollars),
                              valueCell(s.memoryBytes, Dimension::bytes), textCell(capitalized(s.reason))});
    }
    unifyUnits(table);
    return table;
}

Table serviceSuggestions(const Estimate& e, const std::vector<Suggestion>& suggestions) {
    const NamedQuantile quantile = targetQuantile(e.serving->ttftPercentiles, e.serving->targetPercentile);
    Table table{
        .id = "suggestions",
        .columns = {textColumn("Change"), quantityColumn("TTFT " + quantile.name, Dimension::seconds),
                    quantityColumn("ITL " + quantile.name, Dimension::seconds),
                    quantityColumn("Rent", Dimension::dollarsPerHour),
                    quantityColumn("$/M out", Dimension::dollars), textColumn("Why")},
        .note =
            "Each line is a full estimate of the plan with this one change; each still carries the load, "
            "and the targets that hold now hold. Money is the difference to the present plan; $/M out is the "
            "price of a million output tokens."};
    for (const Suggestion& s : suggestions) {
        const ServiceGain gain = s.service.value_or(ServiceGain{});
        table.rows.push_back(
            {textCell(s.change.text), valueCell(gain.ttft, Dimension::seconds),
             valueCell(gain.itl, Dimension::seconds),
             differenceCell(gain.dollarsPerHourDifference, Dimension::dollarsPerHour),
             differenceCell(gain.dollarsPerMillionOutputTokensDifference, Dimension::dollars),
             textCell(capitalized(s.reason))});
    }
    unifyUnits(table);
    return table;
}

} // namespace

std::optional<ReportSection> problemSection(const Estimate& e) {
    ReportSection section{.id = "problems", .title = "What to know first", .firstPage = true};
    Table table{.id = "problems", .columns = {textColumn("Finding"), textColumn("Remedy")}};
    bool errors = false;
    for (const Problem& p : e.problems) {
        if (p.severity == Severity::info)
            continue;
        const bool error = p.severity == Severity::error;
        errors = errors || error;
        table.rows.push_back({textCell(p.message, error ? Emphasis::warning : Emphasis::none),
                              p.fix ? textCell(p.fix->text) : noCell()});
    }
    if (table.rows.empty())
        return std::nullopt;
    section.narrow = !errors && table.rows.size() <= 3; // few warnings are next to the assumptions
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> orderSection(const Estimate& e, const PriceNote& price,
                                          const std::string& reportDate) {
    if (!e.cost)
        return std::nullopt;
    if (e.cost->order && !e.cost->order->lines.empty())
        return orderedSection(e, *e.cost->order, price, reportDate);
    ReportSection section{.id = "order", .title = "What to order", .firstPage = true};
    Table table{.id = "order",
                .columns = {textColumn("Item"), quantityColumn("Quantity", Dimension::number),
                            textColumn("Unit"), quantityColumn("Unit price", Dimension::dollars),
                            quantityColumn("Total", Dimension::dollars)}};
    for (const auto& line : e.cost->lines)
        table.rows.push_back({textCell(line.name), exactCell(line.quantity), textCell(line.unit),
                              moneyCell(line.dollarsPerUnit, Dimension::dollars),
                              moneyCell(line.dollars, Dimension::dollars)});
    if (e.cost->lines.empty()) // how much of it is needed is not known without an end of the run
        table.rows.push_back({textCell(e.clusterName), noCell(), textCell("hours"),
                              moneyCell(e.cost->dollarsPerHour, Dimension::dollars), noCell()});
    else
        addTotalRow(table, *e.cost);
    table.note = price.text;
    table.noteEmphasis = price.old ? Emphasis::warning : Emphasis::quiet;
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> stepSection(const Estimate& e) {
    if (!e.training || e.training->breakdown.empty())
        return std::nullopt;
    return ReportSection{.id = "step",
                         .title = "Step time breakdown (" +
                                  formatQuantity(e.training->stepTime, Dimension::seconds) + ")",
                         .plots = {stepPlot(*e.training)},
                         .firstPage = true};
}

std::optional<ReportSection> suggestionSection(const Estimate& e,
                                               const std::vector<Suggestion>& suggestions) {
    if (suggestions.empty() || !holds(e))
        return std::nullopt;
    ReportSection section{.id = "suggestions",
                          .title = "What would change the answer",
                          .firstPage = !isServing(e)}; // there the curve of latency takes its place
    section.tables.push_back(isServing(e) ? serviceSuggestions(e, suggestions) : runSuggestions(suggestions));
    return section;
}

std::optional<ReportSection> mainAssumptionSection(const Estimate& e) {
    ReportSection section{
        .id = "main_assumptions", .title = "What it assumes", .firstPage = true, .narrow = true};
    Table table{.id = "main_assumptions",
                .columns = {textColumn("Assumption"), mixedColumn("Value"), textColumn("Kind")},
                .note =
                    "All " + std::to_string(e.assumptions.size()) + " with their sources are listed below."};
    const auto& main = isServing(e) ? mainServingAssumptions : mainAssumptions;
    const std::size_t most = isServing(e) ? mostMainServingAssumptions : mostMainAssumptions;
    for (const std::string_view name : main)
        if (const auto* a = assumption(e, name); a && table.rows.size() < most)
            table.rows.push_back(assumptionRow(*a));
    for (const auto& a : e.assumptions)
        if (table.rows.size() < most && a.kind != SourceKind::catalog &&
            std::ranges::find(main, a.name) == main.end())
            table.rows.push_back(assumptionRow(a));
    if (table.rows.empty())
        return std::nullopt;
    section.tables.push_back(std::move(table));
    return section;
}

} // namespace alidade::data
