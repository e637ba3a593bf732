// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/json.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <yaml-cpp/yaml.h>

namespace alidade::tests {

using nlohmann::json;

inline std::string fileText(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream out;
    out << file.rdbuf();
    return out.str();
}

/// A manifest as JSON: quoted texts stay texts.
inline json toJson(const YAML::Node& node) {
    if (node.IsMap()) {
        json out = json::object();
        for (const auto& each : node)
            out[each.first.as<std::string>()] = toJson(each.second);
        return out;
    }
    if (node.IsSequence()) {
        json out = json::array();
        for (const auto& each : node)
            out.push_back(toJson(each));
        return out;
    }
    if (node.IsNull())
        return nullptr;
    const auto text = node.as<std::string>();
    if (node.Tag() == "!")
        return text;
    json value = json::parse(text, nullptr, false);
    return value.is_number() || value.is_boolean() ? value : json(text);
}

/// Unknown fields, wrong types, missing fields, values outside an enum.
class SchemaCheck {
public:
    /// \param folder of the schemas, with a slash
    explicit SchemaCheck(const std::string& folder) {
        pods_ = json::parse(fileText(folder + "pod-template.json")).at("definitions");
        for (const char* name :
             {"jobset", "leaderworkerset", "kubeflow-pytorchjob", "kubeflow-trainjob",
              "kubeflow-trainingruntime", "volcano-job", "computedomain", "kueue-topology", "kai-topology",
              "kueue-clusterqueue", "kueue-localqueue", "kueue-resourceflavor", "karpenter-nodepool",
              "karpenter-ec2nodeclass", "kubernetes-job", "dynamo-graphdeployment"}) {
            json schema = json::parse(fileText(folder + name + ".json"));
            const json& properties = schema.at("properties");
            kinds_[properties.at("apiVersion").at("enum")[0].get<std::string>() + "/" +
                   properties.at("kind").at("enum")[0].get<std::string>()] = schema;
        }
    }

    /// \returns the first fault, or nothing
    std::string fault(const json& document) const {
        const auto at = kinds_.find(document.at("apiVersion").get<std::string>() + "/" +
                                    document.at("kind").get<std::string>());
        return at == kinds_.end() ? std::string() : check(document, at->second, "");
    }
    bool knows(const json& document) const {
        return kinds_.contains(document.at("apiVersion").get<std::string>() + "/" +
                               document.at("kind").get<std::string>());
    }

private:
    static bool isOf(const json& value, const std::string& type) {
        return type == "object"    ? value.is_object()
               : type == "array"   ? value.is_array()
               : type == "string"  ? value.is_string()
               : type == "boolean" ? value.is_boolean()
               : type == "integer" ? value.is_number_integer()
               : type == "number"  ? value.is_number()
                                   : value.is_null();
    }

    std::string check(const json& value, const json& given, const std::string& path) const {
        const json* schema = &given;
        if (given.contains("$ref")) {
            const auto name = given["$ref"].get<std::string>();
            schema = &pods_.at(name.substr(name.find_last_of('/') + 1));
        }
        if (schema->contains("type")) {
            const json& type = (*schema)["type"];
            const json types = type.is_array() ? type : json::array({type});
            bool good = false;
            for (const json& each : types)
                good = good || isOf(value, each.get<std::string>());
            if (!good)
                return path + ": " + value.dump() + " where " + type.dump() + " is wanted";
        }
        if (schema->contains("enum")) {
            const json& all = (*schema)["enum"];
            if (std::find(all.begin(), all.end(), value) == all.end())
                return path + ": " + value.dump() + " is none of " + all.dump();
        }
        const json none = json::object();
        const json& properties = schema->contains("properties") ? (*schema)["properties"] : none;
        if (value.is_object()) {
            for (const auto& [key, each] : value.items()) {
                const json* below = properties.contains(key) ? &properties[key] : nullptr;
                if (below == nullptr && schema->contains("additionalProperties")) {
                    const json& extra = (*schema)["additionalProperties"];
                    if (extra == false)
                        return path + "/" + key + ": unknown field";
                    below = extra.is_object() ? &extra : nullptr;
                }
                if (below != nullptr)
                    if (std::string found = check(each, *below, path + "/" + key); !found.empty())
                        return found;
            }
        }
        if (value.is_array() && schema->contains("items"))
            for (std::size_t i = 0; i < value.size(); ++i)
                if (std::string found = check(value[i], (*schema)["items"], path + "/" + std::to_string(i));
                    !found.empty())
                    return found;
        return {};
    }

    json pods_;
    std::map<std::string, json> kinds_;
};

} // namespace alidade::tests
