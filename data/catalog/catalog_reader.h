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
    std::string message; ///< "what is wrong; what would be right"
};

/// "FILE:/json/pointer: what is wrong; what would be right".
std::string text(const CatalogProblem& problem);

struct CatalogLoad {
    std::shared_ptr<const Catalog> catalog; ///< never null
    std::vector<CatalogProblem>
        problems; ///< not empty: the user catalog was set aside, `catalog` is without it
    /// Changes of a user catalog that do not fit: each of them alone has no effect.
    std::vector<CatalogProblem> setAside = {};
    /// What the user's own stands over; null: `catalog` is the shipped one.
    std::shared_ptr<const Catalog> shipped = nullptr;
    std::string userFile = {}; ///< file or directory that the user catalog was read from; empty: none
};

/// A file, or all JSON files of a directory in the order of their names; none for an empty name.
std::vector<std::string> catalogDocuments(const std::string& fileOrDirectory);

/// The catalog that is compiled in. Its problems are a defect of the program (a test finds them).
CatalogLoad loadShippedCatalog();

/// A user catalog (a file, or a directory of files) stands over another one entry by entry: an entry with a
/// known id changes the keys that it has, one with a new id is added; both are marked `provenance.user`. If
/// anything in it cannot be read or refers to an unknown id, it is set aside as a whole. Lists of changes
/// (documents of the kind "changes") come over the entries of all documents; of them only what does not fit
/// is set aside.
CatalogLoad loadCatalog(const std::shared_ptr<const Catalog>& shipped, const std::string& fileOrDirectory);

/// The same with one document that is in memory; `fileName` stands in the problems and sources.
CatalogLoad loadCatalogText(const std::shared_ptr<const Catalog>& shipped, const std::string& fileName,
                            std::string_view document);

/// Every fault of a catalog: what a load would refuse, and besides: entries without a source, dates that are
/// none, fields of sources that name no key, sums that do not fit, generations that contradict. A directory
/// with a document of each hardware kind, prices and models stands for itself; any other stands over the
/// shipped catalog.
/// \param fileOrDirectory empty: the shipped catalog
std::vector<CatalogProblem> checkCatalog(const std::string& fileOrDirectory);

} // namespace alidade::data
