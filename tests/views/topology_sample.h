// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "counting_engine.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "sample_document.h"
#include "views/topology/topology_data.h"

namespace alidade::sample_cluster {

/// What the view shows of a shipped scenario, with its estimate; null where there is none.
inline std::shared_ptr<const views::TopologyData> dataOf(const std::string& sample) {
    const auto catalog = test::shippedCatalog();
    const auto spec = data::readScenario(*data::shippedScenario(sample), sample);
    const auto estimate = views::modelEngine().estimate(*spec, *catalog);
    if (!estimate)
        return nullptr;
    const auto made =
        views::makeTopologyData(*spec, *catalog, std::make_shared<const Estimate>(*estimate), {});
    return made ? *made : nullptr;
}

} // namespace alidade::sample_cluster
