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

/// A scenario that was read, or everything that is wrong with the file.
struct ScenarioReading {
    std::optional<ScenarioSpec> spec;
    std::vector<JsonFault> faults; ///< if not empty, there is no spec
};

/// Reads the text of a scenario file. The field table defines what it may hold: an unknown field, a wrong
/// type, a value out of range or two fields that exclude each other are faults. Numbers are in SI units; a
/// text such as "400 Gbps" is refused with the number that it means. A null counts as absent.
ScenarioReading readScenario(std::string_view text);

/// The same with the first fault as the error: "FILE:/json/pointer: what is wrong; how to fix it".
Result<ScenarioSpec> readScenario(std::string_view text, std::string_view fileName);

/// Returns "FILE:/json/pointer: what is wrong; how to fix it".
std::string faultText(std::string_view fileName, const JsonFault& fault);

/// Returns the text of the file: `"alidade": 1`, then the values of the spec in the order of the field table.
/// UTF-8, indented, ends with a newline. readScenario(writeScenario(s)) is s.
std::string writeScenario(const ScenarioSpec& spec);

} // namespace alidade::data
