// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QThread>
#include <QtNetwork/QSslConfiguration>
#include <QtNetwork/QTcpSocket>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

class QTcpServer;

namespace alidade::test {

/// A request as it came over the wire.
struct Received {
    QByteArray method, target, body;
    std::map<QByteArray, QByteArray> headers; ///< names in lower case
    int connection = 0;                       ///< counted from 1
    QByteArray header(const char* name) const;
};

/// "HTTP/1.1 200 OK" with a Content-Length and these lines.
QByteArray httpReply(int status, const QByteArray& body, const QList<QByteArray>& headerLines = {});
QByteArray gzipped(const QByteArray& bytes);

/// An HTTP server on a real loopback socket, on its own thread, that does whatever a test wants: the answer
/// writes bytes, closes, or starts timers that belong to the socket.
class FaultServer {
public:
    using Answer = std::function<void(QTcpSocket& socket, const Received& request)>;

    /// \param accepted called as soon as a connection stands, before any request; may be empty
    explicit FaultServer(Answer answer, std::optional<QSslConfiguration> tls = {},
                         std::function<void(QTcpSocket&)> accepted = {}, quint16 port = 0);
    ~FaultServer();
    FaultServer(const FaultServer&) = delete;
    FaultServer& operator=(const FaultServer&) = delete;

    quint16 port() const { return port_; }
    /// http or https://127.0.0.1:PORT
    std::string url(const std::string& host = "127.0.0.1") const;
    std::vector<Received> received() const;
    int requests() const { return static_cast<int>(received().size()); }
    int connections() const { return connections_; }
    /// Bytes that clients have taken from the server.
    qint64 bytesSent() const { return bytesSent_; }
    /// No further connections are accepted, the present ones are cut.
    void goAway();

private:
    void serve(QTcpSocket* socket);

    Answer answer_;
    std::function<void(QTcpSocket&)> accepted_;
    bool secure_;
    QThread thread_;
    QObject* root_; ///< lives on the thread
    QTcpServer* server_ = nullptr;
    quint16 port_ = 0;
    std::atomic<int> connections_ = 0;
    std::atomic<qint64> bytesSent_ = 0;
    mutable std::mutex mutex_;
    std::vector<Received> received_;
};

/// Writes a piece again and again, until the other side goes or `times` are over (0: for ever).
void drip(QTcpSocket& socket, const QByteArray& piece, int everyMs, int times = 0);
/// Writes a piece as fast as it is taken, for ever.
void flood(QTcpSocket& socket, const QByteArray& piece);

} // namespace alidade::test
