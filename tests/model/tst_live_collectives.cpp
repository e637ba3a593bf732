// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of nccl-tests as constants of links: what each table says by itself, and what the fit makes of them.
#include "model/calibration/live_kinds.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/found_constants.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <cmath>

namespace tst_live_collectives {

using namespace alidade;
using namespace alidade::tests;

namespace {

bool near(double a, double b, double to = 1e-9) { return std::abs(a - b) <= to * std::abs(b); }

/// Links of which only the rate of NVLink is uncertain, and of which nothing else takes time: w / (450 GB/s x
/// 0.8) inside a node.
Catalog plainLinks() {
    Catalog out = fittedCatalog();
    makeExact(out.defaultProfile, {});
    for (const char* name : {"all_gather_latency", "all_gather_fill", "nvlink_step_latency", "own_part_share",
                             "network_latency", "network_fill"})
        constantIn(out.defaultProfile, name).value = 0;
    Parameter& rate = constantIn(out.defaultProfile, "all_gather_efficiency");
    rate.value = 0.8;
    return out;
}

/// Buffers that double from the first one on, at a rate. \param seconds besides
MeasuredCollective tableOf(int ranks, int nodes, double first, int sizes, double busRate, double seconds = 0,
                           CollectiveOp op = CollectiveOp::allGather) {
    MeasuredCollective out;
    out.log = "log";
    out.op = op;
    out.ranks = ranks;
    out.nodes = nodes;
    for (int i = 0; i < sizes; ++i) {
        const double bytes = first * std::exp2(i);
        out.points.push_back({bytes, seconds + bytes * wireFactor<double>(op, ranks) / busRate, false});
    }
    return out;
}

constexpr double mib = 1'048'576, gib = 1024 * mib;

} // namespace

class TestLiveCollectives : public QObject {
    Q_OBJECT

    Catalog catalog_ = plainLinks();
    ScenarioSpec spec_ = smallTraining();

    Result<LiveCalibration> calibrate(const std::vector<MeasuredCollective>& tables) const {
        return calibrateCollectives(spec_, catalog_, catalog_.defaultProfile, tables);
    }
    LiveCalibration found(const MeasuredCollective& table) const { return *calibrate({table}); }
    QString error(const std::vector<MeasuredCollective>& tables) const {
        const auto out = calibrate(tables);
        return out ? QString() : QString::fromStdString(out.error());
    }
    /// sd of ln of the fitted rate, of a prior of hypot(0.24, 0.1) = 0.26 about the measured value.
    double posterior(const MeasuredCollective& table) {
        constantIn(catalog_.defaultProfile, "all_gather_efficiency").logSd = 0.24;
        const double out = figure(found(table), "all_gather_efficiency")->logSd;
        constantIn(catalog_.defaultProfile, "all_gather_efficiency").logSd = 0;
        return out;
    }
    static double expected(double points, double weight, double sd) {
        return 1 / std::sqrt(points * weight / (sd * sd) + 1 / (0.26 * 0.26));
    }

private slots:
    /// 20 us and w at 300 GB/s, where the profile has no latency and 360 GB/s.
    void whatATableSays() {
        const MeasuredCollective table = tableOf(8, 1, mib, 11, 300e9, 20e-6);
        const LiveCalibration out = found(table);
        QVERIFY(out.evidence == CalibrationEvidence::collectives);
        QCOMPARE(out.quantity, std::string("time of a collective"));
        QCOMPARE(out.source, std::string("log"));
        QCOMPARE(out.samples, std::size_t{11});
        QCOMPARE(out.spread, 0.0);
        QCOMPARE(joined(out.notes),
                 QStringLiteral("No log crosses the network, so its constants are unchanged. Add a log of "
                                "two or more nodes."));
        const CalibratedParameter* alpha = figure(out, "all_gather_8_gpus_alpha");
        QVERIFY(near(alpha->after, 20e-6, 0.02));
        QCOMPARE(alpha->label + ", " + alpha->unit,
                 std::string("all-gather of 8 GPUs on 1 node: latency, s"));
        QVERIFY(alpha->how.starts_with("alpha + gamma sqrt(w) + w/B through 11 rows, mean error "));
        const CalibratedParameter* rate = figure(out, "all_gather_8_gpus_bandwidth");
        QVERIFY(near(rate->after, 300e9, 0.01) && near(rate->before, 360e9, 0.01));
        QCOMPARE(rate->label + ", " + rate->unit,
                 std::string("all-gather of 8 GPUs on 1 node: bandwidth, bytes/s"));
        QVERIFY(rate->low <= rate->after && rate->after <= rate->high && near(rate->high, rate->low, 0.01));
        QVERIFY(near(rate->low * rate->high, rate->after * rate->after));
        const CalibratedParameter* fill = figure(out, "all_gather_8_gpus_gamma");
        QCOMPARE(fill->label + ", " + fill->unit,
                 std::string("all-gather of 8 GPUs on 1 node: fill, s/sqrt(bytes)"));
        // The largest size moves 7/8 of a GiB.
        const CalibratedParameter* bus = figure(out, "all_gather_8_gpus_bus_bandwidth");
        const double wire = gib * 7 / 8;
        QVERIFY(near(bus->after, wire / (20e-6 + wire / 300e9)) && near(bus->before, 360e9));
        QCOMPARE(bus->low, bus->after);
        QCOMPARE(bus->high, bus->after);
        QVERIFY(!figure(out, "all_gather_8_gpus_network_efficiency"));
    }

    /// Rows that are slower and faster in turn: a figure may be off by the mean error of the law on them.
    void rowsThatScatter() {
        MeasuredCollective table = tableOf(16, 2, mib, 12, 300e9, 20e-6);
        for (std::size_t i = 0; i < table.points.size(); ++i)
            table.points[i].seconds *= i % 2 == 0 ? 1.1 : 0.9;
        const LiveCalibration out = found(table);
        for (const char* name : {"all_gather_16_gpus_bandwidth", "all_gather_16_gpus_network_efficiency"}) {
            const CalibratedParameter* p = figure(out, name);
            const double error = p->high / p->after - 1;
            QVERIFY2(error > 0.03 && error < 0.15, name);
            QVERIFY2(near(p->low * p->high, p->after * p->after), name);
        }
        const CalibratedParameter* rate = figure(out, "all_gather_16_gpus_bandwidth");
        QCOMPARE(rate->how, "alpha + gamma sqrt(w) + w/B through 12 rows, mean error " +
                                figureText(100 * (rate->high / rate->after - 1), " %"));
    }

    /// Of two nodes of 8 with 50 GB/s each, of a node of four, of three and two nodes.
    void efficiencyOfTheNetwork() {
        LiveCalibration out = found(tableOf(16, 2, mib, 11, 300e9));
        const CalibratedParameter* p = figure(out, "all_gather_16_gpus_network_efficiency");
        QVERIFY(near(p->after, 0.75, 0.01));
        QCOMPARE(p->label,
                 std::string("all-gather of 16 GPUs on 2 nodes: network efficiency of large messages"));
        QVERIFY(near(p->low * p->high, p->after * p->after) && p->low <= p->after);
        QVERIFY(out.notes.empty() || !out.notes.front().starts_with("No log"));
        QVERIFY(
            near(figure(found(tableOf(8, 2, mib, 11, 150e9)), "all_gather_8_gpus_network_efficiency")->after,
                 0.75, 0.01));
        // An all-reduce over two domains sends the buffer once, not twice.
        const auto reduce = [&](int ranks, int nodes) {
            return found(tableOf(ranks, nodes, mib, 11, 300e9, 0, CollectiveOp::allReduce));
        };
        QVERIFY(!figure(reduce(16, 2), "all_reduce_16_gpus_network_efficiency"));
        QVERIFY(figure(reduce(24, 3), "all_reduce_24_gpus_network_efficiency"));
        // One domain over two nodes does not cross the network; nor does a part of a node.
        spec_.cluster.custom.nvlinkDomain = 16;
        QVERIFY(!figure(found(tableOf(16, 2, mib, 11, 300e9)), "all_gather_16_gpus_network_efficiency"));
        spec_.cluster.custom.nvlinkDomain = 8;
        QVERIFY(!figure(found(tableOf(4, 1, mib, 11, 300e9)), "all_gather_4_gpus_network_efficiency"));
    }

    /// Bytes that a GPU's network card must carry at least, over the time: 3 % above the line are clocks.
    void fasterThanTheLine_data() {
        QTest::addColumn<int>("op");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("nodes");
        QTest::addColumn<double>("share"); // of the buffer
        QTest::newRow("all-gather") << static_cast<int>(CollectiveOp::allGather) << 16 << 2 << 0.5 / 8;
        QTest::newRow("all-gather of 4 nodes")
            << static_cast<int>(CollectiveOp::allGather) << 32 << 4 << 0.75 / 8;
        QTest::newRow("reduce-scatter")
            << static_cast<int>(CollectiveOp::reduceScatter) << 16 << 2 << 0.5 / 8;
        QTest::newRow("all-reduce") << static_cast<int>(CollectiveOp::allReduce) << 16 << 2 << 1.0 / 8;
        QTest::newRow("all-to-all") << static_cast<int>(CollectiveOp::allToAll) << 16 << 2 << 0.5;
        QTest::newRow("all-to-all of 4 nodes") << static_cast<int>(CollectiveOp::allToAll) << 32 << 4 << 0.75;
    }
    void fasterThanTheLine() {
        QFETCH(int, op);
        QFETCH(int, ranks);
        QFETCH(int, nodes);
        QFETCH(double, share);
        MeasuredCollective table = tableOf(ranks, nodes, mib, 5, 1e9, 0, static_cast<CollectiveOp>(op));
        const auto at = [&](double gigabytesPerS) {
            table.points[3].seconds = table.points[3].bytes * share / (gigabytesPerS * 1e9);
            return error({table});
        };
        QCOMPARE(at(51.4), QString());
        QVERIFY2(at(51.6).contains(QLatin1String(
                     " moves 51.6 GB/s over the network of a GPU that has 50 GB/s, which is physically "
                     "impossible; likely the log is from another instance type")),
                 qPrintable(at(51.6)));
        table.nodes = 1; // inside one node there is no line
        table.ranks = 8;
        QCOMPARE(at(1000), QString());
    }

    void whatIsMissing() {
        QCOMPARE(error({}),
                 QStringLiteral("no collective measurements; use the output of all_reduce_perf or a similar "
                                "nccl-tests program"));
        const QString few = QStringLiteral(
            "log: a table of %1 rows and %2 GPUs; at least 5 rows of a collective over two or more "
            "GPUs are required");
        QCOMPARE(error({tableOf(8, 1, mib, 4, 3e11)}), few.arg(4).arg(8));
        QCOMPARE(error({tableOf(8, 1, mib, 5, 3e11)}), QString());
        MeasuredCollective one = tableOf(2, 1, mib, 5, 3e11);
        QCOMPARE(error({one}), QString());
        one.ranks = 1;
        QCOMPARE(error({one}), few.arg(5).arg(1));
        spec_.cluster.custom.networkBytesPerSPerGpuPerDirection.reset();
        spec_.cluster.instances = 1;
        spec_.plan.dataParallel = 4;
        QCOMPARE(
            error({tableOf(16, 2, mib, 5, 3e11)}),
            QStringLiteral(
                "log: all-gather of 16 GPUs on 2 nodes, and the scenario's machine has no network; use a "
                "scenario for the machine of the log"));
        QCOMPARE(error({tableOf(8, 1, mib, 5, 3e11)}), QString()); // inside of a node none is needed
        spec_ = smallTraining();
        spec_.workload.model = "unheard of";
        QVERIFY(error({tableOf(8, 1, mib, 5, 3e11)}).startsWith(QLatin1String("/workload/model")));
        spec_ = smallTraining();
    }

    void severalLogs() {
        MeasuredCollective one = tableOf(8, 1, mib, 5, 360e9), other = tableOf(8, 1, mib, 6, 360e9);
        other.log = "other";
        // In place twice 10 % slower, sqrt(2) of the error of one: the larger median of both tables.
        for (std::size_t i = 0; i < 5; ++i)
            other.points.push_back({other.points[i].bytes, other.points[i].seconds / 1.1, true});
        const LiveCalibration out = *calibrate({one, other});
        QCOMPARE(out.source, std::string("log, other"));
        QCOMPARE(out.samples, std::size_t{16});
        QVERIFY(near(out.spread, 0.1 / std::sqrt(2)));
        QVERIFY(near((*calibrate({other, one})).spread, 0.1 / std::sqrt(2)));
    }

    /// The rate of NVLink is all there is to a size: each counts with its error, and n sizes like 8 n / (8 +
    /// n).
    void certaintyOfARate() {
        QVERIFY(near(posterior(tableOf(8, 1, gib, 5, 360e9)), expected(5, 8.0 / 13, 0.02), 1e-4));
        QVERIFY(near(posterior(tableOf(8, 1, gib, 8, 360e9)), expected(8, 0.5, 0.02), 1e-4));
        QVERIFY(near(posterior(tableOf(8, 1, mib, 5, 360e9)), expected(5, 8.0 / 13, 0.02), 1e-4));
        // Below 1 MiB three times the error.
        QVERIFY(near(posterior(tableOf(8, 1, mib / 32, 5, 360e9)), expected(5, 8.0 / 13, 0.06), 1e-4));
        // As wide as two runs of a size differ.
        MeasuredCollective twice = tableOf(8, 1, gib, 5, 360e9);
        for (std::size_t i = 0; i < 5; ++i) {
            twice.points.push_back({twice.points[i].bytes, twice.points[i].seconds * 1.025, true});
            twice.points[i].seconds *= 0.975;
        }
        const double sd = (1 - 0.975 / 1.025) / std::sqrt(2);
        QVERIFY(near(posterior(twice), expected(10, 8.0 / 18, sd), 0.01));
    }

    /// What the law leaves out of medium sizes in a first fit is their error in the second; of those of a GiB
    /// and more it is not.
    void misfitsOfTheLaw() {
        const auto scattered = [&](double first) {
            MeasuredCollective out = tableOf(8, 1, first, 9, 360e9);
            for (std::size_t i = 0; i < 9; ++i)
                out.points[i].seconds *= i == 4 ? 1 : i % 2 == 0 ? 1.05 : 0.95;
            return out;
        };
        QVERIFY(posterior(scattered(mib)) > 1.5 * posterior(scattered(gib)));
    }

    void theRateIsFound() {
        constantIn(catalog_.defaultProfile, "all_gather_efficiency").logSd = 0.24;
        const LiveCalibration out = found(tableOf(8, 1, gib, 8, 450e9 * 0.7));
        constantIn(catalog_.defaultProfile, "all_gather_efficiency").logSd = 0;
        const CalibratedParameter* p = figure(out, "all_gather_efficiency");
        QVERIFY(std::abs(p->after - 0.7) < 0.002 && p->changed && p->applied);
        QCOMPARE(p->before, 0.8);
        QVERIFY(near(out.before.median, 1 - 0.7 / 0.8, 1e-3)); // times at 0.8 are too short
        QVERIFY(out.after.median < 0.003 && out.after.mean < 0.003);
        QVERIFY(out.leftOut && out.leftOut->median < 0.003);
        QVERIFY(p->dataShare > 0.99);
    }
};

QTEST_APPLESS_MAIN(TestLiveCollectives)

} // namespace tst_live_collectives

#include "tst_live_collectives.moc"
