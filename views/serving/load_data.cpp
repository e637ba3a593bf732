// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/serving/load_data.h"

#include "model/scenario/test_time_plan.h"
#include "views/document/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double decades = 50;        // of the least load to the most: from here on the axis is logarithmic
constexpr double beyondPoints = 1.04; // of the last load: end of the axis
constexpr double beyondTarget = 2;    // of a target: end of the axis
constexpr double beyondPresent = 1.4; // of the present latency
constexpr double beyondEmpty = 5;     // of the latency of the least load, without a target

/// The load of the curve where it has a rate of requests; loads of both measures rise together.
double loadAtRate(const LoadData& data, double rate) {
    const auto after = std::ranges::lower_bound(data.points, rate, {}, &LoadPoint::requestsPerSecond);
    if (data.measure == LoadMeasure::requestRate || data.points.isEmpty())
        return rate;
    if (after == data.points.begin())
        return after->concurrency * (after->requestsPerSecond > 0 ? rate / after->requestsPerSecond : 1);
    if (after == data.points.end())
        return data.points.last().concurrency;
    const LoadPoint& before = *std::prev(after);
    const double width = after->requestsPerSecond - before.requestsPerSecond;
    const double share = width > 0 ? (rate - before.requestsPerSecond) / width : 1;
    return std::lerp(before.concurrency, after->concurrency, share);
}

/// Where the curve leaves the targets, by its points alone.
std::optional<double> lastWithin(const LoadData& data) {
    double last = 0;
    for (const LoadPoint& point : data.points) {
        if (!point.meetsTargets)
            break;
        last = data.load(point);
    }
    return last;
}

QString latencyRow(const LoadData& data, const LoadPoint& point, Latency latency) {
    const auto target = data.target(latency);
    const QString strong = latencyText(percentileOf(point, latency));
    return ServingText::tr("%1 %2, mean %3")
        .arg(percentileText(data.percentile),
             target ? ServingText::tr("%1 of %2").arg(strong, latencyText(*target)) : strong,
             latencyText(meanOf(point, latency)));
}

/// "TTFT p90 is 320 ms of 500 ms"
QString presentWords(const LoadData& data, const QString& name, Latency latency) {
    const QString now = ServingText::tr("%1 %2 is %3")
                            .arg(name, percentileText(data.percentile), latencyText(data.presentAt(latency)));
    const auto target = data.target(latency);
    return target ? ServingText::tr("%1 of %2").arg(now, latencyText(*target)) : now;
}

} // namespace

QString latencyText(double value) {
    return std::isfinite(value) ? quantity(value, Dimension::seconds) : ServingText::tr("without end");
}

double meanOf(const LoadPoint& point, Latency latency) {
    return latency == Latency::ttft ? point.ttft : point.itl;
}

double percentileOf(const LoadPoint& point, Latency latency) {
    return latency == Latency::ttft ? point.ttftPercentile : point.itlPercentile;
}

QString percentileText(double percentile) {
    return QLatin1Char('p') + QLocale::c().toString(percentile, 'g', 6);
}

std::pair<double, QString> knownPercentile(const Percentiles& percentiles, double wanted) {
    const std::array known{std::pair{50.0, percentiles.p50}, std::pair{90.0, percentiles.p90},
                           std::pair{95.0, percentiles.p95}, std::pair{99.0, percentiles.p99}};
    const auto enough = std::ranges::find_if(known, [&](const auto& each) { return each.first >= wanted; });
    const auto& [percentile, value] = enough == known.end() ? known.back() : *enough;
    return {value, percentileText(percentile)};
}

bool isOpenLoop(const ScenarioSpec& spec) { return spec.workload.requestRatePerS.has_value(); }

bool LoadData::isLogarithmic() const {
    return measure == LoadMeasure::concurrency && points.size() > 1 && load(points.first()) > 0 &&
           load(points.last()) > decades * load(points.first());
}

double LoadData::leastLoad() const {
    return isLogarithmic() ? std::min(load(points.first()), present > 0 ? present : load(points.first())) : 0;
}

bool LoadData::isSteady() const {
    return std::isfinite(presentTtft) && std::isfinite(presentItl) && (presentTtft > 0 || presentItl > 0);
}

double LoadData::mostLoad() const {
    double most = present;
    for (const LoadPoint& point : points)
        most = std::max(most, load(point));
    return most * beyondPoints;
}

double LoadData::mostLatency(Latency latency) const {
    double top = target(latency).value_or(0) * beyondTarget;
    if (std::isfinite(presentAt(latency)))
        top = std::max(top, presentAt(latency) * beyondPresent);
    if (!target(latency) && !points.isEmpty())
        top = std::max(top, percentileOf(points.first(), latency) * beyondEmpty);
    return top;
}

LoadData loadData(const Estimate& estimate, std::optional<LoadMeasure> measure) {
    const Serving& serving = *estimate.serving;
    const bool open = isOpenLoop(estimate.scenario);
    LoadData data;
    data.unit = loadUnit(estimate.scenario);
    data.measure = measure.value_or(open ? LoadMeasure::requestRate : LoadMeasure::concurrency);
    data.points = QList<LoadPoint>(serving.loadCurve.begin(), serving.loadCurve.end());
    std::ranges::sort(data.points, {}, [&](const LoadPoint& point) { return data.load(point); });
    data.percentile = serving.targetPercentile;
    // What the scenario sets is exact; the other measure follows from the answer.
    const WorkloadSpec& workload = estimate.scenario.workload;
    const std::optional<double>& set =
        data.measure == LoadMeasure::requestRate ? workload.requestRatePerS : workload.concurrency;
    // A curve counts requests of the engine, a scenario with several samples counts questions.
    data.present = set                                        ? *set * sequencesPerQuestion(workload)
                   : data.measure == LoadMeasure::requestRate ? serving.requestsPerSecond
                                                              : serving.concurrency;
    data.presentTtft = knownPercentile(serving.ttftPercentiles, data.percentile).first;
    data.presentItl = knownPercentile(serving.itlPercentiles, data.percentile).first;
    data.ttftTarget = serving.ttftTarget;
    data.itlTarget = serving.itlTarget;
    if (serving.requestRateWithinTargets)
        data.within = loadAtRate(data, *serving.requestRateWithinTargets);
    else if (data.ttftTarget || data.itlTarget)
        data.within = lastWithin(data);
    data.stable = data.measure == LoadMeasure::requestRate ? serving.maxRequestRate : serving.maxConcurrency;
    return data;
}

QString loadNumber(double load) {
    return quantity(load, Dimension::number, {.significant = 3, .trimZeros = true});
}

LoadUnit loadUnit(const ScenarioSpec& spec) {
    return samplesOf(spec.workload) > 1 ? LoadUnit::samples : LoadUnit::requests;
}

QString loadText(double load, LoadMeasure measure, LoadUnit unit) {
    const QString number = loadNumber(load);
    const bool one = number == QStringLiteral("1");
    const bool rate = measure == LoadMeasure::requestRate;
    switch (unit) {
    case LoadUnit::requests:
        return (rate  ? one ? ServingText::tr("%1 request/s") : ServingText::tr("%1 requests/s")
                 : one ? ServingText::tr("%1 request in flight")
                      : ServingText::tr("%1 requests in flight"))
            .arg(number);
    case LoadUnit::samples:
        return (rate  ? one ? ServingText::tr("%1 sample/s") : ServingText::tr("%1 samples/s")
                 : one ? ServingText::tr("%1 sample in flight")
                      : ServingText::tr("%1 samples in flight"))
            .arg(number);
    case LoadUnit::questions:
        return (rate  ? one ? ServingText::tr("%1 question/s") : ServingText::tr("%1 questions/s")
                 : one ? ServingText::tr("%1 question in flight")
                      : ServingText::tr("%1 questions in flight"))
            .arg(number);
    }
    Q_UNREACHABLE();
}

CardContent loadCard(const LoadData& data, const LoadPoint& point) {
    const bool byRate = data.measure == LoadMeasure::requestRate;
    const LoadMeasure other = byRate ? LoadMeasure::concurrency : LoadMeasure::requestRate;
    CardContent card;
    card.title = loadText(data.load(point), data.measure, data.unit);
    card.rows = {{ServingText::tr("Load"),
                  ServingText::tr("%1, %2 busy")
                      .arg(loadText(byRate ? point.concurrency : point.requestsPerSecond, other, data.unit),
                           quantity(point.utilization, Dimension::ratio, {.significant = 2}))},
                 {ServingText::tr("TTFT"), latencyRow(data, point, Latency::ttft)},
                 {ServingText::tr("ITL"), latencyRow(data, point, Latency::itl)},
                 {ServingText::tr("Output"), glance(point.outputTokensPerSecond, Dimension::tokensPerSecond)},
                 {ServingText::tr("Price"),
                  point.dollarsPerMillionOutputTokens > 0
                      ? ServingText::tr("%1 per million output tokens")
                            .arg(glance(point.dollarsPerMillionOutputTokens, Dimension::dollars))
                      : ServingText::tr("unknown")}};
    return card;
}

ServingTable loadTable(const LoadData& data) {
    const QString at = percentileText(data.percentile);
    const bool samples = data.unit == LoadUnit::samples;
    ServingTable table;
    table.columns = {{samples ? ServingText::tr("Samples/s") : ServingText::tr("Requests/s"), true, {}},
                     {ServingText::tr("In flight"), true,
                      samples ? ServingText::tr("Samples at the same time")
                              : ServingText::tr("Requests at the same time")},
                     {ServingText::tr("Busy, %"), true, ServingText::tr("Load, of the largest stable one")},
                     {ServingText::tr("TTFT, ms"), true, ServingText::tr("Mean time to the first token")},
                     {ServingText::tr("TTFT %1, ms").arg(at), true, {}},
                     {ServingText::tr("ITL, ms"), true, ServingText::tr("Mean time between two tokens")},
                     {ServingText::tr("ITL %1, ms").arg(at), true, {}},
                     {ServingText::tr("Output tokens/s"), true, {}},
                     {ServingText::tr("$ per M output"), true, {}},
                     {ServingText::tr("Targets"), false, {}}};
    const auto number = [](double value) {
        return Cell{
            .text = quantity(value, Dimension::number, {.significant = 4}), .value = value, .bound = {}};
    };
    const bool targets = data.ttftTarget || data.itlTarget;
    for (qsizetype i = 0; i < data.points.size(); ++i) {
        const LoadPoint& point = data.points[i];
        const QString verdict = !targets             ? ServingText::tr("none")
                                : point.meetsTargets ? ServingText::tr("met")
                                                     : ServingText::tr("missed");
        table.rows.append(
            {QString::number(i),
             {number(point.requestsPerSecond), number(point.concurrency), number(point.utilization * 100),
              number(point.ttft * 1e3), number(point.ttftPercentile * 1e3), number(point.itl * 1e3),
              number(point.itlPercentile * 1e3), number(point.outputTokensPerSecond),
              point.dollarsPerMillionOutputTokens > 0
                  ? number(point.dollarsPerMillionOutputTokens)
                  : Cell{.text = QStringLiteral("–"), .value = {}, .bound = {}},
              Cell{.text = verdict, .value = {}, .bound = {}}}});
    }
    return table;
}

QString loadHeadline(const LoadData& data) {
    const QString now = loadText(data.present, data.measure, data.unit);
    if (!data.isSteady())
        return data.stable > 0 ? ServingText::tr("%1 are more than can be served; up to %2 are stable.")
                                     .arg(now, loadText(data.stable, data.measure, data.unit))
                               : ServingText::tr("%1 are more than can be served.").arg(now);
    if (data.within && *data.within > 0)
        return ServingText::tr("The targets hold up to %1; now %2.")
            .arg(loadText(*data.within, data.measure, data.unit), now);
    if (data.within)
        return ServingText::tr("The targets hold at no load; now %1.").arg(now);
    return data.stable > 0
               ? ServingText::tr("Up to %1; now %2.").arg(loadText(data.stable, data.measure, data.unit), now)
               : ServingText::tr("Now %1.").arg(now);
}

QString loadInWords(const LoadData& data) {
    const QString most = loadHeadline(data);
    if (!data.isSteady())
        return most;
    return ServingText::tr("%1 %2, %3.")
        .arg(most, presentWords(data, ServingText::tr("TTFT"), Latency::ttft),
             presentWords(data, ServingText::tr("ITL"), Latency::itl));
}

} // namespace alidade::views
