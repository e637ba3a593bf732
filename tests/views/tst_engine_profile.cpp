// SPDX-License-Identifier: GPL-3.0-or-later
// The window computes with the calibration that a scenario names.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "views/document/engine.h"

#include <QTest>

namespace tst_engine_profile {

using namespace alidade;

class TestEngineProfile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theNamedProfileCounts() {
        Catalog catalog = *data::loadShippedCatalog().catalog;
        Profile slow = catalog.defaultProfile;
        slow.name = "slow site";
        for (Parameter& p : slow.parameters)
            if (p.name == "gemm_compute_efficiency")
                p.value /= 2;
        catalog.profiles.push_back(slow);
        const auto text = data::shippedScenario("llama-3.1-8b-8xp5.48xlarge");
        QVERIFY2(text, text.error().c_str());
        ScenarioSpec spec = *data::readScenario(*text).spec;
        const views::Engine engine = views::modelEngine();
        const auto plain = engine.estimate(spec, catalog);
        spec.calibration = "slow site";
        const auto slowed = engine.estimate(spec, catalog);
        QVERIFY(plain && slowed && plain->training && slowed->training);
        QVERIFY(slowed->training->stepTime > 1.2 * plain->training->stepTime);
        QCOMPARE(slowed->profileName, std::string("slow site"));
        spec.calibration = "default";
        QCOMPARE(engine.estimate(spec, catalog)->training->stepTime, plain->training->stepTime);
    }

    void anUnknownNameIsAClearProblem() {
        Catalog catalog = *data::loadShippedCatalog().catalog;
        catalog.profiles.push_back(catalog.defaultProfile);
        catalog.profiles.back().name = "cluster of May";
        const auto text = data::shippedScenario("llama-3.1-8b-8xp5.48xlarge");
        QVERIFY2(text, text.error().c_str());
        ScenarioSpec spec = *data::readScenario(*text).spec;
        spec.calibration = "cluster of Mai";
        const auto answer = views::modelEngine().estimate(spec, catalog);
        QVERIFY(!answer);
        QVERIFY2(answer.error().starts_with("/calibration: "), answer.error().c_str());
        QVERIFY(answer.error().find("'cluster of May'") != std::string::npos);
        QVERIFY(views::modelEngine().suggest(spec, catalog).empty());
    }
};

QTEST_GUILESS_MAIN(TestEngineProfile)

} // namespace tst_engine_profile

#include "tst_engine_profile.moc"
