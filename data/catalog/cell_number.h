// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: reads typed numbers of a column's dimension.
#pragma once

#include "data/catalog/catalog_keys.h"
#include "model/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// Returns a typed number in the column's unit, or a full error message. Ranges are not checked.
Result<double> cellNumber(const CatalogKey& key, std::string_view text);

/// Returns likely corrections of a refused text, the likeliest first.
std::vector<std::string> numberProposals(const CatalogKey& key, std::string_view text);

} // namespace alidade::data
