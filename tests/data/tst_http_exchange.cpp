// SPDX-License-Identifier: GPL-3.0-or-later
// What goes over the wire, and how requests are carried out, against a server on a real socket.
#include "data/prometheus/http_exchange.h"
#include "fault_server.h"

#include <QTest>
#include <QTimer>
#include <QtNetwork/QTcpSocket>

#include <set>
#include <thread>

namespace tst_http_exchange {

using namespace alidade::data;
using namespace alidade::test;

namespace {

constexpr auto success = R"({"status":"success","data":{"resultType":"vector","result":[]}})";

FaultServer::Answer always(const QByteArray& bytes) {
    return [bytes](QTcpSocket& socket, const Received&) { socket.write(bytes); };
}

HttpLimits quick() {
    HttpLimits out{.connectS = 5, .idleS = 5, .overallS = 20, .backOffS = 0.01, .backOffMaxS = 0.05};
    out.jitter = [] { return 0.5; };
    return out;
}

HttpRequest query(const std::string& expression = "up") {
    return {.path = "/api/v1/query", .parameters = {{"query", expression}}};
}

HttpReply one(HttpExchange& exchange, HttpRequest request = query()) {
    return exchange.exchange({std::move(request)}).front();
}

/// A long body of flat series: every row is the same, as that of `up` is.
QByteArray flatSeries(int rows) {
    QByteArray row;
    for (int i = 0; i < 241; ++i)
        row += "[" + QByteArray::number(1'767'225'600 + 30 * i) + R"(,"1"],)";
    QByteArray out;
    for (int i = 0; i < rows; ++i)
        out += R"({"metric":{"__name__":"up"},"values":[)" + row + "]},";
    return out;
}

} // namespace

class TestHttpExchange : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void postsAFormUnderThePrefixOfTheUrl() {
        FaultServer server(always(httpReply(200, success, {"Content-Type: application/json"})));
        HttpExchange exchange({.url = server.url() + "/select/0/prometheus/"}, {}, quick());
        const HttpReply reply =
            one(exchange, {.path = "/api/v1/series",
                           .parameters = {{"match[]", "{a=\"b & c\"}"}, {"match[]", "\xC3\xA9+"}}});
        QCOMPARE(reply.message, std::string());
        QCOMPARE(reply.fault, HttpFault::none);
        QCOMPARE(reply.status, 200);
        QCOMPARE(reply.body, std::string(success));
        QCOMPARE(reply.contentType, std::string("application/json"));
        QCOMPARE(reply.wireBytes, reply.body.size());
        QCOMPARE(reply.attempts, 1);
        const Received got = server.received().front();
        QCOMPARE(got.method, QByteArray("POST"));
        QCOMPARE(got.target, QByteArray("/select/0/prometheus/api/v1/series"));
        QCOMPARE(got.header("content-type"), QByteArray("application/x-www-form-urlencoded"));
        QCOMPARE(got.body, QByteArray("match%5B%5D=%7Ba%3D%22b%20%26%20c%22%7D&match%5B%5D=%C3%A9%2B"));
        QCOMPARE(got.header("accept-encoding"), QByteArray("gzip"));
        QVERIFY(got.header("authorization").isEmpty());
        QVERIFY(got.header("cookie").isEmpty());
    }

    void takesAUrlThatWasPastedWithTheApi() {
        FaultServer server(always(httpReply(200, success)));
        HttpExchange exchange({.url = server.url() + "/prometheus/api/v1/"}, {}, quick());
        QCOMPARE(one(exchange).status, 200);
        QCOMPARE(server.received().front().target, QByteArray("/prometheus/api/v1/query"));
    }

    void fallsBackToGet_data() {
        QTest::addColumn<int>("status");
        QTest::newRow("403") << 403;
        QTest::newRow("405") << 405;
        QTest::newRow("501") << 501;
    }
    void fallsBackToGet() {
        QFETCH(int, status);
        FaultServer server([status](QTcpSocket& socket, const Received& request) {
            socket.write(request.method == "GET" ? httpReply(200, success) : httpReply(status, "no POST"));
        });
        HttpExchange exchange({.url = server.url()}, {}, quick());
        QCOMPARE(one(exchange, query("a + b")).status, 200);
        QCOMPARE(one(exchange).status, 200);
        const auto got = server.received();
        QCOMPARE(got.size(), std::size_t{3}); // the second time it is known
        QCOMPARE(got[1].target, QByteArray("/api/v1/query?query=a%20%2B%20b"));
        QCOMPARE(got[2].method, QByteArray("GET"));
        QVERIFY(got[2].body.isEmpty());
    }

    void refusedInBothWaysIsSaidOnce() {
        FaultServer server(always(httpReply(403, "tenant <b>unknown</b>")));
        HttpExchange exchange({.url = server.url()}, {}, quick());
        const HttpReply reply = one(exchange);
        QCOMPARE(reply.fault, HttpFault::status);
        QCOMPARE(reply.status, 403);
        QVERIFY(reply.message.find("403") != std::string::npos);
        QVERIFY(reply.message.find("tenant <b>unknown</b>") != std::string::npos);
        QCOMPARE(server.requests(), 2);
    }

    void authenticates() {
        FaultServer server(always(httpReply(200, success)));
        HttpExchange basic({.url = server.url(), .authentication = Authentication::basic, .user = "ada"},
                           {.password = "correct horse"}, quick());
        HttpExchange bearer(
            {.url = server.url(), .authentication = Authentication::bearer, .headers = {"X-Scope-OrgID"}},
            {.token = "abc.def", .headers = {{"X-Scope-OrgID", "team-7"}}}, quick());
        const HttpReply warned = one(basic);
        QCOMPARE(warned.status, 200);
        QCOMPARE(warned.warnings.size(), std::size_t{1});
        QVERIFY(warned.warnings.front().find("unencrypted") != std::string::npos);
        QCOMPARE(one(bearer).status, 200);
        QCOMPARE(server.received()[0].header("authorization"),
                 "Basic " + QByteArray("ada:correct horse").toBase64());
        QCOMPARE(server.received()[1].header("authorization"), QByteArray("Bearer abc.def"));
        QCOMPARE(server.received()[1].header("x-scope-orgid"), QByteArray("team-7"));
    }

    void refusesWhatIsNoServer_data() {
        QTest::addColumn<std::string>("url");
        QTest::addColumn<std::string>("words");
        QTest::newRow("password") << std::string("http://ada:hunter22@127.0.0.1:9")
                                  << std::string("secrets do not belong in a URL");
        QTest::newRow("user") << std::string("https://ada@127.0.0.1:9")
                              << std::string("secrets do not belong in a URL");
        QTest::newRow("broken with password")
            << std::string("http://ada:hun%ter22@[127:9") << std::string("secrets do not belong in a URL");
        QTest::newRow("file") << std::string("file:///etc/passwd") << std::string("neither http nor https");
        QTest::newRow("no scheme") << std::string("127.0.0.1:9090") << std::string("http");
        QTest::newRow("no host") << std::string("http:///x") << std::string("no host");
        QTest::newRow("query") << std::string("http://h/?a=b") << std::string("query");
        QTest::newRow("empty") << std::string() << std::string("no URL");
    }
    void refusesWhatIsNoServer() {
        QFETCH(std::string, url);
        QFETCH(std::string, words);
        HttpExchange exchange({.url = url}, {}, quick());
        const HttpReply reply = one(exchange);
        QCOMPARE(reply.fault, HttpFault::broken);
        QVERIFY2(reply.message.find(words) != std::string::npos, reply.message.c_str());
        QVERIFY(reply.message.find("hun") == std::string::npos);
    }

    void refusesHeadersThatWouldChangeTheRequest_data() {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<std::string>("value");
        QTest::newRow("line break in value") << std::string("X-A") << std::string("a\r\nHost: other");
        QTest::newRow("line break in name") << std::string("X-A\r\nB") << std::string("a");
        QTest::newRow("hop by hop") << std::string("Connection") << std::string("close");
        QTest::newRow("framing") << std::string("transfer-encoding") << std::string("chunked");
        QTest::newRow("host") << std::string("Host") << std::string("other");
    }
    void refusesHeadersThatWouldChangeTheRequest() {
        QFETCH(std::string, name);
        QFETCH(std::string, value);
        FaultServer server(always(httpReply(200, success)));
        HttpExchange exchange({.url = server.url(), .headers = {name}}, {.headers = {{name, value}}},
                              quick());
        QCOMPARE(one(exchange).fault, HttpFault::broken);
        QCOMPARE(server.requests(), 0);
    }

    void keepsConnectionsBetweenCalls() {
        FaultServer server(always(httpReply(200, success)));
        HttpExchange exchange({.url = server.url()}, {}, quick());
        for (int i = 0; i < 5; ++i)
            QCOMPARE(one(exchange).status, 200);
        QCOMPARE(server.connections(), 1);
    }

    void keepsTheOrderAndTheLimitOfRequests() {
        std::atomic<int> open = 0, most = 0;
        FaultServer server([&](QTcpSocket& socket, const Received& request) {
            most = std::max(most.load(), ++open);
            const int after = request.body.endsWith('0') ? 60 : 10; // the first one is overtaken
            QTimer::singleShot(after, &socket, [&socket, &open, body = request.body] {
                --open;
                socket.write(httpReply(200, body));
            });
        });
        HttpLimits limits = quick();
        limits.concurrency = 3;
        HttpExchange exchange({.url = server.url()}, {}, limits);
        std::vector<HttpRequest> requests;
        for (int i = 0; i < 10; ++i)
            requests.push_back(query(std::to_string(i)));
        std::vector<std::size_t> order;
        const auto here = std::this_thread::get_id();
        bool sameThread = true;
        const auto replies = exchange.exchange(requests, {}, [&](std::size_t i, HttpReply& reply) {
            sameThread = sameThread && std::this_thread::get_id() == here;
            order.push_back(i);
            if (i == 4)
                reply.body.clear();
        });
        QVERIFY(sameThread);
        QCOMPARE(order.size(), std::size_t{10});
        QVERIFY(order.front() != 0);
        for (std::size_t i = 0; i < 10; ++i)
            QCOMPARE(replies[i].body, i == 4 ? std::string() : "query=" + std::to_string(i));
        QCOMPARE(most.load(), 3);
    }

    void twoThreadsAtOnce() {
        FaultServer server(
            [](QTcpSocket& socket, const Received& request) { socket.write(httpReply(200, request.body)); });
        HttpExchange shared({.url = server.url()}, {}, quick());
        HttpExchange other({.url = server.url()}, {}, quick());
        std::atomic<int> good = 0;
        const auto work = [&good](HttpExchange& exchange, const std::string& name) {
            for (int round = 0; round < 10; ++round) {
                std::vector<HttpRequest> requests;
                for (int i = 0; i < 5; ++i)
                    requests.push_back(query(name + std::to_string(round * 5 + i)));
                const auto replies = exchange.exchange(requests);
                for (std::size_t i = 0; i < 5; ++i)
                    good += replies[i].body == "query=" + requests[i].parameters[0].second ? 1 : 0;
            }
        };
        std::thread a([&] { work(shared, "a"); }), b([&] { work(shared, "b"); }),
            c([&] { work(other, "c"); });
        a.join();
        b.join();
        c.join();
        QCOMPARE(good.load(), 150);
    }

    /// Qt's own guard takes 40 times and 10 MiB for a bomb; true replies of flat series are both.
    void unpacksATrueReplyThatShrinksALot() {
        const QByteArray body = flatSeries(4096);
        const QByteArray packed = gzipped(body);
        QVERIFY(body.size() > qint64{10} << 20);
        QVERIFY(body.size() / packed.size() > 40);
        FaultServer server(always(httpReply(200, packed, {"Content-Encoding: gzip"})));
        HttpExchange exchange({.url = server.url()}, {}, quick());
        const HttpReply reply = one(exchange);
        QCOMPARE(reply.message, std::string());
        QVERIFY(reply.body == body.toStdString());
        QCOMPARE(reply.wireBytes, static_cast<std::size_t>(packed.size()));
    }

    void unpacksChunksOfGzipAndSeveralMembers() {
        const QByteArray packed = gzipped("first, ") + gzipped("second");
        QByteArray chunks;
        for (const char c : packed)
            chunks += QByteArray("1\r\n") + c + "\r\n";
        FaultServer server(
            always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n" +
                   chunks + "0\r\n\r\n"));
        HttpExchange exchange({.url = server.url()}, {}, quick());
        QCOMPARE(one(exchange).body, std::string("first, second"));
        QCOMPARE(one(exchange).body, std::string("first, second"));
    }

    void tellsThatClocksDiffer() {
        const auto dated = [](qint64 ahead) -> QByteArray {
            const QDateTime time = QDateTime::currentDateTimeUtc().addSecs(ahead);
            return "Date: " +
                   QLocale::c().toString(time, QStringLiteral("ddd, dd MMM yyyy HH:mm:ss 'GMT'")).toLatin1();
        };
        qint64 ahead = 0;
        FaultServer server([&](QTcpSocket& socket, const Received&) {
            socket.write(httpReply(200, success, {dated(ahead)}));
        });
        HttpExchange exchange({.url = server.url()}, {}, quick());
        HttpReply reply = one(exchange);
        QVERIFY(reply.clockAheadS && std::abs(*reply.clockAheadS) < 10);
        QVERIFY(reply.warnings.empty());
        ahead = 600;
        reply = one(exchange);
        QVERIFY(reply.clockAheadS && std::abs(*reply.clockAheadS - 600) < 10);
        QCOMPARE(reply.warnings.size(), std::size_t{1});
        QVERIFY(reply.warnings.front().find("ahead of this computer's") != std::string::npos);
        ahead = -3600;
        QVERIFY(one(exchange).warnings.front().find("behind this computer's") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestHttpExchange)

} // namespace tst_http_exchange

#include "tst_http_exchange.moc"
