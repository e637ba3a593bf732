// SPDX-License-Identifier: GPL-3.0-or-later
// Plans of publications of training: degrees, batch and schedule, and what they leave open.
#include "tests/model/published_plans.h"

#include <QTest>

namespace tst_published_plan {

using namespace alidade;
using namespace alidade::tests;

class TestPublishedPlan : public QObject {
    Q_OBJECT

private slots:
    void everythingSaid() {
        const ReadPlan dense = readPlan(denseRow());
        QCOMPARE(dense.lacks, std::string());
        QCOMPARE(
            writtenFields(dense.spec, ""),
            QStringLiteral("workload.global_batch=128 plan.framework=megatron-core plan.tensor_parallel=2 "
                           "plan.sequence_parallel=true plan.context_parallel=1 plan.pipeline_parallel=4 "
                           "plan.data_parallel=8 plan.sharding=zero1 plan.micro_batch=2 plan.precision=bf16 "
                           "plan.recompute=none"));
        QVERIFY(dense.assumed.empty());
        const ReadPlan experts = readPlan(expertsRow());
        QCOMPARE(
            changedFields(dense.spec, experts.spec, "plan."),
            QStringLiteral("pipeline_parallel=2 expert_parallel=8 expert_tensor_parallel=1 data_parallel=16 "
                           "expert_imbalance=1 dispatcher=deepep"));
        QVERIFY(experts.assumed.empty());
    }

    void whatIsMissing() {
        const auto lacks = [](const Change& change) {
            PublishedTraining row = denseRow();
            change(row);
            return QString::fromStdString(readPlan(row).lacks);
        };
        const QString degree = QStringLiteral("the source does not give the degree of %1 parallelism");
        QCOMPARE(lacks([](auto& r) { r.parallelism.tensor.reset(); }), degree.arg(QLatin1String("tensor")));
        QCOMPARE(lacks([](auto& r) { r.parallelism.pipeline.reset(); }),
                 degree.arg(QLatin1String("pipeline")));
        QCOMPARE(lacks([](auto& r) { r.parallelism = {}; }),
                 degree.arg(QLatin1String("tensor, pipeline, context")));
        const QString batch = QStringLiteral("the source does not give the global batch"),
                      both = QStringLiteral("the source gives neither the global batch nor the micro-batch");
        const auto without = [&](bool micro, const Change& change) {
            return lacks([&](PublishedTraining& row) {
                row.globalBatch.reset();
                row.measured = {};
                if (!micro)
                    row.microBatch.reset();
                change(row);
            });
        };
        QCOMPARE(without(true, [](auto&) {}), batch);
        QCOMPARE(without(true, [](auto& r) { r.tokensPerStep = 1e6; }), QString());
        QCOMPARE(without(false, [](auto& r) { r.tokensPerStep = 1e6; }), QString());
        QCOMPARE(without(true, [](auto& r) { r.measured.tokensPerSPerGpu = 1; }), QString());
        QCOMPARE(without(true, [](auto& r) { r.measured.tokensPerS = 1; }), QString());
        QCOMPARE(without(true, [](auto& r) { r.measured.flopsPerSPerGpu = 1; }), QString());
        QCOMPARE(without(true, [](auto& r) { r.measured.mfu = 0.4; }), QString());
        QCOMPARE(without(false, [](auto& r) { r.measured.mfu = 0.4; }), both);
        // What ran out of memory did so in the first step.
        QCOMPARE(without(false, [](auto& r) { r.outcome = "oom"; }), QString());
    }

    void degreesAndBatch_data() {
        planColumns();
        addPlan("no data degree: 64 / (2 x 4)", [](auto& r) { r.parallelism.data.reset(); }, "");
        addPlan(
            "fewer GPUs than a replica",
            [](auto& r) {
                r.parallelism.data.reset();
                r.hardware.gpus = 4;
            },
            "plan.data_parallel=1");
        addPlan(
            "an unknown number of GPUs",
            [](auto& r) {
                r.parallelism.data.reset();
                r.parallelism.tensor = r.parallelism.pipeline = 1;
                r.hardware.gpus.reset();
            },
            "plan.tensor_parallel=1 plan.pipeline_parallel=1 plan.data_parallel=1");
        addPlan(
            "context ranks count",
            [](auto& r) {
                r.parallelism.data.reset();
                r.parallelism.context = 4;
            },
            "plan.context_parallel=4 plan.data_parallel=2");
        addPlan(
            "sequence parallelism open", [](auto& r) { r.parallelism.sequence.reset(); },
            "-plan.sequence_parallel", "plan.sequence_parallel");
        addPlan(
            "sequence parallelism of one rank",
            [](auto& r) {
                r.parallelism.sequence.reset();
                r.parallelism.tensor = 1;
            },
            "plan.tensor_parallel=1 -plan.sequence_parallel");
        addPlan(
            "micro-batch open", [](auto& r) { r.microBatch.reset(); }, "-plan.micro_batch",
            "plan.micro_batch");
        // 1,310,720 tokens are 160 sequences: ten rounds of 8 replicas with 2 each.
        addPlan(
            "batch in tokens",
            [](auto& r) {
                r.globalBatch.reset();
                r.tokensPerStep = 1'310'720;
            },
            "workload.global_batch=160", "workload.global_batch");
        addPlan(
            "nearest whole rounds", // 168 sequences are 10.5 rounds
            [](auto& r) {
                r.globalBatch.reset();
                r.tokensPerStep = 168 * 8192 - 1;
            },
            "workload.global_batch=160", "workload.global_batch");
        addPlan(
            "no less than a round",
            [](auto& r) {
                r.globalBatch.reset();
                r.tokensPerStep = 8192;
            },
            "workload.global_batch=16", "workload.global_batch");
        addPlan(
            "no batch at all", [](auto& r) { r.globalBatch.reset(); }, "workload.global_batch=16",
            "workload.global_batch");
        addPlan(
            "neither batch of what ran out of memory",
            [](auto& r) {
                r.globalBatch.reset();
                r.microBatch.reset();
                r.outcome = "oom";
            },
            "workload.global_batch=8 -plan.micro_batch", "plan.micro_batch, workload.global_batch");
        addPlan(
            "an unknown framework", [](auto& r) { r.software = "own code"; }, "-plan.framework",
            "plan.framework");
    }

    void degreesAndBatch() { verifyPlan(denseRow()); }

    void schedules_data() {
        planColumns();
        const auto named = [](const char* words) {
            return [words](PublishedTraining& r) { r.parallelism.schedule = words; };
        };
        const auto open = [](const char* words, const char* software = "Megatron-Core 0.9") {
            return [words, software](PublishedTraining& r) {
                r.parallelism.schedule = words;
                r.parallelism.virtualPipeline.reset();
                r.software = software;
            };
        };
        addPlan("zero bubble V", named("ZB-V"), "plan.schedule=zb-v");
        addPlan("zero bubble H1", named("ZB-H1"), "plan.schedule=zb-h1");
        addPlan("GPipe", named("GPipe"), "plan.schedule=gpipe");
        addPlan("DualPipe", named("DualPipe"), "plan.schedule=dualpipe");
        addPlan("DualPipeV", named("DualPipeV"), "plan.schedule=dualpipe-v");
        addPlan(
            "two chunks", [](auto& r) { r.parallelism.virtualPipeline = 2; },
            "plan.virtual_pipeline=2 plan.schedule=interleaved");
        addPlan(
            "two chunks of another schedule",
            [](auto& r) {
                r.parallelism.virtualPipeline = 2;
                r.parallelism.schedule = "ZB-V";
            },
            "plan.virtual_pipeline=2 plan.schedule=zb-v");
        // Chunks are open: 32 layers over 4 stages and 128 / (8 x 2) micro-batches: 8 chunks of a layer.
        addPlan("1F1B has no chunks", open("1F1B"), "");
        addPlan("open", open(""), "plan.virtual_pipeline=8 plan.schedule=interleaved",
                "plan.virtual_pipeline");
        addPlan("interleaved", open("interleaved 1F1B"), "plan.virtual_pipeline=8 plan.schedule=interleaved",
                "plan.virtual_pipeline");
        addPlan("other words", open("breadth first"), "", "plan.virtual_pipeline");
        addPlan("a schedule that is not interleaved", open("GPipe"), "plan.schedule=gpipe",
                "plan.virtual_pipeline");
        addPlan("zero bubble, interleaved", open("ZB-V interleaved"), "plan.schedule=zb-v",
                "plan.virtual_pipeline");
        addPlan("torchtitan, interleaved", open("interleaved", "torchtitan"),
                "plan.framework=torchtitan plan.virtual_pipeline=2 plan.schedule=interleaved",
                "plan.virtual_pipeline");
        addPlan("torchtitan, open", open("", "torchtitan"), "plan.framework=torchtitan",
                "plan.virtual_pipeline");
        addPlan("another framework", open("", "DeepSpeed"), "plan.framework=deepspeed",
                "plan.virtual_pipeline");
        addPlan("an unknown framework", open("", "own code"), "-plan.framework",
                "plan.framework, plan.virtual_pipeline");
        const auto also = [&](const char* name, const Change& change, const char* changed,
                              const char* assumed = "plan.virtual_pipeline") {
            addPlan(
                name,
                [change, base = open("")](PublishedTraining& r) {
                    base(r);
                    change(r);
                },
                changed, assumed);
        };
        // 3 stages share neither the layers nor the 8 micro-batches; 10 micro-batches not among 4 stages.
        also("layers do not divide", [](auto& r) { r.parallelism.pipeline = 3; }, "plan.pipeline_parallel=3");
        also(
            "micro-batches do not divide", [](auto& r) { r.globalBatch = 160; }, "workload.global_batch=160");
        also(
            "micro-batches divide with one sequence each",
            [](auto& r) {
                r.globalBatch = 160;
                r.microBatch = 1;
            },
            "workload.global_batch=160 plan.virtual_pipeline=8 plan.schedule=interleaved plan.micro_batch=1");
        also(
            "no micro-batch: one sequence",
            [](auto& r) {
                r.globalBatch = 160;
                r.microBatch.reset();
            },
            "workload.global_batch=160 plan.virtual_pipeline=8 plan.schedule=interleaved -plan.micro_batch",
            "plan.micro_batch, plan.virtual_pipeline");
        also(
            "four micro-batches of one sequence",
            [](auto& r) {
                r.hardware.gpus = 8;
                r.parallelism.data = 1;
                r.globalBatch = 4;
                r.microBatch = 1;
            },
            "workload.global_batch=4 plan.virtual_pipeline=8 plan.schedule=interleaved plan.data_parallel=1 "
            "plan.micro_batch=1");
        also("one stage", [](auto& r) { r.parallelism.pipeline = 1; }, "plan.pipeline_parallel=1", "");
        also(
            "a stage of one layer",
            [](auto& r) {
                r.parallelism.pipeline = 32;
                r.globalBatch = 512;
            },
            "workload.global_batch=512 plan.pipeline_parallel=32");
        also(
            "fine-tuning",
            [](auto& r) {
                r.finetune = PublishedFinetune();
                r.finetune->method = "full";
            },
            "workload.finetune.kind=full workload.finetune.method=sft");
        addPlan(
            "a layout that holds the layers",
            [](auto& r) {
                r.recipe = PublishedRecipe();
                r.recipe->pipelineLayout = "Et*7|t*9|t*9|t*7L";
            },
            "plan.pipeline_split=7, 9, 9, 7");
        addPlan(
            "a layout of another model",
            [](auto& r) {
                r.recipe = PublishedRecipe();
                r.recipe->pipelineLayout = "Et*7|t*9|t*9|t*8L";
            },
            "");
        addPlan("tensor traffic overlaps", named("1F1B, AsyncTP"), "plan.overlap.tensor=62 %");
        addPlan(
            "not without a share of the framework",
            [](auto& r) {
                r.parallelism.schedule = "1F1B, AsyncTP";
                r.software = "torchtitan";
            },
            "plan.framework=torchtitan");
    }

    void schedules() { verifyPlan(denseRow()); }
};

QTEST_APPLESS_MAIN(TestPublishedPlan)

} // namespace tst_published_plan

#include "tst_published_plan.moc"
