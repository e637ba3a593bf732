// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/assemble_parts.h"
#include "model/explain/normal.h"
#include "model/kernels/attention.h"
#include "model/kernels/elementwise.h"
#include "model/kernels/gemm.h"
#include "model/kernels/grouped_gemm.h"
#include "tests/oracle/adaptors.h"
#include "tests/oracle/reference/kernels.h"
#include "tests/oracle/training_setup.h"

#include <numeric>

namespace alidade::oracle {

using namespace reference;

namespace {

Json pairs(const Json& a) {
    const auto mask = choose<AttentionMask>({{"causal", AttentionMask::causal},
                                             {"full", AttentionMask::full},
                                             {"sliding", AttentionMask::sliding},
                                             {"chunked", AttentionMask::chunked}},
                                            word(a, "mask", "causal"));
    return attentionPairs(whole(a, "s", 0), mask, whole(a, "window", 0), whole(a, "cached", 0));
}

Json gemm(const Json& a) {
    return gemmTime<double>({.m = number(a, "m"), .n = number(a, "n"), .k = number(a, "k")},
                            {.peak = number(a, "peak"),
                             .bandwidth = number(a, "hbm"),
                             .computeEfficiency = number(a, "eta_c"),
                             .memoryEfficiency = number(a, "eta_m"),
                             .launch = number(a, "t0"),
                             .extraK = number(a, "k0", 0),
                             .quantPasses = number(a, "kq", 0),
                             .activationBytes = number(a, "wa", 2),
                             .weightBytes = number(a, "wb", 2)})
        .total;
}

Json tileWave(const Json& a) {
    return tileWaveEfficiency(number(a, "m"), number(a, "n"), number(a, "bm"), number(a, "bn"),
                              number(a, "sms"));
}

Json attention(const Json& a) {
    return attentionTime(causalAttention(number(a, "batch"), number(a, "s"), number(a, "a"), number(a, "g"),
                                         number(a, "d"), number(a, "cached", 0)),
                         AttentionRates<double>{.peak = number(a, "peak"),
                                                .bandwidth = number(a, "hbm"),
                                                .computeEfficiency = number(a, "eta_c"),
                                                .memoryEfficiency = number(a, "eta_m"),
                                                .launch = number(a, "t0"),
                                                .rampTokens = number(a, "s0")},
                         number(a, "backward", 0) != 0 ? AttentionPass::backward : AttentionPass::forward)
        .total;
}

Json decodeAttention(const Json& a) {
    return decodeAttentionTime(number(a, "batch"), number(a, "ctx"), number(a, "kv_bytes_token_layer"),
                               number(a, "hbm"), number(a, "eta_m"), number(a, "t0"))
        .total;
}

/// Under uniform routing, as in the reference.
double touchedExperts(const Json& a) {
    return expertsTouched(number(a, "E"), number(a, "k"), number(a, "tokens"), 0.0);
}

Json touched(const Json& a) { return touchedExperts(a); }

/// The two grouped GEMMs of a gated expert; the launch time of a case is that of both.
Json groupedGemmTime(const Json& a) {
    TrainingSetup setup{Architecture{}};
    setup.in[Input::peak] = number(a, "peak");
    setup.in[Input::memoryBandwidth] = number(a, "hbm");
    setup.in[Input::gemmComputeEfficiency] = number(a, "eta_c");
    setup.in[Input::gemmMemoryEfficiency] = number(a, "eta_m");
    setup.in[Input::gemmLaunch] = number(a, "t0") / 2;
    setup.in[Input::expertGemmEfficiency] = 1;
    setup.in[Input::expertPadTokens] = number(a, "pad");
    LayerContext<double> c = setup.context();
    c.expertGemm.weightBytes = number(a, "wb", 2);
    ExpertRows<double> load;
    load.rows = number(a, "tokens") * number(a, "k");
    load.experts = touchedExperts(a);
    load.rowsPerExpert = load.rows / load.experts;
    const double h = number(a, "h"), f = number(a, "f");
    return groupedGemm(c, load, 2 * f, h, false).total + groupedGemm(c, load, h, f, false).total;
}

/// HBM bytes per token of a layer's forward pass besides its GEMMs and core attention.
Json elementwise(const Json& a) {
    Architecture model;
    model.hiddenSize = whole(a, "h", 0);
    model.attentionHeads = whole(a, "a", 0);
    model.kvHeads = whole(a, "g", 0);
    model.headDim = whole(a, "d", 0);
    model.ffnIntermediateSize = whole(a, "f", 0);
    TrainingSetup setup(model, whole(a, "tp", 1));
    setup.in[Input::sequenceLength] = 1;
    LayerCost<double> layer;
    decoderLayer(setup.context(), LayerKind{}, layer);
    double bytes = 0;
    for (const OpCost<double>& op : layer.ops)
        bytes += op.phase == Phase::forward && op.flops == 0 ? op.bytes : 0;
    return bytes;
}

Json bottleneck(const Json& a) {
    BoundTimes<double> times;
    for (const Bound bound : allBounds)
        times[bound] = number(a.at("times"), std::string(boundName(bound)).c_str(), 0);
    const Bound found = largestShare(times);
    return {{"label", boundName(found)},
            {"share", times[found] / std::accumulate(times.seconds.begin(), times.seconds.end(), 0.0)}};
}

Json optimizer(const Json& a) {
    return optimizerTime(number(a, "local_params"), number(a, "hbm"), number(a, "eta"),
                         number(a, "bytes_per_param", 30));
}

Json maximum(const Json& a) { return expectedMaxNormal(number(a, "mu"), number(a, "sigma"), number(a, "n")); }

} // namespace

void addKernels(Adaptors& table) {
    table["attention_pairs"] = pairs;
    table["gemm_time"] = gemm;
    table["tile_wave_efficiency"] = tileWave;
    table["attention_time"] = attention;
    table["decode_attention_time"] = decodeAttention;
    table["experts_touched"] = touched;
    table["grouped_gemm_time"] = groupedGemmTime;
    table["elementwise_bytes"] = elementwise;
    table["bottleneck"] = bottleneck;
    table["optimizer_time"] = optimizer;
    table["expected_max_normal"] = maximum;
}

} // namespace alidade::oracle
