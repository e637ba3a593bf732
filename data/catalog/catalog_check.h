// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: what `catalog check` verifies in addition to every load.
#pragma once

#include "data/catalog/catalog_builder.h"

namespace alidade::data {

/// Checks references, sources, dates, sums and generations of everything that the builder has read. Two
/// contradicting published values are not a fault if the entry documents the conflict.
void checkContents(CatalogBuilder& builder);

} // namespace alidade::data
