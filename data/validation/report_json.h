// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/validation_report.h"

#include <string>

namespace alidade::data {

/// The document of `validate --json`.
std::string writeValidation(const ValidationReport& report);

} // namespace alidade::data
