// SPDX-License-Identifier: GPL-3.0-or-later
// What resolving a service fills in and says: 8 GPUs of one h8, 500 + 100 tokens, 2 requests/s
// (resolving_catalog.h).
#include "model/scenario/test_time_plan.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

namespace tst_resolve_serving {

using namespace alidade;
using namespace alidade::test;

namespace {

void columns() {
    QTest::addColumn<QByteArray>("edit");
    QTest::addColumn<QByteArray>("expected");
}

void row(const char* edit, const QByteArray& expected) {
    QTest::newRow(edit) << QByteArray(edit) << expected;
}

Scenario with(const char* edit, const Catalog& catalog = sharedCatalog()) {
    return resolved(edited(smallServing(), editOf(edit)), catalog);
}

void verifyProblems(const Catalog& catalog = sharedCatalog()) {
    QFETCH(QByteArray, edit);
    QFETCH(QByteArray, expected);
    const Scenario scenario = with(edit.constData(), catalog);
    QCOMPARE(problemsOf(scenario), expected);
    QCOMPARE(scenario.runs(), !expected.contains("error "));
}

void verifyValues(const Catalog& catalog = sharedCatalog()) {
    QFETCH(QByteArray, edit);
    QFETCH(QByteArray, expected);
    QCOMPARE(differences(with(edit.constData(), catalog), expected.constData()), QByteArray());
}

Catalog narrowExperts(int columns) {
    Catalog out = resolvingCatalog();
    out.models[0].attentionHeads = 24;
    out.models[0].kvHeads = 6;
    out.models[1].moe->expertIntermediateSize = columns;
    return out;
}

} // namespace

class TestResolveServing : public QObject {
    Q_OBJECT

private slots:
    void rules_data() {
        columns();
        const QByteArray wide =
            "warning /plan/tensor_parallel: Tensor 16 is wider than the NVLink domain of 8 GPUs: its "
            "traffic crosses the network";
        row("", "");
        row("plan.tensor_parallel=8", "");
        row("plan.tensor_parallel=3",
            "warning /plan/data_parallel: 2 GPUs are idle but billed\n"
            "error /plan/tensor_parallel: Tensor 3 does not divide the 16 attention heads of Dense 1");
        row("plan.tensor_parallel=16",
            "error /plan/tensor_parallel: Tensor 16 needs 16 GPUs for one replica; the cluster has 8\n" +
                wide);
        row("plan.tensor_parallel=16; cluster.instances=2", wide);
        row("plan.tensor_parallel=4; plan.pipeline_parallel=2; plan.attention_data_parallel=2",
            "error /plan/tensor_parallel: Tensor 4 x pipeline 2 x attention data 2 needs 16 GPUs for one "
            "replica; the "
            "cluster has 8");
        row("plan.data_parallel=9",
            "error /plan/data_parallel: The degrees multiply to 9 GPUs; the cluster has 8");
        row("plan.data_parallel=8", "");
        row("plan.data_parallel=4", "warning /plan/data_parallel: 4 GPUs are idle but billed");
        row("plan.pipeline_parallel=8", "");
        row("plan.pipeline_parallel=16; cluster.instances=2",
            "error /plan/pipeline_parallel: 16 stages are more than the 8 layers of Dense 1");
        row("plan.expert_parallel=1", "");
        row("plan.expert_parallel=2", "error /plan/expert_parallel: Dense 1 has no experts; set it to 1");
        row("workload.model=experts; plan.tensor_parallel=4; plan.expert_parallel=3",
            "error /plan/expert_parallel: Expert 3 does not divide the 4 GPUs of a stage (tensor x attention "
            "data)");
        row("workload.model=experts; plan.attention_data_parallel=8", "");
        row("workload.model=experts; plan.attention_data_parallel=16; cluster.instances=2", "");
        row("workload.model=experts; plan.attention_data_parallel=32; cluster.instances=4",
            "error /plan/expert_parallel: Experts 1 has only 16 routed experts");
        row("workload.input_tokens=8092", "");
        row("workload.input_tokens=8093",
            "warning /workload/input_tokens: Input and output exceed the 8,192-token context "
            "of Dense 1");
        row("plan.speculative.draft_tokens=2",
            "error /plan/speculative/acceptance: Speculative decoding needs an "
            "acceptance rate, for example 0.8");
        row("plan.speculative.draft_tokens=2; plan.speculative.acceptance=0.8", "");
        row("plan.weights=nvfp4",
            "error /plan/weights: vLLM supports NVFP4 weights only on GPUs that multiply in that "
            "format, which GPU hopper does not; use BF16 or INT4, or an engine that converts them");
        row("plan.weights=nvfp4; plan.engine=whole-engine", "");
        row("plan.weights=fp8", "");
        row("workload.phase=decode; workload.output_tokens=1",
            "error /workload/output_tokens: The first token comes from prefill, so a single output token "
            "leaves nothing to "
            "decode; use 2 or more");
        row("workload.phase=decode; workload.output_tokens=2", "");
        row("workload.output_tokens=1", "");
        row("plan.kv_offload_bytes=1 GB; plan.weights_offload=0.1", "");
        row("plan.kv_offload_bytes=3750 GB; plan.kv_offload_tier=nvme", "");
        row("plan.kv_offload_bytes=4000 GB; plan.kv_offload_tier=nvme",
            "error /plan/kv_offload_bytes: The KV caches of 8 GPUs take 32,000 GB of drives of 30,000 GB; at "
            "most 3,750 GB "
            "per GPU");
        row("plan.kv_offload_bytes=1 GB; plan.kv_offload_tier=nvme; cluster.instance=h1",
            "error /plan/kv_offload_tier: The catalog has no local drives for this machine; use \"host\" or "
            "\"file_system\"");
        row("plan.kv_offload_tier=nvme; cluster.instance=h1", "");
        row("cluster.instance=t1; plan.weights_offload=0.1; cluster.dollars_per_instance_hour=1",
            "error /plan/weights_offload: The catalog has no host link for this GPU; keep everything in GPU "
            "memory");
        row("cluster.instance=t1; plan.kv_offload_bytes=1 GB; cluster.dollars_per_instance_hour=1",
            "error /plan/weights_offload: The catalog has no host link for this GPU; keep everything in GPU "
            "memory");
        row("cluster.instance=t1; plan.weights_offload=0; cluster.dollars_per_instance_hour=1", "");
        row("plan.engine=some-engine-zzz",
            "warning /plan/engine: 'some-engine-zzz' is not in the catalog and gets the "
            "defaults of vLLM; the constants of software in general are used, with a wider "
            "band");
    }
    void rules() { verifyProblems(); }

    void narrowShares_data() {
        columns();
        row("workload.model=experts; plan.tensor_parallel=4; plan.weights=fp8_block",
            "warning /plan/expert_parallel: Each GPU holds 192 columns of an expert, which is not a multiple "
            "of 128: engines "
            "reject such weights in block-scaled FP8; raise expert_parallel");
        row("workload.model=experts; plan.tensor_parallel=4; plan.expert_parallel=2; plan.weights=fp8_block",
            "");
        row("workload.model=experts; plan.tensor_parallel=4", "");
        row("plan.tensor_parallel=4", "error /plan/tensor_parallel: Tensor 4 neither divides the 6 KV heads "
                                      "of Dense 1 nor is a multiple of them");
        row("plan.tensor_parallel=6",
            "warning /plan/data_parallel: 2 GPUs are idle but billed\n"
            "error /plan/tensor_parallel: Tensor 6 does not divide the 4,096 columns of the MLP of "
            "Dense 1");
    }
    void narrowShares() { verifyProblems(narrowExperts(768)); }

    void anExpertIsSplitEvenly() {
        QCOMPARE(problemsOf(with("workload.model=experts; plan.tensor_parallel=4", narrowExperts(2046))),
                 QByteArray(
                     "error /plan/expert_parallel: 4 GPUs do not divide the 2046 columns of an expert; raise "
                     "expert_parallel"));
        QVERIFY(with("workload.model=experts; plan.tensor_parallel=2", narrowExperts(2046)).runs());
    }

    void refusals_data() {
        columns();
        row("workload.input_tokens=",
            "/workload/input_tokens: the request length is missing; set the mean, for example "
            "2000");
        row("workload.output_tokens=",
            "/workload/output_tokens: the request length is missing; set the mean, for example "
            "300");
        row("workload.request_rate_per_s=",
            "/workload/request_rate_per_s: the load is missing; set a request rate, or a "
            "concurrency for a closed loop");
        row("plan.engine=vlm", "/plan/engine: no engine 'vlm' in the catalog; did you mean 'vllm'?");
        row("workload.samples=2; workload.selection=best_of_n; workload.verifier=expert",
            "/workload/verifier: there is no model 'expert' in the catalog; the nearest is 'experts'");
        row("workload.samples=2; workload.verifier=qqqqqq",
            "/workload/verifier: there is no model 'qqqqqq' in the catalog");
    }
    void refusals() {
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, expected);
        QCOMPARE(refusalOf(edited(smallServing(), editOf(edit.constData()))), expected);
    }

    void twoLoadsAreOneTooMany() {
        ScenarioSpec spec = smallServing();
        spec.workload.concurrency = 4;
        QCOMPARE(
            refusalOf(spec),
            QByteArray("/workload/concurrency: both a concurrency and a request rate are set; keep one"));
        spec = smallServing();
        spec.plan.engine = "  ";
        QCOMPARE(refusalOf(spec), QByteArray("/plan/engine: no engine '  ' in the catalog"));
    }

    void values_data() {
        columns();
        row("",
            "name=Dense 1 on 1 x h8; plan.engine=vllm; plan.tuning=as_run; workload.sampling=top_p; "
            "plan.weights=bf16; "
            "plan.kv_cache=bf16; plan.mixed_prefill=true; plan.cuda_graphs=true; workload.phase=both; "
            "plan.data_parallel=8; plan.memory_utilization=90 %; plan.chunk_tokens=8192; plan.kv_block=16; "
            "workload.slo_percentile=; cluster.gpus=8");
        row("",
            "input_tokens=500; output_tokens=100; input_tokens_cv=0; output_tokens_cv=0; prefix_cache_hit=0; "
            "request_rate=2; arrival_cv=1; concurrency=0; loop_jitter=0; workers=8; gpus=8; "
            "memory_utilisation=0.9; "
            "chunk_tokens=8192; kv_block=16; largest_batch=0; dense_weight_bytes=2; kv_element_bytes=2; "
            "dense_operand_bytes=2; peak=1e15; expert_imbalance=1; device_memory_bytes=84.15e9; "
            "capacity_bytes=80e9; expert_tensor_parallel=1; kv_tier_rate=0; latent_attention_peak=0");
        row("", "input_tokens~user: scenario; input_tokens_cv~assumed: default; chunk_tokens~assumed: "
                "default of vLLM; "
                "device_memory_bytes~catalog: h8, 99 % of the reported memory: sheet (2026-01); "
                "workers~derived: GPUs / (tensor x pipeline x attention data); kv_offload~unused; "
                "draft_tokens~unused; "
                "dense_weight_bytes~derived: the model's published checkpoint; "
                "peak~derived: hopper: dense peak in the compute format of the GEMMs (bf16)");
        row("plan.data_parallel=4; plan.chunk_tokens=4096; plan.max_batch=64; plan.kv_block=32; "
            "plan.memory_utilization=0.8; plan.expert_imbalance=1.5",
            "workers=4; gpus=4; chunk_tokens=4096; largest_batch=64; kv_block=32; memory_utilisation=0.8; "
            "expert_imbalance=1.5; chunk_tokens~user: scenario; workers~derived: scenario; cluster.gpus=4; "
            "expert_imbalance~user: scenario");
        row("workload.request_rate_per_s=; workload.concurrency=10",
            "concurrency=10; request_rate=0; loop_jitter=0.01; arrival_cv=1; arrival_cv~derived: closed "
            "loop; "
            "loop_jitter~assumed: assumed: server and client");
        row("workload.arrival_cv=2; workload.prefix_cache_hit=0.25; workload.input_tokens_cv=0.5",
            "arrival_cv=2; prefix_cache_hit=0.25; input_tokens_cv=0.5; arrival_cv~user: scenario");
        row("workload.ttft_slo_s=1", "workload.slo_percentile=90");
        row("workload.itl_slo_s=1", "workload.slo_percentile=90");
        row("workload.itl_slo_s=1; workload.slo_percentile=99", "workload.slo_percentile=99");
        row("plan.tuning=vendor", "workload.sampling=plain; serving_sort_bytes=0; "
                                  "serving_sort_bytes~derived: plain sampling sorts nothing");
        row("plan.tuning=vendor; workload.sampling=top_p", "serving_sort_bytes=2");
        row("", "serving_sort_bytes=2");
        row("cluster.instance=a4", "chunk_tokens=2048"); // an Ampere GPU
        row("cluster.instance=t1", "chunk_tokens=2048"); // a GPU of less than 70 GiB
        row("plan.weights=fp8", "dense_weight_bytes=1; dense_operand_bytes=1; peak=2e15; bf16_peak=1e15; "
                                "dense_weight_bytes~derived: scenario");
        row("plan.kv_cache=fp8", "kv_element_bytes=1; kv_element_bytes~derived: scenario");
        row("plan.weights=fp8; plan.activations=bf16",
            "dense_weight_bytes=1; dense_operand_bytes=2; peak=1e15");
        row("plan.kv_offload_bytes=1 GB; plan.weights_offload=0.1",
            "kv_offload=1e9; weights_offload=0.1; kv_tier_rate=0");
        // 2,000,000 reads of 4,096 bytes, and 80 GB/s of a client of the file system, for 8 GPUs.
        row("plan.kv_offload_bytes=1 GB; plan.kv_offload_tier=nvme",
            "kv_tier_rate=1.024e9; kv_tier_rate~catalog: h8: 4 KiB operations, sheet (2026-01), shared by "
            "the GPUs of a "
            "node");
        row("plan.kv_offload_bytes=1 GB; plan.kv_offload_tier=file_system",
            "kv_tier_rate=10e9; kv_tier_rate~catalog: fsx-lustre-persistent2-1000: sheet (2026-01), shared "
            "by the GPUs of a "
            "node");
        row("plan.speculative.draft_tokens=2; plan.speculative.acceptance=0.8",
            "draft_tokens=2; acceptance=0.8");
        row("workload.model=experts; plan.tensor_parallel=4",
            "expert_parallel=1; expert_tensor_parallel=4; expert_weight_bytes=2; workers=2");
        row("workload.model=experts; plan.attention_data_parallel=4",
            "expert_parallel=4; expert_tensor_parallel=1");
        row("workload.model=experts; plan.tensor_parallel=2; plan.attention_data_parallel=2; "
            "plan.pipeline_parallel=2",
            "expert_parallel=4; workers=1");
    }
    void values() { verifyValues(); }

    void samples_data() {
        columns();
        // Samples of equal length: all are under way until the last one ends.
        row("workload.samples=4",
            "samples_per_prompt=4; prefix_cache_hit=0.75; shared_prompt=375; request_rate=8; arrival_cv=2; "
            "output_tokens=100; workload.selection=none; request_rate~derived: questions per second x "
            "samples; "
            "arrival_cv~derived: arrival CV of questions x sqrt(samples)");
        row("workload.samples=4; workload.prefix_cache_hit=0.2; workload.arrival_cv=0.5",
            "prefix_cache_hit=0.8; arrival_cv=1");
        row("workload.samples=1", "samples_per_prompt=0; request_rate=2; prefix_cache_hit=0");
        row("workload.samples=4; workload.request_rate_per_s=; workload.concurrency=10",
            "concurrency=40; arrival_cv=1");
        row("workload.thinking_budget=50", "output_tokens=50; output_tokens_cv=0; request_rate=2");
        row("workload.thinking_budget=500", "output_tokens=100; output_tokens_cv=0");
        row("workload.samples=2; workload.selection=beam_search", "workload.step_tokens=100");
        row("workload.samples=2; workload.selection=majority", "workload.step_tokens=");
    }
    void samples() { verifyValues(); }

    void whatScoresTheSamples() {
        const Scenario none = with("workload.samples=2; workload.verifier=experts");
        QCOMPARE(problemsOf(none),
                 QByteArray("warning /workload/verifier: The verifier scores nothing where no answer is "
                            "selected; set the selection to best_of_n"));
        QVERIFY(none.testTime && !none.testTime->verifier);
        const Scenario best = with("workload.samples=4; workload.selection=best_of_n; "
                                   "workload.verifier=experts; cluster.instances=2");
        QCOMPARE(problemsOf(best), QByteArray());
        QCOMPARE(best.testTime->samples, 4.0);
        QVERIFY(best.testTime->selection == AnswerSelection::bestOfN && best.testTime->verifier);
        // A prompt of 500 and a sample of 100, of which three samples in four find the prompt in the cache.
        QCOMPARE(
            differences(*best.testTime->verifier,
                        "workload.model=experts; workload.phase=prefill; input_tokens=600; output_tokens=1; "
                        "prefix_cache_hit=0.625; input_tokens_cv=0; plan.tensor_parallel=1; paid_items=1; "
                        "plan.engine=vllm"),
            QByteArray());
        const Scenario spread =
            with("workload.samples=4; workload.selection=best_of_n; workload.verifier=experts; "
                 "workload.input_tokens_cv=0.6; workload.output_tokens_cv=4");
        // Deviations of 300 and 400 tokens add to 500, of 600.
        QCOMPARE(spread.testTime->verifier->inputs[Input::inputTokensCv], 500.0 / 600);
        const Scenario beams = with("workload.samples=4; workload.selection=beam_search; "
                                    "workload.verifier=experts; workload.step_tokens=20");
        // Half of the sample before a step of 20 tokens.
        QCOMPARE(differences(*beams.testTime->verifier, "input_tokens=550"), QByteArray());
        QCOMPARE(beams.testTime->verifier->inputs[Input::prefixCacheHit], 1 - 20.0 / 550);
        QCOMPARE(beams.testTime->stepTokens, 20.0);
        QCOMPARE(beams.testTime->steps(100), 5.0);
        QCOMPARE(beams.testTime->steps(20), 1.0);
        QCOMPARE(best.testTime->steps(100), 1.0);
        QVERIFY(!with("").testTime);
        QVERIFY(!with("workload.samples=2; workload.phase=prefill").testTime);
        QVERIFY(with("workload.samples=2").testTime->asked());
        QVERIFY(!with("workload.samples=1").testTime->asked());
        QVERIFY(with("workload.samples=1; workload.selection=majority").testTime->asked());
    }

    /// A verifier takes the smallest replica of which its weights leave room: 0.7 x 0.9 of 80 GB.
    void theVerifierFits() {
        Catalog catalog = resolvingCatalog();
        Architecture& m = catalog.models[0];
        m.hiddenSize = 8192;
        m.ffnIntermediateSize = 28'672;
        m.attentionHeads = 64;
        m.kvHeads = 8;
        m.headDim = 128;
        m.layers = 80; // 70 billion parameters: 140 GB, of which 4 GPUs hold 35 each
        const char* edit = "workload.model=experts; workload.samples=2; workload.selection=best_of_n; "
                           "workload.verifier=dense";
        QCOMPARE(differences(*with(edit, catalog).testTime->verifier, "plan.tensor_parallel=4"),
                 QByteArray());
        m.layers = 1000;
        QCOMPARE(problemsOf(with(edit, catalog)),
                 QByteArray(
                     "error /workload/verifier: Dense 1 does not run on one h8; choose a smaller verifier"));
    }

    void sequencesOfAQuestion() {
        const auto of = [](const char* edit) {
            return sequencesPerQuestion(edited(smallServing(), editOf(edit)).workload);
        };
        QCOMPARE(of(""), 1.0);
        QCOMPARE(of("workload.samples=4"), 4.0);
        QCOMPARE(of("workload.samples=4; workload.output_tokens_cv=1"), 4.0);
        const char* closed = "workload.samples=4; workload.request_rate_per_s=; workload.concurrency=10";
        QCOMPARE(of(closed), 4.0);
        const double spread = of((std::string(closed) + "; workload.output_tokens_cv=1").c_str());
        QVERIFY(spread > 1 && spread < 3); // the longest of four is more than 4/3 of the mean
        QCOMPARE(sequenceWord(edited(smallServing(), editOf("workload.samples=4")).workload),
                 std::string("sample"));
        QCOMPARE(sequenceWord(smallServing().workload), std::string("request"));
    }

    void pools() {
        const char* two =
            "plan.disaggregated.prefill.workers=1; plan.disaggregated.prefill.tensor_parallel=2; "
            "plan.disaggregated.decode.workers=2; plan.disaggregated.decode.tensor_parallel=2";
        const auto of = [&](const char* more) { return with((std::string(two) + more).c_str()); };
        const Scenario plain = of("");
        QCOMPARE(problemsOf(plain),
                 QByteArray("warning /plan/disaggregated/decode/workers: 2 GPUs are idle but billed"));
        QCOMPARE(plain.pools.size(), std::size_t{2});
        QVERIFY(plain.pools[0].plan.phase == ServingPhase::prefill &&
                plain.pools[1].plan.phase == ServingPhase::decode);
        QCOMPARE(differences(
                     plain,
                     "plan.disaggregated.transfer=nvlink; plan.disaggregated.overlap=true; cluster.gpus=6; "
                     "paid_items=1; workload.phase=both; plan.tensor_parallel=; plan.data_parallel=; "
                     "plan.disaggregated.decode.pipeline_parallel=1; plan.chunk_tokens=8192; gpus=4"),
                 QByteArray());
        QVERIFY(plain.transfersOverNvlink && plain.transferOverlaps && plain.hasPrice);
        QCOMPARE(plain.pools[0].inputs[Input::paidItems], 2.0 / 6);
        QCOMPARE(plain.pools[1].inputs[Input::paidItems], 4.0 / 6);
        QCOMPARE(plain.pools[0].inputs[Input::gpus], 2.0);

        const Scenario full = of("; plan.disaggregated.decode.workers=3; plan.disaggregated.overlap=false; "
                                 "plan.disaggregated.transfer=efa");
        QCOMPARE(problemsOf(full), QByteArray());
        QVERIFY(!full.transfersOverNvlink && !full.transferOverlaps);
        QCOMPARE(problemsOf(of("; plan.disaggregated.decode.workers=5")),
                 QByteArray(
                     "error /cluster/gpus: Decode: The plan needs 10 GPUs; the cluster has 8\n"
                     "error /plan/disaggregated/decode/workers: Decode: The degrees multiply to 10 GPUs; the "
                     "cluster "
                     "has 8\n"
                     "error /plan/disaggregated/decode/workers: The pools need 10 GPUs; the cluster has 8"));
        QCOMPARE(
            problemsOf(
                of("; plan.disaggregated.prefill.tensor_parallel=3; plan.disaggregated.decode.workers=1")),
            QByteArray(
                "error /plan/disaggregated/prefill/tensor_parallel: Prefill: Tensor 3 does not divide the 16 "
                "attention heads of Dense 1\n"
                "warning /plan/disaggregated/decode/workers: 3 GPUs are idle but billed"));
        // Two machines of one GPU without a network.
        const Scenario apart =
            of("; plan.disaggregated.decode.instance=h1; plan.disaggregated.decode.tensor_parallel=1");
        QCOMPARE(problemsOf(apart),
                 QByteArray("error /cluster/instance: Decode: The catalog has no network (EFA) for h1, and 2 "
                            "GPUs do not fit "
                            "in one NVLink domain of 1; use fewer GPUs or a machine whose network is known\n"
                            "warning /plan/disaggregated/decode/workers: 6 GPUs are idle but billed\n"
                            "error /plan/disaggregated/transfer: The catalog has no network between the "
                            "pools; place both "
                            "in one NVLink domain"));
        QCOMPARE(apart.pools[1].instance, std::string("h1"));
        QCOMPARE(apart.pools[1].inputs[Input::paidItems], 2.0);
        QCOMPARE(apart.pools[0].inputs[Input::paidItems], 1.0); // all of what is shared
        QVERIFY(problemsOf(of("; plan.disaggregated.decode.instance=h8; plan.disaggregated.transfer=nvlink; "
                              "cluster.instances=2; plan.disaggregated.decode.workers=4"))
                    .contains("error /plan/disaggregated/transfer: The pools do not share an NVLink domain; "
                              "set the transfer "
                              "to efa"));
        const Scenario based = of("; order.base.instances=1; order.base.purchase=reserved");
        QCOMPARE(based.pools[0].inputs[Input::baseItems], 2.0 / 6);
        QCOMPARE(based.pools[1].inputs[Input::baseItems], 4.0 / 6);
        QCOMPARE(based.pools[1].inputs[Input::basePrice], 24.0);
        QCOMPARE(based.pools[1].inputs[Input::price], 40.0);
        QCOMPARE(differences(based, "base_items=1; paid_items=1"), QByteArray());
        QVERIFY(problemsOf(of("; plan.disaggregated.decode.instance=h8; order.base.instances=1"))
                    .contains("error /order/base/instances: A base is of one type of machine, and each pool "
                              "rents its own "
                              "type; leave order.base out"));
    }

    void traitsOfTheModel() {
        Catalog catalog = resolvingCatalog();
        Architecture& m = catalog.models[0];
        m.mla = MlaShape{
            .qLoraRank = 96, .kvLoraRank = 128, .qkNopeHeadDim = 48, .qkRopeHeadDim = 16, .vHeadDim = 40};
        m.qkNorm = QkNorm::full;
        m.attentionSinks = m.attentionOutputGate = true;
        m.mtpLayers = 1;
        m.slidingWindow = 128;
        m.slidingPattern = "all layers";
        m.sparseIndexer = SparseIndexer{.heads = 3, .headDim = 32, .topk = 2048};
        catalog.engines[0].ignoresWindows = true;
        catalog.engines[0].reducesInSwitch = true;
        catalog.engines[0].decodesByQueryHead = true;
        const ServingPlan plan = with("", catalog).pools.front().plan;
        QVERIFY(plan.latentAttention && plan.queryCompressed && plan.fullHeadNorms && plan.attentionGate);
        QVERIFY(plan.draftModule && plan.smallSinkHeads && plan.reducesInSwitch && plan.mixedPrefill);
        QVERIFY(plan.cacheReadByQueryHead && !with("").pools.front().plan.cacheReadByQueryHead);
        QCOMPARE(plan.sparseTokens, 2048);
        QCOMPARE(plan.sparseIndexHeads, 3);
        QCOMPARE(plan.sparseIndexDim, 32);
        QCOMPARE(plan.kinds.front().window, 0); // the engine attends to all tokens
        QCOMPARE(plan.layersOfKind[0], 8);
        QVERIFY(plan.memoryShare == MemoryShare::all && !plan.reservesRequests);
        catalog.engines[0].ignoresWindows = false;
        m.headDim = 65;
        m.mla->qLoraRank = 0;
        m.qkNorm = QkNorm::perHead;
        const ServingPlan other =
            with("plan.engine=whole-engine; plan.mixed_prefill=false", catalog).pools.front().plan;
        QCOMPARE(other.kinds.front().window, 128);
        QVERIFY(other.latentAttention && !other.queryCompressed && !other.smallSinkHeads &&
                !other.fullHeadNorms);
        QVERIFY(other.memoryShare == MemoryShare::rest && other.reservesRequests && !other.mixedPrefill);
        QVERIFY(!other.reducesInSwitch);
        // Decode over latents multiplies in FP8 where the cache is in FP8 and the GPU has FP4 units as well.
        const char* rack = "cluster.ultraserver=rack; cluster.instances=; cluster.ultraservers=1; ";
        const auto peak = [&](const char* more) {
            return with((std::string(rack) + more).c_str(), catalog).inputs[Input::latentPeak];
        };
        QCOMPARE(peak(""), 2500e12);
        QCOMPARE(peak("plan.kv_cache=fp8"), 5000e12);
        QCOMPARE(with("plan.kv_cache=fp8", catalog).inputs[Input::latentPeak], 1000e12);
    }

    void fusedKernels() {
        Catalog catalog = resolvingCatalog();
        catalog.engines[0].fusedReductions = {"one"};
        const auto plan = [&](const char* edit) { return with(edit, catalog).pools.front().plan; };
        QVERIFY(plan("workload.model=experts; plan.tensor_parallel=8").fusedReductions);
        QVERIFY(!plan("plan.tensor_parallel=8").fusedReductions); // without experts
        QVERIFY(!plan("workload.model=experts; plan.tensor_parallel=4; plan.attention_data_parallel=2")
                     .fusedReductions);
        QVERIFY(
            !plan("workload.model=experts; plan.tensor_parallel=16; cluster.instances=2").fusedReductions);
        QVERIFY(!plan("workload.model=experts; plan.engine=whole-engine").fusedReductions);
        QVERIFY(!plan("workload.model=experts; cluster.instance=a4; plan.tensor_parallel=4").fusedReductions);
        const char* rack = "cluster.ultraserver=rack; cluster.instances=; workload.model=experts; ";
        QVERIFY(plan(rack).fusedReductions && !plan(rack).fusedExperts);
        QVERIFY(plan((std::string(rack) + "plan.weights=nvfp4").c_str()).fusedExperts);
        QVERIFY(
            !plan((std::string(rack) + "plan.weights=nvfp4; plan.activations=bf16").c_str()).fusedExperts);
        QVERIFY(!plan((std::string(rack) + "plan.weights=fp8").c_str()).fusedExperts);
        QVERIFY(!plan("workload.model=experts; plan.weights=int4").fusedExperts); // Hopper
        QCOMPARE(plan("workload.model=experts; plan.weights=int4").denseFormat, std::string("bf16"));
        QCOMPARE(plan("workload.model=experts; plan.weights=int4").expertFormat, std::string("int4"));
    }
};

QTEST_APPLESS_MAIN(TestResolveServing)

} // namespace tst_resolve_serving

#include "tst_resolve_serving.moc"
