// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/experts_plot.h"

#include "views/layers/experts_art.h"

#include <QKeyEvent>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace alidade::views {

ExpertsPlot::ExpertsPlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new ExpertsArt(*this)) {
    setAccessibleName(tr("Load of the experts"));
    setFileName(QStringLiteral("expert-load"));
    setTickText(PlotAxis::y, [](double tokens) { return tokensText(tokens); });
    // The bar of number n has its middle there.
    setTickText(PlotAxis::x, [](double place) {
        return place >= 1 && place == std::floor(place) ? QLocale::c().toString(place, 'f', 0) : QString();
    });
    axis(PlotAxis::x)->grid()->setVisible(false);
}

const ExpertLoads& ExpertsPlot::data() const { return art_->data(); }
int ExpertsPlot::selected() const { return art_->selected(); }
QRectF ExpertsPlot::barRect(int index) const { return art_->barRect(index); }
double ExpertsPlot::lineY(double tokens) const { return plot()->yAxis->coordToPixel(tokens); }

void ExpertsPlot::setData(const ExpertLoads& loads) {
    const bool other = loads.loads.size() != data().loads.size() || loads.sharing != data().sharing;
    art_->setData(loads);
    art_->setSelected(-1);
    setAxisTitle(PlotAxis::x, loads.sharing == ExpertSharing::gpus
                                  ? tr("GPUs that share the experts, busiest first")
                                  : tr("experts, busiest first"));
    setDataRange(PlotAxis::x, 0.5, static_cast<double>(loads.loads.size()) + 0.5);
    setDataRange(PlotAxis::y, 0, std::max(loads.top(), 1.0));
    if (other)
        fit();
    redraw();
}

void ExpertsPlot::setSelected(int index) {
    if (index == selected())
        return;
    art_->setSelected(index);
    redraw();
}

int ExpertsPlot::barAt(const QPointF& position) const {
    if (!plot()->axisRect()->rect().contains(position.toPoint()))
        return -1;
    const int index = static_cast<int>(std::floor(plot()->xAxis->pixelToCoord(position.x()) - 0.5));
    return index >= 0 && index < data().loads.size() ? index : -1;
}

PlotSpot ExpertsPlot::spotOf(int index) const {
    QRect subject = art_->barRect(index).toAlignedRect();
    subject.setTop(subject.center().y());
    return {subject, expertCard(data(), index)};
}

void ExpertsPlot::keyPressEvent(QKeyEvent* event) {
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    const int step = !plain ? 0 : event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (step == 0 || data().loads.isEmpty())
        return PlotBase::keyPressEvent(event);
    const int last = static_cast<int>(data().loads.size()) - 1;
    emit chosen(selected() < 0 ? (step > 0 ? 0 : last) : std::clamp(selected() + step, 0, last));
    if (selected() >= 0)
        showCard(spotOf(selected()));
}

std::optional<PlotSpot> ExpertsPlot::spotAt(const QPointF& position) const {
    const int bar = barAt(position);
    return bar < 0 ? std::nullopt : std::optional(spotOf(bar));
}

void ExpertsPlot::clicked(const QPointF& position) {
    if (const int bar = barAt(position); bar >= 0)
        emit chosen(bar);
}

} // namespace alidade::views
