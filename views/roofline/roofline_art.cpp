// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/roofline/roofline_art.h"

#include "views/document/text.h"
#include "views/kit/plot_parts.h"
#include "views/roofline/label_placer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade::views {
namespace {

constexpr double pointSize = 9;   // logical pixels at 10 pt
constexpr double ringRadius = 9;  // logical pixels at 10 pt
constexpr double reach = 12;      // logical pixels around a point
constexpr double stripBase = 0.1; // of the width, and for each point
constexpr double stripEach = 0.018;
constexpr double stripMost = 0.24;

QPen dashed(const QColor& ink, double width, const QList<qreal>& pattern) {
    QPen pen(ink, width);
    pen.setCapStyle(Qt::FlatCap);
    pen.setDashPattern(pattern);
    return pen;
}

/// "989.5", in the unit of the axis.
QString teraFlops(double flopsPerSecond) {
    return text(formatParts(flopsPerSecond, Dimension::flopPerSecond,
                            {.significant = 4, .trimZeros = true, .fixed = ScaledUnit{1e12, "TFLOP/s"}})
                    .number);
}

} // namespace

RooflineArt::RooflineArt(PlotBase& owner)
    : QCPAbstractItem(owner.plot())
    , owner_(owner) {
    setSelectable(false);
}

double RooflineArt::stripShare() const {
    const int points = data_.withoutArithmetic();
    return points == 0 ? 0 : std::min(stripMost, stripBase + stripEach * points);
}

double RooflineArt::stripEnd() const {
    const QRect rect = parentPlot()->axisRect()->rect();
    return rect.left() + stripShare() * rect.width();
}

QPointF RooflineArt::pixel(double intensity, double flopsPerSecond) const {
    return {parentPlot()->xAxis->coordToPixel(intensity), parentPlot()->yAxis->coordToPixel(flopsPerSecond)};
}

QPointF RooflineArt::place(int index) const {
    const RooflinePoint& point = data_.points[index];
    if (point.intensity > 0)
        return pixel(point.intensity, point.flopsPerSecond);
    const auto before = std::ranges::count(data_.points.first(index), 0.0, &RooflinePoint::intensity);
    const double left = parentPlot()->axisRect()->rect().left();
    const double step = (stripEnd() - left) / data_.withoutArithmetic();
    const double atEnd = parentPlot()->xAxis->pixelToCoord(stripEnd());
    return {left + (static_cast<double>(before) + 0.5) * step,
            parentPlot()->yAxis->coordToPixel(point.hbmShare * data_.hbm() * atEnd)};
}

int RooflineArt::pointAt(const QPointF& position) const {
    int nearest = -1;
    double least = owner_.look().px(reach);
    for (int i = 0; i < data_.points.size(); ++i) {
        // A point under the strip is not seen.
        if (data_.points[i].intensity > 0 && place(i).x() < stripEnd())
            continue;
        const double distance = QLineF(position, place(i)).length();
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return nearest;
}

QLineF RooflineArt::seen(const QLineF& line) const {
    // All roofs go up to the right, so it is enough to cut them at the edges that they enter and leave by.
    QRectF rect = parentPlot()->axisRect()->rect();
    rect.setLeft(stripEnd());
    QLineF cut = line;
    const auto cutAt = [&cut](double x) { return cut.pointAt((x - cut.x1()) / cut.dx()); };
    if (cut.x1() < rect.left() && cut.dx() > 0)
        cut.setP1(cutAt(rect.left()));
    if (cut.y1() > rect.bottom() && cut.dy() < 0)
        cut.setP1(cut.pointAt((rect.bottom() - cut.y1()) / cut.dy()));
    if (cut.x2() > rect.right() && cut.dx() > 0)
        cut.setP2(cutAt(rect.right()));
    if (cut.y2() < rect.top() && cut.dy() < 0)
        cut.setP2(cut.pointAt((rect.top() - cut.y1()) / cut.dy()));
    return cut.x2() > cut.x1() && rect.adjusted(-1, -1, 1, 1).contains(cut.center()) ? cut : QLineF();
}

QLineF RooflineArt::fabricLine(double bytesPerSecond, double from, double to) const {
    return seen({pixel(from, from * bytesPerSecond), pixel(to, to * bytesPerSecond)});
}

QLineF RooflineArt::peakLine(double flopsPerSecond) const {
    const double ridge = data_.hbm() > 0 ? flopsPerSecond / data_.hbm() : data_.intensities.low;
    const double end = parentPlot()->xAxis->range().upper;
    return end > ridge ? seen({pixel(ridge, flopsPerSecond), pixel(end, flopsPerSecond)}) : QLineF();
}

void RooflineArt::drawRoofs(QPainter& painter, LabelPlacer& labels) const {
    const Theme& look = owner_.look();
    for (const PrecisionRoof& roof : data_.precisions)
        if (const QLineF line = peakLine(roof.flopsPerSecond); !line.isNull())
            labels.keepFree(QRectF(line.p1(), line.p2()).adjusted(0, -1, 0, 1));
    for (const PrecisionRoof& roof : data_.precisions) {
        const QLineF line = peakLine(roof.flopsPerSecond);
        if (line.isNull())
            continue;
        painter.setPen(QPen(look.colour(roof.present ? Role::text : Role::line2), roof.present ? 1.5 : 1));
        painter.drawLine(line);
        labels.addAlong(line, roof.name + QLatin1Char(' ') + teraFlops(roof.flopsPerSecond),
                        {look.font(FontRole::small), look.colour(roof.present ? Role::text : Role::text3)},
                        roof.present ? QList<double>{0.04, 0.5, 1, 0.25, 0.75}
                                     : QList<double>{1, 0.7, 0.4, 0.1});
    }
    const PrecisionRoof* present = data_.present();
    if (!present || data_.sustained <= 0)
        return;
    const QLineF line = peakLine(data_.sustained);
    if (line.isNull())
        return;
    painter.setPen(dashed(look.colour(Role::text2), 1, {4, 3}));
    painter.drawLine(line);
    labels.addAlong(
        line,
        RooflineText::tr("sustained %1")
            .arg(quantity(data_.sustained / present->flopsPerSecond, Dimension::ratio, {.significant = 2})),
        {look.font(FontRole::small), look.colour(Role::text2)}, {1, 0.7, 0.4});
}

void RooflineArt::drawFabrics(QPainter& painter, LabelPlacer& labels) const {
    const Theme& look = owner_.look();
    const PrecisionRoof* present = data_.present();
    if (!present)
        return;
    const double start = parentPlot()->xAxis->pixelToCoord(stripEnd());
    for (const FabricRoof& fabric : data_.fabrics) {
        const bool hbm = fabric.bound == Bound::hbm;
        const double ridge = present->flopsPerSecond / fabric.bytesPerSecond;
        const QLineF line = start < ridge ? fabricLine(fabric.bytesPerSecond, start, ridge) : QLineF();
        const QColor ink = hbm ? look.colour(Role::text) : look.classStyle(fabric.bound).colour;
        if (hbm) {
            const double last = data_.precisions.constLast().flopsPerSecond / fabric.bytesPerSecond;
            painter.setPen(QPen(look.colour(Role::line2), 1));
            if (last > std::max(start, ridge))
                painter.drawLine(fabricLine(fabric.bytesPerSecond, std::max(start, ridge), last));
        }
        if (line.isNull())
            continue;
        painter.setPen(hbm ? QPen(ink, 1.5) : dashed(ink, 1, {6, 3}));
        painter.drawLine(line);
        labels.addAlong(line,
                        fabric.name + QLatin1Char(' ') +
                            quantity(fabric.bytesPerSecond, Dimension::bytesPerSecond, {.trimZeros = true}),
                        {look.font(FontRole::small), ink}, {0.5, 0.35, 0.65, 0.15, 0.85, 0});
    }
}

void RooflineArt::drawRidges(QPainter& painter, LabelPlacer& labels) const {
    const Theme& look = owner_.look();
    const QRectF rect = parentPlot()->axisRect()->rect();
    const auto draw = [&](double peak, double bytesPerSecond, const QColor& line, const QColor& ink,
                          const QString& words) {
        const QPointF top = pixel(peak / bytesPerSecond, peak);
        if (top.x() <= stripEnd() || top.x() >= rect.right() || top.y() >= rect.bottom())
            return;
        painter.setPen(dashed(line, 1, {2, 3}));
        painter.drawLine(QPointF(top.x(), std::max(top.y(), rect.top())), QPointF(top.x(), rect.bottom()));
        labels.addAbove({top.x() + 4, rect.bottom() - 3},
                        words.arg(quantity(peak / bytesPerSecond, Dimension::number)),
                        {look.font(FontRole::small), ink});
    };
    const PrecisionRoof* present = data_.present();
    if (!present || data_.hbm() <= 0)
        return;
    for (const PrecisionRoof& roof : data_.precisions)
        draw(roof.flopsPerSecond, data_.hbm(), look.colour(Role::line2), look.colour(Role::text3),
             roof.present ? RooflineText::tr("ridge %1") : roof.name + QStringLiteral(" %1"));
    for (const FabricRoof& fabric : data_.fabrics.mid(1)) {
        QColor pale = look.classStyle(fabric.bound).colour;
        pale.setAlphaF(0.55F);
        draw(present->flopsPerSecond, fabric.bytesPerSecond, pale, look.classStyle(fabric.bound).colour,
             QStringLiteral("%1"));
    }
}

void RooflineArt::drawStrip(QPainter& painter, LabelPlacer& labels) const {
    if (stripShare() <= 0)
        return;
    const Theme& look = owner_.look();
    QRectF strip = parentPlot()->axisRect()->rect();
    strip.setRight(stripEnd());
    painter.fillRect(strip, look.colour(Role::alt));
    painter.setPen(QPen(look.colour(Role::line), 0));
    painter.drawLine(strip.topRight(), strip.bottomRight());
    const double roof = pixel(1, data_.hbm() * parentPlot()->xAxis->pixelToCoord(stripEnd())).y();
    if (strip.top() < roof && roof < strip.bottom()) {
        painter.setPen(QPen(look.colour(Role::text), 1.5));
        painter.drawLine(QPointF(strip.left(), roof), QPointF(strip.right(), roof));
    }
    const QFont font = look.font(FontRole::small);
    QRectF words = strip.adjusted(4, 3, 0, 0);
    words.setHeight(QFontMetricsF(font).height());
    labels.keepFree(words);
    painter.setFont(font);
    painter.setPen(look.colour(Role::text3));
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     RooflineText::tr("no FLOP"));
}

void RooflineArt::drawPoints(QCPPainter& painter) const {
    const Theme& look = owner_.look();
    painter.setAntialiasing(true);
    const auto drawOne = [&](int i) {
        const QCPScatterStyle style = classScatter(data_.points[i].bound, look.px(pointSize), look);
        if (style.brush().style() != Qt::NoBrush) { // a rim of ground keeps neighbours apart
            const QColor ground = look.colour(Role::base);
            const QCPScatterStyle rim(style.shape(), QPen(ground, 1), ground, style.size() + 2);
            rim.applyTo(&painter, QPen());
            rim.drawShape(&painter, place(i));
        }
        style.applyTo(&painter, QPen());
        style.drawShape(&painter, place(i));
    };
    for (int i = 0; i < data_.points.size(); ++i)
        if (i != selected_ && (data_.points[i].intensity <= 0 || place(i).x() >= stripEnd()))
            drawOne(i);
    if (selected_ < 0 || selected_ >= data_.points.size())
        return;
    const double radius = look.px(ringRadius);
    painter.setBrush(look.colour(Role::base));
    painter.setPen(QPen(look.colour(Role::text), 1.5));
    painter.drawEllipse(place(selected_), radius, radius);
    drawOne(selected_);
}

void RooflineArt::draw(QCPPainter* painter) {
    const QRectF rect = parentPlot()->axisRect()->rect();
    if (rect.width() < 20 || rect.height() < 20)
        return;
    painter->setAntialiasing(true);
    LabelPlacer labels(rect);
    const double half = owner_.look().px(pointSize) / 2.0;
    for (int i = 0; i < data_.points.size(); ++i) {
        const QPointF at = place(i);
        labels.keepFree({at.x() - half, at.y() - half, 2 * half, 2 * half});
    }
    if (selected_ >= 0 && selected_ < data_.points.size()) {
        const double radius = owner_.look().px(ringRadius) + 1;
        const QPointF at = place(selected_);
        labels.keepFree({at.x() - radius, at.y() - radius, 2 * radius, 2 * radius});
    }
    drawStrip(*painter, labels);
    drawRidges(*painter, labels);
    drawRoofs(*painter, labels);
    drawFabrics(*painter, labels);
    labels.paint(*painter, owner_.look().colour(Role::base));
    drawPoints(*painter);
}

} // namespace alidade::views
