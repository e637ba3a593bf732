// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/report_pages.h"

#include "views/report/drawing.h"
#include "views/report/page_blocks.h"
#include "views/report/plot_parts.h"

#include <QFile>
#include <QPageSize>
#include <QPainter>

#include <functional>
#include <utility>

namespace alidade::views {
namespace {

constexpr double pageSide = 62, pageTop = 84, pageBottom = 66; ///< margins of the text area, CSS px

struct Composition {
    std::vector<Block> blocks;
    std::vector<Page> pages;
};

/// The fewest pages, set as loosely as they allow, and no nearly empty one at the end if that can be helped.
Composition compose(const data::Report& report, const Theme& theme, const QSizeF& area,
                    const std::stop_token& stop) {
    const auto at = [&](double tightness) {
        Composition c{.blocks = blocksOf(report, theme, area.width(), area.height(), tightness), .pages = {}};
        c.pages = paginate(c.blocks, area.height());
        return c;
    };
    Composition best = at(0);
    const auto lastIsFull = [&](const Composition& c) {
        return usedHeight(c.pages.back()) > 0.2 * area.height();
    };
    for (const double tightness : {0.25, 0.5, 0.75, 1.0}) {
        if (stop.stop_requested())
            break;
        Composition c = at(tightness);
        if (c.pages.size() < best.pages.size() || (!lastIsFull(best) && lastIsFull(c)))
            best = std::move(c);
    }
    return best;
}

/// Stands where the report has no logo.
data::Logo programLogo() {
    QFile file(QStringLiteral(":/alidade/icons/alidade.svg"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return {.kind = data::LogoKind::svg, .bytes = file.readAll().toStdString(), .width = 20, .height = 20};
}

} // namespace

QSizeF paperSize(Paper paper) {
    const QPageSize size(paper == Paper::a4 ? QPageSize::A4 : QPageSize::Letter);
    return size.size(QPageSize::Inch) * 96;
}

ReportPages::ReportPages(data::Report report, Paper paper, const std::stop_token& stop)
    : report_(data::localized(std::move(report)))
    , logo_(report_.branding.logo.kind != data::LogoKind::none ? report_.branding.logo : programLogo())
    , size_(paperSize(paper))
    , theme_(Theme::paper()) {
    Composition composition =
        compose(report_, theme_, {size_.width() - 2 * pageSide, size_.height() - pageTop - pageBottom}, stop);
    blocks_ = std::move(composition.blocks); // keeps the addresses that the pages hold
    pages_ = std::move(composition.pages);
    headings_.push_back({fromUtf8(report_.title), 0, pageTop, true});
    for (std::size_t page = 0; page < pages_.size(); ++page)
        for (const PlacedBlock& placed : pages_[page]) {
            if (placed.block->heading.isEmpty())
                continue;
            headings_.push_back(
                {placed.block->heading, page, pageTop + placed.top, placed.block->headingOfPart});
            if (placed.block->contentsEntry)
                *placed.block->contentsEntry = static_cast<int>(page) + 1;
        }
}

/// The head of a table that goes on from the page before.
bool ReportPages::isRepeated(const PlacedBlock& placed) const {
    const std::less<const Block*> before;
    return before(placed.block, blocks_.data()) || !before(placed.block, blocks_.data() + blocks_.size());
}

void ReportPages::paint(QPainter& painter, std::size_t page) const {
    painter.setRenderHint(QPainter::Antialiasing);
    paintHeader(painter, page);
    for (const PlacedBlock& placed : pages_.at(page)) {
        const TaggedContent content(painter, isRepeated(placed) ? PageTag::artifact : PageTag::none);
        paintBlock(painter, {pageSide, pageTop + placed.top}, *placed.block);
    }
    paintFooter(painter, page);
}

void ReportPages::paintHeader(QPainter& p, std::size_t page) const {
    constexpr double height = 26, most = 150, base = 62;
    const data::Branding& branding = report_.branding;
    double left = pageSide;
    if (branding.logo.kind != data::LogoKind::none) {
        const QSizeF logo = logoSize(branding.logo, {most, height});
        logo_.paint(p, QRectF(QPointF(left, 58 - logo.height() / 2), logo));
        left += logo.width() + 10;
    } else {
        logo_.paint(p, QRectF(left, 48, 20, 20));
        left += 28;
    }
    p.setFont(reportFont(12));
    p.setPen(theme_.color(Role::text2));
    const double width = size_.width() - pageSide - left;
    const QString mark = shortened(fromUtf8(branding.confidentiality), width * 0.5, 12);
    const double markWidth = mark.isEmpty() ? 0 : textWidth(mark, 12) + 20;
    if (!mark.isEmpty())
        p.drawText(QPointF(size_.width() - pageSide - textWidth(mark, 12), base), mark);
    const QString organization = fromUtf8(branding.organization);
    const QString text = page > 0                 ? fromUtf8(report_.title)
                         : organization.isEmpty() ? QStringLiteral("Alidade: plan of a GPU cluster")
                                                  : organization;
    p.drawText(QPointF(left, base), shortened(text, width - markWidth, 12));
}

void ReportPages::paintFooter(QPainter& p, std::size_t page) const {
    const data::ReportFooter& footer = report_.footer;
    const double base = size_.height() - 36;
    const double right = size_.width() - pageSide;
    p.fillRect(QRectF(pageSide, base - 22, size_.width() - 2 * pageSide, 1), theme_.color(Role::line2));
    p.setFont(reportFont(12));
    p.setPen(theme_.color(Role::text2));
    QString versions = fromUtf8(footer.program);
    if (!footer.catalogVersion.empty())
        versions += QStringLiteral(", catalog ") + fromUtf8(footer.catalogVersion);
    if (!footer.calibration.empty())
        versions += QStringLiteral(", calibration ") + fromUtf8(footer.calibration);
    const QString number = QStringLiteral("%1 of %2").arg(page + 1).arg(pages_.size());
    const QString date = fromUtf8(footer.date);
    const double numberLeft = right - textWidth(number, 12), dateLeft = right - 66 - textWidth(date, 12);
    p.drawText(QPointF(pageSide, base), shortened(versions, dateLeft - pageSide - 16, 12));
    p.drawText(QPointF(dateLeft, base), date);
    p.drawText(QPointF(numberLeft, base), number);
}

} // namespace alidade::views
