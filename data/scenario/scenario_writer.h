// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/writer.h"

namespace alidade {
struct Architecture;
}

namespace alidade::data {

/// A JSON-writing visitor for visitScenario and visitEstimate.
class ScenarioWriter : public JsonWriter {
public:
    void architecture(std::string_view key, const Architecture& architecture);
};

} // namespace alidade::data
