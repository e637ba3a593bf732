// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/sweep.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tst_sweep_words {

using namespace alidade;

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

const PlanFigure& rate() { return *findPlanFigure("training.tokens_per_s"); }
const PlanFigure& time() { return *findPlanFigure("training.step_time_s"); }

SweepPoint pointOf(FieldValue x, double y, const PlanFigure& figure) {
    SweepPoint out;
    out.values = {std::move(x)};
    out.runs = out.fits = true;
    out.figures = {{&figure, y, y, y}};
    return out;
}

/// A sweep over HBM bandwidth, in GB/s.
Sweep bandwidths(const std::vector<double>& x, const std::vector<double>& y, const PlanFigure& figure) {
    const Variable variable(Input::memoryBandwidth);
    Sweep out;
    out.axes = {{variable, {}}};
    for (std::size_t i = 0; i < x.size(); ++i)
        out.points.push_back(pointOf(x[i] * 1e9, y[i], figure));
    return out;
}

std::string ofRate(const std::vector<double>& x, const std::vector<double>& y) {
    return sweepHeadline(bandwidths(x, y, rate()), rate());
}
std::string ofTime(const std::vector<double>& x, const std::vector<double>& y) {
    return sweepHeadline(bandwidths(x, y, time()), time());
}

const std::vector<double> doubling{1, 2, 4, 8};

Sweep choices(const char* path, const std::vector<std::pair<FieldValue, double>>& values,
              const PlanFigure& figure) {
    Sweep out;
    out.axes = {{Variable(*findField(path)), {}}};
    for (const auto& [x, y] : values)
        out.points.push_back(pointOf(x, y, figure));
    return out;
}

FieldValue word(const char* text) { return std::string(text); }

} // namespace

/// What is said of a curve.
class TestSweepWords : public QObject {
    Q_OBJECT

private slots:
    void aBestValueInBetween() {
        QCOMPARE(ofRate(doubling, {50, 100, 80, 60}),
                 std::string("Tokens per second is best at a HBM bandwidth of 2 GB/s: 50 % lower at 1 GB/s, "
                             "40 % lower at 8 GB/s."));
        QCOMPARE(ofTime(doubling, {20, 10, 12, 15}),
                 std::string("Step time is best at a HBM bandwidth of 2 GB/s: 100 % higher at 1 GB/s, 50 % "
                             "higher at 8 GB/s."));
        // Half a percent better than both ends is nothing.
        QVERIFY(ofRate(doubling, {100, 100.6, 100.3, 99}).starts_with("Tokens per second is best at"));
        QVERIFY(ofRate(doubling, {99, 100, 100.6, 100}).starts_with("Tokens per second is best at"));
        QCOMPARE(ofRate(doubling, {100, 100.4, 100.2, 90}),
                 std::string("Tokens per second falls by 10 % from 1 GB/s to 8 GB/s."));
        QCOMPARE(ofRate(doubling, {100, 140, 200.9, 200}),
                 std::string("Tokens per second rises by 100 % from 1 GB/s to 8 GB/s."));
        // Nor is an end.
        QCOMPARE(ofRate(doubling, {100, 90, 80, 70}),
                 std::string("Tokens per second falls by 30 % from 1 GB/s to 8 GB/s."));
    }

    void whereMoreHardlyPays() {
        // Twice the bandwidth gives 80 % more, four times as much again 11 %.
        QCOMPARE(
            ofRate(doubling, {100, 180, 190, 200}),
            std::string("Beyond 2 GB/s more hardly pays: 300 % more HBM bandwidth raises Tokens per second "
                        "by 11 %."));
        QCOMPARE(ofTime(doubling, {10, 5.5, 5.2, 4.95}),
                 std::string("Beyond 2 GB/s more hardly pays: 300 % more HBM bandwidth lowers Step time by "
                             "10 %."));
        // Up to there at least the power 0.4, from there less than 0.15.
        const auto curve = [](double before, double after, double last = 8) {
            const double knee = 100 * std::pow(2, before);
            return ofRate({1, 2, last * 0.99, last}, {100, knee, knee * std::pow(last * 0.99 / 2, after),
                                                      knee * std::pow(last / 2, after)});
        };
        QVERIFY(curve(0.42, 0.05).starts_with("Beyond 2 GB/s"));
        QVERIFY(curve(0.38, 0.05).starts_with("Tokens per second rises"));
        QVERIFY(curve(0.9, 0.14).starts_with("Beyond 2 GB/s"));
        QVERIFY(curve(0.9, 0.16).starts_with("Tokens per second rises"));
        QVERIFY(curve(0.9, 0.28).starts_with("Tokens per second rises"));
        // A fifth more is the least that is worth a word.
        QVERIFY(curve(0.9, 0.05, 2.5).starts_with("Beyond 2 GB/s more hardly pays: 25 % more"));
        QVERIFY(curve(0.9, 0.05, 2.3).starts_with("Tokens per second rises"));
        // A curve that then falls, if hardly, does not pay less: it does not pay.
        QCOMPARE(ofRate(doubling, {100, 180.3, 180.2, 180}),
                 std::string("Tokens per second rises by 80 % from 1 GB/s to 8 GB/s."));
    }

    void fromOneEndToTheOther() {
        QCOMPARE(ofRate(doubling, {100, 200, 400, 800}),
                 std::string("Tokens per second rises by 700 % from 1 GB/s to 8 GB/s."));
        QCOMPARE(ofTime(doubling, {20, 16, 13, 10}),
                 std::string("Step time falls by 50 % from 1 GB/s to 8 GB/s."));
        QCOMPARE(ofTime(doubling, {10, 12, 14, 15}),
                 std::string("Step time rises by 50 % from 1 GB/s to 8 GB/s."));
        QCOMPARE(ofRate(doubling, {100, 100.1, 100.2, 100.4}),
                 std::string("Tokens per second hardly depends on it."));
        QCOMPARE(ofRate(doubling, {100, 100.2, 100.4, 100.6}),
                 std::string("Tokens per second rises by 0.60 % from 1 GB/s to 8 GB/s."));
        QCOMPARE(ofTime(doubling, {10, 10.01, 10.02, 10.03}), std::string("Step time hardly depends on it."));
        QCOMPARE(ofTime(doubling, {10, 9.99, 9.98, 9.97}), std::string("Step time hardly depends on it."));
    }

    void wholeNumbersHaveThousands() {
        Sweep lengths;
        lengths.axes = {{Variable(*findField("workload.sequence_length")), {}}};
        for (const std::int64_t each : {1024, 2048, 4096, 8192})
            lengths.points.push_back(pointOf(each, static_cast<double>(each), rate()));
        QCOMPARE(sweepHeadline(lengths, rate()),
                 std::string("Tokens per second rises by 700 % from 1,024 to 8,192."));
    }

    /// The order of the points does not count, nor do those without a value.
    void pointsOfACurve() {
        const std::string rises = "Tokens per second rises by 700 % from 1 GB/s to 8 GB/s.";
        QCOMPARE(ofRate({8, 1, 4, 2}, {800, 100, 400, 200}), rises);
        QCOMPARE(ofRate({1, 2, 4, 8, 16, 32, 0}, {100, 200, 400, 800, 0, unbounded, 50}), rises);
        QCOMPARE(ofRate({1, 2, 4}, {100, 200, 400}), std::string()); // too few
        Sweep some = bandwidths({1, 2, 4, 8, 16}, {100, 200, 400, 800, 1600}, rate());
        some.points[4].runs = false;
        QCOMPARE(sweepHeadline(some, rate()), rises);
        some.points[4].runs = true;
        some.points[4].figures.clear();
        QCOMPARE(sweepHeadline(some, rate()), rises);
        some.axes.push_back(some.axes.front());
        QCOMPARE(sweepHeadline(some, rate()), std::string()); // of two numbers nothing is said
    }

    void whatDoesNotFit() {
        Sweep some = bandwidths({1, 2, 4, 8, 16}, {100, 200, 400, 800, 1600}, rate());
        some.points[4].fits = false;
        QCOMPARE(
            sweepHeadline(some, rate()),
            std::string("Tokens per second rises by 700 % from 1 GB/s to 8 GB/s. Above 8 GB/s it does not "
                        "fit."));
        some.points[4].runs = false; // not because of its memory
        QCOMPARE(sweepHeadline(some, rate()),
                 std::string("Tokens per second rises by 700 % from 1 GB/s to 8 GB/s."));
        // What does not fit below is no edge.
        some = bandwidths({0.5, 1, 2, 4, 8}, {50, 100, 200, 400, 800}, rate());
        some.points[0].fits = false;
        QCOMPARE(sweepHeadline(some, rate()),
                 std::string("Tokens per second rises by 700 % from 1 GB/s to 8 GB/s."));
        // Where nothing fits, all that run are told.
        for (SweepPoint& each : some.points)
            each.fits = false;
        QCOMPARE(sweepHeadline(some, rate()),
                 std::string("Tokens per second rises by 1,500 % from 500 MB/s to 8 GB/s."));
    }

    void theBestOfSomeWords() {
        const std::vector<std::pair<FieldValue, double>> values{
            {word("bf16"), 10}, {word("fp8"), 8}, {FieldValue(), 9}, {word("mxfp8"), 8}, {word("fp16"), 10}};
        QCOMPARE(sweepHeadline(choices("plan.precision", values, time()), time()),
                 std::string("Step time is best at fp8, 8.00 s, and worst at bf16: 25 % higher."));
        const std::vector<std::pair<FieldValue, double>> rates{
            {word("bf16"), 80}, {FieldValue(), 100}, {word("fp8"), 90}};
        QCOMPARE(
            sweepHeadline(choices("plan.precision", rates, rate()), rate()),
            std::string("Tokens per second is best at the default, 100 tokens/s, and worst at bf16: 20 % "
                        "lower."));
        QCOMPARE(
            sweepHeadline(
                choices("run.start", {{word("2027-01-04"), 1}, {word("2027-02-04"), 1.004}}, time()), time()),
            std::string("Step time hardly depends on it."));
        QCOMPARE(
            sweepHeadline(
                choices("run.start", {{word("2027-01-04"), 1}, {word("2027-02-04"), 1.006}}, time()), time()),
            std::string("Step time is best at 2027-01-04, 1.00 s, and worst at 2027-02-04: 0.60 % "
                        "higher."));
    }

    void wordsThatDoNotCount() {
        Sweep some =
            choices("plan.precision", {{word("bf16"), 10}, {word("fp8"), 8}, {word("fp16"), 1}}, time());
        const std::string expected = "Step time is best at fp8, 8.00 s, and worst at bf16: 25 % higher.";
        some.points[2].runs = false;
        QCOMPARE(sweepHeadline(some, time()), expected);
        some.points[2].runs = true;
        some.points[2].fits = false;
        QCOMPARE(sweepHeadline(some, time()), expected);
        some.points[2].fits = true;
        some.points[2].figures[0].value = 0;
        QCOMPARE(sweepHeadline(some, time()), expected);
        some.points[2].figures[0].value = unbounded;
        QCOMPARE(sweepHeadline(some, time()), expected);
        some.points[2].figures.clear();
        QCOMPARE(sweepHeadline(some, time()), expected);
        some.points[1].figures.clear();
        QCOMPARE(sweepHeadline(some, time()), std::string());
    }
};

QTEST_GUILESS_MAIN(TestSweepWords)

} // namespace tst_sweep_words

#include "tst_sweep_words.moc"
