// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/json.h"
#include "data/scenario/scenario_json.h"
#include "model/scenario/fields.h"
#include "sample_estimate.h"

#include <QtTest>

#include <functional>

namespace tst_scenario_json {

using namespace alidade;
using namespace alidade::data;

namespace {

const char* const whole = R"({
  "alidade": 1, "name": "A name",
  "workload": { "kind": "training", "model": "llama-3.1-8b", "sequence_length": 8192, "global_batch": 128, "tokens": 1e12,
                "finetune": { "kind": "lora", "rank": 16, "targets": ["q"] } },
  "cluster": { "instance": "p5.48xlarge", "instances": 16.0, "placement": "packed" },
  "plan": { "tensor_parallel": 8, "sequence_parallel": true, "recompute": ["norms", "glu"], "pipeline_split": [16, 16],
            "overlap": { "gradient": 0.9 }, "virtual_pipeline": null }
})";

} // namespace

class TestScenarioJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsAWholeScenario() {
        const auto spec = readScenario(whole, "a.json");
        QVERIFY2(spec, spec.error().c_str());
        QCOMPARE(spec->name, std::optional<std::string>("A name"));
        QCOMPARE(spec->workload.sequenceLength, std::optional<std::int64_t>(8192));
        QCOMPARE(spec->workload.tokens, std::optional<double>(1e12));
        QCOMPARE(spec->workload.finetune.targets, std::optional(std::vector<std::string>{"q"}));
        QCOMPARE(spec->cluster.instances, std::optional<std::int64_t>(16));
        QCOMPARE(spec->cluster.placement, std::optional(std::vector<std::string>{"packed"}));
        QCOMPARE(spec->plan.recompute, std::optional(std::vector<std::string>{"norms", "glu"}));
        QCOMPARE(spec->plan.overlap.gradient, std::optional<double>(0.9));
        QVERIFY(!spec->plan.virtualPipeline);
    }

    void whatIsWrittenIsReadAgain() {
        const auto same = [](const ScenarioSpec& spec) {
            const std::string text = writeScenario(spec);
            const auto again = readScenario(text, "again.json");
            QVERIFY2(again, again.error().c_str());
            for (const alidade::Field& field : fieldTable())
                QVERIFY2(field.get(*again) == field.get(spec), std::string(field.path).c_str());
            QCOMPARE(writeScenario(*again), text);
        };
        same({});
        same(sample::scenario());
        same(*readScenario(whole, "a.json"));
        for (const alidade::Field& field : fieldTable()) { // each field by itself
            ScenarioSpec spec;
            switch (field.kind) {
            case FieldKind::flag:
                field.set(spec, true);
                break;
            case FieldKind::integer:
                field.set(spec, static_cast<std::int64_t>(field.maximum));
                break;
            case FieldKind::quantity:
                field.set(spec, field.minimum + (field.maximum - field.minimum) / 3);
                break;
            case FieldKind::choice:
                field.set(spec, std::string(field.choices.back()));
                break;
            case FieldKind::text:
                field.set(spec, std::string(!field.rule                          ? "\"ä\\ {"
                                            : field.path.ends_with("rank_order") ? "pp-dp-ep-cp-tp"
                                            : field.path == "order.currency"     ? "EUR"
                                                                                 : "2027-01-04"));
                break;
            case FieldKind::wordList:
                field.set(spec, field.choices.empty() ? std::vector<std::string>{"one"}
                                                      : std::vector<std::string>{"norms"});
                break;
            case FieldKind::integerList:
                field.set(spec, std::vector<std::int64_t>{3, 4});
                break;
            }
            same(spec);
        }
    }

    void anArchitectureIsWrittenOut() {
        const char* const text = R"({ "alidade": 1, "workload": { "model": { "name": "Mine", "layers": 2,
            "hidden_size": 64, "attention_heads": 4, "kv_heads": 2, "head_dim": 16, "ffn_intermediate_size": 128,
            "vocab_size": 1000 } } })";
        const auto spec = readScenario(text, "mine.json");
        QVERIFY2(spec, spec.error().c_str());
        QVERIFY(spec->workload.architecture && !spec->workload.model);
        QCOMPARE(spec->workload.architecture->hiddenSize, 64);
        const auto again = readScenario(writeScenario(*spec), "again.json");
        QVERIFY2(again, again.error().c_str());
        QCOMPARE(again->workload.architecture->kvHeads, 2);
    }

    void faultsHaveTheirPlace_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("part");
        const auto row = [](const char* name, const char* text, const char* pointer, const char* part) {
            QTest::newRow(name) << QByteArray(text) << QString::fromUtf8(pointer) << QString::fromUtf8(part);
        };
        row("no json", "{", "", "line 1");
        row("an array", "[]", "", "object");
        row("no version", "{}", "/alidade", "add \"alidade\": 1");
        row("version 2", R"({"alidade": 2})", "/alidade", "use 1");
        row("unknown field", R"({"alidade": 1, "plan": {"tensor_paralel": 8}})", "/plan/tensor_paralel",
            "did you mean 'tensor_parallel'");
        row("another section", R"({"alidade": 1, "plan": {"instances": 8}})", "/plan/instances",
            "did you mean 'cluster.instances'");
        row("unknown section", R"({"alidade": 1, "clutser": {}})", "/clutser", "unknown field 'clutser'");
        row("section is a number", R"({"alidade": 1, "plan": 3})", "/plan", "an object is expected");
        row("nested", R"({"alidade": 1, "plan": {"overlap": {"gradient": 2}}})", "/plan/overlap/gradient",
            "use 0");
        row("units", R"({"alidade": 1, "cluster": {"custom": {"memory_bytes_per_gpu": "80 GB"}}})",
            "/cluster/custom/memory_bytes_per_gpu", "80000000000");
        row("count in quotes", R"({"alidade": 1, "cluster": {"instances": "2,048"}})", "/cluster/instances",
            "without quotes: 2048");
        row("fraction", R"({"alidade": 1, "cluster": {"instances": 1.5}})", "/cluster/instances",
            "a whole number");
        row("huge", R"({"alidade": 1, "cluster": {"instances": 1e300}})", "/cluster/instances",
            "a whole number");
        row("truth as text", R"({"alidade": 1, "plan": {"sequence_parallel": "yes"}})",
            "/plan/sequence_parallel", "true or false");
        row("choice", R"({"alidade": 1, "plan": {"precision": "bf61"}})", "/plan/precision", "'bf16'");
        row("module as text", R"({"alidade": 1, "plan": {"recompute": "norms"}})", "/plan/recompute",
            "a list");
        row("list of numbers", R"({"alidade": 1, "plan": {"recompute": [1]}})", "/plan/recompute",
            "list of strings");
        row("two machines", R"({"alidade": 1, "cluster": {"instance": "p5.48xlarge", "ultraserver": "u"}})",
            "/cluster/ultraserver", "cluster.instance");
        row("two loads", R"({"alidade": 1, "workload": {"concurrency": 1, "request_rate_per_s": 1}})",
            "/workload/request_rate_per_s", "workload.concurrency");
        row("model is a number", R"({"alidade": 1, "workload": {"model": 3}})", "/workload/model",
            "architecture");
        row("architecture", R"({"alidade": 1, "workload": {"model": {"layers": "x"}}})",
            "/workload/model/layers", "");
        row("duplicate", R"({"alidade": 1, "alidade": 1})", "", "line 1");
    }
    void faultsHaveTheirPlace() {
        QFETCH(QByteArray, text);
        QFETCH(QString, pointer);
        QFETCH(QString, part);
        const ScenarioReading reading =
            readScenario(std::string_view(text.constData(), std::size_t(text.size())));
        QVERIFY(!reading.spec);
        QString all;
        bool found = false;
        for (const JsonFault& fault : reading.faults) {
            all += QString::fromStdString(faultText("f.json", fault)) + u'\n';
            found |= fault.pointer == pointer.toStdString() &&
                     QString::fromStdString(fault.message).contains(part);
        }
        QVERIFY2(found, qPrintable(all));
    }

    void allFaultsAreFound() {
        const ScenarioReading reading = readScenario(
            R"({"alidade": 1, "a": 1, "plan": {"b": 1, "tensor_parallel": 0}, "cluster": {"instances": "x"}})");
        QCOMPARE(reading.faults.size(), std::size_t(4));
    }
};

QTEST_APPLESS_MAIN(TestScenarioJson)

} // namespace tst_scenario_json

#include "tst_scenario_json.moc"
