// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"

#include <memory>

namespace alidade::test {

inline const std::shared_ptr<const Catalog>& shippedCatalog() {
    static const std::shared_ptr<const Catalog> catalog = data::loadShippedCatalog().catalog;
    return catalog;
}

} // namespace alidade::test
