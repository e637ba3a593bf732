// SPDX-License-Identifier: GPL-3.0-or-later
// Rows bound to constants, and fits to them with a class left out, on laws that are single constants.
#include "model/calibration/step_fit.h"

#include <QTest>

#include <cmath>

namespace tst_bound_rows {

using namespace alidade;

namespace {

bool near(double a, double b, double to = 1e-9) { return std::abs(a - b) <= to * std::max(1.0, std::abs(b)); }

Parameter parameter(const char* name, double value, const char* unit, std::optional<ParameterPrior> prior,
                    const char* stack = "*") {
    Parameter out;
    out.name = name;
    out.gpu = out.precision = "*";
    out.stack = stack;
    out.value = value;
    out.unit = unit;
    out.prior = prior;
    return out;
}

/// The law of a row is a constant of the profile.
class PlainRows : public BoundRows {
public:
    explicit PlainRows(const Profile& profile, bool serving = false)
        : BoundRows(profile, serving) {}

    void add(const char* source, const char* model, double measured, double weight = 1, std::size_t band = 99,
             double sd = 0) {
        BoundRow& row = rows_.emplace_back();
        row.id = std::to_string(rows_.size());
        row.source = source;
        row.release = "release " + std::string(source);
        row.model = model;
        row.measured = measured;
        row.weight = weight;
        row.sd = sd;
        row.parameters = {0};
        row.band = band;
    }
    double logValue(std::size_t, const std::vector<double>& parameters) const override {
        return std::log(toValue(0, parameters[0]));
    }
};

/// A time with a prior of 1 s and a band; what else a profile has.
Profile profileOfTimes() {
    Profile out;
    out.parameters = {parameter("launch", 3, "s", ParameterPrior{1, 0.5}),
                      parameter("time_log_sd", 0.1, "1", ParameterPrior{0.1, 0.3}),
                      parameter("time_log_sd", 0.1, "1", ParameterPrior{0.1, 0.3}, "fsdp"),
                      parameter("other_log_sd", 0.1, "1", ParameterPrior{0.1, 0.3}),
                      parameter("serving_launch", 1, "s", ParameterPrior{1, 0.5}),
                      parameter("fixed", 1, "s", std::nullopt)};
    return out;
}

} // namespace

class TestBoundRows : public QObject {
    Q_OBJECT

private slots:
    /// Those with a prior that are no bands, of training or of serving.
    void whichAreFitted() {
        QCOMPARE(PlainRows(profileOfTimes()).fitted(), std::vector<std::size_t>{0});
        QCOMPARE(PlainRows(profileOfTimes(), true).fitted(), std::vector<std::size_t>{4});
        QVERIFY(isBand(parameter("memory_log_sd_moe", 1, "1", {})) &&
                !isBand(parameter("log_s", 1, "1", {})));
        QVERIFY(isOfServing(parameter("serving_x", 1, "1", {})) &&
                !isOfServing(parameter("x_serving_", 1, "1", {})));
    }

    void transforms() {
        Profile profile;
        profile.parameters = {parameter("share", 0.8, "ratio", ParameterPrior{0.6, 0.2}),
                              parameter("launch", 3, "s", ParameterPrior{2, 0.4})};
        const PlainRows rows(profile);
        QVERIFY(near(rows.valuesOf(profile)[0], std::log(4)) && near(rows.valuesOf(profile)[1], std::log(3)));
        QVERIFY(near(rows.toValue(0, std::log(4)), 0.8) && near(rows.toValue(1, std::log(3)), 3));
        QVERIFY(near(rows.logSlope(0, std::log(4)), 0.2) && near(rows.logSlope(1, std::log(3)), 1));
        QVERIFY(near(rows.priorOf(0).mean, std::log(1.5)) && near(rows.priorOf(0).sd, 0.2 / 0.4));
        QVERIFY(near(rows.priorOf(1).mean, std::log(2)) && near(rows.priorOf(1).sd, 0.4));
    }

    void classes() {
        BoundRow a, b;
        a.source = b.source = "source";
        a.release = "r1";
        b.release = "r2";
        a.model = "m1";
        b.model = "m2";
        QCOMPARE(a.key(LeftOut::source), std::string("source"));
        QCOMPARE(a.key(LeftOut::release), std::string("r1"));
        QCOMPARE(a.key(LeftOut::model), std::string("m1"));
        QCOMPARE(a.key(LeftOut::together), std::string("source\nr1\nm1"));
        QVERIFY(a.isLeftOutWith(b, LeftOut::source) && a.isLeftOutWith(b, LeftOut::together));
        QVERIFY(!a.isLeftOutWith(b, LeftOut::release) && !a.isLeftOutWith(b, LeftOut::model));
        b.source = "other";
        QVERIFY(!a.isLeftOutWith(b, LeftOut::together));
        b.release = "r1";
        QVERIFY(a.isLeftOutWith(b, LeftOut::together));
        b.release = "r2";
        b.model = "m1";
        QVERIFY(a.isLeftOutWith(b, LeftOut::together) && !a.isLeftOutWith(b, LeftOut::source));
        QCOMPARE(leftOutName(LeftOut::source), std::string_view("source"));
        QCOMPARE(leftOutName(LeftOut::model), std::string_view("model"));
        QCOMPARE(leftOutName(LeftOut::release), std::string_view("release"));
        QCOMPARE(leftOutName(LeftOut::together), std::string_view("together"));
        Architecture model;
        model.layers = 32;
        model.hiddenSize = 4096;
        QCOMPARE(architectureKey(model), std::string("32 layers, 4096 wide, 0 experts"));
        model.moe = MoeShape();
        model.moe->routedExperts = 8;
        QCOMPARE(architectureKey(model), std::string("32 layers, 4096 wide, 8 experts"));
    }

    /// The mean by precision: weights over 0.5^2 of rows that bring no error, over their own of others, and
    /// the prior's 1 / 0.5^2 at 0.
    void fits() {
        PlainRows rows(profileOfTimes());
        rows.add("a", "m1", std::exp(0.4), 1);
        rows.add("a", "m2", std::exp(0.8), 0.5, 99, 0.25);
        StepFitOptions options{.sd = 0.5, .huber = 1e9, .tolerance = 1e-9, .leastGain = 0};
        const MapFit fit = fitRows(rows, options);
        QVERIFY(near(fit.parameters[0], (4 * 0.4 + 8 * 0.8) / (4 + 8 + 4.0), 1e-6));
        QVERIFY(near(fit.sd[0], 0.25, 1e-6));
        const std::vector<double> weights{0, 1};
        QVERIFY(near(fitRows(rows, options, {5}, &weights).parameters[0], 16 * 0.8 / 20, 1e-6));
        options.mostIterations = 0;
        QCOMPARE(fitRows(rows, options, {5}).parameters[0], 5.0);
    }

    /// ln(predicted / measured) of each row by the others and the prior; the classes are sources or models.
    void leftOut() {
        PlainRows rows(profileOfTimes());
        rows.add("a", "m1", std::exp(0.3));
        rows.add("a", "m2", std::exp(0.6));
        rows.add("b", "m1", std::exp(0.9));
        for (const bool linear : {false, true}) {
            const StepFitOptions options{.sd = 0.5,
                                         .huber = 1e9,
                                         .linearLeftOut = linear,
                                         .tolerance = 1e-9,
                                         .leastGain = 0,
                                         .threads = 2};
            const MapFit all = fitRows(rows, options);
            QVERIFY(near(all.parameters[0], 1.8 / 4, 1e-6));
            const std::vector<double> bySource = leftOutErrors(rows, all, LeftOut::source, options);
            QVERIFY(near(bySource[0], 0.9 / 2 - 0.3, 1e-5) && near(bySource[1], 0.9 / 2 - 0.6, 1e-5));
            QVERIFY(near(bySource[2], 0.9 / 3 - 0.9, 1e-5));
            const std::vector<double> byModel = leftOutErrors(rows, all, LeftOut::model, options);
            QVERIFY(near(byModel[0], 0.6 / 2 - 0.3, 1e-5) && near(byModel[1], 1.2 / 3 - 0.6, 1e-5));
            // Rows of the source or the model of the first one are all of them: the prior is left.
            const std::vector<double> together = leftOutErrors(rows, all, LeftOut::together, options);
            QVERIFY(near(together[0], -0.3, 1e-5) && near(together[2], 0.6 / 2 - 0.9, 1e-5));
        }
    }

    /// The error that 80 % of the weight stays within, over the 90 % quantile.
    void bands() {
        const double quantile = 1.2815515655446004;
        QVERIFY(near(bandSd({{0.1, 1}, {-0.2, 1}, {0.3, 1}, {-0.4, 1}, {0.5, 1}}), 0.4 / quantile));
        QVERIFY(near(bandSd({{0.1, 8}, {0.9, 2}}), 0.1 / quantile));
        QVERIFY(near(bandSd({{0.1, 7}, {0.9, 3}}), 0.9 / quantile));
        // One sweep of its own, and the class of two rows of any weight as three sweeps: 4 in all, 3.2
        // inside.
        QVERIFY(near(shrunkBandSd({{0.9, 1}}, {{0.1, 5}, {0.2, 5}}), 0.9 / quantile));
        // Of six sweeps 4.8: three of the class at 0.1 and its own two at 0.3.
        QVERIFY(near(shrunkBandSd({{0.3, 1}, {0.3, 1}, {0.9, 1}}, {{0.1, 7}}), 0.3 / quantile));
        QVERIFY(near(shrunkBandSd({{0.3, 1}, {0.9, 1}}, {{0.1, 7}}), 0.3 / quantile)); // 4 of 5
    }

    void profiles() {
        PlainRows rows(profileOfTimes());
        rows.add("a", "m1", 1, 1, 1);
        rows.add("b", "m1", 1, 1, 2);
        rows.add("c", "m1", 1, 1, 99);
        MapFit fit;
        fit.parameters = {std::log(2)};
        fit.sd = {0.3};
        fit.dataShare = {0.9};
        const Profile out = fittedProfile(rows, fit, {0.1, -0.4, 5});
        const Parameter& time = out.parameters[0];
        QVERIFY(near(time.value, 2) && near(time.logSd, 0.3) && near(time.dataShare, 0.9));
        QVERIFY(time.kind == SourceKind::fitted);
        // The band of any software is of both rows of its name; that of one leans on both as three sweeps.
        const double quantile = 1.2815515655446004;
        QVERIFY(near(out.parameters[1].value, 0.4 / quantile) &&
                out.parameters[1].kind == SourceKind::fitted);
        QVERIFY(near(out.parameters[2].value, 0.4 / quantile) &&
                out.parameters[2].kind == SourceKind::fitted);
        QCOMPARE(out.parameters[3].value, 0.1); // of no row
        QVERIFY(out.parameters[3].kind == SourceKind::assumed);
        QCOMPARE(out.parameters[4].value, 1.0);
        const Profile small = fittedProfile(rows, fit, {0.1, -0.05, 5});
        QVERIFY(near(small.parameters[1].value, 0.1 / quantile));
        QVERIFY(near(small.parameters[2].value, 0.1 / quantile)); // 2.5 of 4 inside 0.05, the rest at 0.1
    }
};

QTEST_APPLESS_MAIN(TestBoundRows)

} // namespace tst_bound_rows

#include "tst_bound_rows.moc"
