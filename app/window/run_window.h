// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace alidade::app {

/// Makes the QApplication and the window and runs them.
/// \param file scenario file, or id of a shipped scenario; empty: the start page
/// \returns the exit status
///
/// For pictures of the program: `--grab FILE.png [--theme light|dark] [--size WxH] [--view NAME]` shows the
/// window, waits for the estimate, saves what it looks like and ends.
int runWindow(int& argc, char** argv, const QString& file);

/// Ends the process with this status. What a person has saved or exported gets some seconds to reach the
/// disk; threads that a disk or a server has blocked do not hold it up.
[[noreturn]] void leaveProcess(int status);

} // namespace alidade::app
