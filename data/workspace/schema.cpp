// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/schema.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

namespace alidade::data {

namespace {

// Everything has its key first, then its checksum, so that sums over a set need not read large cells behind
// them. No secondary index, which quick_check would not hold against its table: versions are found by the
// front of their key. Foreign keys are deferred, because the changes of an edit come in any order.
constexpr const char* versionOne = R"sql(
CREATE TABLE seals(
  name TEXT PRIMARY KEY,
  checksum INTEGER NOT NULL,
  rows INTEGER NOT NULL CHECK (rows >= 0),
  sum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE folders(
  id INTEGER PRIMARY KEY CHECK (id > 0),
  checksum INTEGER NOT NULL,
  parent INTEGER REFERENCES folders(id) DEFERRABLE INITIALLY DEFERRED,
  position INTEGER NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  created INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  deleted INTEGER NOT NULL
) STRICT;
CREATE TABLE scenarios(
  id INTEGER PRIMARY KEY CHECK (id > 0),
  checksum INTEGER NOT NULL,
  folder INTEGER REFERENCES folders(id) DEFERRABLE INITIALLY DEFERRED,
  position INTEGER NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  tags TEXT NOT NULL,
  model TEXT NOT NULL,
  machine TEXT NOT NULL,
  json TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0),
  created INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  deleted INTEGER NOT NULL
) STRICT;
CREATE TABLE histories(
  scenario INTEGER PRIMARY KEY REFERENCES scenarios(id) DEFERRABLE INITIALLY DEFERRED,
  checksum INTEGER NOT NULL,
  rows INTEGER NOT NULL CHECK (rows >= 0),
  named INTEGER NOT NULL CHECK (named BETWEEN 0 AND rows),
  sum INTEGER NOT NULL
) STRICT;
CREATE TABLE versions(
  scenario INTEGER NOT NULL REFERENCES scenarios(id) DEFERRABLE INITIALLY DEFERRED,
  number INTEGER NOT NULL CHECK (number > 0),
  checksum INTEGER NOT NULL,
  time INTEGER NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (scenario, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE documents(
  id INTEGER PRIMARY KEY CHECK (id > 0),
  checksum INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('catalog_change', 'profile', 'topology', 'measurement', 'snapshot')),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  json TEXT NOT NULL,
  body_bytes INTEGER NOT NULL CHECK (body_bytes >= 0),
  created INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  deleted INTEGER NOT NULL
) STRICT;
CREATE TABLE bodies(
  document INTEGER PRIMARY KEY REFERENCES documents(id) DEFERRABLE INITIALLY DEFERRED,
  checksum INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE TABLE settings(
  key TEXT PRIMARY KEY CHECK (key <> ''),
  checksum INTEGER NOT NULL,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

} // namespace

const std::vector<WorkspaceMigration>& workspaceMigrations() {
    static const std::vector<WorkspaceMigration> migrations{{versionOne}};
    return migrations;
}

Shapes shapesOf(SQLite::Database& database) {
    Shapes out;
    SQLite::Statement tables(database, "SELECT name, sql FROM sqlite_schema WHERE type = 'table'");
    SQLite::Statement columns(database, "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid");
    while (tables.executeStep()) {
        TableShape shape;
        shape.name = tables.getColumn(0).getString();
        shape.rowid = tables.getColumn(1).getString().find("WITHOUT ROWID") == std::string::npos;
        columns.reset();
        columns.bind(1, shape.name);
        while (columns.executeStep()) {
            if (columns.getColumn(1).getInt() > 0)
                shape.keys.push_back(shape.columns.size());
            shape.columns.push_back(columns.getColumn(0).getString());
        }
        shape.checksum = shape.column("checksum");
        out.emplace(shape.name, std::move(shape));
    }
    return out;
}

std::string schemaText(SQLite::Database& database) {
    std::string out;
    SQLite::Statement objects(
        database, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY name, type");
    while (objects.executeStep()) {
        for (int i = 0; i < 4; ++i) {
            out += objects.getColumn(i).getString();
            out += i < 3 ? ' ' : '\n';
        }
    }
    return out;
}

WorkspaceSchema schemaOfVersion(const std::vector<WorkspaceMigration>& migrations, int version) {
    SQLite::Database memory(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    for (int i = 0; i < version; ++i)
        memory.exec(migrations[static_cast<std::size_t>(i)].sql);
    return {schemaText(memory), shapesOf(memory)};
}

} // namespace alidade::data
