// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_writer.h"

#include "data/catalog/catalog_table.h"
#include "data/catalog/entries.h"
#include "data/catalog/provenance_json.h"
#include "data/catalog/shipped.h"
#include "data/catalog/values.h"

#include <algorithm>

namespace alidade::data {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width)
        text.append(width - text.size(), ' ');
    return text;
}

struct Listed {
    std::string id;
    std::string name;
};

std::vector<Listed> listed(const Catalog& catalog, CatalogKind kind) {
    std::vector<Listed> out;
    withEntries(catalog, kind, [&](const auto& entries) {
        for (const auto& entry : entries)
            out.push_back({entry.id, entryName(catalog, entry)});
    });
    if (kind == CatalogKind::scenarios)
        for (ShippedScenario& scenario : shippedScenarios())
            out.push_back({std::move(scenario.id), std::move(scenario.name)});
    return out;
}

template <class T>
std::string entryJson(const T& entry) {
    Json out = {{"id", entry.id}};
    writeFields(out, fieldsOf<T>(), entry);
    writeParts(out, entry);
    const Provenance& provenance = entry.provenance;
    if (provenance.user)
        out["user"] = true;
    if (!provenance.notes.empty())
        out["notes"] = provenance.notes;
    if (!provenance.conflicts.empty())
        out["conflicts"] = provenance.conflicts;
    Json sources = Json::array(), valueSources = Json::object();
    for (const Source& source : provenance.sources)
        sources.push_back(sourceToJson(source));
    for (const auto& [key, value] : out.items()) {
        if (key == "id" || key == "user" || key == "notes" || key == "conflicts")
            continue;
        valueSources[key] =
            sourceOf(provenance, key) == nullptr ? Json(nullptr) : Json(citation(provenance, key));
    }
    out["sources"] = std::move(sources);
    out["value_sources"] = std::move(valueSources);
    return dumped(out);
}

std::string sourceMark(const Provenance& provenance, const std::string& key) {
    const Source* source = sourceOf(provenance, key);
    return source == nullptr ? "no source"
                             : "[" + std::to_string(source - provenance.sources.data() + 1) + "]";
}

void appendSources(std::string& out, const Provenance& provenance) {
    if (!provenance.sources.empty())
        out += "\nSources\n";
    for (std::size_t i = 0; i < provenance.sources.size(); ++i) {
        const Source& source = provenance.sources[i];
        out += "  [" + std::to_string(i + 1) + "] " + source.title;
        for (const std::string& part : {source.date, source.url, source.path})
            if (!part.empty())
                out += ", " + part;
        out += source.textChecked ? "\n" : " (widely cited; the source itself was not checked)\n";
    }
}

template <class T>
std::string entryText(const Catalog& catalog, const T& entry) {
    const std::vector<EntryValue> values = valuesOf(entry);
    std::vector<std::string> shown;
    std::size_t keyWidth = 0, valueWidth = 0;
    for (const EntryValue& value : values) {
        std::string text = shownText(value.value);
        if (!text.empty() && *value.unit != '\0')
            text += std::string(" ") + value.unit;
        if (!text.empty())
            keyWidth = std::max(keyWidth, value.key.size());
        constexpr std::size_t widest = 40; // longer texts shift their source to the right
        valueWidth = std::max(valueWidth, std::min(widest, text.size()));
        shown.push_back(std::move(text));
    }
    std::string out = entry.id + "  " + entryName(catalog, entry) +
                      (entry.provenance.user ? "  (user catalog)" : "") + "\n\n";
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!shown[i].empty())
            out += "  " + padded(values[i].key, keyWidth) + "  " + padded(shown[i], valueWidth) + "  " +
                   sourceMark(entry.provenance, values[i].sourceKey) + '\n';
    for (const auto& [heading, texts] : {std::pair("\nConflicts\n", &entry.provenance.conflicts),
                                         std::pair("\nNotes\n", &entry.provenance.notes)}) {
        if (!texts->empty())
            out += heading;
        for (const std::string& text : *texts)
            out += "  " + text + '\n';
    }
    appendSources(out, entry.provenance);
    return out;
}

} // namespace

std::string catalogList(const Catalog& catalog, CatalogKind kind, CatalogForm form) {
    const std::vector<Listed> entries = listed(catalog, kind);
    if (form == CatalogForm::json) {
        Json out = Json::array();
        for (const Listed& entry : entries)
            out.push_back({{"id", entry.id}, {"name", entry.name}});
        return dumped(out);
    }
    std::size_t width = 0;
    for (const Listed& entry : entries)
        width = std::max(width, entry.id.size());
    std::string out;
    for (const Listed& entry : entries)
        out += padded(entry.id, width) + "  " + entry.name + '\n';
    return out;
}

Result<std::string> catalogEntry(const Catalog& catalog, CatalogKind kind, const std::string& id,
                                 CatalogForm form) {
    if (kind == CatalogKind::scenarios)
        return shippedScenario(id);
    std::string out;
    withEntries(catalog, kind, [&](const auto& entries) {
        const auto found = std::ranges::find_if(entries, [&](const auto& entry) { return entry.id == id; });
        if (found != entries.end())
            out = form == CatalogForm::json ? entryJson(*found) : entryText(catalog, *found);
    });
    if (!out.empty())
        return out;
    std::vector<std::string> known;
    for (const Listed& entry : listed(catalog, kind))
        known.push_back(entry.id);
    return Error{"no entry '" + id + "' in " + std::string(name(kind)) + suggestion(id, known)};
}

} // namespace alidade::data
