// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/commands.h"

#include <string>
#include <vector>

namespace alidade::data {
struct Handoff;
}

namespace alidade::cli {

/// Lets `export` write the files that run a scenario: `export SCENARIO --to TARGET`. `call` must outlive the
/// parsing and the action.
void addExportJob(CLI::App& command, Call& call);

/// Lets `export` write the jobs that divide a search over a cluster: `export search SCENARIO --to TARGET`.
void addExportSearch(CLI::App& command, Call& call);

/// Lets `export` write a topology as Slurm reads it: `export topology FILE --to TARGET`.
void addExportTopology(CLI::App& command, Call& call);

/// Answers with the files of a hand-off: in a folder, on standard output if `folder` is empty, or as JSON.
/// What they do not express goes to standard error.
void deliverHandoff(Call& call, const data::Handoff& handoff, const std::vector<std::string>& targets,
                    const std::string& folder);

} // namespace alidade::cli
