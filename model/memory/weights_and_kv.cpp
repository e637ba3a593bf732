// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/memory/weights_and_kv.h"

namespace alidade {

double pagedTokens(double context, double block) { return std::ceil(context / block) * block; }

double kvSequenceBytes(double layers, double elements, double elementBytes, double context, double block,
                       double windowLayers, double window) {
    const double full = pagedTokens(context, block);
    const double local = windowLayers > 0 ? pagedTokens(std::min(context, window), block) : 0;
    return elements * elementBytes * ((layers - windowLayers) * full + windowLayers * local);
}

} // namespace alidade
