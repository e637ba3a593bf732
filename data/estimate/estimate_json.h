// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/custom_values.h"
#include "model/estimate/estimate.h"

#include <span>
#include <string>
#include <vector>

namespace alidade {
struct Comparison;
}

namespace alidade::data {

/// Returns the documented JSON of an estimate: SI units; absent: not applicable; null: unknown or not finite.
/// UTF-8, indented, ends with a newline.
/// \param customValues on which it is based
std::string writeEstimate(const Estimate& estimate, std::span<const CustomValue> customValues = {});

/// One of several estimates.
struct ListedEstimate {
    const Estimate* estimate = nullptr; ///< not null
    std::vector<CustomValue> customValues{};
};
/// Returns several estimates in one document, in their order:
/// { "alidade", "estimates", "differences": [ { "path", "values" } ] }. The differences are the fields that
/// are not the same in all of the filled scenarios, with one text per estimate as --set takes it; null:
/// absent.
/// \param why also the parts of each difference in time from the first: "why": [ { "estimate" (place in the
/// list), "name", "before_s", "after_s", "parts": [ { "bound", "difference_s" } ] } ]
/// \param comparison also "comparison": { "baseline" (place in the list), "sentence", "detail", "figures":
/// [ { "path", "best" (place, or null), "values", "changes": [ { "ratio" (after / before - 1), "log_sd",
/// "certain" } or null ] } ], "reasons": [ { "name", "unit" ("s", or "ratio" of the baseline's figure),
/// "parts": [ { "name", "amounts" } ], "totals" } ] }; lists have one element an estimate
std::string writeEstimates(std::span<const ListedEstimate> estimates, bool why = false,
                           const Comparison* comparison = nullptr);

/// Returns the documented JSON of an explanation: path, value, unit, formula, terms and inputs with sources.
std::string writeExplanation(const Explanation& explanation);

} // namespace alidade::data
