// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"

#include <string_view>

namespace alidade {

// The "training" part of the documented estimate; see visit.h for what a visitor is.

template <class N, class V>
void visitBreakdown(std::string_view key, const std::vector<ShareT<N>>& breakdown, V& v,
                    std::string_view meaning) {
    v.beginArray(key);
    for (const ShareT<N>& share : breakdown) {
        v.beginObject({});
        v.text("name", share.name);
        v.number("seconds", share.seconds, Dimension::seconds, meaning);
        v.text("bound", boundName(share.bound));
        v.endObject();
    }
    v.endArray();
}

template <class N, class V>
void visitOperation(const OperationT<N>& op, V& v) {
    v.beginObject({});
    v.text("name", op.name);
    v.text("phase", phaseName(op.phase));
    v.number("flops", op.flops, Dimension::flop, "arithmetic per GPU, layer and micro-batch");
    v.number("bytes", op.bytes, Dimension::bytes, "HBM traffic per GPU, layer and micro-batch");
    v.number("seconds", op.seconds, Dimension::seconds, "time per GPU, layer and micro-batch");
    v.text("bound", boundName(op.bound));
    v.number("intensity", op.intensity, Dimension::flopPerByte, "FLOP per byte of HBM traffic");
    v.number("efficiency", op.efficiency, Dimension::ratio, "share of the roof that bounds it");
    v.endObject();
}

/// \param ofLayer of one layer and micro-batch; else of a step
template <class N, class V>
void visitCommunication(const CommunicationT<N>& each, V& v, bool ofLayer = true) {
    v.beginObject({});
    v.text("op", each.op);
    v.text("group", each.group);
    v.text("fabric", boundName(each.fabric));
    v.text("phase", phaseName(each.phase));
    v.number("bytes", each.bytes, Dimension::bytes,
             ofLayer ? "buffer of the collective per GPU, layer and micro-batch"
                     : "buffer of the collective");
    v.number("wire_bytes", each.wireBytes, Dimension::bytes,
             ofLayer ? "what one GPU sends per layer and micro-batch" : "what one GPU sends in a step");
    v.number("network_bytes", each.networkBytes, Dimension::bytes,
             "what one GPU sends over its share of the network cards");
    v.number("seconds", each.seconds, Dimension::seconds,
             ofLayer ? "time per layer and micro-batch" : "time per step");
    v.number("exposed_s", each.exposed, Dimension::seconds, "the part of it that compute does not cover");
    v.endObject();
}

template <class N, class V>
void visitLayer(const LayerT<N>& layer, V& v, std::string_view meaning) {
    v.beginObject({});
    v.text("kind", layer.kind);
    v.text("title", layer.title);
    v.integer("count", layer.count, "layers of this kind in the model");
    if (layer.stage)
        v.integer("stage", *layer.stage, "pipeline stage that holds it, counted from 0");
    v.number("seconds", layer.seconds, Dimension::seconds, meaning);
    v.text("bound", boundName(layer.bound));
    v.beginArray("ops");
    for (const OperationT<N>& op : layer.ops)
        visitOperation(op, v);
    v.endArray();
    v.beginArray("communication");
    for (const CommunicationT<N>& each : layer.communication)
        visitCommunication(each, v);
    v.endArray();
    v.endObject();
}

template <class N, class V>
void visitLayers(std::string_view key, const std::vector<LayerT<N>>& layers, V& v, std::string_view meaning) {
    v.beginArray(key);
    for (const LayerT<N>& layer : layers)
        visitLayer(layer, v, meaning);
    v.endArray();
}

template <class N, class V>
void visitStage(const StageT<N>& stage, V& v) {
    constexpr Dimension seconds = Dimension::seconds;
    v.beginObject({});
    v.integer("stage", stage.stage, "pipeline stage, counted from 0");
    v.integer("layers", stage.layers, "decoder layers of this stage");
    v.number("forward_s", stage.forward, seconds, "forward pass of one micro-batch");
    v.number("backward_input_s", stage.backwardInput, seconds, "gradient of the inputs, one micro-batch");
    v.number("backward_weight_s", stage.backwardWeight, seconds, "gradient of the weights, one micro-batch");
    v.number("memory_bytes", stage.memoryBytes, Dimension::bytes, "peak memory of one GPU of this stage");
    v.endObject();
}

template <class V>
void visitTimelineEvent(const TimelineEvent& event, V& v) {
    v.beginObject({});
    v.integer("stage", event.stage, "pipeline stage, counted from 0");
    v.integer("microbatch", event.microbatch, "micro-batch of the step, counted from 0");
    v.integer("chunk", event.chunk, "virtual pipeline chunk of the stage, counted from 0");
    v.text("kind", event.kind == 'F' ? "forward" : event.kind == 'B' ? "backward" : "backward_weight");
    v.constant("start_s", event.start, Dimension::seconds, "when it starts, from the start of the step");
    v.constant("end_s", event.end, Dimension::seconds, "when it ends, from the start of the step");
    v.endObject();
}

template <class N, class V>
void visitExpertLoad(const ExpertLoadT<N>& load, V& v) {
    constexpr Dimension tokens = Dimension::tokens;
    v.beginObject("expert_load");
    v.integer("experts", load.experts, "routed experts of a layer");
    v.integer("experts_per_token", load.expertsPerToken, "experts that a token visits");
    v.integer("expert_ranks", load.expertRanks, "GPUs that share the experts");
    v.integer("experts_per_rank", load.expertsPerRank, "experts on one GPU");
    v.number("tokens_per_rank", load.tokensPerRank, tokens,
             "routed tokens of one rank and micro-batch, mean");
    v.number("tokens_per_expert", load.tokensPerExpert, tokens, "of one micro-batch, mean");
    v.number("imbalance", load.imbalance, Dimension::number, "busiest rank / mean");
    v.number("padded_tokens_per_expert", load.paddedTokensPerExpert, tokens, "rows that the GEMMs compute");
    if (load.capacityFactor)
        v.constant("capacity_factor", *load.capacityFactor, Dimension::number, "rows of an expert / mean");
    v.endObject();
}

template <class N, class V>
void visitTraining(const TrainingT<N>& training, V& v) {
    using enum Dimension;
    v.beginObject("training");
    v.number("step_time_s", training.stepTime, seconds, "one optimizer step");
    v.number("tokens_per_s", training.tokensPerSecond, tokensPerSecond, "of the whole cluster");
    v.number("tokens_per_s_per_gpu", training.tokensPerSecondPerGpu, tokensPerSecond, "per GPU of the plan");
    v.number("model_flops_per_s_per_gpu", training.modelFlopsPerSecondPerGpu, flopPerSecond,
             "arithmetic that the model needs, without recomputation, per GPU");
    v.number("mfu", training.mfu, ratio, "model FLOP utilization: model FLOP/s per GPU / peak");
    v.number("hfu", training.hfu, ratio, "hardware FLOP utilization: with recomputation");
    v.number("mfu_peak_flops_per_s", training.mfuPeakFlopsPerSecond, flopPerSecond,
             "dense peak that MFU is against");
    v.text("flops_convention", training.flopsConvention);
    if (training.runTime)
        v.number("run_time_s", *training.runTime, seconds, "the whole run, lost time included");
    v.number("goodput", training.goodput, ratio, "share of the run time that the steps take");
    v.number("microbatches", training.microbatches, number, "per step and replica");
    visitBreakdown("breakdown", training.breakdown, v, "part of the step time, exclusive");
    visitLayers("layers", training.layers, v,
                "forward and backward of one layer and micro-batch, with exposed communication");
    v.beginArray("stages");
    for (const StageT<N>& stage : training.stages)
        visitStage(stage, v);
    v.endArray();
    v.beginArray("communication");
    for (const CommunicationT<N>& each : training.communication)
        visitCommunication(each, v, false);
    v.endArray();
    if (training.expertLoad)
        visitExpertLoad(*training.expertLoad, v);
    if (!training.timeline.empty()) {
        v.constant("timeline_makespan_s", training.timelineMakespan, seconds, "the pipeline as simulated");
        v.constant("timeline_closed_form_s", training.timelineClosedForm, seconds,
                   "the same by the closed form that the step time rests on");
        v.beginArray("timeline");
        for (const TimelineEvent& event : training.timeline)
            visitTimelineEvent(event, v);
        v.endArray();
    }
    v.endObject();
}

} // namespace alidade
