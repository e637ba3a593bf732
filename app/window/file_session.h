// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/loaded_file.h"
#include "app/window/scenario_files.h"
#include "app/window/slow_work.h"
#include "data/file/open_input.h"
#include "model/base/result.h"
#include "model/scenario/spec.h"

#include <QByteArray>
#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

#include <cstdint>
#include <deque>
#include <functional>
#include <stop_token>
#include <vector>

class QMessageBox;

namespace alidade::views {
class Document;
}

namespace alidade::app {

struct Settings;

/// The document's file: new, open, save, the question before changes are lost, recent files, and a watch on
/// the file while it is open. Nothing here waits: dialogs are window-modal and answer by signals, and files
/// are read and written on other threads, saves in the order in which they were asked for. A file that cannot
/// be read changes nothing.
class FileSession : public QObject {
    Q_OBJECT

public:
    /// `document` and `settings` must outlive this. Dialogs belong to `window`.
    FileSession(views::Document& document, Settings& settings, QWidget& window);
    ~FileSession() override;

    /// Where the open document came from; none: nothing was opened yet.
    enum class Origin { none, blank, file, sample, planned, shown };
    Origin origin() const { return origin_; }
    QString sample() const { return sample_; } ///< id of the sample last opened

    // Each asks first if the present document has unsaved changes.
    void startNew();
    void askOpen();
    void openFile(const QString& fileName);
    /// \param otherwise takes what is neither a scenario nor a workspace
    void openFileOr(const QString& fileName, std::function<void(const LoadedFile&)> otherwise);
    void openSample(const QString& id);
    void openSpec(const ScenarioSpec& spec, Origin origin); ///< becomes an untitled document

    /// \param then run after a successful save
    void save(std::function<void()> then = {});
    void askSaveAs(std::function<void()> then = {});
    void saveTo(const QString& fileName, const std::function<void()>& then = {});
    void reload(); ///< what is on disk now, without a question

    /// Runs `then` at once if nothing is unsaved, else after Save or Discard; not after Cancel.
    /// Waits for a save that is on its way.
    void settle(std::function<void()> then);
    void remember(const QString& fileName);  ///< in the list of recent files
    SlowWork& reading() { return reading_; } ///< of the file that is to be opened
    /// How long an action waits for a save without a word; 3 s.
    void setPatience(int milliseconds) { saveIsSlow_.setInterval(milliseconds); }
    QMessageBox* waitQuestion() const { return waitQuestion_; } ///< null: none. For tests.
    bool isSaving() const { return !saves_.empty(); }
    bool isBusy() const { return reading_.isGoingOn() || isSaving(); }
    /// The question now open; null: none. For tests.
    QMessageBox* question() const { return question_; }

signals:
    void opened();
    void workspaceChosen(const QString& fileName); ///< the file is a workspace
    void fleetChosen(const QString& fileName);     ///< the file is a fleet
    void saved(const QString& fileName);
    void recentChanged();
    /// \param what "cannot be opened", ...; \param reason "FILE:/place: what is wrong; how to fix it"
    void refused(const QString& what, const QString& reason);
    /// The file was a Hugging Face config.json.
    void modelImported(const alidade::Architecture& model);
    void changedOnDisk(const QString& fileName);
    void removedOnDisk(const QString& fileName);

private:
    struct Save {
        QString fileName;
        QByteArray shown; ///< the document's scenario
        ScenarioFiles files;
        std::function<void()> then;
    };

    void read(const QString& fileName, bool asks, std::function<void(const LoadedFile&)> otherwise = {});
    void stopReading();
    void accept(const QString& fileName, const LoadedFile& file,
                const std::function<void(const LoadedFile&)>& otherwise);
    void startSave();
    void hasSaved(const QString& fault);
    void askAboutWaiting();
    void take(const ScenarioSpec& spec, Origin origin, const QString& fileName = {},
              const QByteArray& content = {});
    void watch(const QString& fileName, const QByteArray& content);
    void checkDisk(const QString& fileName);
    void compare(const QString& fileName, const Result<std::string>& onDisk);

    views::Document& document_;
    Settings& settings_;
    QWidget& window_;
    QFileSystemWatcher watcher_;
    data::OpenInput input_;
    QByteArray content_; ///< of the file as last read or written
    QMessageBox* question_ = nullptr;
    QMessageBox* waitQuestion_ = nullptr;
    SlowWork reading_;
    std::stop_source stopReading_;
    std::stop_source stopChecking_;
    std::uint64_t readings_ = 0;
    std::deque<Save> saves_; ///< the first one is being written
    std::uint64_t savesGivenUp_ = 0;
    std::vector<std::function<void()>> afterSaves_; ///< wait for all of them
    QTimer saveIsSlow_;
    Origin origin_ = Origin::none;
    QString sample_;
};

} // namespace alidade::app
