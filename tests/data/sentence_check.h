// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/engine/engine.h"

#include <random>
#include <string>

namespace alidade::test {

/// A random scenario of either kind on hardware of the catalog; many of them do not run or do not fit.
ScenarioSpec randomScenario(std::mt19937& random, const Catalog& catalog);

struct Checked {
    bool runs = false, serving = false;
    int suggestions = 0, purchases = 0, targets = 0; ///< sentences that were read, of each kind
};

/// Reads the figures out of everything that is said of a scenario, the answer, its notes and its suggestions,
/// and compares value, sign and order with estimates. \returns an empty text, or what is false
std::string falseSentence(const ScenarioSpec& spec, const Catalog& catalog, Checked& counts);

} // namespace alidade::test
