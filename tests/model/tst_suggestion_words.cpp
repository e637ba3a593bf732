// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/suggestion_words.h"
#include "model/hardware/purchase.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <string>

namespace tst_suggestion_words {

using namespace alidade;
using namespace alidade::test;

namespace {

/// A step of 10 s, 4 s of them NVLink traffic, and one of 8 s with 2 s.
Suggestion faster() {
    Suggestion out;
    out.bound = Bound::nvlink;
    out.before.stepTime = 10;
    out.before.boundTime = 4;
    out.after.stepTime = 8;
    out.after.boundTime = 2;
    return out;
}

/// A service of which nothing changes: $40 an hour, 5 s a request, 20 requests a second.
Suggestion service() {
    Suggestion out = faster();
    out.service = ServiceGain{};
    out.after = out.before;
    for (PlanFigures* each : {&out.before, &out.after}) {
        each->requestTime = 5;
        each->maxRequestRate = 20;
        each->dollarsPerHour = 40;
        each->dollarsPerMillionTokens = 2;
    }
    return out;
}

} // namespace

/// Why a change helps, from the figures before and after it.
class TestSuggestionWords : public QObject {
    Q_OBJECT

private slots:
    void timeOfAStep() {
        Suggestion s = faster();
        QCOMPARE(suggestionReason(s), std::string("NVLink traffic falls from 4.00 s to 2.00 s per step"));
        // A class that explains less than a thousandth of the step is not the reason.
        s.after.boundTime = 3.989;
        QCOMPARE(suggestionReason(s), std::string("NVLink traffic falls from 4.00 s to 3.99 s per step"));
        s.after.boundTime = 3.991;
        QCOMPARE(suggestionReason(s), std::string("a step takes 8.00 s instead of 10.0 s"));
        s.after.boundTime = 5;
        QCOMPARE(suggestionReason(s), std::string("a step takes 8.00 s instead of 10.0 s"));
        // Nor is it where the step is slower.
        s = faster();
        s.after.stepTime = 12;
        QCOMPARE(suggestionReason(s), std::string("a step takes 12.0 s instead of 10.0 s"));
        // As many digits as tell them apart.
        s.after.stepTime = 10.012;
        QCOMPARE(suggestionReason(s), std::string("a step takes 10.01 s instead of 10.00 s"));
        s.after.stepTime = 10.009;
        QCOMPARE(suggestionReason(s), std::string("a step takes as long as before"));
        s.after.stepTime = 9.991;
        QCOMPARE(suggestionReason(s), std::string("a step takes as long as before"));
        s.after.stepTime = 9.988;
        s.after.boundTime = 4;
        QCOMPARE(suggestionReason(s), std::string("a step takes 9.99 s instead of 10.0 s"));
    }

    void moneyOfARun() {
        Suggestion s = faster();
        s.before.dollarsPerHour = 40;
        s.after.dollarsPerHour = 30;
        const std::string step = "NVLink traffic falls from 4.00 s to 2.00 s per step";
        QCOMPARE(suggestionReason(s), step + "; an hour costs $30.00 instead of $40.00");
        s.before.dollarsPerRun = 500;
        s.after.dollarsPerRun = 400;
        QCOMPARE(suggestionReason(s), step + "; the rent of the run is $400 instead of $500");
        s.after.dollarsPerRun = 500.4; // less than a thousandth: the run is what counts, not the hour
        QCOMPARE(suggestionReason(s), step);
        s.after.dollarsPerRun = 501;
        QCOMPARE(suggestionReason(s), step + "; the rent of the run is $501 instead of $500");
        s.before.dollarsPerRun.reset();
        s.after.dollarsPerRun.reset();
        s.after.dollarsPerHour = 40.03;
        QCOMPARE(suggestionReason(s), step);
        s.after.dollarsPerHour.reset();
        QCOMPARE(suggestionReason(s), step);
        s.after.dollarsPerHour = 30;
        s.before.dollarsPerHour.reset();
        QCOMPARE(suggestionReason(s), step);
        s.before.dollarsPerRun = 500;
        s.after.dollarsPerRun.reset();
        QCOMPARE(suggestionReason(s), step);
    }

    void aService() {
        Suggestion s = service();
        QCOMPARE(suggestionReason(s), std::string());
        s.after.dollarsPerHour = 30;
        s.after.dollarsPerMillionTokens = 1.5;
        s.after.stepTime = 8;
        s.after.boundTime = 2;
        s.after.requestTime = 4;
        s.after.maxRequestRate = 25;
        QCOMPARE(suggestionReason(s),
                 std::string(
                     "an hour costs $30.00 instead of $40.00; a million tokens cost $1.50 instead of $2.00; "
                     "NVLink traffic per decode step falls from 4.00 s to 2.00 s; a request takes "
                     "4.00 s instead of 5.00 s; the maximum stable load is 25 instead of 20 "
                     "requests/s"));
        s = service();
        s.after.requestTime = 6;
        s.after.maxRequestRate = 16;
        QCOMPARE(
            suggestionReason(s, "sample"),
            std::string("a sample takes 6.00 s instead of 5.00 s; the maximum stable load is 16 instead of "
                        "20 samples/s"));
        s = service();
        s.after.requestTime = 5.004;
        s.after.maxRequestRate = 20.01;
        s.after.dollarsPerMillionTokens = 2.001;
        s.after.stepTime = 12; // said of a training step only
        QCOMPARE(suggestionReason(s), std::string());
        s.after.dollarsPerMillionTokens.reset();
        QCOMPARE(suggestionReason(s), std::string());
        s.after.dollarsPerMillionTokens = 1;
        s.before.dollarsPerMillionTokens.reset();
        QCOMPARE(suggestionReason(s), std::string());
    }

    void theWayToBuy() {
        Suggestion s = faster();
        s.before.purchase = "on_demand";
        s.before.region = "us-east-2";
        s.after.purchase = "capacity_block";
        s.after.region = "us-west-2";
        const std::string onDemand = textsOf(Purchase::onDemand).change,
                          block = textsOf(Purchase::capacityBlock).change;
        QVERIFY(onDemand != block);
        QCOMPARE(suggestionReason(s), "NVLink traffic falls from 4.00 s to 2.00 s per step; bought " + block +
                                          " in us-west-2 instead of " + onDemand + " in us-east-2");
        QCOMPARE(purchaseChange("on_demand", "a", "on_demand", "a"), std::string());
        QCOMPARE(purchaseChange("on_demand", "a", "on_demand", "b"),
                 "bought " + onDemand + " in b instead of " + onDemand + " in a");
        QCOMPARE(purchaseChange("on_demand", "a", "capacity_block", "a"),
                 "bought " + block + " in a instead of " + onDemand + " in a");
        QCOMPARE(purchaseChange("on_demand", "a", "", "a"), std::string("its price is unknown"));
        QCOMPARE(purchaseChange("", "", "on_demand", "a"), "bought " + onDemand + " in a");
        QCOMPARE(purchaseChange("by_barter", "", "base_and_rest", ""),
                 std::string("bought in two ways instead of by_barter"));
    }

    void waysToBuyOfAScenario() {
        Scenario scenario;
        scenario.spec.cluster.purchase = "capacity_block";
        scenario.inputs[Input::paidItems] = 8;
        scenario.spec.order.base.purchase = "on_demand";
        QCOMPARE(purchaseOf(scenario), std::string("capacity_block"));
        scenario.inputs[Input::baseItems] = 3;
        QCOMPARE(purchaseOf(scenario), std::string("base_and_rest"));
        scenario.inputs[Input::baseItems] = 8; // nothing is left to be bought otherwise
        QCOMPARE(purchaseOf(scenario), std::string("on_demand"));
        Cost cost;
        cost.purchase = "on_demand";
        QCOMPARE(purchaseOf(cost), std::string("on_demand"));
        cost.base = CostBase{.items = 8, .rest = 0};
        QCOMPARE(purchaseOf(cost), std::string("on_demand"));
        cost.base->rest = 1;
        QCOMPARE(purchaseOf(cost), std::string("base_and_rest"));
    }

    /// Other machines may be bought otherwise without being asked.
    void changesOfMachines() {
        const Catalog& catalog = smallCatalog();
        const auto text = [&catalog](const ScenarioSpec& spec, const Edit& edit) {
            return describeChange(spec, edit, catalog, catalog.defaultProfile);
        };
        const ScenarioSpec spec = trainingSpec();
        const Edit tensor{{"plan.tensor_parallel", "8"}}, machines{{"cluster.instance", "b.8"}},
            region{{"cluster.region", "us-west-2"}};
        QCOMPARE(text(spec, tensor), describeEdit(tensor));
        QCOMPARE(text(spec, machines), describeEdit(machines)); // on demand in the same Region as before
        QCOMPARE(text(spec, region), describeEdit(region));
        // In us-west-2 nothing else has a price.
        ScenarioSpec west = spec;
        west.cluster.region = "us-west-2";
        QCOMPARE(text(west, machines), describeEdit(machines) + "; its price is unknown");
        // Without a price before there is nothing to compare.
        west.cluster.instance = "b.8";
        QCOMPARE(text(west, {{"cluster.instance", "a.8"}}), describeEdit({{"cluster.instance", "a.8"}}));
        // With the Region left open the machine brings its own.
        west = spec;
        west.cluster.region = "us-west-2";
        const Edit elsewhere{{"cluster.instance", "b.8"}, {"cluster.region", ""}};
        QCOMPARE(text(west, elsewhere),
                 describeEdit(elsewhere) +
                     "; bought On-Demand in us-east-2 instead of On-Demand in us-west-2");
        // Nor does a field that is cleared make another machine.
        QCOMPARE(text(spec, {{"cluster.gpus", ""}}), describeEdit({{"cluster.gpus", ""}}));
    }
};

QTEST_GUILESS_MAIN(TestSuggestionWords)

} // namespace tst_suggestion_words

#include "tst_suggestion_words.moc"
