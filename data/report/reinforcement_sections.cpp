// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/printing.h"
#include "data/report/sections.h"
#include "model/base/text.h"
#include "model/estimate/reinforcement.h"
#include "model/posttraining/rl_step.h"
#include "model/scenario/choice_names.h"
#include "model/units/format.h"

#include <algorithm>

namespace alidade::data {

namespace {

std::string phaseTitle(std::string_view name) {
    constexpr std::pair<std::string_view, const char*> titles[] = {
        {"generation", "Generation"},
        {"reward", "Reward"},
        {"offload", "Offload and reload"},
        {"log_prob", "Log-probabilities, policy"},
        {"reference", "Log-probabilities, reference"},
        {"values", "Values"},
        {"update", "Update"},
        {"weight_sync", "Weights to the engines"}};
    for (const auto& [word, title] : titles)
        if (word == name)
            return title;
    return capitalized(std::string(name));
}

std::string poolTitle(std::string_view name) {
    return name == "all" ? "All GPUs" : name == "rollout" ? "Rollout" : "Training";
}

Table phaseTable(const Reinforcement& rl) {
    Table table{
        .id = "phases",
        .columns = {textColumn("Phase"), textColumn("Pool"), quantityColumn("From", Dimension::seconds),
                    quantityColumn("Time", Dimension::seconds),
                    quantityColumn("Lengthens the step by", Dimension::seconds), textColumn("Bound by")}};
    for (const RlPhaseT<double>& phase : rl.phases) {
        table.rows.push_back({textCell(phaseTitle(phase.name)), textCell(poolTitle(phase.pool)),
                              valueCell(phase.start, Dimension::seconds),
                              valueCell(phase.seconds, Dimension::seconds),
                              valueCell(phase.exposed, Dimension::seconds), boundCell(phase.bound)});
    }
    unifyUnits(table);
    return table;
}

Table poolTable(const Reinforcement& rl) {
    Table table{.id = "pools",
                .columns = {textColumn("Pool"), quantityColumn("GPUs", Dimension::number),
                            quantityColumn("Waits", Dimension::ratio), textColumn("Phase"),
                            textColumn("Memory of a GPU"), quantityColumn("Bytes", Dimension::bytes)}};
    for (const RlPoolT<double>& pool : rl.pools) {
        for (const RlMemoryT<double>& memory : pool.memory) {
            table.rows.push_back({textCell(poolTitle(pool.name)), valueCell(pool.gpus, Dimension::number),
                                  valueCell(pool.idleShare, Dimension::ratio),
                                  textCell(phaseTitle(memory.phase)), textCell("All", Emphasis::strong),
                                  valueCell(memory.bytes, Dimension::bytes)});
            for (const MemoryPartT<double>& part : memory.parts) {
                table.rows.push_back({textCell(""), noCell(), noCell(), textCell(""), textCell(part.name),
                                      valueCell(part.bytes, Dimension::bytes)});
            }
        }
    }
    unifyUnits(table);
    return table;
}

} // namespace

std::optional<ReportSection> rlStepSection(const Estimate& e) {
    if (!e.reinforcement)
        return std::nullopt;
    const Reinforcement& rl = *e.reinforcement;
    ReportSection section{.id = "step",
                          .title =
                              "Step time breakdown (" + formatQuantity(rl.stepTime, Dimension::seconds) + ")",
                          .firstPage = true};
    section.tables.push_back(phaseTable(rl));
    return section;
}

std::optional<ReportSection> rlFigureSection(const Estimate& e) {
    if (!e.reinforcement)
        return std::nullopt;
    const Reinforcement& rl = *e.reinforcement;
    ReportSection section{.id = "figures", .title = "Figures"};
    Table table{.id = "figures",
                .columns = {textColumn("Figure"), mixedColumn("Value"), textColumn("Remark")}};
    addFigure(table, "Step time", rl.stepTime, Dimension::seconds);
    addFigure(table, "Tokens per step", rl.tokensPerStep, Dimension::tokens, "prompts and responses");
    addFigure(table, "Tokens per second", rl.tokensPerSecond, Dimension::tokensPerSecond,
              "prompts and responses");
    addFigure(table, "Response tokens per second", rl.responseTokensPerSecond, Dimension::tokensPerSecond);
    addFigure(table, "Tokens per second and GPU", rl.tokensPerSecondPerGpu, Dimension::tokensPerSecond);
    if (rl.dollarsPer1000Steps)
        addFigure(table, "1,000 steps", *rl.dollarsPer1000Steps, Dimension::dollars);
    addFigure(table, "GPU-hours of 1,000 steps", rl.gpuHoursPer1000Steps, Dimension::number);
    addFigure(table, "Idle share", rl.idleShare, Dimension::ratio, "of all GPU time, waiting");
    addFigure(table, "Staleness", rl.staleness, Dimension::number, "steps behind the weights");
    addFigure(table, "Longest response", rl.longest, Dimension::tokens,
              shareText(rl.cutShare) + " of the responses are cut at the limit");
    addFigure(table, "Tail of the rollout", rl.tailSeconds, Dimension::seconds,
              "less than half of the first batch under way");
    addFigure(table, "Sequences of an engine", rl.meanBatch, Dimension::number,
              "mean; at most " + formatQuantity(rl.places, Dimension::number));
    addFigure(table, "Weights of a synchronization", rl.weightBytes, Dimension::bytes);
    addFigure(table, "Checkpoint", rl.checkpointBytes, Dimension::bytes, "of all trained models");
    if (rl.storageBytes > 0) {
        addFigure(table, "File system", rl.storageBytes, Dimension::bytes,
                  rl.storage + (rl.storageDollarsPerMonth > 0
                                    ? ", " + formatQuantity(rl.storageDollarsPerMonth, Dimension::dollars) +
                                          " per month in us-east-1"
                                    : std::string()));
    }
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> rlPoolSection(const Estimate& e) {
    if (!e.reinforcement)
        return std::nullopt;
    ReportSection section{.id = "pools", .title = "Pools, and their memory through the phases"};
    section.tables.push_back(poolTable(*e.reinforcement));
    return section;
}

std::vector<Sentence> rlSentences(const Estimate& e) {
    const Reinforcement& rl = *e.reinforcement;
    const ReinforcementSpec& r = e.scenario.workload.reinforcement;
    Sentence first;
    const std::string region = e.cost && !e.cost->region.empty() ? " in " + e.cost->region : "";
    if (rl.runTime && r.steps) {
        first = {{"Renting " + e.clusterName + region + " takes " +
                      formatQuantity(static_cast<double>(*r.steps), Dimension::number) + " steps in ",
                  false},
                 {secondsText(*rl.runTime), true}};
        if (const auto total = e.cost ? runTotal(*e.cost) : std::nullopt) {
            first.push_back({" for ", false});
            first.push_back({formatQuantity(total->dollars, Dimension::dollars), true});
        }
        first.push_back({", " + secondsText(rl.stepTime) + " per step.", false});
    } else {
        first = {{e.clusterName + region + " takes a step in ", false}, {secondsText(rl.stepTime), true}};
        if (rl.dollarsPer1000Steps) {
            first.push_back({"; 1,000 steps cost ", false});
            first.push_back({formatQuantity(*rl.dollarsPer1000Steps, Dimension::dollars), true});
        }
        first.push_back({".", false});
    }
    std::vector<Sentence> out{first};
    const RlPhaseT<double>* longest = nullptr;
    for (const RlPhaseT<double>& phase : rl.phases)
        if (!longest || phase.exposed > longest->exposed)
            longest = &phase;
    if (longest) {
        const std::string tail = longest->name == "generation" && rl.tailSeconds > 0
                                     ? ", of which the last " + shareText(rl.tailShare) +
                                           " of the responses take " + secondsText(rl.tailSeconds)
                                     : "";
        out.push_back({{"The longest phase is " + startLower(phaseTitle(longest->name)) + ", " +
                            shareText(longest->exposed / rl.stepTime) + " of the step" + tail + ".",
                        false}});
    }
    if (rl.pools.size() > 1) {
        const RlPoolT<double>& waiting = *std::ranges::max_element(rl.pools, {}, &RlPoolT<double>::idleShare);
        out.push_back({{(rl.limit == "training" ? "Training" : "The rollout") +
                            std::string(" bounds the step; the ") + startLower(poolTitle(waiting.name)) +
                            " pool waits " + shareText(waiting.idleShare) + " of it.",
                        false}});
    }
    if (e.memory)
        out.push_back(memorySentence(*e.memory));
    return out;
}

std::vector<KeyFigure> rlKeyFigures(const Estimate& e) {
    std::vector<KeyFigure> out{fitFigure(e)};
    if (!e.reinforcement) {
        out.push_back(unknownFigure("How long is a step?", "it cannot run"));
        out.push_back(unknownFigure("How much?", "it cannot run"));
        out.push_back(certaintyFigure(e));
        return out;
    }
    const Reinforcement& rl = *e.reinforcement;
    const auto band = timeBand(e);
    const auto range = [&](double value, Dimension dimension) {
        return band ? printedRange(value * band->low, value * band->high, dimension) : std::string();
    };
    out.push_back(quantityFigure("How long is a step?", rl.stepTime, Dimension::seconds,
                                 range(rl.stepTime, Dimension::seconds)));
    if (const auto total = e.cost ? runTotal(*e.cost) : std::nullopt) {
        out.push_back(quantityFigure("How much?", total->dollars, Dimension::dollars, totalRange(*total)));
    } else if (rl.dollarsPer1000Steps) {
        out.push_back(quantityFigure("Cost of 1,000 steps", *rl.dollarsPer1000Steps, Dimension::dollars,
                                     range(*rl.dollarsPer1000Steps, Dimension::dollars)));
    } else {
        out.push_back(unknownFigure("How much?", "no price is known"));
    }
    out.push_back(certaintyFigure(e));
    return out;
}

std::string rlJob(const Estimate& e) {
    const ReinforcementSpec& r = e.scenario.workload.reinforcement;
    const std::string steps =
        r.steps ? formatCount(*r.steps) + (*r.steps == 1 ? " step of " : " steps of ") : std::string();
    return steps + nameOfChoice("workload.algorithm", r.algorithm.value_or("grpo")) + " of " + e.modelName;
}

std::string rlWhatItIs(const Estimate& e) {
    const std::string method = e.scenario.workload.reinforcement.algorithm.value_or("grpo");
    return nameOfChoice("workload.algorithm", method) + " of " + e.modelName + " on " + e.clusterName;
}

bool isReinforcement(const Estimate& e) { return e.scenario.workload.isReinforcement(); }

} // namespace alidade::data
