// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// Every number of `estimate --json` of every shipped scenario has an explanation whose terms recombine to it.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/estimate/estimate_json.h"
#include "data/json/json.h"
#include "data/scenario/scenario_json.h"
#include "explained.h"
#include "model/scenario/fields.h"

#include <QtTest>

namespace tst_explain {

using namespace alidade;
using namespace alidade::data;
using Json = nlohmann::ordered_json;

namespace {

const Catalog& catalog() {
    static const auto shipped = loadShippedCatalog().catalog;
    return *shipped;
}

ScenarioSpec shipped(const std::string& id) {
    const auto text = shippedScenario(id);
    if (!text)
        qFatal("no scenario %s", id.c_str());
    const auto spec = readScenario(*text, id);
    if (!spec)
        qFatal("%s", spec.error().c_str());
    return *spec;
}

std::vector<std::pair<std::string, double>> numbersOf(const ScenarioSpec& spec,
                                                      EstimateOptions options = {}) {
    const auto answer = estimate(spec, catalog(), catalog().defaultProfile, options);
    if (!answer)
        qFatal("%s", answer.error().c_str());
    std::vector<std::pair<std::string, double>> out;
    test::collectNumbers(Json::parse(writeEstimate(*answer)), "", out);
    return out;
}

std::string faultOf(const ScenarioSpec& spec, const std::string& path, double value) {
    return test::explanationFault(spec, catalog(), path, value);
}

} // namespace

class TestExplain : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theEvaluatorIsRight() {
        const auto result = [](const char* formula) {
            return test::FormulaEvaluator(formula, {{"a", 2}, {"b_2", 3}}).result();
        };
        QCOMPARE(*result("a + b_2 * 4 - 1"), 13.0);
        QCOMPARE(*result("(a + b_2) / max(a, 5e-1) * pow(2, b_2)"), 20.0);
        QCOMPARE(*result("8 - 3 - (-2)"), 7.0);
        QCOMPARE(*result("min(1, sqrt(16)) + exp(0)"), 2.0);
        QVERIFY(!result("a + c") && !result("a +") && !result("max(a)") && !result("a b_2"));
    }

    void everyNumberOfEveryScenario_data() {
        QTest::addColumn<QString>("id");
        for (const ShippedScenario& scenario : shippedScenarios())
            QTest::newRow(scenario.id.c_str()) << QString::fromStdString(scenario.id);
    }
    void everyNumberOfEveryScenario() {
        QFETCH(QString, id);
        ScenarioSpec spec = shipped(id.toStdString());
        // Each explanation evaluates the scenario anew. Of serving, which takes longer, a part of the numbers
        // of each sample is explained, another one of each, and none is searched for the rate within targets.
        const bool serves = spec.workload.kind == WorkloadKind::serving;
        spec.workload.ttftSloS.reset();
        spec.workload.itlSloS.reset();
        const auto numbers = numbersOf(spec);
        QVERIFY(numbers.size() > 200);
        QByteArray faults;
        int count = 0;
        const std::size_t step = serves ? 5 : 1;
        for (std::size_t i = serves ? static_cast<std::size_t>(id.size()) % step : 0; i < numbers.size();
             i += step) {
            const auto& [path, value] = numbers[i];
            if (const std::string fault = faultOf(spec, path, value); !fault.empty()) {
                faults += QByteArray::fromStdString(fault) + '\n';
                ++count;
            }
        }
        faults.truncate(3000);
        faults.prepend(QByteArray::number(count) += " faults\n");
        QVERIFY2(count == 0, faults.constData());
    }

    void theTimeline() {
        const ScenarioSpec spec = shipped("llama-3.1-405b-2048xp5.48xlarge");
        const auto numbers = numbersOf(spec, {.timeline = true});
        int seen = 0;
        for (const auto& [path, value] : numbers)
            if (path.starts_with("training.timeline.") && ++seen % 997 == 1)
                QCOMPARE(faultOf(spec, path, value), std::string());
        QVERIFY(seen > 10'000);
    }

    void whatDoesNotFitOrRun() {
        ScenarioSpec spec = shipped("llama-3.1-405b-2048xp5.48xlarge");
        for (const auto& [path, text] : {std::pair{"plan.tensor_parallel", "1"},
                                         {"plan.tensor_parallel", "3"},
                                         {"plan.precision", "mxfp8"}}) {
            const auto changed = withField(spec, path, text);
            QVERIFY2(changed, changed.error().c_str());
            for (const auto& [figure, value] : numbersOf(*changed)) {
                QCOMPARE(faultOf(*changed, figure, value), std::string());
                if (figure.starts_with("training.layers"))
                    break; // those are the same formulas as above
            }
        }
    }

    void anArchitectureThatIsWrittenOut() {
        ScenarioSpec spec = shipped("llama-3.1-8b-1xp5.4xlarge");
        spec.workload.architecture = *catalog().model("llama-3.1-8b");
        spec.workload.model.reset();
        int seen = 0;
        for (const auto& [path, value] : numbersOf(spec)) {
            if (path.starts_with("scenario.workload.model.")) {
                ++seen;
                QCOMPARE(faultOf(spec, path, value), std::string());
            }
        }
        QVERIFY(seen > 5);
    }

    void scenarioNumbersSayWhoDecided() {
        const ScenarioSpec spec = shipped("llama-3.1-405b-2048xp5.48xlarge");
        const auto source = [&spec](const char* path) {
            const auto explanation = explainDocument(spec, catalog(), catalog().defaultProfile, path);
            return explanation ? QString::fromStdString(explanation->source) : QString();
        };
        QVERIFY(source("scenario.plan.tensor_parallel").contains(QStringLiteral("written in the scenario")));
        QVERIFY(source("scenario.plan.data_parallel").contains(QStringLiteral("filled in")));
    }

    void whatIsNoNumberIsRefusedWithTheNearest() {
        const ScenarioSpec spec = shipped("llama-3.1-405b-2048xp5.48xlarge");
        const auto refused = [&spec](const char* path) {
            const auto explanation = explainDocument(spec, catalog(), catalog().defaultProfile, path);
            return explanation ? QString() : QString::fromStdString(explanation.error());
        };
        QVERIFY(refused("training.step_tim_s").contains(QStringLiteral("training.step_time_s")));
        QVERIFY(!refused("training.layers").isEmpty());
        QVERIFY(!refused("training.flops_convention").isEmpty());
        QVERIFY(!refused("training.layers.99.count").isEmpty());
        QVERIFY(!refused("").isEmpty());
    }
};

QTEST_APPLESS_MAIN(TestExplain)

} // namespace tst_explain

#include "tst_explain.moc"
