// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/loop_run.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace alidade {

namespace {

/// Benchmarks commonly send ten requests per user.
double rounds(const LoopRun& run) {
    constexpr double usual = 10;
    return std::max(1.0, run.requestsPerUser > 0 ? run.requestsPerUser : usual);
}

/// The mean of sqrt(r) over the rounds r = 1, 2, ... after the first, as an integral.
double meanRootOfRounds(double rounds) {
    return rounds > 1 ? (std::pow(rounds - 0.5, 1.5) - std::pow(0.5, 1.5)) / 1.5 / (rounds - 1) : 1;
}

} // namespace

// The prompts of the first round come at once. Those of later ones come in a window of the time that an
// answer takes, since answers of nearly equal length end together: after r rounds the users' phases differ by
// sqrt(r) deviations of a length, an interval that a uniform density fills over 2 sqrt(pi) of it. In the
// window prompts wait as in M/D/1, but no longer than a group of them lasts.
double firstTokenDelay(const LoopRun& run, const LoopRunConstants& constants) {
    const double others = run.users - 1, n = rounds(run);
    // Whether a run of equal answers starts at once is known only where its requests are counted.
    if (others <= 0 || run.answer <= 0 || (run.lengthCv <= 0 && run.requestsPerUser <= 0))
        return 0;
    const double cv = std::max(run.lengthCv, constants.leastCv);
    const double width = std::min(1.0, 2 / std::numbers::inv_sqrtpi * cv * meanRootOfRounds(n));
    const double prompt = std::max(run.promptsOfOthers / others, 1e-9);
    const double busy = std::min(run.promptsOfOthers / (width * run.answer), constants.fullest);
    const double md1 = busy / (2 * (1 - busy));
    const double most = constants.group * std::sqrt(std::min(constants.spread * run.answer / prompt, others));
    const double wait = prompt * md1 * most / (md1 + most);
    return run.burst / 2 / n + (1 - 1 / n) * std::max(0.0, wait - run.waitInSteadyState);
}

// After the last request is sent, each user still has the rest of an answer, (1 + cv^2)/2 of its mean on
// average (inspection paradox), and the run ends with the longest of these: of lengths that are uniform with
// that cv it is, among n users, 1 - 1/sqrt(n) of the longest answer. With fewer users left answers are
// faster; half-way between full and alone on average.
double throughputShare(const LoopRun& run) {
    if (run.requestsPerUser <= 0 || run.lengthCv <= 0 || run.answer <= 0 || run.users <= 1)
        return 1;
    const double cv = run.lengthCv, n = rounds(run);
    const double longest = (1 + cv * std::numbers::sqrt3) * (1 - 1 / std::sqrt(run.users));
    const double pace = (1 + std::min(1.0, run.answerAlone / run.answer)) / 2;
    const double steady = n - std::min(n, (1 + cv * cv) / 2);
    return n / std::max(n, steady + longest * pace);
}

} // namespace alidade
