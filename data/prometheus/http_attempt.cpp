// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/http_attempt.h"

#include <QDateTime>
#include <QLocale>
#include <QNetworkAccessManager>

#include <algorithm>
#include <cmath>

namespace alidade::data {

namespace {

/// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7).
QDateTime httpDate(const QByteArray& text) {
    QDateTime out = QLocale::c().toDateTime(QString::fromLatin1(text.trimmed()),
                                            QStringLiteral("ddd, dd MMM yyyy HH:mm:ss 'GMT'"));
    out.setTimeSpec(Qt::UTC);
    return out;
}

double secondsFromNow(const QDateTime& time) {
    return static_cast<double>(QDateTime::currentDateTimeUtc().msecsTo(time)) / 1000;
}

/// Whole seconds, or a date.
std::optional<double> retryAfter(const QByteArray& text) {
    bool number = false;
    const double seconds = text.trimmed().toDouble(&number);
    if (number)
        return std::isfinite(seconds) && seconds >= 0 ? std::optional(seconds) : std::nullopt;
    const QDateTime date = httpDate(text);
    return date.isValid() ? std::optional(std::max(0.0, secondsFromNow(date))) : std::nullopt;
}

int milliseconds(double seconds) { return static_cast<int>(std::clamp(seconds * 1000, 1.0, 1e9)); }

} // namespace

HttpAttempt::HttpAttempt(QNetworkAccessManager& network, const WireRequest& request, const HttpLimits& limits,
                         std::function<void(AttemptOutcome)> done, QObject* parent)
    : QObject(parent)
    , bodyLimit_(limits.bodyBytes)
    , done_(std::move(done)) {
    for (QTimer* timer : {&connecting_, &idle_})
        timer->setSingleShot(true);
    connecting_.setInterval(milliseconds(limits.connectS));
    idle_.setInterval(milliseconds(limits.idleS));
    connect(&connecting_, &QTimer::timeout, this, [this] { cut(CutBy::connecting); });
    connect(&idle_, &QTimer::timeout, this, [this] { cut(CutBy::idleness); });
    connecting_.start();
    reply_ = request.post ? network.post(request.request, request.body) : network.get(request.request);
    reply_->setParent(this);
    reply_->setReadBufferSize(qint64{4} << 20); // a fast server waits for who unpacks
    connectReply();
}

HttpAttempt::~HttpAttempt() = default;

void HttpAttempt::connectReply() {
    connect(reply_, &QNetworkReply::requestSent, this, [this] {
        connecting_.stop();
        alive();
    });
    connect(reply_, &QNetworkReply::uploadProgress, this, [this] {
        if (idle_.isActive())
            alive();
    });
    connect(reply_, &QNetworkReply::metaDataChanged, this, [this] { headArrived(); });
    connect(reply_, &QNetworkReply::readyRead, this, [this] { take(); });
    connect(reply_, &QNetworkReply::sslErrors, this,
            [this](const QList<QSslError>& errors) { outcome_.sslErrors = errors; });
    connect(reply_, &QNetworkReply::finished, this, [this] { finish(); }, Qt::QueuedConnection);
}

void HttpAttempt::headArrived() {
    if (headRead_ || finished_)
        return;
    outcome_.status = reply_->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    if (outcome_.status == 0)
        return;
    headRead_ = true;
    connecting_.stop();
    alive();
    outcome_.reason = reply_->attribute(QNetworkRequest::HttpReasonPhraseAttribute).toString().toStdString();
    outcome_.contentType = reply_->rawHeader("Content-Type").toStdString();
    outcome_.contentEncoding = reply_->rawHeader("Content-Encoding").trimmed().toLower().toStdString();
    if (outcome_.contentEncoding == "gzip" || outcome_.contentEncoding == "x-gzip")
        inflater_.emplace();
    if (reply_->hasRawHeader("Location"))
        outcome_.location = QString::fromLatin1(reply_->rawHeader("Location"));
    if (reply_->hasRawHeader("Retry-After"))
        outcome_.retryAfterS = retryAfter(reply_->rawHeader("Retry-After"));
    bool number = false;
    const qulonglong length = reply_->rawHeader("Content-Length").trimmed().toULongLong(&number);
    if (number)
        announced_ = static_cast<std::size_t>(length);
    if (const QDateTime date = httpDate(reply_->rawHeader("Date")); date.isValid())
        outcome_.clockAheadS = secondsFromNow(date);
}

void HttpAttempt::take() {
    headArrived();
    while (!finished_ && outcome_.cutBy == CutBy::nothing && !outcome_.bodyCut) {
        const QByteArray piece = reply_->read(qint64{64} << 10);
        if (piece.isEmpty())
            return;
        alive();
        consume(piece);
    }
}

void HttpAttempt::consume(const QByteArray& piece) {
    outcome_.wireBytes += static_cast<std::size_t>(piece.size());
    const bool good = outcome_.succeeded();
    const std::size_t limit = good ? bodyLimit_ : std::min(bodyLimit_, failedBodyBytes);
    const std::string_view bytes(piece.constData(), static_cast<std::size_t>(piece.size()));
    Inflater::Outcome result = Inflater::Outcome::good;
    if (inflater_) {
        result = inflater_->feed(bytes, outcome_.body, limit);
    } else {
        outcome_.body.append(bytes.substr(0, limit - outcome_.body.size()));
        if (outcome_.wireBytes > limit)
            result = Inflater::Outcome::tooLarge;
    }
    if (result == Inflater::Outcome::good)
        return;
    if (good)
        return cut(result == Inflater::Outcome::tooLarge ? CutBy::size : CutBy::inflation);
    outcome_.bodyCut = true; // enough for a message
    reply_->abort();
}

void HttpAttempt::cut(CutBy reason) {
    if (finished_ || outcome_.cutBy != CutBy::nothing)
        return;
    outcome_.cutBy = reason;
    reply_->abort(); // finished() follows, queued
}

void HttpAttempt::finish() {
    if (finished_)
        return;
    if (outcome_.cutBy == CutBy::nothing)
        take();
    finished_ = true;
    connecting_.stop();
    idle_.stop();
    outcome_.error = reply_->error();
    outcome_.errorText = reply_->errorString();
    outcome_.bodyShort =
        (announced_ && outcome_.wireBytes < *announced_) || (inflater_ && !inflater_->complete());
    std::exchange(done_, nullptr)(std::move(outcome_));
    deleteLater();
}

} // namespace alidade::data
