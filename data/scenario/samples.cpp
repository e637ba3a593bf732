// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/scenario/samples.h"

#include "data/catalog/shipped.h"

namespace alidade::data {

std::vector<std::string> sampleScenarioIds() {
    std::vector<std::string> ids;
    for (const ShippedScenario& scenario : shippedScenarios())
        ids.push_back(scenario.id);
    return ids;
}

std::optional<std::string> sampleScenarioText(std::string_view id) {
    const Result<std::string> text = shippedScenario(std::string(id));
    return text ? std::optional(*text) : std::nullopt;
}

} // namespace alidade::data
