// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/prompt_backlog.h"

#include "model/base/normal.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace alidade {

namespace {

std::size_t at(int cell) { return static_cast<std::size_t>(cell); }

double normalBelow(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }

/// Log-normal sizes on whole cells: a size between two cells is split between them, which keeps the mean.
template <class Lattice>
Lattice logNormalSizes(double meanCells, double cv) {
    constexpr std::size_t last = std::tuple_size_v<Lattice> - 1;
    const double variance = std::log1p(cv * cv), deviation = std::sqrt(variance);
    const double middle = std::log(meanCells) - variance / 2;
    Lattice out{};
    double mass = 0, moment = 0; // below a cell
    for (std::size_t cell = 0; cell < last && mass < 1 - 1e-9; ++cell) {
        const double place = (std::log(static_cast<double>(cell) + 1) - middle) / deviation;
        const double massUpTo = normalBelow(place), momentUpTo = meanCells * normalBelow(place - deviation);
        const double upper = momentUpTo - moment - static_cast<double>(cell) * (massUpTo - mass);
        out[cell] += massUpTo - mass - upper;
        out[cell + 1] += upper;
        mass = massUpTo;
        moment = momentUpTo;
    }
    out[last] += std::max(0.0, 1 - mass);
    return out;
}

/// The same of equal sizes.
template <class Lattice>
Lattice equalSizes(double sizeCells) {
    constexpr int last = static_cast<int>(std::tuple_size_v<Lattice>) - 1;
    Lattice out{};
    const int low = std::min(static_cast<int>(sizeCells), last - 1);
    const double part = std::min(1.0, sizeCells - low);
    out[at(low)] = 1 - part;
    out[at(low + 1)] = part;
    return out;
}

/// Distribution of the sum of a Poisson number of sizes (Panjer 1981).
template <class Lattice>
Lattice poissonSum(const Lattice& size, double mean) {
    constexpr int last = static_cast<int>(std::tuple_size_v<Lattice>) - 1;
    Lattice out{};
    out[0] = std::exp(-mean * (1 - size[0]));
    double rest = 1 - out[0];
    int longest = last;
    while (longest > 1 && size[at(longest)] <= 0) {
        --longest;
    }
    Lattice weighted{};
    for (int j = 1; j <= longest; ++j) {
        weighted[at(j)] = j * size[at(j)];
    }
    for (int k = 1; k < last && rest > 1e-10; ++k) {
        double sum = 0;
        for (int j = 1; j <= std::min(k, longest); ++j) {
            sum += weighted[at(j)] * out[at(k - j)];
        }
        out[at(k)] = mean / k * sum;
        rest -= out[at(k)];
    }
    out[at(last)] = std::max(0.0, rest);
    return out;
}

/// The stationary distribution of a chain that moves down by at most `reach` states, by the elimination of
/// Grassmann, Taksar and Heyman (1985): no subtractions.
template <std::size_t size>
std::array<double, size> stationaryOf(std::array<std::array<double, size>, size>& moves, std::size_t reach) {
    std::array<double, size> leaving{}, out{};
    std::size_t lowestVisited = 0; // states below it are never entered
    for (std::size_t n = size - 1; n > 0; --n) {
        const std::size_t lowest = n - std::min(n, reach);
        double sum = 0;
        for (std::size_t j = lowest; j < n; ++j) {
            sum += moves[n][j];
        }
        if (sum < 1e-200) {
            lowestVisited = n;
            break;
        }
        leaving[n] = sum;
        for (std::size_t i = 0; i < n; ++i) {
            const double part = moves[i][n] / sum;
            if (part <= 0) {
                continue;
            }
            for (std::size_t j = lowest; j < n; ++j) {
                moves[i][j] += part * moves[n][j];
            }
        }
    }
    out[lowestVisited] = 1;
    double total = 1;
    for (std::size_t n = lowestVisited + 1; n < size; ++n) {
        for (std::size_t i = lowestVisited; i < n; ++i) {
            out[n] += out[i] * moves[i][n];
        }
        out[n] /= leaving[n];
        total += out[n];
    }
    for (double& p : out) {
        p /= total;
    }
    return out;
}

} // namespace

template <int Cells>
PromptBacklogOf<Cells>::PromptBacklogOf(const Input& input)
    : input_(input) {
    const double span = std::max(input.span, 4.0);
    unit_ = span / cells;
    chunkCells_ = cells;
    if (input.chunk < span) {
        // A chunk is a whole number of cells; many small chunks are taken together.
        const double perChunk = std::round(input.chunk / unit_);
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
    size_ = input.promptCv > 0 ? logNormalSizes<Lattice>(meanCells, input.promptCv)
                               : equalSizes<Lattice>(meanCells);
}

template <int Cells>
typename PromptBacklogOf<Cells>::Prompts PromptBacklogOf<Cells>::prompts() const {
    // Means of parts of the log-normal distribution, finer towards the tail that percentiles ask for.
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
    const double place =
        nodeStep_ > 0 && arrivals > 0 ? std::min(arrivals / nodeStep_, static_cast<double>(nodes)) : 0;
    const auto node = static_cast<std::size_t>(std::min(place, nodes - 1.0));
    const double part = place - static_cast<double>(node);
    into[node] += weight * (1 - part);
    into[node + 1] += weight * part;
}

template <int Cells>
void PromptBacklogOf<Cells>::solve(const Lattice& seconds, const Lattice& completions, double least) {
    seconds_ = seconds;
    arriving_ = completions;
    // A lattice takes prompts far below a cell for none; if some came and no longer ones, they take a step.
    const double come = arrivals(0, 1);
    brief_ = least * (std::exp(-come * (1 - size_[0])) - std::exp(-come));
    seconds_[0] += brief_;
    double most = 0;
    for (int cell = 0; cell <= last; ++cell) {
        most = std::max(most, arrivals(cell, 1));
    }
    nodeStep_ = most / nodes;
    for (int j = 0; j <= nodes; ++j) {
        sum_[at(j)] = poissonSum(size_, nodeStep_ * j);
    }
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
            for (std::size_t node = 0; node <= nodes; ++node) {
                moves[node][to] += sum_[node][at(cell)] * after[to];
            }
            moves.back()[to] += size_[at(cell)] * after[to];
        }
    }
    const Sources weights = stationaryOf(moves, moves.size());
    Lattice out{};
    for (std::size_t k = 0; k < cells; ++k) {
        for (std::size_t node = 0; node <= nodes; ++node) {
            out[k] += weights[node] * sum_[node][k];
        }
        out[k] += weights.back() * size_[k];
    }
    return out;
}

template <int Cells>
typename PromptBacklogOf<Cells>::Lattice PromptBacklogOf<Cells>::stationary() const {
    if (chunkCells_ >= last) {
        return stationaryOfNodes();
    }
    std::array<Lattice, cells> moves{};
    for (int cell = 0; cell <= last; ++cell) {
        const Sources after = sourcesAfter(cell);
        NodeWeights mix{};
        std::copy(after.begin(), after.end() - 1, mix.begin());
        addSums(mix, std::max(0, cell - chunkCells_), moves[at(cell)]);
        for (std::size_t k = 0; k < cells && after.back() > 0; ++k) {
            moves[at(cell)][k] += after.back() * size_[k];
        }
    }
    return stationaryOf(moves, at(chunkCells_));
}

template <int Cells>
void PromptBacklogOf<Cells>::addSums(const NodeWeights& weights, int left, Lattice& into) const {
    for (std::size_t node = 0; node < weights.size(); ++node) {
        const double w = weights[node];
        if (w <= 0) {
            continue;
        }
        const std::size_t shift = at(left);
        for (std::size_t k = 0; k + shift < cells; ++k) {
            into[k + shift] += w * sum_[node][k];
        }
        for (std::size_t k = cells - shift; k < cells; ++k) {
            into[cells - 1] += w * sum_[node][k];
        }
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
    for (int cell = 0; cell <= last; ++cell) {
        sum += timeIn(cell);
    }
    return sum;
}

template <int Cells>
double PromptBacklogOf<Cells>::meanArrivals() const {
    if (input_.rate > 0) {
        return input_.rate * meanStep();
    }
    double sum = 0;
    for (int cell = 0; cell <= last; ++cell) {
        sum += probability_[at(cell)] * arrivals(cell, 1);
    }
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
    for (; cell > 0; cell -= chunkCells_) {
        sum += seconds_[at(cell)];
    }
    return sum;
}

/// Of arrivals, not normalised: those that meet a step with so many cells.
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
        const double few = cell > chunkCells_ ? leaving / all / 8 : 0.25;
        // Steps of nearly the same length are taken together.
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
    if (resting_ > 0) {
        out[count++] = {.weight = timeAtRest() / all};
    }
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
    if (number < 1e-6) {
        return {};
    }
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

template <int Cells>
double PromptBacklogOf<Cells>::meanTimeToFirstToken(double least) const {
    // Cells that go before an arrival: of those that nobody follows in their step, and of the others.
    Lattice alone{}, followed{};
    double all = timeAtRest();
    for (int cell = 0; cell <= last; ++cell) {
        all += met(cell);
    }
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
    for (int cell = 0; cell <= chunkCells_ && cell <= last; ++cell) {
        meet(met(cell) / all, arrivals(cell, 1) * input_.others, none, some);
    }
    addSums(none, 0, alone);
    addSums(some, 0, followed);
    meetLeaving(all, meet, alone, followed);
    const double share = std::accumulate(followed.begin(), followed.end(), 0.0);
    const double behindCells = share > 0 ? behind / share * input_.prompt / unit_ : 0;
    double sum = input_.rate > 0 ? meanResidual() : 0;
    if (input_.promptCv <= 0) {
        const double own = input_.prompt / unit_;
        for (int ahead = 0; ahead <= last; ++ahead) {
            sum += alone[at(ahead)] * timeUntilDone(ahead + own, 0, least) +
                   followed[at(ahead)] * timeUntilDone(ahead + own, behindCells, least);
        }
        return sum;
    }
    Lattice single{}, ridden{};
    for (int cell = 0; cell <= last; ++cell) {
        single[at(cell)] = timeUntilDone(cell, 0, least);
        ridden[at(cell)] = timeUntilDone(cell, behindCells, least);
    }
    for (std::size_t own = 0; own < cells; ++own) {
        if (size_[own] <= 0) {
            continue;
        }
        double mean = 0;
        for (std::size_t ahead = 0; ahead < cells; ++ahead) {
            const std::size_t done = std::min(ahead + own, at(last));
            mean += alone[ahead] * single[done] + followed[ahead] * ridden[done];
        }
        sum += size_[own] * mean;
    }
    return sum;
}

/// s of the steps that end so many cells, with others behind them: full ones, and the last one.
template <int Cells>
double PromptBacklogOf<Cells>::timeUntilDone(double cell, double behind, double least) const {
    double rest = std::min(cell, static_cast<double>(last)), full = 0;
    int steps = 0;
    for (; rest > chunkCells_ * (1 + 1e-9); rest -= chunkCells_) {
        full += stepAt(rest, least);
        ++steps;
    }
    const double alone = stepAt(rest + behind, least);
    if (steps == 0) {
        return alone;
    }
    const Later later = laterPrompts(steps);
    return full + (1 - later.probability) * alone +
           later.probability * stepAt(rest + behind + later.tokens / unit_, least);
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
    if (weight < 1e-9) {
        return;
    }
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
    for (int cell = 0; cell <= last; ++cell) {
        sum += probability_[at(cell)] * tokens(cell);
    }
    return sum;
}

template <int Cells>
double PromptBacklogOf<Cells>::meanResidual() const {
    double sum = 0;
    for (int cell = 0; cell <= last; ++cell) {
        sum += (timeIn(cell) - (cell == 0 ? timeAtRest() : 0)) * seconds_[at(cell)] / 2;
    }
    return sum / meanStep();
}

template <int Cells>
double PromptBacklogOf<Cells>::timeAtRest() const {
    return resting_ > 0 ? probability_[0] * resting_ / input_.rate : 0;
}

template <int Cells>
typename PromptBacklogOf<Cells>::Pause PromptBacklogOf<Cells>::pause() const {
    Pause out;
    NodeWeights mix{};
    mixNodes(arrivals(0, 1) * input_.others, 1, mix);
    addSums(mix, 0, out.probability);
    double first = 0, firstOfRest = 0, again = 0, total = 0;
    for (std::size_t k = 1; k < cells; ++k) {
        out.seconds[k] = timeUntil(static_cast<int>(k));
        out.again[k] = 1 - std::exp(-input_.rate * out.seconds[k]);
        first += out.probability[k] * out.seconds[k];
        firstOfRest += size_[k] * out.seconds[k];
        again += out.probability[k] * out.again[k];
        total += timeIn(static_cast<int>(k));
    }
    const double begun = probability_[0] * ((1 - resting_) * first + resting_ * firstOfRest);
    out.longer = begun > 0 ? std::max(1.0, total / begun) : 1;
    out.further = again > 0 ? (out.longer - 1) * first / again : 0;
    out.mean = out.longer * first + brief_;
    out.seconds[0] = out.probability[0] > 0 ? brief_ / out.probability[0] : 0;
    return out;
}

template class PromptBacklogOf<96>;
template class PromptBacklogOf<32>;
template class PromptBacklogOf<16>;

} // namespace alidade
