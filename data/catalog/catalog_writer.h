// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/kind.h"
#include "model/base/result.h"
#include "model/catalog/catalog.h"

#include <string>

namespace alidade::data {

enum class CatalogForm : bool { text, json };

/// Returns the output of `catalog list KIND`: [ { "id", "name" } ] as JSON, or aligned lines. Ends with a
/// newline.
std::string catalogList(const Catalog& catalog, CatalogKind kind, CatalogForm form);

/// Returns the output of `catalog show KIND ID`: the entry with the keys of the catalog's documents, its
/// sources, conflicts and notes, and under "value_sources" the source of each value (null: none, an
/// assumption). As text: one aligned line per value, with the number of its source; the sources below. Ends
/// with a newline. The error for an unknown id names the nearest known one.
Result<std::string> catalogEntry(const Catalog& catalog, CatalogKind kind, const std::string& id,
                                 CatalogForm form);

} // namespace alidade::data
