// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/writer.h"
#include "model/explore/comparison.h"

namespace alidade::data {

/// The member "comparison" of a document with several estimates; see writeEstimates.
void writeComparison(JsonWriter& writer, const Comparison& comparison);

} // namespace alidade::data
