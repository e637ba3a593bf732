// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "model/calibration/live_calibration.h"

#include <string>

namespace alidade::cli {

/// A calibration as text for a terminal: what was measured, constants before and after, what was left out,
/// what is not identifiable, errors.
std::string calibrationText(const LiveCalibration& calibration, const Terminal& terminal);

} // namespace alidade::cli
