// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"
#include "model/units/constants.h"

#include <cmath>

namespace alidade {

// Checkpoint intervals and the share of a run that counts. All times in seconds. Failures are exponential
// with the mean time between failures `mtbf` > 0; `delta` is the time that a checkpoint blocks the run.

/// Mean time between failures of a job. Failures of GPUs are independent and equally likely.
template <class N>
N jobMtbf(const N& gpus, const N& gpuHoursPerFailure) {
    return named(gpuHoursPerFailure * secondsPerHour / gpus, "mean_time_between_failures", Dimension::seconds,
                 "GPU-hours per failure / GPUs");
}

/// First-order optimum of the compute time between checkpoints (Young 1974).
template <class N>
N youngInterval(const N& delta, const N& mtbf) {
    using std::sqrt;
    return named(sqrt(2 * delta * mtbf), "young_interval", Dimension::seconds, "Young 1974");
}

/// Higher-order optimum (Daly 2006).
template <class N>
N dalyInterval(const N& delta, const N& mtbf) {
    using std::sqrt;
    if (valueOf(delta) >= 2 * valueOf(mtbf))
        return named(mtbf, "daly_interval", Dimension::seconds, "Daly 2006, delta >= 2 x MTBF");
    const N x = named(delta / (2 * mtbf), "stall_share", Dimension::ratio);
    return named(sqrt(2 * delta * mtbf) * (1 + sqrt(x) / 3 + x / 9) - delta, "daly_interval",
                 Dimension::seconds, "Daly 2006");
}

/// Exact optimum: tau = mtbf u with (u - 1) e^u + e^(-delta / mtbf) = 0. 0 if a checkpoint costs nothing.
double optimalInterval(double delta, double mtbf);

/// e^x - 1 for x >= 0 without cancellation near 0.
template <class N>
N expMinusOne(const N& x) {
    using std::exp;
    if (valueOf(x) < 1e-3)
        return x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4)));
    return exp(x) - 1;
}

/// Effective training time ratio, 0..1: time that counts / wall time. Exact under exponential failures,
/// failures during restarts included.
/// \param interval compute time between checkpoints, > 0
/// \param restart from a failure to the first new step, s
template <class N>
N ettr(const N& interval, const N& delta, const N& mtbf, const N& restart) {
    using std::exp;
    const N grown = named(expMinusOne(N((interval + delta) / mtbf)), "failure_growth", Dimension::number,
                          "e^((interval + stall) / MTBF) - 1");
    return named(interval / (mtbf * exp(restart / mtbf) * grown), "effective_time_ratio", Dimension::ratio,
                 "compute / expected time of an interval under exponential failures (Daly 2006)");
}

/// What a checkpoint takes, s.
template <class N>
struct CheckpointTime {
    N copy{};  ///< to host memory: an asynchronous checkpoint stops training only for this
    N write{}; ///< from there to storage
};

/// \param copyRate of all GPUs to their hosts, \param writeRate of all hosts to storage: bytes/s
template <class N>
CheckpointTime<N> checkpointTime(const N& bytes, const N& copyRate, const N& writeRate) {
    return {named(bytes / copyRate, "copy_to_host", Dimension::seconds, "bytes / rate of all host links"),
            named(bytes / writeRate, "checkpoint_write", Dimension::seconds, "bytes / storage rate")};
}

} // namespace alidade
