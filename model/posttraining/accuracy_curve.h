// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/posttraining/test_time.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace alidade {

/// What a table of accuracies was measured with.
enum class AccuracyMeasure : std::uint8_t {
    passAtK,  ///< share of problems for which one of k samples is right, against k
    majority, ///< of a majority vote of k samples, against k
    bestOfN,  ///< of the sample of k that a verifier scores highest, or of a beam search of k, against k
    thinking, ///< of one answer, against its thinking budget in tokens
};

struct AccuracyPoint {
    double at = 1;       ///< samples or tokens, > 0
    double accuracy = 0; ///< 0..1
    bool operator==(const AccuracyPoint&) const = default;
};

/// A measured curve of accuracy. Between its points it is linear in the logarithm of samples or tokens, so
/// that it rises and falls only where the points do; outside of them it says nothing.
struct AccuracyCurve {
    AccuracyMeasure measure = AccuracyMeasure::passAtK;
    std::vector<AccuracyPoint> points; ///< ascending
    /// Of counts: what a majority vote reaches at least; see majorityAtK. Empty: not known.
    std::vector<AccuracyPoint> majorityAtLeast;

    double first() const { return points.front().at; }
    double last() const { return points.back().at; }
};

/// Accuracy at a number of samples or tokens; absent outside of the points.
std::optional<double> accuracyAt(const std::vector<AccuracyPoint>& points, double at);

/// Smallest number of samples or tokens at which a curve reaches an accuracy; absent where it never does.
/// \param target 0..1
std::optional<double> whereReached(const std::vector<AccuracyPoint>& points, double target);

/// How many of `samples` answers to one problem were right.
struct AnswerCount {
    int samples = 1, right = 0;
};

/// pass@k and the least of a majority vote, mean over the problems, at k = 1, 2, 3, 4, 6, 8, 12, ... up to
/// the fewest samples of a problem. \pre not empty; 1 <= samples, 0 <= right <= samples
AccuracyCurve curveOfCounts(const std::vector<AnswerCount>& problems);

/// What a curve says of a question's answer.
struct SelectedAccuracy {
    std::optional<double> value;   ///< measured, or at most; absent outside of the points
    std::optional<double> atLeast; ///< where `value` is only a bound
    bool isBound = false;          ///< no selection beats pass@k: some sample has to be right
};

/// \param at samples of the question, or its thinking budget where the curve is over that
SelectedAccuracy selectedAccuracy(const AccuracyCurve& curve, AnswerSelection selection, double at);

/// Was the curve measured with another selection than this one?
bool isOfOtherSelection(const AccuracyCurve& curve, AnswerSelection selection);

} // namespace alidade
