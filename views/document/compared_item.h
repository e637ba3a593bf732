// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/explore/figure_errors.h"
#include "views/document/engine.h"

#include <memory>
#include <string>

namespace alidade::views {

/// What is known of one scenario that is set against others.
struct ComparedItem {
    std::shared_ptr<const Estimate> estimate; ///< null: `error` says why
    std::shared_ptr<const FigureErrors> errors;
    std::string error;
};

/// Estimates a scenario, with what its errors are made of. For worker threads.
std::shared_ptr<const ComparedItem> comparedItem(const Engine& engine, const ScenarioSpec& spec,
                                                 const Catalog& catalog);
/// What the errors of a scenario's figures are made of; null where it does not resolve.
std::shared_ptr<const FigureErrors> errorsOf(const ScenarioSpec& spec, const Catalog& catalog);

} // namespace alidade::views
