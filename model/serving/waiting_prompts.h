// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

namespace alidade {

/// How many prompts the tokens are that wait for prefill, the one that is under way included: many tokens are
/// many prompts where all are alike, and one long prompt with few behind it where they differ much.
class WaitingPrompts {
public:
    /// \param prompt tokens, mean, > 0 \param cv of them \param chunk tokens that a step may take
    /// \param busy tokens that come in a step, over those, 0..1 \param span tokens, the most of interest
    WaitingPrompts(double prompt, double cv, double chunk, double busy, double span);
    /// Mean number of them, >= 1. \param tokens that wait, >= 0
    double operator()(double tokens) const;

private:
    static constexpr int points = 16;
    double perToken_ = 0; // points of the table
    double perMore_ = 0;  // prompts per point beyond the table, all of mean length
    std::array<double, points + 1> number_{};
};

} // namespace alidade
