// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/loaded_engine.h"

namespace alidade {

using Lattice = PromptBacklog::Lattice;

PromptParts::PromptParts(const PromptSizes& sizes) {
    if (sizes.cv <= 0) {
        tokens_[size_++] = sizes.mean;
        return;
    }
    const double deviation = std::sqrt(std::log1p(sizes.cv * sizes.cv));
    double below = 0;
    for (int i = 1; i <= most; ++i) {
        const double upTo =
            i < most ? normalBelow(normalQuantile(static_cast<double>(i) / most) - deviation) : 1;
        tokens_[size_++] = sizes.mean * (upTo - below) * most;
        below = upTo;
    }
}

double GammaTail::above(double x) const {
    const double ninth = cv2 / 9;
    return normalBelow((1 - ninth - std::cbrt(x / mean)) / std::sqrt(ninth));
}

double GammaTail::excess(double x) const {
    // The cube root is normal: E(Y^3 - x; Y^3 > x) of its moments above the bound.
    constexpr double perRoot2Pi = 0.3989422804014327;
    const double ninth = cv2 / 9, center = 1 - ninth, deviation = std::sqrt(ninth);
    const double bound = (std::cbrt(x / mean) - center) / deviation;
    const double beyond = normalBelow(-bound), density = perRoot2Pi * std::exp(-bound * bound / 2);
    const double cubes =
        center * (center * center + 3 * ninth) * beyond +
        deviation * density *
            (3 * center * center + 3 * center * deviation * bound + ninth * (bound * bound + 2));
    return std::max(0.0, mean * cubes - x * beyond);
}

double LoadedEngine::timeAlone(double prompt) const {
    return stepsOf(prompt, limits.chunkTokens, [this](double part) { return table.prefill(part); });
}

double LoadedEngine::preemptionsWhenFull() const {
    const double prompt = limits.memory.meanBytesAt(load.inputTokens);
    return prompt > 0 ? limits.memory.meanBytesAt(load.inputTokens + load.outputTokens) / prompt - 1 : 0;
}

namespace {

/// A length that one in 100 000 exceeds.
double longLength(double mean, double cv) {
    const double variance = std::log1p(cv * cv);
    return mean * std::exp(4.2 * std::sqrt(variance) - variance / 2);
}

} // namespace

double LoadedEngine::waitForGiants(double others, double rate, double gap) const {
    // Of a sum of few sizes with long tails the largest one makes the tail. A sequence that is x mean ones
    // leaves room for M - x of them in a cache for M. Where its prompt does not find it, it waits until
    // enough others have ended, and those who ended wait behind it; then, and as it grows, those beyond M - x
    // wait, once they have come back from where they were.
    const double cycle = (others + 1) / rate, spread = std::sqrt(3 * others * sizeVariance());
    const auto shares = [&](double tokens) {
        return limits.memory.meanBytesAt(tokens) / means.sequenceBytes;
    };
    constexpr int points = 16;
    constexpr double lowest = -1.8, stride = 0.4; // of the logarithms, in deviations
    struct Length {
        double tokens, probability;
    };
    std::array<Length, points> prompts{}, answers{};
    const auto lengths = [&](double mean, double cv, std::array<Length, points>& out) {
        if (cv <= 0) {
            out[0] = {mean, 1};
            return 1;
        }
        const double variance = std::log1p(cv * cv), deviation = std::sqrt(variance);
        for (int i = 0; i < points; ++i) {
            constexpr double perRoot2Pi = 0.3989422804014327;
            const double z = lowest + stride * i;
            out[static_cast<std::size_t>(i)] = {mean * std::exp(deviation * z - variance / 2),
                                                stride * perRoot2Pi * std::exp(-z * z / 2)};
        }
        return points;
    };
    const int nPrompts = lengths(load.inputTokens, load.inputCv, prompts);
    const int nAnswers = lengths(load.outputTokens, load.outputCv, answers);
    double sum = 0;
    for (const double point : {-1.0, 0.0, 1.0}) { // what the others hold, Gauss-Hermite
        const double room = std::max(0.0, means.memoryBatch - std::max(0.0, others + point * spread));
        const double share = point == 0 ? 2.0 / 3 : 1.0 / 6;
        for (int i = nPrompts - 1; i >= 0; --i) {
            const auto [input, chance] = prompts[static_cast<std::size_t>(i)];
            const double from = shares(input), drained = std::clamp(from - room, 0.0, others);
            sum += share * chance * cycle * drained / (others + 1) * (1 + drained / 2);
            for (int j = nAnswers - 1; j >= 0; --j) {
                const auto [output, weight] = answers[static_cast<std::size_t>(j)];
                const double to = shares(input + output);
                if (to <= room)
                    break;
                const double most = std::min(to, means.memoryBatch),
                             least = std::min(std::max(from, room), most);
                const double lasts = gap * output / limits.tokensPerStep, perShare = lasts / (to - from);
                const double blocks = std::max(perShare * (most - least), 1e-12), away = cycle / blocks;
                const double waiting =
                    perShare * ((most - room) * (most - room) - (least - room) * (least - room)) / 2;
                sum += share * chance * weight * waiting *
                       (drained > 0 ? 1 : 1 - away * (1 - std::exp(-1 / away)));
            }
        }
    }
    return sum;
}

LoadedEngine::Crowding LoadedEngine::crowding(double sequences, double variance, double rate,
                                              double gap) const {
    Crowding out = sequences > 0 && means.memoryBatch < limits.maxSequences
                       ? manyTogether(std::min(sequences, means.maxBatch), variance, rate)
                       : Crowding{};
    const double longest =
        longLength(load.inputTokens, load.inputCv) + longLength(load.outputTokens, load.outputCv);
    const double largest = limits.memory.meanBytesAt(longest) / means.sequenceBytes;
    const bool giants = load.inputCv > 0 || load.outputCv > 0;
    // In a full engine all wait for a place, whoever holds it.
    if (giants && sequences > 0 && sequences + 1 < means.maxBatch && means.memoryBatch < sequences + largest)
        out.wait = std::max(out.wait, waitForGiants(sequences, rate, gap));
    return out;
}

LoadedEngine::Crowding LoadedEngine::manyTogether(double sequences, double variance, double rate) const {
    const GammaTail held{sequences,
                         std::max(1e-9, (variance + sequences * sizeVariance()) / (sequences * sequences))};
    // A prompt waits until the others have released what it lacks; those behind it wait too (Pollaczek and
    // Khinchine, the line's head as the server). The part that is met while sequences grow preempts the
    // youngest instead, after its first token: a shortage is taken to be met one way as often as the other.
    double probability = 0, wait = 0, square = 0;
    const double weight = parts.probability();
    for (const double prompt : parts) {
        const double own = limits.memory.meanBytesAt(prompt + means.cached) / means.sequenceBytes;
        const double room = std::max(means.fitted.leastRoom * means.memoryBatch, means.memoryBatch - own);
        const double blocked = held.above(room),
                     lack = means.fitted.metAtAdmission * held.excess(room) / rate;
        probability += weight * blocked;
        wait += weight * lack;
        square += blocked > 1e-12 ? weight * 2 * lack * lack / blocked : 0;
    }
    const double busy = std::min(means.fitted.busiestHead, rate * wait);
    probability = std::min(1.0, probability / (1 - busy));
    return {.probability = probability,
            .wait = wait + rate * square / (2 * (1 - busy)),
            .preemptions = probability * preemptionsWhenFull()};
}

void Additions::add(double seconds, double probability) {
    if (probability > 1e-6 && size_ < samples_.size())
        samples_[size_++] = {seconds, probability};
}

void Additions::scale(double probability) {
    for (std::size_t i = 0; i < size_; ++i)
        samples_[i].probability *= probability;
}

void Gaps::add(double batch, const Additions& additions, double weight) {
    const double base = engine.table.decode(batch);
    for (const Additions::Sample& sample : additions)
        add(batch, base + sample.seconds, weight * sample.probability);
}

void Gaps::add(double batch, double seconds, double weight) {
    const double spread =
        engine.table.perContextToken() * engine.means.contextDeviation * std::sqrt(std::max(batch, 1.0));
    constexpr double root3 = 1.7320508; // Gauss-Hermite of three points
    if (spread < 0.01 * seconds) {
        gaps.add(seconds, weight);
        return;
    }
    gaps.add(std::max(seconds / 4, seconds - root3 * spread), weight / 6);
    gaps.add(seconds, weight * 2 / 3);
    gaps.add(seconds + root3 * spread, weight / 6);
}

Additions mixedAdditions(const PromptBacklog& backlog, double decode, const Lattice* decoding, double among) {
    Lattice weights{};
    double busy = 0, total = 0;
    for (std::size_t i = 0; i < PromptBacklog::cells; ++i) {
        const double steps = backlog.stepsIn(static_cast<int>(i));
        weights[i] = steps * backlog.probability()[i] * (decoding ? (*decoding)[i] : 1);
        total += weights[i];
        busy += i > 0 ? weights[i] : 0;
    }
    Additions out;
    out.add(0, (1 - among) * weights[0] / total);
    for (std::size_t i = 1; i < PromptBacklog::cells; ++i) {
        const double seconds = backlog.seconds()[i] / backlog.stepsIn(static_cast<int>(i));
        out.add(std::max(0.0, seconds - decode), weights[i] * ((1 - among) / total + among / busy));
    }
    return out;
}

Additions pauseAdditions(const LoadedEngine& e, const PromptBacklog& backlog) {
    Additions out;
    const PromptBacklog::Pause pause = backlog.pause();
    const double one = std::min(e.promptAlone(), pause.further);
    const double last = pause.further > 0 ? one / pause.further : 1;
    // While some prompts are computed others may come, then a geometric number of further ones.
    const auto add = [&](double seconds, double probability) {
        const double again = probability * (1 - std::exp(-e.load.requestsPerSecond * seconds));
        out.add(seconds, probability - again);
        out.add(seconds + one, again * last);
        out.add(seconds + 2 * one, again * (1 - last) * last);
        out.add(seconds + one * (2 + 1 / last), again * (1 - last) * (1 - last));
    };
    const double none = std::exp(-pause.arrivals), single = none * pause.arrivals;
    out.add(0, none);
    for (const PromptBacklog::Prompt& prompt : backlog.prompts())
        add(e.timeAlone(prompt.tokens), single * prompt.probability);
    const PromptBacklog::Lattice several = backlog.severalPrompts(pause.arrivals);
    const double few = (1 - none - single) / 16, least = e.table.prefill(1);
    double seconds = 0, probability = 0;
    for (int cell = 0; cell < PromptBacklog::cells; ++cell) {
        const double p = several[static_cast<std::size_t>(cell)];
        seconds += p * std::max(least, backlog.timeUntil(cell));
        probability += p;
        if (probability > few || (cell + 1 == PromptBacklog::cells && probability > 0)) {
            add(seconds / probability, probability);
            seconds = probability = 0;
        }
    }
    return out;
}

Percentiles percentilesOf(const TimeDistribution& times, double shift, double scale) {
    return {.p50 = shift + scale * times.quantile(0.5),
            .p90 = shift + scale * times.quantile(0.9),
            .p95 = shift + scale * times.quantile(0.95),
            .p99 = shift + scale * times.quantile(0.99)};
}

} // namespace alidade
