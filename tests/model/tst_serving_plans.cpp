// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/purchase_edits.h"
#include "model/advice/serving_plans.h"
#include "model/cost/capacity_block.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tst_serving_plans {

using namespace alidade;
using namespace alidade::test;

namespace {

using Numbers = std::vector<int>;

const std::string& textOf(const Edit& edit, const char* path) {
    static const std::string none = "(none)";
    for (const auto& [field, text] : edit)
        if (field == path)
            return text;
    return none;
}

} // namespace

/// Plans of a service that are worth trying, and ways to buy.
class TestServingPlans : public QObject {
    Q_OBJECT

private slots:
    /// Layouts of a service: powers of two in an NVLink domain, whole models in a replica.
    void layoutsOfAService() {
        const Profile& profile = smallCatalog().defaultProfile;
        const auto plain = plainService(servingSpec(), smallCatalog(), profile);
        QVERIFY(plain && !plain->spec.plan.disaggregated.transfer);
        const auto tensors = [](const std::vector<ServingLayout>& layouts) {
            Numbers out;
            for (const ServingLayout& each : layouts)
                out.push_back(each.tensor);
            return out;
        };
        QCOMPARE(tensors(servingLayouts(*plain)), (Numbers{1, 2, 4, 8}));
        // 16 bytes of 8 B parameters: 2 x 8.03 G; half of that does not hold a whole copy.
        Scenario tight = *plain;
        tight.inputs[Input::capacity] = 9e9;
        QCOMPARE(tensors(servingLayouts(tight)), (Numbers{2, 4, 8}));
        tight = *plain;
        tight.inputs[Input::deviceMemory] = 1e10; // 90 % of it
        QCOMPARE(tensors(servingLayouts(tight)), (Numbers{2, 4, 8}));
        tight.inputs[Input::memoryUtilization] = 0.8;
        QCOMPARE(tensors(servingLayouts(tight)), (Numbers{4, 8}));
        // Stages once a host is full: of 32 GPUs.
        Scenario large = *plain;
        large.spec.cluster.gpus = 32;
        std::vector<std::pair<int, int>> found;
        for (const ServingLayout& each : servingLayouts(large))
            found.emplace_back(each.tensor, each.pipeline);
        QCOMPARE(found, (std::vector<std::pair<int, int>>{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {8, 2}, {8, 4}}));
        large.model.layers = 3;
        QCOMPARE(servingLayouts(large).size(), std::size_t{5});
        const Edit edit = editOf(ServingLayout{.tensor = 8, .pipeline = 2}, *plain);
        QCOMPARE(edit, (Edit{{"plan.tensor_parallel", "8"},
                             {"plan.pipeline_parallel", "2"},
                             {"plan.attention_data_parallel", ""},
                             {"plan.data_parallel", ""},
                             {"cluster.gpus", ""}}));
    }

    void layoutsOfExperts() {
        ScenarioSpec spec = servingSpec();
        spec.workload.model = "moe";
        const auto plain = plainService(spec, smallCatalog(), smallCatalog().defaultProfile);
        QVERIFY(plain);
        std::vector<std::array<int, 3>> found;
        for (const ServingLayout& each : servingLayouts(*plain))
            found.push_back({each.tensor, each.attentionData, each.expert});
        // Whole experts on each GPU of the stage, or split like the MLP where attention is not replicated.
        const std::vector<std::array<int, 3>> expected{{1, 1, 1}, {1, 2, 2}, {2, 1, 2}, {2, 1, 1}, {1, 4, 4},
                                                       {2, 2, 4}, {4, 1, 4}, {4, 1, 1}, {1, 8, 8}, {2, 4, 8},
                                                       {4, 2, 8}, {8, 1, 8}, {8, 1, 1}};
        QVERIFY(found == expected);
        QCOMPARE(textOf(editOf(ServingLayout{.tensor = 2, .expert = 4}, *plain), "plan.expert_parallel"),
                 std::string("4"));
        QCOMPARE(textOf(editOf(ServingLayout{.attentionData = 4}, *plain), "plan.attention_data_parallel"),
                 std::string("4"));
        QCOMPARE((ServingLayout{.tensor = 2, .pipeline = 3, .attentionData = 5}).gpus(), 30);
    }

    void narrowerFormatsOfAGpu() {
        const Catalog& catalog = smallCatalog();
        const auto formats = [&catalog](const ScenarioSpec& spec) {
            const auto plain = plainService(spec, catalog, catalog.defaultProfile);
            return plain ? narrowerFormats(spec, *plain, catalog) : std::vector<Edit>{{{"no", "plan"}}};
        };
        const std::vector<Edit> all{{{"plan.kv_cache", "fp8"}},
                                    {{"plan.weights", "fp8"}},
                                    {{"plan.weights", "fp8"}, {"plan.kv_cache", "fp8"}}};
        QCOMPARE(formats(servingSpec()), all);
        ScenarioSpec spec = servingSpec();
        spec.plan.kvCache = "fp8";
        QCOMPARE(formats(spec), (std::vector<Edit>{{{"plan.weights", "fp8"}}}));
        spec = servingSpec();
        spec.plan.weights = "fp8";
        QCOMPARE(formats(spec), (std::vector<Edit>{{{"plan.kv_cache", "fp8"}}}));
        spec.cluster.instance = "b.8"; // has no FP8
        spec.plan.weights.reset();
        QVERIFY(formats(spec).empty());
        Catalog wide = catalog;
        wide.gpus[0].fp4 = FlopPerSecond::si(4e15);
        const auto plain = plainService(servingSpec(), wide, wide.defaultProfile);
        QCOMPARE(narrowerFormats(servingSpec(), *plain, wide).size(), std::size_t{5});
    }

    /// One of the ways to buy: as many as an account can have in Capacity Blocks, the others as before.
    void otherWaysToBuy() {
        const Catalog& catalog = smallCatalog();
        const auto edits = [&catalog](const ScenarioSpec& spec) {
            return purchaseEdits(spec, *resolve(spec, catalog, catalog.defaultProfile), catalog);
        };
        const std::vector<Edit> block{
            {{"cluster.purchase", "capacity_block"}, {"cluster.region", "us-east-2"}}};
        ScenarioSpec spec = trainingSpec();
        QCOMPARE(edits(spec), block);
        spec.cluster.instances = mostCapacityBlockInstances;
        QCOMPARE(edits(spec), block);
        spec.cluster.instances = mostCapacityBlockInstances + 1;
        spec.cluster.discount = 0.25;
        QCOMPARE(edits(spec), (std::vector<Edit>{{{"cluster.purchase", "capacity_block"},
                                                  {"cluster.region", "us-east-2"},
                                                  {"order.base.instances", "1"},
                                                  {"order.base.purchase", "on_demand"},
                                                  {"order.base.discount", "25 %"}}}));
        spec.cluster.discount.reset();
        QCOMPARE(edits(spec)[0].size(), std::size_t{4});
        spec.cluster.region = "us-west-2"; // no Capacity Blocks there
        QVERIFY(edits(spec).empty());
        spec = trainingSpec();
        spec.cluster.instances = 4;
        spec.order.base.instances = 1;
        spec.order.base.purchase = "on_demand";
        const std::vector<Edit> mixed = edits(spec);
        QCOMPARE(mixed.size(), std::size_t{3});
        QCOMPARE(mixed[1], (Edit{{"order.base.instances", ""}}));
        QCOMPARE(mixed[2], (Edit{{"order.base.instances", "4"}}));
        spec = trainingSpec();
        spec.cluster.instance = "b.8";
        QVERIFY(edits(spec).empty());
    }
};

QTEST_GUILESS_MAIN(TestServingPlans)

} // namespace tst_serving_plans

#include "tst_serving_plans.moc"
