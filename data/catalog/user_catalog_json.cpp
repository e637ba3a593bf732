// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/user_catalog_json.h"

#include "data/catalog/catalog_reader.h"
#include "data/catalog/user_catalog_apply.h"
#include "data/catalog/user_catalog_reader.h"
#include "data/json/gate.h"

#include <algorithm>
#include <array>

namespace alidade::data {
namespace {

using SortedJson = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

const std::vector<std::string>& actionWords() {
    static const std::vector<std::string> words = {"set", "add", "remove", "reset", "restore", "withdraw"};
    return words;
}

/// Returns the value of a JSON text; any other text stays a string.
OrderedJson valueOf(const std::string& text) {
    OrderedJson value = OrderedJson::parse(text, nullptr, false);
    return value.is_discarded() ? OrderedJson(text) : value;
}

OrderedJson toJson(const CatalogChange& change) {
    OrderedJson out = {{"change", actionWords()[static_cast<std::size_t>(change.action)]},
                       {"kind", name(change.kind)},
                       {"id", change.entry}};
    const auto add = [&](const char* key, const std::string& text) {
        if (!text.empty())
            out[key] = text;
    };
    add("key", change.key);
    if (!change.value.empty())
        out["value"] = valueOf(change.value);
    add("copy_of", change.copyOf);
    add("note", change.note);
    add("who", change.who);
    add("when", change.when);
    if (change.source)
        out["source"] = sourceToJson(*change.source);
    if (!change.shipped.empty())
        out["shipped"] = valueOf(change.shipped);
    add("shipped_version", change.shippedVersion);
    return out;
}

std::string dumped(const OrderedJson& json, int indent) {
    return json.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

/// Returns the text of a value; empty if it is absent.
std::string textOf(ObjectReader& in, const char* key) {
    const SortedJson* value = in.value(key);
    if (value != nullptr)
        return canonicalText(*value);
    return in.has(key) ? "null" : "";
}

/// Converts a document of entries to changes of a catalog. The document was checked before.
class EntriesAsChanges {
public:
    EntriesAsChanges(const Catalog& shipped, const Signature& signature)
        : shipped_(shipped)
        , signature_(signature) {}

    UserCatalog read(const SortedJson& document) {
        std::vector<JsonFault> faults;
        ObjectReader in(document, {}, faults);
        const SourceIndex index = readSourceIndex(in);
        const auto kind = catalogKind(in.text("kind").value_or(""));
        if (!kind)
            return {};
        for (ObjectReader& entry : in.objects("entries"))
            readEntry(*kind, entry, index);
        return std::move(out_);
    }

private:
    void readEntry(CatalogKind kind, ObjectReader& in, const SourceIndex& index) {
        const std::string id = in.text("id").value_or("");
        Provenance provenance;
        readProvenance(in, index, provenance);
        bool known = false;
        withEntries(shipped_, kind, [&](const auto& entries) {
            const auto found = std::ranges::find_if(entries, [&](const auto& e) { return e.id == id; });
            if (found == entries.end())
                return;
            known = true;
            for (const std::string& key : in.keys())
                if (key != "id" && key != "sources")
                    readKey(kind, *found, in, key, provenance);
        });
        if (!known)
            add(kind, id, in, provenance);
    }

    void add(CatalogKind kind, const std::string& id, ObjectReader& in, const Provenance& provenance) {
        SortedJson entry = SortedJson::object();
        for (const std::string& key : in.keys())
            if (const SortedJson* value = in.value(key); value != nullptr && key != "sources")
                entry[key] = *value;
        for (const Source& source : provenance.sources)
            entry["sources"].push_back(SortedJson(sourceToJson(source)));
        CatalogChange& change = append(ChangeAction::add, kind, id);
        change.value = canonicalText(entry);
    }

    template <class T>
    void readKey(CatalogKind kind, const T& shipped, ObjectReader& in, const std::string& key,
                 const Provenance& provenance) {
        const SortedJson* value = in.value(key);
        const bool isPart = value != nullptr && value->is_object();
        if (!isPart)
            return set(kind, shipped, key, value == nullptr ? SortedJson() : *value, provenance);
        // A part that the shipped entry lacks is added as a whole.
        if (entryValue(shipped, key).is_discarded())
            return set(kind, shipped, key, *value, provenance);
        for (const auto& [inner, innerValue] : value->items())
            set(kind, shipped, key + '.' + inner, innerValue, provenance);
    }

    template <class T>
    void set(CatalogKind kind, const T& shipped, const std::string& key, const SortedJson& value,
             const Provenance& provenance) {
        CatalogChange& change = append(ChangeAction::set, kind, shipped.id);
        change.key = key;
        change.value = canonicalText(value);
        if (const Result<std::string> right = canonical(kind, key, change.value))
            change.value = *right;
        change.shipped = canonicalText(entryValue(shipped, key));
        change.shippedVersion = shipped_.version;
        if (const Source* source = sourceOf(provenance, keyPath(key).top)) {
            change.source = *source;
            change.source->fields.clear();
        }
    }

    CatalogChange& append(ChangeAction action, CatalogKind kind, const std::string& id) {
        CatalogChange& change = out_.changes.emplace_back();
        change.action = action;
        change.kind = kind;
        change.entry = id;
        change.note = signature_.note;
        change.who = signature_.who;
        change.when = signature_.when;
        change.source = signature_.source;
        return change;
    }

    const Catalog& shipped_;
    const Signature& signature_;
    UserCatalog out_;
};

Error linesOf(const std::string& file, const std::vector<JsonFault>& faults) {
    std::string lines;
    for (const JsonFault& fault : faults)
        lines += (lines.empty() ? "" : "\n") + text(file, fault);
    return Error{std::move(lines)};
}

} // namespace

std::optional<CatalogChange> readChange(ObjectReader& in) {
    const std::size_t before = faultCount(in.faults());
    CatalogChange change;
    in.require({"change", "kind", "id"});
    const auto action = in.choice("change", actionWords());
    const std::vector<std::string> kinds(catalogKindNames.begin(), catalogKindNames.end() - 1);
    const auto kind = in.choice("kind", kinds);
    change.action = static_cast<ChangeAction>(action.value_or(0));
    change.kind = static_cast<CatalogKind>(kind.value_or(0));
    change.entry = in.text("id").value_or("");
    change.key = in.text("key").value_or("");
    change.value = textOf(in, "value");
    change.copyOf = in.text("copy_of").value_or("");
    change.note = in.text("note").value_or("");
    change.who = in.text("who").value_or("");
    change.when = in.text("when").value_or("");
    if (std::optional<ObjectReader> source = in.object("source"))
        change.source = readSource(*source);
    change.shipped = textOf(in, "shipped");
    change.shippedVersion = in.text("shipped_version").value_or("");
    if (change.action == ChangeAction::set) {
        in.require({"key"});
        if (!in.has("value"))
            in.fault("value", "missing; this key is required");
    } else if (change.action == ChangeAction::add) {
        in.require({"value"});
    }
    in.finish();
    if (faultCount(in.faults()) != before)
        return std::nullopt;
    // A value that is invalid for its key is kept unchanged: it is set aside when it is applied.
    if (const auto right = change.action == ChangeAction::set
                               ? canonical(change.kind, change.key, change.value)
                               : Result<std::string>(Error{}))
        change.value = *right;
    return change;
}

std::string userCatalogToJson(const UserCatalog& user, const std::string& shippedVersion) {
    OrderedJson out = {{"alidade", 1}, {"kind", changesKind}};
    if (!shippedVersion.empty())
        out["version"] = shippedVersion;
    OrderedJson& changes = out["changes"] = OrderedJson::array();
    for (const CatalogChange& change : user.changes)
        changes.push_back(toJson(change));
    return dumped(out, 2) + '\n';
}

Result<UserCatalog> userCatalogFromJson(const Catalog& shipped, std::string_view text,
                                        const std::string& fileName, const Signature& signature) {
    const Result<SortedJson> json = parseJson(text);
    if (!json)
        return Error{fileName + ": " + json.error()};
    std::vector<JsonFault> faults;
    if (json->is_object() && json->contains("parameters"))
        return Error{fileName + ": is a calibration profile; use a catalog of entries or changes"};
    ObjectReader in(*json, {}, faults);
    if (in.isObject() && in.text("kind") == changesKind) {
        UserCatalog user = readChangesDocument(in);
        if (!faults.empty())
            return linesOf(fileName, faults);
        return user;
    }
    // Not owned: used only during this call.
    const std::shared_ptr<const Catalog> base(std::shared_ptr<const Catalog>(), &shipped);
    const CatalogLoad load = loadCatalogText(base, fileName, text);
    if (!load.problems.empty()) {
        std::string lines;
        for (const CatalogProblem& problem : load.problems)
            lines += (lines.empty() ? "" : "\n") + data::text(problem);
        return Error{std::move(lines)};
    }
    return EntriesAsChanges(shipped, signature).read(*json);
}

UserCatalog readChangesDocument(ObjectReader& in) {
    in.require({"alidade", "kind", "changes"});
    in.integer("alidade", 1, 1);
    in.allow("kind");
    if (const auto version = in.text("version"); version && !isDate(*version))
        in.fault("version", "'" + *version + "' is not a date; use the form \"2026-11-20\"");
    in.texts("notes");
    UserCatalog user;
    for (ObjectReader& change : in.objects("changes"))
        if (std::optional<CatalogChange> read = readChange(change))
            user.changes.push_back(*std::move(read));
    in.finish();
    return user;
}

std::string changeToJson(const CatalogChange& change) { return dumped(toJson(change), -1); }

Result<CatalogChange> changeFromJson(std::string_view text) {
    const Result<SortedJson> json = parseJson(text);
    if (!json)
        return Error{json.error()};
    std::vector<JsonFault> faults;
    ObjectReader in(*json, {}, faults);
    std::optional<CatalogChange> change = in.isObject() ? readChange(in) : std::nullopt;
    if (!change)
        return Error{faults.empty() ? std::string("no change")
                                    : faults.front().pointer + ": " + faults.front().message};
    return *std::move(change);
}

} // namespace alidade::data
