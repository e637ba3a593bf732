// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace alidade::views {

/// One thread that works on the newest job only: a newer one replaces a job that waits and asks the running
/// one to stop. The destructor asks the running job to stop and waits for it.
class LatestWorker {
public:
    using Job = std::function<void(std::stop_token superseded)>;

    LatestWorker();
    ~LatestWorker();
    LatestWorker(const LatestWorker&) = delete;
    LatestWorker& operator=(const LatestWorker&) = delete;

    /// From any thread; never waits for a job.
    void start(Job job);
    /// Drops the job that waits and asks the running one to stop.
    void cancel();

private:
    void run(std::stop_token closing);

    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::optional<Job> waiting_;
    std::stop_source running_;
    std::jthread thread_; ///< last, so that it ends before what it uses
};

} // namespace alidade::views
