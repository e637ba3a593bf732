// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <pthread.h>
#include <string>
#include <sys/types.h>
#include <thread>

namespace alidade::test {

/// Ends the process when the event loop of the main thread stands still: more than `most` of its own CPU time
/// (a loop without an end, whatever else the machine does), or ten times as long by the clock (waiting for
/// something that does not come), between two calls of `beat()`. Prints what `about` says and the stack of
/// the main thread first.
class Watchdog {
public:
    /// To be made in the main thread. `about` is called from another thread.
    Watchdog(std::chrono::milliseconds most, std::function<std::string()> about);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    void beat() { beats_.fetch_add(1, std::memory_order_relaxed); }

private:
    void watch();
    double cpuSeconds() const;

    std::chrono::milliseconds most_;
    std::function<std::string()> about_;
    pthread_t main_;
    pid_t mainId_;
    clockid_t clock_{};
    std::atomic<std::uint64_t> beats_{0};
    std::atomic<bool> ending_{false};
    std::thread thread_;
};

} // namespace alidade::test
