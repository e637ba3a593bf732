// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// alidade health and watch, against a real Prometheus with the history of a simulated cluster.
#include "data/catalog/mapping_json.h"
#include "data/catalog/policy_json.h"
#include "data/observation/collect.h"
#include "tests/app/program.h"
#include "tests/cluster/prometheus_server.h"
#include "tests/cluster/simulated_cluster.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <memory>
#include <set>

namespace tst_cli_health {

using namespace alidade;
using alidade::test::Outcome;
using alidade::test::Program;
using Json = nlohmann::json;

class TestCliHealth : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        for (const QString& why : {tests::PrometheusServer::missing(), tests::SimulatedCluster::missing()}) {
            if (!why.isEmpty()) {
                QFAIL(qPrintable(why));
            }
        }
        tests::ClusterOptions options;
        options.nodes = 16;
        options.hours = 2;
        cluster_ = std::make_unique<tests::SimulatedCluster>(options);
        QVERIFY2(cluster_->error().isEmpty(), qPrintable(cluster_->error()));
        server_ = std::make_unique<tests::PrometheusServer>(
            tests::PrometheusOptions{.blocks = cluster_->blocks(), .config = {}, .flags = {}});
        QVERIFY2(server_->error().isEmpty(), qPrintable(server_->error()));
    }
    void cleanupTestCase() { server_.reset(); }

    /// The same findings as the Live page, which judges what is collected by the same rules.
    void findsWhatTheWindowFinds() {
        data::Connection connection;
        connection.url = server_->url();
        data::HttpExchange exchange(connection, {});
        data::PrometheusApi api(exchange);
        const double start = cluster_->start(), end = cluster_->end() - 30;
        const auto mapping = data::detectMapping(api, data::metricPresets(), start, end);
        QVERIFY(mapping);
        const auto observation = data::collectObservation(
            api, *mapping,
            {.grid = data::alignedGrid(start, end, 30), .job = "llama70b-pretrain", .only = {}});
        QVERIFY(observation);
        const auto& policies = data::shippedHealthPolicies();
        const std::vector<Finding> findings = judgeHealth(*observation, policies.front(), policies);
        QVERIFY(findings.size() >= 5);
        const Outcome outcome = run({QStringLiteral("health"), QStringLiteral("--json")});
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        const Json answer = Json::parse(outcome.out.toStdString());
        QCOMPARE(answer.at("job"), "llama70b-pretrain");
        QCOMPARE(answer.at("findings").size(), findings.size());
        for (std::size_t i = 0; i < findings.size(); ++i) {
            const Json& shown = answer.at("findings").at(i);
            QCOMPARE(shown.at("title").get<std::string>(), findings[i].title);
            QCOMPARE(shown.at("evidence").get<std::string>(), findings[i].evidence);
            QCOMPARE(shown.at("start_s").get<double>(), findings[i].start);
            QCOMPARE(shown.at("action").get<std::string>(), std::string(actionName(findings[i].action)));
        }
    }

    void statusFollowsTheLevel_data() {
        QTest::addColumn<QString>("level");
        QTest::addColumn<int>("status");
        QTest::newRow("now") << QStringLiteral("now") << 0; // the faults only ask for restarts
        QTest::newRow("soon") << QStringLiteral("soon") << 3;
        QTest::newRow("watch") << QStringLiteral("watch") << 3;
    }
    void statusFollowsTheLevel() {
        QFETCH(QString, level);
        const Outcome outcome = run({QStringLiteral("health"), QStringLiteral("--fail-on"), level});
        QTEST(outcome.status, "status");
        QVERIFY(outcome.out.contains("Job: hang, then restart") && outcome.out.contains("XID 94"));
        const Outcome json =
            run({QStringLiteral("health"), QStringLiteral("--fail-on"), level, QStringLiteral("--json")});
        QCOMPARE(Json::parse(json.out.toStdString()).at("failed").get<bool>(), outcome.status == 3);
    }

    void aPlanGivesThePrice() {
        const Outcome outcome =
            run({QStringLiteral("health"), QStringLiteral("--json"), QStringLiteral("--plan"),
                 QStringLiteral("llama-3.1-70b-64xp5.48xlarge")});
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        bool anyPrice = false;
        const Json answer = Json::parse(outcome.out.toStdString());
        for (const Json& finding : answer.at("findings")) {
            anyPrice |= finding.at("cost").is_object() && finding.at("cost").at("usd").is_number();
        }
        QVERIFY(anyPrice);
    }

    void ownPoliciesJudge() {
        std::vector<HealthPolicy> own{data::shippedHealthPolicies().front()};
        own.front().id = "strict";
        own.front().name = "Strict";
        for (HealthRule& rule : own.front().rules) {
            rule.action = HealthAction::replaceNode;
        }
        const QString file = folder_.filePath(QStringLiteral("strict.json"));
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(QByteArray::fromStdString(data::writeHealthPolicies(own)));
        out.close();
        for (const QString& policy : {file, QString(file + QStringLiteral("#strict"))}) {
            const Outcome outcome = run({QStringLiteral("health"), QStringLiteral("--policy"), policy});
            QVERIFY2(outcome.status == 3, outcome.err.constData()); // replacing is urgent
            QVERIFY(outcome.out.contains("Strict"));
        }
    }

    void watchPrintsChangesOnce() {
        const Outcome outcome =
            run({QStringLiteral("watch"), QStringLiteral("--interval"), QStringLiteral("1s"),
                 QStringLiteral("--for"), QStringLiteral("3s"), QStringLiteral("--json"),
                 QStringLiteral("--fail-on"), QStringLiteral("soon")});
        QVERIFY2(outcome.status == 3, outcome.err.constData());
        std::set<std::string> titles;
        int lines = 0;
        for (const QByteArray& line : outcome.out.trimmed().split('\n')) {
            const Json change = Json::parse(line.toStdString());
            QCOMPARE(change.at("change"), "new"); // a history does not change
            titles.insert(change.at("title").get<std::string>());
            ++lines;
        }
        QVERIFY(lines >= 5);
        QCOMPARE(static_cast<int>(titles.size()), lines);
    }

    void saysWhatIsWrong_data() {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const QStringList& more, int status, const char* said) {
            QTest::newRow(name) << more << status << QString::fromLatin1(said);
        };
        row("level", {QStringLiteral("--fail-on"), QStringLiteral("sonn")}, 2, "did you mean 'soon'?");
        row("policy", {QStringLiteral("--policy"), QStringLiteral("nvidi")}, 2, "did you mean 'nvidia'?");
        row("job", {QStringLiteral("--job"), QStringLiteral("llama70b")}, 2,
            "did you mean 'llama70b-pretrain'?");
        row("plan", {QStringLiteral("--plan"), QStringLiteral("none")}, 2, "none");
        row("range", {QStringLiteral("--start"), QStringLiteral("now")}, 2, "--start");
    }
    void saysWhatIsWrong() {
        QFETCH(QStringList, more);
        QFETCH(QString, said);
        const Outcome outcome = run(QStringList{QStringLiteral("health")} + more);
        QTEST(outcome.status, "status");
        QVERIFY2(outcome.said().contains(said), outcome.err.constData());
        QCOMPARE(outcome.out, QByteArray());
    }

    void aSilentServerIsTheEnvironmentsFault() {
        for (const char* command : {"health", "watch"}) {
            const Outcome outcome =
                program_.run({QString::fromLatin1(command), QStringLiteral("--prometheus"),
                              QStringLiteral("http://127.0.0.1:1")});
            QCOMPARE(outcome.status, 1);
        }
    }

private:
    Outcome run(const QStringList& arguments) const {
        QStringList all{arguments.front(),
                        QStringLiteral("--prometheus"),
                        QString::fromStdString(server_->url()),
                        QStringLiteral("--end"),
                        QString::number(cluster_->end() - 30, 'f', 0),
                        QStringLiteral("--step"),
                        QStringLiteral("30s")};
        if (!arguments.contains(QStringLiteral("--start"))) {
            all << QStringLiteral("--start") << QString::number(cluster_->start(), 'f', 0);
        }
        return program_.run(all + arguments.mid(1));
    }

    QTemporaryDir folder_;
    Program program_;
    std::unique_ptr<tests::SimulatedCluster> cluster_;
    std::unique_ptr<tests::PrometheusServer> server_;
};

QTEST_GUILESS_MAIN(TestCliHealth)

} // namespace tst_cli_health

#include "tst_cli_health.moc"
