// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/error_band.h"
#include "model/estimate/figures.h"
#include "model/explore/sweep.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace tst_sweep {

using namespace alidade;
using namespace alidade::test;

namespace {

const Catalog& catalog() { return smallCatalog(); }

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

Scenario resolvedOf(const ScenarioSpec& spec) { return *resolve(spec, catalog(), catalog().defaultProfile); }

std::string wordOf(Input input) { return std::string(inputInfo(input).name); }

SweepAxis axisOf(const ScenarioSpec& spec, const std::string& text) {
    const auto axis = sweepAxis(text, resolvedOf(spec));
    if (!axis)
        qFatal("%s", axis.error().c_str());
    return *axis;
}

VariableSettings settingsOf(const Sweep& sweep, const std::vector<FieldValue>& values) {
    VariableSettings out;
    for (std::size_t i = 0; i < values.size(); ++i)
        out.emplace_back(sweep.axes[i].variable, values[i]);
    return out;
}

} // namespace

/// Estimates along one or two axes.
class TestSweep : public QObject {
    Q_OBJECT

private slots:
    /// The last axis varies fastest, and each point is the estimate of its settings. No batch of 64 is dealt
    /// to micro-batches of 3.
    void pointsAreEstimates() {
        const ScenarioSpec spec = trainingSpec();
        const Explorer explorer(spec, catalog(), catalog().defaultProfile);
        const Sweep found = sweep(explorer, {axisOf(spec, wordOf(Input::memoryBandwidth) + "=1 TB/s,3 TB/s"),
                                             axisOf(spec, "plan.micro_batch=1,3,2")});
        QVERIFY(found.complete);
        QCOMPARE(found.points.size(), std::size_t{6});
        for (std::size_t i = 0; i < found.points.size(); ++i) {
            const SweepPoint& point = found.points[i];
            QVERIFY(point.values[0] == found.axes[0].values[i / 3] &&
                    point.values[1] == found.axes[1].values[i % 3]);
            QVERIFY(point.plan.empty());
            const auto there = explorer.with(settingsOf(found, point.values));
            QVERIFY(there);
            QCOMPARE(point.runs, i % 3 != 1);
            QCOMPARE(there->runs, point.runs);
            QCOMPARE(point.fits, there->fits);
            if (!point.runs) {
                const auto first = std::ranges::find(there->problems, Severity::error, &Problem::severity);
                QCOMPARE(point.why, first->message);
                QVERIFY(!point.why.empty() && point.figures.empty() && !point.bound);
                continue;
            }
            QVERIFY(point.why.empty());
            QVERIFY(point.bound == there->headline->bottleneck);
            QVERIFY(point.figures.size() > 10);
            for (const SweepFigure& each : point.figures)
                QVERIFY(each.value == findFigure(*there, each.figure->path)->value);
            // Shares of the step, by class.
            std::array<double, allBounds.size()> seconds{};
            double whole = 0;
            for (const auto& part : there->training->breakdown) {
                seconds[static_cast<std::size_t>(part.bound)] += part.seconds;
                whole += part.seconds;
            }
            for (std::size_t k = 0; k < seconds.size(); ++k)
                QVERIFY(near(point.shares[k], seconds[k] / whole));
        }
        QVERIFY(found.points[0].figures[0].value != found.points[3].figures[0].value);
    }

    /// A time lies in the band of the estimate, a throughput in the inverse one; memory has its own, and what
    /// is counted has none.
    void bandsOfFigures() {
        const ScenarioSpec spec = trainingSpec();
        const Explorer explorer(spec, catalog(), catalog().defaultProfile);
        const Sweep found = sweep(explorer, {axisOf(spec, "plan.micro_batch=1")});
        const auto there = explorer.with({});
        const auto band = timeErrorBand(*there);
        QVERIFY(band && band->low < 1 && band->high > 1);
        const auto of = [&](const char* path) { return *found.points[0].figure(*findPlanFigure(path)); };
        const SweepFigure step = of("training.step_time_s"), rate = of("training.tokens_per_s"),
                          memory = of("memory.total_bytes"), hour = of("cost.dollars_per_hour");
        QVERIFY(near(step.low, step.value * band->low) && near(step.high, step.value * band->high));
        QVERIFY(near(rate.low, rate.value / band->high) && near(rate.high, rate.value / band->low));
        QCOMPARE(memory.low, there->memory->lowBytes);
        QCOMPARE(memory.high, there->memory->highBytes);
        QVERIFY(memory.low < memory.value && memory.value < memory.high);
        QVERIFY(hour.low == hour.value && hour.high == hour.value && hour.value == 80);
        QVERIFY(!found.points[0].figure(*findPlanFigure("serving.ttft_s")));
    }

    void pointsOfAService() {
        const ScenarioSpec spec = servingSpec();
        const Explorer explorer(spec, catalog(), catalog().defaultProfile);
        const Sweep found = sweep(explorer, {axisOf(spec, "workload.input_tokens=500,1000")});
        QCOMPARE(found.points.size(), std::size_t{2});
        const auto there = explorer.with({});
        const SweepPoint& point = found.points[1];
        std::array<double, allBounds.size()> seconds{};
        double whole = 0;
        for (const auto& part : there->serving->breakdown) {
            seconds[static_cast<std::size_t>(part.bound)] += part.seconds;
            whole += part.seconds;
        }
        QVERIFY(whole > 0);
        for (std::size_t k = 0; k < seconds.size(); ++k)
            QVERIFY(near(point.shares[k], seconds[k] / whole));
        // The first token has a band of its own.
        const auto first = firstTokenErrorBand(*there), time = timeErrorBand(*there);
        QVERIFY(first && time && first->high != time->high);
        const SweepFigure* ttft = point.figure(*findPlanFigure("serving.ttft_s"));
        const SweepFigure* tpot = point.figure(*findPlanFigure("serving.tpot_s"));
        QVERIFY(near(ttft->low, ttft->value * first->low) && near(ttft->high, ttft->value * first->high));
        QVERIFY(near(tpot->low, tpot->value * time->low) && near(tpot->high, tpot->value * time->high));
    }

    /// Slow NVLink limits the step, fast does not: twelve halvings of the interval find where that ends, to a
    /// 4,096th of it.
    void kinksOfANumber() {
        const ScenarioSpec spec = trainingSpec();
        const Explorer explorer(spec, catalog(), catalog().defaultProfile);
        const Sweep found =
            sweep(explorer, {axisOf(spec, wordOf(Input::nvlinkBandwidth) + "=5 GB/s,405 GB/s,500 GB/s")});
        QCOMPARE(found.kinks.size(), std::size_t{1});
        const SweepKink& kink = found.kinks.front();
        QVERIFY(found.points[0].bound == Bound::nvlink);
        QVERIFY(kink.from == Bound::nvlink && kink.to != Bound::nvlink);
        const double at = *numberOf(kink.values.front()), part = 400e9 / 4096;
        QVERIFY(at > 5e9 && at < 405e9);
        const auto boundAt = [&](double value) {
            return explorer
                .figureAndBound("training.step_time_s", {{found.axes[0].variable, FieldValue(value)}})
                .bound;
        };
        QVERIFY(boundAt(at) == kink.to);
        QVERIFY(boundAt(at - 1.01 * part) == kink.from);
        QVERIFY(std::abs(std::remainder(at - 5e9, part)) < 1e-3 * part);
    }

    /// Between whole numbers nothing is looked for, and none is between two rows.
    void kinksOfWholeNumbers() {
        const ScenarioSpec spec = trainingSpec();
        const Explorer explorer(spec, catalog(), catalog().defaultProfile);
        const Sweep found =
            sweep(explorer, {axisOf(spec, wordOf(Input::nvlinkBandwidth) + "=20 GB/s,400 GB/s"),
                             axisOf(spec, "plan.tensor_parallel=1,2,4,8")});
        std::vector<SweepKink> expected;
        for (std::size_t i = 0; i < 8; ++i) {
            const auto &is = found.points[i].bound, &was = found.points[i > 0 ? i - 1 : 0].bound;
            if (i % 4 != 0 && is && was && *is != *was)
                expected.push_back({found.points[i].values, *was, *is});
        }
        QVERIFY(!expected.empty());
        QCOMPARE(found.kinks.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QVERIFY(found.kinks[i].values == expected[i].values);
            QVERIFY(found.kinks[i].from == expected[i].from && found.kinks[i].to == expected[i].to);
        }
    }

    /// The answer is the same for any number of threads; of a sweep that is stopped, what is done is there.
    void threadsAndStops() {
        const ScenarioSpec spec = trainingSpec();
        const Explorer explorer(spec, catalog(), catalog().defaultProfile);
        const auto axes = [&spec] {
            return std::vector<SweepAxis>{axisOf(spec, wordOf(Input::memoryBandwidth) + "=1 TB/s..3 TB/s:9")};
        };
        const Sweep one = sweep(explorer, axes());
        QCOMPARE(one.points.size(), std::size_t{9});
        for (const int threads : {0, 3, 20}) {
            const Sweep several = sweep(explorer, axes(), {.threads = threads});
            QVERIFY(several.complete && several.points.size() == 9);
            for (std::size_t i = 0; i < 9; ++i)
                QVERIFY(several.points[i].figures[0].value == one.points[i].figures[0].value);
        }
        std::stop_source stop;
        std::vector<std::size_t> told;
        const Sweep part = sweep(
            explorer, axes(), {.stop = stop.get_token(), .done = [&](std::size_t i, const SweepPoint& point) {
                                   told.push_back(i);
                                   if (point.figures.empty() || i == 4)
                                       stop.request_stop();
                               }});
        QVERIFY(!part.complete);
        QCOMPARE(part.points.size(), std::size_t{5});
        QCOMPARE(told, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
    }

    /// The best of four plans at each point, as if each had been estimated. What is swept is not searched.
    void theBestPlanAtEachPoint() {
        const ScenarioSpec spec = trainingSpec();
        const Explorer explorer(spec, catalog(), catalog().defaultProfile);
        const std::vector<FreeField> free{*freeField(spec, catalog(), "plan.tensor_parallel", "2,8"),
                                          *freeField(spec, catalog(), "plan.recompute", "none|full")};
        const PlanFigure* objective = findPlanFigure("training.step_time_s");
        const Sweep best =
            sweep(explorer, {axisOf(spec, wordOf(Input::nvlinkBandwidth) + "=20 GB/s,900 GB/s")},
                  {.optimize = free, .objective = objective});
        for (const SweepPoint& point : best.points) {
            double least = std::numeric_limits<double>::infinity();
            for (const char* tensor : {"2", "8"}) {
                for (const char* words : {"none", "full"}) {
                    const auto there =
                        explorer.with(settingsOf(best, point.values),
                                      {{"plan.tensor_parallel", tensor}, {"plan.recompute", words}});
                    if (there && there->runs && there->memory->headroomBytes >= 0)
                        least = std::min(least, there->training->stepTime);
                }
            }
            QVERIFY(near(point.figure(*objective)->value, least));
            QVERIFY(!point.plan.empty());
        }
        const Sweep swept = sweep(explorer, {axisOf(spec, "plan.tensor_parallel=2,4")},
                                  {.optimize = {free[0]}, .objective = objective});
        QVERIFY(swept.points[0].plan.empty() && swept.points[1].plan.empty());
        const Sweep other = sweep(explorer, {axisOf(spec, "plan.tensor_parallel=8,4")},
                                  {.optimize = free, .objective = objective});
        for (const SweepPoint& point : other.points)
            for (const auto& [path, text] : point.plan)
                QVERIFY(path != "plan.tensor_parallel");
        QVERIFY(other.points[0].figure(*objective)->value != other.points[1].figure(*objective)->value);
    }

    /// A request that means nothing says why.
    void pointsWithoutAMeaning() {
        const ScenarioSpec spec = trainingSpec();
        const Explorer explorer(spec, catalog(), catalog().defaultProfile);
        const Sweep found =
            sweep(explorer, {SweepAxis{*Variable::named("cluster.instance", resolvedOf(spec)),
                                       {FieldValue(std::string("a.8")), FieldValue(std::string("none"))}}});
        QVERIFY(found.points[0].runs && !found.points[1].runs && !found.points[1].fits);
        const auto refused = explorer.with(settingsOf(found, found.points[1].values));
        QVERIFY(!refused && !refused.error().empty());
        QCOMPARE(found.points[1].why, refused.error());
    }
};

QTEST_GUILESS_MAIN(TestSweep)

} // namespace tst_sweep

#include "tst_sweep.moc"
