// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace alidade::data {

struct Blob {
    std::string bytes;
    auto operator<=>(const Blob&) const = default;
};

/// One value of a table: NULL, INTEGER, TEXT or BLOB.
using Cell = std::variant<std::monostate, std::int64_t, std::string, Blob>;

/// The cells of a row, in the order of its table's columns.
using Row = std::vector<Cell>;

/// A table as its file declares it.
struct TableShape {
    std::string name;
    std::vector<std::string> columns;
    std::vector<std::size_t> keys; ///< columns of the primary key
    std::size_t checksum = 0;      ///< the column that holds checksumOf the rest
    bool rowid = true;             ///< the key is the rowid, which a record does not hold
    bool operator==(const TableShape&) const = default;

    /// Index of a column; columns.size() if there is none.
    std::size_t column(std::string_view column) const;
};

/// The first 64 bits of SHA-256 over the table's name and each cell but the checksum, with kinds and lengths.
/// The sum of those (modulo 2^64) represents a set of rows: a row that is missing, doubled or of an older
/// state shows.
std::int64_t checksumOf(const TableShape& table, const Row& row);

/// What a table or a history must add up to.
struct Seal {
    std::int64_t rows = 0;
    std::int64_t sum = 0;
    void add(std::int64_t checksum) { shift(checksum, 1); }
    void take(std::int64_t checksum) { shift(checksum, -1); }
    bool operator==(const Seal&) const = default;

private:
    void shift(std::int64_t checksum, int sign);
};

} // namespace alidade::data
