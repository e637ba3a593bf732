// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/scenario/spec.h"

#include <QString>

#include <string>

namespace alidade::data {

/// Reads a scenario file. The error is "FILE:/json/pointer: what is wrong; how to fix it".
Result<ScenarioSpec> readScenarioFile(const std::string& file);

/// Writes a scenario file atomically: a failure leaves the old content intact.
/// \returns an empty string, or why it could not be written
QString writeScenarioFile(const ScenarioSpec& spec, const QString& file);

} // namespace alidade::data
