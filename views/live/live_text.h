// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/data_gaps.h"
#include "model/observation/finding.h"
#include "model/observation/time_grid.h"
#include "views/document/text.h"

#include <QString>

#include <vector>

namespace alidade::views {

/// "14:39"; with the day where a range of this length has more than one, "Thu 14:39" or "2 Jan 14:39". In the
/// zone of the desktop.
QString clockText(double time, double rangeLength = 0);
/// "1 Jan 2026 02:00", for times that may be long past.
QString dayAndTimeText(double time);
/// "14:30 – 14:50".
QString spanText(double start, double end, double rangeLength = 0);
/// "14:30 – 14:50", "15:52 –" where it lasts, "15:30" where both are the same minute.
QString spanText(const Finding& finding, double rangeLength);
/// Round distance of ticks on an axis of time, s.
double timeTickStep(double rangeLength, int mostTicks);
/// What a tick of an axis of this length says: "14:40", in longer ones "Fri 2 Jan" at midnight.
QString tickText(double time, double rangeLength);
/// "4 s", "2 min", "3 h", "2 days".
QString lengthText(double seconds);

/// What a unit of the measurements ("bytes/s") is to the printing of quantities.
Dimension dimensionOf(const std::string& unit);
/// The number alone, in a unit chosen for a whole axis: "42.6".
QString numberIn(double si, Dimension dimension, const ScaledUnit& unit);

/// "replace node", for a person.
QString actionText(HealthAction action);
/// Whether it is more than a warning.
bool isUrgent(HealthAction action);
/// "gpu-0031" or "job".
QString hostOf(const Finding& finding);

/// A time that is tinted through all charts and named once.
struct FaultSpan {
    enum class Tone { fault, slow, notice, noData };
    double start = 0, end = 0; ///< Unix s
    QString name;              ///< "hang, restart"
    QString detail;            ///< titles of the findings, one a line
    Tone tone = Tone::notice;
    bool operator==(const FaultSpan&) const = default;
};
/// Of what changed how the job ran, and of times without data, by start; what meets is one.
std::vector<FaultSpan> faultSpans(const std::vector<Finding>& findings, const TimeGrid& grid,
                                  const DataGaps& gaps = {});

} // namespace alidade::views
