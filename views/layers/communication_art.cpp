// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/communication_art.h"

#include "views/kit/paint.h"
#include "views/kit/plot_base.h"
#include "views/layers/names.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double headRows = 1.0;       // over the lanes of a layer: its name
constexpr double gapRows = 0.45;       // under them
constexpr double laneFill = 0.8;       // of a row
constexpr double hiddenOpacity = 0.38; // of what compute covers
constexpr double beforeLane = 8;       // px, between labels and lanes
constexpr double groupIndent = 12;     // logical pixels at 10 pt
constexpr double gapWidth = 3;         // px, from which segments keep a pixel between them

} // namespace

CommunicationArt::CommunicationArt(PlotBase& owner)
    : PlotArt(owner) {
    setLayer(QStringLiteral("axes"));
}

double CommunicationArt::rows() const {
    return data_.lanes() + static_cast<double>(data_.layers.size()) * (headRows + gapRows);
}

double CommunicationArt::top(int layer, int lane) const {
    double row = 0;
    for (int i = 0; i < layer; ++i)
        row += headRows + gapRows + static_cast<double>(data_.layers[i].lanes.size());
    return row + headRows + lane;
}

double CommunicationArt::labelWidth() const {
    const Theme& look = owner_.look();
    const QFontMetricsF small(look.font(FontRole::small));
    double width = look.px(60);
    for (const LayerLanes& layer : data_.layers)
        for (const LayerLane& lane : layer.lanes)
            width = std::max(width, look.px(groupIndent) + small.horizontalAdvance(lane.label));
    return width + 2 * beforeLane;
}

QRectF CommunicationArt::laneRect(int layer, int lane) const {
    const QRectF plot = parentPlot()->axisRect()->rect();
    const double row = top(layer, lane);
    const double upper = std::round(pixelY(row));
    const double lower = std::round(pixelY(row + laneFill));
    const double left = pixelX(0);
    const double right = pixelX(data_.layers[layer].seconds);
    return QRectF(QPointF(std::max(left, plot.left()), upper),
                  QPointF(std::min(std::max(right, left + 2), plot.right()), std::max(lower, upper + 2)));
}

QRectF CommunicationArt::segmentRect(const LanePlace& place) const {
    const LaneSegment& segment = data_.layers[place.layer].lanes[place.lane].segments[place.segment];
    QRectF rect = laneRect(place.layer, place.lane);
    rect.setLeft(pixelX(segment.from));
    rect.setRight(std::max(pixelX(segment.to), rect.left() + 1));
    return rect;
}

LanePlace CommunicationArt::at(const QPointF& position) const {
    LanePlace found;
    for (int layer = 0; layer < data_.layers.size(); ++layer)
        for (int lane = 0; lane < data_.layers[layer].lanes.size(); ++lane) {
            const QRectF row = laneRect(layer, lane);
            if (position.y() < row.top() || position.y() > row.bottom())
                continue;
            double nearest = 3; // px: slivers can be met
            for (int i = 0; i < data_.layers[layer].lanes[lane].segments.size(); ++i) {
                const QRectF rect = segmentRect({layer, lane, i});
                const double away = std::max({rect.left() - position.x(), position.x() - rect.right(), 0.0});
                if (away < nearest) {
                    nearest = away;
                    found = {layer, lane, i};
                }
            }
        }
    return found;
}

void CommunicationArt::draw(QCPPainter* painter) {
    painter->setAntialiasing(false);
    for (int layer = 0; layer < data_.layers.size(); ++layer) {
        painter->save();
        painter->setClipRect(parentPlot()->axisRect()->rect());
        for (int lane = 0; lane < data_.layers[layer].lanes.size(); ++lane)
            drawLane(*painter, layer, lane);
        drawPasses(*painter, layer);
        painter->restore();
        drawLabels(*painter, layer);
    }
    if (selected_.valid()) {
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(owner_.look().color(Role::text), 2));
        painter->drawRect(segmentRect(selected_).adjusted(-1, -1, 1, 1));
    }
}

void CommunicationArt::drawLane(QCPPainter& painter, int layer, int lane) const {
    const Theme& look = owner_.look();
    painter.fillRect(laneRect(layer, lane), look.color(lane == 0 ? Role::sunken : Role::alt));
    const auto& segments = data_.layers[layer].lanes[lane].segments;
    for (int i = 0; i < segments.size(); ++i) {
        QRectF rect = segmentRect({layer, lane, i});
        if (rect.width() >= gapWidth)
            rect.setRight(rect.right() - 1);
        const bool pale = segments[i].hidden || (lane == 0 && segments[i].pass == Pass::recompute);
        paintClassFill(painter, rect, segments[i].bound, pale ? hiddenOpacity : 1, look);
        if (segments[i].hidden && rect.width() >= 2 * gapWidth) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(look.classStyle(segments[i].bound).color, 1));
            painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
        }
        const double letter = look.px(16);
        if (rect.width() >= letter + 6 && rect.height() >= letter && !segments[i].hidden)
            paintTag(painter, rect, segments[i].bound, look);
    }
}

/// Where the forward pass ends.
void CommunicationArt::drawPasses(QCPPainter& painter, int layer) const {
    const LayerLanes& lanes = data_.layers[layer];
    if (lanes.forward <= 0 || lanes.forward >= lanes.seconds)
        return;
    const double x = std::round(pixelX(lanes.forward)) - 0.5;
    const double upper = laneRect(layer, 0).top() - 3;
    const double lower = laneRect(layer, static_cast<int>(lanes.lanes.size()) - 1).bottom() + 3;
    painter.setPen(QPen(owner_.look().color(Role::text), 1));
    painter.drawLine(QPointF(x, upper), QPointF(x, lower));
}

void CommunicationArt::drawLabels(QCPPainter& painter, int layer) const {
    const Theme& look = owner_.look();
    const LayerLanes& lanes = data_.layers[layer];
    const QRectF plot = parentPlot()->axisRect()->rect();
    const double left = look.px(12);
    const double headTop = pixelY(top(layer, 0) - headRows);
    const double headBottom = pixelY(top(layer, 0));
    painter.setFont(look.font(FontRole::strong));
    painter.setPen(look.color(Role::text));
    const QRectF head(left, headTop, plot.right() - left, headBottom - headTop - 2);
    painter.drawText(head, Qt::AlignBottom | Qt::AlignLeft | Qt::TextSingleLine, lanes.title);
    const double after = QFontMetricsF(painter.font()).horizontalAdvance(lanes.title) + look.px(8);
    painter.setFont(look.font(FontRole::small));
    painter.setPen(look.color(Role::text3));
    const double forward = pixelX(lanes.forward);
    painter.drawText(head.adjusted(after, 0, 0, 0), Qt::AlignBottom | Qt::AlignLeft | Qt::TextSingleLine,
                     lanes.count);
    const QFontMetricsF metrics(painter.font());
    const double countEnd = left + after + metrics.horizontalAdvance(lanes.count) + look.px(10);
    const QString before = LayersText::tr("forward"), behind = LayersText::tr("backward");
    painter.setPen(look.color(Role::text2));
    if (lanes.forward > 0 && lanes.forward < lanes.seconds) {
        const double width = metrics.horizontalAdvance(before) + 6;
        if (forward - width > countEnd)
            painter.drawText(QRectF(forward - width, head.top(), width - 3, head.height()),
                             Qt::AlignBottom | Qt::AlignRight | Qt::TextSingleLine, before);
        if (forward > countEnd && forward + metrics.horizontalAdvance(behind) + 6 < plot.right())
            painter.drawText(QRectF(forward + 4, head.top(), 200, head.height()),
                             Qt::AlignBottom | Qt::AlignLeft | Qt::TextSingleLine, behind);
    }
    for (int lane = 0; lane < lanes.lanes.size(); ++lane) {
        const QRectF row = laneRect(layer, lane);
        const QString label = lane == 0 ? LayersText::tr("compute") : lanes.lanes[lane].label;
        painter.drawText(QRectF(0, row.top() - 10, plot.left() - beforeLane, row.height() + 20),
                         Qt::AlignVCenter | Qt::AlignRight | Qt::TextSingleLine, label);
    }
}

} // namespace alidade::views
