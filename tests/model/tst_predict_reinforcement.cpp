// SPDX-License-Identifier: GPL-3.0-or-later
// Published rows of reinforcement learning as scenarios, and their phases next to those of the estimate.
#include "model/engine/engine.h"
#include "model/estimate/reinforcement.h"
#include "model/posttraining/response_lengths.h"
#include "model/validation/predict_row.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/published_rows.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <cmath>
#include <functional>

namespace tst_predict_reinforcement {

using namespace alidade;
using namespace alidade::tests;

namespace {

using Change = std::function<void(PublishedReinforcement&)>;

ValidationReport report(const PublishedReinforcement& row, const Catalog& catalog = fittedCatalog()) {
    ValidationReport out;
    predictReinforcement(row, catalog, catalog.defaultProfile, out);
    return out;
}
QString skipped(const Change& change) {
    PublishedReinforcement row = reinforcementRowOf16();
    change(row);
    const ValidationReport out = report(row);
    return out.skipped.empty() ? QString() : QString::fromStdString(out.skipped[0].why);
}
/// What a change of the row changes in its scenario, then what is assumed.
QString changes(const Change& change) {
    PublishedReinforcement row = reinforcementRowOf16();
    const ValidationReport before = report(row);
    change(row);
    const ValidationReport after = report(row);
    if (before.rows.empty() || after.rows.empty())
        return QLatin1String("skipped: ") + QString::fromStdString(after.skipped.empty()
                                                                       ? before.skipped.at(0).why
                                                                       : after.skipped[0].why);
    return changedFields(*before.rows[0].scenario, *after.rows[0].scenario, "") + QLatin1String(" | ") +
           joined(after.rows[0].assumed);
}

} // namespace

class TestPredictReinforcement : public QObject {
    Q_OBJECT

private slots:
    void everythingSaid() {
        const ValidationReport out = report(reinforcementRowOf16());
        QVERIFY2(!out.rows.empty(), out.skipped.empty() ? "" : out.skipped[0].why.c_str());
        const ValidationRow& row = out.rows[0];
        QCOMPARE(joined(row.assumed), QStringLiteral("workload.response_tokens_cv"));
        QCOMPARE(writtenFields(*row.scenario, "workload."),
                 QStringLiteral(
                     "kind=reinforcement_learning model=llama-3.1-8b algorithm=grpo reference=false "
                     "reward.kind=rule "
                     "prompts_per_step=64 samples_per_prompt=8 prompt_tokens=200 tokens "
                     "response_tokens=500 tokens response_limit=2000 tokens updates_per_step=4 epochs=1"));
        QCOMPARE(writtenFields(*row.scenario, "plan."),
                 QStringLiteral("placement=colocated weight_sync=refit rollout.tensor_parallel=1 "
                                "rollout.engine=vllm rollout.weights=bf16 train.micro_batch_tokens=16384 "
                                "train.framework=transformers train.sharding=fsdp2 train.recompute=full"));
        QCOMPARE(joined({row.id, row.group, row.quality, row.rowKind, row.model, row.family, row.gpu,
                         row.precision, row.framework, row.sourceTitle, row.sourceLocator, row.sourceTable,
                         row.sourceRow, row.sourceDate}),
                 QStringLiteral(
                     "row, group, high, colocated, Llama, dense, h100-sxm, , verl, title, locator, table, "
                     "3, 2025"));
        QVERIFY(row.kind == RowKind::reinforcement && row.complete && row.parameters > 8e9);
        QCOMPARE(row.gpus, 16);
        QCOMPARE(out.memoryOutcomes.size(), std::size_t{1});
        QCOMPARE(out.memoryOutcomes[0].outcome, std::string("ok"));
    }

    void whatIsSkipped() {
        QCOMPARE(skipped([](auto&) {}), QString());
        QCOMPARE(skipped([](auto& r) { r.step.reset(); }),
                 QStringLiteral(
                     "the source gives no time of a step or of its phases, only of a whole run or a rate"));
        for (const auto member : {&PublishedReinforcement::generation, &PublishedReinforcement::logProb,
                                  &PublishedReinforcement::update, &PublishedReinforcement::sync}) {
            QCOMPARE(skipped([member](auto& r) {
                         r.step.reset();
                         r.*member = 1;
                     }),
                     QString());
        }
        QCOMPARE(skipped([](auto& r) { r.modelId = "unheard of"; }),
                 QStringLiteral("the catalog has no model 'unheard of'"));
        QCOMPARE(skipped([](auto& r) { r.modelId.clear(); }),
                 QStringLiteral("the catalog has no model 'Llama'"));
        QCOMPARE(skipped([](auto& r) { r.algorithm = "DPO"; }),
                 QStringLiteral("the method 'DPO' is not modeled"));
        QCOMPARE(skipped([](auto& r) { r.prompts.reset(); }),
                 QStringLiteral("the source does not give the responses of a step"));
        QCOMPARE(skipped([](auto& r) { r.samples.reset(); }),
                 QStringLiteral("the source does not give the responses of a step"));
        QCOMPARE(skipped([](auto& r) { r.responseTokens.reset(); }),
                 QStringLiteral("the source does not give the length of the responses"));
        QCOMPARE(skipped([](auto& r) { r.placement = "elsewhere"; }),
                 QStringLiteral("the placement 'elsewhere' of rollout and training is not modeled"));
        QCOMPARE(skipped([](auto& r) { r.gpu.clear(); }), QStringLiteral("the source does not name the GPU"));
        QCOMPARE(skipped([](auto& r) { r.gpu = "TPU"; }),
                 QStringLiteral("the catalog has no GPU 'TPU'; add a catalog entry of that id"));
        QCOMPARE(skipped([](auto& r) { r.gpus.reset(); }),
                 QStringLiteral("the source does not give the number of GPUs"));
    }

    void workloads_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("changed");
        const auto add = [](const char* name, const Change& change, const char* changed,
                            const char* assumed = "workload.response_tokens_cv") {
            QTest::newRow(name) << change << QString::fromLatin1(QByteArray(changed) + " | " + assumed);
        };
        add("same", [](auto&) {}, "");
        for (const auto& [words, algorithm] : {std::pair("DAPO", "workload.algorithm=dapo"),
                                               {"RLOO", "workload.algorithm=rloo"},
                                               {"REINFORCE++", "workload.algorithm=reinforce++"},
                                               {"GSPO", ""},
                                               {"GPG", ""},
                                               {"any", ""}}) {
            add(words, [words = words](auto& r) { r.algorithm = words; }, algorithm);
        }
        add(
            "PPO without a critic", [](auto& r) { r.algorithm = "PPO without critic"; },
            "workload.algorithm=reinforce++");
        add("a reference", [](auto& r) { r.reference = "frozen"; }, "workload.reference=true");
        add("the time of a reference", [](auto& r) { r.referenceTime = 1; }, "workload.reference=true");
        add("no time of a reference", [](auto& r) { r.referenceTime = 0; }, "");
        add(
            "responses of a step",
            [](auto& r) {
                r.sequences = 128;
                r.prompts.reset();
            },
            "workload.prompts_per_step=16");
        add(
            "responses that do not divide", [](auto& r) { r.sequences = 100; },
            "workload.prompts_per_step=100 workload.samples_per_prompt=1");
        add(
            "one sample",
            [](auto& r) {
                r.sequences = 128;
                r.samples.reset();
            },
            "workload.prompts_per_step=128 workload.samples_per_prompt=1");
        add(
            "the usual prompts", [](auto& r) { r.promptTokens.reset(); }, "workload.prompt_tokens=105 tokens",
            "workload.prompt_tokens, workload.response_tokens_cv");
        add(
            "a limit of the context",
            [](auto& r) {
                r.responseLimit.reset();
                r.contextLimit = 4000;
            },
            "workload.response_limit=3800 tokens");
        add(
            "a limit below the mean",
            [](auto& r) {
                r.responseLimit.reset();
                r.contextLimit = 600;
            },
            "workload.response_limit=500 tokens");
        add(
            "a printed limit below the mean", [](auto& r) { r.responseLimit = 300; },
            "workload.response_limit=500 tokens");
        add(
            "no limit", [](auto& r) { r.responseLimit.reset(); }, "",
            "workload.response_limit, workload.response_tokens_cv");
        add(
            "no number of updates", [](auto& r) { r.updates.reset(); }, "workload.updates_per_step=1",
            "workload.response_tokens_cv, workload.updates_per_step");
        add(
            "sequences of an update",
            [](auto& r) {
                r.updates.reset();
                r.updateSequences = 256; // of 512
            },
            "workload.updates_per_step=2");
        add(
            "larger ones than a step",
            [](auto& r) {
                r.updates.reset();
                r.updateSequences = 1024;
            },
            "workload.updates_per_step=1");
        add(
            "more updates than sequences",
            [](auto& r) {
                r.prompts = 1;
                r.updates = 100;
            },
            "workload.prompts_per_step=1 workload.updates_per_step=8");
        add("epochs", [](auto& r) { r.epochs = 2; }, "workload.epochs=2");
    }
    void workloads() {
        QFETCH(Change, change);
        QTEST(changes(change), "changed");
    }

    void plans_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("changed");
        const auto add = [](const char* name, const Change& change, const char* changed,
                            const char* assumed = "") {
            QTest::newRow(name) << change
                                << QString::fromLatin1(QByteArray(changed) +
                                                       " | workload.response_tokens_cv" + assumed);
        };
        add("SGLang", [](auto& r) { r.engine = "SGLang 0.5"; }, "plan.rollout.engine=sglang-0.5.9");
        add("FP8 rollout", [](auto& r) { r.rolloutPrecision = "FP8"; }, "plan.rollout.weights=fp8");
        add(
            "memory of engines", [](auto& r) { r.memoryUtilization = 0.6; },
            "plan.rollout.memory_utilization=60 %");
        // 16 GB of weights in 35 % of 80 GB.
        add(
            "no degree of the engines", [](auto& r) { r.rolloutTensor.reset(); }, "",
            ", plan.rollout.tensor_parallel");
        add(
            "DeepSpeed", [](auto& r) { r.backend = "DeepSpeed"; },
            "plan.train.framework=deepspeed plan.train.sharding=zero3");
        // 16 GB in 12 % of 80 GB: over two ranks.
        add(
            "Megatron", [](auto& r) { r.backend = "Megatron"; },
            "plan.train.framework=megatron-core plan.train.tensor_parallel=2 -plan.train.sharding",
            ", plan.train.tensor_parallel");
        add(
            "Megatron with degrees",
            [](auto& r) {
                r.backend = "Megatron";
                r.tensor = 4;
                r.pipeline = 2;
                r.context = 1;
                r.data = 2;
            },
            "plan.train.framework=megatron-core plan.train.tensor_parallel=4 plan.train.context_parallel=1 "
            "plan.train.pipeline_parallel=2 plan.train.data_parallel=2 -plan.train.sharding");
        add("no recomputation", [](auto& r) { r.recompute = "none"; }, "plan.train.recompute=none");
        add("verl recomputes", [](auto& r) { r.recompute.clear(); }, "", ", plan.train.recompute");
        for (const char* words : {"optimizer on CPU", "Adam on CPU"})
            add(words, [words](auto& r) { r.offload = words; }, "plan.train.offload.optimizer=100 %");
        add(
            "sequences of a micro-batch",
            [](auto& r) {
                r.tokensPerGpu.reset();
                r.sequencesPerGpu = 2;
            },
            "-plan.train.micro_batch_tokens plan.train.micro_batch=2");
        add(
            "packed to the context",
            [](auto& r) {
                r.tokensPerGpu.reset();
                r.contextLimit = 4096;
            },
            "plan.train.micro_batch_tokens=4096");
        add(
            "GPUs that are shared",
            [](auto& r) {
                r.trainGpus = 8;
                r.rolloutGpus = 8;
            },
            "");
        add("no placement", [](auto& r) { r.placement.clear(); }, "");
    }
    void plans() {
        QFETCH(Change, change);
        QTEST(changes(change), "changed");
    }

    void placements_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("fields");
        const auto add = [](const char* name, const char* placement, const Change& change,
                            const char* fields) {
            QTest::newRow(name) << Change([=](PublishedReinforcement& r) {
                r.placement = placement;
                r.trainGpus = r.rolloutGpus = 8;
                r.gpus.reset();
                change(r);
            }) << QString::fromLatin1(fields);
        };
        add("split", "disaggregated", [](auto&) {}, "split broadcast 8 8 16");
        add("split, in step", "disaggregated_sync", [](auto&) {}, "split broadcast 8 8 16");
        add("a step off", "one_step_off", [](auto&) {}, "one_step_off broadcast 8 8 16");
        add("asynchronous", "disaggregated_async", [](auto&) {}, "async broadcast 8 8 16");
        add(
            "another framework", "disaggregated", [](auto& r) { r.framework = "slime"; },
            "split bucketed 8 8 16");
        add("NeMo", "disaggregated", [](auto& r) { r.framework = "NeMo RL"; }, "split reshard 8 8 16");
        for (const auto& [word, path] : {std::pair("NIXL", "rdma"),
                                         {"RDMA", "rdma"},
                                         {"Moonshot", "host_staged"},
                                         {"reshard", "reshard"},
                                         {"bucket", "bucketed"},
                                         {"checkpoint engine", "bucketed"}}) {
            add(
                word, "disaggregated", [word = word](auto& r) { r.source.title = word; },
                QByteArray(QByteArray("split ") + path + " 8 8 16").constData());
        }
        add("a delta", "disaggregated", [](auto& r) { r.id = "delta"; }, "split delta 8 8 16");
        add(
            "all of a delta", "disaggregated", [](auto& r) { r.id = "delta-full"; },
            "split broadcast 8 8 16");
        add(
            "without the engine", "disaggregated", [](auto& r) { r.id = "ckptengine-off"; },
            "split broadcast 8 8 16");
        add(
            "with the engine", "disaggregated", [](auto& r) { r.id = "ckptengine"; },
            "split bucketed 8 8 16");
        add(
            "all GPUs", "disaggregated",
            [](auto& r) {
                r.rolloutGpus.reset();
                r.gpus = 24;
            },
            "split broadcast 8 0 24");
    }
    void placements() {
        QFETCH(Change, change);
        PublishedReinforcement row = reinforcementRowOf16();
        change(row);
        const ValidationReport out = report(row);
        QVERIFY2(!out.rows.empty(), out.skipped.empty() ? "" : out.skipped[0].why.c_str());
        const RolePlanSpec& roles = out.rows[0].scenario->roles.read();
        QTEST(QStringLiteral("%1 %2 %3 %4 %5")
                  .arg(QLatin1String(roles.placement->c_str()), QLatin1String(roles.weightSync->c_str()))
                  .arg(roles.trainGpus.value_or(0))
                  .arg(roles.rolloutGpus.value_or(0))
                  .arg(*out.rows[0].scenario->cluster.gpus),
              "fields");
    }

    void asynchronousPlans() {
        PublishedReinforcement row = reinforcementRowOf16();
        row.placement = "disaggregated_async";
        row.trainGpus = row.rolloutGpus = 8;
        const auto roles = [&] { return report(row).rows.at(0).scenario->roles.read(); };
        QCOMPARE(*roles().staleness, 1.0);
        QCOMPARE(*roles().partialRollout, true);
        row.staleness = 0;
        QCOMPARE(*roles().partialRollout, false);
        row.staleness = 0.5;
        row.partialRollout = false;
        QCOMPARE(*roles().staleness, 0.5);
        QCOMPARE(*roles().partialRollout, false);
    }

    /// Lengths whose longest of 512, or whose share of cut ones, is the published one.
    void spreadOfLengths() {
        PublishedReinforcement row = reinforcementRowOf16();
        const auto cv = [&] {
            return report(row).rows.at(0).scenario->workload.reinforcement.responseTokensCv;
        };
        QVERIFY(!cv());
        row.longestResponse = 1500;
        QVERIFY(std::abs(ResponseLengths(500, *cv(), 2000).longestOf(512) - 1500) < 1);
        row.longestResponse = 1990; // at the limit: it may have been cut
        QCOMPARE(*cv(), 0.4);       // of short answers
        row.longestResponse = 400;  // below the mean
        QCOMPARE(*cv(), 0.4);
        row.responseTokens = 1000;
        QCOMPARE(*cv(), 0.4);
        row.responseTokens = 1001;
        QCOMPARE(*cv(), 0.8);
        row.responseTokens = 500;
        row.longestResponse.reset();
        row.cutShare = 0.03;
        QVERIFY(std::abs(ResponseLengths(500, *cv(), 2000).cutShare() - 0.03) < 1e-4);
        row.cutShare = 0;
        QCOMPARE(*cv(), 0.4);
    }

    void phasesOfTheEstimate() {
        Catalog catalog = fittedCatalog();
        constantIn(catalog.defaultProfile, "rl_residue").value = 60e9; // no room for the engine beside it
        PublishedReinforcement row = reinforcementRowOf16();
        row.reference = "frozen";
        row.generation = row.logProb = row.update = row.sync = 10;
        ValidationReport out = report(row, catalog);
        const Estimate plan = *estimate(*out.rows.at(0).scenario, catalog, catalog.defaultProfile);
        const auto seconds = [&](const char* name) {
            double sum = 0;
            for (const auto& each : plan.reinforcement->phases)
                sum += each.name == name ? each.seconds : 0;
            return sum;
        };
        const auto verify = [&](const char* quantity, double expected) {
            for (const ValidationRow& each : out.rows) {
                if (each.quantity != quantity)
                    continue;
                QVERIFY2(std::abs(each.predicted - expected) <= 1e-9 * expected, quantity);
                QVERIFY(std::abs(each.low / each.predicted - plan.headline->low / plan.headline->value) <
                        1e-9);
                QVERIFY(std::abs(each.high / each.predicted - plan.headline->high / plan.headline->value) <
                        1e-9);
                return;
            }
            QFAIL(quantity);
        };
        for (const char* name : {"reference", "log_prob", "offload"})
            QVERIFY2(seconds(name) > 0, name);
        verify("rl_step_s", plan.reinforcement->stepTime);
        verify("generation_s", seconds("generation"));
        verify("log_prob_s", seconds("log_prob") + seconds("reference"));
        verify("update_s", seconds("update"));
        verify("weight_sync_s", seconds("weight_sync") + seconds("offload"));
        row.referenceTime = 5; // the reference has a figure of its own
        out = report(row, catalog);
        verify("log_prob_s", seconds("log_prob"));
        row.generation = 0; // no figure
        QCOMPARE(report(row, catalog).rows.size(), std::size_t{4});
    }

    /// Handing over the weights alone needs neither responses nor a size of the cluster.
    void synchronizations() {
        PublishedReinforcement row = reinforcementRowOf16();
        row.kind = "sync";
        row.sync = 10;
        row.prompts.reset();
        row.samples.reset();
        row.responseTokens.reset();
        row.gpus.reset();
        const ValidationReport out = report(row);
        QVERIFY2(out.rows.size() == 1, out.skipped.empty() ? "" : out.skipped[0].why.c_str());
        QCOMPARE(out.rows[0].quantity, std::string("weight_sync_s"));
        QVERIFY(out.memoryOutcomes.empty());
        const ScenarioSpec& spec = *out.rows[0].scenario;
        QCOMPARE(*spec.cluster.gpus, std::int64_t{16}); // two nodes
        QCOMPARE(*spec.workload.reinforcement.promptsPerStep, std::int64_t{256});
        QCOMPARE(*spec.workload.reinforcement.responseTokens, 1000.0);
        QVERIFY(joined(out.rows[0].assumed).contains(QLatin1String("cluster.gpus")));
        const Catalog catalog = fittedCatalog();
        const Estimate plan = *estimate(spec, catalog, catalog.defaultProfile);
        for (const auto& each : plan.reinforcement->phases)
            if (each.name == "weight_sync")
                QVERIFY(std::abs(out.rows[0].predicted - each.seconds) < 1e-9);
    }
};

QTEST_APPLESS_MAIN(TestPredictReinforcement)

} // namespace tst_predict_reinforcement

#include "tst_predict_reinforcement.moc"
