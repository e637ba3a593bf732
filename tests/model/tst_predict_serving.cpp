// SPDX-License-Identifier: GPL-3.0-or-later
// Published rows of serving next to what their scenario does under the load of the row.
#include "model/engine/engine.h"
#include "model/validation/predict_row.h"
#include "model/validation/serving_runs.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <cmath>

namespace tst_predict_serving {

using namespace alidade;
using namespace alidade::tests;

namespace {

bool near(double a, double b, double to = 1e-9) { return std::abs(a - b) <= to * std::abs(b); }

/// 16 users of one H100; arrivals where a rate is given.
PublishedServing rowOf(const char* mode) {
    PublishedServing row;
    row.id = "row";
    row.model = "Llama";
    row.architecture = "llama-3.1-8b";
    row.hardware.gpu = "H100";
    row.hardware.gpus = 1;
    row.hardware.nodes = 1;
    row.engine = "vLLM";
    row.engineVersion = "0.9.1";
    row.layout.tensor = 1;
    row.weights = row.activations = row.kvCache = "bf16";
    row.load.inputTokens = 1000;
    row.load.outputTokens = 200;
    row.load.lengths = "fixed";
    row.load.concurrency = 16;
    row.load.mode = mode;
    row.phase = "e2e";
    row.quality = "A";
    row.notes = "notes";
    row.source = {.title = "title", .locator = "locator", .table = "table", .row = "3", .date = "2025"};
    return row;
}

} // namespace

class TestPredictServing : public QObject {
    Q_OBJECT

    Catalog catalog_ = fittedCatalog();

    ValidationReport report(const PublishedServing& row) const {
        ValidationReport out;
        predictServing(row, catalog_, catalog_.defaultProfile, out);
        return out;
    }
    const ValidationRow* find(const ValidationReport& report, const char* quantity) const {
        for (const ValidationRow& each : report.rows)
            if (each.quantity == quantity)
                return &each;
        return nullptr;
    }
    double predicted(const PublishedServing& row, const char* quantity) const {
        const ValidationReport out = report(row);
        const ValidationRow* found = find(out, quantity);
        return found ? found->predicted : -1;
    }
    std::string skipped(const PublishedServing& row) const {
        const ValidationReport out = report(row);
        return out.rows.empty() && !out.skipped.empty() ? out.skipped[0].why : std::string();
    }
    QString quantities(const PublishedServing& row) const {
        std::vector<std::string> out;
        for (const ValidationRow& each : report(row).rows)
            out.push_back(each.quantity);
        return joined(out);
    }
    ServingFigures figures(const ScenarioSpec& spec, const ServingRun& run) const {
        const ServingRuns runs = *ServingRuns::of(spec, run, catalog_, catalog_.defaultProfile);
        const auto scratch = std::make_unique<ServingTotals>();
        return *runs.figures(runs.inputs(), *scratch);
    }

private slots:
    void quantitiesOfARow() {
        PublishedServing row = rowOf("offline");
        QCOMPARE(quantities(row), QString());
        PublishedServingFigures& m = row.measured;
        m.ttft = m.prefill = m.tpot = m.itl = m.e2e = 1;
        m.outputTokensPerS = 1000;
        m.inputTokensPerS = 5000;
        m.tokensPerSPerUser = 50;
        // A prefill without a queue is the time to the first token: one figure under two names.
        QCOMPARE(quantities(row), QStringLiteral("prefill_s, tpot_s, itl_s, e2e_s, output_tokens_per_s, "
                                                 "input_tokens_per_s, tokens_per_s_per_user"));
        m.ttft = 2;
        m.outputTokensPerSPerGpu = m.inputTokensPerSPerGpu = 100;
        QCOMPARE(quantities(row),
                 QStringLiteral("ttft_s, prefill_s, tpot_s, itl_s, e2e_s, output_tokens_per_s, "
                                "input_tokens_per_s, tokens_per_s_per_user"));
        row.printed = "output_tokens_per_s_per_gpu";
        QVERIFY(quantities(row).contains(
            QLatin1String("output_tokens_per_s_per_gpu, input_tokens_per_s_per_gpu")));
        row.printed = "tokens/s per 8-GPU node";
        QVERIFY(quantities(row).contains(QLatin1String("output_tokens_per_s_per_gpu")));
        row.printed.clear();
        m.outputTokensPerS.reset();
        QVERIFY(quantities(row).contains(QLatin1String("output_tokens_per_s_per_gpu, input_tokens_per_s,")));
    }

    void figuresOfTheEstimate() {
        PublishedServing row = rowOf("server");
        row.load.requestRate = 4;
        row.load.concurrency.reset();
        row.measured.ttft = row.measured.tpot = row.measured.e2e = row.measured.tokensPerSPerUser = 1;
        row.measured.outputTokensPerS = 1;
        const ValidationReport out = report(row);
        const ValidationRow& first = out.rows.at(0);
        const ServingFigures expected = figures(*first.scenario, {});
        QVERIFY(near(first.predicted, expected.ttft));
        QVERIFY(near(predicted(row, "tpot_s"), expected.tpot) && near(predicted(row, "e2e_s"), expected.e2e));
        QVERIFY(near(predicted(row, "output_tokens_per_s"), 4 * 200, 1e-6)); // all that arrive
        QVERIFY(near(predicted(row, "tokens_per_s_per_user"), 1 / expected.tpot));
        row.engine = "TensorRT-LLM"; // the answer over the whole latency
        QVERIFY(near(predicted(row, "tokens_per_s_per_user"), 200 / predicted(row, "e2e_s")));
    }

    /// 10 % and 90 % quantiles by the constant of each kind of figure.
    void bands() {
        const std::pair<const char*, double> sds[] = {{"serving_ttft_log_sd", 0.4},
                                                      {"serving_time_log_sd", 0.1},
                                                      {"serving_time_log_sd_moe", 0.2},
                                                      {"serving_throughput_log_sd", 0.3}};
        for (const auto& [name, value] : sds)
            constantIn(catalog_.defaultProfile, name).value = value;
        PublishedServing row = rowOf("offline");
        row.measured.ttft = row.measured.tpot = row.measured.tokensPerSPerUser = 1;
        row.measured.outputTokensPerS = 1;
        const auto verify = [&](const char* quantity, double sd) {
            const ValidationReport out = report(row);
            const ValidationRow* found = find(out, quantity);
            QVERIFY2(found, quantity);
            QVERIFY2(near(found->high / found->predicted, std::exp(1.2815515655446004 * sd)), quantity);
            QVERIFY2(near(found->predicted / found->low, std::exp(1.2815515655446004 * sd)), quantity);
        };
        verify("ttft_s", 0.4);
        verify("tpot_s", 0.1);
        verify("tokens_per_s_per_user", 0.1);
        verify("output_tokens_per_s", 0.3);
        row.architecture = "qwen3-30b-a3b";
        row.layout.expert = 1;
        verify("tpot_s", 0.2);
        verify("tokens_per_s_per_user", 0.2);
        row.measured.prefill = 2;
        verify("prefill_s", 0.4);
        catalog_ = fittedCatalog();
    }

    /// Means over requests of different lengths: the mean time over the mean tokens, (e2e - ttft) / 199.
    void timePerToken() {
        PublishedServing row = rowOf("offline");
        row.measured.tpot = 0.5;
        row.measured.ttft = 1;
        row.measured.e2e = 20.9;
        const auto measured = [&] {
            const ValidationReport out = report(row);
            return find(out, "tpot_s")->measured;
        };
        QCOMPARE(measured(), 0.5);
        row.load.lengths = "ShareGPT";
        QVERIFY(near(measured(), 0.1));
        row.load.lengths.clear();
        QCOMPARE(measured(), 0.5);
        row.load.lengths = "ShareGPT";
        row.measured.e2e.reset();
        QCOMPARE(measured(), 0.5);
        row.measured.e2e = 20.9;
        row.measured.ttft.reset();
        QCOMPARE(measured(), 0.5);
    }

    void whatIsReported() {
        PublishedServing row = rowOf("server (closed loop)");
        row.measured.tpot = 1;
        row.load.requests = 48;
        row.load.pollInterval = 10;
        ValidationRow found = report(row).rows.at(0);
        QCOMPARE(
            joined({found.id, found.group, found.quality, found.rowKind, found.model, found.family, found.gpu,
                    found.precision, found.framework, found.release, found.sourceTitle, found.sourceLocator,
                    found.sourceTable, found.sourceRow, found.sourceDate, found.notes}),
            QStringLiteral(
                "row, title: Llama, A, server (closed loop), Llama, dense, h100-sxm, bf16, vllm, vLLM "
                "0.9, title, locator, table, 3, 2025, notes"));
        QVERIFY(found.kind == RowKind::serving && found.scenario && found.parameters > 8e9);
        QCOMPARE(found.gpus, 1);
        QCOMPARE(found.nodes, 1);
        QCOMPARE(found.requestsPerUser, 3.0);
        QCOMPARE(found.pollInterval, 10.0);
        row.load.requests.reset();
        row.load.pollInterval.reset();
        found = report(row).rows.at(0);
        QCOMPARE(found.requestsPerUser, 0.0);
        QCOMPARE(found.pollInterval, 1.0);
        row.source.locator = "ai-dynamo/aiconfigurator: a table";
        QCOMPARE(report(row).rows.at(0).requestsPerUser, 10.0);
        row.load.requests = 48;
        row.load.concurrency.reset();
        row.load.batch = 16;
        QCOMPARE(report(row).rows.at(0).requestsPerUser, 10.0);
        row.engine = "own";
        QCOMPARE(report(row).rows.at(0).framework, std::string("own"));
    }

    void whatIsSkipped() {
        PublishedServing row = rowOf("offline");
        row.measured.tpot = 1;
        row.weights.clear();
        QCOMPARE(skipped(row), std::string("the source does not give the number format of the weights"));
        row = rowOf("offline");
        row.measured.tpot = 1;
        row.weights = "fp1";
        QVERIFY(skipped(row).starts_with("/plan/weights"));
        row = rowOf("offline");
        row.measured.tpot = 1;
        row.hardware.gpu = "l40s"; // 61 GB of weights
        row.architecture = "qwen3-30b-a3b";
        QVERIFY(!skipped(row).empty());
        row = rowOf("server");
        row.measured.tpot = 1;
        row.load.requestRate = 1e6;
        QCOMPARE(skipped(row), std::string("under this load the model finds no steady state"));
    }

    /// Least squares of the gap over four contexts, the answer in their middle.
    void lineOverTheContext() {
        PublishedServing row = rowOf("server (closed loop)");
        row.load.inputTokens.reset();
        row.load.concurrency = 1;
        row.measured.itlLine = PublishedItlLine{.intercept = 0.005, .slope = 1e-8};
        QCOMPARE(quantities(row), QStringLiteral("itl_intercept_s, itl_s_per_context_token"));
        const ValidationReport out = report(row);
        double x = 0, y = 0, xx = 0, xy = 0;
        for (const double context : {2048.0, 16384.0, 49152.0, 98304.0}) {
            ScenarioSpec spec = *out.rows[0].scenario;
            spec.workload.inputTokens = context - 100;
            const double gap = figures(spec, {}).itl;
            x += context / 4;
            y += gap / 4;
            xx += context * context / 4;
            xy += context * gap / 4;
        }
        const double slope = (xy - x * y) / (xx - x * x);
        QVERIFY(near(out.rows[1].predicted, slope, 1e-6) && near(out.rows[0].predicted, y - slope * x, 1e-6));
        QCOMPARE(out.rows[0].measured, 0.005);
        QCOMPARE(out.rows[1].measured, 1e-8);
        // 131,072 bytes of each token at 3.2e12 bytes/s and less.
        QVERIFY(slope > 131072 / 3.2e12 && slope < 3 * 131072 / 3.2e12);
    }
};

QTEST_APPLESS_MAIN(TestPredictServing)

} // namespace tst_predict_serving

#include "tst_predict_serving.moc"
