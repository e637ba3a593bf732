// SPDX-License-Identifier: GPL-3.0-or-later
// Certificates that are right and wrong, against real TLS servers, and a real Prometheus behind TLS and a
// password.
#include "data/prometheus/http_exchange.h"
#include "fault_server.h"
#include "test_certificates.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QtNetwork/QHostAddress>
#include <QtNetwork/QTcpServer>

#include <memory>

namespace tst_http_tls {

using namespace alidade::data;
using namespace alidade::test;

namespace {

constexpr auto hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

HttpLimits patient() {
    return {.connectS = 10, .idleS = 10, .overallS = 30, .backOffS = 0.05, .backOffMaxS = 0.2};
}

HttpReply askOnce(const Connection& connection, const Credentials& credentials = {}) {
    HttpExchange exchange(connection, credentials, patient());
    return exchange.exchange({{.path = "/api/v1/query", .parameters = {{"query", "vector(7)"}}}}).front();
}

bool tells(const HttpReply& reply, const char* words) {
    return reply.message.find(words) != std::string::npos;
}

} // namespace

class TestHttpTls : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::unique_ptr<TestCertificates> certificates_;

    FaultServer::Answer greets() {
        return [](QTcpSocket& socket, const Received&) { socket.write(hello); };
    }
    std::string authority() const { return certificates_->authority().toStdString(); }
    QString write(const char* name, const QByteArray& text) {
        QFile out(folder_.filePath(QString::fromLatin1(name)));
        if (out.open(QIODevice::WriteOnly))
            out.write(text);
        return out.fileName();
    }

private Q_SLOTS:
    void initTestCase() {
        certificates_ = std::make_unique<TestCertificates>(folder_.path());
        QVERIFY2(certificates_->made(), "the openssl command of the test packages is needed");
    }

    void ownAuthority() {
        FaultServer server(greets(), certificates_->server("good"));
        for (const char* host : {"127.0.0.1", "localhost"}) {
            const HttpReply reply = askOnce({.url = server.url(host), .caFile = authority()});
            QCOMPARE(reply.message, std::string());
            QCOMPARE(reply.body, std::string("hello"));
            QVERIFY(reply.warnings.empty());
        }
    }

    void noWarningOfASecretOverHttps() {
        FaultServer server(greets(), certificates_->server("good"));
        const HttpReply reply =
            askOnce({.url = server.url(), .authentication = Authentication::bearer, .caFile = authority()},
                    {.token = "t0ken"});
        QCOMPARE(reply.body, std::string("hello"));
        QVERIFY(reply.warnings.empty());
        QCOMPARE(server.received().front().header("authorization"), QByteArray("Bearer t0ken"));
    }

    void isRefused_data() {
        QTest::addColumn<QByteArray>("certificate");
        QTest::addColumn<QByteArray>("authority");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("unknown authority")
            << QByteArray("good") << QByteArray() << QByteArray("give its CA file");
        QTest::newRow("other authority")
            << QByteArray("good") << QByteArray("other.pem") << QByteArray("does not hold the authority");
        QTest::newRow("other host") << QByteArray("stranger") << QByteArray("ca.pem")
                                    << QByteArray("for another host (elsewhere.example)");
        QTest::newRow("expired") << QByteArray("expired") << QByteArray("ca.pem")
                                 << QByteArray("has expired on 2020-02-01");
        QTest::newRow("self-signed") << QByteArray("self") << QByteArray() << QByteArray("self-signed");
    }
    void isRefused() {
        QFETCH(QByteArray, certificate);
        QFETCH(QByteArray, authority);
        QFETCH(QByteArray, words);
        FaultServer server(greets(), certificates_->server(certificate.constData()));
        const std::string file =
            authority.isEmpty() ? "" : certificates_->file(authority.constData()).toStdString();
        const HttpReply reply =
            askOnce({.url = server.url(), .authentication = Authentication::bearer, .caFile = file},
                    {.token = "t0ken"});
        QCOMPARE(reply.fault, HttpFault::tls);
        QVERIFY2(tells(reply, words.constData()), reply.message.c_str());
        QVERIFY2(tells(reply, "127.0.0.1"), reply.message.c_str());
        QCOMPARE(server.requests(), 0); // nothing was sent
    }

    /// One's own authority replaces the system's, and a certificate that signs itself may be
    /// one.
    void selfSignedIsItsOwnAuthority() {
        FaultServer server(greets(), certificates_->server("self"));
        const HttpReply reply =
            askOnce({.url = server.url(), .caFile = certificates_->file("self.pem").toStdString()});
        QCOMPARE(reply.message, std::string());
        QCOMPARE(reply.body, std::string("hello"));
    }

    void caFileIsChecked_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("missing") << QStringLiteral("/no/such/file.pem") << QByteArray("no such file");
        QTest::newRow("no PEM") << write("plain.txt", "just text\n") << QByteArray("holds no certificate");
        QTest::newRow("broken PEM") << write("broken.pem",
                                             "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
                                    << QByteArray("holds no certificate");
        QTest::newRow("key") << certificates_->file("ca.key") << QByteArray("holds no certificate");
        QTest::newRow("folder") << folder_.path() << QByteArray("directory");
    }
    void caFileIsChecked() {
        QFETCH(QString, file);
        QFETCH(QByteArray, words);
        FaultServer server(greets(), certificates_->server("good"));
        const HttpReply reply = askOnce({.url = server.url(), .caFile = file.toStdString()});
        QCOMPARE(reply.fault, HttpFault::tls);
        QVERIFY2(tells(reply, words.constData()), reply.message.c_str());
        QVERIFY2(tells(reply, file.toUtf8().constData()), reply.message.c_str());
        QCOMPARE(server.connections(), 0);
    }

    void neverDownToHttp() {
        FaultServer plain(greets());
        const QByteArray there = "Location: " + QByteArray::fromStdString(plain.url()) + "/";
        FaultServer server(
            [&](QTcpSocket& socket, const Received&) { socket.write(httpReply(308, "", {there})); },
            certificates_->server("good"));
        const HttpReply reply = askOnce({.url = server.url(),
                                         .authentication = Authentication::basic,
                                         .user = "ada",
                                         .caFile = authority()},
                                        {.password = "passw0rd"});
        QCOMPARE(reply.fault, HttpFault::redirect);
        QVERIFY2(tells(reply, "was not followed"), reply.message.c_str());
        QCOMPARE(plain.connections(), 0);
    }

    void upToHttpsIsSaid() {
        FaultServer server([](QTcpSocket& socket, const Received& request) {
            socket.write(
                httpReply(301, "", {"Location: https://" + request.header("host") + request.target}));
        });
        const HttpReply reply = askOnce({.url = server.url()});
        QCOMPARE(reply.fault, HttpFault::redirect);
        QVERIFY2(tells(reply, "use https in the URL"), reply.message.c_str());
    }

    void theWrongSchemeIsSaid() {
        FaultServer secure(greets(), certificates_->server("good"));
        const std::string port = std::to_string(secure.port());
        const HttpReply toTls = askOnce({.url = "http://127.0.0.1:" + port});
        QCOMPARE(toTls.fault, HttpFault::broken);
        QVERIFY2(tells(toTls, "127.0.0.1"), toTls.message.c_str());
        FaultServer plain([](QTcpSocket&, const Received&) {}, {},
                          [](QTcpSocket& socket) { socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"); });
        const HttpReply toPlain = askOnce({.url = "https://127.0.0.1:" + std::to_string(plain.port())});
        QCOMPARE(toPlain.fault, HttpFault::tls);
        QVERIFY2(tells(toPlain, "check that the port serves HTTPS"), toPlain.message.c_str());
    }

    /// Debian's own server, with its own TLS and basic authentication.
    void realPrometheus() {
        if (QStandardPaths::findExecutable(QStringLiteral("prometheus")).isEmpty())
            QFAIL("there is no prometheus command");
        // bcrypt of "correct horse battery"
        const QByteArray web =
            "tls_server_config:\n  cert_file: " + certificates_->file("good.pem").toUtf8() +
            "\n  key_file: " + certificates_->file("good.key").toUtf8() +
            "\nbasic_auth_users:\n  ada: "
            "$2b$05$lsMRHf9LPKASoq94bz2lhuo31MEr27KYFdh3pFXD9fPz8XseAS6ZG\n";
        const QString config =
            write("prometheus.yml", "global:\n  scrape_interval: 1h\nscrape_configs: []\n");
        quint16 port = 0;
        {
            QTcpServer probe;
            probe.listen(QHostAddress::LocalHost);
            port = probe.serverPort();
        }
        const std::string address = "127.0.0.1:" + std::to_string(port);
        QProcess prometheus;
        prometheus.setProcessChannelMode(QProcess::MergedChannels);
        prometheus.start(
            QStringLiteral("prometheus"),
            {QString(QStringLiteral("--config.file=") + config),
             QString(QStringLiteral("--web.config.file=") + write("web.yml", web)),
             QString(QStringLiteral("--storage.tsdb.path=") + folder_.filePath(QStringLiteral("tsdb"))),
             QString(QStringLiteral("--web.listen-address=") + QString::fromStdString(address)),
             QStringLiteral("--log.level=warn")});
        QVERIFY(prometheus.waitForStarted());

        const Connection connection{.url = "https://" + address,
                                    .authentication = Authentication::basic,
                                    .user = "ada",
                                    .caFile = authority()};
        HttpLimits limits = patient();
        limits.attempts = 100; // until it listens
        HttpExchange exchange(connection, {.password = "correct horse battery"}, limits);
        const HttpRequest seven{.path = "/api/v1/query", .parameters = {{"query", "vector(7)"}}};
        const HttpReply good = exchange.exchange({seven}).front();
        QVERIFY2(good.fault == HttpFault::none, (good.message + prometheus.readAll().toStdString()).c_str());
        QVERIFY2(good.body.find(R"("7"])") != std::string::npos, good.body.c_str());
        QVERIFY(good.clockAheadS && std::abs(*good.clockAheadS) < 10);

        const HttpReply wrong = askOnce(connection, {.password = "wrong pony"});
        QCOMPARE(wrong.status, 401);
        QVERIFY2(tells(wrong, "does not accept these credentials"), wrong.message.c_str());
        const HttpReply none = askOnce({.url = connection.url, .caFile = authority()});
        QVERIFY2(tells(none, "it requires authentication"), none.message.c_str());
        QCOMPARE(askOnce({.url = connection.url}).fault, HttpFault::tls);

        prometheus.terminate();
        QVERIFY(prometheus.waitForFinished(20'000));
        QCOMPARE(askOnce(connection, {.password = "correct horse battery"}).fault, HttpFault::refused);
    }
};

QTEST_GUILESS_MAIN(TestHttpTls)

} // namespace tst_http_tls

#include "tst_http_tls.moc"
