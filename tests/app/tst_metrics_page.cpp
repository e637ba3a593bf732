// SPDX-License-Identifier: GPL-3.0-or-later
// What `alidade metrics` prints of an observation, and the range of time that its options mean.
#include "app/cli/metrics_page.h"
#include "app/cli/session.h"
#include "app/cli/time_range.h"
#include "data/catalog/mapping_json.h"

#include <QtTest>

#include <cmath>

namespace tst_metrics_page {

using namespace alidade;
using namespace alidade::cli;

namespace {

const double absent = std::nan("");

Observed answer() {
    Observed out;
    out.server = {"Prometheus", "2.42.0"};
    out.jobs = {{"llama70b", "training", 3}, {"chat", "serving", 1}};
    Observation& o = out.observation;
    o.server = "http://p:9090";
    o.grid = {1767225600, 30, 3};
    o.hosts = {"gpu-0001", "gpu-0002"};
    o.newest = 1767225660;
    o.scrapeInterval = 15;
    SignalTable power;
    power.signal = Signal::gpuPower;
    power.rows = {{"gpu-0001", 0, {}}, {"gpu-0002", 0, {}}};
    power.values = {500, 600, absent, absent, absent, 700};
    power.metric = "DCGM_FI_DEV_POWER_USAGE";
    power.expression = "DCGM_FI_DEV_POWER_USAGE{job=\"x\"}";
    SignalTable xid = power;
    xid.signal = Signal::xid;
    xid.values = {0, 0, 94, 0, 0, 0};
    SignalTable ecc = power;
    ecc.signal = Signal::eccSingleBit;
    ecc.values = {0, 1, 2, 3, 0, 0};
    ecc.note = "volatile counts";
    SignalTable ttft = power;
    ttft.signal = Signal::timeToFirstToken;
    ttft.statistic = Statistic::p95;
    ttft.rows = {{{}, -1, "chat"}};
    ttft.values = {absent, absent, absent};
    o.tables = {power, xid, ecc, ttft};
    o.missing = {{Signal::smActive, "DCGM_FI_PROF_SM_ACTIVE is not exported"}};
    o.blanks = {{Signal::tensorActive, {"gpu-0002", 3, {}}, 1767225600, 1767225630}};
    o.warnings = {"2 series were left out"};
    out.mapping.id = "detected";
    out.mapping.name = "Detected";
    out.mapping.rules.push_back(
        {.signal = Signal::gpuPower, .metric = "DCGM_FI_DEV_POWER_USAGE", .unit = "W"});
    return out;
}

} // namespace

class MetricsPageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void figuresAreOfWhatWasMeasured() {
        const Observed a = answer();
        const auto of = [&a](std::size_t i) {
            return figuresOf(a.observation.tables[i], a.observation.grid);
        };
        QCOMPARE(of(0).mean, 600.0);
        QCOMPARE(of(0).last, 650.0); // 600 of the first GPU, 700 of the second
        QCOMPARE(of(0).lastTime, 1767225660.0);
        QVERIFY(std::isnan(of(1).mean)); // a code is never averaged
        QCOMPARE(of(1).last, 94.0);
        QCOMPARE(of(2).sum, 6.0);
        // What a server extrapolates of one event is one, and of several as many.
        Observed spread = answer();
        spread.observation.tables[2].values = {0.585, 0.585, 0, 0.2, 0.19, 0};
        QCOMPARE(figuresOf(spread.observation.tables[2], spread.observation.grid).sum, 2.0);
        spread.observation.tables[2].values = {0, 0, 0, 1.5, 1.4, 0};
        QCOMPARE(figuresOf(spread.observation.tables[2], spread.observation.grid).sum, 3.0);
        QVERIFY(std::isnan(of(3).mean) && std::isnan(of(3).last) && std::isnan(of(3).lastTime));
    }

    void valuesHaveTheirUnits() {
        const auto text = [](double v, const char* unit) {
            return QString::fromStdString(signalText(v, unit));
        };
        QCOMPARE(text(1.755e9, "Hz"), QStringLiteral("1,755 MHz"));
        QCOMPARE(text(63, "degC"), QStringLiteral("63 °C"));
        QCOMPARE(text(0.4996, "ratio"), QStringLiteral("50.0 %"));
        QCOMPARE(text(567, "W"), QStringLiteral("567 W"));
        QCOMPARE(text(2.5, "1/s"), QStringLiteral("2.5/s"));
        QCOMPARE(text(94, "1"), QStringLiteral("94"));
        QCOMPARE(text(absent, "s"), QStringLiteral("–"));
    }

    void thePageHoldsWhatMatters() {
        const QString page = QString::fromStdString(metricsText(answer(), false, {}));
        for (const char* part :
             {"http://p:9090", "Prometheus 2.42.0",
              "2026-01-01T00:00:00Z to 2026-01-01T00:01:00Z, 3 points every 30 s", "All jobs, 2 hosts",
              "llama70b (training, 3 hosts); chat (serving, 1 host)", "--job", "Power", "600 W", "650 W",
              "DCGM_FI_DEV_POWER_USAGE", "6 in all", "p95", "DCGM_FI_PROF_SM_ACTIVE is not exported",
              "2 series were left out", "volatile counts", "gpu-0002, GPU 3: blank values"}) {
            QVERIFY2(page.contains(QString::fromUtf8(part)), part);
        }
        QVERIFY(!page.contains(QStringLiteral("gpu-0001, GPU 0")));
        QVERIFY(QString::fromStdString(metricsText(answer(), true, {}))
                    .contains(QStringLiteral("gpu-0001, GPU 0")));
        Observed nothing = answer();
        nothing.observation.tables.clear();
        QVERIFY(metricsText(nothing, false, {}).find("Nothing that the mapping knows") != std::string::npos);
    }

    /// A blank exporter is blank in all metrics of all GPUs at once.
    void aBlankNodeIsOneNote() {
        Observed blank = answer();
        blank.observation.blanks.clear();
        for (int gpu = 0; gpu < 8; ++gpu)
            for (const Signal signal : {Signal::tensorActive, Signal::smActive, Signal::dramActive})
                blank.observation.blanks.push_back(
                    {signal, {"gpu-0002", gpu, {}}, 1767225600, 1767225630.0 + gpu});
        const QString page = QString::fromStdString(metricsText(blank, false, {}));
        QCOMPARE(page.count(QStringLiteral("blank values")), 1);
        QVERIFY2(page.contains(QStringLiteral("3 metrics of gpu-0002, 8 GPUs")), qPrintable(page));
    }

    void theJsonIsAsDocumented() {
        const auto json = nlohmann::json::parse(metricsJson(answer(), false));
        QCOMPARE(json["alidade"], 1);
        QCOMPARE(json["server"], "http://p:9090");
        QCOMPARE(json["application"], "Prometheus");
        QCOMPARE(json["version"], "2.42.0");
        QCOMPARE(json["start_s"], 1767225600.0);
        QCOMPARE(json["end_s"], 1767225660.0);
        QCOMPARE(json["step_s"], 30);
        QVERIFY(json["job"].is_null());
        QCOMPARE(json["hosts"], nlohmann::json({"gpu-0001", "gpu-0002"}));
        const auto& power = json["signals"][0];
        QCOMPARE(power["id"], "gpu_power");
        QCOMPARE(power["statistic"], "value");
        QCOMPARE(power["metric"], "DCGM_FI_DEV_POWER_USAGE");
        QCOMPARE(power["unit"], "W");
        QCOMPARE(power["rows"], 2);
        QCOMPARE(power["mean"], 600);
        QCOMPARE(power["last"], 650);
        QVERIFY(!power.contains("series"));
        QVERIFY(json["signals"][1]["mean"].is_null());
        QCOMPARE(json["signals"][2]["sum"], 6);
        QCOMPARE(json["signals"][3]["statistic"], "p95");
        QVERIFY(json["signals"][3]["last"].is_null());
        QCOMPARE(json["missing"][0]["id"], "sm_active");
        QCOMPARE(json["warnings"][0], "2 series were left out");
        QCOMPARE(json["blanks"][0]["gpu"], 3);
        // The mapping that it shows is one that --mapping takes.
        const auto mapping = data::readMapping(json["mapping"].dump(), "m.json");
        QVERIFY2(bool(mapping), mapping.error().c_str());
        QCOMPARE(mapping->rules.size(), 1U);
    }

    void valuesOfRowsAreThereWhenAskedFor() {
        const auto json = nlohmann::json::parse(metricsJson(answer(), true));
        const auto& rows = json["signals"][0]["series"];
        QCOMPARE(rows.size(), 2U);
        QCOMPARE(rows[1]["host"], "gpu-0002");
        QCOMPARE(rows[1]["gpu"], 0);
        QCOMPARE(rows[1]["values"].dump(), "[null,null,700]");
        QCOMPARE(json["signals"][3]["series"][0]["part"], "chat");
    }

    void rangesOfTimeAreAligned() {
        constexpr double now = 1767225617;
        QCOMPARE(gridOf({.start = "-1h", .end = "now", .step = ""}, now), (TimeGrid{1767222030, 30, 120}));
        QCOMPARE(gridOf({.start = "-2d", .end = "now", .step = ""}, now).step, 600.0);
        QCOMPARE(gridOf({.start = "1767225600", .end = "2026-01-01T00:30:00Z", .step = "15s"}, now),
                 (TimeGrid{1767225600, 15, 121}));
    }

    void rangesThatMakeNoSenseNameTheOption_data() {
        QTest::addColumn<QString>("start");
        QTest::addColumn<QString>("end");
        QTest::addColumn<QString>("step");
        QTest::addColumn<QString>("option");
        QTest::newRow("order") << QStringLiteral("now") << QStringLiteral("-1h") << QString()
                               << QStringLiteral("--start");
        QTest::newRow("empty") << QStringLiteral("now") << QStringLiteral("now") << QString()
                               << QStringLiteral("--start");
        QTest::newRow("start") << QStringLiteral("2h") << QStringLiteral("now") << QString()
                               << QStringLiteral("--start");
        QTest::newRow("end") << QStringLiteral("-2h") << QStringLiteral("soon") << QString()
                             << QStringLiteral("--end");
        QTest::newRow("step") << QStringLiteral("-2h") << QStringLiteral("now") << QStringLiteral("-5")
                              << QStringLiteral("--step");
        QTest::newRow("short") << QStringLiteral("-2h") << QStringLiteral("now") << QStringLiteral("10ms")
                               << QStringLiteral("--step");
        QTest::newRow("many") << QStringLiteral("-52w") << QStringLiteral("now") << QStringLiteral("15s")
                              << QStringLiteral("--step");
    }
    void rangesThatMakeNoSenseNameTheOption() {
        QFETCH(QString, start);
        QFETCH(QString, end);
        QFETCH(QString, step);
        QFETCH(QString, option);
        try {
            (void)gridOf({start.toStdString(), end.toStdString(), step.toStdString()}, 1767225617);
            QFAIL("accepted");
        } catch (const Failure& failure) {
            QCOMPARE(failure.status(), int(Failure::request));
            QVERIFY2(QString::fromUtf8(failure.what()).startsWith(option + u':'), failure.what());
        }
    }
};

QTEST_APPLESS_MAIN(MetricsPageTest)

} // namespace tst_metrics_page

#include "data/json/json.h"
#include "tst_metrics_page.moc"
