// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/normal.h"
#include "model/serving/prompt_backlog.h"
#include "model/serving/step_table.h"

namespace alidade {

// The parts of the closed form: an engine with its load and its measured step times, and what the solutions
// of open and closed loops share.

/// Standard normal distribution function.
inline double normalBelow(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }

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

/// Log-normal prompts in equally likely parts.
template <class Visit>
void forPrompts(const PromptSizes& sizes, const Visit& visit) {
    if (sizes.cv <= 0) {
        visit(sizes.mean, 1.0);
        return;
    }
    constexpr int parts = 20;
    const double deviation = std::sqrt(std::log1p(sizes.cv * sizes.cv));
    double below = 0;
    for (int i = 1; i <= parts; ++i) {
        const double upTo =
            i < parts ? normalBelow(normalQuantile(static_cast<double>(i) / parts) - deviation) : 1;
        visit(sizes.mean * (upTo - below) * parts, 1.0 / parts);
        below = upTo;
    }
}

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
    /// Of so many sequences in a closed engine: those that decode while tokens of prefill wait.
    double decodingBeside(double users, double waiting) const {
        return limits.mixed ? users - std::clamp(waiting / means.prompt, 1.0, users) : 0;
    }
    /// Squared coefficient of variation of what a sequence takes of a limit on bytes.
    double sizeVariance() const {
        const double bytes = limits.memory.bytesPerToken * means.contextDeviation / means.sequenceBytes;
        return means.memoryBatch < limits.maxSequences ? bytes * bytes : 0;
    }
    /// Requests that find no room in the KV cache since the others happen to be many or long.
    struct Crowding {
        double probability = 0, wait = 0; ///< s, mean over all requests
        double preemptions = 0;           ///< per request
    };
    /// Preemptions per request of a full cache: what the answer grows by over what the prompt frees.
    double preemptionsWhenFull() const;
    /// \param variance of the number of sequences \param rate requests/s
    Crowding crowding(double sequences, double variance, double rate) const;
    /// Decodes whose completions just fill the chunk that they leave free.
    double balancedBatch() const { return limits.chunkTokens / (1 + means.prompt / means.decodeSteps); }
    /// s that a prompt alone takes, in steps.
    double promptAlone() const {
        const double whole = std::floor(means.prompt / limits.chunkTokens);
        const double rest = means.prompt - whole * limits.chunkTokens;
        return whole * table.prefill(limits.chunkTokens) + (rest > 0 ? table.prefill(rest) : 0);
    }
};

/// Steps that prefill so many tokens, several chunks one after the other. \param single s of one of them
template <class Single>
double stepsOf(double tokens, double chunk, const Single& single) {
    const double whole = std::floor(tokens / chunk + 1e-6), rest = tokens - whole * chunk;
    return (whole > 0 ? whole * single(chunk) : 0) + (rest > 1e-6 * chunk ? single(rest) : 0);
}

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
template <class Backlog>
double meanAddition(const Backlog& backlog, double decode, const typename Backlog::Lattice* decoding) {
    double sum = 0, total = 0;
    for (std::size_t i = 0; i < Backlog::cells; ++i) {
        const double weight = backlog.probability()[i] * (decoding ? (*decoding)[i] : 1);
        sum += i > 0 ? weight * std::max(0.0, backlog.seconds()[i] - decode) : 0;
        total += weight;
    }
    return sum / total;
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
    std::array<Sample, 96> samples_{};
    std::size_t size_ = 0;
};

/// Of steps that take prefill along. \param decoding sequences of a step, null: the same in all
Additions mixedAdditions(const PromptBacklog& backlog, double decode, const PromptBacklog::Lattice* decoding);
/// Of pauses, where prefill goes first. \param alone s of one prompt
Additions pauseAdditions(const PromptBacklog::Pause& pause, double alone);

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
