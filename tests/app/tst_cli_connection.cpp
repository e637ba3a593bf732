// SPDX-License-Identifier: GPL-3.0-or-later
// How a command reaches a server: files, variables, saved connections; never a secret as an argument.
#include "app/cli/connection_options.h"
#include "app/cli/session.h"
#include "data/prometheus/connection_json.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <CLI/CLI.hpp>

namespace tst_cli_connection {

using namespace alidade;
using namespace alidade::cli;
using data::Authentication;

namespace {

struct Opening {
    OpenedConnection opened;
    int status = 0;
    std::string line;
};

Opening openBy(std::vector<std::string> words) {
    CLI::App program;
    ConnectionOptions options;
    addConnectionOptions(program, options);
    std::reverse(words.begin(), words.end()); // as CLI11 takes them
    program.parse(words);
    try {
        return {openConnection(options), 0, ""};
    } catch (const Failure& failure) {
        return {{}, failure.status(), failure.lines().front()};
    }
}

} // namespace

class TestCliConnection : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;

    std::string write(const char* name, const QByteArray& text) {
        QFile file(folder_.filePath(QString::fromLatin1(name)));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
        return file.fileName().toStdString();
    }

private Q_SLOTS:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", folder_.filePath(QStringLiteral("config")).toUtf8());
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
        for (const char* variable :
             {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"})
            qunsetenv(variable);
        qputenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent/credentials");
    }

    void aUrlAlone() {
        const Opening opening = openBy({"--prometheus", "http://127.0.0.1:9090/x"});
        QCOMPARE(opening.line, std::string());
        QCOMPARE(opening.opened.connection.url, std::string("http://127.0.0.1:9090/x"));
        QCOMPARE(opening.opened.connection.authentication, Authentication::none);
    }

    void secretsFromFilesAndVariables() {
        const Opening token =
            openBy({"--prometheus", "https://h", "--token-file", write("token", "abc.def\n")});
        QCOMPARE(token.line, std::string());
        QCOMPARE(token.opened.connection.authentication, Authentication::bearer);
        QCOMPARE(token.opened.credentials.token, std::string("abc.def"));
        const Opening basic = openBy({"--prometheus", "https://h", "--user", "ada", "--password-file",
                                      write("password", "two words\r\n")});
        QCOMPARE(basic.opened.connection.authentication, Authentication::basic);
        QCOMPARE(basic.opened.credentials.password, std::string("two words"));
        qputenv("TENANT_OF_TEST", "team-7");
        const Opening header =
            openBy({"--prometheus", "https://h", "--header-env", "X-Scope-OrgID=TENANT_OF_TEST"});
        QCOMPARE(header.opened.connection.headers, std::vector<std::string>{"X-Scope-OrgID"});
        QCOMPARE(header.opened.credentials.headers.front().second, std::string("team-7"));
        qputenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
        qputenv("AWS_SECRET_ACCESS_KEY", "aws-secret");
        const Opening signs = openBy({"--prometheus", "https://h", "--sigv4-region", "us-east-1"});
        qunsetenv("AWS_ACCESS_KEY_ID");
        qunsetenv("AWS_SECRET_ACCESS_KEY");
        QCOMPARE(signs.opened.connection.region, std::string("us-east-1"));
        QCOMPARE(signs.opened.credentials.secretKey, std::string("aws-secret"));
    }

    void savedConnections() {
        QCOMPARE(
            data::saveConnections(
                {{.name = "lab", .url = "https://lab.example"},
                 {.name = "locked", .url = "https://lab.example", .authentication = Authentication::bearer}}),
            std::string());
        QCOMPARE(openBy({"--connection", "lab"}).opened.connection.url, std::string("https://lab.example"));
        const Opening unknown = openBy({"--connection", "lap"});
        QCOMPARE(unknown.status, 2);
        QVERIFY2(unknown.line.find("did you mean 'lab'?") != std::string::npos, unknown.line.c_str());
        const Opening locked = openBy({"--connection", "locked"}); // there is no keyring here
        QCOMPARE(locked.status, 1);
        QVERIFY2(locked.line.find("or give --token-file beside it") != std::string::npos,
                 locked.line.c_str());
        const Opening helped = openBy({"--connection", "locked", "--token-file", write("token", "abc")});
        QCOMPARE(helped.line, std::string());
        QCOMPARE(helped.opened.credentials.token, std::string("abc"));
    }

    void refuses_data() {
        QTest::addColumn<std::vector<std::string>>("words");
        QTest::addColumn<std::string>("line");
        using Words = std::vector<std::string>;
        const std::string token = write("one", "t\n");
        QTest::newRow("no server") << Words{} << std::string("--prometheus: no server is named");
        QTest::newRow("password in URL")
            << Words{"--prometheus", "http://u:SECRET1@h"}
            << std::string("--prometheus: the URL holds a user name or a password");
        QTest::newRow("no URL") << Words{"--prometheus", "h:9090"} << std::string("--prometheus: ");
        QTest::newRow("token as argument") << Words{"--prometheus", "http://h", "--token-file", "SECRET1"}
                                           << std::string("--token-file: there is no such file");
        QTest::newRow("value as variable")
            << Words{"--prometheus", "http://h", "--header-env", "X-Key=SECRET1"}
            << std::string("--header-env: the environment variable for the header 'X-Key' is not set");
        QTest::newRow("header without variable")
            << Words{"--prometheus", "http://h", "--header-env", "SECRET1"}
            << std::string("--header-env: takes NAME=ENVVAR");
        QTest::newRow("header of the program")
            << Words{"--prometheus", "http://h", "--header-env", "Host=HOME"}
            << std::string("--header-env: the header 'Host'");
        QTest::newRow("empty file") << Words{"--prometheus", "http://h", "--token-file", write("empty", "\n")}
                                    << std::string("--token-file: the file is empty");
        QTest::newRow("two lines") << Words{"--prometheus", "http://h", "--token-file",
                                            write("two", "SECRET1\nb\n")}
                                   << std::string("--token-file: the file has more than one line");
        QTest::newRow("user alone") << Words{"--prometheus", "http://h", "--user", "ada"}
                                    << std::string("--user: needs a password");
        QTest::newRow("password alone") << Words{"--prometheus", "http://h", "--password-file", token}
                                        << std::string("--password-file: needs a user name");
        QTest::newRow("two ways") << Words{"--prometheus", "http://h", "--token-file", token, "--user", "ada"}
                                  << std::string("--token-file: cannot be used with --user");
        QTest::newRow("region") << Words{"--prometheus", "http://h", "--sigv4-region", "US East"}
                                << std::string("--sigv4-region: a signature needs the region");
        QTest::newRow("no keys") << Words{"--prometheus", "http://h", "--sigv4-region", "us-east-1"}
                                 << std::string("--sigv4-region: no AWS keys");
        QTest::newRow("no CA") << Words{"--prometheus", "https://h", "--ca", "/nonexistent.pem"}
                               << std::string("--ca: /nonexistent.pem: there is no such file");
        QTest::newRow("CA is not PEM")
            << Words{"--prometheus", "https://h", "--ca", token} << std::string("--ca: ");
        QTest::newRow("both") << Words{"--prometheus", "https://h", "--connection", "lab"}
                              << std::string("--prometheus: cannot be used with --connection");
    }
    void refuses() {
        QFETCH(std::vector<std::string>, words);
        QFETCH(std::string, line);
        const Opening opening = openBy(words);
        QCOMPARE(opening.status, 2);
        QVERIFY2(opening.line.starts_with(line), opening.line.c_str());
        QVERIFY2(opening.line.find("SECRET1") == std::string::npos, opening.line.c_str());
    }
};

QTEST_GUILESS_MAIN(TestCliConnection)

} // namespace tst_cli_connection

#include "tst_cli_connection.moc"
