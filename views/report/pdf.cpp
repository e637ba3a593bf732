// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/pdf.h"

#include "views/report/drawing.h"
#include "views/report/page_blocks.h"
#include "views/report/plot_parts.h"

#include <QBuffer>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgRenderer>

namespace alidade::views {
namespace {

constexpr int dotsPerInch = 1200; // of the PDF; the pages are laid out in CSS px of 1/96 inch
constexpr double pixelsPerInch = 96;

struct PageFrame {
    QSizeF size;
    double side = 62, top = 84, bottom = 66; ///< margins of the text area, CSS px
    double textWidth() const { return size.width() - 2 * side; }
    double textHeight() const { return size.height() - top - bottom; }
};

void paintHeader(QPainter& p, const PageFrame& frame, const data::Report& report, const Theme& theme,
                 std::size_t page) {
    QSvgRenderer icon(QStringLiteral(":/alidade/icons/alidade.svg"));
    icon.render(&p, QRectF(frame.side, 48, 20, 20));
    p.setFont(reportFont(12));
    p.setPen(theme.colour(Role::text2));
    const QString text =
        page == 0 ? QStringLiteral("Alidade: plan of a GPU cluster") : fromUtf8(report.title);
    p.drawText(QPointF(frame.side + 28, 62), shortened(text, frame.textWidth() - 28, 12));
}

void paintFooter(QPainter& p, const PageFrame& frame, const data::ReportFooter& footer, const Theme& theme,
                 std::size_t page, std::size_t pages) {
    const double base = frame.size.height() - 36;
    const double right = frame.size.width() - frame.side;
    p.fillRect(QRectF(frame.side, base - 22, frame.textWidth(), 1), theme.colour(Role::line2));
    p.setFont(reportFont(12));
    p.setPen(theme.colour(Role::text2));
    QString versions = fromUtf8(footer.program);
    if (!footer.catalogVersion.empty())
        versions += QStringLiteral(", catalog ") + fromUtf8(footer.catalogVersion);
    if (!footer.calibration.empty())
        versions += QStringLiteral(", calibration ") + fromUtf8(footer.calibration);
    const QString number = QStringLiteral("%1 of %2").arg(page + 1).arg(pages);
    const QString date = fromUtf8(footer.date);
    const double numberLeft = right - textWidth(number, 12), dateLeft = right - 66 - textWidth(date, 12);
    p.drawText(QPointF(frame.side, base), shortened(versions, dateLeft - frame.side - 16, 12));
    p.drawText(QPointF(dateLeft, base), date);
    p.drawText(QPointF(numberLeft, base), number);
}

struct Composition {
    std::vector<Block> blocks;
    std::vector<Page> pages;
};

/// The fewest pages, set as loosely as they allow, and no nearly empty one at the end if that can be helped.
Composition compose(const data::Report& report, const Theme& theme, const PageFrame& frame) {
    const auto at = [&](double tightness) {
        Composition c{.blocks = blocksOf(report, theme, frame.textWidth(), frame.textHeight(), tightness),
                      .pages = {}};
        c.pages = paginate(c.blocks, frame.textHeight());
        return c;
    };
    Composition best = at(0);
    const auto lastIsFull = [&](const Composition& c) {
        return usedHeight(c.pages.back()) > 0.2 * frame.textHeight();
    };
    for (const double tightness : {0.25, 0.5, 0.75, 1.0}) {
        Composition c = at(tightness);
        if (c.pages.size() < best.pages.size() || (!lastIsFull(best) && lastIsFull(c)))
            best = std::move(c);
    }
    return best;
}

void attachScenarios(QPdfWriter& pdf, const data::Report& report) {
    if (!report.scenarioJson.empty())
        pdf.addFileAttachment(fromUtf8(report.scenarioName) + QStringLiteral(".json"),
                              QByteArray::fromStdString(report.scenarioJson),
                              QStringLiteral("application/json"));
    for (const data::Report& part : report.parts)
        attachScenarios(pdf, part);
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

    const double scale = dotsPerInch / pixelsPerInch;
    const PageFrame frame{.size = QSizeF(pdf.width(), pdf.height()) / scale};
    const Theme theme = Theme::paper();
    const Composition composition = compose(report, theme, frame);
    QPainter painter;
    if (!painter.begin(&pdf))
        return {};
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t page = 0; page < composition.pages.size(); ++page) {
        if (page > 0 && !pdf.newPage())
            return {};
        painter.resetTransform();
        painter.scale(scale, scale);
        paintHeader(painter, frame, report, theme, page);
        for (const PlacedBlock& placed : composition.pages[page])
            placed.block->paint(painter, {frame.side, frame.top + placed.top});
        paintFooter(painter, frame, report.footer, theme, page, composition.pages.size());
    }
    if (!painter.end())
        return {};
    return bytes;
}

} // namespace alidade::views
