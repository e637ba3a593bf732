// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "data/catalog/custom_values.h"
#include "model/validation/validation_report.h"

#include <span>
#include <string>

namespace alidade::cli {

/// A validation for a person: error figures by class, the worst rows with their sources, memory outcomes, and
/// why rows were skipped.
/// \param worst rows to show, those with the largest error
std::string validationText(const ValidationReport& report, int worst, const Terminal& terminal);

/// What the catalog that was used says otherwise than the shipped one; empty without any.
std::string customValuesText(std::span<const data::CustomValue> values, const Terminal& terminal);

} // namespace alidade::cli
