// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/registered_test.h"

#include <cstdio>
#include <map>
#include <string>

namespace alidade::test {

namespace {

std::map<std::string, RunTest>& registered() {
    static std::map<std::string, RunTest> tests; // filled before main()
    return tests;
}

} // namespace

RegisteredTest::RegisteredTest(const char* file, RunTest run) {
    std::string name = file;
    name.erase(0, name.find_last_of('/') + 1);
    name.erase(name.find('.'));
    registered().emplace(name, run);
}

} // namespace alidade::test

/// PROGRAM [TEST] [arguments of Qt Test]; a program with one test needs no name.
int main(int argc, char** argv) {
    const auto& tests = alidade::test::registered();
    const auto named = argc > 1 ? tests.find(argv[1]) : tests.end();
    if (named != tests.end()) {
        argv[1] = argv[0];
        return named->second(argc - 1, argv + 1);
    }
    if (tests.size() == 1)
        return tests.begin()->second(argc, argv);
    std::fprintf(stderr, "usage: %s TEST [arguments of Qt Test]; its tests are\n", argv[0]);
    for (const auto& [name, run] : tests)
        std::fprintf(stderr, "  %s\n", name.c_str());
    return 2;
}
