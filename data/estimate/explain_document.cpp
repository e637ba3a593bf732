// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/estimate/explain_document.h"

#include "data/catalog/architecture_json.h"
#include "data/json/json.h"
#include "model/estimate/figure_path.h"

namespace alidade::data {

namespace {

constexpr std::string_view written = "scenario.workload.model.";

const nlohmann::ordered_json* member(const nlohmann::ordered_json& value, std::string_view path) {
    const nlohmann::ordered_json* at = &value;
    for (std::size_t dot = 0; dot != std::string_view::npos;) {
        dot = path.find('.');
        const std::string key(path.substr(0, dot));
        if (!at->is_object() || !at->contains(key))
            return nullptr;
        at = &(*at)[key];
        path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    }
    return at;
}

} // namespace

Result<Explanation> explainDocument(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                    std::string_view asked) {
    const std::string dotted = dottedPath(asked);
    const std::string_view path = dotted;
    if (path.starts_with(written) && spec.workload.architecture) {
        const auto architecture = architectureToJson(*spec.workload.architecture);
        const auto* number = member(architecture, path.substr(written.size()));
        if (number != nullptr && number->is_number()) {
            Explanation out = explain(Traced(number->get<double>()));
            out.path = path;
            out.name = "part of the architecture";
            out.source = "part of the architecture; written in the scenario";
            return out;
        }
    }
    return explainFigure(spec, catalog, profile, asked);
}

} // namespace alidade::data
