// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/printing.h"
#include "data/report/sections.h"
#include "model/base/calendar.h"
#include "model/estimate/run_energy.h"
#include "model/run/run_facts.h"
#include "model/units/constants.h"
#include "model/units/format.h"

namespace alidade::data {
namespace {

std::string timeText(double seconds) { return formatQuantity(seconds, Dimension::seconds); }

std::string checkpointText(const Run& run) {
    switch (run.mode) {
    case CheckpointMode::async:
        return "written in the background";
    case CheckpointMode::sync:
        return "training stops until storage has it";
    case CheckpointMode::peer:
        return "every step, in peer memory";
    case CheckpointMode::checkpointless:
        return "none: the state of a failed node is rebuilt from its replicas";
    }
    return {};
}

/// "It takes 73.3 days (67.4 – 82.8) with 560 interruptions; 9.2 % of the time is lost to them."
std::string runSentence(const Run& run) {
    std::string text =
        "It takes " + timeText(run.days->p50 * secondsPerDay) + ", in eight of ten outcomes " +
        printedRange(run.days->p10 * secondsPerDay, run.days->p90 * secondsPerDay, Dimension::seconds) + ".";
    if (run.interruptions > 0)
        text += " An interruption every " + timeText(run.mtbf) + " (" +
                formatQuantity(run.interruptions, Dimension::number) +
                " in the run) and the checkpoints take " + shareText(1 - run.goodput) + " of the time.";
    if (const auto start = dayOfDate(run.start)) {
        const auto last = [&](double days) { return dateText(lastDayOf(*start, days)); };
        text += " Started on " + run.start + " it ends on " + last(run.days->p50) + " (" +
                last(run.days->p10) + " to " + last(run.days->p90) + ").";
        if (const auto deadline = dayOfDate(run.deadline))
            text += " " + shareText(chanceWithin(*run.days, *deadline + 1 - *start)) +
                    " of the outcomes end by " + run.deadline + ".";
    }
    return text;
}

Table figureTable(const Run& run, const Training& training) {
    Table table{.id = "run.figures",
                .columns = {textColumn("Figure"), mixedColumn("Value"), textColumn("Remark")}};
    addFigure(table, "Goodput", run.goodput, Dimension::ratio, "share of the run in steps that count");
    addFigure(table, "Between interruptions", run.mtbf, Dimension::seconds, "mean, unexpected ones");
    addFigure(table, "From a failure to the first step", run.recovery, Dimension::seconds,
              "detection, restart, reading the state");
    const auto& c = run.checkpoint;
    addFigure(table, "Checkpoint", c.bytes, Dimension::bytes, checkpointText(run));
    addFigure(table, "Checkpoint interval", c.interval, Dimension::seconds,
              "best " + timeText(c.bestInterval) + ", Young " + timeText(c.young) + ", Daly " +
                  timeText(c.daly));
    addFigure(table, "Checkpoint stall", c.stall, Dimension::seconds);
    if (c.drain > 0)
        addFigure(table, "Writing in the background", c.drain, Dimension::seconds);
    addFigure(table, "Reading the state", c.restore, Dimension::seconds);
    addFigure(table, "Training data", run.dataRate, Dimension::bytesPerSecond,
              "of " + formatQuantity(run.dataSupply, Dimension::bytesPerSecond) + " that " +
                  (run.dataBound == Bound::storage ? "the storage delivers" : "the nodes can read"));
    if (run.dataEpochs > 1 && run.cacheHit > 0)
        addFigure(table, "Saved by a cache on NVMe", run.cacheSaves, Dimension::seconds,
                  run.cacheSaves > 0 ? "of each step: data is read more than once"
                                     : "of each step: loading is hidden without it");
    if (run.storageBytes > 0)
        addFigure(table, "File system", run.storageBytes, Dimension::bytes,
                  run.storage + (run.storageDollarsPerMonth > 0
                                     ? ", " + formatQuantity(run.storageDollarsPerMonth, Dimension::dollars) +
                                           " per month in us-east-1"
                                     : std::string()));
    addFigure(table, "Spare nodes", run.spares, Dimension::number,
              "the cheapest number is " + std::to_string(run.bestSpares) + "; " +
                  formatQuantity(run.nodesInRepair, Dimension::number) + " are in repair at a time");
    addFigure(table, "Power", run.meanWatts, Dimension::watts,
              "mean; at most " + formatQuantity(run.peakWatts, Dimension::watts) + ", with host and PUE");
    addFigure(table, "Energy of a step", kilowattHoursPerStep(training, run) * 1000, Dimension::wattHours);
    addFigure(table, "Energy of a million tokens", kilowattHoursPerMillionTokens(training, run) * 1000,
              Dimension::wattHours, "lost time included");
    if (run.energyKwh)
        addFigure(table, "Energy", *run.energyKwh * 1000, Dimension::wattHours,
                  formatQuantity(*run.carbonKg / 1000, Dimension::number) +
                      " t of CO2e, location-based, of the Region's grid");
    return table;
}

Table lostTable(const Run& run) {
    const bool money = !run.lost.empty() && run.lost.front().dollars.has_value();
    Table table{.id = "run.lost",
                .title = "What takes time from it",
                .columns = {textColumn("Cause"), quantityColumn("Times", Dimension::number),
                            quantityColumn("Stopped", Dimension::seconds),
                            quantityColumn("Again", Dimension::seconds),
                            quantityColumn("Lost", Dimension::seconds)},
                .totalRow = true,
                .note = "Stopped: no computation. Again: work after the last checkpoint, and stalls. "
                        "Shares of the causes are those of the Llama 3 run."};
    if (money)
        table.columns.push_back(quantityColumn("Rent", Dimension::dollars));
    double stopped = 0, again = 0, dollars = 0;
    const auto row = [&](const std::string& cause, double times, double restart, double redone, double rent,
                         Emphasis emphasis) {
        std::vector<Cell> cells{
            textCell(cause, emphasis), times > 0 ? valueCell(times, Dimension::number, emphasis) : noCell(),
            valueCell(restart, Dimension::seconds, emphasis), valueCell(redone, Dimension::seconds, emphasis),
            valueCell(restart + redone, Dimension::seconds, emphasis)};
        if (money)
            cells.push_back(valueCell(rent, Dimension::dollars, emphasis));
        table.rows.push_back(std::move(cells));
    };
    for (const LostTime& lost : run.lost) {
        row(lost.cause, lost.times, lost.restart, lost.redone, lost.dollars.value_or(0), Emphasis::none);
        stopped += lost.restart;
        again += lost.redone;
        dollars += lost.dollars.value_or(0);
    }
    row("All", run.interruptions, stopped, again, dollars, Emphasis::strong);
    unifyUnits(table);
    return table;
}

Table tierTable(const Run& run) {
    Table table{
        .id = "run.tiers",
        .title =
            "Where a checkpoint of " + formatQuantity(run.checkpoint.bytes, Dimension::bytes) + " can go",
        .columns = {textColumn("Tier"), mixedColumn("Rate"), mixedColumn("Time"), textColumn("Limited by")}};
    for (const auto& tier : run.checkpoint.tiers)
        table.rows.push_back({textCell(capitalized(tier.tier)),
                              valueCell(tier.bytesPerSecond, Dimension::bytesPerSecond),
                              valueCell(tier.seconds, Dimension::seconds), boundCell(tier.bound)});
    return table;
}

} // namespace

std::optional<ReportSection> runSection(const Estimate& e) {
    if (!e.run || !e.training)
        return std::nullopt;
    ReportSection section{.id = "run", .title = "The whole run"};
    if (e.run->days)
        section.text.push_back(runSentence(*e.run));
    section.tables.push_back(figureTable(*e.run, *e.training));
    if (!e.run->lost.empty())
        section.tables.push_back(lostTable(*e.run));
    section.tables.push_back(tierTable(*e.run));
    return section;
}

} // namespace alidade::data
