// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/workload/architecture.h"

#include <string>

namespace alidade {

/// A model of the same family at another size: the width per layer, the widths of feed-forward layers and
/// experts per hidden size, and the width of a head stay as they are; layers and hidden size change. Families
/// grow like this: Llama 3 has 128, 102 and 130 elements of hidden size per layer at 8B, 70B and 405B.
/// Vocabulary, number of experts and KV heads stay. Query heads come in multiples of eight (below a hidden
/// size of 2,048 of two), which eight GPUs of tensor parallelism need, and layers in multiples of two, so
/// that the size is met within some per cent.
/// \param parameters in total, 1e7..1e13
/// \returns an error for hybrids whose layers are listed one by one (Mamba-2), which have no such rule, and
/// for a size that the vocabulary alone exceeds
Result<Architecture> scaledModel(const Architecture& family, double parameters);

/// "8.03B", "405B", "1.04T": how parameters are counted in names of models.
std::string parameterText(double parameters);

} // namespace alidade
