// SPDX-License-Identifier: GPL-3.0-or-later
// What resolving a training scenario fills in: fields, inputs and where they come from. The sizes are those
// of resolving_catalog.h; how each number follows is said beside it.
#include "tests/model/resolving_catalog.h"

#include <QTest>

namespace tst_resolve_inputs {

using namespace alidade;
using namespace alidade::test;

namespace {

void columns() {
    QTest::addColumn<QByteArray>("edit");
    QTest::addColumn<QByteArray>("expected");
}

void row(const char* edit, const char* expected) {
    QTest::newRow(edit) << QByteArray(edit) << QByteArray(expected);
}

void verify(const Catalog& catalog = sharedCatalog()) {
    QFETCH(QByteArray, edit);
    QFETCH(QByteArray, expected);
    const Scenario scenario = resolved(edited(smallTraining(), editOf(edit.constData())), catalog);
    const QByteArray wrong = differences(scenario, expected.constData());
    QVERIFY2(wrong.isEmpty(), wrong.constData());
}

Parameter constant(const char* name, const char* gpu, const char* precision, const char* stack,
                   double value) {
    Parameter out;
    out.name = name;
    out.gpu = gpu;
    out.precision = precision;
    out.stack = stack;
    out.value = value;
    out.source = std::string("row ") + QByteArray::number(value).toStdString();
    return out;
}

} // namespace

class TestResolveInputs : public QObject {
    Q_OBJECT

private slots:
    void defaults_data() {
        columns();
        row("",
            "name=Dense 1 on 4 x h8; plan.framework=megatron-core; plan.sharding=zero1; "
            "plan.data_parallel=32; "
            "plan.tensor_parallel=1; plan.sequence_parallel=false; plan.schedule=1f1b; plan.micro_batch=1; "
            "plan.optimizer=adam; plan.precision=bf16; plan.recompute=none; cluster.gpus=32; "
            "cluster.placement=packed; cluster.rank_order=tp-cp-ep-dp-pp; cluster.region=us-east-2; "
            "cluster.purchase=on_demand; run.checkpoint_mode=async; run.storage=fsx-lustre-persistent2-1000; "
            "workload.finetune.kind=full; workload.sequence_length=1024; plan.context_parallel_kind=; "
            "plan.pipeline_split=; plan.expert_exchange=; plan.dispatcher=");
        row("workload.sequence_length=", "workload.sequence_length=8192; sequence_length=8192; "
                                         "sequence_length~assumed: default: 8,192, or the model's context");
        row("plan.tensor_parallel=2; plan.context_parallel=2",
            "plan.sequence_parallel=true; plan.data_parallel=8; plan.context_parallel_kind=ring; "
            "tensor_parallel=2; "
            "context_parallel=2; data_parallel=8; gpus=32; shard_ranks=16; "
            "tensor_parallel~user: scenario; pipeline_parallel~assumed: default of Megatron-Core; "
            "data_parallel~derived: GPUs / (tensor x context x pipeline)");
        row("plan.data_parallel=16",
            "gpus=16; cluster.gpus=16; data_parallel~derived: scenario; paid_items=4");
        row("plan.data_parallel=64", "gpus=32; cluster.gpus=32; data_parallel=64");
        row("plan.virtual_pipeline=2; plan.pipeline_parallel=4",
            "plan.schedule=interleaved; plan.pipeline_split=2, 2, 2, 2");
        row("plan.pipeline_parallel=5; plan.virtual_pipeline=2; plan.data_parallel=4",
            "plan.pipeline_split=1, 2, 2, 2, 1"); // of 10 places the first and the last one hold no layer
        // Boundaries at 0, 2.67, 5.33 and 8 layers are rounded.
        row("plan.pipeline_parallel=3; plan.data_parallel=10", "plan.pipeline_split=3, 2, 3");
        row("plan.pipeline_parallel=4; plan.pipeline_split=3,3,1,1", "plan.pipeline_split=3, 3, 1, 1");
        row("plan.framework=torchtitan", "plan.sharding=zero1; overlap_gradient=0; "
                                         "overlap_gradient~assumed: TorchTitan 1.2");
        row("plan.framework=in-house-zzz", "overlap_gradient=0.5; overlap_gradient~fitted: in-house-zzz; "
                                           "tensor_parallel~assumed: default of in-house-zzz");
        row("", "overlap_gradient=0.5; overlap_gradient~fitted: Megatron-Core 1.2; overlap_tensor=0; "
                "overlap_tensor~assumed: Megatron-Core 1.2; overlap_expert~unused; planned_goodput~unused");
        row("plan.overlap.tensor=0.25; plan.goodput=0.9; plan.offload.optimizer=0.5",
            "overlap_tensor=0.25; overlap_tensor~user: scenario; planned_goodput=0.9; offload_optimizer=0.5; "
            "offload_optimizer~user: scenario; offload_activations=0; "
            "offload_activations~assumed: default of Megatron-Core");
    }
    void defaults() { verify(); }

    void machine_data() {
        columns();
        row("", "gpus=32; paid_items=4; capacity_bytes=80e9; nvlink_bandwidth=450e9; network_bandwidth=50e9; "
                "peak=1e15; "
                "bf16_peak=1e15; hbm_bandwidth=3e12; nominal_memory_bytes=80e9; host_bandwidth=64e9; "
                "gpu_power=700; "
                "gpus_per_node=8; device_memory_bytes=0; price=40");
        row("", "network_bandwidth~catalog: h8, EFA / GPUs: sheet (2026-01); "
                "nvlink_bandwidth~catalog: hopper: sheet (2026-01); "
                "capacity_bytes~catalog: h8, accelerator memory / accelerators: sheet (2026-01); "
                "peak~catalog: hopper: sheet (2026-01); gpu_power~catalog: hopper: sheet (2026-01); "
                "paid_items~user: scenario; price~catalog: h8, On-Demand in us-east-2, 2026-11-20: sheet "
                "(2026-01)");
        row("plan.precision=fp8", "peak=2e15; bf16_peak=1e15");
        // The host's PCIe 3.0 halves the 32 GB/s of generation 4; without peers 40 % of it.
        row("cluster.instance=a4; cluster.instances=1; workload.global_batch=4",
            "nvlink_bandwidth=6.4e9; network_bandwidth=0; gpus=4; "
            "nvlink_bandwidth~assumed: estimate: PCIe through host memory, 40 % of x16 of generation 3");
        row("cluster.instance=t1; cluster.instances=1", "plan.precision=fp16; peak=60e12; bf16_peak=60e12; "
                                                        "nvlink_bandwidth=0; host_bandwidth=0");
        row("cluster.ultraserver=rack; cluster.ultraservers=2",
            "gpus=32; paid_items=2; network_bandwidth=50e9; nvlink_bandwidth=900e9; capacity_bytes=190e9; "
            "host_bandwidth=225e9; gpus_per_node=4; cluster.ultraservers=2; cluster.instances=; price=200; "
            "name=Dense 1 on 2 x rack");
        row("cluster.instance=; cluster.custom.gpu=hopper; cluster.instances=4",
            "gpus=32; capacity_bytes=80e9; nvlink_bandwidth=450e9; network_bandwidth=0; "
            "cluster.custom.gpus_per_node=8; "
            "cluster.custom.nvlink_domain=8; cluster.custom.network=infiniband; name=Dense 1 on 4 x custom "
            "GPU hopper; "
            "capacity_bytes~user: sheet (2026-01); nvlink_bandwidth~user: hopper: sheet (2026-01)");
        row("cluster.instance=; cluster.custom.gpu=hopper; cluster.instances=8; "
            "cluster.custom.gpus_per_node=4; "
            "cluster.custom.network_bytes_per_s_per_gpu_per_direction=25e9 B/s; "
            "cluster.custom.nvlink_bytes_per_s_per_gpu_per_direction=200e9 B/s; "
            "cluster.custom.memory_bytes_per_gpu=64e9 B; cluster.custom.network=efa3",
            "gpus=32; capacity_bytes=64e9; nvlink_bandwidth=200e9; network_bandwidth=25e9; "
            "cluster.custom.nvlink_domain=4; capacity_bytes~user: scenario; nvlink_bandwidth~user: scenario; "
            "network_bandwidth~user: scenario");
    }
    void machine() { verify(); }

    void architecture_data() {
        columns();
        row("", "layers=8; hidden_size=1024; attention_heads=16; kv_heads=4; head_dim=64; "
                "ffn_intermediate_size=4096; "
                "ffn_matrices=3; vocab_size=32000; final_norm_parameters=1024; learned_positions=0; "
                "layers~catalog: sheet (2026-01); routed_experts~unused; mtp_layers~unused");
        row("workload.model=experts",
            "routed_experts=16; experts_per_token=2; expert_intermediate_size=2048; "
            "expert_hidden_size=1024; shared_expert_intermediate_size=0");
        // Embedding and head 2 x 32,000 x 1,024; a layer 2 x 1,024 x 1,024 of queries and output, 2 x 1,024 x
        // 256 of keys and values, 3 x 1,024 x 4,096 of the MLP and 2 norms of 1,024; a last norm.
        row("", "model_parameters=187188224; model_parameters~derived: architecture");
    }
    void architecture() { verify(); }

    void rareParts() {
        Catalog catalog = resolvingCatalog();
        Architecture& m = catalog.models[0];
        m.mla = MlaShape{
            .qLoraRank = 96, .kvLoraRank = 128, .qkNopeHeadDim = 48, .qkRopeHeadDim = 16, .vHeadDim = 40};
        m.mamba2 = Mamba2Shape{.heads = 6, .headDim = 32, .groups = 3, .state = 20};
        m.gatedDeltaNet =
            GatedDeltaNetShape{.keyHeads = 3, .keyHeadDim = 24, .valueHeads = 5, .valueHeadDim = 28};
        m.mtpLayers = 1;
        m.normHasBias = true;
        m.ffnGated = false;
        m.qkNorm = QkNorm::perHead;
        m.attentionSinks = true;
        m.attentionOutputGate = m.tieEmbeddings = true;
        m.normsPerLayer = 4;
        m.notModeled = {"vision"};
        catalog.models[1].moe->latentSize = 256;
        catalog.models[1].moe->expertBias = true;
        catalog.models[1].attentionSinks = true;
        catalog.models[1].headDim = 65;
        const Scenario all = resolved(smallTraining(), catalog);
        QCOMPARE(differences(
                     all,
                     "mla_query_rank=96; mla_kv_rank=128; mla_nope_dim=48; mla_rope_dim=16; "
                     "value_head_dim=40; mamba_inner_size=192; mamba_state_width=120; mamba_heads=6; "
                     "mamba_state_size=20; delta_key_width=72; delta_value_width=140; delta_value_heads=5; "
                     "mtp_layers=1; final_norm_parameters=2048; ffn_matrices=2"),
                 QByteArray());
        QCOMPARE(problemsOf(all), QByteArray("warning /workload/model: Dense 1, not modeled: vision"));
        QVERIFY(all.plan.latentAttention && all.plan.queryCompressed && all.plan.headNorms);
        QVERIFY(all.plan.unfusedAttention && all.plan.attentionGate && all.plan.tiedEmbeddings);
        QVERIFY(!all.plan.gatedFfn && !all.plan.unfusedProduct && !all.plan.latentExperts);
        QCOMPARE(all.plan.norms, 4);
        const Scenario experts = resolved(edited(smallTraining(), {{"workload.model", "experts"}}), catalog);
        QVERIFY(experts.plan.latentExperts && experts.plan.unfusedProduct && !experts.plan.unfusedAttention);
        QVERIFY(!experts.plan.headNorms && !experts.plan.latentAttention && experts.plan.gatedFfn);
        QCOMPARE(differences(experts, "expert_hidden_size=256"), QByteArray());
        catalog.models[0].mla->qLoraRank = 0;
        catalog.models[0].attentionSinks = false;
        const Scenario plain = resolved(smallTraining(), catalog);
        QVERIFY(plain.plan.latentAttention && !plain.plan.queryCompressed && !plain.plan.unfusedAttention);
        catalog.models[0].layers = 0;
        QCOMPARE(refusalOf(smallTraining(), catalog),
                 QByteArray(
                     "/workload/model: an architecture needs layers, hidden_size and vocab_size above zero"));
    }

    void ofItsOwn() {
        ScenarioSpec spec = smallTraining();
        spec.workload.architecture = sharedCatalog().models[0];
        spec.workload.architecture->name.clear();
        spec.workload.architecture->maxContextTokens = 2000;
        spec.workload.sequenceLength.reset();
        QCOMPARE(differences(resolved(spec), "layers~user: sheet (2026-01); sequence_length=2000; "
                                             "name=dense on 4 x h8"),
                 QByteArray());
        spec.workload.architecture->maxContextTokens = 0;
        QCOMPARE(differences(resolved(spec), "sequence_length=8192"), QByteArray());
        spec.workload.sequenceLength = 100'000;
        QCOMPARE(problemsOf(resolved(spec)), QByteArray()); // no context is known
    }

    void examples_data() {
        columns();
        row("workload.tokens=1e9", "tokens=1e9; tokens~user: scenario; dataset_tokens=1e9");
        row("", "tokens=0; dataset_tokens=0");
        row("workload.finetune.examples=1000",
            "workload.finetune.epochs=1; tokens=1024000; dataset_tokens=1024000; "
            "tokens~derived: examples x epochs x their tokens");
        row("workload.finetune.examples=1000; workload.finetune.epochs=3; workload.finetune.method=dpo",
            "tokens=6144000; global_batch=64; dataset_tokens=2048000; "
            "global_batch~user: scenario: chosen and rejected answer of each pair");
        row("workload.finetune.examples=1000; workload.finetune.epochs=0.5",
            "tokens=512000; dataset_tokens=512000"); // half an epoch reads no more than the run has
        row("workload.finetune.examples=1000; workload.finetune.example_tokens=500; "
            "workload.finetune.example_tokens_cv=0",
            "workload.finetune.packed=true; tokens=500000; attended_tokens=500; sequence_length=1024; "
            "attended_tokens~derived: packed examples, E[l^2] / E[l]");
        // A log-normal distribution far below its cut: E[l^2] / E[l] = mean (1 + CV^2).
        row("workload.finetune.example_tokens=10; workload.finetune.example_tokens_cv=0.5; "
            "workload.sequence_length=8192",
            "attended_tokens=12.5");
        row("workload.finetune.example_tokens=10", "workload.finetune.example_tokens_cv=0.6; "
                                                   "attended_tokens~derived: packed examples, E[l^2] / E[l], "
                                                   "the CV of their lengths is an estimate");
        row("workload.finetune.examples=10; workload.finetune.example_tokens=99.5; "
            "workload.finetune.example_tokens_cv=0; workload.finetune.packed=false",
            "sequence_length=100; tokens=1000; attended_tokens=0; "
            "sequence_length~derived: padded to the longest of a micro-batch");
        row("workload.finetune.kind=lora",
            "lora_rank=16; lora_rank~assumed: default: 16; workload.finetune.rank=16; "
            "frozen_weight_bytes=0");
        row("workload.finetune.kind=qlora; workload.finetune.rank=8",
            "lora_rank=8; lora_rank~user: scenario; frozen_weight_bytes=0.515875");
    }
    void examples() {
        QFETCH(QByteArray, expected);
        if (expected.contains("E[l], the")) // the separator of the table is a character of this text
            return verifyEstimatedSpread();
        verify();
    }

    void experts_data() {
        columns();
        row("workload.model=experts",
            "plan.expert_exchange=fused; plan.dispatcher=deepep; plan.expert_kernels=grouped; "
            "expert_parallel=1; "
            "expert_data_parallel=32; expert_imbalance=1; expert_capacity=1; "
            "expert_capacity~assumed: dropless: every routed token; "
            "expert_imbalance~derived: random routing: expected maximum over the ranks; overlap_expert=0");
        row("workload.model=experts; plan.expert_parallel=16; plan.expert_tensor_parallel=2",
            "expert_data_parallel=1; expert_shard_ranks=1; elastic_replicas=1");
        row("workload.model=experts; plan.expert_parallel=4", "expert_data_parallel=8; expert_shard_ranks=8; "
                                                              "elastic_replicas=8");
        row("workload.model=experts; plan.expert_parallel=4; plan.tensor_parallel=2; plan.context_parallel=2",
            "elastic_replicas=8; expert_data_parallel=8"); // 4 ranks of a replica hold all experts
        row("workload.model=experts; plan.expert_parallel=4; plan.sharding=hsdp; plan.shard_size=4",
            "shard_ranks=4; expert_shard_ranks=4");
        row("workload.model=experts; plan.capacity_factor=1.5",
            "expert_capacity=1.5; expert_capacity~user: scenario: capacity factor, dropped or padded; "
            "expert_imbalance=1");
        row("workload.model=experts; plan.expert_parallel=4; plan.capacity_factor=1.5", "expert_imbalance=1");
        row("workload.model=experts; plan.expert_parallel=4; plan.expert_imbalance=1.3",
            "expert_imbalance=1.3; expert_imbalance~user: scenario");
        row("workload.model=experts; plan.expert_exchange=all_to_all", "plan.dispatcher=nccl");
        row("workload.model=experts; plan.dispatcher=nccl", "plan.expert_exchange=all_to_all");
        row("workload.model=experts; plan.dispatcher=hybridep", "plan.expert_exchange=fused");
        row("workload.model=experts; plan.framework=torchtitan; plan.expert_exchange=fused",
            "plan.dispatcher=");
        // PyTorch's grouped product needs Hopper: Ampere loops, other frameworks have kernels of their own.
        row("workload.model=experts; plan.framework=torchtitan", "plan.expert_kernels=grouped");
        row("workload.model=experts; plan.framework=torchtitan; cluster.instance=a4; cluster.instances=1",
            "plan.expert_kernels=loop");
        row("workload.model=experts; cluster.instance=a4; cluster.instances=1",
            "plan.expert_kernels=grouped");
    }
    void experts() { verify(); }

    void sharding_data() {
        columns();
        row("plan.sharding=none", "shard_ranks=32; weight_copies=32; state_copies=32");
        row("plan.sharding=zero1", "shard_ranks=32; weight_copies=32; state_copies=1; elastic_replicas=32");
        row("plan.sharding=zero3", "weight_copies=1; state_copies=1");
        row("plan.sharding=hsdp", "plan.shard_size=8; shard_ranks=8; weight_copies=4; state_copies=4");
        row("plan.sharding=hsdp; plan.shard_size=64", "plan.shard_size=32; shard_ranks=32; weight_copies=1");
        row("plan.tensor_parallel=4; plan.sharding=hsdp; plan.shard_size=2",
            "shard_ranks=2; weight_copies=4; elastic_replicas=8");
        row("plan.sharding=zero3; run.checkpoint_mode=checkpointless",
            "shard_ranks=16; weight_copies=2; state_copies=2");
        row("plan.sharding=none; run.checkpoint_mode=checkpointless", "shard_ranks=32");
        row("plan.sharding=hsdp; run.checkpoint_mode=checkpointless", "shard_ranks=8");
    }
    void sharding() { verify(); }

    void optimizers_data() {
        columns();
        // The profile has 12 and 30 bytes with two FP32 moments; each byte less is read and written less.
        row("",
            "optimizer_bytes=12; optimizer_traffic=30; optimizer_bytes~assumed: usual; optimizer_flops=1");
        row("plan.optimizer=adam_bf16_moments",
            "optimizer_bytes=8; optimizer_traffic=22; optimizer_flops=1; "
            "optimizer_bytes~derived: optimizer adam_bf16_moments, against FP32 Adam");
        row("plan.optimizer=adam_8bit", "optimizer_bytes=6; optimizer_traffic=18");
        row("plan.optimizer=muon",
            "optimizer_bytes=8; optimizer_traffic=22; optimizer_flops=30720"); // 30 x 1,024
        row("plan.master_weights=false", "weight_bytes=2; gradient_bytes=2; gradient_reduce_bytes=2; "
                                         "optimizer_bytes=4; optimizer_traffic=14");
        row("plan.master_weights=false; plan.optimizer=adam_8bit", "optimizer_bytes=2; optimizer_traffic=10");
        row("plan.master_weights=true", "optimizer_bytes=12; optimizer_traffic=30");
    }
    void optimizers() { verify(); }

    void run_data() {
        columns();
        // 8 drives of 1 GB/s; 2,000,000 reads of 4,096 bytes; a client is limited by the file system, not by
        // 8 x 50 GB/s.
        row("", "nvme_write_rate=8e9; nvme_read_rate=8.192e9; nvme_capacity=30e12; storage_client_rate=80e9; "
                "storage_rate_per_byte=0.00090949470177292824; storage_least_bytes=5153960755200; "
                "storage_step_bytes=5153960755200; storage_price=0.6; object_requests=5500; "
                "object_store_rate=12e9; "
                "storage_bytes=0; storage_requests=0; repair_time=86400; bytes_per_token=4; spares=0");
        row("", "nvme_write_rate~derived: h8: drives x rate of a drive; "
                "nvme_read_rate~catalog: h8: 4 KiB operations, sheet (2026-01); "
                "storage_client_rate~catalog: fsx-lustre-persistent2-1000: sheet (2026-01); "
                "repair_time~assumed: assumed: a node is back after a day; spares~unused; "
                "bytes_per_token~assumed: assumed: token ids of 32 bits");
        // Without EFA a client has the 1 GB/s of the profile, which is less than what the file system allows.
        row("cluster.instance=t1; cluster.instances=1",
            "storage_client_rate=1e9; storage_client_rate~assumed: usual; storage_least_bytes=1288490188800; "
            "storage_step_bytes=2576980377600; nvme_read_rate=0; nvme_capacity=0");
        row("run.storage=s3-standard",
            "storage_client_rate=12e9; storage_requests=5500; storage_rate_per_byte=0");
        row("run.spares=2",
            "spares=2; paid_items=6; paid_items~user: scenario: instances and spare instances");
        row("run.elastic=true", "spares=0; spares~assumed: none; paid_items=4");
        row("cluster.ultraserver=rack; cluster.ultraservers=2; cluster.gpus=28; run.spares=1; "
            "workload.global_batch=28",
            "spares=1; paid_items=2");
        row("run.repair_s=3600; run.bytes_per_token=2; run.dataset_tokens=1e8; workload.tokens=1e9",
            "repair_time=3600; bytes_per_token=2; dataset_tokens=1e8; repair_time~user: scenario; "
            "dataset_tokens~user: scenario");
        row("run.checkpoint_interval_s=600; run.checkpoint_mode=sync", "planned_checkpoint_interval=600");
        row("run.checkpoint_interval_s=600", "planned_checkpoint_interval=600");
        row("run.storage_bytes=9600 GiB", "storage_bytes=10307921510400");
    }
    void run() { verify(); }

    void runProblems_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<QByteArray>("problems");
        const auto row = [](const char* edit, const char* problems) {
            QTest::newRow(edit) << QByteArray(edit) << QByteArray(problems);
        };
        row("run.checkpoint_interval_s=600; run.checkpoint_mode=peer",
            "warning /run/checkpoint_interval_s: The state is saved in every step in this mode; leave the "
            "interval out");
        row("run.start=2027-01-04; run.deadline=2027-01-04",
            "warning /run/deadline: The deadline is not after the start of the run");
        row("run.start=2027-01-04; run.deadline=2027-01-05", "");
        row("run.storage=fsx-lustre", "error /run/storage: 'fsx-lustre' is not in the catalog; use an FSx "
                                      "for Lustre file system or S3, such as "
                                      "fsx-lustre-persistent2-1000");
        row("run.storage=h8-drives",
            "error /run/storage: 'h8-drives' is not shared by the nodes; use an FSx for Lustre "
            "file system or S3");
        row("run.storage_bytes=4800 GiB", "");
        row("run.storage_bytes=1 TiB",
            "warning /run/storage_bytes: The file system is rounded up to 4,800 GiB: the "
            "smallest that is sold with EFA");
        row("run.storage_bytes=5000 GiB",
            "warning /run/storage_bytes: The file system is rounded up to 9,600 GiB: it is "
            "sold in steps of 4,800 GiB with EFA");
        row("run.storage=s3-standard; run.linked_repository=true",
            "warning /run/linked_repository: The data is read from S3 itself; a linked bucket adds nothing");
        row("run.linked_repository=true", "");
        row("run.nvme_cache=true", "");
        row("run.nvme_cache=true; workload.tokens=1e9",
            "warning /run/nvme_cache: The run reads its data once; a cache pays from the second pass on "
            "(run.dataset_tokens)");
        row("run.nvme_cache=true; workload.tokens=1e9; run.dataset_tokens=5e8", "");
        row("run.nvme_cache=true; workload.tokens=1e9; run.dataset_tokens=2e9",
            "warning /run/nvme_cache: The run reads its data once; a cache pays from the second pass on "
            "(run.dataset_tokens)");
        row("run.nvme_cache=true; cluster.instance=h1; cluster.instances=1",
            "warning /run/nvme_cache: The catalog has no local drives for this machine; nothing is cached");
        row("cluster.ultraserver=rack; cluster.ultraservers=2; cluster.gpus=28; run.spares=2; "
            "workload.global_batch=28; "
            "cluster.purchase=capacity_block",
            "warning /run/spares: The plan leaves 1 instances of the UltraServers free; set cluster.gpus "
            "lower, or rent "
            "another UltraServer");
        row("cluster.ultraserver=rack; cluster.ultraservers=2; cluster.gpus=28; run.spares=1; "
            "workload.global_batch=28; "
            "cluster.purchase=capacity_block",
            "");
        row("order.transfer_out_bytes=1 TB", "");
        row("order.currency=EUR", "warning /order/exchange_rate: Amounts are not converted to EUR: set "
                                  "order.exchange_rate (EUR for one US dollar) and order.exchange_date");
        row("order.currency=EUR; order.exchange_rate=0.9",
            "warning /order/exchange_date: Amounts are not converted to EUR: set order.exchange_rate (EUR "
            "for one US "
            "dollar) and order.exchange_date");
        row("order.currency=EUR; order.exchange_rate=0.9; order.exchange_date=2026-11-20", "");
        row("order.currency=USD", "");
        row("order.exchange_rate=0.9",
            "warning /order/currency: The exchange rate has no currency; set order.currency");
        row("order.exchange_date=2026-11-20",
            "warning /order/currency: The exchange rate has no currency; set order.currency");
    }
    void runProblems() {
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, problems);
        QCOMPARE(problemsOf(resolved(edited(smallTraining(), editOf(edit.constData())))), problems);
    }

    void choicesOfTheRun() {
        const Scenario plain = resolved(smallTraining());
        QVERIFY(plain.run.shuffle && !plain.run.linkedRepository && !plain.run.nvmeCache &&
                !plain.run.standby);
        QVERIFY(!plain.run.countsSpares && !plain.run.elastic && plain.transfer.empty());
        QVERIFY(plain.run.mode == CheckpointMode::async && plain.run.restartRead == RestartRead::oneReplica);
        QVERIFY(!plain.hasTokens && !plain.hasGoodput && plain.hasPrice);
        const Scenario other = resolved(
            edited(smallTraining(),
                   editOf("run.shuffle=false; run.linked_repository=true; run.standby=true; run.spares=0; "
                          "run.restart_read=all; run.checkpoint_mode=peer; workload.tokens=1e9; "
                          "plan.goodput=0.9; order.transfer_out_bytes=1 TB")));
        QVERIFY(!other.run.shuffle && other.run.linkedRepository && other.run.standby &&
                other.run.countsSpares);
        QVERIFY(other.run.mode == CheckpointMode::peer && other.run.restartRead == RestartRead::all);
        QVERIFY(other.hasTokens && other.hasGoodput);
        QCOMPARE(other.transfer.size(), std::size_t{2});
        QVERIFY(
            !resolved(edited(smallTraining(), editOf("run.storage=s3-standard; run.linked_repository=true")))
                 .run.linkedRepository);
        QVERIFY(resolved(edited(smallTraining(), editOf("run.elastic=true"))).run.countsSpares);
        Catalog catalog = resolvingCatalog();
        catalog.transfer.tiers.clear();
        catalog.storage.clear();
        const Scenario bare =
            resolved(edited(smallTraining(), editOf("order.transfer_out_bytes=1 TB")), catalog);
        QCOMPARE(problemsOf(bare),
                 QByteArray("warning /order/transfer_out_bytes: The catalog has no price of data transfer"));
        QCOMPARE(differences(bare, "run.storage=; storage_client_rate=12.5e9; object_store_rate=12.5e9; "
                                   "storage_client_rate~assumed: assumed: 100 Gbit/s per node; "
                                   "object_store_rate~assumed: assumed: 100 Gbit/s per node"),
                 QByteArray());
    }

    /// The id of the GPU before its architecture before any; then the software; then the format.
    void constantsAreTheClosestOnes_data() {
        columns();
        row("", "gemm_compute_efficiency=0.11; head_gemm_efficiency=0.11");
        row("plan.precision=fp8", "gemm_compute_efficiency=0.12; head_gemm_efficiency=0.11");
        row("plan.precision=fp8; plan.fp8_recipe=current",
            "gemm_compute_efficiency=0.13; head_gemm_efficiency=0.11");
        row("plan.precision=fp8; plan.fp8_recipe=block", "gemm_compute_efficiency=0.12");
        row("plan.framework=torchtitan",
            "gemm_compute_efficiency=0.14; gemm_compute_efficiency~assumed: row 0.14");
        row("cluster.ultraserver=rack; cluster.ultraservers=2",
            "gemm_compute_efficiency=0.5; attention_efficiency=0.5");
        row("", "network_latency=2e-5; pue=1.1"); // of EFA v2 and of us-east-2
        row("cluster.region=us-west-2", "pue=1.2");
        row("cluster.ultraserver=rack; cluster.ultraservers=2", "network_latency=4e-5; pue=1");
        // What a plan chooses decides before the software that runs it.
        row("plan.attention_kernel=fa2", "attention_efficiency=0.21");
        row("plan.attention_kernel=sdpa", "attention_efficiency=0.21");
        row("plan.attention_kernel=fa3", "attention_efficiency=0.22");
        row("plan.attention_kernel=fa3; cluster.ultraserver=rack; cluster.ultraservers=2",
            "attention_efficiency=0.5");
        row("", "host_graph_share=1; host_graph_share~derived: CUDA graphs are off");
        row("plan.cuda_graphs=true", "host_graph_share=0.5");
        row("plan.cuda_graphs=true; plan.cuda_graph_scope=full", "host_graph_share=0.31");
        row("plan.dispatcher=hybridep; workload.model=experts", "expert_row_time=7");
        row("plan.dispatcher=hybridep; workload.model=experts; plan.cuda_graph_scope=full",
            "expert_row_time=8");
        row("plan.loss=chunked", "logits_bytes=9");
        row("", "time_log_sd=1; memory_log_sd=1");
        row("workload.finetune.kind=lora", "time_log_sd=0.4; memory_log_sd=1");
        row("workload.finetune.method=sft", "time_log_sd=0.4");
        row("workload.finetune.examples=10", "time_log_sd=0.4");
        row("plan.loss=unfused", "logits_bytes=12; loss_hole_bytes=2");
        row("plan.loss=unfused; plan.framework=torchtitan", "logits_bytes=12; loss_hole_bytes=4");
        row("plan.loss=unfused; plan.framework=transformers", "logits_bytes=12; loss_hole_bytes=2");
        row("plan.loss=chunked; plan.framework=torchtitan", "logits_bytes=9; loss_hole_bytes=2");
    }
    void constantsAreTheClosestOnes() {
        static const Catalog catalog = [] {
            Catalog out = resolvingCatalog();
            for (const Parameter& each :
                 {constant("gemm_compute_efficiency", "Hopper", "bf16", "*", 0.10),
                  constant("gemm_compute_efficiency", "Hopper", "bf16", "megatron", 0.11),
                  constant("gemm_compute_efficiency", "Hopper", "fp8", "megatron", 0.12),
                  constant("gemm_compute_efficiency", "Hopper", "fp8-current", "megatron", 0.13),
                  constant("gemm_compute_efficiency", "hopper", "*", "fsdp", 0.14),
                  constant("network_latency", "*", "*", "efa2", 2e-5),
                  constant("network_latency", "*", "*", "efa4", 4e-5),
                  constant("pue", "*", "*", "us-east-2", 1.1), constant("pue", "*", "*", "us-west-2", 1.2),
                  constant("attention_efficiency", "Hopper", "*", "attention/fa2", 0.21),
                  constant("attention_efficiency", "Hopper", "*", "attention/fa3", 0.22),
                  constant("attention_efficiency", "*", "*", "megatron", 0.5),
                  constant("host_graph_share", "*", "*", "graphs/full", 0.31),
                  constant("expert_row_time", "*", "*", "dispatch/hybridep", 7),
                  constant("expert_row_time", "*", "*", "graphs/full", 8),
                  constant("logits_bytes", "*", "*", "loss/chunked", 9),
                  constant("time_log_sd", "*", "*", "finetune", 0.4),
                  constant("logits_bytes", "*", "*", "loss/unfused", 12),
                  constant("loss_hole_bytes", "*", "*", "loss/unfused/sharded", 4)}) {
                out.defaultProfile.parameters.push_back(each);
            }
            Framework transformers = *out.framework("torchtitan");
            transformers.id = "transformers";
            transformers.stack = "fsdp-eager/transformers";
            out.frameworks.push_back(transformers);
            return out;
        }();
        verify(catalog);
    }

    /// A profile of one's own gives what it has; the shipped one the rest.
    void aProfileFallsBackOnTheShippedOne() {
        Profile own;
        own.name = "ours";
        own.parameters.push_back(constant("gemm_launch", "*", "*", "*", 7e-6));
        const auto scenario = resolve(smallTraining(), sharedCatalog(), own);
        QVERIFY(scenario);
        QCOMPARE(scenario->profileName, std::string("ours"));
        QCOMPARE(scenario->catalogVersion, std::string("2026-11-20"));
        QCOMPARE(differences(*scenario,
                             "gemm_launch=7e-6; attention_launch=1e-5; serving_gemm_launch~unused; "
                             "rl_sync_fixed~unused"),
                 QByteArray());
        Catalog empty = resolvingCatalog();
        empty.defaultProfile.parameters.clear();
        const Scenario none = resolved(smallTraining(), empty);
        QCOMPARE(none.origins[static_cast<std::size_t>(Input::gemmLaunch)].source.str(),
                 std::string("not in the profile"));
    }

private:
    static void verifyEstimatedSpread() {
        QFETCH(QByteArray, edit);
        const Scenario scenario = resolved(edited(smallTraining(), editOf(edit.constData())));
        QCOMPARE(
            originOfInput(scenario, Input::attendedTokens),
            QByteArray("derived: packed examples, E[l^2] / E[l]; the CV of their lengths is an estimate"));
        QCOMPARE(differences(scenario, "workload.finetune.example_tokens_cv=0.6"), QByteArray());
    }
};

QTEST_APPLESS_MAIN(TestResolveInputs)

} // namespace tst_resolve_inputs

#include "tst_resolve_inputs.moc"
