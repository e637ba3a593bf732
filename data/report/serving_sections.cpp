// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/layer_tables.h"
#include "data/report/printing.h"
#include "data/report/sections.h"
#include "model/estimate/error_band.h"
#include "model/scenario/test_time_plan.h"
#include "model/units/format.h"

#include <algorithm>
#include <utility>

namespace alidade::data {
namespace {

constexpr Dimension seconds = Dimension::seconds;
constexpr Dimension number = Dimension::number;
constexpr std::size_t mostLoadRows = 16;

std::string percentileName(double percentile) {
    return "p" + formatQuantity(percentile, number, {.trimZeros = true});
}

std::vector<Cell> latencyRow(const char* name, double mean, const PercentilesT<double>& p, double percentile,
                             const std::optional<double>& target, bool doubtful) {
    std::vector<Cell> row{textCell(name)};
    for (const double value : {mean, p.p50, p.p90, p.p95, p.p99})
        row.push_back(valueCell(value, seconds));
    const bool kept = target && targetQuantile(p, percentile).seconds <= *target;
    row.push_back(target ? valueCell(*target, seconds) : noCell());
    const char* verdict = !kept ? "missed" : doubtful ? "kept within its error" : "kept";
    row.push_back(target ? textCell(verdict, kept && !doubtful ? Emphasis::none : Emphasis::warning)
                         : noCell());
    return row;
}

/// The band of the model's error and what it means.
std::string certainty(const Estimate& e) {
    const auto percent = [](double factor) { return printedDifference(factor - 1, Dimension::ratio); };
    std::string text;
    if (const auto band = timeBand(e))
        text = "Of ten such services eight have a time per token between " + percent(band->low) + " and " +
               percent(band->high) + " of the estimated one";
    const auto first = firstTokenErrorBand(e);
    if (!text.empty() && first && servesPrompts(e))
        text +=
            ", and a time to the first token between " + percent(first->low) + " and " + percent(first->high);
    return text.empty() ? text : text + ".";
}

std::string poolTitle(const Pool& pool) {
    return spokenName(pool.name) + (pool.instance.empty() ? "" : ", " + pool.instance);
}

/// A figure of all pools: one row, a cell a pool.
template <class Of>
void addPoolRow(Table& table, const std::vector<Pool>& pools, const char* name, Dimension dimension,
                std::string remark, Of&& of) {
    std::vector<Cell> row{textCell(name)};
    bool any = false;
    for (const Pool& pool : pools) {
        const std::optional<double> value = of(pool);
        row.push_back(value ? valueCell(*value, dimension) : noCell());
        any = any || value;
    }
    row.push_back(textCell(std::move(remark), Emphasis::quiet));
    if (any)
        table.rows.push_back(std::move(row));
}

/// Degrees of parallelism that are 1 everywhere say nothing.
void addDegree(Table& table, const std::vector<Pool>& pools, const char* name, int Pool::* member,
               const char* remark) {
    if (std::ranges::any_of(pools, [member](const Pool& pool) { return pool.*member > 1; }))
        addPoolRow(table, pools, name, number, remark,
                   [member](const Pool& pool) { return std::optional<double>(pool.*member); });
}

void addStep(Report& report, const std::string& name, const std::vector<ShareT<double>>& parts, double step,
             const std::vector<Layer>& layers) {
    if (parts.empty() || !(step > 0))
        return;
    ReportSection section{.id = name, .title = "A " + name + " step of " + formatQuantity(step, seconds)};
    if (name == "prefill") // that of a decode step is on the first page
        section.plots.push_back(stepPlot(parts, step, name, "prefill step"));
    section.tables.push_back(breakdownTable(parts, step, name + ".breakdown", "Its parts"));
    if (!layers.empty()) {
        const std::string title = "Time of one layer on one GPU in a " + name + " step";
        section.plots.push_back(layerPlot(layers, name + ".layers", title));
        section.tables.push_back(layerSummaryTable(
            layers, name + ".layers", "Times are for one GPU in one step, with the exposed communication."));
        addLayerTables(section, layers, name + ".layers.");
    }
    report.sections.push_back(std::move(section));
}

} // namespace

std::optional<ReportSection> servingFigureSection(const Estimate& e) {
    const Serving& s = *e.serving;
    ReportSection section{.id = "figures", .title = "The figures"};
    Table table{.id = "figures",
                .columns = {textColumn("Figure"), mixedColumn("Value"), textColumn("Remark")}};
    constexpr Dimension rate = Dimension::tokensPerSecond;
    const std::string one = sequenceWord(e.scenario.workload), many = one + "s";
    const std::string counted = capitalized(many);
    if (servesPrompts(e)) {
        addFigure(table, "TTFT", s.ttft, seconds,
                  "mean, from the arrival of a " + one + " to its first token");
        addFigure(table, "of it, waiting", s.queueTime, seconds, "before the prefill begins");
        addFigure(table, "of it, prefill", s.prefillTime, seconds);
    }
    if (servesTokens(e)) {
        addFigure(table, "ITL", s.itl, seconds, "mean, from one output token to the next");
        addFigure(table, "TPOT", s.tpot, seconds, "(E2E - TTFT) / (output tokens - 1)");
        addFigure(table, "E2E", s.e2e, seconds, "mean, from the arrival of a " + one + " to its last token");
        addFigure(table, "Tokens per second and user", s.tokensPerSecondPerUser, rate, "1 / TPOT");
        addFigure(table, "Output tokens per second", s.outputTokensPerSecond, rate,
                  "of the whole deployment");
        addFigure(table, "Output tokens per second and GPU", s.outputTokensPerSecondPerGpu, rate,
                  e.gpus == 1 ? "of 1 GPU" : "of " + formatQuantity(e.gpus, number) + " GPUs");
    }
    addFigure(table, "Input tokens per second", s.inputTokensPerSecond, rate, "of the whole deployment");
    addFigure(table, counted + " per second", s.requestsPerSecond, number, "that are finished");
    addFigure(table, "Most " + many + " per second", s.maxRequestRate, number,
              "above it the queue grows without bound");
    if (s.requestRateWithinTargets)
        addFigure(table, "Most " + many + " per second within the targets", *s.requestRateWithinTargets,
                  number);
    addFigure(table, "Load", s.utilization, Dimension::ratio, "of the pool that limits");
    addFigure(table, counted + " in flight", s.concurrency, number, "mean, in the whole deployment");
    addFigure(table, counted + " that it can hold", s.maxConcurrency, number,
              "by KV cache and largest batch");
    if (servesTokens(e))
        addFigure(table, counted + " in a decode step", s.batch, number, "of one replica, mean");
    if (s.preemptionsPerRequest > 0)
        addFigure(table, "Preemptions per " + one, s.preemptionsPerRequest, number,
                  "times that its KV cache is dropped and computed again");
    if (s.energy) {
        addFigure(table, "Power", s.energy->watts, Dimension::watts,
                  formatQuantity(s.energy->gpuWatts, Dimension::watts) + " per GPU, with host and PUE");
        addFigure(table, "Energy of a million tokens", s.energy->kilowattHoursPerMillionTokens * 1000,
                  Dimension::wattHours, "input and output together");
        addFigure(table, "Energy of a month", s.energy->kilowattHoursPerMonth * 1000, Dimension::wattHours,
                  formatQuantity(s.energy->carbonKgPerMonth / 1000, Dimension::number) +
                      " t of CO2e, location-based, of the Region's grid");
    }
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> latencySection(const Estimate& e) {
    const Serving& s = *e.serving;
    ReportSection section{.id = "latency", .title = "Latencies and targets"};
    section.text.push_back(
        s.simulated ? "The latencies are those of simulated " + sequenceWord(e.scenario.workload) +
                          "s, because the closed form is not exact enough for this load."
        : s.confirmed ? "The latencies are those of the closed form; a simulation of the same load comes to "
                        "the same verdict on the targets."
                      : "The latencies are those of the closed form.");
    if (std::string sure = certainty(e); !sure.empty())
        section.text.push_back(std::move(sure));
    const std::string of = " (" + percentileName(s.targetPercentile) + ")";
    Table table{.id = "latency",
                .columns = {textColumn("Latency"), quantityColumn("Mean", seconds),
                            quantityColumn("p50", seconds), quantityColumn("p90", seconds),
                            quantityColumn("p95", seconds), quantityColumn("p99", seconds),
                            quantityColumn("Target" + of, seconds), textColumn("Verdict")}};
    const DoubtfulTargets doubtful = doubtfulTargets(e);
    if (servesPrompts(e))
        table.rows.push_back(latencyRow("TTFT", s.ttft, s.ttftPercentiles, s.targetPercentile, s.ttftTarget,
                                        doubtful.firstToken));
    if (servesTokens(e))
        table.rows.push_back(
            latencyRow("ITL", s.itl, s.itlPercentiles, s.targetPercentile, s.itlTarget, doubtful.gap));
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> loadTableSection(const Estimate& e) {
    const Serving& s = *e.serving;
    if (s.loadCurve.empty())
        return std::nullopt;
    ReportSection section{.id = "load_points", .title = "The curve of latency against load"};
    const std::string p = percentileName(s.targetPercentile);
    const bool priced = std::ranges::any_of(
        s.loadCurve, [](const LoadPoint& point) { return point.dollarsPerMillionOutputTokens > 0; });
    Table table{.id = "load_points",
                .columns = {quantityColumn(capitalized(sequenceWord(e.scenario.workload)) + "s/s", number),
                            quantityColumn("Load", Dimension::ratio), quantityColumn("In flight", number),
                            quantityColumn("TTFT mean", seconds), quantityColumn("TTFT " + p, seconds),
                            quantityColumn("ITL mean", seconds), quantityColumn("ITL " + p, seconds)}};
    if (priced)
        table.columns.push_back(quantityColumn("A million output tokens", Dimension::dollars));
    if (s.meetsTargets)
        table.columns.push_back(textColumn("Targets"));
    // The last point stands in any case: it is the end of what is stable.
    const std::size_t count = s.loadCurve.size(), stride = (count + mostLoadRows - 1) / mostLoadRows;
    std::vector<bool> steady;
    for (std::size_t i = (count - 1) % stride; i < count; i += stride) {
        const LoadPoint& point = s.loadCurve[i];
        steady.push_back(s.meetsTargets ? point.meetsTargets : point.utilization < 1);
        std::vector<Cell> row{
            valueCell(point.requestsPerSecond, number), valueCell(point.utilization, Dimension::ratio),
            valueCell(point.concurrency, number),       valueCell(point.ttft, seconds),
            valueCell(point.ttftPercentile, seconds),   valueCell(point.itl, seconds),
            valueCell(point.itlPercentile, seconds)};
        if (priced)
            row.push_back(valueCell(point.dollarsPerMillionOutputTokens, Dimension::dollars));
        if (s.meetsTargets)
            row.push_back(textCell(point.meetsTargets ? "kept" : "missed",
                                   point.meetsTargets ? Emphasis::none : Emphasis::warning));
        table.rows.push_back(std::move(row));
    }
    // A queue that grows without end takes hours and would make zeros of all that matters.
    unifyUnits(table, steady);
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> poolSection(const Estimate& e) {
    if (!e.serving || e.serving->pools.empty())
        return std::nullopt;
    const std::vector<Pool>& pools = e.serving->pools;
    const bool steady = holds(e);
    ReportSection section{.id = "pools", .title = pools.size() > 1 ? "The pools" : "The replicas"};
    Table table{.id = "pools", .columns = {textColumn("Figure")}};
    for (const Pool& pool : pools)
        table.columns.push_back(mixedColumn(poolTitle(pool)));
    table.columns.push_back(textColumn("Remark"));
    const std::string many = sequenceWord(e.scenario.workload) + "s";
    const auto add = [&](const std::string& name, Dimension dimension, const char* remark,
                         double Pool::* member) {
        addPoolRow(table, pools, name.c_str(), dimension, remark,
                   [member](const Pool& pool) { return std::optional(pool.*member); });
    };
    addPoolRow(table, pools, "Replicas", number, "of the engine, each with all weights",
               [](const Pool& pool) { return std::optional<double>(pool.workers); });
    addPoolRow(table, pools, "GPUs", number, "of all replicas",
               [](const Pool& pool) { return std::optional<double>(pool.gpus); });
    addDegree(table, pools, "Tensor parallel", &Pool::tensorParallel, "GPUs that share each matrix");
    addDegree(table, pools, "Pipeline parallel", &Pool::pipelineParallel, "stages");
    addDegree(table, pools, "Expert parallel", &Pool::expertParallel, "GPUs that share the experts");
    addDegree(table, pools, "Attention data parallel", &Pool::attentionDataParallel,
              "groups that attend to different requests");
    if (e.fits) {
        add("KV cache", Dimension::tokens, "of one replica", &Pool::kvTokens);
        add(capitalized(many) + " that it can hold", number, "of one replica", &Pool::maxConcurrency);
    }
    if (steady) {
        add(capitalized(many) + " at once", number, "of one replica, mean", &Pool::batch);
        add("Load", Dimension::ratio, "of the most that it can do", &Pool::utilization);
        add("One step", seconds, "of the engine at that batch", &Pool::stepTime);
        addPoolRow(table, pools, "Handing the KV cache over", seconds, "part of TTFT", [](const Pool& pool) {
            return pool.transferTime > 0 ? std::optional(pool.transferTime) : std::nullopt;
        });
    }
    addPoolRow(table, pools, "Rent", Dimension::dollarsPerHour, "",
               [](const Pool& pool) { return pool.dollarsPerHour; });
    section.tables.push_back(std::move(table));
    return section;
}

void addServingMemory(Report& report, const Estimate& e) {
    if (!e.serving || e.serving->pools.size() < 2) {
        if (auto section = memorySection(e))
            report.sections.push_back(std::move(*section));
        return;
    }
    for (const Pool& pool : e.serving->pools)
        report.sections.push_back(
            memorySection(pool.memory, "memory." + pool.name, "Memory of the " + pool.name + " pool"));
}

void addServingSteps(Report& report, const Estimate& e) {
    const Serving& s = *e.serving;
    if (servesTokens(e))
        addStep(report, "decode", s.breakdown, s.stepTime, s.layers);
    if (servesPrompts(e))
        addStep(report, "prefill", s.prefillBreakdown, s.prefillStepTime, s.prefillLayers);
}

} // namespace alidade::data
