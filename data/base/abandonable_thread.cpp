// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/base/abandonable_thread.h"

#include <QMetaObject>
#include <QObject>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace alidade::data {

namespace {

std::atomic<int> abandonedThreads{0};

} // namespace

struct AbandonableThread::State {
    std::mutex mutex;
    std::condition_variable ended;
    bool isEnded = false;
    bool isAbandoned = false;
};

AbandonableThread::AbandonableThread(std::function<void(const std::stop_token&)> body)
    : state_(std::make_shared<State>())
    , thread_([state = state_, body = std::move(body)](const std::stop_token& ending) mutable {
        body(ending);
        body = nullptr; // releases what it owns while the thread still counts
        {
            const std::lock_guard lock(state->mutex);
            state->isEnded = true;
            if (state->isAbandoned)
                --abandonedThreads;
        }
        state->ended.notify_all();
    }) {}

AbandonableThread::~AbandonableThread() { end({}); }

bool AbandonableThread::end(std::chrono::milliseconds patience) {
    if (!thread_.joinable())
        return true;
    thread_.request_stop();
    {
        std::unique_lock lock(state_->mutex);
        if (!state_->ended.wait_for(lock, patience, [this] { return state_->isEnded; })) {
            state_->isAbandoned = true;
            ++abandonedThreads;
            thread_.detach();
            return false;
        }
    }
    thread_.join();
    return true;
}

int AbandonableThread::abandoned() { return abandonedThreads; }

struct ResultBox::State {
    mutable std::mutex mutex;
    QObject* receiver = nullptr;
};

ResultBox::ResultBox(QObject* receiver)
    : state_(std::make_unique<State>()) {
    state_->receiver = receiver;
}

ResultBox::~ResultBox() = default;

void ResultBox::post(std::function<void()> take) const {
    const std::lock_guard lock(state_->mutex);
    if (state_->receiver != nullptr)
        QMetaObject::invokeMethod(state_->receiver, std::move(take), Qt::QueuedConnection);
}

void ResultBox::close() {
    const std::lock_guard lock(state_->mutex);
    state_->receiver = nullptr;
}

} // namespace alidade::data
