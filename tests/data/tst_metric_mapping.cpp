// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/shipped.h"
#include "data/json/gate.h"
#include "data/observation/mapping_json.h"
#include "data/observation/rule_json.h"
#include "model/observation/mapping_choice.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

using namespace alidade;
using namespace alidade::data;

class TestMetricMapping : public QObject {
    Q_OBJECT
private slots:
    void presetsAreRead();
    void presetsCoverEverySignal();
    void ratesOfDcgmAreGauges();
    void everyPresetHasASource();
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
    row("empty metric", R"({"signal": "sm_clock", "metric": []})", "m.json:/rules/0/metric", "no name");
    row("scale of zero", R"({"signal": "sm_clock", "metric": "x", "scale": 0})", "m.json:/rules/0/scale",
        "0");
    row("unknown kind", R"({"signal": "sm_clock", "metric": "x", "kind": "guage"})", "m.json:/rules/0/kind",
        "gauge");
    row("counter for a gauge", R"({"signal": "gpu_power", "metric": "x", "kind": "counter"})",
        "m.json:/rules/0/kind", "no rate");
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
    row("host that is no label", R"({"signal": "gpu_power", "metric": "x", "host": "a b"})",
        "m.json:/rules/0/host", "no label");
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
#include "tst_metric_mapping.moc"
