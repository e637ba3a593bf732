// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace alidade {

/// A word of an identifier as it is written in a text: "hbm" -> "HBM". A word that is not written in another
/// way is returned as it is.
constexpr std::string_view writtenWord(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 25> words{
        {{"bf16", "BF16"}, {"blom", "Blom"},  {"cuda", "CUDA"},   {"e2e", "E2E"},   {"efa", "EFA"},
         {"ffn", "MLP"},   {"flops", "FLOP"}, {"fp16", "FP16"},   {"fp8", "FP8"},   {"gemm", "GEMM"},
         {"glu", "GLU"},   {"gpu", "GPU"},    {"gpus", "GPUs"},   {"hbm", "HBM"},   {"hfu", "HFU"},
         {"itl", "ITL"},   {"kv", "KV"},      {"mamba", "Mamba"}, {"mfu", "MFU"},   {"nvlink", "NVLink"},
         {"pue", "PUE"},   {"qkv", "QKV"},    {"rope", "RoPE"},   {"tpot", "TPOT"}, {"ttft", "TTFT"}}};
    const auto* const found =
        std::ranges::find(words, word, &std::pair<std::string_view, std::string_view>::first);
    return found == words.end() ? word : found->second;
}

} // namespace alidade
