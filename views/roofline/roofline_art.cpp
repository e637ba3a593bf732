// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/roofline/roofline_art.h"

#include "views/document/text.h"
#include "views/kit/label_placer.h"
#include "views/kit/plot_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade::views {
namespace {

constexpr double pointSize = 9;   // logical pixels at 10 pt
constexpr double ringRadius = 9;  // logical pixels at 10 pt
constexpr double reach = 12;      // logical pixels around a point
constexpr double trailFrom = 6;   // from this length on a move is drawn
constexpr double trailRing = 3;   // radius
constexpr double stripBase = 0.1; // of the width, and for each point
constexpr double stripEach = 0.018;
constexpr double stripMost = 0.24;

QPen dashed(const QColor& ink, double width, const QList<qreal>& pattern) {
    QPen pen(ink, width);
    pen.setCapStyle(Qt::FlatCap);
    pen.setDashPattern(pattern);
    return pen;
}

/// Places along a line, the best one first, then those nearest to it.
QList<double> placesFrom(double best) {
    QList<double> places{best};
    for (double step = 0.05; step <= 1; step += 0.05)
        for (const double place : {best - step, best + step})
            if (place >= 0 && place <= 1)
                places.append(place);
    return places;
}

/// "989.5", in the unit of the axis.
QString teraFlops(double flopsPerSecond) {
    return text(formatParts(flopsPerSecond, Dimension::flopPerSecond,
                            {.significant = 4, .trimZeros = true, .fixed = ScaledUnit{1e12, "TFLOP/s"}})
                    .number);
}

} // namespace

RooflineArt::RooflineArt(PlotBase& owner)
    : PlotArt(owner, Clip::axes) {}

double RooflineArt::stripShare() const {
    const int points = data_.withoutArithmetic();
    return points == 0 ? 0 : std::min(stripMost, stripBase + stripEach * points);
}

double RooflineArt::stripEnd() const {
    const QRect rect = parentPlot()->axisRect()->rect();
    return rect.left() + stripShare() * rect.width();
}

QPointF RooflineArt::place(int index) const {
    const RooflinePoint& point = data_.points[index];
    if (point.intensity > 0)
        return pixel(point.intensity, point.flopsPerSecond);
    const auto before = std::ranges::count(data_.points.first(index), 0.0, &RooflinePoint::intensity);
    const double left = parentPlot()->axisRect()->rect().left();
    const double step = (stripEnd() - left) / data_.withoutArithmetic();
    const double atEnd = parentPlot()->xAxis->pixelToCoord(stripEnd());
    return {left + (static_cast<double>(before) + 0.5) * step, pixelY(point.hbmShare * data_.hbm() * atEnd)};
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

QLineF RooflineArt::hbmLine(double from, double to) const {
    return from < to ? fabricLine(data_.hbm(), from, to) : QLineF();
}

QLineF RooflineArt::lineOf(const FabricRoof& fabric) const {
    const PrecisionRoof* present = data_.present();
    const double start = parentPlot()->xAxis->pixelToCoord(stripEnd());
    const double ridge = present ? present->flopsPerSecond / fabric.bytesPerSecond : 0;
    return start < ridge ? fabricLine(fabric.bytesPerSecond, start, ridge) : QLineF();
}

void RooflineArt::keepLinesFree(LabelPlacer& labels) const {
    const auto keep = [&labels](const QLineF& line) {
        if (!line.isNull())
            labels.keepFree(line);
    };
    for (const PrecisionRoof& roof : data_.precisions)
        keep(peakLine(roof.flopsPerSecond));
    if (data_.sustained > 0)
        keep(peakLine(data_.sustained));
    for (const FabricRoof& fabric : data_.fabrics)
        keep(lineOf(fabric));
    if (data_.hbm() > 0 && !data_.precisions.isEmpty())
        keep(hbmLine(parentPlot()->xAxis->pixelToCoord(stripEnd()),
                     data_.precisions.constLast().flopsPerSecond / data_.hbm()));
}

/// Roofs that stand too close for words between them share those above the highest.
void RooflineArt::labelRoofs(LabelPlacer& labels) const {
    const Theme& look = owner_.look();
    const QFont font = look.font(FontRole::small);
    const double close = QFontMetricsF(font).height() + look.px(2);
    const auto add = [&](const QLineF& line, const QStringList& words, bool present) {
        return labels.addAlong(line, words.join(QStringLiteral(", ")),
                               {font, look.color(present ? Role::text : Role::text3)}, placesFrom(0.97));
    };
    QLineF line; // of the highest roof of a group
    double lowest = 0;
    QStringList all, used;
    const auto addGroup = [&] {
        if (!all.isEmpty() && !add(line, all, !used.isEmpty()) && !used.isEmpty())
            add(line, used, true);
        all.clear();
        used.clear();
    };
    for (qsizetype i = data_.precisions.size() - 1; i >= 0; --i) {
        const PrecisionRoof& roof = data_.precisions[i];
        const QLineF own = peakLine(roof.flopsPerSecond);
        if (own.isNull()) // out of sight: it needs no words, and the next one has its own
            continue;
        if (all.isEmpty() || own.y1() - lowest > close) {
            addGroup();
            line = own;
        }
        lowest = own.y1();
        all.append(roof.name + QLatin1Char(' ') + teraFlops(roof.flopsPerSecond));
        if (roof.present)
            used.append(all.constLast());
    }
    addGroup();
}

void RooflineArt::drawRoofs(QPainter& painter, LabelPlacer& labels) const {
    const Theme& look = owner_.look();
    for (const bool present : {false, true})
        for (const PrecisionRoof& roof : data_.precisions)
            if (const QLineF line = peakLine(roof.flopsPerSecond);
                roof.present == present && !line.isNull()) {
                painter.setPen(QPen(look.color(present ? Role::text : Role::line2), present ? 1.5 : 1));
                painter.drawLine(line);
            }
    labelRoofs(labels);
    const PrecisionRoof* present = data_.present();
    if (!present || data_.sustained <= 0)
        return;
    const QLineF line = peakLine(data_.sustained);
    if (line.isNull())
        return;
    painter.setPen(dashed(look.color(Role::text2), 1, {4, 3}));
    painter.drawLine(line);
    labels.addAlong(
        line,
        RooflineText::tr("sustained %1")
            .arg(quantity(data_.sustained / present->flopsPerSecond, Dimension::ratio, {.significant = 2})),
        {look.font(FontRole::small), look.color(Role::text2)}, placesFrom(0.97));
}

void RooflineArt::drawFabrics(QPainter& painter, LabelPlacer& labels) const {
    const Theme& look = owner_.look();
    if (!data_.present())
        return;
    const double start = parentPlot()->xAxis->pixelToCoord(stripEnd());
    if (data_.hbm() > 0) { // in ink as far as the plan uses it
        const auto used = std::ranges::find_if(data_.precisions.crbegin(), data_.precisions.crend(),
                                               &PrecisionRoof::present);
        const double ridge = used->flopsPerSecond / data_.hbm();
        painter.setPen(QPen(look.color(Role::line2), 1));
        painter.drawLine(
            hbmLine(std::max(start, ridge), data_.precisions.constLast().flopsPerSecond / data_.hbm()));
        painter.setPen(QPen(look.color(Role::text), 1.5));
        painter.drawLine(hbmLine(start, ridge));
    }
    for (const FabricRoof& fabric : data_.fabrics) {
        const bool hbm = fabric.bound == Bound::hbm;
        const QLineF line = lineOf(fabric);
        const QColor ink = hbm ? look.color(Role::text) : look.classStyle(fabric.bound).color;
        if (line.isNull())
            continue;
        if (!hbm) {
            painter.setPen(dashed(ink, 1, {6, 3}));
            painter.drawLine(line);
        }
        const QString rate = quantity(fabric.bytesPerSecond, Dimension::bytesPerSecond, {.trimZeros = true});
        for (const QString& words : {QString(fabric.name + QLatin1Char(' ') + rate), fabric.name})
            if (labels.addAlong(line, words, {look.font(FontRole::small), ink}, placesFrom(0.5)))
                break;
    }
}

void RooflineArt::drawRidges(QPainter& painter, LabelPlacer& labels) const {
    const Theme& look = owner_.look();
    const QRectF rect = area();
    const auto draw = [&](double peak, double bytesPerSecond, const QColor& line, const QColor& ink,
                          const QStringList& words) {
        const QPointF top = pixel(peak / bytesPerSecond, peak);
        if (top.x() <= stripEnd() || top.x() >= rect.right() || top.y() >= rect.bottom())
            return;
        painter.setPen(dashed(line, 1, {2, 3}));
        painter.drawLine(QPointF(top.x(), std::max(top.y(), rect.top())), QPointF(top.x(), rect.bottom()));
        for (const QString& each : words)
            if (labels.addAbove({top.x() + 4, rect.bottom() - 3},
                                each.arg(quantity(peak / bytesPerSecond, Dimension::number)),
                                {look.font(FontRole::small), ink}))
                return;
    };
    const PrecisionRoof* present = data_.present();
    if (!present || data_.hbm() <= 0)
        return;
    const bool one = std::ranges::count(data_.precisions, true, &PrecisionRoof::present) == 1;
    for (const bool used : {true, false})
        for (const PrecisionRoof& roof : data_.precisions) {
            if (roof.present != used)
                continue;
            const QString named = roof.name + QStringLiteral(" %1");
            draw(roof.flopsPerSecond, data_.hbm(), look.color(Role::line2),
                 look.color(used ? Role::text2 : Role::text3),
                 used && one ? QStringList{RooflineText::tr("ridge %1")}
                 : used      ? QStringList{RooflineText::tr("ridge %1").arg(named), named}
                             : QStringList{named});
        }
    for (const FabricRoof& fabric : data_.fabrics.mid(1)) {
        QColor pale = look.classStyle(fabric.bound).color;
        pale.setAlphaF(0.55F);
        draw(present->flopsPerSecond, fabric.bytesPerSecond, pale, look.classStyle(fabric.bound).color,
             {fabric.name + QStringLiteral(" %1"), QStringLiteral("%1")});
    }
}

/// Also what found no room for its label.
std::optional<CardContent> RooflineArt::roofAt(const QPointF& position) const {
    std::optional<CardContent> card;
    double least = owner_.look().px(reach) / 2.0;
    const auto isNearer = [&](const QLineF& line) {
        if (line.isNull())
            return false;
        const QPointF along = line.p2() - line.p1();
        const double share = std::clamp(
            QPointF::dotProduct(position - line.p1(), along) / QPointF::dotProduct(along, along), 0.0, 1.0);
        const double distance = QLineF(position, line.pointAt(share)).length();
        if (distance >= least)
            return false;
        least = distance;
        return true;
    };
    const auto ridge = [](double peak, double bytesPerSecond) {
        return std::pair(RooflineText::tr("Ridge"), quantity(peak / bytesPerSecond, Dimension::flopPerByte));
    };
    for (const PrecisionRoof& roof : data_.precisions)
        if (isNearer(peakLine(roof.flopsPerSecond))) {
            card = CardContent{
                .title = RooflineText::tr("%1, dense peak").arg(roof.name), .tag = {}, .rows = {}};
            card->rows = {{RooflineText::tr("Peak"), quantity(roof.flopsPerSecond, Dimension::flopPerSecond)},
                          {RooflineText::tr("Plan"), roof.present ? RooflineText::tr("computes in it")
                                                                  : RooflineText::tr("does not use it")}};
            if (data_.hbm() > 0)
                card->rows.append(ridge(roof.flopsPerSecond, data_.hbm()));
        }
    if (const PrecisionRoof* present = data_.present()) {
        if (data_.sustained > 0 && isNearer(peakLine(data_.sustained)))
            card = CardContent{
                .title = RooflineText::tr("Sustained"),
                .tag = {},
                .rows = {{RooflineText::tr("Rate"), quantity(data_.sustained, Dimension::flopPerSecond)},
                         {RooflineText::tr("Of the peak"), quantity(data_.sustained / present->flopsPerSecond,
                                                                    Dimension::ratio, {.significant = 2})}}};
        for (const FabricRoof& fabric : data_.fabrics)
            if (isNearer(lineOf(fabric)))
                card = CardContent{.title = fabric.name,
                                   .tag = fabric.bound,
                                   .rows = {{RooflineText::tr("Bandwidth"),
                                             quantity(fabric.bytesPerSecond, Dimension::bytesPerSecond)},
                                            ridge(present->flopsPerSecond, fabric.bytesPerSecond)}};
    }
    return card;
}

void RooflineArt::drawStrip(QPainter& painter, LabelPlacer& labels) const {
    if (stripShare() <= 0)
        return;
    const Theme& look = owner_.look();
    QRectF strip = parentPlot()->axisRect()->rect();
    strip.setRight(stripEnd());
    painter.fillRect(strip, look.color(Role::alt));
    painter.setPen(QPen(look.color(Role::line), 0));
    painter.drawLine(strip.topRight(), strip.bottomRight());
    const double roof = pixel(1, data_.hbm() * parentPlot()->xAxis->pixelToCoord(stripEnd())).y();
    if (strip.top() < roof && roof < strip.bottom()) {
        painter.setPen(QPen(look.color(Role::text), 1.5));
        painter.drawLine(QPointF(strip.left(), roof), QPointF(strip.right(), roof));
    }
    const QFont font = look.font(FontRole::small);
    QRectF words = strip.adjusted(4, 3, 0, 0);
    words.setHeight(QFontMetricsF(font).height());
    labels.keepFree(words);
    painter.setFont(font);
    painter.setPen(look.color(Role::text3));
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     RooflineText::tr("no FLOP"));
}

/// From where the baseline has the point, which is a small ring; a move that is hardly seen has no trail.
void RooflineArt::drawTrail(QPainter& painter, int i) const {
    const RooflinePoint& point = data_.points[i];
    if (!(point.beforeIntensity > 0))
        return;
    const QLineF line(pixel(point.beforeIntensity, point.beforeFlopsPerSecond), place(i));
    const Theme& look = owner_.look();
    if (line.length() < look.px(trailFrom) || line.p1().x() < stripEnd())
        return;
    painter.setPen(QPen(look.color(Role::text2), 1));
    painter.setBrush(look.color(Role::base));
    painter.drawLine(line);
    painter.drawEllipse(line.p1(), look.px(trailRing), look.px(trailRing));
}

void RooflineArt::drawPoints(QCPPainter& painter) const {
    const Theme& look = owner_.look();
    painter.setAntialiasing(true);
    const auto drawOne = [&](int i) {
        const QCPScatterStyle style = classScatter(data_.points[i].bound, look.px(pointSize), look);
        if (style.brush().style() != Qt::NoBrush) { // a rim of ground keeps neighbors apart
            const QColor ground = look.color(Role::base);
            const QCPScatterStyle rim(style.shape(), QPen(ground, 1), ground, style.size() + 2);
            rim.applyTo(&painter, QPen());
            rim.drawShape(&painter, place(i));
        }
        style.applyTo(&painter, QPen());
        style.drawShape(&painter, place(i));
    };
    for (int i = 0; i < data_.points.size(); ++i)
        if (data_.points[i].intensity > 0 && place(i).x() >= stripEnd())
            drawTrail(painter, i);
    for (int i = 0; i < data_.points.size(); ++i)
        if (i != selected_ && (data_.points[i].intensity <= 0 || place(i).x() >= stripEnd()))
            drawOne(i);
    if (selected_ < 0 || selected_ >= data_.points.size())
        return;
    const double radius = look.px(ringRadius);
    painter.setBrush(look.color(Role::base));
    painter.setPen(QPen(look.color(Role::text), 1.5));
    painter.drawEllipse(place(selected_), radius, radius);
    drawOne(selected_);
}

void RooflineArt::draw(QCPPainter* painter) {
    const QRectF rect = area();
    if (rect.width() < 20 || rect.height() < 20)
        return;
    painter->setAntialiasing(true);
    LabelPlacer labels(rect);
    const double half = owner_.look().px(pointSize) / 2.0;
    for (int i = 0; i < data_.points.size(); ++i) {
        const QPointF at = place(i);
        labels.keepFree(QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half));
    }
    if (selected_ >= 0 && selected_ < data_.points.size()) {
        const double radius = owner_.look().px(ringRadius) + 1;
        const QPointF at = place(selected_);
        labels.keepFree(QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius));
    }
    keepLinesFree(labels);
    drawStrip(*painter, labels);
    drawRoofs(*painter, labels);
    drawFabrics(*painter, labels);
    drawRidges(*painter, labels);
    placed_ = labels.placed();
    labels.paint(*painter, owner_.look().color(Role::base));
    drawPoints(*painter);
}

} // namespace alidade::views
