// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/http_exchange.h"

#include "data/prometheus/authorities.h"
#include "data/prometheus/connection_json.h"
#include "data/prometheus/http_network.h"

#include <QThread>

namespace alidade::data {

namespace {

/// A connection that cannot be used: the same for all its requests.
std::vector<HttpReply> refuseAll(const HttpReply& refusal, std::size_t requests,
                                 const std::function<void(std::size_t, HttpReply&)>& arrived) {
    std::vector<HttpReply> out(requests, refusal);
    for (std::size_t i = 0; arrived && i < requests; ++i)
        arrived(i, out[i]);
    return out;
}

} // namespace

class HttpExchange::State {
public:
    State(Connection connection, Credentials credentials, HttpLimits limits)
        : network(settings) {
        settings.redaction = Redaction(connection, credentials);
        settings.connection = std::move(connection);
        settings.credentials = std::move(credentials);
        settings.limits = std::move(limits);
        thread.setObjectName(QStringLiteral("prometheus"));
        network.moveToThread(&thread);
    }
    ~State() {
        if (thread.isRunning()) {
            QMetaObject::invokeMethod(&network, [this] { network.shutDown(); }, Qt::BlockingQueuedConnection);
            thread.quit();
            thread.wait();
        }
        wipe(settings.credentials);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    /// Reads the CA file and starts the thread, once.
    void begin() {
        std::call_once(begun_, [this] {
            const auto refuse = [this](HttpFault fault, std::string message) {
                refusal.fault = fault;
                refusal.message = std::move(message);
                refusal.attempts = 0;
            };
            if (std::string fault = faultOf(settings.connection); !fault.empty())
                return refuse(HttpFault::broken, std::move(fault));
            if (std::string fault = faultOf(settings.connection, settings.credentials); !fault.empty())
                return refuse(HttpFault::broken, std::move(fault));
            const auto tls = tlsConfiguration(settings.connection);
            if (!tls)
                return refuse(HttpFault::tls, tls.error());
            settings.tls = *tls;
            thread.start();
        });
    }

    template <class Work>
    void post(Work work) {
        QMetaObject::invokeMethod(&network, std::move(work), Qt::QueuedConnection);
    }

    HttpSettings settings; ///< not changed once the thread runs
    HttpNetwork network;
    QThread thread;
    HttpReply refusal; ///< its fault is none where the connection can be used

private:
    std::once_flag begun_;
};

HttpExchange::HttpExchange(Connection connection, Credentials credentials, HttpLimits limits)
    : state_(std::make_unique<State>(std::move(connection), std::move(credentials), std::move(limits))) {}

HttpExchange::~HttpExchange() = default;

const Connection& HttpExchange::connection() const { return state_->settings.connection; }

std::string HttpExchange::redacted(std::string text) const {
    return state_->settings.redaction(std::move(text));
}

std::vector<HttpReply> HttpExchange::exchange(const std::vector<HttpRequest>& requests, std::stop_token stop,
                                              const std::function<void(std::size_t, HttpReply&)>& arrived) {
    state_->begin();
    if (state_->refusal.fault != HttpFault::none)
        return refuseAll(state_->refusal, requests.size(), arrived);

    const auto batch = std::make_shared<HttpBatch>();
    batch->requests = requests;
    HttpNetwork& network = state_->network;
    const std::stop_callback onStop(stop, [this, &network, batch] {
        batch->canceled = true;
        state_->post([&network, batch] { network.cancel(batch); });
    });
    state_->post([&network, batch] { network.submit(batch); });

    std::vector<HttpReply> out(requests.size());
    for (std::size_t left = requests.size(); left > 0; --left) {
        std::unique_lock lock(batch->mutex);
        batch->arrival.wait(lock, [&] { return !batch->arrived.empty(); });
        auto [index, reply] = std::move(batch->arrived.front());
        batch->arrived.pop_front();
        lock.unlock();
        out[index] = std::move(reply);
        if (arrived)
            arrived(index, out[index]);
    }
    return out;
}

} // namespace alidade::data
