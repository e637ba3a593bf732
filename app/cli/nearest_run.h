// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"

#include <string>

namespace alidade::cli {

/// The published run most like a plan and how well the model predicts it, in a sentence; or that none is
/// near. Predicts every published run, which takes about a second.
/// \param filled the scenario as an estimate returns it
std::string nearestRunText(const Catalog& catalog, const ScenarioSpec& filled);

} // namespace alidade::cli
