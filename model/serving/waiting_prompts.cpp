// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/waiting_prompts.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

/// Of x > 0, by Stirling's series; std::lgamma writes a global variable.
double logGamma(double x) {
    double product = 1;
    for (; x < 6; x += 1)
        product *= x;
    constexpr double halfLog2Pi = 0.9189385332046727;
    return (x - 0.5) * std::log(x) - x + halfLog2Pi + (1 - 1 / (30 * x * x)) / (12 * x) - std::log(product);
}

} // namespace

WaitingPrompts::WaitingPrompts(double prompt, double cv, double chunk, double busy, double span)
    : perToken_(points / span)
    , perMore_(span / points / prompt) {
    const double begun = 1 - std::min(1.0, chunk / prompt); // of the first one a part is done, more or less
    if (cv < 0.2) {
        for (int i = 0; i <= points; ++i)
            number_[static_cast<std::size_t>(i)] = std::max(1.0, i / perToken_ / prompt + begun / 2);
        return;
    }
    // Gamma sizes: k of them behind the rest of one have the density of a gamma sum, and come with a chance
    // of busy^k. Of exponential ones these are 1 + Poisson(busy x tokens/prompt).
    constexpr std::size_t most = 30;
    const double shape = 1 / (cv * cv), rest = shape - begun * (shape - 1) / 2, scale = prompt * cv * cv;
    std::array<double, most> next{}; // from k to k + 1 of them
    double before = logGamma(rest);
    for (std::size_t k = 0; k < most; ++k) {
        const double after = logGamma(shape * static_cast<double>(k + 1) + rest);
        next[k] = busy * std::exp(before - after);
        before = after;
    }
    number_[0] = 1;
    for (std::size_t i = 1; i <= points; ++i) {
        const double growth = std::pow(static_cast<double>(i) / perToken_ / scale, shape);
        double part = 1, sum = 1, mean = 0;
        std::size_t k = 0;
        for (; k < most && (part > 1e-4 * sum || next[k] * growth > 1); ++k) {
            part *= next[k] * growth;
            sum += part;
            mean += static_cast<double>(k + 1) * part;
        }
        // Where the series is cut off, the line is long enough for the law of large numbers.
        number_[i] = k < most ? 1 + mean / sum : number_[i - 1] + perMore_;
    }
}

double WaitingPrompts::operator()(double tokens) const {
    const double place = std::max(0.0, tokens * perToken_);
    if (place > points)
        return number_[points] + (place - points) * perMore_;
    const auto low = static_cast<std::size_t>(std::min(place, points - 1.0));
    return number_[low] + (place - static_cast<double>(low)) * (number_[low + 1] - number_[low]);
}

} // namespace alidade
