// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/library.h"
#include "model/scenario/spec.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

class QUndoStack;

namespace alidade::data {
class WorkspaceWriter;
}

namespace alidade::views {

using WorkspaceIds = std::vector<data::WorkspaceId>;

/// Milliseconds since 1970 in UTC.
data::UtcMs utcNow();

/// What a person does with the scenarios, folders and imported documents of the open workspace. Each change
/// is one step of its own undo stack, is in content() at once and goes to the disk by itself. Lives on
/// the GUI thread. While the workspace is read-only or none is open, changes do nothing.
class Library : public QObject {
    Q_OBJECT

public:
    /// `writer` must outlive this.
    explicit Library(data::WorkspaceWriter& writer, QObject* parent = nullptr);
    ~Library() override;

    const data::WorkspaceContent& content() const;
    data::WorkspaceWriter& writer() const { return writer_; }
    bool isOpen() const;
    bool isWritable() const;
    QUndoStack* undoStack() const { return undo_; }

    // What is there; null if it is not, or is deleted.
    const data::StoredScenario* scenario(data::WorkspaceId id) const;
    const data::Folder* folder(data::WorkspaceId id) const;
    const data::StoredDocument* document(data::WorkspaceId id) const;

    struct NewScenario {
        ScenarioSpec spec;
        QString name; ///< where the spec has none
        QString text; ///< first entry of its history: "Imported from plan.json"
    };
    struct NewDocument {
        data::DocumentKind kind = data::DocumentKind::topology;
        QString name;
        std::string json, body;
    };
    /// \param undoText "import plan.json": follows the words Undo and Redo
    /// \returns the ids in the order given; empty: refused
    WorkspaceIds add(std::vector<NewScenario> scenarios, data::WorkspaceId folder, const QString& undoText);
    WorkspaceIds add(std::vector<NewDocument> documents, const QString& undoText);
    /// Both in one step.
    /// \returns first the ids of the scenarios, then those of the documents
    WorkspaceIds add(std::vector<NewScenario> scenarios, data::WorkspaceId folder,
                     std::vector<NewDocument> documents, const QString& undoText);
    WorkspaceIds duplicate(const WorkspaceIds& scenarios);

    /// Names of the scenarios that name an imported topology.
    QStringList topologyUsers(const std::string& topology) const;

    /// Tells the last change from all others; 0: none was made.
    std::uint64_t lastChange() const { return lastChange_; }
    /// Takes that very change back, whatever was done after it: a step of the undo stack of its own, unless
    /// the change is the last one of that. Once; false: it cannot be taken back any more.
    bool takeBack(std::uint64_t change);

    /// What was deleted and can be restored, newest first: scenarios, documents and folders. What lies in a
    /// folder that was deleted with it is not listed by itself.
    WorkspaceIds trash() const;
    /// \returns an empty text for what is not in the trash
    QString trashName(data::WorkspaceId id) const;
    void restore(const WorkspaceIds& ids);
    /// Takes all that is deleted away for good. This cannot be undone, and with it no deletion before.
    void emptyTrash();
    /// Scenarios, documents, and folders with all that is in them.
    void remove(const WorkspaceIds& ids);
    void move(const WorkspaceIds& scenarios, data::WorkspaceId folder);
    void setTags(const WorkspaceIds& scenarios, const QStringList& tags);
    // Each returns an empty text, or why nothing was changed.
    QString rename(data::WorkspaceId scenario, const QString& name);
    QString renameFolder(data::WorkspaceId folder, const QString& name);
    QString moveFolder(data::WorkspaceId folder, data::WorkspaceId parent);
    /// \returns its id; a name that is taken gets a number
    data::WorkspaceId addFolder(data::WorkspaceId parent, const QString& name);

signals:
    void opened();  ///< another workspace
    void changed(); ///< content()
    /// A change could not be made; nothing has changed.
    void refused(const QString& reason);

private:
    /// Edits that build upon each other, made as one.
    struct Draft {
        data::WorkspaceContent content;
        data::WorkspaceEdit edit;
        void make(data::WorkspaceEdit next);
    };
    using Maker = std::function<void(Draft&)>;
    class Step;
    struct Change {
        QString text;
        Maker redo, undo;
        bool takenBack = false;
    };

    void perform(const QString& undoText, Maker redo, Maker undo);
    bool commit(const Maker& maker);
    WorkspaceIds performAdding(const QString& undoText, const std::function<WorkspaceIds(Draft&)>& maker);
    QString named(const WorkspaceIds& ids) const;

    data::WorkspaceWriter& writer_;
    QUndoStack* undo_;
    std::map<std::uint64_t, Change> changes_; ///< that can be taken back
    std::uint64_t lastChange_ = 0;
};

/// "a, b; b" as tags: trimmed, sorted, each once.
QStringList tagsFrom(const QString& typed);
QStringList tagsOf(const data::StoredScenario& scenario);

} // namespace alidade::views
