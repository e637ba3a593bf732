// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/page_carver.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

namespace alidade::data {

namespace {

constexpr std::size_t headerBytes = 100;
constexpr std::size_t defaultPage = 4096;
constexpr std::size_t largestPayload = 64u << 20;

enum PageType : std::uint8_t { indexInterior = 0x02, indexLeaf = 0x0a, tableLeaf = 0x0d };

/// Reads within bounds; beyond them it fails, and stays failed.
class Cursor {
public:
    Cursor(std::string_view bytes, std::size_t at)
        : bytes_(bytes)
        , at_(at) {}

    bool failed() const { return failed_; }
    std::size_t at() const { return at_; }

    std::uint64_t bigEndian(std::size_t size) {
        std::uint64_t out = 0;
        for (const char byte : take(size))
            out = out << 8 | static_cast<std::uint8_t>(byte);
        return out;
    }

    std::uint64_t varint() {
        std::uint64_t out = 0;
        for (int i = 0; i < 9; ++i) {
            const auto byte = static_cast<std::uint8_t>(bigEndian(1));
            if (i == 8)
                return out << 8 | byte;
            out = out << 7 | (byte & 0x7fu);
            if ((byte & 0x80u) == 0)
                break;
        }
        return out;
    }

    std::string_view take(std::size_t size) {
        if (failed_ || at_ > bytes_.size() || size > bytes_.size() - at_) {
            failed_ = true;
            return {};
        }
        at_ += size;
        return bytes_.substr(at_ - size, size);
    }

private:
    std::string_view bytes_;
    std::size_t at_;
    bool failed_ = false;
};

/// A signed number of so many bytes.
std::int64_t extended(std::uint64_t value, std::size_t size) {
    const unsigned shift = static_cast<unsigned>(64 - 8 * size);
    return size == 0 ? 0 : static_cast<std::int64_t>(value << shift) >> shift;
}

/// The cells of a record; nothing if it is none.
std::optional<Row> recordIn(std::string_view payload) {
    Cursor header(payload, 0);
    const std::uint64_t size = header.varint();
    if (header.failed() || size > payload.size())
        return std::nullopt;
    Row out;
    Cursor body(payload, static_cast<std::size_t>(size));
    while (!header.failed() && header.at() < size) {
        constexpr std::array<std::size_t, 7> widths{0, 1, 2, 3, 4, 6, 8};
        const std::uint64_t type = header.varint();
        if (type == 0) {
            out.emplace_back();
        } else if (type < widths.size()) {
            const std::size_t width = widths[static_cast<std::size_t>(type)];
            out.emplace_back(extended(body.bigEndian(width), width));
        } else if (type == 8 || type == 9) {
            out.emplace_back(static_cast<std::int64_t>(type - 8));
        } else if (type >= 12) {
            const std::string bytes(body.take(static_cast<std::size_t>((type - 12) / 2)));
            if (type % 2 == 0)
                out.emplace_back(Blob{bytes});
            else
                out.emplace_back(bytes);
        } else {
            return std::nullopt;
        }
    }
    if (header.failed() || body.failed() || header.at() != size)
        return std::nullopt;
    return out;
}

class Carver {
public:
    Carver(std::string_view bytes, const Shapes& shapes)
        : bytes_(bytes)
        , shapes_(shapes) {
        Cursor header(bytes, 16);
        const std::uint64_t said = header.bigEndian(2);
        const std::size_t size = said == 1 ? 65536 : static_cast<std::size_t>(said);
        page_ = size >= 512 && size <= 65536 && std::has_single_bit(size) ? size : defaultPage;
    }

    CarvedRows rows() {
        for (std::size_t start = 0; start < bytes_.size(); start += page_)
            carvePage(start);
        return std::move(rows_);
    }

private:
    void carvePage(std::size_t start) {
        const std::string_view page = bytes_.substr(start, page_);
        const std::size_t at = start == 0 ? headerBytes : 0;
        Cursor head(page, at);
        const auto type = static_cast<PageType>(head.bigEndian(1));
        if (type != indexInterior && type != indexLeaf && type != tableLeaf)
            return;
        Cursor count(page, at + 3);
        const std::uint64_t cells = count.bigEndian(2);
        Cursor pointers(page, at + (type == indexInterior ? 12 : 8));
        for (std::uint64_t i = 0; i < cells && !pointers.failed(); ++i) {
            const auto pointer = static_cast<std::size_t>(pointers.bigEndian(2));
            if (!pointers.failed())
                carveCell(page, pointer, type);
        }
    }

    void carveCell(std::string_view page, std::size_t pointer, PageType type) {
        Cursor cell(page, pointer);
        if (type == indexInterior)
            cell.bigEndian(4); // the page to its left
        const std::uint64_t size = cell.varint();
        const auto rowid = static_cast<std::int64_t>(type == tableLeaf ? cell.varint() : 0);
        if (cell.failed() || size > largestPayload)
            return;
        const std::optional<std::string> payload = wholePayload(cell, static_cast<std::size_t>(size), type);
        if (!payload)
            return;
        if (const std::optional<Row> row = recordIn(*payload))
            believe(*row, rowid, type == tableLeaf);
    }

    /// What does not fit into the page goes on in a chain of others.
    std::optional<std::string> wholePayload(Cursor& cell, std::size_t size, PageType type) const {
        const std::size_t most = type == tableLeaf ? page_ - 35 : (page_ - 12) * 64 / 255 - 23;
        const std::size_t least = (page_ - 12) * 32 / 255 - 23;
        if (size <= most) {
            const std::string_view whole = cell.take(size);
            return cell.failed() ? std::nullopt : std::optional(std::string(whole));
        }
        const std::size_t wanted = least + (size - least) % (page_ - 4);
        std::string out(cell.take(wanted <= most ? wanted : least));
        std::uint64_t next = cell.bigEndian(4);
        while (!cell.failed() && out.size() < size) {
            if (next == 0 || (next - 1) * page_ >= bytes_.size())
                return std::nullopt;
            Cursor overflow(bytes_, static_cast<std::size_t>(next - 1) * page_);
            next = overflow.bigEndian(4);
            out += overflow.take(std::min(size - out.size(), page_ - 4));
            if (overflow.failed())
                return std::nullopt;
        }
        return cell.failed() ? std::nullopt : std::optional(std::move(out));
    }

    void believe(Row row, std::int64_t rowid, bool hasRowid) {
        for (const auto& [name, table] : shapes_) {
            if (table.rowid != hasRowid || table.columns.size() != row.size() ||
                table.checksum == table.columns.size())
                continue;
            Row candidate = row;
            if (hasRowid)
                candidate[table.keys.front()] = rowid;
            if (candidate[table.checksum] == Cell(checksumOf(table, candidate)))
                keep(table, std::move(candidate));
        }
    }

    void keep(const TableShape& table, Row row) {
        std::vector<Cell> key;
        for (const std::size_t column : table.keys)
            key.push_back(row[column]);
        const std::size_t changed = table.column("changed");
        auto& known = rows_[table.name];
        const auto found = known.find(key);
        if (found == known.end())
            known.emplace(std::move(key), std::move(row));
        else if (changed < row.size() &&
                 std::get<std::int64_t>(found->second[changed]) < std::get<std::int64_t>(row[changed]))
            found->second = std::move(row);
    }

    std::string_view bytes_;
    const Shapes& shapes_;
    std::size_t page_ = defaultPage;
    CarvedRows rows_;
};

} // namespace

CarvedRows carveRows(std::string_view bytes, const Shapes& shapes) { return Carver(bytes, shapes).rows(); }

} // namespace alidade::data
