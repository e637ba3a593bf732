// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/serving/test_time_labels.h"

#include "views/document/text.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double fromDot = 4; // logical pixels from a point of a curve to its name

} // namespace

TestTimeLabels::TestTimeLabels(PlotBase& owner, TestTimeMeasure measure, const TestTimeData& data)
    : PlotArt(owner)
    , measure_(measure)
    , data_(data) {}

QList<QPointF> TestTimeLabels::curve(bool strong) const {
    QList<QPointF> out;
    for (const TestTimeRow& row : data_.rows) {
        const double value = strong ? data_.value(row, measure_) : data_.beside(row, measure_);
        if (std::isfinite(value))
            out.append(pixel(data_.at(row), value));
    }
    return out;
}

/// Away from the other curve if there is room, from the right end to the left.
void TestTimeLabels::addName(LabelPlacer& labels, const QString& name, bool strong) const {
    QList<QPointF> own = curve(strong);
    const QList<QPointF> other = curve(!strong);
    if (own.isEmpty() || (!strong && own == other))
        return;
    const double gap = owner_.look().px(fromDot);
    const bool upper = other.isEmpty() || own.last().y() <= other.last().y();
    for (qsizetype i = own.size() - 1; i > 0; --i) // next to the middles of its lines too
        own.insert(i, (own[i - 1] + own[i]) / 2);
    QList<LabelPlacer::Spot> spots;
    for (const bool above : {upper, !upper})
        for (auto point = own.crbegin(); point != own.crend(); ++point)
            for (const Qt::Alignment side : {Qt::AlignRight, Qt::AlignLeft, Qt::AlignHCenter})
                spots.append({*point + QPointF(side == Qt::AlignLeft    ? gap
                                               : side == Qt::AlignRight ? -gap
                                                                        : 0,
                                               above ? -gap : gap),
                              side | (above ? Qt::AlignBottom : Qt::AlignTop)});
    labels.addAt(
        spots, name,
        {owner_.look().font(FontRole::small), owner_.look().color(strong ? Role::accent : Role::text2)});
}

void TestTimeLabels::draw(QCPPainter* painter) {
    placed_.clear();
    if (area().width() < 20 || area().height() < 20)
        return;
    LabelPlacer labels(area().adjusted(0, -2, 1, 0));
    for (const bool strong : {true, false}) {
        const QList<QPointF> points = curve(strong);
        for (qsizetype i = 1; i < points.size(); ++i)
            labels.keepFree(QLineF(points[i - 1], points[i]));
    }
    if (data_.present >= 0) {
        const double x = pixelX(data_.at(data_.rows[data_.present]));
        labels.keepFree(QLineF(x, area().top(), x, area().bottom()));
    }
    const bool accuracy = measure_ == TestTimeMeasure::accuracy;
    if (accuracy && data_.target) {
        const double y = pixelY(*data_.target);
        const QLineF target(area().left(), y, area().right(), y);
        labels.addAlong(
            target,
            ServingText::tr("target %1").arg(quantity(*data_.target, Dimension::ratio, {.trimZeros = true})),
            {owner_.look().font(FontRole::small), owner_.look().color(Role::err)},
            {0.02, 0.2, 0.4, 0.6, 0.98});
        labels.keepFree(target);
    }
    const bool bound = std::ranges::any_of(
        data_.rows, [](const TestTimeRow& row) { return row.accuracy.value && row.accuracy.isBound; });
    switch (measure_) {
    case TestTimeMeasure::latency:
        addName(labels, ServingText::tr("p50"), true);
        addName(labels, ServingText::tr("p90"), false);
        break;
    case TestTimeMeasure::dollars:
        addName(labels, ServingText::tr("this load"), true);
        addName(labels, ServingText::tr("full load"), false);
        break;
    case TestTimeMeasure::accuracy:
        addName(labels, bound ? ServingText::tr("at most") : ServingText::tr("measured"), true);
        addName(labels, ServingText::tr("at least"), false);
        break;
    }
    labels.paint(*painter, QColor());
    placed_ = labels.placed();
}

} // namespace alidade::views
