// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/writer.h"

namespace alidade {
struct Architecture;
}

namespace alidade::data {

/// A visitor of visitScenario and of visitEstimate that writes JSON.
class ScenarioWriter : public JsonWriter {
public:
    void architecture(std::string_view key, const Architecture& architecture);
};

} // namespace alidade::data
