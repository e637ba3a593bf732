// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/table_text.h"

#include "model/units/text.h"
#include "views/kit/item_roles.h"

#include <QAbstractItemModel>
#include <QRegularExpression>

#include <algorithm>
#include <functional>

namespace alidade::views {
namespace {

bool looksLikeFormula(const QString& cell) {
    static const QRegularExpression number(
        QStringLiteral("^[+-][0-9][0-9.,' \u2009\u202f]*([eE][+-]?[0-9]+)?\\s*%?$"));
    return !cell.isEmpty() && QStringLiteral("=+-@\t\r").contains(cell[0]) && !number.match(cell).hasMatch();
}

/// Printable, and no formula of a spreadsheet.
QString guarded(const QString& cell) {
    const QString shown = QString::fromStdString(printable(cell.toStdString(), "\t\r\n"));
    return looksLikeFormula(shown.trimmed()) ? QString(u'\'' + shown) : shown;
}

QString tsvCell(const QString& cell) {
    QString text = guarded(cell);
    return text.replace(QLatin1Char('\t'), QLatin1Char(' '))
        .replace(QLatin1Char('\n'), QLatin1Char(' '))
        .remove(QLatin1Char('\r'));
}

QString csvCell(const QString& cell) {
    QString text = guarded(cell);
    static const QRegularExpression special(QStringLiteral("[\",\r\n]"));
    if (!text.contains(special))
        return text;
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

QString markdownCell(const QString& cell) {
    QString text = QString::fromStdString(printable(cell.toStdString(), "\n"));
    return text.replace(QLatin1Char('\\'), QStringLiteral("\\\\"))
        .replace(QLatin1Char('|'), QStringLiteral("\\|"))
        .replace(QLatin1Char('\n'), QStringLiteral("<br>"));
}

QString line(const QStringList& cells, qsizetype columns, const QString& separator,
             const std::function<QString(const QString&)>& dress) {
    QStringList dressed;
    for (qsizetype i = 0; i < columns; ++i)
        dressed.append(i < cells.size() ? dress(cells[i]) : QString());
    return dressed.join(separator);
}

QString markdown(const TextTable& table, qsizetype columns) {
    const QString bar = QStringLiteral(" | ");
    const auto row = [&](const QStringList& cells) {
        return QString(QStringLiteral("| ") + line(cells, columns, bar, markdownCell) +
                       QStringLiteral(" |\n"));
    };
    QString text = row(table.headers);
    text += QLatin1Char('|') + QStringLiteral(" --- |").repeated(columns) + QLatin1Char('\n');
    for (const QStringList& cells : table.rows)
        text += row(cells);
    return text;
}

QString cellText(const QModelIndex& index) {
    const QVariant copy = index.data(copyRole);
    return copy.isValid() ? copy.toString() : index.data(Qt::DisplayRole).toString();
}

/// Rows from the root down, so that children of a tree come after their parent.
QList<int> path(QModelIndex index) {
    QList<int> rows;
    for (; index.isValid(); index = index.parent())
        rows.prepend(index.row());
    return rows;
}

} // namespace

QString tableText(const TextTable& table, TableFormat format) {
    qsizetype columns = table.headers.size();
    for (const QStringList& row : table.rows)
        columns = std::max(columns, row.size());
    if (format == TableFormat::markdown)
        return markdown(table, columns);
    const bool tsv = format == TableFormat::tsv;
    const QString separator = tsv ? QStringLiteral("\t") : QStringLiteral(",");
    QString text;
    if (!table.headers.isEmpty())
        text += line(table.headers, columns, separator, tsv ? tsvCell : csvCell) + QLatin1Char('\n');
    for (const QStringList& row : table.rows)
        text += line(row, columns, separator, tsv ? tsvCell : csvCell) + QLatin1Char('\n');
    return text;
}

TextTable selectedText(const QModelIndexList& selection, bool withHeaders) {
    QModelIndexList cells = selection;
    std::ranges::sort(cells, [](const QModelIndex& a, const QModelIndex& b) {
        const QList<int> pathA = path(a);
        const QList<int> pathB = path(b);
        return pathA != pathB ? pathA < pathB : a.column() < b.column();
    });
    QList<int> columns;
    for (const QModelIndex& cell : std::as_const(cells))
        if (!columns.contains(cell.column()))
            columns.append(cell.column());
    std::ranges::sort(columns);

    TextTable table;
    if (withHeaders && !cells.isEmpty())
        for (const int column : std::as_const(columns))
            table.headers.append(cells.constFirst().model()->headerData(column, Qt::Horizontal).toString());
    QModelIndex row;
    for (const QModelIndex& cell : std::as_const(cells)) {
        if (table.rows.isEmpty() || cell.siblingAtColumn(0) != row) {
            row = cell.siblingAtColumn(0);
            table.rows.append(QStringList(columns.size()));
        }
        table.rows.last()[columns.indexOf(cell.column())] = cellText(cell);
    }
    return table;
}

} // namespace alidade::views
