// SPDX-License-Identifier: GPL-3.0-or-later
// alidade fleet and alidade traffic, as scripts call them.
#include "data/fleet/fleet_file.h"
#include "data/json/json.h"
#include "tests/app/program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace tst_cli_fleet {

using alidade::test::Outcome;
using alidade::test::Program;
using Json = nlohmann::json;

namespace {

Outcome run(const char* command, const QStringList& arguments) {
    return Program().run(QStringList{QString::fromLatin1(command)} + arguments);
}

const QString asJson = QStringLiteral("--json");
const QString sample = QStringLiteral("chat-reasoning-batch");

} // namespace

class TestCliFleet : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QString written(const char* name, const std::string& content) {
        const QString path = folder_.filePath(QString::fromLatin1(name));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content.c_str()) < 0)
            qFatal("no file");
        return path;
    }

    /// Two hours of one request a second.
    QString trace() {
        std::string text = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
        for (int i = 0; i < 7200; ++i) {
            char line[64];
            std::snprintf(line, sizeof line, "2023-11-16 %02d:%02d:%02d.0000000,%d,100\n", 8 + i / 3600,
                          i / 60 % 60, i % 60, 1000 + i % 2);
            text += line;
        }
        return written("trace.csv", text);
    }

private slots:
    void theShippedFleet() {
        const QString out = folder_.filePath(QStringLiteral("plan.json"));
        const Outcome answer = run("fleet", {sample, asJson, QStringLiteral("-o"), out});
        QVERIFY2(answer.status == 0, answer.err.constData());
        QVERIFY(answer.err.isEmpty());
        const Json plan = Json::parse(answer.out.toStdString());
        QVERIFY(plan.at("feasible").get<bool>());
        const Json& best = plan.at("best");
        QCOMPARE(best.at("services").size(), std::size_t{3});
        double lines = 0;
        for (const Json& pool : best.at("pools")) {
            QCOMPARE(pool.at("instances_per_hour").size(), std::size_t{168});
            for (const Json& line : pool.at("lines"))
                lines += line.at("dollars").get<double>();
        }
        QVERIFY(std::abs(lines - best.at("dollars_per_month").get<double>()) < 0.005);
        QVERIFY(plan.at("second").at("more_dollars_per_month").get<double>() >= 0);
        for (const Json& service : best.at("services")) {
            QVERIFY(service.at("peak").at("ttft_s") <= service.at("ttft_slo_s"));
            QVERIFY(service.at("peak").at("itl_s") <= service.at("itl_slo_s"));
            QVERIFY(service.at("on_time").at("share") >= service.at("on_time").at("target"));
        }
        int outdone = 0;
        for (const Json& each : plan.at("rejected")) {
            if (each.at("why") ==
                "another layout carries as much") { // the detail says which, and by how much
                ++outdone;
                QVERIFY(each.at("detail").get<std::string>().find(" requests/s per GPU, against ") !=
                        std::string::npos);
            }
        }
        QVERIFY(outdone > 0);
        QFile file(out);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), answer.out);
        const Outcome page = run("fleet", {sample});
        QCOMPARE(page.status, 0);
        for (const char* word : {"all targets met", "reasoning", "Bill of a month", "next best plan"})
            QVERIFY2(page.out.contains(word), word);
    }

    void aTraceIsDescribedAndReplayed() {
        const QString file = trace(), profile = folder_.filePath(QStringLiteral("profile.json"));
        const Outcome told = run("traffic", {file, asJson, QStringLiteral("-o"), profile});
        QVERIFY2(told.status == 0, told.err.constData());
        const Json found = Json::parse(told.out.toStdString());
        QCOMPARE(found.at("requests").get<int>(), 7200);
        QCOMPARE(found.at("input_tokens").at("mean").get<double>(), 1000.5);
        QVERIFY(found.at("arrival_cv").get<double>() < 1e-3);
        QCOMPARE(found.at("hourly_requests_per_s").size(), std::size_t{2});
        const Json pools = Json::parse(
            R"([{"name": "a", "instance": "p5.4xlarge", "instances": 4, "region": "us-east-1"}])");
        const auto fleet = [&](const char* key, const char* name) {
            return Json{{"alidade", 1},
                        {"fleet",
                         {{"services",
                           {{{"name", "s"},
                             {"scenario", "serve-llama-3.1-8b-1xp5.4xlarge"},
                             {"traffic", {{key, name}}},
                             {"targets", {{"ttft_slo_s", 1}, {"itl_slo_s", 0.05}}}}}},
                          {"pools", pools}}}}
                .dump();
        };
        const QString traced = written("traced.json", fleet("trace", "trace.csv"));
        const Outcome replayed = run("fleet", {traced, QStringLiteral("--replay"), asJson});
        QVERIFY2(replayed.status == 0, replayed.err.constData());
        const Json answer = Json::parse(replayed.out.toStdString());
        const Json& replay = answer.at("replay").at(0);
        QCOMPARE(replay.at("requests").get<int>(), 7200);
        QVERIFY(replay.at("meets_targets").get<bool>());
        QCOMPARE(replay.at("hours").size(), std::size_t{2});
        // The profile that was written is the traffic of the trace.
        const Outcome typed = run("fleet", {written("typed.json", fleet("profile", "profile.json")), asJson});
        QVERIFY2(typed.status == 0, typed.err.constData());
        QCOMPARE(Json::parse(typed.out.toStdString()).at("best").at("dollars_per_month"),
                 answer.at("best").at("dollars_per_month"));
        const Outcome nothing =
            run("fleet", {folder_.filePath(QStringLiteral("typed.json")), QStringLiteral("--replay")});
        QCOMPARE(nothing.status, 2);
        QVERIFY(nothing.out.isEmpty());
        QVERIFY2(nothing.said().contains(QStringLiteral("--replay: no service")), nothing.err.constData());
    }

    void theListNamesEachShippedFleet() {
        const Outcome list = run("fleet", {QStringLiteral("--list"), asJson});
        QVERIFY2(list.status == 0, list.err.constData());
        const Json fleets = Json::parse(list.out.toStdString());
        QVERIFY(!fleets.empty());
        for (const Json& each : fleets) {
            const QString id = QString::fromStdString(each.at("id").get<std::string>());
            QCOMPARE(run("traffic", {id}).status, 0);
        }
        QCOMPARE(run("fleet", {QStringLiteral("--list"), sample}).status, 2);
    }

    void theCatalogKnowsFleets() {
        const QString fleets = QStringLiteral("fleets");
        const Outcome list = run("catalog", {QStringLiteral("list"), fleets, asJson});
        QVERIFY2(list.status == 0, list.err.constData());
        QCOMPARE(list.out, run("fleet", {QStringLiteral("--list"), asJson}).out);
        const Outcome shown = run("catalog", {QStringLiteral("show"), fleets, sample});
        QVERIFY2(shown.status == 0, shown.err.constData());
        QVERIFY(Json::parse(shown.out.toStdString()).contains("fleet"));
        const Outcome wrong = run("catalog", {QStringLiteral("list"), QStringLiteral("fleet")});
        QCOMPARE(wrong.status, 2);
        QVERIFY2(wrong.said().contains(QStringLiteral("did you mean 'fleets'")), wrong.err.constData());
    }

    /// The window would open it, so that only the display is missing.
    void aFleetIsOpenedByTheWindow() {
        Program program;
        program.unset("DISPLAY");
        const auto text = alidade::data::sampleFleet("chat-reasoning-batch");
        for (const QString& each : {sample, written("mine.json", *text)}) {
            const Outcome outcome = program.run({each});
            QCOMPARE(outcome.status, 1);
            QVERIFY2(outcome.said().startsWith(QStringLiteral("alidade: there is no display")) ||
                         outcome.said().startsWith(QStringLiteral("there is no display")),
                     outcome.err.constData());
        }
        const Outcome broken = program.run({written("wrong.json", "{\"alidade\": 1, \"fleet\": {}}")});
        QCOMPARE(broken.status, 2);
        QVERIFY2(broken.said().contains(QStringLiteral("wrong.json:/fleet")), broken.err.constData());
    }

    void aFleetThatCannotBeIsAnAnswer() {
        Json fleet = Json::parse(R"({"alidade": 1, "fleet": {
            "services": [{"name": "s", "scenario": "serve-llama-3.1-8b-1xp5.4xlarge",
                          "traffic": {"peak_requests_per_s": 10}, "targets": {"ttft_slo_s": 0.0001}}],
            "pools": [{"name": "a", "instance": "p5.4xlarge", "instances": 4}]}})");
        const Outcome answer = run("fleet", {written("never.json", fleet.dump()), asJson});
        QVERIFY2(answer.status == 0, answer.err.constData());
        const Json said = Json::parse(answer.out.toStdString());
        QVERIFY(!said.at("feasible").get<bool>());
        QVERIFY(said.at("best").is_null());
        QCOMPARE(said.at("rejected").at(0).at("why").get<std::string>(),
                 std::string("misses TTFT at any load"));
    }

    void wrongRequests_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const QStringList& arguments, const char* says) {
            QTest::newRow(name) << arguments << QString::fromLatin1(says);
        };
        const QString fleet = QStringLiteral("fleet"), traffic = QStringLiteral("traffic");
        row("no such fleet", {fleet, QStringLiteral("chat-reasoning-bach")}, "did you mean");
        row("a broken file", {fleet, written("broken.json", "{\"alidade\": 1, \"fleet\": {}}")},
            "broken.json:/fleet");
        row("routing",
            {fleet, sample, QStringLiteral("--replay"), QStringLiteral("--routing"),
             QStringLiteral("random")},
            "--routing: unknown routing");
        row("suffix", {fleet, sample, QStringLiteral("-o"), QStringLiteral("/tmp/plan.txt")}, "-o: ");
        row("an unknown machine",
            {fleet, written("machine.json", R"({"alidade": 1, "fleet": {"services": [{"name": "s",
                "scenario": "serve-llama-3.1-8b-1xp5.4xlarge", "traffic": {"peak_requests_per_s": 1}}],
                "pools": [{"name": "a", "instance": "p7.48xlarge", "instances": 1}]}})")},
            "machine.json:/fleet/pools/0/instance");
        row("a training scenario",
            {fleet, written("training.json", R"({"alidade": 1, "fleet": {"services": [{"name": "s",
                "scenario": "llama-3.1-8b-1xp5.4xlarge", "traffic": {"peak_requests_per_s": 1}}],
                "pools": [{"name": "a", "instance": "p5.48xlarge", "instances": 1}]}})")},
            "training.json:/fleet/services/0/scenario");
        row("no trace", {traffic, QStringLiteral("/no/such/file")}, "/no/such/file");
        row("no fleet", {fleet}, "--list");
        row("nothing", {traffic}, "--prometheus");
        row("a bad line", {traffic, written("bad.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\nx,1,2\n")},
            "bad.csv:2: ");
        row("cache",
            {traffic,
             written("good.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                                 "2023-11-16 08:00:00,1,2\n"),
             QStringLiteral("--cache"), QStringLiteral("much")},
            "--cache");
    }
    void wrongRequests() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const Outcome outcome = Program().run(arguments);
        QCOMPARE(outcome.status, 2);
        QVERIFY(outcome.out.isEmpty());
        QVERIFY2(outcome.said().contains(says), outcome.err.constData());
        QVERIFY2(outcome.said().contains(QStringLiteral("; ")), outcome.err.constData());
    }

    void theTraceIsNotOverwritten() {
        const QString file =
            written("named.json", R"({"timestamp": 0, "input_length": 5, "output_length": 2})");
        const Outcome outcome = run("traffic", {file, QStringLiteral("-o"), file});
        QCOMPARE(outcome.status, 2);
        QVERIFY(outcome.out.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestCliFleet)

} // namespace tst_cli_fleet

#include "tst_cli_fleet.moc"
