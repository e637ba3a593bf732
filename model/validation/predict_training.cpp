// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/engine/engine.h"
#include "model/estimate/error_band.h"
#include "model/training/step_cost.h"
#include "model/validation/predict_row.h"
#include "model/validation/prediction.h"
#include "model/validation/published_quantity.h"
#include "model/validation/published_scenario.h"
#include "model/workload/parameters.h"

#include <algorithm>

namespace alidade {

namespace {

ValidationRow describe(const PublishedTraining& row, const PublishedScenario& scenario,
                       const Catalog& catalog) {
    ValidationRow out;
    out.id = row.id;
    out.group = row.group;
    out.quality = row.confidence;
    out.assumed = scenario.assumed;
    out.complete = scenario.complete;
    out.kind = row.finetune ? RowKind::finetune : RowKind::training;
    out.rowKind = row.finetune ? row.finetune->method : row.kind;
    out.model = row.model.name;
    out.family = scenario.architecture.moe ? "moe" : "dense";
    out.gpu = publishedGpu(row.hardware.gpu, catalog);
    out.precision = scenario.spec->plan.precision.value_or("");
    out.framework = scenario.spec->plan.framework.value_or("");
    out.software = row.software;
    out.release = softwareRelease(row.software.empty() ? row.source.title : row.software);
    out.sourceTitle = row.source.title;
    out.sourceLocator = row.source.locator;
    out.sourceTable = row.source.table;
    out.sourceRow = row.source.row;
    out.sourceDate = row.source.date;
    out.notes = row.notes;
    out.gpus = row.hardware.gpus.value_or(0);
    const ParameterCount count = countParameters(scenario.architecture);
    out.parameters = static_cast<double>(count.total);
    out.activeParameters = static_cast<double>(count.active);
    out.scenario = scenario.spec;
    return out;
}

/// What a trainer of reinforcement learning does between micro-batches, seconds per step; 0 for other
/// objectives. Such rows time the policy-gradient update of a trainer alone, on made-up responses.
double hostTimeOfPolicyUpdate(const PublishedTraining& row, const Estimate& estimate, const Catalog& catalog,
                              const Profile& profile) {
    if (!row.finetune || !row.finetune->method.starts_with("rl-loss"))
        return 0;
    const Framework* framework = catalog.framework(estimate.scenario.plan.framework.value_or(""));
    const Parameter* each = findParameter(profile, inputInfo(Input::rlMicrobatchTime).name, "*", "*", "*",
                                          framework ? framework->stack : "*");
    return each ? each->value * estimate.training->microbatches : 0;
}

void addThroughput(ValidationReport& report, const ValidationRow& row, const PublishedQuantity& quantity,
                   const Estimate& estimate, double hostTime) {
    const Prediction plain = timeWithBand(estimate.training->stepTime, *estimate.headline);
    const Prediction step{plain.value + hostTime, plain.low + hostTime, plain.high + hostTime};
    addPrediction(report, row, quantity.name, quantity.value,
                  {quantity.at(step.value), quantity.at(step.low), quantity.at(step.high)});
}

/// Forward and backward of one decoder layer and micro-batch.
void addLayer(ValidationReport& report, const ValidationRow& row, const PublishedLayerTime& layer,
              const Estimate& estimate) {
    for (const Layer& each : estimate.training->layers) {
        if (each.kind == "transformer") {
            addPrediction(report, row, "layer_time_s", layer.total,
                          timeWithBand(each.seconds, *estimate.headline));
            return;
        }
    }
    report.skipped.push_back({row.id, "the estimate has no separate layer for this model"});
}

/// Of the total on a device, the share that was measured. nvidia-smi sees all of it. Of a framework's own
/// counters none has the CUDA context and the buffers of the communication library; "allocated" and "active"
/// are without what the allocator keeps besides (fragmentation), "reserved" is with it.
double countedShare(const PublishedFigures& measured, const Memory& memory) {
    if (saysWord(measured.peakMemoryDefinition, "nvidia-smi"))
        return 1;
    const bool allocated = measured.peakMemoryDefinition.empty() ||
                           saysWord(measured.peakMemoryDefinition, "allocated") ||
                           saysWord(measured.peakMemoryDefinition, "active");
    double rest = 0;
    for (const auto& [kind, counted] : {std::pair{MemoryKind::context, false},
                                        {MemoryKind::communication, false},
                                        {MemoryKind::fragmentation, !allocated}}) {
        rest += counted ? 0 : memory.parts[static_cast<std::size_t>(kind)].bytes;
    }
    return 1 - rest / memory.totalBytes;
}

void addMemory(ValidationReport& report, ValidationRow row, const PublishedFigures& measured,
               const Memory& memory) {
    if (!measured.peakMemory)
        row.assumed.emplace_back("measured.peak_memory_unit"); // "GB" of a source that does not say which
    const double share = countedShare(measured, memory);
    addPrediction(report, std::move(row), "peak_memory_bytes",
                  measured.peakMemory ? *measured.peakMemory : *measured.peakMemoryPrinted,
                  {share * memory.totalBytes, share * memory.lowBytes, share * memory.highBytes});
}

std::string nothingToPredict(const PublishedTraining& row) {
    return row.wholeRun
               ? "the source gives the GPU-hours of a whole run with its interruptions, and neither the "
                 "batch nor the degrees of parallelism"
               : "the source gives no time, throughput or memory of this row";
}

} // namespace

void predictTraining(const PublishedTraining& row, const Catalog& catalog, const Profile& profile,
                     ValidationReport& report) {
    const auto skip = [&](std::string why) { report.skipped.push_back({row.id, std::move(why)}); };
    if (row.wholeRun)
        return skip(nothingToPredict(row));
    if (row.finetune && row.finetune->packed == false)
        return skip("the examples are padded, not packed, and the source does not give their lengths");
    const PublishedScenario scenario = publishedScenario(row, catalog);
    if (!scenario.spec)
        return skip(scenario.lacks);
    const auto answer = estimate(*scenario.spec, catalog, profile, {.fixes = false});
    if (!answer)
        return skip(answer.error());
    const auto throughput = publishedThroughput(row, *scenario.spec, scenario.architecture);
    const bool memory = row.measured.peakMemory || row.measured.peakMemoryPrinted;
    const bool outOfMemory = row.outcome.starts_with("oom");
    if (!throughput && !memory && !row.layer && !outOfMemory)
        return skip(nothingToPredict(row));
    if (!answer->runs)
        return skip(firstError(*answer));
    const ValidationRow described = describe(row, scenario, catalog);
    if (row.layer)
        return addLayer(report, described, *row.layer, *answer);
    if (throughput) {
        addThroughput(report, described, *throughput, *answer,
                      hostTimeOfPolicyUpdate(row, *answer, catalog, profile));
    }
    if (answer->memory) {
        if (memory)
            addMemory(report, described, row.measured, *answer->memory);
        if (row.outcome == "ok" || outOfMemory) { // not what failed for another reason
            report.memoryOutcomes.push_back(
                {row.id, row.outcome, answer->fits, outOfMemoryProbability(*answer->memory)});
        }
    }
}

} // namespace alidade
