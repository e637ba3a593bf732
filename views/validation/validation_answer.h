// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/validation_report.h"
#include "views/kit/band_label.h"
#include "views/validation/run_filter.h"

#include <QList>
#include <QString>

namespace alidade::views {

/// What published runs say of the predictions, in the words and figures of the strip on top.
struct ValidationAnswer {
    QString sentence; ///< "Half of the 259 published runs are predicted within 5.1 %."
    QString detail;   ///< "180 sweeps, each counted once"
    /// Median, mean, nine of ten, bias, within 20 %, inside the band; always six.
    QList<Figure> figures;
};

ValidationAnswer validationAnswer(const ValidationReport& report, const RunFilter& filter,
                                  const std::vector<const ValidationRow*>& rows);

} // namespace alidade::views
