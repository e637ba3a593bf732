// SPDX-License-Identifier: GPL-3.0-or-later
// XIDs, ECC errors and remapped rows, from values that are written out one by one.
#include "tests/model/hand_made_cluster.h"

#include <QTest>

namespace tst_gpu_faults {

using namespace alidade;
using namespace alidade::tests;

namespace {

const Entity gpu0{"a", 0, {}}, gpu1{"a", 1, {}}, gpu2{"a", 2, {}}, gpu3{"a", 3, {}};

/// `count` points of a minute, all of which are observed.
HandMade minutes(std::size_t count) {
    HandMade out(count);
    for (int gpu = 0; gpu < 4; ++gpu)
        out.flat(Signal::gpuTemperature, {"a", gpu, {}}, 60);
    return out;
}

QByteArray memoryErrors(const HandMade& cluster, const HealthLimits& limits = {}) {
    Detection detection(cluster);
    detection.limits = limits;
    return told(detection.found(findMemoryErrors));
}

/// Corrected errors of forty minutes: some in minute 15, some in minute 25. Of all windows of ten minutes
/// that hold minute 25, the one before holds minute 15.
HandMade corrected(double early, double late, std::size_t points = 40) {
    HandMade out = minutes(points);
    out.flat(Signal::eccSingleBit, gpu1, 0);
    out.set(Signal::eccSingleBit, gpu1, 15, 16, early).set(Signal::eccSingleBit, gpu1, 25, 26, late);
    return out;
}

} // namespace

/// What GPUs report of their own faults.
class TestGpuFaults : public QObject {
    Q_OBJECT

private slots:
    /// A code stands until the reset; it counts again after it was 0 or another one in between.
    void codesAreEvents() {
        HandMade cluster = minutes(8);
        cluster.row(Signal::xid, gpu0, {0, 0, 94, 94, 0, 0, 94, 0});
        cluster.row(Signal::xid, gpu1, {79, 79, 79, 79, 79, 79, 79, 79});
        cluster.row(Signal::xid, gpu2, {none, 62.6, 48, 48, none, 48, 0, -1}); // a negative value is none
        cluster.row(Signal::xid, gpu3, {0, 31, 31, none, 13, 31, 31, none});
        QCOMPARE(told(Detection(cluster).found(findXids)),
                 QByteArray("xid 94 a 0 [2,7)x1 120..360 2 times\n"
                            "xid 79 a 1 [0,8)x1 0..420 before lasts\n"
                            "xid 63 a 2 [1,2)x1 60..60 before\n"
                            "xid 48 a 2 [2,6)x1 120..300\n"
                            "xid 31 a 3 [1,7)x1 60..360 lasts 2 times\n"
                            "xid 13 a 3 [4,5)x1 240..240\n"));
    }

    /// Less than a third of an error is extrapolation. A quarter of an hour without one ends an event.
    void doubleBitErrors() {
        HandMade cluster = minutes(40);
        cluster.flat(Signal::eccDoubleBit, gpu0, 0.3);
        cluster.row(Signal::eccDoubleBit, gpu1, runs({{2, 0}, {1, 0.31}, {15, 0}, {1, 1.6}, {21, 0}}));
        cluster.row(Signal::eccDoubleBit, gpu2, runs({{2, 0}, {1, 0.4}, {16, 0}, {1, 0.4}, {20, 0}}));
        cluster.row(Signal::eccDoubleBit, gpu3,
                    runs({{2, 1.2}, {15, none}, {1, 2}, {1, -5}, {1, 1}, {16, none}, {1, 1}, {3, 0}}));
        QCOMPARE(memoryErrors(cluster),
                 QByteArray("double_bit_errors a 1 [2,19)x2 120..1080: 2 double-bit errors\n"
                            "double_bit_errors a 2 [2,3)x1 120..120: 1 double-bit error\n"
                            "double_bit_errors a 2 [19,20)x1 1140..1140: 1 double-bit error\n"
                            "double_bit_errors a 3 [0,20)x4 0..1140 before: 5 double-bit errors\n"
                            "double_bit_errors a 3 [36,37)x1 2160..2160: 1 double-bit error\n"));
    }

    /// n errors after none: they must be more than the limit, and n >= 4 sqrt(n), which is 16.
    void risingErrorsAreMoreThanChance() {
        const QByteArray rising = "single_bit_errors a 1 [25,35)x10 1500..2040 lasts: 16 corrected errors in "
                                  "10 min, 0 in the 10 min before; 16 in the observed time\n";
        QCOMPARE(memoryErrors(corrected(0, 16)), rising);
        QCOMPARE(memoryErrors(corrected(0, 15)), QByteArray());
        HealthLimits limits;
        limits.singleBitErrors = 15.9;
        QCOMPARE(memoryErrors(corrected(0, 16), limits), rising);
        limits.singleBitErrors = 16;
        QCOMPARE(memoryErrors(corrected(0, 16), limits), QByteArray());
        // Half a window later they are over.
        QVERIFY(!memoryErrors(corrected(0, 16, 41)).contains("lasts"));
    }

    /// n after 3, twice as many being no growth: n - 6 >= 4 sqrt(n + 4 x 3), which is 33 (27 >= 26.8), and
    /// not 32 (26 < 26.5). With three times: n - 9 >= 4 sqrt(n + 9 x 3), which is 43 (34 >= 33.5), and not 42
    /// (33 < 33.2).
    void risingErrorsGrow() {
        QCOMPARE(
            memoryErrors(corrected(3, 33)),
            QByteArray("single_bit_errors a 1 [15,35)x20 900..2040 lasts: 33 corrected errors in 10 min, "
                       "3 in the 10 min before; 36 in the observed time\n"));
        QCOMPARE(memoryErrors(corrected(3, 32)), QByteArray());
        HealthLimits limits;
        limits.singleBitGrowth = 3;
        QVERIFY(!memoryErrors(corrected(3, 43), limits).isEmpty());
        QCOMPARE(memoryErrors(corrected(3, 42), limits), QByteArray());
    }

    /// Half of a window's points are enough, and their sum is taken as if all had been measured: five known
    /// points with 8 errors are 16. One point more or less and it is too few errors or too few points.
    void risingErrorsOfHalfTheSamples() {
        HandMade cluster = minutes(40);
        std::vector<double> values(25, 0.0);
        for (const double value : {0.0, none, 0.0, none, 0.0, none, 0.0, none, 8.0, none})
            values.push_back(value);
        cluster.row(Signal::eccSingleBit, gpu1, values);
        QCOMPARE(
            memoryErrors(cluster),
            QByteArray("single_bit_errors a 1 [33,35)x2 1980..2040 lasts: 16 corrected errors in 10 min, "
                       "0 in the 10 min before; 8 in the observed time\n"));
        cluster.set(Signal::eccSingleBit, gpu1, 15, 20, none); // half of the window before it, too
        QVERIFY(!memoryErrors(cluster).isEmpty());
        cluster.set(Signal::eccSingleBit, gpu1, 20, 21, none);
        QCOMPARE(memoryErrors(cluster), QByteArray());
        cluster.set(Signal::eccSingleBit, gpu1, 15, 21, 0).set(Signal::eccSingleBit, gpu1, 24, 27, none);
        QCOMPARE(memoryErrors(cluster), QByteArray()); // four points
    }

    /// One point is no window: on a coarse grid two of five minutes make ten.
    void risingErrorsOfTwoPoints() {
        HandMade cluster(5, 300);
        cluster.flat(Signal::gpuTemperature, gpu1, 60).row(Signal::eccSingleBit, gpu1, {0, 0, 0, 20, none});
        QVERIFY(!memoryErrors(cluster).isEmpty());
        cluster.set(Signal::eccSingleBit, gpu1, 2, 3, none);
        QCOMPARE(memoryErrors(cluster), QByteArray());
    }

    /// One error in two minutes is 5 in ten minutes and 15 in thirty, of which 16 would tell, but 30 in an
    /// hour. Two minutes after the last full hour 28 - 2 x 2 are still as many as 4 sqrt(28 + 4 x 2).
    void slowGrowthIsSeenInAnHour() {
        HandMade cluster = minutes(200);
        std::vector<double> values(100, 0.0);
        for (int i = 0; i < 100; ++i)
            values.push_back(i % 2 == 0 && i < 60 ? 1 : 0);
        cluster.row(Signal::eccSingleBit, gpu1, values);
        QCOMPARE(
            memoryErrors(cluster),
            QByteArray("single_bit_errors a 1 [100,164)x64 6000..9780: 28 corrected errors in 60 min, 2 in "
                       "the 60 min before; 30 in the observed time\n"));
    }

    /// A burst after slow growth is what is told: it is the latest.
    void theLatestGrowthIsTold() {
        HandMade cluster = minutes(200);
        cluster.flat(Signal::eccSingleBit, gpu1, 0).set(Signal::eccSingleBit, gpu1, 180, 181, 16);
        for (std::size_t i = 100; i < 160; i += 2)
            cluster.set(Signal::eccSingleBit, gpu1, i, i + 1, 1);
        QCOMPARE(
            memoryErrors(cluster),
            QByteArray("single_bit_errors a 1 [100,190)x90 6000..11340: 16 corrected errors in 10 min, 0 in "
                       "the 10 min before; 46 in the observed time\n"));
    }

    /// Two in three minutes are 8 in ten minutes and 20 in thirty; there are no two hours to compare.
    void fasterGrowthIsSeenInHalfAnHour() {
        HandMade cluster = minutes(110);
        cluster.flat(Signal::eccSingleBit, gpu1, 0);
        for (std::size_t i = 70; i < 100; i += 3)
            cluster.set(Signal::eccSingleBit, gpu1, i, i + 1, 2);
        QCOMPARE(
            memoryErrors(cluster),
            QByteArray("single_bit_errors a 1 [70,100)x30 4200..5940 lasts: 20 corrected errors in 30 min, "
                       "0 in the 30 min before; 20 in the observed time\n"));
    }

    void flagsOfRemappingAreUp() {
        HandMade cluster = minutes(20);
        cluster.row(Signal::rowRemapFailure, gpu0,
                    runs({{3, 0.5}, {2, 0.51}, {5, 0}, {1, 1}, {6, 0}, {1, 1}, {2, 0}}));
        cluster.row(Signal::rowRemapFailure, gpu1, runs({{4, 0}, {1, 1}, {14, none}, {1, 1}}));
        cluster.row(Signal::rowRemapPending, gpu2, runs({{4, 1}, {16, 0}}));
        QCOMPARE(memoryErrors(cluster),
                 QByteArray("row_remap 1 a 0 [3,11)x3 180..600: row remap failed\n"
                            "row_remap 1 a 0 [17,18)x1 1020..1020: row remap failed\n"
                            "row_remap 1 a 1 [4,20)x2 240..1140 lasts: row remap failed\n"
                            "row_remap 2 a 2 [0,4)x4 0..180 before: row remap pending\n"));
    }

    /// The count is of the GPU's life: only its growth is news.
    void rowsThatAreRemappedNow() {
        HandMade cluster = minutes(8);
        cluster.row(Signal::rowsRemappedUncorrectable, gpu0, {3, 3, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5});
        cluster.row(Signal::rowsRemappedUncorrectable, gpu1, {3, 3, none, 4, 4, 6, 6, 6});
        cluster.row(Signal::rowsRemappedCorrectable, gpu2,
                    {none, 1'200, 1'201, 1'201, 1'201, 1'201, none, none});
        QCOMPARE(
            memoryErrors(cluster),
            QByteArray(
                "row_remap a 1 [3,6)x1 180..300: 3 rows remapped after uncorrectable errors, 6 in all\n"
                "row_remap a 2 [2,3)x1 120..120: 1 row remapped after corrected errors, 1,201 in all\n"));
    }

    /// ln(0.001 / rows) / ln(gaps), rounded up: 11.5 / 1.61 = 7.2; where nearly all is missing, 6.91 /
    /// 0.0202.
    void howLongAGapTells() {
        QCOMPARE(tellingGap(0, 1e6), std::size_t{1});
        QCOMPARE(tellingGap(-1, 1e6), std::size_t{1});
        QCOMPARE(tellingGap(0.2, 100), std::size_t{8});
        QCOMPARE(tellingGap(0.2, 1), std::size_t{5});
        QCOMPARE(tellingGap(0.2, 0.001), std::size_t{5});
        QCOMPARE(tellingGap(1, 1), std::size_t{342});
        QCOMPARE(tellingGap(1e-9, 1), std::size_t{1});
    }

    void words() {
        QCOMPARE(clockText(1'290.4e6), std::string("1,290 MHz"));
        QCOMPARE(timesText(1.304), std::string("1.30 ×"));
        QCOMPARE(percentText(0.0604), std::string("6.0 %"));
        QCOMPARE(durationText(45.4), std::string("45 s"));
        QCOMPARE(durationText(89.6), std::string("90 s"));
        QCOMPARE(durationText(90), std::string("2 min")); // from here on in whole minutes
        QCOMPARE(durationText(1'229), std::string("20 min"));
        QCOMPARE(durationText(1'231), std::string("21 min"));
        QCOMPARE(durationText(3 * 3600), std::string("3 h"));
        QCOMPARE(countOf(0.4, "node", "nodes"), std::string("0 nodes"));
        QCOMPARE(countOf(1.4, "node", "nodes"), std::string("1 node"));
        QCOMPARE(countOf(1.6, "node", "nodes"), std::string("2 nodes"));
        QCOMPARE(countOf(12'000, "node", "nodes"), std::string("12,000 nodes"));
    }
};

QTEST_APPLESS_MAIN(TestGpuFaults)

} // namespace tst_gpu_faults

#include "tst_gpu_faults.moc"
