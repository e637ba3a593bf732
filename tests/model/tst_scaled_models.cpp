// SPDX-License-Identifier: GPL-3.0-or-later
// Models of another size in the proportions of a family, and the published laws of loss.
#include "model/posttraining/accuracy_curve.h"
#include "model/posttraining/rl_step.h"
#include "model/posttraining/scaling_laws.h"
#include "model/scaling/scaled_model.h"
#include "model/scaling/training_budget.h"
#include "model/workload/parameters.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <cmath>

namespace tst_scaled_models {

using namespace alidade;
using namespace alidade::test;

namespace {

const Architecture& dense() { return sharedCatalog().models[0]; }

QByteArray refusal(const Architecture& family, double parameters) {
    const auto model = scaledModel(family, parameters);
    return model ? QByteArray() : QByteArray::fromStdString(model.error());
}

BudgetQuestion budget(double dollars) {
    BudgetQuestion out;
    out.dollars = dollars;
    out.law = lossLaws().front();
    out.smallest = 1e8;
    out.largest = 1e9;
    out.sizes = 3;
    return out;
}

QByteArray wrong(const ScenarioSpec& spec, const BudgetQuestion& question) {
    const auto answer = whatToTrain(spec, sharedCatalog(), sharedCatalog().defaultProfile, question);
    return answer ? QByteArray() : QByteArray::fromStdString(answer.error());
}

} // namespace

class TestScaledModels : public QObject {
    Q_OBJECT

private slots:
    void textsOfSizes() {
        const auto text = [](double parameters) {
            return QByteArray::fromStdString(parameterText(parameters));
        };
        QCOMPARE(text(70e6), QByteArray("70M"));
        QCOMPARE(text(999.4e6), QByteArray("999M"));
        QCOMPARE(text(999.5e6), QByteArray("1B"));
        QCOMPARE(text(405e9), QByteArray("405B"));
        QCOMPARE(text(999.4e9), QByteArray("999B"));
        QCOMPARE(text(999.5e9), QByteArray("1T"));
    }

    /// The family's own size gives its own shape; others keep hidden size / heads and nearly its depth /
    /// width.
    void shapes_data() {
        QTest::addColumn<double>("parameters");
        QTest::newRow("half") << 0.93e8;
        QTest::newRow("itself") << 187'188'224.0;
        QTest::newRow("1B") << 1e9;
        QTest::newRow("7B") << 7e9;
        QTest::newRow("70B") << 70e9;
        QTest::newRow("1T") << 1e12;
    }
    void shapes() {
        QFETCH(double, parameters);
        const auto model = scaledModel(dense(), parameters);
        QVERIFY2(model, model.error().c_str());
        QCOMPARE(model->hiddenSize, 64 * model->attentionHeads);
        QCOMPARE(model->ffnIntermediateSize, 4 * model->hiddenSize);
        int kvHeads = std::min(4, model->attentionHeads); // as many as divide the heads
        while (model->attentionHeads % kvHeads != 0)
            --kvHeads;
        QCOMPARE(model->kvHeads, kvHeads);
        QVERIFY(model->layers % 2 == 0 && model->attentionHeads % 2 == 0);
        QVERIFY(model->hiddenSize < 2048 || model->attentionHeads % 8 == 0);
        const auto total = static_cast<double>(countParameters(*model).total);
        QVERIFY2(std::abs(std::log(total / parameters)) < 0.1, std::to_string(total).c_str());
        const double aspect = static_cast<double>(model->hiddenSize) / model->layers / 128; // 1,024 / 8
        QVERIFY2(aspect > 0.5 && aspect < 2, std::to_string(aspect).c_str());
        QCOMPARE(model->name, "one at " + parameterText(total));
        QVERIFY(model->id.empty());
        QCOMPARE(model->provenance.sources.front().title, std::string("Proportions of Dense 1"));
        if (parameters == 187'188'224.0)
            QVERIFY(model->layers == 8 && model->hiddenSize == 1024);
    }

    void partsThatScale() {
        Architecture family = dense();
        family.kvHeads = 16;
        family.mla = MlaShape{
            .qLoraRank = 512, .kvLoraRank = 128, .qkNopeHeadDim = 32, .qkRopeHeadDim = 16, .vHeadDim = 32};
        MoeShape moe;
        moe.routedExperts = 8;
        moe.expertsPerToken = 2;
        moe.expertIntermediateSize = 1024;
        moe.sharedExpertIntermediateSizeTotal = 512;
        moe.denseFirstLayers = 1;
        moe.layerStep = 2;
        family.moe = moe;
        family.gatedDeltaNet =
            GatedDeltaNetShape{.keyHeads = 8, .keyHeadDim = 64, .valueHeads = 16, .valueHeadDim = 64};
        family.publishedTotalBillion = 1;
        const auto model = scaledModel(family, 4e9);
        QVERIFY2(model, model.error().c_str());
        const double factor = model->attentionHeads / 16.0;
        const auto tiles = [factor](int width) {
            return 64 * static_cast<int>(std::lround(width * factor / 64));
        };
        QVERIFY(factor > 1);
        QCOMPARE(model->kvHeads, model->attentionHeads);
        QCOMPARE(model->ffnIntermediateSize, tiles(4096));
        QCOMPARE(model->moe->expertIntermediateSize, tiles(1024));
        QCOMPARE(model->moe->sharedExpertIntermediateSizeTotal, tiles(512));
        QCOMPARE(model->moe->latentSize, 0);
        QCOMPARE(model->mla->qLoraRank, tiles(512));
        QCOMPARE(model->mla->kvLoraRank, 128);
        QCOMPARE(model->gatedDeltaNet->keyHeads, 2 * static_cast<int>(std::lround(8 * factor / 2)));
        QCOMPARE(model->gatedDeltaNet->valueHeads, 2 * model->gatedDeltaNet->keyHeads);
        QVERIFY(!model->publishedTotalBillion);
        family.mla->qLoraRank = 0;
        QCOMPARE(scaledModel(family, 4e9)->mla->qLoraRank, 0);
        family.family.clear();
        QVERIFY(scaledModel(family, 4e9)->name.starts_with("Dense 1 at "));
    }

    /// 80 elements a head: from a width of 2,048, that is 26 heads, on only 32, 40, 48, ... heads. A family
    /// that has grown by the same factor in width and depth is met exactly.
    void headsComeInEights_data() {
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("layers");
        QTest::newRow("narrow") << 10 << 20;
        QTest::newRow("16 heads") << 16 << 32;
        QTest::newRow("24 heads") << 24 << 48;
        QTest::newRow("32 heads") << 32 << 64;
        QTest::newRow("40 heads") << 40 << 80;
        QTest::newRow("48 heads") << 48 << 96;
    }
    void headsComeInEights() {
        QFETCH(int, heads);
        QFETCH(int, layers);
        Architecture family = dense();
        family.hiddenSize = 16 * 80;
        family.layers = 32;
        family.headDim = 80;
        family.kvHeads = 16;
        family.ffnIntermediateSize = 4 * 16 * 80;
        Architecture grown = family;
        grown.attentionHeads = grown.kvHeads = heads;
        grown.hiddenSize = 80 * heads;
        grown.layers = layers;
        grown.ffnIntermediateSize = 4 * 80 * heads; // a multiple of 64
        const auto model = scaledModel(family, static_cast<double>(countParameters(grown).total));
        QVERIFY2(model, model.error().c_str());
        QCOMPARE(model->attentionHeads, heads);
        QCOMPARE(model->layers, layers);
        QCOMPARE(model->hiddenSize, 80 * heads);
        QCOMPARE(model->ffnIntermediateSize, 320 * heads);
    }

    /// Three dense layers come first, and experts in every second layer after them.
    void layersOfFamiliesWithExperts() {
        Architecture family = sharedCatalog().models[1];
        family.layers = 9;
        family.ffnIntermediateSize = 4096;
        family.moe->denseFirstLayers = 3;
        family.moe->layerStep = 2;
        const auto sized = [&](int layers) {
            Architecture of = family;
            of.layers = layers;
            return static_cast<double>(countParameters(of).total);
        };
        QCOMPARE(scaledModel(family, sized(9))->layers, 9);
        QCOMPARE(scaledModel(family, sized(9))->attentionHeads, 16);
        for (const double size : {sized(3), sized(5), sized(11), sized(25)}) {
            const auto model = scaledModel(family, size);
            QVERIFY2(model, model.error().c_str());
            QVERIFY(model->layers >= 5 && model->layers % 2 == 1); // at least one layer with experts
        }
        family.moe->denseFirstLayers = 1'000; // no shape is near: all have a thousand dense layers
        QVERIFY(!scaledModel(family, 1e7));
    }

    /// Of 16 heads a quarter or an eighth: widths are whole tiles, and nothing disappears.
    void smallModelsKeepTheirParts() {
        Architecture family = dense();
        family.kvHeads = 3;
        family.ffnIntermediateSize = 256;
        family.gatedDeltaNet =
            GatedDeltaNetShape{.keyHeads = 1, .keyHeadDim = 64, .valueHeads = 4, .valueHeadDim = 64};
        MoeShape moe;
        moe.routedExperts = 8;
        moe.expertsPerToken = 2;
        moe.expertIntermediateSize = 64;
        family.moe = moe;
        const auto model = scaledModel(family, 2.5e7);
        QVERIFY2(model, model.error().c_str());
        QVERIFY2(model->attentionHeads <= 6, std::to_string(model->attentionHeads).c_str());
        QCOMPARE(model->moe->expertIntermediateSize, 64);
        QCOMPARE(model->moe->sharedExpertIntermediateSizeTotal, 0);
        QVERIFY(model->ffnIntermediateSize >= 64 && model->ffnIntermediateSize <= 128);
        QCOMPARE(model->gatedDeltaNet->keyHeads, 2);
        QCOMPARE(model->gatedDeltaNet->valueHeads, 8); // four for each key head
        QVERIFY(model->kvHeads <= 3 && model->attentionHeads % model->kvHeads == 0);
        family.gatedDeltaNet->keyHeads = family.gatedDeltaNet->valueHeads = 1;
        QCOMPARE(scaledModel(family, 2.5e7)->gatedDeltaNet->valueHeads, 2);
    }

    /// Two tables of a million words and at least 128 elements have 256 million parameters: ln(256 / 185) is
    /// more than 0.3, ln(256 / 196) less.
    void howNearASizeHasToBe() {
        Architecture family = dense();
        family.vocabSize = 1'000'000;
        QVERIFY(!scaledModel(family, 1.85e8));
        const auto model = scaledModel(family, 1.96e8);
        QVERIFY2(model, model.error().c_str());
        QCOMPARE(model->attentionHeads, 2);
        QCOMPARE(model->layers, 2);
    }

    void sizesThatAreRefused() {
        QCOMPARE(refusal(dense(), 9.9e6),
                 QByteArray("a model of 9.90M parameters is outside of 10 million to 10 trillion"));
        QCOMPARE(refusal(dense(), 1.01e13),
                 QByteArray("a model of 10.1T parameters is outside of 10 million to 10 trillion"));
        Architecture wide = dense();
        wide.vocabSize = 10'000'000; // 20 billion parameters of embedding and head at the family's width
        QCOMPARE(refusal(wide, 1e8),
                 QByteArray("no model of the family of Dense 1 is near 100M parameters; its vocabulary "
                            "alone has 10.2B"));
        Architecture hybrid = dense();
        hybrid.hybridPattern = "M*";
        QCOMPARE(refusal(hybrid, 1e9),
                 QByteArray("Dense 1 lists its layers one by one, and has no rule for another size"));
    }

    /// Hoffmann et al. 2022 as printed: 1.69 + 406.4 / N^0.34 + 410.7 / D^0.28.
    void laws() {
        const LossLaw* printed = nullptr;
        for (const LossLaw& each : lossLaws())
            printed = each.id == "hoffmann-2022-printed" ? &each : printed;
        QVERIFY(printed);
        QCOMPARE(lossOf(*printed, 1, 1), 1.69 + 406.4 + 410.7);
        QVERIFY(std::abs(lossOf(*printed, 1e10, 1e10) - 1.69 - 406.4e-3 * std::pow(10, -0.4) -
                         410.7 * std::pow(10, -2.8)) < 1e-12);
        for (const LossLaw& law : lossLaws()) {
            for (const double flop : {1e20, 1e24}) {
                const OptimalModel best = optimalModel(law, flop);
                QVERIFY(std::abs(6 * best.parameters * best.tokens / flop - 1) < 1e-12);
                QCOMPARE(best.loss, lossOf(law, best.parameters, best.tokens));
                QCOMPARE(best.ratio(), best.tokens / best.parameters);
                for (const double factor : {0.9, 1.1}) // no neighbor of the same cost is better
                    QVERIFY(lossOf(law, best.parameters * factor, best.tokens / factor) > best.loss);
            }
        }
        QCOMPARE(lossLaws().front().id, std::string_view("besiroglu-2024"));
    }

    /// Four passes are worth nearly as many tokens (Muennighoff et al. 2023); endless ones 1 + 15.387756 of
    /// them.
    void repeatedData() {
        QCOMPARE(effectiveTokens(100, 60), 60.0);
        QCOMPARE(effectiveTokens(100, 100), 100.0);
        QVERIFY(std::abs(effectiveTokens(100, 400) - 100 * (1 + 15.387756 * (1 - std::exp(-3 / 15.387756)))) <
                1e-9);
        QVERIFY(effectiveTokens(100, 400) > 370 && effectiveTokens(100, 400) < 380);
        QVERIFY(std::abs(effectiveTokens(100, 1e9) - 1638.7756) < 1e-6);
    }

    void budgetsThatMeanNothing() {
        const ScenarioSpec spec = smallTraining();
        const auto with = [](auto change) {
            BudgetQuestion out = budget(1000);
            change(out);
            return out;
        };
        QCOMPARE(wrong(smallServing(), budget(1)),
                 QByteArray("/workload/kind: scaling requires a pre-training scenario"));
        QCOMPARE(wrong(smallReinforcement(), budget(1)),
                 QByteArray("/workload/kind: scaling requires a pre-training scenario"));
        QCOMPARE(
            wrong(edited(spec, {{"workload.finetune.kind", "lora"}}), budget(1)),
            QByteArray(
                "/workload/finetune: scaling does not apply to fine-tuning; use a pre-training scenario"));
        const QByteArray amount = "the budget must be an amount of dollars greater than 0";
        QCOMPARE(wrong(spec, budget(0)), amount);
        QCOMPARE(wrong(spec, budget(HUGE_VAL)), amount);
        const QByteArray range = "the sizes must be a range between 10 million and 10 trillion parameters";
        QCOMPARE(wrong(spec, with([](auto& q) { q.smallest = 9e6; })), range);
        QCOMPARE(wrong(spec, with([](auto& q) { q.largest = q.smallest; })), range);
        QCOMPARE(wrong(spec, with([](auto& q) { q.largest = 1.1e13; })), range);
        const QByteArray sizes = "the number of sizes must be 3 to 100";
        QCOMPARE(wrong(spec, with([](auto& q) { q.sizes = 2; })), sizes);
        QCOMPARE(wrong(spec, with([](auto& q) { q.sizes = 101; })), sizes);
        QCOMPARE(wrong(edited(spec, {{"workload.model", ""}}), budget(1)),
                 QByteArray("/workload/model: unknown model ''"));
        QCOMPARE(degreesText({{"plan.tensor_parallel", "2"},
                              {"plan.recompute", "full"},
                              {"plan.context_parallel", "1"},
                              {"plan.micro_batch", ""},
                              {"plan.pipeline_parallel", "4"}}),
                 std::string("TP 2, PP 4, recompute full"));
    }

    void stepsOfLearning() {
        const auto time = [](RolePlacement placement, double train) {
            return rlStepTime<double>(placement, 10, 2, train, 3);
        };
        QCOMPARE(time(RolePlacement::colocated, 7), 22.0);
        QCOMPARE(time(RolePlacement::split, 7), 22.0);
        QCOMPARE(time(RolePlacement::oneStepOff, 7), 15.0);
        QCOMPARE(time(RolePlacement::async, 20), 23.0);
        // Generation 2, two passes of log-probabilities 4, an update of 6 an epoch; a critic 2 + 6 and a
        // reward model 2.
        QCOMPARE(rlFlopsPerToken<double>(1e9, RlAlgorithm::grpo, 1), 12e9);
        QCOMPARE(rlFlopsPerToken<double>(1e9, RlAlgorithm::grpo, 3), 24e9);
        QCOMPARE(rlFlopsPerToken<double>(1e9, RlAlgorithm::ppo, 1), 22e9);
        QCOMPARE(rlFlopsPerToken<double>(1e9, RlAlgorithm::ppo, 2), 34e9);
        QCOMPARE(weightSyncTime<double>(100, 3, 50, 40), 5.0);
        QCOMPARE(weightSyncTime<double>(100, 3, 50, 10), 10.0);
    }

    void accuracyBetweenPoints() {
        const std::vector<AccuracyPoint> points = {{1, 0.2}, {4, 0.6}, {16, 0.5}};
        QCOMPARE(accuracyAt(points, 1).value(), 0.2);
        QCOMPARE(accuracyAt(points, 4).value(), 0.6);
        QVERIFY(std::abs(*accuracyAt(points, 2) - 0.4) < 1e-12); // half way in the logarithm
        QVERIFY(std::abs(*accuracyAt(points, 8) - 0.55) < 1e-12);
        QCOMPARE(accuracyAt(points, 16).value(), 0.5);
        QVERIFY(!accuracyAt(points, 0.99) && !accuracyAt(points, 16.1) && !accuracyAt({}, 1));
        QCOMPARE(whereReached(points, 0.1).value(), 1.0);
        QCOMPARE(whereReached(points, 0.2).value(), 1.0);
        QVERIFY(std::abs(*whereReached(points, 0.4) - 2) < 1e-12);
        QCOMPARE(whereReached(points, 0.6).value(), 4.0);
        QVERIFY(!whereReached(points, 0.61));
    }

    /// Of four answers two were right, of ten none: numbers of samples go up to four.
    void curvesOfCounts() {
        const AccuracyCurve curve = curveOfCounts({{4, 2}, {10, 0}});
        QCOMPARE(curve.points.size(), std::size_t{4}); // 1, 2, 3 and 4
        QCOMPARE(curve.first(), 1.0);
        QCOMPARE(curve.last(), 4.0);
        QVERIFY(std::abs(curve.points[0].accuracy - 0.25) < 1e-12);
        QVERIFY(std::abs(curve.points[1].accuracy - (1 - 1.0 / 6) / 2) < 1e-12); // 1 of 6 pairs is wrong
        QCOMPARE(curve.points[2].accuracy, 0.5);
        QVERIFY(std::abs(curve.majorityAtLeast[0].accuracy - 0.25) < 1e-12);
        // Of pairs one in six is right, four are half right: each half a chance.
        QVERIFY(std::abs(curve.majorityAtLeast[1].accuracy - (1.0 / 6 + 4.0 / 6 / 2) / 2) < 1e-12);
        QVERIFY(std::abs(curve.majorityAtLeast[3].accuracy - 0.25) < 1e-12); // a tie
        const auto numbers = [](int samples) {
            std::vector<double> out;
            for (const AccuracyPoint& each : curveOfCounts({{samples, 1}}).points)
                out.push_back(each.at);
            return out;
        };
        QVERIFY((numbers(1) == std::vector<double>{1}));
        QVERIFY((numbers(2) == std::vector<double>{1, 2}));
        QVERIFY((numbers(5) == std::vector<double>{1, 2, 3, 4, 5}));
        QVERIFY((numbers(13) == std::vector<double>{1, 2, 3, 4, 6, 8, 12, 13}));
        QVERIFY((numbers(12) == std::vector<double>{1, 2, 3, 4, 6, 8, 12}));
    }

    void accuracyOfASelection() {
        AccuracyCurve curve;
        curve.points = {{1, 0.2}, {4, 0.6}};
        curve.majorityAtLeast = {{1, 0.2}, {4, 0.3}};
        const auto of = [&](AnswerSelection selection, double at) {
            return selectedAccuracy(curve, selection, at);
        };
        QVERIFY(of(AnswerSelection::none, 4).value == 0.6 && !of(AnswerSelection::none, 4).isBound);
        QVERIFY(of(AnswerSelection::majority, 4).isBound && of(AnswerSelection::majority, 4).atLeast == 0.3);
        QVERIFY(of(AnswerSelection::bestOfN, 4).isBound && of(AnswerSelection::bestOfN, 4).atLeast == 0.2);
        QVERIFY(!of(AnswerSelection::majority, 1).isBound && !of(AnswerSelection::majority, 5).value);
        curve.measure = AccuracyMeasure::majority;
        QVERIFY(!of(AnswerSelection::majority, 4).isBound &&
                !isOfOtherSelection(curve, AnswerSelection::majority));
        QVERIFY(isOfOtherSelection(curve, AnswerSelection::none) &&
                isOfOtherSelection(curve, AnswerSelection::bestOfN));
        curve.measure = AccuracyMeasure::bestOfN;
        QVERIFY(!isOfOtherSelection(curve, AnswerSelection::bestOfN));
        QVERIFY(!isOfOtherSelection(curve, AnswerSelection::beamSearch));
        QVERIFY(isOfOtherSelection(curve, AnswerSelection::majority) &&
                isOfOtherSelection(curve, AnswerSelection::none));
        curve.measure = AccuracyMeasure::thinking;
        QVERIFY(!isOfOtherSelection(curve, AnswerSelection::none));
    }
};

QTEST_APPLESS_MAIN(TestScaledModels)

} // namespace tst_scaled_models

#include "tst_scaled_models.moc"
