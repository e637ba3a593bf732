// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include <atomic>
#include <chrono>
#include <csignal>

namespace alidade::cli {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free); // the handler may use nothing else

} // namespace

Interrupt::Interrupt() {
    interrupted = false;
    before_ = std::signal(SIGINT, [](int) { interrupted = true; });
    watcher_ = std::jthread([this](const std::stop_token& ended) {
        while (!ended.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            if (interrupted)
                stop_.request_stop();
        }
    });
}

Interrupt::~Interrupt() { std::signal(SIGINT, before_); }

} // namespace alidade::cli
