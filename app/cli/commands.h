// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/session.h"
#include "app/cli/terminal.h"

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace alidade::cli {

/// What a subcommand works with: its options once they are parsed, and the text for standard output, which is
/// printed only when all went well.
struct Call {
    CommonOptions common;
    Terminal terminal;
    std::string out;
    int status = 0;               ///< exit status when all went well
    std::function<void()> action; ///< set by the subcommand that was asked for; throws Failure
};

/// The options that every subcommand has.
void addCommonOptions(CLI::App& command, CommonOptions& options);

// Each adds one subcommand to the program. `call` must outlive the parsing and the action.
void addCatalogCommand(CLI::App& program, Call& call);
void addEstimateCommand(CLI::App& program, Call& call);
void addCompareCommand(CLI::App& program, Call& call);
void addReportCommand(CLI::App& program, Call& call);
void addImportCommand(CLI::App& program, Call& call);
void addExportCommand(CLI::App& program, Call& call);
void addValidateCommand(CLI::App& program, Call& call);
void addMetricsCommand(CLI::App& program, Call& call);
void addCalibrateCommand(CLI::App& program, Call& call);
void addHealthCommand(CLI::App& program, Call& call);
void addWatchCommand(CLI::App& program, Call& call);
void addSearchCommand(CLI::App& program, Call& call);
void addSweepCommand(CLI::App& program, Call& call);
void addSensitivityCommand(CLI::App& program, Call& call);
void addSolveCommand(CLI::App& program, Call& call);
void addDistributionCommand(CLI::App& program, Call& call);
void addScalingCommand(CLI::App& program, Call& call);
void addTestTimeCommand(CLI::App& program, Call& call);
void addFleetCommand(CLI::App& program, Call& call);
/// Ids and names of the shipped fleets.
void listFleets(Call& call);
void addTrafficCommand(CLI::App& program, Call& call);

} // namespace alidade::cli
