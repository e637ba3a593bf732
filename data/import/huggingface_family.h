// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/workload/architecture.h"

#include <string>
#include <string_view>

namespace alidade::data {

/// What distinguishes a family of Hugging Face configurations, and the defaults of its configuration class
/// (github.com/huggingface/transformers, src/transformers/models/*/configuration_*.py).
struct Family {
    enum class Bias : std::uint8_t { fromConfig, qkvAlways, onUnlessSaid, never };
    enum class Experts : std::uint8_t {
        none,
        mixtral,
        qwen2,
        qwen3,
        deepseek2,
        deepseek3,
        glm4,
        gptOss,
        llama4,
        minimax,
        nemotron,
        granite
    };
    enum class Window : std::uint8_t { none, all, whenUsed, alternating, pattern };
    /// Parts that only one family has.
    enum class Shape : std::uint8_t {
        plain,
        gemma,
        phi3,
        nemotronH,
        mamba2,
        granite,
        graniteHybrid,
        cohere,
        falcon,
        llama4,
        qwenHybrid,
        minimax,
        glm4
    };

    std::string_view modelType;
    std::string_view title;
    int kvHeads = 0; ///< 0: as many as attention heads
    int headDim = 0; ///< 0: hidden size / heads
    int positions = 2048;
    double ropeTheta = 10000;
    Bias bias = Bias::fromConfig;
    QkNorm qkNorm = QkNorm::none;
    Experts experts = Experts::none;
    Window window = Window::none;
    int windowTokens = 0; ///< default of the window
    Shape shape = Shape::plain;
    bool tied = false; ///< default of tie_word_embeddings
    int norms = 2;     ///< per layer
};

/// \returns null for a type that is not known
const Family* familyOf(std::string_view modelType);
/// Returns the known types, separated by commas.
std::string knownFamilies();

} // namespace alidade::data
