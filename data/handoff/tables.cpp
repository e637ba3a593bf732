// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/tables.h"

#include "data/catalog/shipped.h"
#include "data/json/json.h"

#include <algorithm>

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

Json document(const std::string& id) { return Json::parse(shippedDocument("handoff/" + id + ".json")); }

template <class Map>
void readMap(const Json& json, const char* key, Map& out) {
    if (json.contains(key))
        for (const auto& [name, value] : json[key].items())
            out.emplace(name, value.template get<std::string>());
}

template <class Set>
void readSet(const Json& json, const char* key, Set& out) {
    if (json.contains(key))
        for (const Json& each : json[key])
            out.insert(out.end(), each.template get<std::string>());
}

const Json& clusters() {
    static const Json json = document("clusters");
    return json;
}

const Json& dynamo() {
    static const Json json = document("dynamo");
    return json;
}

} // namespace

const FieldSpelling* Tool::field(std::string_view path) const {
    const auto at = std::ranges::find(fields, path, &FieldSpelling::path);
    return at == fields.end() ? nullptr : &*at;
}

bool Tool::knowsKey(std::string_view key) const {
    if (keys.contains(key))
        return true;
    return std::ranges::any_of(anyBelow, [key](const std::string& prefix) {
        return key.size() > prefix.size() && key.starts_with(prefix) && key[prefix.size()] == '.';
    });
}

const std::vector<ModelNames>& modelNames() {
    static const std::vector<ModelNames> all = [] {
        std::vector<ModelNames> out;
        const Json table = document("names");
        for (const auto& [id, json] : table.at("models").items()) {
            ModelNames names;
            names.model = id;
            readSet(json, "hugging_face", names.huggingFace);
            if (json.contains("torchtitan")) {
                names.titanName = json["torchtitan"].at("name").get<std::string>();
                names.titanFlavor = json["torchtitan"].at("flavor").get<std::string>();
            }
            names.bridge = json.value("megatron_bridge", std::string());
            names.bridgeTunes = json.value("megatron_bridge_tunes", true);
            out.push_back(std::move(names));
        }
        return out;
    }();
    return all;
}

const ModelNames* namesOf(std::string_view model) {
    const auto at = std::ranges::find(modelNames(), model, &ModelNames::model);
    return at == modelNames().end() ? nullptr : &*at;
}

const std::vector<std::pair<std::string, std::string>>& weightSuffixes() {
    static const auto all = [] {
        std::vector<std::pair<std::string, std::string>> out;
        const Json names = document("names");
        for (const auto& [suffix, format] : names.at("suffixes").items())
            out.emplace_back(suffix, format.get<std::string>());
        std::ranges::stable_sort(out, std::greater{}, [](const auto& each) { return each.first.size(); });
        return out;
    }();
    return all;
}

std::optional<InstanceResources> resourcesOf(std::string_view instance) {
    const Json& all = clusters().at("instances");
    const auto at = all.find(std::string(instance));
    if (at == all.end())
        return {};
    return InstanceResources{at->at("gpus").get<int>(), at->at("efa_devices").get<int>(),
                             at->at("gres").get<std::string>(), at->value("parallelcluster", std::string())};
}

const std::vector<EnvironmentVariable>& environmentTable() {
    static const std::vector<EnvironmentVariable> all = [] {
        std::vector<EnvironmentVariable> out;
        for (const Json& each : clusters().at("environment"))
            out.push_back({each.at("name").get<std::string>(), each.at("value").get<std::string>(),
                           each.at("when").get<std::string>(), each.at("why").get<std::string>(),
                           each.value("address", false)});
        return out;
    }();
    return all;
}

const std::map<std::string, std::string>& unwantedVariables() {
    static const auto all = [] {
        std::map<std::string, std::string> out;
        readMap(clusters(), "do_not_set", out);
        return out;
    }();
    return all;
}

const std::vector<std::string>& topologyLabels() {
    static const auto all = [] {
        std::vector<std::string> out;
        readSet(clusters().at("labels"), "layers", out);
        return out;
    }();
    return all;
}

const std::map<std::string, std::string>& outsideTheJob() {
    static const auto all = [] {
        std::map<std::string, std::string> out;
        readMap(clusters(), "outside_the_job", out);
        return out;
    }();
    return all;
}

bool expressesField(const std::string& cluster, const std::string& path) {
    const Json& all = clusters().at("expressed_by");
    const auto at = all.find(cluster);
    return at != all.end() &&
           std::ranges::any_of(at->items(), [&path](const auto& each) { return each.value() == path; });
}

const std::string& storageFolder(const std::string& service) {
    return clusters().at("storage").at(service).at("folder").get_ref<const std::string&>();
}

const std::string& storageDriver(const std::string& service) {
    return clusters().at("storage").at(service).at("driver").get_ref<const std::string&>();
}

const DynamoEngine* dynamoEngine(std::string_view tool) {
    static const std::map<std::string, DynamoEngine, std::less<>> all = [] {
        std::map<std::string, DynamoEngine, std::less<>> out;
        for (const auto& [id, json] : dynamo().at("engines").items()) {
            DynamoEngine engine;
            engine.framework = json.at("framework").get<std::string>();
            engine.module = json.at("module").get<std::string>();
            engine.model = json.at("model").get<std::string>();
            readMap(json, "renamed", engine.renamed);
            readSet(json, "left", engine.left);
            out.emplace(id, std::move(engine));
        }
        return out;
    }();
    const auto at = all.find(tool);
    return at == all.end() ? nullptr : &at->second;
}

const std::string& dynamoVersion() { return dynamo().at("version").get_ref<const std::string&>(); }

} // namespace alidade::data::handoff
