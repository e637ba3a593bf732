// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/serving_builder.h"

namespace alidade {

/// The lightning indexer of sparse attention, which chooses the tokens that each query reads (DeepSeek-V3.2,
/// arXiv 2512.02556, section 2.1; kernels as in its published inference code). Every GPU of a tensor-parallel
/// group computes all of its heads. \param queries tokens of the step on this rank \param pairs queries x
/// tokens that each of them scores
template <class N>
void indexerScores(const ServingContext<N>& c, const char* scores, const char* choice, Phase phase,
                   const N& sequences, const N& context, const N& pairs, ServingLayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    const N width = c.count(1.0 * c.plan.sparseIndexHeads * c.plan.sparseIndexDim, "indexer_width",
                            "index heads x size of a head");
    RooflineTime<N> score;
    score.flops = named(2 * pairs * width, "indexer_flops", Dimension::flop, "2 x heads x size per pair");
    const N logits =
        named(4 * pairs, "indexer_logit_bytes", Dimension::bytes, "one FP32 sum over the heads per pair");
    score.bytes = named(sequences * context *
                                c.count(c.plan.sparseIndexDim + 4.0, "index_key_bytes", "FP8 key and scale") +
                            logits,
                        "index_bytes", Dimension::bytes, "keys read, logits written");
    score.compute = named(score.flops / (c.dense.peak * in[Input::servingAttentionEfficiency]),
                          "indexer_compute_time", Dimension::seconds);
    score.memory =
        named(score.bytes / (in[Input::memoryBandwidth] * in[Input::servingAttentionMemoryEfficiency]),
              "indexer_memory_time", Dimension::seconds);
    score.launch = in[Input::servingAttentionLaunch];
    layer.kernel(scores, phase, withTotal(score), in[Input::reportingPeak]);
    RooflineTime<N> top;
    top.bytes = named(2 * logits, "indexer_choice_bytes", Dimension::bytes, "a histogram, then the choice");
    top.memory = named(top.bytes / (in[Input::memoryBandwidth] * in[Input::servingMemoryEfficiency]),
                       "indexer_choice_time", Dimension::seconds);
    top.launch = in[Input::servingElementwiseTime];
    layer.kernel(choice, phase, withTotal(top), in[Input::reportingPeak]);
}

/// Queries, keys and weights of the indexer for all tokens of a step.
template <class N>
void indexerProjections(const ServingContext<N>& c, const StepRows<N>& r, ServingLayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    const N width = c.count(1.0 * c.plan.sparseIndexHeads * c.plan.sparseIndexDim, "indexer_width",
                            "index heads x size of a head");
    const N small =
        c.count(1.0 * c.plan.sparseIndexHeads + c.plan.sparseIndexDim, "indexer_key_and_weights_width");
    layer.gemm("Indexer queries", r.rank, width,
               c.plan.queryCompressed ? in[Input::mlaQueryRank] : in[Input::hiddenSize], c.dense);
    layer.gemm("Indexer keys and weights", r.rank, small, in[Input::hiddenSize], c.plain);
    // Rotary embedding, Hadamard transform and quantization: 16 bits read and written, then read, and 8
    // written.
    layer.elementwise("Indexer queries, rotary embedding", r.rank * 4 * width);
    layer.elementwise("Indexer quantization, key cache", r.rank * 3 * width);
}

} // namespace alidade
