// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/hardware/hardware.h"
#include "model/memory/weights_and_kv.h"
#include "model/workload/architecture.h"

#include <optional>
#include <string_view>
#include <vector>

namespace alidade {

// Which number formats a served model is kept in and which ones a GPU computes in.

/// The format that a word of `plan.weights`, `plan.kv_cache` or `plan.activations` names; nullopt if none.
std::optional<NumberFormat> numberFormat(std::string_view word);
/// The words that it knows, in the order of the scenario format.
std::vector<std::string_view> numberFormatWords();

/// That word: "fp8_block".
std::string_view wordOf(NumberFormat format);

/// The format of a model's published checkpoint; 16 bits where the catalog does not know it.
NumberFormat nativeFormat(const Architecture& model);

/// Bits of one number, block scales left out.
int bitsOf(NumberFormat format);

/// Formats of the weights of a model by what they are part of. Embedding, output layer, router, norms and
/// biases stay in 16 bits.
struct WeightFormats {
    NumberFormat dense = NumberFormat::bf16;   ///< linear layers that are not named below
    NumberFormat experts = NumberFormat::bf16; ///< routed experts
    NumberFormat mlp = NumberFormat::bf16;     ///< dense and shared MLPs: the format of one of the two above
    NumberFormat output = NumberFormat::bf16;  ///< output projections of attention, likewise
};

/// FP8 checkpoints quantize all linear layers (DeepSeek-V3 report, section 3.3). INT4 and MXFP4 checkpoints
/// of models with experts quantize the routed experts alone (gpt-oss model card, section 2.1; Kimi K2
/// Thinking), those of dense models all linear layers. NVFP4 checkpoints are NVIDIA's: ModelOpt's
/// NVFP4_DEFAULT_CFG quantizes all linear layers, and what one of them leaves out (`exclude_modules` of its
/// hf_quant_config.json) is Architecture::nvfp4Kept.
WeightFormats weightFormats(const Architecture& model, NumberFormat checkpoint);

/// What the matrix multiplications with weights of one format compute in.
struct GemmArithmetic {
    NumberFormat format = NumberFormat::bf16; ///< of both operands in the tensor cores
    bool weightOnly = false;                  ///< the weights are in fewer bits and are widened on the way
    double operandBytes = 2;                  ///< per element of the activations, block scales included
    FlopPerSecond peak;                       ///< dense
};

/// The tensor cores take the wider of the two operands. Without a choice of activations: the weights' own
/// format, and MXFP8 alongside MXFP4 weights, where the GPU has units for it; otherwise 16 bits (FP8 weights
/// before Ada and Hopper, FP4 weights before Blackwell, INT4 weights: Marlin's weight-only kernels in vLLM,
/// mixed-input ones in TensorRT-LLM).
/// \return nullopt if the GPU's 16-bit peak is not known
std::optional<GemmArithmetic> gemmArithmetic(NumberFormat weights, std::optional<NumberFormat> activations,
                                             const Gpu& gpu);

/// What kernels hold of routed experts over what the checkpoint has, >= 1: MXFP4 experts are padded to
/// multiples of 256 columns a GPU (vLLM's mxfp4.py; 64.4 GiB of gpt-oss-120b loaded on one GPU,
/// vllm-project/vllm issue 33155, where the checkpoint has 60.8).
/// \param expertTensorParallel GPUs that split the columns of one expert
double expertPadding(const Architecture& model, NumberFormat experts, int expertTensorParallel);

/// Bytes per element of activations or of a key-value cache, scales included. FP8 with blocks has an FP32
/// scale for each 128 elements of a token (DeepGEMM, FlashMLA); FP8 alone one for all.
double elementBytes(NumberFormat format);

} // namespace alidade
