// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/workload/layer_kinds.h"

#include <algorithm>
#include <charconv>

namespace alidade {

namespace {

/// Number in front of a word of a pattern, as in "5 sliding then 1 full"; 0 if there is none.
int countBefore(std::string_view text, std::string_view word) {
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos || at == 0)
        return 0;
    std::size_t from = at - 1;
    while (from > 0 && text[from - 1] >= '0' && text[from - 1] <= '9')
        --from;
    int out = 0;
    std::from_chars(text.data() + from, text.data() + at, out);
    return out;
}

bool slides(const Architecture& model, int layer) {
    const std::string_view pattern = model.slidingPattern;
    if (pattern.find("last layer full") != std::string_view::npos && layer == model.layers - 1)
        return false;
    if (const int sliding = countBefore(pattern, " sliding"), full = countBefore(pattern, " full");
        sliding > 0 && full > 0) {
        return layer % (sliding + full) < sliding;
    }
    if (pattern.starts_with("alternating"))
        return layer % 2 == 0;
    return true; // "all layers"
}

void addMixer(const Architecture& m, LayerKind& kind) {
    BlockParameters block;
    std::int64_t whole = 0; // of the GEMM weights, kept by every tensor-parallel rank
    switch (kind.mixer) {
    case Mixer::none:
        return;
    case Mixer::attention:
        block = attentionParameters(m);
        if (m.mla) { // Megatron-Core keeps the two down-projections whole
            whole =
                std::int64_t{m.hiddenSize} * (m.mla->qLoraRank + m.mla->kvLoraRank + m.mla->qkRopeHeadDim);
        }
        break;
    case Mixer::mamba2:
        block = mamba2Parameters(m.hiddenSize, *m.mamba2);
        break;
    case Mixer::gatedDeltaNet:
        block = gatedDeltaNetParameters(m.hiddenSize, *m.gatedDeltaNet);
        break;
    }
    kind.split += block.gemm - whole;
    kind.replicated += block.other + whole;
    kind.activeGemm += block.gemm;
}

void addFeedForward(const Architecture& m, LayerKind& kind) {
    if (kind.feedForward == FeedForward::dense) {
        const BlockParameters mlp = mlpParameters(m.hiddenSize, m.ffnIntermediateSize, m.ffnGated, m.biasMlp);
        kind.split += mlp.gemm;
        kind.replicated += mlp.other;
        kind.activeGemm += mlp.gemm;
    } else if (kind.feedForward == FeedForward::moe) {
        const MoeParameters moe = moeParameters(m);
        kind.split += moe.shared;
        kind.replicated += moe.router + moe.other;
        kind.experts += moe.routed;
        kind.activeGemm += moe.activeGemm;
    }
}

void nameKind(const Architecture& m, bool alone, LayerKind& kind) {
    std::string mixer, mixerTitle;
    switch (kind.mixer) {
    case Mixer::none:
        break;
    case Mixer::attention:
        mixer = kind.window == 0 ? "" : kind.chunked ? "chunked" : "sliding";
        mixerTitle = kind.window == 0 ? (m.mla ? "latent attention" : "attention")
                     : kind.chunked   ? "chunked attention"
                                      : "sliding attention";
        break;
    case Mixer::mamba2:
        mixer = "mamba2";
        mixerTitle = "Mamba-2";
        break;
    case Mixer::gatedDeltaNet:
        mixer = "delta";
        mixerTitle = "linear attention";
        break;
    }
    std::string feed, feedTitle;
    switch (kind.feedForward) {
    case FeedForward::none:
        feed = kind.mixer == Mixer::attention ? "attention" : "";
        break;
    case FeedForward::dense:
        feed = kind.mixer == Mixer::none ? "mlp" : alone && mixer.empty() ? "transformer" : "dense";
        feedTitle = "MLP";
        break;
    case FeedForward::moe:
        feed = kind.mixer == Mixer::none ? "experts" : "moe";
        feedTitle = "experts";
        break;
    }
    kind.word = mixer + (mixer.empty() || feed.empty() ? "" : "_") + feed;
    kind.title = mixerTitle + (mixerTitle.empty() || feedTitle.empty() ? "" : " and ") + feedTitle;
    if (alone && kind.word == "transformer") {
        kind.title = "Transformer layer";
    } else if (!kind.title.empty()) {
        kind.title[0] = static_cast<char>(kind.title[0] >= 'a' ? kind.title[0] - 'a' + 'A' : kind.title[0]);
        kind.title = "Layer: " + kind.title;
    }
}

} // namespace

int attentionWindow(const Architecture& model, int layer) {
    if (model.attentionChunk > 0) { // Llama 4: layers without rotary positions see everything
        const int interval = model.noRopeLayerInterval;
        return interval > 0 && (layer + 1) % interval == 0 ? 0 : model.attentionChunk;
    }
    return model.slidingWindow > 0 && slides(model, layer) ? model.slidingWindow : 0;
}

LayerKinds layerKinds(const Architecture& model, std::int64_t sequenceLength) {
    LayerKinds out;
    const std::vector<LayerComposition> layers = layerCompositions(model);
    out.ofLayer.reserve(layers.size());
    for (int i = 0; i < model.layers; ++i) {
        const LayerComposition& composition = layers[static_cast<std::size_t>(i)];
        int window = composition.mixer == Mixer::attention ? attentionWindow(model, i) : 0;
        window = window < sequenceLength ? window : 0;
        const bool chunked = window > 0 && model.attentionChunk > 0;
        const auto known = std::ranges::find_if(out.kinds, [&](const LayerKind& k) {
            return k.mixer == composition.mixer && k.feedForward == composition.feedForward &&
                   k.window == window && k.chunked == chunked;
        });
        out.ofLayer.push_back(static_cast<std::uint8_t>(known - out.kinds.begin()));
        if (known == out.kinds.end()) {
            out.kinds.push_back({.mixer = composition.mixer,
                                 .feedForward = composition.feedForward,
                                 .window = window,
                                 .chunked = chunked,
                                 .word = {},
                                 .title = {}});
        }
    }
    const auto count = [&](LayerKind& kind) {
        addMixer(model, kind);
        addFeedForward(model, kind);
        kind.replicated += layerNormParameters(model);
        kind.coreFlops = coreFlopsPerToken(model, kind, static_cast<double>(sequenceLength));
    };
    for (LayerKind& kind : out.kinds) {
        count(kind);
        nameKind(model, out.kinds.size() == 1, kind);
    }
    if (model.mtpLayers > 0 && !layers.empty()) {
        out.prediction.feedForward = layers.back().feedForward;
        count(out.prediction);
    }
    return out;
}

double coreFlopsPerToken(const Architecture& m, const LayerKind& kind, double sequenceLength) {
    switch (kind.mixer) {
    case Mixer::none:
        return 0;
    case Mixer::mamba2:
        return 7.0 * m.mamba2->heads * m.mamba2->headDim * m.mamba2->state;
    case Mixer::gatedDeltaNet: {
        const GatedDeltaNetShape& d = *m.gatedDeltaNet;
        const double keys = 1.0 * d.keyHeads * d.keyHeadDim, values = 1.0 * d.valueHeads * d.valueHeadDim;
        return 2 * (d.convKernel * (2 * keys + values) + 4 * values * d.valueHeadDim);
    }
    case Mixer::attention:
        break;
    }
    const double widths =
        m.mla ? m.mla->qkNopeHeadDim + m.mla->qkRopeHeadDim + m.mla->vHeadDim : 2.0 * m.headDim;
    return 2.0 * m.attentionHeads * widths * meanKeys(kind, sequenceLength);
}

double meanKeys(const LayerKind& kind, double s) {
    const double w = kind.window;
    if (w <= 0 || w >= s)
        return s / 2;
    return kind.chunked ? w / 2 : w - w * w / (2 * s);
}

} // namespace alidade
