// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// Two hours of 64 nodes with the faults of the default timeline.
#include "tests/data/observation_rig.h"

#include <QElapsedTimer>
#include <QTest>

namespace tst_observation_scale {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

class TestObservationScale : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void everything();
    void jobWithoutItsLabel();

private:
    static ClusterOptions large() {
        ClusterOptions options;
        options.nodes = 64;
        options.hours = 2;
        options.step = 30;
        return options;
    }
    std::unique_ptr<Rig> rig_;
};

void TestObservationScale::initTestCase() {
    if (const QString why = SimulatedCluster::missing(); !why.isEmpty())
        QFAIL(qPrintable(why));
    rig_ = std::make_unique<Rig>(large());
    QVERIFY2(rig_->error().isEmpty(), qPrintable(rig_->error()));
}

void TestObservationScale::everything() {
    QElapsedTimer timer;
    timer.start();
    const Observation seen = rig_->read({}, {rig_->cluster.start(), 30, 240});
    qInfo("two hours of 64 nodes: %lld ms, %zu tables", static_cast<long long>(timer.elapsed()),
          seen.tables.size());
    QCOMPARE(seen.hosts.size(), std::size_t{64});
    QCOMPARE(seen.scrapeInterval, 30.0);
    QCOMPARE(seen.table(Signal::smClock)->rows.size(), std::size_t{512});
    QCOMPARE(seen.table(Signal::efaTransmit)->rows.size(), std::size_t{64});
    QCOMPARE(seen.table(Signal::efaRetransmitted)->rows.size(), std::size_t{64 * 32});
    QCOMPARE(seen.table(Signal::nodeComputeTime)->rows.size(), std::size_t{56});
    // The straggler's clock, while it lasts.
    const SignalTable* clock = seen.table(Signal::smClock);
    const auto slow = std::ranges::find(clock->rows, Entity{"gpu-0007", 3, {}});
    const double then = clock->row(static_cast<std::size_t>(slow - clock->rows.begin()), 240)[80];
    QVERIFY2(then > 1.25e9 && then < 1.32e9, qPrintable(QString::number(then)));
    // One GPU of one node has a code.
    const SignalTable* xid = seen.table(Signal::xid);
    std::size_t with = 0;
    for (std::size_t i = 0; i < xid->rows.size(); ++i)
        with += std::ranges::count(xid->row(i, 240), 94.0) > 0 ? 1 : 0;
    QCOMPARE(with, std::size_t{1});
    QVERIFY2(seen.warnings.empty(), seen.warnings.empty() ? "" : seen.warnings.front().c_str());
}

void TestObservationScale::jobWithoutItsLabel() {
    MetricMapping mapping = rig_->mapping();
    mapping.labels.batchJob = "no_such_label";
    std::erase_if(mapping.rules,
                  [](const MetricRule& rule) { return rule.signal == Signal::nodeComputeTime; });
    const auto jobs = findJobs(*rig_->api, mapping, rig_->cluster.start(), rig_->cluster.end());
    QVERIFY2(jobs, jobs.error().c_str());
    QCOMPARE(jobs->front().job, training);
    QCOMPARE(jobs->front().hosts, 56); // neither those that serve nor the spares
}

QTEST_GUILESS_MAIN(TestObservationScale)

} // namespace tst_observation_scale

#include "tst_observation_scale.moc"
