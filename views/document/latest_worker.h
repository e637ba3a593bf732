// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/base/abandonable_thread.h"
#include "views/document/workers.h"

#include <functional>
#include <memory>
#include <stop_token>

class QObject;

namespace alidade::views {

/// One thread that works on the newest job only: a newer one replaces a job that waits and asks the running
/// one to stop. The destructor asks the running job to stop, and waits for it for some seconds at most: a job
/// that a disk or a server has blocked goes on without its owner. Jobs therefore capture by value, and reach
/// the owner through their turn alone.
class LatestWorker {
public:
    /// What a job is given.
    class Turn {
    public:
        /// A newer job waits, or the result is no longer wanted.
        const std::stop_token& superseded() const { return superseded_; }
        bool isSuperseded() const { return superseded_.stop_requested(); }
        /// Runs `take` in the owner's thread, unless the owner is gone.
        void post(std::function<void()> take) const { results_->post(std::move(take)); }

    private:
        friend class LatestWorker;
        std::stop_token superseded_;
        std::shared_ptr<const data::ResultBox> results_;
    };
    using Job = std::function<void(const Turn& turn)>;

    /// \param owner whose thread takes the results
    LatestWorker(QObject* owner, Work kind);
    ~LatestWorker();
    LatestWorker(const LatestWorker&) = delete;
    LatestWorker& operator=(const LatestWorker&) = delete;

    /// From any thread; never waits for a job.
    void start(Job job);
    /// Drops the job that waits and asks the running one to stop.
    void cancel();

private:
    struct State;
    std::shared_ptr<data::ResultBox> results_;
    std::shared_ptr<State> state_;
    Work kind_;
    data::AbandonableThread thread_;
};

} // namespace alidade::views
