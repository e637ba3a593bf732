// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/loaded_engine.h"

namespace alidade {

using Lattice = PromptBacklog::Lattice;

double GammaTail::above(double x) const {
    const double ninth = cv2 / 9;
    return normalBelow((1 - ninth - std::cbrt(x / mean)) / std::sqrt(ninth));
}

double GammaTail::excess(double x) const {
    // The cube root is normal: E(Y^3 - x; Y^3 > x) of its moments above the bound.
    constexpr double perRoot2Pi = 0.3989422804014327;
    const double ninth = cv2 / 9, centre = 1 - ninth, deviation = std::sqrt(ninth);
    const double bound = (std::cbrt(x / mean) - centre) / deviation;
    const double beyond = normalBelow(-bound), density = perRoot2Pi * std::exp(-bound * bound / 2);
    const double cubes =
        centre * (centre * centre + 3 * ninth) * beyond +
        deviation * density *
            (3 * centre * centre + 3 * centre * deviation * bound + ninth * (bound * bound + 2));
    return std::max(0.0, mean * cubes - x * beyond);
}

double LoadedEngine::preemptionsWhenFull() const {
    const double prompt = limits.memory.meanBytesAt(load.inputTokens);
    return prompt > 0 ? limits.memory.meanBytesAt(load.inputTokens + load.outputTokens) / prompt - 1 : 0;
}

LoadedEngine::Crowding LoadedEngine::crowding(double sequences, double variance, double rate) const {
    if (means.memoryBatch >= limits.maxSequences || sequences <= 0) {
        return {};
    }
    sequences = std::min(sequences, means.maxBatch);
    const GammaTail held{sequences,
                         std::max(1e-9, (variance + sequences * sizeVariance()) / (sequences * sequences))};
    // A prompt waits until the others have released what it lacks; those behind it wait too (Pollaczek and
    // Khinchine, the line's head as the server). The part that is met while sequences grow preempts the
    // youngest instead, after its first token: fitted to the simulation.
    constexpr double metAtAdmission = 0.4;
    double probability = 0, wait = 0, square = 0;
    forPrompts(prompts(), [&](double prompt, double weight) {
        const double own = limits.memory.meanBytesAt(prompt + means.cached) / means.sequenceBytes;
        const double room = std::max(0.1 * means.memoryBatch, means.memoryBatch - own);
        const double blocked = held.above(room), lack = metAtAdmission * held.excess(room) / rate;
        probability += weight * blocked;
        wait += weight * lack;
        square += blocked > 1e-12 ? weight * 2 * lack * lack / blocked : 0;
    });
    const double busy = std::min(0.9, rate * wait);
    probability = std::min(1.0, probability / (1 - busy));
    return {.probability = probability,
            .wait = wait + rate * square / (2 * (1 - busy)),
            .preemptions = probability * preemptionsWhenFull()};
}

void Additions::add(double seconds, double probability) {
    if (probability > 1e-6 && size_ < samples_.size()) {
        samples_[size_++] = {seconds, probability};
    }
}

void Additions::scale(double probability) {
    for (std::size_t i = 0; i < size_; ++i) {
        samples_[i].probability *= probability;
    }
}

void Gaps::add(double batch, const Additions& additions, double weight) {
    const double base = engine.table.decode(batch);
    for (const Additions::Sample& sample : additions) {
        add(batch, base + sample.seconds, weight * sample.probability);
    }
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

Additions mixedAdditions(const PromptBacklog& backlog, double decode, const Lattice* decoding) {
    Additions out;
    double total = 0;
    for (std::size_t i = 0; i < PromptBacklog::cells; ++i) {
        const double weight = backlog.probability()[i] * (decoding ? (*decoding)[i] : 1);
        out.add(i > 0 ? std::max(0.0, backlog.seconds()[i] - decode) : 0, weight);
        total += weight;
    }
    out.scale(1 / total);
    return out;
}

Additions pauseAdditions(const PromptBacklog::Pause& pause, double alone) {
    Additions out;
    double seconds = 0, probability = 0, again = 0;
    for (std::size_t i = 0; i < PromptBacklog::cells; ++i) {
        seconds += pause.probability[i] * pause.seconds[i];
        probability += pause.probability[i];
        again += pause.probability[i] * pause.again[i];
        if (i > 0 && probability < 0.04 && i + 1 < PromptBacklog::cells) {
            continue;
        }
        // Then a geometric number of further prompts.
        const double mean = probability > 0 ? seconds / probability : 0;
        const double one = std::min(alone, pause.further), last = pause.further > 0 ? one / pause.further : 1;
        out.add(mean, probability - again);
        out.add(mean + one, again * last);
        out.add(mean + 2 * one, again * (1 - last) * last);
        out.add(mean + one * (2 + 1 / last), again * (1 - last) * (1 - last));
        seconds = probability = again = 0;
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
