// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// alidade health and watch, against a real Prometheus with the history of a simulated cluster.
#include "data/catalog/mapping_json.h"
#include "data/catalog/policy_json.h"
#include "data/json/json.h"
#include "data/observation/collect.h"
#include "tests/app/program.h"
#include "tests/cluster/prometheus_server.h"
#include "tests/cluster/simulated_cluster.h"
#include "views/live/live_state.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

namespace tst_cli_health {

using namespace alidade;
using alidade::test::Outcome;
using alidade::test::Program;
using Json = nlohmann::json;

namespace {

QString seconds(double time) { return QString::number(time, 'f', 0); }

/// Bytes that a server has sent as answers to queries over a time, by its own count.
double bytesOfRanges(const tests::PrometheusServer& server) {
    QProcess python;
    python.start(
        QStringLiteral("python3"),
        {QStringLiteral("-c"),
         QStringLiteral("import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())"),
         QString::fromStdString(server.url()) + QStringLiteral("/metrics")});
    python.waitForFinished();
    const QByteArray name = "prometheus_http_response_size_bytes_sum{handler=\"/api/v1/query_range\"} ";
    for (const QByteArray& line : python.readAllStandardOutput().split('\n'))
        if (line.startsWith(name))
            return line.mid(name.size()).toDouble();
    return 0;
}

bool names(const Json& findings, const char* fault) {
    return std::ranges::any_of(findings, [&](const Json& each) { return each.at("fault") == fault; });
}

} // namespace

class TestCliHealth : public QObject {
    Q_OBJECT

    /// What the Live page collects of a job; without a name, of everything.
    Result<Observation> collected(const std::string& job) const {
        data::Connection connection;
        connection.url = server_->url();
        data::HttpExchange exchange(connection, {});
        data::PrometheusApi api(exchange);
        const double start = cluster_->start(), end = cluster_->end() - 30;
        const auto mapping = data::detectMapping(api, data::metricPresets(), start, end);
        if (!mapping)
            return Error{"the metrics of the server are not recognized"};
        return data::collectObservation(api, *mapping,
                                        {.grid = data::alignedGrid(start, end, 30), .job = job, .only = {}});
    }

private slots:
    void initTestCase() {
        for (const QString& why : {tests::PrometheusServer::missing(), tests::SimulatedCluster::missing()})
            if (!why.isEmpty())
                QFAIL(qPrintable(why));
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
        const auto observation = collected("llama70b-pretrain");
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

    /// All nodes, as the Live page judges them: with the spare that lost a GPU, which no job has.
    void allIsTheWindowsEverything() {
        auto observation = collected({});
        QVERIFY(observation);
        views::LiveResult page;
        page.observation = std::make_shared<const Observation>(*std::move(observation));
        const auto& policies = data::shippedHealthPolicies();
        views::judgeLive(page, {policies.front(), policies, nullptr});

        const Json answer =
            Json::parse(run({QStringLiteral("health"), QStringLiteral("--all"), QStringLiteral("--json")})
                            .out.toStdString());
        QVERIFY(answer.at("job").is_null());
        QCOMPARE(answer.at("findings").size(), page.findings.size());
        for (std::size_t i = 0; i < page.findings.size(); ++i) {
            const Json& shown = answer.at("findings").at(i);
            QCOMPARE(shown.at("title").get<std::string>(), page.findings[i].title);
            QCOMPARE(shown.at("host").is_null() ? "" : shown.at("host").get<std::string>(),
                     page.findings[i].where.host);
            QCOMPARE(shown.at("start_s").get<double>(), page.findings[i].start);
        }
        const std::string lost(faultName(FaultKind::missingGpu));
        const auto spare = std::ranges::find_if(answer.at("findings"),
                                                [&](const Json& each) { return each.at("fault") == lost; });
        QVERIFY(spare != answer.at("findings").end());
        QCOMPARE(spare->at("gpu").get<int>(), 6);
        const Json job =
            Json::parse(run({QStringLiteral("health"), QStringLiteral("--json")}).out.toStdString());
        QVERIFY(!names(job.at("findings"), lost.c_str()));
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
        for (const Json& finding : answer.at("findings"))
            anyPrice |= finding.at("cost").is_object() && finding.at("cost").at("usd").is_number();
        QVERIFY(anyPrice);
    }

    void ownPoliciesJudge() {
        std::vector<HealthPolicy> own{data::shippedHealthPolicies().front()};
        own.front().id = "strict";
        own.front().name = "Strict";
        for (HealthRule& rule : own.front().rules)
            rule.action = HealthAction::replaceNode;
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

    void watchAsksForWhatIsNew() {
        const auto bytesOf = [this](const char* time) {
            const double before = bytesOfRanges(*server_);
            const Outcome outcome =
                run({QStringLiteral("watch"), QStringLiteral("--interval"), QStringLiteral("1s"),
                     QStringLiteral("--for"), QString::fromLatin1(time)});
            return outcome.status == 0 ? bytesOfRanges(*server_) - before : -1;
        };
        const double once = bytesOf("1s"), often = bytesOf("5s");
        QVERIFY(once > 100'000);
        QVERIFY(often > once); // the server was asked again
        QVERIFY2(often < 1.5 * once, QByteArray::number(often / once));
    }

    /// Two engines and no training: neither of them alone is what a person asks for who names none.
    void severalJobsOfAKindAreJudgedTogether() {
        tests::ClusterOptions options;
        options.nodes = 3;
        options.faults = false;
        options.config = {{"serving_nodes", 2},
                          {"spare_nodes", 0},
                          {"serving", {{"engines", {"vllm", "sglang"}}}},
                          {"exporters", {{"without_jobs", {"training"}}, {"hpc_job", ""}}}};
        const tests::SimulatedCluster cluster(options);
        QVERIFY2(cluster.error().isEmpty(), qPrintable(cluster.error()));
        const tests::PrometheusServer server({.blocks = cluster.blocks()});
        QVERIFY2(server.error().isEmpty(), qPrintable(server.error()));
        const QStringList where{QStringLiteral("--prometheus"), QString::fromStdString(server.url()),
                                QStringLiteral("--start"),      seconds(cluster.start()),
                                QStringLiteral("--end"),        seconds(cluster.end() - 30),
                                QStringLiteral("--json")};
        const Outcome all = program_.run(QStringList{QStringLiteral("health")} + where);
        QVERIFY2(all.status == 0, all.err.constData());
        QVERIFY(Json::parse(all.out.toStdString()).at("job").is_null());
        const Json metrics =
            Json::parse(program_.run(QStringList{QStringLiteral("metrics")} + where).out.toStdString());
        QCOMPARE(metrics.at("jobs").size(), std::size_t{2});
        for (const Json& job : metrics.at("jobs")) {
            const std::string name = job.at("job").get<std::string>();
            const Outcome one =
                program_.run(QStringList{QStringLiteral("health")} + where +
                             QStringList{QStringLiteral("--job"), QString::fromStdString(name)});
            QVERIFY2(one.status == 0, one.err.constData());
            QCOMPARE(Json::parse(one.out.toStdString()).at("job").get<std::string>(), name);
        }
    }

    void timesWithoutDataAreSaid() {
        tests::ClusterOptions options;
        options.nodes = 4;
        options.hours = 1;
        options.faults = false;
        options.config = {{"collection", {{"gaps", {{900, 2700}}}}}};
        const tests::SimulatedCluster cluster(options);
        QVERIFY2(cluster.error().isEmpty(), qPrintable(cluster.error()));
        const tests::PrometheusServer server({.blocks = cluster.blocks()});
        QVERIFY2(server.error().isEmpty(), qPrintable(server.error()));
        const auto ask = [&](const char* command, double from, double to, const QStringList& more = {}) {
            return program_.run(QStringList{QString::fromLatin1(command), QStringLiteral("--prometheus"),
                                            QString::fromStdString(server.url()), QStringLiteral("--start"),
                                            seconds(cluster.start() + from), QStringLiteral("--end"),
                                            seconds(cluster.start() + to), QStringLiteral("--step"),
                                            QStringLiteral("30s")} +
                                more);
        };
        const QStringList json{QStringLiteral("--json")};
        const QStringList once{QStringLiteral("--for"), QStringLiteral("1s")};
        for (const char* command : {"health", "metrics"}) {
            const Outcome text = ask(command, 0, 3570);
            QCOMPARE(text.status, 0);
            QVERIFY2(text.out.contains("No data for 29 min"), text.out.constData());
            const Json answer = Json::parse(ask(command, 0, 3570, json).out.toStdString());
            QCOMPARE(answer.at("gaps").size(), std::size_t{1});
            QVERIFY(std::abs(answer.at("gaps").at(0).at("start_s").get<double>() - cluster.start() - 900) <=
                    120);
            QVERIFY(std::abs(answer.at("gaps").at(0).at("end_s").get<double>() - cluster.start() - 2700) <=
                    120);

            // A time without any sample is not a healthy one.
            const Outcome none = ask(command, 1500, 2400);
            QCOMPARE(none.status, 1);
            QVERIFY2(none.out.contains("No data"), none.out.constData());
            const Json nothing = Json::parse(ask(command, 1500, 2400, json).out.toStdString());
            QVERIFY(std::abs(nothing.at("newest_s").get<double>() - cluster.start() - 900) <= 120);
        }
        QVERIFY(Json::parse(ask("health", 1500, 2400, json).out.toStdString()).at("failed").get<bool>());
        const Outcome quiet = ask("health", 0, 870, json);
        QCOMPARE(quiet.status, 0);
        QVERIFY(Json::parse(quiet.out.toStdString()).at("gaps").empty());

        const Outcome watched = ask("watch", 0, 3570, json + once);
        QCOMPARE(watched.status, 0);
        const Json line = Json::parse(watched.out.split('\n').front().toStdString());
        QCOMPARE(line.at("change"), "new");
        QCOMPARE(line.at("fault"), "no_data");
        const Outcome silent = ask("watch", 1500, 2400, once);
        QCOMPARE(silent.status, 1);
        QVERIFY2(silent.said().contains(QStringLiteral("the newest sample is from")), silent.err.constData());
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
        row("no job", {QStringLiteral("--job"), QString()}, 2, "use --all for everything");
        row("job and all",
            {QStringLiteral("--all"), QStringLiteral("--job"), QStringLiteral("llama70b-pretrain")}, 2,
            "--all and --job cannot be combined");
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
        if (!arguments.contains(QStringLiteral("--start")))
            all << QStringLiteral("--start") << QString::number(cluster_->start(), 'f', 0);
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
