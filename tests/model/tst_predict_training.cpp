// SPDX-License-Identifier: GPL-3.0-or-later
// Published rows of training next to the estimate of their scenario.
#include "model/engine/engine.h"
#include "model/training/step_cost.h"
#include "model/validation/predict_row.h"
#include "model/validation/published_scenario.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/published_rows.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_predict_training {

using namespace alidade;
using namespace alidade::tests;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

} // namespace

class TestPredictTraining : public QObject {
    Q_OBJECT

    Catalog catalog_ = fittedCatalog();

    ValidationReport report(const PublishedTraining& row) const {
        ValidationReport out;
        predictTraining(row, catalog_, catalog_.defaultProfile, out);
        return out;
    }
    ValidationRow predicted(const PublishedTraining& row) const { return report(row).rows.at(0); }
    std::string skipped(const PublishedTraining& row) const {
        const ValidationReport out = report(row);
        return out.rows.empty() && !out.skipped.empty() ? out.skipped[0].why : std::string();
    }
    Estimate estimated(const PublishedTraining& row) const {
        return *estimate(*publishedScenario(row, catalog_).spec, catalog_, catalog_.defaultProfile);
    }

private slots:
    void stepsAndRates() {
        PublishedTraining row = trainingRowOf16();
        const Estimate plan = estimated(row);
        const double step = plan.training->stepTime, low = step * plan.headline->value / plan.headline->high,
                     high = step * plan.headline->value / plan.headline->low;
        ValidationRow found = predicted(row);
        QCOMPARE(found.quantity, std::string("step_time_s"));
        QVERIFY(near(found.predicted, step) && near(found.low, low) && near(found.high, high));
        QVERIFY(near(found.error, step / 2 - 1));
        QVERIFY(low < step && step < high);
        row.measured = {};
        row.measured.tokensPerSPerGpu = 8000; // 16,384 tokens of a GPU and step
        found = predicted(row);
        QCOMPARE(found.quantity, std::string("tokens_per_s_per_gpu"));
        QVERIFY(near(found.predicted, 16384 / step) && near(found.low, 16384 / high) &&
                near(found.high, 16384 / low));
    }

    void whatIsReported() {
        const PublishedTraining row = trainingRowOf16();
        const ValidationReport out = report(row);
        const ValidationRow& found = out.rows.at(0);
        QCOMPARE(
            joined({found.id, found.group, found.quality, found.rowKind, found.model, found.family, found.gpu,
                    found.precision, found.framework, found.release, found.sourceTitle, found.sourceLocator,
                    found.sourceTable, found.sourceRow, found.sourceDate, found.notes}),
            QStringLiteral("row, group, high, benchmark, Llama 3.1 8B, dense, h100-sxm, bf16, megatron-core, "
                           "Megatron-Core 0.9, title, locator, table, 3, 2025, notes"));
        QVERIFY(found.kind == RowKind::training && found.complete && found.scenario);
        QCOMPARE(found.gpus, 16);
        QVERIFY(found.parameters > 8e9 && found.parameters < 8.1e9 &&
                found.activeParameters == found.parameters);
        QCOMPARE(out.memoryOutcomes.size(), std::size_t{1});
        QCOMPARE(out.memoryOutcomes[0].outcome, std::string("ok"));
        QVERIFY(out.memoryOutcomes[0].fits && out.memoryOutcomes[0].outOfMemoryProbability < 0.5);
        PublishedTraining untitled = row;
        untitled.software.clear();
        untitled.source.title = "Megatron-Core 0.8 paper";
        QCOMPARE(predicted(untitled).release, std::string("Megatron-Core 0.8"));
        untitled.finetune = PublishedFinetune();
        untitled.finetune->method = "lora";
        QVERIFY(predicted(untitled).kind == RowKind::finetune);
        QCOMPARE(predicted(untitled).rowKind, std::string("lora"));
    }

    /// A trainer of reinforcement learning also does something between its micro-batches: 0.05 s each, 8 of a
    /// replica; 0.45 s by the constant of its own software.
    void policyUpdates() {
        PublishedTraining row = trainingRowOf16();
        row.finetune = PublishedFinetune();
        row.finetune->method = "sft full";
        const double plain = predicted(row).predicted, low = predicted(row).low;
        row.finetune->method = "rl-loss full";
        QVERIFY(std::abs(predicted(row).predicted - plain - 8 * 0.05) < 1e-9);
        QVERIFY(std::abs(predicted(row).low - low - 8 * 0.05) < 1e-9);
        Parameter own = constantIn(catalog_.defaultProfile, "rl_microbatch_time");
        own.stack = "megatron";
        own.value = 0.45;
        catalog_.defaultProfile.parameters.push_back(own);
        QVERIFY(std::abs(predicted(row).predicted - plain - 8 * 0.45) < 1e-9);
        catalog_ = fittedCatalog();
    }

    /// What frameworks count of the memory: neither context nor buffers of the library; fragmentation where
    /// they count what is reserved.
    void memoryOfTheCounter() {
        PublishedTraining row = trainingRowOf16();
        row.measured = {};
        row.measured.peakMemory = 50e9;
        const Memory memory = *estimated(row).memory;
        const auto bytes = [&](MemoryKind kind) {
            return memory.parts.at(static_cast<std::size_t>(kind)).bytes;
        };
        const double outside = bytes(MemoryKind::context) + bytes(MemoryKind::communication),
                     holes = bytes(MemoryKind::fragmentation);
        QVERIFY(outside > 1e9 && holes > 1e8);
        for (const char* words : {"", "max allocated", "active bytes"}) {
            row.measured.peakMemoryDefinition = words;
            QVERIFY(near(predicted(row).predicted, memory.totalBytes - outside - holes));
        }
        row.measured.peakMemoryDefinition = "nvidia-smi"; // sees all of it
        QVERIFY(near(predicted(row).predicted, memory.totalBytes));
        row.measured.peakMemoryDefinition = "reserved";
        const ValidationRow found = predicted(row);
        QCOMPARE(found.quantity, std::string("peak_memory_bytes"));
        QVERIFY(near(found.predicted, memory.totalBytes - outside));
        QVERIFY(near(found.low / memory.lowBytes, found.predicted / memory.totalBytes));
        QVERIFY(near(found.high / memory.highBytes, found.predicted / memory.totalBytes));
        QCOMPARE(found.measured, 50e9);
        QVERIFY(found.assumed.empty());
        row.measured.peakMemory.reset();
        row.measured.peakMemoryPrinted = 40e9;
        QCOMPARE(predicted(row).measured, 40e9);
        QCOMPARE(joined(predicted(row).assumed), QStringLiteral("measured.peak_memory_unit"));
        row.measured.stepTime = 2; // both quantities of one row
        QCOMPARE(report(row).rows.size(), std::size_t{2});
    }

    void layers() {
        PublishedTraining row = trainingRowOf16();
        row.layer = PublishedLayerTime{.forward = 0.01, .backward = 0.02, .total = 0.03};
        const Estimate plan = estimated(row);
        const ValidationReport out = report(row);
        QCOMPARE(out.rows.size(), std::size_t{1}); // nothing besides
        QCOMPARE(out.rows[0].quantity, std::string("layer_time_s"));
        QCOMPARE(out.rows[0].measured, 0.03);
        const auto layer = std::ranges::find(plan.training->layers, "transformer", &Layer::kind);
        QVERIFY(near(out.rows[0].predicted, layer->seconds));
        QVERIFY(near(out.rows[0].high / out.rows[0].predicted, plan.headline->value / plan.headline->low));
        QVERIFY(out.memoryOutcomes.empty());
        row.model.name = "Qwen3 30B-A3B";
        row.model.vocab = 151936;
        row.parallelism.expert = 8;
        row.parallelism.expertTensor = 1;
        QCOMPARE(skipped(row), std::string("the estimate has no separate layer for this model"));
    }

    void whatRanOutOfMemory() {
        PublishedTraining row = trainingRowOf16();
        row.measured = {};
        row.outcome = "oom";
        row.microBatch = 8;
        ValidationReport out = report(row);
        QVERIFY(out.rows.empty() && out.skipped.empty());
        QCOMPARE(out.memoryOutcomes.at(0).outcome, std::string("oom"));
        QCOMPARE(out.memoryOutcomes.at(0).id, std::string("row"));
        row.outcome = "oom_fragmentation";
        QCOMPARE(report(row).memoryOutcomes.size(), std::size_t{1});
        row.outcome = "crashed"; // for another reason
        row.measured.stepTime = 2;
        QVERIFY(report(row).memoryOutcomes.empty());
        QCOMPARE(report(row).rows.size(), std::size_t{1});
    }

    void whatIsSkipped() {
        PublishedTraining row = trainingRowOf16();
        row.measured = {};
        QCOMPARE(skipped(row), std::string("the source gives no time, throughput or memory of this row"));
        row.wholeRun = PublishedWholeRun();
        QCOMPARE(skipped(row),
                 std::string(
                     "the source gives the GPU-hours of a whole run with its interruptions, and neither the "
                     "batch nor the degrees of parallelism"));
        row = trainingRowOf16();
        row.finetune = PublishedFinetune();
        row.finetune->method = "full";
        QVERIFY(skipped(row).empty());
        row.finetune->packed = true;
        QVERIFY(skipped(row).empty());
        row.finetune->packed = false;
        QCOMPARE(
            skipped(row),
            std::string("the examples are padded, not packed, and the source does not give their lengths"));
        row = trainingRowOf16();
        row.model.sequenceLength.reset();
        QCOMPARE(skipped(row), std::string("the source does not give the sequence length"));
        row = trainingRowOf16();
        row.parallelism.tensor = 3; // of 32 heads
        QVERIFY(!skipped(row).empty());
        row = trainingRowOf16();
        row.precision = "FP1";
        QVERIFY(skipped(row).starts_with("/plan/precision"));
    }
};

QTEST_APPLESS_MAIN(TestPredictTraining)

} // namespace tst_predict_training

#include "tst_predict_training.moc"
