// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/exporter.h"

#include "app/window/scenario_files.h"
#include "data/catalog/catalog_reader.h"
#include "data/file/write_file.h"
#include "data/json/file.h"
#include "model/search/search_words.h"
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

/// A name from a scenario, which may be a path, as one of a file in the report's folder.
std::string fileNameOf(const std::string& name) {
    return QFileInfo(QString::fromStdString(name)).fileName().toStdString();
}

/// What the report's process is given, in a separate folder.
class ReportFolder {
public:
    explicit ReportFolder(const QDir& folder)
        : folder_(folder) {}

    void add(const ReportSource& source) {
        addScenario(source, source.search ? source.search->question.base : source.spec, "scenario.json");
        for (std::size_t i = 0; i < source.others.size(); ++i)
            addScenario(source, source.others[i], "scenario-" + std::to_string(i + 2) + ".json");
        addCatalog(source);
    }
    /// In the order of the report.
    const QStringList& scenarios() const { return scenarios_; }
    const QString& fault() const { return fault_; }
    bool hasCatalog() const { return hasCatalog_; }

private:
    void addScenario(const ReportSource& source, const ScenarioSpec& spec, const std::string& file) {
        const ScenarioFiles files = scenarioFiles(spec, source.catalog.get());
        for (const ScenarioFiles::Beside& each : files.beside)
            write(each.name.toStdString(), each.content.toStdString());
        scenarios_.append(QString::fromStdString(write(file, files.scenario.toStdString())));
    }

    /// Documents are read in the order of their names: the changes come last.
    void addCatalog(const ReportSource& source) {
        if (source.userCatalog.isEmpty() && source.catalogChanges.empty())
            return;
        hasCatalog_ = true;
        folder_.mkdir(catalogName);
        for (const std::string& file : data::catalogDocuments(source.userCatalog.toStdString()))
            if (const Result<std::string> text = data::readFile(file))
                write("catalog/1-" + fileNameOf(file), *text);
            else
                tell(QString::fromStdString(file + ": " + text.error()));
        if (!source.catalogChanges.empty())
            write("catalog/2-changes.json", source.catalogChanges);
    }

    /// \returns its name
    std::string write(const std::string& name, const std::string& text) {
        const QString file = folder_.filePath(QString::fromStdString(name));
        if (const QString fault = data::writeFile(file, QByteArray::fromStdString(text)); !fault.isEmpty())
            tell(fault);
        return name;
    }
    void tell(const QString& fault) {
        if (fault_.isEmpty())
            fault_ = fault;
    }

    static inline const QString catalogName = QStringLiteral("catalog");
    QDir folder_;
    QString fault_;
    QStringList scenarios_;
    bool hasCatalog_ = false;
};

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

bool Exporter::running() const { return preparing_ || process_ != nullptr || moving_; }

void Exporter::start(const ReportSource& source, const QString& fileName, const ReportOptions& options) {
    if (running())
        return;
    fileName_ = fileName;
    canceled_ = false;
    preparing_ = true;
    folder_ = std::make_shared<QTemporaryDir>();
    views::runFor(
        this, views::Work::waiting,
        [source, folder = folder_] {
            ReportFolder content{QDir(folder->path())};
            content.add(source);
            return content;
        },
        [this, options, search = source.search](const ReportFolder& content) {
            preparing_ = false;
            if (canceled_ || !content.fault().isEmpty())
                return tell(canceled_ ? tr("canceled") : content.fault());
            QStringList arguments{search ? QStringLiteral("search") : QStringLiteral("report")};
            for (const QString& file : content.scenarios())
                arguments << folder_->filePath(file);
            if (search) // it finds the same again
                for (const std::string& each : searchOptions(search->question))
                    arguments << QString::fromStdString(each);
            if (content.hasCatalog())
                arguments << QStringLiteral("--catalog") << folder_->filePath(QStringLiteral("catalog"));
            arguments << options.arguments();
            run(arguments);
        });
    emit started(fileName_);
}

void Exporter::run(const QStringList& arguments) {
    const QString report =
        folder_->filePath(QStringLiteral("report.") + QFileInfo(fileName_).suffix().toLower());
    process_ = new QProcess(this);
    connect(process_, &QProcess::finished, this,
            [this](int code, QProcess::ExitStatus status) { end(code, status == QProcess::CrashExit); });
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            end(-1, true);
    });
    // The report's file is last: end() looks for it there.
    process_->setProgram(executable_);
    process_->setArguments(arguments +
                           QStringList{QStringLiteral("-o"), report}); // also where it cannot start
    process_->start();
}

void Exporter::cancel() {
    canceled_ = preparing_ || process_ != nullptr;
    if (process_ != nullptr)
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
    if (canceled_)
        reason = tr("canceled");
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
