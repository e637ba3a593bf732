// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <string>

namespace alidade::tests {

struct PrometheusOptions {
    QString blocks; ///< folder whose TSDB blocks are copied into the server's own; empty: it has no history
    QString config; ///< text of prometheus.yml; empty: nothing is scraped
    QStringList flags; ///< further ones: "--query.timeout=1s", "--web.config.file=..."
};

/// A real Prometheus on a free port of 127.0.0.1, with its own data folder that goes away with it. Ready
/// when constructed; ended by its own process id, and waited for, when destroyed (or when this program dies).
class PrometheusServer {
public:
    /// Why none can run here, which fails a test; empty: it can.
    static QString missing();

    explicit PrometheusServer(const PrometheusOptions& options = {});
    ~PrometheusServer();
    PrometheusServer(const PrometheusServer&) = delete;
    PrometheusServer& operator=(const PrometheusServer&) = delete;

    /// Why it does not answer, with the last lines of its log; empty: it does.
    const QString& error() const { return error_; }
    quint16 port() const { return port_; }
    /// "http://127.0.0.1:PORT", or https where `--web.config.file` was given and `tls` is asked for.
    std::string url(bool tls = false) const;
    /// What it wrote so far.
    QString log() const;
    /// Ends it now; nothing listens at its port when this returns.
    void stop();
    /// Starts it again after `stop`, at the same port and on what it had collected. False: see error().
    bool startAgain();

private:
    bool start();
    bool becomesReady(bool plain);

    QTemporaryDir folder_;
    QStringList flags_;
    QProcess process_;
    QString error_;
    quint16 port_ = 0;
};

} // namespace alidade::tests
