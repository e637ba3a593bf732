// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/calibration/live_profile.h"
#include "data/catalog/profile_json.h"
#include "model/engine/engine.h"
#include "model/scenario/scenario.h"
#include "model/serving/pool_model.h"
#include "tests/data/calibrated.h"
#include "tests/data/closed_form_cluster.h"

#include <array>
#include <cmath>
#include <memory>

// Clusters with drawn constants, and the figures of an estimate under the profile that a calibration wrote.
namespace alidade::test {

struct DrawnCluster {
    std::string instance;
    ClusterTruth truth;
};

inline DrawnCluster drawnCluster(unsigned seed) {
    std::mt19937 random(1000 + seed);
    const auto draw = [&random](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    struct Machine {
        const char* instance;
        double peak, hbm, nvlink;
    };
    constexpr std::array<Machine, 3> machines{{{"p5.48xlarge", 989.5e12, 3.35e12, 450e9},
                                               {"p5en.48xlarge", 989.5e12, 4.8e12, 450e9},
                                               {"p6-b200.48xlarge", 2250e12, 8e12, 900e9}}};
    const Machine& machine = machines[seed % machines.size()];
    DrawnCluster out{machine.instance, {}};
    ClusterTruth& t = out.truth;
    t.seed = seed;
    t.peak = machine.peak;
    t.hbm = machine.hbm;
    t.nvlink = machine.nvlink;
    t.recompute = draw(1, 1.3);
    t.tiles = draw(1.01, 1.06);
    t.gemmEfficiency = draw(0.5, 0.72);
    t.hbmEfficiency = draw(0.7, 0.9);
    t.nvlinkEfficiency = draw(0.65, 0.85);
    t.nvlinkExposed = draw(0.3, 0.7);
    t.efaEfficiency = draw(0.7, 0.9);
    t.efaExposed = draw(0.2, 0.8);
    t.memoryBytes = draw(1.5e12, 2.5e12);
    t.dataStall = draw(0, 0.1);
    t.host = draw(0.05, 0.25);
    t.decodeEfficiency = draw(0.6, 0.86); // above, 256 rows take longer to multiply than weights to read
    t.decodeOverhead = draw(1.5e-3, 5e-3);
    t.prefillEfficiency = draw(0.38, 0.62);
    t.prefillOverhead = draw(4e-3, 18e-3);
    t.rate = draw(3, 6);
    t.swing = draw(0.4, 0.7);
    t.prompt = std::round(draw(700, 3000));
    t.output = std::round(draw(250, 500));
    t.hits = draw(0, 0.4);
    return out;
}

inline ScenarioSpec servingOf(const DrawnCluster& drawn) {
    return servingOn(drawn.instance, {{"prompt_mean", drawn.truth.prompt},
                                      {"output_mean", drawn.truth.output},
                                      {"rate_rps", drawn.truth.rate},
                                      {"prefix_hit", drawn.truth.hits}});
}

/// The profile as the next start of the program reads it.
inline Profile written(const LiveCalibration& calibration) {
    const auto read = data::readProfileText(data::writeLiveProfile(calibration, "drawn", "2026-11-23"));
    if (!read)
        qFatal("the profile does not read back");
    return *read;
}

/// What a decode step of the scenario's engine takes, s. \param context tokens of each sequence
inline double decodeStepOf(const ScenarioSpec& spec, const Profile& profile, double batch, double context) {
    const auto scenario = resolve(spec, alidade::shippedCatalog(), profile);
    if (!scenario || !scenario->runs())
        qFatal("the scenario does not run");
    const ServingPool& pool = scenario->pools.back();
    const auto scratch = std::make_unique<ServingStepCost<double>>();
    const EngineStep step(pool.plan, pool.inputs, pool.networkBound, *scratch);
    return step({.decodeSequences = batch, .decodeContext = context});
}

/// Relative error of a figure, checked and printed.
inline bool isWithin(const char* what, double value, double truth, double tolerance) {
    const double error = value / truth - 1;
    qInfo("%-22s %.5g of %.5g (%+.1f %%)", what, value, truth, 100 * error);
    return std::abs(error) < tolerance;
}

/// Constants said to have changed have an entry with that value, those said to be kept have none.
inline void changesAreTrue(const LiveCalibration& c) {
    const Profile& before = alidade::shippedCatalog().defaultProfile;
    for (const CalibratedParameter& each : c.parameters) {
        const auto isEntry = [&](const Parameter& p) { return p.name == each.name && p.value == each.after; };
        if (each.changed) {
            QVERIFY2(std::ranges::any_of(c.profile.parameters, isEntry), each.name.c_str());
            QVERIFY2(each.before != each.after, each.name.c_str());
        }
    }
    for (const Parameter& p : c.profile.parameters) {
        const bool isOld = std::ranges::any_of(before.parameters, [&](const Parameter& old) {
            return old.name == p.name && old.gpu == p.gpu && old.precision == p.precision &&
                   old.stack == p.stack && old.value == p.value;
        });
        QVERIFY2(isOld || std::ranges::any_of(c.parameters,
                                              [&](const CalibratedParameter& each) {
                                                  return each.changed && each.name == p.name;
                                              }),
                 p.name.c_str());
    }
}

/// The same measurements over the profile that they gave leave it as it is.
inline void changesNothingAgain(const ScenarioSpec& spec, const Observation& observation,
                                const LiveCalibration& first) {
    const auto again = calibrateLive(spec, alidade::shippedCatalog(), written(first), observation, {});
    QVERIFY2(again, again ? "" : again.error().c_str());
    for (const Parameter& p : first.profile.parameters) {
        const auto found = std::ranges::find_if(again->profile.parameters, [&](const Parameter& other) {
            return other.name == p.name && other.gpu == p.gpu && other.precision == p.precision &&
                   other.stack == p.stack;
        });
        QVERIFY2(found != again->profile.parameters.end(), p.name.c_str());
        if (std::abs(found->value / p.value - 1) > 0.01 && p.value != found->value) {
            QFAIL(qPrintable(QStringLiteral("%1: %2 became %3")
                                 .arg(QString::fromStdString(p.name))
                                 .arg(p.value)
                                 .arg(found->value)));
        }
    }
}

/// Rows of a test function, one per drawn cluster.
inline void addSeeds(unsigned first, unsigned last) {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = first; seed <= last; ++seed)
        QTest::addRow("%u", seed) << seed;
}

/// Two hours.
inline constexpr TimeGrid history{1767225600, 30, 240};

/// Holds estimates under the profile that a calibration wrote against the truth.
inline void servingAgrees(const ScenarioSpec& spec, const LiveCalibration& c, const ClusterTruth& truth) {
    const ClosedFormCluster cluster(truth);
    const Profile profile = written(c);
    const double context = truth.prompt + truth.output / 2;
    bool agrees = true;
    for (const double batch : {1.0, 16.0, 64.0, 128.0, 256.0}) {
        agrees &= isWithin(qPrintable(QStringLiteral("decode step at %1").arg(batch)),
                           decodeStepOf(spec, profile, batch, context), cluster.decodeStep(batch), 0.02);
    }
    const auto after = estimate(spec, alidade::shippedCatalog(), profile);
    QVERIFY(after && after->serving);
    agrees &= isWithin("ITL", after->serving->itl, cluster.interTokenLatency(), 0.02);
    agrees &= isWithin("TTFT", after->serving->ttft, cluster.timeToFirstToken(), 0.15);
    // The fixed cost is what is left of a step at no batch without the time to read the weights.
    const double first = decodeStepOf(spec, profile, 1, context);
    const double atNone = first - (decodeStepOf(spec, profile, 16, context) - first) / 15;
    const CalibratedParameter& fixed = parameter(c, "decode_step_overhead");
    const double reading =
        truth.weightBytes / truth.gpusPerNode / (truth.hbm * parameter(c, "decode_hbm_efficiency").after);
    const double held = atNone - reading;
    agrees &= isWithin("fixed cost", held, fixed.after, 0.03);
    QVERIFY(agrees);
    // What is shown as measured is what the profile holds, within the band that is shown.
    QVERIFY(fixed.low <= fixed.after && fixed.after <= fixed.high);
    QVERIFY2(
        fixed.low <= held && held <= fixed.high,
        qPrintable(
            QStringLiteral("fixed cost %1 s, measured %2 to %3 s").arg(held).arg(fixed.low).arg(fixed.high)));
    const CalibratedParameter& measured = parameter(c, "decode_hbm_efficiency");
    for (const char* name : {"serving_memory_efficiency", "serving_attention_memory_efficiency"}) {
        const double used = parameter(c, name).after;
        QVERIFY2(measured.low <= used && used <= measured.high, name);
    }
}

inline void trainingAgrees(const ScenarioSpec& spec, const LiveCalibration& c, double stepTime) {
    const auto after = estimate(spec, alidade::shippedCatalog(), written(c));
    QVERIFY(after && after->training);
    QVERIFY(isWithin("training step", after->training->stepTime, stepTime, 0.03));
}

inline void servingIsReproduced(unsigned seed) {
    const DrawnCluster drawn = drawnCluster(seed);
    ClosedFormCluster cluster(drawn.truth, history);
    const ScenarioSpec spec = servingOf(drawn);
    const Observation observation = cluster.serving();
    const LiveCalibration c = calibrated(spec, observation);
    servingAgrees(spec, c, drawn.truth);
    changesAreTrue(c);
    changesNothingAgain(spec, observation, c);
}

inline void trainingIsReproduced(unsigned seed) {
    const DrawnCluster drawn = drawnCluster(seed);
    ClosedFormCluster cluster(drawn.truth, history);
    const ScenarioSpec spec = trainingOn(drawn.instance, drawn.truth.trainNodes);
    const Observation observation = cluster.training();
    const LiveCalibration c = calibrated(spec, observation);
    trainingAgrees(spec, c, cluster.stepTime());
    changesAreTrue(c);
    changesNothingAgain(spec, observation, c);
}

} // namespace alidade::test
