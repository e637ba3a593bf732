// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

// Words of published configurations that hold numbers or lists.

/// Decoder layers of each stage by Megatron's layout words: virtual stages in order, separated by '|', each
/// with one letter a layer (E embedding, t decoder, m prediction module, L loss); '*n' repeats what precedes,
/// a letter or a group in parentheses. Virtual stage i lies on stage i mod `stages`. Empty if the words mean
/// something else or do not hold `layers` decoder layers.
std::vector<std::int64_t> layersOfStages(std::string_view layout, int stages, int layers);

/// Modules that are computed again: the words of the scenario file. Empty if none is named.
std::vector<std::string> recomputedModules(std::string_view words);

/// GPUs of a sharding group: 64 in "Megatron FSDP over 64 GPUs".
std::optional<int> groupSize(std::string_view words);

/// The whole number that is behind some words.
std::optional<int> numberAfter(std::string_view text, std::string_view words);

/// The share that precedes a percent sign, 0..1.
std::optional<double> percentIn(std::string_view text);

} // namespace alidade
