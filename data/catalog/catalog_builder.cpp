// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_builder.h"

#include "data/catalog/architecture_json.h"
#include "data/catalog/entries.h"
#include "data/catalog/field_io.h"
#include "data/catalog/mapping_json.h"
#include "data/catalog/policy_json.h"
#include "data/catalog/profile_json.h"
#include "data/catalog/references.h"
#include "data/catalog/transfer_json.h"
#include "data/catalog/user_catalog_reader.h"
#include "data/json/gate.h"
#include "data/json/json.h"

#include <algorithm>
#include <set>

namespace alidade::data {
namespace {

/// Adds the faults of a value rather than of a document: an architecture must be consistent as a whole.
template <class T>
void checkEntry(const T&, const std::string&, std::vector<JsonFault>&) {}
void checkEntry(const Architecture& architecture, const std::string& pointer,
                std::vector<JsonFault>& faults) {
    checkArchitecture(architecture, pointer, faults);
}

template <class T>
std::vector<std::string> ids(const std::vector<T>& entries) {
    std::vector<std::string> out;
    for (const T& entry : entries)
        out.push_back(entry.id);
    return out;
}

/// Dates a custom rate by its source, unless the user gives a date.
template <class T>
void dateRate(ObjectReader&, T&) {}
void dateRate(ObjectReader& in, Price& entry) {
    const Source* source = sourceOf(entry.provenance, "usd_per_hour");
    if (in.has("usd_per_hour") && !in.has("date") && source != nullptr && isDate(source->date))
        entry.date = source->date;
}

/// Adds the sources of a user's change to some keys of a shipped entry: they apply to those keys and come
/// first.
/// \param date of a document without sources; may be empty
void layProvenance(ObjectReader& in, const SourceIndex& index, const std::string& file,
                   const std::string& date, bool changes, Provenance& provenance) {
    const std::vector<Source> before = std::move(provenance.sources);
    provenance.sources.clear();
    readProvenance(in, index, provenance);
    if (provenance.sources.empty())
        provenance.sources.push_back({"User catalog", {}, file, date, "user", true, {}});
    if (changes) {
        std::vector<std::string> keys = in.keys();
        std::erase_if(keys, [](const std::string& key) { return key == "id" || key == "sources"; });
        for (Source& source : provenance.sources)
            if (source.fields.empty())
                source.fields = keys;
        provenance.sources.insert(provenance.sources.end(), before.begin(), before.end());
    }
    provenance.user = true;
}

} // namespace

struct CatalogBuilder::Document {
    const std::string& file;
    Layer layer;
    CatalogKind kind;
    ObjectReader& in;
    std::vector<JsonFault>& faults;
    SourceIndex sources;
    std::string version; ///< date of the document; may be empty
};

void CatalogBuilder::add(const std::string& file, std::string_view text, Layer layer) {
    const Result<nlohmann::json> json = parseJson(text);
    if (!json) {
        problems_.push_back({file, {}, json.error()});
        return;
    }
    std::vector<JsonFault> faults;
    ObjectReader in(*json, {}, faults);
    in.require({"alidade"});
    in.integer("alidade", 1, 1);
    if (in.isObject() && in.has("parameters")) {
        if (std::optional<Profile> profile = readProfile(*json, {}, faults))
            catalog_.defaultProfile = std::move(*profile);
    } else if (in.isObject() && in.text("kind") == changesKind) {
        addChanges(file, in, layer);
    } else if (in.isObject() && in.text("kind") == healthPoliciesKind) {
        readHealthPolicies(*json, faults); // not catalog entries, but checked with the catalog
    } else if (in.isObject() && in.text("kind") == dataTransferKind) {
        if (std::optional<TransferPrices> prices = readTransferPrices(*json, faults)) {
            prices->provenance.user = layer == Layer::user;
            catalog_.transfer = *std::move(prices);
        }
    } else if (in.isObject() && in.text("kind") == metricsKind) {
        readMetricPresets(*json, {}, faults);
    } else if (in.isObject()) {
        // Scenarios are separate files.
        const std::vector<std::string> kinds(catalogKindNames.begin(), catalogKindNames.end() - 1);
        in.require({"kind", "entries"});
        const std::optional<std::size_t> kind = in.choice("kind", kinds);
        if (layer == Layer::shipped)
            in.require({"version"});
        const std::optional<std::string> version = in.text("version");
        if (version && !isDate(*version))
            in.fault("version", "'" + *version + "' is not a date; use the form \"2026-11-20\"");
        if (version && layer == Layer::shipped)
            catalog_.version = std::max(catalog_.version, *version);
        in.texts("notes");
        in.texts("conflicts");
        if (kind) {
            Document document{file,
                              layer,
                              static_cast<CatalogKind>(*kind),
                              in,
                              faults,
                              readSourceIndex(in),
                              version.value_or(std::string())};
            addEntriesOf(document);
            in.finish();
        }
    }
    for (JsonFault& fault : faults)
        problems_.push_back({file, std::move(fault.pointer), std::move(fault.message)});
}

void CatalogBuilder::addChanges(const std::string& file, ObjectReader& in, Layer layer) {
    if (layer == Layer::shipped) {
        in.fault("kind", "a list of changes modifies a catalog; it cannot be part of a shipped one");
        return;
    }
    const UserCatalog read = readChangesDocument(in);
    changes_.changes.insert(changes_.changes.end(), read.changes.begin(), read.changes.end());
    changeFiles_.resize(changes_.changes.size(), file);
}

void CatalogBuilder::addEntriesOf(Document& document) {
    withEntries(catalog_, document.kind, [&](auto& entries) { addEntries(document, entries); });
}

template <class T>
void CatalogBuilder::addEntries(Document& document, std::vector<T>& entries) {
    for (ObjectReader& in : document.in.objects("entries"))
        addEntry(document, in, entries);
}

template <class T>
void CatalogBuilder::addEntry(Document& document, ObjectReader& in, std::vector<T>& entries) {
    in.require({"id"});
    const std::string id = in.text("id").value_or("");
    if (id.empty()) {
        if (in.has("id") && !in.isNull("id"))
            in.fault("id", "the id is empty; enter at least one character");
        return;
    }
    const auto [place, isNew] = places_.try_emplace({document.kind, id}, Place{document.file, in.pointer()});
    if (!isNew) {
        in.fault("id", "duplicate id '" + id + "', first used at " + place->second.file + ":" +
                           place->second.pointer + "; change one of them");
        return;
    }
    const auto known = std::ranges::find(entries, id, &T::id);
    const bool changes = known != entries.end();
    T entry = changes ? *known : T{};
    entry.id = id;
    const Completeness completeness = changes ? Completeness::partial : Completeness::whole;
    const std::size_t faultsBefore = faultCount(document.faults);
    readFields(in, fieldsOf<T>(), entry, completeness);
    readParts(in, entry, completeness);
    if (document.layer == Layer::user) {
        layProvenance(in, document.sources, document.file, document.version, changes, entry.provenance);
        if (changes)
            dateRate(in, entry);
    } else {
        readProvenance(in, document.sources, entry.provenance);
    }
    in.finish();
    if (faultCount(document.faults) == faultsBefore)
        checkEntry(entry, in.pointer(), document.faults);
    else
        unsound_.insert({document.kind, id});
    if (changes)
        *known = std::move(entry);
    else
        entries.push_back(std::move(entry));
}

void CatalogBuilder::fault(CatalogKind kind, const std::string& id, std::string_view key,
                           std::string message) {
    const auto place = places_.find({kind, id});
    if (place == places_.end())
        return; // a fault of the underlying catalog
    const std::string& entry = place->second.pointer;
    problems_.push_back({place->second.file, key.empty() ? entry : below(entry, key), std::move(message)});
}

void CatalogBuilder::watch(CatalogKind kind, const std::string& id) {
    places_.try_emplace({kind, id}, Place{std::string(name(kind)) + '/' + id, {}});
}

void CatalogBuilder::checkReferences() {
    const auto suggested = [&](const Reference& reference) {
        std::vector<std::string> names;
        if (reference.kind == CatalogKind::prices)
            names = ids(catalog_.ultraservers);
        withEntries(catalog_, reference.target, [&](const auto& entries) {
            for (const auto& entry : entries)
                names.push_back(entry.id);
        });
        return suggestion(reference.id, names);
    };
    for (const Reference& reference : referencesOf(catalog_)) {
        if (reference.found)
            continue;
        fault(reference.kind, *reference.entry, reference.key,
              reference.target == CatalogKind::efa
                  ? "no EFA generation " + reference.id + " in efa"
                  : "no entry '" + reference.id + "' in " + std::string(name(reference.target)) +
                        suggested(reference));
    }
}

} // namespace alidade::data
