// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/estimate/error_band.h"
#include "model/scenario/fields.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_plan_choices {

using namespace alidade;

/// What the choices of a plan decide: kernels and dispatchers of software eras, and whether memory is tight.
class TestPlanChoices : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { catalog_ = data::loadShippedCatalog().catalog; }

    /// "Does not fit" is said of what is almost certain to run out of memory; what may is tight.
    void memoryIsTightBeforeItDoesNotFit() {
        Memory memory;
        memory.capacityBytes = 102;
        memory.reserveBytes = 2;
        const auto probability = [&memory](double total, double high) {
            memory.totalBytes = total;
            memory.highBytes = high;
            return outOfMemoryProbability(memory);
        };
        QVERIFY(std::abs(probability(100, 110) - 0.5) < 1e-12);      // even odds at the limit itself
        QVERIFY(std::abs(probability(100 / 1.1, 100) - 0.1) < 1e-9); // the 90 % quantile is the limit
        QVERIFY(std::abs(probability(110, 121) - 0.9) < 1e-9);       // the 10 % quantile is
        QVERIFY(probability(105, 115.5) < 0.9 && isTight(memory));
        QCOMPARE(probability(90, 90), 0.0); // without a band
        QCOMPARE(probability(101, 101), 1.0);

        // A real plan, on GPUs of just too little memory and of far too little.
        ScenarioSpec spec = specOf("llama-3.1-70b-64xp5.48xlarge");
        const Estimate roomy = run(spec);
        spec.cluster = {};
        spec.cluster.instances = 64;
        spec.cluster.custom.gpu = "h100-sxm";
        spec.cluster.custom.gpusPerNode = 8;
        spec.cluster.custom.network = "infiniband";
        spec.cluster.custom.networkBytesPerSPerGpuPerDirection = 50e9;
        const auto on = [&](double share) {
            spec.cluster.custom.memoryBytesPerGpu = roomy.memory->totalBytes * share / 0.98;
            return run(spec);
        };
        const Estimate tight = on(0.95), none = on(0.7);
        QVERIFY(tight.runs && tight.fits && tight.memory->headroomBytes < 0);
        QVERIFY(std::ranges::any_of(tight.problems, [](const Problem& p) {
            return p.severity == Severity::warning && p.message.starts_with("Memory is tight");
        }));
        QVERIFY(!none.fits);
    }

    /// Choices of the plan decide between constants before the software does.
    void kernelsAndDispatchersAreChoicesOfThePlan() {
        ScenarioSpec spec = specOf("llama-3.1-70b-64xp5.48xlarge");
        const auto step = [&](const char* path, const char* word) {
            return run(*withField(spec, path, word)).training->stepTime;
        };
        QCOMPARE(*run(spec).scenario.plan.attentionKernel, "cudnn"); // the era's default is filled in
        QVERIFY(step("plan.attention_kernel", "fa2") > 1.01 * step("plan.attention_kernel", "cudnn"));
        QVERIFY(step("plan.attention_kernel", "unfused") > step("plan.attention_kernel", "fa2"));
        spec = specOf("deepseek-v3-256xp5en.48xlarge");
        QVERIFY(step("plan.dispatcher", "hybridep") < step("plan.dispatcher", "deepep"));
        QCOMPARE(*run(*withField(spec, "plan.dispatcher", "nccl")).scenario.plan.expertExchange,
                 "all_to_all");
        spec = *withField(spec, "plan.cuda_graphs", "true");
        QVERIFY(step("plan.cuda_graph_scope", "full") <= step("plan.cuda_graph_scope", "partial"));
    }

private:
    static ScenarioSpec specOf(const std::string& id) {
        return *data::readScenario(*data::shippedScenario(id)).spec;
    }
    Estimate run(const ScenarioSpec& spec) const {
        const auto e = estimate(spec, *catalog_, catalog_->defaultProfile, {.fixes = false});
        if (!e) {
            qFatal("%s", e.error().c_str());
        }
        return *e;
    }

    std::shared_ptr<const Catalog> catalog_;
};

QTEST_APPLESS_MAIN(TestPlanChoices)

} // namespace tst_plan_choices

#include "tst_plan_choices.moc"
