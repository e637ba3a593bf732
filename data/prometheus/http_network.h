// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/http_attempt.h"
#include "data/prometheus/redaction.h"

#include <QObject>
#include <QSslConfiguration>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace alidade::data {

/// The requests of one call, and the replies on their way back to its thread.
struct HttpBatch {
    std::vector<HttpRequest> requests;
    std::atomic<bool> canceled = false;
    std::optional<HttpReply> unreachable; ///< of the first that failed for all; on the network's thread only

    std::mutex mutex;
    std::condition_variable arrival;
    std::deque<std::pair<std::size_t, HttpReply>> arrived; ///< by index; under the mutex
};

/// What all requests of an exchange have in common.
struct HttpSettings {
    Connection connection;
    Credentials credentials;
    HttpLimits limits;
    QSslConfiguration tls;
    Redaction redaction;
};

/// Carries requests out on its own thread, as many at a time as the limits say: repeats, follows redirects,
/// falls back to GET. A request that waits for its repetition keeps its place, so that a server in trouble is
/// asked less.
class HttpNetwork : public QObject {
public:
    explicit HttpNetwork(const HttpSettings& settings); ///< which must outlive it
    ~HttpNetwork() override;

    void submit(const std::shared_ptr<HttpBatch>& batch);
    /// After batch->canceled is set.
    void cancel(const std::shared_ptr<HttpBatch>& batch);
    /// Drops what belongs to the thread; the last call on it.
    void shutDown();

private:
    class Task;

    void pump();
    void finish(Task& task, HttpReply reply);

    const HttpSettings& settings_;
    HttpSockets sockets_;
    std::deque<std::pair<std::shared_ptr<HttpBatch>, std::size_t>> queue_;
    std::vector<std::unique_ptr<Task>> running_;
    bool postRefused_ = false; ///< learned: this server wants GET
};

} // namespace alidade::data
