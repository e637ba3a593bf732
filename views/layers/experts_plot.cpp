// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/experts_plot.h"

#include "views/layers/experts_art.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace alidade::views {

ExpertsPlot::ExpertsPlot(QWidget* parent)
    : PlotBase(parent)
    , art_(new ExpertsArt(*this)) {
    setAccessibleName(tr("Load of the experts"));
    setFileName(QStringLiteral("expert-load"));
    setAxisTitle(PlotAxis::y, tr("routed tokens per layer and micro-batch"));
    setTickText(PlotAxis::y, [](double tokens) { return tokensText(tokens); });
    // A bar reaches from one whole number to the next and is named by its end.
    setTickText(PlotAxis::x, [](double place) {
        return place == std::floor(place) ? QLocale::c().toString(place, 'f', 0) : QString();
    });
    axis(PlotAxis::x)->grid()->setVisible(false);
    plot()->installEventFilter(this);
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
    setDataRange(PlotAxis::x, 0, static_cast<double>(loads.loads.size()));
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
    const int index = static_cast<int>(std::floor(plot()->xAxis->pixelToCoord(position.x())));
    return index >= 0 && index < data().loads.size() ? index : -1;
}

void ExpertsPlot::showCard(QWidget* owner, int index) {
    QRect subject = art_->barRect(index).toAlignedRect();
    subject.setTop(subject.center().y());
    if (owner == this)
        subject.translate(plot()->pos());
    HoverCard::showFor(owner, subject, expertCard(data(), index));
}

void ExpertsPlot::keyPressEvent(QKeyEvent* event) {
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    const int step = !plain ? 0 : event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (step == 0 || data().loads.isEmpty())
        return PlotBase::keyPressEvent(event);
    const int last = static_cast<int>(data().loads.size()) - 1;
    emit chosen(selected() < 0 ? (step > 0 ? 0 : last) : std::clamp(selected() + step, 0, last));
    if (selected() >= 0)
        showCard(this, selected());
}

void ExpertsPlot::focusOutEvent(QFocusEvent* event) {
    HoverCard::hideFor(this);
    PlotBase::focusOutEvent(event);
}

bool ExpertsPlot::eventFilter(QObject* watched, QEvent* event) {
    const auto position = [event] { return static_cast<QMouseEvent*>(event)->position(); };
    switch (event->type()) {
    case QEvent::MouseMove: {
        const bool free = static_cast<QMouseEvent*>(event)->buttons() == Qt::NoButton;
        if (const int bar = free ? barAt(position()) : -1; bar >= 0)
            showCard(plot(), bar);
        else
            HoverCard::hideFor(plot());
        break;
    }
    case QEvent::MouseButtonPress:
        pressed_ = position();
        HoverCard::hideFor(plot());
        break;
    case QEvent::MouseButtonRelease: {
        const bool click = static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton &&
                           (position() - pressed_).manhattanLength() < QApplication::startDragDistance();
        if (const int bar = click ? barAt(position()) : -1; bar >= 0)
            emit chosen(bar);
        break;
    }
    case QEvent::Leave:
    case QEvent::Wheel:
        HoverCard::hideFor(plot());
        break;
    default:
        break;
    }
    return PlotBase::eventFilter(watched, event);
}

} // namespace alidade::views
