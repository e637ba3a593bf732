// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/kind.h"
#include "model/base/result.h"
#include "model/catalog/catalog.h"

#include <string>

namespace alidade::data {

enum class CatalogForm : bool { text, json };

/// What `catalog list KIND` prints: [ { "id", "name" } ] as JSON, or aligned lines. Ends with a newline.
std::string catalogList(const Catalog& catalog, CatalogKind kind, CatalogForm form);

/// What `catalog show KIND ID` prints: the entry with the keys of the catalog's documents, its sources,
/// conflicts and notes, and under "value_sources" for each value the source that stands for it (null: none,
/// an assumption). As text: one aligned line a value, with the number of its source; the sources below. Ends
/// with a newline. An unknown id is refused with the nearest known one.
Result<std::string> catalogEntry(const Catalog& catalog, CatalogKind kind, const std::string& id,
                                 CatalogForm form);

} // namespace alidade::data
