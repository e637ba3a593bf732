// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/batch_distribution.h"
#include "model/serving/loaded_engine.h"
#include "model/serving/steady_state.h"

namespace alidade {

namespace {

/// The prompts of an open engine that decodes so many sequences. \param empty share of time with none
template <class Backlog>
Backlog openBacklog(const LoadedEngine& e, double decoding, double empty) {
    const PromptSizes p = e.prompts();
    const double rate = e.load.requestsPerSecond;
    const double chunk = e.chunkBeside(decoding), decode = e.table.decode(decoding);
    const double whole = e.limits.mixed ? e.table.mixed(decoding, chunk) : e.table.prefill(chunk);
    Backlog backlog({.prompt = p.mean,
                     .promptCv = p.cv,
                     .chunk = chunk,
                     .rate = rate,
                     .span = e.span(rate * std::min(whole, std::max(decode, e.promptAlone())), chunk),
                     .emptyShare = empty,
                     .alone = e.limits.mixed ? 0 : e.alone});
    typename Backlog::Lattice seconds{};
    seconds[0] = decode;
    for (int cell = 1; cell < Backlog::cells; ++cell) {
        const double tokens = backlog.stepTokens(cell);
        const std::size_t i = static_cast<std::size_t>(cell);
        if (cell > 1 && tokens == backlog.stepTokens(cell - 1)) {
            seconds[i] = seconds[i - 1];
            continue;
        }
        seconds[i] = stepsOf(tokens, chunk, [&](double part) {
            const double alone = !e.limits.mixed || empty > 0 ? e.table.prefill(part) : 0;
            return e.limits.mixed ? (1 - empty) * e.table.mixed(decoding, part) + empty * alone : alone;
        });
    }
    backlog.solve(seconds, {}, e.limits.mixed ? 0 : e.table.prefill(1));
    return backlog;
}

/// Step times up to a chunk, read often: on a fine grid.
struct StepCurve {
    static constexpr int parts = 96;
    std::array<double, parts + 1> seconds{};
    double perToken;

    template <class Step>
    StepCurve(double chunk, const Step& step)
        : perToken(parts / chunk) {
        for (int i = 0; i <= parts; ++i)
            seconds[static_cast<std::size_t>(i)] = step(std::max(i, 1) * chunk / parts);
    }
    double operator()(double tokens, double /*waiting*/) const {
        const double place = std::min(tokens * perToken, static_cast<double>(parts));
        const auto low = static_cast<std::size_t>(std::min(place, parts - 1.0));
        return seconds[low] + (place - static_cast<double>(low)) * (seconds[low + 1] - seconds[low]);
    }
};

/// The engine at a batch: its prompts, and what they do to the gaps between decodes.
/// \tparam Backlog MeanBacklog for means, PromptBacklog for distributions
template <class Backlog>
struct Round {
    double decoding, empty; ///< sequences; share of time without any
    Backlog busy, met;      ///< prompts while there are decodes, and as an arrival meets them
    double decode;          ///< s of a step without prefill

    Round(const LoadedEngine& e, double batch, double emptyShare)
        : decoding(std::max(1.0, batch / (1 - emptyShare)))
        , empty(emptyShare)
        , busy(openBacklog<Backlog>(e, decoding, e.limits.mixed ? 0 : empty))
        , met(e.limits.mixed && empty > 1e-3 ? openBacklog<Backlog>(e, decoding, empty) : busy)
        , decode(e.table.decode(decoding)) {}

    double step(const LoadedEngine& e, double tokens) const {
        return (1 - empty) * e.prefillStep(decoding, tokens) + empty * e.table.prefill(tokens);
    }
    using FirstToken = typename Backlog::FirstToken;
    FirstToken first(const LoadedEngine& e) const {
        const double alone =
            e.meanTimeAlone(e.chunkBeside(decoding), [&](double tokens) { return step(e, tokens); });
        return met.firstToken(step(e, 1), alone);
    }
    double inSteps(const FirstToken& first) const {
        return std::max(0.0, first.seconds - met.meanResidual());
    }
    /// Part of a sequence's decode steps that have prefill since it begins among the prompts that came behind
    /// its own: their tokens, beyond those that any step finds, and what comes while they hold up the steps.
    double amongPrompts(const LoadedEngine& e, const FirstToken& first) const {
        const double tokens = first.behind - busy.meanTokens(), taken = busy.meanTokensTaken();
        const double longer = meanAddition(busy, decode, nullptr, 1) / taken; // s of one more token
        const double again = std::min(0.9, e.load.requestsPerSecond * e.means.prompt * longer);
        return std::clamp(tokens / (1 - again) / taken / e.means.decodeSteps, 0.0, 0.9);
    }
    /// s that prefill adds to a gap.
    double addition(const LoadedEngine& e, const FirstToken& first) const {
        if (e.limits.mixed)
            return meanAddition(busy, decode, nullptr, amongPrompts(e, first));
        const auto pause = busy.pause();
        const double own = 1 / e.means.decodeSteps;
        return (1 - own) * pause.mean + own * (pause.longer - 1) * inSteps(first);
    }
    /// The same with their distribution, on a finer lattice than that of the means.
    template <class Coarser>
    Additions additions(const LoadedEngine& e, const Coarser& means) const {
        const auto first = means.first(e);
        if (e.limits.mixed)
            return mixedAdditions(busy, decode, nullptr, means.amongPrompts(e, first));
        const double own = 1 / e.means.decodeSteps;
        const double behind = (busy.pause().longer - 1) * means.inSteps(first);
        const double again = 1 - std::exp(-e.load.requestsPerSecond * e.promptAlone());
        Additions out = pauseAdditions(e, busy);
        out.scale(1 - own);
        out.add(0, own * (1 - again));
        out.add(behind / again, own * again);
        return out;
    }
};

/// \param batches of the engine in equilibrium \param first s \param held, crowd what waits for a place
void addPercentiles(const LoadedEngine& e, const Round<MeanBacklog>& means, double batch, double first,
                    const BatchDistribution& batches, double waits, ServingState& out) {
    const Round<PromptBacklog> round(e, batch, means.empty);
    const TimeDistribution times = round.met.timesToFirstToken(
        StepCurve(e.chunkBeside(round.decoding), [&](double tokens) { return round.step(e, tokens); }));
    out.ttftPercentiles =
        percentilesOf(times.delayed(waits, out.queueWait), e.limits.requestOverhead, first / times.mean());
    const Additions more = round.additions(e, means);
    Gaps gaps{e};
    const BatchGroups groups(batches, e.table);
    for (std::size_t i = 0; i < groups.size; ++i)
        gaps.add(groups.batch[i], more, groups.share[i]);
    out.itlPercentiles = percentilesOf(gaps.gaps, 0, 1 / e.limits.tokensPerStep);
}

/// What makes the number of sequences that decode, and the line of those that wait for a place.
struct BatchLaw {
    double stepsPerSecond, slower, peakedness, variability, limit, load;

    /// \param decode s of a step alone \param addition s of prefill in the mean gap \param first s
    BatchLaw(const LoadedEngine& e, double decode, double addition, double first)
        : stepsPerSecond(e.load.requestsPerSecond * e.means.decodeSteps)
        , slower(1 + addition / decode)
        , load(e.load.requestsPerSecond / e.maximumRate) {
        // Prefill stops the decodes while more requests come: they see them in clumps, those of a busy period
        // (Borel), and meet each other for the time that two lengths have in common (Eick, Massey, Whitt
        // 1993).
        const double cv2 = e.load.arrivalCv * e.load.arrivalCv, arrivals2 = cv2 * slower * slower;
        peakedness = 1 + (cv2 - 1) * commonTime(e.load.outputCv) + cv2 * (slower * slower - 1);
        variability = (arrivals2 + e.load.outputCv * e.load.outputCv) / 2;
        // Places that prefill leaves to decoding: at low load those that it does not take, at high load its
        // share.
        const double inPrefill = e.load.requestsPerSecond * first;
        const double decodes = e.means.decodeSteps * slower * decode, all = decodes + first;
        limit = std::max({1.0, e.means.maxBatch - inPrefill, e.means.maxBatch * decodes / all});
    }
    BatchDistribution batches(const LoadedEngine& e, double spread) const {
        const auto gap = [&](double n) { return slower * e.table.decode(std::max(n, 1.0)); };
        return {stepsPerSecond, gap, limit, load, spread, variability, e.means.fitted};
    }
    /// s between two decodes of a sequence, mean over tokens: more load only moves their batches up.
    double meanGap(const LoadedEngine& e, const BatchDistribution& batches) const {
        return slower * stepOfTokens(batches, e.table);
    }
};

} // namespace

ServingState openLoop(const LoadedEngine& e, ServingDetail detail) {
    const double rate = e.load.requestsPerSecond, steps = e.means.decodeSteps;
    // The batch slows the prompts, which slow the batch: once on a coarse lattice, then on a finer one. Two
    // rounds at any load keep the curve over the load smooth.
    double before = expectedBatch(e.load, e.means, e.table), empty = std::exp(-before);
    {
        const Round<CoarseBacklog> coarse(e, before, empty);
        const auto first = coarse.first(e);
        const BatchLaw law(e, coarse.decode, coarse.addition(e, first), first.seconds);
        const BatchDistribution batches = law.batches(e, 1);
        before = batches.mean();
        empty = batches.empty();
    }
    const Round<MeanBacklog> round(e, before, empty);
    const auto firstToken = round.first(e);
    const double first = firstToken.seconds, inPrefill = rate * first;
    const BatchLaw law(e, round.decode, round.addition(e, firstToken), first);
    const BatchDistribution batches = law.batches(e, 1), held = law.batches(e, law.peakedness);
    // Little's law: the time that a sequence decodes, at the rate that they come.
    const double gap = law.meanGap(e, batches), batch = std::min(rate * steps * gap, law.limit);
    const LoadedEngine::Crowding crowd =
        e.crowding(batch + inPrefill, law.peakedness * batch + inPrefill, rate, gap);
    ServingState out{.requestsPerSecond = rate, .batch = batch, .decodeStep = round.decode};
    out.queueWait = std::max(held.inLine() / rate, crowd.wait);
    out.queued = rate * out.queueWait;
    out.preemptionsPerRequest = crowd.preemptions;
    out.ttft = e.limits.requestOverhead + out.queueWait + first;
    out.itl = gap / e.limits.tokensPerStep;
    out.e2e = out.ttft + gap * steps;
    out.inFlight = std::min(batch + inPrefill, e.means.maxBatch);
    out.prefillShare =
        (1 - round.empty) * (1 - 1 / law.slower) + round.empty * std::min(1.0, rate * e.promptAlone());
    if (detail == ServingDetail::percentiles)
        addPercentiles(e, round, before, first, batches, std::max(held.waiting(), crowd.probability), out);
    return out;
}

} // namespace alidade
