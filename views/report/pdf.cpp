// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/pdf.h"

#include "views/report/page_blocks.h"
#include "views/report/pdf_outline.h"
#include "views/report/pdf_tags.h"
#include "views/report/plot_parts.h"
#include "views/report/report_pages.h"

#include <QBuffer>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>

namespace alidade::views {
namespace {

constexpr int dotsPerInch = 1200; // of the PDF; the pages are laid out in CSS px of 1/96 inch
constexpr double pixelsPerInch = 96, pointsPerInch = 72;

void attachScenarios(QPdfWriter& pdf, const data::Report& report) {
    if (!report.scenarioJson.empty())
        pdf.addFileAttachment(fromUtf8(report.scenarioName) + QStringLiteral(".json"),
                              QByteArray::fromStdString(report.scenarioJson),
                              QStringLiteral("application/json"));
    for (const data::Report& part : report.parts)
        attachScenarios(pdf, part);
}

std::vector<OutlineEntry> outlineOf(const ReportPages& pages) {
    constexpr double points = pointsPerInch / pixelsPerInch;
    std::vector<OutlineEntry> out;
    for (const PageHeading& heading : pages.headings())
        out.push_back({heading.title, heading.page, (pages.size().height() - heading.top + 8) * points,
                       heading.part ? 0 : 1});
    return out;
}

QStringList alternativesOf(const data::Report& report) {
    QStringList out;
    for (const data::ReportSection& section : report.sections)
        for (const data::Plot& plot : section.plots)
            out.append(figureWords(plot));
    for (const data::Report& part : report.parts)
        out += alternativesOf(part);
    return out;
}

QByteArray xmpOf(const data::Report& report) {
    const auto words = [](const std::string& text) { return fromUtf8(text).toHtmlEscaped().toUtf8(); };
    QByteArray out = "<?xpacket begin=\"\xEF\xBB\xBF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
                     "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
                     "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
                     "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
                     "xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\">"
                     "<dc:format>application/pdf</dc:format>"
                     "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">" +
                     words(report.title) +
                     "</rdf:li></rdf:Alt></dc:title>"
                     "<dc:language><rdf:Bag><rdf:li>en-US</rdf:li></rdf:Bag></dc:language>";
    if (!report.branding.author.empty())
        out += "<dc:creator><rdf:Seq><rdf:li>" + words(report.branding.author) +
               "</rdf:li></rdf:Seq></dc:creator>";
    out += "<xmp:CreatorTool>" + words(report.footer.program) + "</xmp:CreatorTool>";
    return out + "</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"r\"?>";
}

/// Every moment in the file becomes the date of the report, so that the same report is the same bytes. All
/// keep their length, as the file has a table of places.
QByteArray withDate(const QByteArray& pdf, const std::string& date) {
    static const QRegularExpression day(QStringLiteral("^\\d{4}-\\d{2}-\\d{2}$"));
    QByteArray digits = QByteArray::fromStdString(date);
    if (!day.match(QString::fromLatin1(digits)).hasMatch())
        return pdf;
    digits.replace("-", "");
    static const QRegularExpression moment(
        QStringLiteral("/(?:Creation|Mod)Date ?\\(D:(\\d{14})(Z|[+-]\\d{2}'\\d{2}')\\)"));
    QByteArray out = pdf;
    for (auto it = moment.globalMatch(QString::fromLatin1(pdf)); it.hasNext();) {
        const auto match = it.next();
        out.replace(match.capturedStart(1), 14, QByteArray(digits + "000000"));
        if (match.capturedLength(2) > 1)
            out.replace(match.capturedStart(2), match.capturedLength(2), "+00'00'");
    }
    return out;
}

/// With what QPdfWriter cannot write: tags, outline, language, author and metadata.
QByteArray finished(const QByteArray& pdf, const data::Report& report, const ReportPages& pages) {
    PdfUpdate update(pdf);
    if (!update.good())
        return pdf;
    addPdfTags(update, alternativesOf(report));
    addPdfOutline(update, outlineOf(pages));
    const QByteArray xmp = xmpOf(report);
    const int metadata = update.add("<< /Type /Metadata /Subtype /XML /Length " +
                                    QByteArray::number(xmp.size()) + " >>\nstream\n" + xmp + "\nendstream");
    update.addEntry(update.root(), "/Lang (en-US) /ViewerPreferences << /DisplayDocTitle true >> /Metadata " +
                                       pdfReference(metadata));
    if (!report.branding.author.empty())
        update.addEntry(update.info(), "/Author " + pdfText(fromUtf8(report.branding.author)));
    return update.written();
}

} // namespace

QByteArray reportPdf(const data::Report& report, Paper paper) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter pdf(&buffer);
    pdf.setResolution(dotsPerInch);
    pdf.setPageSize(QPageSize(paper == Paper::a4 ? QPageSize::A4 : QPageSize::Letter));
    pdf.setPageMargins(QMarginsF(0, 0, 0, 0));
    pdf.setTitle(fromUtf8(report.title));
    pdf.setCreator(fromUtf8(report.footer.program));
    attachScenarios(pdf, report);

    const ReportPages pages(report, paper);
    constexpr double scale = dotsPerInch / pixelsPerInch;
    QPainter painter;
    if (!painter.begin(&pdf))
        return {};
    for (std::size_t page = 0; page < pages.count(); ++page) {
        if (page > 0 && !pdf.newPage())
            return {};
        painter.resetTransform();
        painter.scale(scale, scale);
        pages.paint(painter, page);
    }
    if (!painter.end())
        return {};
    return finished(withDate(bytes, report.footer.date), report, pages);
}

} // namespace alidade::views
