// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "model/search/search.h"

#include <string>

namespace alidade::cli {

/// For a person: the answer in a sentence, the table of the best plans, why others were rejected.
std::string searchText(const SearchAnswer& answer, const Terminal& terminal);
/// The documented object.
std::string searchJson(const SearchAnswer& answer);
/// The best plans: one row each, fields and figures as columns.
std::string searchCsv(const SearchAnswer& answer);

} // namespace alidade::cli
