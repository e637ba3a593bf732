// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/posttraining/accuracy_curve.h"

#include <algorithm>
#include <cmath>

namespace alidade {

std::optional<double> accuracyAt(const std::vector<AccuracyPoint>& points, double at) {
    if (points.empty() || !(at >= points.front().at && at <= points.back().at))
        return std::nullopt;
    const auto above = std::ranges::lower_bound(points, at, {}, &AccuracyPoint::at);
    if (above->at == at)
        return above->accuracy;
    const AccuracyPoint &from = *(above - 1), &to = *above;
    const double share = std::log(at / from.at) / std::log(to.at / from.at);
    return from.accuracy + share * (to.accuracy - from.accuracy);
}

std::optional<double> whereReached(const std::vector<AccuracyPoint>& points, double target) {
    const auto reached = [target](const AccuracyPoint& point) { return point.accuracy >= target; };
    const auto first = std::ranges::find_if(points, reached);
    if (first == points.end())
        return std::nullopt;
    if (first == points.begin())
        return first->at;
    const AccuracyPoint& before = *(first - 1);
    const double share = (target - before.accuracy) / (first->accuracy - before.accuracy);
    return before.at * std::pow(first->at / before.at, share);
}

AccuracyCurve curveOfCounts(const std::vector<AnswerCount>& problems) {
    const int most = std::ranges::min_element(problems, {}, &AnswerCount::samples)->samples;
    std::vector<int> numbers;
    for (int power = 1; power < most; power *= 2) {
        numbers.push_back(power);
        if (power > 1 && power / 2 * 3 < most)
            numbers.push_back(power / 2 * 3);
    }
    numbers.push_back(most);
    AccuracyCurve out;
    const auto all = static_cast<double>(problems.size());
    for (const int k : numbers) {
        double pass = 0, majority = 0;
        for (const AnswerCount& each : problems) {
            pass += passAtK(each.samples, each.right, k);
            majority += majorityAtK(each.samples, each.right, k);
        }
        out.points.push_back({1.0 * k, pass / all});
        out.majorityAtLeast.push_back({1.0 * k, majority / all});
    }
    return out;
}

SelectedAccuracy selectedAccuracy(const AccuracyCurve& curve, AnswerSelection selection, double at) {
    SelectedAccuracy out{.value = accuracyAt(curve.points, at)};
    if (curve.measure != AccuracyMeasure::passAtK || selection == AnswerSelection::none || !out.value ||
        at <= 1) {
        return out;
    }
    out.isBound = true;
    out.atLeast = selection == AnswerSelection::majority
                      ? accuracyAt(curve.majorityAtLeast, at)
                      : accuracyAt(curve.points, 1); // as if the verifier chose blindly
    return out;
}

bool isOfOtherSelection(const AccuracyCurve& curve, AnswerSelection selection) {
    return (curve.measure == AccuracyMeasure::majority && selection != AnswerSelection::majority) ||
           (curve.measure == AccuracyMeasure::bestOfN && selection != AnswerSelection::bestOfN &&
            selection != AnswerSelection::beamSearch);
}

} // namespace alidade
