// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: builds a catalog from documents and remembers where each entry came from.
#pragma once

#include "data/catalog/catalog_reader.h"
#include "data/catalog/kind.h"
#include "data/catalog/provenance_json.h"
#include "data/catalog/user_catalog.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade::data {

class CatalogBuilder {
public:
    /// Whether a document belongs to the shipped catalog or is applied on top of it.
    enum class Layer : bool { shipped, user };
    struct Place {
        std::string file;
        std::string pointer;
    };
    using Places = std::map<std::pair<CatalogKind, std::string>, Place>;

    CatalogBuilder() = default;
    explicit CatalogBuilder(Catalog base)
        : catalog_(std::move(base)) {}

    /// Reads a document and adds or changes entries. Faults are collected.
    void add(const std::string& file, std::string_view text, Layer layer);
    /// Also reports the faults of an entry of the underlying catalog; their file is "kind/id".
    void watch(CatalogKind kind, const std::string& id);
    /// Adds a fault for each reference to an unknown id.
    void checkReferences();
    void fault(CatalogKind kind, const std::string& id, std::string_view key, std::string message);
    void fault(CatalogProblem problem) { problems_.push_back(std::move(problem)); }

    const Catalog& catalog() const { return catalog_; }
    Catalog takeCatalog() { return std::move(catalog_); }
    const std::vector<CatalogProblem>& problems() const { return problems_; }
    /// Returns the lists of changes in the documents, concatenated, with the file of each.
    const UserCatalog& changes() const { return changes_; }
    const std::vector<std::string>& filesOfChanges() const { return changeFiles_; }
    /// Returns the entries that `add` read.
    const Places& places() const { return places_; }
    /// Returns false for an entry some of whose values could not be read, so that no further faults are
    /// derived.
    bool isSound(CatalogKind kind, const std::string& id) const { return !unsound_.contains({kind, id}); }

private:
    struct Document; // context shared by the entries of one document

    template <class T>
    void addEntries(Document& document, std::vector<T>& entries);
    template <class T>
    void addEntry(Document& document, ObjectReader& in, std::vector<T>& entries);
    void addEntriesOf(Document& document);
    void addChanges(const std::string& file, ObjectReader& in, Layer layer);

    Catalog catalog_;
    std::vector<CatalogProblem> problems_;
    Places places_;
    std::set<std::pair<CatalogKind, std::string>> unsound_;
    UserCatalog changes_;
    std::vector<std::string> changeFiles_;
};

} // namespace alidade::data
