// SPDX-License-Identifier: GPL-3.0-or-later
// Published rows of serving as scenarios: lengths, load, layout and formats, and what they leave open.
#include "model/validation/published_serving_scenario.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <cmath>
#include <functional>

namespace tst_published_serving {

using namespace alidade;
using namespace alidade::tests;

namespace {

using Change = std::function<void(PublishedServing&)>;

/// Eight H100 as two replicas of TP 4, 64 users with fixed lengths.
PublishedServing denseRow() {
    PublishedServing row;
    row.id = "row";
    row.architecture = "llama-3.1-8b";
    row.hardware.gpu = "H100";
    row.hardware.gpus = 8;
    row.engine = "vLLM";
    row.layout.tensor = 4;
    row.layout.replicas = 2;
    row.weights = row.activations = row.kvCache = "bf16";
    row.load.inputTokens = 1000;
    row.load.outputTokens = 200;
    row.load.lengths = "fixed";
    row.load.concurrency = 64;
    row.load.mode = "server (closed loop)";
    row.phase = "e2e";
    return row;
}

PublishedServing expertsRow() {
    PublishedServing row = denseRow();
    row.architecture = "qwen3-30b-a3b";
    row.layout.expert = 4;
    return row;
}

PublishedServingScenario read(const PublishedServing& row) {
    return publishedServingScenario(row, fittedCatalog());
}

void columns() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("changed");
    QTest::addColumn<QString>("assumed");
}
void add(const char* name, const Change& change, const char* changed, const char* assumed = "") {
    QTest::newRow(name) << change << changed << assumed;
}
void verify(const PublishedServing& row) {
    QFETCH(Change, change);
    PublishedServing other = row;
    change(other);
    const PublishedServingScenario before = read(row), after = read(other);
    QVERIFY2(after.spec, after.lacks.c_str());
    QTEST(changedFields(*before.spec, *after.spec, ""), "changed");
    QTEST(joined(after.assumed), "assumed");
}

} // namespace

class TestPublishedServing : public QObject {
    Q_OBJECT

private slots:
    void everythingSaid() {
        const PublishedServingScenario dense = read(denseRow());
        QVERIFY(dense.assumed.empty() && dense.lacks.empty());
        QCOMPARE(*dense.spec->name, std::string("row"));
        QCOMPARE(writtenFields(*dense.spec, "workload."),
                 QStringLiteral("kind=serving model=llama-3.1-8b input_tokens=1000 tokens output_tokens=200 "
                                "tokens input_tokens_cv=0 "
                                "output_tokens_cv=0 concurrency=64"));
        QCOMPARE(
            writtenFields(*dense.spec, "plan."),
            QStringLiteral("tensor_parallel=4 pipeline_parallel=1 data_parallel=2 engine=vllm tuning=vendor "
                           "attention_data_parallel=1 weights=bf16 kv_cache=bf16 activations=bf16"));
        QVERIFY(dense.spec->workload.isServing());
        QCOMPARE(changedFields(*dense.spec, *read(expertsRow()).spec, ""),
                 QStringLiteral("workload.model=qwen3-30b-a3b plan.expert_parallel=4"));
    }

    void whatIsMissing() {
        const auto lacks = [](const Change& change) {
            PublishedServing row = denseRow();
            change(row);
            return QString::fromStdString(read(row).lacks);
        };
        const QString gives = QStringLiteral("the source does not give %1");
        QCOMPARE(lacks([](auto& r) { r.architecture = "unheard of"; }),
                 QStringLiteral("the catalog has no model 'unheard of'; add a catalog entry of that id"));
        QCOMPARE(lacks([](auto& r) { r.load.inputTokens.reset(); }),
                 gives.arg(QLatin1String("the length of the prompts")));
        QCOMPARE(lacks([](auto& r) {
                     r.load.inputTokens.reset();
                     r.measured.itlLine = PublishedItlLine{};
                 }),
                 QString());
        QCOMPARE(lacks([](auto& r) { r.load.outputTokens.reset(); }),
                 gives.arg(QLatin1String("the length of the answers")));
        QCOMPARE(lacks([](auto& r) { r.hardware.gpus.reset(); }),
                 gives.arg(QLatin1String("the number of GPUs")));
        QCOMPARE(lacks([](auto& r) { r.layout.tensor.reset(); }),
                 gives.arg(QLatin1String("the degree of tensor parallelism")));
        QCOMPARE(lacks([](auto& r) { r.weights.clear(); }),
                 gives.arg(QLatin1String("the number format of the weights")));
        QCOMPARE(lacks([](auto& r) { r.speculation = PublishedSpeculation(); }),
                 gives.arg(QLatin1String("how many drafted tokens are accepted")));
        QCOMPARE(lacks([](auto& r) {
                     r = PublishedServing();
                     r.architecture = "llama-3.1-8b";
                     r.phase = "e2e";
                 }),
                 gives.arg(QLatin1String(
                     "the length of the prompts, the length of the answers, the requests under way or their "
                     "rate, the number of GPUs, the degree of tensor parallelism, the number format of the "
                     "weights")));
        QCOMPARE(lacks([](auto& r) { r.hardware.gpu = "TPU"; }),
                 QStringLiteral("the catalog has no GPU 'TPU'; add a catalog entry of that id"));
        // Where prompts wait in a queue, an engine fills itself.
        const QString load = gives.arg(QLatin1String("the requests under way or their rate"));
        const auto without = [&](
                                 const char* mode, const char* phase, const Change& change = [](auto&) {}) {
            return lacks([&](PublishedServing& r) {
                r.load.concurrency.reset();
                r.load.mode = mode;
                r.phase = phase;
                change(r);
            });
        };
        QCOMPARE(without("server (closed loop)", "e2e"), load);
        QCOMPARE(without("offline", "e2e"), QString());
        QCOMPARE(without("offline", "decode"), load);
        QCOMPARE(without("server", "prefill"), QString());
        QCOMPARE(without("server", "e2e", [](auto& r) { r.load.requestRate = 1; }), QString());
        QCOMPARE(without("server", "e2e", [](auto& r) { r.load.batch = 1; }), QString());
    }

    void lengths_data() {
        columns();
        // (high - low) / sqrt(12) over the middle.
        add(
            "uniform up to N", [](auto& r) { r.load.lengths = "uniform in [1, N] tokens"; },
            "workload.input_tokens_cv=0.5773502691896258 workload.output_tokens_cv=0.5773502691896258");
        add(
            "uniform from 80 % of N", [](auto& r) { r.load.lengths = "uniform in [0.8 N, N]"; },
            "workload.input_tokens=900 tokens workload.output_tokens=180 tokens "
            "workload.input_tokens_cv=0.06415002990995841 workload.output_tokens_cv=0.06415002990995841");
        add(
            "real ones",
            [](auto& r) {
                r.load.lengths = "ShareGPT";
                r.load.inputCv = 0.9;
            },
            "workload.input_tokens_cv=0.9 -workload.output_tokens_cv plan.tuning=as_run",
            "workload.output_tokens_cv");
        add(
            "not said", [](auto& r) { r.load.lengths.clear(); },
            "-workload.input_tokens_cv -workload.output_tokens_cv",
            "workload.input_tokens_cv, workload.output_tokens_cv");
        add(
            "decode of an unknown length",
            [](auto& r) {
                r.phase = "decode";
                r.load.outputTokens.reset();
            },
            "workload.phase=decode workload.output_tokens=100 tokens", "workload.output_tokens");
        add(
            "prefill",
            [](auto& r) {
                r.phase = "prefill";
                r.load.outputTokens.reset();
            },
            "workload.phase=prefill workload.output_tokens=1 tokens", "workload.output_tokens");
        add(
            "an answer of nothing", [](auto& r) { r.load.outputTokens = 0; },
            "workload.output_tokens=1 tokens");
        add(
            "a line over the context",
            [](auto& r) {
                r.load.inputTokens.reset();
                r.measured.itlLine = PublishedItlLine{};
            },
            "workload.input_tokens=16384 tokens", "workload.input_tokens");
        add("an estimate", [](auto& r) { r.notes = "estimated prompt length"; }, "", "workload.input_tokens");
        add("hits", [](auto& r) { r.load.prefixCacheHit = 0.25; }, "workload.prefix_cache_hit=25 %");
    }
    void lengths() { verify(denseRow()); }

    void loads_data() {
        columns();
        const auto load = [](const char* mode, auto set) {
            return [mode, set](PublishedServing& r) {
                r.load.mode = mode;
                r.load.concurrency.reset();
                set(r.load);
            };
        };
        add("arrivals", load("server", [](auto& l) { l.requestRate = 4; }),
            "-workload.concurrency workload.request_rate_per_s=4");
        add("a person's", load("interactive", [](auto& l) { l.requestRate = 4; }),
            "-workload.concurrency workload.request_rate_per_s=4");
        add("a rate of a closed loop",
            load("server (closed loop)",
                 [](auto& l) {
                     l.requestRate = 4;
                     l.concurrency = 10;
                 }),
            "workload.concurrency=10");
        add("batches of both replicas", load("server (closed loop)", [](auto& l) { l.batch = 8; }),
            "workload.concurrency=16 plan.max_batch=8");
        add("all at once",
            load("offline",
                 [](auto& l) {
                     l.requests = 500;
                     l.concurrency = 7;
                     l.batch = 8;
                 }),
            "workload.concurrency=500 plan.max_batch=8");
        add("all of those in flight",
            load("offline",
                 [](auto& l) {
                     l.concurrency = 7;
                     l.batch = 8;
                 }),
            "workload.concurrency=7 plan.max_batch=8");
        add("all of a batch", load("offline", [](auto& l) { l.batch = 8; }),
            "workload.concurrency=16 plan.max_batch=8");
        add("nobody knows how many", load("offline", [](auto&) {}), "workload.concurrency=1500",
            "workload.concurrency");
        add("a static batch",
            load("static batch",
                 [](auto& l) {
                     l.requests = 500;
                     l.batch = 8;
                 }),
            "workload.concurrency=16 plan.max_batch=8");
        add(
            "real prompts", [](auto& r) { r.load.lengths = "prompts of users"; },
            "-workload.input_tokens_cv -workload.output_tokens_cv plan.tuning=as_run",
            "workload.input_tokens_cv, workload.output_tokens_cv");
        add("production", [](auto& r) { r.load.mode = "server (production)"; }, "plan.tuning=as_run");
        add(
            "as said",
            [](auto& r) {
                r.load.mode = "server (production)";
                r.load.tuning = "vendor";
                r.load.sampling = "plain";
            },
            "workload.sampling=plain");
        add("no engine of the catalog", [](auto& r) { r.engine = "TGI"; }, "-plan.engine", "plan.engine");
        add(
            "an engine of one's choice", [](auto& r) { r.engine = "unspecified"; }, "-plan.engine",
            "plan.engine");
    }
    void loads() { verify(denseRow()); }

    void kindsOfLoad() {
        const auto kind = [](const char* mode, bool rate, const char* notes = "") {
            PublishedServing row;
            row.load.mode = mode;
            row.notes = notes;
            if (rate)
                row.load.requestRate = 1;
            return publishedLoadKind(row);
        };
        QVERIFY(kind("static batch", true) == PublishedLoadKind::staticBatch);
        QVERIFY(kind("single-stream", false) == PublishedLoadKind::staticBatch);
        QVERIFY(kind("offline", false, "no in-flight batching") == PublishedLoadKind::staticBatch);
        QVERIFY(kind("server", true) == PublishedLoadKind::openLoop);
        QVERIFY(kind("interactive", true) == PublishedLoadKind::openLoop);
        QVERIFY(kind("server", false) == PublishedLoadKind::closedLoop);
        QVERIFY(kind("offline", true) == PublishedLoadKind::closedLoop);
    }

    void layouts_data() {
        columns();
        add("replicas of what is there", [](auto& r) { r.layout.replicas.reset(); }, "");
        add(
            "stages and attention groups",
            [](auto& r) {
                r.layout.replicas.reset();
                r.layout.tensor = 1;
                r.layout.pipeline = 2;
                r.layout.attentionData = 2;
            },
            "plan.tensor_parallel=1 plan.pipeline_parallel=2 plan.attention_data_parallel=2");
        add(
            "no replica fits",
            [](auto& r) {
                r.layout.replicas.reset();
                r.layout.tensor = 16;
            },
            "plan.tensor_parallel=16 plan.data_parallel=1");
        add("experts of a dense model", [](auto& r) { r.layout.expert = 4; }, "");
        add(
            "attention groups of a dense model",
            [](auto& r) { r.notes = "enables attention data parallelism"; }, "");
        add(
            "PCIe", [](auto& r) { r.hardware.interconnect = "PCIe"; },
            "cluster.custom.nvlink_bytes_per_s_per_gpu_per_direction=64 GB/s",
            "cluster.custom.nvlink_bytes_per_s_per_gpu_per_direction");
        add(
            "a rack", [](auto& r) { r.hardware.gpu = "GB200"; },
            "cluster.custom.gpu=gb200 cluster.custom.gpus_per_node=4 cluster.custom.nvlink_domain=72 "
            "-cluster.custom.memory_bytes_per_gpu cluster.instances=2");
        add(
            "an instance", [](auto& r) { r.hardware.instance = "p5.48xlarge"; },
            "cluster.instance=p5.48xlarge -cluster.custom.gpu -cluster.custom.gpus_per_node "
            "-cluster.custom.nvlink_domain -cluster.custom.network_bytes_per_s_per_gpu_per_direction "
            "-cluster.custom.network -cluster.custom.memory_bytes_per_gpu");
    }
    void layouts() { verify(denseRow()); }

    /// The share that makes steps accept so many tokens on average: 1 + a + a^2 is 1.75 at a half.
    void speculation() {
        PublishedServing row = denseRow();
        row.speculation = PublishedSpeculation();
        row.speculation->draftTokens = 2;
        row.speculation->acceptanceLength = 1.75;
        QCOMPARE(*read(row).spec->plan.speculative.draftTokens, 2);
        QCOMPARE(*read(row).spec->plan.speculative.acceptance, 0.5);
        row.speculation->draftTokens = {};
        row.speculation->acceptanceLength = 1.25; // one draft: 1 + a
        QCOMPARE(*read(row).spec->plan.speculative.draftTokens, 1);
        QCOMPARE(*read(row).spec->plan.speculative.acceptance, 0.25);
    }

    void layoutsOfExperts_data() {
        columns();
        add(
            "open", [](auto& r) { r.layout.expert.reset(); }, "-plan.expert_parallel",
            "plan.expert_parallel");
        add(
            "attention over the tensor ranks",
            [](auto& r) { r.notes = "enables attention data parallelism"; },
            "plan.tensor_parallel=1 plan.attention_data_parallel=4");
        add(
            "attention as it is said",
            [](auto& r) {
                r.notes = "enables attention data parallelism";
                r.layout.attentionData = 2;
            },
            "plan.attention_data_parallel=2");
        const auto pools = [](PublishedServing& r) {
            r.layout.tensor.reset();
            r.layout.replicas.reset();
            r.layout.prefill = PublishedPool();
            r.layout.prefill->instances = 2;
            r.layout.prefill->gpus = 2;
            r.layout.decode = PublishedPool();
            r.layout.decode->gpus = 4;
            r.layout.decode->attentionData = 2;
            r.layout.decode->expert = 4;
        };
        const char* apart =
            "-plan.tensor_parallel -plan.pipeline_parallel -plan.expert_parallel -plan.data_parallel "
            "-plan.attention_data_parallel plan.disaggregated.prefill.workers=2 "
            "plan.disaggregated.prefill.tensor_parallel=2 "
            "plan.disaggregated.prefill.attention_data_parallel=1 "
            "plan.disaggregated.decode.workers=1 plan.disaggregated.decode.tensor_parallel=2 "
            "plan.disaggregated.decode.expert_parallel=4 plan.disaggregated.decode.attention_data_parallel=2 "
            "plan.disaggregated.transfer=efa";
        add("prefill and decode apart", pools, apart);
        add(
            "within a rack",
            [pools](auto& r) {
                pools(r);
                r.hardware.interconnect = "NVLink (NVL72)";
            },
            QByteArray(apart).replace("transfer=efa", "transfer=nvlink").constData());
        add(
            "one stage of them",
            [pools](auto& r) {
                pools(r);
                r.layout.tensor = 4;
                r.layout.decode.reset();
            },
            "");
    }
    void layoutsOfExperts() { verify(expertsRow()); }

    void formats_data() {
        columns();
        add("16 bits are 16 bits", [](auto& r) { r.weights = r.activations = r.kvCache = "fp16"; }, "");
        add(
            "FP8 of a dense model", [](auto& r) { r.weights = r.activations = r.kvCache = "fp8"; },
            "plan.weights=fp8 plan.kv_cache=fp8 plan.activations=fp8");
        add(
            "open", [](auto& r) { r.activations = r.kvCache = ""; }, "-plan.kv_cache -plan.activations",
            "plan.activations, plan.kv_cache");
        add(
            "an open cache on Blackwell",
            [](auto& r) {
                r.hardware.gpu = "GB200";
                r.hardware.interconnect = "";
                r.weights = "fp8";
                r.kvCache = "";
            },
            "cluster.custom.gpu=gb200 cluster.custom.gpus_per_node=4 cluster.custom.nvlink_domain=72 "
            "-cluster.custom.memory_bytes_per_gpu cluster.instances=2 plan.weights=fp8 plan.kv_cache=fp8",
            "plan.kv_cache");
        add(
            "an open cache of 16-bit weights on Blackwell",
            [](auto& r) {
                r.hardware.gpu = "GB200";
                r.kvCache = "";
            },
            "cluster.custom.gpu=gb200 cluster.custom.gpus_per_node=4 cluster.custom.nvlink_domain=72 "
            "-cluster.custom.memory_bytes_per_gpu cluster.instances=2 -plan.kv_cache",
            "plan.kv_cache");
        add(
            "an open cache elsewhere",
            [](auto& r) {
                r.weights = "fp8";
                r.kvCache = "";
            },
            "plan.weights=fp8 -plan.kv_cache", "plan.kv_cache");
    }
    void formats() { verify(denseRow()); }

    /// Checkpoints of models with more than 16 experts keep a scale per block.
    void blockScales() {
        Catalog catalog = fittedCatalog();
        PublishedServing row = expertsRow();
        row.weights = row.activations = "fp8";
        const auto weights = [&] { return *publishedServingScenario(row, catalog).spec->plan.weights; };
        QCOMPARE(weights(), std::string("fp8_block"));
        QCOMPARE(*publishedServingScenario(row, catalog).spec->plan.activations, std::string("fp8_block"));
        catalog.models[1].moe->routedExperts = 17;
        QCOMPARE(weights(), std::string("fp8_block"));
        catalog.models[1].moe->routedExperts = 16;
        QCOMPARE(weights(), std::string("fp8"));
        catalog.models[1].nativeWeightFormat = "fp8_block";
        QCOMPARE(weights(), std::string("fp8_block"));
    }
};

QTEST_APPLESS_MAIN(TestPublishedServing)

} // namespace tst_published_serving

#include "tst_published_serving.moc"
