// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/index.h"
#include "model/serving/load_means.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade {

/// Step times of one engine under one load, read between a few points. A corner between two points (memory
/// bound to compute bound) is found by extending the adjacent segments.
class StepTable {
public:
    static constexpr int batchPoints = 12, tokenPoints = 8;

    /// \param largest batch of interest, >= 1
    template <StepTime F>
    StepTable(const LoadMeans& means, const EngineLimits& limits, const F& step, double largest) {
        if (means.decodeSteps > 0) {
            for (int i = 0; i < batchPoints; ++i) {
                const double n = std::pow(std::max(largest, 1.5), i / (batchPoints - 1.0));
                decode_[at(i)] = {n, step(meanStep(means, n, 0))};
            }
            StepWork longer = meanStep(means, middle(largest), 0);
            longer.decodeContext *= 1.5;
            perContext_ = (step(longer) - decode(longer.decodeSequences)) /
                          (0.5 * means.decodeContext * longer.decodeSequences);
        }
        if (means.prompt > 0) {
            const double most = limits.chunkTokens;
            const double least = std::min(most, means.prompt) / 4;
            for (int i = 0; i < tokenPoints; ++i)
                tokens_[at(i)] = least * std::pow(std::max(most / least, 1.01), i / (tokenPoints - 1.0));
            alone_ = curve(means, step, 0);
            least_ = {1, step(meanStep(means, 0, 1))};
        }
    }
    /// Measures steps that mix prefill with so many decodes; later ones lie between the two last measured.
    template <StepTime F>
    void mixAt(const LoadMeans& means, const F& step, double batch) {
        if (means.prompt > 0 && means.decodeSteps > 0) {
            low_ = high_.batch > 0 ? high_ : curve(means, step, batch);
            high_ = high_.batch > 0 ? curve(means, step, batch) : low_;
            if (low_.batch > high_.batch)
                std::swap(low_, high_);
        }
    }

    /// s, a step of so many decodes alone.
    double decode(double batch) const;
    /// s, a step of prefill tokens alongside `batch` >= 0 decodes.
    double mixed(double batch, double tokens) const;
    /// s, a step of prefill alone.
    double prefill(double tokens) const;
    /// s that one more token of context costs, of all sequences together.
    double perContextToken() const { return perContext_; }

private:
    struct Point {
        double x = 0, y = 0;
    };
    struct Curve {
        double batch = 0;
        std::array<Point, tokenPoints> points{}; // tokens, s more than without prefill
    };
    static double middle(double largest) { return std::sqrt(std::max(1.0, largest)); }

    template <StepTime F>
    Curve curve(const LoadMeans& means, const F& step, double batch) const {
        Curve out{.batch = batch};
        const double without = batch > 0 ? step(meanStep(means, batch, 0)) : 0;
        for (std::size_t i = 0; i < tokenPoints; ++i)
            out.points[i] = {tokens_[i], step(meanStep(means, batch, tokens_[i])) - without};
        return out;
    }
    static double extra(const Curve& curve, double tokens);
    double fewAlone(double tokens) const;

    std::array<Point, batchPoints> decode_{};
    std::array<double, tokenPoints> tokens_{};
    Curve alone_, low_, high_;
    Point least_; // of prefill alone
    double perContext_ = 0;
};

} // namespace alidade
