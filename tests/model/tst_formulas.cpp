// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cost/capacity_block.h"
#include "model/estimate/assemble_parts.h"
#include "model/explain/normal.h"
#include "model/kernels/attention.h"
#include "model/kernels/gemm.h"
#include "model/kernels/grouped_gemm.h"
#include "model/memory/weights_and_kv.h"
#include "model/reliability/goodput.h"
#include "model/reliability/spares.h"
#include "model/serving/request_load.h"
#include "model/workload/layer_kinds.h"
#include "tests/oracle/reference/capacity_block_size.h"
#include "tests/oracle/reference/kernels.h"
#include "tests/oracle/reference/spares.h"

#include <QTest>

#include <random>
#include <set>

namespace tst_formulas {

using namespace alidade;
using namespace alidade::reference;

namespace {

template <class N>
GemmRates<N> h100Gemm(const N& peak, const N& bandwidth = N(3.35e12)) {
    return {.peak = peak,
            .bandwidth = bandwidth,
            .computeEfficiency = N(0.838),
            .memoryEfficiency = N(0.844),
            .launch = N(3.48e-6),
            .extraK = N(153)};
}

std::int64_t countedPairs(std::int64_t queries, AttentionMask mask, std::int64_t window,
                          std::int64_t cached) {
    std::int64_t count = 0;
    for (std::int64_t q = cached; q < cached + queries; ++q) {
        for (std::int64_t k = 0; k < cached + queries; ++k) {
            const bool seen = mask == AttentionMask::full      ? true
                              : k > q                          ? false
                              : mask == AttentionMask::causal  ? true
                              : mask == AttentionMask::sliding ? q - k < window
                                                               : q / window == k / window;
            count += seen ? 1 : 0;
        }
    }
    return count;
}

} // namespace

class TestFormulas : public QObject {
    Q_OBJECT

private slots:
    /// Mean number of keys that a query sees, counted one by one: causal, in a sliding window, in chunks. The
    /// formulas are of the middle of each position, half a key less than the count.
    void meanKeysAsCountedOneByOne() {
        constexpr int length = 4096;
        for (const int window : {0, 512, 1024, 4096, 8192}) {
            for (const bool inChunks : {false, true}) {
                const LayerKind kind{.window = window, .chunked = inChunks};
                double counted = 0;
                for (int query = 0; query < length; ++query) {
                    const bool limited = window > 0 && window < length;
                    counted += !limited   ? query + 1
                               : inChunks ? query % window + 1
                                          : std::min(query + 1, window);
                }
                const double mean = meanKeys(kind, length);
                QVERIFY2(std::abs(mean - counted / length) <= 0.5 + 1e-9,
                         qPrintable(QString::number(mean) + u" and " + QString::number(counted / length)));
            }
        }
    }

    void pairsAsCountedOneByOne() {
        for (const AttentionMask mask :
             {AttentionMask::full, AttentionMask::causal, AttentionMask::sliding, AttentionMask::chunked}) {
            for (std::int64_t queries = 1; queries <= 12; ++queries) {
                for (std::int64_t window = 1; window <= 14; ++window) {
                    for (std::int64_t cached = 0; cached <= (mask == AttentionMask::chunked ? 0 : 9);
                         ++cached) {
                        QCOMPARE(attentionPairs(queries, mask, window, cached),
                                 countedPairs(queries, mask, window, cached));
                    }
                }
            }
        }
        QCOMPARE(causalPairs(8192.0, 100.0), double(attentionPairs(8192, AttentionMask::causal, 0, 100)));
    }

    void theLargerArmDecides() {
        const auto large = gemmTime<double>({8192, 8192, 8192}, h100Gemm(989.5e12));
        QCOMPARE(boundOf(large), Bound::compute);
        QCOMPARE(large.total, large.launch + large.compute);
        const auto thin = gemmTime<double>({16, 8192, 8192}, h100Gemm(989.5e12));
        QCOMPARE(boundOf(thin), Bound::hbm);
        QCOMPARE(thin.total, thin.launch + thin.memory);
        const auto tiny = gemmTime<double>({1, 64, 64}, h100Gemm(989.5e12));
        QCOMPARE(boundOf(tiny), Bound::latency);
        // Fewer rows than a tile has take as long as the tile, but need fewer FLOP.
        QCOMPARE(gemmTime<double>({1, 8192, 8192}, h100Gemm(989.5e12)).compute, thin.compute);
        QVERIFY(gemmTime<double>({1, 8192, 8192}, h100Gemm(989.5e12)).flops < thin.flops);
    }

    void tracedIsTheSameModel() {
        Trace trace;
        const Traced peak = Traced::leaf(trace, 989.5e12, "peak", Dimension::flopPerSecond, "data sheet",
                                         SourceKind::catalog);
        const Traced bandwidth =
            Traced::leaf(trace, 3.35e12, "hbm", Dimension::bytesPerSecond, "data sheet", SourceKind::catalog);
        for (const double m : {1.0, 16.0, 300.0, 8192.0}) {
            const auto plain = gemmTime<double>({m, 4096, 14336}, h100Gemm(989.5e12));
            const auto traced = gemmTime<Traced>({m, 4096, 14336}, h100Gemm(peak, bandwidth));
            QCOMPARE(valueOf(traced.total), plain.total);
            QCOMPARE(boundOf(traced), boundOf(plain));
            const Explanation why = explain(named(traced.total, "gemm_time", Dimension::seconds));
            std::set<std::string> terms;
            for (const ExplainedTerm& term : why.terms)
                terms.insert(term.name);
            QVERIFY(terms.contains("gemm_compute_time") && terms.contains("gemm_memory_time"));
            QCOMPARE(why.inputs.size(), std::size_t(2)); // what came from a catalog
        }
        const auto shape = causalAttention<Traced>(1, 8192, 64, 8, 128);
        const auto plainShape = causalAttention<double>(1, 8192, 64, 8, 128);
        const auto pass = AttentionPass::backward;
        QCOMPARE(valueOf(attentionTime<Traced>(shape, {peak, 3.35e12, 0.55, 0.84, 1.3e-5, 898}, pass).total),
                 attentionTime<double>(plainShape, {989.5e12, 3.35e12, 0.55, 0.84, 1.3e-5, 898}, pass).total);
    }

    void tilesWasteWhatTheyDoNotFill() {
        QCOMPARE(tileWaveEfficiency(128 * 4, 256 * 33, 128, 256, 132), 1.0);
        std::mt19937_64 engine{5};
        for (int i = 0; i < 500; ++i) {
            std::uniform_int_distribution<int> size(1, 20000);
            const double eta = tileWaveEfficiency(size(engine), size(engine), 128, 256, 132);
            QVERIFY(eta > 0 && eta <= 1);
        }
    }

    void allExpertsAreTouchedInTheEnd() {
        QVERIFY(std::abs(expertsTouched(256.0, 8.0, 1.0, 0.9) - 8) < 1e-12);
        QVERIFY(std::abs(expertsTouched(256.0, 8.0, 100000.0, 0.0) - 256) < 1e-9);
    }

    void theBottleneckIsTheLargestShare() {
        BoundTimes<double> times;
        times[Bound::hbm] = 0.4;
        times[Bound::efa] = 0.5;
        QCOMPARE(largestShare(times), Bound::efa);
        times[Bound::hbm] = 0.51;
        QCOMPARE(largestShare(times), Bound::hbm);
    }

    void quantilesInvertTheDistribution() {
        QVERIFY(std::abs(normalQuantile(0.975) - 1.959963984540054) < 1e-15);
        QCOMPARE(normalQuantile(0.5), 0.0);
        for (double exponent = -300; exponent < -0.3; exponent += 0.37) {
            const double p = std::pow(10, exponent), x = normalQuantile(p);
            QVERIFY(std::abs(std::erfc(-x / std::sqrt(2)) / 2 / p - 1) <
                    1e-12); // e^(x^2/2) magnifies rounding
            if (p > 1e-8)
                QVERIFY(std::abs(normalQuantile(1 - p) + x) < 1e-7);
        }
        QCOMPARE(blomMaximum(1), 0.0);
        QVERIFY(blomMaximum(16384) > blomMaximum(1024));
    }

    void theOptimalIntervalIsTheBest() {
        for (const double delta : {0.001, 1.0, 60.0, 600.0, 5000.0}) {
            for (const double mtbf : {1800.0, 11138.0, 1e6}) {
                const double best = optimalInterval(delta, mtbf);
                const double ratio = ettr(best, delta, mtbf, 300.0);
                QVERIFY(ratio > 0 && ratio < 1);
                QVERIFY(ratio >= ettr(best * 1.01, delta, mtbf, 300.0));
                QVERIFY(ratio >= ettr(best / 1.01, delta, mtbf, 300.0));
            }
        }
        QCOMPARE(optimalInterval(0, 3600), 0.0);
    }

    void sparesCoverAFleetOfAnySize() {
        QCOMPARE(spareNodes(100, 0, 24, 0.99), 0);
        QVERIFY(spareNodes(2048, 0.0038, 24, 0.999) > spareNodes(2048, 0.0038, 24, 0.99));
        const int many = spareNodes(1e6, 0.004, 24, 0.99); // a mean of 4,000: e^-4000 is not a double
        const double normal = 4000 + 2.326 * std::sqrt(4000);
        QVERIFY2(std::abs(many - normal) < 5, qPrintable(QString::number(many)));
        // The shipped probability turns at the same number of spares.
        QCOMPARE(outOfSpares(0, 0), 0.0);
        QVERIFY(outOfSpares(4000, many) <= 0.01 && outOfSpares(4000, many - 1) > 0.01);
        for (const double share : {0.5, 0.9, 0.99, 0.999}) {
            const int few = spareNodes(2048, 0.0038, 24, share);
            QVERIFY(outOfSpares(2048 * 0.0038, few) <= 1 - share);
            QVERIFY(outOfSpares(2048 * 0.0038, few - 1) > 1 - share);
        }
    }

    void blocksThatCannotBeBookedAreRefused() {
        QCOMPARE(*capacityBlockDays(182 * 24), 182);
        QVERIFY(!capacityBlockDays(182 * 24 + 1));
        QVERIFY(!capacityBlockDays(std::nan("")));
        QCOMPARE(*capacityBlockSize(33), 64);
        QVERIFY(!capacityBlockSize(65));
        for (double hours = 0; hours < 4000; hours += 7)
            QVERIFY(24.0 * *capacityBlockDays(hours) >= hours);
    }

    void blocksAreBookedForWholeDays() {
        const auto plan = planCapacityBlocks(100, 100);
        QVERIFY(plan);
        QVERIFY((plan->sizes == std::vector<int>{64, 32, 4}));
        QCOMPARE(plan->days, 5);
        QCOMPARE(plan->idleHours(), 100 * (5 * 24.0 - 100));
        // The last half hour of a block cannot be used.
        QCOMPARE(planCapacityBlocks(1, 23.5)->days, 1);
        QCOMPARE(planCapacityBlocks(1, 24)->days, 2);
        QCOMPARE(planCapacityBlocks(256, 15 * 24.0)->days, 21);
        QVERIFY(!planCapacityBlocks(257, 24));
        QCOMPARE(planCapacityBlocks(8, 182 * 24)->days, 183); // a second block for the last half hour
        QCOMPARE(planCapacityBlocks(1, 23.5, ultraserverBlockEndHours)->days, 2);
    }

    void pagesHoldWholeBlocks() {
        const SequenceMemory sequence{.bytesPerToken = 1, .blockTokens = 16};
        QCOMPARE(sequence.bytesAt(4096), 4096.0);
        QCOMPARE(sequence.bytesAt(4097), 4112.0);
        // Beyond as many ranks as KV heads the heads are copied.
        QCOMPARE(gqaKvElements(8.0, 128.0, 16.0), gqaKvElements(8.0, 128.0, 8.0));
    }
};

QTEST_APPLESS_MAIN(TestFormulas)

} // namespace tst_formulas

#include "tst_formulas.moc"
