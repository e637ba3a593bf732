// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
// A family of models at other sizes, and what to train for a budget.
#include "data/catalog/catalog_reader.h"
#include "data/scenario/samples.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/scaling/scaled_model.h"
#include "model/scaling/training_budget.h"
#include "model/workload/parameters.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_scaling {

using namespace alidade;

namespace {

ScenarioSpec sample(const char* id) {
    return *data::readScenario(*data::sampleScenarioText(id), std::string_view(id));
}

/// A small cluster: each size of a model is a search.
ScenarioSpec job() {
    ScenarioSpec out = sample("llama-3.1-8b-8xp5.48xlarge");
    out.cluster.instances = 2;
    return out;
}

double sizeOf(const Architecture& model) { return static_cast<double>(countParameters(model).total); }

} // namespace

class TestScaling : public QObject {
    Q_OBJECT

private:
    std::shared_ptr<const Catalog> catalog_;

    const Architecture& model(const char* id) const {
        return *std::ranges::find(catalog_->models, id, &Architecture::id);
    }
    BudgetAnswer answerTo(const BudgetQuestion& question, const ScenarioSpec& spec) const {
        const auto answer = whatToTrain(spec, *catalog_, catalog_->defaultProfile, question);
        if (!answer)
            qFatal("%s", answer.error().c_str());
        return *answer;
    }
    static BudgetQuestion question(double dollars) {
        BudgetQuestion out;
        out.dollars = dollars;
        out.law = lossLaws().front();
        out.smallest = 1e9;
        out.largest = 32e9;
        out.sizes = 3;
        return out;
    }

private slots:
    void initTestCase() {
        catalog_ = data::loadShippedCatalog().catalog;
        QVERIFY(catalog_);
    }

    /// Llama 3.1 405B at the size of its sisters has nearly their shapes: 32 layers of 4,096 and 80 of 8,192.
    void familiesGrowAsPublished() {
        const Architecture small = *scaledModel(model("llama-3.1-405b"), 8.03e9);
        QVERIFY2(std::abs(small.layers - 32) <= 4, qPrintable(QString::number(small.layers)));
        QVERIFY2(std::abs(small.hiddenSize - 4096) <= 512, qPrintable(QString::number(small.hiddenSize)));
        const Architecture middle = *scaledModel(model("llama-3.1-405b"), 70.6e9);
        QVERIFY2(std::abs(middle.layers - 80) <= 14, qPrintable(QString::number(middle.layers)));
        QVERIFY2(std::abs(middle.hiddenSize - 8192) <= 1024, qPrintable(QString::number(middle.hiddenSize)));
        const Architecture same = *scaledModel(model("llama-3.1-405b"), 405.85e9);
        QCOMPARE(same.layers, 126);
        QCOMPARE(same.hiddenSize, 16384);
        QCOMPARE(same.attentionHeads, 128);
    }

    /// Every family of the catalog, at sizes that its vocabulary allows.
    void everyFamilyMeetsTheSize() {
        int tried = 0;
        for (const Architecture& family : catalog_->models) {
            for (const double size : {3e9, 12e9, 60e9, 300e9}) {
                const auto scaled = scaledModel(family, size);
                if (!scaled) {
                    QVERIFY2(!family.hybridPattern.empty() || size < 60e9, scaled.error().c_str());
                    continue;
                }
                ++tried;
                const std::string what =
                    family.id + " at " + parameterText(size) + ": " + parameterText(sizeOf(*scaled));
                QVERIFY2(std::abs(std::log(sizeOf(*scaled) / size)) < 0.3, what.c_str());
                QVERIFY2(scaled->attentionHeads % scaled->kvHeads == 0, what.c_str());
                QVERIFY2(scaled->layers > 0 && scaled->hiddenSize > 0, what.c_str());
                QCOMPARE(scaled->vocabSize, family.vocabSize);
            }
        }
        QVERIFY(tried > 100);
    }

    /// Its two tables alone have 2 x 128,256 x 256 parameters, 66 million, at the least width, two heads.
    void noModelIsSmallerThanItsVocabulary() {
        const auto scaled = scaledModel(model("llama-3.1-405b"), 1e7);
        QVERIFY(!scaled);
        // 128,256 x 16,384 as it is published.
        QVERIFY2(scaled.error().find("its vocabulary alone has 2.10B") != std::string::npos,
                 scaled.error().c_str());
    }

    void sizesAreWrittenAsInNamesOfModels() {
        QCOMPARE(parameterText(8.03e9), std::string("8.03B"));
        QCOMPARE(parameterText(405e9), std::string("405B"));
        QCOMPARE(parameterText(1.04e12), std::string("1.04T"));
        QCOMPARE(parameterText(350e6), std::string("350M"));
    }

    /// What the answer says is what the estimate of its scenario says.
    void theBestModelIsTheEstimateOfItsScenario() {
        const ScenarioSpec spec = job();
        const BudgetAnswer answer = answerTo(question(200e3), spec);
        const BudgetModel* best = answer.best();
        QVERIFY(best);
        QVERIFY(best->dollars <= 200e3 * 1.0001 && best->dollars > 199e3);
        const auto read = data::readScenario(data::writeScenario(scenarioOf(spec, *best)), "best.json");
        QVERIFY2(read, read ? "" : read.error().c_str());
        const auto e = estimate(*read, *catalog_, catalog_->defaultProfile);
        QVERIFY(e && e->runs && e->fits);
        const auto near = [](double a, double b) { return std::abs(a / b - 1) < 1e-9; };
        QVERIFY(near(*e->cost->dollarsPerRun, best->dollars));
        QVERIFY(near(*e->training->runTime, best->seconds));
        QVERIFY(near(e->training->mfu, best->mfu));
        QVERIFY(near(lossOf(lossLaws().front(), best->active, best->tokens), best->loss));
        for (const BudgetModel& each : answer.curves.front().models) {
            QVERIFY(!each.trains() || each.loss >= best->loss);
            QVERIFY(!each.trains() || (each.lossLow <= each.loss && each.loss <= each.lossHigh));
        }
        QVERIFY(std::ranges::is_sorted(answer.curves.front().models, {}, &BudgetModel::parameters));
    }

    /// At equal utilization the real cost differs from 6 N D by a constant alone, so that the optimum is near
    /// the law's.
    void theOptimumIsNearTheLawAtItsFlop() {
        const ScenarioSpec spec = job();
        const BudgetAnswer answer = answerTo(question(200e3), spec);
        const BudgetModel* best = answer.best();
        QVERIFY(best);
        QVERIFY(std::abs(std::log(best->active / answer.byFlopAlone.parameters)) < std::log(2.0));
        QVERIFY(best->loss >= answer.byFlopAlone.loss - 1e-12);
    }

    void moreMoneyLowersTheLoss() {
        const ScenarioSpec spec = job();
        const BudgetAnswer less = answerTo(question(100e3), spec), more = answerTo(question(800e3), spec);
        QVERIFY(more.best()->loss < less.best()->loss);
        QVERIFY(more.best()->parameters >= less.best()->parameters);
    }

    void aTimeLimitHolds() {
        const ScenarioSpec spec = job();
        BudgetQuestion hurried = question(800e3);
        hurried.seconds = 7 * 86400;
        const BudgetAnswer answer = answerTo(hurried, spec);
        const BudgetModel* best = answer.best();
        QVERIFY(best && best->late);
        QVERIFY(best->seconds <= 7 * 86400 * 1.0001 && best->seconds > 6.9 * 86400);
        QVERIFY(best->dollars < 800e3);
    }

    /// Sardana et al. 2023: the more a model serves, the smaller and longer trained it should be.
    void servingAndRepetitionMoveTheOptimum() {
        const ScenarioSpec spec = job();
        const BudgetAnswer plain = answerTo(question(400e3), spec);
        BudgetQuestion serving = question(400e3);
        serving.servedTokens = 2e12;
        QVERIFY(answerTo(serving, spec).best()->parameters < plain.best()->parameters);
        BudgetQuestion repeated = question(400e3);
        repeated.uniqueTokens = 20e9;
        const BudgetAnswer scarce = answerTo(repeated, spec);
        QVERIFY(scarce.best()->loss > plain.best()->loss);
        QVERIFY(scarce.best()->parameters >= plain.best()->parameters);
    }

    void machinesAndCountsAreCompared() {
        const ScenarioSpec spec = job();
        BudgetQuestion all = question(200e3);
        all.sizes = 3;
        all.machines = "p5.48xlarge,p6-b200.48xlarge";
        all.counts = {1, 2};
        const BudgetAnswer answer = answerTo(all, spec);
        QCOMPARE(answer.curves.size(), std::size_t{4});
        double loss = 0;
        for (const BudgetCurve& each : answer.curves) {
            QVERIFY(each.best());
            QVERIFY(each.best()->loss >= loss);
            loss = each.best()->loss;
        }
    }

    void wrongQuestionsSayWhatIsWrong() {
        const ScenarioSpec spec = job();
        const auto errorOf = [&](const ScenarioSpec& s, const BudgetQuestion& q) {
            const auto answer = whatToTrain(s, *catalog_, catalog_->defaultProfile, q);
            return QString::fromStdString(answer ? std::string() : answer.error());
        };
        QVERIFY(errorOf(spec, question(0)).contains(QLatin1String("greater than 0")));
        QVERIFY(errorOf(sample("serve-llama-3.1-8b-1xp5.4xlarge"), question(1e6))
                    .startsWith(QLatin1String("/workload/kind")));
        QVERIFY(errorOf(sample("llama-3.3-70b-qlora-1xp5.4xlarge"), question(1e6))
                    .startsWith(QLatin1String("/workload/finetune")));
        BudgetQuestion unknown = question(1e6);
        unknown.machines = "p99";
        QVERIFY(errorOf(spec, unknown).contains(QLatin1String("p99")));
        // A budget that buys nothing is an answer.
        BudgetQuestion served = question(1e3);
        served.servedTokens = 1e15;
        const BudgetAnswer nothing = answerTo(served, spec);
        QVERIFY(!nothing.best());
        QVERIFY(nothing.curves.front().models.front().whyNot.find("serving") != std::string::npos);
    }

    void stoppingEndsEarly() {
        std::stop_source stop;
        stop.request_stop();
        const auto answer =
            whatToTrain(job(), *catalog_, catalog_->defaultProfile, question(1e6), stop.get_token());
        QVERIFY(answer && !answer->complete && !answer->best());
    }
};

QTEST_APPLESS_MAIN(TestScaling)

} // namespace tst_scaling

#include "tst_scaling.moc"
