// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/serving/load_plot.h"

#include "views/document/text.h"
#include "views/kit/plot_parts.h"
#include "views/serving/load_labels.h"

#include <QKeyEvent>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade::views {
namespace {

constexpr double pointSize = 4;   // logical pixels
constexpr double presentSize = 9; // of the mark of the scenario
constexpr double ringSize = 11;   // of a chosen point
constexpr double cardReach = 8;   // around a point that its card leaves free
constexpr double leftMargin = 46; // for ticks, so that the load axes of two plots are aligned
constexpr float groundOpacity = 0.55F;

/// Ground of a range of loads over the whole height, behind the grid.
QCPItemRect* addGround(PlotBase& plot, Role color) {
    auto* ground = new QCPItemRect(plot.plot());
    ground->setLayer(QStringLiteral("background"));
    ground->setSelectable(false);
    ground->topLeft->setTypeY(QCPItemPosition::ptAxisRectRatio);
    ground->bottomRight->setTypeY(QCPItemPosition::ptAxisRectRatio);
    ground->setPen(Qt::NoPen);
    plot.style(ground, [ground, color](const Theme& look) {
        QColor fill = look.color(color);
        fill.setAlphaF(groundOpacity);
        ground->setBrush(fill);
    });
    return ground;
}

void placeGround(QCPItemRect* ground, double from, double to) {
    ground->topLeft->setCoords(from, 0);
    ground->bottomRight->setCoords(to, 1);
    ground->setVisible(to > from);
}

} // namespace

LoadPlot::LoadPlot(Latency latency, QWidget* parent)
    : PlotBase(parent)
    , latency_(latency) {
    const bool first = latency == Latency::ttft;
    setAccessibleName(first ? tr("TTFT against load") : tr("ITL against load"));
    setFileName(first ? QStringLiteral("ttft-load") : QStringLiteral("itl-load"));
    setAxisTitle(PlotAxis::y, first ? tr("TTFT, ms") : tr("ITL, ms"));
    setTickText(PlotAxis::y, [](double seconds) {
        return quantity(seconds * 1e3, Dimension::number, {.trimZeros = true});
    });
    setTickText(PlotAxis::x,
                [](double load) { return quantity(load, Dimension::number, {.trimZeros = true}); });
    style(plot()->axisRect(), [this](const Theme& look) {
        plot()->axisRect()->setMinimumMargins(QMargins(look.px(leftMargin), 4, look.px(16), 4));
    });
    makeGrounds();
    makeCurves();
    makePresent();
    labels_ = new LoadLabels(*this, latency_, data_);
}

void LoadPlot::makeGrounds() {
    within_ = addGround(*this, Role::okBg);
    unstable_ = addGround(*this, Role::errBg);
}

void LoadPlot::makeCurves() {
    const auto add = [this](Role ink, double width) {
        QCPGraph* graph = plot()->addGraph();
        graph->setSelectable(QCP::stNone);
        style(graph, [graph, ink, width](const Theme& look) {
            graph->setPen(QPen(look.color(ink), width));
            graph->setScatterStyle(
                {QCPScatterStyle::ssDisc, look.color(ink), look.color(ink), look.px(pointSize) * 1.0});
        });
        return graph;
    };
    before_ = plot()->addGraph();
    before_->setSelectable(QCP::stNone);
    style(before_, [this](const Theme& look) {
        QPen pen(look.color(Role::text), 1.25);
        pen.setDashPattern({6, 3});
        before_->setPen(pen);
    });
    mean_ = add(Role::text2, 1);
    strong_ = add(Role::accent, 1.5);
    ring_ = plot()->addGraph();
    ring_->setLineStyle(QCPGraph::lsNone);
    style(ring_, [this](const Theme& look) {
        ring_->setScatterStyle({QCPScatterStyle::ssCircle, QPen(look.color(Role::text), 1.5),
                                QBrush(Qt::NoBrush), look.px(ringSize) * 1.0});
    });
}

void LoadPlot::makePresent() {
    targetLine_ = static_cast<QCPItemStraightLine*>(addLimit(*this, {.text = {}, .dashed = true}));
    presentLine_ = new QCPItemStraightLine(plot());
    presentLine_->setSelectable(false);
    presentMark_ = plot()->addGraph();
    presentMark_->setLineStyle(QCPGraph::lsNone);
    style(presentLine_, [this](const Theme& look) {
        presentLine_->setPen(QPen(look.color(Role::text), 1.5));
        presentMark_->setScatterStyle({QCPScatterStyle::ssCircle, QPen(look.color(Role::base), 1.5),
                                       look.color(Role::text), look.px(presentSize) * 1.0});
    });
}

void LoadPlot::setLoadAxisTitle(bool shown) {
    const bool samples = data_.unit == LoadUnit::samples;
    const QString title =
        data_.measure == LoadMeasure::requestRate
            ? samples ? tr("samples/s, whole deployment") : tr("requests/s, whole deployment")
        : samples ? tr("samples in flight")
                  : tr("requests in flight");
    setAxisTitle(PlotAxis::x, shown ? title : QString());
}

void LoadPlot::setBaseline(const LoadData& data) {
    QVector<double> loads, times;
    for (const LoadPoint& point : data.points) {
        loads.append(data.load(point));
        times.append(percentileOf(point, latency_));
    }
    before_->setData(loads, times, true);
    redraw();
}

bool LoadPlot::hasBaseline() const { return before_->dataCount() > 0; }

void LoadPlot::setData(const LoadData& data) {
    const bool otherAxis = data.measure != data_.measure || data.isLogarithmic() != data_.isLogarithmic();
    if (otherAxis)
        setLogarithmic(PlotAxis::x, data.isLogarithmic());
    data_ = data;
    QVector<double> loads, strong, mean;
    for (const LoadPoint& point : data.points) {
        loads.append(data.load(point));
        strong.append(percentileOf(point, latency_));
        mean.append(meanOf(point, latency_));
    }
    strong_->setData(loads, strong, true);
    mean_->setData(loads, mean, true);
    const double top = data.mostLatency(latency_);
    setDataRange(PlotAxis::x, data.leastLoad(), data.mostLoad());
    setDataRange(PlotAxis::y, 0, top > 0 ? top : 1);
    if (otherAxis)
        fit();
    if (selected_ >= data.points.size())
        selected_ = -1;
    showGrounds();
    showPresent();
    setSelected(selected_);
    setSummary(loadInWords(data));
    redraw();
}

void LoadPlot::showGrounds() {
    const double end = data_.mostLoad();
    const double within = std::min(data_.within.value_or(0), end);
    placeGround(within_, data_.leastLoad(), within);
    placeGround(unstable_, data_.stable > 0 ? std::min(data_.stable, end) : end, end);
    const auto target = data_.target(latency_);
    targetLine_->setVisible(target.has_value());
    updateLimit(targetLine_, target.value_or(0), {});
}

void LoadPlot::showPresent() {
    const double latency = data_.presentAt(latency_);
    presentLine_->point1->setCoords(data_.present, 0);
    presentLine_->point2->setCoords(data_.present, 1);
    const bool marked = data_.isSteady() && latency > 0;
    presentMark_->setData(marked ? QVector{data_.present} : QVector<double>(),
                          marked ? QVector{latency} : QVector<double>());
}

void LoadPlot::setSelected(int point) {
    selected_ = point;
    if (point < 0)
        ring_->setData(QVector<double>(), QVector<double>());
    else
        ring_->setData({data_.load(data_.points[point])}, {percentileOf(data_.points[point], latency_)});
    const QString words = loadInWords(data_);
    setSummary(point < 0
                   ? words
                   : HoverCard::words(loadCard(data_, data_.points[point])) + QStringLiteral(". ") + words);
    redraw();
}

QPointF LoadPlot::placeOf(int point) const {
    const LoadPoint& p = data_.points[point];
    return {plot()->xAxis->coordToPixel(data_.load(p)),
            plot()->yAxis->coordToPixel(percentileOf(p, latency_))};
}

QPointF LoadPlot::presentPlace() const {
    if (presentMark_->dataCount() == 0)
        return {};
    return {plot()->xAxis->coordToPixel(data_.present),
            plot()->yAxis->coordToPixel(data_.presentAt(latency_))};
}

double LoadPlot::targetY() const {
    const auto target = data_.target(latency_);
    return target ? plot()->yAxis->coordToPixel(*target) : std::numeric_limits<double>::quiet_NaN();
}

const PlacedLabels& LoadPlot::labels() const { return labels_->placed(); }

std::pair<double, double> LoadPlot::groundWithin() const {
    return {within_->topLeft->pixelPosition().x(), within_->visible()
                                                       ? within_->bottomRight->pixelPosition().x()
                                                       : within_->topLeft->pixelPosition().x()};
}

int LoadPlot::pointAt(const QPointF& position) const {
    if (!plot()->axisRect()->rect().contains(position.toPoint()) || data_.points.isEmpty())
        return -1;
    const double load = plot()->xAxis->pixelToCoord(position.x());
    const auto nearest = std::ranges::min_element(
        data_.points, {}, [&](const LoadPoint& point) { return std::abs(data_.load(point) - load); });
    return static_cast<int>(nearest - data_.points.begin());
}

PlotSpot LoadPlot::spotOf(int point) const {
    const int radius = look().px(cardReach);
    QRect subject(0, 0, 2 * radius, 2 * radius);
    const QRect area = plot()->axisRect()->rect();
    QPoint center = placeOf(point).toPoint();
    center.setY(std::clamp(center.y(), area.top(), area.bottom())); // a steep end runs out of the picture
    subject.moveCenter(center);
    return {subject, loadCard(data_, data_.points[point])};
}

std::optional<PlotSpot> LoadPlot::spotAt(const QPointF& position) const {
    const int point = pointAt(position);
    return point < 0 ? std::nullopt : std::optional(spotOf(point));
}

void LoadPlot::clicked(const QPointF& position) {
    if (const int point = pointAt(position); point >= 0)
        emit chosen(point);
}

void LoadPlot::keyPressEvent(QKeyEvent* event) {
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    const int key = plain ? event->key() : 0;
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && selected_ >= 0) {
        emit used(selected_);
        return;
    }
    const int step = key == Qt::Key_Left ? -1 : key == Qt::Key_Right ? 1 : 0;
    if (step == 0 || data_.points.isEmpty())
        return PlotBase::keyPressEvent(event);
    const int last = static_cast<int>(data_.points.size()) - 1;
    emit chosen(selected_ < 0 ? (step > 0 ? 0 : last) : std::clamp(selected_ + step, 0, last));
    if (selected_ >= 0)
        showCard(spotOf(selected_));
}

} // namespace alidade::views
