// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/latest_worker.h"

#include <utility>

namespace alidade::views {

LatestWorker::LatestWorker()
    : thread_([this](std::stop_token closing) { run(std::move(closing)); }) {}

LatestWorker::~LatestWorker() {
    cancel();
    thread_.request_stop();
    thread_.join();
}

void LatestWorker::start(Job job) {
    {
        const std::scoped_lock lock(mutex_);
        running_.request_stop();
        waiting_ = std::move(job);
    }
    wake_.notify_one();
}

void LatestWorker::cancel() {
    const std::scoped_lock lock(mutex_);
    running_.request_stop();
    waiting_.reset();
}

void LatestWorker::run(std::stop_token closing) {
    while (true) {
        Job job;
        std::stop_token superseded;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, closing, [this] { return waiting_.has_value(); }))
                return;
            job = std::move(*waiting_);
            waiting_.reset();
            running_ = std::stop_source();
            superseded = running_.get_token();
        }
        job(superseded);
    }
}

} // namespace alidade::views
