// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/document/bill.h"
#include "model/document/deadline_steps.h"
#include "model/document/options.h"

#include <QTest>

#include <cmath>
#include <string>
#include <vector>

namespace tst_options {

using namespace alidade;

namespace {

/// A plan that can be used, on a machine of its own: each figure has this standard deviation of ln.
OptionCandidate planOf(const char* name, Cents total, double days, double logSd = 0.05) {
    OptionCandidate out{.name = name};
    out.result.runs = out.result.fits = out.result.carries = true;
    out.result.total = total;
    out.result.days = days;
    out.errors.machine = name;
    out.errors.logSd.assign(planFigures().size(), logSd);
    out.errors.timeParts = {days};
    return out;
}

ConsideredOption judged(const OptionCandidate& chosen, const OptionCandidate& other) {
    const std::vector<OptionCandidate> both{chosen, other};
    return judgedOptions(both, 0)[1];
}

/// What is said of a plan next to one of $1,000 and 10 days.
std::string reason(Cents total, double days) {
    return judged(planOf("a", 1'000'00, 10), planOf("b", total, days)).reason;
}

ConsideredOption optionOf(OptionState state, const char* name, std::optional<Cents> total,
                          bool equal = false) {
    ConsideredOption out{.name = name, .state = state, .reason = {}, .equal = equal};
    out.result.total = total;
    return out;
}

} // namespace

/// Plans among which to choose, and the ends of an order.
class TestOptions : public QObject {
    Q_OBJECT

private slots:
    /// Independent errors of 5 % each: ratios within exp(1.2816 x 0.0707) = 1.0949 are equal.
    void costAndTimeWithinTheError() {
        QCOMPARE(reason(1'094'00, 10), std::string("Equal in cost and time within the model's error"));
        QCOMPARE(reason(1'096'00, 10), std::string("10 % dearer"));
        QCOMPARE(reason(914'00, 10), std::string("Equal in cost and time within the model's error"));
        QCOMPARE(reason(912'00, 10), std::string("9 % cheaper"));
        QCOMPARE(reason(1'000'00, 10.94), std::string("Equal in cost and time within the model's error"));
        QCOMPARE(reason(1'000'00, 10.96), std::string("10 % slower; cost equal within the model's error"));
        QCOMPARE(reason(1'000'00, 8), std::string("20 % faster; cost equal within the model's error"));
        QCOMPARE(reason(1'200'00, 8), std::string("20 % dearer, 20 % faster"));
        QCOMPARE(reason(1'200'00, 12), std::string("20 % dearer, 20 % slower"));
        QCOMPARE(reason(800'00, 8), std::string("20 % cheaper, 20 % faster"));
        const OptionCandidate chosen = planOf("a", 1'000'00, 10);
        QVERIFY(judged(chosen, planOf("b", 1'200'00, 8)).state == OptionState::rejected);
        QVERIFY(judged(chosen, planOf("b", 1'000'00, 12)).state == OptionState::rejected);
        QVERIFY(judged(chosen, planOf("b", 1'000'00, 8)).state == OptionState::open);
        QVERIFY(judged(chosen, planOf("b", 800'00, 12)).state == OptionState::open);
        QVERIFY(judged(chosen, planOf("b", 1'000'00, 10)).equal);
        QVERIFY(!judged(chosen, planOf("b", 1'000'00, 8)).equal);
    }

    /// Below a tenth one digit is enough; a millionth is the same price where nothing else is doubtful.
    void smallAndExactDifferences() {
        const auto exact = [](Cents total) {
            return judged(planOf("a", 1'000'000'00, 10, 0), planOf("b", total, 10, 0)).reason;
        };
        QCOMPARE(exact(1'050'000'00), std::string("5 % dearer"));
        QCOMPARE(exact(1'099'000'00), std::string("10 % dearer"));
        QCOMPARE(exact(1'124'000'00), std::string("12 % dearer"));
        QCOMPARE(exact(1'000'000'90), std::string("Equal in cost and time within the model's error"));
        QVERIFY(exact(1'000'001'10).ends_with("dearer"));
    }

    void plansThatAreRejected() {
        OptionCandidate chosen = planOf("a", 1'000'00, 10), other = planOf("b", 500'00, 40);
        chosen.result.deadlineDays = other.result.deadlineDays = 30;
        QCOMPARE(judged(chosen, other).reason, std::string("Misses the deadline by 10.0 days"));
        other.result.days = 30;
        QVERIFY(judged(chosen, other).state == OptionState::open);
        other.result.meetsTargets = false;
        QCOMPARE(judged(chosen, other).reason, std::string("Misses the targets of latency"));
        QVERIFY(judged(chosen, other).state == OptionState::rejected);
        chosen.result.meetsTargets = false; // neither does
        QVERIFY(judged(chosen, other).state == OptionState::open);
        other.result.carries = false;
        other.result.why = "cannot run: so";
        QCOMPARE(judged(chosen, other).reason, std::string("Cannot run: so"));
        // Next to one that cannot be used, each that can is open.
        chosen = planOf("a", 1'000'00, 10);
        chosen.result.carries = false;
        other = planOf("b", 9'000'00, 90);
        QCOMPARE(judged(chosen, other).reason, std::string("Can be used, which the first one cannot"));
        chosen.result.carries = true;
        chosen.result.deadlineDays = 9;
        QCOMPARE(judged(chosen, other).reason, std::string("Can be used, which the first one cannot"));
        chosen = planOf("a", 1'000'00, 10);
        other.result.total.reset();
        QCOMPARE(judged(chosen, other).reason, std::string("No price is known"));
        QVERIFY(judged(chosen, other).state == OptionState::open);
        QCOMPARE(judged(other, chosen).reason, std::string("No price is known"));
    }

    void whatHasToBeProven() {
        const OptionCandidate chosen = planOf("a", 1'000'00, 10);
        const auto with = [&chosen](const char* path, const char* text, Cents total = 800'00) {
            OptionCandidate other = planOf("b", total, 10);
            other.set = {{"plan.micro_batch", "2"}, {path, text}};
            return judged(chosen, other).reason;
        };
        QCOMPARE(with("plan.precision", "fp8"), std::string("20 % cheaper; verify convergence"));
        QCOMPARE(with("plan.placement", "one_step_off"), std::string("20 % cheaper; verify convergence"));
        QCOMPARE(with("plan.placement", "async"), std::string("20 % cheaper; verify convergence"));
        QCOMPARE(with("plan.placement", "colocated"), std::string("20 % cheaper"));
        QCOMPARE(with("plan.recompute", "async"), std::string("20 % cheaper"));
        QCOMPARE(with("plan.precision", "fp8", 2'000'00), std::string("100 % dearer"));
        OptionCandidate tight = planOf("b", 800'00, 10);
        tight.result.memoryHigh = 81;
        tight.result.usableMemory = 80;
        QCOMPARE(judged(chosen, tight).reason,
                 std::string("20 % cheaper; the high end of its memory does not fit"));
        tight.result.memoryHigh = 80;
        QCOMPARE(judged(chosen, tight).reason, std::string("20 % cheaper"));
        tight.result.memoryHigh = 81;
        tight.result.usableMemory = 0; // not known
        QCOMPARE(judged(chosen, tight).reason, std::string("20 % cheaper"));
    }

    /// The rent of a service is exact; its latency is what its users see.
    void servicesByTheirGaps() {
        const auto service = [](const char* name, Cents total, std::optional<double> gap, double first) {
            OptionCandidate out = planOf(name, total, 0);
            out.result.days.reset();
            out.result.gap = gap;
            out.result.firstToken = first;
            out.serving = true;
            return out;
        };
        const OptionCandidate chosen = service("a", 1'000'00, 0.02, 1);
        QCOMPARE(judged(chosen, service("b", 1'010'00, 0.02, 1)).reason, std::string("1 % dearer"));
        QCOMPARE(judged(chosen, service("b", 1'000'00, 0.024, 1)).reason,
                 std::string("20 % slower; cost equal within the model's error"));
        QCOMPARE(judged(chosen, service("b", 1'000'00, 0.02, 5)).reason,
                 std::string("Equal in cost and time within the model's error"));
        // Without gaps of both the first token counts.
        QCOMPARE(judged(chosen, service("b", 1'000'00, std::nullopt, 1.2)).reason,
                 std::string("20 % slower; cost equal within the model's error"));
        OptionCandidate none = service("b", 1'000'00, std::nullopt, 0);
        none.result.firstToken.reset();
        QVERIFY(judged(chosen, none).equal);
    }

    void theOrderOfOptions() {
        std::vector<OptionCandidate> all{planOf("dear", 3'000'00, 10),  planOf("chosen", 1'000'00, 10),
                                         planOf("cheap", 600'00, 10),   planOf("unpriced", 0, 10),
                                         planOf("cheaper", 500'00, 10), planOf("large", 100'00, 10)};
        all[3].result.total.reset();
        all[5].result.carries = false;
        all[5].result.why = "does not fit";
        all[1].result.why = "for a reason";
        const std::vector<ConsideredOption> judgedAll = judgedOptions(all, 1);
        std::vector<std::string> names;
        for (const ConsideredOption& each : judgedAll)
            names.push_back(each.name);
        QCOMPARE(names,
                 (std::vector<std::string>{"chosen", "cheaper", "cheap", "unpriced", "dear", "large"}));
        QCOMPARE(judgedAll[0].reason, std::string("For a reason"));
    }

    void theHeadline() {
        const ConsideredOption chosen = optionOf(OptionState::chosen, "a", 1'000'00),
                               rejected = optionOf(OptionState::rejected, "c", 100'00);
        const auto say = [](std::vector<ConsideredOption> options) { return optionsHeadline(options); };
        QCOMPARE(say({chosen}), std::string());
        QCOMPARE(say({rejected, rejected}), std::string());
        QCOMPARE(say({chosen, rejected}),
                 std::string("2 options, estimated alike; none but the chosen one is open."));
        const ConsideredOption open = optionOf(OptionState::open, "b", 700'00);
        QCOMPARE(say({chosen, open}),
                 std::string("2 options, estimated alike; 1 is open. b would save $300, but "
                             "must be validated first."));
        QCOMPARE(
            say({chosen, open, open, rejected}),
            std::string("4 options, estimated alike; 2 are open. b would save $300, but must be validated "
                        "first."));
        QCOMPARE(say({chosen, optionOf(OptionState::open, "b", 700'00, true)}),
                 std::string("2 options, estimated alike; 1 is open."));
        QCOMPARE(say({chosen, optionOf(OptionState::open, "b", 1'000'00)}),
                 std::string("2 options, estimated alike; 1 is open."));
        QCOMPARE(say({chosen, optionOf(OptionState::open, "b", {})}),
                 std::string("2 options, estimated alike; 1 is open."));
        QCOMPARE(say({optionOf(OptionState::chosen, "a", {}), open}),
                 std::string("2 options, estimated alike; 1 is open."));
    }

    void theOneToTake() {
        std::vector<OptionCandidate> all{planOf("a", 100, 10), planOf("b", 200, 10), planOf("c", 300, 10)};
        const auto take = [&all] { return recommendedOption(all); };
        QCOMPARE(take(), std::size_t{0});
        all[0].result.meetsTargets = false;
        QCOMPARE(take(), std::size_t{1});
        all[1].result.deadlineDays = 9;
        QCOMPARE(take(), std::size_t{2});
        all[2].result.total.reset();
        QCOMPARE(take(), std::size_t{2}); // without a price it can still be used
        all[0].result.meetsTargets.reset();
        all[0].result.total.reset();
        all[1].result.deadlineDays.reset();
        QCOMPARE(take(), std::size_t{1}); // one with a price before those without
        all[0] = planOf("a", 199, 10);
        all[0].result.carries = false;
        QCOMPARE(take(), std::size_t{1});
        all[0] = planOf("a", 205, 10); // equal to the cheapest, and listed before it
        QCOMPARE(take(), std::size_t{0});
        all[0] = planOf("a", 205, 12); // as cheap, but not as fast
        QCOMPARE(take(), std::size_t{1});
    }

    void chancesOfADeadline() {
        PlanResult result;
        QCOMPARE(chanceOfDeadline(result, 5), 0.0);
        result.days = 5;
        QCOMPARE(chanceOfDeadline(result, 5), 1.0);
        QCOMPARE(chanceOfDeadline(result, 4.9), 0.0);
        result.lowDays = 4;
        QCOMPARE(chanceOfDeadline(result, 4.9), 0.0); // half a band is none
        result.highDays = 6.25;
        QVERIFY(std::abs(chanceOfDeadline(result, 5) - 0.5) < 1e-9);
        QVERIFY(std::abs(chanceOfDeadline(result, 4) - 0.1) < 1e-6);
        QVERIFY(std::abs(chanceOfDeadline(result, 6.25) - 0.9) < 1e-6);
        result.deadlineDays = 5;
        QVERIFY(!result.missesDeadline());
        result.deadlineDays = 4.99;
        QVERIFY(result.missesDeadline());
    }

    void monthsWithNames() {
        Order expected, low, high;
        expected.months = {{.name = "2027-01", .paid = 100, .converted = 90}};
        low.months = {
            {.name = "2027-01", .paid = 80}, {.name = "low", .paid = 1}, {.name = "lower", .paid = 2}};
        high.months = {{.name = "2027-01", .paid = 120}, {.name = "high", .paid = 5}};
        const auto cash = cashFlow({.expected = expected, .low = low, .high = high});
        QCOMPARE(cash.size(), std::size_t{3});
        QCOMPARE(cash[0].converted, std::int64_t{90});
        QCOMPARE(cash[1].converted, std::int64_t{0});
        QCOMPARE(cash[0].name, std::string("2027-01"));
        QCOMPARE(cash[1].name, std::string("high"));
        QCOMPARE(cash[2].name, std::string("lower"));
        QCOMPARE(cash[2].soFar, Cents{100});
        QCOMPARE(cash[2].lowSoFar, Cents{83});
        QCOMPARE(cash[2].highSoFar, Cents{125});
        QCOMPARE(cash[1].low, Cents{1});
        QCOMPARE(cash[1].high, Cents{5});
    }
};

QTEST_GUILESS_MAIN(TestOptions)

} // namespace tst_options

#include "tst_options.moc"
