// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/error_band.h"
#include "model/estimate/run_order.h"
#include "views/summary/answer.h"

#include <QCoreApplication>

namespace alidade::views {

// What the answers of training and of serving are made of.

struct AnswerTexts {
    Q_DECLARE_TR_FUNCTIONS(Answer)
};

/// Low and high of what grows with the step time, or falls with it, relative to the value. The headline gives
/// the quantiles of one monotone function of the step time; those of the others follow from them.
struct RelativeBand {
    double low = 1, high = 1;
    RelativeBand inverse() const { return {1 / high, 1 / low}; }
};

std::optional<RelativeBand> relative(const std::optional<ErrorBand>& band);
/// Of a total that has low and high; nullopt without them.
std::optional<RelativeBand> bandOf(const RunTotal& total);

/// With its band; without one `otherwise` is in its place.
Figure figure(const QString& label, double value, Dimension dimension,
              const std::optional<RelativeBand>& band, const QString& otherwise);
Figure unknown(const QString& label, const QString& reason);

bool isServing(const Estimate& estimate); ///< also where it does not run
/// Figures, step and segments.
void fillServing(const Estimate& estimate, ServingStep step, Answer& answer);
/// The verdict on one that runs and fits.
void judgeServing(const Estimate& estimate, Answer& answer);

} // namespace alidade::views
