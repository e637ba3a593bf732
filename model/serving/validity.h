// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/request_load.h"

namespace alidade {

/// What keeps the closed form from being trusted; none where it holds.
enum class ClosedFormLimit {
    none,
    nearCapacity,   ///< load of more than 80 % of what the engine carries
    fullCache,      ///< requests are preempted
    waitsForPlaces, ///< much of the time to the first token is a wait for a place in the batch or the cache
    mostlyPrefill,  ///< prefill takes nearly half of the time
    equalAnswers,   ///< a closed loop in which all answers are equally long and prompts are not
    arriveTogether  ///< several requests come at once, for one question
};

/// Where the closed form says by itself that it may be off, from what it finds. Against the played engine, on
/// random workloads of all kinds (tests/model/tst_serving_agreement.cpp), it is within 10 % in mean and 90th
/// percentile of TTFT and ITL in 99 of 100 inside these limits; outside, an estimate shows the simulation.
///
/// Utilization is the throughput over that of a full engine, which spends its time on prefill as well as on
/// decoding: requests/s completed over maximumRequestRate.
///
/// The limits have reasons. Near capacity and with a full cache the latencies are those of rare long queues.
/// Preempted requests come again, with what they had made, in no order that a mean describes. With prefill
/// most of the time the decodes are what happens in between, and their gaps jump between none and several
/// prompts. Equal answers keep the users that started together in step until one of their prompts needs one
/// step more than the others': the figures depend on how many requests came before, and have no steady state
/// to be in. Samples of a question make the batch that each of them sees larger than the mean batch, which
/// the mean gap of the closed form goes by: it is 11 % short with 16 of them on each of eight engines.
ClosedFormLimit closedFormLimit(const RequestLoad& load, const ServingState& closedForm);

/// Highest utilization at which the closed form is taken.
constexpr double closedFormUtilization = 0.8;

} // namespace alidade
