// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cost/capacity_block.h"
#include "model/cost/order.h"
#include "model/cost/rental.h"
#include "model/document/bill.h"
#include "model/document/deadline_steps.h"
#include "model/document/key_assumptions.h"
#include "model/document/options.h"
#include "model/document/outcome.h"
#include "model/document/plan_document.h"
#include "model/document/run_worth.h"
#include "tests/model/neutral_value.h"

#include <QTest>

namespace tst_neutral_document {

using namespace alidade;
using namespace alidade::test;

/// Orders and plans on which nothing stands yet.
class TestNeutralDocument : public QObject {
    Q_OBJECT

private slots:
    /// One machine for no time; dollars and cents without surcharges.
    void nothingIsOrdered() {
        const OrderedMachines machines;
        QVERIFY(allOne(machines.count) && allZero(machines.hours, machines.price));
        const OrderedService service;
        QVERIFY(allZero(service.quantity, service.price));
        const OrderedTier tier;
        QVERIFY(allZero(tier.upTo, tier.price, OrderedTransfer{}.gigabytes));
        const OrderTerms terms;
        QVERIFY(allZero(terms.support, terms.contingency, terms.tax, Conversion{}.rate));
        const RentalTerms rental;
        QVERIFY(allZero(rental.blockEndHours, rental.termYears, rental.upfrontShare));
        const CapacityBlockPlan blocks;
        QVERIFY(allZero(blocks.days, blocks.bookedHours, blocks.usedHours));
    }

    void nothingIsPaid() {
        const OrderLine line;
        QVERIFY(allZero(line.quantity, line.price, line.amount, line.converted));
        const OrderMonth month;
        QVERIFY(allZero(month.paid, month.converted));
        const Order order;
        QVERIFY(allZero(order.beforeTax, order.total, order.convertedBeforeTax, order.convertedTotal,
                        order.bookedHours, order.idleHours));
        const OrderBand band;
        QVERIFY(allZero(band.low, band.high));
        const CashMonth cash;
        QVERIFY(allZero(cash.paid, cash.soFar, cash.converted, cash.low, cash.lowSoFar, cash.high,
                        cash.highSoFar));
    }

    void nothingIsKnownOfThePlan() {
        const PlanDocument document;
        QVERIFY(allZero(document.orderHours, document.lowHours, document.highHours));
        const PlanResult result;
        QVERIFY(allZero(result.memory, result.memoryHigh, result.usableMemory));
        const KeyAssumption assumption;
        QVERIFY(
            allZero(assumption.value, assumption.low, assumption.high, assumption.worse, assumption.change));
        const DeadlineStep step;
        QVERIFY(allZero(step.days, step.chance, RunWorth{}.days, FoundOptions{}.plans));
    }
};

QTEST_GUILESS_MAIN(TestNeutralDocument)

} // namespace tst_neutral_document

#include "tst_neutral_document.moc"
