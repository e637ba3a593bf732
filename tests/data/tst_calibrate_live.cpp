// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/scenario/scenario_json.h"
#include "model/calibration/live_calibration.h"
#include "model/estimate/engine.h"
#include "tests/data/closed_form_cluster.h"
#include "tests/data/published_rows.h"

#include <QTest>

using namespace alidade;
using test::ClosedFormCluster;
using test::ClusterTruth;

namespace {

ScenarioSpec scenario(const char* text) {
    const data::ScenarioReading reading = data::readScenario(text);
    if (!reading.spec) {
        qFatal("%s", data::faultText("scenario", reading.faults.front()).c_str());
    }
    return *reading.spec;
}

ScenarioSpec trainingOn(int nodes) {
    return scenario(qPrintable(QStringLiteral(R"({"alidade": 1, "workload": {"kind": "training",
        "model": "llama-3.1-70b", "sequence_length": 8192, "global_batch": %1},
        "cluster": {"instance": "p5.48xlarge", "instances": %2},
        "plan": {"framework": "megatron-core", "tensor_parallel": 8, "micro_batch": 1, "precision": "bf16"}})")
                                   .arg(8 * nodes)
                                   .arg(nodes)));
}

ScenarioSpec serving() {
    return scenario(R"({"alidade": 1, "workload": {"kind": "serving", "model": "llama-3.1-70b",
        "input_tokens": 2048, "output_tokens": 256, "request_rate_per_s": 4, "prefix_cache_hit": 0.3},
        "cluster": {"instance": "p5.48xlarge", "instances": 1},
        "plan": {"engine": "vllm", "tensor_parallel": 8, "weights": "bf16", "kv_cache": "bf16"}})");
}

[[maybe_unused]] const CalibratedParameter& parameter(const LiveCalibration& of, const char* name) {
    for (const CalibratedParameter& each : of.parameters) {
        if (each.name == name) {
            return each;
        }
    }
    qFatal("no %s", name);
}

LiveCalibration calibrated(const ScenarioSpec& spec, const Observation& observation,
                           const std::vector<Finding>& findings = {}) {
    const auto out =
        calibrateLive(spec, shippedCatalog(), shippedCatalog().defaultProfile, observation, findings);
    if (!out) {
        qFatal("%s", out.error().c_str());
    }
    return *out;
}

void print(const LiveCalibration& c) {
    for (const CalibratedParameter& p : c.parameters) {
        qInfo("%-36s %10.4g -> %10.4g [%10.4g %10.4g] share %.2f %s %s", p.name.c_str(), p.before, p.after,
              p.low, p.high, p.dataShare, p.applied ? "*" : "", p.how.c_str());
    }
    qInfo("before %.3f after %.3f loo %.4f samples %zu spread %.4f", c.before.mean, c.after.mean,
          c.leftOut ? c.leftOut->mean : -1, c.samples, c.spread);
    for (const auto& note : c.notes)
        qInfo("note: %s", note.c_str());
    for (const auto& e : c.excluded)
        qInfo("excluded %.0f..%.0f %s", e.start - c.start, e.end - c.start, e.why.c_str());
}

} // namespace

class TestCalibrateLive : public QObject {
    Q_OBJECT

private slots:
    void decode() {
        ClosedFormCluster cluster(ClusterTruth{});
        const LiveCalibration c = calibrated(serving(), cluster.serving());
        print(c);
    }
    void train() {
        ClosedFormCluster cluster(ClusterTruth{});
        const LiveCalibration c = calibrated(trainingOn(3), cluster.training());
        print(c);
    }
};

QTEST_GUILESS_MAIN(TestCalibrateLive)
#include "tst_calibrate_live.moc"
