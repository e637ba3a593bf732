// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

namespace alidade {

/// Share of the responses that never end by themselves and are cut at the limit, whatever the others do:
/// repetitions. Between 0.05 % and 2 % of short answers were cut in published runs whose mean was a fourth of
/// the limit (verl, per-step logs of GSM8K runs: response_length/clip_ratio).
inline constexpr double runawayShare = 0.001;

/// Lengths of generated responses, in tokens: log-normal, cut at a limit.
class ResponseLengths {
public:
    /// \param mean of the lengths as they come out, after the cut; > 0
    /// \param cv standard deviation / mean before the cut; >= 0
    /// \param limit of a response; a mean at or above it means that every response is cut
    /// \param runaway share of responses that reach the limit besides, 0..1
    ResponseLengths(double mean, double cv, double limit, double runaway = 0);

    double mean() const { return mean_; }
    double limit() const { return limit_; }
    double sigma() const { return sigma_; } ///< of ln(length)
    /// Probability that a response is longer; 0 from the limit on.
    double above(double tokens) const;
    /// Share of the responses that the limit cuts.
    double cutShare() const;
    /// E[min(length, tokens)]: the integral of above() from 0.
    double meanBelow(double tokens) const;
    /// E[length^2].
    double secondMoment() const;
    /// Probability that a response which an engine is working on at a random time needs more further tokens
    /// (renewal theory: the integral of above() from there, over the mean).
    double residualAbove(double tokens) const { return 1 - meanBelow(tokens) / mean_; }
    /// 0 < p < 1.
    double quantile(double p) const;
    /// Expected longest of n responses: Blom's approximation in log space, at most the limit.
    double longestOf(double n) const;
    /// The same as an integral over the distribution of the longest, which Blom's median-like value is up to
    /// 10 % below for few responses of very different lengths; the mean for n = 1. \pre n >= 1
    double meanOfLongest(double n) const;
    /// Quantile of the longest of n responses: that of one at p^(1/n). 0 < p < 1.
    double longestQuantile(double n, double p) const { return quantile(std::pow(p, 1 / n)); }
    /// Mean and variance of the responses shorter than this; of all from the limit on.
    struct Moments {
        double mean = 0, variance = 0;
    };
    Moments momentsBelow(double tokens) const;

private:
    double uncutBelow(double tokens) const;         ///< P(uncut length <= tokens)
    double partial(int power, double tokens) const; ///< E[uncut^power; uncut <= tokens]

    double mean_, sigma_, limit_, runaway_, mu_;
};

} // namespace alidade
