// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/calibration/live_profile.h"
#include "data/catalog/profile_json.h"
#include "model/engine/engine.h"
#include "tests/data/calibrated.h"
#include "tests/data/closed_form_cluster.h"

#include <algorithm>
#include <cmath>

namespace tst_calibrate_live {

using namespace alidade;
using test::ClosedFormCluster;
using test::ClusterTruth;

namespace {

const std::string machine = "p5.48xlarge";

Result<LiveCalibration> attempt(const ScenarioSpec& spec, const Observation& observation) {
    return calibrateLive(spec, shippedCatalog(), shippedCatalog().defaultProfile, observation, {});
}

bool says(const Result<LiveCalibration>& answer, const char* words) {
    return !answer && answer.error().find(words) != std::string::npos;
}

SignalTable& tableOf(Observation& observation, Signal signal) {
    return *std::ranges::find(observation.tables, signal, &SignalTable::signal);
}

Finding finding(FaultKind kind, const char* host, double start, double end) {
    Finding out;
    out.kind = kind;
    out.where.host = host;
    out.start = start;
    out.end = end;
    return out;
}

bool leavesOut(const LiveCalibration& c, const char* why, double instant) {
    return std::ranges::any_of(c.excluded, [&](const ExcludedWindow& w) {
        return w.why == why && w.start <= instant && instant <= w.end;
    });
}

} // namespace

class TestCalibrateLive : public QObject {
    Q_OBJECT

private slots:
    void decodeConstantsAreFound() {
        ClosedFormCluster cluster(ClusterTruth{});
        const LiveCalibration c = test::calibrated(test::servingOn(machine), cluster.serving());
        QVERIFY(std::abs(test::parameter(c, "decode_hbm_efficiency").after / 0.78 - 1) < 0.03);
        QVERIFY(std::abs(test::parameter(c, "decode_step_overhead").after / 0.0029 - 1) < 0.10);
        QCOMPARE(test::parameter(c, "kv_cache_tokens").after, 73800.0 * 16);
        QVERIFY(test::parameter(c, "prefill_efficiency").interval);
        QVERIFY(test::parameter(c, "prefill_efficiency").low < 0.52);
        QVERIFY(c.after.mean < 0.03 && c.after.mean < c.before.mean);
        QVERIFY(c.leftOut && c.leftOut->mean < 0.05);
    }

    void aFewWrongWindowsMoveNothing() {
        ClosedFormCluster cluster(ClusterTruth{});
        Observation o = cluster.serving();
        for (const std::size_t i : {20U, 21U, 22U, 23U, 60U, 61U, 62U, 63U})
            tableOf(o, Signal::interTokenLatency).values[i] *= 1.6;
        const LiveCalibration c = test::calibrated(test::servingOn(machine), o);
        QVERIFY(std::abs(test::parameter(c, "decode_hbm_efficiency").after / 0.78 - 1) < 0.06);
    }

    void aSteadyLoadTellsNoSlope() {
        ClusterTruth truth;
        truth.swing = 0;
        ClosedFormCluster cluster(truth);
        const LiveCalibration c = test::calibrated(test::servingOn(machine), cluster.serving());
        QVERIFY(std::ranges::none_of(
            c.parameters, [](const CalibratedParameter& p) { return p.name == "decode_hbm_efficiency"; }));
        QVERIFY(std::ranges::any_of(c.notes, [](const std::string& note) {
            return note.find("low and high load") != std::string::npos;
        }));
    }

    void theEstimateAgreesBetterWithTheProfile() {
        ClosedFormCluster cluster(ClusterTruth{});
        const ScenarioSpec spec = test::trainingOn(machine, 3);
        const LiveCalibration c = test::calibrated(spec, cluster.training());
        const auto before = estimate(spec, shippedCatalog(), shippedCatalog().defaultProfile);
        const auto after = estimate(spec, shippedCatalog(), c.profile);
        QVERIFY(before && after && before->training && after->training);
        const double truth = cluster.stepTime();
        QVERIFY(std::abs(before->training->stepTime / truth - 1) > 0.05);
        QVERIFY(std::abs(after->training->stepTime / truth - 1) < 0.02);
    }

    void theProfileChangesNothingElse() {
        ClosedFormCluster cluster(ClusterTruth{});
        const LiveCalibration c = test::calibrated(test::trainingOn(machine, 3), cluster.training());
        const ScenarioSpec other = test::servingOn("p6-b200.48xlarge");
        const auto before = estimate(other, shippedCatalog(), shippedCatalog().defaultProfile);
        const auto after = estimate(other, shippedCatalog(), c.profile);
        QVERIFY(before && after && before->serving && after->serving);
        QCOMPARE(after->serving->itl, before->serving->itl);
    }

    void gemmEfficiencyIsABand() {
        ClosedFormCluster cluster(ClusterTruth{});
        const LiveCalibration c = test::calibrated(test::trainingOn(machine, 3), cluster.training());
        const CalibratedParameter& gemm = test::parameter(c, "gemm_efficiency");
        QVERIFY(gemm.interval && std::isnan(gemm.after));
        QVERIFY(gemm.low > 0.45 && gemm.low < 0.62 && gemm.high == 1);
        const double product = test::parameter(c, "recompute_and_tiles").after;
        QVERIFY(std::abs(product / (1.04 * 1.03) - 1) < 0.05);
    }

    /// A step shows exposed share / efficiency only as one number.
    void networkEfficiencyIsNotIdentifiable() {
        ClusterTruth fast, slow;
        slow.efaEfficiency = fast.efaEfficiency / 2;
        slow.efaExposed = fast.efaExposed / 2;
        const Observation a = ClosedFormCluster(fast).training(), b = ClosedFormCluster(slow).training();
        for (std::size_t i = 0; i < a.tables.size(); ++i) {
            for (std::size_t k = 0; k < a.tables[i].values.size(); ++k) {
                QVERIFY(std::abs(a.tables[i].values[k] - b.tables[i].values[k]) <=
                        1e-12 * std::abs(a.tables[i].values[k]));
            }
        }
        const LiveCalibration c = test::calibrated(test::trainingOn(machine, 3), a);
        QVERIFY(test::parameter(c, "network_efficiency_seen").interval);
        QVERIFY(test::parameter(c, "network_efficiency").dataShare < 0.1);
    }

    void faultsAreLeftOut() {
        ClosedFormCluster cluster(ClusterTruth{});
        const double start = cluster.grid().start;
        const auto slow = [](double s) {
            return s > 1200 && s <= 1800 ? 1.27 : s > 2400 && s <= 2700 ? 0.0 : 1.0;
        };
        const LiveCalibration c =
            test::calibrated(test::trainingOn(machine, 3), cluster.training(slow),
                             {finding(FaultKind::straggler, "gpu-0002", start + 1200, start + 1800),
                              finding(FaultKind::missingTarget, "gpu-0059", start + 300, start + 900)});
        QVERIFY(leavesOut(c, "straggler gpu-0002", start + 1500));
        QVERIFY(leavesOut(c, "standstill", start + 2550));
        QVERIFY(leavesOut(c, "restart and warm-up", start + 2740));
        QVERIFY(
            std::ranges::any_of(c.excluded, [](const ExcludedWindow& w) { return w.why == "checkpoint"; }));
        // A host of another job does not matter.
        QVERIFY(std::ranges::none_of(
            c.excluded, [](const ExcludedWindow& w) { return w.why == "target down gpu-0059"; }));
        QVERIFY(std::abs(test::parameter(c, "step_time").after / cluster.stepTime() - 1) < 0.01);
    }

    void tooLittleIsRefused() {
        ClosedFormCluster brief(ClusterTruth{}, {1767225600, 30, 8});
        QVERIFY(says(attempt(test::trainingOn(machine, 3), brief.training()), "select a longer time range"));
        ClosedFormCluster few(ClusterTruth{}, {1767225600, 10, 14});
        QVERIFY(says(attempt(test::trainingOn(machine, 3), few.training()), "steps"));
        Observation silent = ClosedFormCluster(ClusterTruth{}).training();
        std::erase_if(silent.tables, [](const SignalTable& t) { return t.signal == Signal::stepTime; });
        QVERIFY(says(attempt(test::trainingOn(machine, 3), silent), "step time"));
        QVERIFY(says(attempt(test::servingOn(machine), silent), "inter-token latency"));
    }

    void whatIsOutsidePhysicsIsRefused() {
        Observation blank = ClosedFormCluster(ClusterTruth{}).training();
        for (double& value : tableOf(blank, Signal::smActive).values)
            value = 1.7;
        QVERIFY(says(attempt(test::trainingOn(machine, 3), blank), "blank values"));
        Observation idle = ClosedFormCluster(ClusterTruth{}).training();
        for (double& value : tableOf(idle, Signal::tensorActive).values)
            value *= 0.5;
        QVERIFY(says(attempt(test::trainingOn(machine, 3), idle), "is above what the tensor pipes did"));
        QVERIFY(says(attempt(test::trainingOn(machine, 4), ClosedFormCluster(ClusterTruth{}).training()),
                     "workload.global_batch"));
        // Weights in a byte each are read faster than the scenario's two bytes could be.
        ClusterTruth light;
        light.weightBytes /= 2;
        light.decodeOverhead = 1e-3;
        QVERIFY(says(attempt(test::servingOn(machine), ClosedFormCluster(light).serving()), "plan.weights"));
    }

    void theDocumentReadsBack() {
        ClosedFormCluster cluster(ClusterTruth{});
        const LiveCalibration c = test::calibrated(test::trainingOn(machine, 3), cluster.training());
        const std::string text = data::writeLiveProfile(c, "cluster of tests", "2026-11-22");
        const nlohmann::json document = nlohmann::json::parse(text);
        std::vector<data::JsonFault> faults;
        const auto profile = data::readProfile(document, {}, faults);
        QVERIFY2(profile, faults.empty() ? "" : faults.front().message.c_str());
        QCOMPARE(profile->name, std::string("cluster of tests"));
        QCOMPARE(profile->parameters.size(), c.profile.parameters.size());
        const nlohmann::json& origin = document.at("fitted_to").at(0);
        QCOMPARE(origin.at("title").get<std::string>(),
                 std::string("http://prometheus.test:9090, job llama70b-pretrain"));
        QCOMPARE(origin.at("rows").get<std::size_t>(), c.samples);
        QVERIFY(origin.at("excluded").size() > 0);
        QVERIFY(document.at("error").at("leave_one_out").at("mean_abs_error").is_number());
        QVERIFY(document.at("measured").size() > 5);
        const nlohmann::json answer = nlohmann::json::parse(data::writeLiveCalibration(c, "x", ""));
        QVERIFY(answer.at("file").is_null());
        QVERIFY(answer.at("parameters").size() > 5);
    }
};

QTEST_GUILESS_MAIN(TestCalibrateLive)

} // namespace tst_calibrate_live

#include "tst_calibrate_live.moc"
