// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/health_evidence.h"

#include <QByteArray>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alidade::tests {

inline constexpr double none = std::numeric_limits<double>::quiet_NaN();
inline constexpr double handMadeStart = 1'767'225'600;

/// An observation that a test writes value by value.
struct HandMade {
    Observation observation;

    explicit HandMade(std::size_t points, double step = 60) {
        observation.grid = {handMadeStart, step, points};
    }

    SignalTable& table(Signal signal) {
        const auto found = std::ranges::find(observation.tables, signal, &SignalTable::signal);
        if (found != observation.tables.end())
            return *found;
        SignalTable& out = observation.tables.emplace_back();
        out.signal = signal;
        out.metric = std::string(signalInfo(signal).id);
        return out;
    }
    /// A row of values; what is missing at its end is not measured.
    HandMade& row(Signal signal, const Entity& where, std::vector<double> values) {
        const std::size_t points = observation.grid.points;
        values.resize(points, none);
        SignalTable& to = table(signal);
        const auto at = std::ranges::lower_bound(to.rows, where);
        const auto index = at - to.rows.begin();
        to.rows.insert(at, where);
        to.values.insert(to.values.begin() + index * static_cast<std::ptrdiff_t>(points), values.begin(),
                         values.end());
        return *this;
    }
    HandMade& flat(Signal signal, const Entity& where, double value) {
        return row(signal, where, std::vector<double>(observation.grid.points, value));
    }
    /// Overwrites the points [begin, end) of a row.
    HandMade& set(Signal signal, const Entity& where, std::size_t begin, std::size_t end, double value) {
        SignalTable& to = table(signal);
        const auto index = static_cast<std::size_t>(std::ranges::find(to.rows, where) - to.rows.begin());
        for (std::size_t i = begin; i < end; ++i)
            to.values[index * observation.grid.points + i] = value;
        return *this;
    }
};

inline QByteArray number(double value) { return QByteArray::number(value, 'g', 6); }

/// Values of one length after the other: {{3, 1.0}, {2, 0.0}} is 1 1 1 0 0.
inline std::vector<double> runs(std::initializer_list<std::pair<std::size_t, double>> parts) {
    std::vector<double> out;
    for (const auto& [count, value] : parts)
        out.insert(out.end(), count, value);
    return out;
}

/// What a detector works on. A test may write the timeline of the job itself.
struct Detection {
    ClusterDigest cluster;
    HealthLimits limits;
    JobTimeline job;
    std::optional<int> gpusPerNode;

    explicit Detection(const HandMade& of)
        : cluster(of.observation)
        , job(jobTimeline(cluster, limits.stallSteps)) {}
    explicit Detection(HandMade&&) = delete; // the digest refers to the observation

    HealthView view() const { return {cluster, job, limits, gpusPerNode}; }
    EvidenceList found(void (*detector)(const HealthView&, EvidenceList&)) const {
        EvidenceList out;
        detector(view(), out);
        return out;
    }
};

/// A line for each: kind and code, place, points [begin, end) with hits, seconds after the start of the grid,
/// and what is said.
inline QByteArray told(const EvidenceList& evidence) {
    QByteArray out;
    for (const Evidence& each : evidence) {
        const auto seconds = [](double time) { return QByteArray::number(time - handMadeStart); };
        const auto count = [](std::size_t n) { return QByteArray::number(static_cast<qulonglong>(n)); };
        out += QByteArray::fromStdString(std::string(faultName(each.kind)));
        if (each.code != 0)
            out += ' ' + QByteArray::number(each.code);
        out +=
            each.where.host.empty() ? QByteArray(" job") : ' ' + QByteArray::fromStdString(each.where.host);
        if (each.where.gpu != -1)
            out += ' ' + QByteArray::number(each.where.gpu);
        if (!each.where.part.empty())
            out += '/' + QByteArray::fromStdString(each.where.part);
        out += " [" + count(each.span.begin) + ',' + count(each.span.end) + ")x" + count(each.span.hits) +
               ' ' + seconds(each.start) + ".." + seconds(each.last);
        out += each.before ? " before" : "";
        out += each.lasts ? " lasts" : "";
        if (each.times != 1)
            out += ' ' + QByteArray::number(each.times) + " times";
        if (!each.what.empty())
            out += " <" + QByteArray::fromStdString(each.what) + '>';
        for (const std::size_t stop : each.stops)
            out += " stop " + count(stop);
        for (std::size_t i = 0; i < each.facts.size(); ++i)
            out += (i == 0 ? ": " : "; ") + QByteArray::fromStdString(each.facts[i]);
        out += '\n';
    }
    return out;
}

} // namespace alidade::tests
