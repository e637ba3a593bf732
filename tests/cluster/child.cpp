// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cluster/child.h"

#include <csignal>
#include <sys/prctl.h>

namespace alidade::tests {

void endWithParent(QProcess& process) {
    process.setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGTERM); });
}

void endChild(QProcess& process) {
    constexpr int patienceMs = 20'000;
    if (process.state() == QProcess::NotRunning)
        return;
    process.terminate();
    if (!process.waitForFinished(patienceMs)) {
        process.kill();
        process.waitForFinished();
    }
}

} // namespace alidade::tests
