// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace alidade::cli {

// What this command has read, so that it never writes over it. Files are compared by device and inode:
// symbolic and hard links to one file are that file.

/// Remembers a file, or the files of a folder. What is not there is no input.
void noteInput(const std::string& path);

/// A Failure of the request if `out` is one of the inputs.
void refuseOverInput(const std::string& out);

} // namespace alidade::cli
