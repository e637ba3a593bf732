// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/handoff/handoff.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/scenario/fields.h"
#include "tests/data/manifest_schema.h"

#include <QtGlobal>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace alidade::tests {

// Shipped scenarios with what a hand-off is made of, and the lists of names that the pinned versions know.

inline const std::string handoffFolder = ALIDADE_TEST_DATA "/data/handoff/";

inline std::set<std::string> namesOf(const std::string& tool) {
    std::istringstream lines(fileText(handoffFolder + "flags/" + tool + ".txt"));
    std::set<std::string> out;
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with('#'))
            out.insert(line);
    return out;
}

struct Planned {
    ScenarioSpec spec;
    std::optional<Estimate> estimate;
    std::optional<Scenario> scenario;
};

inline const Catalog& catalog() {
    static const auto shipped = data::loadShippedCatalog().catalog;
    return *shipped;
}

inline Planned sourceOf(const ScenarioSpec& spec) {
    Planned out{spec, {}, {}};
    auto answer = estimate(spec, catalog(), catalog().defaultProfile);
    auto resolved = resolve(spec, catalog(), catalog().defaultProfile);
    if (!answer || !resolved)
        qFatal("%s", answer.error().c_str());
    out.estimate = *std::move(answer);
    out.scenario = *std::move(resolved);
    return out;
}

inline Result<data::Handoff> handedOff(const Planned& source, const std::vector<std::string>& targets) {
    return data::handOff({source.spec, *source.estimate, *source.scenario, catalog(), "Alidade test"},
                         targets);
}

inline std::map<std::string, Planned>& shipped() {
    static std::map<std::string, Planned> all = [] {
        std::map<std::string, Planned> out;
        for (const data::ShippedScenario& each : data::shippedScenarios())
            out.emplace(each.id, sourceOf(*data::readScenario(*data::shippedScenario(each.id), each.id)));
        return out;
    }();
    return all;
}

/// A shipped scenario with other fields.
inline Planned changed(const std::string& id, const std::map<std::string, std::string>& fields) {
    ScenarioSpec spec = shipped().at(id).spec;
    for (const auto& [path, value] : fields) {
        const auto next = withField(spec, path, value);
        if (!next)
            qFatal("%s", next.error().c_str());
        spec = *next;
    }
    return sourceOf(spec);
}

/// What a hand-off does not express of a field; nullptr: it is not named.
inline const data::LeftOut* leftOut(const data::Handoff& handoff, const std::string& path) {
    const auto at = std::ranges::find(handoff.leftOut, path, &data::LeftOut::path);
    return at == handoff.leftOut.end() ? nullptr : &*at;
}

inline bool warns(const data::Handoff& handoff, const std::string& words) {
    return std::ranges::any_of(handoff.warnings, [&words](const std::string& each) {
        return each.find(words) != std::string::npos;
    });
}

inline const data::HandoffFile& fileOf(const data::Handoff& handoff, const std::string& name) {
    const auto at = std::ranges::find(handoff.files, name, &data::HandoffFile::name);
    if (at == handoff.files.end())
        qFatal("no file %s", name.c_str());
    return *at;
}

inline bool isTool(const std::string& id, bool serving) {
    const data::TargetKind kind = data::handoffTarget(id)->kind;
    return kind == (serving ? data::TargetKind::serving : data::TargetKind::training);
}

/// The documents of a YAML text.
inline std::vector<json> documentsOf(const std::string& text) {
    std::vector<json> out;
    for (const YAML::Node& each : YAML::LoadAll(text))
        out.push_back(toJson(each));
    return out;
}

inline std::vector<json> ofKind(const std::vector<json>& documents, const std::string& kind) {
    std::vector<json> out;
    for (const json& each : documents)
        if (each.value("kind", "") == kind)
            out.push_back(each);
    return out;
}

} // namespace alidade::tests
