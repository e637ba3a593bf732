// SPDX-License-Identifier: GPL-3.0-or-later
// What a service can carry as it is shown, which pool does not fit, and what learning by reinforcement pays.
#include "model/estimate/load_curve.h"
#include "model/estimate/reinforcement.h"
#include "model/estimate/serving_estimate.h"
#include "model/units/format.h"
#include "tests/model/planned_scenario.h"
#include "tests/model/resolving_catalog.h"
#include "tests/model/service_rig.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>

namespace tst_service_limits {

using namespace alidade;
using namespace alidade::test;

namespace {

bool near(double a, double b, double relative = 1e-9) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

std::string errorsOf(const Estimate& estimate) {
    std::string out;
    for (const Problem& each : estimate.problems)
        if (each.severity == Severity::error)
            out += each.message + "\n";
    return out;
}

double billedHours(double hours) { return std::ceil(hours * 1000 - 1e-6) / 1000; }

} // namespace

class TestServiceLimits : public QObject {
    Q_OBJECT

private slots:
    /// Of two pools the one is named that has no room.
    void whichPoolDoesNotFit() {
        for (const std::size_t pool : {std::size_t{0}, std::size_t{1}}) {
            const std::string name = pool == 0 ? "prefill" : "decode";
            ServiceRig rig;
            rig.splitPools();
            rig.plan(pool).heaviest.split = 200'000;
            QCOMPARE(errorsOf(servingEstimate(rig.scenario, {.simulate = false, .loadLimit = false})),
                     "Does not fit: weights take 210 kB of a GPU of the " + name +
                         " pool, activations and the engine 52.2 kB, and 180 kB may be used\n");
        }
        // 100 + 300 tokens of 256 bytes.
        ServiceRig rig;
        rig.splitPools();
        rig.in(1)[Input::outputTokens] = 300;
        QCOMPARE(
            errorsOf(servingEstimate(rig.scenario, {.simulate = false, .loadLimit = false})),
            std::string("Does not fit: one request needs 102 kB of KV cache on a GPU of the decode pool, "
                        "97.8 kB are left\n"));
    }

    /// Of requests in flight: at four there is no place left for more.
    void mostRequestsInFlight() {
        ServiceRig rig;
        rig.in()[Input::concurrency] = 2;
        rig.in()[Input::requestRate] = 0;
        rig.in()[Input::largestBatch] = 2;
        rig.scenario.inputs = rig.in();
        rig.scenario.spec.workload.ttftSloS = 0.12;
        const ServingTargets targets = servingTargets(rig.scenario);
        const auto totals = std::make_unique<ServingTotals>();
        double most = 0;
        for (double users = 1; users <= 5; users += 0.25) {
            evaluateServingAt(rig.scenario, 0, users, *totals);
            if (!meets(targets, *totals))
                break;
            most = totals->requestsPerSecond;
        }
        evaluateServingAt(rig.scenario, 0, 2, *totals);
        const double limit = requestRateWithin(rig.scenario, targets, *totals, false);
        QVERIFY2(limit >= most && limit < 1.3 * most,
                 (std::to_string(limit) + " " + std::to_string(most)).c_str());
    }

    /// Two instances in a Capacity Block: a whole day of each for three hours and a half.
    void learningInABlock() {
        const Planned block(edited(reinforcementSpec(), editOf("cluster.purchase=capacity_block")));
        const Cost& cost = *block.estimate.cost;
        const double used = billedHours(*block.estimate.reinforcement->runTime / 3600);
        QVERIFY(used > 1 && used < 23);
        QVERIFY(near(*cost.dollarsPerRun, 2 * 24 * 30));
        QVERIFY(near(cost.dollarsPerHour, 60));
        QCOMPARE(cost.lines.size(), std::size_t{2});
        QVERIFY(near(cost.lines[0].quantity, 2 * used) && near(cost.lines[0].dollars, 2 * used * 30, 1e-5));
        QCOMPARE(cost.lines[1].name, std::string("Paid in Capacity Blocks, not used"));
        QVERIFY(near(cost.lines[1].quantity, 2 * (24 - used)));
        QCOMPARE(cost.order->beforeTax, Cents{2 * 24 * 30 * 100});
        const Planned onDemand(reinforcementSpec());
        QVERIFY(near(*onDemand.estimate.cost->dollarsPerRun, std::round(2 * used * 40 * 100) / 100, 1e-6));
        QCOMPARE(onDemand.estimate.cost->lines.size(), std::size_t{1});
    }

    /// The file system for its checkpoints, at half a dollar for a GB and month.
    void storageOfLearning() {
        const Planned stored(edited(reinforcementSpec(), editOf("run.storage=lustre")));
        const Reinforcement& r = *stored.estimate.reinforcement;
        QCOMPARE(r.storage, std::string("lustre"));
        QVERIFY(r.storageBytes >= 2.4e12);
        const double gigabytes = std::round(r.storageBytes / (1 << 30)); // metered in GiB
        QVERIFY2(near(r.storageDollarsPerMonth, 0.5 * gigabytes, 1e-3),
                 std::to_string(r.storageDollarsPerMonth).c_str());
        const auto& lines = stored.estimate.cost->order->lines;
        const auto line = std::ranges::find(lines, OrderLineKind::storage, &OrderLine::kind);
        QVERIFY(line != lines.end());
        QVERIFY2(line->text.starts_with("File system lustre, ") && line->text.ends_with(" GB"),
                 line->text.c_str());
        const double months = *r.runTime / 3600 / 730;
        QVERIFY(std::abs(static_cast<double>(line->quantity) / 1000 - gigabytes * months) < 0.01);
        QVERIFY(std::abs(static_cast<double>(line->amount) / 100 - 0.5 * gigabytes * months) < 0.02);
        QCOMPARE(line->unit, std::string("GB-months"));
        QCOMPARE(stored.estimate.cost->order->beforeTax, lines.front().amount + line->amount);
    }

    /// Energy at its price, with a remark that AWS prices include it already.
    void energyOfARun() {
        const Planned powered(edited(trainingSpec(), editOf("order.energy_price=0.2")));
        const Order& order = *powered.estimate.cost->order;
        const auto line = std::ranges::find(order.lines, OrderLineKind::energy, &OrderLine::kind);
        QVERIFY(line != order.lines.end());
        QCOMPARE(line->text, std::string("Energy, with hosts and cooling"));
        QCOMPARE(line->unit, std::string("kWh"));
        QVERIFY(std::abs(static_cast<double>(line->quantity) / 1000 - *powered.estimate.cost->energyKwh) <
                1e-3);
        QCOMPARE(order.remarks.back(),
                 std::string("AWS prices include energy: the energy line is charged in addition to them."));
        const Planned none(trainingSpec());
        for (const OrderLine& each : none.estimate.cost->order->lines)
            QVERIFY(each.kind != OrderLineKind::energy);
    }
};

QTEST_GUILESS_MAIN(TestServiceLimits)

} // namespace tst_service_limits

#include "tst_service_limits.moc"
