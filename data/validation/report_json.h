// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/custom_values.h"
#include "model/validation/validation_report.h"

#include <span>
#include <string>

namespace alidade::data {

/// The document of `validate --json`.
/// \param customValues of the catalog that it was computed with
std::string writeValidation(const ValidationReport& report, std::span<const CustomValue> customValues = {});

} // namespace alidade::data
