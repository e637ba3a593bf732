// SPDX-License-Identifier: GPL-3.0-or-later
#include "fault_server.h"

#include <QTimer>
#include <QtNetwork/QHostAddress>
#include <QtNetwork/QSslServer>
#include <QtNetwork/QTcpServer>

#include <algorithm>
#include <memory>
#include <zlib.h>

namespace alidade::test {

QByteArray Received::header(const char* name) const {
    const auto at = headers.find(QByteArray(name));
    return at == headers.end() ? QByteArray() : at->second;
}

QByteArray httpReply(int status, const QByteArray& body, const QList<QByteArray>& headerLines) {
    QByteArray out = "HTTP/1.1 " + QByteArray::number(status) +
                     " Status\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n";
    for (const QByteArray& line : headerLines)
        out += line + "\r\n";
    return out + "\r\n" + body;
}

QByteArray gzipped(const QByteArray& bytes) {
    z_stream stream{};
    constexpr int gzip = 15 + 16;
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return {};
    QByteArray out(static_cast<qsizetype>(deflateBound(&stream, static_cast<uLong>(bytes.size()))), '\0');
    QByteArray in = bytes;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(static_cast<qsizetype>(stream.total_out));
    deflateEnd(&stream);
    return out;
}

FaultServer::FaultServer(Answer answer, std::optional<QSslConfiguration> tls,
                         std::function<void(QTcpSocket&)> accepted, quint16 port)
    : answer_(std::move(answer))
    , accepted_(std::move(accepted))
    , secure_(tls.has_value())
    , root_(new QObject) {
    root_->moveToThread(&thread_);
    thread_.start();
    QMetaObject::invokeMethod(
        root_,
        [&] {
            if (tls) {
                auto* server = new QSslServer(root_);
                server->setSslConfiguration(*tls);
                server_ = server;
            } else {
                server_ = new QTcpServer(root_);
            }
            QObject::connect(server_, &QTcpServer::pendingConnectionAvailable, root_, [this] {
                while (QTcpSocket* socket = server_->nextPendingConnection())
                    serve(socket);
            });
            server_->listen(QHostAddress::LocalHost, port);
            port_ = server_->serverPort();
        },
        Qt::BlockingQueuedConnection);
}

FaultServer::~FaultServer() {
    QMetaObject::invokeMethod(root_, [this] { delete root_; }, Qt::BlockingQueuedConnection);
    thread_.quit();
    thread_.wait();
}

std::string FaultServer::url(const std::string& host) const {
    return (secure_ ? "https://" : "http://") + host + ":" + std::to_string(port_);
}

std::vector<Received> FaultServer::received() const {
    const std::lock_guard lock(mutex_);
    return received_;
}

void FaultServer::goAway() {
    QMetaObject::invokeMethod(
        root_,
        [this] {
            server_->close();
            for (QTcpSocket* socket : server_->findChildren<QTcpSocket*>())
                socket->abort();
        },
        Qt::BlockingQueuedConnection);
}

void FaultServer::serve(QTcpSocket* socket) {
    const int number = ++connections_;
    const auto buffer = std::make_shared<QByteArray>();
    QObject::connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
    QObject::connect(socket, &QTcpSocket::bytesWritten, root_, [this](qint64 bytes) { bytesSent_ += bytes; });
    if (accepted_)
        accepted_(*socket);
    const auto read = [this, socket, buffer, number] {
        *buffer += socket->readAll();
        while (true) {
            const qsizetype head = buffer->indexOf("\r\n\r\n");
            if (head < 0)
                return;
            Received request;
            request.connection = number;
            const QList<QByteArray> lines = buffer->left(head).split('\n');
            const QList<QByteArray> first = lines.front().trimmed().split(' ');
            request.method = first.value(0);
            request.target = first.value(1);
            for (const QByteArray& line : lines.mid(1)) {
                const qsizetype colon = line.indexOf(':');
                request.headers[line.left(colon).trimmed().toLower()] = line.mid(colon + 1).trimmed();
            }
            const qsizetype length = request.header("content-length").toLongLong();
            if (buffer->size() < head + 4 + length)
                return;
            request.body = buffer->mid(head + 4, length);
            buffer->remove(0, head + 4 + length);
            {
                const std::lock_guard lock(mutex_);
                received_.push_back(request);
            }
            answer_(*socket, request);
        }
    };
    QObject::connect(socket, &QTcpSocket::readyRead, socket, read);
    if (socket->bytesAvailable() > 0)
        read();
}

void drip(QTcpSocket& socket, const QByteArray& piece, int everyMs, int times) {
    auto* timer = new QTimer(&socket);
    const auto left = std::make_shared<int>(times);
    QObject::connect(timer, &QTimer::timeout, &socket, [&socket, timer, piece, left] {
        socket.write(piece);
        if (*left > 0 && --*left == 0)
            timer->stop();
    });
    timer->start(everyMs);
}

void flood(QTcpSocket& socket, const QByteArray& piece) {
    QObject::connect(&socket, &QTcpSocket::bytesWritten, &socket, [&socket, piece] {
        if (socket.bytesToWrite() < piece.size())
            socket.write(piece);
    });
    socket.write(piece);
}

} // namespace alidade::test
