// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow cost=225
// A thousand random plans, of which nothing false is said.
#include "data/catalog/catalog_reader.h"
#include "data/scenario/scenario_json.h"
#include "tests/data/sentence_check.h"

#include <QTest>

namespace tst_true_sentences_many {

using namespace alidade;

class TestTrueSentencesMany : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        catalog_ = data::loadShippedCatalog().catalog;
        QVERIFY(catalog_);
    }

    void randomPlans_data() {
        QTest::addColumn<unsigned>("seed");
        for (unsigned seed = 1; seed <= 50; ++seed)
            QTest::newRow(qPrintable(QStringLiteral("seed %1").arg(seed))) << seed;
    }
    void randomPlans() {
        QFETCH(unsigned, seed);
        constexpr int plans = 20;
        std::mt19937 random(seed);
        for (int i = 0; i < plans; ++i) {
            const ScenarioSpec spec = test::randomScenario(random, *catalog_);
            test::Checked counts;
            const std::string wrong = test::falseSentence(spec, *catalog_, counts);
            QVERIFY2(wrong.empty(), (wrong + "\n" + data::writeScenario(spec)).c_str());
            ++plans_;
            runs_ += counts.runs ? 1 : 0;
            suggestions_ += counts.suggestions;
            purchases_ += counts.purchases;
            targets_ += counts.targets;
        }
    }

    /// Something was there to be false.
    void enoughWasSaid() {
        QVERIFY2(runs_ * 3 > plans_ && suggestions_ > plans_ / 2 && purchases_ > plans_ / 100 &&
                     targets_ > plans_ / 20,
                 qPrintable(QStringLiteral("of %1 plans %2 run; %3 suggestions, %4 purchases, %5 verdicts")
                                .arg(plans_)
                                .arg(runs_)
                                .arg(suggestions_)
                                .arg(purchases_)
                                .arg(targets_)));
    }

private:
    std::shared_ptr<const Catalog> catalog_;
    int plans_ = 0, runs_ = 0, suggestions_ = 0, purchases_ = 0, targets_ = 0;
};

QTEST_APPLESS_MAIN(TestTrueSentencesMany)

} // namespace tst_true_sentences_many

#include "tst_true_sentences_many.moc"
