// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "model/estimate/estimate.h"

#include <string>

namespace alidade::cli {

/// The pipeline timeline of a step as one line of characters a stage: F forward, B backward, W weight
/// gradient, · waiting. Each character represents the same time and shows what takes most of it.
std::string timelineText(const Training& training, const Terminal& terminal);

} // namespace alidade::cli
