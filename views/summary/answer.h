// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "views/document/selection.h"
#include "views/kit/band_label.h"
#include "views/kit/paint.h"
#include "views/kit/verdict_label.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <array>
#include <optional>
#include <vector>

namespace alidade::views {

/// An estimate in the words and figures of the answer strip.
struct Answer {
    BadgeKind kind = BadgeKind::neutral;
    QString sentence; ///< "It fits, and a step is compute-bound."
    QString detail;   ///< "71.0 GB of 75.2 GB usable on stage 1"
    QList<VerdictLabel::State> badges;
    std::optional<Fix> fix; ///< the nearest change that makes it run and fit
    /// Always six. Of training: step time, throughput, MFU, memory, run, cost; of serving: output (time per
    /// token where a request rate is given), TTFT and ITL at the percentile of the targets, load, batch,
    /// price.
    QList<Figure> figures;
    QStringList paths; ///< of each figure in the documented estimate; empty: it has no derivation
    std::array<int, 2> dispensable{}; ///< figures that are left out where six have no room
    QString stepTime;                 ///< "6.13 s", "17.8 ms of a decode step"; empty without one
    /// "Decode step 23.4 ms + prefill between 11.8 ms = TPOT 35.2 ms"; empty: there is no such sum
    QString tokenTime;
    /// The classes that exist for everyone, in their order, also where they are nothing.
    QList<BarSegment> segments;
};

/// \param ownRate next to a cost that rests on the user's own price: "yours, list $55.04"; empty: it is a
/// list price
Answer answerOf(const Estimate& estimate, ServingStep step = ServingStep::decode,
                const QString& ownRate = {});
/// Of the six figures, before there is an estimate.
QStringList figureLabels(const ScenarioSpec& spec);

/// What the name of a latency represents; empty for other figures.
QString meaningOf(const QString& label);

/// "compute-bound", "bound by NVLink", ...
QString boundPhrase(Bound bound);

/// Seconds of a step by class, in the order of legends; classes that few clusters have only where they are
/// not 0.
QList<BarSegment> stepSegments(const std::vector<ShareT<double>>& breakdown);

} // namespace alidade::views
