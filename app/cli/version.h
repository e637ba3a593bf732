// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace alidade::cli {

std::string programVersion(); ///< "0.1.0"
std::string today();          ///< local date, ISO 8601

} // namespace alidade::cli
