// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/band_label.h"

#include "views/kit/keyboard_focus.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QMenu>
#include <QPainter>

#include <cmath>

namespace alidade::views {
namespace {

constexpr double bandWidth = 70; // logical pixels at 10 pt

QFontMetricsF metrics(FontRole role) { return QFontMetricsF(theme().font(role)); }

} // namespace

BandLabel::BandLabel(QWidget* parent)
    : QWidget(parent) {
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void BandLabel::setFigure(const Figure& figure) {
    figure_ = figure;
    const QString value =
        figure.value.isEmpty() ? tr("unknown") : figure.value + QLatin1Char(' ') + figure.unit;
    setAccessibleName(figure.label + QStringLiteral(": ") + value);
    setAccessibleDescription(noteText());
    updateGeometry();
    update();
}

void BandLabel::setSeparator(bool on) {
    separator_ = on;
    updateGeometry();
    update();
}

QString BandLabel::noteText() const {
    if (!figure_.difference.isEmpty())
        return figure_.difference;
    return figure_.note.isEmpty() && figure_.assumed ? tr("assumed") : figure_.note;
}

double BandLabel::leftMargin() const { return separator_ ? theme().px(14) : 0; }

QSize BandLabel::sizeHint() const {
    const double unit =
        figure_.unit.isEmpty() ? 0 : 4 + metrics(FontRole::unit).horizontalAdvance(figure_.unit);
    const double head = metrics(FontRole::figure).horizontalAdvance(figure_.value) + unit;
    const double band = figure_.band ? theme().px(bandWidth) + 8 : 0;
    const double foot = band + metrics(FontRole::small).horizontalAdvance(noteText());
    const double label = metrics(FontRole::small).horizontalAdvance(figure_.label);
    const double height = 2 * metrics(FontRole::small).height() + metrics(FontRole::figure).height() + 6;
    return {static_cast<int>(std::ceil(leftMargin() + std::max({head, foot, label}) + 8)),
            static_cast<int>(std::ceil(height))};
}

QSize BandLabel::minimumSizeHint() const {
    const double unit =
        figure_.unit.isEmpty() ? 0 : 4 + metrics(FontRole::unit).horizontalAdvance(figure_.unit);
    const double head = metrics(FontRole::figure).horizontalAdvance(figure_.value) + unit;
    return {static_cast<int>(std::ceil(leftMargin() + head + 4)), sizeHint().height()};
}

void BandLabel::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QRectF area = rect();
    if (separator_)
        painter.fillRect(QRectF(0, 0, 1, height()), look.color(Role::line));
    area.setLeft(leftMargin());

    const QFontMetricsF small = metrics(FontRole::small);
    painter.setFont(look.font(FontRole::small));
    painter.setPen(look.color(Role::text2));
    painter.drawText(QRectF(area.left(), area.top(), area.width(), small.height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     small.elidedText(figure_.label, Qt::ElideRight, area.width()));

    const QFontMetricsF large = metrics(FontRole::figure);
    const QString value = figure_.value.isEmpty() ? QStringLiteral("–") : figure_.value;
    const double baseline = area.top() + small.height() + 1 + large.ascent();
    const double valueWidth = large.horizontalAdvance(value);
    painter.setFont(look.font(FontRole::figure));
    painter.setPen(look.color(figure_.dimmed ? Role::text3 : Role::text));
    painter.drawText(QPointF(area.left(), baseline), value);
    painter.setFont(look.font(FontRole::unit));
    painter.setPen(look.color(figure_.dimmed ? Role::text3 : Role::text2));
    painter.drawText(QPointF(area.left() + valueWidth + 4, baseline), figure_.unit);
    if (figure_.assumed) {
        QPen dots(look.color(Role::text2), 1.5, Qt::SolidLine, Qt::RoundCap);
        dots.setDashPattern({0.1, 2});
        painter.setPen(dots);
        painter.drawLine(QPointF(area.left(), baseline + 4), QPointF(area.left() + valueWidth, baseline + 4));
    }
    const double top = area.top() + small.height() + large.height() + 2;
    paintNote(painter, QRectF(area.left(), top, area.width(), small.height()));
    // A ring would run through the label, which is flush with what is above and below.
    if (keyboardFocus(this))
        painter.fillRect(QRectF(area.left(), height() - 2, area.width(), 2), look.color(Role::accent));
}

void BandLabel::paintNote(QPainter& painter, QRectF line) const {
    const Theme& look = theme();
    if (figure_.band) {
        paintBand(painter, QRectF(line.left(), line.top(), look.px(bandWidth), line.height()), *figure_.band,
                  figure_.dimmed ? BandLook::faded : BandLook::usual);
        line.setLeft(line.left() + look.px(bandWidth) + 8);
    }
    const bool certain = !figure_.difference.isEmpty() && figure_.trend != Figure::Trend::uncertain;
    const Role ink = figure_.dimmed                             ? Role::text3
                     : !certain                                 ? Role::text2
                     : figure_.trend == Figure::Trend::better   ? Role::ok
                     : figure_.trend == Figure::Trend::doubtful ? Role::warn
                                                                : Role::err;
    painter.setFont(look.font(FontRole::small));
    painter.setPen(look.color(ink));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics(FontRole::small).elidedText(noteText(), Qt::ElideRight, line.width()));
}

void BandLabel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        updateGeometry();
        update();
    }
    QWidget::changeEvent(event);
}

void BandLabel::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        emit explainRequested();
    else
        QWidget::keyPressEvent(event);
}

void BandLabel::mouseDoubleClickEvent(QMouseEvent*) { emit explainRequested(); }

void BandLabel::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions(actions());
    const QString text = QString(figure_.value + QLatin1Char(' ') + figure_.unit).trimmed();
    QAction* copy =
        menu->addAction(tr("Copy value"), this, [text] { QApplication::clipboard()->setText(text); });
    copy->setEnabled(!figure_.value.isEmpty());
    menu->popup(event->reason() == QContextMenuEvent::Mouse ? event->globalPos()
                                                            : mapToGlobal(rect().center()));
}

void BandLabel::enterEvent(QEnterEvent*) { emit hovered(true); }
void BandLabel::leaveEvent(QEvent*) { emit hovered(false); }

void BandLabel::focusInEvent(QFocusEvent* event) {
    if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason)
        emit hovered(true);
    QWidget::focusInEvent(event);
}

void BandLabel::focusOutEvent(QFocusEvent* event) {
    emit hovered(false);
    QWidget::focusOutEvent(event);
}

} // namespace alidade::views
