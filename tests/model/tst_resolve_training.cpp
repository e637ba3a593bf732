// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of a training plan and what they say: every problem of a scenario, in the words a person reads.
// Numbers follow from the sizes in resolving_catalog.h: 32 GPUs, 8 layers, 16 heads, 4 KV heads, sequences of
// 1,024, batch 32.
#include "tests/model/resolving_catalog.h"

#include <QTest>

namespace tst_resolve_training {

using namespace alidade;
using namespace alidade::test;

namespace {

void row(const char* edit, const char* problems) {
    QTest::newRow(edit) << QByteArray(edit) << QByteArray(problems);
}

void columns() {
    QTest::addColumn<QByteArray>("edit");
    QTest::addColumn<QByteArray>("problems");
}

void verifyProblems(const Catalog& catalog = sharedCatalog()) {
    QFETCH(QByteArray, edit);
    QFETCH(QByteArray, problems);
    const Scenario scenario = resolved(edited(smallTraining(), editOf(edit.constData())), catalog);
    QCOMPARE(problemsOf(scenario), problems);
    QCOMPARE(scenario.runs(), !problems.contains("error "));
}

/// The catalog with heads that no power of two divides.
Catalog oddHeads() {
    Catalog out = resolvingCatalog();
    out.models[0].attentionHeads = 24;
    out.models[0].kvHeads = 6;
    out.models[1].moe->expertsPerToken = 12;
    return out;
}

} // namespace

class TestResolveTraining : public QObject {
    Q_OBJECT

private slots:
    void degrees_data() {
        columns();
        row("", "");
        row("plan.tensor_parallel=2", "");
        row("plan.tensor_parallel=8; plan.pipeline_parallel=4", "");
        // 32 / 3 = 10 replicas take 30 of 32 GPUs; 1,024 = 3 x 341 + 1.
        row("plan.tensor_parallel=3",
            "error /plan/tensor_parallel: Tensor 3 x pipeline 1 does not divide the 32 GPUs; change the "
            "degrees, or set "
            "data_parallel and leave GPUs idle\n"
            "error /plan/tensor_parallel: Tensor 3 does not divide the 16 attention heads of Dense 1\n"
            "error /plan/sequence_parallel: Tensor 3 does not divide the 1,024 tokens of a sequence; pad the "
            "sequence to "
            "1,026 or set sequence parallel to false\n"
            "error /workload/global_batch: A global batch of 32 is not divisible by data 10 x micro-batch 1");
        row("plan.tensor_parallel=16; plan.context_parallel=4",
            "error /plan/tensor_parallel: Tensor 16 x context 4 x pipeline 1 needs 64 GPUs for one replica; "
            "the cluster "
            "has 32\n"
            "warning /plan/tensor_parallel: Tensor 16 is wider than the NVLink domain of 8 GPUs: its traffic "
            "crosses the "
            "network");
        row("plan.data_parallel=16", "warning /plan/data_parallel: 16 GPUs are idle but billed");
        row("plan.data_parallel=32", "");
        row("plan.data_parallel=64",
            "error /plan/data_parallel: The degrees multiply to 64 GPUs; the cluster has 32\n"
            "error /workload/global_batch: A global batch of 32 is not divisible by data 64 x micro-batch 1");
        row("cluster.gpus=33", "error /cluster/gpus: The plan needs 33 GPUs; the cluster has 32");
        row("cluster.gpus=32", "");
        row("plan.micro_batch=2",
            "error /workload/global_batch: A global batch of 32 is not divisible by data 32 x micro-batch 2");
        row("plan.micro_batch=2; workload.global_batch=64", "");
        row("workload.global_batch=33",
            "error /workload/global_batch: A global batch of 33 is not divisible by data 32 x micro-batch 1");
        row("workload.sequence_length=8192", "");
        row("workload.sequence_length=8193",
            "warning /workload/sequence_length: The sequence exceeds the 8192-token context of Dense 1");
    }
    void degrees() { verifyProblems(); }

    void tensorAndContext_data() {
        columns();
        // Two chunks of each of 4 ranks: a multiple of 8 tokens. 1,020 = 8 x 127 + 4.
        row("plan.context_parallel=4", "");
        row("plan.context_parallel=4; workload.sequence_length=1020",
            "error /plan/context_parallel: Context 4 needs a sequence length that is a multiple of 8 tokens, "
            "not 1,020; "
            "pad it to 1,024");
        row("plan.context_parallel=4; plan.context_parallel_kind=ulysses; workload.sequence_length=1020", "");
        row("plan.context_parallel=4; plan.context_parallel_kind=ulysses; workload.sequence_length=1022",
            "error /plan/context_parallel: Context 4 needs a sequence length that is a multiple of 4 tokens, "
            "not 1,022; "
            "pad it to 1,024");
        row("plan.context_parallel=4; plan.tensor_parallel=4; plan.context_parallel_kind=ulysses", "");
        row("plan.context_parallel=4; plan.tensor_parallel=8; plan.context_parallel_kind=ulysses",
            "error /plan/context_parallel: Ulysses distributes the 16 attention heads of Dense 1 over tensor "
            "x context = "
            "32, which does not divide them; use ring or all_gather");
        row("plan.context_parallel=4; plan.tensor_parallel=8", "");
        row("plan.tensor_parallel=8", "");
        row("plan.tensor_parallel=16", "warning /plan/tensor_parallel: Tensor 16 is wider than the NVLink "
                                       "domain of 8 GPUs: its traffic crosses the "
                                       "network");
        row("plan.tensor_parallel=2; workload.sequence_length=1023",
            "error /plan/sequence_parallel: Tensor 2 does not divide the 1,023 tokens of a sequence; pad the "
            "sequence to "
            "1,024 or set sequence parallel to false");
        row("plan.tensor_parallel=2; workload.sequence_length=1023; plan.sequence_parallel=false", "");
        row("plan.tensor_parallel=1; workload.sequence_length=1023; plan.sequence_parallel=true", "");
    }
    void tensorAndContext() { verifyProblems(); }

    void headsOfATensorRank_data() {
        columns();
        row("plan.tensor_parallel=2", "");
        row("plan.tensor_parallel=4", "error /plan/tensor_parallel: Tensor 4 neither divides the 6 KV heads "
                                      "of Dense 1 nor is a multiple of them");
        row("plan.tensor_parallel=16",
            "error /plan/tensor_parallel: Tensor 16 does not divide the 24 attention heads of Dense 1\n"
            "warning /plan/tensor_parallel: Tensor 16 is wider than the NVLink domain of 8 GPUs: its traffic "
            "crosses the "
            "network");
        // A multiple of the KV heads: each is on two ranks. 4,096 = 12 x 341 + 4; 1,024 = 12 x 85 + 4.
        row("plan.tensor_parallel=12; plan.data_parallel=2; plan.sequence_parallel=false",
            "warning /plan/data_parallel: 8 GPUs are idle but billed\n"
            "error /plan/tensor_parallel: Tensor 12 does not divide the 4,096 columns of the MLP of Dense 1\n"
            "warning /plan/tensor_parallel: Tensor 12 is wider than the NVLink domain of 8 GPUs: its traffic "
            "crosses the "
            "network");
        // 16 experts over 2 NVLink domains: a token that reaches one domain finds 8 of the 12 that it needs.
        row("workload.model=experts; plan.expert_parallel=16; plan.node_limit=1",
            "error /plan/node_limit: A node limit of 1 leaves fewer experts than the 12 that each token "
            "uses");
        row("workload.model=experts; plan.expert_parallel=16; plan.node_limit=2", "");
        row("workload.model=experts; plan.expert_parallel=8; plan.node_limit=1", "");
    }
    void headsOfATensorRank() { verifyProblems(oddHeads()); }

    void stages_data() {
        columns();
        row("plan.pipeline_parallel=8", "");
        row("plan.pipeline_parallel=16",
            "error /plan/pipeline_parallel: 16 stages exceed the 8 layers of Dense 1");
        row("plan.pipeline_parallel=4; plan.virtual_pipeline=2", "");
        // 5 x 2 = 10 places for 8 layers, embedding and head.
        row("plan.pipeline_parallel=5; plan.virtual_pipeline=2; plan.data_parallel=4",
            "warning /plan/data_parallel: 12 GPUs are idle but billed");
        row("plan.pipeline_parallel=4; plan.virtual_pipeline=4",
            "error /plan/virtual_pipeline: 4 stages x 4 chunks exceed the 8 layers of Dense 1\n"
            "warning /plan/virtual_pipeline: 8 layers do not divide into 4 stages x 4 chunks: they are "
            "distributed "
            "unevenly, which Megatron-Core does with a pipeline layout");
        // 32 / 16 replicas = 2 micro-batches, 32 / 8 = 4.
        row("plan.pipeline_parallel=4; plan.virtual_pipeline=2; plan.micro_batch=2",
            "warning /plan/virtual_pipeline: 2 micro-batches are fewer than the 4 stages: Megatron-Core "
            "rejects this with "
            "virtual chunks; a flexible schedule as in the Llama 3 paper (section 3.3.2) allows it, with a "
            "larger bubble");
        row("plan.pipeline_parallel=4; plan.virtual_pipeline=2; plan.schedule=1f1b",
            "error /plan/virtual_pipeline: Virtual chunks need the interleaved schedule, not 1f1b");
        row("plan.virtual_pipeline=2",
            "error /plan/virtual_pipeline: Virtual chunks need a pipeline of at least two stages");
        row("plan.virtual_pipeline=3; plan.pipeline_parallel=2",
            "warning /plan/virtual_pipeline: 8 layers do not divide into 2 stages x 3 chunks: they are "
            "distributed "
            "unevenly, which Megatron-Core does with a pipeline layout");
        row("plan.pipeline_parallel=4; plan.pipeline_split=3,3,1,1", "");
        row("plan.pipeline_parallel=4; plan.pipeline_split=3,3,2",
            "error /plan/pipeline_split: The split needs 4 numbers that sum to the 8 layers of Dense 1");
        row("plan.pipeline_parallel=4; plan.pipeline_split=3,3,2,1",
            "error /plan/pipeline_split: The split needs 4 numbers that sum to the 8 layers of Dense 1");
        // 16 replicas: 2 micro-batches of one sequence, 4 of a batch of 64.
        row("plan.pipeline_parallel=2; plan.schedule=dualpipe",
            "error /plan/schedule: The dualpipe schedule needs at least 4 micro-batches (twice the stages), "
            "not 2");
        row("plan.pipeline_parallel=2; plan.schedule=dualpipe; workload.global_batch=64", "");
    }
    void stages() { verifyProblems(); }

    void experts_data() {
        columns();
        row("plan.expert_parallel=2; plan.expert_tensor_parallel=2",
            "error /plan/expert_parallel: Dense 1 has no experts; set it to 1\n"
            "error /plan/expert_tensor_parallel: Dense 1 has no experts; set it to 1");
        row("plan.expert_parallel=1; plan.expert_tensor_parallel=1", "");
        row("plan.capacity_factor=1.5; plan.expert_imbalance=1.2; plan.node_limit=2; "
            "plan.expert_exchange=fused; "
            "plan.dispatcher=nccl; plan.expert_kernels=loop; plan.overlap.expert=0.5",
            "warning /plan/overlap/expert: Dense 1 has no experts; leave this field out\n"
            "warning /plan/capacity_factor: Dense 1 has no experts: this field has no effect\n"
            "warning /plan/expert_imbalance: Dense 1 has no experts: this field has no effect\n"
            "warning /plan/node_limit: Dense 1 has no experts: this field has no effect\n"
            "warning /plan/expert_exchange: Dense 1 has no experts: this field has no effect\n"
            "warning /plan/dispatcher: Dense 1 has no experts: this field has no effect\n"
            "warning /plan/expert_kernels: Dense 1 has no experts: this field has no effect");
        row("workload.model=experts; plan.expert_parallel=16", "");
        row("workload.model=experts; plan.expert_parallel=3",
            "error /plan/expert_parallel: Expert 3 does not divide the 16 routed experts of Experts 1\n"
            "error /plan/expert_parallel: Expert 3 does not divide the 32 GPUs of a pipeline stage (tensor x "
            "context x "
            "data)");
        row("workload.model=experts; plan.expert_parallel=16; plan.expert_tensor_parallel=4",
            "error /plan/expert_parallel: Expert 16 x expert tensor 4 does not divide the 32 GPUs of a "
            "pipeline stage "
            "(tensor x context x data)");
        row("workload.model=experts; plan.expert_parallel=16; plan.expert_tensor_parallel=2", "");
        row("workload.model=experts; plan.expert_tensor_parallel=3",
            "error /plan/expert_tensor_parallel: Expert tensor 3 does not divide the 2,048 columns of an "
            "expert\n"
            "error /plan/expert_parallel: Expert 1 x expert tensor 3 does not divide the 32 GPUs of a "
            "pipeline stage "
            "(tensor x context x data)");
        row("workload.model=experts; plan.tensor_parallel=2; plan.sequence_parallel=false",
            "error /plan/sequence_parallel: Experts with tensor parallelism need sequence parallelism (a "
            "rank routes its "
            "own tokens); set sequence parallel to true");
        row("workload.model=experts; plan.tensor_parallel=2", "");
        row("workload.model=experts; plan.recompute=mla_up_proj, shared_experts",
            "warning /plan/recompute: Experts 1 has no shared experts: recomputing it saves nothing\n"
            "warning /plan/recompute: Experts 1 has no latent attention: recomputing it saves nothing");
        row("plan.recompute=moe, norms",
            "warning /plan/recompute: Dense 1 has no experts: recomputing it saves nothing");
        row("plan.recompute=glu", "");
    }
    void experts() { verifyProblems(); }

    void software_data() {
        columns();
        row("plan.precision=fp8; plan.fp8_recipe=current", "");
        row("plan.precision=fp8; plan.fp8_recipe=row",
            "warning /plan/fp8_recipe: Megatron-Core has no row-wise scaling (a recipe of torchao); "
            "calculated with "
            "current scaling");
        row("plan.precision=fp8; plan.fp8_recipe=row; plan.framework=torchtitan", "");
        row("plan.fp8_recipe=block", "warning /plan/fp8_recipe: A recipe applies only to FP8; leave it out");
        row("plan.precision=mxfp8", "error /plan/precision: GPU hopper has no MXFP8 matrix units");
        row("plan.precision=nvfp4", "error /plan/precision: GPU hopper has no NVFP4 matrix units");
        row("plan.shard_size=8", "warning /plan/shard_size: A shard size applies only to hsdp; leave it out");
        row("plan.sharding=hsdp; plan.shard_size=5",
            "error /plan/shard_size: A sharding group of 5 does not divide the 32 ranks of data x context");
        row("plan.sharding=hsdp; plan.shard_size=16", "");
        row("plan.framework=Megatron Core",
            "info /plan/framework: 'Megatron Core' is interpreted as Megatron-Core (megatron-core)");
        row("plan.framework=plain",
            "warning /plan/framework: Plain has no calibrated constants; the constants of software "
            "in general are used, with a wider band");
        row("plan.framework=in-house-zzz", "warning /plan/framework: 'in-house-zzz' is not in the catalog "
                                           "and gets the defaults of Megatron-Core; the "
                                           "constants of software in general are used, with a wider band");
        row("run.checkpoint_mode=checkpointless", "");
        row("run.checkpoint_mode=checkpointless; plan.tensor_parallel=8; plan.pipeline_parallel=4",
            "error /run/checkpoint_mode: Checkpointless recovery needs the training state twice: 1 ranks of "
            "data x context "
            "cannot hold two copies; use an even number of them, or other checkpoints");
        row("run.checkpoint_mode=checkpointless; plan.data_parallel=3; workload.global_batch=33",
            "warning /plan/data_parallel: 29 GPUs are idle but billed\n"
            "error /run/checkpoint_mode: Checkpointless recovery needs the training state twice: 3 ranks of "
            "data x context "
            "cannot hold two copies; use an even number of them, or other checkpoints");
        row("run.checkpoint_mode=checkpointless; plan.data_parallel=3; workload.global_batch=33; "
            "plan.sharding=none",
            "warning /plan/data_parallel: 29 GPUs are idle but billed");
        row("workload.finetune.rank=8",
            "warning /workload/finetune/kind: Rank and targets apply only to lora and qlora; "
            "leave them out");
        row("workload.finetune.kind=lora; workload.finetune.rank=8", "");
        row("workload.finetune.kind=lora; workload.finetune.targets=q_proj, head",
            "error /workload/finetune/targets: 'head' is not a projection that accepts an adapter; use "
            "attention, mlp, or "
            "names such as linear_qkv, linear_proj, linear_fc1, linear_fc2, q_proj, down_proj");
        row("workload.finetune.kind=lora; workload.model=experts", "");
        row("workload.finetune.kind=lora; workload.model=experts; workload.finetune.targets=attention", "");
        row("workload.finetune.packed=true", "warning /workload/finetune/example_tokens: Packing needs the "
                                             "mean length of an example; set it, or leave "
                                             "packing out");
        row("workload.finetune.packed=true; workload.finetune.example_tokens=500", "");
    }
    void software() { verifyProblems(); }

    void machinesWithoutALink_data() {
        columns();
        row("cluster.instance=t1; cluster.instances=1; plan.offload.optimizer=0.5",
            "error /plan/offload: The catalog has no host link for GPU turing; turn offloading off\n"
            "warning /cluster/purchase: No price is known for t1; set purchase to custom and set "
            "dollars_per_instance_hour");
        row("cluster.instance=t1; cluster.instances=1; plan.precision=bf16; "
            "cluster.dollars_per_instance_hour=1",
            "error /plan/precision: GPU turing has no BF16 matrix units");
        row("cluster.instance=t1; cluster.instances=1; cluster.dollars_per_instance_hour=1", "");
        row("cluster.ultraserver=rack; cluster.ultraservers=2; plan.precision=mxfp8",
            "info /cluster/purchase: No On-Demand price is known for rack; the Capacity Block price in "
            "us-east-1 is used");
    }
    void machinesWithoutALink() { verifyProblems(); }

    void whatMeansNothing_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<QByteArray>("why");
        row("workload.model=", "/workload/model: no model is set; choose one from the catalog, for example "
                               "\"llama-3.1-405b\"");
        row("workload.model=denze",
            "/workload/model: there is no model 'denze' in the catalog; the nearest is 'dense'");
        row("workload.model=quite-another",
            "/workload/model: there is no model 'quite-another' in the catalog");
        row("workload.global_batch=",
            "/workload/global_batch: the global batch is missing; set the sequences per step, "
            "for example 2048");
        row("plan.framework=torchtitan2",
            "/plan/framework: no framework 'torchtitan2' in the catalog; did you mean 'torchtitan'?");
        row("cluster.instance=",
            "/cluster: no machine is set; set an instance, an ultraserver or a custom machine");
        row("cluster.instance=h88",
            "/cluster/instance: there is no instance 'h88' in the catalog; the nearest is 'h8'");
        row("cluster.instance=; cluster.ultraserver=wreck",
            "/cluster/ultraserver: there is no UltraServer 'wreck' in the catalog; the nearest is 'rack'");
        row("cluster.instance=; cluster.custom.gpu=hoper",
            "/cluster/custom/gpu: there is no GPU 'hoper' in the catalog; the nearest is 'hopper'");
        row("cluster.topology=site",
            "/cluster/topology: no topology 'site' has been imported; import it, or leave the field out");
    }
    void whatMeansNothing() {
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, why);
        QCOMPARE(refusalOf(edited(smallTraining(), editOf(edit.constData()))), why);
    }
};

QTEST_APPLESS_MAIN(TestResolveTraining)

} // namespace tst_resolve_training

#include "tst_resolve_training.moc"
