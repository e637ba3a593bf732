// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/evaluate.h"

#include "model/cost/order.h"
#include "model/cost/rental.h"
#include "model/cost/run_cost.h"
#include "model/estimate/layer_memo.h"
#include "model/estimate/rent.h"
#include "model/training/step.h"

namespace alidade {

namespace {

/// Throughput and utilization under the reporting convention of Megatron-LM: 3 x forward, s/2 keys per query.
template <class N>
void throughput(const LayerContext<N>& c, TotalsT<N>& out) {
    const InputsT<N>& in = c.in;
    const N& s = in[Input::sequenceLength];
    const N gpus = in[Input::gpus];
    const N stepTokens = named(in[Input::globalBatch] * s, "step_tokens", Dimension::tokens);
    const N logits =
        named(2 * in[Input::hiddenSize] * in[Input::vocabulary], "logits_flops_per_token", Dimension::flop);
    const auto layerFlops = [&](const LayerKind& kind) {
        const N weights = c.count(static_cast<double>(kind.activeGemm), "layer_active_parameters",
                                  "weights of a layer that a token is multiplied with");
        const N core = derivedLeaf(c.tokens, kind.coreFlops, "core_flops_per_token", Dimension::flop,
                                   "attention 2 a (d_qk + d_v) x s/2 keys, or the scan of a linear mixer");
        return named(2 * weights + core, "layer_flops_per_token", Dimension::flop);
    };
    N forward = logits, executed{};
    for (std::size_t k = 0; k < c.plan.kinds.size(); ++k) {
        int layers = 0;
        for (const KindCounts& stage : c.plan.stageKinds)
            layers += stage[k];
        const N count = c.count(layers, "layers_of_a_kind", "architecture");
        forward += count * layerFlops(c.plan.kinds[k]);
        executed += count * named(out.layers[k].executedFlops, "layer_executed_flops", Dimension::flop);
    }
    if (valueOf(in[Input::mtpDepth]) > 0) {
        const N& h = in[Input::hiddenSize];
        forward += in[Input::mtpDepth] * (4 * h * h + layerFlops(c.plan.prediction) + logits);
        executed += in[Input::mtpDepth] *
                    named(out.prediction.executedFlops, "prediction_executed_flops", Dimension::flop);
    }
    forward = named(forward, "forward_flops_per_token", Dimension::flop, "layers and logits");
    out.tokensPerSecond = named(stepTokens / out.stepTime, "tokens_per_second", Dimension::tokensPerSecond);
    out.tokensPerSecondPerGpu =
        named(out.tokensPerSecond / gpus, "tokens_per_second_per_gpu", Dimension::tokensPerSecond);
    // A frozen base needs no weight gradients.
    out.modelFlops = named((c.plan.lora ? 2 : 3) * forward * stepTokens, "model_flops", Dimension::flop,
                           "3 x forward FLOP of all tokens (2 x with a frozen base)");
    out.modelFlopsPerSecondPerGpu = named(out.modelFlops / (out.stepTime * gpus),
                                          "model_flops_per_second_per_gpu", Dimension::flopPerSecond);
    out.mfu = named(out.modelFlopsPerSecondPerGpu / in[Input::reportingPeak], "mfu", Dimension::ratio,
                    "model FLOP/s / dense 16-bit peak");
    const N perGpu =
        named(out.microbatches *
                  (executed + named(out.head.executedFlops, "head_executed_flops", Dimension::flop)) /
                  in[Input::pipelineParallel],
              "executed_flops_per_gpu", Dimension::flop, "all kernels, recomputation included");
    out.hfu = named(perGpu / (out.stepTime * in[Input::reportingPeak]), "hfu", Dimension::ratio);
}

/// Bytes of a checkpoint: what a restart needs, each part of it once.
template <class N>
N checkpointBytes(const Scenario& scenario, const InputsT<N>& in, const TotalsT<N>& out) {
    constexpr Dimension bytes = Dimension::bytes;
    if (scenario.plan.lora) { // the frozen base is where it came from
        N adapters{};
        for (int i = 0; i < out.stageCount; ++i) {
            const StageCost<N>& stage = out.stages[static_cast<std::size_t>(i)];
            adapters += in[Input::tensorParallel] * stage.trainable +
                        in[Input::expertParallel] * in[Input::expertTensorParallel] * stage.trainableExperts;
        }
        return named(adapters * (in[Input::weightBytes] + in[Input::optimizerBytes]), "checkpoint_bytes",
                     bytes, "adapters with their optimizer state");
    }
    const N each = scenario.plan.masterIsParameter
                       ? in[Input::optimizerBytes]
                       : named(in[Input::weightBytes] + in[Input::optimizerBytes],
                               "saved_bytes_per_parameter", bytes, "weights, master weights and moments");
    return named(in[Input::modelParameters] * each, "checkpoint_bytes", bytes,
                 "parameters x bytes saved of each");
}

/// Training data that storage delivers later than the steps take it.
template <class N>
void waitForData(const RunPlan& plan, const InputsT<N>& in, TotalsT<N>& out, const RunStorage<N>& storage) {
    out.data = dataLoading(plan, in, storage);
    const N plain = exposedLoading(out.data, out.stepTime, false),
            cached = exposedLoading(out.data, out.stepTime, true);
    out.dataSaved = plain - cached;
    const N late = plan.nvmeCache ? cached : plain;
    if (valueOf(late) > 0) {
        N& part = out.parts[static_cast<std::size_t>(StepPart::dataLoading)];
        part = late;
        out.stepTime =
            named(out.stepTime + part, "step_time", Dimension::seconds, "sum of the exclusive parts");
    }
    out.dataRate = named(out.data.stepBytes / out.stepTime, "data_rate", Dimension::bytesPerSecond,
                         "bytes of a step / step time");
}

template <class N>
void power(const InputsT<N>& in, TotalsT<N>& out) {
    const auto part = [&](StepPart p) { return out.parts[static_cast<std::size_t>(p)]; };
    const N busy =
        named((part(StepPart::compute) + part(StepPart::hbm) + part(StepPart::optimizer)) / out.stepTime,
              "busy_share", Dimension::ratio, "compute, HBM traffic and optimizer / step");
    // Repeated work draws what work draws; stalls and stops draw what idle GPUs draw.
    const RunCore<N>& run = out.run;
    const N stalls = named(out.goodput * run.stall / run.interval, "stall_share", Dimension::ratio,
                           "checkpoint stalls / run");
    using std::min;
    const N stops =
        named(min(1 - out.goodput - stalls, run.recovery / run.mtbf + run.plannedShare + run.waitingShare),
              "stopped_share", Dimension::ratio, "detection, restarts and waiting / run");
    out.power = runPower(in, busy, named(1 - stalls - stops, "stepping_share", Dimension::ratio));
}

template <class N>
void runAndCost(const Scenario& scenario, const InputsT<N>& in, TotalsT<N>& out) {
    out.goodput = out.run.goodput;
    power(in, out);
    if (scenario.hasPrice)
        out.dollarsPerHour = named(rentPerHour(in), "dollars_per_hour", Dimension::dollarsPerHour);
    if (!scenario.hasTokens)
        return;
    out.runTime = named(in[Input::tokens] / out.tokensPerSecond / out.goodput, "run_time", Dimension::seconds,
                        "tokens / throughput / goodput");
    const auto run =
        runCost(in[Input::tokens], out.tokensPerSecond, out.goodput, in[Input::paidItems], in[Input::price]);
    out.instanceHours = named(in[Input::paidItems] * run.hours, "hours_in_use", Dimension::number);
    const bool mixed = scenario.hasBase() && isBillable(valueOf(run.hours));
    const RunRentT<N> mixedRent =
        mixed ? rentWithBase(scenario, in, run.hours, in[Input::tokens]) : RunRentT<N>{};
    const bool beyondUse = !mixed && scenario.rental.paysBeyondUse();
    if (mixed && (scenario.rental.paysBeyondUse() || scenario.baseRental.paysBeyondUse())) {
        out.idleHours =
            named(mixedRent.idleHours, "idle_hours", Dimension::number, "hours that are paid - hours in use");
    }
    if (beyondUse) {
        const N paid = billedTime(in[Input::tokens], valueOf(run.hours), scenario.rental);
        out.idleHours = named(in[Input::paidItems] * paid - out.instanceHours, "idle_hours",
                              Dimension::number, "hours that are paid - hours in use");
    }
    out.energyKwh = named(kilowattHours(out.power.mean, run.hours), "energy_kwh", Dimension::number,
                          "mean power, with host and PUE, x hours");
    out.carbonKg = named(out.energyKwh * in[Input::gridCarbon], "carbon_kg", Dimension::number,
                         "energy x carbon of the Region's grid");
    if (scenario.hasPrice) {
        const N rent = beyondUse ? (out.instanceHours + out.idleHours) * in[Input::price] : run.dollars;
        const double hours = valueOf(run.hours);
        if (mixed) {
            out.dollarsPerRun =
                named(mixedRent.dollars, "dollars_per_run", Dimension::dollars, "base and rest");
        } else if (isBillable(hours)) {
            const Cents billed = rentOf(static_cast<int>(valueOf(in[Input::paidItems])), hours,
                                        nanoDollars(valueOf(in[Input::price])), scenario.rental);
            out.dollarsPerRun = named(asBilled(rent, billed), "dollars_per_run", Dimension::dollars);
        } else {
            out.dollarsPerRun = named(rent, "dollars_per_run", Dimension::dollars);
        }
        out.dollarsPerMillionTokens = named(out.dollarsPerRun / in[Input::tokens] * 1e6,
                                            "dollars_per_million_tokens", Dimension::dollars);
    }
}

/// The layers of a plan, one of each kind.
template <class N>
void layerCosts(const LayerContext<N>& context, TotalsT<N>& out) {
    embeddingLayer(context, out.embedding);
    for (std::size_t k = 0; k < context.plan.kinds.size(); ++k)
        decoderLayer(context, context.plan.kinds[k], out.layers[k]);
    headLayer(context, out.head);
    if (valueOf(context.in[Input::mtpDepth]) > 0)
        predictionLayer(context, out.prediction);
    holdLayers(context, out);
}

/// Stages and the memory of the fullest, once the layers are known.
template <class N>
void stagesAndMemory(const LayerContext<N>& context, TotalsT<N>& out, StagesOf wanted = StagesOf::all) {
    const InputsT<N>& inputs = context.in;
    out.parts = {};
    out.kindCount = static_cast<int>(context.plan.kinds.size());
    stageCosts(context, out, wanted);
    const StageCost<N>& worst = out.stages[static_cast<std::size_t>(out.worstStage)];
    out.memoryTotal = worst.memoryTotal;
    out.reserve = named(inputs[Input::capacity] * inputs[Input::memoryReserve], "reserve_bytes",
                        Dimension::bytes, "kept free for the driver and peaks");
    out.headroom = named(inputs[Input::capacity] - out.reserve - out.memoryTotal, "headroom_bytes",
                         Dimension::bytes, "capacity - reserve - total");
    out.fits = valueOf(out.headroom) >= 0;
}

/// The step, the run and their cost. \pre stagesAndMemory()
template <class N>
void stepAndRun(const Scenario& scenario, const LayerContext<N>& context, TotalsT<N>& out) {
    const InputsT<N>& inputs = context.in;
    out.expertTokens = scenario.model.moe ? expertLoad(context).meanRows : N{};
    trainingStep(context, out);
    const N saved = checkpointBytes(scenario, inputs, out);
    waitForData(scenario.run, inputs, out, runStorage(inputs, saved));
    out.run = runCore(scenario.run, inputs, out.stepTime, saved, scenario.hasGoodput);
    throughput(context, out);
    runAndCost(scenario, inputs, out);
}

} // namespace

template <class N>
void evaluate(const Scenario& scenario, const InputsT<N>& inputs, TotalsT<N>& out) {
    const LayerContext<N> context(scenario.plan, inputs, scenario.networkBound);
    layerCosts(context, out);
    stagesAndMemory(context, out);
    stepAndRun(scenario, context, out);
}

void evaluateIfFits(const Scenario& scenario, LayerMemo& memo, Totals& out) {
    LayerContext<double>& context = memo.contextOf(scenario.plan, scenario.inputs, scenario.networkBound);
    if (!memo.recall(context, out)) {
        layerCosts(context, out);
        memo.keep(context, out);
    }
    stagesAndMemory(context, out, StagesOf::extremes); // most plans do not fit
    if (!out.fits)
        return;
    copyLikeStages(context.plan, out); // what follows reads the memory of none
    stepAndRun(scenario, context, out);
}

template void evaluate(const Scenario&, const InputsT<double>&, TotalsT<double>&);
template void evaluate(const Scenario&, const InputsT<Traced>&, TotalsT<Traced>&);

} // namespace alidade
