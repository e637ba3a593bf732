// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/chunk_bound.h"
#include "model/serving/loaded_engine.h"

#include <limits>

namespace alidade {

DecodingBeside::DecodingBeside(const LoadedEngine& e, double users)
    : users(users)
    , mixed(e.limits.mixed)
    , prompts(e.means.prompt, e.load.inputCv, e.chunkBeside(std::min(users, e.balancedBatch())),
              std::min(0.95, users / e.means.decodeSteps * e.means.prompt /
                                 e.chunkBeside(std::min(users, e.balancedBatch()))),
              std::min(users, 40.0) * e.means.prompt * (1 + e.load.inputCv)) {}

template <class Backlog>
ClosedSolution<Backlog> solveClosed(const LoadedEngine& e, double users) {
    const PromptSizes p = e.prompts();
    const double perStep = users / e.means.decodeSteps;
    const double chunk = e.chunkBeside(std::min(users, e.balancedBatch()));
    Backlog backlog({.prompt = p.mean,
                     .promptCv = p.cv,
                     .chunk = chunk,
                     .span = e.closedSpan(users, chunk),
                     .others = std::max(0.0, users - 1) / users,
                     .alone = e.limits.mixed ? 0 : e.alone});
    const DecodingBeside beside(e, users);
    typename Backlog::Lattice seconds{}, completions{}, decoding{};
    seconds[0] = e.table.decode(users);
    completions[0] = perStep;
    decoding[0] = users;
    for (int cell = 1; cell < Backlog::cells; ++cell) {
        const double tokens = backlog.stepTokens(cell);
        const std::size_t i = static_cast<std::size_t>(cell);
        decoding[i] = beside(backlog.tokens(cell));
        completions[i] = decoding[i] / e.means.decodeSteps * chunksOf(tokens, chunk);
        seconds[i] = stepsOf(tokens, chunk, [&](double part) { return e.prefillStep(decoding[i], part); });
    }
    backlog.solve(seconds, completions, e.limits.mixed ? 0 : e.table.prefill(1));
    // The lattice has an end: what would be beyond it is lost, so that a line that fills it seems to be
    // served faster than steps can take tokens.
    const double most = e.limits.mixed ? chunkBoundRate(e) : std::numeric_limits<double>::infinity();
    return {backlog, decoding, std::min(backlog.meanArrivals() / backlog.meanStep(), most)};
}

template ClosedSolution<CoarseBacklog> solveClosed(const LoadedEngine&, double);
template ClosedSolution<MeanBacklog> solveClosed(const LoadedEngine&, double);
template ClosedSolution<PromptBacklog> solveClosed(const LoadedEngine&, double);

namespace {

/// Requests of equal length that began together end together, and the prompts that follow them come at once.
/// \tparam Times MeanTime or TimeDistribution, of first tokens
template <class Times>
struct Wave {
    double share = 0; ///< of the users that are in step, 0..1
    Times first{};
    double period = 0;                    ///< s from a request to the next one of a user
    double gap = 0, gapShare = 0;         ///< s of a longer gap, of all gaps
    double lastGap = 0, lastGapShare = 0; ///< the same of steps that take the rest of a prompt
};

/// After g requests of each user the phases of two differ by a normal with 2 g variances of a length: the
/// chance of the same step is its density at zero.
double shareInStep(const LoadedEngine& e, double users) {
    constexpr double pi = 3.14159265358979;
    // In mixed steps a longer prompt takes more of them, unless all fit into one.
    const double chunk = e.chunkBeside(users), beyond = std::max(0.0, 1 - chunk / (users * e.means.prompt));
    const double chunks = e.limits.mixed ? e.load.inputCv * e.means.prompt / chunk * beyond : 0;
    const double deviation = std::hypot(e.load.outputCvInLoop() * e.means.decodeSteps, chunks);
    const double together = 1 / std::sqrt(1 + 4 * pi * e.means.fitted.requestsOfUser * deviation * deviation);
    const double chance = 1 / std::max(1.0, e.means.decodeSteps);
    return users > 1 ? std::max(0.0, (together - chance) / std::max(1e-9, 1 - chance)) : 0;
}

/// Prefill first: no sequence decodes before the last prompt of the wave is done.
template <class Times>
void waveOfPrompts(const LoadedEngine& e, double users, Wave<Times>& out) {
    const double chunk = e.limits.chunkTokens, decode = e.table.decode(users);
    const auto timeOf = [&](double tokens) {
        return stepsOf(tokens, chunk, [&](double part) { return e.table.prefill(part); });
    };
    // The sum of the prompts at three points (Gauss-Hermite), a request anywhere in it.
    const double deviation = std::sqrt(3.0) * std::min(0.5, e.load.inputCv / std::sqrt(users));
    for (const double point : {-1.0, 0.0, 1.0}) {
        const double all = users * e.means.prompt * (1 + point * deviation);
        const double weight = point == 0 ? 2.0 / 3 : 1.0 / 6;
        const int places = static_cast<int>(std::clamp(std::round(users), 1.0, 16.0));
        for (int i = 0; i < places; ++i) {
            const double here = std::max((i + 1.0) / places * all, all / users);
            out.first.add(timeOf(std::min(all, chunksOf(here, chunk) * chunk)), weight / places);
        }
        out.period += weight * (timeOf(all) + e.means.decodeSteps * decode);
    }
    out.gap = out.period - (e.means.decodeSteps - 1) * decode - out.first.mean();
    out.gapShare = 1 / e.means.decodeSteps;
}

/// Mixed steps with equal prompts. Those that shared a step at the start go on sharing it: as many as fit
/// into a chunk together, or into the last chunk of a longer prompt; the others come when they are done.
template <class Times>
void waveOfEqualPrompts(const LoadedEngine& e, double users, Wave<Times>& out) {
    const double chunk = e.chunkBeside(users), prompt = e.means.prompt, decode = e.table.decode(users);
    const double whole = chunksBeforeLast(prompt, chunk), rest = prompt - whole * chunk;
    const double together = std::clamp(std::floor(chunk / rest + 1e-9), 1.0, users);
    const double full = e.prefillStep(users - 1, chunk);
    double steps = 0, seconds = 0;
    const auto group = [&](double members, double groups) {
        const double beside = whole > 0 ? users - 1 : users - members;
        const double last = e.prefillStep(beside, members * rest), share = groups / users;
        if (whole > 0) {
            out.first.add((whole + 1) * full, share * (members - 1));
            out.first.add(whole * full + last, share);
        } else {
            out.first.add(last, share * members);
        }
        steps += groups * (members * whole + 1);
        seconds += groups * (members * whole * full + last);
    };
    const double groups = std::floor(users / together + 1e-9), left = users - groups * together;
    group(together, groups);
    if (left > 1e-9)
        group(left, 1);
    // A user's own prefill is not a gap.
    const double cycle = e.means.decodeSteps + whole + 1;
    out.period = seconds + std::max(0.0, cycle - steps) * decode;
    const double others = std::clamp((steps - whole - 1) / e.means.decodeSteps, 0.0, 1.0);
    const double lastSteps = (groups + (left > 1e-9 ? 1 : 0)) / steps;
    out.gap = full;
    out.gapShare = others * (1 - lastSteps);
    out.lastGap = e.prefillStep(whole > 0 ? users - 1 : users - together, together * rest);
    out.lastGapShare = others * lastSteps;
}

template <class Times>
Wave<Times> waveOf(const LoadedEngine& e, double users) {
    Wave<Times> out{.share = shareInStep(e, users)};
    const bool chunkBound =
        e.limits.mixed &&
        users * e.means.prompt > e.means.fitted.inStepUpTo * e.means.decodeSteps * e.chunkBeside(users);
    if (out.share < 1e-3 || chunkBound) {
        out.share = 0;
        return out;
    }
    (e.limits.mixed ? waveOfEqualPrompts<Times> : waveOfPrompts<Times>)(e, users, out);
    return out;
}

/// Users that are in the engine or in its line, not in the overhead before it.
double usersInside(const LoadedEngine& e) {
    const double all = e.load.concurrency, overhead = e.limits.requestOverhead;
    if (overhead <= 0)
        return all;
    double inside = all;
    for (int round = 0; round < 2; ++round) {
        const double rate = solveClosed<MeanBacklog>(e, std::min(inside, e.means.maxBatch)).rate;
        inside = std::max(std::min(all, 0.5), all - rate * overhead);
    }
    return inside;
}

/// Completions come at the end of a step; after an overhead the next request meets some later step.
double residualAfterOverhead(const LoadedEngine& e, double users, double gap) {
    const double overhead = e.limits.requestOverhead;
    return overhead > 0 ? (std::ceil(overhead / gap) * gap - overhead) * std::clamp(users - 1, 0.0, 1.0) : 0;
}

/// s until the first token of a request that is in the engine.
double meanFirst(const LoadedEngine& e, double users, const MeanBacklog& backlog) {
    const double beside = e.limits.mixed ? users - 1 : 0;
    const double chunk = e.chunkBeside(std::min(users, e.balancedBatch()));
    const auto step = [&](double tokens) { return e.prefillStep(beside, tokens); };
    return backlog.firstToken(step(1), e.meanTimeAlone(chunk, step)).seconds;
}

/// s of a gap between decodes, at most: a full step where prefill rides along. More users than those in
/// balance with a chunk wait for their prefill instead.
double longestGap(const LoadedEngine& e, double users) {
    if (!e.limits.mixed)
        return std::numeric_limits<double>::infinity();
    const double decodes = std::max(1.0, std::min(users, e.balancedBatch()));
    return e.table.mixed(decodes, e.chunkBeside(decodes));
}

/// \param out means of the loop \param first s, of a request in the engine \param before s until it is there
/// \param crowd what it waits for room
void addPercentiles(const LoadedEngine& e, double users, double first, double before,
                    const LoadedEngine::Crowding& crowd, ServingState& out) {
    const auto solution = solveClosed<PromptBacklog>(e, users);
    const auto wave = waveOf<TimeDistribution>(e, users);
    const DecodingBeside beside(e, users);
    TimeDistribution times = solution.backlog.timesToFirstToken(
        [&](double tokens, double waiting) { return e.prefillStep(beside(waiting), tokens); });
    times.blend(wave.first, wave.share);
    out.ttftPercentiles =
        percentilesOf(times.delayed(crowd.probability, crowd.wait), before, first / times.mean());
    Gaps gaps{e};
    const Additions more = e.limits.mixed
                               ? mixedAdditions(solution.backlog, out.decodeStep, &solution.decoding)
                               : pauseAdditions(e, solution.backlog);
    gaps.add(users, more, 1 - wave.share);
    gaps.add(users, wave.gap, wave.share * wave.gapShare);
    gaps.add(users, wave.lastGap, wave.share * wave.lastGapShare);
    gaps.add(users, out.decodeStep, wave.share * (1 - wave.gapShare - wave.lastGapShare));
    out.itlPercentiles = percentilesOf(gaps.gaps, 0, 1 / e.limits.tokensPerStep);
}

} // namespace

ServingState closedLoop(const LoadedEngine& e, ServingDetail detail) {
    ServingState out;
    const double inside = usersInside(e), steps = e.means.decodeSteps;
    const double users = std::min(inside, e.means.maxBatch);
    const auto solution = solveClosed<MeanBacklog>(e, users);
    const auto wave = waveOf<MeanTime>(e, users);
    // s of a user's round in the engine, and what it waits for room before it.
    const double cycle = (1 - wave.share) * users / solution.rate + wave.share * wave.period;
    const double met =
        (1 - wave.share) * meanFirst(e, users, solution.backlog) + wave.share * wave.first.mean();
    // Behind a long prefill little is left of the round, and nothing of it is sure: no step is shorter than
    // one sequence's.
    const double least = e.table.decode(1);
    const double gap = std::clamp((cycle - met) / steps, least, std::max(least, longestGap(e, users)));
    const double first = cycle - gap * steps;
    LoadedEngine::Crowding crowd = e.crowding(users - 1, 0, users / cycle, gap);
    crowd.wait = std::min(crowd.wait, e.means.fitted.longestWaitForRoom * cycle);
    const double rate = users / (cycle + crowd.wait);
    out.requestsPerSecond = rate;
    out.queued = inside - users + rate * crowd.wait;
    out.queueWait = out.queued / rate;
    // Sequences in step are all at their longest at once.
    const double longest = e.limits.memory.meanBytesAt(e.load.inputTokens + e.load.outputTokens);
    const bool full = (inside > users && e.means.memoryBatch < e.limits.maxSequences) ||
                      wave.share * users * longest > e.limits.kvBytes;
    out.preemptionsPerRequest = full ? e.preemptionsWhenFull() : crowd.preemptions;
    out.decodeStep = e.table.decode(users);
    const double before = e.limits.requestOverhead + residualAfterOverhead(e, users, cycle / steps);
    out.ttft = before + out.queueWait + first;
    out.itl = gap / e.limits.tokensPerStep;
    out.e2e = out.ttft + out.itl * steps * e.limits.tokensPerStep;
    out.batch = rate * steps * out.itl * e.limits.tokensPerStep;
    out.inFlight = users;
    out.prefillShare = std::max(0.0, 1 - rate * steps * out.decodeStep / users);
    if (detail == ServingDetail::percentiles)
        addPercentiles(e, users, first, before + (inside - users) / rate, crowd, out);
    return out;
}

} // namespace alidade
