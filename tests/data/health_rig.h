// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/mapping_json.h"
#include "data/observation/collect.h"
#include "data/prometheus/http_exchange.h"
#include "model/observation/finding.h"
#include "tests/cluster/prometheus_server.h"
#include "tests/cluster/simulated_cluster.h"

#include <QByteArray>

#include <algorithm>

namespace alidade::tests {

/// A simulated cluster and a real Prometheus that has its history.
struct Watched {
    SimulatedCluster cluster;
    PrometheusServer server;

    explicit Watched(const ClusterOptions& options)
        : cluster(options)
        , server({cluster.blocks(), {}, {}}) {}
    /// Why one of them is not there; empty: both are.
    QByteArray error() const {
        return (cluster.error().isEmpty() ? server.error() : cluster.error()).toUtf8();
    }
    /// Everything that the server has of the cluster's time, in steps of so many seconds.
    Result<Observation> observe(double step) const {
        data::Connection connection;
        connection.url = server.url();
        data::HttpExchange exchange(connection, {});
        data::PrometheusApi api(exchange);
        const double start = cluster.start(), end = cluster.end() - 30;
        const Result<MetricMapping> mapping = data::detectMapping(api, data::metricPresets(), start, end);
        if (!mapping)
            return Error{mapping.error()};
        data::ObservationRequest request;
        request.grid = {start, step, static_cast<std::size_t>((end - start) / step) + 1};
        return data::collectObservation(api, *mapping, request);
    }
};

/// Findings, one a line, for the message of a test.
inline QByteArray told(const std::vector<Finding>& findings, double start) {
    QByteArray out = "\n";
    for (const Finding& each : findings) {
        out += QByteArray::fromStdString(each.title) + " [" + QByteArray::number(each.start - start) + ", " +
               (each.end ? QByteArray::number(*each.end - start) : QByteArray("-")) + "] " +
               QByteArray::fromStdString(each.evidence);
        if (each.cost)
            out += " | " + QByteArray::number(each.cost->seconds) + " s, " +
                   QByteArray::number(each.cost->steps) + " steps";
        out += '\n';
    }
    return out;
}

/// What a fault of the simulation should look like; its order is that of the list of faults.
struct SeenFault {
    const char* fault;
    FaultKind kind;
    bool ofJob = false;
    double late = 120; ///< s that its beginning may be seen later
};
inline constexpr SeenFault seenFaults[] = {
    {"sbe", FaultKind::singleBitErrors, false, 600},
    {"straggler", FaultKind::straggler},
    {"efa_retrans", FaultKind::efaRetransmits, false, 180},
    {"hang", FaultKind::stall, true},
    {"xid", FaultKind::xid},
    {"server_restart", FaultKind::engineRestart},
    {"nan_loss", FaultKind::badLoss, true},
    {"target_down", FaultKind::missingTarget},
    {"dcgm_blank", FaultKind::blankValues},
    // Backfilled series stay visible for five minutes after their end.
    {"lost_gpu", FaultKind::missingGpu, false, 330},
};

/// Why the findings are not the faults of the simulation; empty: they are, each once and nothing else.
inline QByteArray notTheFaults(const SimulatedCluster& cluster, const std::vector<Finding>& findings) {
    const QByteArray all = told(findings, cluster.start());
    if (findings.size() != std::size(seenFaults))
        return QByteArray::number(static_cast<qulonglong>(findings.size())) + " findings" + all;
    for (const SeenFault& seen : seenFaults) {
        const auto& list = cluster.truth()["faults"];
        const auto truth = std::find_if(list.begin(), list.end(),
                                        [&](const auto& each) { return each["kind"] == seen.fault; });
        const auto found = std::ranges::find(findings, seen.kind, &Finding::kind);
        if (truth == list.end() || found == findings.end())
            return seen.fault + (" is missing" + all);
        const double start = (*truth)["start_time"];
        if (found->where.host != (seen.ofJob ? "" : (*truth)["host"].get<std::string>()) ||
            found->where.gpu != truth->value("gpu", -1))
            return seen.fault + (" is at the wrong place" + all);
        if (found->start < start - 30 || found->start > start + seen.late)
            return seen.fault + (" is at the wrong time" + all);
    }
    return {};
}

} // namespace alidade::tests
