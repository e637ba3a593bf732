// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/latest_worker.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace alidade::views {

using namespace std::chrono_literals;

struct LatestWorker::State {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::optional<Job> waiting;
    std::stop_source running;

    void run(const std::stop_token& ending, Turn turn) {
        while (true) {
            Job job;
            {
                std::unique_lock lock(mutex);
                if (!wake.wait(lock, ending, [this] { return waiting.has_value(); }))
                    return;
                job = std::move(*waiting);
                waiting.reset();
                running = std::stop_source();
                turn.superseded_ = running.get_token();
            }
            job(turn);
        }
    }
};

LatestWorker::LatestWorker(QObject* owner, Work kind)
    : results_(std::make_shared<data::ResultBox>(owner))
    , state_(std::make_shared<State>())
    , kind_(kind)
    , thread_([state = state_, results = results_](const std::stop_token& ending) {
        Turn turn;
        turn.results_ = results;
        state->run(ending, turn);
    }) {}

LatestWorker::~LatestWorker() {
    results_->close();
    cancel();
    // What computes always comes to an end; what waits may never.
    thread_.end(kind_ == Work::computing ? 10s : 1s);
}

void LatestWorker::start(Job job) {
    {
        const std::scoped_lock lock(state_->mutex);
        state_->running.request_stop();
        state_->waiting = std::move(job);
    }
    state_->wake.notify_one();
}

void LatestWorker::cancel() {
    const std::scoped_lock lock(state_->mutex);
    state_->running.request_stop();
    state_->waiting.reset();
}

} // namespace alidade::views
