// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/engine/engine.h"
#include "model/posttraining/accuracy_curve.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace alidade {

/// Which numbers of samples and thinking budgets to compare.
struct TestTimeQuestion {
    std::vector<std::int64_t> samples; ///< >= 1; not empty
    std::vector<double> budgets;       ///< tokens; empty: that of the scenario, if any
    std::optional<AccuracyCurve> curve;
    std::optional<double> target; ///< accuracy, 0..1; only with a curve
};

/// The service with one number of samples and one budget.
struct TestTimeRow {
    std::int64_t samples = 1;
    std::optional<double> budget; ///< tokens; absent: samples end by themselves
    std::optional<TestTime> figures;
    std::string whyNot;      ///< without figures: why the service does not run, or does not fit
    double utilization = 0;  ///< of the pool that limits, 0..1
    bool overloaded = false; ///< the queue grows without end: no latency, and no cost at this load
    SelectedAccuracy accuracy;
};

/// Where a curve reaches the target.
struct TargetAnswer {
    /// The fewest samples, or the smallest budget, with which the curve reaches it; absent: it never does.
    std::optional<double> at;
    std::optional<TestTimeRow> row; ///< the service there
};

struct TestTimeTable {
    std::vector<TestTimeRow> rows; ///< by budget, then by samples, in the order of the question
    std::optional<TargetAnswer> target;
    bool complete = true; ///< false: stopped before all rows were estimated
};

/// Estimates each of them; the load stays that of the scenario, in questions.
/// \returns an error for a scenario that is not of serving, or that estimate() refuses, and for a curve that
/// does not belong to the question; its message begins with a JSON pointer, or is about the curve
Result<TestTimeTable> testTimeTable(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                    const TestTimeQuestion& question, const std::stop_token& stop = {});

} // namespace alidade
