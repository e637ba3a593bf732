// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/file_session.h"

#include "app/window/settings.h"
#include "app/window/workspace_session.h"
#include "data/file/write_file.h"
#include "data/import/file_nature.h"
#include "data/import/huggingface.h"
#include "data/json/file.h"
#include "data/scenario/samples.h"
#include "data/scenario/scenario_json.h"
#include "views/document/document.h"
#include "views/document/text.h"

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

namespace alidade::app {

using views::text;

namespace {

/// No scenario that a person wrote comes near; the reader has its own limits besides.
constexpr std::size_t largestFile = 16u << 20;

/// A config.json of Hugging Face names its model type; a scenario says which version of ours it is.
bool isModelConfig(const QByteArray& content) {
    return content.contains("\"model_type\"") && !content.contains("\"alidade\"");
}

QString filter() {
    return FileSession::tr(
        "Workspaces, scenarios and model configurations (*.alidade *.json);;All files (*)");
}

} // namespace

FileSession::FileSession(views::Document& document, Settings& settings, QWidget& window)
    : QObject(&window)
    , document_(document)
    , settings_(settings)
    , window_(window) {
    connect(&watcher_, &QFileSystemWatcher::fileChanged, this, &FileSession::checkDisk);
}

void FileSession::startNew() {
    settle([this] {
        ScenarioSpec spec;
        spec.workload.kind = "training";
        take(spec, Origin::blank);
    });
}

void FileSession::askOpen() {
    settle([this] {
        auto* dialog =
            new QFileDialog(&window_, tr("Open a workspace or a scenario"), settings_.folder, filter());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, this, &FileSession::read);
        dialog->open();
    });
}

void FileSession::openFile(const QString& fileName) {
    settle([this, fileName] { read(fileName); });
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

void FileSession::read(const QString& fileName) {
    const QString what = tr("%1 cannot be opened").arg(QFileInfo(fileName).fileName());
    if (looksLikeWorkspace(fileName)) {
        settings_.folder = QFileInfo(fileName).absolutePath();
        emit workspaceChosen(fileName);
        return;
    }
    const Result<std::string> bytes = data::readFile(fileName.toStdString(), largestFile);
    if (!bytes) {
        emit refused(what, fileName + QStringLiteral(": ") + text(bytes.error()));
        return;
    }
    const std::string_view words = *bytes;
    const QByteArray content = QByteArray::fromStdString(*bytes);
    if (isModelConfig(content)) {
        const auto model = data::importHuggingFaceConfig(words, fileName.toStdString());
        if (model)
            emit modelImported(*model);
        else
            emit refused(what, text(model.error()).section(QLatin1Char('\n'), 0, 0));
        return;
    }
    if (const std::string other = data::notScenario(words, fileName.toStdString()); !other.empty()) {
        emit refused(what, text(other));
        return;
    }
    const auto spec = data::readScenario(words, fileName.toStdString());
    if (!spec) {
        emit refused(what, text(spec.error()));
        return;
    }
    settings_.folder = QFileInfo(fileName).absolutePath();
    remember(fileName);
    take(*spec, Origin::file, QFileInfo(fileName).absoluteFilePath(), content);
}

void FileSession::take(const ScenarioSpec& spec, Origin origin, const QString& fileName,
                       const QByteArray& content) {
    origin_ = origin;
    document_.open(spec, fileName);
    watch(fileName, content);
    emit opened();
}

void FileSession::reload() { read(document_.fileName()); }

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
        proposal = QDir(settings_.folder).filePath(name + QStringLiteral(".json"));
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
    const QByteArray content = QByteArray::fromStdString(data::writeScenario(document_.spec()));
    if (const QString fault = data::writeFile(fileName, content); !fault.isEmpty()) {
        emit refused(tr("%1 was not saved").arg(QFileInfo(fileName).fileName()),
                     fileName + QStringLiteral(": ") + fault);
        return;
    }
    const QString path = QFileInfo(fileName).absoluteFilePath();
    settings_.folder = QFileInfo(fileName).absolutePath();
    watch(path, content);
    document_.setSaved(path);
    remember(path);
    emit saved(path);
    if (then)
        then();
}

void FileSession::settle(std::function<void()> then) {
    if (!document_.isModified()) {
        then();
        return;
    }
    if (question_ != nullptr)
        return; // it is being asked already
    question_ = new QMessageBox(QMessageBox::Warning, tr("Unsaved changes"),
                                tr("Save the changes to %1?").arg(document_.displayName()),
                                QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &window_);
    question_->setInformativeText(tr("Without saving they are lost."));
    question_->setDefaultButton(QMessageBox::Save);
    question_->setAttribute(Qt::WA_DeleteOnClose);
    connect(question_, &QMessageBox::finished, this, [this, then = std::move(then)](int answer) {
        question_ = nullptr;
        if (answer == QMessageBox::Save)
            save(then);
        else if (answer == QMessageBox::Discard)
            then();
    });
    question_->open();
}

void FileSession::watch(const QString& fileName, const QByteArray& content) {
    if (!watcher_.files().isEmpty())
        watcher_.removePaths(watcher_.files());
    content_ = content;
    if (!fileName.isEmpty())
        watcher_.addPath(fileName);
}

void FileSession::checkDisk(const QString& fileName) {
    if (fileName != document_.fileName())
        return;
    const Result<std::string> bytes = data::readFile(fileName.toStdString(), largestFile);
    if (!bytes) {
        document_.setOutdated();
        emit removedOnDisk(fileName);
        return;
    }
    if (!watcher_.files().contains(fileName))
        watcher_.addPath(fileName); // replaced by another file of that name
    const QByteArray content = QByteArray::fromStdString(*bytes);
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
