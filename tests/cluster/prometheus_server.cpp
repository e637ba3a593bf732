// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cluster/prometheus_server.h"

#include "tests/cluster/child.h"

#include <QElapsedTimer>
#include <QFile>
#include <QHostAddress>
#include <QStandardPaths>
#include <QTcpServer>
#include <QTcpSocket>

#include <filesystem>

namespace alidade::tests {
namespace {

constexpr int readyMs = 60'000;

quint16 freePort() {
    QTcpServer probe;
    probe.listen(QHostAddress::LocalHost, 0);
    return probe.serverPort();
}

/// With TLS or a password in front of the page, an open port is all that can be asked for.
bool answers(quint16 port, bool plain) {
    QTcpSocket socket;
    socket.connectToHost(QHostAddress(QHostAddress::LocalHost), port);
    if (!socket.waitForConnected(1000))
        return false;
    if (!plain)
        return true;
    socket.write("GET /-/ready HTTP/1.0\r\n\r\n");
    while (!socket.canReadLine() && socket.waitForReadyRead(2000)) {
    }
    return socket.readLine().contains(" 200 ");
}

bool write(const QString& path, const QString& text) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) >= 0;
}

} // namespace

QString PrometheusServer::missing() {
    if (QStandardPaths::findExecutable(QStringLiteral("prometheus")).isEmpty())
        return QStringLiteral("prometheus is not installed; on Debian: apt-get install prometheus");
    return {};
}

PrometheusServer::PrometheusServer(const PrometheusOptions& options)
    : flags_(options.flags) {
    const QString data = folder_.filePath(QStringLiteral("data"));
    std::error_code code;
    std::filesystem::create_directory(data.toStdString(), code);
    if (!options.blocks.isEmpty())
        std::filesystem::copy(options.blocks.toStdString(), data.toStdString(),
                              std::filesystem::copy_options::recursive, code);
    const QString nothing = QStringLiteral("global:\n  scrape_interval: 1h\nscrape_configs: []\n");
    if (code || !write(folder_.filePath(QStringLiteral("prometheus.yml")),
                       options.config.isEmpty() ? nothing : options.config)) {
        error_ = QStringLiteral("cannot write into %1: %2")
                     .arg(folder_.path(), QString::fromStdString(code.message()));
        return;
    }
    // Another program may take the port between the probe and the start.
    for (int attempt = 0; attempt < 3; ++attempt) {
        port_ = freePort();
        if (start() || !log().contains(QStringLiteral("address already in use")))
            return;
    }
}

PrometheusServer::~PrometheusServer() { stop(); }

bool PrometheusServer::startAgain() { return start(); }

bool PrometheusServer::start() {
    process_.setProcessChannelMode(QProcess::MergedChannels);
    process_.setStandardOutputFile(folder_.filePath(QStringLiteral("log")));
    endWithParent(process_);
    // The samples have a fixed date and age; they must not be thrown away.
    process_.start(
        QStringLiteral("prometheus"),
        QStringList{QStringLiteral("--config.file=") + folder_.filePath(QStringLiteral("prometheus.yml")),
                    QStringLiteral("--storage.tsdb.path=") + folder_.filePath(QStringLiteral("data")),
                    QStringLiteral("--storage.tsdb.retention.time=100y"),
                    QStringLiteral("--web.listen-address=127.0.0.1:%1").arg(port_),
                    QStringLiteral("--log.level=warn")} +
            flags_);
    const bool plain = flags_.filter(QStringLiteral("--web.config.file")).isEmpty();
    if (becomesReady(plain)) {
        error_.clear();
        return true;
    }
    stop();
    error_ = QStringLiteral("prometheus is not ready; its log ends with: ") + log().right(2000);
    return false;
}

bool PrometheusServer::becomesReady(bool plain) {
    if (!process_.waitForStarted())
        return false;
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < readyMs) {
        if (answers(port_, plain))
            return true;
        if (process_.waitForFinished(50) || process_.state() == QProcess::NotRunning)
            return false;
    }
    return false;
}

std::string PrometheusServer::url(bool tls) const {
    return (tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_);
}

QString PrometheusServer::log() const {
    QFile file(folder_.filePath(QStringLiteral("log")));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

void PrometheusServer::stop() { endChild(process_); }

} // namespace alidade::tests
