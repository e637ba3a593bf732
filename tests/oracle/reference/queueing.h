// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

#include <limits>

namespace alidade::reference {

// Waiting lines with several servers, and the equilibrium of continuous batching for a step that is linear in
// its work. Times in seconds, rates per second.

/// Probability that a request of M/M/c waits. \param servers >= 1 \param offered arrival rate x service time;
/// from `servers` on all wait
template <class N>
N erlangC(int servers, const N& offered) {
    if (valueOf(offered) >= servers)
        return N(1);
    N blocked = 1; // Erlang B, by its recursion over servers
    for (int k = 1; k <= servers; ++k)
        blocked = offered * blocked / (k + offered * blocked);
    return blocked / (1 - offered / servers * (1 - blocked));
}

/// Mean wait of G/G/c: Allen-Cunneen, exact for M/M/c and M/G/1; infinite at overload.
/// \param arrivalCv2, serviceCv2 squared coefficients of variation of the times between arrivals and of
/// service
template <class N>
N queueWait(int servers, const N& rate, const N& service, const N& arrivalCv2 = N(1),
            const N& serviceCv2 = N(1)) {
    const N offered = rate * service;
    if (valueOf(offered) >= servers)
        return N(std::numeric_limits<double>::infinity());
    return erlangC(servers, offered) * service / (servers - offered) * (arrivalCv2 + serviceCv2) / 2;
}

/// q-quantile of that wait, 0 <= q < 1: those who wait at all wait an exponential time. 0 if fewer than 1 - q
/// wait.
template <class N>
N queueWaitPercentile(int servers, const N& rate, const N& service, double q, const N& arrivalCv2 = N(1),
                      const N& serviceCv2 = N(1)) {
    const N waits = erlangC(servers, N(rate * service));
    if (1 - q >= valueOf(waits))
        return N(0);
    const N wait = queueWait(servers, rate, service, arrivalCv2, serviceCv2);
    return wait / waits *
           derivedLeaf(waits, std::log(valueOf(waits) / (1 - q)), "log_of_waiting_over_tail",
                       Dimension::number, "ln(C/(1 - q)), exponential wait of those who wait");
}

/// Continuous batching in equilibrium with a step of t0 + perPrefill x prompt tokens + perDecode x sequences.
template <class N>
struct LinearEquilibrium {
    N load = 0;  ///< stable below 1
    N step = 0;  ///< s, time between two tokens of a sequence; infinite from load 1 on
    N batch = 0; ///< sequences that decode
    N chunk = 0; ///< prompt tokens in a step
};

/// Work conservation: a step holds what arrives during one. \param rate requests/s
/// \param fixed s \param perPrefill s per prompt token \param perDecode s per sequence
template <class N>
LinearEquilibrium<N> linearEquilibrium(const N& rate, const N& prompt, const N& output, const N& fixed,
                                       const N& perPrefill, const N& perDecode) {
    LinearEquilibrium<N> out;
    out.load = rate * (perPrefill * prompt + perDecode * output);
    out.step = valueOf(out.load) < 1 ? fixed / (1 - out.load) : N(std::numeric_limits<double>::infinity());
    out.batch = rate * output * out.step;
    out.chunk = rate * prompt * out.step;
    return out;
}

} // namespace alidade::reference
