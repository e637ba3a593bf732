// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/prompt_backlog.h"

#include "model/base/index.h"
#include "model/explain/normal.h"
#include "model/serving/lattice_sums.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace alidade {

template <int Cells>
PromptBacklogOf<Cells>::PromptBacklogOf(const Input& input)
    : input_(input) {
    const double span = std::max(input.span, 4.0);
    unit_ = span / cells;
    chunkCells_ = cells;
    if (input.promptCv <= 0 && input.chunk >= 4 * input.prompt && input.prompt > unit_) {
        // Equal prompts are whole numbers of cells; the chunk is far from one of them.
        unit_ = input.prompt / std::floor(input.prompt / unit_);
        chunkCells_ = std::clamp(static_cast<int>(std::min(input.chunk / unit_, 1.0 * cells)), 1, cells);
    } else if (input.chunk < span) {
        // A chunk is a whole number of cells; many small chunks are taken together.
        const double perChunk =
            std::max(std::round(input.chunk / unit_), input.chunk > 0.35 * unit_ ? 1.0 : 0.0);
        if (perChunk >= 1) {
            chunkCells_ = static_cast<int>(perChunk);
            unit_ = input.chunk / perChunk;
        } else {
            chunkCells_ = 1;
            chunks_ = std::ceil(unit_ / input.chunk);
            unit_ = chunks_ * input.chunk;
        }
    }
    const double meanCells = input.prompt / unit_;
    size_ = input.promptCv > 0 ? lattice::logNormalSizes<Lattice>(meanCells, input.promptCv, beyond_)
                               : lattice::equalSizes<Lattice>(meanCells);
    if (input.promptCv > 0) {
        const double variance = std::log1p(input.promptCv * input.promptCv), deviation = std::sqrt(variance);
        const double end = tokens(last);
        const double place = (std::log(end / input.prompt) + variance / 2) / deviation;
        const double part = normalBelow(-place);
        longer_ = std::max(0.0, input.prompt * normalBelow(deviation - place) - end * part);
        longer2_ = std::max(0.0, input.prompt * input.prompt * (1 + input.promptCv * input.promptCv) *
                                         normalBelow(2 * deviation - place) -
                                     end * end * part);
    }
}

template <int Cells>
typename PromptBacklogOf<Cells>::Prompts PromptBacklogOf<Cells>::prompts() const {
    // Means of parts of the log-normal distribution, finer toward the tail that percentiles ask for.
    Prompts out{};
    const double deviation = std::sqrt(std::log1p(input_.promptCv * input_.promptCv));
    double from = 0, below = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double to = i < 8    ? 0.1 * (static_cast<double>(i) + 1)
                          : i < 17 ? from + 0.02
                          : i < 19 ? from + 0.009
                                   : 1;
        const double upTo = to < 1 && deviation > 0 ? normalBelow(normalQuantile(to) - deviation) : to;
        out[i] = {std::max(1.0, input_.prompt * (upTo - below) / (to - from)), to - from};
        from = to;
        below = upTo;
    }
    return out;
}

template <int Cells>
double PromptBacklogOf<Cells>::arrivals(int cell, double share) const {
    return share * (input_.rate > 0 ? input_.rate * seconds_[at(cell)] : arriving_[at(cell)]);
}

template <int Cells>
void PromptBacklogOf<Cells>::mixNodes(double arrivals, double weight, NodeWeights& into) const {
    // Rounding may leave a little less than nothing.
    const double inside = std::clamp(arrivals, 0.0, mostArrivals_);
    const double place = mostArrivals_ > 0 ? nodes * std::sqrt(inside / mostArrivals_) : 0;
    const auto node = static_cast<std::size_t>(std::min(place, nodes - 1.0));
    const double from = nodeAt(node), to = nodeAt(node + 1);
    const double part = to > from ? (inside - from) / (to - from) : 0;
    into[node] += weight * (1 - part);
    into[node + 1] += weight * part;
}

template <int Cells>
void PromptBacklogOf<Cells>::solve(const Lattice& seconds, const Lattice& completions, double least) {
    seconds_ = seconds;
    arriving_ = completions;
    // Cells lose the remainders of prompts that are a little longer than a chunk.
    if (input_.alone > 0) {
        double mean = size_[0] * least;
        for (int cell = 1; cell <= last; ++cell)
            mean += size_[at(cell)] * timeUntil(cell);
        std::for_each(seconds_.begin() + 1, seconds_.end(), [&](double& s) { s *= input_.alone / mean; });
    }
    // A lattice takes prompts far below a cell for none; if some came and no longer ones, they take a step.
    const double come = arrivals(0, 1);
    brief_ = least * (std::exp(-come * (1 - size_[0])) - std::exp(-come));
    seconds_[0] += brief_;
    mostArrivals_ = 0;
    for (int cell = 0; cell <= last; ++cell)
        mostArrivals_ = std::max(mostArrivals_, arrivals(cell, 1));
    for (std::size_t j = 0; j <= nodes; ++j)
        sum_[j] = lattice::poissonSum(size_, nodeAt(j));
    // Where there is nothing to decode, the engine rests until one prompt arrives.
    resting_ = 0;
    if (input_.rate > 0 && input_.emptyShare > 0) {
        const double decoding = (1 - input_.emptyShare) / input_.rate,
                     empty = input_.emptyShare * seconds_[0];
        resting_ = empty / (empty + decoding);
    }
    probability_ = stationary();
}

/// Weights of the sums that follow a cell; the last one is a single prompt, which ends a rest.
template <int Cells>
typename PromptBacklogOf<Cells>::Sources PromptBacklogOf<Cells>::sourcesAfter(int cell) const {
    NodeWeights mix{};
    mixNodes(arrivals(cell, 1), cell == 0 ? 1 - resting_ : 1, mix);
    Sources out{};
    std::copy(mix.begin(), mix.end(), out.begin());
    out.back() = cell == 0 ? resting_ : 0;
    return out;
}

/// Where a step takes all that there is, the next backlog depends on the mean arrivals alone: a chain of
/// nodes.
template <int Cells>
typename PromptBacklogOf<Cells>::Lattice PromptBacklogOf<Cells>::stationaryOfNodes() const {
    std::array<Sources, std::tuple_size_v<Sources>> moves{};
    for (int cell = 0; cell <= last; ++cell) {
        const Sources after = sourcesAfter(cell);
        for (std::size_t to = 0; to < after.size(); ++to) {
            for (std::size_t node = 0; node <= nodes; ++node)
                moves[node][to] += sum_[node][at(cell)] * after[to];
            moves.back()[to] += size_[at(cell)] * after[to];
        }
    }
    const Sources weights = lattice::stationaryOf(moves, moves.size());
    Lattice out{};
    for (std::size_t k = 0; k < cells; ++k) {
        for (std::size_t node = 0; node <= nodes; ++node)
            out[k] += weights[node] * sum_[node][k];
        out[k] += weights.back() * size_[k];
    }
    return out;
}

template <int Cells>
typename PromptBacklogOf<Cells>::Lattice PromptBacklogOf<Cells>::stationary() const {
    if (chunkCells_ >= last)
        return stationaryOfNodes();
    std::array<Lattice, cells> moves{};
    for (int cell = 0; cell <= last; ++cell) {
        const Sources after = sourcesAfter(cell);
        NodeWeights mix{};
        std::copy(after.begin(), after.end() - 1, mix.begin());
        addSums(mix, std::max(0, cell - chunkCells_), moves[at(cell)]);
        for (std::size_t k = 0; k < cells && after.back() > 0; ++k)
            moves[at(cell)][k] += after.back() * size_[k];
    }
    return lattice::stationaryOf(moves, at(chunkCells_));
}

template <int Cells>
void PromptBacklogOf<Cells>::addSums(const NodeWeights& weights, int left, Lattice& into) const {
    for (std::size_t node = 0; node < weights.size(); ++node) {
        const double w = weights[node];
        if (w <= 0)
            continue;
        const std::size_t shift = at(left);
        for (std::size_t k = 0; k + shift < cells; ++k)
            into[k + shift] += w * sum_[node][k];
        for (std::size_t k = cells - shift; k < cells; ++k)
            into[cells - 1] += w * sum_[node][k];
    }
}

/// s of time in a cell, rest included.
template <int Cells>
double PromptBacklogOf<Cells>::timeIn(int cell) const {
    const double p = probability_[at(cell)];
    return cell > 0 ? p * seconds_[at(cell)] : p * (1 - resting_) * seconds_[0] + timeAtRest();
}

template <int Cells>
double PromptBacklogOf<Cells>::meanStep() const {
    double sum = 0;
    for (int cell = 0; cell <= last; ++cell)
        sum += timeIn(cell);
    return sum;
}

template <int Cells>
double PromptBacklogOf<Cells>::meanArrivals() const {
    if (input_.rate > 0)
        return input_.rate * meanStep();
    double sum = 0;
    for (int cell = 0; cell <= last; ++cell)
        sum += probability_[at(cell)] * arrivals(cell, 1);
    return sum;
}

template <int Cells>
double PromptBacklogOf<Cells>::prefillTimeShare() const {
    return 1 - timeIn(0) / meanStep();
}

/// s of steps until the tokens of a cell are done.
template <int Cells>
double PromptBacklogOf<Cells>::timeUntil(int cell) const {
    double sum = 0;
    for (; cell > 0; cell -= chunkCells_)
        sum += seconds_[at(cell)];
    return sum;
}

/// Of arrivals, not normalized: those that meet a step with so many cells.
template <int Cells>
double PromptBacklogOf<Cells>::met(int cell) const {
    return input_.rate > 0 ? timeIn(cell) - (cell == 0 ? timeAtRest() : 0)
                           : probability_[at(cell)] * arrivals(cell, 1);
}

template <int Cells>
std::size_t PromptBacklogOf<Cells>::arrivalsMet(std::array<Met, mostMet>& out) const {
    double all = timeAtRest(), leaving = 0;
    for (int cell = 0; cell <= last; ++cell) {
        all += met(cell);
        leaving += cell > chunkCells_ ? met(cell) : 0;
    }
    std::size_t count = 0;
    for (int cell = 0; cell <= last;) {
        const double few = cell > chunkCells_ ? leaving / all / 8 : 0.08;
        // Steps of nearly the same length are taken together: parts so small that the median moves evenly
        // with the load.
        Met group;
        const int first = cell;
        for (;
             cell <= last && (cell == first || (first > 0 && group.weight < few && cell != chunkCells_ + 1));
             ++cell) {
            const double w = met(cell) / all;
            group.weight += w;
            group.residual += w * (input_.rate > 0 ? seconds_[at(cell)] : 0);
            group.others += w * arrivals(cell, 1) * input_.others;
            group.left += w * std::max(0, cell - chunkCells_);
        }
        if (group.weight > 1e-6) {
            group.residual /= group.weight;
            group.others /= group.weight;
            group.left /= group.weight;
            out[count++] = group;
        }
    }
    if (resting_ > 0)
        out[count++] = {.weight = timeAtRest() / all};
    return count;
}

template <int Cells>
std::size_t PromptBacklogOf<Cells>::heapsAhead(double prompts, Ahead& out) const {
    NodeWeights mix{};
    mixNodes(prompts, 1, mix);
    Lattice cellsAhead{};
    addSums(mix, 0, cellsAhead);
    const double few = (1 - cellsAhead[0]) / static_cast<double>(out.size() - 3);
    std::size_t count = 0;
    Heap heap;
    for (std::size_t cell = 0; cell < cells; ++cell) {
        heap.cell += static_cast<double>(cell) * cellsAhead[cell];
        heap.probability += cellsAhead[cell];
        if ((heap.probability > few || cell == 0 || cell + 1 == cells) && heap.probability > 1e-6) {
            out[count++] = {heap.cell / heap.probability, heap.probability};
            heap = {};
        }
    }
    return count;
}

template <int Cells>
typename PromptBacklogOf<Cells>::Later PromptBacklogOf<Cells>::laterPrompts(double steps) const {
    const double number = steps * arrivals(std::min(chunkCells_, last), 1) * input_.others;
    if (number < 1e-6)
        return {};
    const double any = 1 - std::exp(-number);
    return {any, number / any * input_.prompt};
}

/// s of a step with tokens of so many cells, between the cells.
template <int Cells>
double PromptBacklogOf<Cells>::stepAt(double cell, double least) const {
    const double inside = std::min(cell, static_cast<double>(last));
    const int low = std::min(static_cast<int>(inside), last - 1);
    const double from = low == 0 ? least : seconds_[at(low)];
    return from + (inside - low) * (seconds_[at(low + 1)] - from);
}

/// s that prompts longer than the lattice take more than it sees, with those that wait for them (Pollaczek
/// and Khinchine).
template <int Cells>
double PromptBacklogOf<Cells>::beyondLattice() const {
    const double perToken = seconds_[at(last)] / stepTokens(last);
    const double rate = meanArrivals() / meanStep() * input_.others;
    const double busy = std::min(0.9, rate * input_.prompt * perToken);
    return perToken * (longer_ + rate * perToken * longer2_ / 2 / (1 - busy));
}

/// s of a prompt that meets no other, mean, as the lattice sees it.
template <int Cells>
double PromptBacklogOf<Cells>::timeAlone(double least) const {
    if (input_.promptCv <= 0)
        return firstTokenAfter(input_.prompt / unit_, 0, least, false).seconds;
    double sum = 0;
    for (int cell = 0; cell <= last; ++cell) {
        sum += size_[at(cell)] * firstTokenAfter(cell, 0, least, false).seconds;
        if (cell > 0 && cell % chunkCells_ == 0)
            sum += input_.alone > 0 ? 0 : beyond_[at(cell)] * stepAt(0, least);
    }
    return sum;
}

template <int Cells>
typename PromptBacklogOf<Cells>::FirstToken PromptBacklogOf<Cells>::firstToken(double least,
                                                                               double exact) const {
    // Cells that go before an arrival: of those that no other follows in their step, and of the others.
    Lattice alone{}, followed{};
    double all = timeAtRest();
    for (int cell = 0; cell <= last; ++cell)
        all += met(cell);
    alone[0] = timeAtRest() / all;
    double behind = 0;
    const auto meet = [&](double weight, double others, NodeWeights& none, NodeWeights& some) {
        for (const double share : {0.2113, 0.7887}) { // place within the step, Gauss-Legendre
            const double later = (1 - share) * others, nobody = std::exp(-later);
            mixNodes(share * others, weight / 2 * nobody, none);
            mixNodes(share * others, weight / 2 * (1 - nobody), some);
            behind += weight / 2 * later;
        }
    };
    NodeWeights none{}, some{};
    for (int cell = 0; cell <= chunkCells_ && cell <= last; ++cell)
        meet(met(cell) / all, arrivals(cell, 1) * input_.others, none, some);
    addSums(none, 0, alone);
    addSums(some, 0, followed);
    meetLeaving(all, meet, alone, followed);
    const double share = std::accumulate(followed.begin(), followed.end(), 0.0);
    const double behindCells = share > 0 ? behind / share * input_.prompt / unit_ : 0;
    FirstToken sum{.seconds = input_.rate > 0 ? meanResidual() : 0};
    if (exact > 0) {
        // The lattice knows steps at its cells only; the prompts that find nothing before them are known
        // better.
        sum.seconds += alone[0] * (exact - timeAlone(least)) + (1 - alone[0]) * beyondLattice();
    } else {
        sum.seconds += beyondLattice();
    }
    if (input_.promptCv <= 0) {
        const double own = input_.prompt / unit_;
        for (int ahead = 0; ahead <= last; ++ahead) {
            sum.add(firstTokenAfter(ahead + own, 0, least), alone[at(ahead)]);
            sum.add(firstTokenAfter(ahead + own, behindCells, least), followed[at(ahead)]);
        }
        return sum;
    }
    std::array<FirstToken, cells> single{}, ridden{};
    for (int cell = 0; cell <= last; ++cell) {
        single[at(cell)] = firstTokenAfter(cell, 0, least);
        ridden[at(cell)] = firstTokenAfter(cell, behindCells, least);
    }
    for (std::size_t own = 0; own < cells; ++own) {
        if (size_[own] <= 0)
            continue;
        FirstToken mean;
        double corners = 0;
        for (std::size_t ahead = 0; ahead < cells; ++ahead) {
            const std::size_t done = std::min(ahead + own, at(last));
            mean.add(single[done], alone[ahead]);
            mean.add(ridden[done], followed[ahead]);
            if (done > 0 && done % at(chunkCells_) == 0)
                corners += alone[ahead] * stepAt(0, least) + followed[ahead] * stepAt(behindCells, least);
        }
        sum.add(mean, size_[own]);
        // A little more than the chunk takes one whole step more; between its cells the lattice sees a part
        // of it.
        sum.seconds += input_.alone > 0 ? 0 : beyond_[own] * corners;
    }
    return sum;
}

/// The steps that end so many cells, with others behind them: full ones, and the last one.
template <int Cells>
typename PromptBacklogOf<Cells>::FirstToken
PromptBacklogOf<Cells>::firstTokenAfter(double cell, double behind, double least, bool followed) const {
    double rest = std::min(cell, static_cast<double>(last)), full = 0;
    int steps = 0;
    for (; rest > chunkCells_ * (1 + 1e-9); rest -= chunkCells_) {
        full += stepAt(rest, least);
        ++steps;
    }
    const auto lastStep = [&](double cells) {
        const double seconds = stepAt(cells, least);
        return FirstToken{seconds,
                          std::max(0.0, cells - chunkCells_) * unit_ + input_.rate * seconds * input_.prompt};
    };
    FirstToken out{.seconds = full};
    const Later later = steps > 0 && followed ? laterPrompts(steps) : Later{};
    out.add(lastStep(rest + behind), 1 - later.probability);
    if (later.probability > 0)
        out.add(lastStep(rest + behind + later.tokens / unit_), later.probability);
    return out;
}

/// Adds what arrivals find before them whose step leaves a part of the backlog.
template <int Cells>
template <class Meet>
void PromptBacklogOf<Cells>::meetLeaving(double all, const Meet& meet, Lattice& alone,
                                         Lattice& followed) const {
    double weight = 0, others = 0;
    for (int cell = chunkCells_ + 1; cell <= last; ++cell) {
        weight += met(cell) / all;
        others += met(cell) / all * arrivals(cell, 1) * input_.others;
    }
    if (weight < 1e-9)
        return;
    NodeWeights none{}, some{};
    meet(weight, others / weight, none, some);
    Lattice noneAhead{}, someAhead{};
    addSums(none, 0, noneAhead);
    addSums(some, 0, someAhead);
    for (int cell = chunkCells_ + 1; cell <= last; ++cell) {
        const std::size_t left = at(cell - chunkCells_);
        const double part = met(cell) / all / weight;
        for (std::size_t k = 0; part > 1e-6 && k < cells; ++k) {
            const std::size_t ahead = std::min(left + k, at(last));
            alone[ahead] += part * noneAhead[k];
            followed[ahead] += part * someAhead[k];
        }
    }
}

template <int Cells>
double PromptBacklogOf<Cells>::meanTokens() const {
    double sum = 0;
    for (int cell = 0; cell <= last; ++cell)
        sum += probability_[at(cell)] * tokens(cell);
    return sum;
}

template <int Cells>
double PromptBacklogOf<Cells>::meanTokensTaken() const {
    double sum = 0, busy = 0;
    for (int cell = 1; cell <= last; ++cell) {
        sum += probability_[at(cell)] * stepTokens(cell);
        busy += probability_[at(cell)] * stepsIn(cell);
    }
    return busy > 0 ? sum / busy : input_.prompt;
}

template <int Cells>
double PromptBacklogOf<Cells>::meanResidual() const {
    double sum = 0;
    for (int cell = 0; cell <= last; ++cell)
        sum += (timeIn(cell) - (cell == 0 ? timeAtRest() : 0)) * seconds_[at(cell)] / 2;
    return sum / meanStep();
}

template <int Cells>
double PromptBacklogOf<Cells>::timeAtRest() const {
    return resting_ > 0 ? probability_[0] * resting_ / input_.rate : 0;
}

template <int Cells>
typename PromptBacklogOf<Cells>::Pause PromptBacklogOf<Cells>::pause() const {
    Pause out{.arrivals = arrivals(0, 1) * input_.others};
    NodeWeights mix{};
    mixNodes(out.arrivals, 1, mix);
    Lattice come{};
    addSums(mix, 0, come);
    double first = 0, firstOfRest = 0, again = 0, total = 0;
    for (std::size_t k = 1; k < cells; ++k) {
        const double seconds = timeUntil(static_cast<int>(k));
        first += come[k] * seconds;
        firstOfRest += size_[k] * seconds;
        again += come[k] * (1 - std::exp(-input_.rate * seconds));
        total += timeIn(static_cast<int>(k));
    }
    const double begun = probability_[0] * ((1 - resting_) * first + resting_ * firstOfRest);
    out.longer = begun > 0 ? std::max(1.0, total / begun) : 1;
    out.further = again > 0 ? (out.longer - 1) * first / again : 0;
    out.mean = out.longer * first + brief_;
    return out;
}

template <int Cells>
typename PromptBacklogOf<Cells>::Lattice PromptBacklogOf<Cells>::severalPrompts(double mean) const {
    Lattice out = lattice::poissonSum(size_, mean);
    const double none = std::exp(-mean);
    for (std::size_t k = 0; k < cells; ++k)
        out[k] = std::max(0.0, out[k] - none * ((k == 0 ? 1 : 0) + mean * size_[k]));
    return out;
}

template class PromptBacklogOf<96>;
template class PromptBacklogOf<32>;
template class PromptBacklogOf<16>;

} // namespace alidade
