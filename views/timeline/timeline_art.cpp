// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_art.h"

#include "views/kit/paint.h"
#include "views/kit/plot_base.h"
#include "views/timeline/timeline_text.h"

#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double laneShare = 0.84;     // of the height that a stage has
constexpr double weightInset = 0.16;   // of the lane, above and below a weight gradient
constexpr double gapFrom = 4;          // px, width from which blocks keep a pixel between them
constexpr double leastTexture = 6;     // px, height of a lane that shows dots and gaps
constexpr double numberMargin = 2;     // px, next to the number in a block
constexpr double leastNumberWidth = 9; // px, of a block that could have a number
constexpr double numbersLeft = 8;      // px, between the numbers of the stages and the lanes

} // namespace

TimelineArt::TimelineArt(PlotBase& owner)
    : PlotArt(owner) {
    setLayer(QStringLiteral("axes"));
}

void TimelineArt::setData(std::shared_ptr<const TimelineData> data) {
    data_ = std::move(data);
    stage_ = event_ = -1;
    applyTheme();
}

void TimelineArt::applyTheme() { colors_ = TimelineColors(owner_.look(), data_ ? data_->chunks() : 1); }

QRectF TimelineArt::lane(int stage) const {
    const QRectF rect = area();
    const double top = pixelY(stage - laneShare / 2);
    const double bottom = pixelY(stage + laneShare / 2);
    return {rect.left(), std::round(top), rect.width(), std::max(std::round(bottom) - std::round(top), 1.0)};
}

QRectF TimelineArt::within(const QRectF& lane, int event) const {
    const TimelineEvent& e = data_->events()[static_cast<std::size_t>(event)];
    QRectF rect = lane;
    const int tracks = data_->tracks(event);
    if (tracks > 1) {
        const double height = lane.height() / tracks;
        rect.setTop(lane.top() + height * data_->track(event));
        rect.setHeight(height);
    } else if (e.kind == 'W') {
        const double inset = std::round(lane.height() * weightInset);
        rect.adjust(0, inset, 0, -inset);
    }
    return rect;
}

QRectF TimelineArt::blockRect(int event) const {
    const TimelineEvent& e = data_->events()[static_cast<std::size_t>(event)];
    QRectF rect = within(lane(e.stage), event);
    rect.setLeft(pixelX(e.start));
    rect.setRight(std::max(pixelX(e.end), rect.left() + 1));
    return rect;
}

int TimelineArt::labelStep() const {
    if (!data_ || data_->stages() < 2)
        return 1;
    const double height = QFontMetricsF(owner_.look().font(FontRole::small)).height();
    const double row = std::abs(pixelY(1) - pixelY(0));
    int step = 1; // rows may have no height at all
    while (step < data_->stages() && row * step < height)
        step *= 2;
    return step;
}

void TimelineArt::draw(QCPPainter* painter) {
    drawnBlocks_ = 0;
    if (!data_ || data_->empty())
        return;
    painter->setAntialiasing(false);
    painter->save();
    painter->setClipRect(parentPlot()->axisRect()->rect());
    painter->setFont(owner_.look().font(FontRole::block));
    const QCPRange rows = parentPlot()->yAxis->range();
    for (int stage = 0; stage < data_->stages(); ++stage)
        if (stage + 0.5 > rows.lower && stage - 0.5 < rows.upper)
            drawLane(*painter, stage);
    painter->setAntialiasing(true);
    drawLinks(*painter);
    drawBaseline(*painter);
    painter->restore();
    drawStageNumbers(*painter);
}

/// Above all blocks; its words on their own ground, left of the line where there is no room right of it.
void TimelineArt::drawBaseline(QCPPainter& painter) const {
    if (!(baselineEnd_ > 0))
        return;
    const Theme& look = owner_.look();
    const QRectF rect = area();
    const double x = pixelX(baselineEnd_);
    QPen pen(look.color(Role::text), 1.25);
    pen.setDashPattern({6, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()));
    const QFont font = look.font(FontRole::small);
    const QFontMetricsF metrics(font);
    QRectF place(x + 4, rect.top() + 2, metrics.horizontalAdvance(baselineWords_) + 6, metrics.height());
    if (place.right() > rect.right())
        place.moveRight(x - 4);
    QColor ground = look.color(Role::base);
    ground.setAlphaF(0.9F);
    painter.fillRect(place, ground);
    painter.setFont(font);
    painter.setPen(look.color(Role::text));
    painter.drawText(place, Qt::AlignCenter, baselineWords_);
}

void TimelineArt::drawLane(QCPPainter& painter, int stage) {
    const QCPRange time = parentPlot()->xAxis->range();
    const QRectF whole = lane(stage);
    QRectF waiting = whole;
    waiting.setLeft(std::max(whole.left(), pixelX(0)));
    waiting.setRight(std::min(whole.right(), pixelX(data_->makespan())));
    const ClassStyle bubble = owner_.look().classStyle(Bound::bubble);
    if (waiting.height() < leastTexture)
        painter.fillRect(waiting, bubble.vectorGround());
    else if (waiting.width() > 0)
        paintClassFill(painter, waiting, Bound::bubble, 1, owner_.look());
    const auto blocks = laneBlocks(*data_, stage, time.lower, time.upper, static_cast<int>(whole.width()));
    for (const LaneBlock& block : blocks)
        drawBlock(painter, block, whole);
    drawnBlocks_ += static_cast<int>(blocks.size());
    if (stage == stage_ && event_ < 0) {
        painter.setPen(QPen(owner_.look().color(Role::text), 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(whole.adjusted(0.5, -1, -1, 0.5));
    }
}

void TimelineArt::drawBlock(QCPPainter& painter, const LaneBlock& block, const QRectF& lane) {
    QRectF rect = lane;
    rect.setLeft(lane.left() + std::round(block.left));
    rect.setRight(std::max(lane.left() + std::round(block.right), rect.left() + 1));
    if (block.event < 0) {
        painter.fillRect(rect, colors_.mixture(block.forward, block.backward, block.weight));
        return;
    }
    const TimelineEvent& e = data_->events()[static_cast<std::size_t>(block.event)];
    const QRectF part = within(rect, block.event);
    const QColor fill = colors_.block(e.kind, e.chunk);
    const QRectF drawn =
        part.width() >= gapFrom && lane.height() >= leastTexture ? part.adjusted(0, 0, -1, 0) : part;
    if (drawn != rect) // what the block leaves free is not waiting
        painter.fillRect(data_->tracks(block.event) > 1 ? part : rect, owner_.look().color(Role::base));
    painter.fillRect(drawn, fill);
    drawNumber(painter, drawn, e, fill);
}

void TimelineArt::drawNumber(QCPPainter& painter, const QRectF& rect, const TimelineEvent& event,
                             const QColor& fill) {
    const QFontMetricsF metrics(painter.font());
    if (rect.width() < leastNumberWidth || rect.height() < metrics.ascent())
        return;
    const QString number = QString::number(event.microbatch);
    if (metrics.horizontalAdvance(number) + numberMargin > rect.width())
        return;
    painter.setPen(colors_.ink(fill));
    painter.drawText(rect, Qt::AlignCenter | Qt::TextSingleLine | Qt::TextDontClip, number);
}

void TimelineArt::drawLinks(QCPPainter& painter) const {
    if (event_ < 0)
        return;
    const QColor ink = owner_.look().color(Role::text);
    const QRectF chosen = blockRect(event_);
    painter.setBrush(Qt::NoBrush);
    const auto link = [&](int from, int to) {
        const QRectF a = blockRect(from), b = blockRect(to);
        const QPointF start(a.right() - 1, a.center().y()), end(b.left(), b.center().y());
        const double reach = std::clamp((end.x() - start.x()) / 2, 10.0, 60.0);
        QPainterPath path(start);
        path.cubicTo(start + QPointF(reach, 0), end - QPointF(reach, 0), end);
        // On its own background, so that it is seen over any block.
        painter.setPen(QPen(owner_.look().color(Role::base), 3.5));
        painter.drawPath(path);
        painter.setPen(QPen(ink, 1.5));
        painter.drawPath(path);
        painter.setBrush(ink);
        painter.drawEllipse(end, 2.5, 2.5);
        painter.setBrush(Qt::NoBrush);
    };
    if (const int needed = data_->needs(event_); needed >= 0)
        link(needed, event_);
    if (const int fed = data_->feeds(event_); fed >= 0)
        link(event_, fed);
    painter.setPen(QPen(owner_.look().color(Role::base), 4));
    painter.drawRect(chosen.adjusted(-0.5, -0.5, 0, 0));
    painter.setPen(QPen(ink, 2));
    painter.drawRect(chosen.adjusted(-0.5, -0.5, 0, 0));
}

void TimelineArt::drawStageNumbers(QCPPainter& painter) const {
    const Theme& look = owner_.look();
    const int step = labelStep();
    const QRectF plot = parentPlot()->axisRect()->rect();
    for (int stage = 0; stage < data_->stages(); ++stage) {
        const QRectF row = lane(stage);
        if ((stage % step != 0 && stage != stage_) || row.center().y() < plot.top() ||
            row.center().y() > plot.bottom())
            continue;
        painter.setFont(look.font(stage == stage_ ? FontRole::strong : FontRole::small));
        painter.setPen(look.color(stage == stage_ ? Role::text : Role::text2));
        const QRectF box(0, row.center().y() - 20, row.left() - numbersLeft, 40);
        painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, QString::number(stage));
    }
    painter.setFont(look.font(FontRole::small));
    painter.setPen(look.color(Role::text2));
    const double height = QFontMetricsF(painter.font()).height();
    const double top = plot.bottom() + parentPlot()->xAxis->tickLabelPadding();
    painter.drawText(QRectF(0, top, plot.left() - numbersLeft, height),
                     Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, TimelineText::tr("stage"));
}

} // namespace alidade::views
