// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/table_store.h"

#include "data/workspace/connection.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <sqlite3.h>

namespace alidade::data {

namespace {

void bindCell(SQLite::Statement& statement, int index, const Cell& cell) {
    if (const auto* number = std::get_if<std::int64_t>(&cell))
        statement.bind(index, *number);
    else if (const auto* text = std::get_if<std::string>(&cell))
        statement.bindNoCopy(index, *text);
    else if (const auto* blob = std::get_if<Blob>(&cell))
        // An empty blob needs an address that is not null, else it is a NULL.
        statement.bindNoCopy(index, blob->bytes.c_str(), static_cast<int>(blob->bytes.size()));
    else
        statement.bind(index);
}

Cell cellOf(const SQLite::Column& column) {
    switch (column.getType()) {
    case SQLITE_INTEGER:
        return column.getInt64();
    case SQLITE_TEXT:
        return column.getString();
    case SQLITE_BLOB:
        return Blob{column.getString()};
    default:
        return std::monostate{}; // REAL: in no table of ours, so that its checksum fails
    }
}

std::string joinedNames(const std::vector<std::string>& names, const std::string& before = "",
                        const std::string& separator = ", ") {
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "" : separator) + before + name;
    return out;
}

std::string keyCondition(const TableShape& table) {
    std::string out;
    for (const std::size_t key : table.keys)
        out += (out.empty() ? "" : " AND ") + table.columns[key] + " = ?";
    return out;
}

std::string keyOrder(const TableShape& table) {
    std::vector<std::string> names;
    for (const std::size_t key : table.keys)
        names.push_back(table.columns[key]);
    return joinedNames(names);
}

std::vector<Cell> keysOf(const TableShape& table, const Row& row) {
    std::vector<Cell> out;
    for (const std::size_t key : table.keys)
        out.push_back(row[key]);
    return out;
}

std::int64_t checksumIn(const TableShape& table, const Row& row) {
    const auto* stored = std::get_if<std::int64_t>(&row[table.checksum]);
    return stored == nullptr ? 0 : *stored;
}

std::string upsert(const TableShape& table) {
    std::string marks;
    std::string sets;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        marks += i == 0 ? "?" : ", ?";
        if (std::find(table.keys.begin(), table.keys.end(), i) == table.keys.end())
            sets += (sets.empty() ? "" : ", ") + table.columns[i] + " = excluded." + table.columns[i];
    }
    return "INSERT INTO " + table.name + "(" + joinedNames(table.columns) + ") VALUES (" + marks +
           ") ON CONFLICT (" + keyOrder(table) + ") DO UPDATE SET " + sets;
}

} // namespace

const std::vector<std::string>& sealedTables() {
    static const std::vector<std::string> names{"folders",   "scenarios", "histories",
                                                "documents", "bodies",    "settings"};
    return names;
}

std::string describe(const TableShape& table, const Row& row) {
    std::string key;
    for (const Cell& cell : keysOf(table, row)) {
        key += key.empty() ? "" : "/";
        if (const auto* number = std::get_if<std::int64_t>(&cell))
            key += std::to_string(*number);
        else if (const auto* text = std::get_if<std::string>(&cell))
            key += *text;
    }
    return "row " + key + " of " + table.name;
}

TableStore::TableStore(SQLite::Database& database, std::string file)
    : database_(database)
    , file_(std::move(file))
    , shapes_(shapesOf(database)) {}

void TableStore::damaged(const std::string& what) const {
    throwFault(WorkspaceFault::Kind::damaged,
               file_ + ": " + what + "; recover the workspace or open a backup of it");
}

const TableShape& TableStore::shape(const std::string& table) const {
    const auto found = shapes_.find(table);
    if (found == shapes_.end())
        damaged("there is no table '" + table + "'");
    if (found->second.checksum == found->second.columns.size())
        damaged("the table '" + table + "' has no checksums");
    return found->second;
}

void TableStore::verify(const TableShape& table, const Row& row) const {
    if (row[table.checksum] != Cell(checksumOf(table, row)))
        damaged(describe(table, row) + " is not as it was written");
}

void TableStore::forEach(const TableShape& table, const std::string& where,
                         const std::optional<std::int64_t>& key, const std::function<void(Row&&)>& take,
                         bool verified) {
    SQLite::Statement statement(database_, "SELECT " + joinedNames(table.columns) + " FROM " + table.name +
                                               where + " ORDER BY " + keyOrder(table));
    if (key)
        statement.bind(1, *key);
    while (statement.executeStep()) {
        Row row;
        row.reserve(table.columns.size());
        for (int i = 0; i < static_cast<int>(table.columns.size()); ++i)
            row.push_back(cellOf(statement.getColumn(i)));
        if (verified)
            verify(table, row);
        take(std::move(row));
    }
}

Seals TableStore::readSeals() {
    Seals out;
    const TableShape& table = shape("seals");
    const std::size_t rows = table.column("rows");
    const std::size_t sum = table.column("sum");
    forEach(
        table, "", {},
        [&](Row&& row) {
            out[std::get<std::string>(row[0])] = {std::get<std::int64_t>(row[rows]),
                                                  std::get<std::int64_t>(row[sum])};
        },
        true);
    for (const std::string& name : sealedTables())
        if (!out.contains(name))
            damaged("the seal of the table '" + name + "' is missing");
    return out;
}

std::vector<Row> TableStore::readAll(const std::string& table, const Seal& seal) {
    std::vector<Row> out;
    Seal found;
    const TableShape& shape = this->shape(table);
    forEach(
        shape, "", {},
        [&](Row&& row) {
            found.add(checksumIn(shape, row));
            out.push_back(std::move(row));
        },
        true);
    if (found != seal)
        damaged("the table '" + table + "' has " + std::to_string(found.rows) +
                " rows that verify, but not the " + std::to_string(seal.rows) + " that were written");
    return out;
}

Seal TableStore::sumOf(const std::string& table) {
    Seal out;
    const TableShape& shape = this->shape(table);
    forEach(shape, "", {}, [&](Row&& row) { out.add(checksumIn(shape, row)); }, true);
    return out;
}

void TableStore::verifyEverything() {
    for (const auto& [table, seal] : readSeals())
        if (sumOf(table) != seal)
            damaged("the table '" + table + "' has lost or doubled rows");
    std::map<std::int64_t, Seal> found;
    const TableShape& versions = shape("versions");
    forEach(
        versions, "", {},
        [&](Row&& row) { found[std::get<std::int64_t>(row[0])].add(checksumIn(versions, row)); }, true);
    const TableShape& histories = shape("histories");
    forEach(
        histories, "", {},
        [&](Row&& row) {
            const Seal seal{std::get<std::int64_t>(row[histories.column("rows")]),
                            std::get<std::int64_t>(row[histories.column("sum")])};
            const auto scenario = std::get<std::int64_t>(row[0]);
            if (found[scenario] != seal)
                damaged("the history of scenario " + std::to_string(scenario) + " is not whole");
            found.erase(scenario);
        },
        true);
    if (!found.empty())
        damaged("there are versions without a history");
}

void TableStore::verifyOrder() {
    for (const auto& [name, table] : shapes_) {
        if (table.rowid)
            continue;
        SQLite::Statement statement(database_, "SELECT " + keyOrder(table) + " FROM " + name);
        std::vector<Cell> last;
        while (statement.executeStep()) {
            std::vector<Cell> keys;
            for (int i = 0; i < static_cast<int>(table.keys.size()); ++i)
                keys.push_back(cellOf(statement.getColumn(i)));
            if (keys <= last)
                damaged("the rows of the table '" + name + "' are not in the order of their keys");
            last = std::move(keys);
        }
    }
}

std::vector<Row> TableStore::readWhere(const std::string& table, std::int64_t key) {
    std::vector<Row> out;
    const TableShape& shape = this->shape(table);
    forEach(
        shape, " WHERE " + shape.columns[shape.keys.front()] + " = ?", key,
        [&](Row&& row) { out.push_back(std::move(row)); }, true);
    return out;
}

std::optional<Row> TableStore::readOne(const std::string& table, const std::vector<Cell>& keys) {
    const TableShape& shape = this->shape(table);
    SQLite::Statement statement(database_, "SELECT " + joinedNames(shape.columns) + " FROM " + shape.name +
                                               " WHERE " + keyCondition(shape));
    for (std::size_t i = 0; i < keys.size(); ++i)
        bindCell(statement, static_cast<int>(i) + 1, keys[i]);
    if (!statement.executeStep())
        return std::nullopt;
    Row row;
    for (int i = 0; i < static_cast<int>(shape.columns.size()); ++i)
        row.push_back(cellOf(statement.getColumn(i)));
    verify(shape, row);
    if (keysOf(shape, row) != keys) // a damaged tree can lead to the wrong place
        damaged("a search in the table '" + table + "' found " + describe(shape, row));
    return row;
}

Seal TableStore::storedSum(const std::string& table) {
    Seal out;
    SQLite::Statement statement(database_, "SELECT checksum FROM " + shape(table).name);
    while (statement.executeStep())
        out.add(statement.getColumn(0).getInt64());
    return out;
}

std::optional<std::int64_t> TableStore::storedChecksum(const TableShape& table,
                                                       const std::vector<Cell>& keys) {
    SQLite::Statement statement(database_,
                                "SELECT checksum FROM " + table.name + " WHERE " + keyCondition(table));
    for (std::size_t i = 0; i < keys.size(); ++i)
        bindCell(statement, static_cast<int>(i) + 1, keys[i]);
    if (!statement.executeStep())
        return std::nullopt;
    return statement.getColumn(0).getInt64();
}

std::optional<std::int64_t> TableStore::put(const std::string& table, Row& row) {
    const TableShape& shape = this->shape(table);
    const auto before = storedChecksum(shape, keysOf(shape, row));
    row[shape.checksum] = checksumOf(shape, row);
    SQLite::Statement statement(database_, upsert(shape));
    for (std::size_t i = 0; i < row.size(); ++i)
        bindCell(statement, static_cast<int>(i) + 1, row[i]);
    statement.exec();
    return before;
}

std::optional<std::int64_t> TableStore::erase(const std::string& table, const std::vector<Cell>& keys) {
    const TableShape& shape = this->shape(table);
    const auto before = storedChecksum(shape, keys);
    SQLite::Statement statement(database_, "DELETE FROM " + shape.name + " WHERE " + keyCondition(shape));
    for (std::size_t i = 0; i < keys.size(); ++i)
        bindCell(statement, static_cast<int>(i) + 1, keys[i]);
    statement.exec();
    return before;
}

void TableStore::eraseWhere(const std::string& table, std::int64_t key) {
    const TableShape& shape = this->shape(table);
    SQLite::Statement statement(database_, "DELETE FROM " + shape.name + " WHERE " +
                                               shape.columns[shape.keys.front()] + " = ?");
    statement.bind(1, key);
    statement.exec();
}

void TableStore::writeSeal(const std::string& table, const Seal& seal) {
    Row row = rowOf("seals", {{"name", table}, {"rows", seal.rows}, {"sum", seal.sum}});
    put("seals", row);
}

Row TableStore::rowOf(const std::string& table, const std::map<std::string, Cell>& cells) const {
    const TableShape& shape = this->shape(table);
    Row row(shape.columns.size());
    for (const auto& [name, cell] : cells)
        row[shape.column(name)] = cell;
    return row;
}

void TableStore::signAgain() {
    std::map<std::int64_t, Seal> histories;
    const auto sign = [&](const std::string& name, const std::function<void(Row&)>& change) {
        const TableShape& table = shape(name);
        std::vector<Row> rows; // as a whole: rows must not change under a statement that reads them
        forEach(table, "", {}, [&](Row&& row) { rows.push_back(std::move(row)); }, false);
        Seal seal;
        for (Row& row : rows) {
            change(row);
            put(name, row);
            seal.add(checksumIn(table, row));
            if (name == "versions")
                histories[std::get<std::int64_t>(row[0])].add(checksumIn(table, row));
        }
        return seal;
    };
    const auto nothing = [](Row&) {};
    sign("versions", nothing);
    const TableShape& history = shape("histories");
    for (const auto& [name, table] : shapes_) {
        if (name == "seals" || name == "versions" || name.starts_with("sqlite_"))
            continue;
        writeSeal(name, sign(name, [&](Row& row) {
                      if (name == "histories")
                          row[history.column("sum")] = histories[std::get<std::int64_t>(row[0])].sum;
                  }));
    }
}

} // namespace alidade::data
