// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/comparison_parts.h"
#include "data/report/printing.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>

namespace alidade::data {
namespace {

std::optional<double> outputPrice(const Estimate& e) {
    return holds(e) && e.cost ? e.cost->dollarsPerMillionOutputTokens : std::nullopt;
}

/// Whether it holds and misses no target.
bool meets(const Estimate& e) { return holds(e) && e.serving->meetsTargets.value_or(true); }

bool hasTargets(std::span<const Compared> services) {
    return std::ranges::any_of(services, [](const Compared& each) {
        const auto& w = each.estimate->scenario.workload;
        return w.ttftSloS || w.itlSloS;
    });
}

/// What a service is, besides the model. Its load is how much of it there is.
constexpr std::array<std::string_view, 2> serviceFields{"workload.input_tokens", "workload.output_tokens"};

/// What makes prices not compare; empty: they serve the same model with requests of the same lengths.
std::string otherServices(std::span<const Compared> services) {
    return differencesIn(services, serviceFields);
}

std::optional<double> goodFigure(const Estimate& e, const double Serving::* figure) {
    return holds(e) && e.serving ? std::optional((*e.serving).*figure) : std::nullopt;
}

constexpr std::array serviceFigures{
    ComparedFigure{
        "TTFT",
        [](const Estimate& e) { return servesPrompts(e) ? goodFigure(e, &Serving::ttft) : std::nullopt; }},
    ComparedFigure{
        "ITL",
        [](const Estimate& e) { return servesTokens(e) ? goodFigure(e, &Serving::itl) : std::nullopt; }},
    ComparedFigure{"Output tokens/s",
                   [](const Estimate& e) { return goodFigure(e, &Serving::outputTokensPerSecond); }},
    ComparedFigure{
        "Rent",
        [](const Estimate& e) { return e.cost ? std::optional(e.cost->dollarsPerHour) : std::nullopt; }},
    ComparedFigure{
        "$/M in",
        [](const Estimate& e) { return e.cost ? e.cost->dollarsPerMillionInputTokens : std::nullopt; }},
    ComparedFigure{"$/M out", outputPrice}};

Cell verdictCell(const Estimate& e) {
    const bool wanted = e.serving && e.serving->meetsTargets;
    const char* text = !e.runs         ? "cannot run"
                       : !e.fits       ? "does not fit"
                       : overloaded(e) ? "overloaded"
                       : !wanted       ? "no targets"
                       : meets(e)      ? "met"
                                       : "missed";
    return textCell(text, meets(e) ? Emphasis::none : Emphasis::warning);
}

std::vector<Cell> servingComparisonRow(const Estimate& e, const std::string& name) {
    const bool good = holds(e); // else there is no latency, and no price of a token
    const auto& w = e.scenario.workload;
    const auto known = [](bool is, double value, Dimension dimension) {
        return is ? valueCell(value, dimension) : noCell();
    };
    const auto latency = [&](bool is, const PercentilesT<double> Serving::* percentiles,
                             const std::optional<double>& slo) {
        if (!good || !is)
            return noCell();
        const double value = targetQuantile((*e.serving).*percentiles, e.serving->targetPercentile).seconds;
        return valueCell(value, Dimension::seconds, slo && value > *slo ? Emphasis::warning : Emphasis::none);
    };
    const auto price = [&](const std::optional<double> Cost::* each) {
        return good && e.cost && (*e.cost).*each ? valueCell(*((*e.cost).*each), Dimension::dollars)
                                                 : noCell();
    };
    return {textCell(name),
            textCell(e.clusterName),
            verdictCell(e),
            latency(servesPrompts(e), &Serving::ttftPercentiles, w.ttftSloS),
            latency(servesTokens(e), &Serving::itlPercentiles, w.itlSloS),
            known(good, good ? e.serving->requestsPerSecond : 0, Dimension::number),
            known(e.cost.has_value(), e.cost ? e.cost->dollarsPerHour : 0, Dimension::dollarsPerHour),
            price(&Cost::dollarsPerMillionInputTokens),
            price(&Cost::dollarsPerMillionOutputTokens)};
}

/// "p90", where all services have the same; else it is that of each one's targets.
std::string quantileName(std::span<const Compared> services) {
    std::string name;
    for (const Compared& each : services) {
        if (!each.estimate->serving)
            continue;
        const Serving& s = *each.estimate->serving;
        const std::string own = targetQuantile(s.ttftPercentiles, s.targetPercentile).name;
        if (!name.empty() && own != name)
            return "at its target";
        name = own;
    }
    return name;
}

/// What a bar is called: its machines, where that tells it from the others, because it is short.
std::string barLabel(std::span<const Compared> services, const Compared& which) {
    const auto same = std::ranges::count_if(services, [&](const Compared& each) {
        return each.estimate->clusterName == which.estimate->clusterName;
    });
    return same == 1 ? which.estimate->clusterName : which.name;
}

/// What a million output tokens cost with each.
std::optional<Plot> pricePlot(std::span<const Compared> services) {
    RangeBars content{.dimension = Dimension::dollars, .bars = {}};
    std::string words = "A million output tokens cost: ";
    for (const Compared& each : services) {
        const auto price = outputPrice(*each.estimate);
        if (!price)
            continue;
        RangeBar bar{.label = barLabel(services, each),
                     .value = *price,
                     .low = {},
                     .high = {},
                     .text = formatQuantity(*price, Dimension::dollars)};
        words += (content.bars.empty() ? "" : "; ") + bar.label + " " + bar.text;
        bar.text += meets(*each.estimate) ? "" : ", misses a target";
        content.bars.push_back(std::move(bar));
    }
    if (content.bars.size() < 2)
        return std::nullopt;
    return Plot{"comparison.serving", "A million output tokens", words + ".", std::move(content)};
}

} // namespace

Sentence servingComparisonSentence(std::span<const Compared> services) {
    const auto count = std::ranges::count_if(services, [](const Compared& c) { return meets(*c.estimate); });
    const char* what = hasTargets(services) ? "meet their targets." : "carry their load.";
    const bool one = services.size() == 1;
    Sentence s;
    if (one)
        s.push_back({count == 1 ? "it serves its load." : "it does not serve its load.", false});
    else
        s.push_back({(count == std::ssize(services)
                          ? std::string(count == 2 ? "Both " : "All of them ")
                          : std::to_string(count) + " of " + std::to_string(services.size()) + " ") +
                         what,
                     false});
    if (const std::string differ = otherServices(services); !differ.empty()) {
        s.push_back(
            {" They do different jobs, so their latencies and prices do not compare: they differ in " +
                 differ + ".",
             false});
        return s;
    }
    const Compared* cheapest = nullptr;
    for (const Compared& each : services)
        if (meets(*each.estimate) && outputPrice(*each.estimate) &&
            (!cheapest || *outputPrice(*each.estimate) < *outputPrice(*cheapest->estimate)))
            cheapest = &each;
    if (cheapest && count > 1) {
        s.push_back({" Of these the cheapest output tokens come from ", false});
        s.push_back({cheapest->name, true});
        s.push_back(
            {", " + formatQuantity(*outputPrice(*cheapest->estimate), Dimension::dollars) + " per million.",
             false});
    }
    return s;
}

std::vector<ReportSection> servingComparisonSections(std::span<const Compared> services) {
    ReportSection section{
        .id = "comparison.serving", .title = "The scenarios side by side", .firstPage = true};
    const std::string quantile = quantileName(services);
    Table table{.id = "comparison.serving",
                .columns = {textColumn("Scenario"), textColumn("Machines"), textColumn("Targets"),
                            quantityColumn("TTFT " + quantile, Dimension::seconds),
                            quantityColumn("ITL " + quantile, Dimension::seconds),
                            quantityColumn("Requests/s", Dimension::number),
                            quantityColumn("Rent", Dimension::dollarsPerHour),
                            quantityColumn("$/M in", Dimension::dollars),
                            quantityColumn("$/M out", Dimension::dollars)},
                .note = "$/M is the price of a million input or output tokens at the load of the scenario."};
    if (std::ranges::any_of(
            services, [](const Compared& each) { return samplesOf(each.estimate->scenario.workload) > 1; }))
        table.note += " Where a question draws several samples, TTFT, ITL and requests/s apply to samples.";
    for (const Compared& each : services)
        table.rows.push_back(servingComparisonRow(*each.estimate, each.row));
    unifyUnits(table);
    section.tables.push_back(std::move(table));
    if (otherServices(services).empty()) {
        if (auto differences = differenceTable(services, serviceFigures, "differences.serving")) {
            differences->note += " TTFT and ITL are means here.";
            section.tables.push_back(std::move(*differences));
        }
        if (auto plot = services.size() > 2 ? pricePlot(services) : std::nullopt)
            section.plots.push_back(std::move(*plot));
    }
    std::vector<ReportSection> out{std::move(section)};
    if (auto fields = differingFieldSection(services, "fields.serving"))
        out.push_back(std::move(*fields));
    return out;
}

} // namespace alidade::data
