// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/explain/traced.h"

namespace alidade {

// Energy of a training run by step and by token, with host and building, kWh.

template <class N>
N kilowattHoursPerStep(const TrainingT<N>& training, const RunT<N>& run) {
    return named(run.steppingWatts * training.stepTime / 3.6e6, "kwh_per_step", Dimension::number,
                 "power while steps are made x step time");
}

/// The energy of stops and of repeated work is part of it.
template <class N>
N kilowattHoursPerMillionTokens(const TrainingT<N>& training, const RunT<N>& run) {
    return named(run.meanWatts / (training.tokensPerSecond * run.goodput) * 1e6 / 3.6e6,
                 "kwh_per_million_tokens", Dimension::number, "mean power / tokens that count");
}

} // namespace alidade
