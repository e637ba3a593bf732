// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/entities.h"
#include "model/scenario/spec.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <optional>

namespace alidade::views {
class Document;
class History;
class Library;
} // namespace alidade::views

namespace alidade::app {

/// Keeps the open document in the workspace: each undo step, and each undo, becomes a committed edit with its
/// text. A drag is one edit. A document that is not of the workspace yet (a sample, an empty one) becomes a
/// scenario of it with its first edit.
class ScenarioKeeper : public QObject {
    Q_OBJECT

public:
    /// All must outlive this.
    ScenarioKeeper(views::Document& document, views::Library& library, views::History& history,
                   QObject* parent = nullptr);

    /// The scenario of the workspace that is open; 0: none.
    data::WorkspaceId scenario() const { return scenario_; }
    /// The open document is of the workspace, or will be with its first edit.
    bool keeps() const { return scenario_ != 0 || adopted_; }

    /// A scenario of the workspace takes the place of the document.
    /// \returns an empty text, or why it cannot be opened: the document stays
    QString open(data::WorkspaceId scenario);
    /// The document is a scenario of the workspace that has just been opened, with what differs as an edit:
    /// the workspace is a copy of the one before.
    void resume(data::WorkspaceId scenario);
    /// What was just opened from elsewhere is kept from its first edit on.
    /// \param origin first entry of its history then: "Copy of a sample"
    void adopt(const QString& origin);
    /// The same at once, in a folder: the document is a scenario of the workspace now.
    data::WorkspaceId keepNow(data::WorkspaceId folder, const QString& origin);
    /// The document is no longer the workspace's.
    void letGo();

    /// Commits what is under way.
    void flush();
    /// Gives the present state a name. \returns false: nothing is kept, so there is nothing to name
    bool nameVersion(const QString& name);
    void nameVersion(std::int64_t number, const QString& name);

signals:
    void opened();  ///< another scenario of the workspace is the document now
    void changed(); ///< scenario() or keeps()
    void refused(const QString& reason);

private:
    void stepped(int index);
    void commit();
    void startKeeping(data::WorkspaceId scenario);
    void followLibrary();

    struct Edit {
        ScenarioSpec spec; ///< after it
        QString text;
    };

    views::Document& document_;
    views::Library& library_;
    views::History& history_;
    data::WorkspaceId scenario_ = 0;
    bool adopted_ = false;
    bool opening_ = false;
    bool committing_ = false;
    data::WorkspaceId lost_ = 0; ///< the document was this scenario until that was deleted
    QString origin_;
    std::optional<ScenarioSpec> first_; ///< as adopted, before the first edit
    std::optional<Edit> pending_;       ///< a step that may still grow
    std::string kept_;                  ///< the scenario as last committed
    int index_ = 0;                     ///< of the undo stack, as last seen
    QString redoText_;                  ///< the same
    QTimer rest_;                       ///< since the last change of the step
};

} // namespace alidade::app
