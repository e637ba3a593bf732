// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/workload/flops.h"
#include "model/workload/parameters.h"
#include "tests/oracle/adaptors.h"

namespace alidade::oracle {

namespace {

Json modelParameters(const Json& a) {
    const ParameterCount count = countParameters(architecture(a.at("model")));
    return {
        {"total", count.total},         {"active", count.active},       {"matmul_active", count.gemmActive},
        {"embedding", count.embedding}, {"head", count.head},           {"experts", count.experts},
        {"mtp_total", count.mtpTotal},  {"mtp_active", count.mtpActive}};
}

Json attentionBlock(const Json& a) {
    Architecture model;
    model.hiddenSize = whole(a, "h", 0);
    model.normHasBias = number(a, "norm", 1) == 2;
    readAttention(a.at("at"), model);
    const BlockParameters block = attentionParameters(model);
    return {{"matmul", block.gemm}, {"other", block.other}};
}

Json moeLayer(const Json& a) {
    Architecture model;
    model.hiddenSize = whole(a, "h", 0);
    model.moe = moeShape(a.at("mo"));
    model.ffnGated = number(a.at("mo"), "glu", 1) != 0;
    const MoeParameters moe = moeParameters(model);
    return {{"router", moe.router},           {"routed", moe.routed},
            {"shared", moe.shared},           {"other", moe.other},
            {"total", moe.total()},           {"active", moe.active()},
            {"active_matmul", moe.activeGemm}};
}

Json mambaBlock(const Json& a) {
    const Architecture model = architecture({{"h", a.at("h")}, {"mamba2", a}});
    const BlockParameters block = mamba2Parameters(model.hiddenSize, *model.mamba2);
    return {{"matmul", block.gemm}, {"other", block.other}, {"total", block.total()}};
}

Json forwardFlops(const Json& a) {
    Architecture model = architecture(a.at("model"));
    const auto average = number(a, "half", 1) != 0 ? AttentionAverage::half : AttentionAverage::exact;
    const int sequence = whole(a, "s", 0);
    if (word(a, "mask", "causal") != "sliding")
        model.slidingWindow = 0;
    const FlopsPerToken f =
        forwardFlopsPerToken(model, sequence, average, number(a, "absorbed", 0) != 0, whole(a, "mtp", 0));
    return {{"proj", f.projections}, {"core", f.core},     {"mlp", f.mlp},
            {"moe", f.moe},          {"logits", f.logits}, {"total", f.total()}};
}

RecomputeFlops recomputed(const Json& a) {
    return choose<RecomputeFlops>({{"none", RecomputeFlops::none},
                                   {"selective", RecomputeFlops::selective},
                                   {"full", RecomputeFlops::full}},
                                  word(a, "recompute", "none"));
}

Json trainFlops(const Json& a) {
    const auto convention = choose<FlopsConvention>(
        {{"causal", FlopsConvention::causal}, {"palm", FlopsConvention::palm}, {"6n", FlopsConvention::sixN}},
        word(a, "convention", "causal"));
    return trainFlopsPerToken(architecture(a.at("model")), number(a, "s"), convention, recomputed(a),
                              whole(a, "mtp", 0));
}

Json iterationFlops(const Json& a) {
    return megatronIterationFlops(number(a, "batch"), number(a, "s"), number(a, "L"), number(a, "h"),
                                  number(a, "V"), recomputed(a));
}

} // namespace

void addWorkload(Adaptors& table) {
    table["model_params"] = modelParameters;
    table["attn_params"] = attentionBlock;
    table["moe_params"] = moeLayer;
    table["mamba2_params"] = mambaBlock;
    table["flops_per_token"] = forwardFlops;
    table["train_flops_per_token"] = trainFlops;
    table["megatron_iteration_flops"] = iterationFlops;
}

} // namespace alidade::oracle
