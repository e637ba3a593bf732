// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "model/validation/validation_report.h"

#include <string>

namespace alidade::cli {

/// A validation for a person: error figures by class, the worst rows with their sources, memory outcomes, and
/// why rows were skipped.
/// \param worst rows to show, those with the largest error
std::string validationText(const ValidationReport& report, int worst, const Terminal& terminal);

} // namespace alidade::cli
