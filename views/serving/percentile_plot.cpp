// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/serving/percentile_plot.h"

#include "views/document/text.h"
#include "views/serving/percentile_labels.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr float baselineOpacity = 0.5F;
constexpr double markSize = 6;   // logical pixels
constexpr double reach = 24;     // of a curve for its card, logical pixels at 10 pt
constexpr double markReach = 6;  // around a point that its card leaves free
constexpr double topShare = 1.1; // end of the axis: names of targets may be above their lines
constexpr double besides = 1.6;  // of the shortest and longest time to the ends of the axis

/// No hue: the curves are told apart by ink and dash, and by their names.
struct Look {
    Role ink;
    QVector<double> dash;
};

Look lookOf(RequestLatency latency) {
    const Role ink = PercentileLabels::inkOf(latency);
    switch (latency) {
    case RequestLatency::tpot:
        return {ink, {6, 3}};
    case RequestLatency::e2e:
        return {ink, {2, 2}};
    default:
        return {ink, {}};
    }
}

/// Between the points of the closed form nothing is known: they are dotted together.
QPen linePen(const Look& look, bool simulated, const Theme& theme) {
    QPen pen(theme.color(look.ink), 1.5);
    if (!simulated)
        pen.setDashPattern({1, 4});
    else if (!look.dash.isEmpty())
        pen.setDashPattern(look.dash);
    return pen;
}

} // namespace

PercentilePlot::PercentilePlot(QWidget* parent)
    : PlotBase(parent) {
    setAccessibleName(tr("Percentiles of the latencies"));
    setFileName(QStringLiteral("percentiles"));
    setLogarithmic(PlotAxis::x, true);
    setAxisTitle(PlotAxis::y, tr("share that is faster"));
    setAxisTitle(PlotAxis::x, tr("ms, log"));
    setTickText(PlotAxis::x, [](double seconds) {
        return quantity(seconds * 1e3, Dimension::number, {.trimZeros = true});
    });
    setTickText(PlotAxis::y, [](double share) {
        return quantity(share, Dimension::ratio, {.significant = 3, .trimZeros = true});
    });
    for (const double percentile : markedPercentiles) {
        auto* line = new QCPItemStraightLine(plot());
        line->setLayer(QStringLiteral("grid"));
        line->setSelectable(false);
        line->point1->setCoords(1, percentile / 100);
        line->point2->setCoords(2, percentile / 100);
        style(line, [line](const Theme& look) {
            QPen pen(look.color(Role::line2), 1);
            pen.setDashPattern({2, 2});
            line->setPen(pen);
        });
    }
    style(plot()->axisRect(), [this](const Theme& look) {
        const int beside = QFontMetrics(look.font(FontRole::small))
                               .horizontalAdvance(PercentileLabels::highestPercentiles());
        plot()->axisRect()->setMinimumMargins(QMargins(15, 4, beside + look.px(4), 4));
    });
    for (int latency = 0; latency < requestLatencies; ++latency)
        makeCurve(static_cast<RequestLatency>(latency));
    labels_ = new PercentileLabels(*this, data_);
}

const PlacedLabels& PercentilePlot::labels() const { return labels_->placed(); }

void PercentilePlot::makeCurve(RequestLatency latency) {
    Drawn& drawn = drawn_[static_cast<std::size_t>(latency)];
    const Look look = lookOf(latency);
    drawn.before = plot()->addGraph();
    drawn.before->setSelectable(QCP::stNone);
    drawn.line = plot()->addGraph();
    drawn.marks = plot()->addGraph();
    drawn.target = plot()->addGraph();
    drawn.marks->setLineStyle(QCPGraph::lsNone);
    style(drawn.line, [this, drawn, look](const Theme& theme) {
        drawn.line->setPen(linePen(look, data_.simulated, theme));
        QPen pale = linePen(look, true, theme);
        QColor ink = pale.color();
        ink.setAlphaF(baselineOpacity);
        pale.setColor(ink);
        pale.setWidthF(1);
        drawn.before->setPen(pale);
        drawn.marks->setScatterStyle({QCPScatterStyle::ssCircle, QPen(theme.color(Role::base), 1),
                                      theme.color(look.ink), theme.px(markSize) * 1.0});
        QPen target(theme.color(Role::err), 1);
        target.setDashPattern({7, 3});
        drawn.target->setPen(target);
    });
}

void PercentilePlot::setBaseline(const PercentileData& data) {
    for (int i = 0; i < requestLatencies; ++i) {
        QCPGraph* graph = drawn_[static_cast<std::size_t>(i)].before;
        const auto curve =
            std::ranges::find(data.curves, static_cast<RequestLatency>(i), &LatencyCurve::latency);
        if (curve == data.curves.end())
            graph->data()->clear();
        else
            graph->setData(curve->times, curve->shares, true);
    }
    redraw();
}

bool PercentilePlot::hasBaseline() const {
    return std::ranges::any_of(drawn_, [](const Drawn& each) { return each.before->dataCount() > 0; });
}

void PercentilePlot::setData(const PercentileData& data) {
    const bool otherSource = data.simulated != data_.simulated;
    data_ = data;
    if (otherSource)
        for (int latency = 0; latency < requestLatencies; ++latency)
            drawn_[static_cast<std::size_t>(latency)].line->setPen(
                linePen(lookOf(static_cast<RequestLatency>(latency)), data.simulated, look()));
    for (int latency = 0; latency < requestLatencies; ++latency) {
        const auto curve =
            std::ranges::find(data_.curves, static_cast<RequestLatency>(latency), &LatencyCurve::latency);
        showCurve(drawn_[static_cast<std::size_t>(latency)], curve == data_.curves.end() ? nullptr : &*curve);
    }
    if (data.shortest() > 0)
        setDataRange(PlotAxis::x, data.shortest() / besides, data.longest() * besides);
    setDataRange(PlotAxis::y, 0, topShare);
    setSummary(percentilesInWords(data) + QLatin1Char(' ') + percentileSource(data));
    redraw();
}

void PercentilePlot::showCurve(Drawn& drawn, const LatencyCurve* curve) {
    for (QCPGraph* graph : {drawn.line, drawn.marks, drawn.target})
        graph->setData(QVector<double>(), QVector<double>());
    if (curve == nullptr)
        return;
    drawn.line->setData(curve->times, curve->shares, true);
    for (const double percentile : markedPercentiles)
        drawn.marks->addData(curve->at(percentile), percentile / 100);
    if (curve->target)
        drawn.target->setData({*curve->target, *curve->target}, {0, 1}, true);
}

QPointF PercentilePlot::place(int curve, double share) const {
    return {plot()->xAxis->coordToPixel(data_.curves[curve].at(share * 100)),
            plot()->yAxis->coordToPixel(share)};
}

QPointF PercentilePlot::markPlace(int curve, int mark) const {
    return place(curve, markedPercentiles[static_cast<std::size_t>(mark)] / 100);
}

int PercentilePlot::marks() const {
    int count = 0;
    for (const Drawn& drawn : drawn_)
        count += drawn.marks->dataCount();
    return count;
}

/// The curve that is nearest at the height of the pointer.
std::optional<PlotSpot> PercentilePlot::spotAt(const QPointF& position) const {
    if (!plot()->axisRect()->rect().contains(position.toPoint()))
        return std::nullopt;
    const double share = std::clamp(plot()->yAxis->pixelToCoord(position.y()), 0.0, 1.0);
    int nearest = -1;
    double least = look().px(reach);
    for (int i = 0; i < data_.curves.size(); ++i)
        if (const double away = std::abs(place(i, share).x() - position.x()); away < least) {
            least = away;
            nearest = i;
        }
    if (nearest < 0)
        return std::nullopt;
    const int radius = look().px(markReach);
    QRect subject(0, 0, 2 * radius, 2 * radius);
    subject.moveCenter(place(nearest, share).toPoint());
    return PlotSpot{subject, percentileCard(data_, nearest, share)};
}

} // namespace alidade::views
