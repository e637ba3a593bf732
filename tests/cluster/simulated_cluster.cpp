// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cluster/simulated_cluster.h"

#include "tests/cluster/child.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QLockFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTemporaryFile>

#include <cmath>

namespace alidade::tests {
namespace {

constexpr int patienceMs = 600'000;

QString script() { return QStringLiteral(ALIDADE_CLUSTER_SCRIPT); }

QByteArray contentsOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The text of all its files.
QByteArray program() {
    QByteArray out;
    const QDir folder(script());
    for (const QString& name : folder.entryList({QStringLiteral("*.py")}, QDir::Files, QDir::Name))
        out += contentsOf(folder.filePath(name));
    return out;
}

/// A history that ends now is another one each time: its name carries its date.
ClusterOptions dated(ClusterOptions options) {
    if (options.epoch.starts_with("now")) {
        const double shift = QString::fromStdString(options.epoch.substr(3)).toDouble();
        const double now = static_cast<double>(QDateTime::currentSecsSinceEpoch());
        options.epoch = QString::number(30 * std::floor((now + shift) / 30), 'f', 0).toStdString();
    }
    return options;
}

/// Arguments that every command of the script takes, but for the file of the configuration.
QStringList commonArguments(const ClusterOptions& options) {
    QStringList out = {
        QStringLiteral("--nodes"),   QString::number(options.nodes),
        QStringLiteral("--seed"),    QString::number(options.seed),
        QStringLiteral("--profile"), options.full ? QStringLiteral("full") : QStringLiteral("core")};
    const auto add = [&out](const char* name, const std::string& value) {
        if (!value.empty())
            out << QString::fromLatin1(name) << QString::fromStdString(value);
    };
    add("--epoch", options.epoch);
    add("--instance-type", options.instanceType);
    add("--training-naming", options.trainingNaming);
    add("--vllm-naming", options.vllmNaming);
    if (!options.faults)
        out << QStringLiteral("--no-faults");
    return out;
}

QStringList backfillArguments(const ClusterOptions& options) {
    return QStringList{QStringLiteral("backfill")} + commonArguments(options) +
           QStringList{QStringLiteral("--hours"), QString::number(options.hours), QStringLiteral("--step"),
                       QString::number(options.step)};
}

bool write(const QString& path, const std::string& text) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(QByteArray::fromStdString(text)) >= 0;
}

/// Empty, or what it said when it failed.
QString run(const QStringList& arguments) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    endWithParent(process);
    process.start(QStringLiteral("python3"), QStringList{QStringLiteral("-B"), script()} + arguments);
    if (!process.waitForStarted() || !process.waitForFinished(patienceMs)) {
        endChild(process);
        return QStringLiteral("the simulated cluster did not end: ") + process.errorString();
    }
    if (process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0)
        return {};
    return QStringLiteral("the simulated cluster failed: ") +
           QString::fromUtf8(process.readAll()).right(2000);
}

/// Makes the history in a folder that gets its name when it is whole.
QString make(const ClusterOptions& options, const QDir& cache, const QString& key) {
    QTemporaryDir folder(cache.filePath(QStringLiteral("making-XXXXXX")));
    if (!folder.isValid())
        return QStringLiteral("cannot write into %1").arg(cache.path());
    const QString config = folder.filePath(QStringLiteral("config.json"));
    if (!write(config, options.config.dump()))
        return QStringLiteral("cannot write %1").arg(config);
    QString wrong =
        run(backfillArguments(options) +
            QStringList{QStringLiteral("--config"), config, QStringLiteral("--data-dir"),
                        folder.filePath(QStringLiteral("blocks")), QStringLiteral("--tmp"), folder.path(),
                        QStringLiteral("--truth-out"), folder.filePath(QStringLiteral("truth.json"))});
    if (!wrong.isEmpty())
        return wrong;
    if (!QDir().rename(folder.path(), cache.filePath(key)))
        return QStringLiteral("cannot rename %1").arg(folder.path());
    folder.setAutoRemove(false);
    return {};
}

} // namespace

QString SimulatedCluster::missing() {
    for (const char* program : {"prometheus", "promtool", "python3"})
        if (QStandardPaths::findExecutable(QString::fromLatin1(program)).isEmpty())
            return QStringLiteral("%1 is not installed; on Debian: apt-get install prometheus python3")
                .arg(QString::fromLatin1(program));
    return {};
}

SimulatedCluster::SimulatedCluster(const ClusterOptions& asked)
    : hours_(asked.hours) {
    const ClusterOptions options = dated(asked);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(program());
    hash.addData(backfillArguments(options).join(QLatin1Char('\n')).toUtf8());
    hash.addData(QByteArray::fromStdString(options.config.dump()));
    const QString key = QString::fromLatin1(hash.result().toHex().left(20));

    const QDir cache(QStringLiteral(ALIDADE_CLUSTER_CACHE));
    cache.mkpath(QStringLiteral("."));
    const QString made = cache.filePath(key);
    QLockFile lock(made + QStringLiteral(".lock"));
    lock.setStaleLockTime(0); // held for minutes at times; a dead holder is noticed anyway
    if (!lock.tryLock(patienceMs)) {
        error_ = QStringLiteral("another test holds %1.lock").arg(made);
        return;
    }
    if (!QDir(made).exists())
        error_ = make(options, cache, key);
    if (!error_.isEmpty())
        return;
    truth_ = nlohmann::json::parse(contentsOf(made + QStringLiteral("/truth.json")).toStdString());
    blocks_ = made + QStringLiteral("/blocks");
}

LiveCluster::LiveCluster(const ClusterOptions& options) {
    QTemporaryFile config;
    if (!config.open() || config.write(QByteArray::fromStdString(options.config.dump())) < 0 ||
        !config.flush()) {
        error_ = QStringLiteral("cannot write a temporary file");
        return;
    }
    endWithParent(process_);
    process_.start(QStringLiteral("python3"),
                   QStringList{QStringLiteral("-B"), script(), QStringLiteral("serve")} +
                       commonArguments(options) + QStringList{QStringLiteral("--config"), config.fileName()});
    while (!process_.canReadLine() && process_.waitForReadyRead(60'000)) {
    }
    const auto said = nlohmann::json::parse(process_.readLine().toStdString(), nullptr, false);
    if (!said.is_object()) {
        error_ = QStringLiteral("the simulated cluster does not serve: ") +
                 QString::fromUtf8(process_.readAllStandardError()).right(2000);
        endChild(process_);
        return;
    }
    url_ = QString::fromStdString(said.value("url", ""));
    epoch_ = said.value("epoch", 0.0);
}

LiveCluster::~LiveCluster() { endChild(process_); }

QString LiveCluster::prometheusConfig(int intervalS) const {
    QProcess process;
    process.start(QStringLiteral("python3"),
                  {QStringLiteral("-B"), script(), QStringLiteral("prom-config"), QStringLiteral("--url"),
                   url_, QStringLiteral("--interval"), QStringLiteral("%1s").arg(intervalS),
                   QStringLiteral("--timeout"), QStringLiteral("%1s").arg(qMin(intervalS, 5))});
    process.waitForFinished();
    return QString::fromUtf8(process.readAllStandardOutput());
}

} // namespace alidade::tests
