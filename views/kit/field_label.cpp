// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/field_label.h"

#include "views/kit/scrubbed.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>

namespace alidade::views {
namespace {

constexpr double pixelsPerStep = 4;

} // namespace

FieldLabel::FieldLabel(const QString& text, QWidget* field, QWidget* parent)
    : TextLabel(FontRole::body, Role::text2, text, parent)
    , scrubbed_(nullptr) {
    setBuddy(field);
    // A field of several parts hands the focus to one of them; that one is spoken.
    for (QWidget* part = field; part; part = part->focusProxy())
        if (part->accessibleName().isEmpty())
            part->setAccessibleName(QString(text).remove(QLatin1Char('&')));
    setScrubbed(dynamic_cast<Scrubbed*>(field));
}

void FieldLabel::setScrubbed(Scrubbed* scrubbed) {
    scrubbed_ = scrubbed;
    if (scrubbed_)
        setCursor(Qt::SizeHorCursor);
    else
        unsetCursor();
}

void FieldLabel::mousePressEvent(QMouseEvent* event) {
    if (!scrubbed_ || event->button() != Qt::LeftButton || !scrubbed_->canScrub())
        return TextLabel::mousePressEvent(event);
    start_ = event->position().x();
    dragging_ = true;
    qApp->installEventFilter(this);
}

void FieldLabel::mouseMoveEvent(QMouseEvent* event) {
    if (!dragging_)
        return TextLabel::mouseMoveEvent(event);
    const int steps = static_cast<int>((event->position().x() - start_) / pixelsPerStep);
    scrubbed_->scrubTo(event->modifiers() & Qt::ShiftModifier ? 10 * steps : steps);
}

void FieldLabel::mouseReleaseEvent(QMouseEvent* event) {
    if (!dragging_)
        return TextLabel::mouseReleaseEvent(event);
    end();
}

bool FieldLabel::eventFilter(QObject* watched, QEvent* event) {
    const bool isKey = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (!dragging_ || !isKey || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape)
        return TextLabel::eventFilter(watched, event);
    scrubbed_->scrubTo(0); // where it began
    end();
    return true;
}

void FieldLabel::wheelEvent(QWheelEvent* event) {
    const int steps = altNotches(*event);
    if (steps == 0 || !scrubbed_ || !scrubbed_->canScrub())
        return TextLabel::wheelEvent(event);
    scrubbed_->nudge(steps);
    event->accept();
}

void FieldLabel::end() {
    dragging_ = false;
    qApp->removeEventFilter(this);
    scrubbed_->endScrub();
}

} // namespace alidade::views
