// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/serving/percentile_labels.h"

#include "views/kit/plot_base.h"
#include "views/serving/load_data.h"

#include <algorithm>
#include <array>

namespace alidade::views {
namespace {

constexpr int curveSteps = 60;     // pieces that represent a curve
constexpr double besideCurve = 7;  // logical pixels from a curve to its name
constexpr double besideTarget = 4; // logical pixels from the line of a target to its words

/// Where along a curve its name stands best, apart from its neighbors'.
double nameShare(RequestLatency latency) {
    return latency == RequestLatency::tpot ? 0.28 : latency == RequestLatency::itl ? 0.62 : 0.42;
}

} // namespace

PercentileLabels::PercentileLabels(PlotBase& owner, const PercentileData& data)
    : PlotArt(owner)
    , data_(data) {}

QString PercentileLabels::highestPercentiles() { return ServingText::tr("p95, p99"); }

Role PercentileLabels::inkOf(RequestLatency latency) {
    switch (latency) {
    case RequestLatency::ttft:
        return Role::accent;
    case RequestLatency::itl:
        return Role::text;
    default:
        return Role::text2;
    }
}

void PercentileLabels::keepPictureFree(LabelPlacer& labels) const {
    for (const LatencyCurve& curve : data_.curves) {
        // The closed form knows no more than the marked percentiles.
        const double first = data_.simulated ? 0.0 : markedPercentiles.front() / 100;
        const double last = data_.simulated ? 1.0 : markedPercentiles.back() / 100;
        for (int i = 0; i < curveSteps; ++i) {
            const double from = first + (last - first) * i / curveSteps;
            const double to = first + (last - first) * (i + 1) / curveSteps;
            labels.keepFree(QLineF(pixel(curve.at(from * 100), from), pixel(curve.at(to * 100), to)));
        }
        if (curve.target)
            labels.keepFree(QLineF(pixel(*curve.target, 0), pixel(*curve.target, 1)));
    }
    for (const double percentile : markedPercentiles) {
        const double y = pixelY(percentile / 100);
        labels.keepFree(QLineF(area().left(), y, area().right(), y));
    }
}

void PercentileLabels::addCurve(LabelPlacer& labels, const LatencyCurve& curve) const {
    const double gap = owner_.look().px(besideCurve);
    const double best = nameShare(curve.latency);
    QList<LabelPlacer::Spot> spots;
    const auto add = [&](double share) {
        if (share < 0.04 || share > 0.97)
            return;
        const QPointF at = pixel(curve.at(share * 100), share);
        const LabelPlacer::Spot left{at - QPointF(gap, 0), Qt::AlignRight | Qt::AlignVCenter};
        const LabelPlacer::Spot right{at + QPointF(gap, 0), Qt::AlignLeft | Qt::AlignVCenter};
        // Where a curve is flat its name is below it, or above.
        const LabelPlacer::Spot below{at + QPointF(gap, 3), Qt::AlignLeft | Qt::AlignTop};
        const LabelPlacer::Spot above{at - QPointF(gap, 3), Qt::AlignRight | Qt::AlignBottom};
        // Gaps are the shortest: left of their curve stands nothing else.
        spots += curve.latency == RequestLatency::itl ? QList{left, right, above, below}
                                                      : QList{right, left, below, above};
    };
    add(best);
    for (double step = 0.03; step < 0.95; step += 0.03) {
        add(best - step);
        add(best + step);
    }
    labels.addAt(spots, latencyName(curve.latency),
                 {owner_.look().font(FontRole::small), owner_.look().color(inkOf(curve.latency))});
}

void PercentileLabels::addTarget(LabelPlacer& labels, const LatencyCurve& curve) const {
    if (!curve.target)
        return;
    const double gap = owner_.look().px(besideTarget);
    QList<LabelPlacer::Spot> spots;
    for (double share = 0.01; share < 0.9; share += 0.04) {
        const QPointF at = pixel(*curve.target, share);
        const LabelPlacer::Spot left{at - QPointF(gap, 0), Qt::AlignRight | Qt::AlignBottom};
        const LabelPlacer::Spot right{at + QPointF(gap, 0), Qt::AlignLeft | Qt::AlignBottom};
        // Right of the target of the first token runs the curve of whole requests.
        spots += curve.latency == RequestLatency::ttft ? QList{left, right} : QList{right, left};
    }
    // On top of the line where curves leave no room next to it.
    for (const Qt::Alignment side : {Qt::AlignHCenter, Qt::AlignLeft, Qt::AlignRight})
        spots.append({pixel(*curve.target, 1) - QPointF(0, 1), side | Qt::AlignBottom});
    labels.addAt(spots, ServingText::tr("%1 target").arg(latencyName(curve.latency)),
                 {owner_.look().font(FontRole::small), owner_.look().color(Role::err)});
}

/// Next to the plot, at their lines or as near as others leave room; the highest represents its neighbor
/// too, and has the choice before the one below.
void PercentileLabels::addPercentiles(LabelPlacer& labels) const {
    const double right = parentPlot()->axisRect()->rect().right() + 4;
    const double row = QFontMetricsF(owner_.look().font(FontRole::small)).height();
    for (const double percentile : {50.0, 99.0, 90.0}) {
        const double y = pixelY(percentile / 100);
        const double away = percentile == 99 ? -1 : 1;
        QList<LabelPlacer::Spot> spots;
        for (double shift = 0; shift <= row; shift += 1)
            spots.append({QPointF(right, y + away * shift), Qt::AlignLeft | Qt::AlignVCenter});
        labels.addAt(spots, percentile == 99 ? highestPercentiles() : percentileText(percentile),
                     {owner_.look().font(FontRole::small), owner_.look().color(Role::text3)});
    }
}

void PercentileLabels::draw(QCPPainter* painter) {
    placed_.clear();
    if (area().width() < 20 || area().height() < 20)
        return;
    LabelPlacer labels(QRectF(area().topLeft() - QPointF(0, owner_.look().px(10)),
                              QPointF(parentPlot()->width(), area().bottom())));
    keepPictureFree(labels);
    for (const LatencyCurve& curve : data_.curves)
        addTarget(labels, curve);
    for (const LatencyCurve& curve : data_.curves)
        addCurve(labels, curve);
    addPercentiles(labels);
    labels.paint(*painter, QColor());
    placed_ = labels.placed();
}

} // namespace alidade::views
