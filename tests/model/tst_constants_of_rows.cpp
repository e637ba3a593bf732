// SPDX-License-Identifier: GPL-3.0-or-later
// Constants from published rows: which rows count and how much, and what a fit to a few of them says.
#include "model/calibration/collective_fit.h"
#include "model/calibration/validation_fit.h"
#include "model/validation/validate.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <cmath>
#include <functional>

namespace tst_constants_of_rows {

using namespace alidade;
using namespace alidade::tests;

namespace {

bool near(double a, double b, double to = 1e-9) {
    return std::abs(a - b) <= to * std::max(1e-300, std::abs(b));
}

/// All-gathers of 8 H100 in one series: w at so many GB/s.
std::vector<PublishedCollective> gathers(double first, int sizes, double rate,
                                         const char* series = "series") {
    std::vector<PublishedCollective> out;
    for (int i = 0; i < sizes; ++i) {
        PublishedCollective& row = out.emplace_back();
        row.id = std::to_string(i);
        row.series = series;
        row.gpu = "H100";
        row.gpus = 8;
        row.op = "all_gather";
        row.bytes = first * std::exp2(i);
        row.timeS = *row.bytes * 7 / 8 / rate;
    }
    return out;
}

/// Links whose latency is nothing, so that the rate is all.
Catalog plainLinks() {
    Catalog out = fittedCatalog();
    for (const char* name :
         {"all_gather_latency", "all_gather_fill", "nvlink_step_latency", "own_part_share"})
        constantIn(out.defaultProfile, name).value = 0;
    return out;
}

ValidationRow trainingRow() {
    ValidationRow out;
    out.id = "row";
    out.quantity = "step_time_s";
    out.kind = RowKind::training;
    out.rowKind = "benchmark";
    out.quality = "high";
    out.measured = 4;
    out.predicted = 5;
    out.weight = 0.5;
    out.group = "group";
    out.sourceTitle = "paper";
    out.release = "release";
    out.scenario = std::make_shared<const ScenarioSpec>(smallTraining());
    return out;
}

ValidationRow servingRow() {
    ValidationRow out = trainingRow();
    out.kind = RowKind::serving;
    out.rowKind = "server (closed loop)";
    out.quality = "A";
    out.quantity = "tpot_s";
    out.weight = 1.0 / 16;
    out.gpus = 1;
    out.requestsPerUser = 5;
    out.scenario = std::make_shared<const ScenarioSpec>(smallServing());
    return out;
}

std::vector<MeasuredStep> stepsOf(const ValidationRow& row) {
    const Catalog catalog = fittedCatalog();
    ValidationReport report;
    report.rows = {row};
    return measuredSteps(report, catalog, catalog.defaultProfile);
}
std::vector<MeasuredServing> servingOf(const ValidationRow& row) {
    ValidationReport report;
    report.rows = {row};
    return measuredServing(report);
}

template <class Row>
bool counts(Row row, const std::function<void(ValidationRow&)>& change) {
    change(row);
    return row.kind == RowKind::serving ? servingOf(row).size() == 1 : stepsOf(row).size() == 1;
}
void changeSpec(ValidationRow& row, const std::function<void(ScenarioSpec&)>& change) {
    ScenarioSpec spec = *row.scenario;
    change(spec);
    row.scenario = std::make_shared<const ScenarioSpec>(spec);
}

} // namespace

class TestConstantsOfRows : public QObject {
    Q_OBJECT

    static CollectiveFit fit(const std::vector<PublishedCollective>& rows) {
        const Catalog catalog = plainLinks();
        return fitCollectives(rows, catalog, catalog.defaultProfile);
    }

private slots:
    /// ln 0.86 by 8 rows of 0.08, which weigh 8 / (8 + 8), and ln 0.88 by a prior of 0.05: precisions 625 and
    /// 400.
    void ratesOfCollectives() {
        CollectiveFit found = fit(gathers(1 << 20, 8, 450e9 * 0.86));
        QVERIFY(found.converged);
        QCOMPARE(found.rows, 8);
        QCOMPARE(found.series, 1);
        const Parameter& rate = constantIn(found.profile, "all_gather_efficiency");
        QCOMPARE(rate.value, 0.8678); // four digits
        QCOMPARE(rate.logSd, 0.031);
        QCOMPARE(rate.dataShare, 0.61);
        // Small messages are off by three times as much: 625 / 9.
        found = fit(gathers(1 << 10, 8, 450e9 * 0.86));
        QCOMPARE(constantIn(found.profile, "all_gather_efficiency").logSd, 0.046);
        QCOMPARE(constantIn(found.profile, "all_gather_efficiency").dataShare, 0.148);
        // What no row hangs on has its prior; nothing is no constant to fit.
        QCOMPARE(constantIn(found.profile, "reduce_scatter_latency").value, 7e-6);
        QCOMPARE(constantIn(found.profile, "all_reduce_latency").value, 2.5e-5);
        QCOMPARE(constantIn(found.profile, "network_dispatch_latency").value, 2e-4);
        QCOMPARE(constantIn(found.profile, "network_dispatch_latency").logSd, 2.0);
        QCOMPARE(constantIn(found.profile, "network_dispatch_latency").dataShare, 0.0);
        QCOMPARE(constantIn(found.profile, "all_gather_latency").value, 0.0);
        QCOMPARE(found.fitted.size(), std::size_t{18}); // 21 less the three that are nothing
    }

    void whichCollectivesCount() {
        const Catalog catalog = plainLinks();
        std::vector<PublishedCollective> rows = gathers(1 << 20, 4, 400e9, "a");
        for (const PublishedCollective& each : gathers(1 << 20, 3, 400e9, "b"))
            rows.push_back(each);
        rows[0].algo = "one-shot";
        rows[1].op = "link";
        CollectiveFit found = fitCollectives(rows, catalog, catalog.defaultProfile);
        QCOMPARE(found.rows, 5);
        QCOMPARE(found.series, 2);
        found = fitCollectives(rows, catalog, catalog.defaultProfile, {"a"});
        QCOMPARE(found.rows, 3);
        found = fitCollectives(rows, catalog, catalog.defaultProfile, {"a", "b"});
        QVERIFY(found.converged && found.fitted.empty() && found.rows == 0);
        Profile assumed = catalog.defaultProfile;
        for (Parameter& each : assumed.parameters)
            each.kind = SourceKind::assumed;
        QVERIFY(fitCollectives(rows, catalog, assumed).fitted.empty());
    }

    void whichStepsCount() {
        const ValidationRow row = trainingRow();
        QVERIFY(counts(row, [](auto&) {}));
        QVERIFY(counts(row, [](auto& r) {
            r.rowKind = "production";
            r.quality = "medium";
        }));
        QVERIFY(!counts(row, [](auto& r) { r.kind = RowKind::finetune; }));
        QVERIFY(!counts(row, [](auto& r) { r.complete = false; }));
        QVERIFY(!counts(row, [](auto& r) { r.scenario.reset(); }));
        QVERIFY(!counts(row, [](auto& r) { r.measured = 0; }));
        QVERIFY(!counts(row, [](auto& r) { r.predicted = 0; }));
        QVERIFY(!counts(row, [](auto& r) { r.rowKind = "layer"; }));
        QVERIFY(!counts(row, [](auto& r) { r.quality = "low"; }));
        QVERIFY(!counts(row, [](auto& r) { r.quantity = "peak_memory_bytes"; }));
        for (const char* rate : {"tokens_per_s_per_gpu", "model_flops_per_s_per_gpu", "mfu"})
            QVERIFY(counts(row, [rate](auto& r) { r.quantity = rate; }));
    }

    /// A rate that was predicted 25 % too high is a step that is 25 % longer than the predicted one.
    void stepsOfRates() {
        const MeasuredStep step = stepsOf(trainingRow()).at(0);
        QCOMPARE(step.seconds, 4.0);
        QCOMPARE(step.weight, 0.5);
        QCOMPARE(step.id + "|" + step.source + "|" + step.release + "|" + step.group,
                 std::string("row\nstep_time_s|paper|release|group"));
        ValidationRow rate = trainingRow();
        rate.quantity = "mfu";
        const double seconds = stepsOf(rate).at(0).seconds;
        rate.predicted = 4;
        QVERIFY(near(seconds, 1.25 * stepsOf(rate).at(0).seconds));
        changeSpec(rate, [](auto& s) { s.plan.tensorParallel = 3; });
        QVERIFY(stepsOf(rate).empty());
    }

    void whichServingCounts() {
        const ValidationRow row = servingRow();
        const auto quantity = [&](const char* name, const std::function<void(ValidationRow&)>& change) {
            return counts(row, [&](ValidationRow& r) {
                r.quantity = name;
                change(r);
            });
        };
        const auto same = [](ValidationRow&) {};
        const auto offline = [](ValidationRow& r) { r.rowKind = "offline"; };
        const auto open = [](ValidationRow& r) {
            changeSpec(r, [](auto& s) {
                s.workload.concurrency.reset();
                s.workload.requestRatePerS = 1;
            });
        };
        for (const char* name : {"tpot_s", "itl_s", "prefill_s"}) {
            QVERIFY(quantity(name, same) && quantity(name, offline));
            QVERIFY(!quantity(name, open));
        }
        QVERIFY(!quantity("e2e_s", same));
        QVERIFY(!quantity("tpot_s", [](auto& r) { r.quality = "C"; }));
        QVERIFY(!quantity("tpot_s", [](auto& r) { r.measured = 0; }));
        QVERIFY(!quantity("tpot_s", [](auto& r) { r.predicted = 0; }));
        QVERIFY(!quantity("tpot_s", [](auto& r) { r.scenario.reset(); }));
        QVERIFY(!quantity("tpot_s",
                          [](auto& r) { changeSpec(r, [](auto& s) { s.workload.phase = "decode"; }); }));
        QVERIFY(!quantity(
            "tpot_s", [](auto& r) { changeSpec(r, [](auto& s) { s.plan.speculative.draftTokens = 1; }); }));
        // First tokens in closed loops, but not of equal requests that meet again.
        QVERIFY(quantity("ttft_s", same) && !quantity("ttft_s", offline));
        const auto uncounted = [](ValidationRow& r) { r.requestsPerUser = 0; };
        QVERIFY(!quantity("ttft_s", uncounted));
        QVERIFY(quantity("ttft_s", [&](auto& r) {
            uncounted(r);
            changeSpec(r, [](auto& s) { s.workload.inputTokensCv = 0.5; });
        }));
        QVERIFY(quantity("ttft_s", [&](auto& r) {
            uncounted(r);
            changeSpec(r, [](auto& s) { s.workload.outputTokensCv = 0.5; });
        }));
        QVERIFY(quantity("ttft_s", [&](auto& r) {
            uncounted(r);
            changeSpec(r, [](auto& s) { s.workload.concurrency = 1; });
        }));
        // Throughput of offline runs, and of loops whose requests are counted or that run as usual.
        for (const char* name : {"output_tokens_per_s", "output_tokens_per_s_per_gpu"}) {
            QVERIFY(quantity(name, offline) && quantity(name, same));
            QVERIFY(!quantity(name, uncounted));
            const auto asRun = [&](ValidationRow& r) {
                uncounted(r);
                changeSpec(r, [](auto& s) { s.plan.tuning = "as_run"; });
            };
            QVERIFY(quantity(name, asRun));
            QVERIFY(!quantity(name, [&](auto& r) {
                asRun(r);
                r.quality = "B";
            }));
        }
    }

    /// A row's error by its kind; of 16 of a sweep each counts as if it were the root of as many.
    void certaintyOfServing() {
        const auto sd = [](const char* quantity) {
            ValidationRow row = servingRow();
            row.quantity = quantity;
            return servingOf(row).at(0).sd;
        };
        QVERIFY(near(sd("tpot_s"), 0.04) && near(sd("itl_s"), 0.04) && near(sd("prefill_s"), 0.15));
        QVERIFY(near(sd("ttft_s"), 0.25) && near(sd("output_tokens_per_s"), 0.075));
        const MeasuredServing found = servingOf(servingRow()).at(0);
        QCOMPARE(found.id, std::string("row\ntpot_s"));
        QCOMPARE(found.weight, 1.0 / 16);
        QCOMPARE(found.gpus, 1.0);
        QCOMPARE(found.measured, 4.0);
        QVERIFY(found.run.kind == ServingRunKind::rounds && found.run.requestsPerUser == 5);
    }

    /// One constant of training and one of serving, each with rows of one source: left out, the prior is what
    /// the profile has.
    void calibration() {
        Catalog catalog = fittedCatalog();
        for (const char* name : {"step_overhead", "serving_step_overhead"}) {
            Parameter& p = constantIn(catalog.defaultProfile, name);
            p.prior = ParameterPrior{.value = p.value, .logSd = 0.5};
        }
        Parameter& band = constantIn(catalog.defaultProfile, "time_log_sd");
        band.prior = ParameterPrior{.value = band.value, .logSd = 0.3};
        ValidationReport report;
        const Profile& profile = catalog.defaultProfile;
        // As predicted, but for 10 and 20 % that were measured more.
        const BoundSteps steps({{.id = "a",
                                 .source = {},
                                 .spec = std::make_shared<const ScenarioSpec>(smallTraining()),
                                 .seconds = 1,
                                 .weight = 1}},
                               catalog, profile);
        QCOMPARE(steps.rows().size(), std::size_t{1});
        QCOMPARE(steps.rows()[0].parameters.size(), std::size_t{1});
        const double planned = std::exp(steps.logValue(0, steps.valuesOf(profile)));
        for (const double more : {1.1, 1.2}) {
            ValidationRow row = trainingRow();
            row.id = more < 1.15 ? "a" : "b";
            row.predicted = planned;
            row.measured = planned * more;
            row.low = 0.9 * planned;
            row.high = 1.1 * planned;
            row.group = row.id;
            row.weight = 1;
            report.rows.push_back(row);
        }
        const Calibration out = calibrate(report, catalog, profile, {});
        QCOMPARE(out.rows, 2);
        QCOMPARE(out.groups, 2);
        QVERIFY(out.converged && out.confounded.empty() && out.rejected.empty() && !out.record.serving);
        QCOMPARE(out.record.fittedTo.size(), std::size_t{1});
        QCOMPARE(out.record.fittedTo[0].title, std::string("paper"));
        QCOMPARE(out.record.fittedTo[0].rows, 2);
        QVERIFY(near(out.record.before.median, 1 - 1 / 1.1, 1e-6));
        QVERIFY(near(out.record.before.mean, 1 - (1 / 1.1 + 1 / 1.2) / 2, 1e-6));
        QVERIFY(out.record.after.mean < out.record.before.mean);
        QVERIFY(near(out.record.leftOutModel.mean, out.record.before.mean, 1e-6)); // both are of one model
        Profile fitted = out.profile;
        QVERIFY(constantIn(fitted, "step_overhead").value >
                constantIn(catalog.defaultProfile, "step_overhead").value);
        QVERIFY(constantIn(fitted, "step_overhead").kind == SourceKind::fitted);
        // The band holds the larger of both errors: ln 1.2 over the 90 % quantile.
        QVERIFY(near(constantIn(fitted, "time_log_sd").value, std::log(1.2) / 1.2815515655, 1e-6));
        for (const LeftOut by : {LeftOut::source, LeftOut::together}) {
            const std::vector<ValidationRow> left = leftOutRows(report, catalog, profile, by, {});
            QCOMPARE(left.size(), std::size_t{2});
            QVERIFY(near(left[0].predicted, planned, 1e-6) && near(left[0].error, 1 / 1.1 - 1, 1e-5));
            QVERIFY(near(left[1].low, 0.9 * left[1].predicted, 1e-6) &&
                    near(left[1].high, 1.1 * left[1].predicted, 1e-6));
        }
        // Left out alone, the other one pulls it near.
        report.rows[1].sourceTitle = "other";
        report.rows[1].release = "other release";
        const std::vector<ValidationRow> left = leftOutRows(report, catalog, profile, LeftOut::source, {});
        // Either row is off by more than 0.3 sd of 0.08, so both pull alike, against a prior of 0.5: the
        // constant moves by 0.25 x 0.3 / 0.08 x the share of the step that hangs on it.
        std::vector<double> more = steps.valuesOf(profile);
        more[0] += 0.01;
        const double share = (steps.logValue(0, more) - std::log(planned)) / 0.01;
        for (const ValidationRow& each : left)
            QVERIFY(near(std::log(each.predicted / planned), 0.9375 * share * share, 0.05));
        report.rows[0].quantity = report.rows[1].quantity =
            "mfu"; // a rate that is too high is a time too short
        for (ValidationRow& row : report.rows)
            row.measured = planned * planned / row.measured;
        const std::vector<ValidationRow> rates = leftOutRows(report, catalog, profile, LeftOut::model, {});
        QVERIFY(near(rates.at(0).predicted / report.rows[0].measured, 1.1, 1e-5));
    }

    /// Rows that do not run are said with the reason.
    void rejectedSteps() {
        const Catalog catalog = fittedCatalog();
        ScenarioSpec spec = smallTraining();
        spec.plan.tensorParallel = 3;
        MeasuredStep step;
        step.id = "a";
        step.spec = std::make_shared<const ScenarioSpec>(spec);
        step.seconds = step.weight = 1;
        const BoundSteps illegal({step}, catalog, catalog.defaultProfile);
        QVERIFY(illegal.rows().empty());
        QCOMPARE(illegal.rejected().at(0).id, std::string("a"));
        QVERIFY(!illegal.rejected().at(0).why.empty());
        spec.workload.model = "unheard of";
        step.spec = std::make_shared<const ScenarioSpec>(spec);
        QVERIFY(BoundSteps({step}, catalog, catalog.defaultProfile)
                    .rejected()
                    .at(0)
                    .why.starts_with("/workload"));
    }

    /// Rows of one run follow each other; a constant that feeds it changes all of its figures.
    void boundServing() {
        Catalog catalog = fittedCatalog();
        Parameter& overhead = constantIn(catalog.defaultProfile, "serving_step_overhead");
        overhead.prior = ParameterPrior{.value = overhead.value, .logSd = 0.5};
        const auto spec = std::make_shared<const ScenarioSpec>(smallServing());
        std::vector<MeasuredServing> figures;
        for (const char* quantity : {"tpot_s", "output_tokens_per_s_per_gpu", "unheard of"}) {
            MeasuredServing& each = figures.emplace_back();
            each.id = quantity;
            each.spec = spec;
            each.quantity = quantity;
            each.gpus = 2;
            each.measured = each.weight = 1;
        }
        const BoundServing bound(figures, catalog, catalog.defaultProfile);
        QCOMPARE(bound.rows().size(), std::size_t{3});
        QCOMPARE(bound.rows()[0].parameters, std::vector<std::size_t>{0});
        const std::vector<double> present = bound.valuesOf(catalog.defaultProfile);
        const double gap = bound.logValue(0, present), rate = bound.logValue(1, present);
        QVERIFY(near(std::exp(rate), 16 * 200 / (2 * (std::exp(gap) * 199 + 0)), 0.2));
        QVERIFY(std::isnan(bound.logValue(2, present)));
        QVERIFY(bound.logValue(0, {present[0] + 1}) > gap && bound.logValue(1, {present[0] + 1}) < rate);
        QCOMPARE(bound.logValue(0, present), gap);
        const BoundServing other(figures, catalog, catalog.defaultProfile); // answers of its own
        QCOMPARE(other.logValue(1, present), rate);
        ScenarioSpec wrong = smallServing();
        wrong.plan.tensorParallel = 3;
        figures[1].spec = std::make_shared<const ScenarioSpec>(wrong);
        const BoundServing some(figures, catalog, catalog.defaultProfile);
        QCOMPARE(some.rows().size(), std::size_t{2});
        QCOMPARE(some.rejected().at(0).id, std::string("output_tokens_per_s_per_gpu"));
        QCOMPARE(some.logValue(0, present), gap);
    }
};

QTEST_APPLESS_MAIN(TestConstantsOfRows)

} // namespace tst_constants_of_rows

#include "tst_constants_of_rows.moc"
