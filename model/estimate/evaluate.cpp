// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/evaluate.h"

#include "model/cost/capacity_block.h"
#include "model/cost/run_cost.h"
#include "model/training/step.h"

namespace alidade {

namespace {

/// Throughput and utilisation under the reporting convention of Megatron-LM: 3 x forward, s/2 keys per query.
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
        for (const KindCounts& stage : c.plan.stageKinds) {
            layers += stage[k];
        }
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

/// The share of the run that goes into steps that count: exponential failures, checkpoints at Young's
/// interval (Young 1974; Daly 2006 for the exact ratio).
template <class N>
N goodput(const Scenario& scenario, const InputsT<N>& in) {
    using std::exp;
    using std::sqrt;
    if (scenario.hasGoodput) {
        return in[Input::plannedGoodput];
    }
    const N meanTime =
        named(in[Input::gpuHoursPerFailure] * 3600 / in[Input::gpus], "mean_time_between_failures",
              Dimension::seconds, "GPU-hours per failure / GPUs");
    const N interval = named(sqrt(2 * in[Input::checkpointStall] * meanTime), "checkpoint_interval",
                             Dimension::seconds, "Young 1974");
    return named(interval / (meanTime * exp(in[Input::restartTime] / meanTime) *
                             (exp((interval + in[Input::checkpointStall]) / meanTime) - 1)),
                 "goodput", Dimension::ratio,
                 "compute / expected time of an interval under exponential failures");
}

template <class N>
void runAndCost(const Scenario& scenario, const InputsT<N>& in, TotalsT<N>& out) {
    out.goodput = goodput(scenario, in);
    if (scenario.hasPrice) {
        out.dollarsPerHour =
            named(in[Input::price] * in[Input::paidItems], "dollars_per_hour", Dimension::dollarsPerHour);
    }
    if (!scenario.hasTokens) {
        return;
    }
    out.runTime = named(in[Input::tokens] / out.tokensPerSecond / out.goodput, "run_time", Dimension::seconds,
                        "tokens / throughput / goodput");
    const auto run =
        runCost(in[Input::tokens], out.tokensPerSecond, out.goodput, in[Input::paidItems], in[Input::price]);
    out.instanceHours = named(in[Input::paidItems] * run.hours, "hours_in_use", Dimension::number);
    const bool inBlock = scenario.blockEndHours > 0;
    if (inBlock) {
        const N paid = derivedLeaf(
            in[Input::tokens], capacityBlockPaidHours(valueOf(run.hours), scenario.blockEndHours),
            "block_hours", Dimension::number, "the shortest Capacity Block that the run fits into");
        out.idleHours = named(in[Input::paidItems] * paid - out.instanceHours, "idle_hours",
                              Dimension::number, "Capacity Block from start to end - hours in use");
    }
    out.energyKwh = named(energyKwh(in[Input::gpus], in[Input::gpuPower], in[Input::powerUtilisation],
                                    in[Input::hostPowerPerGpu], in[Input::pue], run.hours),
                          "energy_kwh", Dimension::number, "GPUs and their share of the host, times PUE");
    if (scenario.hasPrice) {
        const N rent = inBlock ? (out.instanceHours + out.idleHours) * in[Input::price] : run.dollars;
        out.dollarsPerRun = named(rent, "dollars_per_run", Dimension::dollars);
        out.dollarsPerMillionTokens = named(out.dollarsPerRun / in[Input::tokens] * 1e6,
                                            "dollars_per_million_tokens", Dimension::dollars);
    }
}

} // namespace

template <class N>
void evaluate(const Scenario& scenario, const InputsT<N>& inputs, TotalsT<N>& out) {
    const LayerContext<N> context(scenario.plan, inputs, scenario.networkBound);
    out.parts = {};
    out.kindCount = static_cast<int>(scenario.plan.kinds.size());
    embeddingLayer(context, out.embedding);
    for (std::size_t k = 0; k < scenario.plan.kinds.size(); ++k) {
        decoderLayer(context, scenario.plan.kinds[k], out.layers[k]);
    }
    headLayer(context, out.head);
    if (valueOf(inputs[Input::mtpDepth]) > 0) {
        predictionLayer(context, out.prediction);
    }
    out.expertTokens = scenario.model.moe ? expertLoad(context).meanRows : N{};
    trainingStep(context, out);

    const StageCost<N>& worst = out.stages[static_cast<std::size_t>(out.worstStage)];
    out.memoryTotal = worst.memoryTotal;
    out.reserve = named(inputs[Input::capacity] * inputs[Input::memoryReserve], "reserve_bytes",
                        Dimension::bytes, "kept free for the driver and peaks");
    out.headroom = named(inputs[Input::capacity] - out.reserve - out.memoryTotal, "headroom_bytes",
                         Dimension::bytes, "capacity - reserve - total");
    out.fits = valueOf(out.headroom) >= 0;
    throughput(context, out);
    runAndCost(scenario, inputs, out);
}

template void evaluate(const Scenario&, const InputsT<double>&, TotalsT<double>&);
template void evaluate(const Scenario&, const InputsT<Traced>&, TotalsT<Traced>&);

} // namespace alidade
