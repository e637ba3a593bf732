// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_text.h"

#include "views/document/text.h"
#include "views/scenario/words.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr FormatOptions fourDigits{.significant = 4};
constexpr double equalBelow = 5e-6; // relative difference that is none

QString span(double seconds) { return quantity(seconds, Dimension::seconds, fourDigits); }

QString shareOf(double part, double whole) {
    return quantity(whole > 0 ? part / whole : 0, Dimension::ratio, {.significant = 2});
}

/// A moment with as many digits as tell the events apart.
QString moment(const TimelineData& data, double time) {
    const ScaledUnit unit = chooseUnit(Dimension::seconds, data.makespan());
    const double steps = data.shortest() > 0 ? data.makespan() / data.shortest() : 1;
    const int digits = std::clamp(static_cast<int>(std::ceil(std::log10(std::max(steps, 1.0)))) + 2, 4, 9);
    const double whole = std::max(data.makespan() / unit.factor, 1.0);
    const int decimals = std::max(digits - static_cast<int>(std::floor(std::log10(whole))) - 1, 0);
    return QLocale::c().toString(time / unit.factor, 'f', decimals) + QLatin1Char(' ') + text(unit.label);
}

/// "backward of micro-batch 0 on stage 7, until 2.0235 s"
QString neededText(const TimelineData& data, int event) {
    const TimelineEvent& e = data.events()[static_cast<std::size_t>(event)];
    return TimelineText::tr("%1 on stage %2, until %3")
        .arg(workText(e.kind).toLower())
        .arg(e.stage)
        .arg(moment(data, e.end));
}

void addShares(CardContent& card, const TimelineData& data, const TimelineShares& shares) {
    card.rows.append({TimelineText::tr("Forward"), shareOf(shares.forward, shares.span)});
    card.rows.append({TimelineText::tr("Backward"), shareOf(shares.backward, shares.span)});
    if (data.hasWeightWork())
        card.rows.append({TimelineText::tr("Weight gradients"), shareOf(shares.weight, shares.span)});
    card.rows.append({TimelineText::tr("Waiting"), shareOf(shares.idle(), shares.span)});
}

Cell whole(int number) { return {.text = QString::number(number), .value = number, .bound = {}}; }

Cell timeCell(double seconds, const ScaledUnit& unit) {
    const double value = seconds / unit.factor;
    return {.text = text(formatParts(seconds, Dimension::seconds, {.significant = 6, .fixed = unit}).number),
            .value = value,
            .bound = {}};
}

} // namespace

QString workText(char kind) {
    return kind == 'F'   ? TimelineText::tr("Forward")
           : kind == 'W' ? TimelineText::tr("Weight gradient")
                         : TimelineText::tr("Backward");
}

QString eventText(const TimelineData& data, int event) {
    const TimelineEvent& e = data.events()[static_cast<std::size_t>(event)];
    const QString place = data.chunks() > 1 ? TimelineText::tr("stage %1, chunk %2").arg(e.stage).arg(e.chunk)
                                            : TimelineText::tr("stage %1").arg(e.stage);
    return TimelineText::tr("%1, %2, micro-batch %3").arg(workText(e.kind), place).arg(e.microbatch);
}

CardContent eventCard(const TimelineData& data, int event) {
    const TimelineEvent& e = data.events()[static_cast<std::size_t>(event)];
    CardContent card{.title = eventText(data, event), .tag = {}, .rows = {}};
    card.rows.append({TimelineText::tr("Start, length"),
                      TimelineText::tr("%1, %2").arg(moment(data, e.start), span(e.end - e.start))});
    const double idle = data.idleBefore(event);
    card.rows.append({TimelineText::tr("Waited"), idle > 0 ? span(idle) : TimelineText::tr("not at all")});
    const int needed = data.needs(event);
    card.rows.append({idle > 0 ? TimelineText::tr("Waited for") : TimelineText::tr("Needs"),
                      needed < 0 ? TimelineText::tr("nothing, it is the first of its micro-batch")
                                 : neededText(data, needed)});
    if (const int fed = data.feeds(event); fed >= 0) {
        const TimelineEvent& next = data.events()[static_cast<std::size_t>(fed)];
        card.rows.append({TimelineText::tr("Then"), TimelineText::tr("%1 on stage %2, from %3")
                                                        .arg(workText(next.kind).toLower())
                                                        .arg(next.stage)
                                                        .arg(moment(data, next.start))});
    }
    return card;
}

CardContent waitingCard(const TimelineData& data, int stage, double time) {
    const auto& events = data.events();
    const int next = data.nextFrom(stage, time);
    double begin = 0;
    double end = data.makespan();
    if (next >= 0) {
        end = events[static_cast<std::size_t>(next)].start;
        begin = end - data.idleBefore(next);
    } else {
        for (int i = data.first(stage); i < data.first(stage + 1); ++i)
            begin = std::max(begin, events[static_cast<std::size_t>(i)].end);
    }
    CardContent card{
        .title = TimelineText::tr("Stage %1 waits").arg(stage), .tag = Bound::bubble, .rows = {}};
    card.rows.append({TimelineText::tr("From, length"),
                      TimelineText::tr("%1, %2").arg(moment(data, begin), span(end - begin))});
    if (next < 0) {
        card.rows.append({TimelineText::tr("For"), TimelineText::tr("the other stages to finish")});
        return card;
    }
    card.rows.append({TimelineText::tr("Before"), eventText(data, next)});
    if (const int needed = data.needs(next); needed >= 0)
        card.rows.append({TimelineText::tr("For"), neededText(data, needed)});
    return card;
}

CardContent mergedCard(const TimelineData& data, int stage, double from, double to) {
    int count = 0;
    for (int i = data.firstEndingAfter(stage, from); i < data.first(stage + 1); ++i) {
        if (data.events()[static_cast<std::size_t>(i)].start >= to)
            break;
        ++count;
    }
    CardContent card{
        .title = TimelineText::tr("Stage %1, %2 blocks in %3").arg(stage).arg(count).arg(span(to - from)),
        .tag = {},
        .rows = {}};
    addShares(card, data, data.shares(stage, from, to));
    return card;
}

CardContent keysCard() {
    return {.title = TimelineText::tr("No block chosen"),
            .tag = {},
            .rows = {{TimelineText::tr("Arrows, click"), TimelineText::tr("choose a block")},
                     {TimelineText::tr("W S, wheel"), TimelineText::tr("zoom")},
                     {TimelineText::tr("A D, drag"), TimelineText::tr("pan")},
                     {TimelineText::tr("F, 0"), TimelineText::tr("the block, then all; all")}}};
}

CardContent stageCard(const TimelineData& data, int stage) {
    CardContent card{
        .title = TimelineText::tr("Stage %1 over the whole step").arg(stage), .tag = {}, .rows = {}};
    const TimelineShares shares = data.shares(stage, 0, data.makespan());
    const auto row = [&](const QString& label, double seconds) {
        card.rows.append(
            {label, TimelineText::tr("%1, %2").arg(span(seconds), shareOf(seconds, shares.span))});
    };
    row(TimelineText::tr("Forward"), shares.forward);
    row(TimelineText::tr("Backward"), shares.backward);
    if (data.hasWeightWork())
        row(TimelineText::tr("Weight gradients"), shares.weight);
    row(TimelineText::tr("Waiting"), shares.idle());
    return card;
}

CardContent rangeCard(const TimelineData& data, double from, double to) {
    const double begin = std::max(from, 0.0);
    const double end = std::min(to, data.makespan());
    const bool all = begin <= 0 && end >= data.makespan();
    CardContent card{
        .title = all ? TimelineText::tr("Whole step, all stages")
                     : TimelineText::tr("Visible, %1 – %2").arg(moment(data, begin), moment(data, end)),
        .tag = {},
        .rows = {}};
    addShares(card, data, data.shares(begin, end));
    return card;
}

namespace {

/// What a step takes besides its pipeline, where that shows: "; a step takes 0.23 s more, ..."
QString restInWords(const TimelineData& data) {
    constexpr double shows = 0.002;
    const double rest = data.stepTime() - data.makespan();
    if (data.closedForm() <= 0 || rest < shows * data.stepTime())
        return QStringLiteral(".");
    return TimelineText::tr("; stragglers, the last gradients and the optimizer add %1 to the step.")
        .arg(quantity(rest, Dimension::seconds));
}

} // namespace

QString differenceInWords(const TimelineData& data) {
    const QString drawn = quantity(data.makespan(), Dimension::seconds, fourDigits);
    if (data.closedForm() <= 0)
        return TimelineText::tr("The drawn schedule takes %1.").arg(drawn);
    const double difference = data.closedForm() / data.makespan() - 1;
    const QString estimated = quantity(data.closedForm(), Dimension::seconds, fourDigits);
    if (std::abs(difference) < equalBelow)
        return TimelineText::tr("The pipeline takes %1").arg(drawn) + restInWords(data);
    const QString sign = difference < 0 ? QStringLiteral("−") : QStringLiteral("+");
    return TimelineText::tr("The drawn pipeline takes %1, that of the estimate %2 (%3%4 %)")
               .arg(drawn, estimated, sign, QLocale::c().toString(100 * std::abs(difference), 'f', 2)) +
           restInWords(data);
}

QString waitingInWords(const TimelineData& data) {
    const TimelineShares all = data.shares(0, data.makespan());
    return TimelineText::tr("Stages wait %1 of it (bubble, transfers).").arg(shareOf(all.idle(), all.span));
}

QString timelineInWords(const TimelineData& data) {
    if (data.empty())
        return {};
    int worst = 0;
    double most = -1;
    double least = data.makespan();
    for (int stage = 0; stage < data.stages(); ++stage) {
        const double idle = data.shares(stage, 0, data.makespan()).idle();
        least = std::min(least, idle);
        if (idle > most * (1 + equalBelow)) {
            most = idle;
            worst = stage;
        }
    }
    const QString waits = most - least <= equalBelow * data.makespan()
                              ? TimelineText::tr("Each stage waits %1.").arg(span(most))
                              : TimelineText::tr("Stage %1 waits longest, %2.").arg(worst).arg(span(most));
    return TimelineText::tr("%1 of %2 micro-batches over %3 stages. %4 %5 %6")
        .arg(choiceText("plan.schedule", data.schedule()))
        .arg(data.microbatches())
        .arg(data.stages())
        .arg(differenceInWords(data), waitingInWords(data), waits);
}

QList<CellColumn> timelineColumns(const TimelineData& data) {
    const QString unit = text(chooseUnit(Dimension::seconds, data.makespan()).label);
    return {{TimelineText::tr("Stage"), true, {}},
            {TimelineText::tr("Micro-batch"), true, {}},
            {TimelineText::tr("Chunk"), true, TimelineText::tr("Virtual stage of the stage")},
            {TimelineText::tr("Work"), false, {}},
            {TimelineText::tr("Start, %1").arg(unit), true, TimelineText::tr("From the start of the step")},
            {TimelineText::tr("End, %1").arg(unit), true, TimelineText::tr("From the start of the step")},
            {TimelineText::tr("Length, %1").arg(unit), true, {}},
            {TimelineText::tr("Waited, %1").arg(unit), true,
             TimelineText::tr("Idle time of the stage before it")}};
}

CellRow timelineRow(const TimelineData& data, int event) {
    const TimelineEvent& e = data.events()[static_cast<std::size_t>(event)];
    const ScaledUnit unit = chooseUnit(Dimension::seconds, data.makespan());
    return {QString::number(event),
            {whole(e.stage), whole(e.microbatch), whole(e.chunk),
             Cell{.text = workText(e.kind), .value = {}, .bound = {}}, timeCell(e.start, unit),
             timeCell(e.end, unit), timeCell(e.end - e.start, unit), timeCell(data.idleBefore(event), unit)}};
}

TextTable timelineTextTable(const TimelineData& data) {
    TextTable table;
    for (const CellColumn& column : timelineColumns(data))
        table.headers.append(column.title);
    const ScaledUnit unit = chooseUnit(Dimension::seconds, data.makespan());
    const auto time = [&](double seconds) { return QLocale::c().toString(seconds / unit.factor, 'g', 9); };
    for (int i = 0; i < static_cast<int>(data.events().size()); ++i) {
        const TimelineEvent& e = data.events()[static_cast<std::size_t>(i)];
        table.rows.append({QString::number(e.stage), QString::number(e.microbatch), QString::number(e.chunk),
                           workText(e.kind), time(e.start), time(e.end), time(e.end - e.start),
                           time(data.idleBefore(i))});
    }
    return table;
}

} // namespace alidade::views
