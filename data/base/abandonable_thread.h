// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

class QObject;

namespace alidade::data {

/// A thread that may outlive its owner. One that is blocked by an unresponsive disk or server is abandoned,
/// so that a window can close and the process can exit. The body must therefore share ownership of everything
/// that it uses, and reach the owner only through a ResultBox.
class AbandonableThread {
public:
    explicit AbandonableThread(std::function<void(const std::stop_token& ending)> body);
    ~AbandonableThread(); ///< same as end() with no timeout
    AbandonableThread(const AbandonableThread&) = delete;
    AbandonableThread& operator=(const AbandonableThread&) = delete;

    /// Asks the body to stop and waits for it.
    /// \returns false if it was still running after this time and has been abandoned
    bool end(std::chrono::milliseconds patience);

    /// The number of abandoned threads that still run. While there are any, the process must exit without
    /// destroying what they use, that is, with _Exit().
    static int abandoned();

private:
    struct State;
    std::shared_ptr<State> state_;
    std::jthread thread_;
};

/// Delivers results to the thread of their receiver until the receiver closes the box. Thread-safe.
class ResultBox {
public:
    explicit ResultBox(QObject* receiver);
    ~ResultBox();
    ResultBox(const ResultBox&) = delete;
    ResultBox& operator=(const ResultBox&) = delete;

    /// Runs `take` in the receiver's thread; drops it if the box is closed.
    void post(std::function<void()> take) const;
    /// Nothing reaches the receiver afterwards. Must be called before the receiver is destroyed.
    void close();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace alidade::data
