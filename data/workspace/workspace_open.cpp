// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/file.h"
#include "data/workspace/connection.h"
#include "data/workspace/qt_text.h"
#include "data/workspace/workspace_state.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>

namespace alidade::data {

namespace {

using Kind = WorkspaceFault::Kind;
using Access = WorkspaceOptions::Access;

constexpr std::int64_t smallestDatabase = 512; // bytes

const std::vector<WorkspaceMigration>& migrationsOf(const WorkspaceOptions& options) {
    return options.migrations != nullptr ? *options.migrations : workspaceMigrations();
}

/// One migration after the other, each with its version in one transaction.
void migrate(SQLite::Database& database, const std::string& file,
             const std::vector<WorkspaceMigration>& migrations, int from) {
    database.exec("PRAGMA foreign_keys=OFF"); // tables are made anew under the references to them
    for (std::size_t version = static_cast<std::size_t>(from); version < migrations.size(); ++version) {
        SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
        database.exec(migrations[version].sql);
        TableStore(database, file).signAgain();
        SQLite::Statement orphans(database, "PRAGMA foreign_key_check");
        if (orphans.executeStep())
            throwFault(Kind::damaged, file + ": format " + std::to_string(version + 1) +
                                          " would have references to nothing; recover the workspace");
        orphans.reset();
        database.exec("PRAGMA user_version=" + std::to_string(version + 1));
        transaction.commit();
    }
    database.exec("PRAGMA foreign_keys=ON");
}

} // namespace

std::vector<std::string> backupsOf(const std::string& file) {
    const QFileInfo info(qt(resolvedPath(file)));
    const QFileInfoList found =
        info.dir().entryInfoList({info.fileName() + QStringLiteral(".backup-*")}, QDir::Files,
                                 QDir::Time); // newest first
    std::vector<std::string> out;
    for (const QFileInfo& each : found)
        if (!each.fileName().endsWith(QStringLiteral("-journal")))
            out.push_back(each.absoluteFilePath().toStdString());
    return out;
}

void createWorkspace(const std::string& file, const WorkspaceOptions& options,
                     const std::function<void(TableStore&, SQLite::Database&)>& fill) {
    const std::string temporary = temporaryName(file);
    const auto fail = [&](Kind kind, const std::string& reason) {
        QFile::remove(qt(temporary));
        QFile::remove(qt(temporary + "-journal"));
        throwFault(kind, file + ": cannot be made, " + reason + "; choose another place or make room");
    };
    try {
        const auto database = connect(temporary, Opened::created, options.vfs);
        SQLite::Transaction transaction(*database, SQLite::TransactionBehavior::IMMEDIATE);
        const auto& migrations = migrationsOf(options);
        for (const WorkspaceMigration& migration : migrations)
            database->exec(migration.sql);
        TableStore store(*database, file);
        store.signAgain();
        if (fill)
            fill(store, *database);
        database->exec("PRAGMA application_id=" + std::to_string(workspaceApplicationId));
        database->exec("PRAGMA user_version=" + std::to_string(migrations.size()));
        transaction.commit();
    } catch (const SQLite::Exception& error) {
        const Kind kind = faultOf(error, file, nullptr).kind;
        const bool writable = QFileInfo(QFileInfo(qt(file)).absolutePath()).isWritable();
        fail(writable ? kind : Kind::readOnly, writable ? error.what() : "its folder may not be written");
    } catch (const FaultFound& found) {
        fail(found.fault.kind, found.fault.message);
    }
    if (const std::string reason = publish(temporary, file); !reason.empty())
        fail(Kind::io, reason);
}

namespace {

/// Opens one file, step by step; what is wrong is thrown.
class Opener {
public:
    Opener(Workspace::Opening& out, const WorkspaceOptions& options, std::string& file, std::string& place,
           std::unique_ptr<FileLock>& lock, std::unique_ptr<QTemporaryDir>& copy, bool& readOnly)
        : out_(out)
        , options_(options)
        , file_(file)
        , place_(place)
        , lock_(lock)
        , copy_(copy)
        , readOnly_(readOnly) {}

    std::unique_ptr<SQLite::Database> open() {
        locate();
        auto database = connectFirst();
        const int version = check(*database);
        const int present = static_cast<int>(migrationsOf(options_).size());
        if (version < present)
            database = bringUp(std::move(database), version);
        else if (!readOnly_)
            database->exec("PRAGMA journal_mode=DELETE"); // another program may have set another one
        return database;
    }

private:
    void locate() {
        const QFileInfo info(qt(file_));
        if (!info.exists() && options_.access != Access::create)
            throwFault(Kind::missing, file_ + ": there is no such file; name a workspace");
        if (info.exists() && !info.isFile())
            throwFault(Kind::notWorkspace, file_ + ": " + whyNoFile(file_));
        if (!info.exists() && !QFileInfo(info.absolutePath()).isDir())
            throwFault(Kind::missing,
                       file_ + ": its folder is not there; make the folder or choose another place");
        if (info.exists() && !info.isReadable())
            throwFault(Kind::readOnly, file_ + ": may not be read; change its permissions");
        takeLock();
        if (!info.exists()) {
            createWorkspace(file_, options_);
            if (lock_ != nullptr)
                lock_->coverLinks(file_);
        }
    }

    void takeLock() {
        if (options_.access == Access::read) {
            readOnly_ = true;
            return;
        }
        FileLock::Attempt attempt = FileLock::tryLock(file_);
        lock_ = std::move(attempt.lock);
        if (attempt.outcome == FileLock::Outcome::inUse)
            onlyRead("is open in another window (" + attempt.holder + ")");
        else if (attempt.outcome == FileLock::Outcome::noPlace && QFileInfo::exists(qt(file_)))
            onlyRead("lies in a folder that may not be written");
    }

    void onlyRead(const std::string& why) {
        readOnly_ = true;
        if (out_.notice.empty())
            out_.notice = file_ + ": " + why + "; opened read-only";
    }

    std::unique_ptr<SQLite::Database> connectFirst() {
        place_ = file_;
        try {
            auto database = connect(place_, readOnly_ ? Opened::readOnly : Opened::writable, options_.vfs);
            if (!readOnly_ && sqlite3_db_readonly(database->getHandle(), "main") == 1) {
                onlyRead("may not be written");
                lock_.reset();
            }
            readFirst(*database);
            return database;
        } catch (const SQLite::Exception& error) {
            // A crash has left a journal that must be played back, and that may not be done here: then in a
            // copy.
            const bool unfinished = readOnly_ && error.getExtendedErrorCode() == SQLITE_READONLY_ROLLBACK;
            if (!unfinished)
                throw;
        }
        return privateCopy();
    }

    /// The first access to a page, which plays a journal back that a crash has left.
    void readFirst(SQLite::Database& database) {
        try {
            pragma(database, "application_id");
        } catch (const SQLite::Exception& error) {
            if ((error.getErrorCode() & 0xff) != SQLITE_NOTADB)
                throw;
            if (headOf(database).applicationId != workspaceApplicationId)
                throw;
            throwFault(Kind::damaged, file_ + ": is damaged in its first bytes; recover it or open a backup");
        }
    }

    std::unique_ptr<SQLite::Database> privateCopy() {
        copy_ = std::make_unique<QTemporaryDir>();
        const QString copy = copy_->filePath(QStringLiteral("workspace"));
        const QString journal = QStringLiteral("-journal");
        if (!copy_->isValid() || !QFile::copy(qt(file_), copy) ||
            (QFile::exists(qt(file_) + journal) && !QFile::copy(qt(file_) + journal, copy + journal)))
            throwFault(Kind::full,
                       file_ + ": must be copied to be read, and the folder for temporary files has no "
                               "room; make some");
        for (const QString& each : {copy, QString(copy + journal)})
            QFile::setPermissions(each, QFileDevice::ReadOwner | QFileDevice::WriteOwner);
        place_ = copy.toStdString();
        auto database = connect(place_, Opened::writable, {});
        readFirst(*database);
        return database;
    }

    /// In one transaction, which keeps writers away: the size of the file and the number of its pages are of
    /// one state. \returns the version of the format
    int check(SQLite::Database& database) {
        SQLite::Transaction oneState(database);
        pragma(database, "page_count"); // only now does the transaction hold its lock
        const FileHead head = headOf(database);
        if (head.size < smallestDatabase)
            throwFault(qt(file_).endsWith(QStringLiteral(".alidade")) ? Kind::damaged : Kind::notWorkspace,
                       file_ + ": has " + std::to_string(head.size) +
                           " bytes, which is too short for a workspace; open a backup of it");
        const Shapes shapes = shapesOf(database);
        if (!head.magic || head.applicationId != workspaceApplicationId) {
            const bool ours = shapes.contains("seals") && shapes.contains("histories");
            throwFault(
                ours ? Kind::damaged : Kind::notWorkspace,
                file_ + ": has the application id " + std::to_string(head.applicationId) +
                    ", a workspace has " + std::to_string(workspaceApplicationId) +
                    (ours ? "; recover it or open a backup" : "; choose a file that Alidade has made"));
        }
        const auto version = pragma(database, "user_version");
        const int present = static_cast<int>(migrationsOf(options_).size());
        if (version < 1)
            throwFault(Kind::damaged, file_ + ": has format " + std::to_string(version) +
                                          ", the first one is 1; "
                                          "recover it or open a backup");
        if (version > present) {
            out_.notice.clear(); // that it is also in use says less
            onlyRead("was written by a newer Alidade (format " + std::to_string(version) +
                     ", this one knows " + std::to_string(present) + "); update Alidade to change it");
            lock_.reset();
        }
        checkPages(database, head.size);
        if (version <= present &&
            schemaText(database) != schemaOfVersion(migrationsOf(options_), static_cast<int>(version)).text)
            throwFault(Kind::damaged, file_ + ": its tables are not those of format " +
                                          std::to_string(version) + "; recover it or open a backup");
        if (version <= present)
            TableStore(database, file_).verifyOrder();
        return static_cast<int>(std::min<std::int64_t>(version, present));
    }

    void checkPages(SQLite::Database& database, std::int64_t size) {
        const std::int64_t page = pragma(database, "page_size");
        const std::int64_t wanted = page * pragma(database, "page_count");
        if (size < wanted || size % page != 0) // SQLite takes what is missing for zeros
            throwFault(Kind::damaged, file_ + ": has " + std::to_string(size) + " bytes instead of " +
                                          std::to_string(wanted) + "; recover it or open a backup");
        SQLite::Statement pages(database, "PRAGMA quick_check(1)");
        if (pages.executeStep() && pages.getColumn(0).getString() != "ok")
            throwFault(Kind::damaged, file_ + ": is damaged (" + pages.getColumn(0).getString() +
                                          "); recover it or open a backup");
        SQLite::Statement references(database, "PRAGMA foreign_key_check");
        if (references.executeStep())
            throwFault(Kind::damaged, file_ + ": a row of " + references.getColumn(0).getString() +
                                          " refers to nothing; recover it or open a backup");
    }

    std::unique_ptr<SQLite::Database> bringUp(std::unique_ptr<SQLite::Database> database, int version) {
        const auto& migrations = migrationsOf(options_);
        if (readOnly_ && copy_ == nullptr) {
            database.reset();
            database = privateCopy();
        } else if (!readOnly_) {
            keepBackup(*database, version);
            out_.notice = file_ + ": was brought from format " + std::to_string(version) + " to " +
                          std::to_string(migrations.size()) + "; the original was kept next to it";
        }
        TableStore(*database, file_).verifyEverything();
        migrate(*database, file_, migrations, version);
        return database;
    }

    void keepBackup(SQLite::Database& database, int version) {
        copyDatabase(database, datedName(file_, "backup-v" + std::to_string(version)));
        const std::vector<std::string> backups = backupsOf(file_);
        for (std::size_t i = static_cast<std::size_t>(std::max(1, options_.backupsKept)); i < backups.size();
             ++i) {
            QFile::remove(qt(backups[i]));
        }
    }

    Workspace::Opening& out_;
    const WorkspaceOptions& options_;
    std::string& file_;
    std::string& place_;
    std::unique_ptr<FileLock>& lock_;
    std::unique_ptr<QTemporaryDir>& copy_;
    bool& readOnly_;
};

} // namespace

Workspace::Opening Workspace::open(const std::string& file, const WorkspaceOptions& options) {
    Opening out;
    auto state = std::make_unique<State>();
    state->file = resolvedPath(file);
    state->options = options;
    try {
        Opener opener(out, options, state->file, state->place, state->lock, state->copy, state->readOnly);
        state->database = opener.open();
        state->store = std::make_unique<TableStore>(*state->database, state->file);
        SQLite::Transaction oneState(*state->database);
        state->seals = state->store->readSeals();
        out.content = state->readContent(state->seals);
    } catch (const FaultFound& found) {
        out.fault = found.fault;
    } catch (const SQLite::Exception& error) {
        out.fault = faultOf(error, state->file, state->database.get());
    }
    if (out.fault) {
        out.content = {};
        out.notice.clear();
    } else {
        out.workspace.reset(new Workspace(std::move(state)));
    }
    return out;
}

} // namespace alidade::data
