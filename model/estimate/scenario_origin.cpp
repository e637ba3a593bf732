// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/scenario_origin.h"

#include "model/scenario/fields.h"

#include <variant>

namespace alidade {

std::string scenarioOrigin(const ScenarioSpec& written, std::string_view path) {
    constexpr std::string_view section = "scenario.";
    if (!path.starts_with(section))
        return {};
    path.remove_prefix(section.size());
    const Field* field = findField(path);
    if (!field) // an element of a list: "plan.pipeline_split.3"
        field = findField(path.substr(0, path.rfind('.')));
    if (!field)
        return {};
    const bool given = !std::holds_alternative<std::monostate>(field->get(written));
    return given ? "written in the scenario" : "filled in, default: " + std::string(field->defaultDoc);
}

} // namespace alidade
