// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <thread>

namespace alidade::cli {

/// While it lives, Ctrl+C asks the work to stop instead of ending the program, so that what was found so far
/// is printed. One at a time.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    std::stop_token token() const { return stop_.get_token(); }

private:
    void (*before_)(int) = nullptr;
    std::stop_source stop_;
    std::jthread watcher_; ///< a signal handler may do no more than set a flag: this looks at it
};

} // namespace alidade::cli
