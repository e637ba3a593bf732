// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_line.h"
#include "app/window/run_window.h"
#include "model/base/freed_memory.h"

#include <csignal>

int main(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN); // a write beyond the limit of file sizes shall fail, not end the program
    alidade::keepFreedMemory();
    // First of all: what needs no window must not make an application object, which would look for a display.
    std::string file;
    if (const auto status = alidade::cli::runCommandLine(argc, argv, file))
        return *status;
    const int status = alidade::app::runWindow(argc, argv, QString::fromStdString(file));
    alidade::app::leaveProcess(status);
}
