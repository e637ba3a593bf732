// SPDX-License-Identifier: GPL-3.0-or-later
// What an observation shows of a cluster with faults, and of servers that have little or nothing.
#include "data/observation/preview.h"
#include "tests/data/observation_rig.h"

#include <QTest>

namespace tst_observation_faults {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

class TestObservationFaults : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void xidIsOneRowThatEndsWithTheReboot();
    void doubleBitErrorCountsOnce();
    void sentinelsAreNoValues();
    void lostGpuEnds();
    void silentTargetIsDownAndNotAlive();
    void restartIsNoNegativeRate();
    void preview();
    void previewOfAWrongUnit();
    void previewOfNothing();
    void emptyServer();
    void onlyNodeExporters();

private:
    std::size_t at(double t) const { return static_cast<std::size_t>(t / 15); }
    std::span<const double> row(Signal signal, const Entity& where) const {
        const SignalTable* table = seen_->table(signal);
        if (table == nullptr)
            return {};
        const auto found = std::ranges::find(table->rows, where);
        return found == table->rows.end()
                   ? std::span<const double>()
                   : table->row(static_cast<std::size_t>(found - table->rows.begin()), seen_->grid.points);
    }

    std::unique_ptr<Rig> rig_;
    std::unique_ptr<Observation> seen_; ///< of everything, 15 s apart
};

void TestObservationFaults::initTestCase() {
    if (const QString why = SimulatedCluster::missing(); !why.isEmpty())
        QFAIL(qPrintable(why));
    ClusterOptions options = quiet();
    options.full = true;
    options.faults = true;
    options.config["faults"] = nlohmann::json::parse(R"([
        {"kind": "xid", "node": 1, "gpu": 2, "start": 600, "code": 94, "crash": true, "reboot_after": 60, "reboot_s": 120},
        {"kind": "dcgm_blank", "node": 2, "start": 1200, "end": 1400},
        {"kind": "lost_gpu", "node": 0, "gpu": 6, "start": 1500},
        {"kind": "target_down", "node": 2, "start": 300, "end": 480, "exporters": ["dcgm", "node"]}])");
    rig_ = std::make_unique<Rig>(options);
    QVERIFY2(rig_->error().isEmpty(), qPrintable(rig_->error()));
    seen_ = std::make_unique<Observation>(rig_->read({}, {rig_->cluster.start(), 15, 120}));
}

// A new code is a new series, and backfilled series have no staleness markers: the old one must not linger.
void TestObservationFaults::xidIsOneRowThatEndsWithTheReboot() {
    const SignalTable* table = seen_->table(Signal::xid);
    QVERIFY(table != nullptr);
    QCOMPARE(table->rows.size(), std::size_t{32});
    const std::span<const double> code = row(Signal::xid, {"gpu-0002", 2, {}});
    QCOMPARE(code[at(585)], 0.0);
    QCOMPARE(code[at(600)], 94.0);
    QCOMPARE(code[at(645)], 94.0);
    QVERIFY(std::isnan(code[at(750)])); // the node reboots: nothing is scraped
    QCOMPARE(code[at(840)], 0.0);
    QCOMPARE(std::ranges::count(row(Signal::xid, {"gpu-0002", 3, {}}), 94.0), 0);
}

void TestObservationFaults::doubleBitErrorCountsOnce() {
    double sum = 0;
    for (const double value : seen_->table(Signal::eccDoubleBit)->values)
        sum += std::isfinite(value) ? value : 0;
    QVERIFY2(std::fabs(sum - 1) < 0.35, qPrintable(QString::number(sum))); // extrapolated to its window
}

void TestObservationFaults::sentinelsAreNoValues() {
    const std::span<const double> tensor = row(Signal::tensorActive, {"gpu-0003", 0, {}});
    QVERIFY(std::isnan(tensor[at(1290)]));
    QVERIFY(tensor[at(1185)] > 0.3 && tensor[at(1185)] < 1);
    for (const SignalTable& table : seen_->tables)
        if (signalInfo(table.signal).unit == "ratio")
            QVERIFY2(std::ranges::none_of(table.values, [](double x) { return x > 1.001; }),
                     table.metric.c_str());
    QVERIFY(!std::isnan(row(Signal::smClock, {"gpu-0003", 0, {}})[at(1290)]));
    const auto blank = std::ranges::find_if(seen_->blanks, [](const BlankSpan& span) {
        return span.signal == Signal::tensorActive && span.where == Entity{"gpu-0003", 0, {}};
    });
    QVERIFY(blank != seen_->blanks.end());
    QCOMPARE(blank->start, rig_->cluster.start() + 1200);
    QVERIFY(std::fabs(blank->end - rig_->cluster.start() - 1400) < 60);
    QVERIFY(std::ranges::none_of(seen_->blanks,
                                 [](const BlankSpan& span) { return span.where.host != "gpu-0003"; }));
}

void TestObservationFaults::lostGpuEnds() {
    const std::span<const double> clock = row(Signal::smClock, {"gpu-0001", 6, {}});
    QVERIFY(!std::isnan(clock[at(1485)]));
    QVERIFY(std::isnan(clock[at(1560)])); // well before the server's five minutes are over
    QVERIFY(!std::isnan(row(Signal::smClock, {"gpu-0001", 5, {}})[at(1560)]));
}

void TestObservationFaults::silentTargetIsDownAndNotAlive() {
    const std::span<const double> up = row(Signal::targetUp, {"gpu-0003", -1, "dcgm_exporter"});
    QCOMPARE(up[at(285)], 1.0);
    QCOMPARE(up[at(390)], 0.0);
    QCOMPARE(up[at(510)], 1.0);
    QVERIFY(std::isnan(row(Signal::gpuPower, {"gpu-0003", 0, {}})[at(390)]));
    QVERIFY(!std::isnan(row(Signal::gpuPower, {"gpu-0003", 0, {}})[at(510)]));
    QVERIFY(!std::isnan(row(Signal::gpuPower, {"gpu-0001", 0, {}})[at(390)]));
}

void TestObservationFaults::restartIsNoNegativeRate() {
    for (const Signal signal : {Signal::tokensPerSecond, Signal::stepsPerSecond, Signal::efaTransmit}) {
        const SignalTable* table = seen_->table(signal);
        QVERIFY(table != nullptr);
        const double usual = meanOf(*seen_, signal);
        for (const double value : table->values)
            QVERIFY2(std::isnan(value) || (value >= 0 && value < 2 * usual), signalInfo(signal).id.data());
    }
}

void TestObservationFaults::preview() {
    const MetricMapping mapping = rig_->mapping();
    const auto shown = previewRule(*rig_->api, *mapping.rule(Signal::smClock), mapping.labels,
                                   rig_->cluster.start() + 240, 3);
    QVERIFY2(shown, shown.error().c_str());
    QCOMPARE(shown->rows, std::size_t{32});
    QCOMPARE(shown->values.size(), std::size_t{3});
    QVERIFY(!shown->odd);
    QVERIFY2(shown->check.find("Hz") != std::string::npos, shown->check.c_str());
    QCOMPARE(shown->values.front().where, (Entity{"gpu-0001", 0, {}}));
    QCOMPARE(shown->values.front().value, shown->values.front().raw * 1e6);
}

void TestObservationFaults::previewOfAWrongUnit() {
    const MetricMapping mapping = rig_->mapping();
    MetricRule rule = *mapping.rule(Signal::gpuUtilization);
    rule.scale = 1;
    rule.largest = 0;
    const auto shown = previewRule(*rig_->api, rule, mapping.labels, rig_->cluster.start() + 240);
    QVERIFY2(shown, shown.error().c_str());
    QVERIFY(shown->odd);
    QVERIFY2(shown->check.find("percent") != std::string::npos, shown->check.c_str());
}

void TestObservationFaults::previewOfNothing() {
    MetricRule rule;
    rule.signal = Signal::gpuPower;
    rule.metric = "no_such_metric";
    const auto shown = previewRule(*rig_->api, rule, {}, rig_->cluster.start() + 240);
    QVERIFY2(shown, shown.error().c_str());
    QVERIFY(shown->odd);
    QCOMPARE(shown->rows, std::size_t{0});
    QVERIFY2(shown->check.find("no series") != std::string::npos, shown->check.c_str());
}

void TestObservationFaults::emptyServer() {
    const PrometheusServer server;
    QVERIFY2(server.error().isEmpty(), qPrintable(server.error()));
    HttpExchange exchange(Connection{.url = server.url()}, Credentials());
    PrometheusApi api(exchange);
    const double start = 1767225600;
    const auto mapping = detectMapping(api, metricPresets(), start, start + 3600);
    QVERIFY2(mapping, mapping.error().c_str());
    QVERIFY(mapping->rules.empty());
    const auto seen = collectObservation(api, *mapping, {{start, 60, 60}, {}, {}, 0});
    QVERIFY2(seen, seen.error().c_str());
    QVERIFY(seen->tables.empty());
    QCOMPARE(seen->missing.size(), allSignals().size());
    QVERIFY2(said(*seen, Signal::smClock).contains("dcgm-exporter"),
             said(*seen, Signal::smClock).constData());
    QVERIFY(!seen->warnings.empty());
    QVERIFY2(seen->warnings.front().find("no metrics") != std::string::npos, seen->warnings.front().c_str());
    const auto jobs = findJobs(api, *mapping, start, start + 3600);
    QVERIFY2(jobs, jobs.error().c_str());
    QVERIFY(jobs->empty());
}

void TestObservationFaults::onlyNodeExporters() {
    ClusterOptions options = quiet();
    options.nodes = 2;
    options.hours = 0.1;
    options.config["exporters"]["without_jobs"] = {"dcgm_exporter", "efa_exporter", "lustre_exporter",
                                                   "training",      "vllm",         "slurm_exporter"};
    const Rig rig(options);
    QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
    const Observation seen = rig.read({}, {rig.cluster.start(), 15, 20});
    QCOMPARE(seen.hosts, (std::vector<std::string>{"gpu-0001", "gpu-0002"}));
    QVERIFY(seen.table(Signal::bootTime) != nullptr);
    QVERIFY(seen.table(Signal::targetUp) != nullptr);
    QVERIFY2(said(seen, Signal::gpuPower).contains("dcgm-exporter"),
             said(seen, Signal::gpuPower).constData());
    QVERIFY2(said(seen, Signal::efaTransmit).contains("node_amazonefa_tx_bytes"),
             said(seen, Signal::efaTransmit).constData());
    QVERIFY2(said(seen, Signal::stepTime).contains("torchtitan"), said(seen, Signal::stepTime).constData());
}

QTEST_GUILESS_MAIN(TestObservationFaults)

} // namespace tst_observation_faults

#include "tst_observation_faults.moc"
