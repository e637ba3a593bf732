// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/pasted_cells.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace alidade::views {

namespace {

struct PasteTexts {
    Q_DECLARE_TR_FUNCTIONS(CatalogView)
};

/// RFC 4180, with the separator of one's choice.
QList<QStringList> splitCells(const QString& text, QChar separator) {
    QList<QStringList> rows = {{}};
    QString cell;
    bool quoted = false;
    bool started = false; // a quote opens a quoted cell only at its beginning
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        if (quoted) {
            if (c == u'"' && i + 1 < text.size() && text[i + 1] == u'"') {
                cell.append(c);
                ++i;
            } else if (c == u'"') {
                quoted = false;
            } else {
                cell.append(c);
            }
        } else if (c == u'"' && !started) {
            quoted = started = true;
        } else if (c == separator || c == u'\n') {
            rows.last().append(cell);
            cell.clear();
            started = false;
            if (c == u'\n')
                rows.append(QStringList());
        } else {
            cell.append(c);
            started = true;
        }
    }
    if (!cell.isEmpty() || started || !rows.last().isEmpty())
        rows.last().append(cell);
    if (rows.last().isEmpty())
        rows.removeLast();
    for (QStringList& row : rows)
        for (QString& each : row)
            each = each.trimmed();
    return rows;
}

/// A line that is one number with a comma in it, and perhaps a unit: "2,048", "38,5 GB".
bool isOneNumber(const QString& line) {
    static const QRegularExpression number(QStringLiteral(
        R"(^\s*[$€]?\s*[-+−]?(\d{1,3}(,\d{3})+(\.\d+)?|\d{1,3}(\.\d{3})*,\d+|\d+,\d+)\s*[^,;"\d]*$)"));
    return number.match(line).hasMatch();
}

/// The separator of a text without tabs; a null character: each line is one cell.
QChar separatorOf(const QString& text) {
    if (text.contains(u'\t'))
        return u'\t';
    const QStringList lines = text.split(u'\n', Qt::SkipEmptyParts);
    const bool quotes = text.contains(QStringLiteral("\",")) || text.contains(QStringLiteral(",\""));
    for (const QChar separator : {QChar(u';'), QChar(u',')}) {
        const bool everywhere = std::ranges::all_of(
            lines, [&](const QString& line) { return line.count(separator) == lines[0].count(separator); });
        if (lines.isEmpty() || !lines[0].contains(separator) || (!everywhere && !quotes))
            continue;
        const bool numbers = separator == u',' && std::ranges::all_of(lines, isOneNumber);
        if (!numbers)
            return separator;
    }
    return {};
}

struct NumberParts {
    QString before, digits, after;
};

/// "$ 1.234,56 /h" in three parts; no digits: it is not a number.
NumberParts partsOf(const QString& text) {
    static const QRegularExpression number(
        QStringLiteral(R"(^(\s*[$€]?\s*[-+−]?\s*[$€]?\s*)(\d[\d.,' \x{00a0}\x{202f}\x{2009}]*)(.*)$)"));
    const auto match = number.match(text);
    if (!match.hasMatch())
        return {text, {}, {}};
    QString digits = match.captured(2);
    QString spaces;
    while (!digits.isEmpty() && digits.back().isSpace()) {
        spaces.prepend(u' ');
        digits.chop(1);
    }
    static const QRegularExpression gaps(QStringLiteral(R"([' \x{00a0}\x{202f}\x{2009}])"));
    digits.remove(gaps);
    return {match.captured(1), digits, spaces + match.captured(3)};
}

enum class CommaSense { none, decimal, thousands, either };

/// What the comma or the points of the digits can mean.
CommaSense senseOf(const QString& digits) {
    const auto commas = digits.count(u',');
    const auto comma = digits.indexOf(u',');
    const auto point = digits.indexOf(u'.');
    if (commas == 0)
        return digits.count(u'.') > 1 ? CommaSense::decimal : CommaSense::none; // "1.234.567"
    if (commas > 1 || point > comma)
        return CommaSense::thousands;
    if (point >= 0 || digits.size() - comma - 1 != 3 || comma > 3 || digits.startsWith(u'0'))
        return CommaSense::decimal;
    return CommaSense::either; // "3,350"
}

QString withPoint(QString digits) { return digits.remove(u'.').replace(u',', u'.'); }

WrittenNumber doubtful(const QString& text, const QString& one, const QString& other) {
    return {text, PasteTexts::tr("“%1” can be %2 or %3").arg(text, one, other)};
}

} // namespace

QList<QStringList> pastedCells(const QString& given) {
    QString text = given;
    text.replace(QStringLiteral("\r\n"), QStringLiteral("\n")).replace(u'\r', u'\n');
    if (text.isEmpty())
        return {};
    return splitCells(text, separatorOf(text));
}

bool hasDecimalCommas(const QList<QStringList>& cells) {
    return std::ranges::any_of(cells, [](const QStringList& row) {
        return std::ranges::any_of(row, [](const QString& cell) {
            const QString digits = partsOf(cell).digits;
            return digits.contains(u',') && senseOf(digits) == CommaSense::decimal;
        });
    });
}

WrittenNumber writtenNumber(const QString& text, bool commasSeen) {
    const NumberParts parts = partsOf(text);
    const QString& digits = parts.digits;
    switch (senseOf(digits)) {
    case CommaSense::decimal:
        return {parts.before + withPoint(digits) + parts.after, {}};
    case CommaSense::either:
        if (commasSeen)
            return doubtful(text, withPoint(digits), QString(digits).remove(u','));
        return {text, {}};
    case CommaSense::none: {
        // "1.234" next to "38,5"
        const auto point = digits.indexOf(u'.');
        const bool thousands = point > 0 && point <= 3 && digits.size() - point - 1 == 3 && digits[0] != u'0';
        if (commasSeen && thousands)
            return doubtful(text, digits, QString(digits).remove(u'.'));
        return {text, {}};
    }
    case CommaSense::thousands:
        return {text, {}};
    }
    return {text, {}};
}

} // namespace alidade::views
