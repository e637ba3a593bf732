// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/parameter.h"

#include <vector>

namespace alidade::test {

/// Every constant of the model, for all GPUs, formats and software, of the order of those of H100.
std::vector<Parameter> usualConstants();

} // namespace alidade::test
