// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/mapping_json.h"
#include "data/observation/collect.h"
#include "data/prometheus/http_exchange.h"
#include "tests/cluster/prometheus_server.h"
#include "tests/cluster/simulated_cluster.h"

#include <QByteArray>
#include <QString>

#include <algorithm>
#include <cmath>
#include <memory>

namespace alidade::tests {

using namespace alidade::data;

inline ClusterOptions quiet() {
    ClusterOptions options;
    options.nodes = 4;
    options.hours = 0.5;
    options.faults = false;
    return options;
}

/// A cluster, its server and a client.
struct Rig {
    explicit Rig(const ClusterOptions& options)
        : cluster(options) {
        if (!cluster.error().isEmpty())
            return;
        PrometheusOptions serve;
        serve.blocks = cluster.blocks();
        server = std::make_unique<PrometheusServer>(serve);
        exchange = std::make_unique<HttpExchange>(Connection{.url = server->url()}, Credentials());
        api = std::make_unique<PrometheusApi>(*exchange);
    }
    QString error() const { return cluster.error().isEmpty() ? server->error() : cluster.error(); }

    MetricMapping mapping() const {
        const Result<MetricMapping> found =
            detectMapping(*api, metricPresets(), cluster.start(), cluster.end());
        if (!found)
            qFatal("%s", found.error().c_str());
        return *found;
    }
    /// The twenty minutes that `truth` looks at, as one instant.
    Observation atOnce(const std::string& job) const { return read(job, {cluster.start() + 1500, 1200, 1}); }
    Observation read(const std::string& job, const TimeGrid& grid) const {
        const Result<Observation> found = collectObservation(*api, mapping(), {grid, job, {}, 0});
        if (!found)
            qFatal("%s", found.error().c_str());
        return *found;
    }

    SimulatedCluster cluster;
    std::unique_ptr<PrometheusServer> server;
    std::unique_ptr<HttpExchange> exchange;
    std::unique_ptr<PrometheusApi> api;
};

inline double mean(const std::vector<double>& values) {
    double sum = 0;
    std::size_t n = 0;
    for (const double value : values) {
        if (std::isfinite(value)) {
            sum += value;
            ++n;
        }
    }
    return n == 0 ? std::nan("") : sum / static_cast<double>(n);
}

inline double meanOf(const Observation& observation, Signal signal, Statistic statistic = Statistic::value) {
    const SignalTable* table = observation.table(signal, statistic);
    return table == nullptr ? std::nan("") : mean(table->values);
}

/// The known value of the cluster, and how near PromQL over twenty minutes must come to it.
struct Expected {
    double value, tolerance;
};
inline Expected expected(const nlohmann::json& truth, const std::string& id) {
    for (const nlohmann::json& each : truth["expected"])
        if (each["id"] == id)
            return {each["expect"].get<double>(), each["rel_tol"].get<double>()};
    qFatal("no expectation %s", id.c_str());
}

inline QByteArray said(const Observation& observation, Signal signal) {
    for (const MissingSignal& each : observation.missing)
        if (each.signal == signal)
            return QByteArray::fromStdString(each.why);
    return {};
}

inline const std::string training = "llama70b-pretrain";
inline const std::string serving = "meta-llama/Llama-3.3-70B-Instruct";

} // namespace alidade::tests
