// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/run_words.h"

#include "model/base/calendar.h"
#include "model/estimate/estimate.h"
#include "model/estimate/run_order.h"
#include "model/reliability/failure_causes.h"
#include "model/run/checkpoint_curve.h"
#include "views/document/text.h"
#include "views/summary/answer_parts.h"

#include <QCoreApplication>
#include <QDate>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

struct RunTexts {
    Q_DECLARE_TR_FUNCTIONS(RunView)
};

constexpr double worthwhile = 0.05; // days that a better interval has to gain

double lostDays(const Run& run) { return run.days->p50 * (1 - run.goodput); }

Figure lostFigure(const Run& run) {
    double dollars = 0;
    bool priced = false;
    for (const LostTime& each : run.lost) {
        dollars += each.dollars.value_or(0);
        priced = priced || each.dollars;
    }
    return figure(RunTexts::tr("Lost time"), lostDays(run) * secondsPerDay, Dimension::seconds, std::nullopt,
                  priced ? RunTexts::tr("%1 of rent").arg(glance(dollars, Dimension::dollars)) : QString());
}

Figure checkpointFigure(const Run& run) {
    const QString label = RunTexts::tr("Checkpoints");
    if (!hasInterval(run))
        return unknown(label, modeWords(run.mode));
    const auto& c = run.checkpoint;
    Figure f = figure(label, c.count, Dimension::number, std::nullopt,
                      RunTexts::tr("every %1, %2").arg(givenTime(c.interval), modeWords(run.mode)));
    f.unit = RunTexts::tr("of %1").arg(glance(c.bytes, Dimension::bytes));
    return f;
}

Figure costFigure(const Estimate& estimate) {
    const QString label = RunTexts::tr("Cost of the run");
    const auto total = estimate.cost ? runTotal(*estimate.cost) : std::nullopt;
    if (!total)
        return unknown(label,
                       estimate.cost ? RunTexts::tr("length unknown") : RunTexts::tr("no price is known"));
    return figure(label, total->dollars, Dimension::dollars, bandOf(*total), text(estimate.cost->purchase));
}

} // namespace

RunDates::RunDates(const Run& run) {
    start_ = dayOfDate(run.start);
    const auto last = dayOfDate(run.deadline);
    if (start_ && last) {
        deadline_ = *last + 1 - *start_;
        deadlineDay_ = date(*last, QStringLiteral("d MMMM"));
    }
}

/// The year is said where it is another one than that of the start.
QString RunDates::date(int number, const QString& format) const {
    const QDate date = QDate::fromString(text(dateText(number)), Qt::ISODate);
    const QDate first = QDate::fromString(text(dateText(*start_)), Qt::ISODate);
    return QLocale::c().toString(date,
                                 date.year() == first.year() ? format : format + QStringLiteral(" yyyy"));
}

QString RunDates::end(double days) const { return day(lastDayOf(0, days)); }

QString RunDates::day(int after) const {
    return start_ ? date(*start_ + after, QStringLiteral("d MMMM")) : RunTexts::tr("day %1").arg(after + 1);
}

QString RunDates::dayShort(int after) const {
    return start_ ? date(*start_ + after, QStringLiteral("d MMM")) : RunTexts::tr("day %1").arg(after + 1);
}

QString RunDates::clock(double seconds) {
    const int minutes = static_cast<int>(std::fmod(seconds, secondsPerDay) / 60 + 1e-6);
    return QStringLiteral("%1:%2").arg(minutes / 60).arg(minutes % 60, 2, 10, QLatin1Char('0'));
}

QString lostTimeText(double seconds) { return quantity(seconds, Dimension::seconds, {.significant = 2}); }

QString daysText(double days) { return quantity(days * secondsPerDay, Dimension::seconds); }

QString givenTime(double seconds) {
    return quantity(seconds, Dimension::seconds, {.significant = 2, .trimZeros = true});
}

QString outOf(double chance) {
    const int tens = static_cast<int>(std::lround(chance * 10));
    const int hundreds = static_cast<int>(std::lround(chance * 100));
    if (hundreds >= 100 || hundreds <= 0)
        return hundreds >= 100 ? RunTexts::tr("all but a few") : RunTexts::tr("hardly any");
    return chance > 0.9 || chance < 0.1 ? RunTexts::tr("%1 of 100").arg(hundreds)
                                        : RunTexts::tr("%1 of 10").arg(tens);
}

QString modeWords(CheckpointMode mode) {
    switch (mode) {
    case CheckpointMode::async:
        return RunTexts::tr("asynchronous");
    case CheckpointMode::sync:
        return RunTexts::tr("synchronous");
    case CheckpointMode::peer:
        return RunTexts::tr("every step, in peer memory");
    case CheckpointMode::checkpointless:
        return RunTexts::tr("none: rebuilt from replicas");
    }
    return {};
}

QString tierTitle(const std::string& tier) {
    QString title = text(tier);
    if (!title.isEmpty())
        title[0] = title[0].toUpper();
    return title;
}

QString dataWords(const Run& run) {
    if (run.dataRate <= 0)
        return {};
    const QString rate = glance(run.dataRate, Dimension::bytesPerSecond);
    const QString supply = glance(run.dataSupply, Dimension::bytesPerSecond);
    QString out =
        run.dataBound == Bound::storage
            ? RunTexts::tr("Training data: %1 of the %2 that the storage delivers.").arg(rate, supply)
            : RunTexts::tr("Training data: %1 of the %2 that the nodes can read.").arg(rate, supply);
    if (run.dataEpochs <= 1)
        return out;
    const QString passes = quantity(run.dataEpochs, Dimension::number, {.significant = 2});
    if (run.cacheHit > 0 && run.cacheSaves > 0)
        return out + QLatin1Char(' ') +
               RunTexts::tr("It is read %1 times: a cache on the local NVMe saves %2 of each step.")
                   .arg(passes, givenTime(run.cacheSaves));
    return out + QLatin1Char(' ') +
           (run.cacheHit > 0
                ? RunTexts::tr("It is read %1 times; loading is hidden without a cache on the local NVMe.")
                      .arg(passes)
                : RunTexts::tr("It is read %1 times.").arg(passes));
}

QString spareMoney(const RunStory& story, double value) {
    return story.facts.nodeDollarsPerHour > 0
               ? glance(value, Dimension::dollars)
               : RunTexts::tr("%1 node-days").arg(quantity(value, Dimension::number));
}

RunAnswer runAnswer(const Estimate& estimate, bool goodputGiven, std::optional<double> inTime) {
    const Run& run = *estimate.run;
    RunAnswer out;
    if (!run.days) {
        out.sentence = RunTexts::tr("Set the training tokens to get a run time.");
        out.detail = RunTexts::tr("Checkpoints and storage do not depend on it.");
        return out;
    }
    if (!std::isfinite(run.days->p50)) {
        out.kind = BadgeKind::err;
        out.sentence = RunTexts::tr("The run never ends: an interruption every %1 leaves no time to work.")
                           .arg(quantity(run.mtbf, Dimension::seconds));
        return out;
    }
    const RunDates dates(run);
    const double chance = inTime             ? *inTime
                          : dates.deadline() ? chanceWithin(*run.days, *dates.deadline())
                                             : 1;
    if (dates.deadline()) {
        out.kind = chance >= 0.9 ? BadgeKind::ok : chance >= 0.5 ? BadgeKind::warn : BadgeKind::err;
        out.sentence = RunTexts::tr("The run ends on %1; %2 outcomes meet the deadline of %3.")
                           .arg(dates.end(run.days->p50), outOf(chance), dates.deadlineDay());
    } else if (dates.known()) {
        out.sentence = RunTexts::tr("The run ends on %1.").arg(dates.end(run.days->p50));
    } else {
        out.sentence = RunTexts::tr("The run takes %1.").arg(daysText(run.days->p50));
    }
    if (goodputGiven) {
        out.detail = RunTexts::tr("Its goodput is given, so failures do not change it.");
        return out;
    }
    if (!hasInterval(run)) {
        out.detail = dates.known() ? QString() : RunTexts::tr("Without a start there are no dates.");
        return out;
    }
    const double gain = run.days->p50 - daysAt(run, run.checkpoint.bestInterval);
    if (gain >= worthwhile) {
        out.better = run.checkpoint.bestInterval;
        out.detail = RunTexts::tr("A checkpoint every %1 instead of %2 would end it %3 sooner.")
                         .arg(givenTime(*out.better), givenTime(run.checkpoint.interval), daysText(gain));
    } else if (!dates.known()) {
        out.detail = RunTexts::tr("Without a start there are no dates.");
    }
    return out;
}

QList<Figure> runFigures(const Estimate& estimate, const RunStory* story) {
    const Run& run = *estimate.run;
    if (!run.days) {
        const QString why = RunTexts::tr("set the training tokens");
        Figure goodput = figure(RunTexts::tr("Goodput"), run.goodput, Dimension::ratio, std::nullopt, {});
        return {unknown(RunTexts::tr("Run"), why),
                goodput,
                unknown(RunTexts::tr("Interruptions"),
                        RunTexts::tr("one in %1").arg(quantity(run.mtbf, Dimension::seconds))),
                unknown(RunTexts::tr("Lost time"), why),
                unknown(RunTexts::tr("Checkpoints"),
                        hasInterval(run) ? RunTexts::tr("every %1, %2")
                                               .arg(givenTime(run.checkpoint.interval), modeWords(run.mode))
                                         : modeWords(run.mode)),
                unknown(RunTexts::tr("Cost of the run"), why)};
    }
    const auto& days = *run.days;
    std::optional<RelativeBand> length, goodput;
    if (days.p50 > 0 && std::isfinite(days.p50))
        length = RelativeBand{days.p10 / days.p50, days.p90 / days.p50};
    if (story != nullptr && story->isPlayed && run.goodput > 0)
        goodput = RelativeBand{story->goodputLow / run.goodput, story->goodputHigh / run.goodput};
    const bool given = story != nullptr && story->facts.goodputGiven;
    Figure interruptions =
        figure(RunTexts::tr("Interruptions"), run.interruptions, Dimension::number, std::nullopt,
               RunTexts::tr("one in %1").arg(quantity(run.mtbf, Dimension::seconds)));
    interruptions.unit = RunTexts::tr("in the run");
    if (given)
        interruptions = unknown(RunTexts::tr("Interruptions"), RunTexts::tr("the goodput is given"));
    return {figure(RunTexts::tr("Run"), days.p50 * secondsPerDay, Dimension::seconds, length, {}),
            figure(RunTexts::tr("Goodput"), run.goodput, Dimension::ratio, goodput,
                   given ? RunTexts::tr("as given") : QString()),
            interruptions,
            lostFigure(run),
            checkpointFigure(run),
            costFigure(estimate)};
}

} // namespace alidade::views
