// SPDX-License-Identifier: GPL-3.0-or-later
// Which classes a report is summed up by, and which rows belong to them.
#include "model/validation/prediction.h"
#include "model/validation/summaries.h"
#include "model/validation/validate.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <cmath>
#include <tuple>

namespace tst_validation_classes {

using namespace alidade;
using namespace alidade::tests;

namespace {

ValidationRow row(RowKind kind, const char* quantity, const char* quality) {
    ValidationRow out;
    out.id = "row";
    out.kind = kind;
    out.quantity = quantity;
    out.quality = quality;
    out.group = "sweep";
    out.rowKind = "benchmark";
    out.family = "dense";
    out.gpu = "h100";
    out.precision = "bf16";
    out.framework = "nemo";
    out.sourceTitle = "paper";
    out.measured = out.predicted = 1;
    out.weight = 1;
    out.gpus = 64;
    return out;
}

QString listed(const std::vector<ValidationSummary>& all) {
    QString out;
    for (const ValidationSummary& each : all) {
        out += QLatin1String(out.isEmpty() ? "" : "; ") +
               QStringLiteral("%1/%2 %3")
                   .arg(QLatin1String(each.group.c_str()), QLatin1String(each.quantity.c_str()))
                   .arg(each.n);
    }
    return out;
}
QString classesOf(const ValidationRow& one) { return listed(summarize({one})); }

} // namespace

class TestValidationClasses : public QObject {
    Q_OBJECT

private slots:
    void stepsOfTraining() {
        ValidationRow one = row(RowKind::training, "step_time_s", "high");
        const QString dense = QStringLiteral(
            "all/step_time_s 1; dense/step_time_s 1; gpu h100/step_time_s 1; dense gpu "
            "h100/step_time_s 1; precision bf16/step_time_s 1; framework nemo/step_time_s 1; source "
            "paper/step_time_s 1; GPUs 10-99/step_time_s 1");
        QCOMPARE(classesOf(one), dense);
        for (const char* rate : {"tokens_per_s_per_gpu", "model_flops_per_s_per_gpu", "mfu"}) {
            one.quantity = rate;
            QCOMPARE(classesOf(one), dense);
        }
        one.family = "moe";
        one.gpus = 1024;
        QCOMPARE(classesOf(one),
                 QStringLiteral(
                     "all/step_time_s 1; moe/step_time_s 1; moe without AWS EFA/step_time_s 1; gpu "
                     "h100/step_time_s 1; moe gpu h100/step_time_s 1; precision bf16/step_time_s 1; at "
                     "least 1,024 "
                     "GPUs/step_time_s 1; framework nemo/step_time_s 1; source paper/step_time_s 1; GPUs "
                     "1000-9999/step_time_s 1"));
        one.gpus = 1023;
        QVERIFY(!classesOf(one).contains(QLatin1String("at least 1,024 GPUs")));
        ScenarioSpec spec;
        one.scenario = std::make_shared<const ScenarioSpec>(spec);
        QVERIFY(classesOf(one).contains(QLatin1String("moe without AWS EFA")));
        spec.cluster.instance = "p5.48xlarge";
        one.scenario = std::make_shared<const ScenarioSpec>(spec);
        QVERIFY(classesOf(one).contains(QLatin1String("AWS EFA expert parallelism/step_time_s 1")));
        QVERIFY(!classesOf(one).contains(QLatin1String("moe without AWS EFA")) &&
                !classesOf(one).contains(QLatin1String("moe gpu")));
        one.family = "dense";
        QVERIFY(classesOf(one).contains(QLatin1String("dense gpu h100")) &&
                !classesOf(one).contains(QLatin1String("AWS EFA")));
        one.quality = "low";
        QCOMPARE(classesOf(one), QStringLiteral("incomplete rows/step_time_s 1"));
    }

    void memoryAndLayers() {
        ValidationRow one = row(RowKind::training, "peak_memory_bytes", "high");
        QCOMPARE(classesOf(one),
                 QStringLiteral("all/peak_memory_bytes 1; known configuration/peak_memory_bytes 1; framework "
                                "nemo/peak_memory_bytes 1"));
        for (const char* field : {"plan.recompute", "plan.micro_batch"}) {
            one.assumed = {"plan.sharding", field};
            QCOMPARE(classesOf(one),
                     QStringLiteral("all/peak_memory_bytes 1; framework nemo/peak_memory_bytes 1"));
        }
        one.complete = false;
        QCOMPARE(classesOf(one), QStringLiteral("incomplete rows/peak_memory_bytes 1"));
        QCOMPARE(classesOf(row(RowKind::training, "layer_time_s", "low")),
                 QStringLiteral("all/layer_time_s 1"));
    }

    void servingRows() {
        ValidationRow one = row(RowKind::serving, "tpot_s", "B");
        one.rowKind = "offline";
        QCOMPARE(
            classesOf(one),
            QStringLiteral("all/tpot_s 1; dense/tpot_s 1; gpu h100/tpot_s 1; precision bf16/tpot_s 1; engine "
                           "nemo/tpot_s "
                           "1; load offline/tpot_s 1; source paper/tpot_s 1; GPUs 10-99/tpot_s 1"));
        one.quality = "C";
        QCOMPARE(classesOf(one), QStringLiteral("quality C/tpot_s 1"));
        for (const char* quantity :
             {"ttft_s", "itl_s", "e2e_s", "prefill_s", "tokens_per_s_per_user", "itl_intercept_s",
              "itl_s_per_context_token", "input_tokens_per_s_per_gpu"}) {
            one.quantity = quantity;
            QCOMPARE(classesOf(one), QStringLiteral("quality C/%1 1").arg(QLatin1String(quantity)));
        }
        one.quantity = "input_tokens_per_s";
        QCOMPARE(classesOf(one), QStringLiteral("quality C/input_tokens_per_s_per_gpu 1"));
        one.quantity = "step_time_s";
        QCOMPARE(classesOf(one), QString());
    }

    void collectives() {
        ValidationRow one = row(RowKind::collective, "time_s", "A");
        one.framework = "nccl-tests 2.17";
        one.operation = "all_reduce";
        one.bytes = 1'048'576;
        one.nodes = 1;
        const QString ofAll = QStringLiteral(
            "operation all_reduce/time_s 1; gpu h100/time_s 1; library nccl-tests 2.17/time_s 1");
        QCOMPARE(classesOf(one),
                 QStringLiteral("all/time_s 1; NCCL in one NVLink domain, at least 1 MiB/time_s 1; %1")
                     .arg(ofAll));
        one.nodes = 2;
        QCOMPARE(classesOf(one),
                 QStringLiteral("all/time_s 1; NCCL across nodes, at least 1 MiB/time_s 1; %1").arg(ofAll));
        one.bytes = 1'048'575;
        QCOMPARE(classesOf(one), QStringLiteral("all/time_s 1; %1").arg(ofAll));
        one.bytes = 2e6;
        one.framework = "DeepEP";
        one.operation = "moe_dispatch";
        QCOMPARE(classesOf(one),
                 QStringLiteral("all/time_s 1; expert dispatch and combine/time_s 1; operation "
                                "moe_dispatch/time_s 1; gpu h100/time_s 1; library DeepEP/time_s 1"));
        one.quality = "C";
        QCOMPARE(classesOf(one), QString());
    }

    void reinforcementAndFinetuning() {
        ValidationRow one = row(RowKind::reinforcement, "rl_step_s", "medium");
        one.rowKind = "async";
        QCOMPARE(
            classesOf(one),
            QStringLiteral("all/rl_step_s 1; dense/rl_step_s 1; async/rl_step_s 1; gpu h100/rl_step_s 1; "
                           "framework nemo/rl_step_s 1; source paper/rl_step_s 1"));
        for (const char* quantity : {"generation_s", "update_s", "log_prob_s", "weight_sync_s"}) {
            one.quantity = quantity;
            QVERIFY(classesOf(one).startsWith(QStringLiteral("all/%1 1; ").arg(QLatin1String(quantity))));
        }
        one.quality = "low";
        QCOMPARE(classesOf(one), QString());
        one = row(RowKind::finetune, "step_time_s", "high");
        QCOMPARE(classesOf(one),
                 QStringLiteral("fine-tuning/step_time_s 1; fine-tuning dense/step_time_s 1; fine-tuning "
                                "framework nemo/step_time_s 1; fine-tuning source paper/step_time_s 1"));
        one.quantity = "peak_memory_bytes";
        QCOMPARE(
            classesOf(one),
            QStringLiteral("fine-tuning/peak_memory_bytes 1; fine-tuning source paper/peak_memory_bytes 1"));
        one.quantity = "layer_time_s";
        QCOMPARE(classesOf(one), QStringLiteral("all/layer_time_s 1"));
        one.quantity = "mfu";
        one.quality = "low";
        QCOMPARE(classesOf(one), QString());
    }

    void runs() {
        ValidationRow one = row(RowKind::run, "goodput", "A");
        QCOMPARE(classesOf(one), QStringLiteral("all/goodput 1; gpu h100/goodput 1; source paper/goodput 1"));
        one.quality = "C";
        QCOMPARE(classesOf(one), QStringLiteral("low quality/goodput 1"));
        one.quality = "low";
        QCOMPARE(classesOf(one), QStringLiteral("low quality/goodput 1"));
        one.quality = "medium";
        for (const char* quantity :
             {"checkpoint_s", "checkpoint_stall_s", "checkpoint_bytes", "storage_bytes_per_s"}) {
            one.quantity = quantity;
            QVERIFY(classesOf(one).endsWith(QLatin1String("; storage/storage 1")));
        }
        for (const char* quantity : {"power_w", "energy_j_per_output_token", "energy_kwh"}) {
            one.quantity = quantity;
            QVERIFY(classesOf(one).endsWith(QLatin1String("; energy/energy 1")));
        }
        one.quantity = "restore_s";
        QCOMPARE(classesOf(one),
                 QStringLiteral("all/restore_s 1; gpu h100/restore_s 1; source paper/restore_s 1"));
    }

    void byAField() {
        std::vector<ValidationRow> rows{row(RowKind::training, "mfu", "high"),
                                        row(RowKind::training, "step_time_s", "medium"),
                                        row(RowKind::training, "step_time_s", "low"),
                                        row(RowKind::training, "peak_memory_bytes", "high"),
                                        row(RowKind::collective, "time_s", "A"),
                                        row(RowKind::serving, "output_tokens_per_s", "A"),
                                        row(RowKind::reinforcement, "update_s", "high"),
                                        row(RowKind::finetune, "step_time_s", "high"),
                                        row(RowKind::run, "power_w", "high")};
        rows[1].gpu = "b200";
        // What is not judged is in no class.
        for (const auto& [kind, quantity, quality] :
             {std::tuple(RowKind::training, "peak_memory_bytes", "low"),
              {RowKind::collective, "time_s", "C"},
              {RowKind::serving, "output_tokens_per_s", "C"},
              {RowKind::reinforcement, "update_s", "low"},
              {RowKind::run, "power_w", "low"}}) {
            rows.push_back(row(kind, quantity, quality));
        }
        QCOMPARE(
            listed(summarizeBy(rows, "gpu")),
            QStringLiteral(
                "all/step_time_s 2; b200/step_time_s 1; h100/step_time_s 1; all/peak_memory_bytes 1; "
                "h100/peak_memory_bytes 1; all/time_s 1; h100/time_s 1; all/output_tokens_per_s_per_gpu 1; "
                "h100/output_tokens_per_s_per_gpu 1; all/update_s 1; h100/update_s 1; all/power_w 1; "
                "h100/power_w 1"));
    }

    void keys() {
        ValidationRow one = row(RowKind::serving, "tpot_s", "A");
        one.release = "release";
        one.operation = "operation";
        one.model = "model";
        QString found;
        for (const std::string& field : summaryFields())
            found += QStringLiteral("%1=%2 ").arg(QLatin1String(field.c_str()),
                                                  QLatin1String(summaryKey(one, field).c_str()));
        QCOMPARE(
            found,
            QStringLiteral("family=dense gpu=h100 precision=bf16 source=paper framework=nemo engine=nemo "
                           "release=release gpus=10-99 model=model group=sweep quality=A operation=operation "
                           "kind=serving load=benchmark quantity=tpot_s "));
        one.kind = RowKind::training;
        QCOMPARE(summaryKey(one, "engine") + summaryKey(one, "load") + summaryKey(one, "unheard of"),
                 std::string());
        QCOMPARE(summaryKey(one, "kind"), std::string("training"));
        for (const auto& [gpus, decade] : {std::pair(0, ""),
                                           {1, "1-9"},
                                           {9, "1-9"},
                                           {10, "10-99"},
                                           {99, "10-99"},
                                           {100, "100-999"},
                                           {16384, "10000-99999"}}) {
            one.gpus = gpus;
            QCOMPARE(summaryKey(one, "gpus"), std::string(decade));
        }
        QCOMPARE(rowKindName(RowKind::collective), std::string_view("collective"));
        QCOMPARE(rowKindName(RowKind::reinforcement), std::string_view("reinforcement learning"));
        QCOMPARE(rowKindName(RowKind::finetune), std::string_view("fine-tuning"));
        QCOMPARE(rowKindName(RowKind::run), std::string_view("run"));
    }

    void whatIsJudged() {
        const auto judged = [](RowKind kind, const char* quality, const char* rowKind = "benchmark",
                               bool complete = true) {
            ValidationRow one = row(kind, "step_time_s", quality);
            one.rowKind = rowKind;
            one.complete = complete;
            return isJudged(one);
        };
        for (const RowKind kind : {RowKind::collective, RowKind::serving})
            QVERIFY(judged(kind, "A") && judged(kind, "B") && !judged(kind, "C") &&
                    judged(kind, "A", "", false));
        for (const RowKind kind : {RowKind::reinforcement, RowKind::finetune})
            QVERIFY(judged(kind, "high", "") && judged(kind, "medium") && !judged(kind, "low"));
        QVERIFY(judged(RowKind::run, "A") && !judged(RowKind::run, "C") && !judged(RowKind::run, "low"));
        QVERIFY(judged(RowKind::training, "high") && judged(RowKind::training, "medium", "production"));
        QVERIFY(!judged(RowKind::training, "low") && !judged(RowKind::training, "high", "layer") &&
                !judged(RowKind::training, "high", "benchmark", false));
    }

    /// Twice the rate is half the time, with its band.
    void ratesAsTimes() {
        ValidationRow rate = row(RowKind::training, "mfu", "high");
        rate.measured = 0.4;
        rate.predicted = 0.5;
        rate.low = 0.4;
        rate.high = 0.8;
        ValidationRow time = asTime(rate);
        QCOMPARE(time.quantity, std::string("step_time_s"));
        QCOMPARE(time.measured, 2.5);
        QCOMPARE(time.predicted, 2.0);
        QVERIFY(std::abs(time.error + 0.2) < 1e-12);
        QCOMPARE(time.low, 1.25);
        QCOMPARE(time.high, 2.5);
        rate.low = rate.high = 0;
        QCOMPARE(asTime(rate).low, 0.0);
        QCOMPARE(asTime(rate).high, 0.0);
    }

    void predictions() {
        HeadlineT<double> headline{};
        headline.value = 100;
        headline.low = 80;
        headline.high = 125;
        const Prediction time = timeWithBand(10, headline);
        QCOMPARE(time.value, 10.0);
        QCOMPARE(time.low, 8.0);
        QCOMPARE(time.high, 12.5);
        ValidationReport report;
        addPrediction(report, row(RowKind::training, "", "high"), "mfu", 4, {5, 7, 3});
        QCOMPARE(report.rows[0].quantity, std::string("mfu"));
        QCOMPARE(report.rows[0].error, 0.25);
        QCOMPARE(report.rows[0].low, 3.0);
        QCOMPARE(report.rows[0].high, 7.0);
        Estimate estimate;
        QCOMPARE(firstError(estimate), std::string("the model does not run this configuration"));
        estimate.problems = {{Severity::warning, "/a", "a warning", {}},
                             {Severity::error, "/b", "an error", {}}};
        QCOMPARE(firstError(estimate), std::string("an error"));
    }

    /// Rows of one sweep share a weight of one, by kind of quantity; progress is told every 16 rows, and at
    /// the end.
    void weightsAndProgress() {
        const Catalog catalog = fittedCatalog();
        PublishedRows rows;
        for (int i = 0; i < 33; ++i) {
            PublishedCollective& each = rows.collectives.emplace_back();
            each.id = std::to_string(i);
            each.gpu = "H100";
            each.gpus = 8;
            each.op = "all_gather";
            each.bytes = 1e9;
            each.timeS = 0.01;
            each.series = i < 3 ? "a" : "b";
        }
        PublishedRun& run = rows.runs.emplace_back();
        run.id = "run";
        run.group = "a";
        run.gpu = "H100";
        run.gpus = 8;
        run.figures = {{.quantity = "restore_s", .value = 100},
                       {.quantity = "checkpoint_bytes", .value = 100},
                       {.quantity = "restore_s", .value = 200}};
        run.storage.parameters = 1e9;
        QString progress;
        const ValidationReport report =
            validate(rows, catalog, catalog.defaultProfile, [&](std::size_t done, std::size_t all) {
                progress += QStringLiteral("%1/%2 ").arg(done).arg(all);
            });
        QCOMPARE(progress, QStringLiteral("16/34 32/34 34/34 "));
        QCOMPARE(report.rows.size(), std::size_t{36});
        QCOMPARE(report.rows[0].weight, 1 / 3.0);
        QCOMPARE(report.rows[3].weight, 1 / 30.0);
        QCOMPARE(report.rows[33].weight, 0.5);
        QCOMPARE(report.rows[34].weight, 1.0);
        QCOMPARE(report.rows[35].weight, 0.5);
        QVERIFY(!report.summary.empty() && report.skipped.empty());
        QVERIFY(validate({}, catalog, catalog.defaultProfile).rows.empty());
    }
};

QTEST_APPLESS_MAIN(TestValidationClasses)

} // namespace tst_validation_classes

#include "tst_validation_classes.moc"
