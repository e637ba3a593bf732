// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/load_means.h"
#include "model/serving/step_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace alidade {

/// How many sequences decode at once under an open load: every one of n advances by a step in gap(n), so that
/// the engine is a processor-sharing server of rate n/(steps gap(n)), and the number is that of a birth-death
/// chain whatever the lengths are (insensitivity). Arrivals that are not Poisson stretch the chain to their
/// variance. Beyond the limit requests wait in line.
class BatchDistribution {
public:
    static constexpr std::size_t most = 320;

    /// \param stepsPerSecond decode steps of sequences that arrive: requests/s x decode steps of one
    /// \param gap s between two steps of a sequence, of the batch \param limit > 0 sequences at most
    /// \param load of the engine when they are full, 0..1
    /// \param peakedness variance over mean of the number without a limit, over that of Poisson arrivals
    /// \param variability (ca^2 + cs^2)/2 of arrivals and lengths, for the line
    template <class Gap>
    BatchDistribution(double stepsPerSecond, const Gap& gap, double limit, double load, double peakedness,
                      double variability, const ClosedFormConstants& constants = {}) {
        // Stride: a part of the deviation, which is about the root of the mean.
        const double center = std::min(limit, stepsPerSecond * gap(std::min(limit, 1.0)));
        const double stride = std::max(1.0, std::floor(std::sqrt(center) / 3));
        // However regular the arrivals, a number is whole: around a mean of 1.3 it is one or two.
        const double part = center - std::floor(center);
        const double spread = std::max({peakedness, part * (1 - part) / center, 1e-3});
        double log = 0, top = 0;
        size_ = 1;
        batch_[0] = 0;
        std::array<double, most> logs{};
        double n = 0, width = 1; // of the last entry, in sequences
        const double logStride = std::log(stride);
        while (size_ < most && n < limit && log > top - 30) {
            width = std::min(stride, limit - n);
            // The death rates n + 1 .. n + width, half a place lower where the number hardly varies: then its
            // mean, not only its mode, is where arrivals and departures are equal.
            const double middle = n + (width + std::min(1.0, spread)) / 2;
            log += width * std::log(stepsPerSecond * gap(middle) / middle) / spread;
            n += width;
            top = std::max(top, log);
            batch_[size_] = n;
            logs[size_++] = log + (width == stride ? logStride : std::log(width));
        }
        double total = 0;
        for (std::size_t i = 0; i < size_; ++i)
            total += weight_[i] = std::exp(logs[i] - top);
        const double full = std::min(load, 1 - 1e-6);
        // The line: a geometric tail beyond the limit.
        const bool reached = n >= limit;
        const double atLimit = reached ? weight_[size_ - 1] / width : 0;
        const double line = atLimit * full / (1 - full);
        total += line;
        for (std::size_t i = 0; i < size_; ++i)
            weight_[i] /= total;
        weight_[size_ - 1] += line / total;
        waiting_ = (line + atLimit) / total;
        inLine_ = line / (1 - full) / total * manyServers(variability, limit, full, constants);
    }

    double mean() const;
    double variance() const;
    double empty() const { return weight_[0]; } ///< share of time with none
    double waiting() const { return waiting_; } ///< probability that a request finds no place
    double inLine() const { return inLine_; }   ///< mean number without a place
    std::size_t size() const { return size_; }
    double batch(std::size_t i) const { return batch_[i]; }
    double share(std::size_t i) const { return weight_[i]; } ///< of time

private:
    /// With many servers short of saturation a line ends before long lengths have been seen: between the
    /// heavy-traffic factor and hardly any.
    static double manyServers(double variability, double servers, double load,
                              const ClosedFormConstants& constants) {
        const double slack = std::max(0.0, 1 - load) * std::sqrt(servers); // of Halfin and Whitt
        return std::pow(variability, 1 / (1 + slack)) / (1 + constants.shorterLine * slack);
    }

    std::array<double, most> batch_{}, weight_{};
    std::size_t size_ = 0;
    double waiting_ = 0, inLine_ = 0;
};

/// Many batches in a few: their means and shares of the tokens.
struct BatchGroups {
    static constexpr std::size_t most = 20;
    std::array<double, most> batch{}, share{};
    std::size_t size = 0;

    BatchGroups(const BatchDistribution& from, const StepTable& table) {
        double total = 0;
        for (std::size_t i = 1; i < from.size(); ++i)
            total += tokens(from, table, i);
        double weight = 0, sum = 0;
        for (std::size_t i = 1; i < from.size(); ++i) {
            const double w = tokens(from, table, i);
            weight += w;
            sum += w * from.batch(i);
            if (weight > total / (most - 2) || i + 1 == from.size()) {
                batch[size] = weight > 0 ? sum / weight : 1;
                share[size++] = weight;
                weight = sum = 0;
            }
        }
    }
    static double tokens(const BatchDistribution& from, const StepTable& table, std::size_t i) {
        return from.share(i) * from.batch(i) / table.decode(from.batch(i));
    }
};

/// s of a decode step as a token sees it: mean over the tokens that the batches make, so that larger batches
/// count for more. The step of a single sequence where there are none.
double stepOfTokens(const BatchDistribution& batches, const StepTable& table);

} // namespace alidade
