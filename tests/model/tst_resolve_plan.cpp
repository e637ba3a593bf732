// SPDX-License-Identifier: GPL-3.0-or-later
// The choices and groups of a resolved training plan, and the same found again for another layout. 4 x h8 of
// 8 GPUs train 8 layers with 32 sequences of 1,024 tokens a step (resolving_catalog.h).
#include "model/posttraining/response_lengths.h"
#include "model/scenario/layout_fields.h"
#include "model/scenario/layout_resolver.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <cmath>

namespace tst_resolve_plan {

using namespace alidade;
using namespace alidade::test;

namespace {

Scenario with(const QByteArray& edit, const Catalog& catalog = sharedCatalog()) {
    return resolved(edited(smallTraining(), editOf(edit.constData())), catalog);
}

TrainingPlan planOf(const QByteArray& edit, const Catalog& catalog = sharedCatalog()) {
    return with(edit, catalog).plan;
}

/// Layers of each virtual stage.
QByteArray virtualStages(const TrainingPlan& plan) {
    QByteArray out;
    for (const KindCounts& each : plan.virtualStageKinds)
        out += (out.isEmpty() ? "" : " ") + QByteArray::number(each[0]);
    return out;
}

} // namespace

class TestResolvePlan : public QObject {
    Q_OBJECT

private slots:
    void states_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<bool>("master");  // the shards are the FP32 weights
        QTest::addColumn<bool>("reduces"); // gradients are reduced over the groups, too
        const auto row = [](const char* edit, bool master, bool reduces) {
            QTest::newRow(edit) << QByteArray(edit) << master << reduces;
        };
        row("plan.sharding=none", false, false);
        row("plan.sharding=zero3", false, false);
        row("plan.sharding=fsdp2", true, false);
        row("plan.sharding=hsdp", true, true);
        row("plan.sharding=hsdp; plan.shard_size=32", true, false);
        row("plan.sharding=fsdp2; plan.master_weights=false", false, false);
        row("plan.sharding=fsdp2; workload.finetune.kind=lora", false, false);
        row("plan.sharding=fsdp2; workload.finetune.kind=lora; plan.master_weights=true", true, false);
        row("plan.sharding=fsdp2; workload.finetune.kind=qlora; plan.master_weights=true", false, false);
        row("plan.sharding=zero3; run.checkpoint_mode=checkpointless", false, true);
        row("plan.sharding=none; run.checkpoint_mode=checkpointless", false, false);
    }
    void states() {
        QFETCH(QByteArray, edit);
        QFETCH(bool, master);
        QFETCH(bool, reduces);
        const TrainingPlan plan = planOf(edit);
        QCOMPARE(plan.masterIsParameter, master);
        QCOMPARE(plan.reducesReplicas, reduces);
    }

    /// PyTorch's FSDP2 over several ranks has pools of its streams; its tensor parallelism keeps gathered
    /// inputs unless it overlaps.
    void memoryOfPyTorch() {
        QVERIFY(planOf("plan.framework=torchtitan; plan.sharding=fsdp2").streamPools);
        QVERIFY(!planOf("plan.framework=torchtitan; plan.sharding=zero3").streamPools);
        QVERIFY(!planOf("plan.sharding=fsdp2").streamPools); // Megatron-Core
        QVERIFY(
            !planOf("plan.framework=torchtitan; plan.sharding=fsdp2; plan.master_weights=false").streamPools);
        QVERIFY(!planOf("plan.framework=torchtitan; plan.sharding=hsdp; plan.shard_size=1").streamPools);
        QVERIFY(planOf("plan.framework=torchtitan").keepsGatheredInputs);
        QVERIFY(!planOf("plan.framework=torchtitan; plan.overlap.tensor=0.5").keepsGatheredInputs);
        QVERIFY(!planOf("").keepsGatheredInputs);
    }

    void choices() {
        const TrainingPlan plain = planOf("");
        QVERIFY(plain.sharding == Sharding::zero1 && plain.contextKind == ContextKind::ring &&
                plain.nvlinkSharp);
        QVERIFY(plain.precision == Precision::bf16 && !plain.lora && !plain.referencePass &&
                plain.nodeLimit == 0);
        QVERIFY(!plain.freshGradients && plain.microbatches == 1);
        QVERIFY(planOf("plan.framework=torchtitan").freshGradients);
        QVERIFY(!planOf("plan.framework=torchtitan; workload.global_batch=64").freshGradients);
        QVERIFY(!planOf("plan.framework=torchtitan; plan.pipeline_parallel=2; plan.micro_batch=2")
                     .freshGradients);
        QCOMPARE(planOf("plan.data_parallel=4; plan.micro_batch=2").microbatches, std::int64_t{4});
        QVERIFY(planOf("plan.context_parallel=2; plan.context_parallel_kind=all_gather").contextKind ==
                ContextKind::allGather);
        const TrainingPlan lora = planOf("workload.finetune.kind=lora; workload.finetune.method=dpo");
        QVERIFY(lora.lora && !lora.quantizedBase && lora.referencePass && lora.loraAttention && lora.loraMlp);
        const auto targets = [](const char* words) {
            const TrainingPlan plan =
                planOf(QByteArray("workload.finetune.kind=qlora; workload.finetune.targets=") + words);
            return std::pair(plan.loraAttention, plan.loraMlp);
        };
        QVERIFY(targets("attention") == std::pair(true, false) && targets("mlp") == std::pair(false, true));
        for (const char* word : {"linear_qkv", "linear_proj", "q_proj", "k_proj", "v_proj", "o_proj"})
            QVERIFY(targets(word) == std::pair(true, false));
        for (const char* word : {"linear_fc1", "linear_fc2", "gate_proj", "up_proj", "down_proj"})
            QVERIFY(targets(word) == std::pair(false, true));
        QVERIFY(targets("q_proj, up_proj") == std::pair(true, true));
        QVERIFY(planOf("workload.finetune.kind=qlora").quantizedBase);
        QCOMPARE(problemsOf(with("workload.finetune.targets=q_proj")),
                 QByteArray("warning /workload/finetune/kind: Rank and targets apply only to lora and qlora; "
                            "leave them out"));
        const Recompute all = planOf("workload.model=experts; plan.recompute=moe, norms, moe_act").recompute;
        QVERIFY(all.experts && all.norms && all.product && !all.full && !all.mlp && !all.sharedExperts);
        QVERIFY(planOf("plan.recompute=full").recompute.whole() && !planOf("").recompute.full);
        QVERIFY(!planOf("plan.recompute=moe").recompute.experts); // a model without experts
        const TrainingPlan experts =
            planOf("workload.model=experts; plan.node_limit=4; plan.expert_kernels=loop");
        QVERIFY(experts.nodeLimit == 4 && experts.expertLoop && experts.fusedDispatch &&
                !experts.unfusedProduct);
        QVERIFY(!planOf("workload.model=experts; plan.dispatcher=nccl").fusedDispatch);
        QVERIFY(planOf("workload.model=experts").nodeLimit == 0 &&
                !planOf("workload.model=experts").expertLoop);
    }

    void dispatchersOfSoftware() {
        Catalog catalog = resolvingCatalog();
        const auto dispatcher = [&](const char* usual, const char* exchange) {
            catalog.frameworks[0].moeDefaults = {{"plan.dispatcher", usual}};
            return with(QByteArray("workload.model=experts; plan.expert_exchange=") + exchange, catalog)
                .spec.plan.dispatcher.value_or("");
        };
        QCOMPARE(dispatcher("hybridep", "fused"), std::string("hybridep"));
        QCOMPARE(dispatcher("nccl", "fused"), std::string("deepep"));
        QCOMPARE(dispatcher("hybridep", "all_to_all"), std::string("nccl"));
    }

    void schedules_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<int>("schedule");
        QTest::addColumn<QByteArray>("stages");
        const auto row = [](const char* edit, PipelineSchedule schedule, const char* stages) {
            QTest::newRow(edit) << QByteArray(edit) << static_cast<int>(schedule) << QByteArray(stages);
        };
        using enum PipelineSchedule;
        row("", oneForwardOneBackward, "8");
        row("plan.schedule=gpipe", gpipe, "8");
        row("plan.schedule=zb-h1", oneForwardOneBackward, "8"); // a single stage needs no schedule
        row("plan.schedule=interleaved; plan.pipeline_parallel=2", oneForwardOneBackward, "4 4");
        row("plan.schedule=zb-h1; plan.pipeline_parallel=2", zeroBubbleH1, "4 4");
        row("plan.pipeline_parallel=2; plan.virtual_pipeline=2", interleaved, "2 2 2 2");
        // 5 = 2 + 3 layers on the first device, 3 = 1 + 2 on the second one.
        row("plan.pipeline_parallel=2; plan.virtual_pipeline=2; plan.pipeline_split=5,3", interleaved,
            "2 1 3 2");
        row("plan.pipeline_parallel=2; plan.virtual_pipeline=2; plan.pipeline_split=4,4", interleaved,
            "2 2 2 2");
        row("plan.pipeline_parallel=2; plan.virtual_pipeline=3", interleaved,
            "1 2 1 1 2 1"); // ends at 1.3, 2.7, 4 ...
        row("plan.pipeline_parallel=5; plan.virtual_pipeline=2; plan.data_parallel=4", interleaved,
            "0 1 1 1 1 1 1 1 1 0");
    }
    void schedules() {
        QFETCH(QByteArray, edit);
        QFETCH(int, schedule);
        QFETCH(QByteArray, stages);
        const TrainingPlan plan = planOf(edit);
        QCOMPARE(static_cast<int>(plan.schedule), schedule);
        QCOMPARE(virtualStages(plan), stages);
        QCOMPARE(plan.placeholders, edit.contains("pipeline_parallel=5"));
    }

    /// Embedding, head and prediction module each take the place of one of 12 layers.
    void placesOfPredictions() {
        Catalog catalog = resolvingCatalog();
        catalog.models[0].layers = 9;
        catalog.models[0].mtpLayers = 1;
        QCOMPARE(differences(with("plan.pipeline_parallel=4", catalog), "plan.pipeline_split=2, 3, 3, 1"),
                 QByteArray());
        catalog.models[0].mtpLayers =
            0; // 11 places: ends at 2.25, 4.5 and 6.75 layers, halves to the even one
        QCOMPARE(differences(with("plan.pipeline_parallel=4", catalog), "plan.pipeline_split=2, 2, 3, 2"),
                 QByteArray());
    }

    void groups() {
        const auto shape = [](const GroupShape& group) {
            return QByteArray(QByteArray::number(group.ranks) + '/' +
                              QByteArray::number(group.ranksPerNvlinkDomain));
        };
        const TrainingPlan plain = planOf("");
        QCOMPARE(shape(plain.dataGroup), QByteArray("32/8"));
        QCOMPARE(shape(plain.shardGroup), QByteArray("32/8"));
        QCOMPARE(plain.dataGroup.sharers, 1);
        const TrainingPlan three =
            planOf("plan.tensor_parallel=4; plan.context_parallel=2; plan.pipeline_parallel=2");
        QCOMPARE(shape(three.tensorGroup), QByteArray("4/4"));
        QCOMPARE(shape(three.contextGroup), QByteArray("2/2"));
        QCOMPARE(shape(three.dataGroup), QByteArray("4/2")); // 2 replicas x 2 parts of a sequence
        QCOMPARE(shape(three.pipelineGroup), QByteArray("2/1"));
        const TrainingPlan sharded = planOf("plan.sharding=hsdp");
        QCOMPARE(shape(sharded.shardGroup), QByteArray("8/8"));
        QCOMPARE(shape(sharded.replicaGroup), QByteArray("4/1"));
        // Experts over two domains exchange tokens while gradients are reduced: both use the network cards.
        const TrainingPlan wide = planOf("workload.model=experts; plan.expert_parallel=16");
        QCOMPARE(shape(wide.expertGroup), QByteArray("16/8"));
        QCOMPARE(wide.dataGroup.sharers, 2);
        QCOMPARE(wide.shardGroup.sharers, 2);
        const TrainingPlan within = planOf("workload.model=experts; plan.expert_parallel=8");
        QCOMPARE(within.dataGroup.sharers, 1);
        const TrainingPlan local =
            planOf("workload.model=experts; plan.expert_parallel=16; plan.sharding=hsdp");
        QVERIFY(local.shardGroup.sharers == 1 && local.replicaGroup.sharers == 2);
    }

    /// Blocks of whole nodes that divide the job: 36 GPUs on three racks of 16 are three of 12.
    void blocksOfARack_data() {
        QTest::addColumn<int>("racks");
        QTest::addColumn<int>("gpus");
        QTest::addColumn<int>("block");
        const auto row = [](int racks, int gpus, int block) {
            QTest::addRow("%d on %d", gpus, racks) << racks << gpus << block;
        };
        row(3, 48, 16);
        row(3, 36, 12);
        row(3, 24, 12);
        row(5, 40, 8);
        row(2, 24, 12);
        row(1, 16, 16);
    }
    void blocksOfARack() {
        QFETCH(int, racks);
        QFETCH(int, gpus);
        QFETCH(int, block);
        const QByteArray count = QByteArray::number(gpus);
        const TrainingPlan plan =
            planOf("cluster.ultraserver=rack; cluster.ultraservers=" + QByteArray::number(racks) +
                   "; cluster.gpus=" + count + "; workload.global_batch=" + count);
        QCOMPARE(plan.dataGroup.ranks, gpus);
        QCOMPARE(plan.dataGroup.ranksPerNvlinkDomain, block);
    }

    void loadOfExperts() {
        const auto imbalance = [](const QByteArray& more) {
            return with("workload.model=experts; plan.expert_parallel=4; " + more)
                .inputs[Input::expertImbalance];
        };
        const double usual = imbalance("");
        QVERIFY(usual > 1 && usual < 1.2); // 2,048 rows of a rank
        QVERIFY(imbalance("plan.expert_tensor_parallel=2") < usual);
        QVERIFY(imbalance("workload.sequence_length=512") > usual);
        QVERIFY(imbalance("plan.context_parallel=2") > usual);
        QVERIFY(imbalance("plan.tensor_parallel=2") > usual); // with sequence parallelism half of the tokens
        QVERIFY(imbalance("plan.expert_parallel=16") > usual);
        QCOMPARE(imbalance("plan.expert_parallel=1"), 1.0);
    }

    void unpackedExamples() {
        const QByteArray examples =
            "workload.finetune.example_tokens=100; workload.finetune.example_tokens_cv=0.5; "
            "workload.finetune.packed=false; workload.finetune.examples=10; ";
        const double longest = std::ceil(ResponseLengths(100, 0.5, 1024).longestOf(4));
        const Scenario four = with(examples + "plan.micro_batch=4; workload.global_batch=128");
        QCOMPARE(four.inputs[Input::sequenceLength], longest);
        QCOMPARE(four.inputs[Input::tokens], 10 * longest);
        QCOMPARE(with(examples).inputs[Input::sequenceLength], 100.0);
    }

    void citedPeaks() {
        Catalog catalog = resolvingCatalog();
        for (const char* key :
             {"dense_fp4_tflops", "dense_fp8_tflops", "dense_bf16_tflops", "dense_fp16_tflops"}) {
            Source source;
            source.title = key;
            source.fields = {key};
            catalog.gpus[1].provenance.sources.push_back(source);
        }
        for (const auto& [precision, key, peak] : {std::tuple("nvfp4", "fp4", 10'000e12),
                                                   {"mxfp8", "fp8", 5000e12},
                                                   {"fp8", "fp8", 5000e12},
                                                   {"bf16", "bf16", 2500e12},
                                                   {"fp16", "fp16", 2500e12}}) {
            const Scenario scenario = with(
                QByteArray("cluster.ultraserver=rack; cluster.ultraservers=2; plan.precision=") + precision,
                catalog);
            QVERIFY(scenario.runs());
            QCOMPARE(scenario.inputs[Input::peak], peak);
            QCOMPARE(originOfInput(scenario, Input::peak),
                     QByteArray("catalog: blackwell: dense_") + key + "_tflops");
        }
        // Of a user's catalog, where it says so.
        catalog.gpus[1].provenance.user = true;
        catalog.gpus[1].provenance.sources.back().authority = "user";
        QCOMPARE(originOfInput(
                     with("cluster.ultraserver=rack; cluster.ultraservers=2; plan.precision=fp16", catalog),
                     Input::peak),
                 QByteArray("user: blackwell: dense_fp16_tflops"));
        QCOMPARE(
            originOfInput(with("cluster.ultraserver=rack; cluster.ultraservers=2", catalog), Input::peak),
            QByteArray("catalog: blackwell: dense_bf16_tflops"));
    }

    void slowCards() {
        Catalog catalog = resolvingCatalog();
        catalog.instances[0].efaPerDirection = BytesPerSecond::si(40e9); // less than a client's 80 GB/s
        QCOMPARE(with("", catalog).inputs[Input::storageClient], 40e9);
        catalog.storage[0].clientMaxEfa.reset();
        QCOMPARE(with("", catalog).inputs[Input::storageClient], 12.5e9);
        QVERIFY(problemsOf(with("run.storage=s3-standrd"))
                    .endsWith("use an FSx for Lustre file system or S3, such as "
                              "s3-standard"));
        catalog.models[0].hiddenSize = 0;
        QVERIFY(!refusalOf(smallTraining(), catalog).isEmpty());
        catalog.models[0].hiddenSize = 1024;
        catalog.models[0].vocabSize = 0;
        QVERIFY(!refusalOf(smallTraining(), catalog).isEmpty());
        QCOMPARE(problemsOf(resolved(edited(smallServing(), editOf("order.base.instances=2")))),
                 QByteArray("error /order/base/instances: The base of 2 exceeds the 1 that are rented; set "
                            "order.base.instances to 1 or less"));
    }

    /// Another layout found from the one before is what a new resolution of it finds.
    void layoutsAgain() {
        const LayoutFields fields = allLayoutFields;
        for (const char* model : {"dense", "experts"}) {
            LayoutResolver again(sharedCatalog(), sharedCatalog().defaultProfile);
            int legal = 0, illegal = 0;
            QVERIFY(again.resolve(edited(smallTraining(), {{"workload.model", model}})));
            QVERIFY(again.illegalBy() == allLayoutFields); // it is the first one
            for (const char* tensor : {"1", "2", "3", "16"}) {
                for (const char* pipeline : {"1", "4", "16"}) {
                    for (const char* more :
                         {"", "plan.virtual_pipeline=2", "plan.expert_parallel=4", "plan.expert_parallel=3",
                          "plan.sharding=hsdp", "plan.sharding=hsdp; plan.shard_size=5", "plan.micro_batch=2",
                          "plan.context_parallel=2; plan.context_parallel_kind=ulysses",
                          "plan.data_parallel=2", "plan.schedule=dualpipe", "plan.recompute=full",
                          "plan.sequence_parallel=false", "plan.pipeline_split=3,1,2,2",
                          "plan.data_parallel=64"}) {
                        ScenarioSpec spec = edited(smallTraining(), {{"workload.model", model},
                                                                     {"plan.tensor_parallel", tensor},
                                                                     {"plan.pipeline_parallel", pipeline}});
                        spec = edited(spec, editOf(more));
                        const Scenario alone = resolved(spec);
                        const auto& found = again.resolve(spec, fields);
                        const QByteArray which =
                            QByteArray(model) + ' ' + tensor + ' ' + pipeline + ' ' + more;
                        QVERIFY(found);
                        QVERIFY2(found->legal == alone.legal, which.constData());
                        if (!alone.legal) {
                            ++illegal;
                            const auto error =
                                std::ranges::find(found->problems, Severity::error, &Problem::severity);
                            QVERIFY2(error != found->problems.end() &&
                                         std::ranges::find(alone.problems, error->message,
                                                           &Problem::message) != alone.problems.end(),
                                     which.constData());
                            // What else the layout is does not matter.
                            ScenarioSpec other = spec;
                            copyLayout(edited(smallTraining(),
                                              editOf("plan.micro_batch=4; plan.sharding=zero3; "
                                                     "plan.virtual_pipeline=2; plan.expert_parallel=2"))
                                           .plan,
                                       other.plan, allLayoutFields & ~again.illegalBy());
                            QVERIFY2(!resolved(other).legal, which.constData());
                            continue;
                        }
                        ++legal;
                        QVERIFY2(found->inputs.values == alone.inputs.values, which.constData());
                        QVERIFY2(virtualStages(found->plan) == virtualStages(alone.plan), which.constData());
                        const auto same = [&](GroupShape TrainingPlan::* group) {
                            const GroupShape &a = found->plan.*group, &b = alone.plan.*group;
                            return a.ranks == b.ranks && a.ranksPerNvlinkDomain == b.ranksPerNvlinkDomain &&
                                   a.sharers == b.sharers;
                        };
                        QVERIFY2(same(&TrainingPlan::tensorGroup) && same(&TrainingPlan::dataGroup) &&
                                     same(&TrainingPlan::shardGroup) && same(&TrainingPlan::replicaGroup) &&
                                     same(&TrainingPlan::pipelineGroup) && same(&TrainingPlan::expertGroup) &&
                                     same(&TrainingPlan::contextGroup),
                                 which.constData());
                        QVERIFY2(found->plan.schedule == alone.plan.schedule &&
                                     found->plan.sharding == alone.plan.sharding &&
                                     found->plan.microbatches == alone.plan.microbatches &&
                                     found->plan.sequenceParallel == alone.plan.sequenceParallel &&
                                     found->plan.recompute.full == alone.plan.recompute.full,
                                 which.constData());
                    }
                }
            }
            QVERIFY(legal > 20 && illegal > 40);
        }
    }
};

QTEST_APPLESS_MAIN(TestResolvePlan)

} // namespace tst_resolve_plan

#include "tst_resolve_plan.moc"
