// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: access to the entries of a kind.
#pragma once

#include "data/catalog/kind.h"
#include "model/catalog/catalog.h"

namespace alidade::data {

/// Calls `visit` with the entries of a kind; not for scenarios, which are not part of a catalog.
/// \param catalog const or not; the entries have the same constness
template <class AnyCatalog, class Visit>
void withEntries(AnyCatalog& catalog, CatalogKind kind, Visit&& visit) {
    switch (kind) {
    case CatalogKind::gpus:
        return visit(catalog.gpus);
    case CatalogKind::instances:
        return visit(catalog.instances);
    case CatalogKind::ultraservers:
        return visit(catalog.ultraservers);
    case CatalogKind::efa:
        return visit(catalog.efa);
    case CatalogKind::storage:
        return visit(catalog.storage);
    case CatalogKind::prices:
        return visit(catalog.prices);
    case CatalogKind::models:
        return visit(catalog.models);
    case CatalogKind::frameworks:
        return visit(catalog.frameworks);
    case CatalogKind::engines:
        return visit(catalog.engines);
    case CatalogKind::scenarios:
        return;
    }
}

} // namespace alidade::data
