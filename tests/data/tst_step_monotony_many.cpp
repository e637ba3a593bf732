// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow cost=75
// The properties of tst_step_monotony over many thousand plans.
#include "data/catalog/catalog_reader.h"
#include "data/scenario/scenario_json.h"
#include "tests/data/step_monotony.h"

#include <QTest>

namespace tst_step_monotony_many {

using namespace alidade;

class TestStepMonotonyMany : public QObject {
    Q_OBJECT

private slots:
    void randomPlans_data() {
        QTest::addColumn<unsigned>("seed");
        for (unsigned seed = 1; seed <= 50; ++seed)
            QTest::newRow(qPrintable(QStringLiteral("seed %1").arg(seed))) << seed;
    }
    void randomPlans() {
        QFETCH(unsigned, seed);
        static const auto catalog = data::loadShippedCatalog().catalog;
        QVERIFY(catalog);
        std::mt19937 random(seed);
        int ran = 0;
        for (int i = 0; i < 4000; ++i) {
            const auto scenario = test::randomTraining(random, *catalog);
            if (!scenario)
                continue;
            ++ran;
            for (const std::string& fault :
                 {test::faultOfFasterHardware(*scenario), test::faultOfGradientOverlap(*scenario),
                  test::faultOfMoreWork(*scenario, *catalog)}) {
                QVERIFY2(fault.empty(), qPrintable(QString::fromStdString(
                                            fault + "\n" + data::writeScenario(scenario->spec))));
            }
        }
        QVERIFY(ran > 300);
    }
};

QTEST_APPLESS_MAIN(TestStepMonotonyMany)

} // namespace tst_step_monotony_many

#include "tst_step_monotony_many.moc"
