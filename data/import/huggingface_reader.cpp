// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/huggingface_reader.h"

#include "data/json/json.h"

namespace alidade::data {
namespace {

constexpr int largest = 16'777'216;

/// Reads one configuration into an architecture.
class Importer {
public:
    Importer(ObjectReader& in, const Family& family)
        : in_(in)
        , family_(family) {}

    Architecture read() {
        refuseOtherParts();
        if (isShape(Shape::nemotronH))
            readBlocks();
        readSizes();
        readHeads();
        readBiases();
        readPositions();
        readWindow();
        readExperts();
        readShape();
        readSparseIndexer();
        readFormat();
        return std::move(out_);
    }

private:
    using Shape = Family::Shape;
    using Experts = Family::Experts;
    using Window = Family::Window;

    int size(std::string_view key, int absent, int low = 1) {
        return in_.integer(key, low, largest).value_or(absent);
    }
    bool flag(std::string_view key, bool absent) { return in_.boolean(key).value_or(absent); }
    /// The same size under its newer or older name.
    int eitherSize(std::string_view key, std::string_view older, int absent, int low = 1) {
        return size(key, size(older, absent, low), low);
    }
    bool isShape(Shape shape) const { return family_.shape == shape; }

    void refuseOtherParts() {
        for (const char* key : {"vision_config", "text_config", "audio_config"})
            if (in_.value(key) != nullptr)
                in_.fault(key, "a multimodal model; use the configuration of its language model");
    }

    /// The order of Nemotron's layers: one letter each, or in newer configurations one word each.
    void readBlocks() {
        out_.hybridPattern = in_.text("hybrid_override_pattern").value_or("");
        const std::vector<std::string> words = in_.texts("layers_block_type");
        for (std::size_t i = 0; i < words.size() && out_.hybridPattern.size() < words.size(); ++i) {
            const std::string& word = words[i];
            const char letter = word == "mamba" ? 'M' : word == "attention" ? '*' : word == "moe" ? 'E' : '-';
            if (letter == '-' && word != "mlp")
                in_.fault("layers_block_type",
                          "'" + word + "' is not supported; use mamba, attention, mlp or moe");
            out_.hybridPattern += letter;
        }
        if (out_.hybridPattern.empty())
            in_.fault("hybrid_override_pattern",
                      "missing; one letter or word (layers_block_type) for each layer");
    }

    void readSizes() {
        const bool gemma = isShape(Shape::gemma), falcon = isShape(Shape::falcon);
        out_.family = family_.title;
        if (gemma) // its configurations leave out what equals the defaults of the class
            in_.require({"num_hidden_layers", "hidden_size"});
        else if (isShape(Shape::mamba2))
            in_.require({"num_hidden_layers", "hidden_size", "num_heads", "head_dim", "vocab_size"});
        else if (falcon || isShape(Shape::nemotronH))
            in_.require({"hidden_size", "vocab_size"});
        else
            in_.require({"num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size"});
        out_.layers = eitherSize("num_hidden_layers", "n_layer", static_cast<int>(out_.hybridPattern.size()));
        out_.hiddenSize = size("hidden_size", 0);
        out_.attentionHeads = isShape(Shape::mamba2)
                                  ? size("num_heads", 0)
                                  : eitherSize("num_attention_heads", "n_head", gemma ? 8 : 0);
        out_.vocabSize = size("vocab_size", gemma ? 262'208 : 0);
        if ((falcon || isShape(Shape::nemotronH)) && (out_.layers == 0 || out_.attentionHeads == 0))
            in_.require({"num_hidden_layers", "num_attention_heads"});
        out_.tieEmbeddings = flag("tie_word_embeddings", family_.tied);
        out_.normsPerLayer = family_.norms;
        readActivation();
    }

    void readActivation() {
        const bool plain = isShape(Shape::falcon) || isShape(Shape::nemotronH);
        const std::string usual = isShape(Shape::falcon)      ? "gelu"
                                  : isShape(Shape::nemotronH) ? "relu2"
                                  : isShape(Shape::gemma)     ? "gelu_pytorch_tanh"
                                                              : "silu";
        const auto written = in_.text("hidden_activation");
        const std::string key = isShape(Shape::nemotronH) ? "mlp_hidden_act" : "hidden_act";
        const std::string activation = written.value_or(in_.text(key).value_or(usual));
        out_.ffnGated = !plain;
        if (plain)
            out_.ffnActivation = activation;
        else if (activation == "silu" || activation == "swish")
            out_.ffnActivation = "swiglu";
        else if (activation.starts_with("gelu"))
            out_.ffnActivation = "geglu";
        else
            in_.fault(key, "'" + activation + "' is not supported; use silu or gelu");
    }

    void readHeads() {
        const bool multiHeadByDefault = family_.kvHeads == 0 || in_.isNull("num_key_value_heads");
        out_.kvHeads =
            size("num_key_value_heads", multiHeadByDefault ? out_.attentionHeads : family_.kvHeads);
        const bool divided = family_.headDim == 0 || in_.isNull("head_dim");
        const int share = out_.attentionHeads > 0 ? out_.hiddenSize / out_.attentionHeads : 0;
        const int absent = divided ? share : family_.headDim;
        out_.headDim = eitherSize("head_dim", "attention_head_dim", absent);
        out_.qkNorm = family_.qkNorm;
        if (family_.experts == Experts::deepseek2 || family_.experts == Experts::deepseek3)
            readLatentAttention();
    }

    /// All heads derive their keys and values from one compressed vector; DeepSeek counts as many KV heads as
    /// heads.
    void readLatentAttention() {
        MlaShape mla;
        mla.qLoraRank = in_.isNull("q_lora_rank") ? 0 : size("q_lora_rank", 1536);
        mla.kvLoraRank = size("kv_lora_rank", 512);
        mla.qkNopeHeadDim = size("qk_nope_head_dim", 128);
        mla.qkRopeHeadDim = size("qk_rope_head_dim", 64);
        mla.vHeadDim = size("v_head_dim", 128);
        out_.headDim = mla.qkNopeHeadDim + mla.qkRopeHeadDim;
        out_.mla = mla;
    }

    /// DeepSeek's sparse attention: a small indexer chooses the tokens that a query reads.
    void readSparseIndexer() {
        if (!out_.mla || in_.value("index_topk") == nullptr)
            return;
        out_.sparseIndexer = SparseIndexer{.heads = size("index_n_heads", 64),
                                           .headDim = size("index_head_dim", 128),
                                           .topk = size("index_topk", 2048)};
        int shared = 0;
        for (const std::string& type : in_.texts("indexer_types"))
            shared += type == "shared" ? 1 : 0;
        if (shared > 0)
            out_.notModeled.push_back(std::to_string(shared) + " of " + std::to_string(out_.layers) +
                                      " layers reuse another layer's choice of tokens; here each has its "
                                      "own indexer");
    }

    void readBiases() {
        switch (family_.bias) {
        case Family::Bias::never:
            return;
        case Family::Bias::fromConfig:
            out_.biasQkv = flag("attention_bias", false);
            out_.biasO = out_.biasQkv && !isShape(Shape::glm4);
            out_.biasMlp = flag("mlp_bias", false);
            break;
        case Family::Bias::qkvAlways:
            out_.biasQkv = flag("qkv_bias", true);
            break;
        case Family::Bias::onUnlessSaid:
            out_.biasQkv = out_.biasO = flag("attention_bias", true);
            out_.biasMlp = true;
            out_.attentionSinks = true;
            break;
        }
    }

    void readPositions() {
        double theta = family_.ropeTheta;
        std::optional<double> rotated = in_.number("partial_rotary_factor", {0, 1, {}});
        if (std::optional<ObjectReader> rope = in_.object("rope_parameters")) { // location in newer versions
            if (std::optional<ObjectReader> full = rope->object("full_attention"))
                rope = std::move(full);
            theta = rope->number("rope_theta", {1, 1e12}).value_or(theta);
            rotated = rotated ? rotated : rope->number("partial_rotary_factor", {0, 1, {}});
        }
        const std::optional<double> written = in_.number("rope_theta", {1, 1e12});
        const bool none = isShape(Shape::mamba2) || (isShape(Shape::nemotronH) && !written);
        if (!none)
            out_.ropeTheta = written.value_or(theta);
        if (rotated && *rotated > 0 && *rotated < 1)
            out_.partialRotaryFactor = rotated;
        out_.maxContextTokens =
            in_.integer("max_position_embeddings", 1, 1'000'000'000).value_or(family_.positions);
    }

    void readWindow() {
        if (family_.window == Window::none || in_.isNull("sliding_window"))
            return;
        const int tokens = in_.integer("sliding_window", 1, 1'000'000'000).value_or(family_.windowTokens);
        if (family_.window == Window::whenUsed && !flag("use_sliding_window", false))
            return;
        out_.slidingWindow = tokens;
        if (tokens == 0)
            return;
        out_.slidingPattern = "all layers";
        if (family_.window == Window::alternating)
            out_.slidingPattern =
                alternates() ? "alternating: sliding, full" : "as layer_types of the configuration";
        if (family_.window == Window::pattern)
            readWindowPattern();
        const int full = family_.window == Window::whenUsed ? size("max_window_layers", 28, 0) : 0;
        if (full >= out_.layers)
            out_.slidingWindow = 0;
        else if (full > 0)
            out_.slidingPattern = std::to_string(full) + " full, then all sliding";
        if (out_.slidingWindow == 0)
            out_.slidingPattern.clear();
    }

    /// Returns whether "layer_types" is absent or equals the default of the family.
    bool alternates() {
        const std::vector<std::string> types = in_.texts("layer_types");
        for (std::size_t i = 0; i < types.size(); ++i)
            if (types[i] != (i % 2 == 0 ? "sliding_attention" : "full_attention"))
                return false;
        return true;
    }

    /// Some layers with a window, then one without, over and over.
    void readWindowPattern() {
        int period = isShape(Shape::gemma) ? 6 : 4;
        period = eitherSize("sliding_window_pattern", "_sliding_window_pattern", period);
        const std::vector<std::string> types = in_.texts("layer_types");
        for (std::size_t i = 0; i < types.size(); ++i) {
            if (types[i] == "full_attention") {
                period = static_cast<int>(i) + 1;
                break;
            }
        }
        out_.slidingPattern = std::to_string(period - 1) + " sliding then 1 full";
        for (std::size_t i = 0; i < types.size(); ++i) {
            const bool full = (i + 1) % static_cast<std::size_t>(period) == 0;
            if (full == (types[i] == "full_attention"))
                continue;
            if (i + 1 == types.size() && !full)
                out_.slidingPattern += "; last layer full";
            else if (out_.notModeled.empty())
                out_.notModeled.push_back("the order of layer_types; here " + out_.slidingPattern);
        }
    }

    void readExperts() {
        MoeShape moe;
        switch (family_.experts) {
        case Experts::none:
            if (!isShape(Shape::falcon) && !isShape(Shape::mamba2)) {
                in_.require({"intermediate_size"});
                out_.ffnIntermediateSize = size("intermediate_size", 0);
            }
            return;
        case Experts::mixtral:
            in_.require({"intermediate_size"});
            moe.routedExperts = size("num_local_experts", 8);
            moe.expertsPerToken = size("num_experts_per_tok", 2);
            moe.expertIntermediateSize = size("intermediate_size", 0);
            moe.routerScore = "softmax";
            break;
        case Experts::qwen2:
            readQwenExperts(moe, 60, 4, 1408);
            moe.sharedExpertIntermediateSizeTotal = size("shared_expert_intermediate_size", 5632, 0);
            moe.sharedExperts = moe.sharedExpertIntermediateSizeTotal > 0 ? 1 : 0;
            moe.sharedExpertGate = moe.sharedExperts > 0;
            break;
        case Experts::qwen3:
            readQwenExperts(moe, 128, 8, 768);
            break;
        case Experts::deepseek2:
        case Experts::deepseek3:
        case Experts::glm4:
            readDeepSeekExperts(moe);
            break;
        case Experts::gptOss:
            in_.require({"intermediate_size"});
            moe.routedExperts = size("num_local_experts", 128);
            moe.expertsPerToken = size("num_experts_per_tok", size("experts_per_token", 4));
            moe.expertIntermediateSize = size("intermediate_size", 0);
            moe.routerScore = "softmax_topk";
            moe.routerBias = moe.expertBias = true;
            break;
        case Experts::llama4:
            readLlama4Experts(moe);
            break;
        case Experts::minimax:
            in_.require({"intermediate_size", "num_local_experts"});
            moe.routedExperts = size("num_local_experts", 0);
            moe.expertsPerToken = size("num_experts_per_tok", 8);
            moe.expertIntermediateSize = size("intermediate_size", 0);
            moe.sharedExpertIntermediateSizeTotal = size("shared_intermediate_size", 0, 0);
            moe.sharedExperts = moe.sharedExpertIntermediateSizeTotal > 0 ? 1 : 0;
            moe.routerScore = in_.text("scoring_func").value_or("sigmoid");
            moe.routerBias = flag("use_routing_bias", true);
            out_.mtpLayers = flag("use_mtp", false) ? size("num_mtp_modules", 0, 0) : 0;
            break;
        case Experts::nemotron:
            out_.ffnIntermediateSize = size("intermediate_size", 0, 0);
            if (out_.hybridPattern.find('E') == std::string::npos)
                return;
            readNemotronExperts(moe);
            break;
        case Experts::granite:
            moe.routedExperts = size("num_local_experts", 0, 0);
            if (moe.routedExperts == 0) {
                out_.ffnIntermediateSize = size("shared_intermediate_size", size("intermediate_size", 0));
                return;
            }
            moe.expertsPerToken = size("num_experts_per_tok", 2);
            moe.expertIntermediateSize = size("intermediate_size", 0);
            moe.sharedExpertIntermediateSizeTotal = size("shared_intermediate_size", 0, 0);
            moe.sharedExperts = moe.sharedExpertIntermediateSizeTotal > 0 ? 1 : 0;
            moe.routerScore = "softmax_topk";
            break;
        }
        out_.moe = std::move(moe);
    }

    void readQwenExperts(MoeShape& moe, int experts, int perToken, int width) {
        moe.routedExperts = size("num_experts", experts);
        moe.expertsPerToken = size("num_experts_per_tok", perToken);
        moe.expertIntermediateSize = size("moe_intermediate_size", width);
        moe.layerStep = size("decoder_sparse_step", 1);
        moe.routerScore = "softmax";
        readDenseLayers(moe);
        if (moe.layerStep > 1 || moe.denseFirstLayers > 0) {
            in_.require({"intermediate_size"});
            out_.ffnIntermediateSize = size("intermediate_size", 0);
        }
    }

    /// Reads "mlp_only_layers": the numbers of dense layers, which must be the first ones.
    void readDenseLayers(MoeShape& moe) {
        const nlohmann::json* layers = in_.value("mlp_only_layers");
        if (layers == nullptr)
            return;
        if (!layers->is_array()) {
            in_.fault("mlp_only_layers", describe(*layers) + " where an array of layer numbers is expected");
            return;
        }
        for (const nlohmann::json& layer : *layers) {
            if (layer != moe.denseFirstLayers++) {
                in_.fault(
                    "mlp_only_layers",
                    "dense layers after MoE layers are not supported; use the first layers (0, 1, ...)");
                return;
            }
        }
    }

    void readDeepSeekExperts(MoeShape& moe) {
        const bool third = family_.experts != Experts::deepseek2;
        in_.require({"intermediate_size", "moe_intermediate_size", "n_routed_experts"});
        out_.ffnIntermediateSize = size("intermediate_size", 0);
        out_.mtpLayers = size("num_nextn_predict_layers", 0, 0);
        moe.routedExperts = size("n_routed_experts", 0);
        moe.expertsPerToken = size("num_experts_per_tok", third ? 8 : 6);
        moe.sharedExperts = size("n_shared_experts", third ? 1 : 0, 0);
        moe.expertIntermediateSize = size("moe_intermediate_size", 0);
        moe.sharedExpertIntermediateSizeTotal = moe.sharedExperts * moe.expertIntermediateSize;
        moe.denseFirstLayers = size("first_k_dense_replace", third ? 3 : 0, 0);
        moe.routerScore = in_.text("scoring_func").value_or(third ? "sigmoid" : "softmax");
        moe.routerBias = in_.text("topk_method").value_or(third ? "noaux_tc" : "greedy") == "noaux_tc";
        // DeepSeek counts layers from 0 and uses those that the step divides; MoeShape agrees only for 1.
        if (size("moe_layer_freq", 1) != 1)
            in_.fault("moe_layer_freq", "only a mixture of experts in every layer is supported; expected 1");
    }

    void readLlama4Experts(MoeShape& moe) {
        in_.require({"intermediate_size", "num_local_experts"});
        moe.routedExperts = size("num_local_experts", 16);
        moe.expertsPerToken = size("num_experts_per_tok", 1);
        moe.expertIntermediateSize = moe.sharedExpertIntermediateSizeTotal = size("intermediate_size", 0);
        moe.sharedExperts = 1;
        moe.layerStep = size("interleave_moe_layer_step", 1);
        moe.routerScore = "sigmoid";
        const int dense = size("intermediate_size_mlp", 16384);
        out_.ffnIntermediateSize = moe.layerStep > 1 ? dense : 0;
    }

    void readNemotronExperts(MoeShape& moe) {
        in_.require({"n_routed_experts", "num_experts_per_tok", "moe_intermediate_size"});
        moe.routedExperts = size("n_routed_experts", 0);
        moe.expertsPerToken = size("num_experts_per_tok", 0);
        moe.expertIntermediateSize = size("moe_intermediate_size", 0);
        moe.sharedExperts = size("n_shared_experts", 1, 0);
        moe.sharedExpertIntermediateSizeTotal =
            moe.sharedExperts * size("moe_shared_expert_intermediate_size", moe.expertIntermediateSize, 0);
        moe.latentSize = size("moe_latent_size", 0, 0);
        moe.routerScore = "sigmoid";
        moe.routerBias = true;
        out_.mtpLayers = size("num_nextn_predict_layers", 0, 0);
    }

    void readShape() {
        switch (family_.shape) {
        case Shape::nemotronH:
            in_.require({"mamba_num_heads", "mamba_head_dim"});
            readMamba({"mamba_num_heads", "mamba_head_dim", "n_groups", "ssm_state_size", "conv_kernel"});
            break;
        case Shape::mamba2:
            out_.hybridPattern.assign(static_cast<std::size_t>(out_.layers), 'M');
            readMamba({"num_heads", "head_dim", "n_groups", "state_size", "conv_kernel"});
            break;
        case Shape::graniteHybrid:
            readGraniteLayers();
            break;
        case Shape::cohere:
            out_.norm = Normalization::layerNorm;
            out_.parallelAttentionFfn = true;
            out_.qkNorm = flag("use_qk_norm", false) ? QkNorm::full : QkNorm::none;
            break;
        case Shape::falcon:
            readFalcon();
            break;
        case Shape::llama4:
            out_.attentionChunk = size("attention_chunk_size", 8192);
            out_.noRopeLayerInterval = size("no_rope_layer_interval", 4);
            break;
        case Shape::qwenHybrid:
            readDeltaNet();
            break;
        case Shape::minimax:
            out_.qkNorm = flag("use_qk_norm", false) ? QkNorm::full : QkNorm::none;
            break;
        case Shape::glm4:
            out_.qkNorm = flag("use_qk_norm", false) ? QkNorm::perHead : QkNorm::none;
            break;
        case Shape::plain:
        case Shape::gemma:
        case Shape::phi3:
        case Shape::granite:
            break;
        }
    }

    struct MambaKeys {
        std::string_view heads, headDim, groups, state, kernel;
    };
    void readMamba(const MambaKeys& keys) {
        out_.mamba2 = Mamba2Shape{.heads = size(keys.heads, 128),
                                  .headDim = size(keys.headDim, 64),
                                  .groups = size(keys.groups, isShape(Shape::graniteHybrid) ? 1 : 8),
                                  .state = size(keys.state, 128),
                                  .convKernel = size(keys.kernel, 4)};
    }

    /// A layer of Granite 4 is a mixer and its experts or MLP: two of the architecture's.
    void readGraniteLayers() {
        const std::vector<std::string> types = in_.texts("layer_types");
        if (static_cast<int>(types.size()) != out_.layers) {
            in_.fault("layer_types", std::to_string(types.size()) + " types for " +
                                         std::to_string(out_.layers) + " layers; one for each is needed");
            return;
        }
        for (const std::string& type : types)
            out_.hybridPattern += std::string(type == "mamba" ? "M" : "*") + (out_.moe ? "E" : "-");
        out_.layers *= 2;
        out_.normsPerLayer = 1;
        readMamba({"mamba_n_heads", "mamba_d_head", "mamba_n_groups", "mamba_d_state", "mamba_d_conv"});
    }

    void readFalcon() {
        const bool newer = flag("new_decoder_architecture", false), parallel = flag("parallel_attn", true);
        out_.kvHeads = newer ? eitherSize("num_kv_heads", "n_head_kv", out_.attentionHeads)
                       : flag("multi_query", true) ? 1
                                                   : out_.attentionHeads;
        out_.ffnIntermediateSize = size("ffn_hidden_size", 4 * out_.hiddenSize);
        out_.norm = Normalization::layerNorm;
        out_.normHasBias = true;
        out_.parallelAttentionFfn = newer || parallel;
        out_.normsPerLayer = newer ? size("num_ln_in_parallel_attn", 2) : parallel ? 1 : 2;
        out_.biasQkv = out_.biasO = out_.biasMlp = flag("bias", false);
        if (flag("alibi", false))
            out_.ropeTheta.reset();
    }

    void readDeltaNet() {
        out_.fullAttentionInterval = size("full_attention_interval", 4);
        out_.attentionOutputGate = flag("attn_output_gate", true);
        out_.partialRotaryFactor = out_.partialRotaryFactor.value_or(0.25);
        out_.mtpLayers = eitherSize("mtp_num_hidden_layers", "num_nextn_predict_layers", 1, 0);
        out_.gatedDeltaNet = GatedDeltaNetShape{.keyHeads = size("linear_num_key_heads", 16),
                                                .keyHeadDim = size("linear_key_head_dim", 128),
                                                .valueHeads = size("linear_num_value_heads", 32),
                                                .valueHeadDim = size("linear_value_head_dim", 128),
                                                .convKernel = size("linear_conv_kernel_dim", 4)};
    }

    void readFormat() {
        const std::string type = in_.text("dtype").value_or(in_.text("torch_dtype").value_or("bfloat16"));
        out_.nativeWeightFormat = type == "bfloat16" ? "bf16" : type == "float16" ? "fp16" : type;
        std::optional<ObjectReader> quantization = in_.object("quantization_config");
        if (!quantization)
            return;
        const std::string method = quantization->text("quant_method").value_or("");
        const std::string packed = quantization->text("format").value_or("");
        const std::string algorithm = quantization->text("quant_algo").value_or("");
        if (method == "fp8")
            out_.nativeWeightFormat =
                quantization->value("weight_block_size") != nullptr ? "fp8_e4m3_block128" : "fp8_e4m3";
        else if (method == "mxfp4")
            out_.nativeWeightFormat = "mxfp4_experts_bf16_rest";
        else if (method == "compressed-tensors" && packed == "pack-quantized")
            out_.nativeWeightFormat = out_.moe ? "int4_experts_bf16_rest" : "int4";
        else if (method == "modelopt" && !algorithm.empty())
            out_.nativeWeightFormat = algorithm == "FP8"     ? "fp8_e4m3"
                                      : algorithm == "NVFP4" ? "nvfp4"
                                                             : algorithm;
        else if (!method.empty())
            out_.nativeWeightFormat = method;
    }

    ObjectReader& in_;
    const Family& family_;
    Architecture out_;
};

} // namespace

Architecture readHuggingFaceConfig(ObjectReader& in, const Family& family) {
    return Importer(in, family).read();
}

} // namespace alidade::data
