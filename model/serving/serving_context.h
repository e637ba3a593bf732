// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/attention.h"
#include "model/kernels/gemm.h"
#include "model/plan/fabric_inputs.h"
#include "model/plan/serving_plan.h"
#include "model/serving/serving_step_cost.h"

namespace alidade {

/// Rows of the matrices of one GPU in one engine step. With a pipeline, a step's sequences go through it in
/// as many groups as it has stages, so that each stage works on one of them.
template <class N>
struct StepRows {
    N prefill;   ///< prompt tokens of the busiest attention-data rank
    N cached;    ///< tokens before them in their sequences
    N prompts;   ///< sequences that they belong to
    N sequences; ///< that decode on one rank
    N queries;   ///< tokens of each that a step computes: 1, and the guessed ones
    N context;   ///< tokens in the cache of each
    N rank;      ///< rows of one rank: prompt tokens and decoded ones
    N engine;    ///< rows of all ranks, which the experts share
    bool decodes, prefills;
};

/// What the layers of a model have in common on one GPU of a replica: its rates and the rows of a step.
template <class N>
struct ServingContext {
    const ServingPlan& plan;
    const InputsT<N>& in;
    N tensor;
    GemmRates<N> dense;  ///< linear layers
    GemmRates<N> narrow; ///< those that are quantized like the routed experts
    GemmRates<N> plain;  ///< output layer and router, which stay in 16 bits
    AttentionRates<N> prefillAttention;
    FabricRates<N> fabric;

    ServingContext(const ServingPlan& servingPlan, const InputsT<N>& inputs, Bound networkKind)
        : plan(servingPlan)
        , in(inputs)
        , tensor(inputs[Input::tensorParallel])
        , fabric(fabricRates<N>(inputs, networkKind)) {
        const N efficiency = named(in[Input::servingGemmEfficiency] * in[Input::servingLibraryFactor],
                                   "engine_gemm_efficiency", Dimension::ratio, "part x engine");
        dense = {.peak = in[Input::peak],
                 .bandwidth = in[Input::memoryBandwidth],
                 .computeEfficiency = efficiency,
                 .memoryEfficiency = in[Input::servingMemoryEfficiency],
                 .launch = in[Input::servingGemmLaunch],
                 .extraK = in[Input::servingGemmExtraK],
                 .activationBytes = in[Input::servingRowFactor] * in[Input::denseOperandBytes],
                 .weightBytes = in[Input::denseWeightBytes],
                 .outputBytes = 2 * in[Input::servingRowFactor]};
        plain = dense;
        plain.peak = in[Input::reportingPeak];
        plain.activationBytes = 2 * in[Input::servingRowFactor];
        plain.weightBytes = N(2);
        narrow = dense;
        narrow.peak = in[Input::expertPeak];
        narrow.activationBytes = in[Input::servingRowFactor] * in[Input::expertOperandBytes];
        narrow.weightBytes = in[Input::expertWeightBytes];
        const N scaled = named(in[Input::servingGemmLaunch] + in[Input::servingQuantTime],
                               "quantised_gemm_launch", Dimension::seconds);
        if (valueOf(in[Input::denseOperandBytes]) < 2) // scaling the activations is a separate kernel
            dense.launch = scaled;
        if (valueOf(in[Input::expertOperandBytes]) < 2)
            narrow.launch = scaled;
        prefillAttention = {.peak = in[Input::reportingPeak],
                            .bandwidth = in[Input::memoryBandwidth],
                            .computeEfficiency = in[Input::servingAttentionEfficiency],
                            .memoryEfficiency = in[Input::servingAttentionMemoryEfficiency],
                            .launch = in[Input::servingAttentionLaunch],
                            .rampTokens = in[Input::servingAttentionHalfLength]};
    }

    /// Kernels of a GEMM that the host launches: scaling its quantized input is a separate one.
    int launches(const GemmRates<N>& rates) const {
        return (&rates == &dense && valueOf(in[Input::denseOperandBytes]) < 2) ||
                       (&rates == &narrow && valueOf(in[Input::expertOperandBytes]) < 2)
                   ? 2
                   : 1;
    }

    const GemmRates<N>& mlp() const { return plan.narrowMlp ? narrow : dense; }
    const GemmRates<N>& attentionOutput() const { return plan.narrowOutput ? narrow : dense; }

    /// A count of the plan or the architecture that is not a separate input.
    N count(double value, const char* name, const char* source = "plan") const {
        return derivedLeaf(tensor, value, name, Dimension::number, source);
    }

    StepRows<N> rows(const StepLoad<N>& load) const {
        using std::max;
        using std::min;
        StepRows<N> r;
        const N& stages = in[Input::pipelineParallel];
        r.prefills = valueOf(load.prefillTokens) > 0;
        r.decodes = valueOf(load.decodeSequences) > 0;
        // A prompt is computed by one attention-data rank, at most a chunk in a step; the others wait for it
        // at the experts.
        const N chunks = max(load.prompts, load.prefillTokens / in[Input::chunkTokens]);
        const N ranks = named(min(in[Input::attentionDataParallel], max(N(1), chunks)), "ranks_with_prompts",
                              Dimension::number, "one rank per prompt, a chunk at most");
        r.prefill = named(load.prefillTokens / (ranks * stages), "prefill_rows", Dimension::tokens,
                          "of the busiest rank, per stage");
        r.cached = load.prefillCached;
        r.prompts = load.prompts / (ranks * stages);
        r.sequences = named(load.decodeSequences / (in[Input::attentionDataParallel] * stages),
                            "decode_sequences_per_rank", Dimension::number, "per stage");
        r.queries = named(1 + in[Input::draftTokens], "tokens_per_sequence_and_step", Dimension::number,
                          "the next token and the guessed ones");
        r.context = load.decodeContext;
        r.rank = named(r.prefill + r.sequences * r.queries, "rows_per_rank", Dimension::tokens);
        r.engine = named((load.prefillTokens + load.decodeSequences * r.queries) / stages,
                         "rows_of_the_engine", Dimension::tokens, "all attention-data ranks");
        return r;
    }
};

} // namespace alidade
