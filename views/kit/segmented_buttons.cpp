// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/segmented_buttons.h"

#include "views/kit/keyboard_focus.h"
#include "views/kit/paint.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace alidade::views {
namespace {

class SegmentButton : public QAbstractButton {
public:
    SegmentButton(const SegmentedButtons::Option& option, QWidget* parent)
        : QAbstractButton(parent) {
        setText(option.text);
        setCheckable(true);
        setEnabled(option.reason.isEmpty());
        setToolTip(option.reason);
        setAccessibleName(option.text);
        setAccessibleDescription(option.reason);
        setFocusPolicy(Qt::NoFocus); // the row takes the focus as a whole
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

    QSize sizeHint() const override {
        const QFontMetrics metrics(theme().font(FontRole::strong));
        return {metrics.horizontalAdvance(text()) + theme().px(16),
                std::max(theme().fieldHeight(), metrics.height() + 8)};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& look = theme();
        QPainter painter(this);
        painter.setFont(look.font(isChecked() ? FontRole::strong : FontRole::body));
        painter.setPen(look.color(isChecked() ? Role::accent : Role::text));
        if (!isEnabled())
            painter.setOpacity(0.4);
        painter.drawText(rect(), Qt::AlignCenter, text());
    }
};

} // namespace

SegmentedButtons::SegmentedButtons(QWidget* parent)
    : QWidget(parent)
    , group_(new QButtonGroup(this)) {
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    connect(group_, &QButtonGroup::idClicked, this, [this](int index) {
        update();
        emit currentEdited(index);
    });
}

void SegmentedButtons::setOptions(const QList<Option>& options) {
    if (options == options_)
        return;
    options_ = options;
    const QList<QAbstractButton*> old = group_->buttons();
    for (QAbstractButton* button : old) {
        group_->removeButton(button);
        delete button;
    }
    for (int i = 0; i < options.size(); ++i) {
        auto* button = new SegmentButton(options[i], this);
        group_->addButton(button, i);
        layout()->addWidget(button);
    }
    updateGeometry();
    update();
}

void SegmentedButtons::setOptions(const QStringList& texts) {
    QList<Option> options;
    for (const QString& text : texts)
        options.append({text, {}});
    setOptions(options);
}

void SegmentedButtons::setCurrentIndex(int index) {
    if (index != currentIndex()) {
        group_->setExclusive(false); // an exclusive group cannot be cleared
        for (QAbstractButton* button : group_->buttons())
            button->setChecked(group_->id(button) == index);
        group_->setExclusive(true);
        update();
    }
    const QAbstractButton* now = button(index);
    if (const QString description = now ? now->text() : QString(); accessibleDescription() != description)
        setAccessibleDescription(description);
}

int SegmentedButtons::currentIndex() const { return group_->checkedId(); }
QAbstractButton* SegmentedButtons::button(int index) const { return group_->button(index); }

void SegmentedButtons::choose(int index) {
    const QAbstractButton* target = button(index);
    if (!target || !target->isEnabled() || index == currentIndex())
        return;
    setCurrentIndex(index);
    emit currentEdited(index);
}

void SegmentedButtons::keyPressEvent(QKeyEvent* event) {
    const int direction = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (direction == 0)
        return QWidget::keyPressEvent(event);
    const int count = static_cast<int>(group_->buttons().size());
    int index = currentIndex() < 0 ? (direction > 0 ? -1 : count) : currentIndex();
    do
        index += direction;
    while (index >= 0 && index < count && !button(index)->isEnabled());
    choose(index);
}

void SegmentedButtons::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    QPainterPath shape;
    shape.addRoundedRect(frame, 4, 4);
    painter.fillPath(shape, look.color(isEnabled() ? Role::base : Role::window));
    painter.setClipPath(shape);
    for (const QAbstractButton* button : group_->buttons()) {
        if (button->isChecked())
            painter.fillRect(button->geometry(), look.color(Role::sel));
        if (button->x() > 0)
            painter.fillRect(QRectF(button->x(), 0, 1, height()), look.color(Role::line));
    }
    painter.setClipping(false);
    painter.setPen(QPen(look.color(Role::line2), 1));
    painter.drawPath(shape);
    if (!keyboardFocus(this))
        return;
    // All of its width is inside the widget, where nothing cuts it.
    QPainterPath ring;
    ring.addRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    painter.setPen(QPen(look.color(Role::accent), 2));
    painter.drawPath(ring);
}

void SegmentedButtons::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        for (QAbstractButton* button : group_->buttons())
            button->updateGeometry();
        update();
    }
    QWidget::changeEvent(event);
}

} // namespace alidade::views
