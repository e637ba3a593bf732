// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <QByteArray>
#include <QFileSystemWatcher>
#include <QObject>
#include <QString>

#include <functional>

class QMessageBox;

namespace alidade::views {
class Document;
}

namespace alidade::app {

struct Settings;

/// The document's file: new, open, save, the question before changes are lost, recent files, and a watch on
/// the file while it is open. Nothing here waits: dialogs are window-modal and answer by signals. A file that
/// cannot be read changes nothing.
class FileSession : public QObject {
    Q_OBJECT

public:
    /// `document` and `settings` must outlive this. Dialogs belong to `window`.
    FileSession(views::Document& document, Settings& settings, QWidget& window);

    /// Where the open document came from; none: nothing was opened yet.
    enum class Origin { none, blank, file, sample, planned, shown };
    Origin origin() const { return origin_; }
    QString sample() const { return sample_; } ///< id of the sample last opened

    // Each asks first if the present document has unsaved changes.
    void startNew();
    void askOpen();
    void openFile(const QString& fileName);
    void openSample(const QString& id);
    void openSpec(const ScenarioSpec& spec, Origin origin); ///< becomes an untitled document

    /// \param then run after a successful save
    void save(std::function<void()> then = {});
    void askSaveAs(std::function<void()> then = {});
    void saveTo(const QString& fileName, const std::function<void()>& then = {});
    void reload(); ///< what is on disk now, without a question

    /// Runs `then` at once if nothing is unsaved, else after Save or Discard; not after Cancel.
    void settle(std::function<void()> then);
    /// The question now open; null: none. For tests.
    QMessageBox* question() const { return question_; }

signals:
    void opened();
    void workspaceChosen(const QString& fileName); ///< the file is a workspace
    void saved(const QString& fileName);
    void recentChanged();
    /// \param what "cannot be opened", ...; \param reason "FILE:/place: what is wrong; what would be right"
    void refused(const QString& what, const QString& reason);
    /// The file was a Hugging Face config.json.
    void modelImported(const alidade::Architecture& model);
    void changedOnDisk(const QString& fileName);
    void removedOnDisk(const QString& fileName);

private:
    void read(const QString& fileName);
    void take(const ScenarioSpec& spec, Origin origin, const QString& fileName = {},
              const QByteArray& content = {});
    void watch(const QString& fileName, const QByteArray& content);
    void checkDisk(const QString& fileName);
    void remember(const QString& fileName);

    views::Document& document_;
    Settings& settings_;
    QWidget& window_;
    QFileSystemWatcher watcher_;
    QByteArray content_; ///< of the file as last read or written
    QMessageBox* question_ = nullptr;
    Origin origin_ = Origin::none;
    QString sample_;
};

} // namespace alidade::app
