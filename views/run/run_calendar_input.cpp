// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keyboard of the run's calendar.
#include "views/document/text.h"
#include "views/run/run_calendar_view.h"
#include "views/theme/theme_controller.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace alidade::views {

void RunCalendarView::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (step == 0 || failure_ < 0 || event->modifiers() & ~Qt::KeypadModifier)
        return QWidget::keyPressEvent(event);
    setFailure(failure_ + step);
}

int RunCalendarView::dayAt(const QPointF& position) const {
    if (!story_ || !story_->isPlayed)
        return -1;
    const Lanes all = lanes();
    if (position.y() < all.dates.top() || position.y() > all.storage.bottom() || position.x() < all.left)
        return -1;
    const int day =
        static_cast<int>((position.x() - all.left) / std::max(1e-9, all.right - all.left) * lastDay());
    return day < static_cast<int>(std::ceil(outcomeDays())) ? day : -1;
}

CardContent RunCalendarView::dayCard(int day) const {
    const bool drawn = oneOutcome_ && static_cast<std::size_t>(day) < story_->days.size();
    const RunShares shares = drawn ? story_->days[static_cast<std::size_t>(day)].shares : meanDay();
    CardContent card;
    card.title = drawn ? dates_->day(day) : tr("%1, expected").arg(dates_->day(day));
    for (const RunPiece piece : lostPieces)
        card.rows.append({pieceTitle(piece), lostTimeText(secondsOf(shares, piece))});
    if (drawn)
        card.rows.append({tr("interruptions"),
                          QString::number(story_->days[static_cast<std::size_t>(day)].interruptions)});
    if (story_->storage) {
        const StorageFill& fill = *story_->storage;
        const double end = std::min(day + 1.0, fill.days);
        card.rows.append({tr("training data read"), quantity(fill.dataAt(end), Dimension::bytes)});
        card.rows.append({tr("checkpoints kept"), quantity(fill.checkpointsAt(end), Dimension::bytes)});
        card.rows.append({tr("capacity"), quantity(fill.capacity, Dimension::bytes)});
    }
    return card;
}

/// Only its bar of interruptions looks different.
void RunCalendarView::setHovered(int day) {
    const int before = std::exchange(hovered_, day);
    if (!story_ || !story_->isPlayed || day == before)
        return;
    const Lanes all = lanes();
    for (const int each : {before, day}) {
        if (each < 0)
            continue;
        const auto [left, right] = barOf(all, each);
        update(QRectF(QPointF(left, all.interruptions.top()), QPointF(right, all.interruptions.bottom()))
                   .toAlignedRect());
    }
}

void RunCalendarView::mouseMoveEvent(QMouseEvent* event) {
    const int day = dayAt(event->position());
    setHovered(day);
    if (day < 0)
        return HoverCard::hideFor(this);
    const Lanes all = lanes();
    const QRectF column(QPointF(x(all, day), all.whole.top()),
                        QPointF(x(all, day + 1), all.storage.bottom()));
    HoverCard::showFor(this, column.toRect(), dayCard(day));
}

void RunCalendarView::mousePressEvent(QMouseEvent* event) {
    QWidget::mousePressEvent(event);
    const int day = dayAt(event->position());
    if (day < 0 || event->button() != Qt::LeftButton)
        return;
    const auto& failures = story_->drawn.failures;
    const auto stopped = [&](int i) {
        const DrawnFailure& each = failures[static_cast<std::size_t>(i)];
        return each.lost + each.stop;
    };
    int longest = -1, nearest = -1;
    double away = 0; // of the nearest, for a day without any
    for (int i = 0; i < static_cast<int>(failures.size()); ++i) {
        const double at = failures[static_cast<std::size_t>(i)].at / pace() / secondsPerDay;
        if (static_cast<int>(at) == day && (longest < 0 || stopped(i) > stopped(longest)))
            longest = i;
        if (nearest < 0 || std::abs(at - day) < away) {
            nearest = i;
            away = std::abs(at - day);
        }
    }
    setFailure(longest >= 0 ? longest : nearest);
}

void RunCalendarView::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    setHovered(-1);
    HoverCard::hideFor(this);
}

void RunCalendarView::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void RunCalendarView::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

} // namespace alidade::views
