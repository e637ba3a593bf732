// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "model/explore/comparison.h"

#include <span>
#include <string>

namespace alidade::cli {

/// What a comparison finds: the sentence, and the changes that the error of the difference leaves certain.
std::string comparisonText(std::span<const ComparedScenario> scenarios, const Comparison& comparison,
                           const Terminal& terminal);
/// What the differences are made of: "Step time of plan.json: −2.4 s: bubble −1.9 s, nvlink −0.6 s".
std::string reasonsText(std::span<const ComparedScenario> scenarios, const Comparison& comparison,
                        const Terminal& terminal);

} // namespace alidade::cli
