// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/money.h"

#include <cstdlib>
#include <sstream>
#include <string>

namespace alidade::test {

/// Whether a cell of a CSV holds this amount, written in any way: 12.5 or 12.50.
inline bool holdsAmount(const std::string& csv, Cents amount) {
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');) {
            char* end = nullptr;
            const double value = std::strtod(cell.c_str(), &end);
            if (!cell.empty() && *end == '\0' && value == dollarsOf(amount))
                return true;
        }
    }
    return false;
}

} // namespace alidade::test
