// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/huggingface.h"

#include "data/catalog/architecture_json.h"
#include "data/json/gate.h"
#include "data/json/reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>

namespace alidade::data {
namespace {

constexpr int largest = 16'777'216;

/// What distinguishes a family, and the defaults of its configuration class.
struct Family {
    std::string_view modelType;
    std::string_view title;
    int kvHeads; ///< 0: as many as attention heads
    int headDim; ///< 0: hidden size / heads
    int positions;
    double ropeTheta;
    enum class Bias : std::uint8_t { fromConfig, qkvAlways, onUnlessSaid } bias;
    QkNorm qkNorm;
    enum class Experts : std::uint8_t { none, mixtral, qwen2, qwen3, deepseek2, deepseek3, gptOss } experts;
    enum class Window : std::uint8_t { none, all, whenUsed, alternating } window;
    int windowTokens; ///< default of the window
};

constexpr std::array families = {
    Family{"llama", "Llama", 0, 0, 2048, 10000, Family::Bias::fromConfig, QkNorm::none, Family::Experts::none,
           Family::Window::none, 0},
    Family{"mistral", "Mistral", 8, 0, 131072, 10000, Family::Bias::fromConfig, QkNorm::none,
           Family::Experts::none, Family::Window::all, 4096},
    Family{"mixtral", "Mixtral", 8, 0, 131072, 1000000, Family::Bias::fromConfig, QkNorm::none,
           Family::Experts::mixtral, Family::Window::all, 0},
    Family{"qwen2", "Qwen2", 32, 0, 32768, 10000, Family::Bias::qkvAlways, QkNorm::none,
           Family::Experts::none, Family::Window::whenUsed, 4096},
    Family{"qwen2_moe", "Qwen2 MoE", 16, 0, 32768, 10000, Family::Bias::qkvAlways, QkNorm::none,
           Family::Experts::qwen2, Family::Window::whenUsed, 4096},
    Family{"qwen3", "Qwen3", 32, 128, 32768, 10000, Family::Bias::fromConfig, QkNorm::perHead,
           Family::Experts::none, Family::Window::whenUsed, 4096},
    Family{"qwen3_moe", "Qwen3 MoE", 4, 0, 32768, 10000, Family::Bias::fromConfig, QkNorm::perHead,
           Family::Experts::qwen3, Family::Window::whenUsed, 4096},
    Family{"deepseek_v2", "DeepSeek-V2", 0, 0, 2048, 10000, Family::Bias::fromConfig, QkNorm::none,
           Family::Experts::deepseek2, Family::Window::none, 0},
    Family{"deepseek_v3", "DeepSeek-V3", 0, 0, 4096, 10000, Family::Bias::fromConfig, QkNorm::none,
           Family::Experts::deepseek3, Family::Window::none, 0},
    Family{"gpt_oss", "gpt-oss", 8, 64, 131072, 150000, Family::Bias::onUnlessSaid, QkNorm::none,
           Family::Experts::gptOss, Family::Window::alternating, 128},
};

/// Reads one configuration into an architecture.
class Importer {
public:
    Importer(ObjectReader& in, const Family& family)
        : in_(in)
        , family_(family) {}

    Architecture read() {
        refuseOtherParts();
        readSizes();
        readHeads();
        readBiases();
        readPositions();
        readWindow();
        readExperts();
        readFormat();
        return std::move(out_);
    }

private:
    int size(std::string_view key, int absent, int low = 1) {
        return in_.integer(key, low, largest).value_or(absent);
    }
    bool flag(std::string_view key, bool absent) { return in_.boolean(key).value_or(absent); }

    void refuseOtherParts() {
        for (const char* key : {"vision_config", "text_config", "audio_config"}) {
            if (in_.value(key) != nullptr)
                in_.fault(key, "a multimodal model; use the configuration of its language model");
        }
    }

    void readSizes() {
        in_.require({"num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size"});
        out_.family = family_.title;
        out_.layers = size("num_hidden_layers", 0);
        out_.hiddenSize = size("hidden_size", 0);
        out_.attentionHeads = size("num_attention_heads", 0);
        out_.vocabSize = size("vocab_size", 0);
        out_.tieEmbeddings = flag("tie_word_embeddings", false);
        const std::string activation = in_.text("hidden_act").value_or("silu");
        if (activation == "silu" || activation == "swish")
            out_.ffnActivation = "swiglu";
        else if (activation.starts_with("gelu"))
            out_.ffnActivation = "geglu";
        else
            in_.fault("hidden_act", "'" + activation + "' is not supported; use silu or gelu");
    }

    void readHeads() {
        const bool multiHeadByDefault = family_.kvHeads == 0 || in_.isNull("num_key_value_heads");
        out_.kvHeads =
            size("num_key_value_heads", multiHeadByDefault ? out_.attentionHeads : family_.kvHeads);
        const bool divided = family_.headDim == 0 || in_.isNull("head_dim");
        const int share = out_.attentionHeads > 0 ? out_.hiddenSize / out_.attentionHeads : 0;
        out_.headDim = size("head_dim", divided ? share : family_.headDim);
        out_.qkNorm = family_.qkNorm;
        if (family_.experts == Family::Experts::deepseek2 || family_.experts == Family::Experts::deepseek3)
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

    void readBiases() {
        switch (family_.bias) {
        case Family::Bias::fromConfig:
            out_.biasQkv = out_.biasO = flag("attention_bias", false);
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
        if (std::optional<ObjectReader> rope = in_.object("rope_parameters")) // location in newer versions
            theta = rope->number("rope_theta", {1, 1e12}).value_or(theta);
        out_.ropeTheta = in_.number("rope_theta", {1, 1e12}).value_or(theta);
        out_.maxContextTokens =
            in_.integer("max_position_embeddings", 1, 1'000'000'000).value_or(family_.positions);
    }

    void readWindow() {
        if (family_.window == Family::Window::none || in_.isNull("sliding_window"))
            return;
        const int tokens = in_.integer("sliding_window", 1, 1'000'000'000).value_or(family_.windowTokens);
        if (family_.window == Family::Window::whenUsed && !flag("use_sliding_window", false))
            return;
        out_.slidingWindow = tokens;
        if (tokens == 0)
            return;
        out_.slidingPattern = "all layers";
        if (family_.window == Family::Window::alternating)
            out_.slidingPattern =
                alternates() ? "alternating: sliding, full" : "as layer_types of the configuration";
        const int full = family_.window == Family::Window::whenUsed ? size("max_window_layers", 28, 0) : 0;
        if (full >= out_.layers)
            out_.slidingWindow = 0;
        else if (full > 0)
            out_.slidingPattern = std::to_string(full) + " full, then all sliding";
        if (out_.slidingWindow == 0)
            out_.slidingPattern.clear();
    }

    /// Returns whether "layer_types" is absent or equals the default of gpt-oss.
    bool alternates() {
        const std::vector<std::string> types = in_.texts("layer_types");
        for (std::size_t i = 0; i < types.size(); ++i) {
            if (types[i] != (i % 2 == 0 ? "sliding_attention" : "full_attention"))
                return false;
        }
        return true;
    }

    void readExperts() {
        using Experts = Family::Experts;
        MoeShape moe;
        switch (family_.experts) {
        case Experts::none:
            in_.require({"intermediate_size"});
            out_.ffnIntermediateSize = size("intermediate_size", 0);
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
        const bool third = family_.experts == Family::Experts::deepseek3;
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

    void readFormat() {
        const std::string type = in_.text("dtype").value_or(in_.text("torch_dtype").value_or("bfloat16"));
        out_.nativeWeightFormat = type == "bfloat16" ? "bf16" : type == "float16" ? "fp16" : type;
        std::optional<ObjectReader> quantization = in_.object("quantization_config");
        if (!quantization)
            return;
        const std::string method = quantization->text("quant_method").value_or("");
        if (method == "fp8")
            out_.nativeWeightFormat =
                quantization->value("weight_block_size") != nullptr ? "fp8_e4m3_block128" : "fp8_e4m3";
        else if (method == "mxfp4")
            out_.nativeWeightFormat = "mxfp4_experts_bf16_rest";
        else if (!method.empty())
            out_.nativeWeightFormat = method;
    }

    ObjectReader& in_;
    const Family& family_;
    Architecture out_;
};

std::string knownTypes() {
    std::string list;
    for (const Family& family : families)
        list += (list.empty() ? "" : ", ") + std::string(family.modelType);
    return list;
}

/// "meta-llama/Llama-3.1-8B" becomes "llama-3.1-8b".
std::string idOf(const std::string& path) {
    std::string id = path.substr(path.find_last_of('/') + 1); // npos + 1 is 0
    for (char& c : id)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == ' ' ? '-' : c;
    return id;
}

/// Returns the model name in the document, or that of its file or folder.
std::string nameOf(ObjectReader& in, const std::string& fileName) {
    const std::string given = in.text("_name_or_path").value_or("");
    if (!given.empty() && !idOf(given).empty())
        return given.substr(given.find_last_of('/') + 1);
    const std::filesystem::path path(fileName);
    const std::string stem = path.stem().string();
    const std::string folder = path.parent_path().filename().string();
    return stem == "config" && !folder.empty() ? folder : stem.empty() ? "model" : stem;
}

std::string lines(const std::vector<JsonFault>& faults, const std::string& fileName) {
    std::string out;
    for (const JsonFault& fault : faults)
        out += (out.empty() ? "" : "\n") + text(fileName, fault);
    return out;
}

} // namespace

Result<Architecture> importHuggingFaceConfig(std::string_view text, const std::string& fileName) {
    const Result<nlohmann::json> json = parseJson(text);
    if (!json)
        return Error{fileName + ": " + json.error()};
    std::vector<JsonFault> faults;
    ObjectReader in(*json, {}, faults);
    in.require({"model_type"});
    const std::string type = in.text("model_type").value_or("");
    const auto family = std::ranges::find(families, type, &Family::modelType);
    if (faults.empty() && family == families.end())
        in.fault("model_type", "model_type '" + type + "' is not supported; use one of " + knownTypes());
    if (!faults.empty())
        return Error{lines(faults, fileName)};
    Architecture out = Importer(in, *family).read();
    if (!faults.empty())
        return Error{lines(faults, fileName)};
    checkArchitecture(out, {}, faults);
    // These pointers refer to the architecture, not to this document.
    for (JsonFault& fault : faults)
        if (!fault.pointer.empty())
            fault = {{}, fault.pointer.substr(1) + ": " + fault.message};
    if (!faults.empty())
        return Error{lines(faults, fileName)};
    out.name = nameOf(in, fileName);
    out.id = idOf(out.name);
    out.provenance.sources.push_back({"Hugging Face configuration", {}, fileName, {}, "config", true, {}});
    return out;
}

} // namespace alidade::data
