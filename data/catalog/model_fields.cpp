// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/field.h"

namespace alidade::data {
namespace {

constexpr FieldUnit noUnit;
constexpr FieldUnit tokens{"tokens"};
constexpr FieldUnit billions{"billion parameters"};
constexpr double widest = 16'777'216; ///< limit of tensor sizes: far above any model, far below overflow

const std::vector<std::string>& normWords() {
    static const std::vector<std::string> words = {"rmsnorm", "layernorm"};
    return words;
}

const std::vector<std::string>& qkNormWords() {
    static const std::vector<std::string> words = {"none", "per_head", "full"};
    return words;
}

} // namespace

template <>
const std::vector<Field<Architecture>>& fieldsOf<Architecture>() {
    using A = Architecture;
    static const std::vector<Field<A>> fields = {
        {"name", "Name", &A::name},
        {"organization", "Organization", &A::organization},
        {"family", "Family", &A::family},
        {"layers", "Layers", &A::layers, noUnit, 1, 10000, true},
        {"hidden_size", "Hidden size", &A::hiddenSize, noUnit, 1, widest, true},
        {"attention_heads", "Attention heads", &A::attentionHeads, noUnit, 1, 65536, true},
        {"kv_heads", "KV heads", &A::kvHeads, noUnit, 1, 65536, true},
        {"head_dim", "Head dimension", &A::headDim, noUnit, 1, 65536, true},
        {"ffn_intermediate_size", "MLP intermediate size", &A::ffnIntermediateSize, noUnit, 0, widest},
        {"ffn_gated", "Gated MLP", &A::ffnGated},
        {"ffn_activation", "Activation", &A::ffnActivation},
        {"vocab_size", "Vocabulary", &A::vocabSize, noUnit, 1, widest, true},
        {"tie_embeddings", "Tied embeddings", &A::tieEmbeddings},
        {"norm", "Norm",
         Choice<A>{normWords(), [](const A& a) { return static_cast<std::size_t>(a.norm); },
                   [](A& a, std::size_t i) { a.norm = static_cast<Normalization>(i); }}},
        {"norm_has_bias", "Norm with bias", &A::normHasBias},
        {"norms_per_layer", "Norms per layer", &A::normsPerLayer, noUnit, 0, 16},
        {"embedding_norm", "Embedding norm", &A::embeddingNorm},
        {"qk_norm", "QK norm",
         Choice<A>{qkNormWords(), [](const A& a) { return static_cast<std::size_t>(a.qkNorm); },
                   [](A& a, std::size_t i) { a.qkNorm = static_cast<QkNorm>(i); }}},
        {"attention_sinks", "Attention sinks", &A::attentionSinks},
        {"attention_output_gate", "Attention output gate", &A::attentionOutputGate},
        {"parallel_attention_ffn", "Attention and MLP in parallel", &A::parallelAttentionFfn},
        {"learned_positions", "Learned positions", &A::learnedPositions, noUnit, 0, widest},
        {"rope_theta", "RoPE theta", &A::ropeTheta, noUnit, 1, 1e12},
        {"partial_rotary_factor", "Partial rotary factor", &A::partialRotaryFactor, noUnit, 0, 1},
        {"max_context_tokens", "Context", &A::maxContextTokens, tokens, 1, 1e9},
        {"attention_chunk_size_tokens", "Attention chunk", &A::attentionChunk, tokens, 0, 1e9},
        {"no_rope_layer_interval", "Layers without RoPE, interval", &A::noRopeLayerInterval, noUnit, 0,
         10000},
        {"full_attention_interval", "Full attention interval", &A::fullAttentionInterval, noUnit, 0, 10000},
        {"hybrid_pattern", "Layer pattern", &A::hybridPattern},
        {"mtp_layers", "MTP modules", &A::mtpLayers, noUnit, 0, 64},
        {"native_weight_format", "Weights", &A::nativeWeightFormat},
        {"nvfp4_kept", "Kept by NVFP4", &A::nvfp4Kept},
        {"not_modelled", "Not modeled", &A::notModeled},
        {"published_total_parameters_billion", "Parameters, published", &A::publishedTotalBillion, billions,
         0.001, 1e6},
        {"published_active_parameters_billion", "Active parameters, published", &A::publishedActiveBillion,
         billions, 0.001, 1e6},
        {"published_total_includes_vision_encoder", "Published total with vision encoder",
         &A::publishedIncludesVision},
    };
    return fields;
}

const std::vector<Group<Architecture>>& architectureGroups() {
    using A = Architecture;
    static const std::vector<Field<A>> bias = {
        {"qkv", "QKV bias", &A::biasQkv},
        {"o", "Output bias", &A::biasO},
        {"mlp", "MLP bias", &A::biasMlp},
    };
    static const std::vector<Field<A>> window = {
        {"window_tokens", "Sliding window", &A::slidingWindow, tokens, 1, 1e9},
        {"pattern", "Sliding pattern", &A::slidingPattern},
    };
    static const std::vector<Group<A>> groups = {{"bias", bias}, {"sliding_window", window}};
    return groups;
}

template <>
const std::vector<Field<MlaShape>>& fieldsOf<MlaShape>() {
    using M = MlaShape;
    static const std::vector<Field<M>> fields = {
        {"q_lora_rank", "MLA query rank", &M::qLoraRank, noUnit, 0, widest},
        {"kv_lora_rank", "MLA KV rank", &M::kvLoraRank, noUnit, 1, widest, true},
        {"qk_nope_head_dim", "MLA head dimension without RoPE", &M::qkNopeHeadDim, noUnit, 1, 65536, true},
        {"qk_rope_head_dim", "MLA head dimension with RoPE", &M::qkRopeHeadDim, noUnit, 1, 65536, true},
        {"v_head_dim", "MLA value dimension", &M::vHeadDim, noUnit, 1, 65536, true},
    };
    return fields;
}

template <>
const std::vector<Field<MoeShape>>& fieldsOf<MoeShape>() {
    using M = MoeShape;
    static const std::vector<Field<M>> fields = {
        {"routed_experts", "Routed experts", &M::routedExperts, noUnit, 1, 65536, true},
        {"experts_per_token", "Experts per token", &M::expertsPerToken, noUnit, 1, 65536, true},
        {"shared_experts", "Shared experts", &M::sharedExperts, noUnit, 0, 65536},
        {"expert_intermediate_size", "Expert intermediate size", &M::expertIntermediateSize, noUnit, 1,
         widest, true},
        {"shared_expert_intermediate_size_total", "Shared expert intermediate size",
         &M::sharedExpertIntermediateSizeTotal, noUnit, 0, widest},
        {"dense_first_layers", "Dense first layers", &M::denseFirstLayers, noUnit, 0, 10000},
        {"moe_layer_step", "MoE layer step", &M::layerStep, noUnit, 1, 10000},
        {"latent_size", "Latent size", &M::latentSize, noUnit, 0, widest},
        {"router_score", "Router score", &M::routerScore},
        {"router_bias", "Router bias", &M::routerBias},
        {"expert_bias", "Expert bias", &M::expertBias},
        {"shared_expert_gate", "Shared expert gate", &M::sharedExpertGate},
    };
    return fields;
}

template <>
const std::vector<Field<SparseIndexer>>& fieldsOf<SparseIndexer>() {
    using S = SparseIndexer;
    static const std::vector<Field<S>> fields = {
        {"heads", "Indexer heads", &S::heads, noUnit, 1, 65536, true},
        {"head_dim", "Indexer head dimension", &S::headDim, noUnit, 1, 65536, true},
        {"top_k_tokens", "Indexer top k", &S::topk, tokens, 1, 1e9, true},
    };
    return fields;
}

template <>
const std::vector<Field<Mamba2Shape>>& fieldsOf<Mamba2Shape>() {
    using M = Mamba2Shape;
    static const std::vector<Field<M>> fields = {
        {"heads", "Mamba heads", &M::heads, noUnit, 1, 65536, true},
        {"head_dim", "Mamba head dimension", &M::headDim, noUnit, 1, 65536, true},
        {"groups", "Mamba groups", &M::groups, noUnit, 1, 65536},
        {"state_size", "Mamba state size", &M::state, noUnit, 1, 65536, true},
        {"conv_kernel", "Mamba convolution kernel", &M::convKernel, noUnit, 1, 1024},
    };
    return fields;
}

template <>
const std::vector<Field<GatedDeltaNetShape>>& fieldsOf<GatedDeltaNetShape>() {
    using G = GatedDeltaNetShape;
    static const std::vector<Field<G>> fields = {
        {"key_heads", "DeltaNet key heads", &G::keyHeads, noUnit, 1, 65536, true},
        {"key_head_dim", "DeltaNet key dimension", &G::keyHeadDim, noUnit, 1, 65536, true},
        {"value_heads", "DeltaNet value heads", &G::valueHeads, noUnit, 1, 65536, true},
        {"value_head_dim", "DeltaNet value dimension", &G::valueHeadDim, noUnit, 1, 65536, true},
        {"conv_kernel", "DeltaNet convolution kernel", &G::convKernel, noUnit, 1, 1024},
    };
    return fields;
}

template <>
const std::vector<Field<Framework>>& fieldsOf<Framework>() {
    using F = Framework;
    static const std::vector<Field<F>> fields = {
        {"name", "Name", &F::name, noUnit, 0, 0, true},
        {"version", "Version", &F::version, noUnit, 0, 0, true},
        {"stack", "Stack", &F::stack, noUnit, 0, 0, true},
        {"software", "Also known as", &F::software},
        {"native_weights", "Weights that require native support", &F::nativeWeights},
        {"memory_share", "Memory utilization applies to", &F::memoryShare},
        {"cache_of_request", "KV cache of a request", &F::cacheOfRequest},
        {"ignores_windows", "Ignores sliding windows", &F::ignoresWindows},
        {"decodes_by_query_head", "Decode reads the cache per query head", &F::decodesByQueryHead},
        {"reduces_in_switch", "All-reduce in NVSwitch", &F::reducesInSwitch},
        {"fused_reductions", "Model families with fused all-reduces", &F::fusedReductions},
        {"shared_expert_adapters", "LoRA adapter shared by experts", &F::sharedExpertAdapters},
    };
    return fields;
}

} // namespace alidade::data
