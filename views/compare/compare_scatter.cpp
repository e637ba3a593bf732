// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_scatter.h"

#include "model/base/quantiles.h"
#include "model/estimate/estimate.h"
#include "views/compare/compare_grid.h"
#include "views/document/text.h"
#include "views/kit/label_placer.h"
#include "views/kit/plot_art.h"
#include "views/kit/scenario_pen.h"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr double reach = 9; // logical pixels around a point that belong to it
constexpr double dotRadius = 4;
constexpr double whiskerEnd = 3;    // half of a whisker's end
constexpr double roomBeyond = 1.12; // of the axes beyond the data

const FigureRow* rowOf(const Comparison& comparison, std::string_view path) {
    const auto found = std::ranges::find_if(
        comparison.figures, [path](const FigureRow& row) { return row.figure->path == path; });
    return found == comparison.figures.end() ? nullptr : &*found;
}

} // namespace

CompareDots costDots(const CompareAnswer& answer) {
    const Comparison& comparison = answer.comparison;
    const FigureRow* time = rowOf(comparison, "training.run_time_s");
    const FigureRow* money = rowOf(comparison, "cost.dollars_per_run");
    CompareDots out{.dots = {},
                    .baseline = static_cast<int>(comparison.baseline),
                    .fromOrigin = time != nullptr && money != nullptr,
                    .xTitle = CompareText::tr("time of the run"),
                    .yTitle = CompareText::tr("spent")};
    if (!out.fromOrigin) {
        time = rowOf(comparison, "serving.tpot_s");
        money = rowOf(comparison, "cost.dollars_per_million_output_tokens");
        out.xTitle = CompareText::tr("time per output token");
        out.yTitle = CompareText::tr("per million output tokens");
    }
    if (time == nullptr || money == nullptr)
        return out;
    const auto figure = static_cast<std::size_t>(money->figure - planFigures().data());
    for (std::size_t i = 0; i < answer.items.size(); ++i) {
        if (!time->values[i] || !money->values[i] || !isUsable(*answer.items[i]->estimate))
            continue;
        const FigureErrors* errors = answer.items[i]->errors.get();
        const double factor = errors != nullptr ? std::exp(quantile90 * errors->logSd[figure]) : 1;
        out.dots.append({.scenario = static_cast<int>(i),
                         .name = shortTitle(answer, i),
                         .x = *time->values[i],
                         .y = *money->values[i],
                         .low = *money->values[i] / factor,
                         .high = *money->values[i] * factor});
    }
    return out;
}

/// What a CompareScatter shows.
class CompareScatterArt : public PlotArt {
public:
    explicit CompareScatterArt(PlotBase& owner)
        : PlotArt(owner) {
        setLayer(QStringLiteral("axes"));
    }

    CompareDots data;
    int chosen = -1;

    /// Of a value in base units.
    QPointF at(double x, double y) const { return pixel(x / data.xUnit.factor, y / data.yUnit.factor); }
    QPointF place(int dot) const { return at(data.dots[dot].x, data.dots[dot].y); }

protected:
    void draw(QCPPainter* painter) override {
        const Theme& look = owner_.look();
        painter->setAntialiasing(true);
        LabelPlacer labels(area().adjusted(-2, -2, parentPlot()->width() - area().right(), 2));
        painter->save();
        painter->setClipRect(area().adjusted(-1, -8, 8, 1).toRect());
        for (int i = 0; i < data.dots.size(); ++i)
            drawLines(*painter, i);
        for (int i = 0; i < data.dots.size(); ++i) {
            const CompareDot& each = data.dots[i];
            const QPointF at = place(i);
            const double radius = look.px(dotRadius);
            const bool isBaseline = each.scenario == data.baseline;
            painter->setPen(Qt::NoPen);
            painter->setBrush(look.color(isBaseline ? Role::text : Role::text2));
            painter->drawEllipse(at, radius, radius);
            if (each.scenario == chosen) {
                painter->setBrush(Qt::NoBrush);
                painter->setPen(QPen(look.color(Role::text), 1.5));
                painter->drawEllipse(at, radius + 3, radius + 3);
            }
            labels.keepFree(QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius));
            labels.keepFree(QLineF(this->at(each.x, each.low), this->at(each.x, each.high)));
            if (data.fromOrigin)
                labels.keepFree(QLineF(pixel(0, 0), place(i)));
        }
        painter->restore();
        drawNames(*painter, labels);
    }

private:
    void drawLines(QPainter& painter, int i) const {
        const Theme& look = owner_.look();
        const CompareDot& each = data.dots[i];
        const bool isBaseline = each.scenario == data.baseline;
        if (data.fromOrigin) {
            painter.setPen(scenarioPen(each.scenario, isBaseline, look));
            painter.drawLine(pixel(0, 0), place(i));
        }
        if (!(each.high > each.low))
            return;
        painter.setPen(QPen(look.color(isBaseline ? Role::text : Role::text2), 1));
        const QPointF low = at(each.x, each.low), high = at(each.x, each.high);
        painter.drawLine(low, high);
        const double end = look.px(whiskerEnd);
        for (const QPointF& at : {low, high})
            painter.drawLine(QPointF(at.x() - end, at.y()), QPointF(at.x() + end, at.y()));
    }

    /// The baseline's name first; a name that finds no place is told by the card of its point.
    void drawNames(QPainter& painter, LabelPlacer& labels) const {
        const Theme& look = owner_.look();
        QList<int> order;
        for (int i = 0; i < data.dots.size(); ++i)
            order.append(i);
        std::ranges::stable_sort(order, [this](int a, int b) {
            return (data.dots[a].scenario == data.baseline) > (data.dots[b].scenario == data.baseline);
        });
        const double away = look.px(dotRadius) + 4;
        for (const int i : std::as_const(order)) {
            const QPointF at = place(i);
            const bool isBaseline = data.dots[i].scenario == data.baseline;
            labels.addAt({{at + QPointF(away, 0), Qt::AlignLeft | Qt::AlignVCenter},
                          {at + QPointF(away, -2 * away), Qt::AlignLeft | Qt::AlignVCenter},
                          {at + QPointF(away, 2 * away), Qt::AlignLeft | Qt::AlignVCenter},
                          {at + QPointF(-away, 0), Qt::AlignRight | Qt::AlignVCenter},
                          {at + QPointF(-away, -2 * away), Qt::AlignRight | Qt::AlignVCenter},
                          {at + QPointF(-away, 2 * away), Qt::AlignRight | Qt::AlignVCenter},
                          {at + QPointF(0, -4 * away), Qt::AlignHCenter | Qt::AlignVCenter}},
                         data.dots[i].name,
                         {look.font(isBaseline ? FontRole::strong : FontRole::small),
                          look.color(isBaseline ? Role::text : Role::text2)});
        }
        labels.paint(painter, look.color(Role::base));
    }
};

CompareScatter::CompareScatter(QWidget* parent)
    : PlotBase(parent)
    , art_(new CompareScatterArt(*this)) {
    setAccessibleName(tr("Cost against time"));
    setFileName(QStringLiteral("cost-against-time"));
    setTableSource([this] { return textTable(); });
}

void CompareScatter::setDots(const CompareDots& dots) {
    art_->data = dots;
    double right = 0, top = 0;
    QStringList words;
    for (const CompareDot& each : dots.dots) {
        right = std::max(right, each.x);
        top = std::max({top, each.y, each.high});
        words.append(tr("%1: %2 in %3")
                         .arg(each.name, glance(each.y, dots.yDimension), glance(each.x, dots.xDimension)));
    }
    setSummary(words.join(QStringLiteral("; ")));
    art_->data.xUnit = chooseUnit(dots.xDimension, right);
    art_->data.yUnit = chooseUnit(dots.yDimension, top);
    const ScaledUnit &across = art_->data.xUnit, &up = art_->data.yUnit;
    const auto number = [](double value) { return quantity(value, Dimension::number, {.trimZeros = true}); };
    setTickText(PlotAxis::x, number);
    setTickText(PlotAxis::y, number);
    setAxisTitle(PlotAxis::x, tr("%1, %2").arg(dots.xTitle, text(across.label)));
    setAxisTitle(PlotAxis::y, tr("%1, %2").arg(dots.yTitle, text(up.label)));
    setDataRange(PlotAxis::x, 0, right > 0 ? right / across.factor * roomBeyond * roomBeyond : 1);
    setDataRange(PlotAxis::y, 0, top > 0 ? top / up.factor * roomBeyond : 1);
    fit();
    redraw();
}

void CompareScatter::setChosen(int scenario) {
    art_->chosen = scenario;
    redraw();
}

QPointF CompareScatter::placeOf(int dot) const { return art_->place(dot); }

TextTable CompareScatter::textTable() const {
    TextTable out{.headers = {tr("Scenario"), art_->data.xTitle, art_->data.yTitle, tr("Low"), tr("High")},
                  .rows = {}};
    for (const CompareDot& each : art_->data.dots)
        out.rows.append({each.name, QString::number(each.x, 'g', 9), QString::number(each.y, 'g', 9),
                         QString::number(each.low, 'g', 9), QString::number(each.high, 'g', 9)});
    return out;
}

int CompareScatter::dotAt(const QPointF& position) const {
    int nearest = -1;
    double best = look().px(reach);
    for (int i = 0; i < art_->data.dots.size(); ++i) {
        const QPointF away = placeOf(i) - position;
        if (const double distance = std::hypot(away.x(), away.y()); distance <= best) {
            best = distance;
            nearest = i;
        }
    }
    return nearest;
}

void CompareScatter::clicked(const QPointF& position) {
    if (const int dot = dotAt(position); dot >= 0)
        emit chosen(art_->data.dots[dot].scenario);
}

void CompareScatter::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const auto& dots = art_->data.dots;
    if (step == 0 || dots.isEmpty() || event->modifiers() != Qt::NoModifier)
        return PlotBase::keyPressEvent(event);
    const auto now = std::ranges::find(dots, art_->chosen, &CompareDot::scenario);
    const auto place = now == dots.end() ? 0 : static_cast<int>(now - dots.begin()) + step;
    emit chosen(dots[std::clamp(place, 0, static_cast<int>(dots.size()) - 1)].scenario);
}

std::optional<PlotSpot> CompareScatter::spotAt(const QPointF& position) const {
    const int dot = dotAt(position);
    if (dot < 0)
        return std::nullopt;
    const CompareDot& each = art_->data.dots[dot];
    CardContent card;
    card.title = each.name;
    card.rows = {{art_->data.xTitle, glance(each.x, art_->data.xDimension)},
                 {art_->data.yTitle, glance(each.y, art_->data.yDimension)},
                 {tr("Low – high"), glance(each.low, art_->data.yDimension) + QStringLiteral(" – ") +
                                        glance(each.high, art_->data.yDimension)}};
    const int radius = look().px(reach);
    QRect subject(0, 0, 2 * radius, 2 * radius);
    subject.moveCenter(placeOf(dot).toPoint());
    return PlotSpot{subject, card};
}

} // namespace alidade::views
