// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/json.h"
#include "data/prometheus/http_exchange.h"
#include "data/prometheus/sigv4.h"
#include "fault_server.h"

#include <QFile>
#include <QTest>
#include <QtNetwork/QTcpSocket>

#include <atomic>

namespace tst_sigv4 {

using namespace alidade::data;
using namespace alidade::test;
using Json = nlohmann::json;

namespace {

Json suite() {
    QFile file(QStringLiteral(ALIDADE_TEST_DATA "/data/sigv4/vectors.json"));
    return file.open(QIODevice::ReadOnly) ? Json::parse(file.readAll().toStdString()) : Json();
}

/// A request as it is written in the suite: first line, header lines (some folded), an empty line, the body.
struct Written {
    SignableRequest request;
    std::string body;
};

Written parseRequest(const std::string& text) {
    Written out;
    const std::size_t head = std::min(text.find("\n\n"), text.size());
    out.body = head + 2 <= text.size() ? text.substr(head + 2) : "";
    const QStringList lines = QString::fromStdString(text.substr(0, head)).split(QLatin1Char('\n'));
    const QString first = lines.front();
    const qsizetype space = first.indexOf(QLatin1Char(' ')),
                    version = first.lastIndexOf(QLatin1String(" HTTP"));
    out.request.method = first.left(space).toStdString();
    const QString target = first.mid(space + 1, version - space - 1);
    const qsizetype question = target.indexOf(QLatin1Char('?'));
    out.request.path = (question < 0 ? target : target.left(question)).toStdString();
    out.request.query = question < 0 ? "" : target.mid(question + 1).toStdString();
    for (const QString& line : lines.mid(1)) {
        if (line.startsWith(QLatin1Char(' '))) {
            out.request.headers.back().second += "\n" + line.toStdString();
        } else if (const qsizetype colon = line.indexOf(QLatin1Char(':')); colon > 0) {
            out.request.headers.emplace_back(line.left(colon).toStdString(),
                                             line.mid(colon + 1).toStdString());
        }
    }
    return out;
}

} // namespace

class TestSigV4 : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void equalsThePublishedVectors_data() {
        QTest::addColumn<int>("index");
        const Json all = suite();
        QVERIFY(all.is_object());
        QCOMPARE(all.at("vectors").size(), std::size_t{38});
        int index = 0;
        for (const Json& each : all.at("vectors"))
            QTest::newRow(each.at("name").get<std::string>().c_str()) << index++;
    }
    void equalsThePublishedVectors() {
        QFETCH(int, index);
        const Json all = suite();
        const Json& vector = all.at("vectors").at(static_cast<std::size_t>(index));
        Credentials keys{.accessKey = all.at("access_key"), .secretKey = all.at("secret_key")};
        if (!vector.at("omit_session_token").get<bool>()) // else it is added after signing, which we never do
            keys.sessionToken = vector.at("token");
        Written written = parseRequest(vector.at("request"));
        written.request.body = written.body;
        const SigningScope scope{.region = all.at("region"),
                                 .service = all.at("service"),
                                 .time = all.at("time"),
                                 .normalizePath = vector.at("normalize"),
                                 .sendBodyHash = vector.at("sign_body")};
        const SigV4Signature signature = sign(written.request, scope, keys);
        QCOMPARE(signature.canonicalRequest, vector.at("canonical_request").get<std::string>());
        QCOMPARE(signature.stringToSign, vector.at("string_to_sign").get<std::string>());
        QCOMPARE(signature.signature, vector.at("signature").get<std::string>());
        QVERIFY(signature.headers.back().second.ends_with("Signature=" + signature.signature));
    }

    /// What goes encoded over the wire is encoded once more for the signature, as AWS does for all services
    /// but S3.
    void encodesThePathOfTheWireAgain() {
        const Credentials keys{.accessKey = "AKIDEXAMPLE", .secretKey = "secret"};
        const SigV4Signature signature =
            sign({.method = "GET", .path = "/workspaces/ws-1/api/v1/label/a%20b/values"},
                 {.region = "eu-west-1", .time = "20260101T000000Z"}, keys);
        QVERIFY(
            signature.canonicalRequest.starts_with("GET\n/workspaces/ws-1/api/v1/label/a%2520b/values\n"));
        QVERIFY(signature.headers.back().second.find("/20260101/eu-west-1/aps/aws4_request") !=
                std::string::npos);
    }

    /// A server that checks the signature of what came, as AWS does: the path and the query of the request
    /// line, the signed header fields and the body as they are.
    void signsWhatGoesOverTheWire_data() {
        QTest::addColumn<bool>("post");
        QTest::newRow("POST") << true;
        QTest::newRow("GET") << false;
    }
    void signsWhatGoesOverTheWire() {
        QFETCH(bool, post);
        const Credentials keys{
            .accessKey = "AKIDEXAMPLE", .secretKey = "wJalrXUtnFEMI", .sessionToken = "tok//en=="};
        const auto isRight = [&keys](const Received& got) {
            const qsizetype question = got.target.indexOf('?');
            const SignableRequest request{
                .method = got.method.toStdString(),
                .path = (question < 0 ? got.target : got.target.left(question)).toStdString(),
                .query = question < 0 ? "" : got.target.mid(question + 1).toStdString(),
                .headers = {{"Host", got.header("host").toStdString()}},
                .body = std::string_view(got.body.constData(), static_cast<std::size_t>(got.body.size()))};
            const SigV4Signature expected =
                sign(request, {.region = "eu-west-1", .time = got.header("x-amz-date").toStdString()}, keys);
            return got.header("x-amz-security-token") == "tok//en==" &&
                   got.header("authorization").toStdString() == expected.headers.back().second;
        };
        std::atomic<int> count = 0;
        FaultServer server([&](QTcpSocket& socket, const Received& request) {
            const bool first = ++count == 1;
            socket.write(first              ? httpReply(503, "once more")
                         : isRight(request) ? httpReply(200, "right")
                                            : httpReply(403, "wrong"));
        });
        HttpLimits limits;
        limits.backOffS = 2; // the repetition has another time, and so another signature
        limits.jitter = [] { return 0.1; };
        HttpExchange exchange({.url = server.url() + "/workspaces/ws-1/",
                               .authentication = Authentication::sigv4,
                               .region = "eu-west-1"},
                              keys, limits);
        const HttpReply reply = exchange
                                    .exchange({{.path = "/api/v1/label/a%20b/values",
                                                .parameters = {{"match[]", "{a=~\"x.*|\xC3\xA9\"}"},
                                                               {"end", "2+1"},
                                                               {"match[]", "b c"}},
                                                .post = post}})
                                    .front();
        QCOMPARE(reply.body, std::string("right"));
        const auto got = server.received();
        QCOMPARE(got.size(), std::size_t{2});
        QVERIFY(isRight(got[0]));
        QVERIFY(got[0].header("x-amz-date") != got[1].header("x-amz-date"));
        QVERIFY(got[0].header("authorization") != got[1].header("authorization"));
        QVERIFY(reply.warnings.empty()); // the secret key itself does not travel
    }

    void aSignatureThatIsTooOldNamesTheClock() {
        FaultServer server([](QTcpSocket& socket, const Received&) {
            socket.write(httpReply(403, R"({"message":"Signature expired"})",
                                   {"Date: Thu, 01 Jan 2015 00:00:00 GMT"}));
        });
        HttpExchange exchange(
            {.url = server.url(), .authentication = Authentication::sigv4, .region = "eu-west-1"},
            {.accessKey = "AKIDEXAMPLE", .secretKey = "wJalrXUtnFEMI"});
        const HttpReply reply = exchange.exchange({{.path = "/api/v1/query"}}).front();
        QCOMPARE(reply.status, 403);
        QVERIFY2(reply.message.find("behind this computer's") != std::string::npos, reply.message.c_str());
        QCOMPARE(server.requests(), 1); // the same signature by GET would be refused as well
    }

    void encodesLikeRfc3986() {
        QCOMPARE(percentEncoded("aZ09-._~ /+\xC3\xA9"), std::string("aZ09-._~%20%2F%2B%C3%A9"));
        QCOMPARE(percentEncoded("a/b c", true), std::string("a/b%20c"));
    }
};

QTEST_GUILESS_MAIN(TestSigV4)

} // namespace tst_sigv4

#include "tst_sigv4.moc"
