// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// Numbers of `estimate --json` of services, one of each kind, have explanations whose terms recombine to
// them.
#include "data/catalog/catalog_reader.h"
#include "data/estimate/estimate_json.h"
#include "data/json/json.h"
#include "explained.h"

#include <QtTest>

#include <set>

namespace tst_explain_serving {

using namespace alidade;
using namespace alidade::data;

namespace {

const Catalog& catalog() {
    static const auto shipped = loadShippedCatalog().catalog;
    return *shipped;
}

ScenarioSpec service(const char* model, const char* instance, int instances, double requestsPerSecond) {
    ScenarioSpec s;
    s.workload.kind = WorkloadKind::serving;
    s.workload.model = model;
    s.workload.inputTokens = 2000;
    s.workload.outputTokens = 400;
    s.workload.requestRatePerS = requestsPerSecond;
    s.cluster.instance = instance;
    s.cluster.instances = instances;
    s.cluster.region = "us-east-2";
    s.cluster.purchase = "on_demand";
    s.plan.tensorParallel = 8;
    return s;
}

ScenarioSpec dense() { return service("llama-3.1-70b", "p5en.48xlarge", 1, 2); }

ScenarioSpec experts() {
    ScenarioSpec s = service("deepseek-v3", "p5en.48xlarge", 2, 1);
    s.plan.attentionDataParallel = 2;
    return s;
}

ScenarioSpec apart() {
    ScenarioSpec s = service("llama-3.1-70b", "p5en.48xlarge", 2, 2);
    s.plan.tensorParallel.reset();
    s.plan.disaggregated.prefill.workers = 1;
    s.plan.disaggregated.prefill.tensorParallel = 8;
    s.plan.disaggregated.decode.workers = 1;
    s.plan.disaggregated.decode.tensorParallel = 8;
    return s;
}

ScenarioSpec closedLoop() {
    ScenarioSpec s = dense();
    s.workload.requestRatePerS.reset();
    s.workload.concurrency = 32;
    return s;
}

std::vector<std::pair<std::string, double>> numbersOf(const ScenarioSpec& spec, EstimateOptions options) {
    options.fixes = false;
    const auto answer = estimate(spec, catalog(), catalog().defaultProfile, options);
    if (!answer)
        qFatal("%s", answer.error().c_str());
    std::vector<std::pair<std::string, double>> out;
    test::collectNumbers(nlohmann::ordered_json::parse(writeEstimate(*answer)), "", out);
    return out;
}

/// Where in the document a number stands, without the indices of arrays.
std::string kindOf(const std::string& path) {
    std::string out;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find('.', at), path.size());
        const std::string word = path.substr(at, end - at);
        if (word.find_first_not_of("0123456789") != std::string::npos)
            out += word + ".";
        at = end + 1;
    }
    return out;
}

} // namespace

class TestExplainServing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKindOfNumber_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("dense") << 0;
        QTest::newRow("experts") << 1;
        QTest::newRow("prefill and decode apart") << 2;
        QTest::newRow("closed loop") << 3;
    }
    void everyKindOfNumber() {
        QFETCH(int, which);
        const ScenarioSpec specs[] = {dense(), experts(), apart(), closedLoop()};
        const ScenarioSpec& spec = specs[which];
        const auto numbers = numbersOf(spec, {});
        QVERIFY(numbers.size() > 200);
        QByteArray faults;
        int count = 0;
        std::set<std::string> kinds;
        for (const auto& [path, value] : numbers) {
            // An explanation evaluates the whole scenario: elements of arrays are alike.
            if (!kinds.insert(kindOf(path)).second)
                continue;
            if (const std::string fault = test::explanationFault(spec, catalog(), path, value);
                !fault.empty()) {
                faults += QByteArray::fromStdString(fault) + '\n';
                ++count;
            }
        }
        QVERIFY2(kinds.size() > 100, qPrintable(QString::number(kinds.size())));
        faults.truncate(3000);
        faults.prepend(QByteArray::number(count) += " faults\n");
        QVERIFY2(count == 0, faults.constData());
    }

    void outcomesOfSimulationAndCurve() {
        const ScenarioSpec spec = dense();
        std::set<std::string> seen;
        for (const auto& [path, value] : numbersOf(spec, {.loadCurve = true, .distribution = true})) {
            const bool outcome =
                path.starts_with("serving.load_curve.") || path.starts_with("serving.distribution.");
            if (outcome && seen.insert(kindOf(path)).second) // one of each
                QCOMPARE(test::explanationFault(spec, catalog(), path, value), std::string());
        }
        QVERIFY2(seen.size() >= 14, qPrintable(QString::number(seen.size())));
    }

    void targets() {
        ScenarioSpec spec = dense();
        spec.workload.ttftSloS = 1;
        spec.workload.itlSloS = 0.1;
        for (const auto& [path, value] : numbersOf(spec, {}))
            if (path.find("within_targets") != std::string::npos || path.find("_slo_") != std::string::npos)
                QCOMPARE(test::explanationFault(spec, catalog(), path, value), std::string());
    }

    void overloadedAndTooLarge() {
        ScenarioSpec over = dense();
        over.workload.requestRatePerS = 1000;
        ScenarioSpec large = dense();
        large.workload.model = "llama-3.1-405b";
        large.plan.tensorParallel = 2;
        for (const ScenarioSpec& spec : {over, large}) {
            std::set<std::string> kinds;
            for (const auto& [path, value] : numbersOf(spec, {}))
                if (!path.starts_with("assumptions.") && kinds.insert(kindOf(path)).second)
                    QCOMPARE(test::explanationFault(spec, catalog(), path, value), std::string());
        }
    }
};

QTEST_APPLESS_MAIN(TestExplainServing)

} // namespace tst_explain_serving

#include "tst_explain_serving.moc"
