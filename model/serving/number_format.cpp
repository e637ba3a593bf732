// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/number_format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace alidade {

namespace {

constexpr std::array<std::pair<std::string_view, NumberFormat>, 6> words = {
    {{"bf16", NumberFormat::bf16},
     {"fp8", NumberFormat::fp8},
     {"fp8_block", NumberFormat::fp8Block128},
     {"mxfp4", NumberFormat::mxfp4},
     {"nvfp4", NumberFormat::nvfp4},
     {"int4", NumberFormat::int4Group128}}};

std::optional<FlopPerSecond> sixteenBitPeak(const Gpu& gpu) { return gpu.bf16 ? gpu.bf16 : gpu.fp16; }

bool isFloat4(NumberFormat format) { return format == NumberFormat::nvfp4 || format == NumberFormat::mxfp4; }

/// Activations that are next to such weights unless a plan says otherwise.
NumberFormat usualActivations(NumberFormat weights) {
    switch (weights) {
    case NumberFormat::mxfp4:
        return NumberFormat::mxfp8;
    case NumberFormat::fp32:
    case NumberFormat::int4Group128:
        return NumberFormat::bf16;
    default:
        return weights;
    }
}

} // namespace

std::vector<std::string_view> numberFormatWords() {
    std::vector<std::string_view> out;
    for (const auto& each : words)
        out.push_back(each.first);
    return out;
}

std::optional<NumberFormat> numberFormat(std::string_view word) {
    const auto known = std::ranges::find(words, word, &std::pair<std::string_view, NumberFormat>::first);
    return known == words.end() ? std::nullopt : std::optional(known->second);
}

std::string_view wordOf(NumberFormat format) {
    const auto known = std::ranges::find(words, format, &std::pair<std::string_view, NumberFormat>::second);
    return known != words.end()            ? known->first
           : format == NumberFormat::mxfp8 ? std::string_view("mxfp8")
                                           : std::string_view("fp32");
}

NumberFormat nativeFormat(const Architecture& model) {
    const std::string_view native = model.nativeWeightFormat;
    const auto says = [&](std::string_view word) { return native.find(word) != std::string_view::npos; };
    if (says("nvfp4"))
        return NumberFormat::nvfp4;
    if (says("mxfp4"))
        return NumberFormat::mxfp4;
    if (says("int4"))
        return NumberFormat::int4Group128;
    if (says("fp8"))
        return says("block") ? NumberFormat::fp8Block128 : NumberFormat::fp8;
    return NumberFormat::bf16;
}

int bitsOf(NumberFormat format) {
    switch (format) {
    case NumberFormat::fp32:
        return 32;
    case NumberFormat::bf16:
        return 16;
    case NumberFormat::fp8:
    case NumberFormat::fp8Block128:
    case NumberFormat::mxfp8:
        return 8;
    case NumberFormat::nvfp4:
    case NumberFormat::mxfp4:
    case NumberFormat::int4Group128:
        break;
    }
    return 4;
}

WeightFormats weightFormats(const Architecture& model, NumberFormat checkpoint) {
    const auto keeps = [&](std::string_view part) {
        return std::ranges::find(model.nvfp4Kept, part) != model.nvfp4Kept.end();
    };
    const bool isNvfp4 = checkpoint == NumberFormat::nvfp4;
    const bool keepsDense = isNvfp4 ? keeps("attention") || keeps("attention_inputs")
                                    : bitsOf(checkpoint) == 4 && model.moe.has_value();
    const NumberFormat dense = keepsDense ? NumberFormat::bf16 : checkpoint;
    return {.dense = dense,
            .experts = checkpoint,
            .mlp = isNvfp4 && !keeps("mlp") ? checkpoint : dense,
            .output = isNvfp4 && keeps("attention_inputs") ? checkpoint : dense};
}

std::optional<GemmArithmetic> gemmArithmetic(NumberFormat weights, std::optional<NumberFormat> activations,
                                             const Gpu& gpu) {
    const std::optional<FlopPerSecond> sixteen = sixteenBitPeak(gpu);
    if (!sixteen)
        return std::nullopt;
    GemmArithmetic out;
    const NumberFormat beside = activations.value_or(usualActivations(weights));
    const int widest = std::max(bitsOf(weights), bitsOf(beside));
    // Tensor cores with FP4 units also take FP4 alongside FP8 numbers; no engine uses integer units.
    const bool native = bitsOf(weights) == 8 || (gpu.fp4 && isFloat4(weights));
    if (widest == 8 && gpu.fp8 && (native || activations)) {
        out.format = bitsOf(beside) == 8 ? beside : weights;
        out.weightOnly = !native;
        out.operandBytes = elementBytes(beside);
        out.peak = *gpu.fp8;
    } else if (widest == 4 && native && isFloat4(beside)) {
        out.format = beside;
        out.operandBytes = elementBytes(beside);
        out.peak = *gpu.fp4;
    } else {
        out.weightOnly = bitsOf(weights) < 16;
        out.peak = *sixteen;
    }
    return out;
}

double expertPadding(const Architecture& model, NumberFormat experts, int expertTensorParallel) {
    if (!model.moe || experts != NumberFormat::mxfp4)
        return 1;
    constexpr double columns = 256;
    const double width = 1.0 * model.moe->expertIntermediateSize / expertTensorParallel;
    return std::ceil(width / columns) * columns / width;
}

double elementBytes(NumberFormat format) {
    return format == NumberFormat::fp8Block128 ? 1 + 4.0 / 128 : bytesPerWeight(format);
}

} // namespace alidade
