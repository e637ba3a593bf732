// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: reads lists of changes from documents.
#pragma once

#include "data/catalog/user_catalog.h"
#include "data/json/reader.h"

#include <optional>
#include <string_view>

namespace alidade::data {

/// The "kind" of a document that has changes instead of entries.
inline constexpr std::string_view changesKind = "changes";

/// Reads one change; nullopt if there are faults. A value that is invalid for its key is not a fault here.
std::optional<CatalogChange> readChange(ObjectReader& in);

/// Reads the whole document; faults are added.
UserCatalog readChangesDocument(ObjectReader& in);

} // namespace alidade::data
