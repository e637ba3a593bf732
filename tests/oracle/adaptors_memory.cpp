// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/memory/weights_and_kv.h"
#include "tests/oracle/adaptors.h"
#include "tests/oracle/reference/host_link.h"
#include "tests/oracle/serving_setup.h"
#include "tests/oracle/training_setup.h"

#include <algorithm>

namespace alidade::oracle {

using namespace reference;

namespace {

/// Bytes of training state per parameter.
struct StateRecipe {
    double parameters, gradients, optimizer;
};

/// Sets what the recipe of a case keeps per parameter, and what is sharded.
void setState(const Json& a, TrainingSetup& setup) {
    const auto recipe = choose<StateRecipe>({{"zero_mixed", {2, 2, 12}},
                                             {"megatron", {2, 4, 12}},
                                             {"fsdp_fp32", {0, 4, 12}},
                                             {"bf16_pure", {2, 2, 4}},
                                             {"deepseek_v3", {2, 4, 8}}},
                                            word(a, "recipe", ""));
    setup.plan.sharding = static_cast<Sharding>(whole(a, "stage", 0));
    setup.plan.masterIsParameter = recipe.parameters == 0;
    setup.in[Input::weightBytes] = recipe.parameters;
    setup.in[Input::gradientBytes] = recipe.gradients;
    setup.in[Input::optimizerBytes] = recipe.optimizer;
}

double stateOf(const TrainingSetup& setup, StageCost<double> held) {
    stateMemory(setup.context(), held);
    const auto of = [&held](MemoryKind kind) { return held.memory[static_cast<std::size_t>(kind)]; };
    return of(MemoryKind::weights) + of(MemoryKind::gradients) + of(MemoryKind::optimizer);
}

Json stateBytes(const Json& a) {
    TrainingSetup setup{Architecture{}};
    setState(a, setup);
    setup.in[Input::shardRanks] = number(a, "dp");
    StageCost<double> one;
    one.parameters = one.trainable = 1;
    return stateOf(setup, one);
}

TrainingSetup ofRank(const Json& a) {
    TrainingSetup setup(architecture(a.at("model")), whole(a, "tp", 1));
    setup.in[Input::expertParallel] = whole(a, "ep", 1);
    setup.in[Input::expertTensorParallel] = whole(a, "etp", 1);
    setup.dealLayers(whole(a, "pp", 1));
    return setup;
}

Json rankParameters(const Json& a) {
    const StageCost<double> r = heldByRank(ofRank(a), whole(a, "stage", 0));
    return {{"dense", r.parameters},
            {"expert", r.expertParameters},
            {"total", r.parameters + r.expertParameters}};
}

Json trainStateBytes(const Json& a) {
    TrainingSetup setup = ofRank(a);
    setState(a, setup);
    const int tp = whole(a, "tp", 1), pp = whole(a, "pp", 1);
    setup.in[Input::shardRanks] = number(a, "world") / (tp * pp);
    setup.in[Input::expertShardRanks] = number(a, "world") / (whole(a, "etp", 1) * whole(a, "ep", 1) * pp);
    return stateOf(setup, heldByRank(setup, whole(a, "pstage", 0)));
}

/// GPT with GELU, dropout and unfused attention. The masks of the two dropouts on the residual stream, a byte
/// per element each, are kept with the inputs of the norms.
Json korthikanti(const Json& a) {
    Architecture model;
    model.hiddenSize = whole(a, "h", 0);
    model.attentionHeads = model.kvHeads = whole(a, "a", 0);
    model.headDim = model.hiddenSize / model.attentionHeads;
    model.ffnIntermediateSize = 4 * model.hiddenSize;
    model.ffnGated = false;
    TrainingSetup setup(model, whole(a, "t", 1));
    setup.in[Input::sequenceLength] = number(a, "s");
    setup.in[Input::microBatch] = number(a, "b");
    setup.in[Input::normInputBytes] = 2 + 1;
    setup.in[Input::attentionScoreBytes] = 1; // scores pass through memory
    setup.plan.sequenceParallel = number(a, "sp", 0) != 0;
    setup.plan.recompute.core = word(a, "mode", "none") == "selective";
    setup.plan.recompute.full = word(a, "mode", "none") == "full";
    return layerActivationBytes(setup.context(), LayerKind{});
}

Json layerActivations(const Json& a) {
    TrainingSetup setup(architecture(a.at("model")), whole(a, "tp", 1), whole(a, "cp", 1));
    setup.in[Input::sequenceLength] = number(a, "tokens");
    setup.in[Input::activationBytes] = setup.in[Input::normInputBytes] = setup.in[Input::expertOutputBytes] =
        number(a, "byte", 2);
    setup.plan.recompute.full = word(a, "mode", "none") == "full";
    setup.plan.recompute.product = number(a, "recompute_swiglu", 0) != 0;
    const bool experts = number(a, "is_moe", 0) != 0;
    return layerActivationBytes(setup.context(),
                                setup.kindWith(experts ? FeedForward::moe : FeedForward::dense));
}

Json logits(const Json& a) {
    return logitsBytes(number(a, "tokens"), number(a, "V") / number(a, "tp", 1),
                       2 * number(a, "copies_bf16", 1) + 4 * number(a, "copies_fp32", 2));
}

Json weights(const Json& a) {
    return number(a, "params") *
           bytesPerWeight(choose<NumberFormat>({{"fp32", NumberFormat::fp32},
                                                {"bf16", NumberFormat::bf16},
                                                {"fp8", NumberFormat::fp8},
                                                {"fp8_block128", NumberFormat::fp8Block128},
                                                {"mxfp8", NumberFormat::mxfp8},
                                                {"nvfp4", NumberFormat::nvfp4},
                                                {"mxfp4", NumberFormat::mxfp4},
                                                {"int4_g128", NumberFormat::int4Group128}},
                                               word(a, "fmt", "")));
}

ServingSetup cacheOf(const Json& a) {
    const Architecture model = architecture(a.at("model"));
    ServingSetup setup;
    setup.plan.latentAttention = model.mla.has_value();
    if (model.mla) {
        setup.in[Input::mlaKvRank] = model.mla->kvLoraRank;
        setup.in[Input::mlaRopeDim] = model.mla->qkRopeHeadDim;
    }
    setup.in[Input::kvHeads] = model.kvHeads;
    setup.in[Input::headDim] = model.headDim;
    setup.in[Input::tensorParallel] = number(a, "tp", 1);
    const double scaled = number(a, "scale_block", 0);
    setup.in[Input::kvElementBytes] = number(a, "byte", 2) + (scaled > 0 ? 4 / scaled : 0);
    setup.in[Input::kvBlock] = number(a, "block", 16);
    const int local = whole(a, "n_local", 0);
    setup.addLayers(model.layers - local);
    if (local > 0)
        setup.addLayers(local, whole(a, "window", 0));
    return setup;
}

Json kvToken(const Json& a) { return sequenceKv(cacheOf(a).context()).bytesPerToken; }

Json kvSequence(const Json& a) {
    const ServingSetup setup = cacheOf(a);
    return engineLimits(setup.plan, setup.in, setup.memory()).memory.bytesAt(number(a, "ctx"));
}

Json kvCapacity(const Json& a) {
    ServingSetup setup;
    setup.in[Input::capacity] = setup.in[Input::deviceMemory] = number(a, "hbm_bytes");
    setup.in[Input::memoryUtilization] = number(a, "util");
    setup.plan.heaviest.split = number(a, "weights");
    setup.in[Input::denseWeightBytes] = 1;
    setup.in[Input::servingWorkspace] = number(a, "workspace");
    setup.in[Input::chunkTokens] = 0;                                // no activations beside it
    setup.in[Input::kvElementBytes] = number(a, "kv_token_gpu") / 2; // of one key and one value
    setup.addLayers(1);
    const ServingMemoryT<double> memory = setup.memory();
    return std::max(0.0, memory.kvCapacity) / memory.sequence.bytesPerToken;
}

Json c2c(const Json& a) {
    return c2cBandwidth(number(a, "link"), number(a, "eff"), number(a, "host_bw"), number(a, "host_eff"),
                        number(a, "sharers"));
}

} // namespace

void addMemory(Adaptors& table) {
    table["rank_params"] = rankParameters;
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
