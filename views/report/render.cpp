// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/render.h"

#include "data/file/write_file.h"
#include "data/report/writers.h"
#include "views/report/drawing.h"
#include "views/report/html.h"

#include <QFileInfo>
#include <QFontInfo>
#include <QGuiApplication>
#include <QStringBuilder>

namespace alidade::views {
namespace {

Error errorOf(const QString& text) { return {text.toStdString()}; }

QString suffixOf(const QString& path) { return u'.' % QFileInfo(path).suffix().toLower(); }

/// Without fonts every sign is printed as an empty box, and nothing complains. QFontDatabase then still lists
/// the names that represent any font ("Sans Serif"), so ask which one is really used.
bool hasFonts() { return !QFontInfo(reportFont(12)).family().isEmpty(); }

Result<qint64> replaceFile(const QString& path, const QByteArray& bytes) {
    const QString fault = data::writeFile(path, bytes, {.streams = true});
    if (!fault.isEmpty())
        return errorOf(fault);
    return static_cast<qint64>(bytes.size());
}

} // namespace

QStringList reportSuffixes() {
    return {QStringLiteral(".pdf"), QStringLiteral(".html"), QStringLiteral(".xlsx"), QStringLiteral(".csv"),
            QStringLiteral(".json")};
}

bool reportNeedsGui(const QString& path) {
    const QString suffix = suffixOf(path);
    return suffix == u".pdf" || suffix == u".html";
}

std::optional<Paper> paperNamed(const QString& name) {
    if (name == u"a4")
        return Paper::a4;
    if (name == u"letter")
        return Paper::letter;
    return std::nullopt;
}

Result<qint64> writeReport(const data::Report& report, const QString& path, Paper paper) {
    const QString suffix = suffixOf(path);
    if (!reportSuffixes().contains(suffix)) {
        const QString what = suffix == u"." ? QStringLiteral("there is no suffix")
                                            : u"the suffix " % suffix % u" is not known";
        return errorOf(what % u"; a report is written as " % reportSuffixes().join(QStringLiteral(", ")));
    }
    if (suffix == u".csv")
        return replaceFile(path, QByteArray::fromStdString(data::reportCsv(report)));
    if (suffix == u".json")
        return replaceFile(path, QByteArray::fromStdString(data::reportJson(report)));
    if (suffix == u".xlsx") {
        const Result<std::string> book = data::reportXlsx(report);
        return book ? replaceFile(path, QByteArray::fromStdString(*book))
                    : Result<qint64>(Error{book.error()});
    }
    Q_ASSERT(qGuiApp);
    if (!hasFonts())
        return errorOf(
            QStringLiteral("no font is installed, so a %1 report cannot be written; install the packages "
                           "fonts-roboto-unhinted and fonts-dejavu-core, or write .csv or .json")
                .arg(suffix));
    const QByteArray bytes = suffix == u".pdf" ? reportPdf(report, paper) : reportHtml(report, paper);
    if (bytes.isEmpty())
        return errorOf(QStringLiteral("the pages could not be made"));
    return replaceFile(path, bytes);
}

} // namespace alidade::views
