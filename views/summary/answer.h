// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "views/kit/band_label.h"
#include "views/kit/paint.h"
#include "views/kit/verdict_label.h"

#include <QList>
#include <QString>

#include <optional>

namespace alidade::views {

/// An estimate in the words and figures of the answer strip.
struct Answer {
    BadgeKind kind = BadgeKind::neutral;
    QString sentence; ///< "It fits, and a step is compute-bound."
    QString detail;   ///< "71.0 GB of 75.2 GB usable on stage 1"
    QList<VerdictLabel::State> badges;
    std::optional<Fix> fix; ///< the nearest change that makes it run and fit
    /// Step time, throughput, MFU, memory, run, cost; always six.
    QList<Figure> figures;
    QString stepTime; ///< "6.13 s"; empty without one
    /// The classes that exist for everyone, in their order, also where they are nothing.
    QList<BarSegment> segments;
};

Answer answerOf(const Estimate& estimate);

/// "compute-bound", "bound by NVLink", ...
QString boundPhrase(Bound bound);

/// Seconds of a step by class, in the order of legends; classes that few clusters have only where they are
/// not 0.
QList<BarSegment> stepSegments(const Training& training);

} // namespace alidade::views
