// SPDX-License-Identifier: GPL-3.0-or-later
// Plans of publications of training: experts, sharding, formats and recomputation.
#include "tests/model/published_plans.h"

#include <QTest>

namespace tst_published_plan_experts {

using namespace alidade;
using namespace alidade::tests;

class TestPublishedPlanExperts : public QObject {
    Q_OBJECT

private slots:
    void expertsOfThePlan_data() {
        planColumns();
        addPlan("one rank", [](auto& r) { r.parallelism.expert.reset(); }, "plan.expert_parallel=1");
        addPlan(
            "the recipe's tensor degree",
            [](auto& r) {
                r.parallelism.expertTensor.reset();
                r.recipe = PublishedRecipe();
                r.recipe->expertTensor = 2;
            },
            "plan.expert_tensor_parallel=2");
        addPlan(
            "a recipe that has none",
            [](auto& r) {
                r.parallelism.expertTensor.reset();
                r.recipe = PublishedRecipe();
            },
            "");
        // 16 x 1 x 2 ranks among 8 x 2: as the attention.
        addPlan(
            "as the attention", [](auto& r) { r.parallelism.expertTensor.reset(); },
            "plan.expert_tensor_parallel=2", "plan.expert_tensor_parallel");
        addPlan(
            "ranks that cannot be dealt out so", // 32 among 12 x 2
            [](auto& r) {
                r.parallelism.expertTensor.reset();
                r.parallelism.expert = 12;
            },
            "plan.expert_parallel=12", "plan.expert_tensor_parallel");
        addPlan(
            "context ranks are dealt out too", // 8 x 3 x 2 = 48 among 24 x 2, not among 16 x 2 = 32
            [](auto& r) {
                r.parallelism.expertTensor.reset();
                r.parallelism.data = 8;
                r.parallelism.context = 3;
                r.parallelism.expert = 24;
            },
            "plan.context_parallel=3 plan.expert_parallel=24 plan.expert_tensor_parallel=2 "
            "plan.data_parallel=8",
            "plan.expert_tensor_parallel");
        addPlan(
            "the default of the framework",
            [](auto& r) {
                r.parallelism.expertTensor.reset();
                r.software = "Megatron Bridge";
            },
            "plan.framework=megatron-bridge -plan.expert_tensor_parallel", "plan.expert_tensor_parallel");
        addPlan(
            "nothing to split",
            [](auto& r) {
                r.parallelism.expertTensor.reset();
                r.parallelism.tensor = 1;
            },
            "plan.tensor_parallel=1");
        addPlan("forced balanced", [](auto& r) { r.notes = "forced balanced, DeepEP"; }, "");
        addPlan(
            "balanced routing",
            [](auto& r) {
                r.notes = "DeepEP";
                r.recomputeDetail = "balanced routing";
            },
            "");
        addPlan(
            "free routing", [](auto& r) { r.notes = "DeepEP"; }, "-plan.expert_imbalance",
            "plan.expert_imbalance");
        addPlan("capacity", [](auto& r) { r.notes += ", capacity factor 1"; }, "plan.capacity_factor=1");
        for (const char* words : {"EP overlap on", "EP communication overlap"})
            addPlan(words, [words](auto& r) { r.notes += words; }, "plan.overlap.expert=75 %");
        addPlan(
            "overlap of the schedule", [](auto& r) { r.parallelism.schedule += " EP overlap"; },
            "plan.overlap.expert=75 %");
        for (const bool on : {true, false}) {
            addPlan(
                on ? "overlap of the recipe" : "a recipe without overlap",
                [on](auto& r) {
                    r.recipe = PublishedRecipe();
                    r.recipe->expertOverlap = on;
                },
                on ? "plan.overlap.expert=75 %" : "");
        }
        for (const auto& [words, dispatcher] :
             {std::pair("balanced routing, HybridEP", "plan.dispatcher=hybridep"),
              {"balanced routing, UCCL", "plan.dispatcher=uccl"},
              {"balanced routing, Alltoall dispatcher", "plan.dispatcher=nccl"}}) {
            addPlan(words, [words](auto& r) { r.notes = words; }, dispatcher);
        }
        addPlan(
            "the software says it",
            [](auto& r) {
                r.notes = "balanced routing";
                r.software += " with HybridEP";
            },
            "plan.dispatcher=hybridep");
        addPlan(
            "nobody says it", [](auto& r) { r.notes = "balanced routing"; }, "-plan.dispatcher",
            "plan.expert_exchange");
        for (const auto& [words, changed] :
             {std::pair("deepep", "plan.expert_exchange=fused"),
              {"hybridep", "plan.expert_exchange=fused plan.dispatcher=hybridep"},
              {"flex", "plan.expert_exchange=fused -plan.dispatcher"},
              {"nccl_alltoall", "plan.expert_exchange=all_to_all -plan.dispatcher"},
              {"", ""}}) {
            addPlan(
                *words != '\0' ? words : "no dispatcher in the recipe",
                [words](auto& r) {
                    r.recipe = PublishedRecipe();
                    r.recipe->dispatcher = words;
                },
                changed);
        }
    }

    void expertsOfThePlan() { verifyPlan(expertsRow()); }

    void shardingAndFormats_data() {
        planColumns();
        addPlan(
            "stage open", [](auto& r) { r.parallelism.zeroStage.reset(); }, "-plan.sharding",
            "plan.sharding");
        addPlan("stage 0", [](auto& r) { r.parallelism.zeroStage = 0; }, "plan.sharding=none");
        addPlan("stage 2", [](auto& r) { r.parallelism.zeroStage = 2; }, "plan.sharding=zero2");
        const auto whole = [](const char* words, std::optional<int> size = {}) {
            return [words, size](PublishedTraining& r) {
                r.parallelism.zeroStage = 3;
                r.parallelism.context = 2;
                r.parallelism.sharding = words;
                r.parallelism.shardSize = size;
            };
        };
        // Over 8 x 2 ranks, or fewer.
        addPlan("ZeRO-3", whole("ZeRO stage 3"), "plan.context_parallel=2 plan.sharding=zero3");
        addPlan("FSDP", whole("FSDP2"), "plan.context_parallel=2 plan.sharding=fsdp2");
        addPlan("FSDP over all", whole("FSDP over 16 GPUs"), "plan.context_parallel=2 plan.sharding=fsdp2");
        addPlan("FSDP over some", whole("FSDP over 15 GPUs"),
                "plan.context_parallel=2 plan.sharding=hsdp plan.shard_size=15");
        addPlan("a size of its own", whole("FSDP over 15 GPUs", 4),
                "plan.context_parallel=2 plan.sharding=hsdp plan.shard_size=4");
        addPlan(
            "gradients overlap",
            [whole](auto& r) {
                whole("FSDP2")(r);
                r.software = "torchtitan";
            },
            "plan.framework=torchtitan plan.context_parallel=2 plan.sharding=fsdp2 plan.overlap.gradient=95 "
            "%");
        addPlan("FP16", [](auto& r) { r.precision = "FP16"; }, "plan.precision=fp16");
        for (const auto& [said, recipe] : {std::pair("delayed scaling", "delayed"),
                                           {"block scales", "block"},
                                           {"current", "current"},
                                           {"tensorwise", "current"},
                                           {"tensor-wise", "current"},
                                           {"rowwise", "row"},
                                           {"row-wise", "row"}}) {
            QTest::newRow(said) << Change([said](PublishedTraining& r) {
                r.precision = "FP8";
                r.precisionDetail = said;
            }) << QStringLiteral("plan.precision=fp8 plan.fp8_recipe=%1").arg(QLatin1String(recipe))
                                << QString();
        }
        addPlan(
            "an FP8 recipe that is open", [](auto& r) { r.precision = "FP8"; }, "plan.precision=fp8",
            "plan.fp8_recipe");
        addPlan("MXFP8 has no other", [](auto& r) { r.precision = "MXFP8"; }, "plan.precision=mxfp8");
        addPlan("full", [](auto& r) { r.recompute = "full"; }, "plan.recompute=full");
        addPlan(
            "modules",
            [](auto& r) {
                r.recompute = "selective";
                r.recomputeDetail = "modules: layernorm, core_attn";
                r.recipe = PublishedRecipe();
                r.recipe->recomputeModules = {"mlp"};
            },
            "plan.recompute=layernorm, core_attn");
        addPlan(
            "modules of the recipe",
            [](auto& r) {
                r.recompute = "selective";
                r.recipe = PublishedRecipe();
                r.recipe->recomputeModules = {"mlp"};
            },
            "plan.recompute=mlp");
        addPlan(
            "selective",
            [](auto& r) {
                r.recompute = "selective";
                r.recipe = PublishedRecipe();
            },
            "plan.recompute=selective");
        addPlan(
            "recomputation open", [](auto& r) { r.recompute.clear(); }, "-plan.recompute", "plan.recompute");
        addPlan("none, whatever else is said", [](auto& r) { r.recomputeDetail = "modules: layernorm"; }, "");
    }

    void shardingAndFormats() { verifyPlan(denseRow()); }
};

QTEST_APPLESS_MAIN(TestPublishedPlanExperts)

} // namespace tst_published_plan_experts

#include "tst_published_plan_experts.moc"
