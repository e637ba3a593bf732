// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"
#include "model/validation/validation_report.h"

#include <functional>
#include <stop_token>
#include <vector>

namespace alidade {
struct Catalog;
}

namespace alidade::views {

/// The functions that a validation is computed with. Called on worker threads; a test puts its own here.
struct ValidationEngine {
    /// All published rows with their predictions; may end early, with anything, when it is asked to stop.
    std::function<ValidationReport(const Catalog&, std::stop_token)> report;
    /// The rows of the report that are nearest to a scenario with its defaults filled in, nearest first;
    /// empty: none is near.
    std::function<std::vector<const ValidationRow*>(const ValidationReport&, const ScenarioSpec&,
                                                    const Catalog&)>
        nearest;
};

/// The real ones: the shipped measurements, with the catalog's default profile.
ValidationEngine modelValidation();

} // namespace alidade::views
