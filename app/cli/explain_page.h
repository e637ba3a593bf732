// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "model/explain/traced.h"

#include <string>

namespace alidade::cli {

/// How a figure comes about, for a terminal: the figure, its formula, the same with the values put in, the
/// terms, and the inputs with their sources.
std::string explanationText(const Explanation& explanation, const Terminal& terminal);

/// The formula with the values of its terms in the place of their names.
std::string formulaWithValues(const Explanation& explanation);

} // namespace alidade::cli
