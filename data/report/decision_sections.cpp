// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/document_sections.h"
#include "data/report/printing.h"
#include "model/base/text.h"
#include "model/units/constants.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>

namespace alidade::data {
namespace {

Cell runDaysCell(const std::optional<double>& days, Emphasis emphasis = Emphasis::none) {
    return days ? valueCell(*days * secondsPerDay, Dimension::seconds, emphasis) : noCell();
}

/// "+4.00 days", in the unit of its column once unifyUnits() has run.
Cell changeCell(const std::optional<double>& value, Dimension dimension) {
    if (!value)
        return noCell();
    Cell cell = valueCell(*value, dimension);
    cell.text = printedDifference(*value, dimension);
    return cell;
}

/// "+$10.7 M"; to the cent in files.
Cell centsChangeCell(const std::optional<Cents>& cents) {
    return changeCell(cents ? std::optional(dollarsOf(*cents)) : std::nullopt, Dimension::dollars);
}

std::optional<double> secondsOf(const std::optional<double>& days) {
    return days ? std::optional(*days * secondsPerDay) : std::nullopt;
}

Cell rangeCell(const PlanResult& r) {
    if (!r.low || !r.high)
        return noCell();
    return textCell(printedRange(dollarsOf(*r.low), dollarsOf(*r.high), Dimension::dollars), Emphasis::quiet);
}

Cell memoryCell(const PlanResult& r) {
    if (!(r.usableMemory > 0))
        return noCell();
    FormatOptions options;
    options.fixed = chooseUnit(Dimension::bytes, std::max(r.usableMemory, r.memory));
    return textCell(formatParts(r.memory, Dimension::bytes, options).number + " of " +
                    formatQuantity(r.usableMemory, Dimension::bytes, options));
}

const char* stateText(OptionState state) {
    switch (state) {
    case OptionState::chosen:
        return "chosen";
    case OptionState::open:
        return "open";
    case OptionState::rejected:
        return "rejected";
    }
    return "";
}

std::string oddsText(const std::optional<double>& odds) {
    if (!odds)
        return "–";
    if (*odds > 0.5)
        return shareText(*odds);
    return *odds < 0.001 ? "< 1 in 1,000" : "1 in " + formatCount(std::llround(1 / *odds));
}

/// What happens where time and money do not say it.
std::string consequence(const Risk& risk) {
    if (!risk.result.carries)
        return ": " + risk.result.why;
    if (risk.result.meetsTargets == false)
        return ": misses the targets of latency";
    return {};
}

std::optional<double> difference(const std::optional<double>& after, const std::optional<double>& before) {
    return after && before ? std::optional(*after - *before) : std::nullopt;
}

} // namespace

std::optional<ReportSection> optionSection(const FoundOptions& options, bool serving) {
    if (options.options.size() < 2)
        return std::nullopt;
    ReportSection section{.id = "options", .title = "Options considered"};
    if (std::string headline = optionsHeadline(options.options); !headline.empty())
        section.text.push_back(std::move(headline));
    Table table{.id = "options", .columns = {textColumn("Option"), textColumn("State")}};
    if (serving) {
        table.columns.push_back(quantityColumn("TTFT", Dimension::seconds));
        table.columns.push_back(quantityColumn("ITL", Dimension::seconds));
    } else {
        table.columns.push_back(quantityColumn("Time", Dimension::seconds));
    }
    table.columns.push_back(quantityColumn("Total", Dimension::dollars));
    if (!serving)
        table.columns.push_back(textColumn("Low – high"));
    table.columns.push_back(textColumn("Memory"));
    table.columns.push_back(textColumn("Reason"));
    for (const ConsideredOption& each : options.options) {
        const bool chosen = each.state == OptionState::chosen;
        const Emphasis strong = chosen ? Emphasis::strong : Emphasis::none;
        const PlanResult& r = each.result;
        std::vector<Cell> row{
            textCell(each.name, strong),
            textCell(stateText(each.state), each.state == OptionState::rejected ? Emphasis::quiet : strong)};
        if (serving) {
            row.push_back(r.firstToken ? valueCell(*r.firstToken, Dimension::seconds) : noCell());
            row.push_back(r.gap ? valueCell(*r.gap, Dimension::seconds) : noCell());
        } else {
            row.push_back(r.carries ? runDaysCell(r.days, strong) : noCell());
        }
        row.push_back(r.carries && r.total ? valueCell(dollarsOf(*r.total), Dimension::dollars, strong)
                                           : noCell());
        if (!serving)
            row.push_back(r.carries ? rangeCell(r) : noCell());
        row.push_back(memoryCell(r));
        row.push_back(chosen && each.reason.empty() ? textCell("The plan of this document", Emphasis::quiet)
                                                    : textCell(each.reason));
        table.rows.push_back(std::move(row));
    }
    if (options.plans > 0)
        table.note = "From a search over " + formatCount(static_cast<std::int64_t>(options.plans)) +
                     " plans, each estimated alike; of each machine the cheapest is listed. ";
    table.note += "Equal: the difference is smaller than the independent error, so the model cannot rank the "
                  "two plans.";
    if (options.plans > 0 && !options.betterLayout)
        table.note += " No other layout on the same machines is better beyond that error.";
    unifyUnits(table);
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> riskSection(const PlanDocument& document, bool serving) {
    if (document.risks.empty())
        return std::nullopt;
    ReportSection section{.id = "risks", .title = "Risks"};
    Table table{.id = "risks", .columns = {textColumn("What may happen"), textColumn("Odds")}};
    if (serving) {
        table.columns.push_back(quantityColumn("TTFT", Dimension::seconds));
        table.columns.push_back(quantityColumn("ITL", Dimension::seconds));
    } else {
        table.columns.push_back(quantityColumn("Time", Dimension::seconds));
    }
    table.columns.push_back(quantityColumn("Cost", Dimension::dollars));
    table.columns.push_back(textColumn("Mitigation"));
    for (const Risk& risk : document.risks) {
        const bool bad = !consequence(risk).empty();
        std::vector<Cell> row{
            textCell(risk.text + consequence(risk), bad ? Emphasis::warning : Emphasis::none),
            textCell(oddsText(risk.odds))};
        if (serving) {
            row.push_back(changeCell(difference(risk.result.firstToken, document.result.firstToken),
                                     Dimension::seconds));
            row.push_back(changeCell(difference(risk.result.gap, document.result.gap), Dimension::seconds));
        } else {
            row.push_back(changeCell(secondsOf(risk.days), Dimension::seconds));
        }
        row.push_back(centsChangeCell(risk.total));
        row.push_back(textCell(risk.remedy));
        table.rows.push_back(std::move(row));
    }
    for (std::size_t column = 2; column + 2 < table.columns.size(); ++column)
        unifyDifferences(table, column);
    table.note = "Each risk is the scenario with that one change, estimated again; time and cost are "
                 "differences from the plan. Odds are those of the model's own error; –: not known.";
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> deadlineSection(const PlanDocument& document) {
    if (document.deadlineSteps.empty())
        return std::nullopt;
    ReportSection section{.id = "deadline", .title = "Ways to meet the deadline"};
    Table table{.id = "deadline",
                .columns = {textColumn("Change"), quantityColumn("Time", Dimension::seconds),
                            quantityColumn("Cost", Dimension::dollars),
                            quantityColumn("In time", Dimension::ratio)},
                .note = "Each change comes on top of those before it, and the plan is estimated again; time "
                        "and cost are differences from the plan. In time: share of the outcomes that end by "
                        "the deadline."};
    for (const DeadlineStep& step : document.deadlineSteps)
        table.rows.push_back({textCell(step.text), changeCell(secondsOf(step.days), Dimension::seconds),
                              centsChangeCell(step.total), valueCell(step.chance, Dimension::ratio)});
    unifyDifferences(table, 1);
    unifyDifferences(table, 2);
    if (document.deadlineSteps.back().chance < inTimeWanted)
        section.text.emplace_back("None of these changes meets it in nine of ten outcomes.");
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> keyAssumptionSection(const PlanDocument& document) {
    constexpr std::size_t most = 5;
    if (document.assumptions.empty())
        return std::nullopt;
    ReportSection section{
        .id = "main_assumptions", .title = "What matters most", .firstPage = true, .narrow = true};
    Table table{.id = "main_assumptions",
                .columns = {textColumn("Assumption"), mixedColumn("Value"),
                            quantityColumn("At its worse end", Dimension::ratio)},
                .note = document.result.days
                            ? "Change of the cost. All that matter are under Assumptions to sign."
                            : "Change of the price of tokens or of the headline figure. All "
                              "that matter are under Assumptions to sign."};
    for (const KeyAssumption& each : document.assumptions) {
        if (table.rows.size() == most)
            break;
        table.rows.push_back({textCell(each.label), valueCell(each.value, each.dimension),
                              each.carries ? changeCell(each.change, Dimension::ratio)
                                           : textCell("does not run", Emphasis::warning)});
    }
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> signSection(const PlanDocument& document, bool serving) {
    if (document.assumptions.empty())
        return std::nullopt;
    ReportSection section{.id = "sign", .title = "Assumptions to sign"};
    section.text.emplace_back(std::string("Only assumptions that change ") +
                              (serving ? "the price of tokens or the headline figure" : "the cost") +
                              " of this plan by half a percent or more are listed. Each was taken to the "
                              "worse of its two ends, and "
                              "the plan estimated again.");
    Table table{.id = "sign",
                .columns = {textColumn("Assumption"), mixedColumn("Value"), textColumn("Low – high")}};
    if (!serving)
        table.columns.push_back(quantityColumn("Time", Dimension::seconds));
    table.columns.push_back(serving ? quantityColumn("Effect", Dimension::ratio)
                                    : quantityColumn("Cost", Dimension::dollars));
    table.columns.push_back(textColumn("Source"));
    bool tenths = false;
    for (const KeyAssumption& each : document.assumptions) {
        tenths = tenths || !each.ownError;
        std::vector<Cell> row{textCell(each.label + (each.ownError ? "" : " *"),
                                       each.carries ? Emphasis::none : Emphasis::warning),
                              valueCell(each.value, each.dimension),
                              textCell(printedRange(each.low, each.high, each.dimension), Emphasis::quiet)};
        if (!serving)
            row.push_back(each.carries ? changeCell(secondsOf(each.days), Dimension::seconds) : noCell());
        row.push_back(!each.carries ? textCell("does not run", Emphasis::warning)
                      : serving     ? changeCell(each.change, Dimension::ratio)
                                    : centsChangeCell(each.total));
        row.push_back(textCell(each.source, Emphasis::quiet));
        table.rows.push_back(std::move(row));
    }
    if (!serving)
        unifyDifferences(table, 3);
    table.note = "Low and high are the 10 % and 90 % quantiles of the error of the value itself.";
    if (tenths)
        table.note += " *: a tenth less and more, as no error of it is known.";
    section.tables.push_back(std::move(table));
    return section;
}

ReportSection signatureSection(const Branding& branding) {
    ReportSection section{.id = "signatures", .title = "Signatures"};
    Table table{.id = "signatures",
                .columns = {textColumn(""), textColumn("Name"), textColumn("Date"), textColumn("Signature")},
                .note = "This is an estimate, not a quote. All amounts are in US dollars."};
    const std::string blank = "____________________";
    for (const char* role : {"Prepared by", "Reviewed by", "Approved by"}) {
        const bool author = role == std::string_view("Prepared by") && !branding.author.empty();
        table.rows.push_back(
            {textCell(role), textCell(author ? branding.author : blank), textCell(blank), textCell(blank)});
    }
    section.tables.push_back(std::move(table));
    return section;
}

} // namespace alidade::data
