// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/request_load.h"

#include <algorithm>
#include <cmath>

namespace alidade {

double SequenceMemory::meanBytesAt(double context) const {
    const double half = (blockTokens - 1) / 2;
    return constantBytes + bytesPerToken * (std::max(0.0, context - sharedTokens) + half) +
           windowBytesPerToken * (std::min(context, window) + half);
}

} // namespace alidade
