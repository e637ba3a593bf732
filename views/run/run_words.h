// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/band_label.h"
#include "views/kit/tag.h"
#include "views/run/run_story.h"

#include <QString>

#include <optional>

namespace alidade::views {

/// The days that a run is counted in: dates where the scenario has a start, else their numbers.
class RunDates {
public:
    explicit RunDates(const Run& run);

    bool known() const { return start_.has_value(); }
    /// The deadline as days from the start, its own day included; absent without a start or a deadline.
    std::optional<double> deadline() const { return deadline_; }
    QString deadlineDay() const { return deadlineDay_; } ///< "20 March"

    /// "17 March": the day in which a run of so many days ends.
    QString end(double days) const;
    /// "17 March", or "day 73": the day that begins so many whole days after the start.
    QString day(int after) const;
    QString dayShort(int after) const; ///< "17 Mar", or "day 73"
    /// "9:50" of the day of that moment.
    static QString clock(double seconds);

private:
    QString date(int number, const QString& format) const;
    std::optional<int> start_;
    std::optional<double> deadline_;
    QString deadlineDay_;
};

QString daysText(double days);        ///< "72.3 days"
QString lostTimeText(double seconds); ///< "5.5 min", "1.2 h"
/// What a person calls an interval or another given time: "5.5 min".
QString givenTime(double seconds);
/// "7 of 10", "97 of 100"
QString outOf(double chance);
QString modeWords(CheckpointMode mode); ///< "asynchronous"
QString tierTitle(const std::string& tier);
/// "Training data: 2.1 GB/s of the 40 GB/s that the storage delivers.": with passes over the data and what a
/// cache on local drives saves, where there are several; empty for a run that reads none.
QString dataWords(const Run& run);
/// "19.7 M$" or "12.3 node-days": of RunStory::spares.
QString spareMoney(const RunStory& story, double value);

/// The answer in words.
struct RunAnswer {
    BadgeKind kind = BadgeKind::neutral;
    QString sentence, detail;
    std::optional<double> better; ///< s: the interval that gains something; absent: none does
};
/// \param estimate with a run \param goodputGiven see RunFacts
/// \param inTime share of the drawn outcomes that meet the deadline; absent: none were drawn, and the closed
/// form says it
RunAnswer runAnswer(const Estimate& estimate, bool goodputGiven, std::optional<double> inTime = {});

inline constexpr int runFigureCount = 6;
/// Run, goodput, interruptions, lost to them, checkpoints, cost.
/// \param story of the same estimate; null: not there yet
QList<Figure> runFigures(const Estimate& estimate, const RunStory* story);

} // namespace alidade::views
