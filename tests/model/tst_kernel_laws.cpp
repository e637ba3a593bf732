// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/kernels/attention.h"
#include "model/kernels/elementwise.h"
#include "model/kernels/gemm.h"
#include "model/kernels/grouped_gemm.h"
#include "model/memory/weights_and_kv.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_kernel_laws {

using namespace alidade;

/// Roofline laws of single kernels (Williams et al. 2009) with rates of which every term is a small number.
class TestKernelLaws : public QObject {
    Q_OBJECT

private slots:
    /// [40 x 5][5 x 7] at 4 x 0.5 FLOP/s and 8 x 0.25 bytes/s, operands of 1 and 3 bytes, results of 2.
    void matrixMultiplication() {
        const GemmRates<double> rates{.peak = 4,
                                      .bandwidth = 8,
                                      .computeEfficiency = 0.5,
                                      .memoryEfficiency = 0.25,
                                      .launch = 11,
                                      .extraK = 3,
                                      .quantPasses = 2,
                                      .activationBytes = 1,
                                      .weightBytes = 3,
                                      .outputBytes = 2};
        RooflineTime<double> t = gemmTime<double>({40, 7, 5}, rates);
        QCOMPARE(t.flops, 2.0 * 40 * 7 * 5);
        QCOMPARE(t.bytes, 40.0 * 5 + 3 * 7 * 5 + 2 * 40 * 7);
        QCOMPARE(t.compute, 2.0 * 40 * 7 * (5 + 3) / 2);
        QCOMPARE(t.memory, (40.0 * 5 + 3 * 7 * 5 + 2 * 40 * 7) / 2);
        QCOMPARE(t.quantization, 2.0 * (2 + 1) * 40 * 5 / 8);
        QCOMPARE(t.total, 11 + t.compute + t.quantization);
        // Fewer rows than the smallest tile, 32, take as long.
        t = gemmTime<double>({1, 7, 5}, rates);
        QCOMPARE(t.flops, 2.0 * 7 * 5);
        QCOMPARE(t.compute, 2.0 * 32 * 7 * 8 / 2);
    }

    /// 3 sequences of 10 queries behind 20 tokens; 4 query and 2 KV heads of 6 and 5; 70 pairs.
    void attention() {
        const AttentionShape<double> s{.batch = 3,
                                       .queries = 10,
                                       .cached = 20,
                                       .queryHeads = 4,
                                       .kvHeads = 2,
                                       .headSize = 6,
                                       .valueHeadSize = 5,
                                       .pairs = 70,
                                       .span = 30,
                                       .elementBytes = 2};
        const AttentionRates<double> r{.peak = 4,
                                       .bandwidth = 8,
                                       .computeEfficiency = 0.5,
                                       .memoryEfficiency = 0.25,
                                       .launch = 11,
                                       .rampTokens = 15};
        const RooflineTime<double> forward = attentionTime(s, r);
        QCOMPARE(forward.flops, 2.0 * 3 * 4 * 11 * 70);
        QCOMPARE(forward.bytes, 2.0 * 3 * 11 * (4 * 10 + 2 * 30));
        QCOMPARE(forward.compute, forward.flops * 1.5 / 2);
        QCOMPARE(forward.memory, forward.bytes / 2);
        QCOMPARE(forward.total, 11 + std::max(forward.compute, forward.memory));
        const RooflineTime<double> backward = attentionTime(s, r, AttentionPass::backward);
        QCOMPARE(backward.flops, 2.5 * forward.flops);
        QCOMPARE(backward.bytes, 2 * forward.bytes);
        const RooflineTime<double> decode = decodeAttentionTime<double>(3, 100, 6, 8, 0.25, 11);
        QCOMPARE(decode.bytes, 1800.0);
        QCOMPARE(decode.total, 11 + 1800 / 2.0);
    }

    void kernelsThatMoveBytes() {
        const RooflineTime<double> t = streamingTime<double>(100, 8, 0.25, 3, 11);
        QCOMPARE(t.bytes, 300.0);
        QCOMPARE(t.total, 11 + 150.0);
        QCOMPARE(streamingTime<double>(100, 8, 0.25).total, 50.0);
        QCOMPARE(optimizerTime<double>(100, 8, 0.25, 6), 300.0);
        QCOMPARE(optimizerTime<double>(100, 8, 0.25), 1500.0); // Adam: 16 bytes read, 14 written
    }

    void whatBoundsAKernel() {
        const auto bound = [](double compute, double memory, double launch, double quantization) {
            return boundOf(RooflineTime<double>{
                .compute = compute, .memory = memory, .launch = launch, .quantization = quantization});
        };
        QCOMPARE(bound(3, 2, 1, 0), Bound::compute);
        QCOMPARE(bound(2, 2, 1, 0), Bound::compute);
        QCOMPARE(bound(2, 3, 1, 0), Bound::hbm);
        QCOMPARE(bound(2, 3, 4, 0), Bound::latency);
        QCOMPARE(bound(2, 3, 4, 2), Bound::hbm);
        QCOMPARE(bound(2, 3, 5, 2), Bound::hbm);
        QCOMPARE(bound(2, 3, 6, 2), Bound::latency);
    }

    /// Pairs of queries and keys, counted one by one.
    void pairs() {
        for (const std::int64_t cached : {0, 3, 9}) {
            for (const std::int64_t window : {1, 4, 20}) {
                std::int64_t causal = 0, sliding = 0, chunked = 0;
                for (std::int64_t q = cached; q < cached + 7; ++q) {
                    for (std::int64_t k = 0; k <= q; ++k) {
                        ++causal;
                        sliding += q - k < window;
                        chunked += q / window == k / window;
                    }
                }
                QCOMPARE(attentionPairs(7, AttentionMask::full, 0, cached), 7 * (7 + cached));
                QCOMPARE(attentionPairs(7, AttentionMask::causal, 0, cached), causal);
                QCOMPARE(causalPairs<double>(7, static_cast<double>(cached)), static_cast<double>(causal));
                QCOMPARE(attentionPairs(7, AttentionMask::sliding, window, cached), sliding);
                if (cached == 0)
                    QCOMPARE(attentionPairs(7, AttentionMask::chunked, window), chunked);
            }
        }
    }

    /// One token touches 2 of 8 experts; of two tokens the second finds each untouched one with a chance of
    /// 1/4.
    void touchedExperts() {
        QCOMPARE(expertsTouched<double>(8, 2, 1, 0), 2.0);
        QCOMPARE(expertsTouched<double>(8, 2, 2, 0), 2 + 6 / 4.0);
        QCOMPARE(expertsTouched<double>(8, 8, 1, 0), 8.0);
    }

    /// Where popularity is spread like an exponential variable (c = 1), the hits of an expert by T tokens are
    /// geometric: an expert is missed by one with 3/4 = 1/(1 + 1/3), by T with 1/(1 + T/3).
    void touchedExpertsOfUnequalPopularity() {
        QVERIFY(std::abs(expertsTouched<double>(8, 2, 1, 1) - 2) < 1e-12);
        QVERIFY(std::abs(expertsTouched<double>(8, 2, 3, 1) - 4) < 1e-12);
        QVERIFY(std::abs(expertsTouched<double>(8, 2, 12, 1) - 6.4) < 1e-12);
        QVERIFY(std::abs(expertsTouched<double>(8, 8, 5, 1) - 8) < 1e-9);
        // More uneven routing repeats more of its choices; nearly even routing is uniform routing.
        QVERIFY(expertsTouched<double>(128, 8, 16, 1.5) < expertsTouched<double>(128, 8, 16, 0.5));
        QVERIFY(std::abs(expertsTouched<double>(128, 8, 16, 0.002) - expertsTouched<double>(128, 8, 16, 0)) <
                1e-3);
    }

    /// Bytes of a weight with its scales: blocks of 128 x 128 with FP32, of 32 with 8 bits (OCP Microscaling
    /// Formats 1.0), of 16 with 8 bits, groups of 128 with FP16 and a 4-bit zero point.
    void bytesOfWeights() {
        QCOMPARE(bytesPerWeight(NumberFormat::fp32), 4.0);
        QCOMPARE(bytesPerWeight(NumberFormat::bf16), 2.0);
        QCOMPARE(bytesPerWeight(NumberFormat::fp8), 1.0);
        QCOMPARE(bytesPerWeight(NumberFormat::fp8Block128) * 16'384, 16'388.0);
        QCOMPARE(bytesPerWeight(NumberFormat::mxfp8) * 32, 33.0);
        QCOMPARE(bytesPerWeight(NumberFormat::mxfp4) * 32, 17.0);
        QCOMPARE(bytesPerWeight(NumberFormat::nvfp4) * 16, 9.0);
        QCOMPARE(bytesPerWeight(NumberFormat::int4Group128) * 128, 64 + 2.5);
        QCOMPARE(logitsBytes<double>(3, 5), 150.0); // 16 bits, an FP32 copy and its gradient
        QCOMPARE(logitsBytes<double>(3, 5, 4), 60.0);
        QCOMPARE(gqaKvElements<double>(8, 16, 4), 2.0 * 16 * 2);
        QCOMPARE(gqaKvElements<double>(2, 16, 4), 2.0 * 16);
        QCOMPARE(gqaKvElements<double>(8, 16), 2.0 * 16 * 8);
    }
};

QTEST_APPLESS_MAIN(TestKernelLaws)

} // namespace tst_kernel_laws

#include "tst_kernel_laws.moc"
