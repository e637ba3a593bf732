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

/// What an engine's `plan.memory_utilization` is a share of: all memory of a GPU, of which everything must
/// come; all memory, for weights and key-value cache alone, the rest being for activations and graphs; or
/// what weights and activations leave free, for the cache.
enum class MemoryShare : std::uint8_t { all, weightsAndCache, rest };

/// nullopt: no such word. The words are "all", "weights_and_cache" and "rest".
constexpr std::optional<MemoryShare> memoryShare(std::string_view word) {
    if (word == "all")
        return MemoryShare::all;
    if (word == "weights_and_cache")
        return MemoryShare::weightsAndCache;
    return word == "rest" ? std::optional(MemoryShare::rest) : std::nullopt;
}

/// Software as data, a training framework or a serving engine: what it does unless told otherwise. Its
/// overheads are parameters of the Profile with its `stack`. No code asks for one by name.
struct Framework {
    std::string id; ///< "megatron-core", "vllm"
    std::string name;
    std::string version; ///< the release that the entry describes
    std::string stack;   ///< key of its parameters in the profile; "fsdp/2024" falls back on "fsdp"
    /// How the software's name begins in published measurements; behind " ... " words that the notes hold
    /// too.
    std::vector<std::string> software;
    /// Default of each plan field that a scenario leaves out: field path ("plan.sharding") and its text.
    std::vector<std::pair<std::string, std::string>> defaults;
    /// The same for models with experts; stands over `defaults`.
    std::vector<std::pair<std::string, std::string>> moeDefaults;
    /// The same where weights are quantized further than their publisher did; stands over both.
    std::vector<std::pair<std::string, std::string>> quantizedDefaults;
    /// The same on Ampere and on GPUs of less than 70 GiB (so vLLM tells them apart); stands over `defaults`.
    std::vector<std::pair<std::string, std::string>> smallGpuDefaults;
    /// Where an overlap is switched on: path ("plan.overlap.expert") and the share that compute covers.
    std::vector<std::pair<std::string, std::string>> overlapped;
    /// Words of the formats of weights that an engine takes only where the GPU multiplies in them; for others
    /// it has kernels that widen the weights on the way.
    std::vector<std::string> nativeWeights;
    std::string memoryShare; ///< word of a MemoryShare; empty: not a serving engine
    /// What a request takes of the key-value cache: "growing" as its tokens come, or "whole" from its start,
    /// prompt and answer, sliding windows not counted on; empty: not a serving engine.
    std::string cacheOfRequest;
    Provenance provenance;
};

} // namespace alidade
