// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/file_place.h"
#include "data/workspace/table_store.h"
#include "data/workspace/workspace.h"

#include <QTemporaryDir>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace alidade::data {

struct Workspace::State {
    std::string file;
    std::string place; ///< what is open: `file`, or a private copy of it in `copy`
    WorkspaceOptions options;
    bool readOnly = false;
    std::unique_ptr<QTemporaryDir> copy;
    std::unique_ptr<FileLock> lock;
    std::unique_ptr<SQLite::Database> database; ///< null after a failure, until the next try
    std::unique_ptr<TableStore> store;
    Seals seals;                   ///< as of the newest edit that is known to be on the disk
    std::optional<Seals> doubtful; ///< as of an edit of which it is unknown whether it is

    /// Connects again after a failure; the content must be what it was.
    void reconnect();
    /// Runs something that throws FaultFound or SQLite::Exception; after a failure of the disk the next call
    /// connects again.
    std::optional<WorkspaceFault> attempt(const std::function<void()>& work);
    WorkspaceContent readContent(const Seals& sums);
};

/// A whole new workspace under a name that no file has: written alongside it, synced, then renamed.
/// \param fill what to put in
void createWorkspace(const std::string& file, const WorkspaceOptions& options,
                     const std::function<void(TableStore&, SQLite::Database&)>& fill = {});

/// Copies an open database into a file that is not there yet.
void copyDatabase(SQLite::Database& from, const std::string& file);

/// Makes the changes of an edit and writes the seals that it touches. \returns those of all tables
Seals makeEdit(TableStore& store, SQLite::Database& database, const WorkspaceEdit& edit, Seals seals,
               int versionsKept);

} // namespace alidade::data
