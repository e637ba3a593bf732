// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "model/scaling/training_budget.h"

#include <string>

namespace alidade::cli {

// What to train for a budget: for a person, as the documented object, and one row per machine and size.
std::string budgetText(const BudgetQuestion& question, const BudgetAnswer& answer, const Terminal& terminal);
std::string budgetJson(const BudgetQuestion& question, const BudgetAnswer& answer);
std::string budgetCsv(const BudgetAnswer& answer);

} // namespace alidade::cli
