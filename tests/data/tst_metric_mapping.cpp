// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/mapping_json.h"
#include "data/catalog/rule_json.h"
#include "data/catalog/shipped.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "model/observation/mapping_choice.h"

#include <QTest>

#include <algorithm>
#include <set>

namespace tst_metric_mapping {

using namespace alidade;
using namespace alidade::data;

class TestMetricMapping : public QObject {
    Q_OBJECT
private slots:
    void presetsAreRead();
    void presetsCoverEverySignal();
    void ratesOfDcgmAreGauges();
    void everyPresetHasASource();
    void exporters_data();
    void exporters();
    void ranksOfSglangAreCopies();
    void mappingOfOnesOwn();
    void mappingReadsBackAsWritten();
    void faults_data();
    void faults();
    void everyFaultIsTold();
    void selectors_data();
    void selectors();
};

void TestMetricMapping::presetsAreRead() {
    const Result<nlohmann::json> document = parseJson(shippedDocument("metrics.json"));
    QVERIFY2(document, document.error().c_str());
    std::vector<JsonFault> faults;
    const auto presets = readMetricPresets(*document, {}, faults);
    for (const JsonFault& fault : faults)
        qWarning("%s", text("metrics.json", fault).c_str());
    QVERIFY(presets);
    QCOMPARE(metricPresets().size(), presets->size());
}

void TestMetricMapping::presetsCoverEverySignal() {
    for (const SignalInfo& info : allSignals()) {
        const bool known = std::ranges::any_of(metricPresets(), [&](const MetricMapping& preset) {
            return preset.rule(info.signal) != nullptr;
        });
        QVERIFY2(known, std::string(info.id).c_str());
    }
}

// Their TYPE line says counter in stock files (dcgm-exporter's default counters); rate() of them is nonsense.
void TestMetricMapping::ratesOfDcgmAreGauges() {
    int seen = 0;
    for (const MetricMapping& preset : metricPresets()) {
        for (const MetricRule& rule : preset.rules) {
            if (!rule.metric.starts_with("DCGM_FI_PROF_") &&
                rule.metric != "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL")
                continue;
            ++seen;
            QVERIFY2(rule.kind == MetricKind::gauge, rule.metric.c_str());
        }
    }
    QVERIFY(seen > 10);
}

void TestMetricMapping::everyPresetHasASource() {
    const Result<nlohmann::json> document = parseJson(shippedDocument("metrics.json"));
    QVERIFY(document);
    for (const nlohmann::json& preset : (*document)["presets"])
        QVERIFY2(!preset.value("sources", nlohmann::json::array()).empty(),
                 preset.dump().substr(0, 60).c_str());
}

void TestMetricMapping::exporters_data() {
    QTest::addColumn<QStringList>("names"); // on the server
    QTest::addColumn<QByteArray>("signal");
    QTest::addColumn<QByteArray>("metric"); // that is read
    QTest::addColumn<double>("scale");
    const auto row = [](const char* name, const QStringList& names, const char* signal, const char* metric,
                        double scale = 1) {
        QTest::newRow(name) << names << QByteArray(signal) << QByteArray(metric) << scale;
    };
    const auto histogram = [](const char* metric) {
        const QString name = QString::fromLatin1(metric);
        return QStringList{name + QStringLiteral("_bucket"), name + QStringLiteral("_count"),
                           name + QStringLiteral("_sum")};
    };
    const auto list = [](std::initializer_list<const char*> names) {
        QStringList out;
        for (const char* name : names)
            out << QString::fromLatin1(name);
        return out;
    };
    row("DCGM", list({"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"}), "tensor_active",
        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE");
    row("DCGM 4.6", list({"DCGM_FI_PROF_TENSOR_UTIL_RATIO"}), "tensor_active",
        "DCGM_FI_PROF_TENSOR_UTIL_RATIO");
    row("DCGM without SM_ACTIVE", list({"DCGM_FI_PROF_GR_ENGINE_ACTIVE"}), "sm_active",
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE");
    row("memory in MiB", list({"DCGM_FI_DEV_FB_USED"}), "memory_used", "DCGM_FI_DEV_FB_USED", 1048576);
    row("EFA without _total", list({"node_amazonefa_tx_bytes"}), "efa_transmit", "node_amazonefa_tx_bytes");
    row("EFA of another exporter", list({"efa_tx_bytes"}), "efa_transmit", "efa_tx_bytes");
    row("old node exporter", list({"node_memory_MemAvailable"}), "host_memory_available",
        "node_memory_MemAvailable");
    row("vLLM 0.9.1", list({"vllm:gpu_cache_usage_perc"}), "kv_cache_use", "vllm:gpu_cache_usage_perc");
    row("vLLM, both names", list({"vllm:gpu_cache_usage_perc", "vllm:kv_cache_usage_perc"}), "kv_cache_use",
        "vllm:kv_cache_usage_perc");
    row("vLLM 0.9.1, latency", histogram("vllm:time_per_output_token_seconds"), "itl",
        "vllm:time_per_output_token_seconds");
    row("SGLang", histogram("sglang:inter_token_latency_seconds"), "itl",
        "sglang:inter_token_latency_seconds");
    row("SGLang, old", histogram("sglang:time_per_output_token_seconds"), "itl",
        "sglang:time_per_output_token_seconds");
    row("TensorRT-LLM", list({"trtllm_kv_cache_utilization"}), "kv_cache_use", "trtllm_kv_cache_utilization");
    row("TensorRT-LLM, colon", histogram("trtllm:time_to_first_token_seconds"), "ttft",
        "trtllm:time_to_first_token_seconds");
    row("Dynamo", list({"dynamo_component_gpu_cache_usage_percent"}), "kv_cache_use",
        "dynamo_component_gpu_cache_usage_percent");
    row("Dynamo, old", list({"dynamo_component_kvstats_gpu_cache_usage_percent"}), "kv_cache_use",
        "dynamo_component_kvstats_gpu_cache_usage_percent");
    row("torchtitan", list({"torchtitan_mfu_percent"}), "mfu", "torchtitan_mfu_percent", 0.01);
    row("NeMo", list({"train_step_timing_in_s"}), "step_time", "train_step_timing_in_s");
    row("Megatron", list({"megatron_iteration_time_ms"}), "step_time", "megatron_iteration_time_ms", 0.001);
    row("AWS workshop", list({"aim347_step_duration_ms"}), "step_time", "aim347_step_duration_ms", 0.001);
}

void TestMetricMapping::exporters() {
    QFETCH(QStringList, names);
    QFETCH(QByteArray, signal);
    QFETCH(QByteArray, metric);
    QFETCH(double, scale);
    std::vector<std::string> there;
    for (const QString& name : names)
        there.push_back(name.toStdString());
    const MetricMapping chosen = chooseRules(metricPresets(), there);
    const MetricRule* rule = chosen.rule(*signalOf(signal.toStdString()));
    QVERIFY(rule != nullptr);
    QCOMPARE(QByteArray::fromStdString(rule->metric), metric);
    QCOMPARE(rule->scale, scale);
    QVERIFY(!rule->source.empty());
}

void TestMetricMapping::ranksOfSglangAreCopies() {
    const MetricMapping chosen = chooseRules(metricPresets(), {"sglang:num_running_reqs"});
    const MetricRule* rule = chosen.rule(Signal::requestsRunning);
    QVERIFY(rule != nullptr);
    QVERIFY(std::ranges::find(rule->copies, "tp_rank") != rule->copies.end());
}

// The example of catalogs/SCHEMA.md.
void TestMetricMapping::mappingOfOnesOwn() {
    const Result<MetricMapping> mapping = readMapping(
        "{\"alidade\": 1, \"kind\": \"metric_mapping\", \"id\": \"ours\", \"name\": \"Our cluster\","
        "\"labels\": {\"host\": \"instance\", \"gpu\": \"gpu\", \"job\": \"job_name|job\", \"model\": "
        "\"model_name|job\", \"batch_job\": \"hpc_job\"}, \"rules\": ["
        "{\"signal\": \"sm_clock\", \"metric\": \"DCGM_FI_DEV_SM_CLOCK\", \"unit\": \"MHz\", \"scale\": 1e6, "
        "\"host\": \"Hostname|hostname\"},"
        "{\"signal\": \"step_time\", \"metric\": [\"a_ms\", \"b_ms\"], \"unit\": \"ms\", \"scale\": 0.001},"
        "{\"signal\": \"ttft\", \"metric\": \"vllm:time_to_first_token_seconds\", \"kind\": \"histogram\"}]}",
        "m.json");
    QVERIFY2(mapping, mapping.error().c_str());
    QCOMPARE(mapping->rules.size(), std::size_t{4});
    QCOMPARE(mapping->rules[0].host, std::string("Hostname|hostname"));
    QCOMPARE(mapping->rules[2].metric, std::string("b_ms"));
    QCOMPARE(mapping->rules[2].scale, 0.001);
    QVERIFY(mapping->rules[3].kind == MetricKind::histogram);
    QCOMPARE(mapping->labels.batchJob, std::string("hpc_job"));
}

void TestMetricMapping::mappingReadsBackAsWritten() {
    for (MetricMapping preset : metricPresets()) {
        preset.absent.clear();
        const Result<MetricMapping> back = readMapping(writeMapping(preset), "mapping.json");
        QVERIFY2(back, back.error().c_str());
        QCOMPARE(back->id, preset.id);
        QVERIFY2(*back == preset, preset.id.c_str());
    }
}

void TestMetricMapping::faults_data() {
    QTest::addColumn<QByteArray>("rule");
    QTest::addColumn<QByteArray>("place");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char* name, const char* rule, const char* place, const char* message) {
        QTest::newRow(name) << QByteArray(rule) << QByteArray(place) << QByteArray(message);
    };
    row("unknown field", R"({"signal": "sm_clock", "metric": "x", "scael": 2})", "m.json:/rules/0/scael",
        "scale");
    row("unknown signal", R"({"signal": "sm_clok", "metric": "x"})", "m.json:/rules/0/signal", "sm_clock");
    row("no metric", R"({"signal": "sm_clock"})", "m.json:/rules/0/metric", "missing");
    row("empty metric", R"({"signal": "sm_clock", "metric": []})", "m.json:/rules/0/metric",
        "not a metric name");
    row("scale of zero", R"({"signal": "sm_clock", "metric": "x", "scale": 0})", "m.json:/rules/0/scale",
        "0");
    row("unknown kind", R"({"signal": "sm_clock", "metric": "x", "kind": "guage"})", "m.json:/rules/0/kind",
        "gauge");
    row("counter for a gauge", R"({"signal": "gpu_power", "metric": "x", "kind": "counter"})",
        "m.json:/rules/0/kind", "not a rate");
    row("gauge for events", R"({"signal": "ecc_double_bit", "metric": "x"})", "m.json:/rules/0/kind",
        "counter");
    row("ratio of one", R"({"signal": "prefix_hit_share", "metric": "x", "kind": "ratio"})",
        "m.json:/rules/0/divisor", "missing");
    row("divisor of a gauge", R"({"signal": "gpu_power", "metric": "x", "divisor": "y"})",
        "m.json:/rules/0/divisor", "only a ratio");
    row("info without labels", R"({"signal": "kv_cache_tokens", "metric": "x", "kind": "info"})",
        "m.json:/rules/0/figures", "missing");
    row("braces in the selector", R"({"signal": "gpu_power", "metric": "x", "selector": "a=\"b\"} or y{"})",
        "m.json:/rules/0/selector", "no comma");
    row("host that is not a label", R"({"signal": "gpu_power", "metric": "x", "host": "a b"})",
        "m.json:/rules/0/host", "not a label");
    row("per GPU of a GPU", R"({"signal": "gpu_power", "metric": "x", "per_gpu": true})",
        "m.json:/rules/0/per_gpu", "job");
}

void TestMetricMapping::faults() {
    QFETCH(QByteArray, rule);
    QFETCH(QByteArray, place);
    QFETCH(QByteArray, message);
    const std::string text =
        R"({"alidade": 1, "kind": "metric_mapping", "id": "mine", "name": "Mine", "rules": [)" +
        rule.toStdString() + "]}";
    const Result<MetricMapping> mapping = readMapping(text, "m.json");
    QVERIFY(!mapping);
    const QByteArray error = QByteArray::fromStdString(mapping.error());
    QVERIFY2(error.startsWith(QByteArray(place + ": ")), error.constData());
    QVERIFY2(error.contains(message), error.constData());
}

void TestMetricMapping::everyFaultIsTold() {
    const Result<MetricMapping> mapping = readMapping(
        R"({"alidade": 1, "kind": "metric_mapping", "id": "m", "name": "M", "labels": {"hots": "x"},
            "rules": [{"signal": "gpu_power", "metric": "x", "scale": -1}, {"signal": "loss"}]})",
        "m.json");
    QVERIFY(!mapping);
    QCOMPARE(std::ranges::count(mapping.error(), '\n') + 1, 4); // labels, scale, metric missing and empty
}

void TestMetricMapping::selectors_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("right");
    QTest::newRow("empty") << QByteArray() << true;
    QTest::newRow("one") << QByteArray(R"(a="b")") << true;
    QTest::newRow("two") << QByteArray(R"(a="b",c!~"d|e")") << true;
    QTest::newRow("escaped quote") << QByteArray(R"(a="b\"c")") << true;
    QTest::newRow("brace in the value") << QByteArray(R"(a="}")") << true;
    QTest::newRow("no value") << QByteArray("a=") << false;
    QTest::newRow("no quotes") << QByteArray("a=b") << false;
    QTest::newRow("open quote") << QByteArray(R"(a="b)") << false;
    QTest::newRow("trailing escape") << QByteArray("a=\"b\\") << false;
    QTest::newRow("trailing comma") << QByteArray(R"(a="b",)") << false;
    QTest::newRow("digit first") << QByteArray(R"(1a="b")") << false;
    QTest::newRow("comparison") << QByteArray(R"(a>"b")") << false;
}

void TestMetricMapping::selectors() {
    QFETCH(QByteArray, text);
    QFETCH(bool, right);
    const std::optional<std::string> wrong = selectorFault(text.toStdString());
    QVERIFY2(wrong.has_value() != right, wrong.value_or("").c_str());
}

QTEST_APPLESS_MAIN(TestMetricMapping)

} // namespace tst_metric_mapping

#include "tst_metric_mapping.moc"
