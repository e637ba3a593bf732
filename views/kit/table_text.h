// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QModelIndex>
#include <QString>
#include <QStringList>

namespace alidade::views {

/// Cells as text. Rows may be shorter than the headers.
struct TextTable {
    QStringList headers; ///< may be empty
    QList<QStringList> rows;
};

enum class TableFormat { tsv, csv, markdown };

/// Text that begins like a formula (= + - @) but is not a number gets an apostrophe in TSV and CSV, so that a
/// spreadsheet does not run it. CSV is RFC 4180 with LF; TSV has no header row where `headers` is empty.
QString tableText(const TextTable& table, TableFormat format);

/// The selected cells in the order that they are shown in, row by row; gaps in the rectangle are empty cells.
/// Takes `copyRole` where the model has it, else what is displayed.
TextTable selectedText(const QModelIndexList& selection, bool withHeaders);

} // namespace alidade::views
