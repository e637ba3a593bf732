// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

class QObject;

namespace alidade::data {

/// A thread that its owner does not have to outlive. One that is blocked by a disk or a server that never
/// answers is left behind, so that a window can close and the process can exit. The body must therefore share
/// ownership of everything that it uses, and reach the owner only through a ResultBox.
class AbandonableThread {
public:
    explicit AbandonableThread(std::function<void(const std::stop_token& ending)> body);
    ~AbandonableThread(); ///< as end() without patience
    AbandonableThread(const AbandonableThread&) = delete;
    AbandonableThread& operator=(const AbandonableThread&) = delete;

    /// Asks the body to stop and waits for it.
    /// \returns false: it still ran after this time, and has been left behind
    bool end(std::chrono::milliseconds patience);

    /// Threads that were left behind and still run. While there are any, the process must exit without
    /// destroying what they use, so by _Exit().
    static int abandoned();

private:
    struct State;
    std::shared_ptr<State> state_;
    std::jthread thread_;
};

/// Takes results from a thread to the thread of their receiver for as long as that wants them. Any thread may
/// call.
class ResultBox {
public:
    explicit ResultBox(QObject* receiver);
    ~ResultBox();
    ResultBox(const ResultBox&) = delete;
    ResultBox& operator=(const ResultBox&) = delete;

    /// Runs `take` in the receiver's thread; drops it once the box is closed.
    void post(std::function<void()> take) const;
    /// Afterwards nothing reaches the receiver. To be called before it is destroyed.
    void close();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace alidade::data
