// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

namespace alidade {

/// Communication that compute does not hide, seconds.
/// \param window seconds of compute that run at the same time; \param overlap 0..1 of the window that hides
/// \param tail the last bucket, which nothing can hide
template <class N>
N exposedComm(const N& comm, const N& window, const N& overlap = N(1), const N& tail = N(0)) {
    using std::max;
    return tail + max(N(0), comm - tail - overlap * window);
}

/// Compute and communication pipelined over equal chunks (user buffers, asynchronous tensor parallelism).
template <class N>
N chunkedOverlap(const N& compute, const N& comm, const N& chunks) {
    using std::max;
    using std::min;
    return max(compute, comm) + min(compute, comm) / chunks;
}

/// Ring attention over `contextParallel` ranks: each step's compute hides the exchange of the next keys and
/// values.
template <class N>
N ringAttentionTime(const N& stepCompute, const N& stepComm, const N& contextParallel) {
    using std::max;
    return stepCompute + (contextParallel - 1) * max(stepCompute, stepComm);
}

/// Bytes that each rank of fully sharded data parallelism sends in one step.
/// \param resharded parameters are gathered again in the backward pass
template <class N>
N fsdpWireBytes(const N& parameters, const N& ranks, const N& microbatches, bool resharded = true,
                const N& parameterBytes = N(2), const N& gradientBytes = N(4)) {
    const N gathers = resharded ? 2 * microbatches : microbatches;
    return (ranks - 1) / ranks * parameters * (parameterBytes * gathers + gradientBytes);
}

} // namespace alidade
