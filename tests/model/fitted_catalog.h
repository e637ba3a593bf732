// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/scenario/spec.h"

#include <string_view>
#include <vector>

namespace alidade::tests {

/// A catalog of a few parts, machines, models and programs with the sizes of real ones, and a profile with
/// one entry for each constant of the cost model: for any part, format and software.
Catalog fittedCatalog();

/// The constant of a name, to be changed; ends the test if there is none.
Parameter& constantIn(Profile& profile, std::string_view name);

/// Leaves only these constants uncertain: fits to few constants take little time.
void makeExact(Profile& profile, const std::vector<std::string_view>& except);

/// Training of Llama 3.1 8B on two nodes of 8 H100, tensor parallel over 2 of them.
ScenarioSpec smallTraining();

/// Llama 3.1 8B on one H100, for 16 users with 1,000 + 200 tokens.
ScenarioSpec smallServing();

} // namespace alidade::tests
