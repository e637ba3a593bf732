// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: reading lists of changes out of documents.
#pragma once

#include "data/catalog/user_catalog.h"
#include "data/json/reader.h"

#include <optional>
#include <string_view>

namespace alidade::data {

/// The "kind" of a document that has changes instead of entries.
inline constexpr std::string_view changesKind = "changes";

/// One change; nullopt with faults. A value that does not fit its key is no fault here.
std::optional<CatalogChange> readChange(ObjectReader& in);

/// The whole document, with faults.
UserCatalog readChangesDocument(ObjectReader& in);

} // namespace alidade::data
