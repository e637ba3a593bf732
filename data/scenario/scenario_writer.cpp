// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/scenario/scenario_writer.h"

#include "data/catalog/architecture_json.h"
#include "data/json/json.h"

namespace alidade::data {

void ScenarioWriter::architecture(std::string_view key, const Architecture& architecture) {
    document(key,
             architectureToJson(architecture).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

} // namespace alidade::data
