// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "views/serving/load_data.h"

#include <array>

namespace alidade::views {

/// The four latencies of a request, in the order in which they are drawn and listed.
enum class RequestLatency { ttft, itl, tpot, e2e };
inline constexpr int requestLatencies = 4;
/// Percentiles that are marked on the curves.
inline constexpr std::array markedPercentiles{50.0, 90.0, 95.0, 99.0};

/// The share of requests (of ITL: of tokens) that are faster than a time.
struct LatencyCurve {
    RequestLatency latency = RequestLatency::ttft;
    QList<double> times;            ///< s, ascending
    QList<double> shares;           ///< 0..1, of each time
    std::optional<double> target{}; ///< s
    /// At the percentile of the targets, as the answer above shows it, s; of TTFT and ITL.
    std::optional<double> answered{};

    double at(double percentile) const; ///< s; between two points by a straight line
};

struct PercentileData {
    LoadUnit unit = LoadUnit::requests; ///< that the curves are of
    QList<LatencyCurve> curves;         ///< those that are known
    double targetPercentile = 90;
    bool simulated = false; ///< the curves are of simulated requests; else they are the closed form's
    std::int64_t requests = 0;
    std::uint64_t seed = 0;
    bool answerSimulated = false; ///< the answer above is of the same simulation
    bool answerConfirmed = false; ///< it is the closed form's, and the simulation agrees about the targets

    double shortest() const, longest() const; ///< s, over all curves
};

/// Of an estimate of serving; from its distribution, or where there is none from its percentiles.
PercentileData percentileData(const Estimate& estimate);

QString latencyName(RequestLatency latency); ///< "TTFT"
CardContent percentileCard(const PercentileData& data, int curve, double share);
/// "simulation of 20,000 requests, seed 1"
QString percentileSource(const PercentileData& data);
ServingTable percentileTable(const PercentileData& data);
/// The result in words.
QString percentilesInWords(const PercentileData& data);

} // namespace alidade::views
