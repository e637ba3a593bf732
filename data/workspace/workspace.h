// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/edit.h"
#include "data/workspace/entities.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alidade::data {

/// Why a workspace could not be opened, read or written.
struct WorkspaceFault {
    enum class Kind : std::uint8_t {
        missing,      ///< no such file or folder
        notWorkspace, ///< some other file
        damaged,      ///< it can be recovered: see recover()
        readOnly,     ///< this file, its folder or this way of opening may not be written
        full,         ///< no room on the disk; may be tried again
        replaced,     ///< the file was moved, deleted, replaced or written by another program
        busy,         ///< another program holds the file; may be tried again
        io,           ///< the disk or the mount failed; may be tried again
        refused,      ///< what was asked for contradicts the content
    };
    Kind kind = Kind::io;
    std::string message; ///< "FILE: what is wrong; how to fix it"
};

/// A value, or the fault because of which there is none.
template <class T>
struct WorkspaceReply {
    std::optional<T> value;
    WorkspaceFault fault; ///< where there is no value
    explicit operator bool() const { return value.has_value(); }
};

struct WorkspaceMigration;

struct WorkspaceOptions {
    enum class Access : std::uint8_t {
        write,  ///< must be there; read-only where it is in use, newer, or may not be written
        create, ///< the same, but made where it is not there
        read,   ///< takes no lock and never writes
    };
    Access access = Access::create;
    int versionsKept = 1000; ///< of each scenario, besides named ones
    int backupsKept = 3;     ///< next to the file
    // for tests
    std::string vfs; ///< name of an SQLite file layer; empty: the system's
    const std::vector<WorkspaceMigration>* migrations = nullptr; ///< nullptr: those of this program
};

/// One open workspace file: values in and out, the SQL is inside. No threads: whoever owns it uses it from
/// one thread (see WorkspaceWriter) and may wait for the disk in each call.
///
/// The file is kept so that it survives a crash and a loss of power (rollback journal, synced, one
/// transaction for each edit), and so that a flipped bit is found: each row carries a checksum over its
/// content and key, each table and each history a count and sum of those, and the schema is held against the
/// one that belongs to its version.
class Workspace {
public:
    struct Opening {
        std::unique_ptr<Workspace> workspace; ///< null: see fault
        std::optional<WorkspaceFault> fault;
        WorkspaceContent content;
        std::string notice; ///< why it was opened read-only, or what was migrated; empty: nothing to say
    };

    /// Opens a file and checks it: magic, size, application id, version, schema, pages, checksums. An older
    /// one is copied to FILE.backup-vN-DATE and brought to the present version. Links are followed.
    static Opening open(const std::string& file, const WorkspaceOptions& options = {});
    ~Workspace();

    const std::string& file() const; ///< absolute, links resolved
    bool isReadOnly() const;

    /// Makes an edit in one transaction; when this returns without a fault, it is on the disk. On a fault the
    /// file is as before and the same edit may be tried again.
    [[nodiscard]] std::optional<WorkspaceFault> apply(const WorkspaceEdit& edit);

    /// Everything, read again and verified.
    WorkspaceReply<WorkspaceContent> content();
    /// The history of a scenario, oldest first, verified as a whole.
    WorkspaceReply<std::vector<ScenarioVersion>> versions(WorkspaceId scenario);
    /// The body of a document, verified; empty if it has none.
    WorkspaceReply<std::string> body(WorkspaceId document);
    /// Every page and every row, histories and bodies too. \returns the first fault
    std::optional<WorkspaceFault> verify();
    /// A whole copy in another file, which must not be there yet.
    [[nodiscard]] std::optional<WorkspaceFault> copyTo(const std::string& file);

private:
    struct State;
    explicit Workspace(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// What recover() found.
struct Recovery {
    std::string file;                 ///< the new workspace, under the name of the damaged one
    std::string damagedFile;          ///< where that one is now: FILE.corrupt-DATE
    std::vector<std::string> kept;    ///< "12 scenarios", "318 versions", ...
    std::vector<std::string> lost;    ///< one line for each thing that could not be read or did not verify
    std::vector<std::string> backups; ///< older copies next to the file, newest first
};

/// Reads what verifies of a damaged workspace into a new file of the same name and keeps the damaged one
/// under another. On a fault everything is as before.
WorkspaceReply<Recovery> recover(const std::string& file);

/// Backups next to a workspace, newest first.
std::vector<std::string> backupsOf(const std::string& file);

} // namespace alidade::data
