// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/time_distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace alidade {

namespace {

// The leading bits of a double are its binary exponent and then its mantissa: shifted, they number bins that
// are equally wide within a factor of two.
constexpr int mantissaBits = 52 - 6;
constexpr std::uint64_t firstBin = std::bit_cast<std::uint64_t>(0x1p-17) >> mantissaBits;

} // namespace

double TimeDistribution::edge(std::size_t bin) {
    return std::bit_cast<double>((bin + firstBin) << mantissaBits);
}

void TimeDistribution::add(double seconds, double weight) {
    if (weight <= 0)
        return;
    total_ += weight;
    sum_ += weight * seconds;
    const double inside = std::clamp(seconds, edge(0), edge(bins - 1));
    const std::size_t bin = (std::bit_cast<std::uint64_t>(inside) >> mantissaBits) - firstBin;
    weights_[std::min(bin, bins - 1)] += weight;
}

void TimeDistribution::add(const TimeDistribution& other) {
    for (std::size_t bin = 0; bin < bins; ++bin)
        weights_[bin] += other.weights_[bin];
    total_ += other.total_;
    sum_ += other.sum_;
}

double TimeDistribution::quantile(double q) const {
    double below = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const double next = below + weights_[bin];
        if (next >= q * total_ && weights_[bin] > 0) {
            const double part = std::clamp((q * total_ - below) / weights_[bin], 0.0, 1.0);
            return edge(bin) + part * (edge(bin + 1) - edge(bin));
        }
        below = next;
    }
    return 0;
}

void TimeDistribution::blend(const TimeDistribution& other, double share) {
    if (share <= 0 || other.total_ <= 0)
        return;
    const double own = (1 - share) / total_, others = share / other.total_;
    for (std::size_t bin = 0; bin < bins; ++bin)
        weights_[bin] = own * weights_[bin] + others * other.weights_[bin];
    sum_ = own * sum_ + others * other.sum_;
    total_ = 1;
}

TimeDistribution TimeDistribution::delayed(double probability, double mean) const {
    if (probability < 1e-4 || mean <= 0)
        return *this;
    TimeDistribution out;
    constexpr int parts = 8;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        if (weights_[bin] <= 0)
            continue;
        const double seconds = (edge(bin) + edge(bin + 1)) / 2;
        out.add(seconds, weights_[bin] * (1 - probability));
        for (int i = 0; i < parts; ++i) {
            const double delay = -mean / probability * std::log((i + 0.5) / parts);
            out.add(seconds + delay, weights_[bin] * probability / parts);
        }
    }
    return out;
}

} // namespace alidade
