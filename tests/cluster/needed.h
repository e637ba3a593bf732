// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>

/// Ends a test whose server is not installed: skipped on a person's machine, failed where CI is set, so that
/// no run there passes without it. \param why text
#define ALIDADE_NEEDED(why)                                                                                  \
    do {                                                                                                     \
        if (qEnvironmentVariableIsSet("CI"))                                                                 \
            QFAIL(why);                                                                                      \
        QSKIP(why);                                                                                          \
    } while (false)
