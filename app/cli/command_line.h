// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace alidade::cli {

/// Does what the command line asks for without a display: subcommands, --help, --version, and errors.
/// \param file receives what the window shall open: a file or the id of a shipped scenario; empty: nothing
/// \returns the exit status; nullopt if the window is wanted
std::optional<int> runCommandLine(int argc, char** argv, std::string& file);

} // namespace alidade::cli
