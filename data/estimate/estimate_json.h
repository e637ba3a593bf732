// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/custom_values.h"
#include "model/estimate/estimate.h"

#include <span>
#include <string>
#include <vector>

namespace alidade::data {

/// The documented JSON of an estimate: SI units; absent: not applicable; null: unknown or not finite. UTF-8,
/// indented, ends with a newline.
/// \param customValues that it rests on
std::string writeEstimate(const Estimate& estimate, std::span<const CustomValue> customValues = {});

/// An estimate of several.
struct ListedEstimate {
    const Estimate* estimate = nullptr; ///< not null
    std::vector<CustomValue> customValues{};
};
/// Several in one document, in their order: { "alidade", "estimates", "differences": [ { "path", "values" } ]
/// }. The differences are the fields that are not the same in all of the filled scenarios, with a text as
/// --set takes it for each; null: absent.
std::string writeEstimates(std::span<const ListedEstimate> estimates);

/// The documented JSON of an explanation: path, value, unit, formula, terms and inputs with their sources.
std::string writeExplanation(const Explanation& explanation);

} // namespace alidade::data
