// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/run_tables.h"

#include "model/estimate/estimate.h"
#include "model/reliability/failure_causes.h"
#include "model/run/checkpoint_curve.h"
#include "model/units/constants.h"
#include "views/document/text.h"
#include "views/run/run_words.h"
#include "views/theme/theme_controller.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <string>

namespace alidade::views {

namespace {

struct TableTexts {
    Q_DECLARE_TR_FUNCTIONS(RunView)
};

constexpr int barWidth = 64; // logical pixels
constexpr int curveRows = 25;
constexpr double hoursBelow = 2 * secondsPerDay; // of lost time: hours are shown
constexpr double fewInterruptions = 100;

Cell words(const QString& text) { return {.text = text, .value = {}, .bound = {}}; }
Cell number(const QString& text, double value) { return {.text = text, .value = value, .bound = {}}; }
Cell nothing() { return words(QStringLiteral("–")); }

Cell changeOf(double value, const QString& magnitude) {
    return number((value < 0 ? QStringLiteral("−") : QStringLiteral("+")) + magnitude, value);
}

QString twoPlaces(double value) { return QString::number(value, 'f', 2); }
QString whole(double value) { return quantity(std::round(value), Dimension::number, {.significant = 1}); }

/// Times of a cause: few of them with a fraction, so that they add up.
QString timesText(double times, bool few) {
    return few ? quantity(times, Dimension::number, {.significant = 2}) : whole(times);
}

Cell plain(double value, int significant = 3) {
    return number(quantity(value, Dimension::number, {.significant = significant}), value);
}
Cell shareCell(double share) { return number(quantity(share, Dimension::ratio), share); }

QString limitOfTier(Bound bound) {
    switch (bound) {
    case Bound::c2c:
        return TableTexts::tr("host links");
    case Bound::storage:
        return TableTexts::tr("the tier");
    case Bound::efa:
    case Bound::network:
        return TableTexts::tr("the nodes");
    default:
        return theme().classStyle(bound).name;
    }
}

} // namespace

RunTable causeTable(const Run& run) {
    LostTime sum;
    for (const LostTime& each : run.lost) {
        const bool stall = each.cause == stallCause; // no work that is done again, and no restart
        sum.restart += stall ? 0 : each.restart;
        sum.redone += stall ? 0 : each.redone;
        sum.seconds += each.seconds;
    }
    const bool hours = sum.seconds < hoursBelow;
    const bool few = run.interruptions < fewInterruptions;
    const double unit = hours ? secondsPerHour : secondsPerDay;
    const auto time = [unit](double seconds) { return number(twoPlaces(seconds / unit), seconds / unit); };
    RunTable out;
    out.columns = {{TableTexts::tr("Cause"), false, {}},
                   {TableTexts::tr("Times"), true, {}},
                   {hours ? TableTexts::tr("Restart, h") : TableTexts::tr("Restart, d"), true,
                    TableTexts::tr("Time without computation: detection, restart, reading the state")},
                   {hours ? TableTexts::tr("Again, h") : TableTexts::tr("Again, d"), true,
                    TableTexts::tr("Lost work that is repeated")},
                   {hours ? TableTexts::tr("Hours") : TableTexts::tr("Days"), true,
                    TableTexts::tr("Added length of the run")}};
    for (const LostTime& each : run.lost) {
        const bool stall = each.cause == stallCause;
        const QString times = stall ? whole(each.times) : timesText(each.times, few);
        out.rows.append({text(each.cause),
                         {words(text(each.cause)), each.times > 0 ? number(times, each.times) : nothing(),
                          stall || each.restart <= 0 ? nothing() : time(each.restart),
                          stall || each.redone <= 0 ? nothing() : time(each.redone), time(each.seconds)}});
    }
    out.rows.append(
        {QLatin1String(totalKey),
         {words(TableTexts::tr("All")),
          run.interruptions > 0 ? number(timesText(run.interruptions, few), run.interruptions) : nothing(),
          time(sum.restart), time(sum.redone), time(sum.seconds)}});
    return out;
}

RunTable stepTable(const RunStory& story) {
    RunTable out;
    out.columns = {
        {TableTexts::tr("To end in time in %1 of 10").arg(std::lround(10 * inTimeWanted)), false, {}},
        {TableTexts::tr("Days"), true, TableTexts::tr("Delay against the plan")},
        {TableTexts::tr("Cost"), true, TableTexts::tr("Extra order cost")},
        {TableTexts::tr("In time"), true, TableTexts::tr("Outcomes that meet the deadline")}};
    for (const DeadlineStep& each : story.steps) {
        QString step = text(each.text);
        if (!out.rows.empty()) {
            step.front() = step.front().toLower();
            step = TableTexts::tr("and %1").arg(step);
        }
        const double dollars = each.total ? dollarsOf(*each.total) : 0;
        out.rows.append(
            {QString::number(out.rows.size()),
             {words(step), changeOf(each.days, QString::number(std::abs(each.days), 'f', 1)),
              each.total ? changeOf(dollars, glance(std::abs(dollars), Dimension::dollars)) : nothing(),
              shareCell(each.chance)}});
    }
    return out;
}

RunTable worthTable(const RunStory& story) {
    RunTable out;
    out.columns = {{TableTexts::tr("What it is worth"), false, {}},
                   {TableTexts::tr("Days"), true, TableTexts::tr("Delay against the plan")},
                   {TableTexts::tr("Cost"), true, TableTexts::tr("Extra order cost")}};
    for (const RunWorth& each : story.worths) {
        const double dollars = each.total ? dollarsOf(*each.total) : 0;
        out.rows.append(
            {QString::number(out.rows.size()),
             {words(text(each.text)), changeOf(each.days, QString::number(std::abs(each.days), 'f', 2)),
              each.total ? changeOf(dollars, glance(std::abs(dollars), Dimension::dollars)) : nothing()}});
    }
    return out;
}

RunTable tierTable(const Run& run) {
    RunTable out;
    out.columns = {{TableTexts::tr("Tier"), false, {}},
                   {TableTexts::tr("Rate"), true, TableTexts::tr("Of all nodes together")},
                   {TableTexts::tr("Time"), true, TableTexts::tr("For one checkpoint")},
                   {TableTexts::tr("Limited by"), false, {}},
                   {TableTexts::tr("Room for"), true, TableTexts::tr("Checkpoints that the capacity holds")},
                   {TableTexts::tr("Per month"), true, TableTexts::tr("Price of the capacity in us-east-1")}};
    for (const auto& tier : run.checkpoint.tiers) {
        const bool provisioned = run.storageBytes > 0 && tier.tier == "file system";
        const double room = provisioned ? std::floor(run.storageBytes / run.checkpoint.bytes) : 0;
        out.rows.append(
            {text(tier.tier),
             {words(tierTitle(tier.tier)),
              number(glance(tier.bytesPerSecond, Dimension::bytesPerSecond), tier.bytesPerSecond),
              number(quantity(tier.seconds, Dimension::seconds, {.significant = 2}), tier.seconds),
              words(limitOfTier(tier.bound)), provisioned ? number(whole(room), room) : nothing(),
              provisioned && run.storageDollarsPerMonth > 0
                  ? number(glance(run.storageDollarsPerMonth, Dimension::dollars), run.storageDollarsPerMonth)
                  : nothing()}});
    }
    return out;
}

RunTable curveTable(const Run& run) {
    RunTable out;
    out.columns = {{TableTexts::tr("Interval"), true, {}},
                   {TableTexts::tr("Goodput"), true, {}},
                   {TableTexts::tr("Run, d"), true, {}}};
    const auto& c = run.checkpoint;
    const double from = std::max(shortestInterval(run), c.bestInterval / 6);
    for (const CheckpointPoint& each : checkpointCurve(run, from, 14 * c.bestInterval, curveRows))
        out.rows.append(
            {QString::number(out.rows.size()),
             {number(quantity(each.interval, Dimension::seconds), each.interval), shareCell(each.goodput),
              run.days ? plain(daysAt(run, each.interval)) : nothing()}});
    return out;
}

RunTable spareTable(const RunStory& story) {
    RunTable out;
    out.columns = {{TableTexts::tr("Spares"), true, {}},
                   {TableTexts::tr("Rent"), true, {}},
                   {TableTexts::tr("Waiting"), true, {}},
                   {TableTexts::tr("Both"), true, {}}};
    for (const SpareCost& each : story.spares)
        out.rows.append({QString::number(each.spares),
                         {number(QString::number(each.spares), each.spares),
                          number(spareMoney(story, each.rent), each.rent),
                          number(spareMoney(story, each.waiting), each.waiting),
                          number(spareMoney(story, each.total()), each.total())}});
    return out;
}

RunTable outcomeTable(const RunStory& story) {
    RunTable out;
    out.columns = {{TableTexts::tr("From, d"), true, {}},
                   {TableTexts::tr("To, d"), true, {}},
                   {TableTexts::tr("Outcomes"), true, {}},
                   {TableTexts::tr("Ended by then"), true, {}}};
    const OutcomeBars bars = outcomeBars(story);
    const auto add = [&](const char* key, double from, double to, std::size_t count) {
        out.rows.append({QString::fromLatin1(key),
                         {plain(from, 4), plain(to, 4), plain(static_cast<double>(count)),
                          shareCell(shareWithin(story.ended, to))}});
    };
    if (bars.before > 0)
        add("before", story.ended.front(), bars.low, bars.before);
    for (std::size_t i = 0; i < bars.counts.size(); ++i) {
        const double from = bars.low + static_cast<double>(i) * bars.width;
        add(std::to_string(i).c_str(), from, from + bars.width, bars.counts[i]);
    }
    if (bars.after > 0)
        add("after", bars.high, story.ended.back(), bars.after);
    return out;
}

RunTable dayTable(const RunStory& story) {
    RunTable out;
    out.columns = {{TableTexts::tr("Day"), false, {}},       {TableTexts::tr("Interruptions"), true, {}},
                   {TableTexts::tr("Useful, h"), true, {}},  {TableTexts::tr("Again, h"), true, {}},
                   {TableTexts::tr("Stopped, h"), true, {}}, {TableTexts::tr("Starting, h"), true, {}}};
    const RunDates dates(*story.estimate->run);
    const auto hours = [](double seconds) {
        return number(twoPlaces(seconds / secondsPerHour), seconds / secondsPerHour);
    };
    for (std::size_t i = 0; i < story.days.size(); ++i) {
        const RunDay& each = story.days[i];
        out.rows.append(
            {QString::number(i),
             {words(dates.day(static_cast<int>(i))), plain(each.interruptions), hours(each.shares.work),
              hours(each.shares.redone), hours(each.shares.stopped), hours(each.shares.starting)}});
    }
    return out;
}

QSize ShareDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = CellDelegate::sizeHint(option, index);
    if (index.column() == column_)
        size.rwidth() += theme().px(barWidth);
    return size;
}

void ShareDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    CellDelegate::initStyleOption(option, index);
    const bool last = column_ >= 0 && index.row() + 1 == index.model()->rowCount();
    if (last || index.column() == column_)
        option->font = theme().font(FontRole::strong);
}

void ShareDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const {
    if (index.column() != column_)
        return CellDelegate::paintContent(painter, option, index);
    QStyleOptionViewItem left = option;
    left.rect.setRight(option.rect.right() - theme().px(barWidth));
    CellDelegate::paintContent(painter, left, index);
    if (index.row() + 1 == index.model()->rowCount())
        return;
    const double value = index.data(Qt::EditRole).toDouble();
    const double height = theme().px(8);
    const QRectF track(left.rect.right() + 1, option.rect.center().y() - height / 2,
                       theme().px(barWidth) - theme().px(10), height);
    painter->fillRect(track, theme().color(Role::sunken));
    QRectF bar = track;
    bar.setWidth(track.width() * std::clamp(maximum_ > 0 ? value / maximum_ : 0, 0.0, 1.0));
    painter->fillRect(bar, theme().memoryColor(MemoryTone::held2));
}

} // namespace alidade::views
