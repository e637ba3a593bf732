// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/source_combo.h"

#include "views/icons/icon.h"
#include "views/theme/theme_controller.h"

#include <QPainter>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QWheelEvent>

namespace alidade::views {

SourceCombo::SourceCombo(QWidget* parent)
    : QComboBox(parent) {
    setAccessibleName(tr("Server"));
}

void SourceCombo::setCondition(LivePhase phase, const QString& words) {
    if (phase == phase_ && words == words_)
        return;
    phase_ = phase;
    words_ = words;
    setAccessibleDescription(words);
    update();
}

void SourceCombo::wheelEvent(QWheelEvent* event) { event->ignore(); } // no change by chance

void SourceCombo::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    option.currentText.clear();
    option.currentIcon = QIcon();
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const QRect field =
        style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    painter.setRenderHint(QPainter::Antialiasing);
    double x = field.left() + look.px(4);
    const double middle = field.center().y() + 0.5;
    const double side = look.px(14);
    const auto mark = [&](const char* name, Role ink) {
        paintIcon(painter, QRectF(x - 2, middle - side / 2, side, side), QLatin1StringView(name),
                  look.color(ink));
    };
    switch (phase_) {
    case LivePhase::connected:
        painter.setPen(Qt::NoPen);
        painter.setBrush(look.color(Role::ok));
        painter.drawEllipse(QPointF(x + 4, middle), 4, 4);
        break;
    case LivePhase::stale:
        mark("warning", Role::warn);
        break;
    case LivePhase::failed:
        mark("error", Role::err);
        break;
    case LivePhase::connecting:
    case LivePhase::none:
        painter.setPen(QPen(look.color(Role::text3), 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(QPointF(x + 4, middle), 3.5, 3.5);
        break;
    }
    x += look.px(16);
    const QFontMetrics small(look.font(FontRole::small));
    const int aside = words_.isEmpty() ? 0 : small.horizontalAdvance(words_) + look.px(8);
    const int room = std::max(0, field.right() - static_cast<int>(x));
    painter.setFont(look.font(FontRole::strong));
    painter.setPen(look.color(count() == 0 ? Role::text3 : Role::text));
    const QFontMetrics strong(painter.font());
    const QString name = count() == 0 || currentIndex() < 0 ? tr("No server") : currentText();
    const QString shown = strong.elidedText(name, Qt::ElideRight, std::max(room - aside, room / 2));
    painter.drawText(QRect(static_cast<int>(x), field.top(), room, field.height()), Qt::AlignVCenter, shown);
    x += strong.horizontalAdvance(shown) + look.px(8);
    painter.setFont(look.font(FontRole::small));
    painter.setPen(look.color(phase_ == LivePhase::stale    ? Role::warn
                              : phase_ == LivePhase::failed ? Role::err
                                                            : Role::text2));
    const int left = field.right() - static_cast<int>(x);
    painter.drawText(QRect(static_cast<int>(x), field.top(), left, field.height()), Qt::AlignVCenter,
                     small.elidedText(words_, Qt::ElideRight, left));
}

} // namespace alidade::views
