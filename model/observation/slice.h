// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/observation.h"

namespace alidade {

/// The instants of an observation that lie within [start, end], Unix s; everything else stays. With none
/// inside its grid has no points.
Observation sliceOf(const Observation& observation, double start, double end);

} // namespace alidade
