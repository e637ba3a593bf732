// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/oracle/adaptors.h"

namespace alidade::oracle {

const Adaptors& adaptors() {
    static const Adaptors table = [] {
        Adaptors t;
        addKernels(t);
        addMemory(t);
        addCollectives(t);
        addSchedules(t);
        addReliability(t);
        addCost(t);
        addServing(t);
        addWorkload(t);
        addPostTraining(t);
        addReferenceStep(t);
        addCalibration(t);
        return t;
    }();
    return table;
}

const std::map<std::string, std::string>& onReference() {
    static const std::map<std::string, std::string> reasons{
        {"bubble.zb_h2", "no framework offers ZB-H2, so that no plan has this schedule"},
        {"c2c_bandwidth", "the rate of a host link is an input; GPUs of a host do not divide its memory's"},
        {"capacity_block_size", "the program books blocks that add up instead of one larger block"},
        {"efa_alpha", "the latency of each network is measured: a constant of the profile"},
        {"kaplan", "the program sizes models by the law of Hoffmann et al., which superseded this one"},
        {"nccl_ring_tree_time",
         "NCCL's score of its algorithms; the program has laws fitted to measured times"},
        {"queue_wait", "the program's line for a place in the batch has a factor fitted to simulations"},
        {"queue_wait_percentile", "the program adds that line to the distribution of times to first token"},
        {"rollout_time", "the program integrates over all lengths and knows which engine ends last"},
        {"serving_equilibrium", "the program solves for distributions of batch and backlog, not for means"},
        {"tile_wave_efficiency", "libraries choose tiles well: the fitted law of a GEMM has no waves"},
        {"timeline.v.events", "orders of a greedy scheduler; the program has the published order of ZB-V"},
        {"timeline.v.p8", "orders of a greedy scheduler; the program has the published order of ZB-V"}};
    return reasons;
}

double number(const Json& arguments, const char* key) {
    const Json& value = arguments.at(key);
    return value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<double>();
}

double number(const Json& arguments, const char* key, double otherwise) {
    return arguments.contains(key) ? number(arguments, key) : otherwise;
}

int whole(const Json& arguments, const char* key, int otherwise) {
    return static_cast<int>(number(arguments, key, otherwise));
}

std::string word(const Json& arguments, const char* key, const char* otherwise) {
    return arguments.value(key, std::string(otherwise));
}

void readAttention(const Json& attention, Architecture& into) {
    into.attentionHeads = whole(attention, "a", 0);
    if (attention.at("type") == "mla") {
        into.mla = MlaShape{.qLoraRank = whole(attention, "r_q", 0),
                            .kvLoraRank = whole(attention, "r_kv", 0),
                            .qkNopeHeadDim = whole(attention, "d_nope", 0),
                            .qkRopeHeadDim = whole(attention, "d_rope", 0),
                            .vHeadDim = whole(attention, "d_v", 0)};
        return;
    }
    into.kvHeads = whole(attention, "g", 0);
    into.headDim = whole(attention, "d", 0);
    into.biasQkv = number(attention, "bias_qkv", 0) != 0;
    into.biasO = number(attention, "bias_o", 0) != 0;
    into.attentionSinks = number(attention, "sinks", 0) != 0;
    into.attentionOutputGate = number(attention, "gate", 0) != 0;
    into.qkNorm = choose<QkNorm>({{"none", QkNorm::none}, {"head", QkNorm::perHead}, {"full", QkNorm::full}},
                                 word(attention, "qk_norm", "none"));
}

MoeShape moeShape(const Json& moe) {
    return {.routedExperts = whole(moe, "E", 0),
            .expertsPerToken = whole(moe, "k", 0),
            .sharedExperts = moe.contains("f_shared") ? 1 : 0,
            .expertIntermediateSize = whole(moe, "f", 0),
            .sharedExpertIntermediateSizeTotal = whole(moe, "f_shared", 0),
            .denseFirstLayers = whole(moe, "first_dense", 0),
            .routerBias = number(moe, "router_bias", 0) != 0,
            .expertBias = number(moe, "expert_bias", 0) != 0,
            .sharedExpertGate = number(moe, "shared_gate", 0) != 0,
            .routerScore = {}};
}

Architecture architecture(const Json& model) {
    Architecture out;
    out.layers = whole(model, "L", 0);
    out.hiddenSize = whole(model, "h", 0);
    out.vocabSize = whole(model, "V", 0);
    out.tieEmbeddings = number(model, "tied", 0) != 0;
    out.normHasBias = word(model, "norm", "rms") == "ln";
    out.normsPerLayer = whole(model, "norms_per_layer", 2);
    out.learnedPositions = whole(model, "pos", 0);
    out.slidingWindow = whole(model, "window", 0);
    out.mtpLayers = whole(model, "mtp", 0);
    if (model.contains("attn"))
        readAttention(model["attn"], out);
    if (model.contains("mlp")) {
        out.ffnIntermediateSize = whole(model["mlp"], "f", 0);
        out.ffnGated = number(model["mlp"], "glu", 1) != 0;
        out.biasMlp = number(model["mlp"], "bias", 0) != 0;
    }
    if (model.contains("moe"))
        out.moe = moeShape(model["moe"]);
    if (model.contains("mamba2")) {
        const Json& mamba = model["mamba2"];
        const int inner = whole(mamba, "expand", 2) * out.hiddenSize;
        out.normsPerLayer = 1;
        out.mamba2 = Mamba2Shape{.heads = inner / whole(mamba, "headdim", 64),
                                 .headDim = whole(mamba, "headdim", 64),
                                 .groups = whole(mamba, "groups", 1),
                                 .state = whole(mamba, "state", 128),
                                 .convKernel = whole(mamba, "conv", 4)};
    }
    return out;
}

} // namespace alidade::oracle
