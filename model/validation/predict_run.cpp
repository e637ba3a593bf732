// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "model/reliability/power.h"
#include "model/reliability/run_core.h"
#include "model/units/constants.h"
#include "model/validation/predict_row.h"
#include "model/validation/prediction.h"
#include "model/validation/published_scenario.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace alidade {

namespace {

constexpr double tib = 1099511627776.0;
constexpr double trainingBusyShare = 0.85;    ///< of a step in which a tuned job computes
constexpr double usualBytesPerParameter = 14; ///< BF16 weights, FP32 master weights and two moments

/// The constants of a part, as resolve() would choose them.
class Constants {
public:
    Constants(const PublishedRun& row, const Catalog& catalog, const Profile& profile)
        : profile_(profile) {
        gpu = catalog.gpu(publishedGpu(row.gpu, catalog));
        for (std::size_t i = 0; i < inputCount; ++i) {
            const auto input = static_cast<Input>(i);
            if (familyOf(input) == InputFamily::reliability || familyOf(input) == InputFamily::site)
                in[input] = value(inputInfo(input).name, "*").value_or(0);
        }
        in[Input::hostEfficiency] = value("host_efficiency", "*").value_or(1);
        in[Input::networkEfficiency] = value("network_efficiency", "*").value_or(1);
        if (gpu != nullptr) {
            in[Input::gpuPower] = gpu->power ? gpu->power->si() : 0;
            in[Input::reportingPeak] = gpu->bf16 ? gpu->bf16->si() : 0;
            in[Input::memoryBandwidth] = gpu->memoryBandwidth.si();
            const auto& link = gpu->c2cPerDirection ? gpu->c2cPerDirection : gpu->pciePerDirection;
            in[Input::hostBandwidth] = link ? link->si() : 0;
        }
    }

    std::optional<double> value(std::string_view name, std::string_view stack) const {
        const Parameter* found = findParameter(profile_, name, gpu ? std::string_view(gpu->id) : "*",
                                               gpu ? std::string_view(gpu->architecture) : "*", "*", stack);
        return found ? std::optional(found->value) : std::nullopt;
    }

    const Gpu* gpu = nullptr;
    Inputs in;

private:
    const Profile& profile_;
};

struct Answer {
    std::optional<double> value;
    std::string lacks;                ///< without a value: what the source does not give
    std::vector<std::string> assumed; ///< what is taken from the constants
};

Answer lacking(std::string what) { return {{}, std::move(what), {}}; }

RunPlan runPlanOf(const PublishedReliability& r) {
    RunPlan plan;
    plan.standby = r.standby;
    plan.mode = r.method == "sync"             ? CheckpointMode::sync
                : r.method == "every_step"     ? CheckpointMode::peer
                : r.method == "checkpointless" ? CheckpointMode::checkpointless
                                               : CheckpointMode::async;
    return plan;
}

/// The goodput by the formulas of a run, with what the source gives in place of the constants.
Answer goodputOf(const PublishedRun& row, Constants c) {
    const PublishedReliability& r = row.reliability;
    Answer out;
    if (r.wallInterval) // counted from failure to failure on the clock
        return r.recovery ? Answer{1 - *r.recovery / *r.wallInterval, {}, {}} : lacking("the recovery time");
    if (r.method == "replicas") { // a step counts unless a replica fails in it
        return r.step && r.mtbf ? Answer{std::exp(-*r.step / *r.mtbf), {}, {}}
                                : lacking("the step time or the failure rate");
    }
    const double gpus = row.gpus.value_or(row.nodes.value_or(0) * 8);
    if (!(gpus > 0))
        return lacking("the number of GPUs");
    Inputs& in = c.in;
    in[Input::gpus] = gpus;
    in[Input::gpusPerHost] = 8;
    if (r.mtbf || (r.failuresPerNodeDay && row.nodes)) {
        const double mtbf =
            r.mtbf.value_or(secondsPerDay / (r.failuresPerNodeDay.value_or(1) * row.nodes.value_or(1)));
        in[Input::gpuHoursPerFailure] = mtbf * gpus / secondsPerHour;
    } else {
        out.assumed.emplace_back("failure rate");
    }
    const double bytes =
        row.storage.parameters.value_or(0) * row.storage.bytesPerParameter.value_or(usualBytesPerParameter);
    in[Input::storageClient] = in[Input::checkpointWriter] * in[Input::gpusPerHost];
    in[Input::storageBytes] = std::max(1.0, bytes);
    in[Input::storageRate] = 1.0 / 60; // a checkpoint takes a minute, as where nothing is given
    in[Input::checkpointInterval] = r.interval.value_or(0);
    if (!r.interval && r.method != "every_step" && r.method != "checkpointless")
        out.assumed.emplace_back("checkpoint interval");
    if (r.stall)
        in[Input::checkpointStall] = *r.stall;
    if (r.recovery) {
        in[Input::failureDetection] = 0;
        in[Input::restartTime] = *r.recovery;
        in[Input::restartGrowth] = 0;
    } else {
        out.assumed.emplace_back("recovery time");
    }
    const RunCore<double> core = runCore(runPlanOf(r), in, r.step.value_or(10), bytes, false);
    out.value = core.effective; // published figures count unexpected stops
    return out;
}

Answer recoveryOf(const PublishedRun& row, Constants c) {
    if (row.storage.rate) { // reading a checkpoint
        const double bytes = row.storage.parameters.value_or(0) *
                             row.storage.bytesPerParameter.value_or(usualBytesPerParameter);
        return bytes > 0 ? Answer{bytes / *row.storage.rate, {}, {}} : lacking("the size of the model");
    }
    if (!row.gpus)
        return lacking("the number of GPUs");
    c.in[Input::gpus] = *row.gpus;
    return {restartSeconds(runPlanOf(row.reliability), c.in), {}, {}};
}

Answer stallOf(const PublishedRun& row, Constants c) {
    if (row.reliability.method == "every_step")
        return {c.in[Input::peerStall], {}, {}};
    if (!row.gpus || !row.storage.parameters)
        return lacking("the number of GPUs or the size of the model");
    const double copy = *row.storage.parameters * usualBytesPerParameter /
                        (*row.gpus * c.in[Input::hostBandwidth] * c.in[Input::hostEfficiency]);
    return {c.in[Input::checkpointStall] + copy, {}, {}};
}

/// Bytes/s that one class of local drives moves, limited by its operations where these are small.
std::optional<double> driveRate(const PublishedStorage& s, const Constants& c) {
    const std::string direction = s.write ? "write" : "read";
    const auto stream = c.value("nvme_drive_" + direction, s.drive);
    const auto operations = c.value("nvme_drive_" + direction + "_operations", s.drive);
    if (!stream || !operations)
        return {};
    return s.drives.value_or(1) * (s.ioBytes ? std::min(*stream, *operations * *s.ioBytes) : *stream);
}

/// Of the nodes together, where checkpoints are written.
std::optional<double> nodesRate(const PublishedRun& row, const Catalog& catalog, const Constants& c) {
    const double nodes = row.nodes.value_or(1);
    if (row.storage.tier == "lustre_tcp")
        return nodes * c.in[Input::tcpClient];
    const Instance* instance = catalog.instance(row.instance);
    const auto& iops = row.storage.write ? &Instance::nvmeWriteIops : &Instance::nvmeReadIops;
    return instance && instance->*iops ? std::optional(nodes * *(instance->*iops) * 4096.0) : std::nullopt;
}

Answer checkpointTimeOf(const PublishedRun& row, const Catalog& catalog, const Constants& c) {
    const PublishedStorage& s = row.storage;
    const double bytes =
        s.bytes.value_or(s.parameters.value_or(0) * s.bytesPerParameter.value_or(usualBytesPerParameter));
    if (!(bytes > 0))
        return lacking("the size of the checkpoint");
    if (s.rate)
        return {checkpointTime(bytes, HUGE_VAL, *s.rate).write, {}, {}};
    if (s.tier.empty())
        return lacking("what the storage can take");
    const auto nodes = nodesRate(row, catalog, c);
    const double writers = s.singleFile
                               ? c.value("serial_writer_rate", "*").value_or(c.in[Input::checkpointWriter])
                               : s.processes.value_or(1) * c.in[Input::checkpointWriter];
    if (!nodes)
        return lacking("the rate of the local drives");
    return {c.in[Input::checkpointStall] + checkpointTime(bytes, HUGE_VAL, std::min(*nodes, writers)).write,
            {},
            {}};
}

Answer storageRateOf(const PublishedRun& row, const Constants& c) {
    const PublishedStorage& s = row.storage;
    if (s.accelerators && s.batchBytes && s.compute) // what the accelerators take
        return {*s.accelerators * *s.batchBytes / *s.compute * s.utilization.value_or(1), {}, {}};
    if (s.capacity && s.ratePerTib)
        return {*s.capacity / tib * *s.ratePerTib, {}, {}};
    if (s.servers && s.serverRate)
        return {*s.servers * *s.serverRate * c.in[Input::networkEfficiency], {}, {"share of the line rate"}};
    if (!s.drive.empty()) {
        const auto rate = driveRate(s, c);
        return rate ? Answer{rate, {}, {}} : lacking("a class of drives with constants");
    }
    return lacking("what the storage is made of");
}

/// Power of the GPUs of a row by what they do, W each.
Answer gpuPowerOf(const PublishedRun& row, const Constants& c) {
    const PublishedPower& p = row.power;
    if (!c.gpu || !c.gpu->power)
        return lacking("a GPU of the catalog (" + row.gpu + " is not in it)");
    if (p.capped)
        return lacking("the power limit: it was lowered");
    const GpuPower<double> power = gpuPower(c.in);
    if (!p.serving) {
        const double busy = p.highest ? 1 : trainingBusyShare;
        return {busy * power.busy + (1 - busy) * power.waiting, {}, {"busy share of a step"}};
    }
    if (!p.parameters || !p.outputTokensPerS || !p.batch || !row.gpus)
        return lacking("the size of the model, the batch or the rate");
    const double active = p.activeParameters.value_or(*p.parameters);
    const double touched = *p.parameters * touchedShare(active / *p.parameters, *p.batch);
    const double bytes = p.weights == "fp8" ? 1 : p.weights == "mxfp4" ? 0.55 : 2;
    const double steps = *p.outputTokensPerS / *p.batch;
    const double compute = 2 * active * *p.outputTokensPerS / *row.gpus / c.in[Input::reportingPeak];
    const double memory = touched * bytes * steps / *row.gpus / c.in[Input::memoryBandwidth];
    return {servingGpuPower(c.in, compute, memory), {}, {}};
}

/// Power inside the boundary of the row, W.
Answer powerOf(const PublishedRun& row, Constants c) {
    if (row.power.method == "tdp_estimate")
        return lacking("a measurement: rated power x GPU-hours is an accounting rule");
    Answer out = gpuPowerOf(row, c);
    if (!out.value)
        return out;
    const double gpus = row.gpus.value_or(0);
    if (!(gpus > 0))
        return lacking("the number of GPUs");
    if (row.power.boundary == "gpu") {
        *out.value *= gpus;
    } else if (row.power.boundary == "node_wall_ac") {
        const double fans = row.power.cooling == "water" ? c.value("fan_power", "liquid").value_or(0.08)
                                                         : c.in[Input::fanPower];
        *out.value = gpus * facilityWatts(*out.value, fans, c.in[Input::hostPowerPerGpu], 1.0);
    } else {
        return lacking("GPU-hours, or a boundary that adds up");
    }
    return out;
}

Answer answerOf(const PublishedRun& row, const PublishedFigure& figure, const Catalog& catalog,
                const Profile& profile) {
    const Constants c(row, catalog, profile);
    const PublishedStorage& s = row.storage;
    const std::string_view quantity = figure.quantity;
    if (quantity == "goodput")
        return goodputOf(row, c);
    if (quantity == "restore_s")
        return recoveryOf(row, c);
    if (quantity == "checkpoint_stall_s")
        return stallOf(row, c);
    if (quantity == "checkpoint_s")
        return checkpointTimeOf(row, catalog, c);
    if (quantity == "checkpoint_bytes") {
        return s.parameters
                   ? Answer{*s.parameters * s.bytesPerParameter.value_or(usualBytesPerParameter), {}, {}}
                   : lacking("the size of the model");
    }
    if (quantity == "storage_bytes_per_s")
        return storageRateOf(row, c);
    Answer power = powerOf(row, c);
    if (!power.value || quantity == "power_w")
        return power;
    if (quantity == "energy_kwh") {
        if (!row.power.seconds)
            return lacking("how long it ran");
        *power.value = kilowattHours(*power.value, *row.power.seconds / 3600);
        return power;
    }
    if (!row.power.outputTokensPerS)
        return lacking("the output rate");
    *power.value /= *row.power.outputTokensPerS;
    return power;
}

/// Standard deviation of ln of the prediction, from the spread of the constants.
double logSdOf(std::string_view quantity) {
    return quantity == "goodput"                                             ? 0.03
           : quantity == "restore_s"                                         ? 0.35
           : quantity == "checkpoint_bytes"                                  ? 0.08
           : quantity == "storage_bytes_per_s" || quantity == "checkpoint_s" ? 0.15
           : quantity == "checkpoint_stall_s"                                ? 0.6
                                                                             : 0.15;
}

} // namespace

void predictRun(const PublishedRun& row, const Catalog& catalog, const Profile& profile,
                ValidationReport& report) {
    ValidationRow base;
    base.id = row.id;
    base.group = row.group;
    base.quality = row.quality;
    base.kind = RowKind::run;
    base.rowKind = row.rowKind;
    base.model = row.model;
    base.gpu = publishedGpu(row.gpu, catalog);
    base.framework = row.software;
    base.sourceTitle = row.source.title;
    base.sourceLocator = row.source.locator;
    base.sourceTable = row.source.table;
    base.sourceDate = row.source.date;
    base.notes = row.notes;
    base.gpus = row.gpus.value_or(0);
    base.nodes = row.nodes.value_or(0);
    if (row.figures.empty()) {
        report.skipped.push_back({row.id, "the source gives no figure that an estimate has: it is a fact "
                                          "for defaults"});
        return;
    }
    std::string lacks;
    bool predicted = false;
    for (const PublishedFigure& figure : row.figures) {
        const Answer answer = answerOf(row, figure, catalog, profile);
        if (!answer.value || !(figure.value > 0)) {
            lacks = answer.lacks.empty() ? "a positive value" : answer.lacks;
            continue;
        }
        predicted = true;
        ValidationRow out = base;
        out.assumed = answer.assumed;
        if (figure.atLeast)
            out.assumed.emplace_back("published as a lower bound");
        const double factor = std::exp(quantile90 * logSdOf(figure.quantity));
        const double high = *answer.value * factor;
        addPrediction(report, std::move(out), figure.quantity, figure.value,
                      {*answer.value, *answer.value / factor,
                       figure.quantity == "goodput" ? std::min(1.0, high) : high});
    }
    if (!predicted)
        report.skipped.push_back({row.id, "the source does not give " + lacks});
}

} // namespace alidade
