// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/catalog/catalog.h"
#include "model/engine/engine.h"
#include "model/scenario/edit.h"
#include "model/scenario/fields.h"

#include <QtTest>

#include <algorithm>

namespace tst_typed_rate {

using namespace alidade;

/// A rate that the user has typed for the machine of the scenario.
class TestTypedRate : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { catalog_ = data::loadShippedCatalog().catalog; }

    /// A rate that was typed for one machine says nothing about another one, which takes its catalog price.
    void otherMachinesLeaveTheTypedRate() {
        const char* id = "llama-3.1-70b-64xp5.48xlarge";
        ScenarioSpec spec = *data::readScenario(*data::shippedScenario(id), id);
        for (const auto& [path, value] : {std::pair("plan.tensor_parallel", "1"),
                                          {"plan.pipeline_parallel", "1"},
                                          {"plan.virtual_pipeline", "1"},
                                          {"cluster.instances", "2"},
                                          {"cluster.purchase", "custom"},
                                          {"cluster.dollars_per_instance_hour", "1000"}}) {
            spec = *withField(spec, path, value);
        }
        const Estimate e = *estimate(spec, *catalog_, catalog_->defaultProfile);
        const auto problem =
            std::ranges::find_if(e.problems, [](const Problem& p) { return p.fix.has_value(); });
        QVERIFY(problem != e.problems.end());
        const ScenarioSpec fixed = *applyEdit(spec, problem->fix->set);
        QVERIFY2(fixed.cluster.instance != spec.cluster.instance, problem->fix->text.c_str());
        QVERIFY(!fixed.cluster.dollarsPerInstanceHour && fixed.cluster.purchase != "custom");
        QVERIFY(estimate(fixed, *catalog_, catalog_->defaultProfile)->cost->dollarsPerHour < 2000);
    }

private:
    std::shared_ptr<const Catalog> catalog_;
};

QTEST_APPLESS_MAIN(TestTypedRate)

} // namespace tst_typed_rate

#include "tst_typed_rate.moc"
