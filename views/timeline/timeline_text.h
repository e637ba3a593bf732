// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"
#include "views/timeline/timeline_data.h"

#include <QCoreApplication>
#include <QString>

namespace alidade::views {

/// Translates what the functions of the timeline say.
struct TimelineText {
    Q_DECLARE_TR_FUNCTIONS(TimelineText)
};

/// "Forward", "Backward", "Weight gradient"
QString workText(char kind);
/// "Backward, stage 6, chunk 7, micro-batch 0"
QString eventText(const TimelineData& data, int event);

/// What an event is, when, and what it waited for.
CardContent eventCard(const TimelineData& data, int event);
/// A stage that waits at a time.
CardContent waitingCard(const TimelineData& data, int stage, double time);
/// Several events that are drawn as one.
CardContent mergedCard(const TimelineData& data, int stage, double from, double to);
/// The keys, for a place where no block is chosen.
CardContent keysCard();
/// How a stage spends the step.
CardContent stageCard(const TimelineData& data, int stage);
/// How all stages spend a time.
CardContent rangeCard(const TimelineData& data, double from, double to);

/// "The drawn schedule takes 6.021 s, the estimate 6.019 s (−0.03 %)."
QString differenceInWords(const TimelineData& data);
/// "Stages wait 9.4 % of the time."
QString waitingInWords(const TimelineData& data);
/// The picture in words.
QString timelineInWords(const TimelineData& data);

/// Columns of the table behind the picture, for the time scale of a whole step.
QList<CellColumn> timelineColumns(const TimelineData& data);
CellRow timelineRow(const TimelineData& data, int event);
/// All events, for files.
TextTable timelineTextTable(const TimelineData& data);

} // namespace alidade::views
