// SPDX-License-Identifier: GPL-3.0-or-later
// Plans of publications of training: offload, graphs, packing, and what fine-tuning says besides.
#include "tests/model/published_plans.h"

#include <QTest>

namespace tst_published_plan_rest {

using namespace alidade;
using namespace alidade::tests;

class TestPublishedPlanRest : public QObject {
    Q_OBJECT

private slots:
    void theRest_data() {
        planColumns();
        addPlan("Muon", [](auto& r) { r.optimizer = "Muon"; }, "plan.optimizer=muon");
        addPlan("Adam", [](auto& r) { r.optimizer = "Adam"; }, "");
        addPlan(
            "8-bit Adam of pre-training is not said to be one", [](auto& r) { r.optimizer = "8-bit Adam"; },
            "");
        addPlan(
            "optimizer in host memory", [](auto& r) { r.offload = "optimizer state on CPU"; },
            "plan.offload.optimizer=100 %");
        addPlan(
            "a part of it", [](auto& r) { r.offload = "optimizer: 25% on CPU"; },
            "plan.offload.optimizer=25 %");
        addPlan(
            "activations in host memory", [](auto& r) { r.offload = "activations"; },
            "plan.offload.activations=100 %", "plan.offload.activations");
        const auto layers = [](int count) {
            return [count](PublishedTraining& r) {
                r.offload = "activations";
                r.recipe = PublishedRecipe();
                r.recipe->offloadedLayers = count;
            };
        };
        addPlan("of 8 of 32 layers", layers(8), "plan.offload.activations=25 %");
        addPlan("of more layers than there are", layers(40), "plan.offload.activations=100 %");
        const auto graphs = [](const char* kind, std::vector<std::string> scope = {}) {
            return [kind, scope](PublishedTraining& r) {
                r.recipe = PublishedRecipe();
                r.recipe->cudaGraphs = kind;
                r.recipe->cudaGraphScope = scope;
            };
        };
        addPlan("no graphs", graphs("none"), "plan.cuda_graph_scope=partial plan.cuda_graphs=false");
        addPlan("graphs", graphs("local", {"attn"}), "plan.cuda_graph_scope=partial plan.cuda_graphs=true");
        addPlan("graphs of a step", graphs("full_iteration"),
                "plan.cuda_graph_scope=full plan.cuda_graphs=true");
        addPlan("scope of a step", graphs("local", {"attn", "full_iteration"}),
                "plan.cuda_graph_scope=full plan.cuda_graphs=true");
        addPlan(
            "graphs in the notes", [](auto& r) { r.notes = "with CUDA graphs"; }, "plan.cuda_graphs=true");
        addPlan("none in the notes", [](auto& r) { r.notes = "CUDA graphs off"; }, "plan.cuda_graphs=false");
        addPlan(
            "LoRA of another framework",
            [](auto& r) {
                r.optimizer = "Adam on LoRA";
                r.notes = "LoRA rank 16";
            },
            "workload.finetune.kind=lora workload.finetune.rank=16");
        addPlan(
            "LoRA on attention",
            [](auto& r) {
                r.optimizer = "LoRA";
                r.notes = "Adapters on attention";
            },
            "workload.finetune.kind=lora workload.finetune.targets=attention");
        addPlan(
            "LoRA of NVIDIA",
            [](auto& r) {
                r.optimizer = "LoRA";
                r.software = "Megatron Bridge";
            },
            "workload.finetune.kind=lora workload.finetune.targets=attention plan.framework=megatron-bridge",
            "workload.finetune.targets");
        addPlan(
            "LoRA of NVIDIA on attention",
            [](auto& r) {
                r.optimizer = "LoRA";
                r.software = "Megatron Bridge";
                r.notes = "Adapters on attention";
            },
            "workload.finetune.kind=lora workload.finetune.targets=attention plan.framework=megatron-bridge");
        addPlan(
            "short examples", [](auto& r) { r.notes = "examples of about 300 tokens"; },
            "workload.finetune.example_tokens=300 tokens", "workload.finetune.example_tokens");
        const auto packed = [](const char* software, const char* notes, int length) {
            return [=](PublishedTraining& r) {
                r.software = software;
                r.notes = notes;
                r.model.sequenceLength = length;
            };
        };
        addPlan("packed by NVIDIA", packed("Megatron Bridge", "packed", 4096),
                "workload.finetune.example_tokens=200 tokens plan.framework=megatron-bridge",
                "workload.finetune.example_tokens");
        addPlan("packed by NVIDIA to another length", packed("Megatron Bridge", "packed", 2048),
                "plan.framework=megatron-bridge");
        addPlan("not packed", packed("Megatron Bridge", "", 4096), "plan.framework=megatron-bridge");
        addPlan("packed by others", packed("Megatron-Core", "packed", 4096), "");
    }

    void theRest() { verifyPlan(denseRow()); }

    void finetuning_data() {
        planColumns();
        const auto tuned = [](auto set) {
            return [set](PublishedTraining& r) {
                r.finetune = PublishedFinetune();
                r.finetune->loraRank = 8;
                set(r);
            };
        };
        const auto method = [&](const char* word) {
            return tuned([word](PublishedTraining& r) { r.finetune->method = word; });
        };
        addPlan("full", method("sft full"), "workload.finetune.kind=full workload.finetune.method=sft");
        addPlan("LoRA", method("lora"),
                "workload.finetune.kind=lora workload.finetune.method=sft workload.finetune.rank=8");
        addPlan("QLoRA", method("qlora"),
                "workload.finetune.kind=qlora workload.finetune.method=sft workload.finetune.rank=8");
        addPlan("4-bit weights", tuned([](auto& r) { r.finetune->baseWeights = "nf4"; }),
                "workload.finetune.kind=qlora workload.finetune.method=sft workload.finetune.rank=8");
        addPlan("pairs count once", method("dpo"),
                "workload.global_batch=64 workload.finetune.kind=full workload.finetune.method=dpo");
        addPlan("one pair", tuned([](auto& r) {
                    r.finetune->method = "dpo";
                    r.globalBatch = 1;
                }),
                "workload.global_batch=1 workload.finetune.kind=full workload.finetune.method=dpo");
        const QString full = QStringLiteral("workload.finetune.kind=full workload.finetune.method=sft");
        const auto more = [&](const char* name, auto set, const char* changed) {
            QTest::newRow(name) << Change(tuned(set))
                                << QStringLiteral("%1 %2").arg(full, QLatin1String(changed)) << QString();
        };
        more("chunked loss", [](auto& r) { r.finetune->chunkedLoss = true; }, "plan.loss=chunked");
        more("plain loss", [](auto& r) { r.finetune->chunkedLoss = false; }, "plan.loss=unfused");
        more("master weights", [](auto& r) { r.finetune->masterWeights = true; }, "plan.master_weights=true");
        more(
            "kernels of experts", [](auto& r) { r.finetune->expertKernels = "loop"; },
            "plan.expert_kernels=loop");
        for (const auto& [said, kernel] : {std::pair("flash_attention_2", "fa2"),
                                           {"flash_attention_3", "fa3"},
                                           {"flash_attention_4", "fa4"},
                                           {"sdpa", "sdpa"}}) {
            QTest::newRow(said) << Change(tuned([said](PublishedTraining& r) {
                r.finetune->attention = said;
            })) << QStringLiteral("%1 plan.attention_kernel=%2").arg(full, QLatin1String(kernel))
                                << QString();
        }
        more("8-bit Adam", [](auto& r) { r.optimizer = "8-bit AdamW"; }, "plan.optimizer=adam_8bit");
    }

    void finetuning() { verifyPlan(denseRow()); }

    /// Libraries that have no entry of their own: on PyTorch, on DeepSpeed, on Megatron-Core.
    void frameworksOfFinetuning_data() {
        QTest::addColumn<int>("stage");
        QTest::addColumn<QString>("sharding");
        QTest::addColumn<bool>("compiled");
        QTest::addColumn<QString>("framework");
        QTest::newRow("one GPU") << 0 << "" << false << "torchtitan-eager";
        QTest::newRow("one GPU, compiled") << 0 << "" << true << "torchtitan";
        QTest::newRow("FSDP") << 3 << "FSDP" << false << "torchtitan-eager";
        QTest::newRow("stage 3") << 3 << "" << false << "deepspeed";
        QTest::newRow("stage 2") << 2 << "" << true << "deepspeed";
        QTest::newRow("stage 1") << 1 << "" << true << "megatron-core";
        QTest::newRow("open") << -1 << "" << true << "megatron-core";
    }

    void frameworksOfFinetuning() {
        QFETCH(int, stage);
        QFETCH(QString, sharding);
        QFETCH(bool, compiled);
        QFETCH(QString, framework);
        PublishedTraining row = denseRow();
        row.software = "own code";
        row.finetune = PublishedFinetune();
        row.finetune->compiled = compiled;
        row.parallelism.zeroStage = stage >= 0 ? std::optional(stage) : std::nullopt;
        row.parallelism.sharding = sharding.toStdString();
        QCOMPARE(QString::fromStdString(readPlan(row).spec.plan.framework.value_or("")), framework);
    }
};

QTEST_APPLESS_MAIN(TestPublishedPlanRest)

} // namespace tst_published_plan_rest

#include "tst_published_plan_rest.moc"
