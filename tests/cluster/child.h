// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>

namespace alidade::tests {

/// Before the start: the child gets SIGTERM when the thread that starts it ends, however it ends.
void endWithParent(QProcess& process);

/// SIGTERM to this one process, and SIGKILL where it does not heed that; returns when it is gone.
void endChild(QProcess& process);

} // namespace alidade::tests
