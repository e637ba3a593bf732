// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/memory/activations.h"

namespace alidade {

double korthikantiActivationBytes(double sequence, double microBatch, double hidden, double heads,
                                  double tensorParallel, KorthikantiRecompute recompute,
                                  bool sequenceParallel) {
    const double elements = sequence * microBatch * hidden;
    if (recompute == KorthikantiRecompute::full) {
        return 2 * elements / (sequenceParallel ? tensorParallel : 1);
    }
    const double core = recompute == KorthikantiRecompute::selective ? 0 : 5 * heads * sequence / hidden;
    return elements * (sequenceParallel ? (34 + core) / tensorParallel : 10 + (24 + core) / tensorParallel);
}

} // namespace alidade
