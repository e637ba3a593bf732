// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explain/normal.h"
#include "model/kernels/attention.h"
#include "model/kernels/elementwise.h"
#include "model/kernels/gemm.h"
#include "model/kernels/grouped_gemm.h"
#include "tests/oracle/adaptors.h"
#include "tests/oracle/reference/bottleneck.h"
#include "tests/oracle/reference/kernels.h"

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

Json touched(const Json& a) { return expertsTouched(number(a, "E"), number(a, "k"), number(a, "tokens")); }

Json groupedGemm(const Json& a) {
    return groupedGemmTime<double>({.tokens = number(a, "tokens"),
                                    .hidden = number(a, "h"),
                                    .intermediate = number(a, "f"),
                                    .experts = number(a, "E"),
                                    .expertsPerToken = number(a, "k")},
                                   {.peak = number(a, "peak"),
                                    .bandwidth = number(a, "hbm"),
                                    .computeEfficiency = number(a, "eta_c"),
                                    .memoryEfficiency = number(a, "eta_m"),
                                    .launch = number(a, "t0"),
                                    .padRows = number(a, "pad"),
                                    .weightBytes = number(a, "wb", 2)})
        .total;
}

Json elementwise(const Json& a) {
    const double tp = number(a, "tp", 1);
    return elementwiseBytes<double>({.hidden = number(a, "h"),
                                     .queryHeads = number(a, "a"),
                                     .kvHeads = number(a, "g"),
                                     .headSize = number(a, "d"),
                                     .intermediate = number(a, "f"),
                                     .tensorParallel = tp,
                                     .sequenceParallel = tp})
        .total();
}

Json bottleneck(const Json& a) {
    BoundSeconds seconds{};
    for (std::size_t i = 0; i < allBounds.size(); ++i) {
        seconds[i] = number(a.at("times"), std::string(boundName(allBounds[i])).c_str(), 0);
    }
    const Bottleneck found = bottleneckOf(seconds);
    return {{"label", boundName(found.bound)}, {"share", found.share}};
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
    table["grouped_gemm_time"] = groupedGemm;
    table["elementwise_bytes"] = elementwise;
    table["bottleneck"] = bottleneck;
    table["optimizer_time"] = optimizer;
    table["expected_max_normal"] = maximum;
}

} // namespace alidade::oracle
