// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/serving/test_time_data.h"

#include "model/scenario/choice_names.h"
#include "views/document/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace alidade::views {
namespace {

constexpr double noValue = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t usualSamples = 16; ///< up to which a picture goes at least
constexpr std::int64_t mostSamples = 65'536;

QString priceText(double dollars) { return quantity(dollars, Dimension::dollars, {.significant = 3}); }
QString shareText(double ratio) { return quantity(ratio, Dimension::ratio, {.significant = 3}); }

/// 1, 2, 4, ... beyond the present number, which is among them.
std::vector<std::int64_t> samplesAround(std::int64_t present) {
    std::set<std::int64_t> out{present};
    for (std::int64_t n = 1; n <= std::min(mostSamples, std::max(usualSamples, 4 * present)); n *= 2)
        out.insert(n);
    return {out.begin(), out.end()};
}

/// From an eighth to eight times the mean length of an answer, by two digits.
std::vector<double> budgetsAround(const WorkloadSpec& workload, const std::optional<AccuracyCurve>& curve) {
    std::set<double> out;
    if (curve)
        for (const AccuracyPoint& point : curve->points)
            out.insert(std::round(point.at));
    const double mean = workload.outputTokens.value_or(1000);
    for (double factor = 1.0 / 8; factor <= 8 && out.size() < 12; factor *= 2) {
        const double unit = std::pow(10, std::floor(std::log10(std::max(mean * factor, 1.0))) - 1);
        const double budget = std::round(mean * factor / unit) * unit;
        if (budget >= 1 && !curve)
            out.insert(std::max(1.0, std::round(budget)));
    }
    if (const auto& present = workload.testTime.thinkingBudget)
        out.insert(*present);
    return {out.begin(), out.end()};
}

QString accuracyText(const TestTimeRow& row) {
    const SelectedAccuracy& accuracy = row.accuracy;
    if (!accuracy.value)
        return ServingText::tr("not in the table");
    if (!accuracy.isBound)
        return shareText(*accuracy.value);
    return accuracy.atLeast
               ? ServingText::tr("%1 to %2").arg(shareText(*accuracy.atLeast), shareText(*accuracy.value))
               : ServingText::tr("at most %1").arg(shareText(*accuracy.value));
}

Cell numberCell(double value, int significant = 4) {
    return std::isfinite(value) ? Cell{.text = quantity(value, Dimension::number,
                                                        {.significant = significant, .trimZeros = true}),
                                       .value = value,
                                       .bound = {}}
                                : Cell{.text = QStringLiteral("–"), .value = {}, .bound = {}};
}

} // namespace

bool isOverAxis(const AccuracyCurve& curve, TestTimeAxis axis) {
    return (curve.measure == AccuracyMeasure::thinking) == (axis == TestTimeAxis::budget);
}

double TestTimeData::at(const TestTimeRow& row) const {
    return axis == TestTimeAxis::samples ? static_cast<double>(row.samples) : row.budget.value_or(noValue);
}

double TestTimeData::value(const TestTimeRow& row, TestTimeMeasure measure) const {
    if (measure == TestTimeMeasure::accuracy)
        return row.accuracy.value.value_or(noValue);
    if (!row.figures || (row.overloaded && measure == TestTimeMeasure::latency))
        return noValue;
    return measure == TestTimeMeasure::latency ? row.figures->latencyMedian
                                               : row.figures->dollarsPer1000Questions.value_or(noValue);
}

double TestTimeData::beside(const TestTimeRow& row, TestTimeMeasure measure) const {
    if (measure == TestTimeMeasure::accuracy)
        return row.accuracy.atLeast.value_or(noValue);
    if (!row.figures || (row.overloaded && measure == TestTimeMeasure::latency))
        return noValue;
    return measure == TestTimeMeasure::latency ? row.figures->latencyP90
                                               : row.figures->leastDollarsPer1000Questions.value_or(noValue);
}

TestTimeQuestion testTimeQuestion(const WorkloadSpec& workload, TestTimeAxis axis,
                                  const std::optional<AccuracyCurve>& curve,
                                  const std::optional<double>& target) {
    TestTimeQuestion out;
    if (curve && isOverAxis(*curve, axis)) {
        out.curve = curve;
        out.target = target;
    }
    const std::int64_t present = workload.testTime.samples.value_or(1);
    if (axis == TestTimeAxis::samples) {
        out.samples = samplesAround(present);
    } else {
        out.samples = {out.curve ? 1 : present}; // such a table is of one answer
        out.budgets = budgetsAround(workload, out.curve);
    }
    return out;
}

TestTimeData testTimeData(const ScenarioSpec& scenario, TestTimeAxis axis, const TestTimeQuestion& question,
                          const TestTimeTable& table) {
    TestTimeData data;
    data.axis = axis;
    data.rows = QList<TestTimeRow>(table.rows.begin(), table.rows.end());
    data.curve = question.curve;
    data.target = question.target;
    data.reached = table.target;
    const TestTimeSpec& written = scenario.workload.testTime;
    for (qsizetype i = 0; i < data.rows.size(); ++i) {
        const TestTimeRow& row = data.rows[i];
        if (row.samples == written.samples.value_or(1) && row.budget == written.thinkingBudget)
            data.present = static_cast<int>(i);
    }
    return data;
}

QString testTimePlace(double at, TestTimeAxis axis) {
    const QString number = quantity(at, Dimension::number, {.significant = 6, .trimZeros = true});
    if (axis == TestTimeAxis::budget)
        return ServingText::tr("%1 tokens").arg(number);
    return (at == 1 ? ServingText::tr("%1 sample") : ServingText::tr("%1 samples")).arg(number);
}

CardContent testTimeCard(const TestTimeData& data, const TestTimeRow& row) {
    CardContent card;
    card.title = testTimePlace(data.at(row), data.axis);
    if (!row.figures) {
        card.rows = {{ServingText::tr("Question"), text(row.whyNot)}};
    } else {
        const TestTime& t = *row.figures;
        card.rows.append({ServingText::tr("Latency"),
                          row.overloaded ? ServingText::tr("without end: overloaded")
                                         : ServingText::tr("p50 %1, p90 %2, p99 %3")
                                               .arg(latencyText(t.latencyMedian), latencyText(t.latencyP90),
                                                    latencyText(t.latencyP99))});
        card.rows.append({ServingText::tr("Rate"),
                          ServingText::tr("%1 questions/s of at most %2")
                              .arg(loadNumber(t.questionsPerSecond), loadNumber(t.maxQuestionsPerSecond))});
        const auto &now = t.dollarsPer1000Questions, &least = t.leastDollarsPer1000Questions;
        card.rows.append({ServingText::tr("1,000 questions"),
                          now ? ServingText::tr("%1, %2 at full load").arg(priceText(*now), priceText(*least))
                          : least ? ServingText::tr("%1 at full load").arg(priceText(*least))
                                  : ServingText::tr("no price is known")});
        card.rows.append({ServingText::tr("Tokens"), ServingText::tr("%1 of all samples, %2 of the longest")
                                                         .arg(glance(t.tokensPerQuestion, Dimension::tokens),
                                                              glance(t.longestSample, Dimension::tokens))});
        if (t.verifierShare > 0)
            card.rows.append({ServingText::tr("Verifier"),
                              ServingText::tr("%1 of the GPU time, %2")
                                  .arg(shareText(t.verifierShare), latencyText(t.selectionTime))});
    }
    if (data.curve)
        card.rows.append({ServingText::tr("Accuracy"), accuracyText(row)});
    return card;
}

ServingTable testTimeCells(const TestTimeData& data) {
    ServingTable table;
    table.columns = {
        {data.axis == TestTimeAxis::samples ? ServingText::tr("Samples") : ServingText::tr("Budget, tokens"),
         true,
         {}},
        {ServingText::tr("p50, s"), true, ServingText::tr("From a question to its answer")},
        {ServingText::tr("p90, s"), true, {}},
        {ServingText::tr("p99, s"), true, {}},
        {ServingText::tr("Busy, %"), true, ServingText::tr("Load, of the largest stable one")},
        {ServingText::tr("Questions/s at most"), true, ServingText::tr("Largest stable rate")},
        {ServingText::tr("$ per 1,000"), true, ServingText::tr("Questions, at this load")},
        {ServingText::tr("at full load"), true, ServingText::tr("At the largest stable load")},
        {ServingText::tr("Tokens"), true, ServingText::tr("Output of all samples of a question")},
        {ServingText::tr("Verifier, %"), true, ServingText::tr("Share of the GPU time of a question")}};
    if (data.curve)
        table.columns.append({ServingText::tr("Accuracy, %"), true, ServingText::tr("From the table")});
    for (qsizetype i = 0; i < data.rows.size(); ++i) {
        const TestTimeRow& row = data.rows[i];
        const TestTime none;
        const TestTime& t = row.figures ? *row.figures : none;
        const auto cell = [&](double value, bool known = true) {
            return numberCell(row.figures && known ? value : noValue);
        };
        CellRow cells{QString::number(i),
                      {numberCell(data.at(row), 6), cell(t.latencyMedian, !row.overloaded),
                       cell(t.latencyP90, !row.overloaded), cell(t.latencyP99, !row.overloaded),
                       cell(row.utilization * 100), cell(t.maxQuestionsPerSecond),
                       cell(t.dollarsPer1000Questions.value_or(noValue)),
                       cell(t.leastDollarsPer1000Questions.value_or(noValue)), cell(t.tokensPerQuestion),
                       cell(t.verifierShare * 100)}};
        if (data.curve)
            cells.cells.append(numberCell(row.accuracy.value.value_or(noValue) * 100));
        table.rows.append(cells);
    }
    return table;
}

QString testTimeHeadline(const TestTimeData& data) {
    if (data.present < 0)
        return data.axis == TestTimeAxis::budget
                   ? ServingText::tr("Samples end by themselves; no budget is set.")
                   : QString();
    const TestTimeRow& row = data.rows[data.present];
    const QString place = testTimePlace(data.at(row), data.axis);
    if (!row.figures)
        return ServingText::tr("%1: %2.").arg(place, text(row.whyNot));
    if (row.overloaded)
        return ServingText::tr(
                   "%1: more questions arrive than can be answered; up to %2 per second are stable.")
            .arg(place, loadNumber(row.figures->maxQuestionsPerSecond));
    const QString latency =
        ServingText::tr("%1: half of the answers within %2, 90 % within %3")
            .arg(place, latencyText(row.figures->latencyMedian), latencyText(row.figures->latencyP90));
    const auto& dollars = row.figures->dollarsPer1000Questions;
    return dollars ? ServingText::tr("%1; 1,000 questions cost %2.").arg(latency, priceText(*dollars))
                   : latency + QLatin1Char('.');
}

QString testTimeDetail(const ScenarioSpec& scenario, const TestTimeRow& row) {
    if (!row.figures)
        return {};
    const TestTime& t = *row.figures;
    QStringList parts;
    const std::string selection = scenario.workload.testTime.selection.value_or("none");
    parts.append(selection == "none" ? ServingText::tr("all samples are returned")
                 : t.verifier.empty()
                     ? text(nameOfChoice("workload.selection", selection))
                     : ServingText::tr("%1, scored by %2")
                           .arg(text(nameOfChoice("workload.selection", selection)), text(t.verifier)));
    if (t.verifierShare > 0)
        parts.append(ServingText::tr("scoring takes %1 of the GPU time").arg(shareText(t.verifierShare)));
    parts.append(ServingText::tr("%1 questions/s of at most %2")
                     .arg(loadNumber(t.questionsPerSecond), loadNumber(t.maxQuestionsPerSecond)));
    parts.append(ServingText::tr("%1 output tokens per question")
                     .arg(quantity(t.tokensPerQuestion, Dimension::number, {.significant = 3})));
    return parts.join(QStringLiteral(" · "));
}

QString targetInWords(const TestTimeData& data) {
    if (!data.target)
        return {};
    const QString target = shareText(*data.target);
    if (!data.reached || !data.reached->at)
        return ServingText::tr("%1 is not reached on the table.").arg(target);
    const QString place = testTimePlace(std::round(*data.reached->at), data.axis);
    const auto& row = data.reached->row;
    if (!row || !row->figures || row->overloaded)
        return ServingText::tr("%1 takes at least %2, which is more than the service can handle.")
            .arg(target, place);
    return ServingText::tr("%1 takes at least %2: p50 %3.")
        .arg(target, place, latencyText(row->figures->latencyMedian));
}

} // namespace alidade::views
