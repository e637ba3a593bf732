// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/engine/test_time_table.h"
#include "views/serving/load_data.h"

#include <QList>
#include <QString>

namespace alidade::views {

/// What varies along the axis of test-time compute.
enum class TestTimeAxis { samples, budget };
enum class TestTimeMeasure { latency, dollars, accuracy };

/// An answered question against its samples or its thinking budget, as the figures draw it.
struct TestTimeData {
    TestTimeAxis axis = TestTimeAxis::samples;
    QList<TestTimeRow> rows;             ///< ascending along the axis
    int present = -1;                    ///< row of the scenario; -1: none
    std::optional<AccuracyCurve> curve;  ///< of this axis
    std::optional<double> target;        ///< accuracy, 0..1; with a curve
    std::optional<TargetAnswer> reached; ///< where the curve reaches the target

    double at(const TestTimeRow& row) const; ///< samples or tokens
    /// Of a row: median latency in s, dollars per 1,000 questions at the load, or accuracy. NaN: unknown.
    double value(const TestTimeRow& row, TestTimeMeasure measure) const;
    /// The thin curve next to it: latency that 10 % exceed, dollars at the largest stable load, least
    /// accuracy. NaN: unknown.
    double beside(const TestTimeRow& row, TestTimeMeasure measure) const;
};

/// What to ask for a picture of the scenario.
/// \param curve ignored where it is over the other axis
TestTimeQuestion testTimeQuestion(const WorkloadSpec& workload, TestTimeAxis axis,
                                  const std::optional<AccuracyCurve>& curve,
                                  const std::optional<double>& target);
TestTimeData testTimeData(const ScenarioSpec& scenario, TestTimeAxis axis, const TestTimeQuestion& question,
                          const TestTimeTable& table);

/// Does a table of accuracies belong to the axis?
bool isOverAxis(const AccuracyCurve& curve, TestTimeAxis axis);

/// "16 samples", "4,000 tokens"
QString testTimePlace(double at, TestTimeAxis axis);
CardContent testTimeCard(const TestTimeData& data, const TestTimeRow& row);
ServingTable testTimeCells(const TestTimeData& data);
/// The answer of the present scenario: "16 samples: half of the answers within 21.3 s, $41.20 per 1,000."
QString testTimeHeadline(const TestTimeData& data);
/// Selection, rate, tokens and the share of the verifier of a row.
QString testTimeDetail(const ScenarioSpec& scenario, const TestTimeRow& row);
/// Where the target is reached; empty without one.
QString targetInWords(const TestTimeData& data);

} // namespace alidade::views
