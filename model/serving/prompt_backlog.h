// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/time_distribution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace alidade {

/// Chunks that so many tokens take, one at least: what is over a whole number by less than a millionth of a
/// chunk came of rounding. \param tokens >= 0 \param chunk > 0
inline double chunksOf(double tokens, double chunk) {
    return std::max(1.0, std::ceil(tokens / chunk - 1e-6));
}
/// Full chunks before the last one.
inline double chunksBeforeLast(double tokens, double chunk) { return chunksOf(tokens, chunk) - 1; }

/// The prompt tokens that wait at the beginning of a step, as a Markov chain on a lattice of token counts.
///
/// Why a chain: the time to the first token is the wait behind other prompts, and its tail is what targets
/// are about. A queue with a mean service time misses that a step takes several short prompts at once, cuts a
/// long one into chunks, and lasts longer the more it takes. The lattice keeps this and is small enough to be
/// solved in microseconds.
///
/// Invariants: probabilities are >= 0 and sum to 1; a step takes at most chunks() chunks, which is one unless
/// prompts are much longer than a chunk; cell 0 is a step without prefill. All state is in the object: one
/// per thread.
///
/// A step takes a chunk of them and lasts accordingly; what arrives meanwhile waits for the next one. Prompts
/// are log-normal and arrive singly: while the step lasts (open loop, Poisson) or at its end (closed loop:
/// decodes that complete).
/// \tparam Cells of the lattice: few for means, many for distributions
template <int Cells>
class PromptBacklogOf {
public:
    static constexpr int cells = Cells;
    using Lattice = std::array<double, cells>;

    struct Input {
        double prompt = 0, promptCv = 0; ///< new tokens of a prompt
        double chunk = 0;                ///< tokens of them that a step may take
        double rate = 0;                 ///< open: arrivals per second; 0: closed
        double span = 0;                 ///< tokens that the lattice has to hold
        double emptyShare = 0; ///< open: of the time without backlog in which there is nothing to decode
        double others = 1;     ///< closed: (n - 1)/n of n users, what a request meets of the mean
        double alone = 0;      ///< s, mean over prompts alone in the engine; 0 where prefill rides along
    };

    explicit PromptBacklogOf(const Input& input);

    /// Tokens of a cell, and the cells that a step takes at most: one chunk, or several together where
    /// prompts are much longer than it.
    double tokens(int cell) const { return cell * unit_; }
    double chunks() const { return chunks_; }
    double stepTokens(int cell) const {
        return cell < chunkCells_ ? std::min(tokens(cell), chunks_ * input_.chunk) : chunks_ * input_.chunk;
    }

    /// Steps of the engine that such a step represents.
    double stepsIn(int cell) const { return chunks_ > 1 ? chunksOf(stepTokens(cell), input_.chunk) : 1; }

    /// Solves the chain. \param seconds of a step with the tokens of each cell; [0]: a step without prefill
    /// \param completions closed: arrivals that a step causes in the mean \param least s of a separate step
    /// that even the shortest prompt needs; 0 where prefill rides along
    void solve(const Lattice& seconds, const Lattice& completions, double least);

    const Lattice& probability() const { return probability_; } ///< of steps
    const Lattice& seconds() const { return seconds_; }
    double meanStep() const;         ///< s
    double meanArrivals() const;     ///< a step
    double prefillTimeShare() const; ///< of time, in steps with prefill
    double meanTokens() const;       ///< of prefill that a step finds
    double meanResidual() const;     ///< s, open: from an arrival to the end of the step that it meets
    struct FirstToken {
        double seconds = 0; ///< from arrival to the end of the step that ends the prompt
        double behind = 0;  ///< open: tokens of later prompts that this step leaves
        void add(const FirstToken& other, double weight) {
            seconds += weight * other.seconds;
            behind += weight * other.behind;
        }
    };
    /// Means; the time is that of timesToFirstToken, read from the lattice. \param least s of a step with
    /// hardly any prefill \param alone s, mean over prompts with no other ahead of them, from the start of
    /// their first step; 0: as the lattice says
    FirstToken firstToken(double least, double alone = 0) const;
    double meanTokensTaken() const; ///< by a step with prefill

    /// s from arrival to the end of the step that ends the prompt: what is left and what came before it goes
    /// first, what came after it rides along in its last step.
    /// \param step s of a step with so many prefill tokens while so many wait
    template <class Step>
    TimeDistribution timesToFirstToken(const Step& step) const {
        TimeDistribution out;
        std::array<Met, mostMet> met{};
        const std::size_t count = arrivalsMet(met);
        const Prompts prompts = this->prompts();
        for (std::size_t m = 0; m < count; ++m) {
            const int places = met[m].residual > 0 || met[m].others > 0 ? 4 : 1;
            for (int place = 0; place < places; ++place) {
                const double share = (place + 0.5) / places;
                // Those behind: none, or as many as there are if there are any.
                const double later = (1 - share) * met[m].others, none = std::exp(-later);
                const double behind = none < 1 ? later / (1 - none) * input_.prompt : 0;
                Ahead ahead;
                const std::size_t heaps = heapsAhead(share * met[m].others, ahead);
                for (std::size_t h = 0; h < heaps; ++h) {
                    const double before = (met[m].left + ahead[h].cell) * unit_;
                    const double waited = (1 - share) * met[m].residual;
                    for (const Prompt& own : prompts) {
                        const double tokens = before + own.tokens;
                        const double weight = met[m].weight / places * ahead[h].probability * own.probability;
                        const auto add = [&](double seconds, double part) {
                            out.add(waited + seconds, weight * part);
                        };
                        addTimeFor(tokens, 0, step, none, add);
                        addTimeFor(tokens, behind, step, 1 - none, add);
                    }
                }
            }
        }
        return out;
    }
    struct Prompt {
        double tokens = 0, probability = 0;
    };
    using Prompts = std::array<Prompt, 20>;
    /// A prompt in parts, finer toward the long ones.
    Prompts prompts() const;
    /// Where prefill goes first: the prefill time between two decodes.
    struct Pause {
        double arrivals = 0; ///< prompts that one decode lets in, mean
        double further = 0;  ///< s of those that come meanwhile, if any do
        double longer = 1;   ///< the whole pause over the prefill of those let in
        double mean = 0;     ///< s
    };
    Pause pause() const;
    /// Tokens of a Poisson number of prompts, of two or more of them.
    Lattice severalPrompts(double mean) const;
    /// s of the steps until the tokens of a cell are done.
    double timeUntil(int cell) const;

private:
    static constexpr int last = Cells - 1;
    static constexpr int nodes = Cells > 48 ? 8 : 4;
    static constexpr std::size_t mostMet = 26; // no steps, 13 and 9 groups of steps, at rest
    /// What an arrival finds: the step that it meets, the cells that this step leaves, and the prompts that
    /// come in the same step.
    struct Met {
        double weight = 0, residual = 0, others = 0, left = 0;
    };
    /// Cells of tokens that came before, neighbors taken together.
    struct Heap {
        double cell = 0, probability = 0;
    };
    using Ahead = std::array<Heap, 24>;
    std::size_t heapsAhead(double prompts, Ahead& out) const;
    /// Prompts that come during so many full steps, if any do, ride in the step that follows.
    struct Later {
        double probability = 0, tokens = 0;
    };
    Later laterPrompts(double steps) const;
    /// s of the steps that end so many tokens, with others that ride in the last one; those that come
    /// meanwhile may lengthen it. \param add takes s and its share of the weight
    template <class Step, class Add>
    void addTimeFor(double tokens, double behind, const Step& step, double weight, const Add& add) const {
        if (weight < 1e-6)
            return;
        const double chunk = input_.chunk, whole = chunksBeforeLast(tokens, chunk);
        const double rest = tokens - whole * chunk;
        const double last = step(std::min(chunk, rest + behind), rest + behind);
        if (whole <= 0) {
            add(last, weight);
            return;
        }
        const Later later = laterPrompts(whole / chunks_);
        const double more = rest + behind + later.tokens;
        const double before = whole * step(chunk, (tokens + rest + chunk) / 2 + behind);
        add(before + last, weight * (1 - later.probability));
        add(before + step(std::min(chunk, more), more), weight * later.probability);
    }
    std::size_t arrivalsMet(std::array<Met, mostMet>& out) const;
    using NodeWeights = std::array<double, nodes + 1>;
    double met(int cell) const;
    double stepAt(double cell, double least) const;
    FirstToken firstTokenAfter(double cell, double behind, double least, bool followed = true) const;
    template <class Meet>
    void meetLeaving(double all, const Meet& meet, Lattice& alone, Lattice& followed) const;

    double arrivals(int cell, double share) const;
    /// Mean arrivals of a node: dense where they are few, since most steps are short.
    double nodeAt(std::size_t node) const {
        const double part = static_cast<double>(node) / nodes;
        return mostArrivals_ * part * part;
    }
    void mixNodes(double arrivals, double weight, NodeWeights& into) const;
    void addSums(const NodeWeights& weights, int left, Lattice& into) const;
    using Sources = std::array<double, nodes + 2>;
    Sources sourcesAfter(int cell) const;
    Lattice stationaryOfNodes() const;
    Lattice stationary() const;
    double timeAlone(double least) const;
    double beyondLattice() const;
    double timeIn(int cell) const;
    double timeAtRest() const;

    Input input_;
    double unit_ = 1, chunks_ = 1;
    int chunkCells_ = 1;
    Lattice size_{};     // of one prompt
    Lattice beyond_{};   // the part of it that comes from longer ones
    double longer_ = 0;  // tokens of prompts beyond the lattice, mean over all prompts
    double longer2_ = 0; // squares of such prompts over those that the lattice sees
    Lattice seconds_{};  // of a step
    Lattice arriving_{}; // closed: mean number at the end of a step
    Lattice probability_{};
    double resting_ = 0;                   // of the steps without backlog: the engine has nothing to do
    double brief_ = 0;                     // s of prompts too short for a cell, in the step before
    double mostArrivals_ = 0;              // in a step
    std::array<Lattice, nodes + 1> sum_{}; // tokens of a Poisson number of prompts
};

using PromptBacklog = PromptBacklogOf<96>; ///< for distributions
using MeanBacklog = PromptBacklogOf<32>;   ///< for means
using CoarseBacklog = PromptBacklogOf<16>; ///< to begin with
extern template class PromptBacklogOf<96>;
extern template class PromptBacklogOf<32>;
extern template class PromptBacklogOf<16>;

} // namespace alidade
