// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/outcome_statistics.h"

#include "model/explain/normal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace alidade {

namespace {

constexpr std::size_t bins = 40;
constexpr double tail = 0.005; ///< of the draws, that the outer bins hold besides their own

double quantileOf(const std::vector<double>& sorted, double p) {
    const double place = std::ceil(p * static_cast<double>(sorted.size()));
    return sorted[static_cast<std::size_t>(
        std::clamp(place - 1, 0.0, static_cast<double>(sorted.size() - 1)))];
}

} // namespace

OutcomeFigure statisticsOf(const std::vector<double>& values) {
    OutcomeFigure out;
    if (values.empty())
        return out;
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    out.p10 = quantileOf(sorted, 0.1);
    out.p50 = quantileOf(sorted, 0.5);
    out.p90 = quantileOf(sorted, 0.9);
    std::erase_if(sorted, [](double value) { return !std::isfinite(value); });
    if (sorted.empty())
        return out;
    out.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
    const double low = quantileOf(sorted, tail), high = quantileOf(sorted, 1 - tail);
    out.histogramLow = low;
    if (!(high > low)) { // nothing is uncertain
        out.histogram = {sorted.size()};
        return out;
    }
    out.histogram.assign(bins, 0);
    out.histogramWidth = (high - low) / static_cast<double>(bins);
    for (const double value : sorted) {
        const double bin = std::floor((value - low) / out.histogramWidth);
        ++out.histogram[static_cast<std::size_t>(std::clamp(bin, 0.0, static_cast<double>(bins - 1)))];
    }
    return out;
}

std::vector<Driver> driversOf(const std::vector<double>& values, const std::vector<DriverInput>& inputs) {
    constexpr double least = 1e-3;
    std::vector<Driver> out;
    const std::size_t n = values.size();
    if (n < 2)
        return out;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<double> ranks(n);
    for (std::size_t i = 0; i < n;) { // equal values share the mean of their places
        std::size_t end = i + 1;
        while (end < n && values[order[end]] == values[order[i]])
            ++end;
        const double place = (static_cast<double>(i) + static_cast<double>(end)) / 2;
        const double score = normalQuantile(place / static_cast<double>(n));
        for (; i < end; ++i)
            ranks[order[i]] = score;
    }
    double norm = 0;
    for (const double each : ranks)
        norm += each * each;
    double sum = 0;
    for (const DriverInput& input : inputs) {
        double mean = 0, square = 0, product = 0;
        for (std::size_t i = 0; i < n; ++i)
            mean += (*input.scores)[i] / static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double away = (*input.scores)[i] - mean;
            square += away * away;
            product += away * ranks[i];
        }
        const double correlation = square > 0 && norm > 0 ? product / std::sqrt(square * norm) : 0;
        // Of an input without effect n draws still show 1 / n.
        const double share = std::max(0.0, correlation * correlation - 1 / static_cast<double>(n));
        out.push_back({input.path, input.label, share, correlation});
        sum += share;
    }
    for (Driver& each : out)
        each.share = sum > 0 ? each.share / sum : 0;
    std::erase_if(out, [](const Driver& each) { return each.share < least; });
    std::ranges::stable_sort(out, std::ranges::greater{}, &Driver::share);
    return out;
}

} // namespace alidade
