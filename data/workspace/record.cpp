// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/record.h"

#include <QCryptographicHash>
#include <QtEndian>

#include <algorithm>

namespace alidade::data {

namespace {

void addNumber(QCryptographicHash& hash, std::uint64_t value) {
    const quint64 bytes = qToLittleEndian(static_cast<quint64>(value));
    hash.addData(QByteArrayView(reinterpret_cast<const char*>(&bytes), sizeof bytes));
}

void addText(QCryptographicHash& hash, char kind, std::string_view text) {
    hash.addData(QByteArrayView(&kind, 1));
    addNumber(hash, text.size());
    hash.addData(QByteArrayView(text.data(), static_cast<qsizetype>(text.size())));
}

void addCell(QCryptographicHash& hash, const Cell& cell) {
    if (const auto* number = std::get_if<std::int64_t>(&cell)) {
        hash.addData("i");
        addNumber(hash, static_cast<std::uint64_t>(*number));
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
        addText(hash, 't', *text);
    } else if (const auto* blob = std::get_if<Blob>(&cell)) {
        addText(hash, 'b', blob->bytes);
    } else {
        hash.addData("n");
    }
}

} // namespace

std::size_t TableShape::column(std::string_view column) const {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
}

std::int64_t checksumOf(const TableShape& table, const Row& row) {
    QCryptographicHash hash(QCryptographicHash::Sha256);
    addText(hash, 'T', table.name);
    for (std::size_t i = 0; i < row.size(); ++i)
        if (i != table.checksum)
            addCell(hash, row[i]);
    return static_cast<std::int64_t>(qFromLittleEndian<quint64>(hash.result().constData()));
}

void Seal::shift(std::int64_t checksum, int sign) {
    rows += sign;
    const auto each = static_cast<std::uint64_t>(checksum);
    const auto before = static_cast<std::uint64_t>(sum);
    sum = static_cast<std::int64_t>(sign > 0 ? before + each : before - each);
}

} // namespace alidade::data
