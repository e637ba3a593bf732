// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"

#include <span>
#include <string>

namespace alidade::data {

/// The documented JSON of an estimate: SI units; absent: not applicable; null: unknown or not finite. UTF-8,
/// indented, ends with a newline.
std::string writeEstimate(const Estimate& estimate);

/// Several in one document, in their order: { "alidade", "estimates" }.
std::string writeEstimates(std::span<const Estimate* const> estimates);

/// The documented JSON of an explanation: path, value, unit, formula, terms and inputs with their sources.
std::string writeExplanation(const Explanation& explanation);

} // namespace alidade::data
