// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/engine/engine.h"

#include <string_view>

namespace alidade::data {

/// Explains any number of the documented JSON: explainFigure, or the number itself for an architecture that
/// is part of the scenario.
Result<Explanation> explainDocument(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                    std::string_view path);

} // namespace alidade::data
