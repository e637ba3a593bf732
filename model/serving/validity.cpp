// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/validity.h"

namespace alidade {

ClosedFormLimit closedFormLimit(const RequestLoad& load, const ServingState& state) {
    constexpr double fewPreemptions = 5e-4; // per request
    constexpr double shortWait = 0.03;      // of the time to the first token
    constexpr double muchPrefill = 0.42;    // of the time
    // Fewer users than replicas are one user some of the time, whose own shares count.
    const double present =
        load.concurrency > 0 && load.concurrency < load.together ? load.concurrency / load.together : 1;
    using enum ClosedFormLimit;
    return state.utilization > closedFormUtilization * present              ? nearCapacity
           : state.preemptionsPerRequest > fewPreemptions                   ? fullCache
           : state.queueWait > shortWait * state.ttft                       ? waitsForPlaces
           : state.prefillShare > muchPrefill * present                     ? mostlyPrefill
           : load.concurrency > 0 && load.outputCv <= 0 && load.inputCv > 0 ? equalAnswers
           : load.concurrency <= 0 && load.samples > 1                      ? arriveTogether
                                                                            : none;
}

} // namespace alidade
