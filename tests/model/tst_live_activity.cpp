// SPDX-License-Identifier: GPL-3.0-or-later
// What the GPUs and network cards of a training job did, as means over the used time.
#include "model/calibration/live_activity.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace tst_live_activity {

using namespace alidade;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Four instants, of which the last is not used.
struct Rig {
    Observation o;
    UsableTime time;

    Rig() {
        o.grid = {0, 10, 4};
        o.hosts = {"a", "b", "c"};
        time.used = {true, true, true, false};
    }
    void add(Signal signal, std::vector<Entity> rows, std::vector<double> values) {
        SignalTable& table = o.tables.emplace_back();
        table.signal = signal;
        table.rows = std::move(rows);
        table.values = std::move(values);
    }
    JobActivity activity() const { return jobActivity(o, time); }
};

const Entity a0{"a", 0, {}}, a1{"a", 1, {}}, b0{"b", 0, {}}, c0{"c", 0, {}};
const Entity a{"a", -1, {}}, b{"b", -1, {}}, c{"c", -1, {}};

} // namespace

class TestLiveActivity : public QObject {
    Q_OBJECT

private slots:
    void nothingMeasured() {
        const JobActivity found = Rig().activity();
        QCOMPARE(found.hosts, (std::set<std::string>{"a", "b", "c"}));
        QCOMPARE(found.gpus, 0.0);
        for (const double each : {found.tensor, found.sm, found.dram, found.clock, found.tensorClock,
                                  found.power, found.nvlink, found.efa, found.efaMost, found.compute}) {
            QVERIFY(std::isnan(each));
        }
        QVERIFY(!found.smIsEngine);
    }

    /// Those with times of their own; else those whose tensor pipes work more than half as much as the
    /// busiest.
    void hostsThatTrain() {
        Rig rig;
        rig.add(Signal::tensorActive, {a0, b0, c0},
                {0.4, 0.4, 0.4, 0, 0.19, 0.19, 0.19, 0.9, 0.21, 0.21, 0.21, 0});
        QCOMPARE(rig.activity().hosts, (std::set<std::string>{"a", "c"}));
        QCOMPARE(rig.activity().gpus, 2.0);
        rig.o.tables.back().values[0] = none; // of what is left, the mean
        QCOMPARE(rig.activity().hosts, (std::set<std::string>{"a", "c"}));
        rig.add(Signal::nodeComputeTime, {{{}, -1, {}}, b}, {1, 1, 1, 1, 2, 2, 2, 2});
        QCOMPARE(rig.activity().hosts, (std::set<std::string>{"b"}));
        Rig idle;
        idle.add(Signal::tensorActive, {a0}, {0, 0, 0, 0});
        QVERIFY(idle.activity().hosts.empty());
        QCOMPARE(idle.activity().gpus, 1.0); // of nobody in particular
    }

    void means() {
        Rig rig;
        rig.add(Signal::nodeComputeTime, {a, b}, {1, 2, 3, 9, 5, 5, 5, 5});
        rig.add(Signal::tensorActive, {a0, a1, c0}, {0.2, 0.4, none, 1, 0.6, 0.8, 0.5, 1, 1, 1, 1, 1});
        rig.add(Signal::smActive, {a0}, {0.7, 0.8, 0.9, 0});
        rig.add(Signal::engineActive, {a0}, {1, 1, 1, 1});
        rig.add(Signal::dramActive, {b0}, {0.3, 0.3, 0.6, 0});
        rig.add(Signal::smClock, {a0, b0}, {1e9, 2e9, 3e9, 9e9, none, none, none, none});
        rig.add(Signal::gpuPower, {a0, c0}, {500, 600, 700, 0, 1, 1, 1, 1});
        rig.add(Signal::nvlinkTransmit, {a0}, {1e9, 2e9, 6e9, 0});
        rig.add(Signal::efaTransmit, {a, b, c}, {1e9, 2e9, 3e9, 9e9, 4e9, 4e9, 4e9, 4e9, 8e9, 8e9, 8e9, 8e9});
        const JobActivity found = rig.activity();
        QCOMPARE(found.hosts, (std::set<std::string>{"a", "b"}));
        QCOMPARE(found.gpus, 2.0);
        // Of all GPUs at each instant 0.4, 0.6, 0.5.
        QVERIFY(std::abs(found.tensor - 0.5) < 1e-12);
        QVERIFY(std::abs(found.sm - 0.8) < 1e-12 && !found.smIsEngine);
        QVERIFY(std::abs(found.dram - 0.4) < 1e-12);
        QCOMPARE(found.clock, 2e9);
        // 0.2 x 1e9 and 0.4 x 2e9 of the one GPU with both.
        QVERIFY(std::abs(found.tensorClock - 5e8) < 1);
        QCOMPARE(found.power, 600.0);
        QCOMPARE(found.nvlink, 3e9);
        QCOMPARE(found.efa, 3e9);
        QCOMPARE(found.efaMost, 4e9);
        QCOMPARE(found.compute, 3.5); // the median of 2 and 5
    }

    void theEngineStandsInForSms() {
        Rig rig;
        rig.add(Signal::engineActive, {a0}, {0.9, 0.8, 1, 0});
        QVERIFY(std::abs(rig.activity().sm - 0.9) < 1e-12);
        QVERIFY(rig.activity().smIsEngine);
    }

    /// Rows of both, whichever table has more of them; hosts that do not train are left out.
    void productsOfEachGpu() {
        Rig rig;
        rig.add(Signal::nodeComputeTime, {b, c}, {1, 1, 1, 1, 1, 1, 1, 1});
        rig.add(Signal::tensorActive, {a0, b0, c0}, {1, 1, 1, 1, 0.5, 0.5, none, 1, 0.1, 0.1, 0.1, 0.1});
        rig.add(Signal::smClock, {a0, a1, b0}, {9e9, 9e9, 9e9, 9e9, 9e9, 9e9, 9e9, 9e9, 1e9, 3e9, 4e9, 1e9});
        QVERIFY(std::abs(rig.activity().tensorClock - 1e9) < 1);
        rig.o.tables.pop_back();
        rig.add(Signal::smClock, {a0}, {9e9, 9e9, 9e9, 9e9});
        QVERIFY(std::isnan(rig.activity().tensorClock));
    }

    /// Dense 16-bit FLOP of an SM and cycle: 2,048 on Ampere, then twice as many with each generation.
    void clocksOfDataSheets() {
        Gpu gpu;
        gpu.streamingMultiprocessors = 100;
        gpu.bf16 = FlopPerSecond::si(2.048e14);
        gpu.architecture = "Ampere";
        QCOMPARE(*sheetClock(gpu), 1e9);
        gpu.architecture = "Hopper";
        QCOMPARE(*sheetClock(gpu), 5e8);
        gpu.architecture = "Blackwell Ultra";
        QCOMPARE(*sheetClock(gpu), 2.5e8);
        gpu.architecture = "Hopper Next";
        QVERIFY(!sheetClock(gpu));
        gpu.architecture = "Hopper";
        gpu.bf16.reset();
        QVERIFY(!sheetClock(gpu));
        gpu.bf16 = FlopPerSecond::si(1e15);
        gpu.streamingMultiprocessors.reset();
        QVERIFY(!sheetClock(gpu));
    }

    /// Halves of chi-squared quantiles: 10 % of 2 n degrees, 90 % of 2 (n + 1), from a table.
    void rates_data() {
        QTest::addColumn<double>("events");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::newRow("1") << 1.0 << 0.10536 << 3.88972;
        QTest::newRow("2") << 2.0 << 0.53181 << 5.32232;
        QTest::newRow("5") << 5.0 << 2.43259 << 9.27467;
        QTest::newRow("10") << 10.0 << 6.22131 << 15.40664;
    }
    void rates() {
        QFETCH(double, events);
        QFETCH(double, low);
        QFETCH(double, high);
        const PoissonInterval found = poissonInterval(events, 4);
        QVERIFY2(std::abs(found.low * 4 - low) < 0.03, qPrintable(QString::number(found.low * 4)));
        QVERIFY2(std::abs(found.high * 4 / high - 1) < 0.005, qPrintable(QString::number(found.high * 4)));
        QVERIFY(std::abs(poissonInterval(0, 4).high - std::log(10) / 4) < 1e-12);
    }
};

QTEST_APPLESS_MAIN(TestLiveActivity)

} // namespace tst_live_activity

#include "tst_live_activity.moc"
