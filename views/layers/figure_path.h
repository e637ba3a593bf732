// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "views/document/selection.h"

#include <QList>
#include <QString>

namespace alidade::views {

/// A number of the estimate that can be explained.
struct ExplainableFigure {
    QString label; ///< "QKV projection, forward"
    QString path;  ///< of explainFigure(): "training.layers.1.ops.3.seconds"
};

/// The seconds of what is chosen, one for each phase (all phases where none is chosen): of an operation, of
/// collectives of a group, else of the layer. Empty: nothing of the kind is chosen, or the estimate lacks it.
QList<ExplainableFigure> explainableFigures(const Estimate& estimate, ServingStep step,
                                            const Selection& selection);

} // namespace alidade::views
