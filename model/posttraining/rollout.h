// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/posttraining/response_lengths.h"

#include <array>
#include <cstddef>

namespace alidade {

/// What the engines of a rollout are asked for in one step of reinforcement learning.
struct RolloutLoad {
    double sequences = 1; ///< that one step takes, of all engines
    double engines = 1;
    double places = 1; ///< sequences that an engine works on at once, at most; by memory or its largest batch
    /// Sequences of later steps that may be under way alongside those of this one, as a share of them
    /// (bounded staleness with partial rollout); 0: the step ends with its last sequence.
    double ahead = 0;
    ResponseLengths lengths;
};

/// One moment of a rollout: seconds from its start and sequences that an engine works on.
struct RolloutPoint {
    double seconds = 0, batch = 0;
};

/// A rollout by order statistics.
struct Rollout {
    static constexpr std::size_t points = 24;

    double seconds = 0;
    double longest = 0;     ///< tokens of the sequence that ends it
    double meanBatch = 0;   ///< sequences of an engine, mean over its steps
    double steps = 0;       ///< of an engine
    double refillEnd = 0;   ///< s, when no waiting sequence is left to take a free slot
    double tailSeconds = 0; ///< of them with less than half of the first batch
    double tailShare = 0;   ///< of the sequences, that still run when the tail begins
    std::array<RolloutPoint, points> profile{};
};

/// Seconds of one engine step with so many sequences that have made so many tokens each.
template <class F>
concept RolloutStep = requires(const F& step, double value) {
    { step(value, value) } -> std::convertible_to<double>;
};

namespace rolling {

/// How much longer the last of several engines takes than an engine with the mean load and the longest
/// sequence of all: each has its own longest sequence and its own sum of lengths. For one engine what is
/// left is the correction of the expected longest sequence, a few percent.
/// \param fixed s of a step \param perSequence s that a sequence adds to it
double lastEngineFactor(const RolloutLoad& load, double fixed, double perSequence);

/// Tokens after which a rollout without refilling ends.
double endOf(const RolloutLoad& load);
/// The same from the end of refilling on, when the sequences are of random age.
double drainEndOf(const RolloutLoad& load);

/// Sequences of an engine after so many tokens of a rollout in which all start together.
double underWay(const RolloutLoad& load, double sequences, double tokens);

} // namespace rolling

/// The time of a rollout: the integral of the step time over the tokens of the longest sequence, with the
/// sequences that are still under way. Where more sequences wait than there are places, the places are
/// refilled until none waits; then those under way, of random age, drain.
template <RolloutStep F>
Rollout rollout(const RolloutLoad& load, const F& step) {
    const double each = load.sequences / load.engines;
    const double mean = load.lengths.mean();
    const double places = load.places < 1 ? 1 : load.places;
    const double all = each * (1 + load.ahead);
    const bool waits = all > places;
    Rollout out;
    const double start = waits ? places : all;
    const double first = step(start, mean / 2), one = step(1, mean);
    const double perSequence = start > 1 ? (first - one) / (start - 1) : 0;
    // Draining: from all that start together, or from those of random age once none waits.
    const auto drain = [&](bool random, double from) {
        Rollout r;
        r.longest = random ? rolling::drainEndOf(load) : rolling::endOf(load);
        double seconds = 0, tokens = 0, worked = 0, before = 0;
        double previous = step(from < 1 ? 1 : from, random ? mean / 2 : 0);
        double batchBefore = from;
        r.profile[0] = {0, from};
        for (std::size_t i = 1; i < Rollout::points; ++i) {
            const double x = static_cast<double>(i) / (Rollout::points - 1.0);
            // Denser where most sequences end; the last one right before the limit, which cuts all at once.
            const double at =
                i + 1 == Rollout::points ? r.longest * (1 - 1e-9) : r.longest * x * (0.4 + 0.6 * x);
            const double left = random ? places * load.lengths.residualAbove(at)
                                       : rolling::underWay(load, from / (1 + load.ahead), at);
            const double batch = left < 1 ? 1 : left;
            const double now = step(batch, random ? mean / 2 + at / 2 : at);
            seconds += (at - before) * (now + previous) / 2;
            worked += (at - before) * (batch + batchBefore) / 2;
            tokens += (at - before) * (left + batchBefore) / 2;
            before = at;
            previous = now;
            batchBefore = left;
            r.profile[i] = {seconds, left};
        }
        r.seconds = seconds;
        r.steps = r.longest;
        r.meanBatch = worked / r.longest;
        return std::pair(r, tokens);
    };
    if (!waits) {
        const auto [whole, tokens] = drain(false, all);
        out = whole;
        if (load.ahead <= 0) // the tokens are known exactly; the integral of what each costs is not
            out.seconds += perSequence * (each * load.lengths.meanBelow(whole.longest) - tokens);
    } else {
        const auto [tail, drained] = drain(true, places);
        const double refill = each * mean > drained ? (each * mean - drained) / places : 0;
        const Rollout whole = drain(false, places).first; // at least what one full batch takes
        out = tail;
        out.refillEnd = refill * first;
        out.seconds = tail.seconds + out.refillEnd;
        if (load.ahead * each >= places) { // there are always sequences to refill with
            out.seconds = each * mean / places * first;
            out.steps = each * mean / places;
            out.meanBatch = places;
            out.refillEnd = out.seconds;
            out.profile.fill({out.seconds, places});
            out.profile[0] = {0, places};
            return out;
        }
        if (out.seconds < whole.seconds) {
            out = whole;
        } else {
            out.steps = refill + tail.longest;
            out.meanBatch = (refill * places + tail.meanBatch * tail.longest) / out.steps;
            for (std::size_t i = 0; i < Rollout::points; ++i)
                out.profile[i].seconds += i == 0 ? 0 : out.refillEnd;
        }
    }
    const double factor =
        load.ahead > 0 ? 1 : rolling::lastEngineFactor(load, one - perSequence, perSequence);
    out.seconds *= factor;
    out.refillEnd *= factor;
    for (RolloutPoint& point : out.profile)
        point.seconds *= factor;
    for (const RolloutPoint& point : out.profile) {
        if (point.batch < start / 2) {
            out.tailSeconds = out.seconds - point.seconds;
            out.tailShare = point.batch * load.engines / load.sequences;
            break;
        }
    }
    return out;
}

} // namespace alidade
