// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/validation_engine.h"

#include "data/catalog/left_out_errors.h"
#include "data/validation/published_json.h"
#include "model/catalog/catalog.h"
#include "model/validation/nearest.h"
#include "model/validation/validate.h"

namespace alidade::views {

namespace {

constexpr std::size_t mostNearest = 3;

/// Leaves a validation that is no longer awaited.
struct Superseded {};

ValidationReport reportOf(const Catalog& catalog, const std::stop_token& stop) {
    try {
        ValidationReport report = validate(data::shippedPublished(), catalog, catalog.defaultProfile,
                                           [&stop](std::size_t, std::size_t) {
                                               if (stop.stop_requested())
                                                   throw Superseded();
                                           });
        if (const auto errors = data::leftOutErrors(catalog.defaultProfile))
            for (ValidationSummary& summary : report.summary)
                if (summary.group == "all" && summary.quantity == "step_time_s")
                    summary.leaveOneOut = LeaveOneOut{"model", errors->median, errors->mean};
        return report;
    } catch (const Superseded&) {
        return {};
    }
}

std::vector<const ValidationRow*> nearestOf(const ValidationReport& report, const ScenarioSpec& filled,
                                            const Catalog& catalog) {
    std::vector<const ValidationRow*> rows;
    for (const NearRow& near : nearestRows(report, filled, catalog, mostNearest))
        if (near.distance <= farthestNear)
            rows.push_back(near.row);
    return rows;
}

} // namespace

ValidationEngine modelValidation() { return {.report = reportOf, .nearest = nearestOf}; }

} // namespace alidade::views
