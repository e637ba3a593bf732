// SPDX-License-Identifier: GPL-3.0-or-later
// Validation over published rows of every kind: who is predicted, how rows are weighed, what progress is
// told.
#include "model/validation/validate.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/published_rows.h"

#include <QTest>

#include <string>

namespace tst_whole_validation {

using namespace alidade;
using namespace alidade::tests;

namespace {

PublishedTraining trainingRow(const char* id) {
    PublishedTraining row = trainingRowOf16();
    row.id = id;
    row.group = "g";
    row.confidence.clear();
    row.notes.clear();
    row.source = {};
    return row;
}

PublishedReinforcement reinforcementRow() {
    PublishedReinforcement row = reinforcementRowOf16();
    row.id = "rl";
    row.group = "g";
    row.confidence.clear();
    row.source = {};
    row.update = 50;
    return row;
}

PublishedServing servingRow() {
    PublishedServing row;
    row.id = "serving";
    row.model = "Llama";
    row.architecture = "llama-3.1-8b";
    row.hardware.gpu = "H100";
    row.hardware.gpus = row.hardware.nodes = 1;
    row.engine = "vLLM";
    row.layout.tensor = 1;
    row.weights = row.activations = row.kvCache = "bf16";
    row.load.inputTokens = 1000;
    row.load.outputTokens = 200;
    row.load.lengths = "fixed";
    row.load.concurrency = 16;
    row.load.mode = "offline";
    row.phase = "e2e";
    row.source.title = "paper";
    row.measured.tpot = 0.01;
    row.measured.e2e = 2;
    return row;
}

PublishedRun runOf(const char* group) {
    PublishedRun row;
    row.id = "run";
    row.group = group;
    row.gpu = "H100";
    row.gpus = 8;
    row.figures = {{.quantity = "checkpoint_bytes", .value = 100}};
    row.storage.parameters = 1e9;
    return row;
}

PublishedCollective collectiveRow() {
    PublishedCollective row;
    row.id = "collective";
    row.series = "g";
    row.gpu = "H100";
    row.gpus = 8;
    row.op = "all_gather";
    row.bytes = 1e9;
    row.timeS = 0.01;
    return row;
}

/// Two rows of training, one with its memory, and one of each other kind, all of one group.
PublishedRows rowsOfAllKinds() {
    PublishedRows out;
    out.training = {trainingRow("a"), trainingRow("b")};
    out.training[1].measured.peakMemory = 50e9;
    out.serving = {servingRow()};
    out.collectives = {collectiveRow()};
    out.finetune = {trainingRow("finetune")};
    out.finetune[0].finetune = PublishedFinetune();
    out.finetune[0].finetune->method = "full";
    out.reinforcement = {reinforcementRow()};
    out.runs = {runOf("g")};
    return out;
}

/// "a step_time_s 0.5": of each row.
std::string weights(const PublishedRows& rows) {
    const Catalog catalog = fittedCatalog();
    std::string out;
    for (const ValidationRow& row : validate(rows, catalog, catalog.defaultProfile).rows)
        out += row.id + " " + row.quantity + " " + QString::number(row.weight, 'g', 3).toStdString() + "\n";
    return out;
}

} // namespace

class TestWholeValidation : public QObject {
    Q_OBJECT

private slots:
    void allKinds() {
        const Catalog catalog = fittedCatalog();
        std::string progress;
        const ValidationReport out = validate(
            rowsOfAllKinds(), catalog, catalog.defaultProfile, [&](std::size_t done, std::size_t all) {
                progress += std::to_string(done) + "/" + std::to_string(all) + " ";
            });
        QCOMPARE(progress, std::string("7/7 "));
        for (const auto& each : out.skipped)
            QVERIFY2(false, (each.id + ": " + each.why).c_str());
        QVERIFY(!out.summary.empty());
    }

    /// Every row is a step: after 16 of them, in whatever lists they are.
    void progressOfEachKind() {
        const Catalog catalog = fittedCatalog();
        PublishedRows rows;
        rows.training.assign(3, PublishedTraining());
        rows.serving.assign(3, PublishedServing());
        rows.collectives.assign(3, PublishedCollective());
        rows.finetune.assign(3, PublishedTraining());
        rows.reinforcement.assign(3, PublishedReinforcement());
        rows.runs.assign(2, PublishedRun());
        std::string progress;
        validate(rows, catalog, catalog.defaultProfile, [&](std::size_t done, std::size_t all) {
            progress += std::to_string(done) + "/" + std::to_string(all) + " ";
        });
        QCOMPARE(progress, std::string("16/17 17/17 "));
    }

    /// Rows of one group share a weight of one for each kind of quantity, and those of fine-tuning, of
    /// incomplete rows and of other kinds have one of their own.
    void weightsOfAGroup() {
        PublishedRows rows = rowsOfAllKinds();
        QCOMPARE(weights(rows), std::string("a step_time_s 0.5\n"
                                            "b step_time_s 0.5\n"
                                            "b peak_memory_bytes 1\n"
                                            "serving tpot_s 1\n"
                                            "serving e2e_s 1\n"
                                            "collective time_s 1\n"
                                            "finetune step_time_s 1\n"
                                            "rl rl_step_s 1\n"
                                            "rl update_s 1\n"
                                            "run checkpoint_bytes 1\n"));
        // A rate is a time as well; a layer is not; what is assumed of a plan makes a row incomplete.
        rows = {};
        rows.training.assign(5, trainingRow("a"));
        rows.training[1].measured = {};
        rows.training[1].measured.tokensPerSPerGpu = 8000;
        rows.training[2].layer = PublishedLayerTime{.forward = 0.01, .backward = 0.02, .total = 0.03};
        rows.training[3].group = "other";
        rows.training[4].recompute.clear();
        rows.training[4].microBatch.reset();
        rows.serving = {servingRow(), servingRow()};
        rows.serving[0].measured = rows.serving[1].measured = {};
        // A throughput of the deployment and one of a GPU are one quantity.
        rows.serving[0].measured.outputTokensPerS = 1000;
        rows.serving[1].measured.outputTokensPerSPerGpu = 1000;
        QCOMPARE(weights(rows), std::string("a step_time_s 0.5\n"
                                            "a tokens_per_s_per_gpu 0.5\n"
                                            "a layer_time_s 1\n"
                                            "a step_time_s 1\n"
                                            "a step_time_s 1\n"
                                            "serving output_tokens_per_s 0.5\n"
                                            "serving output_tokens_per_s_per_gpu 0.5\n"));
    }

    /// Names of kinds end where those of groups begin.
    void groupsOfLikeNames() {
        PublishedRows rows;
        rows.runs = {runOf("a"), runOf("a"), runOf("b"), runOf("")};
        QCOMPARE(weights(rows), std::string("run checkpoint_bytes 0.5\n"
                                            "run checkpoint_bytes 0.5\n"
                                            "run checkpoint_bytes 1\n"
                                            "run checkpoint_bytes 1\n"));
    }
};

QTEST_APPLESS_MAIN(TestWholeValidation)

} // namespace tst_whole_validation

#include "tst_whole_validation.moc"
