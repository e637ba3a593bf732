// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "model/engine/test_time_table.h"

#include <string>

namespace alidade::cli {

// Samples and thinking budgets against latency, cost and accuracy: for a person, and as the documented
// object.
std::string testTimeText(const TestTimeQuestion& question, const TestTimeTable& table,
                         const Terminal& terminal);
std::string testTimeJson(const TestTimeQuestion& question, const TestTimeTable& table);

} // namespace alidade::cli
