// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/run_energy.h"
#include "model/explain/traced.h"

namespace alidade {

// The "run" part of the documented estimate; see visit.h for what a visitor is.

template <class N, class V>
void visitLostTime(const LostTimeT<N>& lost, V& v) {
    constexpr Dimension seconds = Dimension::seconds;
    v.beginObject({});
    v.text("cause", lost.cause);
    v.number("times", lost.times, Dimension::number, "how often in the run, mean");
    v.number("restart_s", lost.restart, seconds, "in which nothing is computed");
    v.number("redone_s", lost.redone, seconds, "of work that is done again, and of checkpoint stalls");
    if (lost.dollars)
        v.number("dollars", *lost.dollars, Dimension::dollars, "rent for that time");
    v.endObject();
}

template <class N, class V>
void visitCheckpoint(const CheckpointT<N>& checkpoint, V& v) {
    constexpr Dimension seconds = Dimension::seconds;
    v.beginObject("checkpoint");
    v.number("bytes", checkpoint.bytes, Dimension::bytes, "of one checkpoint, all nodes together");
    v.number("interval_s", checkpoint.interval, seconds, "training time between two checkpoints");
    v.number("best_interval_s", checkpoint.bestInterval, seconds, "the interval of the highest goodput");
    v.number("young_s", checkpoint.young, seconds, "first-order optimum, Young 1974");
    v.number("daly_s", checkpoint.daly, seconds, "higher-order optimum, Daly 2006");
    v.number("stall_s", checkpoint.stall, seconds, "for which a checkpoint stops training");
    v.number("drain_s", checkpoint.drain, seconds, "writing in the background");
    v.number("restore_s", checkpoint.restore, seconds, "reading the state after a failure");
    v.number("count", checkpoint.count, Dimension::number, "checkpoints of the run");
    v.beginArray("tiers");
    for (const CheckpointTierT<N>& tier : checkpoint.tiers) {
        v.beginObject({});
        v.text("tier", tier.tier);
        v.number("bytes_per_s", tier.bytesPerSecond, Dimension::bytesPerSecond, "of all nodes together");
        v.number("seconds", tier.seconds, seconds, "for one checkpoint");
        v.text("bound", boundName(tier.bound));
        v.endObject();
    }
    v.endArray();
    v.endObject();
}

template <class N, class V>
void visitRun(const RunT<N>& run, const TrainingT<N>& training, V& v) {
    using enum Dimension;
    v.beginObject("run");
    if (run.days) {
        v.beginObject("days");
        v.number("p10", run.days->p10, number, "days from start to finish, one in ten runs is shorter");
        v.number("p50", run.days->p50, number, "days from start to finish, median");
        v.number("p90", run.days->p90, number, "days from start to finish, one in ten runs is longer");
        v.number("mean", run.days->mean, number, "days from start to finish, mean");
        v.endObject();
    }
    v.number("goodput", run.goodput, ratio, "share of the run time in steps that count");
    v.number("mtbf_s", run.mtbf, seconds, "mean time between unexpected interruptions");
    v.number("recovery_s", run.recovery, seconds, "from a failure to the first step");
    if (run.days) {
        v.number("interruptions", run.interruptions, number, "in the run, mean");
        v.beginArray("lost_s");
        for (const LostTimeT<N>& lost : run.lost)
            visitLostTime(lost, v);
        v.endArray();
    }
    visitCheckpoint(run.checkpoint, v);
    v.beginObject("data_loading");
    v.number("bytes_per_s", run.dataRate, bytesPerSecond, "training data that the steps take");
    v.number("supply_bytes_per_s", run.dataSupply, bytesPerSecond, "what storage delivers");
    v.text("bound", boundName(run.dataBound));
    v.number("exposed_s", run.dataExposed, seconds, "of a step, waiting for data");
    v.number("first_pass_bytes_per_s", run.dataFirst, bytesPerSecond,
             "supply in the first pass over the data");
    v.number("passes", run.dataEpochs, number, "over the data set");
    v.number("nvme_cache_hit", run.cacheHit, ratio, "share of later passes that local drives can hold");
    v.number("nvme_cache_saves_s", run.cacheSaves, seconds, "of a step, by a cache on the local drives");
    v.endObject();
    v.beginObject("storage");
    v.text("id", run.storage);
    v.number("bytes", run.storageBytes, bytes, "provisioned; 0: not provisioned");
    v.constant("dollars_per_month", run.storageDollarsPerMonth, dollars, "list price in us-east-1");
    v.endObject();
    v.beginObject("spares");
    v.number("count", run.spares, number, "nodes that wait for a failure");
    v.integer("best_count", run.bestSpares, "at which rent of spares and of waiting is lowest");
    v.number("nodes_in_repair", run.nodesInRepair, number, "mean");
    v.endObject();
    v.beginObject("energy");
    if (run.energyKwh) {
        v.number("kwh", *run.energyKwh, number, "energy of the run, host and building included, kWh");
        v.number("kg_co2e", *run.carbonKg, number, "location-based, of the Region's grid, kg");
    }
    v.number("kwh_per_step", kilowattHoursPerStep(training, run), number,
             "energy of one step, host and building included, kWh");
    v.number("kwh_per_million_tokens", kilowattHoursPerMillionTokens(training, run), number,
             "energy of the run for each million tokens, lost time included, kWh");
    v.number("mean_watts", run.meanWatts, watts, "of the cluster over the run, PUE included");
    v.number("peak_watts", run.peakWatts, watts, "all GPUs busy at once, PUE included");
    v.number("step_watts", run.steppingWatts, watts, "while steps are made");
    v.number("stopped_watts", run.stoppedWatts, watts, "during checkpoints and restarts");
    v.endObject();
    v.endObject();
}

} // namespace alidade
