// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/printing.h"
#include "data/report/sections.h"
#include "model/cost/storage_price.h"
#include "model/scenario/choice_names.h"
#include "model/scenario/fields.h"
#include "model/units/format.h"

#include <array>
#include <cmath>
#include <utility>

namespace alidade::data {
namespace {

/// The peak as data sheets print it: 989.5 TFLOP/s.
std::string peakText(const Training& t) {
    return formatQuantity(t.mfuPeakFlopsPerSecond, Dimension::flopPerSecond,
                          {.significant = 4, .trimZeros = true, .fixed = {}});
}

std::string bandRemark(const std::optional<ErrorBand>& band, double seconds) {
    return band ? printedRange(seconds * band->low, seconds * band->high, Dimension::seconds) : std::string();
}

/// The fields that are set under one root: "plan."
Table fieldTableOf(const ScenarioSpec& spec, std::string_view root, std::string title) {
    Table table{.id = "scenario." + std::string(root.substr(0, root.size() - 1)),
                .title = std::move(title),
                .columns = {textColumn("Field"), textColumn("Value"), textColumn("Description")}};
    for (const Field& field : fieldTable()) {
        if (!field.path.starts_with(root))
            continue;
        const std::string text = fieldText(field, field.get(spec));
        if (!text.empty())
            table.rows.push_back({textCell(std::string(field.label)), textCell(fieldTextInWords(field, text)),
                                  textCell(std::string(field.doc), Emphasis::quiet)});
    }
    return table;
}

} // namespace

std::optional<ReportSection> figureSection(const Estimate& e) {
    if (!e.training)
        return std::nullopt;
    const Training& t = *e.training;
    ReportSection section{.id = "figures", .title = "The figures"};
    Table table{.id = "figures",
                .columns = {textColumn("Figure"), mixedColumn("Value"), textColumn("Remark")}};
    addFigure(table, "Step time", t.stepTime, Dimension::seconds, bandRemark(timeErrorBand(e), t.stepTime));
    addFigure(table, "Tokens per second", t.tokensPerSecond, Dimension::tokensPerSecond);
    addFigure(table, "Tokens per second and GPU", t.tokensPerSecondPerGpu, Dimension::tokensPerSecond);
    addFigure(table, "Model FLOP per second and GPU", t.modelFlopsPerSecondPerGpu, Dimension::flopPerSecond,
              t.flopsConvention);
    addFigure(table, "MFU", t.mfu, Dimension::ratio, "of " + peakText(t) + " per GPU, dense");
    addFigure(table, "HFU", t.hfu, Dimension::ratio, "counts recomputed FLOP too");
    addFigure(table, "Micro-batches per step and replica", t.microbatches, Dimension::number);
    addFigure(table, "GPUs in use", e.gpus, Dimension::number);
    if (t.runTime) {
        addFigure(table, "Time of the run", *t.runTime, Dimension::seconds,
                  bandRemark(durationBand(e), *t.runTime));
        addFigure(table, "Goodput", t.goodput, Dimension::ratio, "share of the run that the steps take");
    }
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> planSection(const Estimate& e) {
    ReportSection section{.id = "plan", .title = "The scenario and its parallel layout"};
    section.text.push_back(
        std::string("Everything that the scenario leaves open is filled in with the defaults of its ") +
        (isServing(e) ? "engine." : "framework."));
    for (const auto& [root, title] :
         {std::pair{"plan.", "Plan"}, {"workload.", "Workload"}, {"cluster.", "Cluster"}, {"run.", "Run"}}) {
        Table table = fieldTableOf(e.scenario, root, title);
        if (!table.rows.empty())
            section.tables.push_back(std::move(table));
    }
    if (section.tables.empty())
        return std::nullopt;
    return section;
}

std::optional<ReportSection> stageSection(const Estimate& e) {
    if (!e.training || e.training->stages.empty())
        return std::nullopt;
    ReportSection section{.id = "stages", .title = "Pipeline stages"};
    Table table{.id = "stages",
                .columns = {quantityColumn("Stage", Dimension::number),
                            quantityColumn("Layers", Dimension::number),
                            quantityColumn("Forward", Dimension::seconds),
                            quantityColumn("Backward, inputs", Dimension::seconds),
                            quantityColumn("Backward, weights", Dimension::seconds),
                            quantityColumn("Memory", Dimension::bytes)},
                .note = "Times are for one micro-batch on one GPU."};
    for (const Stage& s : e.training->stages)
        table.rows.push_back(
            {valueCell(s.stage, Dimension::number), valueCell(s.layers, Dimension::number),
             valueCell(s.forward, Dimension::seconds), valueCell(s.backwardInput, Dimension::seconds),
             valueCell(s.backwardWeight, Dimension::seconds), valueCell(s.memoryBytes, Dimension::bytes)});
    unifyUnits(table);
    section.tables.push_back(std::move(table));
    return section;
}

ReportSection memorySection(const Memory& m, std::string id, std::string title) {
    const auto bytes = [](double v) { return formatQuantity(v, Dimension::bytes); };
    ReportSection section{.id = std::move(id), .title = std::move(title)};
    const bool pipeline = m.stages.size() > 1;
    const std::string stage = std::to_string(m.worstStage);
    std::string text = (pipeline ? "Stage " + stage + " is the fullest: " : "There are ") +
                       bytes(m.totalBytes) + " on each GPU, where " + bytes(usableBytes(m)) +
                       " are usable (" + bytes(m.capacityBytes) + " less " + bytes(m.reserveBytes) +
                       " kept in reserve): " + bytes(std::abs(m.headroomBytes)) +
                       (m.headroomBytes < 0 ? " too much." : " left.");
    if (m.highBytes > m.lowBytes)
        text += " Of ten such plans eight are between " +
                printedRange(m.lowBytes, m.highBytes, Dimension::bytes) + ".";
    if (m.nominalBytes != m.capacityBytes && m.nominalBytes > 0)
        text += " The GPU's nominal memory is " + bytes(m.nominalBytes) + ".";
    section.text.push_back(std::move(text));
    if (!m.stages.empty())
        section.plots.push_back(memoryPlot(m));
    Table table{.id = section.id + ".parts",
                .title = pipeline ? "What fills stage " + stage : "What fills it",
                .columns = {textColumn("Part"), quantityColumn("Size", Dimension::bytes),
                            quantityColumn("Share", Dimension::ratio)}};
    for (const auto& part : m.parts)
        if (part.bytes > 0)
            table.rows.push_back(
                {textCell(spokenName(part.name)), valueCell(part.bytes, Dimension::bytes),
                 valueCell(m.totalBytes > 0 ? part.bytes / m.totalBytes : 0, Dimension::ratio)});
    table.rows.push_back({textCell("Total", Emphasis::strong),
                          valueCell(m.totalBytes, Dimension::bytes, Emphasis::strong), textCell("")});
    table.totalRow = true;
    unifyUnits(table);
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> memorySection(const Estimate& e) {
    if (!e.memory)
        return std::nullopt;
    return memorySection(*e.memory, "memory",
                         e.memory->stages.size() > 1 ? "Memory of each stage" : "Memory");
}

std::optional<ReportSection> costSection(const Estimate& e, const PriceNote& price) {
    if (!e.cost)
        return std::nullopt;
    const Cost& c = *e.cost;
    ReportSection section{.id = "cost", .title = "Cost"};
    section.text.push_back(price.text);
    Table table{.id = "cost", .columns = {textColumn("Figure"), mixedColumn("Value"), textColumn("Remark")}};
    addFigure(table, "Each hour", c.dollarsPerHour, Dimension::dollarsPerHour);
    if (const auto total = runTotal(c)) {
        const std::string range = totalRange(*total);
        if (total->ordered)
            addFigure(table, "The whole run, before tax", total->dollars, Dimension::dollars,
                      "as ordered" + (range.empty() ? range : ", " + range));
        addFigure(table, "Rent of the run", *c.dollarsPerRun, Dimension::dollars, "the machines alone");
    }
    if (isServing(e) && c.order && !isMonthOfRent(c))
        addFigure(table, "The order, before tax", dollarsOf(c.order->beforeTax), Dimension::dollars,
                  c.order->lines.empty() ? std::string() : c.order->lines.front().text);
    else if (isServing(e))
        addFigure(table, "Each month", c.dollarsPerHour * monthHours, Dimension::dollars,
                  "of " + formatQuantity(monthHours, Dimension::number) + " hours");
    const bool known = !isServing(e) || (e.serving && holds(e)); // no request, no price of its tokens
    if (known && c.dollarsPerMillionTokens)
        addFigure(table, "A million tokens", *c.dollarsPerMillionTokens, Dimension::dollars,
                  isServing(e) ? "input and output together" : "");
    if (known && c.dollarsPerMillionInputTokens)
        addFigure(table, "A million input tokens", *c.dollarsPerMillionInputTokens, Dimension::dollars,
                  "the rent of prefill, " + shareText(e.serving->prefillShare) + " of the GPU time");
    if (known && c.dollarsPerMillionOutputTokens)
        addFigure(table, "A million output tokens", *c.dollarsPerMillionOutputTokens, Dimension::dollars,
                  "the rent of decode");
    if (c.energyKwh)
        addFigure(table, "Energy of the run", *c.energyKwh * 1000, Dimension::wattHours);
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> assumptionSection(const Estimate& e) {
    if (e.assumptions.empty())
        return std::nullopt;
    constexpr std::array<const char*, 5> kinds{"catalog", "fitted", "assumed", "yours", "derived"};
    ReportSection section{.id = "assumptions", .title = "Everything it assumes, with sources"};
    Table table{.id = "assumptions",
                .columns = {textColumn("Assumption"), mixedColumn("Value"), textColumn("Kind"),
                            textColumn("Source")}};
    for (const auto& a : e.assumptions)
        table.rows.push_back({textCell(assumptionLabel(a)), valueCell(a.value, a.dimension),
                              textCell(kinds.at(static_cast<std::size_t>(a.kind)), Emphasis::quiet),
                              textCell(a.source, Emphasis::quiet)});
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> noteSection(const Estimate& e) {
    if (e.problems.empty())
        return std::nullopt;
    ReportSection section{.id = "notes", .title = "Errors, warnings and notes"};
    Table table{.id = "notes",
                .columns = {textColumn("Severity"), textColumn("Place"), textColumn("Finding"),
                            textColumn("Remedy")}};
    for (const Problem& p : e.problems) {
        constexpr std::array<const char*, 3> words{"Error", "Warning", "Note"};
        std::string help = p.fix ? p.fix->text : "";
        if (p.fix && !p.fix->set.empty()) {
            help += ": ";
            for (std::size_t i = 0; i < p.fix->set.size(); ++i)
                help += (i ? ", " : "") + p.fix->set[i].first + "=" + p.fix->set[i].second;
        }
        table.rows.push_back({textCell(words.at(static_cast<std::size_t>(p.severity)),
                                       p.severity == Severity::error ? Emphasis::warning : Emphasis::none),
                              textCell(p.place, Emphasis::quiet), textCell(p.message),
                              help.empty() ? noCell() : textCell(std::move(help))});
    }
    section.tables.push_back(std::move(table));
    return section;
}

ReportSection conventionSection(const Estimate& e, const ReportContext& context) {
    ReportSection section{.id = "conventions", .title = "Versions and conventions"};
    Table table{.id = "versions", .columns = {textColumn("What"), textColumn("Version")}};
    table.rows.push_back({textCell("Program"), textCell("Alidade " + context.programVersion)});
    table.rows.push_back(
        {textCell("Catalog"), e.catalogVersion.empty() ? noCell() : textCell(e.catalogVersion)});
    table.rows.push_back(
        {textCell("Calibration"), e.profileName.empty() ? noCell() : textCell(e.profileName)});
    table.rows.push_back({textCell("Report"), textCell(context.date)});
    section.tables.push_back(std::move(table));
    section.text = {"1 GB is 1,000,000,000 bytes and 1 GiB is 1,073,741,824 bytes. A multiplication with its "
                    "addition is 2 FLOP. "
                    "Peaks are dense. Bandwidths are per GPU and per direction.",
                    "Low and high are the 10 % and 90 % quantiles of the model's error: of ten such plans "
                    "eight fall between."};
    if (isServing(e))
        section.text.push_back(
            "TTFT is the time from the arrival of a request to its first token, E2E that to its last, ITL "
            "the "
            "gap between two output tokens, TPOT (E2E - TTFT) / (output tokens - 1). p90 is the value that "
            "90 % of requests (TTFT) or of gaps (ITL) do not pass. The load of a pool is its request rate / "
            "the "
            "highest rate that it can sustain.");
    if (e.training)
        section.text.push_back("MFU is the model's FLOP per second and GPU (" + e.training->flopsConvention +
                               ") divided by the dense peak of " + peakText(*e.training) + ".");
    return section;
}

} // namespace alidade::data
