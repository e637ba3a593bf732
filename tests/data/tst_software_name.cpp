// SPDX-License-Identifier: GPL-3.0-or-later
// Frameworks and engines as people and publications write them.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/catalog/software_name.h"
#include "model/engine/engine.h"
#include "model/scenario/fields.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_software_name {

using namespace alidade;

class TestSoftwareName : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { catalog_ = data::loadShippedCatalog().catalog; }

    void names_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("notes");
        QTest::addColumn<QString>("id"); ///< empty: none
        const auto row = [](const char* words, const char* id, const char* notes = "") {
            QTest::newRow(words) << QString::fromLatin1(words) << QString::fromLatin1(notes)
                                 << QString::fromLatin1(id);
        };
        row("megatron-bridge", "megatron-bridge");
        row("Megatron Bridge 26.08 (NeMo container)", "megatron-bridge-26.06");
        row("NeMo 26.06 container (Megatron Bridge)", "megatron-bridge-26.06");
        row("NeMo 26.04.01 container (Megatron Bridge)", "megatron-bridge");
        row("NeMo 26.04 (MLPerf) v6.0", "nemo-mlperf-6");
        row("NeMo (MLPerf) v5.0", "nemo-mlperf");
        row("NeMo AutoModel (PyTorch, Transformer Engine, DeepEP)", "nemo-automodel");
        row("MEGATRON_BRIDGE", "megatron-bridge");
        row("Megatron-DeepSpeed", "megatron-lm-2021");
        row("DeepSpeed 2021", "deepspeed-2021");
        row("DeepSpeed 0.19.2", "deepspeed");
        row("llm-foundry / Composer FSDP", "mosaicml");
        row("Megatron-Core", "megatron-core");
        row("megatron core", "megatron-moe", "with the Alltoall dispatcher");
        row("vLLM 0.11.1", "vllm");
        row("vllm 0.6.3", "vllm-v0");
        row("TensorRT-LLM 1.0", "tensorrt-llm-1.0");
        row("TensorRT-LLM 1.2.0rc6", "tensorrt-llm");
        row("SGLang 0.5.9", "sglang-0.5.9");
        row("SGLang 0.5.8.post1", "sglang-0.5.9");
        row("SGLang", "sglang");
        row("SGLang nightly-dev-20260216", "sglang-0.5.9");
        row("SGLang nightly-dev-20260402", "sglang");
        row("SGLang 0.5.10.post1", "sglang");
        row("vllmx", "");
        row("Mesh-TensorFlow", "");
        row("", "");
    }
    void names() {
        QFETCH(QString, words);
        QFETCH(QString, notes);
        QFETCH(QString, id);
        const Framework* found =
            softwareNamed(catalog_->frameworks, words.toStdString(), notes.toStdString());
        if (found == nullptr)
            found = softwareNamed(catalog_->engines, words.toStdString(), notes.toStdString());
        QCOMPARE(found != nullptr ? QString::fromStdString(found->id) : QString(), id);
    }

    void releases_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("release");
        const auto row = [](const char* words, const char* release) {
            QTest::newRow(words) << QString::fromLatin1(words) << QString::fromLatin1(release);
        };
        row("NeMo 26.02.01 container (Megatron Bridge)", "NeMo 26.02");
        row("NeMo 26.02 container (Megatron Bridge)", "NeMo 26.02");
        row("NeMo (MLPerf) v5.0", "NeMo (MLPerf) v5.0");
        row("Megatron-Core r0.8.0", "Megatron-Core r0.8");
        row("Megatron Bridge 2026-07", "Megatron Bridge 2026-07");
        row("torchtitan 2024-12, PyTorch nightly", "torchtitan 2024-12");
        row("DeepSpeed 2021", "DeepSpeed 2021");
        row("Megatron-Core (dev)", "Megatron-Core (dev)");
        row("vLLM ", "vLLM");
        row("", "");
    }
    void releases() {
        QFETCH(QString, words);
        QFETCH(QString, release);
        QCOMPARE(QString::fromStdString(softwareRelease(words.toStdString())), release);
    }

    /// The estimate is that of the framework, and says which one was taken.
    void aScenarioMayUseThem() {
        const auto spec = data::readScenario(*data::shippedScenario("llama-3.1-70b-64xp5.48xlarge")).spec;
        const auto estimated = [&](const char* framework) {
            return estimate(*withField(*spec, "plan.framework", framework), *catalog_,
                            catalog_->defaultProfile);
        };
        const auto byId = estimated("megatron-bridge"), byName = estimated("Megatron Bridge");
        QVERIFY(byId && byName);
        QCOMPARE(byName->training->stepTime, byId->training->stepTime);
        QCOMPARE(*byName->scenario.plan.framework, "megatron-bridge");
        const auto said = [](const Estimate& e) {
            return std::ranges::count_if(e.problems,
                                         [](const Problem& p) { return p.place == "/plan/framework"; });
        };
        QCOMPARE(said(*byName), said(*byId) + 1);
    }

    /// Software that the catalog does not have is estimated with a warning and a wider band; a typo is
    /// refused.
    void unknownSoftwareIsLessCertain() {
        const auto check = [this](const char* scenario, const char* field, const char* usual,
                                  const char* typo) {
            const auto spec = data::readScenario(*data::shippedScenario(scenario)).spec;
            const auto estimated = [&](const char* software) {
                return estimate(*withField(*spec, field, software), *catalog_, catalog_->defaultProfile);
            };
            const auto known = estimated(usual), unknown = estimated("Mesh-TensorFlow");
            QVERIFY(known && unknown && unknown->runs);
            const std::string place = std::string("/plan/") + (std::string(field).substr(5));
            const auto warning = std::ranges::find_if(unknown->problems, [&](const Problem& p) {
                return p.place == place && p.severity == Severity::warning;
            });
            QVERIFY(warning != unknown->problems.end());
            QVERIFY(warning->message.find("'Mesh-TensorFlow' is not in the catalog") != std::string::npos);
            QVERIFY(widthOf(*unknown) > 1.3 * widthOf(*known));
            const auto refused = estimated(typo);
            QVERIFY(!refused && refused.error().find("did you mean") != std::string::npos);
        };
        check("llama-3.1-70b-64xp5.48xlarge", "plan.framework", "megatron-core", "megatron-cor");
        check("serve-llama-3.1-8b-1xp5.4xlarge", "plan.engine", "vllm", "vlm");
    }

private:
    /// Of the headline's band.
    static double widthOf(const Estimate& e) { return std::log(e.headline->high / e.headline->low); }

    std::shared_ptr<const Catalog> catalog_;
};

QTEST_APPLESS_MAIN(TestSoftwareName)

} // namespace tst_software_name

#include "tst_software_name.moc"
