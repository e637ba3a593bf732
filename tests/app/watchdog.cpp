// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/watchdog.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <fstream>
#include <sys/syscall.h>
#include <unistd.h>

namespace alidade::test {

namespace {

/// In the main thread, wherever it is.
void printStack(int) {
    void* frames[64];
    const int count = backtrace(frames, 64);
    backtrace_symbols_fd(frames, count, STDERR_FILENO);
    _exit(1);
}

/// Seconds that a thread of this process has waited for a CPU; 0 where the kernel does not count them.
double waitedForCpu(pid_t thread) {
    const std::string name = "/proc/self/task/" + std::to_string(thread) + "/schedstat";
    std::ifstream file(name);
    double ran = 0, waited = 0;
    return file >> ran >> waited ? waited * 1e-9 : 0;
}

} // namespace

Watchdog::Watchdog(std::chrono::milliseconds most, std::function<std::string()> about)
    : most_(most)
    , about_(std::move(about))
    , main_(pthread_self())
    , mainId_(static_cast<pid_t>(::syscall(SYS_gettid))) {
    pthread_getcpuclockid(main_, &clock_);
    void* first[1];
    backtrace(first, 1); // loads what a signal handler must not
    std::signal(SIGUSR1, printStack);
    thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
    ending_ = true;
    thread_.join();
}

double Watchdog::cpuSeconds() const {
    timespec now{};
    clock_gettime(clock_, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void Watchdog::watch() {
    using std::chrono::steady_clock;
    const double most = std::chrono::duration<double>(most_).count();
    std::uint64_t seen = beats_;
    double cpu = cpuSeconds(), starved = waitedForCpu(mainId_);
    auto since = steady_clock::now();
    while (!ending_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (const std::uint64_t now = beats_; now != seen) {
            seen = now;
            cpu = cpuSeconds();
            starved = waitedForCpu(mainId_);
            since = steady_clock::now();
            continue;
        }
        const double used = cpuSeconds() - cpu;
        const double waited = std::chrono::duration<double>(steady_clock::now() - since).count() -
                              (waitedForCpu(mainId_) - starved);
        if (used < most && waited < 10 * most)
            continue;
        std::fprintf(
            stderr,
            "The event loop stands still: %.1f s of CPU time, %.1f s in which it could have run\n%s\n", used,
            waited, about_().c_str());
        pthread_kill(main_, SIGUSR1);
        std::this_thread::sleep_for(std::chrono::seconds(10));
        _exit(1);
    }
}

} // namespace alidade::test
