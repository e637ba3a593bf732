// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>

#ifdef QT_WIDGETS_LIB
#include <QApplication>
#else
#include <QCoreApplication>
#endif

// Many test classes in one program: linking and moc cost more than compiling them, and a change of the
// library would link two hundred programs again. Precompiled into every test after <QTest>: its macros
// register the class instead of defining main(), and the program runs the test whose name is its first
// argument.

namespace alidade::test {

/// Runs a test class with the arguments of QTest::qExec.
using RunTest = int (*)(int argc, char** argv);

/// Registers the test of a source file under the file's name without its suffix.
struct RegisteredTest {
    RegisteredTest(const char* file, RunTest run);
};

} // namespace alidade::test

#undef QTEST_APPLESS_MAIN
#undef QTEST_GUILESS_MAIN
#undef QTEST_MAIN

#define ALIDADE_TEST_WITH(Class, application)                                                                \
    static const alidade::test::RegisteredTest registeredTest(__FILE__, [](int argc, char** argv) {          \
        application Class test;                                                                              \
        QTEST_SET_MAIN_SOURCE_PATH                                                                           \
        return QTest::qExec(&test, argc, argv);                                                              \
    });

#define QTEST_APPLESS_MAIN(Class) ALIDADE_TEST_WITH(Class, )
#define QTEST_GUILESS_MAIN(Class) ALIDADE_TEST_WITH(Class, QCoreApplication app(argc, argv);)
#ifdef QT_WIDGETS_LIB
#define QTEST_MAIN(Class)                                                                                    \
    ALIDADE_TEST_WITH(Class, QApplication app(argc, argv); app.setAttribute(Qt::AA_Use96Dpi, true);)
#else
#define QTEST_MAIN(Class) QTEST_GUILESS_MAIN(Class)
#endif
