// SPDX-License-Identifier: GPL-3.0-or-later
// A user catalog as a document: what `--catalog FILE` reads and the workspace stores.
#pragma once

#include "data/catalog/user_catalog.h"

#include <string>
#include <string_view>

namespace alidade::data {

/// Returns the document "kind": "changes" of catalogs/SCHEMA.md with every change, its note, author, time,
/// source and the shipped value under it, including removed, replaced and withdrawn ones. UTF-8, ends with a
/// newline.
std::string userCatalogToJson(const UserCatalog& user, const std::string& shippedVersion);

/// Reads such a document, or one of entries (a catalog of one kind), whose entries become changes over
/// `shipped` with `signature`. The error has one line per fault: "FILE:/json/pointer: what is wrong; how to
/// fix it".
Result<UserCatalog> userCatalogFromJson(const Catalog& shipped, std::string_view text,
                                        const std::string& fileName, const Signature& signature = {});

/// Returns one change as a JSON object on one line, as in "changes" of that document.
std::string changeToJson(const CatalogChange& change);
Result<CatalogChange> changeFromJson(std::string_view text);

} // namespace alidade::data
