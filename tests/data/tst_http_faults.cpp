// SPDX-License-Identifier: GPL-3.0-or-later
// Servers in trouble, and hostile ones, on real sockets: every request ends, bounded and with a message, and
// the next one works.
#include "data/prometheus/http_exchange.h"
#include "fault_server.h"

#include <QTest>
#include <QTimer>
#include <QtNetwork/QHostAddress>
#include <QtNetwork/QTcpServer>

#include <atomic>
#include <chrono>
#include <thread>

namespace tst_http_faults {

using namespace alidade::data;
using namespace alidade::test;

namespace {

constexpr auto whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
constexpr std::size_t mebi = std::size_t{1} << 20;

/// Limits that no answer meets by the slowness of the machine.
HttpLimits patient() {
    HttpLimits out{.connectS = 60,
                   .idleS = 60,
                   .overallS = 120,
                   .bodyBytes = mebi,
                   .backOffS = 0.01,
                   .backOffMaxS = 0.05};
    out.jitter = [] { return 0.0; };
    return out;
}

/// For faults that end by a limit.
HttpLimits brief() {
    HttpLimits out = patient();
    out.connectS = 0.3;
    out.idleS = 1.5;
    out.overallS = 3;
    return out;
}

HttpRequest ask(const std::string& path = "/api/v1/query") {
    return {.path = path, .parameters = {{"query", "up"}}};
}

bool says(const HttpReply& reply, const char* words) {
    return reply.message.find(words) != std::string::npos;
}

/// Every request meets the fault but the one for "/after".
FaultServer::Answer faultyBut(std::function<void(QTcpSocket&)> fault) {
    return [fault = std::move(fault)](QTcpSocket& socket, const Received& request) {
        if (request.target == "/after")
            socket.write(whole);
        else
            fault(socket);
    };
}

/// A port without a listener.
quint16 closedPort() {
    QTcpServer server;
    server.listen(QHostAddress::LocalHost);
    return server.serverPort();
}

struct Case {
    std::function<void(QTcpSocket&)> fault;
    HttpFault expected;
    const char* words;
};

} // namespace
class TestHttpFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void endsAndGoesOn_data() {
        QTest::addColumn<Case>("what");
        const auto row = [](const char* name, HttpFault expected, const char* words,
                            std::function<void(QTcpSocket&)> fault) {
            QTest::newRow(name) << Case{std::move(fault), expected, words};
        };
        row("no answer", HttpFault::timeout, "silent for 1.5 s after the question", [](QTcpSocket&) {});
        row("slow head", HttpFault::timeout, "not done within 3 s", [](QTcpSocket& socket) {
            socket.write("HTTP/1.1 200 OK\r\nX-Slow: ");
            drip(socket, "a", 20);
        });
        row("drip for ever", HttpFault::timeout, "not done within 3 s", [](QTcpSocket& socket) {
            socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
            drip(socket, "a", 20);
        });
        row("stops in the body", HttpFault::timeout, "in the middle of its answer",
            [](QTcpSocket& socket) { socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{"); });
        row("chunks without an end", HttpFault::timeout, "in the middle", [](QTcpSocket& socket) {
            socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n");
        });
        row("chunks cut off", HttpFault::broken, "ended early", [](QTcpSocket& socket) {
            socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n");
            socket.disconnectFromHost();
        });
        row("shorter than announced", HttpFault::broken, "ended early", [](QTcpSocket& socket) {
            socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"status\":");
            socket.disconnectFromHost();
        });
        row("reset in the body", HttpFault::broken, "ended early", [](QTcpSocket& socket) {
            socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"status\":");
            socket.flush();
            socket.abort();
        });
        row("endless body", HttpFault::tooLarge, "more than 1 MiB", [](QTcpSocket& socket) {
            socket.write("HTTP/1.1 200 OK\r\n\r\n");
            flood(socket, QByteArray(1 << 16, 'x'));
        });
        row("endless chunks", HttpFault::tooLarge, "more than 1 MiB", [](QTcpSocket& socket) {
            socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            flood(socket, "10000\r\n" + QByteArray(1 << 16, 'x') + "\r\n");
        });
        static const QByteArray bomb = gzipped(QByteArray(64 << 20, '\0'));
        row("gzip bomb", HttpFault::tooLarge, "more than 1 MiB",
            [](QTcpSocket& socket) { socket.write(httpReply(200, bomb, {"Content-Encoding: gzip"})); });
        row("damaged gzip", HttpFault::broken, "gzip is damaged", [](QTcpSocket& socket) {
            QByteArray packed = gzipped(QByteArray(1000, 'a') + "bcd");
            packed[12] = static_cast<char>(packed[12] ^ 0x55);
            packed[13] = static_cast<char>(packed[13] ^ 0x55);
            socket.write(httpReply(200, packed, {"Content-Encoding: gzip"}));
        });
        row("no gzip", HttpFault::broken, "gzip is damaged",
            [](QTcpSocket& socket) { socket.write(httpReply(200, "{}", {"Content-Encoding: gzip"})); });
        row("half a gzip", HttpFault::broken, "ended early", [](QTcpSocket& socket) {
            const QByteArray packed = gzipped("some text that does not repeat: 0123456789");
            socket.write(httpReply(200, packed.left(packed.size() / 2), {"Content-Encoding: gzip"}));
        });
        row("unknown packing", HttpFault::broken, "packed as 'br'",
            [](QTcpSocket& socket) { socket.write(httpReply(200, "xx", {"Content-Encoding: br"})); });
        row("no HTTP", HttpFault::broken, "127.0.0.1", [](QTcpSocket& socket) {
            socket.write("SSH-2.0-OpenSSH_9.2\r\n\r\n");
            socket.disconnectFromHost();
        });
        row("page of a proxy", HttpFault::status,
            "502 Status: <html> bad \\x07 gateway </html>; try again later",
            [](QTcpSocket& socket) { socket.write(httpReply(502, "<html>\n  bad \a\tgateway\r\n</html>")); });
        row("not found", HttpFault::status, "the URL is the part before /api/v1",
            [](QTcpSocket& socket) { socket.write(httpReply(404, "404 page not found")); });
        row("redirect to nowhere", HttpFault::redirect, "not a URL",
            [](QTcpSocket& socket) { socket.write(httpReply(302, "", {"Location: http://[oops"})); });
        row("redirect to a file", HttpFault::redirect, "redirects to file:", [](QTcpSocket& socket) {
            socket.write(httpReply(302, "", {"Location: file:///etc/passwd"}));
        });
        row("redirect in a circle", HttpFault::redirect, "circle",
            [](QTcpSocket& socket) { socket.write(httpReply(307, "", {"Location: /circle"})); });
    }
    void endsAndGoesOn() {
        QFETCH(Case, what);
        FaultServer server(faultyBut(what.fault));
        HttpExchange exchange({.url = server.url()}, {},
                              what.expected == HttpFault::timeout ? brief() : patient());
        const HttpReply reply = exchange.exchange({ask()}).front();
        QVERIFY2(reply.fault == what.expected, reply.message.c_str());
        QVERIFY2(says(reply, what.words), reply.message.c_str());
        QVERIFY2(says(reply, ("127.0.0.1:" + std::to_string(server.port())).c_str()), reply.message.c_str());
        QVERIFY(reply.body.size() <= mebi);
        QVERIFY(server.bytesSent() < qint64{24}
                                         << 20); // what lies in the buffers of two sockets, and not 64 MB
        const HttpReply next = exchange.exchange({ask("/after")}).front();
        QVERIFY2(next.message.empty(), next.message.c_str());
        QCOMPARE(next.body, std::string("ok"));
    }

    /// A whole connection that dies without a word; Qt itself tries again on a fresh one, and no more than
    /// that.
    void serverGoneInMidQuery() {
        FaultServer server([](QTcpSocket& socket, const Received& request) {
            if (request.target == "/after")
                socket.write(whole);
            else
                socket.abort();
        });
        HttpExchange exchange({.url = server.url()}, {}, patient());
        const HttpReply reply = exchange.exchange({ask()}).front();
        QCOMPARE(reply.fault, HttpFault::broken);
        QVERIFY2(says(reply, "without an answer"), reply.message.c_str());
        QVERIFY(server.requests() <= 5);
        QCOMPARE(exchange.exchange({ask("/after")}).front().body, std::string("ok"));
    }

    void serverGoneForGood() {
        std::atomic<bool> asked = false;
        FaultServer server([&](QTcpSocket&, const Received&) { asked = true; });
        std::thread stopper([&] {
            while (!asked)
                std::this_thread::yield();
            server.goAway();
        });
        HttpExchange exchange({.url = server.url()}, {}, patient());
        const HttpReply reply = exchange.exchange({ask()}).front();
        stopper.join();
        QVERIFY(reply.fault == HttpFault::broken || reply.fault == HttpFault::refused);
        QCOMPARE(exchange.exchange({ask()}).front().fault, HttpFault::refused);
    }

    void storms_data() {
        QTest::addColumn<int>("status");
        QTest::newRow("429") << 429;
        QTest::newRow("503") << 503;
    }
    void storms() {
        QFETCH(int, status);
        std::atomic<bool> storm = true;
        FaultServer server([&](QTcpSocket& socket, const Received&) {
            socket.write(storm ? httpReply(status, "slow down") : QByteArray(whole));
        });
        HttpExchange exchange({.url = server.url()}, {}, patient());
        const auto replies = exchange.exchange({ask(), ask(), ask()});
        for (const HttpReply& reply : replies) {
            QCOMPARE(reply.fault, HttpFault::status);
            QCOMPARE(reply.status, status);
            QCOMPARE(reply.attempts, 4);
            QVERIFY2(says(reply, "slow down; it was queried 4 times"), reply.message.c_str());
        }
        QCOMPARE(server.requests(), 12);
        storm = false;
        QCOMPARE(exchange.exchange({ask()}).front().body, std::string("ok"));
    }

    void repeatsUntilTheStormIsOver() {
        std::atomic<int> count = 0;
        FaultServer server([&](QTcpSocket& socket, const Received&) {
            socket.write(++count < 3 ? httpReply(503, "starting", {"Retry-After: 0"}) : QByteArray(whole));
        });
        HttpExchange exchange({.url = server.url()}, {}, patient());
        const HttpReply reply = exchange.exchange({ask()}).front();
        QCOMPARE(reply.body, std::string("ok"));
        QCOMPARE(reply.attempts, 3);
    }

    void doesNotWaitLongerThanItMay() {
        FaultServer server([](QTcpSocket& socket, const Received&) {
            socket.write(httpReply(429, "quota", {"Retry-After: 3600"}));
        });
        HttpExchange exchange({.url = server.url()}, {}, patient());
        const HttpReply reply = exchange.exchange({ask()}).front();
        QCOMPARE(reply.status, 429);
        QCOMPARE(reply.attempts, 1);
        QVERIFY2(says(reply, "asks to wait 60 min"), reply.message.c_str());
    }

    /// Prometheus answers 503 also where a query took too long; to ask the same again makes it worse.
    void aQueryThatIsTooHeavyIsNotRepeated() {
        FaultServer server([](QTcpSocket& socket, const Received&) {
            socket.write(
                httpReply(503, R"({"status":"error","errorType":"timeout","error":"query timed out"})"));
        });
        HttpExchange exchange({.url = server.url()}, {}, patient());
        const HttpReply reply = exchange.exchange({ask()}).front();
        QCOMPARE(reply.attempts, 1);
        QVERIFY(reply.body.find("timed out") != std::string::npos);
    }

    void refusedByTheSystem() {
        HttpExchange exchange({.url = "http://127.0.0.1:" + std::to_string(closedPort())}, {}, patient());
        std::vector<HttpRequest> many(40, ask());
        const auto replies = exchange.exchange(many);
        QCOMPARE(replies.front().fault, HttpFault::refused);
        QCOMPARE(replies.front().attempts, 4);
        QVERIFY2(says(replies.front(), "check that the server is running"), replies.front().message.c_str());
        QCOMPARE(replies.back().fault, HttpFault::refused);
        QCOMPARE(replies.back().attempts, 0); // not sent any more
    }

    void comesBackAfterARefusal() {
        const quint16 port = closedPort();
        HttpLimits limits = patient();
        std::unique_ptr<FaultServer> server;
        std::atomic<int> waits = 0;
        limits.jitter = [&] { // asked for between the attempts: at the second time the server is there
            if (++waits == 2)
                server = std::make_unique<FaultServer>(
                    [](QTcpSocket& socket, const Received&) { socket.write(whole); }, std::nullopt, nullptr,
                    port);
            return 0.0;
        };
        HttpExchange exchange({.url = "http://127.0.0.1:" + std::to_string(port)}, {}, limits);
        const HttpReply reply = exchange.exchange({ask()}).front();
        QCOMPARE(reply.body, std::string("ok"));
        QCOMPARE(reply.attempts, 3);
    }

    void noSuchHost() {
        HttpExchange exchange({.url = "http://no-such-host.invalid:9090"}, {}, brief());
        const HttpReply reply = exchange.exchange({ask()}).front();
        QVERIFY2(reply.fault == HttpFault::refused || reply.fault == HttpFault::timeout,
                 reply.message.c_str());
        QVERIFY2(says(reply, "no-such-host.invalid:9090"), reply.message.c_str());
    }

    void neverConnected() {
        FaultServer silent([](QTcpSocket&, const Received&) {});
        HttpExchange exchange({.url = "https://127.0.0.1:" + std::to_string(silent.port())}, {}, brief());
        const HttpReply reply = exchange.exchange({ask()}).front();
        QCOMPARE(reply.fault, HttpFault::timeout);
        QVERIFY2(says(reply, "no connection within 0.3 s"), reply.message.c_str());
    }

    void noSecretGoesElsewhere() {
        FaultServer stranger([](QTcpSocket& socket, const Received&) { socket.write(whole); });
        const QByteArray there = "Location: " + QByteArray::fromStdString(stranger.url()) + "/api/v1/query";
        FaultServer server(
            [&](QTcpSocket& socket, const Received&) { socket.write(httpReply(302, "", {there})); });
        HttpExchange exchange(
            {.url = server.url(), .authentication = Authentication::bearer, .headers = {"X-Scope-OrgID"}},
            {.token = "very-secret-token", .headers = {{"X-Scope-OrgID", "tenant-1"}}}, patient());
        const HttpReply reply = exchange.exchange({ask()}).front();
        QCOMPARE(reply.fault, HttpFault::redirect);
        QVERIFY2(says(reply, stranger.url().c_str()), reply.message.c_str());
        QVERIFY(says(reply, "not followed"));
        QCOMPARE(server.requests(), 1);
        QCOMPARE(stranger.connections(), 0);
    }

    void followsToTheSameOrigin_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("method");
        QTest::newRow("301") << 301 << QByteArray("POST");
        QTest::newRow("302") << 302 << QByteArray("POST");
        QTest::newRow("303") << 303 << QByteArray("GET");
        QTest::newRow("307") << 307 << QByteArray("POST");
        QTest::newRow("308") << 308 << QByteArray("POST");
    }
    void followsToTheSameOrigin() {
        QFETCH(int, status);
        QFETCH(QByteArray, method);
        FaultServer server([status](QTcpSocket& socket, const Received& request) {
            socket.write(request.target == "/new/query"
                             ? QByteArray(whole)
                             : httpReply(status, "moved", {"Location: /new/query"}));
        });
        HttpExchange exchange({.url = server.url(), .authentication = Authentication::bearer},
                              {.token = "t0k3n"}, patient());
        QCOMPARE(exchange.exchange({ask()}).front().body, std::string("ok"));
        QCOMPARE(server.received().back().method, method);
        QCOMPARE(server.received().back().body, method == "POST" ? QByteArray("query=up") : QByteArray());
        QCOMPARE(server.received().back().header("authorization"), QByteArray("Bearer t0k3n"));
    }

    void bodiesOfFailuresAreCut() {
        FaultServer server([](QTcpSocket& socket, const Received&) {
            socket.write("HTTP/1.1 500 Oops\r\n\r\n");
            flood(socket, QByteArray(1 << 16, 'e'));
        });
        HttpExchange exchange({.url = server.url()}, {}, patient());
        const HttpReply reply = exchange.exchange({ask()}).front();
        QCOMPARE(reply.fault, HttpFault::status);
        QCOMPARE(reply.status, 500);
        QCOMPARE(reply.body.size(), std::size_t{65536});
        QVERIFY(reply.message.size() < 400);
    }

    void canceled_data() {
        QTest::addColumn<QByteArray>("phase");
        for (const char* phase : {"before", "connecting", "waiting", "body", "pause", "queued"})
            QTest::newRow(phase) << QByteArray(phase);
    }
    void canceled() {
        QFETCH(QByteArray, phase);
        std::atomic<bool> reached = false, good = false;
        FaultServer server(
            [&](QTcpSocket& socket, const Received&) {
                if (good) {
                    socket.write(whole);
                    return;
                }
                if (phase == "pause")
                    socket.write(httpReply(503, "later"));
                else if (phase == "body")
                    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
                reached = true;
            },
            {}, [&](QTcpSocket&) { reached = reached || phase == "connecting"; });
        HttpLimits limits = patient(); // none of these ends the request: the cancel does
        limits.backOffS = limits.backOffMaxS = 60;
        limits.overallS = 600;
        if (phase == "queued")
            limits.concurrency = 1;
        const std::string url =
            phase == "connecting" ? "https://127.0.0.1:" + std::to_string(server.port()) : server.url();
        HttpExchange exchange({.url = url}, {}, limits);
        std::stop_source source;
        if (phase == "before")
            source.request_stop();
        std::thread stopper([&] {
            while (!reached && phase != "before")
                std::this_thread::yield();
            source.request_stop();
        });
        const auto replies = exchange.exchange(std::vector<HttpRequest>(phase == "queued" ? 20 : 2, ask()),
                                               source.get_token());
        stopper.join();
        for (const HttpReply& reply : replies) {
            QCOMPARE(reply.fault, HttpFault::canceled);
            QVERIFY(reply.body.empty());
        }
        QVERIFY(server.requests() <= 2);
        if (phase == "connecting")
            return; // a server that speaks no TLS has nothing more to say
        good = true;
        QCOMPARE(exchange.exchange({ask()}).front().body, std::string("ok"));
    }

    /// At whatever moment the stop comes, also between an answer and the pause that it leads to: it is not
    /// lost, and nothing is asked again.
    void canceledWhileAnAnswerArrives() {
        std::atomic<bool> answering = false;
        FaultServer server([&](QTcpSocket& socket, const Received&) {
            socket.write(httpReply(503, "later"));
            socket.flush();
            answering = true;
        });
        HttpLimits limits = patient();
        limits.backOffS = limits.backOffMaxS = 60; // a stopper that is held up comes before it too
        limits.overallS = 600;
        limits.attempts = 2;
        HttpExchange exchange({.url = server.url()}, {}, limits);
        for (int round = 0; round < 400; ++round) {
            answering = false;
            std::stop_source source;
            std::thread stopper([&] {
                while (!answering)
                    std::this_thread::yield();
                const auto from = std::chrono::steady_clock::now();
                while (std::chrono::steady_clock::now() - from < std::chrono::microseconds(round / 2))
                    continue;
                source.request_stop();
            });
            const HttpReply reply = exchange.exchange({ask()}, source.get_token()).front();
            stopper.join();
            QVERIFY2(reply.fault == HttpFault::canceled, qPrintable(QString::number(round)));
            QCOMPARE(server.requests(), round + 1);
        }
    }

    /// Whoever stops one call does not stop another.
    void cancelsOnlyItsOwn() {
        std::atomic<int> open = 0;
        FaultServer server([&](QTcpSocket& socket, const Received& request) {
            if (request.target == "/wait") {
                ++open;
                return;
            }
            QTimer::singleShot(100, &socket, [&socket] { socket.write(whole); });
        });
        HttpExchange exchange({.url = server.url()}, {}, patient());
        std::stop_source source;
        HttpReply stopped, other;
        std::thread a([&] { stopped = exchange.exchange({ask("/wait")}, source.get_token()).front(); });
        while (open == 0)
            std::this_thread::yield();
        std::thread b([&] { other = exchange.exchange({ask()}).front(); });
        source.request_stop();
        a.join();
        b.join();
        QCOMPARE(stopped.fault, HttpFault::canceled);
        QCOMPARE(other.body, std::string("ok"));
    }
};

QTEST_GUILESS_MAIN(TestHttpFaults)

} // namespace tst_http_faults

#include "tst_http_faults.moc"
