// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/memory/weights_and_kv.h"
#include "model/workload/parameters.h"
#include "tests/oracle/adaptors.h"
#include "tests/oracle/reference/activations.h"
#include "tests/oracle/reference/memory.h"
#include "tests/oracle/reference/rank_parameters.h"
#include "tests/oracle/reference/state_bytes.h"

namespace alidade::oracle {

using namespace reference;

namespace {

/// Bytes of parameters, gradients and optimizer per parameter: the recipes that the cases name.
StateBytes<double> recipe(const Json& a) {
    return choose<StateBytes<double>>({{"zero_mixed", {2, 2, 12}},
                                       {"megatron", {2, 4, 12}},
                                       {"fsdp_fp32", {0, 4, 12}},
                                       {"bf16_pure", {2, 2, 4}},
                                       {"deepseek_v3", {2, 4, 8}}},
                                      word(a, "recipe", ""));
}

double statePerParameter(const Json& a, double shards) {
    return stateBytesPerParam(recipe(a), static_cast<ShardedState>(whole(a, "stage", 0)), shards).total();
}

Json stateBytes(const Json& a) { return statePerParameter(a, number(a, "dp")); }

Json trainStateBytes(const Json& a) {
    const int tp = whole(a, "tp", 1), pp = whole(a, "pp", 1), ep = whole(a, "ep", 1),
              etp = whole(a, "etp", 1);
    const int world = whole(a, "world", 1);
    const RankParameters r =
        rankParameters(architecture(a.at("model")), tp, pp, ep, etp, whole(a, "pstage", 0));
    return r.dense * statePerParameter(a, world / (tp * pp)) +
           r.expert * statePerParameter(a, world / (etp * ep * pp));
}

Json korthikanti(const Json& a) {
    return korthikantiActivationBytes(
        number(a, "s"), number(a, "b"), number(a, "h"), number(a, "a"), number(a, "t", 1),
        choose<KorthikantiRecompute>({{"none", KorthikantiRecompute::none},
                                      {"selective", KorthikantiRecompute::selective},
                                      {"full", KorthikantiRecompute::full}},
                                     word(a, "mode", "none")),
        number(a, "sp", 0) != 0);
}

ActivationShape<double> activationShape(const Architecture& m, bool isMoe, double elementBytes) {
    ActivationShape<double> shape{.hidden = double(m.hiddenSize),
                                  .queryHeads = double(m.attentionHeads),
                                  .qkvWidth = gqaQkvWidth<double>(m.attentionHeads, m.kvHeads, m.headDim),
                                  .outputWidth = double(m.attentionHeads) * m.headDim,
                                  .intermediate = isMoe ? 0 : double(m.ffnIntermediateSize),
                                  .elementBytes = elementBytes};
    if (m.mla) {
        shape.qkvWidth = mlaQkvWidth<double>(m.attentionHeads, m.mla->qLoraRank, m.mla->kvLoraRank,
                                             m.mla->qkNopeHeadDim, m.mla->qkRopeHeadDim, m.mla->vHeadDim);
        shape.outputWidth = double(m.attentionHeads) * m.mla->vHeadDim;
    }
    if (isMoe) {
        shape.experts = m.moe->routedExperts;
        shape.expertsPerToken = m.moe->expertsPerToken;
        shape.expertIntermediate = m.moe->expertIntermediateSize;
        shape.sharedIntermediate = m.moe->sharedExpertIntermediateSizeTotal;
    }
    return shape;
}

Json layerActivations(const Json& a) {
    const Architecture model = architecture(a.at("model"));
    const double elementBytes = number(a, "byte", 2);
    const double share = number(a, "tokens") / (number(a, "tp", 1) * number(a, "cp", 1));
    if (word(a, "mode", "none") == "full") {
        return checkpointBytes<double>(model.hiddenSize, elementBytes) * share;
    }
    auto bytes = activationBytes(activationShape(model, number(a, "is_moe", 0) != 0, elementBytes));
    if (number(a, "recompute_swiglu", 0) != 0) {
        bytes.gluProduct = 0;
    }
    return bytes.total() * share;
}

Json logits(const Json& a) {
    return logitsBytes(number(a, "tokens"), number(a, "V") / number(a, "tp", 1),
                       2 * number(a, "copies_bf16", 1) + 4 * number(a, "copies_fp32", 2));
}

Json weights(const Json& a) {
    return quantBytes(number(a, "params"), choose<NumberFormat>({{"fp32", NumberFormat::fp32},
                                                                 {"bf16", NumberFormat::bf16},
                                                                 {"fp8", NumberFormat::fp8},
                                                                 {"fp8_block128", NumberFormat::fp8Block128},
                                                                 {"mxfp8", NumberFormat::mxfp8},
                                                                 {"nvfp4", NumberFormat::nvfp4},
                                                                 {"mxfp4", NumberFormat::mxfp4},
                                                                 {"int4_g128", NumberFormat::int4Group128}},
                                                                word(a, "fmt", "")));
}

double kvElements(const Architecture& m, double tensorParallel) {
    return m.mla ? mlaKvElements<double>(m.mla->kvLoraRank, m.mla->qkRopeHeadDim)
                 : gqaKvElements<double>(m.kvHeads, m.headDim, tensorParallel);
}

Json kvToken(const Json& a) {
    const Architecture model = architecture(a.at("model"));
    return kvBytesPerToken<double>(model.layers, kvElements(model, 1), number(a, "byte", 2),
                                   number(a, "scale_block", 0));
}

Json kvSequence(const Json& a) {
    const Architecture model = architecture(a.at("model"));
    return kvSequenceBytes(model.layers, kvElements(model, number(a, "tp", 1)), number(a, "byte", 2),
                           number(a, "ctx"), number(a, "block", 16), number(a, "n_local", 0),
                           number(a, "window", 0));
}

Json kvCapacity(const Json& a) {
    return kvCapacityTokens(number(a, "hbm_bytes"), number(a, "util"), number(a, "weights"),
                            number(a, "workspace"), number(a, "kv_token_gpu"));
}

Json c2c(const Json& a) {
    return c2cBandwidth(number(a, "link"), number(a, "eff"), number(a, "host_bw"), number(a, "host_eff"),
                        number(a, "sharers"));
}

} // namespace

void addMemory(Adaptors& table) {
    table["state_bytes_per_param"] = stateBytes;
    table["train_state_bytes"] = trainStateBytes;
    table["act_korthikanti"] = korthikanti;
    table["act_layer_bytes"] = layerActivations;
    table["logits_bytes"] = logits;
    table["quant_bytes"] = weights;
    table["kv_bytes_per_token"] = kvToken;
    table["kv_sequence_bytes"] = kvSequence;
    table["kv_capacity_tokens"] = kvCapacity;
    table["c2c_bandwidth"] = c2c;
}

} // namespace alidade::oracle
