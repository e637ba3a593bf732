// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/serving/load_labels.h"

#include "views/document/text.h"
#include "views/kit/multiples.h"
#include "views/kit/plot_base.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double besideLine = 5; // logical pixels between a vertical line and words next to it
constexpr double fromEdge = 2;   // logical pixels between the edge of the plot and words
constexpr double nameAside = 6;  // logical pixels from a point of a curve to its name
constexpr double nameAbove = 4;
constexpr double named = 0.75;  // share of the height, from below, that names of curves stand in if they can
constexpr double farAway = 1e5; // pixels: beyond, a curve is cut

/// The part of a line from a point that is seen to one that may be far above.
QLineF cutAbove(const QLineF& line, double top) {
    if (std::min(line.y1(), line.y2()) >= top || line.dy() == 0)
        return line;
    const QPointF at = line.pointAt((top - line.y1()) / line.dy());
    return line.y1() < line.y2() ? QLineF(at, line.p2()) : QLineF(line.p1(), at);
}

/// In the unit of the axis.
QString millisecondText(double seconds) {
    return ServingText::tr("%1 ms").arg(quantity(seconds * 1e3, Dimension::number, {.trimZeros = true}));
}

} // namespace

LoadLabels::LoadLabels(PlotBase& owner, Latency latency, const LoadData& data)
    : PlotArt(owner)
    , latency_(latency)
    , data_(data) {}

double LoadLabels::rowHeight() const { return QFontMetricsF(owner_.look().font(FontRole::small)).height(); }

LabelPlacer::Look LoadLabels::look(Role ink) const {
    return {owner_.look().font(FontRole::small), owner_.look().color(ink)};
}

QPointF LoadLabels::cutPixel(double load, double seconds) const {
    return {pixelX(load), std::clamp(pixelY(seconds), -farAway, farAway)};
}

QLineF LoadLabels::across(double seconds) const {
    const double y = pixelY(seconds);
    return {QPointF(area().left(), y), QPointF(area().right(), y)};
}

void LoadLabels::keepPictureFree(LabelPlacer& labels) const {
    for (const Value value : {&percentileOf, &meanOf})
        for (qsizetype i = 1; i < data_.points.size(); ++i) {
            const QLineF line(cutPixel(data_.load(data_.points[i - 1]), value(data_.points[i - 1], latency_)),
                              cutPixel(data_.load(data_.points[i]), value(data_.points[i], latency_)));
            labels.keepFree(cutAbove(line, area().top()));
        }
    const double present = pixelX(data_.present);
    labels.keepFree(QLineF(present, area().top(), present, area().bottom()));
    if (const auto target = data_.target(latency_))
        labels.keepFree(across(*target));
    labels.keepFree(owner_.titleRect(PlotAxis::y));
}

/// Above the plot, said once, in the upper one; inside where the title of the axis leaves no room.
void LoadLabels::addPresent(LabelPlacer& labels) const {
    if (latency_ != Latency::ttft)
        return;
    const double x = pixelX(data_.present);
    const double gap = owner_.look().px(besideLine);
    const double above = area().top() - 1;
    QList<LabelPlacer::Spot> spots{{QPointF(x, above), Qt::AlignHCenter | Qt::AlignBottom},
                                   {QPointF(x - gap, above), Qt::AlignLeft | Qt::AlignBottom},
                                   {QPointF(x + gap, above), Qt::AlignRight | Qt::AlignBottom}};
    for (const double y : placesBetween(area().top() + fromEdge, area().bottom(), rowHeight() / 2)) {
        spots.append({QPointF(x + gap, y), Qt::AlignLeft | Qt::AlignTop});
        spots.append({QPointF(x - gap, y), Qt::AlignRight | Qt::AlignTop});
    }
    labels.addAt(spots, loadText(data_.present, data_.measure, data_.unit), look(Role::text));
}

void LoadLabels::addTarget(LabelPlacer& labels) const {
    const auto target = data_.target(latency_);
    if (!target)
        return;
    QList<double> places;
    for (const int percent : {40, 30, 20, 50, 10, 60, 70, 2, 80, 90, 98})
        places.append(percent / 100.0);
    labels.addAlong(
        across(*target),
        ServingText::tr("target %1 %2").arg(percentileText(data_.percentile), millisecondText(*target)),
        look(Role::err), places);
}

/// What the grounds mean, said once, in the upper plot.
void LoadLabels::addGrounds(LabelPlacer& labels) const {
    if (latency_ != Latency::ttft)
        return;
    const double start = area().left(), end = area().right();
    const auto column = [&](QList<LabelPlacer::Spot>& spots, double x, Qt::Alignment side) {
        for (const double y :
             placesBetween(area().top() + fromEdge, area().bottom() - rowHeight(), rowHeight() / 2))
            spots.append({QPointF(x, y), side | Qt::AlignTop});
    };
    const double limit = data_.stable > 0 ? data_.stable : data_.mostLoad();
    if (limit < data_.mostLoad()) {
        // In its ground where that is wide enough, else next to it.
        QList<LabelPlacer::Spot> spots;
        const double edge = pixelX(limit);
        column(spots, std::max(start, edge) + fromEdge, Qt::AlignLeft);
        column(spots, edge - fromEdge, Qt::AlignRight);
        labels.addAt(spots,
                     data_.measure == LoadMeasure::requestRate ? ServingText::tr("not stable")
                                                               : ServingText::tr("queues"),
                     look(Role::err));
    }
    if (const double within = std::min(data_.within.value_or(0), data_.mostLoad());
        within > data_.leastLoad()) {
        QList<LabelPlacer::Spot> spots;
        column(spots, start + owner_.look().px(4), Qt::AlignLeft);
        column(spots, std::min(end, pixelX(within)) - fromEdge, Qt::AlignRight);
        labels.addAt(spots, ServingText::tr("targets hold to %1").arg(loadNumber(within)), look(Role::ok));
    }
}

/// At a point of the curve, on the side that the other curve is not on; as far right as there is room.
void LoadLabels::addName(LabelPlacer& labels, const QString& name, bool strong) const {
    const Value value = strong ? &percentileOf : &meanOf, other = strong ? &meanOf : &percentileOf;
    const double top = area().bottom() - named * area().height();
    QList<LabelPlacer::Spot> spots;
    const auto spotsAt = [&](const LoadPoint& point) {
        const QPointF at = cutPixel(data_.load(point), value(point, latency_));
        const QSizeF gap(owner_.look().px(nameAside), owner_.look().px(nameAbove));
        const LabelPlacer::Spot above{at + QPointF(-gap.width() / 2, -gap.height()),
                                      Qt::AlignRight | Qt::AlignBottom};
        const LabelPlacer::Spot below{at + QPointF(gap.width() / 2, gap.height()),
                                      Qt::AlignLeft | Qt::AlignTop};
        const LabelPlacer::Spot under{at + QPointF(gap.width() / 2, gap.height()),
                                      Qt::AlignRight | Qt::AlignTop};
        const bool upper = value(point, latency_) > other(point, latency_) ||
                           (strong && value(point, latency_) == other(point, latency_));
        spots += upper ? QList{above} : QList{below, under};
    };
    for (qsizetype i = data_.points.size() - 1; i >= 0; --i)
        if (cutPixel(data_.load(data_.points[i]), value(data_.points[i], latency_)).y() >= top)
            spotsAt(data_.points[i]);
    for (const LoadPoint& point : data_.points)
        if (cutPixel(data_.load(point), value(point, latency_)).y() < top)
            spotsAt(point);
    labels.addAt(spots, name, look(strong ? Role::accent : Role::text2));
}

void LoadLabels::draw(QCPPainter* painter) {
    placed_.clear();
    if (area().width() < 20 || area().height() < 20)
        return;
    LabelPlacer labels(area().adjusted(0, -rowHeight() - 2, 1, 0));
    keepPictureFree(labels);
    addPresent(labels);
    addName(labels, percentileText(data_.percentile), true);
    addTarget(labels);
    addGrounds(labels);
    addName(labels, ServingText::tr("mean"), false);
    labels.paint(*painter, QColor());
    placed_ = labels.placed();
}

} // namespace alidade::views
