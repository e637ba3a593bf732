// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/http_exchange.h"
#include "data/prometheus/http_wire.h"
#include "data/prometheus/inflater.h"

#include <QList>
#include <QNetworkReply>
#include <QObject>
#include <QSslError>
#include <QTimer>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

class QNetworkAccessManager;

namespace alidade::data {

/// Why an attempt ended before the server was done.
enum class CutBy : std::uint8_t { nothing, connecting, idleness, overall, cancel, size, inflation };

/// What came of one attempt, as it is; the words for it are made elsewhere.
struct AttemptOutcome {
    CutBy cutBy = CutBy::nothing;
    QNetworkReply::NetworkError error = QNetworkReply::NoError;
    QString errorText;
    QList<QSslError> sslErrors;
    int status = 0;
    std::string reason; ///< of the status line
    std::string contentType, contentEncoding;
    std::string body;     ///< whole if the status is 2xx and nothing went wrong
    bool bodyCut = false; ///< of a failed status: there was more
    bool bodyShort = false;
    std::size_t wireBytes = 0;
    std::optional<QString> location;
    std::optional<double> retryAfterS;
    std::optional<double> clockAheadS;

    bool succeeded() const { return status >= 200 && status < 300; }
    bool redirects() const { return status >= 300 && status < 400 && location; }
};

/// One request on the wire, with its time-outs and its limit. Reports once, from the event loop.
class HttpAttempt : public QObject {
public:
    static constexpr std::size_t failedBodyBytes = std::size_t{64} << 10;

    HttpAttempt(QNetworkAccessManager& network, const WireRequest& request, const HttpLimits& limits,
                std::function<void(AttemptOutcome)> done, QObject* parent);
    ~HttpAttempt() override;

    /// Ends it at once; `done` is still called.
    void cut(CutBy reason);

private:
    void connectReply();
    void headArrived();
    void take();
    void consume(const QByteArray& piece);
    void finish();
    void alive() { idle_.start(); }

    QNetworkReply* reply_ = nullptr;
    std::size_t bodyLimit_;
    std::function<void(AttemptOutcome)> done_;
    QTimer connecting_, idle_;
    AttemptOutcome outcome_;
    std::optional<Inflater> inflater_;
    std::optional<std::size_t> announced_; ///< Content-Length
    bool headRead_ = false;
    bool finished_ = false;
};

} // namespace alidade::data
