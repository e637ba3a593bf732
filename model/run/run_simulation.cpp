// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/run/run_simulation.h"

#include "model/base/random.h"
#include "model/explain/normal.h"
#include "model/reliability/failure_causes.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace alidade {

namespace {

using Random = std::mt19937_64; // the same numbers on every machine

double exponential(Random& random, double mean) { return -mean * std::log(uniformOf(random())); }

int causeOf(double drawn) {
    int cause = 0;
    for (const FailureCause& each : failureCauses) {
        drawn -= each.share;
        if (drawn < 0)
            break;
        ++cause;
    }
    return std::min(cause, static_cast<int>(failureCauses.size()) - 1);
}

/// \param take called with each failure
template <class Take>
double play(const RunProcess& p, Random& random, double& stalls, Take take) {
    const double cycle = p.interval + p.stall;
    double clock = 0, saved = 0;
    stalls = 0;
    // A run that makes no progress is given up after so many failures: its length counts as endless.
    for (int failures = 0; failures < 10'000'000; ++failures) {
        const double left = p.useful - saved;
        // A checkpoint after each full interval but not at the very end.
        const double checkpoints = std::max(0.0, std::ceil(left / p.interval - 1e-9) - 1);
        const double needed = left + checkpoints * p.stall;
        const double failure = exponential(random, p.mtbf);
        if (failure >= needed) {
            stalls += checkpoints * p.stall;
            return clock + needed;
        }
        const double kept =
            std::clamp(std::floor((failure - p.drain) / cycle), 0.0, std::max(0.0, checkpoints));
        saved += kept * p.interval;
        stalls += kept * p.stall;
        clock += failure;
        double stop = 0;
        for (double again = exponential(random, p.mtbf); again < p.recovery;
             again = exponential(random, p.mtbf)) {
            stop += again;
        }
        stop += p.recovery;
        take(DrawnFailure{clock, failure - kept * cycle, stop, 0}, random);
        clock += stop;
    }
    return HUGE_VAL;
}

/// Planned stops and waiting for nodes lie between the other pieces: they lengthen the run and change
/// nothing else of it.
double withStops(const RunProcess& p, Random& random, double seconds, double& planned) {
    planned = 0;
    if (p.plannedRate > 0) {
        for (double at = exponential(random, 1 / p.plannedRate); at < seconds + planned;
             at += exponential(random, 1 / p.plannedRate)) {
            planned += p.plannedStop;
        }
    }
    return (seconds + planned) / (1 - p.waitingShare);
}

} // namespace

RunProcess runProcess(const Run& run) {
    RunProcess out;
    const double seconds = run.days ? run.days->p50 * secondsPerDay : 0;
    out.useful = seconds * run.goodput;
    out.interval = run.checkpoint.interval;
    out.stall = run.checkpoint.stall;
    out.drain = run.checkpoint.drain;
    out.mtbf = run.mtbf;
    out.recovery = run.recovery;
    for (const LostTime& lost : run.lost) {
        if (lost.cause == plannedCause && seconds > 0) {
            out.plannedStop = lost.restart / lost.times;
            out.plannedRate = lost.times / seconds;
        } else if (isShortage(lost.cause) && seconds > 0) {
            out.waitingShare = lost.restart / seconds;
        }
    }
    return out;
}

DrawnRun drawRun(const RunProcess& process, std::uint64_t seed) {
    Random random(seed);
    DrawnRun out;
    const double seconds = play(process, random, out.stalls, [&out](DrawnFailure failure, Random& r) {
        failure.cause = causeOf(uniformOf(r()));
        out.failures.push_back(failure);
    });
    out.seconds = withStops(process, random, seconds, out.planned);
    return out;
}

std::vector<double> drawLengths(const RunProcess& process, int runs, std::uint64_t seed, RunSpread spread) {
    Random random(seed);
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(std::max(0, runs)));
    for (int i = 0; i < runs; ++i) {
        RunProcess drawn = process;
        if (spread.stepLogSd > 0)
            drawn.useful *= std::exp(spread.stepLogSd * normalQuantile(uniformOf(random())));
        if (spread.rateLogSd > 0) {
            const double rate = std::exp(spread.rateLogSd * normalQuantile(uniformOf(random())));
            drawn.mtbf /= rate;
            drawn.plannedRate *= rate;
        }
        double stalls = 0, planned = 0;
        const double seconds = play(drawn, random, stalls, [](const DrawnFailure&, Random&) {});
        out.push_back(withStops(drawn, random, seconds, planned));
    }
    std::ranges::sort(out);
    return out;
}

} // namespace alidade
