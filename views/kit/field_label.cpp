// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/field_label.h"

#include "views/kit/unit_field.h"

#include <QMouseEvent>

namespace alidade::views {
namespace {

constexpr double pixelsPerStep = 4;

} // namespace

FieldLabel::FieldLabel(const QString& text, QWidget* field, QWidget* parent)
    : TextLabel(FontRole::body, Role::text2, text, parent)
    , scrubbed_(qobject_cast<UnitField*>(field)) {
    setBuddy(field);
    // A field of several parts hands the focus to one of them; that one is spoken.
    for (QWidget* part = field; part; part = part->focusProxy())
        if (part->accessibleName().isEmpty())
            part->setAccessibleName(QString(text).remove(QLatin1Char('&')));
    if (scrubbed_)
        setCursor(Qt::SizeHorCursor);
}

void FieldLabel::mousePressEvent(QMouseEvent* event) {
    if (!scrubbed_ || event->button() != Qt::LeftButton)
        return TextLabel::mousePressEvent(event);
    start_ = event->position().x();
    dragging_ = true;
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
    dragging_ = false;
    scrubbed_->endScrub();
}

} // namespace alidade::views
