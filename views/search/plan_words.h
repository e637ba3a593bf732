// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/question.h"

#include <QString>

namespace alidade::views {

struct CatalogSearch;

/// The value of a free field in a plan, in words: "8", "Norms, GLU product", "64 x p5.48xlarge". Where the
/// plan leaves the field out, the value that follows.
/// \param set of the scenario, to become the plan; empty: the present plan
QString planValue(const CatalogSearch& answer, const Edit& set, const FreeField& field);

} // namespace alidade::views
