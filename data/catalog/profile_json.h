// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "model/base/result.h"
#include "model/catalog/profile.h"

namespace alidade::data {

/// Reads a calibration profile: { "alidade": 1, "name", "date", "parameters": [...], "fitted_to", "error" }.
/// Faults are added; nullopt if there was one.
std::optional<Profile> readProfile(const nlohmann::json& value, const std::string& pointer,
                                   std::vector<JsonFault>& faults);

/// The same from text. nullopt if it is none; the other function says what is wrong.
std::optional<Profile> readProfileText(const std::string& text);
/// The same of a text. The error is the first fault with its place: "NAME:/parameters/3/value: ...".
Result<Profile> readProfileText(std::string_view text, const std::string& name);

} // namespace alidade::data
