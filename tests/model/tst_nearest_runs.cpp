// SPDX-License-Identifier: GPL-3.0-or-later
// How unlike published configurations are, one difference at a time, and what is said of the nearest.
#include "model/validation/nearest.h"
#include "tests/model/fitted_catalog.h"

#include <QTest>

#include <cmath>
#include <functional>

namespace tst_nearest_runs {

using namespace alidade;
using namespace alidade::tests;

namespace {

using Change = std::function<void(ScenarioSpec&)>;
const double ln2 = std::log(2.0);

ScenarioSpec training() {
    ScenarioSpec out = smallTraining();
    out.cluster.gpus = 16;
    out.plan.contextParallel = out.plan.pipelineParallel = out.plan.expertParallel = 1;
    out.plan.recompute = std::vector<std::string>{"none"};
    return out;
}

ScenarioSpec serving() {
    ScenarioSpec out = smallServing();
    out.cluster.gpus = 4;
    out.plan.tensorParallel = 4;
    return out;
}

ValidationRow rowOf(const ScenarioSpec& spec, RowKind kind = RowKind::training) {
    ValidationRow out;
    out.id = "row";
    out.kind = kind;
    out.rowKind = "benchmark";
    out.quality = kind == RowKind::training ? "high" : "A";
    out.quantity = kind == RowKind::training ? "step_time_s" : "tpot_s";
    out.measured = out.predicted = 1;
    out.scenario = std::make_shared<const ScenarioSpec>(spec);
    return out;
}

double distance(const ScenarioSpec& wanted, const ScenarioSpec& published, RowKind kind) {
    const Catalog catalog = fittedCatalog();
    ValidationReport report;
    report.rows.push_back(rowOf(published, kind));
    return nearestRows(report, wanted, catalog, 1).at(0).distance;
}

void columns() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<double>("away");
}
void add(const char* name, const Change& change, double away) { QTest::newRow(name) << change << away; }
void verify(const ScenarioSpec& spec, RowKind kind) {
    QFETCH(Change, change);
    QFETCH(double, away);
    ScenarioSpec other = spec;
    change(other);
    const double there = distance(spec, other, kind), back = distance(other, spec, kind);
    QVERIFY2(std::abs(there - away) < 1e-9, qPrintable(QString::number(there)));
    QVERIFY(std::abs(back - there) < 1e-9);
}

/// A scenario with an architecture whose parameters are those of the model, times so many.
void widen(ScenarioSpec& spec, int vocabulary) {
    spec.workload.architecture = fittedCatalog().models[0];
    spec.workload.architecture->vocabSize = vocabulary;
}

} // namespace

class TestNearestRuns : public QObject {
    Q_OBJECT

private slots:
    void unlikeTraining_data() {
        columns();
        add("same", [](auto&) {}, 0);
        add("another part", [](auto& s) { s.cluster.custom.gpu = "h200-sxm"; }, 1);
        add("another generation", [](auto& s) { s.cluster.custom.gpu = "a100-80gb-sxm"; }, 3);
        add("an unknown part", [](auto& s) { s.cluster.custom.gpu = "tpu"; }, 3);
        add(
            "a machine of the same parts",
            [](auto& s) {
                s.cluster.custom.gpu.reset();
                s.cluster.instance = "p5.48xlarge";
            },
            0);
        add("another precision", [](auto& s) { s.plan.precision = "fp8"; }, 1);
        add("another framework", [](auto& s) { s.plan.framework = "torchtitan"; }, 0.5);
        add("no framework", [](auto& s) { s.plan.framework.reset(); }, 0.5);
        add("recomputation", [](auto& s) { s.plan.recompute = std::vector<std::string>{"full"}; }, 0.3);
        add("recomputation open", [](auto& s) { s.plan.recompute.reset(); }, 0);
        add("twice the GPUs", [](auto& s) { s.cluster.gpus = 32; }, 0.15 * ln2);
        add("half the length", [](auto& s) { s.workload.sequenceLength = 2048; }, 0.15 * ln2);
        add("tensor", [](auto& s) { s.plan.tensorParallel = 4; }, 0.1);
        add("no tensor degree", [](auto& s) { s.plan.tensorParallel.reset(); }, 0.1);
        add("context", [](auto& s) { s.plan.contextParallel = 4; }, 0.2);
        add("pipeline", [](auto& s) { s.plan.pipelineParallel = 8; }, 0.3);
        add("expert", [](auto& s) { s.plan.expertParallel = 2; }, 0.1);
        add("micro-batch", [](auto& s) { s.plan.microBatch = 2; }, 0.1);
        add("a degree of nothing", [](auto& s) { s.plan.microBatch = 0; }, 0);
        add(
            "all of it",
            [](auto& s) {
                s.plan.precision = "fp8";
                s.plan.tensorParallel = 4;
                s.cluster.custom.gpu = "h200-sxm";
            },
            2.1);
    }
    void unlikeTraining() { verify(training(), RowKind::training); }

    /// The same constants under two names are half as far.
    void frameworksOfOneStack() {
        Catalog catalog = fittedCatalog();
        ValidationReport report;
        ScenarioSpec eager = training(), trl = training();
        eager.plan.framework = "torchtitan-eager";
        trl.plan.framework = "transformers";
        report.rows.push_back(rowOf(trl));
        QCOMPARE(nearestRows(report, eager, catalog, 1)[0].distance, 0.25);
        catalog.frameworks[4].stack = "other";
        QCOMPARE(nearestRows(report, eager, catalog, 1)[0].distance, 0.5);
    }

    /// 8.03e9 parameters, of which 2 x 4,096 are of each word.
    void sizesOfModels() {
        ScenarioSpec same = training(), larger = training();
        widen(same, 128256);
        widen(larger, 2 * 128256);
        QCOMPARE(distance(training(), same, RowKind::training), 0.0);
        const double layers =
                         32 * (2.0 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096.0 * 14336 + 2 * 4096) + 4096,
                     words = 128256.0 * 4096;
        const double apart = std::log((layers + 4 * words) / (layers + 2 * words));
        const double found = distance(training(), larger, RowKind::training);
        QVERIFY2(std::abs(found - 0.5 * apart) < 0.02, qPrintable(QString::number(found)));
        // Of serving both counts: all parameters, and the active ones.
        ScenarioSpec served = serving(), servedLarger = serving();
        widen(served, 128256);
        widen(servedLarger, 2 * 128256);
        const double both = distance(served, servedLarger, RowKind::serving);
        QVERIFY2(std::abs(both - 0.5 * apart) < 0.03, qPrintable(QString::number(both)));
        ScenarioSpec experts = training();
        experts.workload.model = "qwen3-30b-a3b";
        QVERIFY(distance(training(), experts, RowKind::training) > 2);
        QVERIFY(distance(training(), experts, RowKind::training) < 2.7);
        experts = serving();
        experts.workload.model = "qwen3-30b-a3b"; // ln(30.5 / 8.0) and ln(8.0 / 3.3)
        QVERIFY(distance(serving(), experts, RowKind::serving) > 1.4);
        QVERIFY(distance(serving(), experts, RowKind::serving) < 1.7);
    }

    void unlikeServing_data() {
        columns();
        add("same", [](auto&) {}, 0);
        add("another part", [](auto& s) { s.cluster.custom.gpu = "h200-sxm"; }, 1);
        add("another generation", [](auto& s) { s.cluster.custom.gpu = "gb200"; }, 3);
        add("a phase", [](auto& s) { s.workload.phase = "decode"; }, 1);
        add("both phases, said", [](auto& s) { s.workload.phase = "both"; }, 0);
        add("other weights", [](auto& s) { s.plan.weights = "fp8"; }, 0.5);
        add("another engine", [](auto& s) { s.plan.engine = "sglang-0.5.9"; }, 0.3);
        add("arrivals", [](auto& s) { s.workload.concurrency.reset(); }, 0.5);
        add(
            "twice the GPUs, as many requests on each",
            [](auto& s) {
                s.cluster.gpus = 8;
                s.workload.concurrency = 32;
            },
            0.1 * ln2);
        add("twice the requests", [](auto& s) { s.workload.concurrency = 32; }, 0.15 * ln2);
        add("prompts", [](auto& s) { s.workload.inputTokens = 4000; }, 0.3 * ln2);
        add("answers", [](auto& s) { s.workload.outputTokens = 100; }, 0.15 * ln2);
        add("no answers", [](auto& s) { s.workload.outputTokens.reset(); }, 0.15 * std::log(200));
        add("tensor", [](auto& s) { s.plan.tensorParallel = 8; }, 0.1);
        add("pipeline", [](auto& s) { s.plan.pipelineParallel = 4; }, 0.2);
        add("expert", [](auto& s) { s.plan.expertParallel = 8; }, 0.3);
        add("attention", [](auto& s) { s.plan.attentionDataParallel = 2; }, 0.1);
    }
    void unlikeServing() { verify(serving(), RowKind::serving); }

    void racks() {
        Catalog catalog = fittedCatalog();
        UltraServer& rack = catalog.ultraservers.emplace_back();
        rack.id = "rack";
        rack.instance = "p5.48xlarge";
        ScenarioSpec published = training();
        published.cluster.custom.gpu.reset();
        published.cluster.ultraserver = "rack";
        ValidationReport report;
        report.rows.push_back(rowOf(published));
        QCOMPARE(nearestRows(report, training(), catalog, 1)[0].distance, 0.0);
        published.cluster.ultraserver = "unheard of";
        report.rows[0] = rowOf(published);
        QCOMPARE(nearestRows(report, training(), catalog, 1)[0].distance, 3.0);
    }

    /// Rows that say nothing of a time, that are of another kind or not judged, are not near.
    void whichRowsCount() {
        const Catalog catalog = fittedCatalog();
        const auto counts = [&](const ScenarioSpec& wanted, RowKind kind, auto change) {
            ValidationReport report;
            report.rows.push_back(rowOf(wanted, kind));
            change(report.rows[0]);
            return nearestRows(report, wanted, catalog, 5).size() == 1;
        };
        const auto none = [](ValidationRow&) {};
        QVERIFY(counts(training(), RowKind::training, none));
        QVERIFY(counts(training(), RowKind::training, [](auto& r) { r.quantity = "mfu"; }));
        QVERIFY(!counts(training(), RowKind::training, [](auto& r) { r.quantity = "peak_memory_bytes"; }));
        QVERIFY(!counts(training(), RowKind::training, [](auto& r) { r.quality = "low"; }));
        QVERIFY(!counts(training(), RowKind::training, [](auto& r) { r.scenario.reset(); }));
        QVERIFY(!counts(training(), RowKind::serving, none));
        QVERIFY(counts(serving(), RowKind::serving, none));
        QVERIFY(!counts(serving(), RowKind::serving, [](auto& r) { r.quality = "C"; }));
        QVERIFY(!counts(serving(), RowKind::serving, [](auto& r) { r.scenario.reset(); }));
        QVERIFY(!counts(serving(), RowKind::training, none));
    }

    void ranksOfQuantities() {
        const auto rank = [](const char* quantity) {
            ValidationRow row;
            row.quantity = quantity;
            return servingRank(row);
        };
        const char* order[] = {"output_tokens_per_s", "tpot_s", "itl_s", "input_tokens_per_s",
                               "prefill_s",           "ttft_s", "e2e_s"};
        for (std::size_t i = 0; i < std::size(order); ++i)
            QCOMPARE(rank(order[i]), i);
        QCOMPARE(rank("output_tokens_per_s_per_gpu"), std::size_t{0});
    }

    void texts() {
        const Catalog catalog = fittedCatalog();
        const std::string none = "No published run is like it: the figures are extrapolated.";
        QCOMPARE(nearestRunText(catalog, nullptr), none);
        ValidationRow row = rowOf(training());
        row.model = "GPT 175B";
        row.gpus = 1024;
        row.gpu = "h100-sxm";
        row.sourceTitle = "a paper";
        row.error = 0.25;
        const auto text = [&](const char* quantity, double error) {
            row.quantity = quantity;
            row.error = error;
            return QString::fromStdString(nearestRunText(catalog, &row));
        };
        const QString begin = QStringLiteral(
            "The published run most like it: GPT 175B on 1,024 H100 (a paper); its predicted time is %1.");
        QCOMPARE(text("step_time_s", 0.25), begin.arg(QLatin1String("25 % too long")));
        QCOMPARE(text("step_time_s", -0.25), begin.arg(QLatin1String("25 % too short")));
        QCOMPARE(text("tokens_per_s", 0.25), begin.arg(QLatin1String("20 % too short"))); // a rate
        QCOMPARE(text("tokens_per_s_per_gpu", -0.2), begin.arg(QLatin1String("25 % too long")));
        QCOMPARE(text("mfu", -0.2), begin.arg(QLatin1String("25 % too long")));
        row.precision = "bf16";
        row.gpu = "tpu";
        QVERIFY2(text("step_time_s", 0.1)
                     .startsWith(QLatin1String("The published run most like it: GPT 175B on 1,024 tpu, ")),
                 qPrintable(text("step_time_s", 0.1)));

        ValidationReport report;
        ScenarioSpec far = smallTraining();
        far.cluster.gpus = 16;
        report.rows.push_back(rowOf(far));
        report.rows[0].model = "Llama";
        const auto of = [&](const ScenarioSpec& plan) {
            return nearestRunText(report, plan, catalog, catalog.defaultProfile);
        };
        QVERIFY(of(smallTraining()).starts_with("The published run most like it: Llama"));
        far.cluster.custom.gpu = "a100-80gb-sxm";
        report.rows[0] = rowOf(far);
        QCOMPARE(of(smallTraining()), none); // 3 away
        report.rows.clear();
        QCOMPARE(of(smallTraining()), none);
        ScenarioSpec plan = smallTraining();
        plan.workload.model = "unheard of";
        QCOMPARE(of(plan), std::string());
        plan = smallTraining();
        plan.workload.kind = WorkloadKind::reinforcementLearning;
        QCOMPARE(of(plan), std::string());
    }
};

QTEST_APPLESS_MAIN(TestNearestRuns)

} // namespace tst_nearest_runs

#include "tst_nearest_runs.moc"
