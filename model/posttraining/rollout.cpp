// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/posttraining/rollout.h"

#include "model/explain/normal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade {

namespace rolling {

namespace {

/// Tokens at which a falling count reaches `target`.
template <class F>
double whereFalls(const F& count, double target, double most) {
    double low = 0, high = most;
    for (int i = 0; i < 50; ++i) {
        const double middle = (low + high) / 2;
        (count(middle) > target ? low : high) = middle;
    }
    return high;
}

} // namespace

double underWay(const RolloutLoad& load, double sequences, double tokens) {
    double out = sequences * load.lengths.above(tokens);
    if (load.ahead > 0)
        out += sequences * load.ahead * load.lengths.residualAbove(tokens);
    return out;
}

double endOf(const RolloutLoad& load) {
    const double longest = load.lengths.longestOf(load.sequences);
    if (load.ahead <= 0)
        return longest;
    const double each = load.sequences / load.engines;
    const double end = whereFalls([&](double at) { return underWay(load, each, at); }, load.ahead * each,
                                  load.lengths.limit());
    return std::min(end, longest);
}

double drainEndOf(const RolloutLoad& load) {
    const double each = load.sequences / load.engines;
    const double longest = load.lengths.longestOf(load.sequences);
    const double left = load.ahead > 0 ? load.ahead * each / load.places : 0;
    // Blom: the expected longest of n lies where a share of 0.625 / (n + 0.25) is longer.
    const double share = std::max(left, 0.625 / (load.places * load.engines + 0.25));
    return std::min(longest, whereFalls([&](double at) { return load.lengths.residualAbove(at); }, share,
                                        load.lengths.limit()));
}

double lastEngineFactor(const RolloutLoad& load, double fixed, double perSequence) {
    const double n = std::min(load.sequences / load.engines, load.places);
    const double engines = load.engines;
    const ResponseLengths& lengths = load.lengths;
    if (n < 2 || lengths.sigma() <= 0 || perSequence <= 0 || fixed <= 0)
        return 1;
    // Distribution of an engine's time: over its longest sequence, normal in the sum of the others.
    constexpr int levels = 36, steps = 56;
    struct Part {
        double weight, mean, deviation;
    };
    std::array<Part, levels> parts{};
    double least = std::numeric_limits<double>::max(), most = 0, weighed = 0;
    for (int i = 0; i < levels; ++i) {
        // Levels of the distribution of the longest, denser toward its end, which the last engine sees.
        const double from = i == 0 ? 1 : std::pow(10.0, -6.0 * i / levels);
        const double to = i + 1 == levels ? 0 : std::pow(10.0, -6.0 * (i + 1) / levels);
        const double above = (from + to) / 2;
        const double longest = lengths.quantile(std::clamp(std::pow(1 - above, 1 / n), 1e-12, 1 - 1e-15));
        const ResponseLengths::Moments others = lengths.momentsBelow(longest);
        Part& part = parts[static_cast<std::size_t>(i)];
        part.weight = from - to;
        part.mean = fixed * longest + perSequence * (longest + (n - 1) * others.mean);
        part.deviation = perSequence * std::sqrt((n - 1) * others.variance) + 1e-12;
        weighed += part.weight;
        least = std::min(least, part.mean - 5 * part.deviation);
        most = std::max(most, part.mean + 5 * part.deviation);
    }
    least = std::max(0.0, least);
    double last = least;
    const double width = (most - least) / steps;
    for (int k = 0; k < steps; ++k) {
        const double at = least + (k + 0.5) * width;
        double below = 0;
        for (const Part& part : parts)
            below += part.weight / weighed * normalBelow((at - part.mean) / part.deviation);
        last += width * (1 - std::pow(below, engines));
    }
    const double plain = fixed * lengths.longestOf(n * engines) + perSequence * n * lengths.mean();
    return std::max(0.9, last / plain);
}

} // namespace rolling

} // namespace alidade
