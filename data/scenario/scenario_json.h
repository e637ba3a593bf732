// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "model/base/result.h"
#include "model/scenario/spec.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// A scenario file that was read, or everything that is wrong with it.
struct ScenarioReading {
    std::optional<ScenarioSpec> spec;
    std::vector<JsonFault> faults; ///< not empty: there is no spec
};

/// Reads the text of a scenario file. The field table says what it may hold: an unknown field, a wrong kind,
/// a value out of range or two fields that exclude each other are faults. Numbers are in SI units; a text
/// such as "400 Gbps" is refused with the number that it stands for. A null counts as absent.
ScenarioReading readScenario(std::string_view text);

/// The same with the first fault as the error: "FILE:/json/pointer: what is wrong; what would be right".
Result<ScenarioSpec> readScenario(std::string_view text, std::string_view fileName);

/// "FILE:/json/pointer: what is wrong; what would be right".
std::string faultText(std::string_view fileName, const JsonFault& fault);

/// The file: `"alidade": 1`, then what is written in the spec in the order of the field table. UTF-8,
/// indented, ends with a newline. readScenario(writeScenario(s)) is s.
std::string writeScenario(const ScenarioSpec& spec);

} // namespace alidade::data
