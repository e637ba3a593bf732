// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/degree_track.h"

#include "views/theme/theme_controller.h"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <cmath>

namespace alidade::views {
namespace {

constexpr double knobRadius = 5.5; // logical pixels at 10 pt
constexpr int degreeNotch = 120;

} // namespace

DegreeTrack::DegreeTrack(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void DegreeTrack::setLegalValues(const QList<int>& ascending) {
    legal_ = ascending;
    update();
}

void DegreeTrack::setValue(int value) {
    if (value == value_)
        return;
    value_ = value;
    update();
}

QSize DegreeTrack::sizeHint() const { return {theme().px(112), theme().px(20)}; }
QSize DegreeTrack::minimumSizeHint() const { return {theme().px(48), theme().px(16)}; }

QPointF DegreeTrack::tick(qsizetype index) const {
    const double margin = theme().px(knobRadius) + 1;
    const auto steps = static_cast<double>(std::max<qsizetype>(1, legal_.size() - 1));
    const double x = margin + static_cast<double>(index) / steps * (width() - 2 * margin);
    return {x, std::round(height() / 2.0)};
}

void DegreeTrack::paintEvent(QPaintEvent*) {
    if (legal_.isEmpty())
        return;
    const Theme& look = theme();
    QPainter painter(this);
    painter.setPen(QPen(look.color(Role::line2), 1));
    painter.drawLine(tick(0), tick(std::max<qsizetype>(1, legal_.size() - 1)));
    for (qsizetype i = 0; i < legal_.size(); ++i)
        painter.drawLine(tick(i) - QPointF(0, 3), tick(i) + QPointF(0, 3));
    const qsizetype at = legal_.indexOf(value_);
    if (at < 0)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(look.color(isEnabled() ? Role::accent : Role::line2));
    painter.drawEllipse(tick(at), look.px(knobRadius), look.px(knobRadius));
}

void DegreeTrack::choose(double x) {
    if (legal_.isEmpty())
        return;
    qsizetype nearest = 0;
    for (qsizetype i = 1; i < legal_.size(); ++i)
        if (std::abs(tick(i).x() - x) < std::abs(tick(nearest).x() - x))
            nearest = i;
    if (legal_[nearest] != value_)
        emit chosen(legal_[nearest]);
}

void DegreeTrack::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        choose(event->position().x());
}

void DegreeTrack::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton)
        choose(event->position().x());
}

void DegreeTrack::wheelEvent(QWheelEvent* event) {
    const int notches = event->angleDelta().y() / degreeNotch;
    if (notches == 0 || !focusProxy() || !focusProxy()->hasFocus())
        return event->ignore();
    emit wheeled(notches);
    event->accept();
}

} // namespace alidade::views
