// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/unit_field.h"

#include "views/icons/icon.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QStyle>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr int wheelNotch = 120;

bool hasLetter(const QString& text) {
    return std::ranges::any_of(text, [](QChar c) { return c.isLetter(); });
}

} // namespace

UnitField::UnitField(QWidget* parent)
    : QLineEdit(parent) {
    setFocusPolicy(Qt::StrongFocus);
    format_ = [](double value) { return UnitText{QLocale().toString(value, 'g', 10), {}}; };
    parse_ = [](const QString& text) {
        bool good = false;
        const double value = QLocale().toDouble(text.trimmed(), &good);
        return good ? UnitParse{value, {}} : UnitParse{std::nullopt, tr("“%1” is not a number").arg(text)};
    };
    connect(this, &QLineEdit::returnPressed, this, &UnitField::commit);
    connect(this, &QLineEdit::textChanged, this, &UnitField::renewMargins);
    connect(this, &QLineEdit::textEdited, this, &UnitField::dropRefusal);
}

void UnitField::setFormat(Format format) {
    format_ = std::move(format);
    setValue(value_);
}

void UnitField::setParse(Parse parse) { parse_ = std::move(parse); }
void UnitField::setStep(Step step) { step_ = std::move(step); }

void UnitField::setValue(std::optional<double> value) {
    value_ = value;
    setRefusal({});
    if (value)
        return showValue(*value);
    unit_.clear();
    clear();
    setModified(false);
    renewMargins();
}

void UnitField::showValue(double value) {
    const UnitText text = format_(value);
    unit_ = text.unit;
    setText(text.text);
    setModified(false);
    renewMargins();
}

void UnitField::setRefusal(const QString& reason) {
    if (reason == refusal_)
        return;
    if (refusal_.isEmpty())
        toolTip_ = toolTip();
    refusal_ = reason;
    setProperty(refusedProperty, !reason.isEmpty());
    setToolTip(reason.isEmpty() ? toolTip_ : reason);
    setAccessibleDescription(reason);
    renewMargins();
    update();
}

void UnitField::commit() {
    if (!isModified())
        return;
    if (text().trimmed().isEmpty()) {
        setValue(std::nullopt);
        emit cleared();
        return;
    }
    // The unit that follows the text belongs to it, unless another one was typed.
    const QString whole =
        hasLetter(text()) || unit_.isEmpty() ? text() : QString(text() + QLatin1Char(' ') + unit_);
    const UnitParse parsed = parse_(whole);
    setModified(false);
    if (!parsed.value) {
        setRefusal(parsed.error.isEmpty() ? tr("not understood") : parsed.error);
        emit refused(refusal_);
        return;
    }
    setRefusal({});
    value_ = parsed.value;
    showValue(*value_);
    emit valueEdited(*value_);
}

void UnitField::revert() {
    const bool wasRefused = !refusal_.isEmpty();
    setValue(value_);
    if (wasRefused)
        emit refusalDropped();
}

/// What is wrong with a text says nothing about the one that is being typed now.
void UnitField::dropRefusal() {
    if (refusal_.isEmpty())
        return;
    setRefusal({});
    emit refusalDropped();
}

double UnitField::stepped(double value, int steps) const {
    if (step_)
        return step_(value, steps);
    const double size = value == 0 ? 1 : std::pow(10, std::floor(std::log10(std::abs(value))) - 1);
    return value + steps * size;
}

void UnitField::stepBy(int steps) {
    const auto from = value_ ? value_ : fallback_;
    if (isReadOnly() || !from)
        return;
    value_ = stepped(*from, steps);
    setRefusal({});
    showValue(*value_);
    emit valueEdited(*value_);
}

bool UnitField::canScrub() const { return !isReadOnly() && isEnabled() && (value_ || fallback_); }

void UnitField::scrubTo(int steps) {
    if (!canScrub())
        return;
    if (!scrubStart_) {
        if (steps == 0)
            return; // a click is not a drag
        scrubStart_ = value_ ? value_ : fallback_;
        scrubbed_ = *scrubStart_;
        emit scrubStarted();
    }
    const double next = stepped(*scrubStart_, steps);
    if (next == scrubbed_)
        return;
    scrubbed_ = next;
    showValue(scrubbed_);
    emit valuePreviewed(scrubbed_);
}

void UnitField::endScrub() {
    if (!scrubStart_)
        return;
    scrubStart_.reset();
    value_ = scrubbed_;
    setRefusal({});
    emit valueEdited(*value_);
    emit scrubEnded();
}

void UnitField::keyPressEvent(QKeyEvent* event) {
    const int tens = event->modifiers() & Qt::ShiftModifier ? 10 : 1;
    switch (event->key()) {
    case Qt::Key_Up:
        return stepBy(tens);
    case Qt::Key_Down:
        return stepBy(-tens);
    case Qt::Key_PageUp:
        return stepBy(10);
    case Qt::Key_PageDown:
        return stepBy(-10);
    case Qt::Key_Escape:
        if (isModified() || !refusal_.isEmpty())
            return revert();
        break;
    default:
        break;
    }
    QLineEdit::keyPressEvent(event);
}

void UnitField::wheelEvent(QWheelEvent* event) {
    if (const int alt = altNotches(*event); alt != 0) {
        nudge(alt);
        return event->accept();
    }
    const int notches = event->angleDelta().y() / wheelNotch;
    if (!hasFocus() || notches == 0)
        return event->ignore(); // the panel scrolls
    stepBy(event->modifiers() & Qt::ShiftModifier ? 10 * notches : notches);
    event->accept();
}

void UnitField::focusOutEvent(QFocusEvent* event) {
    commit();
    QLineEdit::focusOutEvent(event);
}

void UnitField::renewMargins() {
    const bool mark = !refusal_.isEmpty();
    const bool unit = !unit_.isEmpty() && !hasLetter(text());
    const int width = mark ? theme().px(18) : unit ? fontMetrics().horizontalAdvance(unit_) + 6 : 0;
    setTextMargins(0, 0, width, 0);
    update();
}

void UnitField::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    if (!refusal_.isEmpty()) {
        const double side = theme().px(15);
        paintIcon(painter, QRectF(width() - side - theme().px(7), (height() - side) / 2, side, side),
                  QLatin1StringView("error"), theme().color(Role::err));
    } else if (!unit_.isEmpty() && !hasLetter(text())) {
        if (!isEnabled())
            painter.setOpacity(0.5);
        painter.setPen(theme().color(Role::text2));
        painter.drawText(rect().adjusted(0, 0, -theme().px(8), 0), Qt::AlignRight | Qt::AlignVCenter, unit_);
    }
}

void UnitField::changeEvent(QEvent* event) {
    QLineEdit::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        renewMargins();
}

} // namespace alidade::views
