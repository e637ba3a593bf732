// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: what `catalog check` looks at besides what every load refuses.
#pragma once

#include "data/catalog/catalog_builder.h"

namespace alidade::data {

/// References, sources, dates, sums and generations of everything that the builder has read. Two published
/// values that contradict are no fault where the entry records the conflict in words.
void checkContents(CatalogBuilder& builder);

} // namespace alidade::data
