// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/http_network.h"

#include "data/prometheus/http_wire.h"
#include "data/prometheus/http_words.h"

#include <QElapsedTimer>
#include <QRandomGenerator>

#include <algorithm>
#include <cmath>

namespace alidade::data {

namespace {

constexpr int mostConnections = 16;

/// The query itself was too heavy for the server: the same query again would be, too.
bool isTimeoutOfQuery(const AttemptOutcome& outcome) {
    return outcome.status == 503 && (outcome.body.find("\"errorType\":\"timeout\"") != std::string::npos ||
                                     outcome.body.find("\"errorType\":\"canceled\"") != std::string::npos);
}

bool isRepeatable(const AttemptOutcome& outcome) {
    if (outcome.cutBy != CutBy::nothing)
        return false;
    if (outcome.status == 0)
        return outcome.error == QAbstractSocket::ConnectionRefusedError;
    return outcome.status == 429 || (outcome.status == 503 && !isTimeoutOfQuery(outcome));
}

bool refusesPost(int status, Authentication authentication) {
    // A signature that is refused is refused for GET as well.
    return status == 405 || status == 501 || (status == 403 && authentication != Authentication::sigv4);
}

/// Nothing that is asked of this server can succeed now.
bool holdsForAll(CutBy cutBy, const HttpReply& reply) {
    return reply.fault == HttpFault::refused || reply.fault == HttpFault::tls || cutBy == CutBy::connecting;
}

} // namespace

/// One request with its repetitions.
class HttpNetwork::Task : public QObject {
public:
    Task(HttpNetwork& network, std::shared_ptr<HttpBatch> batch, std::size_t index)
        : batch(std::move(batch))
        , index(index)
        , network_(network)
        , post_(request().post && !network.postRefused_)
        , url_(urlOf(settings().connection, request(), post_)) {
        clock_.start();
        for (QTimer* timer : {&overall_, &wait_})
            timer->setSingleShot(true);
        connect(&overall_, &QTimer::timeout, this, [this] { cut(CutBy::overall); });
        connect(&wait_, &QTimer::timeout, this, [this] { attempt(); });
        overall_.start(static_cast<int>(std::clamp(settings().limits.overallS * 1000, 1.0, 1e9)));
    }

    void attempt() {
        ++attempts_;
        send();
    }

    void cut(CutBy reason) {
        if (attempt_ != nullptr)
            return attempt_->cut(reason);
        wait_.stop();
        last_.cutBy = reason;
        end(std::move(last_));
    }

    const std::shared_ptr<HttpBatch> batch;
    const std::size_t index;

private:
    const HttpSettings& settings() const { return network_.settings_; }
    const HttpRequest& request() const { return batch->requests[index]; }

    void send() {
        if (!url_.isValid()) {
            HttpReply reply;
            reply.fault = HttpFault::broken;
            reply.message = "'" + excerptOf(request().path, 100) + "' is not a path of a URL";
            return network_.finish(*this, std::move(reply));
        }
        attempt_ = new HttpAttempt(
            network_.sockets_, url_,
            wireRequest(settings().connection, settings().credentials, request(), url_, post_),
            settings().tls, settings().limits, [this](AttemptOutcome outcome) { ended(std::move(outcome)); },
            this);
    }

    void ended(AttemptOutcome outcome) {
        attempt_ = nullptr; // deletes itself
        if (outcome.cutBy == CutBy::nothing && outcome.redirects())
            return redirect(std::move(outcome));
        if (post_ && outcome.cutBy == CutBy::nothing &&
            refusesPost(outcome.status, settings().connection.authentication)) {
            post_ = false;
            triedPost_ = true;
            url_ = urlOf(settings().connection, request(), false);
            return send();
        }
        if (triedPost_ && outcome.succeeded())
            network_.postRefused_ = true;
        if (isRepeatable(outcome) && attempts_ < settings().limits.attempts)
            return repeat(std::move(outcome));
        end(std::move(outcome));
    }

    /// By ourselves: with all its header fields to the same origin, and never to another.
    void redirect(AttemptOutcome outcome) {
        const QUrl to = url_.resolved(QUrl(*outcome.location, QUrl::TolerantMode));
        if (const std::string fault = redirectFault(url_, to, redirects_++); !fault.empty()) {
            HttpReply reply = replyOf(std::move(outcome), context());
            reply.fault = HttpFault::redirect;
            reply.message = settings().redaction(fault);
            return network_.finish(*this, std::move(reply));
        }
        if (outcome.status == 303)
            post_ = false;
        url_ = to;
        url_.setFragment(QString());
        send();
    }

    void repeat(AttemptOutcome outcome) {
        const HttpLimits& limits = settings().limits;
        const double whole = std::min(limits.backOffS * std::pow(2.0, attempts_ - 1), limits.backOffMaxS);
        const double share = limits.jitter ? limits.jitter() : QRandomGenerator::global()->generateDouble();
        const double asked = outcome.retryAfterS.value_or(0);
        const double delay = std::max(whole * (1 + std::clamp(share, 0.0, 1.0)) / 2, asked);
        const double left = limits.overallS - static_cast<double>(clock_.elapsed()) / 1000;
        if (delay >= left) { // the waiting alone would use the time up
            if (asked >= left)
                waitRefusedS_ = asked;
            return end(std::move(outcome));
        }
        last_ = std::move(outcome);
        wait_.start(static_cast<int>(std::ceil(delay * 1000)));
    }

    WordsContext context() const {
        return {settings().connection,  settings().redaction, settings().limits, url_,
                std::max(attempts_, 1), waitRefusedS_};
    }

    void end(AttemptOutcome outcome) {
        const CutBy cutBy = outcome.cutBy;
        HttpReply reply = replyOf(std::move(outcome), context());
        const bool unanswered = reply.fault == HttpFault::timeout || reply.fault == HttpFault::broken;
        const bool all = holdsForAll(cutBy, reply) || (settings().limits.oneFailureEndsAll && unanswered);
        if (all && !batch->unreachable)
            batch->unreachable = reply;
        network_.finish(*this, std::move(reply));
    }

public:
    double seconds() const { return static_cast<double>(clock_.nsecsElapsed()) / 1e9; }

private:
    HttpNetwork& network_;
    bool post_;
    bool triedPost_ = false;
    QUrl url_;
    int attempts_ = 0;
    int redirects_ = 0;
    std::optional<double> waitRefusedS_;
    QElapsedTimer clock_;
    QTimer overall_, wait_;
    HttpAttempt* attempt_ = nullptr; ///< a child
    AttemptOutcome last_;            ///< while the next one is waited for
};

HttpNetwork::HttpNetwork(const HttpSettings& settings)
    : settings_(settings) {}

HttpNetwork::~HttpNetwork() = default;

void HttpNetwork::submit(const std::shared_ptr<HttpBatch>& batch) {
    for (std::size_t i = 0; i < batch->requests.size(); ++i)
        queue_.emplace_back(batch, i);
    pump();
}

void HttpNetwork::cancel(const std::shared_ptr<HttpBatch>& batch) {
    std::vector<Task*> ours;
    for (const auto& task : running_)
        if (task->batch == batch)
            ours.push_back(task.get());
    for (Task* task : ours)
        task->cut(CutBy::cancel);
    pump();
}

void HttpNetwork::shutDown() {
    queue_.clear();
    running_.clear();
    sockets_ = {};
}

void HttpNetwork::pump() {
    const auto most = static_cast<std::size_t>(std::clamp(settings_.limits.concurrency, 1, mostConnections));
    while (!queue_.empty()) {
        auto [batch, index] = queue_.front();
        const bool idle = batch->canceled || batch->unreachable;
        if (!idle && running_.size() >= most)
            return;
        queue_.pop_front();
        if (idle) {
            HttpReply reply;
            reply.fault = HttpFault::canceled;
            reply.message = "canceled";
            reply.attempts = 0;
            if (!batch->canceled) {
                reply = *batch->unreachable;
                reply.attempts = 0;
            }
            const std::lock_guard lock(batch->mutex);
            batch->arrived.emplace_back(index, std::move(reply));
            batch->arrival.notify_one();
            continue;
        }
        running_.push_back(std::make_unique<Task>(*this, batch, index));
        running_.back()->attempt();
    }
}

void HttpNetwork::finish(Task& task, HttpReply reply) {
    reply.seconds = task.seconds();
    {
        const std::lock_guard lock(task.batch->mutex);
        task.batch->arrived.emplace_back(task.index, std::move(reply));
        task.batch->arrival.notify_one();
    }
    const auto at =
        std::find_if(running_.begin(), running_.end(), [&](const auto& each) { return each.get() == &task; });
    at->release()->deleteLater(); // it is its own caller
    running_.erase(at);
    QMetaObject::invokeMethod(this, [this] { pump(); }, Qt::QueuedConnection);
}

} // namespace alidade::data
