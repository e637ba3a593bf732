// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/record.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace SQLite {
class Database;
}

namespace alidade::data {

/// "Alid": tells a workspace from any other SQLite file.
inline constexpr std::int32_t workspaceApplicationId = 0x416c6964;

/// SQL that takes a workspace from one version to the next; the first one makes version 1 out of nothing. It
/// keeps the rules of rows (a column `checksum`, filled in afterwards) and of seals (a row in `seals` for
/// each table but `versions`).
struct WorkspaceMigration {
    std::string sql;
};

/// Those of this program; as many as its version's number.
const std::vector<WorkspaceMigration>& workspaceMigrations();

/// Shape of each table in a file, by name.
using Shapes = std::map<std::string, TableShape>;
Shapes shapesOf(SQLite::Database& database);

/// The statements that made a file's tables, one a line, by name.
std::string schemaText(SQLite::Database& database);

/// The tables of a version, made in memory.
struct WorkspaceSchema {
    std::string text;
    Shapes shapes;
};
WorkspaceSchema schemaOfVersion(const std::vector<WorkspaceMigration>& migrations, int version);

} // namespace alidade::data
