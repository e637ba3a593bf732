// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

#include <nlohmann/json.hpp>

#include <string>

namespace alidade::tests {

/// What the program in tests/cluster/simulated_cluster/ simulates. The same options give the same samples.
struct ClusterOptions {
    int nodes = 4;      ///< of them max(1, nodes / 16) serve; from 16 on nodes / 16 are spare
    double hours = 0.5; ///< of history; its `truth` looks at the first 25 minutes
    double step = 15;   ///< s between two samples
    bool full = false;  ///< all metrics of each exporter; else the charted ones
    bool faults = true; ///< those of the default timeline that fit into the cluster
    int seed = 7;
    std::string epoch;          ///< "now-1740", or Unix s; empty: 2026-01-01T00:00:00Z
    std::string instanceType;   ///< empty: p5.48xlarge
    std::string trainingNaming; ///< "generic", "torchtitan", "millis"; empty: the first
    std::string vllmNaming;     ///< "v0.9.1", "v0.11", "v0.13"; empty: the last
    /// Over the program's own defaults (config.py): gaps and intervals of the collection, engines, blanks,
    /// spares.
    nlohmann::json config = nlohmann::json::object();
};

/// The history of a simulated cluster as blocks of a Prometheus, and what is true of it. A history that some
/// test made before is taken from the build folder; two tests may ask for the same one at once.
class SimulatedCluster {
public:
    /// Why none can be made here, which fails a test; empty: it can.
    static QString missing();

    explicit SimulatedCluster(const ClusterOptions& asked = {});

    /// Why there is none; empty: there is.
    const QString& error() const { return error_; }
    /// Folder of the blocks, for PrometheusOptions::blocks. Others read it too: never start a server on it.
    const QString& blocks() const { return blocks_; }
    /// "epoch", "training", "serving", "hardware", "faults", "quiet_window", "expected": [ { "id", "promql",
    /// "time", "expect", "rel_tol", "meaning" } ].
    const nlohmann::json& truth() const { return truth_; }
    double start() const { return truth_.value("epoch", 0.0); } ///< Unix s of the first sample
    double end() const { return start() + hours_ * 3600; }      ///< Unix s after the last one

private:
    QString error_, blocks_;
    nlohmann::json truth_;
    double hours_ = 0;
};

/// A simulated cluster whose exporters answer now, at a free port of 127.0.0.1.
class LiveCluster {
public:
    /// `hours` and `step` do not matter; the epoch is best "now-SECONDS".
    explicit LiveCluster(const ClusterOptions& options);
    ~LiveCluster();
    LiveCluster(const LiveCluster&) = delete;
    LiveCluster& operator=(const LiveCluster&) = delete;

    const QString& error() const { return error_; }
    double start() const { return epoch_; } ///< Unix s at which its time begins
    /// Text of a prometheus.yml that scrapes it.
    QString prometheusConfig(int intervalS) const;

private:
    QProcess process_;
    QString error_, url_;
    double epoch_ = 0;
};

} // namespace alidade::tests
