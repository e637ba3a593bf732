// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/tools.h"

#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/json/file.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"
#include "model/scenario/fields.h"

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <stdexcept>

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json; // several settings of a word keep their order

const std::map<std::string, Takes>& optionKinds() {
    static const std::map<std::string, Takes> all{
        {"flag", Takes::nothing}, {"one", Takes::one}, {"many", Takes::many}, {"switch", Takes::maybe}};
    return all;
}

/// Reads one document and collects its faults. A version may begin as another one (`of`): what it says itself
/// is added, or stands instead of what has the same name.
class ToolReader {
public:
    ToolReader(const Tools& known, std::vector<JsonFault>& faults)
        : known_(known)
        , faults_(faults) {}

    Tool read(const Json& json) {
        Tool out;
        if (!json.is_object()) {
            fault("", "is not an object; expected the table of a tool");
            return out;
        }
        const std::string id = text(json, "", "id"), version = text(json, "", "version");
        if (const std::string base = text(json, "", "of", false); !base.empty()) {
            if (const Tool* tool = known_.tool(id, base))
                out = *tool;
            else
                fault("/of",
                      "there is no version " + base + " of " + id + suggestion(base, known_.versions(id)));
        }
        out.id = id;
        out.version = version;
        for (const auto& [key, into] : {std::pair("name", &out.name), std::pair("kind", &out.kind)})
            if (into->empty() || json.contains(key))
                *into = text(json, "", key);
        if (json.contains("program"))
            out.program = text(json, "", "program");
        if (const auto at = json.find("abbreviations"); at != json.end())
            out.abbreviations = at->is_boolean()
                                    ? at->get<bool>()
                                    : (fault("/abbreviations", "is neither true nor false"), false);
        readOptions(json, "options", out.options);
        readOptions(json, "trainer", out.trainer);
        readMap(json, "", "aliases", out.aliases);
        readMap(json, "", "other_versions", out.otherVersions);
        readMap(json, "", "same_as", out.sameAs);
        readMap(json, "", "since", out.since);
        readMap(json, "", "inexpressible", out.inexpressible);
        readSet(json, "keys", out.keys);
        readSet(json, "switches", out.switches);
        readSet(json, "lists", out.lists);
        readSet(json, "human", out.human);
        readSet(json, "any_below", out.anyBelow);
        std::set<std::string> without;
        readSet(json, "without", without);
        for (const std::string& name : without)
            leaveOut(out, name);
        std::set<std::string> own; // a field may be spelled in several ways
        each(json, "", "fields", Json::value_t::array,
             [&](const std::string& place, const std::string&, const Json& field) {
                 if (!field.is_object())
                     return fault(place, "is not an object; expected a path and an option");
                 FieldSpelling read = readField(place, field);
                 if (own.insert(read.path).second)
                     std::erase_if(out.fields,
                                   [&read](const FieldSpelling& old) { return old.path == read.path; });
                 out.fields.push_back(std::move(read));
             });
        finish(json);
        return out;
    }

private:
    void fault(const std::string& pointer, const std::string& message) {
        addFault(faults_, {pointer, message});
    }

    void finish(const Json& json) {
        static const std::vector<std::string> legal{
            "about",     "id",      "name",          "kind",    "version",  "sources", "of",
            "without",   "program", "abbreviations", "options", "trainer",  "aliases", "other_versions",
            "same_as",   "since",   "inexpressible", "keys",    "switches", "lists",   "human",
            "any_below", "fields"};
        for (const auto& [key, value] : json.items())
            if (std::ranges::find(legal, key) == legal.end())
                fault(below("", key), "unknown key" + suggestion(key, legal));
    }

    std::string text(const Json& json, const std::string& place, const char* key, bool required = true) {
        const auto at = json.find(key);
        if (at != json.end() && at->is_string() && !at->get_ref<const std::string&>().empty())
            return at->get<std::string>();
        if (at != json.end())
            fault(below(place, key), "is not a text");
        else if (required)
            fault(place, std::string("has no '") + key + "'");
        return {};
    }

    /// Calls with the place, the key and the value of each member or entry.
    template <class Function>
    void each(const Json& json, const std::string& place, const char* key, Json::value_t kind,
              const Function& use) {
        const auto at = json.find(key);
        if (at == json.end())
            return;
        if (at->type() != kind)
            return fault(below(place, key),
                         kind == Json::value_t::array ? "is not a list" : "is not an object");
        std::size_t index = 0;
        for (const auto& [name, value] : at->items())
            use(kind == Json::value_t::array ? below(below(place, key), index++)
                                             : below(below(place, key), name),
                name, value);
    }

    template <class Map>
    void readMap(const Json& json, const std::string& place, const char* key, Map& out) {
        each(json, place, key, Json::value_t::object,
             [&](const std::string& at, const std::string& name, const Json& value) {
                 if (value.is_string())
                     out.insert_or_assign(name, value.get<std::string>());
                 else
                     fault(at, "is not a text");
             });
    }

    template <class Set>
    void readSet(const Json& json, const char* key, Set& out) {
        each(json, "", key, Json::value_t::array,
             [&](const std::string& at, const std::string&, const Json& value) {
                 if (value.is_string())
                     out.insert(out.end(), value.get<std::string>());
                 else
                     fault(at, "is not a text");
             });
    }

    void readOptions(const Json& json, const char* key, std::map<std::string, Takes, std::less<>>& out) {
        each(json, "", key, Json::value_t::object,
             [&](const std::string& at, const std::string& kind, const Json&) {
                 if (!optionKinds().contains(kind))
                     return fault(at, "is none of flag, one, many and switch");
                 std::vector<std::string> names;
                 each(json[key], below("", key), kind.c_str(), Json::value_t::array,
                      [&](const std::string& place, const std::string&, const Json& name) {
                          name.is_string() ? names.push_back(name.get<std::string>())
                                           : fault(place, "is not a text");
                      });
                 for (const std::string& name : names)
                     out.insert_or_assign(name, optionKinds().at(kind));
             });
    }

    WordSettings settingsOf(const std::string& place, const Json& json) {
        WordSettings out;
        if (!json.is_object())
            fault(place, "is not an object; expected options or keys and their values");
        else
            for (const auto& [name, value] : json.items()) {
                const bool option = name.starts_with("--");
                out.emplace_back(name, value.is_string() ? value.get<std::string>()
                                       : option          ? std::string()
                                                         : value.dump());
            }
        return out;
    }

    FieldSpelling readField(const std::string& place, const Json& json) {
        FieldSpelling field;
        field.path = text(json, place, "path");
        if (!field.path.empty() && findField(field.path) == nullptr) {
            std::vector<std::string> paths;
            for (const Field& each : fieldTable())
                paths.emplace_back(each.path);
            fault(below(place, "path"),
                  "a scenario has no field '" + field.path + "'" + suggestion(field.path, paths));
        }
        field.option = text(json, place, "option", false);
        field.omit = text(json, place, "omit", false);
        field.needs = text(json, place, "needs", false);
        readMap(json, place, "values", field.values);
        readMap(json, place, "also", field.also);
        each(json, place, "words", Json::value_t::object,
             [&](const std::string& at, const std::string& word, const Json& settings) {
                 field.words.emplace(word, settingsOf(at, settings));
             });
        if (field.option.empty() && field.words.empty())
            fault(place, "has neither an 'option' nor 'words'");
        return field;
    }

    static void leaveOut(Tool& tool, const std::string& name) {
        tool.options.erase(name);
        tool.keys.erase(name);
        tool.trainer.erase(name);
        std::erase_if(tool.aliases, [&name](const auto& each) { return each.second == name; });
        std::erase_if(tool.fields, [&name](const FieldSpelling& each) {
            return each.option == name || std::ranges::any_of(each.words, [&name](const auto& word) {
                       return std::ranges::find(word.second, name, &WordSettings::value_type::first) !=
                              word.second.end();
                   });
        });
    }

    const Tools& known_;
    std::vector<JsonFault>& faults_;
};

bool isTool(const std::string& file) {
    return file != "names.json" && file != "clusters.json" && file != "dynamo.json";
}

} // namespace

const Tool& tool(std::string_view id) { return Tools::shipped().tool(id); }

const Tools& Tools::shipped() {
    static const Tools all = [] {
        Tools out;
        std::vector<std::string> files = shippedDocuments("handoff/");
        // The usual versions first: another one may begin as one of them.
        std::ranges::stable_sort(files, {}, &std::string::size);
        std::ranges::stable_sort(files, {}, [](const std::string& file) {
            return Json::parse(shippedDocument("handoff/" + file)).value("id", std::string()) + ".json" !=
                   file;
        });
        for (const std::string& file : files) {
            if (!isTool(file))
                continue;
            std::vector<JsonFault> faults;
            const Tool tool = ToolReader(out, faults).read(Json::parse(shippedDocument("handoff/" + file)));
            if (!faults.empty())
                throw std::logic_error(data::text(file, faults.front()));
            Versions* versions = out.of(tool.id);
            if (versions == nullptr)
                versions = &out.all_.emplace_back(tool.id, Versions()).second;
            versions->push_back(std::make_shared<const Tool>(tool));
        }
        return out;
    }();
    return all;
}

void Tools::add(const std::vector<std::pair<std::string, std::string>>& documents,
                std::vector<std::string>& faults) {
    Tools next = *this;
    const std::size_t before = faults.size();
    for (const auto& [file, content] : documents) {
        if (const auto checked = parseJson(content); !checked) {
            addFault(faults, file + ": " + checked.error());
            continue;
        }
        std::vector<JsonFault> own;
        const Tool tool = ToolReader(next, own).read(Json::parse(content));
        Versions* versions = next.of(tool.id);
        if (versions == nullptr && own.empty()) {
            std::vector<std::string> ids;
            for (const auto& [id, all] : all_)
                ids.push_back(id);
            addFault(own, {"/id", "there is no tool '" + tool.id + "'" + suggestion(tool.id, ids)});
        }
        addFaults(faults, file, own);
        if (!own.empty())
            continue;
        auto made = std::make_shared<const Tool>(tool);
        const auto same =
            std::ranges::find(*versions, tool.version, [](const auto& each) { return each->version; });
        if (same == versions->end())
            versions->push_back(std::move(made));
        else
            *same = std::move(made);
    }
    if (faults.size() == before)
        *this = std::move(next);
}

Tools::Versions* Tools::of(std::string_view id) {
    const auto at = std::ranges::find(all_, id, &std::pair<std::string, Versions>::first);
    return at == all_.end() ? nullptr : &at->second;
}

const Tools::Versions* Tools::of(std::string_view id) const {
    const auto at = std::ranges::find(all_, id, &std::pair<std::string, Versions>::first);
    return at == all_.end() ? nullptr : &at->second;
}

const Tool& Tools::tool(std::string_view id) const {
    const Versions* versions = of(id);
    assert(versions != nullptr);
    return *versions->front();
}

const Tool* Tools::tool(std::string_view id, std::string_view version) const {
    const Versions* versions = of(id);
    if (versions == nullptr)
        return nullptr;
    const auto at = std::ranges::find(*versions, version, [](const auto& each) { return each->version; });
    return at == versions->end() ? nullptr : at->get();
}

std::vector<std::string> Tools::versions(std::string_view id) const {
    std::vector<std::string> out;
    if (const Versions* versions = of(id))
        for (const auto& each : *versions)
            out.push_back(each->version);
    return out;
}

const Tool& Tools::fitting(std::string_view id, const std::vector<std::string>& options) const {
    const Versions* versions = of(id);
    assert(versions != nullptr);
    const auto known = [&options](const std::shared_ptr<const Tool>& tool) {
        return std::ranges::count_if(options, [&tool](const std::string& name) {
            return tool->options.contains(name) || tool->aliases.contains(name) || tool->knowsKey(name);
        });
    };
    return **std::ranges::max_element(*versions, {}, known); // the first of equal ones
}

Tools toolsOf(const std::string& userCatalog, std::vector<std::string>& faults) {
    Tools tools = Tools::shipped();
    const std::string folder = userCatalog + "/handoff";
    std::error_code unreadable;
    if (userCatalog.empty() || !std::filesystem::is_directory(folder, unreadable))
        return tools;
    std::vector<std::pair<std::string, std::string>> documents;
    for (const std::string& file : catalogDocuments(folder)) {
        auto text = readFile(file);
        if (!text) {
            faults.push_back(file + ": " + text.error());
            return tools;
        }
        documents.emplace_back(file, *std::move(text));
    }
    tools.add(documents, faults);
    return tools;
}

} // namespace alidade::data::handoff
