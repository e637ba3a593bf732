// SPDX-License-Identifier: GPL-3.0-or-later
// The fit of a site's constants to made-up figures: what it finds, and what it says of it.
#include "model/calibration/live_constants.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tst_live_fit {

using namespace alidade;
using namespace alidade::tests;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double quantile = 1.2815515655446004; ///< 90 % of a normal distribution
constexpr double priorSd = 0.26;                ///< hypot(0.24, 0.1): of the profile, and of sites
constexpr double priorPrecision = 1 / (priorSd * priorSd);

bool near(double a, double b, double to = 1e-4) { return std::abs(a - b) <= to * std::abs(b); }

/// Two uncertain times, 4 us and 50 ms.
struct Rig {
    Catalog catalog = fittedCatalog();

    Rig() {
        makeExact(catalog.defaultProfile, {"gemm_launch", "step_overhead"});
        for (const auto& [name, value] : {std::pair("gemm_launch", 4e-6), {"step_overhead", 0.05}}) {
            constantIn(catalog.defaultProfile, name).value = value;
            constantIn(catalog.defaultProfile, name).logSd = 0.24;
        }
    }
    LiveConstants constants() const {
        return *LiveConstants::of(smallTraining(), catalog, catalog.defaultProfile, "site");
    }
    std::size_t at(const char* name) const {
        const LiveConstants all = constants();
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all.parameter(i).name == name)
                return i;
        return all.size();
    }
    std::size_t launch() const { return at("gemm_launch"); }
    std::size_t overhead() const { return at("step_overhead"); }

    LiveCalibration fit(const std::vector<LivePoint>& points, double huber = infinite) const {
        LiveCalibration out;
        fitLive(constants(), points, out, huber);
        return out;
    }
    /// The launch itself is measured, so many times its value in the profile.
    LivePoint launches(double times, double sd, double weight = 1) const {
        return {.measured = 4e-6 * times,
                .sd = sd,
                .weight = weight,
                .predict = [at = launch()](const std::vector<double>& t) { return std::exp(t[at]); }};
    }
    /// The product of both constants.
    LivePoint products(double times, double sd) const {
        return {.measured = 4e-6 * 0.05 * times,
                .sd = sd,
                .weight = 1,
                .predict = [](const std::vector<double>& t) { return std::exp(t[0] + t[1]); }};
    }
};

/// A figure that hangs on no constant.
LivePoint fixed(double ratio, const char* name, double sd = 0.1) {
    return {.measured = 1,
            .sd = sd,
            .weight = 1,
            .predict = [ratio](const std::vector<double>&) { return ratio; },
            .name = name};
}

const CalibratedParameter& only(const LiveCalibration& found) { return found.parameters.at(0); }

} // namespace

class TestLiveFit : public QObject {
    Q_OBJECT

    Rig rig_;

private slots:
    /// Twice the profile's value, known to 0.1 and to 0.26: ln 2 by precisions 100 and 14.8.
    void oneConstant() {
        const LiveCalibration out = rig_.fit({rig_.launches(2, 0.1)});
        QCOMPARE(out.parameters.size(), std::size_t{1}); // the other one plays no part
        const CalibratedParameter& p = only(out);
        const double precision = 100 + priorPrecision, moved = std::log(2) * 100 / precision;
        const double sd = 1 / std::sqrt(precision);
        QCOMPARE(p.name + ", " + p.unit, std::string("gemm_launch, s"));
        QCOMPARE(p.label, std::string(inputInfo(Input::gemmLaunch).label));
        QCOMPARE(p.before, 4e-6);
        QVERIFY(near(p.after, 4e-6 * std::exp(moved)));
        QVERIFY(near(p.logSd, sd));
        QVERIFY(near(p.low, p.after * std::exp(-quantile * sd)));
        QVERIFY(near(p.high, p.after * std::exp(quantile * sd)));
        QVERIFY(near(p.dataShare, 100 / precision));
        QVERIFY(p.applied && p.changed && !p.interval);
        QCOMPARE(p.how, std::string("measured"));
        QVERIFY(near(out.before.median, 0.5) && near(out.before.mean, 0.5)); // half of what was measured
        const double left = 1 - std::exp(moved - std::log(2));
        QVERIFY(near(out.after.median, left, 1e-3) && near(out.after.mean, left, 1e-3));
        QVERIFY(!out.leftOut); // of one point there is nothing to leave
        QVERIFY(out.notes.empty() && out.confounded.empty());
        const Parameter& entry = out.profile.parameters.back();
        QCOMPARE(entry.name + " " + entry.gpu, std::string("gemm_launch h100-sxm"));
        QCOMPARE(entry.value, p.after);
        QCOMPARE(out.profile.parameters.size(), rig_.catalog.defaultProfile.parameters.size() + 1);
    }

    /// What a figure moves with by less than a thousandth per sd of the prior plays no part.
    void whatPlaysAPart() {
        const auto size = [&](double change) {
            LivePoint weak{.measured = 1,
                           .sd = 0.1,
                           .weight = 1,
                           .predict = [at = rig_.launch(), change](const std::vector<double>& t) {
                               return std::exp(t[at] * change / priorSd);
                           }};
            return rig_.fit({fixed(1, ""), weak}).parameters.size();
        };
        QCOMPARE(size(0.0011), std::size_t{1});
        QCOMPARE(size(-0.0011), std::size_t{1});
        QCOMPARE(size(0.0009), std::size_t{0});
    }

    /// The others keep the profile's values in predictions.
    void othersStay() {
        LivePoint both = rig_.launches(2, 0.1);
        bool stayed = true;
        both.predict = [&, at = rig_.launch(), other = rig_.overhead()](const std::vector<double>& t) {
            const bool same = t.size() == 2 && std::abs(t[other] - std::log(0.05)) < 1e-12;
            stayed = stayed && (same || t[other] > std::log(0.05)); // once asked whether it plays a part
            return std::exp(t[at]) * (same ? 1 : 1.0005);
        };
        QVERIFY(
            near(only(rig_.fit({both})).after, 4e-6 * std::exp(std::log(2) * 100 / (100 + priorPrecision))));
        QVERIFY(stayed);
    }

    void unchanged() {
        const LiveCalibration out = rig_.fit({rig_.launches(1, 0.1)});
        QVERIFY(!only(out).changed && only(out).applied);
        QCOMPARE(only(out).how, std::string("unchanged: the measurements do not determine it"));
        QCOMPARE(out.profile.parameters.size(), rig_.catalog.defaultProfile.parameters.size());
        QVERIFY(out.before.mean < 1e-9 && out.after.mean < 1e-6);
    }

    /// The share of the data is 1 / (1 + sd^2 / 0.26^2): half at 0.26, a twentieth at 0.26 x sqrt(19)
    /// = 1.133.
    void whatItRestsOn() {
        const auto how = [&](double sd) {
            return QString::fromStdString(only(rig_.fit({rig_.launches(3, sd)})).how);
        };
        QCOMPARE(how(0.25), QStringLiteral("measured"));
        QCOMPARE(how(0.27), QStringLiteral("partly measured, partly the prior"));
        QCOMPARE(how(1.12), QStringLiteral("partly measured, partly the prior"));
        const QString along = QStringLiteral("changed along with others; the data alone do not determine it");
        QCOMPARE(how(1.15), along);
    }

    /// Of two constants whose product is known to sd, the correlation is -1 / (1 + sd^2 / 0.26^2): 0.3 at
    /// 0.397, 0.95 at 0.0596.
    void whatCannotBeToldApart() {
        const auto correlated = [&](double sd) {
            const LiveCalibration out = rig_.fit({rig_.products(2, sd)});
            return out.parameters.size() == 2 &&
                   out.parameters[0].how.ends_with("; correlated with " + out.parameters[1].name) &&
                   out.parameters[1].how.ends_with("; correlated with " + out.parameters[0].name);
        };
        QVERIFY(correlated(0.39) && !correlated(0.405));
        QVERIFY(rig_.fit({rig_.products(2, 0.061)}).confounded.empty());
        LiveCalibration out;
        out.parameters.resize(3); // figures come first
        fitLive(rig_.constants(), {rig_.products(2, 0.058)}, out);
        QCOMPARE(out.parameters.size(), std::size_t{5});
        QCOMPARE(out.confounded.size(), std::size_t{1});
        QCOMPARE(out.confounded[0].first, std::size_t{3});
        QCOMPARE(out.confounded[0].second, std::size_t{4});
        QVERIFY(near(out.confounded[0].correlation, -1 / (1 + 0.058 * 0.058 * priorPrecision), 1e-3));
        QVERIFY(out.parameters[3].how.ends_with("; correlated with " + out.parameters[4].name));
        // Both move alike: each by ln 2 x 0.26^2 / (2 x 0.26^2 + sd^2).
        const double moved = std::log(2) / (2 + 0.058 * 0.058 * priorPrecision);
        for (std::size_t i = 3; i < 5; ++i)
            QVERIFY(near(out.parameters[i].after / out.parameters[i].before, std::exp(moved), 1e-3));
    }

    /// Pairs are told by their places among all parameters: of three constants, the two of a product.
    void placesOfConfoundedPairs() {
        Rig rig;
        constantIn(rig.catalog.defaultProfile, "network_latency").logSd = 0.24;
        const LiveConstants three = rig.constants();
        QCOMPARE(three.size(), std::size_t{3});
        for (std::size_t alone = 0; alone < 3; ++alone) {
            const std::size_t one = alone == 0 ? 1 : 0, other = alone == 2 ? 1 : 2;
            const auto value = [&](std::size_t i) { return std::exp(three.present(i)); };
            LiveCalibration out;
            out.parameters.resize(1);
            fitLive(three,
                    {{.measured = 2 * value(one) * value(other),
                      .sd = 0.02,
                      .weight = 1,
                      .predict = [=](const std::vector<double>& t) { return std::exp(t[one] + t[other]); }},
                     {.measured = 2 * value(alone),
                      .sd = 0.02,
                      .weight = 1,
                      .predict = [=](const std::vector<double>& t) { return std::exp(t[alone]); }}},
                    out);
            QCOMPARE(out.confounded.size(), std::size_t{1});
            QCOMPARE(out.confounded[0].first, 1 + one);
            QCOMPARE(out.confounded[0].second, 1 + other);
            QCOMPARE(out.parameters[1 + alone].how, std::string("measured"));
        }
    }

    /// Without one of two measurements of 1 and 3 times the value, the other one and the prior remain:
    /// a share of 100 / 114.8 of it.
    void leftOutPoints() {
        const double share = 100 / (100 + priorPrecision), three = std::log(3);
        LiveCalibration out = rig_.fit({rig_.launches(1, 0.1), rig_.launches(3, 0.1)});
        QVERIFY(out.leftOut);
        // The first is foreseen as 3^share, the second as 1 of 3.
        QVERIFY(near(out.leftOut->mean, (std::expm1(share * three) + 2.0 / 3) / 2, 1e-3));
        QVERIFY(near(out.leftOut->median, 2.0 / 3, 1e-3));
        // Points of one group leave together: the prior alone is off by 2/3.
        LivePoint one = rig_.launches(3, 0.1), other = rig_.launches(3, 0.1);
        one.group = other.group = 7;
        out = rig_.fit({one, other});
        QVERIFY(near(out.leftOut->mean, 2.0 / 3, 1e-3) && near(out.leftOut->median, 2.0 / 3, 1e-3));
        other.group = 0;
        out = rig_.fit({one, other});
        QVERIFY(near(out.leftOut->mean, 1 - std::exp((share - 1) * three), 1e-2));
        other.judged = false; // nothing to leave out but the first
        QVERIFY(!rig_.fit({one, other}).leftOut);
    }

    void whatIsJudged() {
        LivePoint aside = rig_.launches(9, 10);
        aside.judged = false;
        const LiveCalibration out = rig_.fit({rig_.launches(2, 0.1), rig_.launches(4, 0.1), aside});
        QVERIFY(near(out.before.mean, (0.5 + 0.75) / 2) && near(out.before.median, 0.5));
    }

    /// Beyond one sd of 0.5 a figure pulls with 1 / 0.5, whatever its distance, against 14.8 per unit.
    void farFiguresOfRawMeasurements() {
        const CalibratedParameter p = only(rig_.fit({rig_.launches(std::exp(3), 0.5)}, 1));
        QVERIFY(near(p.after, 4e-6 * std::exp(2 / priorPrecision)));
        const CalibratedParameter square = only(rig_.fit({rig_.launches(std::exp(3), 0.5)}));
        QVERIFY(near(square.after, 4e-6 * std::exp(3 * 4 / (4 + priorPrecision))));
    }

    /// Three sd: exp(0.3) is 35 % more.
    void misfits() {
        const QString doubt =
            QStringLiteral("The run lies outside what the constants allow. Check that model, batch, lengths, "
                           "precision, layout and GPUs of the scenario are those of the run.");
        const auto notes = [&](const std::vector<LivePoint>& points) {
            return joined(rig_.fit(points).notes);
        };
        QCOMPARE(notes({fixed(1.34, "run")}), QString());
        QCOMPARE(notes({fixed(1.36, "run")}),
                 QStringLiteral("run: the fitted constants give 36 % more than was measured., ") + doubt);
        QCOMPARE(notes({fixed(0.6, "run")}),
                 QStringLiteral("run: the fitted constants give 40 % less than was measured., ") + doubt);
        QCOMPARE(notes({fixed(1.5, "")}), QString()); // of no name
        // The farthest of each name, in the order of names.
        QCOMPARE(
            notes({fixed(1.5, "run"), fixed(0.25, "run"), fixed(3, "run"), fixed(2, "a"), fixed(1, "exact")}),
            QStringLiteral("a: the fitted constants give 100 % more than was measured., run: the "
                           "fitted constants give 75 % less than was measured., ") +
                doubt);
        QCOMPARE(notes({fixed(1.5, "run", 0.2)}), QString());
    }

    /// A fit to the same source stays unless another one is better by 4.
    void calibratedBefore() {
        Rig rig;
        Parameter& p = constantIn(rig.catalog.defaultProfile, "gemm_launch");
        p.source = "site";
        p.prior = ParameterPrior{.value = 4e-6, .logSd = 0.26};
        // At the prior's mean a distance of x has the cost (x / 0.1)^2, at its optimum that times 14.8 /
        // 114.8: a gain of 4 at x = 0.214.
        const auto change = [&](double distance) {
            return only(rig.fit({rig.launches(std::exp(distance), 0.1)})).changed;
        };
        QVERIFY(!change(0.21) && change(0.22));
        p.source = "other";
        QVERIFY(change(0.05));
    }

    /// Where an engine cannot carry the load at a guess, the fit starts nearer to the profile's value.
    void guessesThatPredictNothing() {
        Catalog catalog = fittedCatalog();
        makeExact(catalog.defaultProfile, {});
        LiveConstants constants = *LiveConstants::of(smallServing(), catalog, catalog.defaultProfile, "site");
        constants.release(Input::servingPromptOverhead, 1.5, 1e-3); // of 1e-5
        const auto found = [&](double carries) {
            LiveCalibration out;
            fitLive(constants,
                    {{.measured = 3e-5,
                      .sd = 0.01,
                      .weight = 1,
                      .predict =
                          [carries](const std::vector<double>& t) {
                              return std::exp(t[0]) > carries ? infinite : std::exp(t[0]);
                          }}},
                    out);
            return out;
        };
        for (const double carries : {2e-3, 2e-4, 4e-5}) {
            const LiveCalibration out = found(carries);
            QVERIFY(near(only(out).after, 3e-5, 1e-3));
            QVERIFY(out.notes.empty());
        }
    }
};

QTEST_APPLESS_MAIN(TestLiveFit)

} // namespace tst_live_fit

#include "tst_live_fit.moc"
