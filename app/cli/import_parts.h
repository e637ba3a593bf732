// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/commands.h"

namespace alidade::cli {

// Each adds one subcommand to `import`. `call` must outlive the parsing and the action.
void addImportTopology(CLI::App& command, Call& call);
void addImportNcclLog(CLI::App& command, Call& call);
void addImportJob(CLI::App& command, Call& call);

} // namespace alidade::cli
