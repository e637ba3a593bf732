// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_legend.h"

#include "views/kit/plot_base.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double swatch = 10;    // logical pixels at 10 pt, as the other lengths
constexpr double swatchGap = 5;  // to its words
constexpr double entryGap = 16;  // between entries
constexpr double lineAbove = 6;  // over the first line
constexpr double leftInset = 40; // under the first bar rather than under the axis

} // namespace

MemoryLegend::MemoryLegend(PlotBase& owner)
    : QCPLayoutElement(owner.plot())
    , owner_(owner) {}

void MemoryLegend::setParts(const QList<MemoryPart>& parts) {
    entries_.clear();
    for (const MemoryPart& part : parts) {
        const auto same = std::ranges::find(entries_, part.tone, &Entry::tone);
        if (same == entries_.end()) {
            entries_.append({part.tone, part.name});
            continue;
        }
        const bool acronym = part.name.size() > 1 && part.name[1].isUpper();
        same->text += QStringLiteral(", ") + (acronym ? part.name : part.name.toLower());
    }
}

std::pair<QList<QPointF>, double> MemoryLegend::arranged(double width) const {
    const Theme& look = owner_.look();
    const QFontMetricsF metrics(look.font(FontRole::small));
    const double start = look.px(leftInset);
    QList<QPointF> corners;
    QPointF corner(start, look.px(lineAbove));
    for (const Entry& entry : entries_) {
        const double needed = look.px(swatch + swatchGap) + metrics.horizontalAdvance(entry.text);
        if (corner.x() > start && corner.x() + needed > width)
            corner = {start, corner.y() + std::ceil(metrics.height()) + 2};
        corners.append(corner);
        corner.rx() += needed + look.px(entryGap);
    }
    return {corners, entries_.isEmpty() ? 0 : corner.y() + std::ceil(metrics.height())};
}

void MemoryLegend::update(UpdatePhase phase) {
    if (phase == upPreparation) {
        const QMargins around = parentPlot()->plotLayout()->margins();
        const int height = static_cast<int>(
            arranged(parentPlot()->viewport().width() - around.left() - around.right()).second);
        setMinimumSize(0, height);
        setMaximumSize(QWIDGETSIZE_MAX, height);
    }
    QCPLayoutElement::update(phase);
}

void MemoryLegend::draw(QCPPainter* painter) {
    const Theme& look = owner_.look();
    painter->setFont(look.font(FontRole::small));
    const QFontMetricsF metrics(painter->font());
    const QList<QPointF> corners = arranged(rect().width()).first;
    for (qsizetype i = 0; i < entries_.size(); ++i) {
        const QPointF corner = rect().topLeft() + corners[i];
        const double side = look.px(swatch);
        painter->setPen(Qt::NoPen);
        painter->setBrush(look.memoryColor(entries_[i].tone));
        painter->drawRoundedRect(QRectF(corner.x(), corner.y() + (metrics.height() - side) / 2, side, side),
                                 2, 2);
        painter->setPen(look.color(Role::text2));
        painter->drawText(QPointF(corner.x() + side + look.px(swatchGap), corner.y() + metrics.ascent()),
                          entries_[i].text);
    }
}

} // namespace alidade::views
