// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/exporter.h"

#include "data/file/write_file.h"
#include "data/scenario/scenario_file.h"
#include "views/document/workers.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>

namespace alidade::app {

namespace {

/// Copies a finished report over the wanted file in one step. \returns an empty text or what went wrong
QString moveInto(const QString& from, const QString& to) {
    QFile source(from);
    if (!source.open(QIODevice::ReadOnly))
        return source.errorString();
    const QByteArray report = source.readAll();
    return source.error() == QFileDevice::NoError ? data::writeFile(to, report) : source.errorString();
}

/// \returns an empty text or what went wrong
QString writeChanges(const std::string& changes, const QString& fileName) {
    QFile file(fileName);
    const auto size = static_cast<qint64>(changes.size());
    if (changes.empty())
        return {};
    if (!file.open(QIODevice::WriteOnly) || file.write(changes.data(), size) != size || !file.flush())
        return file.errorString();
    return {};
}

} // namespace

Exporter::Exporter(QString executable, QObject* parent)
    : QObject(parent)
    , executable_(std::move(executable)) {}

Exporter::~Exporter() {
    if (process_ != nullptr) {
        process_->disconnect(this);
        process_->kill();
        process_->waitForFinished(1000);
    }
}

bool Exporter::running() const { return process_ != nullptr || moving_; }

void Exporter::start(const ScenarioSpec& spec, const QString& fileName, const std::string& catalogChanges) {
    if (running())
        return;
    fileName_ = fileName;
    cancelled_ = false;
    folder_ = std::make_shared<QTemporaryDir>();
    const QString scenario = folder_->filePath(QStringLiteral("scenario.json"));
    if (const QString fault = data::writeScenarioFile(spec, scenario); !fault.isEmpty()) {
        emit failed(fileName_, fault);
        return;
    }
    if (const QString fault = writeChanges(catalogChanges, folder_->filePath(QStringLiteral("catalog.json")));
        !fault.isEmpty()) {
        emit failed(fileName_, fault);
        return;
    }
    const QString report =
        folder_->filePath(QStringLiteral("report.") + QFileInfo(fileName).suffix().toLower());
    process_ = new QProcess(this);
    connect(process_, &QProcess::finished, this,
            [this](int code, QProcess::ExitStatus status) { end(code, status == QProcess::CrashExit); });
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            end(-1, true);
    });
    // The report's file is last: end() looks for it there.
    QStringList arguments{QStringLiteral("report"), scenario};
    if (!catalogChanges.empty())
        arguments << QStringLiteral("--catalog") << folder_->filePath(QStringLiteral("catalog.json"));
    process_->start(executable_, arguments << QStringLiteral("-o") << report);
    emit started(fileName_);
}

void Exporter::cancel() {
    if (process_ == nullptr)
        return;
    cancelled_ = true;
    process_->kill();
}

void Exporter::end(int exitCode, bool crashed) {
    const QString said =
        QString::fromUtf8(process_->readAllStandardError()).section(QLatin1Char('\n'), 0, 0).trimmed();
    const QString processError = process_->errorString();
    const QString report = process_->arguments().constLast();
    process_->deleteLater();
    process_ = nullptr;
    QString reason;
    if (cancelled_)
        reason = tr("cancelled");
    else if (crashed)
        reason = processError;
    else if (exitCode != 0)
        reason = said.isEmpty() ? tr("it ended with status %1").arg(exitCode) : said;
    if (reason.isEmpty())
        move(report);
    else
        tell(reason);
}

/// The disk that it goes to may take its time.
void Exporter::move(const QString& report) {
    moving_ = true;
    views::runFor(
        this, views::Work::waiting,
        [report, to = fileName_, folder = folder_, pending = views::PendingWrite()] {
            return moveInto(report, to);
        },
        [this](const QString& fault) {
            moving_ = false;
            tell(fault);
        });
}

/// \param reason why there is no report; empty: there is
void Exporter::tell(const QString& reason) {
    folder_.reset();
    if (reason.isEmpty())
        emit finished(fileName_);
    else
        emit failed(fileName_, reason);
}

} // namespace alidade::app
