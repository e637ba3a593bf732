// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>

namespace alidade {

/// The mean alone of weighted samples of a time.
struct MeanTime {
    double sum = 0, total = 0;
    void add(double seconds, double weight) {
        sum += weight * seconds;
        total += weight;
    }
    double mean() const { return total > 0 ? sum / total : 0; }
};

/// Weighted samples of a time, 8 us to 36 h, in 64 bins per factor of two. The mean is exact.
class TimeDistribution {
public:
    void add(double seconds, double weight);
    /// All samples of another one, with their weights.
    void add(const TimeDistribution& other);
    double mean() const { return total_ > 0 ? sum_ / total_ : 0; }
    /// Interpolated within a bin (at most 1.6 % wide). \param q 0..1
    double quantile(double q) const;
    /// Takes over `share` of another distribution; both count as 1 before.
    void blend(const TimeDistribution& other, double share);
    /// With this probability delayed by an exponential time; `mean` over all.
    TimeDistribution delayed(double probability, double mean) const;

private:
    static constexpr int octaves = 34, perOctave = 64;
    static constexpr std::size_t bins = octaves * perOctave;
    static double edge(std::size_t bin);

    std::array<double, bins> weights_{};
    double total_ = 0, sum_ = 0;
};

} // namespace alidade
