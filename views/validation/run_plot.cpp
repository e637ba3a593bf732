// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/run_plot.h"

#include "views/document/text.h"
#include "views/validation/run_art.h"
#include "views/validation/run_text.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>
#include <numeric>

namespace alidade::views {

namespace {

constexpr double runCardReach = 8; // logical pixels around a point that its card leaves free

} // namespace

RunPlot::RunPlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new RunArt(*this))
    , legend_(new RunLegend(*this)) {
    setAccessibleName(tr("Predicted against measured"));
    setFileName(QStringLiteral("validation"));
    setLogarithmic(PlotAxis::x, true);
    plot()->plotLayout()->addElement(plot()->plotLayout()->rowCount(), 0, legend_);
}

const RunPicture& RunPlot::picture() const { return art_->picture(); }

void RunPlot::setPicture(const RunPicture& picture, std::shared_ptr<const Catalog> catalog) {
    catalog_ = std::move(catalog);
    const bool otherAxes = picture.kind != this->picture().kind ||
                           picture.dimension != this->picture().dimension ||
                           picture.manyUnits != this->picture().manyUnits;
    const QString key =
        art_->selected() >= 0 ? runKey(*this->picture().points[art_->selected()].row) : QString();
    art_->setSelected(-1);
    art_->setPicture(picture);
    legend_->setClasses(picture.classes);
    const bool against = picture.kind == RunPictureKind::against;
    setLogarithmic(PlotAxis::y, against);
    const auto amount = [dimension = picture.dimension, unit = picture.unit,
                         own = picture.unitInTicks](double value) {
        return own ? quantity(value, dimension, {.trimZeros = true})
                   : text(formatParts(value, dimension, {.trimZeros = true, .fixed = unit}).number);
    };
    const auto count = [](double value) { return quantity(value, Dimension::number, {.trimZeros = true}); };
    const auto percent = [](double value) -> QString { // not a builder of temporaries
        return (value > 0 ? QStringLiteral("+") : QString()) +
               quantity(value, Dimension::ratio, {.significant = 2, .trimZeros = true});
    };
    if (against) {
        setTickText(PlotAxis::x, amount);
        setTickText(PlotAxis::y, amount);
    } else {
        setTickText(PlotAxis::x, count);
        setTickText(PlotAxis::y, percent);
    }
    setAxisTitle(PlotAxis::x, picture.xTitle);
    setAxisTitle(PlotAxis::y, picture.yTitle);
    setDataRange(PlotAxis::x, picture.xLow, picture.xHigh);
    setDataRange(PlotAxis::y, picture.yLow, picture.yHigh);
    if (otherAxes)
        fit();
    setChosen(key);
    redraw();
}

void RunPlot::setChosen(const QString& key) {
    const QList<RunPoint>& points = picture().points;
    const auto found =
        std::ranges::find_if(points, [&](const RunPoint& point) { return runKey(*point.row) == key; });
    art_->setSelected(found == points.end() ? -1 : static_cast<int>(found - points.begin()));
    if (found != points.end())
        setSummary(HoverCard::words(runCard(*found->row, *catalog_, picture().manyUnits)));
    redraw();
}

void RunPlot::setEmphasis(int place) {
    art_->setEmphasis(place);
    legend_->setEmphasis(place);
    redraw();
}

int RunPlot::emphasis() const { return art_->emphasis(); }

QPointF RunPlot::placeOf(int point) const { return art_->place(point); }
QRectF RunPlot::legendPlace(int index) const { return legend_->placeOf(index); }

PlotSpot RunPlot::spotOf(int point) const {
    const int radius = look().px(runCardReach);
    QRect subject(0, 0, 2 * radius, 2 * radius);
    subject.moveCenter(art_->place(point).toPoint());
    return {subject, runCard(*picture().points[point].row, *catalog_, picture().manyUnits)};
}

void RunPlot::walk(int steps) {
    QList<int> order(picture().points.size());
    std::iota(order.begin(), order.end(), 0);
    order.removeIf([this](int i) { return emphasis() >= 0 && picture().points[i].place != emphasis(); });
    if (order.isEmpty())
        return;
    std::ranges::stable_sort(order, {}, [this](int i) { return picture().points[i].x; });
    const auto now = order.indexOf(art_->selected());
    const auto next = now < 0 ? (steps > 0 ? 0 : order.size() - 1)
                              : std::clamp<qsizetype>(now + steps, 0, order.size() - 1);
    emit chosen(runKey(*picture().points[order[next]].row));
    if (art_->selected() >= 0)
        showCard(spotOf(art_->selected()));
}

void RunPlot::clicked(const QPointF& position) {
    if (const int place = legend_->classAt(position); place >= 0) {
        emit emphasized(place == emphasis() ? -1 : place);
        return;
    }
    if (const int point = art_->pointAt(position); point >= 0)
        emit chosen(runKey(*picture().points[point].row));
}

void RunPlot::keyPressEvent(QKeyEvent* event) {
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    const int key = event->key();
    if (plain && (key == Qt::Key_Right || key == Qt::Key_Down))
        return walk(1);
    if (plain && (key == Qt::Key_Left || key == Qt::Key_Up))
        return walk(-1);
    if (plain && (key == Qt::Key_Return || key == Qt::Key_Enter) && art_->selected() >= 0) {
        emit opened(runKey(*picture().points[art_->selected()].row));
        return;
    }
    PlotBase::keyPressEvent(event);
}

std::optional<PlotSpot> RunPlot::spotAt(const QPointF& position) const {
    const int point = art_->pointAt(position);
    return point < 0 ? std::nullopt : std::optional(spotOf(point));
}

bool RunPlot::eventFilter(QObject* watched, QEvent* event) {
    // On a point a double click opens it; elsewhere it fits, as in every plot.
    if (event->type() == QEvent::MouseButtonDblClick) {
        const int point = art_->pointAt(static_cast<QMouseEvent*>(event)->position());
        if (point >= 0) {
            emit opened(runKey(*picture().points[point].row));
            return true;
        }
    }
    return PlotBase::eventFilter(watched, event);
}

} // namespace alidade::views
