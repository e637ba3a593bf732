// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes below the days of the run's calendar: machines that are paid, and the file system.
#include "views/document/text.h"
#include "views/kit/ink_on.h"
#include "views/run/run_calendar_view.h"
#include "views/scenario/words.h"
#include "views/theme/theme_controller.h"

#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace alidade::views {

void RunCalendarView::nameLane(QPainter& painter, const QRectF& lane, const QString& first,
                               const QString& second) {
    const double width = lane.left() - theme().px(8);
    const double height = QFontMetricsF(painter.font()).height();
    const double row = second.isEmpty() ? lane.height() : std::min(height, lane.height() / 2);
    const auto line = [&](double top, const QString& words) {
        say(painter, QRectF(0, top, width, row), Qt::AlignRight | Qt::AlignVCenter, words,
            theme().color(Role::text2));
    };
    line(second.isEmpty() ? lane.top() : lane.center().y() - row, first);
    if (!second.isEmpty())
        line(lane.center().y(), second);
}

QString RunCalendarView::phaseWords(const RunPhase& phase) const {
    const QString days = daysText(phase.to - phase.from);
    switch (phase.kind) {
    case RunPhaseKind::block:
        return phase.count > 1
                   ? tr("Capacity Block %1 of %2, %3").arg(phase.number).arg(phase.count).arg(days)
                   : tr("Capacity Block, %1 of it used").arg(days);
    case RunPhaseKind::plan:
        return phase.count > 1 ? tr("Training plan %1 of %2, %3").arg(phase.number).arg(phase.count).arg(days)
                               : tr("Training plan, %1 of it used").arg(days);
    case RunPhaseKind::rented:
        return tr("rented for %1").arg(days);
    case RunPhaseKind::unused:
        return tr("paid, not used: %1").arg(days);
    }
    return {};
}

QString RunCalendarView::storageWords() const {
    if (!story_->storage)
        return {};
    const StorageFill& fill = *story_->storage;
    const auto bytes = [](double value) { return quantity(value, Dimension::bytes); };
    if (const auto full = fill.fullAfter())
        return dates_->known() ? tr("full on %1").arg(dates_->day(static_cast<int>(*full)))
                               : tr("full after %1").arg(daysText(*full));
    return tr("at most %1 of %2").arg(bytes(fill.most()), bytes(fill.capacity));
}

/// The blocks for which machines are booked, and what of the last one is left over.
void RunCalendarView::paintMachines(QPainter& painter, const Lanes& lanes) {
    const Theme& look = theme();
    nameLane(painter, lanes.machines, tr("machines"));
    const QFontMetricsF metrics(painter.font());
    for (const RunPhase& phase : story_->phases) {
        const double left = x(lanes, phase.from), right = std::min(x(lanes, phase.to), lanes.right);
        const QRectF part(left, lanes.machines.top(), std::max(1.0, right - left - 1),
                          lanes.machines.height());
        if (left >= lanes.right)
            continue;
        const bool used = phase.kind != RunPhaseKind::unused;
        if (used)
            painter.fillRect(part, look.memoryColor(MemoryTone::held3));
        else
            paintClassFill(painter, part, Bound::bubble);
        const QString words = phaseWords(phase);
        const double wide = metrics.horizontalAdvance(words);
        if (wide + look.px(8) > part.width())
            continue;
        if (!used) { // the texture would run through the words
            QRectF ground(0, 0, wide + look.px(6), metrics.height());
            ground.moveCenter(part.center());
            painter.fillRect(ground.intersected(part), look.color(Role::base));
        }
        say(painter, part, Qt::AlignCenter, words,
            used ? inkOn(look.memoryColor(MemoryTone::held3), look) : look.color(Role::text));
    }
}

/// Data that has been read, checkpoints on top of it, and the capacity as a line.
void RunCalendarView::paintStorage(QPainter& painter, const Lanes& lanes) {
    const Theme& look = theme();
    const QRectF& lane = lanes.storage;
    storageLegend_.clear();
    if (!story_->storage) {
        nameLane(painter, lane, tr("storage"));
        return say(painter, lane, Qt::AlignLeft | Qt::AlignVCenter, tr("no fixed capacity"),
                   look.color(Role::text2));
    }
    const StorageFill& fill = *story_->storage;
    const auto full = fill.fullAfter();
    nameLane(painter, lane, tr("storage of"), quantity(fill.capacity, Dimension::bytes));
    const double top = 1.1 * std::max(fill.capacity, fill.most());
    const auto y = [&](double bytes) { return lane.bottom() - lane.height() * bytes / top; };
    // It changes at each checkpoint until as many are there as are kept, and evenly from then on.
    std::vector<double> moments{0};
    for (int i = 1; i <= keptCheckpoints && fill.period > 0 && i * fill.period < fill.days; ++i)
        for (const double moment : {i * fill.period * (1 - 1e-9), i * fill.period})
            moments.push_back(moment);
    moments.push_back(fill.days);
    QPolygonF data, all;
    for (const double moment : moments) {
        data.append({x(lanes, moment), y(fill.dataAt(moment))});
        all.append({x(lanes, moment), y(fill.at(moment))});
    }
    QPolygonF between = all;
    for (auto it = data.crbegin(); it != data.crend(); ++it)
        between.append(*it);
    data.append({x(lanes, fill.days), lane.bottom()});
    data.append({lane.left(), lane.bottom()});
    painter.setPen(Qt::NoPen);
    painter.setBrush(look.memoryColor(MemoryTone::held1));
    painter.drawPolygon(data);
    painter.setBrush(look.memoryColor(MemoryTone::passing1));
    painter.drawPolygon(between);
    const double end = x(lanes, fill.days), limit = y(fill.capacity);
    painter.setPen(QPen(look.color(full ? Role::err : Role::text2), look.px(1)));
    painter.drawLine(QPointF(lane.left(), limit), QPointF(end, limit));
    const QFontMetricsF metrics(painter.font());
    const QString words = storageWords();
    const double wide = metrics.horizontalAdvance(words) + look.px(6);
    // Under the line of the capacity, where the file system is empty at first.
    QRectF box(lane.left() + look.px(4), limit + 1, wide, metrics.height());
    if (full) {
        const double at = x(lanes, *full);
        painter.drawLine(QPointF(at, lane.top()), QPointF(at, lane.bottom()));
        box.moveLeft(at + look.px(4));
        if (box.right() > lanes.right)
            box.moveRight(at - look.px(4));
    }
    QColor ground = look.color(Role::base);
    ground.setAlphaF(0.9F);
    painter.fillRect(box, ground);
    say(painter, box, Qt::AlignCenter, words, look.color(full ? Role::err : Role::text));
    const bool before = full.has_value(); // of the words
    const double from = before ? lane.left() + look.px(4) : box.right();
    paintStorageLegend(
        painter, QRectF(from, box.top(), (before ? box.left() : end) - from - look.px(4), box.height()));
}

/// As many entries as there is room for, from the first.
void RunCalendarView::paintStorageLegend(QPainter& painter, const QRectF& room) {
    const Theme& look = theme();
    const StorageFill& fill = *story_->storage;
    struct Entry {
        QString words;
        QBrush patch;       ///< of an area
        bool line = false;  ///< a line instead of a patch
        bool plain = false; ///< words alone
    };
    std::vector<Entry> entries{{.words = tr("data read, %1").arg(quantity(fill.data, Dimension::bytes)),
                                .patch = look.memoryColor(MemoryTone::held1)}};
    if (fill.checkpoint > 0)
        entries.push_back({.words = tr("%1 checkpoints kept, %2")
                                        .arg(keptCheckpoints)
                                        .arg(quantity(fill.checkpointsAt(fill.days), Dimension::bytes)),
                           .patch = look.memoryColor(MemoryTone::passing1)});
    entries.push_back({.words = tr("capacity"), .patch = {}, .line = true});
    if (fill.checkpoint > 0)
        entries.push_back({.words = tr("older ones: sent to S3 or deleted"), .patch = {}, .plain = true});
    const QFontMetricsF metrics(painter.font());
    QColor ground = look.color(Role::base);
    ground.setAlphaF(0.9F);
    const double patch = look.px(13), gap = look.px(4), between = look.px(12);
    double at = room.left();
    for (const Entry& entry : entries) {
        const double wide = metrics.horizontalAdvance(entry.words) + 2;
        const double mark = entry.plain ? 0 : patch + gap;
        const QRectF box(at, room.top(), between + mark + wide, room.height());
        if (box.right() > room.right())
            break;
        painter.fillRect(box, ground);
        QRectF sample(box.left() + between, 0, patch, look.px(10));
        sample.moveTop(box.center().y() - sample.height() / 2);
        if (entry.line) {
            painter.setPen(QPen(look.color(fill.fullAfter() ? Role::err : Role::text2), look.px(1)));
            painter.drawLine(QPointF(sample.left(), box.center().y()),
                             QPointF(sample.right(), box.center().y()));
        } else if (!entry.plain) {
            painter.fillRect(sample, entry.patch);
        }
        say(painter, QRectF(box.left() + between + mark, box.top(), wide, box.height()),
            Qt::AlignLeft | Qt::AlignVCenter, entry.words, look.color(Role::text));
        storageLegend_ << entry.words;
        at = box.right();
    }
}

} // namespace alidade::views
