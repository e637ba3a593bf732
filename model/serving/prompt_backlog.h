// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/time_distribution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace alidade {

/// The prompt tokens that wait at the beginning of a step, as a Markov chain on a lattice of token counts:
/// a step takes a chunk of them and lasts accordingly; what arrives meanwhile waits for the next one. Prompts
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
    };

    explicit PromptBacklogOf(const Input& input);

    /// Tokens of a cell, and the cells that a step takes at most: one chunk, or several together where
    /// prompts are much longer than it.
    double tokens(int cell) const { return cell * unit_; }
    double chunks() const { return chunks_; }
    double stepTokens(int cell) const {
        return cell < chunkCells_ ? std::min(tokens(cell), chunks_ * input_.chunk) : chunks_ * input_.chunk;
    }

    /// Solves the chain. \param seconds of a step with the tokens of each cell; [0]: a step without prefill
    /// \param completions closed: arrivals that a step causes in the mean \param least s of a step of its own
    /// that even the shortest prompt needs; 0 where prefill rides along
    void solve(const Lattice& seconds, const Lattice& completions, double least);

    const Lattice& probability() const { return probability_; } ///< of steps
    const Lattice& seconds() const { return seconds_; }
    double meanStep() const;         ///< s
    double meanArrivals() const;     ///< a step
    double prefillTimeShare() const; ///< of time, in steps with prefill
    double meanTokens() const;       ///< of prefill that a step finds
    double meanResidual() const;     ///< s, open: from an arrival to the end of the step that it meets
    /// s, mean of timesToFirstToken: read from the lattice. \param least s of a step with hardly any prefill
    double meanTimeToFirstToken(double least) const;

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
                        out.add(waited + timeFor(tokens, 0, step), weight * none);
                        if (none < 0.99) {
                            out.add(waited + timeFor(tokens, behind, step), weight * (1 - none));
                        }
                    }
                }
            }
        }
        return out;
    }
    /// Where prefill goes first: the prefill time between two decodes.
    struct Pause {
        Lattice seconds{}, probability{}; ///< of the prompts that one decode lets in
        Lattice again{};                  ///< probability that more come meanwhile
        double further = 0;               ///< s that those take
        double longer = 1;                ///< the whole pause over the prefill of those let in
        double mean = 0;                  ///< s
    };
    Pause pause() const;

private:
    static constexpr int last = Cells - 1;
    static constexpr int nodes = Cells > 48 ? 8 : 4;
    static constexpr std::size_t mostMet = 18;
    /// What an arrival finds: the step that it meets, the cells that this step leaves, and the prompts that
    /// come in the same step.
    struct Met {
        double weight = 0, residual = 0, others = 0, left = 0;
    };
    struct Prompt {
        double tokens = 0, probability = 0;
    };
    using Prompts = std::array<Prompt, 20>;
    Prompts prompts() const;
    /// Cells of tokens that came before, neighbours taken together.
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
    /// s of the steps that end so many tokens, with others that ride in the last one.
    template <class Step>
    double timeFor(double tokens, double behind, const Step& step) const {
        const double chunk = input_.chunk, whole = std::ceil(tokens / chunk - 1e-6) - 1;
        const double rest = tokens - whole * chunk;
        const double last = step(std::min(chunk, rest + behind), rest + behind);
        if (whole <= 0) {
            return last;
        }
        const Later later = laterPrompts(whole / chunks_);
        const double more = rest + behind + later.tokens;
        return whole * step(chunk, (tokens + rest + chunk) / 2 + behind) + (1 - later.probability) * last +
               later.probability * step(std::min(chunk, more), more);
    }
    std::size_t arrivalsMet(std::array<Met, mostMet>& out) const;
    using NodeWeights = std::array<double, nodes + 1>;
    double met(int cell) const;
    double stepAt(double cell, double least) const;
    double timeUntilDone(double cell, double behind, double least) const;
    template <class Meet>
    void meetLeaving(double all, const Meet& meet, Lattice& alone, Lattice& followed) const;

    double arrivals(int cell, double share) const;
    void mixNodes(double arrivals, double weight, NodeWeights& into) const;
    void addSums(const NodeWeights& weights, int left, Lattice& into) const;
    using Sources = std::array<double, nodes + 2>;
    Sources sourcesAfter(int cell) const;
    Lattice stationaryOfNodes() const;
    Lattice stationary() const;
    double timeIn(int cell) const;
    double timeAtRest() const;
    double timeUntil(int cell) const;

    Input input_;
    double unit_ = 1, chunks_ = 1;
    int chunkCells_ = 1;
    Lattice size_{};     // of one prompt
    Lattice seconds_{};  // of a step
    Lattice arriving_{}; // closed: mean number at the end of a step
    Lattice probability_{};
    double resting_ = 0;                   // of the steps without backlog: the engine has nothing to do
    double brief_ = 0;                     // s of prompts too short for a cell, in the step before
    double nodeStep_ = 0;                  // mean arrivals from one node to the next
    std::array<Lattice, nodes + 1> sum_{}; // tokens of a Poisson number of prompts
};

using PromptBacklog = PromptBacklogOf<96>; ///< for distributions
using MeanBacklog = PromptBacklogOf<32>;   ///< for means
using CoarseBacklog = PromptBacklogOf<16>; ///< to begin with
extern template class PromptBacklogOf<96>;
extern template class PromptBacklogOf<32>;
extern template class PromptBacklogOf<16>;

} // namespace alidade
