// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/serving/percentile_data.h"

#include "model/estimate/load_curve.h"
#include "views/document/text.h"
#include "views/serving/load_data.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

LatencyCurve fromQuantiles(RequestLatency latency, const std::vector<double>& quantiles) {
    LatencyCurve curve{.latency = latency, .times = {}, .shares = {}};
    for (std::size_t i = 0; i < quantiles.size(); ++i) {
        curve.times.append(quantiles[i]);
        curve.shares.append((static_cast<double>(i) + 0.5) / static_cast<double>(quantiles.size()));
    }
    return curve;
}

LatencyCurve fromPercentiles(RequestLatency latency, const Percentiles& percentiles) {
    return {.latency = latency,
            .times = {percentiles.p50, percentiles.p90, percentiles.p95, percentiles.p99},
            .shares = {0.50, 0.90, 0.95, 0.99}};
}

} // namespace

double LatencyCurve::at(double percentile) const {
    const double share = percentile / 100;
    const auto after = std::ranges::lower_bound(shares, share);
    if (after == shares.begin())
        return times.first();
    if (after == shares.end())
        return times.last();
    const auto i = after - shares.begin();
    const double part = (share - shares[i - 1]) / (shares[i] - shares[i - 1]);
    return std::lerp(times[i - 1], times[i], part);
}

double PercentileData::shortest() const {
    double least = 0;
    for (const LatencyCurve& curve : curves)
        for (const double time : curve.times)
            if (time > 0 && std::isfinite(time))
                least = least > 0 ? std::min(least, time) : time;
    return least;
}

double PercentileData::longest() const {
    double most = 0;
    for (const LatencyCurve& curve : curves) {
        most = std::max(most, curve.target.value_or(0));
        for (const double time : curve.times)
            most = std::isfinite(time) ? std::max(most, time) : most;
    }
    return most;
}

PercentileData percentileData(const Estimate& estimate) {
    const Serving& serving = *estimate.serving;
    PercentileData data;
    data.unit = loadUnit(estimate.scenario);
    data.targetPercentile = serving.targetPercentile;
    if (serving.distribution) {
        const Distribution& d = *serving.distribution;
        data.simulated = d.requests > 0;
        data.requests = d.requests;
        data.seed = d.seed;
        data.curves = {fromQuantiles(RequestLatency::ttft, d.ttft), fromQuantiles(RequestLatency::itl, d.itl),
                       fromQuantiles(RequestLatency::tpot, d.tpot),
                       fromQuantiles(RequestLatency::e2e, d.e2e)};
    } else {
        data.curves = {fromPercentiles(RequestLatency::ttft, serving.ttftPercentiles),
                       fromPercentiles(RequestLatency::itl, serving.itlPercentiles)};
    }
    // A replica that only prefills has no gaps between tokens, and an overloaded one no finite times.
    data.curves.removeIf([](const LatencyCurve& curve) {
        return curve.times.isEmpty() || !(curve.times.first() > 0) || !std::isfinite(curve.times.last());
    });
    data.answerSimulated = serving.simulated;
    data.answerConfirmed = serving.confirmed;
    for (LatencyCurve& curve : data.curves) {
        const bool first = curve.latency == RequestLatency::ttft;
        if (!first && curve.latency != RequestLatency::itl)
            continue;
        curve.target = first ? serving.ttftTarget : serving.itlTarget;
        curve.answered =
            quantileOf(first ? serving.ttftPercentiles : serving.itlPercentiles, data.targetPercentile);
    }
    return data;
}

QString latencyName(RequestLatency latency) {
    switch (latency) {
    case RequestLatency::ttft:
        return ServingText::tr("TTFT");
    case RequestLatency::itl:
        return ServingText::tr("ITL");
    case RequestLatency::tpot:
        return ServingText::tr("TPOT");
    case RequestLatency::e2e:
        return ServingText::tr("E2E");
    }
    Q_UNREACHABLE();
}

CardContent percentileCard(const PercentileData& data, int curve, double share) {
    const LatencyCurve& of = data.curves[curve];
    const QString what = of.latency == RequestLatency::itl ? ServingText::tr("%1 of the gaps are shorter")
                         : data.unit == LoadUnit::samples  ? ServingText::tr("%1 of the samples are faster")
                                                           : ServingText::tr("%1 of the requests are faster");
    CardContent card;
    card.title = ServingText::tr("%1 %2").arg(latencyName(of.latency), latencyText(of.at(share * 100)));
    card.rows = {{ServingText::tr("Share"), what.arg(quantity(share, Dimension::ratio, {.significant = 3}))}};
    QStringList marks;
    for (const double percentile : markedPercentiles)
        marks.append(percentileText(percentile) + QLatin1Char(' ') + latencyText(of.at(percentile)));
    card.rows.append({ServingText::tr("Percentiles"), marks.join(QStringLiteral(", "))});
    if (of.target)
        card.rows.append({ServingText::tr("Target"),
                          ServingText::tr("%1 at %2")
                              .arg(latencyText(*of.target), percentileText(data.targetPercentile))});
    return card;
}

QString percentileSource(const PercentileData& data) {
    if (!data.simulated)
        return ServingText::tr("closed form, no request is simulated");
    return (data.unit == LoadUnit::samples ? ServingText::tr("simulation of %1 samples, seed %2")
                                           : ServingText::tr("simulation of %1 requests, seed %2"))
        .arg(quantity(static_cast<double>(data.requests), Dimension::number,
                      {.significant = 15, .trimZeros = true}))
        .arg(data.seed);
}

ServingTable percentileTable(const PercentileData& data) {
    ServingTable table;
    table.columns = {{ServingText::tr("Latency"), false, {}}};
    for (const double percentile : markedPercentiles)
        table.columns.append({ServingText::tr("%1, ms").arg(percentileText(percentile)), true, {}});
    table.columns.append({ServingText::tr("Target, ms"), true, {}});
    const auto milliseconds = [](double value) {
        return Cell{.text = quantity(value * 1e3, Dimension::number, {.significant = 4}),
                    .value = value * 1e3,
                    .bound = {}};
    };
    for (const LatencyCurve& curve : data.curves) {
        CellRow row{latencyName(curve.latency),
                    {Cell{.text = latencyName(curve.latency), .value = {}, .bound = {}}}};
        for (const double percentile : markedPercentiles)
            row.cells.append(milliseconds(curve.at(percentile)));
        row.cells.append(curve.target ? milliseconds(*curve.target)
                                      : Cell{.text = QStringLiteral("–"), .value = {}, .bound = {}});
        table.rows.append(row);
    }
    return table;
}

QString percentilesInWords(const PercentileData& data) {
    const QString at = percentileText(data.targetPercentile);
    QStringList words, closed;
    for (const LatencyCurve& curve : data.curves) {
        if (!curve.answered)
            continue;
        // The answer above and this sentence are of the same requests where both are simulated.
        const double time = data.answerSimulated ? *curve.answered : curve.at(data.targetPercentile);
        QString said = ServingText::tr("%1 %2 %3").arg(latencyName(curve.latency), at, latencyText(time));
        if (curve.target) {
            const bool meets = (data.answerConfirmed ? *curve.answered : time) <= *curve.target;
            said = (meets ? ServingText::tr("%1 meets %2") : ServingText::tr("%1 misses %2"))
                       .arg(said, latencyText(*curve.target));
        }
        words.append(said);
        closed.append(
            ServingText::tr("%1 %2 %3").arg(latencyName(curve.latency), at, latencyText(*curve.answered)));
    }
    if (words.isEmpty())
        return ServingText::tr("No finite latency.");
    const QString said = words.join(QStringLiteral("; ")) + QLatin1Char('.');
    if (!data.simulated)
        return ServingText::tr("Closed form: %1").arg(said);
    if (data.answerSimulated)
        return ServingText::tr("Simulated, as the answer above: %1").arg(said);
    if (data.answerConfirmed)
        return ServingText::tr("Simulated: %1 The closed form above agrees.").arg(said);
    return ServingText::tr("Simulated: %1 Closed form, as above: %2.")
        .arg(said, closed.join(QStringLiteral("; ")));
}

} // namespace alidade::views
