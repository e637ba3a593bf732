// SPDX-License-Identifier: GPL-3.0-or-later
// What keeps a deadline: the chance of keeping it, and which changes are steps towards it.
#include "model/document/deadline_steps.h"
#include "model/document/outcome.h"
#include "model/estimate/resolved_estimate.h"
#include "model/units/format.h"
#include "tests/model/resolving_catalog.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace tst_deadline_steps {

using namespace alidade;
using namespace alidade::test;

namespace {

using Days = std::optional<double>;

/// So many hours of a GPU until it fails.
Profile failingIn(double gpuHours) {
    Profile out = smallCatalog().defaultProfile;
    for (Parameter& each : out.parameters)
        if (each.name == "gpu_hours_per_failure")
            each.value = gpuHours;
    return out;
}

struct Late {
    Profile profile;
    ScenarioSpec spec = trainingSpec();
    Scenario scenario;
    Estimate estimate;

    /// A run of 1.6 days that shall end within one. Of its 128 GPUs one fails in 39 hours: each remedy gains
    /// more than a thousandth of the time.
    explicit Late(const char* edit, double gpuHours = 5000)
        : profile(failingIn(gpuHours)) {
        spec.cluster.instances = 16;
        spec.run.start = spec.run.deadline = "2027-01-04";
        spec = edited(spec, editOf(edit));
        scenario = *resolve(spec, smallCatalog(), profile);
        estimate = estimateResolved(scenario, {.loadLimit = false, .fixes = false});
    }

    PlanResult result(const Edit& set = {}) const { return *resultWith(spec, smallCatalog(), profile, set); }
    std::vector<DeadlineStep> steps(double wanted = 2) const { // more than certain: all that help
        return deadlineSteps(spec, smallCatalog(), profile, scenario, estimate, wanted);
    }
};

/// The kinds of steps in their order: "interval background spares standby machines".
QByteArray kindsOf(const std::vector<DeadlineStep>& steps) {
    QByteArray out;
    for (const DeadlineStep& each : steps) {
        const auto is = [&](const char* part) { return each.text.find(part) != std::string::npos; };
        out += out.isEmpty() ? "" : " ";
        out += is("Checkpoint every ")           ? "interval"
               : is("Checkpoints in the")        ? "background"
               : is(" spare instance")           ? "spares"
               : is("Standby nodes, which rest") ? "standby"
               : is(" instances")                ? "machines"
                                                 : "?";
    }
    return out;
}

} // namespace

class TestDeadlineSteps : public QObject {
    Q_OBJECT

private slots:
    /// Of 10 days, 10 % of the outcomes above 12: the logarithm is normal, so that 90 % are within 12, half
    /// within 10 and 10 % within 10 x 10 / 12. Without a band it is kept or not.
    void chances_data() {
        QTest::addColumn<double>("days"); // 0: none
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<double>("deadline");
        QTest::addColumn<double>("chance");
        const auto row = [](const char* name, double days, double low, double high, double deadline,
                            double chance) {
            QTest::newRow(name) << days << low << high << deadline << chance;
        };
        row("at the 90th percentile", 10, 9, 12, 12, 0.9);
        row("at the median", 10, 9, 12, 10, 0.5);
        row("at the 10th percentile", 10, 9, 12, 100.0 / 12, 0.1);
        row("at once", 10, 9, 12, 0, 0);
        row("no low end, in time", 10, 0, 12, 11, 1);
        row("no high end, in time", 10, 9, 0, 11, 1);
        row("no band, on the day", 10, 0, 0, 10, 1);
        row("no band, late", 10, 0, 0, 9.99, 0);
        row("no days", 0, 9, 12, 11, 0);
        row("nothing", 0, 0, 0, 11, 0);
    }
    void chances() {
        QFETCH(double, days);
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(double, deadline);
        QFETCH(double, chance);
        const auto given = [](double x) { return x > 0 ? Days(x) : Days(); };
        PlanResult result;
        result.days = given(days);
        result.lowDays = given(low);
        result.highDays = given(high);
        QVERIFY(std::abs(chanceOfDeadline(result, deadline) - chance) < 1e-6);
    }

    /// What is not yet so is a step, the cheap ones first. Of the spares the estimate says what costs least.
    void kinds_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<int>("bestSpares");
        QTest::addColumn<QByteArray>("kinds");
        const auto row = [](const char* edit, int bestSpares, const char* kinds) {
            QTest::newRow(*edit ? edit : "nothing is said")
                << QByteArray(edit) << bestSpares << QByteArray(kinds);
        };
        row("", 2, "standby machines");
        row("run.standby=false", 2, "standby machines");
        row("run.standby=true", 2, "machines");
        row("run.checkpoint_interval_s=60", 2, "interval standby machines");
        row("run.checkpoint_mode=async", 2, "standby machines");
        row("run.checkpoint_mode=sync", 2, "background standby machines");
        row("run.checkpoint_mode=sync;run.checkpoint_interval_s=60", 2,
            "interval background standby machines");
        row("run.spares=0", 2, "spares standby machines");
        row("run.spares=1;run.standby=true", 2, "spares machines");
        row("run.spares=1", 1, "standby machines");
        row("run.spares=2", 1, "standby machines");
        row("run.checkpoint_mode=sync;run.checkpoint_interval_s=60;run.spares=0", 1,
            "interval background spares standby machines");
        // All that is lost is in a given goodput.
        row("plan.goodput=0.9", 2, "machines");
    }
    void kinds() {
        QFETCH(QByteArray, edit);
        QFETCH(int, bestSpares);
        QFETCH(QByteArray, kinds);
        Late late(edit.constData());
        late.estimate.run->bestSpares = bestSpares;
        QCOMPARE(kindsOf(late.steps()), kinds);
    }

    /// Of GPUs that fail in 51,000 hours checkpoints in the background gain, but less than a thousandth.
    void gainsThatAreTooSmall() {
        const Late late("run.checkpoint_mode=sync", 51'000);
        const Edit background{{"run.checkpoint_mode", "async"}, {"run.checkpoint_interval_s", ""}};
        const double share = *late.result(background).days / *late.result().days;
        QVERIFY(share < 1 - 1e-4 && share > 1 - 0.9e-3);
        QCOMPARE(kindsOf(late.steps()), QByteArray("machines"));
        // Here it is more than that, though less than two.
        const Late more("run.checkpoint_mode=sync");
        const double gained = *more.result(background).days / *more.result().days;
        QVERIFY(gained < 1 - 1e-3 && gained > 1 - 2e-3);
        QCOMPARE(kindsOf(more.steps()), QByteArray("background standby machines"));
    }

    /// Each step is on top of those before it, and is what the changed plan differs by from this one.
    void stepsAddUp() {
        Late late("run.checkpoint_mode=sync;run.checkpoint_interval_s=60;run.spares=0");
        late.estimate.run->bestSpares = 1;
        const std::vector<DeadlineStep> steps = late.steps();
        QCOMPARE(steps.size(), std::size_t{5});
        Edit set{{"run.checkpoint_interval_s", ""}};
        QVERIFY(steps[0].set == set);
        QCOMPARE(steps[0].text,
                 "Checkpoint every " + formatQuantity(late.estimate.run->checkpoint.bestInterval,
                                                      Dimension::seconds, {.significant = 2}));
        set.insert(set.end(), {{"run.checkpoint_mode", "async"}, {"run.checkpoint_interval_s", ""}});
        QVERIFY(steps[1].set == set);
        QCOMPARE(steps[1].text, std::string("Checkpoints in the background"));
        set.emplace_back("run.spares", "1");
        QVERIFY(steps[2].set == set);
        QCOMPARE(steps[2].text, std::string("1 spare instance"));
        set.emplace_back("run.standby", "true");
        QVERIFY(steps[3].set == set);
        QCOMPARE(steps[3].text, std::string("Standby nodes, which restart sooner"));
        // Not more than twice as many, though none is enough; what follows from their number is left open.
        set.insert(set.end(),
                   {{"cluster.instances", "32"}, {"cluster.gpus", ""}, {"plan.data_parallel", ""}});
        QVERIFY(steps[4].set == set);
        QCOMPARE(steps[4].text, std::string("32 instances"));
        const PlanResult base = late.result();
        double before = 0;
        for (const DeadlineStep& each : steps) {
            const PlanResult then = late.result(each.set);
            QVERIFY(each.days < before - 1e-3);
            QVERIFY(std::abs(each.days - (*then.days - *base.days)) < 1e-9);
            QVERIFY(std::abs(each.chance - chanceOfDeadline(then, 1)) < 1e-12);
            QCOMPARE(each.total.value(), *then.total - *base.total);
            before = each.days;
        }
        late.estimate.run->bestSpares = 3;
        QCOMPARE(late.steps()[2].text, std::string("3 spare instances"));
    }

    /// The last step is the first with the chance that is wanted.
    void noMoreThanIsWanted() {
        const Late late("run.checkpoint_mode=sync;run.checkpoint_interval_s=60");
        const std::vector<DeadlineStep> all = late.steps();
        QCOMPARE(all.size(), std::size_t{4});
        for (std::size_t i = 0; i < 3; ++i) {
            QVERIFY(all[i].chance < all[i + 1].chance);
            QCOMPARE(late.steps(all[i].chance).size(), i + 1);
            QCOMPARE(late.steps(1.000001 * all[i].chance).size(), i + 2);
        }
        const double now = chanceOfDeadline(late.result(), 1);
        QVERIFY(now > 0);
        QVERIFY(late.steps(now).empty());
        QCOMPARE(late.steps(1.000001 * now).size(), std::size_t{1});
    }

    void withoutADeadline() {
        QVERIFY(!Late("").steps().empty());
        QVERIFY(Late("run.deadline=").steps().empty());
        QVERIFY(Late("run.start=").steps().empty());
        QVERIFY(Late("workload.tokens=").steps().empty());    // no end
        QVERIFY(Late("plan.micro_batch=16").steps().empty()); // does not fit
        Late unknown("");
        unknown.estimate.run.reset();
        QVERIFY(unknown.steps().empty());
    }
};

QTEST_APPLESS_MAIN(TestDeadlineSteps)

} // namespace tst_deadline_steps

#include "tst_deadline_steps.moc"
