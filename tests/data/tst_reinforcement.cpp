// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
// Scenarios of reinforcement learning and of fine-tuning, from the file to the documented answer.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/estimate/estimate_json.h"
#include "data/json/json.h"
#include "data/scenario/scenario_json.h"
#include "data/validation/published_json.h"
#include "explained.h"
#include "model/engine/engine.h"
#include "model/estimate/reinforcement.h"
#include "model/posttraining/response_lengths.h"
#include "model/scenario/fields.h"
#include "model/validation/predict_row.h"

#include <QtTest>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tst_reinforcement {

using namespace alidade;
using Json = nlohmann::ordered_json;

namespace {

const Catalog& catalog() {
    static const auto shipped = data::loadShippedCatalog().catalog;
    return *shipped;
}

ScenarioSpec shipped(const char* id) {
    const auto text = data::shippedScenario(id);
    return *data::readScenario(*text, id);
}

ScenarioSpec with(ScenarioSpec spec, std::initializer_list<std::pair<const char*, const char*>> fields) {
    for (const auto& [path, text] : fields) {
        const auto changed = withField(spec, path, text);
        if (!changed)
            qFatal("%s: %s", path, changed.error().c_str());
        spec = *changed;
    }
    return spec;
}

Estimate answered(const ScenarioSpec& spec) {
    auto answer = estimate(spec, catalog(), catalog().defaultProfile, {.fixes = false});
    if (!answer)
        qFatal("%s", answer.error().c_str());
    return *std::move(answer);
}

double phase(const Reinforcement& rl, std::string_view name) {
    for (const RlPhaseT<double>& each : rl.phases)
        if (each.name == name)
            return each.seconds;
    return 0;
}

constexpr const char* colocated = "grpo-qwen3-32b-8xp5en.48xlarge";
constexpr const char* oneStepOff = "grpo-qwen3-32b-one-step-off-8xp5en.48xlarge";

} // namespace

class TestReinforcement : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Sources give the longest response of a step, or how many were cut: the spread of the lengths is what
    /// makes them so.
    void spreadOfPublishedLengths() {
        const auto predicted = [](const PublishedReinforcement& row) {
            ValidationReport report;
            predictReinforcement(row, catalog(), catalog().defaultProfile, report);
            for (const auto& skipped : report.skipped)
                qWarning("%s", skipped.why.c_str());
            return report.rows.empty() ? nullptr : report.rows.front().scenario;
        };
        const std::vector<PublishedReinforcement> rows = data::shippedPublished().reinforcement;
        // Qwen2.5 7B on 32 H20, rollout and training in turns.
        const auto found =
            std::ranges::find(rows, "verl-fullyasync-7b-32gpu-sync", &PublishedReinforcement::id);
        QVERIFY(found != rows.end());
        PublishedReinforcement row = *found;
        row.prompts = 64;
        row.samples = 8;
        row.sequences = 512;
        row.updates = 1;
        row.responseTokens = 1000;
        row.responseLimit = 4000;
        const auto lengths = [&] {
            const auto spec = predicted(row);
            if (!spec)
                qFatal("the step is not predicted");
            const auto& r = spec->workload.reinforcement;
            return ResponseLengths(*r.responseTokens, *r.responseTokensCv, *r.responseLimit);
        };
        row.longestResponse = 3000;
        row.cutShare.reset();
        QVERIFY(std::abs(lengths().longestOf(512) / 3000 - 1) < 1e-6);
        row.longestResponse.reset();
        row.cutShare = 0.02;
        QVERIFY(std::abs(lengths().cutShare() / 0.02 - 1) < 1e-6);
    }

    void samplesRunAndFit_data() {
        QTest::addColumn<QString>("id");
        for (const char* id : {colocated, oneStepOff, "ppo-llama-3.1-70b-16xp5.48xlarge"})
            QTest::newRow(id) << id;
    }
    void samplesRunAndFit() {
        QFETCH(QString, id);
        const Estimate e = answered(shipped(qPrintable(id)));
        std::string problems;
        for (const Problem& problem : e.problems)
            problems += problem.place + ": " + problem.message + "\n";
        QVERIFY2(e.runs && e.fits, problems.c_str());
        QVERIFY(e.reinforcement && !e.training && !e.serving);
        QVERIFY(e.headline->low < e.headline->value && e.headline->value < e.headline->high);
    }

    /// Phases after each other make the step; of two sides the longer one and the synchronization.
    void phasesMakeTheStep() {
        const Reinforcement turns = *answered(shipped(colocated)).reinforcement;
        double sum = 0;
        for (const auto& each : turns.phases) {
            QVERIFY(std::abs(each.start - sum) <= 1e-9 * turns.stepTime);
            sum += each.seconds;
        }
        QVERIFY(std::abs(sum / turns.stepTime - 1) < 1e-9);
        const Reinforcement apart = *answered(shipped(oneStepOff)).reinforcement;
        const double rollout = phase(apart, "generation") + phase(apart, "reward");
        const double training = phase(apart, "log_prob") + phase(apart, "reference") + phase(apart, "update");
        QVERIFY(std::abs((std::max(rollout, training) + phase(apart, "weight_sync")) / apart.stepTime - 1) <
                1e-9);
        double exposed = 0;
        for (const auto& each : apart.phases)
            exposed += each.exposed;
        QVERIFY(std::abs(exposed / apart.stepTime - 1) < 1e-9);
        QVERIFY(apart.pools.size() == 2);
    }

    /// More work takes longer, more machines do not.
    void isMonotone() {
        const ScenarioSpec base = shipped(colocated);
        const double now = answered(base).reinforcement->stepTime;
        const auto step = [&](std::initializer_list<std::pair<const char*, const char*>> fields) {
            return answered(with(base, fields)).reinforcement->stepTime;
        };
        QVERIFY(step({{"workload.prompts_per_step", "1024"}}) > now);
        QVERIFY(step({{"workload.response_tokens", "6000"}}) > now);
        QVERIFY(step({{"workload.response_limit", "60000"}}) > now);
        QVERIFY(step({{"workload.updates_per_step", "64"}}) > now);
        QVERIFY(step({{"workload.epochs", "2"}}) > now);
        QVERIFY(step({{"workload.kept_share", "0.5"}}) > now);
        QVERIFY(step({{"workload.reference", "false"}}) < now);
        QVERIFY(step({{"cluster.instances", "16"}}) < now);
        QVERIFY(step({{"workload.algorithm", "ppo"}}) > now);
    }

    void stalenessHelpsUpToTheLongerSide() {
        const ScenarioSpec base = with(shipped(oneStepOff), {{"plan.placement", "async"}});
        double before = 1e9;
        for (const char* staleness : {"0.1", "0.5", "2"}) {
            const Estimate e = answered(with(base, {{"plan.staleness", staleness}}));
            QVERIFY(phase(*e.reinforcement, "generation") < before);
            before = phase(*e.reinforcement, "generation");
        }
    }

    void roundTrips() {
        const ScenarioSpec spec = shipped(oneStepOff);
        const std::string text = data::writeScenario(spec);
        const ScenarioSpec again = *data::readScenario(text, "again");
        QCOMPARE(data::writeScenario(again), text);
        QVERIFY(again.roles.read().rollout.tensorParallel == 4);
        QVERIFY(again.roles.read().rolloutGpus == 32);
        // The resolved scenario gives the same answer.
        const Estimate first = answered(spec);
        const Estimate second = answered(first.scenario);
        QVERIFY(std::abs(second.reinforcement->stepTime / first.reinforcement->stepTime - 1) < 1e-12);
    }

    void copiesOfASpecDoNotShareChanges() {
        const ScenarioSpec first = shipped(oneStepOff);
        ScenarioSpec second = first;
        second.roles.write().rollout.tensorParallel = 8;
        QVERIFY(first.roles.read().rollout.tensorParallel == 4);
    }

    void wrongRequestsSayWhatIsWrong_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("expected");
        QTest::newRow("no prompts") << "workload.prompts_per_step" << "" << "/workload/prompts_per_step";
        QTest::newRow("no length") << "workload.response_tokens" << "" << "/workload/response_tokens";
        QTest::newRow("limit") << "workload.response_limit" << "100" << "/workload/response_limit";
        QTest::newRow("critic") << "workload.critic" << "lama" << "";
        QTest::newRow("pools") << "plan.rollout.gpus" << "64" << "/plan/rollout/gpus";
        QTest::newRow("path") << "plan.weight_sync" << "refit" << "/plan/weight_sync";
        QTest::newRow("degree") << "plan.train.tensor_parallel" << "3" << "/plan/train/";
    }
    void wrongRequestsSayWhatIsWrong() {
        QFETCH(QString, path);
        QFETCH(QString, value);
        QFETCH(QString, expected);
        const ScenarioSpec spec = *withField(shipped(oneStepOff), path.toStdString(), value.toStdString());
        const auto answer = estimate(spec, catalog(), catalog().defaultProfile, {.fixes = false});
        std::string said = answer ? "" : answer.error();
        if (answer)
            for (const Problem& problem : answer->problems)
                said += problem.place + ": " + problem.message + "\n";
        QVERIFY2(said.find(expected.toStdString()) != std::string::npos, said.c_str());
        QVERIFY(expected.isEmpty() || !answer || !answer->runs);
    }

    void holdsTheDocumentedKeys() {
        const Json document = Json::parse(data::writeEstimate(answered(shipped(oneStepOff))));
        const Json& rl = document.at("reinforcement_learning");
        for (const char* key : {"step_time_s", "phases", "pools", "tokens_per_s", "dollars_per_1000_steps",
                                "staleness_steps"}) {
            QVERIFY2(rl.contains(key), key);
        }
        for (const char* key : {"name", "pool", "start_s", "seconds", "exposed_s", "bound"})
            QVERIFY2(rl.at("phases").at(0).contains(key), key);
        for (const char* key : {"name", "gpus", "idle_share", "memory"})
            QVERIFY2(rl.at("pools").at(0).contains(key), key);
        QVERIFY(rl.at("pools").at(0).at("memory").at(0).contains("bytes"));
        QVERIFY(!document.contains("training") && !document.contains("serving"));
    }

    void figuresAreExplained() {
        const ScenarioSpec spec = shipped(colocated);
        const Json document = Json::parse(data::writeEstimate(answered(spec)));
        for (const char* path :
             {"reinforcement_learning.step_time_s", "reinforcement_learning.tokens_per_s",
              "reinforcement_learning.phases.0.seconds", "reinforcement_learning.dollars_per_1000_steps",
              "reinforcement_learning.pools.0.memory.0.bytes", "memory.total_bytes", "headline.value"}) {
            const double value =
                document
                    .at(Json::json_pointer("/" + QString::fromLatin1(path).replace(u'.', u'/').toStdString()))
                    .get<double>();
            const std::string fault = test::explanationFault(spec, catalog(), path, value);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void quantizedBaseSavesMemory() {
        const ScenarioSpec spec = shipped("llama-3.3-70b-qlora-1xp5.4xlarge");
        const Estimate narrow = answered(spec);
        QVERIFY(narrow.runs && narrow.fits);
        const Estimate wide = answered(with(spec, {{"workload.finetune.kind", "lora"}}));
        QVERIFY(!wide.fits); // 141 GB of weights
        // 68.5e9 parameters of the layers in 4.127 bits, embedding and output layer in 16.
        const double layers = 68.45e9 * 4.127 / 8, outer = 2.0 * 128256 * 8192 * 2;
        QVERIFY(std::abs(narrow.memory->parts.front().bytes / (layers + outer) - 1) < 0.02);
        QVERIFY(narrow.training->runTime.has_value());
    }

    void preferencePairsCostTwoSequencesAndTheReference() {
        ScenarioSpec spec = with(shipped("llama-3.1-8b-8xp5.48xlarge"), {});
        const double one = answered(spec).training->stepTime;
        const Estimate pairs = answered(with(spec, {{"workload.finetune.method", "dpo"}}));
        // Twice the sequences, and a third of the work of each once more for the reference.
        QVERIFY(pairs.training->stepTime > 2.1 * one);
        QVERIFY(pairs.training->stepTime < 3 * one);
    }

    /// Packed short examples attend within themselves only.
    void packingSavesAttention() {
        const ScenarioSpec spec =
            with(shipped("llama-3.1-8b-8xp5.48xlarge"),
                 {{"workload.sequence_length", "16384"}, {"workload.global_batch", "64"}});
        const Estimate whole = answered(spec);
        const Estimate packed = answered(with(spec, {{"workload.finetune.example_tokens", "500"}}));
        QVERIFY(packed.training->stepTime < 0.97 * whole.training->stepTime);
        const Estimate padded = answered(
            with(spec, {{"workload.finetune.example_tokens", "500"}, {"workload.finetune.packed", "false"}}));
        QVERIFY(padded.training->stepTime < packed.training->stepTime);
        const Estimate counted = answered(with(spec, {{"workload.finetune.example_tokens", "500"},
                                                      {"workload.finetune.examples", "100000"},
                                                      {"workload.finetune.epochs", "3"}}));
        const double tokens =
            counted.training->tokensPerSecond * *counted.training->runTime * counted.training->goodput;
        QVERIFY(std::abs(tokens / 1.5e8 - 1) < 1e-6);
    }
};

QTEST_GUILESS_MAIN(TestReinforcement)

} // namespace tst_reinforcement

#include "tst_reinforcement.moc"
