// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"

#include <QCoreApplication>
#include <QList>
#include <QString>

#include <optional>
#include <utility>

namespace alidade::views {

/// Translates what the functions of the serving views say.
struct ServingText {
    Q_DECLARE_TR_FUNCTIONS(ServingText)
};

/// How load is counted along an axis.
enum class LoadMeasure { requestRate, concurrency };

/// What a load counts: requests, the samples that an engine draws for questions, or those questions.
enum class LoadUnit { requests, samples, questions };

/// One of the two latencies that targets are set for.
enum class Latency { ttft, itl };

/// Latency against load, as one figure draws it. Times in s, loads in the measure.
struct LoadData {
    LoadMeasure measure = LoadMeasure::requestRate;
    LoadUnit unit = LoadUnit::requests;     ///< that the points count
    QList<LoadPoint> points;                ///< in the order of their load
    double percentile = 90;                 ///< that the targets are for
    double present = 0;                     ///< load of the scenario
    double presentTtft = 0, presentItl = 0; ///< at the percentile; not finite, or 0: no steady state
    std::optional<double> ttftTarget, itlTarget;
    std::optional<double> within; ///< largest load that meets the targets; absent without targets
    double stable = 0;            ///< largest load that is stable, or that there is room for; 0: not known

    double load(const LoadPoint& point) const {
        return measure == LoadMeasure::requestRate ? point.requestsPerSecond : point.concurrency;
    }
    std::optional<double> target(Latency latency) const {
        return latency == Latency::ttft ? ttftTarget : itlTarget;
    }
    double presentAt(Latency latency) const { return latency == Latency::ttft ? presentTtft : presentItl; }
    /// Concurrencies reach from one request to thousands: their axis is logarithmic where they do.
    bool isLogarithmic() const;
    double leastLoad() const; ///< start of the axis
    bool isSteady() const;    ///< the present load has latencies
    double mostLoad() const;  ///< end of an axis that holds the points and the present load
    /// End of an axis on which the targets and the present latency are to be seen; the steep end of the curve
    /// runs out of it.
    double mostLatency(Latency latency) const;
};

/// Mean, or at the scenario's percentile, s.
double meanOf(const LoadPoint& point, Latency latency);
double percentileOf(const LoadPoint& point, Latency latency);
/// The first percentile of those that an estimate has which is not below the wanted one, and its name: "p90".
std::pair<double, QString> knownPercentile(const Percentiles& percentiles, double wanted);

/// Of an estimate with a load curve. `measure` absent: what the scenario sets.
LoadData loadData(const Estimate& estimate, std::optional<LoadMeasure> measure);
/// Does a request rate drive the scenario, rather than a number of users who wait for their answers?
bool isOpenLoop(const ScenarioSpec& spec);

/// "96": three digits, as a person would set it.
QString loadNumber(double load);
/// What the figures of an engine count.
LoadUnit loadUnit(const ScenarioSpec& spec);
/// "96 requests/s", "84 samples in flight"
QString loadText(double load, LoadMeasure measure, LoadUnit unit = LoadUnit::requests);
/// "p90", "p99.9"
QString percentileText(double percentile);
CardContent loadCard(const LoadData& data, const LoadPoint& point);

struct ServingTable {
    QList<CellColumn> columns;
    QList<CellRow> rows; ///< of the points, in their order
};
ServingTable loadTable(const LoadData& data);

/// The largest load in words: "The targets hold up to 110 requests/s; now 96 requests/s."
QString loadHeadline(const LoadData& data);
/// The same with the latencies of the present load.
QString loadInWords(const LoadData& data);

/// A latency as text; "without end" where it is not finite.
QString latencyText(double seconds);

} // namespace alidade::views
