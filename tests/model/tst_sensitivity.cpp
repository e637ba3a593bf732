// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "model/estimate/resolved_estimate.h"
#include "model/explore/sensitivity.h"
#include "model/search/plan_figures.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace tst_sensitivity {

using namespace alidade;
using namespace alidade::test;

namespace {

const Catalog& catalog() { return smallCatalog(); }

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

Result<Sensitivity> of(const ScenarioSpec& spec, const char* figure, const SensitivityRange& range = {},
                       const Profile& profile = smallCatalog().defaultProfile) {
    return sensitivity(spec, catalog(), profile, figure, range);
}

const SensitivityBar* barOf(const Sensitivity& found, const char* path) {
    const auto bar = std::ranges::find_if(
        found.inputs, [path](const SensitivityBar& each) { return each.variable.path() == path; });
    return bar == found.inputs.end() ? nullptr : &*bar;
}

Profile doubtful(const std::map<std::string, double>& logSd) {
    Profile out = catalog().defaultProfile;
    for (Parameter& each : out.parameters) {
        const auto known = logSd.find(each.name);
        each.logSd = known != logSd.end() ? known->second : each.name.ends_with("log_sd") ? each.logSd : 0;
    }
    return out;
}

} // namespace

/// What each number does to a figure.
class TestSensitivity : public QObject {
    Q_OBJECT

private slots:
    /// The rent is two machines at the price, whatever else is changed.
    void barsOfTheRent() {
        const auto found = of(trainingSpec(), "cost.dollars_per_hour");
        QVERIFY2(found, found.error().c_str());
        QCOMPARE(found->figure, std::string("cost.dollars_per_hour"));
        QVERIFY(found->dimension == Dimension::dollarsPerHour);
        QCOMPARE(found->value, 80.0);
        // Those without effect are left out, but not those that do not run there: 10 % more sequences or
        // tokens.
        QCOMPARE(found->inputs.size(), std::size_t{3});
        for (const char* path : {"workload.sequence_length", "workload.global_batch"})
            QVERIFY(barOf(*found, path) && (!barOf(*found, path)->low || !barOf(*found, path)->high));
        const SensitivityBar& price = found->inputs[0];
        QCOMPARE(price.variable.path(), std::string("price"));
        QCOMPARE(price.value, 40.0);
        QVERIFY(near(price.lowValue, 36) && near(price.highValue, 44));
        QVERIFY(near(*price.low, 72) && near(*price.high, 88));
        QVERIFY(near(price.span, 8));
        QVERIFY(near(*price.derivative, 2, 1e-6));
        QVERIFY(price.lowBound && price.highBound && !price.saturatesAt);
        QCOMPARE(found->logSd, 0.0); // exact
        QVERIFY(found->ignorance.empty() && found->halving.empty());
        const auto half = of(trainingSpec(), "cost.dollars_per_hour", {.step = 0.5});
        QVERIFY(near(half->inputs[0].lowValue, 20) && near(half->inputs[0].highValue, 60));
    }

    /// Each bar is the estimate with that number changed; the largest comes first.
    void barsAreEstimates() {
        const ScenarioSpec spec = trainingSpec();
        const auto found = of(spec, "training.step_time_s");
        const Explorer explorer(spec, catalog(), catalog().defaultProfile, false);
        QVERIFY(std::ranges::is_sorted(found->inputs, std::ranges::greater{}, &SensitivityBar::span));
        std::map<Variable::Kind, int> kinds;
        for (const SensitivityBar& bar : found->inputs) {
            ++kinds[bar.variable.kind()];
            const auto at = [&](double x) {
                return explorer.figure("training.step_time_s", {{bar.variable, bar.variable.valueOf(x)}});
            };
            QCOMPARE(bar.low, at(bar.lowValue));
            QCOMPARE(bar.high, at(bar.highValue));
            const double low = bar.low ? std::abs(*bar.low - found->value) : 0,
                         high = bar.high ? std::abs(*bar.high - found->value) : 0;
            QVERIFY(near(bar.span, std::max(low, high)));
            QVERIFY(bar.span > 1e-9 * found->value || !bar.low || !bar.high);
            if (bar.derivative && bar.value * (1 + 1e-4) < bar.variable.maximum()) {
                const double slope =
                    (*at(bar.value * (1 + 1e-4)) - *at(bar.value * (1 - 1e-4))) / (2e-4 * bar.value);
                QVERIFY2(near(*bar.derivative, slope, 0.02), bar.variable.path().c_str());
            }
        }
        QCOMPARE(kinds.size(), std::size_t{3});
        QVERIFY(barOf(*found, "workload.sequence_length") && barOf(*found, "workload.global_batch"));
        QVERIFY(!barOf(*found, "workload.sequence_length")->derivative); // whole numbers
        QVERIFY(!barOf(*found, "plan.tensor_parallel") && !barOf(*found, "head_gemm_efficiency"));
        QVERIFY(barOf(*found, "peak") && !barOf(*found, "bf16_peak") && !barOf(*found, "gpus"));
    }

    /// Constants alone, from their 10 % to their 90 % quantile.
    void barsOfOwnErrors() {
        const auto found = of(trainingSpec(), "training.step_time_s", {.ownError = true});
        for (const SensitivityBar& bar : found->inputs)
            QVERIFY(bar.variable.kind() == Variable::Kind::constant);
        const SensitivityBar* gemm = barOf(*found, "gemm_compute_efficiency");
        QVERIFY(near(gemm->lowValue, 0.7 * std::exp(-quantile90 * 0.058)));
        QVERIFY(near(gemm->highValue, 0.7 * std::exp(quantile90 * 0.058)));
        QVERIFY(!barOf(*found, "weight_bytes"));
    }

    /// A share ends at 1, where its derivative looks to one side.
    void valuesStayInTheirRange() {
        ScenarioSpec spec = trainingSpec();
        spec.plan.goodput = 0.95;
        const auto found = of(spec, "training.run_time_s");
        const SensitivityBar* goodput = barOf(*found, "plan.goodput");
        QVERIFY(goodput);
        QCOMPARE(goodput->highValue, 1.0);
        QVERIFY(near(*goodput->high, found->value * 0.95, 1e-6));
        QVERIFY(near(*goodput->derivative, -found->value / 0.95, 1e-3));
        spec.plan.goodput = 1;
        const auto most = of(spec, "training.run_time_s");
        QVERIFY(near(*barOf(*most, "plan.goodput")->derivative, -most->value, 1e-3));
    }

    /// Of a band of 0.094 a constant with slope s and error e has (s e / 0.094) squared.
    void sharesOfTheVariance() {
        const Profile profile = doubtful({{"gemm_compute_efficiency", 0.1}, {"attention_efficiency", 0.2}});
        const auto found = of(trainingSpec(), "training.step_time_s", {.ownError = true}, profile);
        QVERIFY(near(found->logSd, 0.094));
        QCOMPARE(found->ignorance.size(), std::size_t{3});
        double sum = 0;
        for (const Ignorance& each : found->ignorance)
            sum += each.shareOfVariance;
        QVERIFY(near(sum, 1));
        QVERIFY(
            std::ranges::is_sorted(found->ignorance, std::ranges::greater{}, &Ignorance::shareOfVariance));
        const auto share = [&found](const char* path) {
            return *std::ranges::find(found->ignorance, path, &Ignorance::path);
        };
        for (const auto& [path, sd] :
             {std::pair("gemm_compute_efficiency", 0.1), {"attention_efficiency", 0.2}}) {
            const SensitivityBar* bar = barOf(*found, path);
            const double part = *bar->derivative * bar->value / found->value * sd;
            QVERIFY(near(share(path).shareOfVariance, part * part / (0.094 * 0.094)));
            QVERIFY(near(share(path).logSdAfter, 0.094 * std::sqrt(1 - share(path).shareOfVariance)));
            QCOMPARE(share(path).label, bar->variable.label());
            QCOMPARE(
                share(path).measurement,
                std::string("step times of the running job (alidade calibrate --prometheus or --steps)"));
        }
        QCOMPARE(share("residual").label, std::string("What the model leaves out"));
        QCOMPARE(share("residual").measurement,
                 std::string("no single one: calibrating on the running job narrows it"));
        // Constants that explain more than the band leave nothing out.
        const auto wide = of(trainingSpec(), "training.step_time_s", {.ownError = true},
                             doubtful({{"gemm_compute_efficiency", 2.0}}));
        QCOMPARE(wide->ignorance.size(), std::size_t{1});
        QCOMPARE(wide->ignorance[0].path, std::string("gemm_compute_efficiency"));
        QVERIFY(near(wide->ignorance[0].shareOfVariance, 1) && wide->ignorance[0].logSdAfter < 1e-6);
        QCOMPARE(wide->halving, std::vector<std::string>{wide->ignorance[0].measurement});
    }

    /// Half of the band is a quarter of its variance: what is left after one or two kinds of measurements.
    void measurementsThatHalveTheBand() {
        const auto sure = of(trainingSpec(), "training.step_time_s", {.ownError = true},
                             doubtful({{"gemm_compute_efficiency", 0.01}}));
        QVERIFY(sure->halving.empty()); // nearly all of it is what the model leaves out
        // Errors of the same weight of a kernel and of NVLink, which two measurements tell.
        const auto slopes = of(trainingSpec(), "training.step_time_s", {.ownError = true});
        const auto weight = [&slopes](const char* path) {
            const SensitivityBar* bar = barOf(*slopes, path);
            return std::abs(*bar->derivative * bar->value / slopes->value);
        };
        const char *kernel = "gemm_compute_efficiency", *link = "all_gather_efficiency";
        const auto both = of(trainingSpec(), "training.step_time_s", {.ownError = true},
                             doubtful({{kernel, 0.5 / weight(kernel)}, {link, 0.5 / weight(link)}}));
        QCOMPARE(both->halving.size(), std::size_t{2});
        QVERIFY(std::ranges::find(both->halving,
                                  "nccl-tests inside an NVLink domain (alidade calibrate --nccl-log)") !=
                both->halving.end());
        // With three quarters and a bit of the variance one of them is enough.
        const auto one = of(trainingSpec(), "training.step_time_s", {.ownError = true},
                            doubtful({{kernel, 0.9 / weight(kernel)}, {link, 0.5 / weight(link)}}));
        QCOMPARE(one->halving.size(), std::size_t{1});
        const auto two = of(trainingSpec(), "training.step_time_s", {.ownError = true},
                            doubtful({{kernel, 0.84 / weight(kernel)}, {link, 0.5 / weight(link)}}));
        QCOMPARE(two->halving.size(), std::size_t{2}); // 0.7056 / 0.9556 = 74 %
    }

    void whatMeasuresAConstant() {
        const auto found = of(servingSpec(), "serving.e2e_s", {.ownError = true},
                              doubtful({{"serving_gemm_efficiency", 0.1}}));
        QVERIFY2(found, found.error().c_str());
        QCOMPARE(
            std::ranges::find(found->ignorance, "serving_gemm_efficiency", &Ignorance::path)->measurement,
            std::string("metrics of the running engine (alidade calibrate --prometheus)"));
        const auto memory =
            of(trainingSpec(), "memory.total_bytes", {.ownError = true}, doubtful({{"context_memory", 2.0}}));
        QCOMPARE(std::ranges::find(memory->ignorance, "context_memory", &Ignorance::path)->measurement,
                 std::string("peak memory of the running job"));
        const auto network = of(trainingSpec(), "training.step_time_s", {.ownError = true},
                                doubtful({{"network_efficiency", 2.0}}));
        QCOMPARE(std::ranges::find(network->ignorance, "network_efficiency", &Ignorance::path)->measurement,
                 std::string("nccl-tests between nodes (alidade calibrate --nccl-log)"));
    }

    /// From where on more of it changes the figure by less than a tenth as much.
    void saturation() {
        const ScenarioSpec spec = trainingSpec();
        const auto found = of(spec, "training.step_time_s", {.step = 0.1, .saturation = true});
        const Explorer explorer(spec, catalog(), catalog().defaultProfile, false);
        int seen = 0;
        for (const SensitivityBar& bar : found->inputs) {
            if (!bar.saturatesAt)
                continue;
            ++seen;
            const auto at = [&](double x) {
                return *explorer.figure("training.step_time_s", {{bar.variable, FieldValue(x)}});
            };
            const double present = std::abs(*bar.derivative * bar.value / found->value);
            const bool upwards = *bar.derivative < 0; // a shorter step is better
            QCOMPARE(*bar.saturatesAt >= bar.value, upwards || *bar.saturatesAt == bar.value);
            const std::vector<double> factors{1, 1.1, 1.25, 1.5, 2, 3, 5, 10};
            double x = bar.value, y = found->value;
            for (std::size_t i = 1; i < factors.size(); ++i) {
                const double next = upwards ? bar.value * factors[i] : bar.value / factors[i];
                const double slope = std::abs(std::log(at(next) / y) / std::log(next / x));
                if (near(x, *bar.saturatesAt)) {
                    QVERIFY(slope < 0.1 * present);
                    break;
                }
                QVERIFY(slope >= 0.1 * present);
                x = next;
                y = at(next);
            }
        }
        QVERIFY(seen > 0);
        const auto unasked = of(spec, "training.step_time_s");
        QVERIFY(std::ranges::none_of(unasked->inputs,
                                     [](const SensitivityBar& b) { return b.saturatesAt.has_value(); }));
    }

    void whatCannotBeAsked() {
        QVERIFY(of(trainingSpec(), "training.step")
                    .error()
                    .starts_with("'training.step' is not a figure of this estimate"));
        ScenarioSpec illegal = trainingSpec();
        illegal.plan.tensorParallel = 3;
        QCOMPARE(of(illegal, "training.mfu").error(),
                 std::string("the scenario does not run; estimate it for the reason and a fix"));
        QCOMPARE(of(servingSpec(1e6), "serving.ttft_s").error(),
                 std::string(
                     "serving.ttft_s is not finite here: more requests arrive than the service can handle"));
        illegal.workload.model = "unheard of";
        QVERIFY(!of(illegal, "training.mfu"));
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = sensitivity(trainingSpec(), catalog(), catalog().defaultProfile, "training.mfu",
                                         {}, stop.get_token());
        QCOMPARE(stopped.error(), std::string("stopped"));
    }

    void theHeadlineOfEachKind() {
        const auto headline = [](const ScenarioSpec& spec) {
            return headlineFigure(estimateResolved(*resolve(spec, catalog(), catalog().defaultProfile),
                                                   {.loadLimit = false, .fixes = false}));
        };
        QCOMPARE(headline(trainingSpec()), std::string("training.tokens_per_s"));
        QCOMPARE(headline(reinforcementSpec()), std::string("reinforcement_learning.step_time_s"));
        Estimate service;
        service.scenario = servingSpec();
        QCOMPARE(headlineFigure(service), std::string("serving.tpot_s"));
        service.headline.emplace();
        service.headline->name = "Input throughput";
        QCOMPARE(headlineFigure(service), std::string("serving.input_tokens_per_s"));
        service.headline->name = "Output throughput";
        QCOMPARE(headlineFigure(service), std::string("serving.output_tokens_per_s"));
    }
};

QTEST_GUILESS_MAIN(TestSensitivity)

} // namespace tst_sensitivity

#include "tst_sensitivity.moc"
