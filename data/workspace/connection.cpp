// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/connection.h"

#include <QtEndian>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <sqlite3.h>

namespace alidade::data {

namespace {

constexpr int waitForOthersMs = 5000;
constexpr int largestCell = 64 << 20; // bytes

int flagsOf(Opened how) {
    switch (how) {
    case Opened::readOnly:
        return SQLite::OPEN_READONLY;
    case Opened::writable:
        return SQLite::OPEN_READWRITE;
    case Opened::created:
        break;
    }
    return SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
}

sqlite3_file* fileOf(SQLite::Database& database) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file;
}

/// What the system said last of the database or its journal; SQLite's own note of it does not cover a commit.
int lastErrnoOf(sqlite3* database) {
    int out = 0;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &out);
    sqlite3_file* journal = nullptr;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
    if (out == 0 && journal != nullptr && journal->pMethods != nullptr)
        journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &out);
    return out != 0 ? out : sqlite3_system_errno(database);
}

bool diskIsFull(int errnoOfSystem) {
    return errnoOfSystem == ENOSPC || errnoOfSystem == EDQUOT || errnoOfSystem == EFBIG;
}

} // namespace

void throwFault(WorkspaceFault::Kind kind, std::string message) {
    throw FaultFound{{kind, std::move(message)}};
}

std::unique_ptr<SQLite::Database> connect(const std::string& file, Opened how, const std::string& vfs) {
    auto database = std::make_unique<SQLite::Database>(file, flagsOf(how), waitForOthersMs, vfs);
    sqlite3* handle = database->getHandle();
    sqlite3_extended_result_codes(handle, 1);
    constexpr std::array<std::pair<int, int>, 7> settings{{{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                                           {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                                           {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
                                                           {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                                           {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                                           {SQLITE_DBCONFIG_DQS_DDL, 0},
                                                           {SQLITE_DBCONFIG_DQS_DML, 0}}};
    for (const auto& [option, value] : settings)
        sqlite3_db_config(handle, option, value, nullptr);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, largestCell);
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
    // EXTRA is FULL that also syncs the folder once the journal is gone: without it a loss of power can bring
    // the journal of an acknowledged edit back, and with that undo it. secure_delete leaves no old rows in
    // free pages, which recover() would otherwise find.
    for (const char* each : {"mmap_size=0", "foreign_keys=ON", "trusted_schema=OFF", "cell_size_check=ON",
                             "temp_store=MEMORY", "secure_delete=ON", "synchronous=EXTRA"}) {
        database->exec(std::string("PRAGMA ") + each);
    }
    return database;
}

WorkspaceFault faultOf(const SQLite::Exception& error, const std::string& file,
                       const SQLite::Database* database) {
    using Kind = WorkspaceFault::Kind;
    const int code = error.getExtendedErrorCode() > 0 ? error.getExtendedErrorCode() : error.getErrorCode();
    const int systemError = database == nullptr ? 0 : lastErrnoOf(database->getHandle());
    const auto say = [&](Kind kind, const std::string& text) {
        return WorkspaceFault{kind, file + ": " + text};
    };
    const std::string reason =
        systemError != 0 ? std::string(std::strerror(systemError)) : std::string(sqlite3_errstr(code));

    switch (code & 0xff) {
    case SQLITE_FULL:
        return say(Kind::full, "the disk is full; make room and try again");
    case SQLITE_IOERR:
        if (diskIsFull(systemError))
            return say(Kind::full,
                       "there is no more room for this file (" + reason + "); make room and try again");
        return say(Kind::io,
                   "the disk failed (" + reason + "); see that it is there and try again, or save a copy");
    case SQLITE_READONLY:
        if (code == SQLITE_READONLY_DBMOVED)
            return say(Kind::replaced,
                       "was moved, deleted or replaced while it was open; put it back and try again, "
                       "or save a copy");
        return say(Kind::readOnly,
                   "may not be written; change its permissions and try again, or save a copy");
    case SQLITE_CANTOPEN:
        return say(Kind::io, "it or its journal could not be opened (" + reason +
                                 "); see that its folder is there and may be written, or save a copy");
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return say(Kind::readOnly, "may not be opened; change its permissions");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return say(Kind::busy, "another program is using it; try again when it has finished");
    case SQLITE_NOTADB:
        return say(Kind::notWorkspace, "is not a workspace; choose a file that Alidade has made");
    case SQLITE_CORRUPT:
        return say(Kind::damaged,
                   "is damaged (" + std::string(error.what()) + "); recover it or open a backup");
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
        return say(Kind::refused, "the edit contradicts what is stored (" + std::string(error.what()) +
                                      "); open the workspace again");
    case SQLITE_TOOBIG:
        return say(Kind::refused, "an entry is larger than 64 MB; leave it outside");
    default:
        return say(Kind::io, std::string("SQLite says: ") + error.what() + "; try again, or save a copy");
    }
}

FileHead headOf(SQLite::Database& database) {
    FileHead out;
    sqlite3_file* file = fileOf(database);
    sqlite3_int64 size = 0;
    if (file == nullptr || file->pMethods == nullptr || file->pMethods->xFileSize(file, &size) != SQLITE_OK)
        return out;
    out.size = size;
    std::array<char, 100> bytes{};
    if (size < static_cast<sqlite3_int64>(bytes.size()) ||
        file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), 0) != SQLITE_OK)
        return out;
    constexpr std::string_view magic("SQLite format 3\0", 16);
    out.magic = std::string_view(bytes.data(), magic.size()) == magic;
    out.applicationId = qFromBigEndian<qint32>(bytes.data() + 68);
    return out;
}

bool hasMoved(SQLite::Database& database) {
    int moved = 0;
    sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved != 0;
}

std::int64_t pragma(SQLite::Database& database, const std::string& name) {
    SQLite::Statement statement(database, "PRAGMA " + name);
    return statement.executeStep() ? statement.getColumn(0).getInt64() : 0;
}

} // namespace alidade::data
