// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/engine/engine.h"

#include <string_view>

namespace alidade::data {

/// How any number of the documented JSON comes about: explainFigure, and for an architecture that is written
/// out in the scenario the number that stands there.
Result<Explanation> explainDocument(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                    std::string_view path);

} // namespace alidade::data
