// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "model/scenario/scenario.h"

#include <string>

namespace alidade {

/// Adds what a person has to know about the age of the price and its end to the problems of an estimate.
/// \param today "2026-11-20"; empty: not known
void reportPrice(const Scenario& scenario, const Catalog& catalog, const std::string& today,
                 Estimate& estimate);

} // namespace alidade
