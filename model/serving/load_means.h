// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/request_load.h"

namespace alidade {

/// Means of a load on an engine that capacity and equilibrium are made of.
struct LoadMeans {
    double prompt = 0;           ///< new tokens of a request that prefill computes
    double cached = 0;           ///< tokens before them
    double promptCv = 0;         ///< of both, over requests
    double decodeSteps = 0;      ///< of a request
    double decodeContext = 0;    ///< of a decoding sequence, mean over time
    double contextDeviation = 0; ///< of it, over sequences
    double sequenceBytes = 0;    ///< KV cache of a sequence in the batch, mean over time
    double memoryBatch = 0;      ///< sequences of that size that fill the KV cache
    double maxBatch = 0;         ///< sequences that the limits allow at once; below 1 nothing fits
};
LoadMeans loadMeans(const RequestLoad& load, const EngineLimits& limits);

/// The work of a step with `decodes` sequences and `tokens` of prefill of mean requests.
StepWork meanStep(const LoadMeans& means, double decodes, double tokens);

} // namespace alidade
