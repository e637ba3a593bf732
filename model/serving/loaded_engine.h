// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/normal.h"
#include "model/serving/prompt_backlog.h"
#include "model/serving/step_table.h"
#include "model/serving/waiting_prompts.h"

namespace alidade {

// The parts of the closed form: an engine with its load and its measured step times, and what the solutions
// of open and closed loops share.
//
// Why a closed form: playing an engine step by step takes milliseconds to seconds, and a search or a load
// curve asks for thousands of states. The equilibrium comes from three ideas: Little's law ties the batch to
// the gap between tokens; the sequences that decode are those of a processor-sharing server; the prompts that
// wait are a Markov chain (prompt_backlog.h). Where it is not accurate enough (validity.h), the estimate
// takes the simulation (simulation.h), and tests hold the two together.
//
// Invariants: step times come from the StepTable alone, so that the solution calls the model of a step a
// fixed number of times; means do not depend on whether percentiles are asked for; nothing allocates.
// Threads: all are values and pure functions. A LoadedEngine refers to what its caller keeps, and is not
// changed once its parts are filled in, so that threads may read it together.

/// Time that two log-normal lengths have in common, over their mean: E min / E.
inline double commonTime(double cv) { return 2 * normalBelow(-std::sqrt(std::log1p(cv * cv) / 2)); }

/// Mean and tail of prompts as the backlog sees them.
struct PromptSizes {
    double mean, cv;
    double biased() const { return mean * (1 + cv * cv); } ///< mean size met by a random token
    double long999() const {
        const double variance = std::log1p(cv * cv);
        return mean * std::exp(3.09 * std::sqrt(variance) - variance / 2);
    }
};

/// Log-normal prompts in equally likely parts, by their means; one part where all are equal.
class PromptParts {
public:
    static constexpr int most = 20;
    PromptParts() = default;
    explicit PromptParts(const PromptSizes& sizes);
    double probability() const { return 1.0 / static_cast<double>(size_); }
    const double* begin() const { return tokens_.data(); }
    const double* end() const { return tokens_.data() + size_; }

private:
    std::array<double, most> tokens_{};
    std::size_t size_ = 0;
};

/// A gamma distribution by its mean and squared coefficient of variation (Wilson and Hilferty 1931): between
/// the normal and the log-normal one, as sums of a few log-normal sizes are.
struct GammaTail {
    double mean, cv2;
    double above(double x) const;
    /// Mean of what is more than x.
    double excess(double x) const;
};

/// Everything that the parts of the solution share.
struct LoadedEngine {
    const RequestLoad& load;
    const EngineLimits& limits;
    const LoadMeans& means;
    const StepTable& table;
    PromptParts parts = {};
    double alone = 0;       ///< s, mean over prompts alone, in steps of prefill
    double maximumRate = 0; ///< requests/s, of the open loop

    PromptSizes prompts() const { return {means.prompt, load.inputCv}; }
    double chunkBeside(double decodes) const {
        return limits.mixed ? std::max(1.0, limits.chunkTokens - decodes) : limits.chunkTokens;
    }
    double span(double perStep, double chunk) const {
        const PromptSizes p = prompts();
        const double tokens = perStep * p.mean, busy = std::min(0.9, tokens / chunk);
        return std::max(1.3 * p.long999(), 2 * p.mean) + 2 * tokens +
               5 * std::sqrt(perStep * p.mean * p.biased()) + 8 * p.biased() * busy * busy / (1 - busy);
    }
    /// Where completions bring more than a chunk takes, most users wait in the backlog.
    double closedSpan(double users, double chunk) const {
        const double perStep = users / means.decodeSteps, whole = users * means.prompt;
        const double usual = span(perStep, chunk);
        return limits.mixed && perStep * means.prompt > 0.7 * chunk
                   ? std::max(usual, 1.2 * whole)
                   : std::min(usual, 2 * whole + 1.3 * prompts().long999());
    }
    double prefillStep(double decoding, double tokens) const {
        return limits.mixed ? table.mixed(decoding, tokens) : table.prefill(tokens);
    }
    /// Squared coefficient of variation of what a sequence takes of a limit on bytes.
    double sizeVariance() const {
        const double bytes = limits.memory.bytesPerToken * means.contextDeviation / means.sequenceBytes;
        return bytes * bytes;
    }
    /// Requests that find no room in the KV cache since the others happen to be many or long.
    struct Crowding {
        double probability = 0, wait = 0; ///< s, mean over all requests
        double preemptions = 0;           ///< per request
    };
    /// Preemptions per request of a full cache: what the answer grows by over what the prompt frees.
    double preemptionsWhenFull() const;
    /// \param variance of the number of sequences \param rate requests/s \param gap s between two decodes
    Crowding crowding(double sequences, double variance, double rate, double gap) const;
    /// The part of it that many sequences of usual length make.
    Crowding manyTogether(double sequences, double variance, double rate) const;
    /// s that requests wait, in the mean, for one very long sequence which leaves no room for all the others.
    /// \param others sequences besides it
    double waitForGiants(double others, double rate, double gap) const;
    /// Decodes whose completions just fill the chunk that they leave free.
    double balancedBatch() const { return limits.chunkTokens / (1 + means.prompt / means.decodeSteps); }
    /// s that a prompt alone takes, in steps.
    double promptAlone() const { return timeAlone(means.prompt); }
    double timeAlone(double prompt) const;
    /// s of a prompt in steps, mean. \param step s of a step with so many tokens of it
    template <class Step>
    double meanTimeAlone(double chunk, const Step& step) const {
        double sum = 0;
        for (const double prompt : parts) {
            const double whole = chunksBeforeLast(prompt, chunk);
            sum += (whole > 0 ? whole * step(chunk) : 0) + step(prompt - whole * chunk);
        }
        return sum * parts.probability();
    }
};

/// Steps that prefill so many tokens, several chunks one after the other. \param single s of one of them
template <class Single>
double stepsOf(double tokens, double chunk, const Single& single) {
    const double whole = std::floor(tokens / chunk + 1e-6), rest = tokens - whole * chunk;
    return (whole > 0 ? whole * single(chunk) : 0) +
           (rest > 1e-6 * std::min(chunk, tokens) ? single(rest) : 0);
}

/// Of so many sequences in a closed engine with mixed steps: those that decode while tokens of prefill wait.
struct DecodingBeside {
    double users;
    bool mixed;
    WaitingPrompts prompts;
    DecodingBeside(const LoadedEngine& engine, double users);
    double operator()(double waiting) const { return mixed ? users - std::min(prompts(waiting), users) : 0; }
};

/// A closed engine with so many sequences always in it.
/// \tparam Backlog MeanBacklog for means, PromptBacklog for distributions
template <class Backlog>
struct ClosedSolution {
    Backlog backlog;
    typename Backlog::Lattice decoding{}; ///< sequences that decode in a step
    double rate = 0;
};

template <class Backlog>
ClosedSolution<Backlog> solveClosed(const LoadedEngine& engine, double users);
extern template ClosedSolution<CoarseBacklog> solveClosed(const LoadedEngine&, double);
extern template ClosedSolution<MeanBacklog> solveClosed(const LoadedEngine&, double);
extern template ClosedSolution<PromptBacklog> solveClosed(const LoadedEngine&, double);

/// s that steps with prefill add to the gap between two decodes, in the mean.
/// \param decoding sequences of a step, null: the same in all
/// \param among part of the gaps that certainly have prefill in them, besides what any step finds
template <class Backlog>
double meanAddition(const Backlog& backlog, double decode, const typename Backlog::Lattice* decoding,
                    double among = 0) {
    double sum = 0, busy = 0, total = 0;
    for (std::size_t i = 0; i < Backlog::cells; ++i) {
        const double steps = backlog.stepsIn(static_cast<int>(i));
        const double weight = steps * backlog.probability()[i] * (decoding ? (*decoding)[i] : 1);
        total += weight;
        if (i > 0) {
            sum += weight * std::max(0.0, backlog.seconds()[i] / steps - decode);
            busy += weight;
        }
    }
    return busy > 0 ? sum * ((1 - among) / total + among / busy) : 0;
}

/// The same with its distribution: s, with their probabilities.
class Additions {
public:
    struct Sample {
        double seconds = 0, probability = 0;
    };
    void add(double seconds, double probability);
    /// All that is there happens with this probability only.
    void scale(double probability);
    const Sample* begin() const { return samples_.data(); }
    const Sample* end() const { return samples_.data() + size_; }

private:
    std::array<Sample, 160> samples_{};
    std::size_t size_ = 0;
};

/// Of steps that take prefill along, with the parameters of meanAddition.
Additions mixedAdditions(const PromptBacklog& backlog, double decode, const PromptBacklog::Lattice* decoding,
                         double among = 0);
/// Of pauses, where prefill goes first.
Additions pauseAdditions(const LoadedEngine& engine, const PromptBacklog& backlog);

/// Gaps of decoding sequences: a decode step and an addition, spread by batch and context.
struct Gaps {
    const LoadedEngine& engine;
    TimeDistribution gaps{};

    void add(double batch, const Additions& additions, double weight);
    void add(double batch, double seconds, double weight);
};

/// Percentiles of shift + scale x a time.
Percentiles percentilesOf(const TimeDistribution& times, double shift, double scale);

ServingState closedLoop(const LoadedEngine& engine, ServingDetail detail);
ServingState openLoop(const LoadedEngine& engine, ServingDetail detail);
/// Engines that only prefill or only decode, open or closed.
ServingState prefillPool(const LoadedEngine& engine, ServingDetail detail);
ServingState decodePool(const LoadedEngine& engine, ServingDetail detail);

} // namespace alidade
