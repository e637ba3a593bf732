// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace alidade::app {

/// A value that one thread waits for and another one brings, once.
template <class T>
class Later {
public:
    void set(T value) {
        {
            const std::lock_guard lock(mutex_);
            value_ = std::move(value);
        }
        came_.notify_all();
    }
    /// nullopt: a stop was asked for first.
    std::optional<T> wait(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        came_.wait(lock, stop, [this] { return value_.has_value(); });
        return value_;
    }

private:
    std::mutex mutex_;
    std::condition_variable_any came_;
    std::optional<T> value_;
};

} // namespace alidade::app
