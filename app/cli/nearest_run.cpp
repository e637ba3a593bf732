// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/nearest_run.h"

#include "data/validation/published_json.h"
#include "model/base/text.h"
#include "model/scenario/choice_names.h"
#include "model/units/format.h"
#include "model/validation/nearest.h"
#include "model/validation/validate.h"

#include <cmath>

namespace alidade::cli {

std::string nearestRunText(const Catalog& catalog, const ScenarioSpec& filled) {
    if (filled.workload.isReinforcement()) {
        return {};
    }
    const ValidationReport report = validate(data::shippedPublished(), catalog, catalog.defaultProfile);
    const std::vector<NearRow> near = nearestRows(report, filled, catalog, 1);
    if (near.empty() || near.front().distance > farthestNear) {
        return "No published run is like it: the figures are extrapolated.";
    }
    const ValidationRow& row = *near.front().row;
    const bool isTime = row.quantity.ends_with("_s") && !row.quantity.ends_with("per_s");
    const double longer = isTime ? row.error : 1 / (1 + row.error) - 1; // predicted time / measured - 1
    const Gpu* gpu = catalog.gpu(row.gpu);
    return "The published run most like it: " + row.model + " on " + formatCount(row.gpus) + " " +
           (gpu ? gpu->name : row.gpu) +
           (row.precision.empty() ? "" : std::string(", ") + choiceName(row.precision)) + " (" +
           row.sourceTitle + "); its predicted time is " +
           formatQuantity(std::abs(longer), Dimension::ratio, {.significant = 2}) +
           (longer > 0 ? " too long." : " too short.");
}

} // namespace alidade::cli
