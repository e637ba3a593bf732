// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/hardware/provenance.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade {

/// The base of an engine's `plan.memory_utilization`: all memory of a GPU, for everything; all memory, for
/// weights and key-value cache only, with the rest for activations and graphs; or the memory left by weights
/// and activations, for the cache.
enum class MemoryShare : std::uint8_t { all, weightsAndCache, rest };

/// nullopt for any word other than "all", "weights_and_cache" and "rest".
constexpr std::optional<MemoryShare> memoryShare(std::string_view word) {
    if (word == "all")
        return MemoryShare::all;
    if (word == "weights_and_cache")
        return MemoryShare::weightsAndCache;
    return word == "rest" ? std::optional(MemoryShare::rest) : std::nullopt;
}

/// Software as data, a training framework or a serving engine: its default behavior. Its overheads are
/// parameters of the Profile with its `stack`. No code refers to a specific one by name.
struct Framework {
    std::string id; ///< "megatron-core", "vllm"
    std::string name;
    std::string version; ///< the release that the entry describes
    std::string stack;   ///< key of its parameters in the profile; "fsdp/2024" falls back on "fsdp"
    /// Prefix of the software's name in published measurements; any text after " ... " must also occur in the
    /// notes.
    std::vector<std::string> software;
    /// Defaults of plan fields that a scenario leaves out: field path ("plan.sharding") and its text.
    std::vector<std::pair<std::string, std::string>> defaults;
    /// The same for models with experts; overrides `defaults`.
    std::vector<std::pair<std::string, std::string>> moeDefaults;
    /// The same where weights are quantized further than by their publisher; overrides both.
    std::vector<std::pair<std::string, std::string>> quantizedDefaults;
    /// The same on Ampere and on GPUs with less than 70 GiB (the distinction vLLM makes); overrides
    /// `defaults`.
    std::vector<std::pair<std::string, std::string>> smallGpuDefaults;
    /// Values with overlap enabled: path ("plan.overlap.expert") and the share that compute covers.
    std::vector<std::pair<std::string, std::string>> overlapped;
    /// Weight formats that an engine takes only if the GPU multiplies in them; for other formats, it has
    /// kernels that widen the weights on the fly.
    std::vector<std::string> nativeWeights;
    std::string memoryShare; ///< word of a MemoryShare; empty: not a serving engine
    /// How a request occupies the key-value cache: "growing" with its tokens, or "whole" from the start,
    /// prompt and answer, ignoring sliding windows; empty: not a serving engine.
    std::string cacheOfRequest;
    /// The engine attends to all tokens and caches them, also where a model has sliding windows or chunks.
    bool ignoresWindows = false;
    /// Its decode kernel reads the cached keys and values of a group once for each of the group's query
    /// heads.
    bool decodesByQueryHead = false;
    /// The engine leaves large all-reduces to NCCL with NVLink SHARP, where the GPUs have it.
    bool reducesInSwitch = false;
    /// Families of models whose all-reduces the engine fuses with the norm behind them, in the kernels of
    /// TensorRT-LLM.
    std::vector<std::string> fusedReductions;
    /// LoRA gives the experts of a rank one adapter, not one to each.
    bool sharedExpertAdapters = false;
    Provenance provenance;
};

} // namespace alidade
