// SPDX-License-Identifier: GPL-3.0-or-later
// Where secrets are kept, and that they are nowhere else.
#include "data/prometheus/connection_json.h"
#include "data/prometheus/credentials/aws_credentials.h"
#include "data/prometheus/credentials/secret_store.h"
#include "data/prometheus/http_exchange.h"
#include "data/prometheus/redaction.h"
#include "fault_server.h"

#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>

namespace tst_secrets {

using namespace alidade::data;
using namespace alidade::test;

namespace {

using Place = SecretPlace::Place;

/// A keyring whose answers a test holds in its hand.
class HeldKeyring : public Keyring {
public:
    struct Content {
        std::map<std::string, std::string> entries;
        std::vector<std::function<void()>> waiting; ///< where `silent`
        Outcome outcome = Outcome::done;
        bool silent = false;
    };
    explicit HeldKeyring(std::shared_ptr<Content> content)
        : content_(std::move(content)) {}
    void read(const std::string& key, Done done) override {
        answer(done, [this, key](Answer& answer) {
            const auto at = content_->entries.find(key);
            answer.outcome = at == content_->entries.end() ? Outcome::absent : Outcome::done;
            answer.secret = at == content_->entries.end() ? "" : at->second;
        });
    }
    void write(const std::string& key, const std::string& secret, Done done) override {
        answer(done, [this, key, secret](Answer&) { content_->entries[key] = secret; });
    }
    void remove(const std::string& key, Done done) override {
        answer(done, [this, key](Answer&) { content_->entries.erase(key); });
    }

private:
    template <class Work>
    void answer(const Done& done, Work work) {
        Answer out{content_->outcome, "",
                   content_->outcome == Outcome::done ? "" : "no service owns the name"};
        if (out.outcome == Outcome::done)
            work(out);
        if (content_->silent)
            content_->waiting.push_back([done, out] { done(out); });
        else
            done(out);
    }
    std::shared_ptr<Content> content_;
};

struct Desk {
    std::shared_ptr<HeldKeyring::Content> content = std::make_shared<HeldKeyring::Content>();
    SecretStore store;
    explicit Desk(double timeoutS = 30)
        : store(std::make_unique<HeldKeyring>(content), timeoutS) {}

    SecretPlace write(const std::string& name, const Credentials& credentials) {
        std::optional<SecretPlace> out;
        store.write(name, credentials, [&](SecretPlace place) { out = std::move(place); });
        if (out)
            qFatal("answered inside the call");
        return QTest::qWaitFor([&] { return out.has_value(); }) ? *out
                                                                : SecretPlace{Place::nowhere, "no answer"};
    }
    std::pair<Credentials, SecretPlace> read(const std::string& name) {
        std::optional<std::pair<Credentials, SecretPlace>> out;
        store.read(name,
                   [&](Credentials credentials, SecretPlace place) { out.emplace(credentials, place); });
        return QTest::qWaitFor([&] { return out.has_value(); })
                   ? *out
                   : std::pair<Credentials, SecretPlace>({}, {Place::nowhere, "no answer"});
    }
};

Credentials everything() {
    return {.password = "pass \"word\"",
            .token = "tok/en+==",
            .accessKey = "AKIDEXAMPLE",
            .secretKey = "wJalrXUtnFEMI/K7MDENG",
            .sessionToken = "session//token",
            .headers = {{"X-Scope-OrgID", "tenant-\xC3\xA9"}}};
}

bool equal(const Credentials& a, const Credentials& b) {
    return a.password == b.password && a.token == b.token && a.accessKey == b.accessKey &&
           a.secretKey == b.secretKey && a.sessionToken == b.sessionToken && a.headers == b.headers;
}

template <class T>
constexpr bool prints = requires(std::ostream& out, const T& value) { out << value; };
static_assert(!prints<Credentials>, "secrets have no way to be printed");

} // namespace

class TestSecrets : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keyringKeepsThem() {
        Desk desk;
        QCOMPARE(desk.write("cluster", everything()).place, Place::keyring);
        const auto [back, place] = desk.read("cluster");
        QCOMPARE(place.place, Place::keyring);
        QVERIFY(equal(back, everything()));
        const auto [none, nowhere] = desk.read("other");
        QCOMPARE(nowhere.place, Place::nowhere);
        QVERIFY(nowhere.message.find("'other'") != std::string::npos);
        QVERIFY(equal(none, {}));
        bool removed = false;
        desk.store.remove("cluster", [&](SecretPlace gone) { removed = gone.message.empty(); });
        QTRY_VERIFY(removed);
        QVERIFY(desk.content->entries.empty());
    }

    void memoryWhereThereIsNoKeyring_data() {
        QTest::addColumn<int>("outcome");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("no service") << static_cast<int>(Keyring::Outcome::unavailable)
                                    << QByteArray("no keyring responds (no service owns the name)");
        QTest::newRow("refused") << static_cast<int>(Keyring::Outcome::denied)
                                 << QByteArray("refuses access");
    }
    void memoryWhereThereIsNoKeyring() {
        QFETCH(int, outcome);
        QFETCH(QByteArray, words);
        Desk desk;
        desk.content->outcome = static_cast<Keyring::Outcome>(outcome);
        const SecretPlace place = desk.write("cluster", everything());
        QCOMPARE(place.place, Place::memory);
        QVERIFY2(place.message.find("in memory only, until the program ends") != std::string::npos,
                 place.message.c_str());
        QVERIFY2(place.message.find(words.toStdString()) != std::string::npos, place.message.c_str());
        const auto [back, from] = desk.read("cluster");
        QCOMPARE(from.place, Place::memory);
        QVERIFY(equal(back, everything()));
        Desk another; // another run of the program
        QCOMPARE(another.read("cluster").second.place, Place::nowhere);
    }

    void aSilentKeyringHasItsTime() {
        Desk desk(0.05);
        desk.content->silent = true;
        const SecretPlace place = desk.write("cluster", everything());
        QCOMPARE(place.place, Place::memory);
        QVERIFY(equal(desk.read("cluster").first, everything()));
        QCOMPARE(desk.read("other").second.place, Place::nowhere);
        for (const auto& late : desk.content->waiting)
            late(); // changes nothing any more
        QTest::qWait(10);
        QCOMPARE(desk.read("cluster").second.place, Place::memory);
    }

    void noAnswerAfterTheStore() {
        auto desk = std::make_unique<Desk>();
        desk->content->silent = true;
        bool answered = false;
        desk->store.read("cluster", [&](Credentials, SecretPlace) { answered = true; });
        const auto content = desk->content;
        desk.reset();
        for (const auto& late : content->waiting)
            late();
        QTest::qWait(20);
        QVERIFY(!answered);
    }

    /// Whatever this machine has: an answer comes, and without a keyring it is a word, not a wait.
    void theSystemAnswers() {
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
        const auto [none, place] = readSecrets("alidade-test-connection", 20);
        QCOMPARE(place.place, Place::nowhere);
        QVERIFY(!place.message.empty());
        QVERIFY(equal(none, {}));
        SecretStore store;
        std::optional<SecretPlace> kept;
        store.write("alidade-test-connection", everything(), [&](SecretPlace where) { kept = where; });
        QTRY_VERIFY_WITH_TIMEOUT(kept.has_value(), 20'000);
        QCOMPARE(kept->place, Place::memory);
    }

    void redactsEveryForm() {
        const Connection connection{.user = "ada"};
        const Redaction redact(connection, {.password = "p&ss/w<rd \"q\"", .token = "tok.en-1234"});
        const auto clean = [&](const std::string& text) { return redact(text) == "a [secret] b"; };
        QVERIFY(clean("a p&ss/w<rd \"q\" b"));
        QVERIFY(clean("a tok.en-1234 b"));
        QVERIFY(clean("a " + QByteArray("ada:p&ss/w<rd \"q\"").toBase64().toStdString() + " b"));
        QVERIFY(clean("a " + QByteArray("tok.en-1234").toBase64().toStdString() + " b"));
        QVERIFY(clean("a p%26ss%2Fw%3Crd%20%22q%22 b"));
        QVERIFY(clean("a p%26ss%2fw%3crd%20%22q%22 b"));
        QVERIFY(clean(R"(a p\u0026ss/w\u003crd \"q\" b)"));
        QVERIFY(clean(R"(a p\u0026ss\/w\u003crd \"q\" b)"));
        QVERIFY(clean("a p&amp;ss/w&lt;rd &#34;q&#34; b"));
        QCOMPARE(redact("nothing here"), std::string("nothing here"));
        QCOMPARE(redact.ofBeginning("Bearer tok.en-12"), std::string("Bearer "));
        const Redaction tiny(connection, {.password = "ab"});
        QVERIFY(tiny("drab").find("ab") == std::string::npos ||
                tiny("drab").find("withheld") != std::string::npos);
        QVERIFY(tiny("drab").find("dr") == std::string::npos);
        QCOMPARE(tiny("xyz"), std::string("xyz"));
    }

    void quotesForAMessage() {
        QCOMPARE(excerptOf("  <b>\r\n\tx\x01 \xC3\xA9 \xFF"), std::string("<b> x\\x01 \xC3\xA9 \\xff"));
        QCOMPARE(excerptOf(std::string(500, 'a')), std::string(200, 'a') + " ...");
        QCOMPARE(excerptOf("\xE2\x82\xAC\xE2\x82\xAC", 4), std::string("\xE2\x82\xAC\xE2\x82\xAC"));
    }

    void wipes() {
        Credentials credentials = everything();
        wipe(credentials);
        QVERIFY(equal(credentials, {}));
    }

    void savesConnectionsWithoutSecrets() {
        const QTemporaryDir folder;
        const std::string file = folder.filePath(QStringLiteral("deep/connections.json")).toStdString();
        const std::vector<Connection> some{{.name = "lab",
                                            .url = "https://prom.example/x",
                                            .authentication = Authentication::basic,
                                            .user = "ada",
                                            .caFile = "/ca.pem",
                                            .headers = {"X-Scope-OrgID"}},
                                           {.name = "aws",
                                            .url = "https://aps.example/workspaces/ws-1",
                                            .authentication = Authentication::sigv4,
                                            .region = "us-east-1",
                                            .awsProfile = "ops"},
                                           {.name = "home", .url = "http://127.0.0.1:9090"}};
        QCOMPARE(loadConnections(file)->size(), std::size_t{0});
        QCOMPARE(saveConnections(some, file), std::string());
        const auto back = loadConnections(file);
        QVERIFY2(bool(back), back.error().c_str());
        QVERIFY(*back == some);
        QVERIFY(*namedConnection("aws", file) == some[1]);
        QVERIFY(namedConnection("awz", file).error().find("did you mean 'aws'?") != std::string::npos);
        const auto mode = QFile::permissions(QString::fromStdString(file));
        QVERIFY(!(mode & (QFileDevice::ReadGroup | QFileDevice::ReadOther)));
    }

    void readsConnectionsStrictly_data() {
        QTest::addColumn<std::string>("document");
        QTest::addColumn<std::string>("words");
        const auto row = [](const char* name, std::string connections, std::string words) {
            std::replace(connections.begin(), connections.end(), '\'', '"');
            QTest::newRow(name) << "{\"alidade\":1,\"connections\":[" + connections + "]}"
                                << std::move(words);
        };
        const std::string good = "{'name':'a','url':'http://h'";
        row("secret", good + ",'password':'s3cret-value'}",
            "/connections/0/password: a secret is not kept in this file");
        row("unknown", good + ",'regoin':'x'}", "did you mean 'region'?");
        row("kind", good + ",'authentication':'kerberos'}", "/connections/0/authentication");
        row("no json", good, "line 1");
        row("password in URL", "{'name':'a','url':'http://u:s3cret-value@h'}",
            "secrets do not belong in a URL");
        row("twice", good + "}," + good + "}", "another connection of this name");
    }
    void readsConnectionsStrictly() {
        QFETCH(std::string, document);
        QFETCH(std::string, words);
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("connections.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(document));
        file.close();
        const std::string name = file.fileName().toStdString();
        const auto loaded = loadConnections(name);
        QVERIFY(!loaded);
        QVERIFY2(loaded.error().find(words) != std::string::npos, loaded.error().c_str());
        QVERIFY(loaded.error().find("s3cret") == std::string::npos);
        // What cannot be read is not replaced.
        QVERIFY(!saveConnections({{.name = "b", .url = "http://b"}}, name).empty());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().toStdString(), document);
    }

    void findsAwsKeys() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("credentials")).toStdString();
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("# keys\n[default]\naws_access_key_id = AKIADEFAULT\naws_secret_access_key=def/secret=\n\n"
                   "[ops]\r\naws_access_key_id=AKIAOPS\r\naws_secret_access_key = "
                   "ops+secret\r\naws_session_token = ops//token==\r\n"
                   "[sso]\nsso_session = x\n");
        file.close();
        std::map<std::string, std::string> variables{{"AWS_SHARED_CREDENTIALS_FILE", path}};
        const Environment environment = [&](const std::string& name) { return variables[name]; };
        QCOMPARE(awsCredentials("", environment)->accessKey, std::string("AKIADEFAULT"));
        QCOMPARE(awsCredentials("", environment)->secretKey, std::string("def/secret="));
        QCOMPARE(awsCredentials("ops", environment)->sessionToken, std::string("ops//token=="));
        variables["AWS_PROFILE"] = "ops";
        QCOMPARE(awsCredentials("", environment)->accessKey, std::string("AKIAOPS"));
        variables["AWS_ACCESS_KEY_ID"] = "AKIAENV";
        QVERIFY(awsCredentials("", environment).error().find("set both") != std::string::npos);
        variables["AWS_SECRET_ACCESS_KEY"] = "env-secret";
        QCOMPARE(awsCredentials("", environment)->secretKey, std::string("env-secret"));
        QCOMPARE(awsCredentials("ops", environment)->accessKey,
                 std::string("AKIAOPS")); // named: overrides the variables
        QVERIFY(awsCredentials("opps", environment).error().find("did you mean 'ops'?") != std::string::npos);
        QVERIFY(awsCredentials("sso", environment).error().find("export-credentials") != std::string::npos);
        variables = {{"HOME", "/nonexistent"}};
        QVERIFY(awsCredentials("", environment).error().find("/nonexistent/.aws/credentials") !=
                std::string::npos);
    }

    /// A server that sends back all that it was sent, in every reply, and whatever this program writes then.
    void nothingHoldsASecret() {
        FaultServer echo([](QTcpSocket& socket, const Received& request) {
            QByteArray body = "you sent:";
            for (const auto& [name, value] : request.headers)
                body += "\n" + name + ": " + value;
            body += "\n" + QByteArray::fromBase64(request.header("authorization").mid(6)) + "\n";
            const int status = request.body.contains("retry")   ? 503
                               : request.body.contains("moved") ? 302
                                                                : 400;
            socket.write(
                "HTTP/1.1 " + QByteArray::number(status) + " " + request.header("authorization").left(120) +
                "\r\nContent-Type: " + request.header("authorization") +
                "\r\nLocation: http://other.example/" + request.header("authorization").toPercentEncoding() +
                "\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body);
        });
        const Credentials secrets{.password = "pass-Zq81x",
                                  .token = "token-Zq82x",
                                  .accessKey = "AKIAZQ83X",
                                  .secretKey = "secret-Zq84x",
                                  .sessionToken = "session-Zq85x",
                                  .headers = {{"X-Api-Key", "header-Zq86x"}}};
        HttpLimits limits;
        limits.backOffS = 0.001;
        QByteArray all;
        std::vector<Connection> connections;
        for (const auto how : {Authentication::basic, Authentication::bearer, Authentication::sigv4}) {
            const Connection connection{.name = "c" + std::to_string(static_cast<int>(how)),
                                        .url = echo.url(),
                                        .authentication = how,
                                        .user = how == Authentication::basic ? "ada" : "",
                                        .region = how == Authentication::sigv4 ? "us-east-1" : "",
                                        .headers = {"X-Api-Key"}};
            connections.push_back(connection);
            HttpExchange exchange(connection, secrets, limits);
            for (const char* path : {"plain", "retry", "moved"}) {
                const HttpReply reply =
                    exchange.exchange({{.path = "/api/v1/query", .parameters = {{"query", path}}}}).front();
                QVERIFY(reply.fault != HttpFault::none);
                all += QByteArray::fromStdString(reply.message + reply.body + reply.contentType + "\n");
                for (const std::string& warning : reply.warnings)
                    all += QByteArray::fromStdString(warning + "\n");
            }
        }
        QVERIFY(all.contains("[secret]")); // the echo did come
        const QTemporaryDir home;
        const std::string file = home.filePath(QStringLiteral("connections.json")).toStdString();
        QCOMPARE(saveConnections(connections, file), std::string());
        const auto look = [&all](const QString& folder) {
            QDirIterator files(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
            while (files.hasNext()) {
                QFile each(files.next());
                if (each.open(QIODevice::ReadOnly))
                    all += each.readAll();
            }
        };
        look(home.path());
        look(QDir::homePath()); // each test has its own
        QFile arguments(QStringLiteral("/proc/self/cmdline"));
        if (arguments.open(QIODevice::ReadOnly))
            all += arguments.readAll();
        for (const QByteArray secret : {"Zq81x", "Zq82x", "ZQ83X", "Zq84x", "Zq85x", "Zq86x"})
            QVERIFY2(!all.contains(secret), secret.constData());
        QVERIFY(!all.contains(QByteArray("ada:pass-Zq81x").toBase64()));
    }
};

QTEST_GUILESS_MAIN(TestSecrets)

} // namespace tst_secrets

#include "tst_secrets.moc"
