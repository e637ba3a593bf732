// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/run_calendar_view.h"

#include "model/estimate/estimate.h"
#include "model/reliability/failure_causes.h"
#include "views/document/text.h"
#include "views/kit/ink_on.h"
#include "views/kit/keyboard_focus.h"
#include "views/kit/multiples.h"
#include "views/theme/theme_controller.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace alidade::views {

namespace {

// Logical pixels at 10 pt.
constexpr int nameWidth = 104, sideSpace = 18, dateHeight = 22, barHeight = 22, laneHeight = 34, laneGap = 8,
              machineHeight = 18, storageHeight = 44, funnel = 22, hourHeight = 18;

double lostOf(const RunShares& shares) { return shares.redone + shares.stopped + shares.starting; }

/// The least step with at most `count` ticks: one or two days, else whole weeks, as on a calendar.
double dayStep(double days, int count) {
    for (const double step : {1.0, 2.0, 7.0, 14.0, 28.0, 56.0, 91.0, 182.0, 364.0})
        if (days / step <= count)
            return step;
    return std::ceil(days / count / 364) * 364;
}

} // namespace

void paintPiece(QPainter& painter, const QRectF& rect, RunPiece piece) {
    switch (piece) {
    case RunPiece::work:
        return painter.fillRect(rect, theme().memoryColor(MemoryTone::held2));
    case RunPiece::redone:
        return painter.fillRect(rect, theme().memoryColor(MemoryTone::passing2));
    case RunPiece::stopped:
        return paintClassFill(painter, rect, Bound::bubble);
    case RunPiece::starting:
        return painter.fillRect(rect, theme().memoryColor(MemoryTone::overhead));
    }
}

QString pieceTitle(RunPiece piece) {
    switch (piece) {
    case RunPiece::work:
        return RunCalendarView::tr("useful");
    case RunPiece::redone:
        return RunCalendarView::tr("lost, repeated");
    case RunPiece::stopped:
        return RunCalendarView::tr("stopped");
    case RunPiece::starting:
        return RunCalendarView::tr("starting");
    }
    return {};
}

RunCalendarView::RunCalendarView(QWidget* parent)
    : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("From start to finish"));
    setToolTip({});
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void RunCalendarView::setStory(const RunStoryPtr& story) {
    const bool other = !story_ || !story || story_->estimate != story->estimate;
    story_ = story;
    dates_.reset();
    if (story_) {
        dates_.emplace(*story_->estimate->run);
        if (other)
            failure_ = story_->failure;
        highest_ = highest();
    }
    renewSpans();
    setAccessibleDescription(description());
    update();
}

void RunCalendarView::setOneOutcome(bool on) {
    oneOutcome_ = on;
    setAccessibleDescription(description());
    update();
}

void RunCalendarView::setFailure(int failure) {
    if (!story_ || story_->drawn.failures.empty() || failure < -1)
        return;
    failure_ = std::clamp(failure, 0, static_cast<int>(story_->drawn.failures.size()) - 1);
    renewSpans();
    setAccessibleDescription(description());
    update();
    emit failureChanged(failure_);
}

QSize RunCalendarView::sizeHint() const {
    return {theme().px(900),
            theme().px(dateHeight + barHeight + 2 * laneHeight + 4 * laneGap + funnel + machineHeight +
                       storageHeight + 2 * laneGap + barHeight + hourHeight + 6)};
}

QSize RunCalendarView::minimumSizeHint() const { return {theme().px(560), sizeHint().height()}; }

double RunCalendarView::outcomeDays() const {
    return oneOutcome_ ? story_->drawn.seconds / secondsPerDay : story_->estimate->run->days->p50;
}

const RunShares& RunCalendarView::totals() const {
    return oneOutcome_ ? story_->drawnShares : story_->expected;
}

RunShares RunCalendarView::meanDay() const {
    RunShares out = story_->expected;
    const double days = std::max(1e-9, story_->estimate->run->days->p50);
    for (double* each : {&out.work, &out.redone, &out.stopped, &out.starting})
        *each /= days;
    return out;
}

double RunCalendarView::meanInterruptions() const {
    const Run& run = *story_->estimate->run;
    return run.interruptions / std::max(1e-9, run.days->p50);
}

/// The scales of the days, the same for what is expected and for the drawn outcome.
std::pair<double, double> RunCalendarView::highest() const {
    std::pair out(1.6 * lostOf(meanDay()), std::max(1.0, 1.6 * meanInterruptions()));
    for (const RunDay& each : story_->days) {
        out.first = std::max(out.first, lostOf(each.shares));
        out.second = std::max(out.second, static_cast<double>(each.interruptions));
    }
    return out;
}

/// The axis keeps its end while the outcome shown changes.
double RunCalendarView::lastDay() const {
    const auto& days = *story_->estimate->run->days;
    double last = std::max(days.p90, story_->drawn.seconds / secondsPerDay);
    const double near = 1.5 * days.p90;
    if (dates_->deadline() && *dates_->deadline() < near)
        last = std::max(last, *dates_->deadline());
    return last * 1.04;
}

RunCalendarView::Lanes RunCalendarView::lanes() const {
    const Theme& look = theme();
    Lanes out;
    out.left = look.px(nameWidth);
    out.right = width() - look.px(sideSpace);
    const double wide = std::max(20.0, out.right - out.left);
    double y = look.px(4);
    const auto take = [&](int height, int gap) {
        const QRectF lane(out.left, y, wide, look.px(height));
        y += look.px(height + gap);
        return lane;
    };
    out.dates = take(dateHeight, 0);
    out.whole = take(barHeight, laneGap);
    out.lost = take(laneHeight, laneGap);
    out.interruptions = take(laneHeight, laneGap);
    out.machines = take(machineHeight, laneGap);
    out.storage = take(storageHeight, funnel);
    out.loupe = take(barHeight, 2);
    out.hours = take(hourHeight, 0);
    return out;
}

double RunCalendarView::x(const Lanes& lanes, double day) const {
    return lanes.left + (lanes.right - lanes.left) * day / std::max(1e-9, lastDay());
}

double RunCalendarView::pace() const {
    return story_->drawn.seconds > 0 ? playedSeconds(story_->process, story_->drawn) / story_->drawn.seconds
                                     : 1;
}

double RunCalendarView::startOfLoupe() const {
    if (failure_ < 0)
        return 0;
    const double end = playedSeconds(story_->process, story_->drawn);
    const double at = story_->drawn.failures[static_cast<std::size_t>(failure_)].at;
    return std::clamp(at - loupeHalf, 0.0, std::max(0.0, end - 2 * loupeHalf));
}

/// To find them goes through the run from its start, which is too slow for each paint.
void RunCalendarView::renewSpans() {
    spans_.clear();
    if (!story_ || failure_ < 0)
        return;
    const double from = startOfLoupe();
    spans_ = drawnSpans(story_->process, story_->drawn, story_->facts.detection, from, from + 2 * loupeHalf);
}

/// One line of text; what does not fit into its box is remembered for tests.
void RunCalendarView::say(QPainter& painter, const QRectF& box, Qt::Alignment alignment, const QString& words,
                          QColor ink) {
    painter.setPen(ink);
    const QFontMetricsF metrics(painter.font());
    if (metrics.horizontalAdvance(words) > box.width() + 1 || box.left() < -1 || box.right() > width() + 1)
        cut_ = words;
    painter.drawText(box, static_cast<int>(alignment) | Qt::TextSingleLine, words);
}

void RunCalendarView::paintNames(QPainter& painter, const Lanes& lanes) {
    nameLane(painter, lanes.whole, tr("whole run"));
    const auto& [lost, times] = highest_;
    const bool one = oneOutcome_;
    nameLane(painter, lanes.lost, tr("lost per day,"),
             one ? tr("up to %1").arg(lostTimeText(lost)) : lostTimeText(lostOf(meanDay())));
    nameLane(
        painter, lanes.interruptions, tr("interruptions,"),
        one ? tr("up to %1 per day")
                  .arg(quantity(times, Dimension::number, {.significant = 2, .trimZeros = true}))
        : meanInterruptions() < 0.1
            ? tr("under 0.1 per day")
            : tr("%1 per day").arg(quantity(meanInterruptions(), Dimension::number, {.significant = 2})));
}

void RunCalendarView::paintDates(QPainter& painter, const Lanes& lanes) {
    const double days = lastDay();
    const int room = std::max(2, static_cast<int>(lanes.dates.width() / theme().px(96)));
    const QFontMetricsF metrics(painter.font());
    const QRectF taken = deadlineBox(lanes, metrics);
    for (const double day : multiples(0, days, dayStep(days, room))) {
        const double at = x(lanes, day);
        painter.setPen(QPen(theme().color(Role::grid), 0));
        painter.drawLine(QPointF(at, lanes.dates.bottom()), QPointF(at, lanes.storage.bottom()));
        const QString text = dates_->dayShort(static_cast<int>(day));
        const double half = metrics.horizontalAdvance(text) / 2 + 2;
        const double left = day > 0 ? at - half : at;
        const QRectF box(left, lanes.dates.top(), 2 * half, lanes.dates.height());
        if (box.right() <= width() && !box.intersects(taken))
            say(painter, box, (day > 0 ? Qt::AlignHCenter : Qt::AlignLeft) | Qt::AlignVCenter, text,
                theme().color(Role::text2));
    }
}

void RunCalendarView::paintWhole(QPainter& painter, const Lanes& lanes) {
    const RunShares& sum = totals();
    double day = 0;
    for (const RunPiece piece : {RunPiece::work, RunPiece::redone, RunPiece::stopped, RunPiece::starting}) {
        const double days = secondsOf(sum, piece) / secondsPerDay;
        const double left = x(lanes, day), right = x(lanes, day + days);
        day += days;
        if (right - left < 0.5)
            continue;
        const QRectF part(left, lanes.whole.top(), std::max(1.0, right - left - 1), lanes.whole.height());
        paintPiece(painter, part, piece);
        if (piece != RunPiece::work)
            continue;
        const QString words = tr("useful work, %1").arg(daysText(days));
        if (QFontMetricsF(painter.font()).horizontalAdvance(words) + theme().px(8) < part.width())
            say(painter, part, Qt::AlignCenter, words,
                inkOn(theme().memoryColor(MemoryTone::held2), theme()));
    }
}

/// From left to right what a day takes of a lane of bars; at least a pixel of it is seen.
std::pair<double, double> RunCalendarView::barOf(const Lanes& lanes, int day) const {
    const double share = std::min(1.0, outcomeDays() - day); // of the day
    const double gap = x(lanes, 1) - lanes.left > 4 ? 1 : 0;
    const double left = x(lanes, day) + gap / 2;
    return {left, left + std::max(1.0, x(lanes, day + share) - x(lanes, day) - gap)};
}

/// Those that meet the part of the picture.
void RunCalendarView::paintDays(QPainter& painter, const Lanes& lanes, const QRectF& part) {
    const Theme& look = theme();
    const double days = outcomeDays();
    const double wideDay = std::max(1e-9, x(lanes, 1) - lanes.left);
    const int first = static_cast<int>(std::max(0.0, (part.left() - lanes.left - 2) / wideDay));
    const int end =
        static_cast<int>(std::min(std::max(1.0, std::ceil(days)), (part.right() - lanes.left) / wideDay + 1));
    const RunShares mean = meanDay();
    const double meanCount = meanInterruptions();
    const auto& [mostLost, mostTimes] = highest_;
    for (const QRectF& lane : {lanes.lost, lanes.interruptions}) {
        painter.setPen(QPen(look.color(Role::line2), 0));
        painter.drawLine(QPointF(lanes.left, lane.bottom()), QPointF(x(lanes, days), lane.bottom()));
    }
    for (int i = first; i < end; ++i) {
        const bool drawn = oneOutcome_ && static_cast<std::size_t>(i) < story_->days.size();
        RunShares shares = drawn ? story_->days[static_cast<std::size_t>(i)].shares : mean;
        const double times = drawn ? story_->days[static_cast<std::size_t>(i)].interruptions : meanCount;
        const auto [left, right] = barOf(lanes, i);
        const double wide = right - left;
        double top = lanes.lost.bottom();
        for (const RunPiece piece : lostPieces) {
            const double height =
                mostLost > 0 ? lanes.lost.height() * secondsOf(shares, piece) / mostLost : 0;
            if (height <= 0)
                continue;
            paintPiece(painter, QRectF(left, top - height, wide, height), piece);
            top -= height;
        }
        const double height = mostTimes > 0 ? lanes.interruptions.height() * times / mostTimes : 0;
        QColor gray = look.color(Role::text3);
        gray.setAlphaF(i == hovered_ ? 0.9F : 0.55F);
        painter.fillRect(QRectF(left, lanes.interruptions.bottom() - height, wide, height), gray);
    }
}

/// The end with its band, and the deadline.
void RunCalendarView::paintEnd(QPainter& painter, const Lanes& lanes) {
    const Theme& look = theme();
    const auto& days = *story_->estimate->run->days;
    const double top = lanes.dates.bottom(), bottom = lanes.storage.bottom();
    QColor band = look.color(Role::accent);
    band.setAlphaF(0.13F);
    painter.fillRect(QRectF(QPointF(x(lanes, days.p10), top), QPointF(x(lanes, days.p90), bottom)), band);
    painter.setPen(QPen(look.color(Role::accent), look.px(1) * 1.75));
    const double end = x(lanes, outcomeDays());
    painter.drawLine(QPointF(end, top), QPointF(end, bottom));
    const QFontMetricsF metrics(painter.font());
    const auto plate = [&](double right, double y, const QString& words, Role ink) {
        const double wide = metrics.horizontalAdvance(words) + 8;
        QRectF box(right - wide, y, wide, metrics.height() + 2);
        QColor ground = look.color(Role::base);
        ground.setAlphaF(0.9F);
        painter.fillRect(box, ground);
        say(painter, box, Qt::AlignCenter, words, look.color(ink));
    };
    plate(end - look.px(4), lanes.lost.bottom() - metrics.height(),
          dates_->known() ? tr("end %1").arg(dates_->end(outcomeDays()))
                          : tr("end after %1").arg(daysText(outcomeDays())),
          Role::accent);
    const QString range = tr("low – high");
    if (const double right = x(lanes, days.p90) + look.px(4) + metrics.horizontalAdvance(range) + 4;
        right < width())
        say(painter,
            QRectF(x(lanes, days.p90) + look.px(4), lanes.interruptions.bottom() - metrics.height(),
                   metrics.horizontalAdvance(range) + 4, metrics.height()),
            Qt::AlignLeft | Qt::AlignVCenter, range, look.color(Role::accent));
    if (!dates_->deadline() || *dates_->deadline() > lastDay())
        return;
    const double at = x(lanes, *dates_->deadline());
    QPen pen(look.color(Role::err), look.px(1) * 1.5);
    pen.setDashPattern({7, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(at, lanes.dates.top()), QPointF(at, bottom));
    say(painter, deadlineBox(lanes, metrics), Qt::AlignLeft | Qt::AlignVCenter,
        tr("deadline %1").arg(dates_->deadlineDay()), look.color(Role::err));
}

/// Of the words of the deadline, right of its line, else left of it; empty: it is not to be seen.
QRectF RunCalendarView::deadlineBox(const Lanes& lanes, const QFontMetricsF& metrics) const {
    if (!dates_->deadline() || *dates_->deadline() > lastDay())
        return {};
    const double at = x(lanes, *dates_->deadline()), gap = theme().px(5);
    const double wide = metrics.horizontalAdvance(tr("deadline %1").arg(dates_->deadlineDay())) + 2;
    return {at + gap + wide <= width() ? at + gap : at - gap - wide, lanes.dates.top(), wide,
            lanes.dates.height()};
}

QString RunCalendarView::loupeTitle() const {
    return dates_->dayShort(static_cast<int>(startOfLoupe() / std::max(1e-9, pace()) / secondsPerDay));
}

/// "Host maintenance: 16 min of work lost, 17 min until the next step"
QString RunCalendarView::failureWords() const {
    const DrawnFailure& failure = story_->drawn.failures[static_cast<std::size_t>(failure_)];
    const auto cause =
        static_cast<std::size_t>(std::clamp(failure.cause, 0, static_cast<int>(failureCauses.size()) - 1));
    return tr("%1: %2 lost, %3 until the next step")
        .arg(text(failureCauses[cause].name), lostTimeText(failure.lost), lostTimeText(failure.stop));
}

void RunCalendarView::paintLoupe(QPainter& painter, const Lanes& lanes) {
    const Theme& look = theme();
    const QFontMetricsF metrics(painter.font());
    if (failure_ < 0)
        return say(painter, lanes.loupe, Qt::AlignLeft | Qt::AlignVCenter,
                   tr("No interruption in the drawn outcome"), look.color(Role::text2));
    const double from = startOfLoupe(), to = from + 2 * loupeHalf;
    const auto place = [&](double at) {
        return lanes.left + (lanes.right - lanes.left) * (at - from) / (to - from);
    };
    // Checkpoints of each step would hide the work between them.
    const double gap = place(from + story_->process.interval) - lanes.left < look.px(6) ? 0 : 1;
    // Where it is on the calendar.
    const double outer = pace() * secondsPerDay;
    painter.setPen(QPen(look.color(Role::line2), 0));
    const double foot = lanes.storage.bottom() + 2, head = lanes.loupe.top() - look.px(4);
    painter.drawLine(QPointF(x(lanes, from / outer), foot), QPointF(lanes.left, head));
    painter.drawLine(QPointF(x(lanes, to / outer), foot), QPointF(lanes.right, head));
    const QRectF name(0, lanes.loupe.top() - metrics.height() / 2, lanes.left - look.px(8),
                      lanes.loupe.height());
    say(painter, name, Qt::AlignRight | Qt::AlignVCenter, tr("two hours of"), look.color(Role::text2));
    say(painter, name.translated(0, metrics.height()), Qt::AlignRight | Qt::AlignVCenter, loupeTitle(),
        look.color(Role::text2));
    painter.save();
    painter.setClipRect(lanes.loupe.adjusted(-1, -look.px(4), 1, look.px(4)));
    for (const RunSpan& span : spans_) {
        const double left = place(span.from), right = place(span.to);
        const QRectF part(left + gap / 2, lanes.loupe.top(), std::max(gap, right - left - gap),
                          lanes.loupe.height());
        paintPiece(painter, part, span.piece);
        if (span.saved && gap > 0) { // a checkpoint
            painter.setPen(QPen(look.color(Role::text), look.px(1)));
            painter.drawLine(QPointF(right, part.top() - look.px(3)),
                             QPointF(right, part.bottom() + look.px(3)));
        }
        const QString what =
            span.piece == RunPiece::work
                ? lostTimeText(span.to - span.from)
                : tr("%1: %2").arg(pieceTitle(span.piece), lostTimeText(span.to - span.from));
        const double room = part.width() - look.px(8);
        if (metrics.horizontalAdvance(what) > room)
            continue;
        if (span.piece == RunPiece::stopped) { // dots would run through the words
            QRectF ground(0, 0, metrics.horizontalAdvance(what) + look.px(6), metrics.height());
            ground.moveCenter(part.center());
            painter.fillRect(ground, look.color(Role::base));
        }
        const QColor ink =
            span.piece == RunPiece::stopped
                ? look.color(Role::text)
                : inkOn(look.memoryColor(span.piece == RunPiece::work     ? MemoryTone::held2
                                         : span.piece == RunPiece::redone ? MemoryTone::passing2
                                                                          : MemoryTone::overhead),
                        look);
        say(painter, part, Qt::AlignCenter, what, ink);
    }
    painter.restore();
    // What happened, over the moment.
    const double at = place(story_->drawn.failures[static_cast<std::size_t>(failure_)].at);
    const double tip = lanes.loupe.top() - look.px(1), size = look.px(5);
    painter.setPen(Qt::NoPen);
    painter.setBrush(look.color(Role::err));
    painter.drawPolygon(QPolygonF(
        {QPointF(at - size, tip - 1.6 * size), QPointF(at + size, tip - 1.6 * size), QPointF(at, tip)}));
    const QString words = failureWords();
    const double wide = metrics.horizontalAdvance(words) + look.px(6);
    QRectF box(at + 1.5 * size, tip - metrics.height() - 1, wide, metrics.height());
    if (box.right() > lanes.right)
        box.moveRight(at - 1.5 * size);
    painter.fillRect(box, look.color(Role::base));
    say(painter, box, Qt::AlignCenter, words, look.color(Role::err));
    // Hours of the clock.
    const double first = from / pace(), last = to / pace();
    for (const double hour : multiples(first, last, 1'800)) {
        const double middle = place(hour * pace());
        const QString clock = RunDates::clock(hour);
        const double half = metrics.horizontalAdvance(clock) / 2 + 2;
        say(painter,
            QRectF(std::clamp(middle - half, 0.0, width() - 2 * half), lanes.hours.top(), 2 * half,
                   lanes.hours.height()),
            Qt::AlignCenter, clock, look.color(Role::text2));
    }
}

void RunCalendarView::paintEvent(QPaintEvent* event) {
    const QRectF part = event->rect();
    QPainter painter(this);
    painter.fillRect(part, theme().color(Role::base));
    if (event->rect() == rect())
        cut_.clear();
    if (!story_ || !story_->isPlayed)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme().font(FontRole::small));
    const Lanes all = lanes();
    paintDates(painter, all);
    if (part.left() < all.left)
        paintNames(painter, all);
    paintWhole(painter, all);
    paintDays(painter, all, part);
    const bool below = part.bottom() > all.machines.top(); // more than a bar of interruptions changes
    if (below) {
        paintMachines(painter, all);
        paintStorage(painter, all);
    }
    paintEnd(painter, all);
    if (below)
        paintLoupe(painter, all);
    if (keyboardFocus(this))
        paintFocus(painter, QRectF(rect()).adjusted(1, 1, -1, -1));
}

QString RunCalendarView::description() const {
    if (!story_ || !story_->isPlayed)
        return {};
    QStringList parts;
    for (const RunPiece piece : {RunPiece::work, RunPiece::redone, RunPiece::stopped, RunPiece::starting})
        parts.append(
            tr("%1 %2").arg(pieceTitle(piece), daysText(secondsOf(totals(), piece) / secondsPerDay)));
    const auto& days = *story_->estimate->run->days;
    parts.append(tr("ends after %1, low %2, high %3")
                     .arg(daysText(outcomeDays()), daysText(days.p10), daysText(days.p90)));
    if (dates_->deadline())
        parts.append(tr("deadline %1").arg(dates_->deadlineDay()));
    for (const RunPhase& phase : story_->phases)
        parts.append(phaseWords(phase));
    if (const QString storage = storageWords(); !storage.isEmpty())
        parts.append(tr("storage: %1").arg(storage));
    if (failure_ >= 0)
        parts.append(tr("two hours of %1: %2").arg(loupeTitle(), failureWords()));
    return parts.join(QStringLiteral("; "));
}

} // namespace alidade::views
