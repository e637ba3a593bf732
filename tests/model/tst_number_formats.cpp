// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/number_format.h"

#include <QTest>

#include <initializer_list>
#include <optional>
#include <string_view>
#include <tuple>

namespace tst_number_formats {

using namespace alidade;

namespace {

using enum NumberFormat;

/// 16 bits at 1 FLOP/s, 8 bits at 2, 4 bits at 4.
Gpu blackwell() {
    Gpu out;
    out.bf16 = FlopPerSecond::si(1);
    out.fp8 = FlopPerSecond::si(2);
    out.fp4 = FlopPerSecond::si(4);
    return out;
}
Gpu hopper() {
    Gpu out = blackwell();
    out.fp4 = {};
    return out;
}
Gpu ampere() {
    Gpu out = hopper();
    out.fp8 = {};
    return out;
}

Architecture native(const char* words) {
    Architecture out;
    out.nativeWeightFormat = words;
    return out;
}

} // namespace

/// Formats by their words, bits and units of a GPU.
class TestNumberFormats : public QObject {
    Q_OBJECT

private slots:
    void wordsAndBits() {
        for (const auto& [word, format, bits] : {std::tuple(std::string_view("fp8"), fp8, 8),
                                                 std::tuple(std::string_view("fp8_block"), fp8Block128, 8),
                                                 std::tuple(std::string_view("mxfp4"), mxfp4, 4),
                                                 std::tuple(std::string_view("nvfp4"), nvfp4, 4),
                                                 std::tuple(std::string_view("int4"), int4Group128, 4)}) {
            QVERIFY(numberFormat(word) == format);
            QCOMPARE(wordOf(format), word);
            QCOMPARE(bitsOf(format), bits);
        }
        QVERIFY(!numberFormat("fp7"));
        QCOMPARE(wordOf(mxfp8), std::string_view("mxfp8"));
        QCOMPARE(wordOf(fp32), std::string_view("fp32"));
        QCOMPARE(bitsOf(mxfp8), 8);
        QCOMPARE(bitsOf(bf16), 16);
        QCOMPARE(bitsOf(fp32), 32);
        QCOMPARE(elementBytes(bf16), 2.0);
        QCOMPARE(elementBytes(fp8Block128), 1 + 4.0 / 128); // an FP32 scale for 128 numbers
        QCOMPARE(elementBytes(nvfp4), 0.5 + 1.0 / 16);      // one of 8 bits for 16
    }

    void formatsOfCheckpoints() {
        QVERIFY(nativeFormat(native("nvfp4 weights")) == nvfp4);
        QVERIFY(nativeFormat(native("mxfp4 experts")) == mxfp4);
        QVERIFY(nativeFormat(native("int4 experts")) == int4Group128);
        QVERIFY(nativeFormat(native("fp8, block scales")) == fp8Block128);
        QVERIFY(nativeFormat(native("fp8")) == fp8);
        QVERIFY(nativeFormat(native("bf16")) == bf16);
        QVERIFY(nativeFormat(native("")) == bf16);
    }

    /// Of a model with experts, FP8 takes all linear layers, MXFP4 the experts; NVFP4 what is not kept.
    void formatsOfParts() {
        Architecture dense, experts;
        experts.moe.emplace();
        const auto are = [](const WeightFormats& w, NumberFormat linear, NumberFormat routed,
                            NumberFormat mlp, NumberFormat output) {
            return w.dense == linear && w.experts == routed && w.mlp == mlp && w.output == output;
        };
        QVERIFY(are(weightFormats(experts, fp8), fp8, fp8, fp8, fp8));
        QVERIFY(are(weightFormats(experts, mxfp4), bf16, mxfp4, bf16, bf16));
        QVERIFY(are(weightFormats(experts, int4Group128), bf16, int4Group128, bf16, bf16));
        QVERIFY(
            are(weightFormats(dense, int4Group128), int4Group128, int4Group128, int4Group128, int4Group128));
        QVERIFY(are(weightFormats(experts, nvfp4), nvfp4, nvfp4, nvfp4, nvfp4));
        experts.nvfp4Kept = {"attention"};
        QVERIFY(are(weightFormats(experts, nvfp4), bf16, nvfp4, nvfp4, bf16));
        experts.nvfp4Kept = {"attention_inputs", "mlp"};
        QVERIFY(are(weightFormats(experts, nvfp4), bf16, nvfp4, bf16, nvfp4));
        experts.nvfp4Kept = {"attention", "mlp"};
        QVERIFY(are(weightFormats(experts, nvfp4), bf16, nvfp4, bf16, bf16));
    }

    /// The wider of the two operands, where the GPU has units for it.
    void unitsOfAGpu() {
        const auto is = [](const Gpu& gpu, NumberFormat weights, std::optional<NumberFormat> activations,
                           NumberFormat format, double peak, bool weightOnly) {
            const auto found = gemmArithmetic(weights, activations, gpu);
            return found && found->format == format && found->peak == FlopPerSecond::si(peak) &&
                   found->weightOnly == weightOnly && found->operandBytes == elementBytes(format);
        };
        QVERIFY(is(hopper(), bf16, {}, bf16, 1, false));
        QVERIFY(is(hopper(), fp8, {}, fp8, 2, false));
        QVERIFY(is(hopper(), fp8Block128, {}, fp8Block128, 2, false));
        QVERIFY(is(ampere(), fp8, {}, bf16, 1, true));
        QVERIFY(is(hopper(), int4Group128, {}, bf16, 1, true));
        QVERIFY(is(blackwell(), int4Group128, {}, bf16, 1, true));
        QVERIFY(is(blackwell(), nvfp4, {}, nvfp4, 4, false));
        QVERIFY(is(hopper(), nvfp4, {}, bf16, 1, true));
        QVERIFY(is(blackwell(), mxfp4, {}, mxfp8, 2, false));
        QVERIFY(is(hopper(), mxfp4, {}, bf16, 1, true));
        QVERIFY(is(hopper(), mxfp4, fp8, fp8, 2, true)); // widened to what was chosen
        QVERIFY(is(blackwell(), mxfp4, bf16, bf16, 1, true));
        QVERIFY(is(blackwell(), fp8, bf16, bf16, 1, true));
        Gpu old;
        QVERIFY(!gemmArithmetic(bf16, {}, old));
        old.fp16 = FlopPerSecond::si(3);
        QVERIFY(is(old, bf16, {}, bf16, 3, false));
    }

    /// 720 columns of an expert on each of four GPUs are three times 256.
    void paddedExperts() {
        Architecture model;
        QCOMPARE(expertPadding(model, mxfp4, 4), 1.0);
        model.moe.emplace().expertIntermediateSize = 2880;
        QCOMPARE(expertPadding(model, mxfp4, 4), 768 / 720.0);
        QCOMPARE(expertPadding(model, mxfp4, 1), 3072 / 2880.0);
        QCOMPARE(expertPadding(model, bf16, 4), 1.0);
    }
};

QTEST_APPLESS_MAIN(TestNumberFormats)

} // namespace tst_number_formats

#include "tst_number_formats.moc"
