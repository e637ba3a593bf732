// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/commands.h"

#include <string>
#include <vector>

namespace alidade::data {
struct TopologyImport;
}

namespace alidade::cli {

/// The topology that files describe together, and what is to be said of them. A Failure with the faults where
/// they describe none.
data::TopologyImport openTopologies(const std::vector<std::string>& files);

// Each adds one subcommand to `import`. `call` must outlive the parsing and the action.
void addImportTopology(CLI::App& command, Call& call);
void addImportNcclLog(CLI::App& command, Call& call);
void addImportJob(CLI::App& command, Call& call);

} // namespace alidade::cli
