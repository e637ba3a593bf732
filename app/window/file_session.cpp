// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/file_session.h"

#include "app/window/save_question.h"
#include "app/window/settings.h"
#include "app/window/workspace_session.h"
#include "data/file/write_file.h"
#include "data/json/file.h"
#include "data/scenario/samples.h"
#include "data/scenario/scenario_json.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/document/workers.h"

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

#include <utility>

namespace alidade::app {

using views::runFor;
using views::text;
using views::Work;

namespace {

constexpr int saveIsSlowMilliseconds = 3000;

QString filter() {
    return FileSession::tr(
        "Workspaces, scenarios, fleets and model configurations (*.alidade *.json);;All files (*)");
}

} // namespace

FileSession::FileSession(views::Document& document, Settings& settings, QWidget& window)
    : QObject(&window)
    , document_(document)
    , settings_(settings)
    , window_(window)
    , reading_(this) {
    saveIsSlow_.setSingleShot(true);
    saveIsSlow_.setInterval(saveIsSlowMilliseconds);
    connect(&watcher_, &QFileSystemWatcher::fileChanged, this, &FileSession::checkDisk);
    connect(&reading_, &SlowWork::canceled, this, &FileSession::stopReading);
    connect(&saveIsSlow_, &QTimer::timeout, this, &FileSession::askAboutWaiting);
    // Whatever is opened takes the place of what is still being read.
    connect(&document_, &views::Document::aboutToOpen, &reading_, &SlowWork::cancel);
    connect(&document_, &views::Document::fileNameChanged, this, [this] {
        input_.name(document_.fileName().toStdString(), tr("the open scenario").toStdString());
    });
}

FileSession::~FileSession() {
    stopReading();
    stopChecking_.request_stop();
}

void FileSession::startNew() {
    settle([this] {
        ScenarioSpec spec;
        spec.workload.kind = WorkloadKind::training;
        take(spec, Origin::blank);
    });
}

void FileSession::askOpen() {
    settle([this] {
        auto* dialog = new QFileDialog(&window_, tr("Open a workspace, a scenario or a fleet"),
                                       settings_.folder, filter());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& name) { read(name, true); });
        dialog->open();
    });
}

void FileSession::openFile(const QString& fileName) { openFileOr(fileName, {}); }

void FileSession::openFileOr(const QString& fileName, std::function<void(const LoadedFile&)> otherwise) {
    settle([this, fileName, otherwise = std::move(otherwise)] { read(fileName, true, otherwise); });
}

void FileSession::openSample(const QString& id) {
    settle([this, id] {
        const auto content = data::sampleScenarioText(id.toStdString());
        if (!content) {
            emit refused(tr("%1 cannot be opened").arg(id), tr("there is no sample scenario of this id"));
            return;
        }
        const auto spec = data::readScenario(*content, id.toStdString());
        if (!spec) {
            emit refused(tr("%1 cannot be opened").arg(id), text(spec.error()));
            return;
        }
        sample_ = id;
        take(*spec, Origin::sample);
    });
}

void FileSession::openSpec(const ScenarioSpec& spec, Origin origin) {
    settle([this, spec, origin] { take(spec, origin); });
}

/// \param asks about what was changed while the file was read
void FileSession::read(const QString& fileName, bool asks, std::function<void(const LoadedFile&)> otherwise) {
    reading_.cancel();
    stopReading_ = std::stop_source();
    const std::uint64_t number = ++readings_;
    runFor(
        this, Work::waiting, [fileName, stop = stopReading_.get_token()] { return loadFile(fileName, stop); },
        [this, fileName, number, asks, otherwise = std::move(otherwise)](const LoadedFile& file) {
            if (number != readings_)
                return; // canceled
            const auto go = [this, fileName, file, otherwise] { accept(fileName, file, otherwise); };
            reading_.end();
            if (asks && file.spec)
                settle(go);
            else
                go();
        });
    reading_.begin(tr("Reading %1").arg(QFileInfo(fileName).fileName()));
}

void FileSession::stopReading() {
    ++readings_;
    stopReading_.request_stop();
}

void FileSession::accept(const QString& fileName, const LoadedFile& file,
                         const std::function<void(const LoadedFile&)>& otherwise) {
    if (file.isWorkspace) {
        settings_.folder = QFileInfo(fileName).absolutePath();
        emit workspaceChosen(fileName);
    } else if (file.spec) {
        settings_.folder = QFileInfo(fileName).absolutePath();
        remember(fileName);
        take(*file.spec, Origin::file, QFileInfo(fileName).absoluteFilePath(), file.content);
    } else if (file.isFleet && !otherwise) {
        emit fleetChosen(fileName);
    } else if (otherwise) {
        otherwise(file);
    } else if (file.model) {
        emit modelImported(*file.model);
    } else {
        emit refused(tr("%1 cannot be opened").arg(QFileInfo(fileName).fileName()), file.fault);
    }
}

void FileSession::take(const ScenarioSpec& spec, Origin origin, const QString& fileName,
                       const QByteArray& content) {
    origin_ = origin;
    document_.open(spec, fileName);
    watch(fileName, content);
    emit opened();
}

void FileSession::reload() { read(document_.fileName(), false); }

void FileSession::save(std::function<void()> then) {
    if (document_.fileName().isEmpty())
        askSaveAs(std::move(then));
    else
        saveTo(document_.fileName(), then);
}

void FileSession::askSaveAs(std::function<void()> then) {
    QString proposal = document_.fileName();
    if (proposal.isEmpty()) {
        QString name = document_.displayName();
        name.replace(QLatin1Char('/'), QLatin1Char('-'));
        proposal = QDir(settings_.folder).absoluteFilePath(name + QStringLiteral(".json"));
    }
    auto* dialog = new QFileDialog(&window_, tr("Save the scenario as"), proposal, filter());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(proposal);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, then = std::move(then)](const QString& fileName) { saveTo(fileName, then); });
    dialog->open();
}

void FileSession::saveTo(const QString& fileName, const std::function<void()>& then) {
    saves_.push_back({fileName, QByteArray::fromStdString(data::writeScenario(document_.spec())),
                      scenarioFiles(document_.spec(), document_.catalog().get()), then});
    if (saves_.size() == 1)
        startSave();
}

void FileSession::startSave() {
    const Save& save = saves_.front();
    runFor(
        this, Work::waiting,
        [file = save.fileName, files = save.files, own = input_.id(), pending = views::PendingWrite()] {
            return writeScenarioFiles(file, files, {.own = own});
        },
        [this, givenUp = savesGivenUp_](const QString& fault) {
            if (givenUp == savesGivenUp_)
                hasSaved(fault);
        });
}

void FileSession::hasSaved(const QString& fault) {
    const Save save = std::move(saves_.front());
    saves_.pop_front();
    if (!saves_.empty())
        startSave();
    if (!fault.isEmpty()) {
        emit refused(tr("%1 was not saved").arg(QFileInfo(save.fileName).fileName()),
                     save.fileName + QStringLiteral(": ") + fault);
    } else {
        const QString path = QFileInfo(save.fileName).absoluteFilePath();
        settings_.folder = QFileInfo(path).absolutePath();
        watch(path, save.files.scenario);
        document_.setSaved(path);
        if (QByteArray::fromStdString(data::writeScenario(document_.spec())) != save.shown)
            document_.setOutdated(); // edited while it was written
        remember(path);
        emit saved(path);
        if (save.then)
            save.then();
    }
    if (!saves_.empty())
        return;
    saveIsSlow_.stop();
    if (waitQuestion_ != nullptr)
        waitQuestion_->reject();
    for (const auto& then : std::exchange(afterSaves_, {}))
        settle(then);
}

void FileSession::settle(std::function<void()> then) {
    if (isSaving()) {
        afterSaves_.push_back(std::move(then));
        if (waitQuestion_ == nullptr)
            saveIsSlow_.start();
        return;
    }
    if (!document_.isModified()) {
        then();
        return;
    }
    if (question_ != nullptr)
        return; // it is being asked already
    question_ = openSaveQuestion(tr("Save the changes to %1?").arg(document_.displayName()), window_);
    connect(question_, &QMessageBox::finished, this, [this, then = std::move(then)](int answer) {
        question_ = nullptr;
        if (answer == QMessageBox::Save)
            save(then);
        else if (answer == QMessageBox::Discard)
            then();
    });
}

/// The disk takes long, and a person wants to go on.
void FileSession::askAboutWaiting() {
    if (!isSaving() || afterSaves_.empty())
        return;
    waitQuestion_ =
        new QMessageBox(QMessageBox::Warning, tr("Still saving"),
                        tr("%1 is still being saved.").arg(QFileInfo(saves_.front().fileName).fileName()),
                        QMessageBox::NoButton, &window_);
    waitQuestion_->setInformativeText(
        tr("The disk does not respond. Without waiting, the changes since the last save may be lost."));
    QPushButton* wait = waitQuestion_->addButton(tr("Keep Waiting"), QMessageBox::RejectRole);
    QPushButton* leave = waitQuestion_->addButton(tr("Do Not Wait"), QMessageBox::DestructiveRole);
    waitQuestion_->setDefaultButton(wait);
    waitQuestion_->setEscapeButton(wait);
    waitQuestion_->setAttribute(Qt::WA_DeleteOnClose);
    connect(waitQuestion_, &QMessageBox::finished, this, [this] {
        waitQuestion_ = nullptr;
        if (isSaving())
            saveIsSlow_.start();
    });
    connect(leave, &QPushButton::clicked, this, [this] {
        ++savesGivenUp_;
        saves_.clear();
        saveIsSlow_.stop();
        for (const auto& then : std::exchange(afterSaves_, {}))
            then();
    });
    waitQuestion_->open();
}

void FileSession::watch(const QString& fileName, const QByteArray& content) {
    if (!watcher_.files().isEmpty())
        watcher_.removePaths(watcher_.files());
    content_ = content;
    stopChecking_.request_stop();
    if (!fileName.isEmpty())
        watcher_.addPath(fileName);
}

void FileSession::checkDisk(const QString& fileName) {
    if (fileName != document_.fileName() || isSaving())
        return;
    stopChecking_.request_stop();
    stopChecking_ = std::stop_source();
    const std::stop_token stop = stopChecking_.get_token();
    runFor(
        this, Work::waiting,
        [name = fileName.toStdString(), stop] { return data::readFile(name, largestScenarioFile, stop); },
        [this, fileName, stop](const Result<std::string>& onDisk) {
            // A save in between has its own watch.
            if (!stop.stop_requested() && !isSaving() && fileName == document_.fileName())
                compare(fileName, onDisk);
        });
}

void FileSession::compare(const QString& fileName, const Result<std::string>& onDisk) {
    if (!onDisk) {
        document_.setOutdated();
        emit removedOnDisk(fileName);
        return;
    }
    if (!watcher_.files().contains(fileName))
        watcher_.addPath(fileName); // replaced by another file of that name
    const QByteArray content = QByteArray::fromStdString(*onDisk);
    if (content == content_)
        return;
    content_ = content;
    document_.setOutdated();
    emit changedOnDisk(fileName);
}

void FileSession::remember(const QString& fileName) {
    settings_.addRecent(fileName);
    settings_.save();
    emit recentChanged();
}

} // namespace alidade::app
