// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/http_attempt.h"

#include "data/prometheus/http_wire.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace alidade::data {

namespace {

/// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7).
QDateTime httpDate(std::string_view text) {
    QDateTime out =
        QLocale::c().toDateTime(QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size())),
                                QStringLiteral("ddd, dd MMM yyyy HH:mm:ss 'GMT'"));
    out.setTimeSpec(Qt::UTC);
    return out;
}

double secondsFromNow(const QDateTime& time) {
    return static_cast<double>(QDateTime::currentDateTimeUtc().msecsTo(time)) / 1000;
}

/// Whole seconds, or a date.
std::optional<double> retryAfter(std::string_view text) {
    bool number = false;
    const double seconds = QByteArray(text.data(), static_cast<qsizetype>(text.size())).toDouble(&number);
    if (number)
        return std::isfinite(seconds) && seconds >= 0 ? std::optional(seconds) : std::nullopt;
    const QDateTime date = httpDate(text);
    return date.isValid() ? std::optional(std::max(0.0, secondsFromNow(date))) : std::nullopt;
}

int milliseconds(double seconds) { return static_cast<int>(std::clamp(seconds * 1000, 1.0, 1e9)); }

} // namespace

std::unique_ptr<QSslSocket> HttpSockets::take() {
    while (!idle_.empty()) {
        std::unique_ptr<QSslSocket> socket = std::move(idle_.back());
        idle_.pop_back();
        if (socket->state() == QAbstractSocket::ConnectedState && socket->bytesAvailable() == 0)
            return socket;
    }
    return nullptr;
}

void HttpSockets::keep(std::unique_ptr<QSslSocket> socket) { idle_.push_back(std::move(socket)); }

HttpAttempt::HttpAttempt(HttpSockets& sockets, const QUrl& url, QByteArray request,
                         const QSslConfiguration& tls, const HttpLimits& limits,
                         std::function<void(AttemptOutcome)> done, QObject* parent)
    : QObject(parent)
    , sockets_(sockets)
    , url_(url)
    , request_(std::move(request))
    , tls_(tls)
    , bodyLimit_(limits.bodyBytes)
    , done_(std::move(done))
    , socket_(sockets.take())
    , reader_([this](const HttpHead& head) { headArrived(head); },
              [this](std::string_view piece) { consume(piece); })
    , reused_(socket_ != nullptr) {
    for (QTimer* timer : {&connecting_, &idle_})
        timer->setSingleShot(true);
    connecting_.setInterval(milliseconds(limits.connectS));
    idle_.setInterval(milliseconds(limits.idleS));
    connect(&connecting_, &QTimer::timeout, this, [this] { cut(CutBy::connecting); });
    connect(&idle_, &QTimer::timeout, this, [this] { cut(CutBy::idleness); });
    if (reused_) {
        listen();
        send();
    } else {
        open();
    }
}

HttpAttempt::~HttpAttempt() {
    if (socket_)
        socket_->disconnect(this);
}

void HttpAttempt::open() {
    constexpr qint64 ahead = qint64{256} << 10;
    socket_ = std::make_unique<QSslSocket>();
    socket_->setReadBufferSize(ahead);
    listen();
    connecting_.start();
    const QString host = url_.host(QUrl::FullyEncoded);
    if (url_.scheme() == QLatin1String("https")) {
        socket_->setSslConfiguration(tls_);
        connect(socket_.get(), &QSslSocket::encrypted, this, [this] { send(); });
        socket_->connectToHostEncrypted(host, portOf(url_));
    } else {
        connect(socket_.get(), &QSslSocket::connected, this, [this] { send(); });
        socket_->connectToHost(host, portOf(url_));
    }
}

void HttpAttempt::listen() {
    QSslSocket* socket = socket_.get();
    connect(socket, &QSslSocket::readyRead, this, [this] { take(); });
    connect(socket, &QSslSocket::bytesWritten, this, [this] {
        if (idle_.isActive())
            idle_.start();
    });
    // Never ignored: the connection ends by itself.
    connect(socket, &QSslSocket::sslErrors, this,
            [this](const QList<QSslError>& errors) { outcome_.sslErrors = errors; });
    connect(socket, &QSslSocket::errorOccurred, this,
            [this](QAbstractSocket::SocketError error) { failed(error); });
}

void HttpAttempt::send() {
    connecting_.stop();
    idle_.start();
    socket_->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    socket_->write(request_);
}

void HttpAttempt::take() {
    std::array<char, std::size_t{64} << 10> buffer;
    while (!finished_) {
        const qint64 got = socket_->read(buffer.data(), static_cast<qint64>(buffer.size()));
        if (got <= 0)
            return;
        heard_ = true;
        idle_.start();
        reader_.feed({buffer.data(), static_cast<std::size_t>(got)});
        if (reader_.state() == HttpResponseReader::State::complete ||
            reader_.state() == HttpResponseReader::State::broken)
            finish();
    }
}

void HttpAttempt::headArrived(const HttpHead& head) {
    outcome_.status = head.status;
    outcome_.reason = head.reason;
    outcome_.contentType = head.field("content-type");
    outcome_.contentEncoding = head.field("content-encoding");
    if (outcome_.contentEncoding == "gzip" || outcome_.contentEncoding == "x-gzip")
        inflater_.emplace();
    if (head.has("location"))
        outcome_.location = QString::fromStdString(std::string(head.field("location")));
    if (head.has("retry-after"))
        outcome_.retryAfterS = retryAfter(head.field("retry-after"));
    if (const QDateTime date = httpDate(head.field("date")); date.isValid())
        outcome_.clockAheadS = secondsFromNow(date);
}

void HttpAttempt::consume(std::string_view piece) {
    if (finished_)
        return;
    outcome_.wireBytes += piece.size();
    const bool good = outcome_.succeeded();
    const std::size_t limit = good ? bodyLimit_ : std::min(bodyLimit_, failedBodyBytes);
    Inflater::Outcome result = Inflater::Outcome::good;
    if (inflater_) {
        result = inflater_->feed(piece, outcome_.body, limit);
    } else {
        outcome_.body.append(piece.substr(0, limit - outcome_.body.size()));
        if (outcome_.wireBytes > limit)
            result = Inflater::Outcome::tooLarge;
    }
    if (result == Inflater::Outcome::good)
        return;
    if (good)
        return cut(result == Inflater::Outcome::tooLarge ? CutBy::size : CutBy::inflation);
    outcome_.bodyCut = true; // enough for a message
    finish();
}

void HttpAttempt::failed(QAbstractSocket::SocketError error) {
    take(); // what had come before
    if (finished_)
        return;
    if (reused_ && !heard_) { // the server had closed it in the meantime
        reused_ = false;
        socket_->disconnect(this);
        socket_.release()->deleteLater();
        return open();
    }
    outcome_.error = error;
    outcome_.errorText = socket_->errorString();
    if (error == QAbstractSocket::RemoteHostClosedError &&
        reader_.closed() == HttpResponseReader::State::complete)
        outcome_.error.reset();
    finish();
}

void HttpAttempt::cut(CutBy reason) {
    if (finished_) { // its outcome is on the way: what failed is not tried again
        if (outcome_.cutBy == CutBy::nothing && !outcome_.succeeded())
            outcome_.cutBy = reason;
        return;
    }
    outcome_.cutBy = reason;
    finish();
}

void HttpAttempt::finish() {
    if (finished_)
        return;
    finished_ = true;
    connecting_.stop();
    idle_.stop();
    socket_->disconnect(this);
    const bool whole = reader_.state() == HttpResponseReader::State::complete;
    outcome_.noHttp = heard_ && outcome_.status == 0 && reader_.state() == HttpResponseReader::State::broken;
    outcome_.bodyShort =
        outcome_.status != 0 && (!whole || (inflater_ && outcome_.wireBytes > 0 && !inflater_->complete()));
    // Bytes behind the answer would be taken for the beginning of the next one.
    if (outcome_.cutBy == CutBy::nothing && !outcome_.bodyCut && reader_.keepsAlive() &&
        socket_->bytesAvailable() == 0 && socket_->state() == QAbstractSocket::ConnectedState) {
        sockets_.keep(std::move(socket_));
    } else {
        socket_->abort();
        socket_.release()->deleteLater(); // it may be its own caller
    }
    QMetaObject::invokeMethod(
        this,
        [this] {
            std::exchange(done_, nullptr)(std::move(outcome_));
            deleteLater();
        },
        Qt::QueuedConnection);
}

} // namespace alidade::data
