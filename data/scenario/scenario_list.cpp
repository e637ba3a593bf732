// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/scenario/scenario_list.h"

#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/scenario/scenario_json.h"

#include <algorithm>
#include <array>

namespace alidade::data {

namespace {

using Json = nlohmann::json;

/// In the order of ListedScenario::Kind.
constexpr std::array<const char*, 3> kindWords{"open", "stored", "fixed"};

Result<ListedScenario> readOne(const Json& json, const std::string& place) {
    const auto textOf = [&json](const char* key) {
        const auto found = json.find(key);
        return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    if (!json.is_object())
        return Error{place + ": must be an object"};
    const auto kind = std::ranges::find(kindWords, textOf("kind"));
    if (kind == kindWords.end())
        return Error{place + "/kind: must be open, stored or fixed"};
    ListedScenario out{.kind = static_cast<ListedScenario::Kind>(kind - kindWords.begin()),
                       .name = textOf("name"),
                       .spec = {}};
    if (out.kind == ListedScenario::Kind::stored) {
        const auto id = json.find("id");
        if (id == json.end() || !id->is_number_integer())
            return Error{place + "/id: must be a whole number"};
        out.id = id->get<std::int64_t>();
    }
    if (out.kind == ListedScenario::Kind::fixed) {
        const auto scenario = json.find("scenario");
        if (scenario == json.end())
            return Error{place + "/scenario: is missing"};
        Result<ScenarioSpec> spec = readScenario(scenario->dump(), place + "/scenario");
        if (!spec)
            return Error{spec.error()};
        out.spec = *std::move(spec);
    }
    return out;
}

} // namespace

std::string writeScenarioList(const ScenarioList& list) {
    Json scenarios = Json::array();
    for (const ListedScenario& each : list.scenarios) {
        Json one{{"kind", kindWords[static_cast<std::size_t>(each.kind)]}, {"name", each.name}};
        if (each.kind == ListedScenario::Kind::stored)
            one["id"] = each.id;
        else if (each.kind == ListedScenario::Kind::fixed)
            one["scenario"] = Json::parse(writeScenario(each.spec));
        scenarios.push_back(std::move(one));
    }
    Json out{{"alidade", 1}, {"scenarios", std::move(scenarios)}};
    if (list.chosen < list.scenarios.size())
        out["chosen"] = list.chosen;
    return out.dump();
}

Result<ScenarioList> readScenarioList(std::string_view text) {
    const Result<Json> json = parseJson(text);
    if (!json)
        return Error{json.error()};
    const auto scenarios = json->is_object() ? json->find("scenarios") : json->end();
    if (!json->is_object() || scenarios == json->end() || !scenarios->is_array())
        return Error{"/scenarios: must be an array"};
    ScenarioList out;
    for (std::size_t i = 0; i < scenarios->size(); ++i) {
        Result<ListedScenario> one = readOne((*scenarios)[i], "/scenarios/" + std::to_string(i));
        if (!one)
            return Error{one.error()};
        out.scenarios.push_back(*std::move(one));
    }
    const auto chosen = json->find("chosen");
    out.chosen = chosen != json->end() && chosen->is_number_unsigned() ? chosen->get<std::size_t>()
                                                                       : out.scenarios.size();
    return out;
}

} // namespace alidade::data
