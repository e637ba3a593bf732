// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/heat_plot.h"

#include "views/document/text.h"
#include "views/explore/explore_words.h"
#include "views/explore/heat_art.h"
#include "views/explore/sweep_plot.h"

#include <QKeyEvent>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr double rowsApart = 1.4, columnWidth = 62; // of names: text heights, logical pixels

} // namespace

HeatPlot::HeatPlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new HeatArt(*this)) {
    setAccessibleName(tr("One figure over two fields"));
    setFileName(QStringLiteral("sweep-two-fields"));
    style(plot()->axisRect(), [this](const Theme& look) {
        plot()->axisRect()->setMinimumMargins(
            QMargins(look.px(20), 4, static_cast<int>(art_->scaleWidth()), 4));
    });
}

void HeatPlot::setAnswer(const std::shared_ptr<const SweepAnswer>& answer, const PlanFigure* figure) {
    const bool other = !answer_ || answer_->ask.across != answer->ask.across ||
                       answer_->ask.up != answer->ask.up ||
                       answer_->sweep.axes.size() != answer->sweep.axes.size();
    answer_ = answer;
    figure_ = figure;
    const Sweep& sweep = answer->sweep;
    art_->cells.clear();
    art_->columns = art_->rows = 0;
    art_->present = -1;
    if (other)
        art_->chosen = -1;
    if (sweep.axes.size() == 2) {
        art_->columns = static_cast<int>(sweep.axes[1].values.size());
        art_->rows = static_cast<int>(sweep.axes[0].values.size());
        art_->moreIsBetter = figure->moreIsBetter;
        art_->dimension = figure->dimension;
        for (int i = 0; i < art_->columns * art_->rows; ++i) {
            HeatArt::Cell cell{.value = {}};
            if (const auto at = static_cast<std::size_t>(i); at < sweep.points.size()) {
                const SweepPoint& point = sweep.points[at];
                const SweepFigure* value = point.figure(*figure);
                cell.known = true;
                cell.runs = point.runs;
                cell.fits = point.fits;
                if (value && std::isfinite(value->value))
                    cell.value = value->value;
                if (point.values == answer->present.values)
                    art_->present = i;
            }
            art_->cells.append(cell);
        }
        setDataRange(PlotAxis::x, -0.5, art_->columns - 0.5);
        setDataRange(PlotAxis::y, -0.5, art_->rows - 0.5);
        setAxisTitle(PlotAxis::x, labelOf(sweep.axes[1].variable));
        setAxisTitle(PlotAxis::y, labelOf(sweep.axes[0].variable));
        nameCells();
        if (other)
            fit();
    }
    redraw();
}

/// As many names along the axes as there is room for, and the ends.
void HeatPlot::nameCells() {
    if (!answer_ || answer_->sweep.axes.size() != 2)
        return;
    const auto names = [&](const SweepAxis& axis, double room, double each) {
        const auto count = static_cast<double>(axis.values.size());
        const int step = std::max(1, static_cast<int>(std::ceil(count * each / std::max(1.0, room))));
        QStringList out;
        for (std::size_t i = 0; i < axis.values.size(); ++i)
            out.append(static_cast<int>(i) % step == 0 ? valueInWords(axis.variable, axis.values[i])
                                                       : QString());
        return out;
    };
    const double height = QFontMetricsF(look().font(FontRole::small)).height();
    const QRectF area = plot()->axisRect()->rect();
    setCategories(PlotAxis::x,
                  names(answer_->sweep.axes[1], std::max(area.width(), 200.0), look().px(columnWidth)));
    setCategories(PlotAxis::y,
                  names(answer_->sweep.axes[0], std::max(area.height(), 100.0), height * rowsApart));
}

void HeatPlot::resizeEvent(QResizeEvent* event) {
    PlotBase::resizeEvent(event);
    nameCells();
}

void HeatPlot::setTarget(const std::optional<double>& target, bool atMost) {
    art_->goal = target.has_value();
    for (HeatArt::Cell& each : art_->cells)
        each.reaches = target && each.value && (atMost ? *each.value <= *target : *each.value >= *target);
    redraw();
}

void HeatPlot::setChosen(int point) {
    art_->chosen = point;
    redraw();
}

QPointF HeatPlot::placeOf(int point) const { return art_->rectOf(point).center(); }

int HeatPlot::pointAt(const QPointF& position) const {
    for (int i = 0; i < art_->cells.size(); ++i)
        if (art_->cells[i].known && art_->rectOf(i).contains(position))
            return i;
    return -1;
}

PlotSpot HeatPlot::spotOf(int point) const {
    return {art_->rectOf(point).toRect(),
            cardOf(*answer_, answer_->sweep.points[static_cast<std::size_t>(point)], *figure_)};
}

std::optional<PlotSpot> HeatPlot::spotAt(const QPointF& position) const {
    const int point = pointAt(position);
    return point < 0 ? std::nullopt : std::optional(spotOf(point));
}

void HeatPlot::clicked(const QPointF& position) {
    if (const int point = pointAt(position); point >= 0)
        emit chosen(point);
}

void HeatPlot::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    const int across = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
    const int up = key == Qt::Key_Up ? 1 : key == Qt::Key_Down ? -1 : 0;
    const bool enters = key == Qt::Key_Return || key == Qt::Key_Enter;
    if (art_->cells.isEmpty() || event->modifiers() & ~Qt::KeypadModifier ||
        (across == 0 && up == 0 && !enters))
        return PlotBase::keyPressEvent(event);
    if (enters) {
        if (art_->chosen >= 0)
            emit adopted(art_->chosen);
        return;
    }
    const int from = art_->chosen >= 0 ? art_->chosen : std::max(0, art_->present);
    const int column = std::clamp(from % art_->columns + across, 0, art_->columns - 1),
              row = std::clamp(from / art_->columns + up, 0, art_->rows - 1);
    const int next = row * art_->columns + column;
    if (!art_->cells[next].known)
        return;
    emit chosen(next);
    showCard(spotOf(next));
}

} // namespace alidade::views
