// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_legend.h"

#include "views/kit/paint.h"
#include "views/kit/plot_base.h"
#include "views/timeline/timeline_colors.h"
#include "views/timeline/timeline_text.h"

#include <algorithm>

namespace alidade::views {
namespace {

constexpr double swatchSide = 12; // logical pixels at 10 pt, as the other lengths
constexpr double shadeWidth = 7;  // of each chunk's shade
constexpr double afterSwatch = 6; // to its words
constexpr double afterEntry = 18;
constexpr double aboveLegend = 4;
constexpr int mostShades = 8;

} // namespace

TimelineLegend::TimelineLegend(PlotBase& owner)
    : QCPLayoutElement(owner.plot())
    , owner_(owner) {}

void TimelineLegend::setContents(int chunks, bool weights) {
    chunks_ = chunks;
    const QString which = chunks > 1 ? TimelineText::tr(", chunk 0 – %1").arg(chunks - 1) : QString();
    entries_ = {{'F', TimelineText::tr("forward") + which}, {'B', TimelineText::tr("backward")}};
    if (weights)
        entries_.append({'W', TimelineText::tr("weight gradient")});
    entries_.append({' ', TimelineText::tr("waiting")});
}

double TimelineLegend::swatchWidth(const Entry& entry) const {
    const Theme& look = owner_.look();
    return entry.kind == 'F' && chunks_ > 1 ? std::min(chunks_, mostShades) * look.px(shadeWidth)
                                            : look.px(2 * swatchSide);
}

void TimelineLegend::update(UpdatePhase phase) {
    if (phase == upPreparation) {
        const Theme& look = owner_.look();
        const int height =
            entries_.isEmpty() ? 0 : QFontMetrics(look.font(FontRole::small)).height() + look.px(aboveLegend);
        setMinimumSize(0, height);
        setMaximumSize(QWIDGETSIZE_MAX, height);
    }
    QCPLayoutElement::update(phase);
}

void TimelineLegend::draw(QCPPainter* painter) {
    const Theme& look = owner_.look();
    const TimelineColors colors(look, chunks_);
    painter->setFont(look.font(FontRole::small));
    const QFontMetricsF metrics(painter->font());
    double x = rect().left() + look.px(46);
    const double side = look.px(swatchSide);
    const double top = rect().bottom() - (metrics.height() + side) / 2;
    for (const Entry& entry : std::as_const(entries_)) {
        const QRectF swatch(x, top, swatchWidth(entry), side);
        if (entry.kind == ' ') {
            paintClassFill(*painter, swatch, Bound::bubble, 1, look);
        } else if (entry.kind == 'F' && chunks_ > 1) {
            const int shades = std::min(chunks_, mostShades);
            for (int i = 0; i < shades; ++i)
                painter->fillRect(QRectF(x + i * look.px(shadeWidth), top, look.px(shadeWidth), side),
                                  colors.block('F', shades > 1 ? i * (chunks_ - 1) / (shades - 1) : 0));
        } else {
            const double inset = entry.kind == 'W' ? look.px(2) : 0;
            painter->fillRect(swatch.adjusted(0, inset, 0, -inset), colors.block(entry.kind, 0));
        }
        x += swatch.width() + look.px(afterSwatch);
        painter->setPen(look.color(Role::text2));
        painter->drawText(QPointF(x, top + side / 2 + metrics.ascent() / 2 - 1), entry.text);
        x += metrics.horizontalAdvance(entry.text) + look.px(afterEntry);
    }
}

} // namespace alidade::views
