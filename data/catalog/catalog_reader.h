// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// One fault of a catalog.
struct CatalogProblem {
    std::string file;
    std::string pointer; ///< JSON pointer; empty: the document (the message then names line and column)
    std::string message; ///< "what is wrong; how to fix it"
};

/// Returns "FILE:/json/pointer: what is wrong; how to fix it".
std::string text(const CatalogProblem& problem);

struct CatalogLoad {
    std::shared_ptr<const Catalog> catalog; ///< never null
    std::vector<CatalogProblem>
        problems; ///< if not empty, the user catalog was set aside and `catalog` does not include it
    /// Changes of a user catalog that do not apply; only they have no effect.
    std::vector<CatalogProblem> setAside = {};
    /// The catalog that the user's catalog modifies; null: `catalog` is the shipped one.
    std::shared_ptr<const Catalog> shipped = nullptr;
    std::string userFile = {}; ///< file or directory that the user catalog was read from; empty: none
};

/// Returns a file, or all JSON files of a directory in the order of their names; none for an empty name.
std::vector<std::string> catalogDocuments(const std::string& fileOrDirectory);

/// Loads the compiled-in catalog. Problems in it are a defect of the program (a test finds them).
CatalogLoad loadShippedCatalog();

/// Applies a user catalog (a file, or a directory of files) to another one entry by entry: an entry with a
/// known id changes the keys that it has, one with a new id is added; both are marked `provenance.user`. If
/// anything in it cannot be read or refers to an unknown id, it is set aside as a whole. Lists of changes
/// (documents of the kind "changes") are applied after the entries of all documents; only those changes that
/// do not apply are set aside.
CatalogLoad loadCatalog(const std::shared_ptr<const Catalog>& shipped, const std::string& fileOrDirectory);

/// The same with one document in memory; `fileName` is used in problems and sources.
CatalogLoad loadCatalogText(const std::shared_ptr<const Catalog>& shipped, const std::string& fileName,
                            std::string_view document);

/// Returns every fault of a catalog: what a load would refuse, and entries without a source, invalid dates,
/// fields of sources that name no key, sums that do not match, contradicting generations. A directory with a
/// document of each hardware kind, prices and models is a complete catalog; any other is applied to the
/// shipped catalog.
/// \param fileOrDirectory empty: the shipped catalog
std::vector<CatalogProblem> checkCatalog(const std::string& fileOrDirectory);

} // namespace alidade::data
