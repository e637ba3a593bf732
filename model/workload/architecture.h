// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/hardware/provenance.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// Multi-head latent attention (DeepSeek-V2); sizes in elements. qLoraRank 0: the query is not compressed.
struct MlaShape {
    int qLoraRank = 0, kvLoraRank = 0, qkNopeHeadDim = 0, qkRopeHeadDim = 0, vHeadDim = 0;
};

/// DeepSeek's sparse attention indexer.
struct SparseIndexer {
    int heads = 0, headDim = 0, topk = 0;
};

/// Mixture of experts of a layer.
struct MoeShape {
    int routedExperts = 0;
    int expertsPerToken = 0;
    int sharedExperts = 0;
    int expertIntermediateSize = 0;
    int sharedExpertIntermediateSizeTotal = 0; ///< summed over the shared experts
    int denseFirstLayers = 0;
    int layerStep = 1;  ///< 1: each layer is MoE; 2: every second one (layers 2, 4, ... counted from 1)
    int latentSize = 0; ///< experts work on a projection of this width; 0: on the hidden size
    bool routerBias = false, expertBias = false, sharedExpertGate = false;
    std::string routerScore;
};

/// Mamba-2 mixer; inner width = heads x headDim.
struct Mamba2Shape {
    int heads = 0, headDim = 0, groups = 1, state = 0, convKernel = 4;
};

/// Gated DeltaNet linear attention.
struct GatedDeltaNetShape {
    int keyHeads = 0, keyHeadDim = 0, valueHeads = 0, valueHeadDim = 0, convKernel = 4;
};

enum class Normalization : std::uint8_t { rmsNorm, layerNorm };
enum class QkNorm : std::uint8_t { none, perHead, full };

/// The architecture of a decoder, in the words of Hugging Face configurations. Holds no computed totals.
struct Architecture {
    std::string id, name, organization, family;
    int layers = 0;
    int hiddenSize = 0;
    int attentionHeads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int ffnIntermediateSize = 0; ///< of a dense layer's MLP (one of gate/up); 0: there is none
    bool ffnGated = true;
    std::string ffnActivation;
    int vocabSize = 0;
    bool tieEmbeddings = false;
    Normalization norm = Normalization::rmsNorm;
    bool normHasBias = false;
    int normsPerLayer = 2;
    bool embeddingNorm = false;
    QkNorm qkNorm = QkNorm::none;
    bool biasQkv = false, biasO = false, biasMlp = false;
    bool attentionSinks = false;
    bool attentionOutputGate = false;
    bool parallelAttentionFfn = false;
    int learnedPositions = 0; ///< learned position embeddings; 0: rotary or none
    std::optional<double> ropeTheta;
    std::optional<double> partialRotaryFactor; ///< share of a head's width that is rotated; absent: all
    int maxContextTokens = 0;
    int slidingWindow = 0;      ///< tokens; 0: full attention everywhere
    std::string slidingPattern; ///< in words; empty without a window
    int attentionChunk = 0;     ///< chunked attention; 0: none
    int noRopeLayerInterval = 0;
    int fullAttentionInterval = 0; ///< hybrids: every n-th layer has full attention
    std::string hybridPattern; ///< one letter a layer: M Mamba-2, - MLP, * attention, E mixture of experts
    int mtpLayers = 0;         ///< multi-token-prediction modules
    std::string nativeWeightFormat;
    /// What NVIDIA's NVFP4 checkpoint keeps in 8 or 16 bits besides embedding, output layer and router:
    /// "attention", "attention_inputs" (all of it but the output projection), "mlp" (dense and shared).
    std::vector<std::string> nvfp4Kept;
    std::vector<std::string> notModeled; ///< parts that the fields above represent only nearly, in words
    std::optional<MlaShape> mla;
    std::optional<MoeShape> moe;
    std::optional<SparseIndexer> sparseIndexer;
    std::optional<Mamba2Shape> mamba2;
    std::optional<GatedDeltaNetShape> gatedDeltaNet;
    std::optional<double> publishedTotalBillion; ///< as the publisher rounds it
    std::optional<double> publishedActiveBillion;
    std::optional<bool>
        publishedIncludesVision; ///< the published total counts a vision encoder that is not modeled
    Provenance provenance;
};

} // namespace alidade
