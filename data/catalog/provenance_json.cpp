// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/provenance_json.h"

#include "data/json/json.h"

#include <charconv>

namespace alidade::data {
namespace {

std::vector<std::string> names(const SourceIndex& index) {
    std::vector<std::string> out;
    for (const auto& [name, source] : index)
        out.push_back(name);
    return out;
}

const Source* named(const SourceIndex& index, ObjectReader& in, std::string_view key,
                    const std::string& name) {
    const auto found = index.find(name);
    if (found != index.end())
        return &found->second;
    in.fault(key, "no source '" + name + "' in this document" + suggestion(name, names(index)));
    return nullptr;
}

/// Reads one element of an entry's "sources": a name, an object that uses a name, or a complete source.
void readEntrySource(ObjectReader& entry, const nlohmann::json& value, std::size_t position,
                     const SourceIndex& index, Provenance& out) {
    const std::string pointer = below(below(entry.pointer(), "sources"), position);
    if (value.is_string()) {
        if (const Source* source = named(index, entry, "sources", value.get<std::string>()))
            out.sources.push_back(*source);
        return;
    }
    ObjectReader in(value, pointer, entry.faults());
    if (!in.has("use")) {
        if (in.isObject())
            out.sources.push_back(readSource(in));
        return;
    }
    const std::optional<std::string> use = in.text("use");
    std::vector<std::string> fields = in.texts("fields");
    in.finish();
    if (const Source* source = use ? named(index, in, "use", *use) : nullptr) {
        out.sources.push_back(*source);
        out.sources.back().fields = std::move(fields);
    }
}

bool isNumber(std::string_view text, int low, int high) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= low && value <= high;
}

} // namespace

Source readSource(ObjectReader& in) {
    Source out;
    in.require({"title"});
    out.title = in.text("title").value_or("");
    out.url = in.text("url").value_or("");
    out.path = in.text("path").value_or("");
    out.date = in.text("date").value_or("");
    out.authority = in.text("authority").value_or("");
    out.textChecked = in.boolean("text_checked").value_or(true);
    out.fields = in.texts("fields");
    in.finish();
    return out;
}

bool isDate(std::string_view text) {
    const bool shape = text.size() == 4 || (text.size() == 7 && text[4] == '-') ||
                       (text.size() == 10 && text[4] == '-' && text[7] == '-');
    return shape && isNumber(text.substr(0, 4), 1990, 2100) &&
           (text.size() < 7 || isNumber(text.substr(5, 2), 1, 12)) &&
           (text.size() < 10 || isNumber(text.substr(8, 2), 1, 31));
}

SourceIndex readSourceIndex(ObjectReader& document) {
    SourceIndex index;
    std::optional<ObjectReader> sources = document.object("sources");
    if (!sources)
        return index;
    for (const std::string& name : sources->keys())
        if (std::optional<ObjectReader> source = sources->object(name))
            index.emplace(name, readSource(*source));
    return index;
}

void readProvenance(ObjectReader& entry, const SourceIndex& index, Provenance& out) {
    if (entry.has("conflicts"))
        out.conflicts = entry.texts("conflicts");
    if (entry.has("notes"))
        out.notes = entry.texts("notes");
    const nlohmann::json* sources = entry.value("sources");
    if (sources == nullptr)
        return;
    if (!sources->is_array()) {
        entry.fault("sources", describe(*sources) + " where an array of sources is expected");
        return;
    }
    out.sources.clear();
    for (std::size_t i = 0; i < sources->size(); ++i)
        readEntrySource(entry, (*sources)[i], i, index, out);
}

nlohmann::ordered_json sourceToJson(const Source& source) {
    nlohmann::ordered_json out = {{"title", source.title}};
    const auto add = [&](const char* key, const std::string& value) {
        if (!value.empty())
            out[key] = value;
    };
    add("url", source.url);
    add("path", source.path);
    add("date", source.date);
    add("authority", source.authority);
    if (!source.textChecked)
        out["text_checked"] = false;
    if (!source.fields.empty())
        out["fields"] = source.fields;
    return out;
}

} // namespace alidade::data
