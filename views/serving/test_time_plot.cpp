// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/serving/test_time_plot.h"

#include "views/document/text.h"
#include "views/kit/plot_parts.h"
#include "views/serving/test_time_labels.h"

#include <QKeyEvent>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double dotSize = 4;      // logical pixels
constexpr double scenarioSize = 9; // of the mark of the scenario
constexpr double choiceSize = 11;  // of a chosen point
constexpr double dotReach = 8;     // around a point that its card leaves free
constexpr double tickMargin = 46;  // for ticks
constexpr double aboveTop = 1.25;  // of the largest value: end of the axis
constexpr int mostTicks = 7;
constexpr double besideEnds = 1.12; // of the outer points: ends of the logarithmic axis

} // namespace

TestTimePlot::TestTimePlot(TestTimeMeasure measure, QWidget* parent)
    : PlotBase(parent)
    , measure_(measure) {
    const auto [name, file, title] =
        measure == TestTimeMeasure::latency
            ? std::tuple(tr("Latency of a question"), QStringLiteral("question-latency"), tr("latency, s"))
        : measure == TestTimeMeasure::dollars
            ? std::tuple(tr("Price of a question"), QStringLiteral("question-price"), tr("$ per 1,000"))
            : std::tuple(tr("Accuracy of an answer"), QStringLiteral("question-accuracy"), tr("accuracy, %"));
    setAccessibleName(name);
    setFileName(file);
    setAxisTitle(PlotAxis::y, title);
    const double scale = measure == TestTimeMeasure::accuracy ? 100 : 1;
    setTickText(PlotAxis::y, [scale](double value) {
        return quantity(value * scale, Dimension::number, {.trimZeros = true});
    });
    setTickText(PlotAxis::x, [](double at) { return quantity(at, Dimension::number, {.trimZeros = true}); });
    setLogarithmic(PlotAxis::x, true);
    style(plot()->axisRect(), [this](const Theme& look) {
        plot()->axisRect()->setMinimumMargins(QMargins(look.px(tickMargin), 4, look.px(16), 4));
    });
    makeCurves();
}

void TestTimePlot::makeCurves() {
    targetLine_ = static_cast<QCPItemStraightLine*>(addLimit(*this, {.text = {}, .dashed = true}));
    targetLine_->setVisible(false);
    presentLine_ = new QCPItemStraightLine(plot());
    presentLine_->setSelectable(false);
    const auto add = [this](Role ink, double width) {
        QCPGraph* graph = plot()->addGraph();
        graph->setSelectable(QCP::stNone);
        style(graph, [graph, ink, width](const Theme& look) {
            graph->setPen(QPen(look.color(ink), width));
            graph->setScatterStyle(
                {QCPScatterStyle::ssDisc, look.color(ink), look.color(ink), look.px(dotSize) * 1.0});
        });
        return graph;
    };
    thin_ = add(Role::text2, 1);
    strong_ = add(Role::accent, 1.5);
    const auto addMark = [this] {
        QCPGraph* mark = plot()->addGraph();
        mark->setLineStyle(QCPGraph::lsNone);
        mark->setSelectable(QCP::stNone);
        return mark;
    };
    presentMark_ = addMark();
    ring_ = addMark();
    style(ring_, [this](const Theme& look) {
        presentLine_->setPen(QPen(look.color(Role::text), 1.5));
        presentMark_->setScatterStyle({QCPScatterStyle::ssCircle, QPen(look.color(Role::base), 1.5),
                                       look.color(Role::text), look.px(scenarioSize) * 1.0});
        ring_->setScatterStyle({QCPScatterStyle::ssCircle, QPen(look.color(Role::text), 1.5),
                                QBrush(Qt::NoBrush), look.px(choiceSize) * 1.0});
    });
    labels_ = new TestTimeLabels(*this, measure_, data_);
}

void TestTimePlot::setData(const TestTimeData& data) {
    const bool otherAxis = data.axis != data_.axis || data_.rows.isEmpty();
    data_ = data;
    showTicks();
    QVector<double> places, strong, thin;
    double top = 0;
    for (const TestTimeRow& row : data.rows) {
        places.append(data.at(row));
        strong.append(data.value(row, measure_));
        thin.append(data.beside(row, measure_));
        for (const double value : {strong.last(), thin.last()})
            top = std::isfinite(value) ? std::max(top, value) : top;
    }
    strong_->setData(places, strong, true);
    thin_->setData(places, thin, true);
    if (!places.isEmpty())
        setDataRange(PlotAxis::x, places.first() / besideEnds, places.last() * besideEnds);
    top = measure_ == TestTimeMeasure::accuracy ? std::max(top, data.target.value_or(0)) : top;
    setDataRange(PlotAxis::y, 0, top > 0 ? top * aboveTop : 1);
    if (otherAxis)
        fit();
    if (selected_ >= data.rows.size())
        selected_ = -1;
    const bool aimed = measure_ == TestTimeMeasure::accuracy && data.target;
    targetLine_->setVisible(aimed);
    updateLimit(targetLine_, aimed ? *data.target : 0, {});
    showPresent();
    setSelected(selected_);
}

void TestTimePlot::setAxisName(bool shown) {
    setAxisTitle(PlotAxis::x, !shown                                ? QString()
                              : data_.axis == TestTimeAxis::samples ? tr("samples of a question")
                                                                    : tr("thinking budget, tokens"));
}

/// At the points, as many of them as have room in a narrow plot.
void TestTimePlot::showTicks() {
    const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    const auto count = static_cast<int>(data_.rows.size());
    const int step = (count + mostTicks - 1) / mostTicks;
    for (int i = count - 1; i >= 0; i -= step) {
        const double at = data_.at(data_.rows[i]);
        ticker->addTick(at, quantity(at, Dimension::number, {.significant = 6, .trimZeros = true}));
    }
    axis(PlotAxis::x)->setTicker(ticker);
}

const PlacedLabels& TestTimePlot::labels() const { return labels_->placed(); }

void TestTimePlot::showPresent() {
    const bool known = data_.present >= 0;
    const TestTimeRow none, &row = known ? data_.rows[data_.present] : none;
    const double at = known ? data_.at(row) : 1, value = known ? data_.value(row, measure_) : 0;
    presentLine_->setVisible(known);
    presentLine_->point1->setCoords(at, 0);
    presentLine_->point2->setCoords(at, 1);
    const bool marked = known && std::isfinite(value);
    presentMark_->setData(marked ? QVector{at} : QVector<double>(),
                          marked ? QVector{value} : QVector<double>());
}

void TestTimePlot::setSelected(int row) {
    selected_ = row;
    const double value = row < 0 ? 0 : data_.value(data_.rows[row], measure_);
    if (row < 0 || !std::isfinite(value))
        ring_->setData(QVector<double>(), QVector<double>());
    else
        ring_->setData({data_.at(data_.rows[row])}, {value});
    const QString words = testTimeHeadline(data_);
    setSummary(row < 0
                   ? words
                   : HoverCard::words(testTimeCard(data_, data_.rows[row])) + QStringLiteral(". ") + words);
    redraw();
}

QPointF TestTimePlot::placeOf(int row) const {
    const double value = data_.value(data_.rows[row], measure_);
    return std::isfinite(value) ? QPointF(plot()->xAxis->coordToPixel(data_.at(data_.rows[row])),
                                          plot()->yAxis->coordToPixel(value))
                                : QPointF();
}

bool TestTimePlot::hasPresent() const { return presentMark_->dataCount() > 0; }

/// The nearest one along the axis, as it is drawn.
int TestTimePlot::rowAt(const QPointF& position) const {
    if (!plot()->axisRect()->rect().contains(position.toPoint()) || data_.rows.isEmpty())
        return -1;
    const auto nearest = std::ranges::min_element(data_.rows, {}, [&](const TestTimeRow& row) {
        return std::abs(plot()->xAxis->coordToPixel(data_.at(row)) - position.x());
    });
    return static_cast<int>(nearest - data_.rows.begin());
}

PlotSpot TestTimePlot::spotOf(int row) const {
    const int radius = look().px(dotReach);
    QRect subject(0, 0, 2 * radius, 2 * radius);
    const QRect area = plot()->axisRect()->rect();
    const QPointF place = placeOf(row);
    const double x = plot()->xAxis->coordToPixel(data_.at(data_.rows[row]));
    const double y = place.isNull() ? area.center().y() : place.y();
    subject.moveCenter(QPointF(x, std::clamp(y, area.top() * 1.0, area.bottom() * 1.0)).toPoint());
    return {subject, testTimeCard(data_, data_.rows[row])};
}

std::optional<PlotSpot> TestTimePlot::spotAt(const QPointF& position) const {
    const int row = rowAt(position);
    return row < 0 ? std::nullopt : std::optional(spotOf(row));
}

void TestTimePlot::clicked(const QPointF& position) {
    if (const int row = rowAt(position); row >= 0)
        emit chosen(row);
}

void TestTimePlot::keyPressEvent(QKeyEvent* event) {
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    const int key = plain ? event->key() : 0;
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && selected_ >= 0) {
        emit used(selected_);
        return;
    }
    const int step = key == Qt::Key_Left ? -1 : key == Qt::Key_Right ? 1 : 0;
    if (step == 0 || data_.rows.isEmpty())
        return PlotBase::keyPressEvent(event);
    const int last = static_cast<int>(data_.rows.size()) - 1;
    emit chosen(selected_ < 0 ? (step > 0 ? 0 : last) : std::clamp(selected_ + step, 0, last));
    if (selected_ >= 0)
        showCard(spotOf(selected_));
}

} // namespace alidade::views
