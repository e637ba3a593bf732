// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/posttraining/response_lengths.h"

#include "model/explain/normal.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

constexpr double fewTokens = 1e-9;

} // namespace

ResponseLengths::ResponseLengths(double mean, double cv, double limit, double runaway)
    : mean_(std::min(mean, limit))
    , sigma_(std::sqrt(std::log1p(cv * cv)))
    , limit_(limit)
    , runaway_(cv > 0 && runaway * limit < 0.5 * mean ? runaway : 0)
    , mu_(std::log(mean_) - sigma_ * sigma_ / 2) {
    if (sigma_ <= 0 || mean_ >= limit * (1 - 1e-9))
        return;
    // The mean is that of the cut lengths: the location of the uncut ones lies above.
    double low = mu_ - 2, high = std::log(limit) + 12 * sigma_;
    for (int i = 0; i < 60; ++i) {
        mu_ = (low + high) / 2;
        (meanBelow(limit) < mean_ ? low : high) = mu_;
    }
}

double ResponseLengths::uncutBelow(double tokens) const {
    if (tokens <= 0)
        return 0;
    if (sigma_ <= 0)
        return tokens >= mean_ ? 1 : 0;
    return normalBelow((std::log(tokens) - mu_) / sigma_);
}

double ResponseLengths::partial(int power, double tokens) const {
    if (tokens <= 0)
        return 0;
    if (sigma_ <= 0)
        return tokens >= mean_ ? std::pow(mean_, power) : 0;
    const double shift = power * sigma_ * sigma_;
    return std::exp(power * mu_ + power * shift / 2) * normalBelow((std::log(tokens) - mu_ - shift) / sigma_);
}

double ResponseLengths::above(double tokens) const { return tokens >= limit_ ? 0 : 1 - uncutBelow(tokens); }

double ResponseLengths::cutShare() const { return runaway_ + (1 - runaway_) * (1 - uncutBelow(limit_)); }

double ResponseLengths::meanBelow(double tokens) const {
    const double at = std::min(tokens, limit_);
    return at <= 0 ? 0 : runaway_ * at + (1 - runaway_) * (partial(1, at) + at * (1 - uncutBelow(at)));
}

double ResponseLengths::secondMoment() const {
    return (1 - runaway_) * (partial(2, limit_) + limit_ * limit_ * (1 - uncutBelow(limit_))) +
           runaway_ * limit_ * limit_;
}

double ResponseLengths::quantile(double p) const {
    if (sigma_ <= 0)
        return mean_;
    return p >= 1 - runaway_ ? limit_
                             : std::min(limit_, std::exp(mu_ + sigma_ * normalQuantile(p / (1 - runaway_))));
}

double ResponseLengths::longestOf(double n) const {
    if (sigma_ <= 0)
        return mean_;
    const double ended = std::min(limit_, std::exp(mu_ + sigma_ * blomMaximum(n)));
    return limit_ - std::pow(1 - runaway_, n) * (limit_ - ended);
}

double ResponseLengths::meanOfLongest(double n) const {
    if (sigma_ <= 0 || n <= 1 || mean_ >= limit_ * (1 - 1e-9)) // the limit cuts all of them
        return mean_;
    // Over the longest of n standard normals, in cells narrow enough for the largest n that anyone draws.
    constexpr double least = -9, most = 9;
    constexpr int cells = 900;
    double ended = 0, below = 0;
    for (int i = 0; i < cells; ++i) {
        const double from = least + (most - least) * i / cells, to = least + (most - least) * (i + 1) / cells;
        const double upTo = i + 1 == cells ? 1 : std::pow(normalBelow(to), n);
        ended += (upTo - below) * std::min(limit_, std::exp(mu_ + sigma_ * (from + to) / 2));
        below = upTo;
    }
    return std::max(mean_, limit_ - std::pow(1 - runaway_, n) * (limit_ - ended));
}

ResponseLengths::Moments ResponseLengths::momentsBelow(double tokens) const {
    if (tokens >= limit_) // those that were cut count as well
        return {.mean = mean_, .variance = std::max(0.0, secondMoment() - mean_ * mean_)};
    const double below = uncutBelow(tokens);
    if (sigma_ <= 0 || below < fewTokens)
        return {.mean = mean_, .variance = 0};
    const double mean = partial(1, tokens) / below;
    return {.mean = mean, .variance = std::max(0.0, partial(2, tokens) / below - mean * mean)};
}

} // namespace alidade
