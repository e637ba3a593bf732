// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace alidade::views {

/// A block of cells from the clipboard: TSV as spreadsheets give it (quotes around cells with tabs, line
/// ends or quotes), CSV with commas or semicolons. One line end at the very end is none of its own. Without
/// tabs a text is CSV only if that is beyond doubt: "2,048" is one number, not two cells. Rows may differ in
/// length.
QList<QStringList> pastedCells(const QString& text);

/// Whether some cell can only be a number with a decimal comma: "38,5", "1.234,56 GB". Then the block is
/// from a place where "1.234" may mean thousands.
bool hasDecimalCommas(const QList<QStringList>& cells);

/// A number as someone wrote it elsewhere.
struct WrittenNumber {
    QString text;  ///< with a decimal point and without separators that cells would refuse; units stay
    QString doubt; ///< not empty: it can be read in two ways, and how; then `text` is as given
};

/// \param commasSeen what hasDecimalCommas() says of the block that it stands in
WrittenNumber writtenNumber(const QString& text, bool commasSeen);

} // namespace alidade::views
