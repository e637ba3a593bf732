// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/pdf.h"

#include "views/report/pdf_outline.h"
#include "views/report/plot_parts.h"
#include "views/report/report_pages.h"

#include <QBuffer>
#include <QPainter>
#include <QPdfWriter>

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
    return withOutline(bytes, outlineOf(pages), fromUtf8(report.branding.author));
}

} // namespace alidade::views
