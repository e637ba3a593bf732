// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>

/// Ends a test whose server or checker is not installed. The only skip of the suite: packaging/test installs
/// them, so it is met only by who builds and runs a test by hand. Skipped on a person's machine, failed where
/// CI is set, so that no run there passes without it. \param why text
#define ALIDADE_NEEDED(why)                                                                                  \
    do {                                                                                                     \
        if (qEnvironmentVariableIsSet("CI"))                                                                 \
            QFAIL(why);                                                                                      \
        QSKIP(why);                                                                                          \
    } while (false)
