// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "model/catalog/profile.h"

namespace alidade::data {

/// Reads a calibration profile: { "alidade": 1, "name", "date", "parameters": [...], "fitted_to", "error" }.
/// Faults are added; nullopt if there was one.
std::optional<Profile> readProfile(const nlohmann::json& value, const std::string& pointer,
                                   std::vector<JsonFault>& faults);

/// The same from text. nullopt if it is not a profile.
std::optional<Profile> readProfileText(const std::string& text);

} // namespace alidade::data
