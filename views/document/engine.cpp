// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/engine.h"

namespace alidade::views {

Engine modelEngine() {
    return {
        .estimate = [](const ScenarioSpec& spec,
                       const Catalog& catalog) { return estimate(spec, catalog, catalog.defaultProfile); },
        .suggest = [](const ScenarioSpec& spec,
                      const Catalog& catalog) { return suggest(spec, catalog, catalog.defaultProfile); }};
}

} // namespace alidade::views
