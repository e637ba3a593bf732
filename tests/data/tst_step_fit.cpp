// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
#include "data/calibration/profile_writer.h"
#include "data/catalog/catalog_reader.h"
#include "data/catalog/profile_json.h"
#include "data/json/json.h"
#include "model/calibration/step_fit.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tst_step_fit {

using namespace alidade;

namespace {

const Catalog& catalog() {
    static const auto loaded = data::loadShippedCatalog();
    return *loaded.catalog;
}

Parameter& named(Profile& profile, const char* name, const char* gpu) {
    for (Parameter& each : profile.parameters)
        if (each.name == name && each.gpu == gpu && each.precision == "*")
            return each;
    qFatal("the shipped profile has no %s for %s", name, gpu);
}

ScenarioSpec spec(const char* model, int tensor, int micro) {
    ScenarioSpec out;
    out.workload.kind = WorkloadKind::training;
    out.workload.model = model;
    out.workload.sequenceLength = 8192;
    out.workload.globalBatch = 128;
    out.cluster.instance = "p5.48xlarge";
    out.cluster.instances = 4;
    out.plan.tensorParallel = tensor;
    out.plan.microBatch = micro;
    return out;
}

/// Steps that take exactly what a profile says.
std::vector<MeasuredStep> stepsOf(const Profile& truth) {
    std::vector<MeasuredStep> out;
    const std::vector<double> none;
    for (const char* model : {"llama-3.1-8b", "llama-3.1-70b"}) {
        for (const int tensor : {2, 4, 8}) {
            for (const int micro : {1, 2}) {
                out.push_back({.id = model + std::to_string(10 * tensor + micro),
                               .source = micro == 1 ? "First" : "Second",
                               .release = tensor == 2 ? "1.0" : "2.0",
                               .spec = std::make_shared<const ScenarioSpec>(spec(model, tensor, micro)),
                               .seconds = 1,
                               .weight = 1});
            }
        }
    }
    const BoundSteps bound(out, catalog(), truth);
    for (std::size_t i = 0; i < bound.rows().size(); ++i)
        out[i].seconds = std::exp(bound.logValue(i, bound.valuesOf(truth)));
    return out;
}

/// The shipped constants, two of which are to be fitted.
Profile twoUnknown() {
    Profile out = catalog().defaultProfile;
    for (Parameter& each : out.parameters)
        each.prior.reset();
    for (Parameter* each :
         {&named(out, "gemm_compute_efficiency", "Hopper"), &named(out, "attention_efficiency", "Hopper")}) {
        each->prior = ParameterPrior{each->value, 0.2};
    }
    return out;
}

} // namespace

class TestStepFit : public QObject {
    Q_OBJECT

private slots:
    /// Constants that steps were computed with are found again from the steps alone.
    void findsTheConstantsOfSteps() {
        Profile truth = twoUnknown();
        named(truth, "gemm_compute_efficiency", "Hopper").value *= 0.9;
        named(truth, "attention_efficiency", "Hopper").value *= 1.1;
        const BoundSteps bound(stepsOf(truth), catalog(), twoUnknown());
        QCOMPARE(bound.rejected().size(), std::size_t(0));
        QCOMPARE(bound.fitted().size(), std::size_t(2));
        Profile fitted = fittedProfile(bound, fitRows(bound, {.sd = 0.002}), {});
        for (const char* name : {"gemm_compute_efficiency", "attention_efficiency"}) {
            const Parameter& found = named(fitted, name, "Hopper");
            QVERIFY2(std::abs(found.value / named(truth, name, "Hopper").value - 1) < 2e-3, name);
            QVERIFY2(found.dataShare > 0.9, name);
            QVERIFY2(found.logSd < 0.05, name);
        }
        QCOMPARE(named(fitted, "gemm_compute_efficiency", "b200-sxm").value,
                 named(truth, "gemm_compute_efficiency", "b200-sxm").value);
    }

    /// The architecture decides what is left out together; an error of one does not leak into the other.
    void leftOutErrorsComeFromTheOthers() {
        std::vector<MeasuredStep> steps = stepsOf(twoUnknown());
        for (MeasuredStep& each : steps)
            if (each.id.starts_with("llama-3.1-8b"))
                each.seconds *= 1.2;
        const BoundSteps bound(steps, catalog(), twoUnknown());
        const StepFitOptions options{.sd = 0.01};
        const MapFit all = fitRows(bound, options);
        const std::vector<double> errors = leftOutErrors(bound, all, LeftOut::model, options);
        for (std::size_t i = 0; i < errors.size(); ++i) {
            const bool small = bound.rows()[i].id.starts_with("llama-3.1-8b");
            // The large model alone has the shipped constants; the small one alone those that make it slow.
            QVERIFY(small ? std::abs(errors[i] + std::log(1.2)) < 0.02 : errors[i] > 0.1);
        }
        QCOMPARE(leftOutErrors(bound, all, LeftOut::model, {.sd = 0.01, .threads = 2}), errors);
        // Both publications have both models: leaving one out changes little.
        for (const double error : leftOutErrors(bound, all, LeftOut::source, options))
            QVERIFY(std::abs(error) < 0.15);
        // Each release is predicted by what the steps of the other alone say.
        const std::vector<double> byRelease = leftOutErrors(bound, all, LeftOut::release, options);
        for (const char* release : {"1.0", "2.0"}) {
            std::vector<MeasuredStep> others;
            std::ranges::copy_if(steps, std::back_inserter(others),
                                 [&](const MeasuredStep& each) { return each.release != release; });
            const BoundSteps alone(others, catalog(), twoUnknown());
            const MapFit fit = fitRows(alone, options);
            QCOMPARE(fit.parameters.size(), all.parameters.size());
            for (std::size_t i = 0; i < byRelease.size(); ++i) {
                const BoundRow& row = bound.rows()[i];
                if (row.release == release) {
                    const double error = bound.logValue(i, fit.parameters) - std::log(row.measured);
                    QVERIFY2(std::abs(byRelease[i] - error) < 2e-3, row.id.c_str());
                }
            }
        }
    }

    /// A row is predicted without all that shares its source, its release or its model.
    void leftOutTogetherIsTheUnion() {
        const auto row = [](const char* source, const char* release, const char* model) {
            return BoundRow{.id = "", .source = source, .release = release, .group = "", .model = model};
        };
        const BoundRow one = row("A", "1", "x");
        for (const BoundRow& other : {row("A", "2", "y"), row("B", "1", "y"), row("B", "2", "x")})
            QVERIFY(one.isLeftOutWith(other, LeftOut::together));
        QVERIFY(!one.isLeftOutWith(row("B", "2", "y"), LeftOut::together));
        QVERIFY(one.isLeftOutWith(row("B", "1", "y"), LeftOut::release));
        QVERIFY(!one.isLeftOutWith(row("A", "2", "x"), LeftOut::release));
        // Rows that one fit predicts leave out the same.
        QVERIFY(one.key(LeftOut::together) != row("A", "1", "y").key(LeftOut::together));
    }

    /// Few rows take most of their band from the class, many from themselves.
    void bandsOfFewRowsLeanOnTheirClass() {
        std::vector<std::pair<double, double>> pooled, few, many;
        for (int i = 1; i <= 100; ++i) {
            pooled.emplace_back(0.001 * i, 1);
            many.emplace_back(0.01 * i, 1);
        }
        few.emplace_back(0.5, 0.2);
        const double width = 1.2815515655;
        QVERIFY(shrunkBandSd(few, pooled) * width < 0.11);
        QVERIFY(std::abs(shrunkBandSd(many, pooled) * width - 0.8) < 0.04);
        QVERIFY(std::abs(shrunkBandSd({}, pooled) * width - 0.08) < 1e-9); // no rows: that of the class
    }

    void bandHoldsFourFifths() {
        std::vector<std::pair<double, double>> errors;
        for (int i = 1; i <= 10; ++i)
            errors.emplace_back(i % 2 ? 0.01 * i : -0.01 * i, 1);
        QVERIFY(std::abs(bandSd(errors) * 1.2815515655 - 0.08) < 1e-9);
        errors.emplace_back(1.0, 0.1); // of little weight
        QVERIFY(std::abs(bandSd(errors) * 1.2815515655 - 0.09) < 1e-9);
    }

    void profileReadsBack() {
        Profile profile = twoUnknown();
        profile.parameters[0].source = "a \"quoted\" source";
        const FitRecord record{.fittedTo = {{"A paper", 8}}, .after = {0.05, 0.07}};
        const auto document = nlohmann::json::parse(data::writeProfile(profile, record));
        std::vector<data::JsonFault> faults;
        const auto read = data::readProfile(document, {}, faults);
        QVERIFY2(read, faults.empty() ? "" : faults.front().message.c_str());
        QCOMPARE(read->parameters.size(), profile.parameters.size());
        for (std::size_t i = 0; i < read->parameters.size(); ++i) {
            const Parameter &a = read->parameters[i], &b = profile.parameters[i];
            QVERIFY(a.name == b.name && a.gpu == b.gpu && a.source == b.source && a.kind == b.kind);
            QVERIFY2(std::abs(a.value - b.value) <= 1e-5 * b.value, a.name.c_str());
            QCOMPARE(a.prior.has_value(), b.prior.has_value());
        }
        QCOMPARE(document["error"]["after"]["mean_abs_error"].get<double>(), 0.07);
        QCOMPARE(document["fitted_to"][0]["rows"].get<int>(), 8);
    }
};

QTEST_APPLESS_MAIN(TestStepFit)

} // namespace tst_step_fit

#include "tst_step_fit.moc"
