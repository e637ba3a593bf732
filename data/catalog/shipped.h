// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <string>
#include <vector>

namespace alidade::data {

/// A shipped scenario: its file name is its id.
struct ShippedScenario {
    std::string id;
    std::string name;
};

/// Returns the names of the compiled-in catalog documents ("gpus.json", ...), sorted; with a folder
/// ("handoff/") those in it.
std::vector<std::string> shippedDocuments(const std::string& folder = {});
/// Returns the text of one of them, or of "validation/training.json" and "validation/collectives.json"; empty
/// if there is none of that name.
std::string shippedDocument(const std::string& file);

/// Returns the compiled-in sample scenarios, by id.
std::vector<ShippedScenario> shippedScenarios();
/// Returns the JSON text of one of them; an error names the nearest id.
Result<std::string> shippedScenario(const std::string& id);

} // namespace alidade::data
