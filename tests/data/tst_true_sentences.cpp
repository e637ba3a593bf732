// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
// What is said of a plan is what its figures say: a few random plans, and two that were spoken of falsely.
#include "data/catalog/catalog_reader.h"
#include "data/scenario/scenario_json.h"
#include "model/scenario/fields.h"
#include "tests/data/sentence_check.h"

#include <QTest>

namespace tst_true_sentences {

using namespace alidade;

class TestTrueSentences : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        catalog_ = data::loadShippedCatalog().catalog;
        QVERIFY(catalog_);
    }

    void randomPlans() {
        std::mt19937 random(20'261'123);
        int suggestions = 0, targets = 0;
        for (int i = 0; i < 40; ++i) {
            const ScenarioSpec spec = test::randomScenario(random, *catalog_);
            test::Checked counts;
            const std::string wrong = test::falseSentence(spec, *catalog_, counts);
            QVERIFY2(wrong.empty(), (wrong + "\n" + data::writeScenario(spec)).c_str());
            suggestions += counts.suggestions;
            targets += counts.targets;
        }
        QVERIFY2(suggestions > 10 && targets > 2,
                 qPrintable(QStringLiteral("%1 %2").arg(suggestions).arg(targets)));
    }

    /// Blocks of p5e are cheaper by the hour and dearer for a run that ends long before they do.
    void aSlowerAndDearerMachineIsNotAdvised() {
        ScenarioSpec spec;
        spec.workload.kind = WorkloadKind::training;
        spec.workload.model = "llama-3.1-70b";
        spec.workload.sequenceLength = 4096;
        spec.workload.globalBatch = 128;
        spec.workload.tokens = 2e9;
        spec.cluster.instance = "p5en.48xlarge";
        spec.cluster.instances = 4;
        spec.plan.tensorParallel = 8;
        const auto before = estimate(spec, *catalog_, catalog_->defaultProfile);
        QVERIFY(before && before->runs && before->fits);
        for (const Suggestion& s : suggest(spec, *catalog_, catalog_->defaultProfile, 10))
            QVERIFY2(s.after.dollarsPerRun <= *s.before.dollarsPerRun * 1.0101, s.reason.c_str());
        test::Checked counts;
        const std::string wrong = test::falseSentence(spec, *catalog_, counts);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    /// The closed form saw 20 ms between tokens where a tenth of the gaps hold a prompt.
    void theAnswerAndTheSimulationAgree_data() {
        QTest::addColumn<double>("rate");
        for (const double rate : {2.0, 4.0, 4.5, 5.0, 5.5, 6.0})
            QTest::newRow(qPrintable(QString::number(rate))) << rate;
    }
    void theAnswerAndTheSimulationAgree() {
        QFETCH(double, rate);
        ScenarioSpec spec;
        spec.workload.kind = WorkloadKind::serving;
        spec.workload.model = "deepseek-r1";
        spec.workload.inputTokens = 1500;
        spec.workload.outputTokens = 400;
        spec.workload.requestRatePerS = rate;
        spec.workload.itlSloS = 0.03;
        spec.cluster.instance = "p6-b200.48xlarge";
        spec.cluster.instances = 1;
        test::Checked counts;
        const std::string wrong = test::falseSentence(spec, *catalog_, counts);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QVERIFY(!counts.runs || counts.targets == 1);
    }

private:
    std::shared_ptr<const Catalog> catalog_;
};

QTEST_APPLESS_MAIN(TestTrueSentences)

} // namespace tst_true_sentences

#include "tst_true_sentences.moc"
