// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/catalog: puts a catalog together from documents and remembers where each entry came from.
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
    /// What is read is the shipped catalog itself, or stands over what is there already.
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
    /// Has faults of an entry of the catalog underneath reported too; their file is "kind/id".
    void watch(CatalogKind kind, const std::string& id);
    /// Adds a fault for each reference to an id that is not there.
    void checkReferences();
    void fault(CatalogKind kind, const std::string& id, std::string_view key, std::string message);
    void fault(CatalogProblem problem) { problems_.push_back(std::move(problem)); }

    const Catalog& catalog() const { return catalog_; }
    Catalog takeCatalog() { return std::move(catalog_); }
    const std::vector<CatalogProblem>& problems() const { return problems_; }
    /// Lists of changes that the documents had, one behind the other, with the file of each.
    const UserCatalog& changes() const { return changes_; }
    const std::vector<std::string>& filesOfChanges() const { return changeFiles_; }
    /// Entries that were read by `add`.
    const Places& places() const { return places_; }
    /// False for an entry whose values could not all be read: what follows from them is no fault of its own.
    bool isSound(CatalogKind kind, const std::string& id) const { return !unsound_.contains({kind, id}); }

private:
    struct Document; // what the entries of one document share

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
