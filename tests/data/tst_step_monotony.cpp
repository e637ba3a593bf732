// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
// Faster hardware and more overlap never make a step slower: random plans of every schedule, precision and
// machine.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "tests/data/step_monotony.h"
#include "tests/sanitized.h"

#include <QTest>

namespace tst_step_monotony {

using namespace alidade;

class TestStepMonotony : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        catalog_ = data::loadShippedCatalog().catalog;
        QVERIFY(catalog_);
    }

    void samples() {
        for (const data::ShippedScenario& each : data::shippedScenarios()) {
            const auto scenario = resolve(sample(each.id), *catalog_, catalog_->defaultProfile);
            QVERIFY(scenario);
            if (!scenario->isServing() && !scenario->isReinforcement())
                verify(*scenario);
        }
    }

    void randomPlans() {
        std::mt19937 random(20'261'123);
        int ran = 0, experts = 0;
        for (int i = 0; i < test::draws(4000); ++i) {
            if (const auto scenario = test::randomTraining(random, *catalog_)) {
                ++ran;
                experts += scenario->plan.expertParallel > 1 ? 1 : 0;
                verify(*scenario);
            }
        }
        QVERIFY2(ran > test::draws(300) && experts > test::draws(50),
                 qPrintable(QStringLiteral("%1 %2").arg(ran).arg(experts)));
    }

    void moreWork() {
        std::mt19937 random(20'261'126);
        int ran = 0;
        for (int i = 0; i < test::draws(4000); ++i) {
            if (const auto scenario = test::randomTraining(random, *catalog_)) {
                ++ran;
                const std::string fault = test::faultOfMoreWork(*scenario, *catalog_);
                QVERIFY2(fault.empty(), qPrintable(QString::fromStdString(
                                            fault + "\n" + data::writeScenario(scenario->spec))));
            }
        }
        QVERIFY2(ran > test::draws(300), qPrintable(QString::number(ran)));
    }

    /// Seen from the scenario file: whoever asks for a little overlap pays no more than for none.
    void alittleGradientOverlapCostsNothing() {
        double before = INFINITY;
        for (const double share : {0.0, 0.01, 0.44, 1.0}) {
            ScenarioSpec spec = sample("deepseek-v3-256xp5en.48xlarge");
            spec.plan.overlap.gradient = share;
            const auto e = estimate(spec, *catalog_, catalog_->defaultProfile);
            QVERIFY(e && e->training);
            QVERIFY2(e->training->stepTime <= before * (1 + 1e-9), qPrintable(QString::number(share)));
            before = e->training->stepTime;
        }
    }

private:
    static ScenarioSpec sample(const std::string& id) {
        return *data::readScenario(*data::shippedScenario(id)).spec;
    }
    static void verify(const Scenario& scenario) {
        for (const std::string& fault :
             {test::faultOfFasterHardware(scenario), test::faultOfGradientOverlap(scenario)}) {
            QVERIFY2(fault.empty(),
                     qPrintable(QString::fromStdString(fault + "\n" + data::writeScenario(scenario.spec))));
        }
    }

    std::shared_ptr<const Catalog> catalog_;
};

QTEST_APPLESS_MAIN(TestStepMonotony)

} // namespace tst_step_monotony

#include "tst_step_monotony.moc"
