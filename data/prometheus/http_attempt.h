// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/http_exchange.h"
#include "data/prometheus/http_response.h"
#include "data/prometheus/inflater.h"

#include <QList>
#include <QObject>
#include <QSslConfiguration>
#include <QSslError>
#include <QSslSocket>
#include <QTimer>
#include <QUrl>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alidade::data {

/// Why an attempt ended before the server was done.
enum class CutBy : std::uint8_t { nothing, connecting, idleness, overall, cancel, size, inflation };

/// What came of one attempt, as it is; the words for it are made elsewhere.
struct AttemptOutcome {
    CutBy cutBy = CutBy::nothing;
    std::optional<QAbstractSocket::SocketError> error; ///< of the socket, where that ended the attempt
    QString errorText;
    QList<QSslError> sslErrors;
    bool noHttp = false; ///< what came is not a reply
    int status = 0;
    std::string reason; ///< of the status line
    std::string contentType, contentEncoding;
    std::string body;       ///< whole if the status is 2xx and nothing went wrong
    bool bodyCut = false;   ///< of a failed status: there was more
    bool bodyShort = false; ///< it broke off
    std::size_t wireBytes = 0;
    std::optional<QString> location;
    std::optional<double> retryAfterS;
    std::optional<double> clockAheadS;

    bool succeeded() const { return status >= 200 && status < 300; }
    bool redirects() const { return status >= 300 && status < 400 && location; }
};

/// Connections to the one server that can carry a further request.
class HttpSockets {
public:
    std::unique_ptr<QSslSocket> take(); ///< null: there is none
    void keep(std::unique_ptr<QSslSocket> socket);

private:
    std::vector<std::unique_ptr<QSslSocket>> idle_;
};

/// One request on the wire, with its time-outs and its limit. Reports once, from the event loop. Reads no
/// more from the socket than it has unpacked, so that a fast server waits and does not fill the memory. (The
/// network access of Qt 6.4 reads ahead without a bound, and takes a chunked body that broke off for a whole
/// one.)
class HttpAttempt : public QObject {
public:
    static constexpr std::size_t failedBodyBytes = std::size_t{64} << 10;

    /// The sockets must outlive it.
    HttpAttempt(HttpSockets& sockets, const QUrl& url, QByteArray request, const QSslConfiguration& tls,
                const HttpLimits& limits, std::function<void(AttemptOutcome)> done, QObject* parent);
    ~HttpAttempt() override;

    /// Ends it at once; `done` is still called. An answer that is whole by then stays one, a failure is cut.
    void cut(CutBy reason);

private:
    void open();
    void listen();
    void send();
    void take();
    void headArrived(const HttpHead& head);
    void consume(std::string_view piece);
    void failed(QAbstractSocket::SocketError error);
    void finish();

    HttpSockets& sockets_;
    const QUrl url_;
    const QByteArray request_;
    const QSslConfiguration tls_;
    const std::size_t bodyLimit_;
    std::function<void(AttemptOutcome)> done_;
    std::unique_ptr<QSslSocket> socket_;
    QTimer connecting_, idle_;
    HttpResponseReader reader_;
    AttemptOutcome outcome_;
    std::optional<Inflater> inflater_;
    bool reused_ = false; ///< the connection has carried a request before
    bool heard_ = false;  ///< a byte has come
    bool finished_ = false;
};

} // namespace alidade::data
