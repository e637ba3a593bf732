// SPDX-License-Identifier: GPL-3.0-or-later
// `alidade metrics` against a real Prometheus with the history of a simulated cluster.
#include "data/json/json.h"
#include "tests/app/program.h"
#include "tests/cluster/prometheus_server.h"
#include "tests/cluster/simulated_cluster.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

namespace tst_cli_metrics {

using namespace alidade::test;
using alidade::tests::PrometheusServer;
using alidade::tests::SimulatedCluster;

using Json = nlohmann::json;

namespace {

/// A certificate of an authority that signed nothing.
constexpr auto authority = R"(-----BEGIN CERTIFICATE-----
MIIBmTCCAT+gAwIBAgIUdmuQ4zZCK4Wf+HVFNGY1HeJVkw4wCgYIKoZIzj0EAwIw
ITEfMB0GA1UEAwwWQWxpZGFkZSB0ZXN0IGF1dGhvcml0eTAgFw0yNjExMjYyMDU1
MDNaGA8yMTI2MTEwMjIwNTUwM1owITEfMB0GA1UEAwwWQWxpZGFkZSB0ZXN0IGF1
dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAHSgRYKVhQCMNUnb0sp
usNHhijvhqoMYrQVU0h/mpc4w0oXN20n7vWfytllIxnLTLs33tjHEcZa/nJSXZIS
88CjUzBRMB0GA1UdDgQWBBTKo1dSHoePFD7OiBPXQM9SRmXvdTAfBgNVHSMEGDAW
gBTKo1dSHoePFD7OiBPXQM9SRmXvdTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49
BAMCA0gAMEUCIQCM1qGnD/p+x1ZeNtskE2eqsLbrtjGi4aBG5NiUxjxemgIgdlHT
k9MRlvPqgmgeiJRB9tOJFRVqMo9j/weydktcyX0=
-----END CERTIFICATE-----
)";

} // namespace

class CliMetricsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<SimulatedCluster> cluster_;
    std::unique_ptr<PrometheusServer> server_;
    Program program_;

    /// The history of the first half hour, and what else is asked.
    Outcome run(const QStringList& more = {}) const {
        return program_.run(QStringList{QStringLiteral("metrics"), QStringLiteral("--prometheus"),
                                        QString::fromStdString(server_->url()), QStringLiteral("--start"),
                                        QString::number(cluster_->start(), 'f', 0), QStringLiteral("--end"),
                                        QString::number(cluster_->end() - 15, 'f', 0),
                                        QStringLiteral("--step"), QStringLiteral("30s")} +
                            more);
    }

    static Json signal(const Json& answer, const std::string& id, const std::string& statistic = "value") {
        for (const Json& each : answer["signals"])
            if (each["id"] == id && each["statistic"] == statistic)
                return each;
        return nullptr;
    }

private Q_SLOTS:
    void initTestCase() {
        for (const QString& missing : {PrometheusServer::missing(), SimulatedCluster::missing()})
            if (!missing.isEmpty())
                QFAIL(qPrintable(missing));
        cluster_ = std::make_unique<SimulatedCluster>();
        QVERIFY2(cluster_->error().isEmpty(), qPrintable(cluster_->error()));
        server_ = std::make_unique<PrometheusServer>(
            alidade::tests::PrometheusOptions{.blocks = cluster_->blocks()});
        QVERIFY2(server_->error().isEmpty(), qPrintable(server_->error()));
    }
    void cleanupTestCase() { server_.reset(); }

    void whatIsMeasuredIsPrinted() {
        const Outcome outcome = run();
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        QCOMPARE(outcome.err, QByteArray());
        for (const char* part :
             {"Prometheus 2.", "2026-01-01T00:00:00Z to 2026-01-01T00:29:30Z, 60 points every 30 s", "Power",
              "DCGM_FI_DEV_POWER_USAGE", "Step time"}) {
            QVERIFY2(outcome.out.contains(part), outcome.out.constData());
        }
    }

    void certificatesToTrustAreNoOccasionForWarnings() {
        QTemporaryFile file;
        QVERIFY(file.open());
        file.write(authority);
        file.close();
        const Outcome outcome = run({QStringLiteral("--ca"), file.fileName()});
        QCOMPARE(outcome.err, QByteArray());
        QCOMPARE(outcome.status, 0);
        const Outcome wrong = run({QStringLiteral("--ca"), QStringLiteral("/proc/self/status")});
        QCOMPARE(wrong.status, 2);
        QCOMPARE(wrong.err.count('\n'), 1);
    }

    void countsAreWhole() {
        const Json answer = Json::parse(run({QStringLiteral("--json")}).out.toStdString());
        const Json ecc = signal(answer, "ecc_single_bit");
        QVERIFY(ecc["sum"].get<double>() >= 1);
        for (const Json& each : answer["signals"]) {
            if (each.contains("sum")) {
                const double sum = each["sum"].get<double>();
                QVERIFY2(sum == std::floor(sum), each.dump().c_str());
            }
        }
    }

    void theJsonHoldsTheTruth() {
        const Outcome outcome = run({QStringLiteral("--json")});
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        const Json answer = Json::parse(outcome.out.toStdString());
        QCOMPARE(answer["application"], "Prometheus");
        QCOMPARE(answer["start_s"].get<double>(), cluster_->start());
        QCOMPARE(answer["step_s"], 30);
        const Json power = signal(answer, "gpu_power");
        QCOMPARE(power["rows"], 32);
        QCOMPARE(power["unit"], "W");
        QVERIFY(power["mean"] > 100 && power["mean"] < 700);
        QCOMPARE(power["metric"], "DCGM_FI_DEV_POWER_USAGE");
        QVERIFY(!power["expression"].get<std::string>().empty());
        QVERIFY(signal(answer, "sm_clock")["last"] > 1e9); // Hz, where the exporter says MHz
        QVERIFY(answer["hosts"].size() == 4);
        QVERIFY(!answer["jobs"].empty());
    }

    void theMappingThatItPrintsIsOneThatItTakes() {
        const Json detected = Json::parse(run({QStringLiteral("--json")}).out.toStdString());
        QTemporaryFile file;
        QVERIFY(file.open());
        Json mapping = detected["mapping"];
        auto& rules = mapping["rules"];
        rules.erase(std::remove_if(rules.begin(), rules.end(),
                                   [](const Json& rule) { return rule["signal"] != "gpu_power"; }),
                    rules.end());
        file.write(mapping.dump().c_str());
        file.close();
        const Outcome outcome = run({QStringLiteral("--json"), QStringLiteral("--series"),
                                     QStringLiteral("--mapping"), file.fileName()});
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        const Json own = Json::parse(outcome.out.toStdString());
        QCOMPARE(own["signals"].size(), 1U);
        const Json power = signal(own, "gpu_power");
        QCOMPARE(power["mean"], signal(detected, "gpu_power")["mean"]);
        QCOMPARE(power["series"].size(), 32U);
        QCOMPARE(power["series"][0]["values"].size(), 60U);
    }

    void oneJobIsChosen() {
        const Json all = Json::parse(run({QStringLiteral("--json")}).out.toStdString());
        std::string training;
        for (const Json& job : all["jobs"])
            training = job["kind"] == "training" ? job["job"].get<std::string>() : training;
        QVERIFY(!training.empty());
        const Outcome outcome =
            run({QStringLiteral("--json"), QStringLiteral("--job"), QString::fromStdString(training)});
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        const Json one = Json::parse(outcome.out.toStdString());
        QCOMPARE(one["job"], training);
        QVERIFY(one["hosts"].size() < all["hosts"].size());
        QVERIFY(signal(one, "step_time").is_object() || signal(one, "step_time", "mean").is_object());

        const Json none = Json::parse(
            run({QStringLiteral("--json"), QStringLiteral("--job"), QString()}).out.toStdString());
        QVERIFY(none["job"].is_null()); // as without --job
        QCOMPARE(none["hosts"], all["hosts"]);

        const Outcome wrong = run({QStringLiteral("--job"), QStringLiteral("nobody")});
        QCOMPARE(wrong.status, 2);
        QVERIFY2(wrong.said().startsWith(QStringLiteral("alidade: --job: no job 'nobody'")),
                 wrong.err.constData());
        QVERIFY(wrong.out.isEmpty());
    }

    void whatIsWrongIsSaidInOneLine_data() {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QString>("begin");
        const auto row = [](const char* name, const QStringList& more, const char* begin) {
            QTest::newRow(name) << more << QString::fromLatin1(begin);
        };
        row("time", {QStringLiteral("--start"), QStringLiteral("soon")},
            "alidade: --start: 'soon' is not a valid time");
        row("step", {QStringLiteral("--step"), QStringLiteral("fast")},
            "alidade: --step: 'fast' is not a valid duration");
        row("mapping", {QStringLiteral("--mapping"), QStringLiteral("/nowhere/m.json")},
            "alidade: /nowhere/m.json");
        row("mapping's content", {QStringLiteral("--mapping"), QStringLiteral("/proc/self/status")},
            "alidade: /proc/self/status");
        row("token", {QStringLiteral("--token-file"), QStringLiteral("/nowhere/t")},
            "alidade: --token-file:");
        row("option", {QStringLiteral("--stepp"), QStringLiteral("3")},
            "alidade: metrics: there is no option '--stepp'");
    }
    void whatIsWrongIsSaidInOneLine() {
        QFETCH(QStringList, more);
        QFETCH(QString, begin);
        const Outcome outcome =
            program_.run(QStringList{QStringLiteral("metrics"), QStringLiteral("--prometheus"),
                                     QString::fromStdString(server_->url())} +
                         more);
        QVERIFY2(outcome.status == 2, outcome.err.constData());
        QVERIFY2(outcome.said().startsWith(begin), outcome.err.constData());
        QVERIFY(outcome.out.isEmpty());
    }

    /// What the engines were asked in the half hour becomes a profile that a fleet can name.
    void trafficOfTheEnginesIsWrittenAsAProfile() {
        QTemporaryDir folder;
        const QString profile = folder.filePath(QStringLiteral("week.json"));
        const QStringList range{
            QStringLiteral("--prometheus"), QString::fromStdString(server_->url()),
            QStringLiteral("--start"),      QString::number(cluster_->start() + 300, 'f', 0),
            QStringLiteral("--end"),        QString::number(cluster_->end() - 15, 'f', 0)};
        const Outcome outcome =
            program_.run(QStringList{QStringLiteral("traffic")} + range +
                         QStringList{QStringLiteral("-o"), profile, QStringLiteral("--json")});
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        const Json found = Json::parse(outcome.out.toStdString());
        const Json& truth = cluster_->truth().at("serving").at("parameters");
        const double rate = found.at("hourly_requests_per_s").at(0).get<double>();
        QVERIFY2(rate > 0.4 * truth.at("rate_rps").get<double>() &&
                     rate < 1.6 * truth.at("rate_rps").get<double>(),
                 outcome.out.constData());
        for (const auto& [key, mean] :
             {std::pair{"input_tokens", "prompt_mean"}, std::pair{"output_tokens", "output_mean"}}) {
            const double expected = truth.at(mean).get<double>();
            QVERIFY2(std::abs(found.at(key).get<double>() / expected - 1) < 0.15, outcome.out.constData());
        }
        QVERIFY(std::abs(found.at("prefix_cache_hit").get<double>() - 0.3) < 0.1);
        QFile file(profile);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), outcome.out);
        const Outcome page = program_.run(QStringList{QStringLiteral("traffic")} + range);
        QVERIFY2(page.status == 0, page.err.constData());
        QVERIFY(page.out.contains("the others have the mean of these"));
    }

    void aServerThatIsNotThereIsTheEnvironmentsFailure() {
        const Outcome none = program_.run({QStringLiteral("metrics")});
        QCOMPARE(none.status, 2);
        QVERIFY2(none.said().startsWith(QStringLiteral("alidade: --prometheus: no server is named")),
                 none.err.constData());
        PrometheusServer gone;
        QVERIFY2(gone.error().isEmpty(), qPrintable(gone.error()));
        const QString url = QString::fromStdString(gone.url());
        gone.stop();
        const Outcome outcome =
            program_.run({QStringLiteral("metrics"), QStringLiteral("--prometheus"), url});
        QCOMPARE(outcome.status, 1);
        QVERIFY2(outcome.said().contains(url), outcome.err.constData());
        QVERIFY(outcome.out.isEmpty());
        // A path where no API is.
        const Outcome path =
            program_.run({QStringLiteral("metrics"), QStringLiteral("--prometheus"),
                          QString::fromStdString(server_->url()) + QStringLiteral("/elsewhere")});
        QCOMPARE(path.status, 1);
        QVERIFY2(path.said().contains(QStringLiteral("before /api/v1")), path.err.constData());
    }
};

QTEST_GUILESS_MAIN(CliMetricsTest)

} // namespace tst_cli_metrics

#include "tst_cli_metrics.moc"
