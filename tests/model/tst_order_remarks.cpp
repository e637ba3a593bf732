// SPDX-License-Identifier: GPL-3.0-or-later
// What an order says below its lines, in full.
#include "model/base/calendar.h"
#include "model/cost/capacity_block.h"
#include "model/cost/order.h"

#include <QTest>

#include <string>
#include <vector>

namespace tst_order_remarks {

using namespace alidade;

namespace {

using Remarks = std::vector<std::string>;

OrderedMachines machines(Purchase purchase, int count, double hours, double price, RentalTerms rental) {
    return {.item = "p5.48xlarge",
            .label = {},
            .count = count,
            .hours = hours,
            .price = nanoDollars(price),
            .purchase = purchase,
            .rental = rental};
}

Remarks remarksOf(const OrderedMachines& ordered, std::optional<int> start = {}) {
    return orderOf({ordered}, {}, {.start = start}).remarks;
}

const std::string blocksArePaid =
                      "Capacity Blocks are paid in full when they are bought, at most eight weeks "
                      "before they start, and cannot be canceled or changed.",
                  plansArePaid =
                      "Training plans are paid in full when they are bought and cannot be canceled or "
                      "changed; a HyperPod cluster loses its instances 60 minutes before the end. Order at "
                      "the fee that an offer shows.";

} // namespace

class TestOrderRemarks : public QObject {
    Q_OBJECT

private slots:
    /// 16 are one block, 20 are two beside each other; the longest block lasts 182 days.
    void blocksAndPlans() {
        const auto blocks = [](int count, double days) {
            return machines(Purchase::capacityBlock, count, days * 24 - 1, 40, {.blockEndHours = 0.5});
        };
        const std::string zones = " bought together may be in different Availability Zones; ask for one.",
                          follow = " that follow each other are bought one by one; no offer is certain, and "
                                   "instances are terminated between them.";
        QCOMPARE(remarksOf(blocks(16, 7)), Remarks{blocksArePaid});
        QCOMPARE(remarksOf(blocks(20, 7)), (Remarks{blocksArePaid, "Blocks" + zones}));
        QCOMPARE(remarksOf(blocks(16, 200)), (Remarks{blocksArePaid, "Blocks" + follow}));
        QCOMPARE(remarksOf(blocks(20, 200)), (Remarks{blocksArePaid, "Blocks" + zones, "Blocks" + follow}));
        const OrderedMachines plan =
            machines(Purchase::trainingPlan, 20, 200 * 24, 40, {.blockEndHours = 1, .blocksByDay = true});
        QCOMPARE(remarksOf(plan), (Remarks{plansArePaid, "Plans" + zones, "Plans" + follow}));
    }

    /// A year and a half are two terms of 8,760 hours; a quarter of them, 4,380 hours at $10, is idle.
    void twoTerms() {
        const OrderedMachines one =
            machines(Purchase::reserved, 1, 13'140, 10, {.termYears = 1, .upfrontShare = 500'000});
        QCOMPARE(remarksOf(one),
                 (Remarks{"A reservation is billed for every hour of its term of 1 year, used or not.",
                          "Partial upfront: half is counted when the term begins, the rest by the month.",
                          "One term is too short: 2 follow each other, each billed in full.",
                          "Idle instances: the term continues after they are no longer needed. 4,380 of "
                          "17,520 instance-hours of the term, $43,800.00, are paid and not used."}));
    }

    /// Two UltraServers for 100 days from January 1: 31 + 28 + 31 + 10. An hour more takes another day.
    void idleUntilADate() {
        OrderedMachines rack = machines(Purchase::savingsPlan, 2, 2'400, 20, {.termYears = 1});
        rack.ultraserver = true;
        rack.label = "Base";
        const int start = dayNumber(2027, 1, 1);
        const std::string commits =
            "The Savings Plan commits to $40.00 for every hour of 1 year, used or not, "
            "and cannot be canceled; it does not reserve capacity.";
        QCOMPARE(remarksOf(rack, start),
                 (Remarks{commits, "Idle UltraServers (Base): needed until 2027-04-11. 12,720 of 17,520 "
                                   "UltraServer-hours of the term, $254,400.00, are paid and not used."}));
        rack.hours = 2'401;
        QCOMPARE(remarksOf(rack, start)[1],
                 std::string("Idle UltraServers (Base): needed until 2027-04-12. 12,718 of 17,520 "
                             "UltraServer-hours of the term, $254,360.00, are paid and not used."));
        rack.hours = 8'760;
        QCOMPARE(remarksOf(rack, start), Remarks{commits});
    }

    /// Surcharges and taxes are percentages of what stands above them.
    void percentages() {
        for (const OrderLineKind each : {OrderLineKind::machines, OrderLineKind::storage,
                                         OrderLineKind::transfer, OrderLineKind::energy})
            QVERIFY(!isShare(each));
        for (const OrderLineKind each :
             {OrderLineKind::support, OrderLineKind::contingency, OrderLineKind::tax})
            QVERIFY(isShare(each));
    }

    void moreThanAnAccountHolds() {
        const int most = mostCapacityBlockInstances;
        const auto plan = planCapacityBlocks(most, 24, 0);
        QVERIFY(plan);
        int held = 0;
        for (const int size : plan->sizes)
            held += size;
        QCOMPARE(held, most);
        QCOMPARE(planCapacityBlocks(most + 1, 24, 0).error(),
                 std::to_string(most + 1) + " instances exceed the " + std::to_string(most) +
                     " that an account can hold in Capacity Blocks at a time");
    }
};

QTEST_APPLESS_MAIN(TestOrderRemarks)

} // namespace tst_order_remarks

#include "tst_order_remarks.moc"
