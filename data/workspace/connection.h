// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/workspace.h"

#include <memory>
#include <string>

namespace SQLite {
class Database;
class Exception;
} // namespace SQLite

namespace alidade::data {

/// Carries a fault to the function that answers for it; never leaves data/workspace.
struct FaultFound {
    WorkspaceFault fault;
};
[[noreturn]] void throwFault(WorkspaceFault::Kind kind, std::string message);

enum class Opened : std::uint8_t { readOnly, writable, created };

/// A connection with our settings: no trust in what a file says beyond tables and rows, every commit synced.
/// Throws SQLite::Exception.
std::unique_ptr<SQLite::Database> connect(const std::string& file, Opened how, const std::string& vfs);

/// What went wrong in SQLite, in words. \param database may be null
WorkspaceFault faultOf(const SQLite::Exception& error, const std::string& file,
                       const SQLite::Database* database);

/// What the file itself begins with, read through the connection: a second descriptor of an open database
/// would end its locks when it is closed.
struct FileHead {
    std::int64_t size = 0;
    bool magic = false; ///< "SQLite format 3"
    std::int32_t applicationId = 0;
};
FileHead headOf(SQLite::Database& database);

/// The file that is open does not bear its name any more.
bool hasMoved(SQLite::Database& database);

std::int64_t pragma(SQLite::Database& database, const std::string& name);

} // namespace alidade::data
