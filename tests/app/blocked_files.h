// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/file.h"

#include <QString>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <fcntl.h>
#include <mutex>
#include <string_view>

namespace alidade::test {

/// While this lives, files whose name contains "never" are on a disk that does not answer: to open one blocks
/// its thread until release().
class BlockedFiles {
public:
    BlockedFiles() {
        state().released = false;
        data::setFileOpener(open);
    }
    ~BlockedFiles() {
        release();
        data::setFileOpener(nullptr);
    }
    BlockedFiles(const BlockedFiles&) = delete;
    BlockedFiles& operator=(const BlockedFiles&) = delete;

    static int blocked() { return state().blocked; }
    static void release() {
        {
            const std::lock_guard lock(state().mutex);
            state().released = true;
        }
        state().wake.notify_all();
    }

private:
    struct State {
        std::mutex mutex;
        std::condition_variable wake;
        std::atomic<int> blocked{0};
        bool released = false;
    };
    static State& state() {
        static auto* const one = new State; // a blocked thread may have it until the process ends
        return *one;
    }
    static int open(const char* path, int flags) {
        if (std::string_view(path).find("never") == std::string_view::npos)
            return ::open(path, flags);
        ++state().blocked;
        std::unique_lock lock(state().mutex);
        state().wake.wait(lock, [] { return state().released; });
        --state().blocked;
        return ::open(path, flags);
    }
};

} // namespace alidade::test
