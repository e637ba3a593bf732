// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/reinforcement.h"

namespace alidade {

// The "reinforcement_learning" part of the documented estimate; see visit.h for what a visitor is.

template <class N, class V>
void visitRlPool(const RlPoolT<N>& pool, V& v) {
    v.beginObject({});
    v.text("name", pool.name);
    v.integer("gpus", pool.gpus, "GPUs of the pool");
    v.number("idle_share", pool.idleShare, Dimension::ratio, "share of the step in which the pool waits");
    v.number("capacity_bytes", pool.capacityBytes, Dimension::bytes, "usable memory of a GPU");
    v.beginArray("memory");
    for (const RlMemoryT<N>& each : pool.memory) {
        v.beginObject({});
        v.text("phase", each.phase);
        v.number("bytes", each.bytes, Dimension::bytes, "memory of one GPU in the phase, at its peak");
        v.beginArray("parts");
        for (const MemoryPartT<N>& part : each.parts) {
            v.beginObject({});
            v.text("name", part.name);
            v.number("bytes", part.bytes, Dimension::bytes, "of one GPU");
            v.endObject();
        }
        v.endArray();
        v.endObject();
    }
    v.endArray();
    v.endObject();
}

template <class N, class V>
void visitReinforcement(const ReinforcementT<N>& rl, V& v) {
    constexpr Dimension seconds = Dimension::seconds, rate = Dimension::tokensPerSecond;
    v.beginObject("reinforcement_learning");
    v.number("step_time_s", rl.stepTime, seconds, "one step: generation, scores, updates, weights");
    v.number("tokens_per_step", rl.tokensPerStep, Dimension::tokens, "prompt and response tokens of a step");
    v.number("tokens_per_s", rl.tokensPerSecond, rate, "prompt and response tokens / step time");
    v.number("response_tokens_per_s", rl.responseTokensPerSecond, rate, "response tokens / step time");
    v.number("tokens_per_s_per_gpu", rl.tokensPerSecondPerGpu, rate, "prompt and response tokens, all GPUs");
    if (rl.dollarsPer1000Steps)
        v.number("dollars_per_1000_steps", *rl.dollarsPer1000Steps, Dimension::dollars, "rent");
    v.number("gpu_hours_per_1000_steps", rl.gpuHoursPer1000Steps, Dimension::number, "GPUs in use");
    if (rl.runTime)
        v.number("run_time_s", *rl.runTime, seconds, "all steps, nothing lost");
    v.number("staleness_steps", rl.staleness, Dimension::number,
             "steps that responses are behind the weights");
    v.number("idle_share", rl.idleShare, Dimension::ratio, "share of all GPU time spent waiting");
    v.number("model_flops_per_s_per_gpu", rl.flopsPerSecondPerGpu, Dimension::flopPerSecond,
             "model FLOP of all phases");
    v.number("weight_bytes", rl.weightBytes, Dimension::bytes, "that a synchronization moves, once");
    v.number("checkpoint_bytes", rl.checkpointBytes, Dimension::bytes, "of all trained models");
    v.beginObject("storage");
    v.text("id", rl.storage);
    v.number("bytes", rl.storageBytes, Dimension::bytes, "provisioned; 0: not provisioned");
    v.constant("dollars_per_month", rl.storageDollarsPerMonth, Dimension::dollars, "list price in us-east-1");
    v.endObject();
    v.text("limit", rl.limit);
    v.beginArray("phases");
    for (const RlPhaseT<N>& phase : rl.phases) {
        v.beginObject({});
        v.text("name", phase.name);
        v.text("pool", phase.pool);
        v.number("start_s", phase.start, seconds, "from the start of the step");
        v.number("seconds", phase.seconds, seconds, "duration of the phase");
        v.number("exposed_s", phase.exposed, seconds, "the part of it that lengthens the step");
        v.text("bound", boundName(phase.bound));
        v.endObject();
    }
    v.endArray();
    v.beginArray("pools");
    for (const RlPoolT<N>& pool : rl.pools)
        visitRlPool(pool, v);
    v.endArray();
    v.beginObject("rollout");
    v.integer("engines", rl.engines, "replicas of the rollout");
    v.constant("places", rl.places, Dimension::number, "sequences that an engine works on at once, at most");
    v.constant("mean_batch", rl.meanBatch, Dimension::number, "sequences of an engine, mean over its steps");
    v.number("longest_tokens", rl.longest, Dimension::tokens, "tokens of the response that ends it");
    v.number("tail_s", rl.tailSeconds, seconds, "with less than half of the first batch under way");
    v.constant("tail_share", rl.tailShare, Dimension::ratio,
               "of the responses, that run when the tail begins");
    v.constant("cut_share", rl.cutShare, Dimension::ratio, "of the responses, cut at the limit");
    v.constant("refill_end_s", rl.refillEnd, seconds, "when no waiting response is left for a free slot");
    v.beginArray("under_way");
    for (const RlRolloutPoint& point : rl.rollout) {
        v.beginObject({});
        v.constant("time_s", point.seconds, seconds, "from the start of the rollout");
        v.constant("share", point.share, Dimension::ratio, "of the places taken at its start");
        v.endObject();
    }
    v.endArray();
    v.endObject();
    v.integer("updates", rl.updates, "of a step");
    if (!rl.splits.empty()) {
        v.beginArray("splits");
        for (const RlSplitPoint& point : rl.splits) {
            v.beginObject({});
            v.integer("rollout_gpus", point.rolloutGpus, "GPUs of the rollout, the others train");
            v.constant("step_time_s", point.stepTime, seconds, "with this split");
            v.constant("rollout_s", point.rolloutTime, seconds, "the rollout alone");
            v.constant("training_s", point.trainTime, seconds, "training alone");
            v.flag("fits", point.fits);
            v.endObject();
        }
        v.endArray();
    }
    v.endObject();
}

} // namespace alidade
