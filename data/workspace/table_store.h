// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/record.h"
#include "data/workspace/schema.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace SQLite {
class Database;
class Statement;
} // namespace SQLite

namespace alidade::data {

using Seals = std::map<std::string, Seal>; ///< by table

/// The rows of one connection, each written with its checksum and read against it. Throws SQLite::Exception,
/// and FaultFound where something does not verify. Cells are as SQLite holds them, whatever the version of
/// the file.
class TableStore {
public:
    /// \param file for messages
    TableStore(SQLite::Database& database, std::string file);

    const TableShape& shape(const std::string& table) const;
    const Shapes& shapes() const { return shapes_; }

    /// What the tables must add up to; each row of seals is verified.
    Seals readSeals();

    /// Every row, verified one by one and as a set.
    std::vector<Row> readAll(const std::string& table, const Seal& seal);
    /// Verifies every row of every table, and all seals.
    void verifyEverything();
    /// Keys of the tables without a rowid, whose order SQLite's quick check leaves out: a page in the place
    /// of another one hides rows from a search.
    void verifyOrder();
    /// Rows whose first key column is `key`, verified one by one, in the order of the key.
    std::vector<Row> readWhere(const std::string& table, std::int64_t key);
    std::optional<Row> readOne(const std::string& table, const std::vector<Cell>& keys);
    /// Checksums of all rows as they are stored, without a look at the rest of them.
    Seal storedSum(const std::string& table);

    /// Fills in the checksum, and adds or replaces the row.
    /// \returns the checksum of the row that it replaced
    std::optional<std::int64_t> put(const std::string& table, Row& row);
    /// \returns the checksum of the row that went; nothing if there was none
    std::optional<std::int64_t> erase(const std::string& table, const std::vector<Cell>& keys);
    /// Erases by the front of the key.
    void eraseWhere(const std::string& table, std::int64_t key);
    void writeSeal(const std::string& table, const Seal& seal);

    /// Computes every checksum and seal again: after a migration, whose rows were verified before.
    void signAgain();

    Row rowOf(const std::string& table, const std::map<std::string, Cell>& cells) const;

private:
    Seal sumOf(const std::string& table);
    void verify(const TableShape& table, const Row& row) const;
    void forEach(const TableShape& table, const std::string& where, const std::optional<std::int64_t>& key,
                 const std::function<void(Row&&)>& take, bool verified);
    std::optional<std::int64_t> storedChecksum(const TableShape& table, const std::vector<Cell>& keys);
    [[noreturn]] void damaged(const std::string& what) const;

    SQLite::Database& database_;
    std::string file_;
    Shapes shapes_;
};

/// Tables with their own seal; versions are sealed by their histories.
const std::vector<std::string>& sealedTables();

std::string describe(const TableShape& table, const Row& row); ///< "row 17 of scenarios"

} // namespace alidade::data
