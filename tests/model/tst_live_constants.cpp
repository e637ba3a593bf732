// SPDX-License-Identifier: GPL-3.0-or-later
// Constants of a profile as parameters of a fit: which they are, what is known of them, where they end up.
#include "model/calibration/live_constants.h"
#include "tests/model/fitted_catalog.h"

#include <QTest>

#include <cmath>
#include <set>

namespace tst_live_constants {

using namespace alidade;
using namespace alidade::tests;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }

double logit(double share) { return std::log(share / (1 - share)); }

/// The small catalog with some values that are easy to compute with.
Catalog catalogOfFits() {
    Catalog out = fittedCatalog();
    const auto set = [&](const char* name, double value, double logSd) {
        Parameter& p = constantIn(out.defaultProfile, name);
        p.value = value;
        p.logSd = logSd;
    };
    set("gemm_compute_efficiency", 0.6, 0.075);
    set("gemm_launch", 4e-6, 0.24);
    set("all_gather_efficiency", 0.8, 0.03);
    set("network_latency", 1e-5, 0.3);
    set("serving_memory_efficiency", 0.75, 0.03);
    set("serving_expert_launch", 2e-5, 0.3);
    set("power_utilisation", 0.9, 0.04);
    return out;
}

struct Rig {
    Catalog catalog = catalogOfFits();
    LiveConstants constants;

    explicit Rig(const ScenarioSpec& spec = smallTraining())
        : constants(*LiveConstants::of(spec, catalog, catalog.defaultProfile, "site")) {}

    std::size_t at(const char* name) const {
        for (std::size_t i = 0; i < constants.size(); ++i)
            if (constants.parameter(i).name == name)
                return i;
        return constants.size();
    }
    std::vector<double> present() const {
        std::vector<double> out;
        for (std::size_t i = 0; i < constants.size(); ++i)
            out.push_back(constants.present(i));
        return out;
    }
    /// A fit that found these values.
    MapFit fit(std::vector<double> found) const {
        MapFit out;
        out.parameters = std::move(found);
        out.sd.assign(out.parameters.size(), 0.05);
        out.dataShare.assign(out.parameters.size(), 0.7);
        return out;
    }
};

const Parameter* entry(const Profile& profile, const char* name, const char* gpu, const char* precision,
                       const char* stack) {
    for (const Parameter& p : profile.parameters)
        if (p.name == name && p.gpu == gpu && p.precision == precision && p.stack == stack)
            return &p;
    return nullptr;
}

} // namespace

class TestLiveConstants : public QObject {
    Q_OBJECT

private slots:
    /// Those of time that a site can tell: neither exact ones, nor those of memory, failures and bands, nor
    /// what is the same everywhere.
    void whichTheyAre() {
        const Rig training;
        const Rig serving(smallServing());
        for (const char* name : {"gemm_compute_efficiency", "gemm_launch", "all_gather_efficiency",
                                 "network_latency", "step_overhead", "straggler_spread"}) {
            QVERIFY2(training.at(name) < training.constants.size(), name);
        }
        for (const char* name : {"serving_memory_efficiency",
                                 "serving_step_overhead",
                                 "serving_time_log_sd",
                                 "optimizer_flops",
                                 "network_speedup",
                                 "weight_bytes",
                                 "logits_bytes",
                                 "context_memory",
                                 "fragmentation",
                                 "time_log_sd",
                                 "memory_log_sd",
                                 "gpu_hours_per_failure",
                                 "power_utilisation",
                                 "pue",
                                 "own_part_share",
                                 "bulk_step_factor",
                                 "network_speedup_limit",
                                 "network_tree_efficiency",
                                 "network_pat_efficiency",
                                 "network_bulk_sync",
                                 "network_low_latency_share",
                                 "adapter_kernel_share",
                                 "rl_step_overhead"}) {
            QVERIFY2(training.at(name) == training.constants.size(), name);
        }
        for (const char* name : {"serving_memory_efficiency", "serving_step_overhead",
                                 "serving_expert_launch", "all_gather_efficiency", "network_latency"}) {
            QVERIFY2(serving.at(name) < serving.constants.size(), name);
        }
        for (const char* name :
             {"serving_workspace", "serving_sample_bytes", "serving_time_log_sd", "serving_time_log_sd_moe",
              "serving_ttft_log_sd", "serving_throughput_log_sd", "serving_memory_spread",
              "serving_row_factor", "serving_sort_bytes", "gemm_launch"}) {
            QVERIFY2(serving.at(name) == serving.constants.size(), name);
        }
    }

    void whatIsKnownOfThem() {
        const Rig rig;
        const std::size_t share = rig.at("gemm_compute_efficiency"), time = rig.at("gemm_launch");
        // hypot(0.075, 0.1) = 0.125 of the logarithm; a logit moves 1 / (1 - 0.6) times as much.
        QVERIFY(near(rig.constants.prior(share).mean, std::log(1.5)));
        QVERIFY(near(rig.constants.prior(share).sd, 0.125 / 0.4));
        QVERIFY(near(rig.constants.present(share), std::log(1.5)));
        QVERIFY(near(rig.constants.start(share), std::log(1.5)));
        QVERIFY(near(rig.constants.toValue(share, std::log(4)), 0.8));
        QVERIFY(near(rig.constants.logSlope(share, std::log(4)), 0.2));
        QVERIFY(near(rig.constants.prior(time).mean, std::log(4e-6)));
        QVERIFY(near(rig.constants.prior(time).sd, 0.26)); // hypot(0.24, 0.1)
        QVERIFY(near(rig.constants.toValue(time, std::log(3e-6)), 3e-6));
        QCOMPARE(rig.constants.logSlope(time, std::log(3e-6)), 1.0);
        QVERIFY(!rig.constants.isCalibrated());
    }

    /// A share of 1 has no logit: 0.9999 has.
    void wholeShares() {
        Catalog catalog = catalogOfFits();
        constantIn(catalog.defaultProfile, "gemm_compute_efficiency").value = 1;
        const LiveConstants constants =
            *LiveConstants::of(smallTraining(), catalog, catalog.defaultProfile, "site");
        QVERIFY(near(constants.present(0), logit(0.9999)));
        QCOMPARE(constants.parameter(0).name, std::string("gemm_compute_efficiency"));
    }

    /// What a calibration of the same source found starts from what was known before it, with its own value.
    void theSameSourceCountsOnce() {
        Catalog catalog = catalogOfFits();
        Parameter& p = constantIn(catalog.defaultProfile, "gemm_launch");
        p.prior = ParameterPrior{.value = 3e-6, .logSd = 0.4};
        const auto of = [&](const char* source) {
            return *LiveConstants::of(smallTraining(), catalog, catalog.defaultProfile, source);
        };
        const std::size_t at = Rig().at("gemm_launch");
        QVERIFY(near(of("site").prior(at).mean, std::log(4e-6)));
        QVERIFY(!of("site").isCalibrated());
        p.source = "site";
        QVERIFY(of("site").isCalibrated() && !of("other").isCalibrated());
        QVERIFY(near(of("site").prior(at).mean, std::log(3e-6)));
        QVERIFY(near(of("site").prior(at).sd, 0.4));
        QVERIFY(near(of("site").present(at), std::log(4e-6)));
        QVERIFY(near(of("other").prior(at).mean, std::log(4e-6)));
        p.prior.reset();
        QVERIFY(!of("site").isCalibrated());
    }

    void inputsFollow() {
        const Rig rig;
        std::vector<double> moved = rig.present();
        moved[rig.at("gemm_compute_efficiency")] = logit(0.5);
        moved[rig.at("network_latency")] = std::log(2e-5);
        const Inputs before = rig.constants.scenario().inputs, after = rig.constants.inputs(moved);
        QVERIFY(near(after[Input::gemmComputeEfficiency], 0.5));
        QVERIFY(near(after[Input::headGemmEfficiency], 0.5)); // the same entry
        QVERIFY(near(after[Input::networkLatency], 2e-5));
        QVERIFY(near(after[Input::gemmLaunch], 4e-6));
        QCOMPARE(after[Input::globalBatch], before[Input::globalBatch]);
        const Rig serving(smallServing());
        moved = serving.present();
        moved[serving.at("serving_memory_efficiency")] = logit(0.5);
        const LiveConstants::PoolInputs pools = serving.constants.poolInputs(moved);
        QVERIFY(near(pools[0][Input::servingMemoryEfficiency], 0.5));
        QCOMPARE(pools[0][Input::inputTokens], 1000.0);
        QCOMPARE(pools[1][Input::inputTokens], 0.0); // there is no second pool
    }

    /// A constant that the data choose: another spread, another start, exact ones too.
    void released() {
        Rig rig(smallServing());
        const std::size_t before = rig.constants.size(), memory = rig.at("serving_memory_efficiency");
        rig.constants.release(Input::servingMemoryEfficiency, 0.04, 0.5);
        QCOMPARE(rig.constants.size(), before);
        QVERIFY(near(rig.constants.prior(memory).sd, 0.05 / 0.25)); // hypot(0.03, 0.04)
        QVERIFY(near(rig.constants.start(memory), 0));
        QVERIFY(near(rig.constants.present(memory), logit(0.75)));
        rig.constants.release(Input::servingPromptOverhead, 1.5, 2e-3); // exact: 1e-5
        QCOMPARE(rig.constants.size(), before + 1);
        const std::size_t prompt = rig.at("serving_prompt_overhead");
        QVERIFY(near(rig.constants.prior(prompt).sd, 1.5));
        QVERIFY(near(rig.constants.start(prompt), std::log(2e-3)));
        rig.constants.release(Input::servingPromptOverhead, 2);
        QVERIFY(near(rig.constants.start(prompt), std::log(1e-5)));
        rig.constants.release(Input::servingSortBytes, 1.5); // of nothing there is no multiple
        QCOMPARE(rig.constants.size(), before + 1);
        std::vector<double> moved = rig.present();
        moved[prompt] = std::log(5e-3);
        QVERIFY(near(rig.constants.poolInputs(moved)[0][Input::servingPromptOverhead], 5e-3));
        rig.constants.restrict([prompt](std::size_t i) { return i == prompt; });
        QCOMPARE(rig.constants.size(), std::size_t{1});
        QCOMPARE(rig.constants.parameter(0).name, std::string("serving_prompt_overhead"));
    }

    void smallMovesAreNone() {
        const Rig rig;
        const std::size_t at = rig.at("gemm_launch");
        const auto unmoved = [&](double log) {
            std::vector<double> found = rig.present();
            found[at] += log;
            return rig.constants.isUnmoved(at, rig.fit(found));
        };
        QVERIFY(unmoved(0) && unmoved(0.0009) && unmoved(-0.0009));
        QVERIFY(!unmoved(0.0011) && !unmoved(-0.0011));
    }

    /// Entries for the part, format and software of the scenario; links whatever software; networks in place.
    void fittedProfile() {
        const Rig rig;
        std::vector<double> found = rig.present();
        found[rig.at("gemm_launch")] = std::log(5e-6);
        found[rig.at("all_gather_efficiency")] = logit(0.9);
        found[rig.at("network_latency")] = std::log(2e-5);
        const Profile out = rig.constants.fitted(rig.fit(found));
        QCOMPARE(out.parameters.size(), rig.catalog.defaultProfile.parameters.size() + 2);
        const Parameter* launch = entry(out, "gemm_launch", "h100-sxm", "bf16", "megatron");
        QVERIFY(launch);
        QVERIFY(near(launch->value, 5e-6));
        QVERIFY(near(launch->logSd, 0.05));
        QCOMPARE(launch->dataShare, 0.7);
        QVERIFY(launch->kind == SourceKind::fitted);
        QCOMPARE(launch->source.str(), std::string("site"));
        QVERIFY(near(launch->prior->value, 4e-6) && near(launch->prior->logSd, 0.26));
        QVERIFY(near(entry(out, "gemm_launch", "*", "*", "*")->value, 4e-6));
        const Parameter* gather = entry(out, "all_gather_efficiency", "h100-sxm", "*", "*");
        QVERIFY(gather);
        QVERIFY(near(gather->value, 0.9) && near(gather->logSd, 0.05 * 0.1)); // a tenth of the logit's
        QVERIFY(near(entry(out, "network_latency", "*", "*", "*")->value, 2e-5));
    }

    /// The output layer is in 16 bits, whatever the others are in.
    void fittedFormats() {
        ScenarioSpec spec = smallTraining();
        spec.plan.precision = "fp8";
        Rig rig(spec);
        std::vector<double> found = rig.present();
        found[rig.at("gemm_launch")] = std::log(5e-6);
        QVERIFY(entry(rig.constants.fitted(rig.fit(found)), "gemm_launch", "h100-sxm", "fp8", "megatron"));
        Parameter own = constantIn(rig.catalog.defaultProfile, "gemm_compute_efficiency");
        own.precision = "fp8";
        rig.catalog.defaultProfile.parameters.push_back(own);
        rig.constants = *LiveConstants::of(spec, rig.catalog, rig.catalog.defaultProfile, "site");
        found = rig.present();
        for (std::size_t i = 0; i < rig.constants.size(); ++i)
            if (rig.constants.parameter(i).name == "gemm_compute_efficiency")
                found[i] = 0;
        const Profile out = rig.constants.fitted(rig.fit(found));
        QVERIFY(near(entry(out, "gemm_compute_efficiency", "h100-sxm", "bf16", "megatron")->value, 0.5));
        QVERIFY(near(entry(out, "gemm_compute_efficiency", "h100-sxm", "fp8", "megatron")->value, 0.5));
        ScenarioSpec experts = smallServing();
        experts.workload.model = "qwen3-30b-a3b";
        const Rig serving(experts);
        found = serving.present();
        found[serving.at("serving_expert_launch")] += 1;
        found[serving.at("serving_step_overhead")] += 1;
        const Profile engine = serving.constants.fitted(serving.fit(found));
        QVERIFY(entry(engine, "serving_expert_launch", "h100-sxm", "bf16", "vllm"));
        QVERIFY(entry(engine, "serving_step_overhead", "h100-sxm", "bf16", "vllm"));
    }

    void measuredDirectly() {
        const Rig rig;
        LiveCalibration out;
        out.profile = rig.catalog.defaultProfile;
        rig.constants.measure(Input::powerUtilization, 0.8, 0.02, out);
        const Parameter* p = entry(out.profile, "power_utilisation", "h100-sxm", "bf16", "megatron");
        QVERIFY(p);
        QCOMPARE(p->value, 0.8);
        QCOMPARE(p->logSd, 0.02);
        QVERIFY(near(p->dataShare, 0.75)); // 1 - 0.02^2 / 0.04^2
        QVERIFY(near(p->prior->value, 0.9) && near(p->prior->logSd, 0.04));
        QVERIFY(p->kind == SourceKind::fitted && p->source.str() == "site");
        const CalibratedParameter& told = out.parameters.at(0);
        QCOMPARE(told.name + ", " + told.unit + ", " + told.label + ", " + told.how,
                 std::string(
                     "power_utilisation, ratio, GPU power in training while busy / TDP, measured directly"));
        QVERIFY(near(told.before, 0.9) && near(told.after, 0.8) && near(told.logSd, 0.02));
        QVERIFY(near(told.low, 0.8 * std::exp(-0.02 * 1.2815515655446004)));
        QVERIFY(near(told.high, 0.8 * std::exp(0.02 * 1.2815515655446004)));
        QVERIFY(near(told.dataShare, 0.75) && told.applied && told.changed && !told.interval);
        rig.constants.measure(Input::powerUtilization, 0.9, 0.05, out); // no better than what was known
        QVERIFY(!out.parameters.at(1).changed);
        QCOMPARE(out.parameters.at(1).dataShare, 0.0);
        rig.constants.measure(Input::globalBatch, 1, 0.02, out); // no constant
        QCOMPARE(out.parameters.size(), std::size_t{2});
    }

    void scenariosThatDoNotRun() {
        const Catalog catalog = fittedCatalog();
        const auto error = [&](const ScenarioSpec& spec) {
            const auto found = LiveConstants::of(spec, catalog, catalog.defaultProfile, "site");
            return found ? std::string() : found.error();
        };
        ScenarioSpec spec = smallTraining();
        spec.workload.model = "unheard of";
        QCOMPARE(error(spec).substr(0, 15), std::string("/workload/model"));
        spec = smallTraining();
        spec.plan.tensorParallel = 3; // of 32 heads
        spec.plan.dataParallel = 5;
        QVERIFY(error(spec).starts_with("/") &&
                error(spec).ends_with("; use the scenario that the cluster runs"));
        QVERIFY(error(spec).find(": ") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestLiveConstants)

} // namespace tst_live_constants

#include "tst_live_constants.moc"
