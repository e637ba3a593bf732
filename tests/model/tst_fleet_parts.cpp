// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a fleet plan with numbers that can be followed on paper: replicas hour by hour, purchases,
// bills, traces.
#include "model/fleet/assignment.h"
#include "model/fleet/autoscaling.h"
#include "model/fleet/fleet_bill.h"
#include "model/fleet/observed_traffic.h"
#include "model/fleet/prefix_cache.h"
#include "model/fleet/request_trace.h"
#include "model/fleet/service_options.h"
#include "model/fleet/traffic.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace tst_fleet_parts {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// One request a second, three of them in hour 10.
TrafficProfile spike() {
    TrafficProfile out;
    out.rates.assign(24, 1);
    out.rates[10] = 3;
    return out;
}

FleetPool poolOf(const char* machine) {
    FleetPool out;
    out.name = "main";
    out.machine = machine;
    out.maxInstances = 10;
    out.base = PurchaseTerms{.purchase = "reserved"};
    out.burst = {PurchaseTerms{.purchase = "on_demand"}, PurchaseTerms{.purchase = "capacity_block"}};
    return out;
}

FleetService serviceOf(ScenarioSpec spec) {
    FleetService out;
    out.name = "chat";
    out.spec = std::move(spec);
    out.traffic = spike();
    return out;
}

/// Counts of 24 hours: `most` in the first hours, `least` after them.
InstanceDemand demand(int most, int hours, int least) {
    InstanceDemand out;
    out.step = 3600;
    out.counts.assign(24, least);
    std::fill_n(out.counts.begin(), hours, most);
    return out;
}

TraceRequest requestAt(double time, int input = 10, int output = 5) {
    TraceRequest out;
    out.time = time;
    out.input = input;
    out.output = output;
    return out;
}

} // namespace

class TestFleetParts : public QObject {
    Q_OBJECT

private slots:
    void ratesBetweenHours() {
        TrafficProfile profile;
        profile.rates = {1, 3, 5, 7};
        QCOMPARE(profile.period(), 14'400.0);
        QCOMPARE(profile.rateAt(1800), 1.0);
        QCOMPARE(profile.rateAt(3600), 2.0);
        QCOMPARE(profile.rateAt(4500), 2.5);
        QCOMPARE(profile.rateAt(0), 4.0); // between the last hour of the day before and the first one
        QCOMPARE(profile.rateAt(14'400 + 5400), 3.0);
        QCOMPARE(profile.rateAt(12'600), 7.0);
        QCOMPARE(profile.mean(), 4.0);
        QCOMPARE(profile.peak(), 7.0);
        QCOMPARE(profile.trough(), 1.0);
        const TrafficProfile twice = repeated(profile, 28'800);
        QVERIFY((twice.rates == std::vector<double>{1, 3, 5, 7, 1, 3, 5, 7}));
        QCOMPARE(repeated(profile, 14'400).rates.size(), std::size_t{4});
    }

    void shapes() {
        const TrafficProfile flat = trafficOf({.peak = 5, .trough = 5, .mean = 5, .days = 1});
        QCOMPARE(flat.rates.size(), std::size_t{24});
        QCOMPARE(flat.peak() - flat.trough(), 0.0);
        // Without a mean a cosine: hour 14 is the peak, hour 2 the trough, six hours on either side half way.
        const TrafficProfile cosine =
            trafficOf({.peak = 9, .trough = 1, .mean = 0, .peakHour = 14.5, .weekend = 0.25});
        QCOMPARE(cosine.rates.size(), std::size_t{7 * 24}); // a week, unless a day is asked for
        QCOMPARE(cosine.rates[14], 9.0);
        QVERIFY(std::abs(cosine.rates[2] - 1) < 1e-12);
        QVERIFY(std::abs(cosine.rates[8] - 5) < 1e-12 && std::abs(cosine.rates[20] - 5) < 1e-12);
        QCOMPARE(cosine.rates[4 * 24 + 14], 9.0); // Friday
        QCOMPARE(cosine.rates[5 * 24 + 14], 2.25);
        QCOMPARE(cosine.rates[6 * 24 + 14], 2.25);
        const TrafficProfile between =
            trafficOf({.peak = 9, .trough = 1, .mean = 0, .peakHour = 14, .days = 1});
        QVERIFY(std::abs(between.peak() - 9) < 1e-12 && std::abs(between.trough() - 1) < 1e-12);
        QVERIFY(std::abs(between.rates[13] - between.rates[14]) < 1e-12); // on both sides of the peak
    }

    /// A replica does 1 request/s within targets and 1.25 at most; half as much again is asked for: 2, and 5
    /// at the spike. It serves after two hours, and fewer are kept on an hour longer.
    void replicasHourByHour_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("extra");
        QTest::addColumn<int>("fewest");
        QTest::addColumn<QByteArray>("rented");  // of hours 7 to 14
        QTest::addColumn<QByteArray>("serving"); // likewise
        QTest::addColumn<double>("late");        // requests
        QTest::addColumn<double>("busiest");
        const auto row = [](const char* name, ScalingKind kind, int extra, int fewest, const char* rented,
                            const char* serving, double late, double busiest) {
            QTest::newRow(name) << static_cast<int>(kind) << extra << fewest << QByteArray(rented)
                                << QByteArray(serving) << late << busiest;
        };
        // Hour 10 is measured at its end; the replicas come when it is over. 3 - 2.5 requests/s queue up,
        // until hour 11.
        row("reactive", ScalingKind::reactive, 0, 1, "2 2 2 2 5 5 2 2", "2 2 2 2 2 2 2 2", 10'800, 1.5);
        row("reactive and one", ScalingKind::reactive, 1, 1, "3 3 3 3 6 6 3 3", "3 3 3 3 3 3 3 3", 0, 1);
        row("at least four", ScalingKind::reactive, 0, 4, "4 4 4 4 5 5 4 4", "4 4 4 4 4 4 4 4", 0, 0.75);
        row("scheduled", ScalingKind::scheduled, 0, 1, "2 5 5 5 5 2 2 2", "2 2 2 5 5 2 2 2", 0, 0.6);
        row("fixed", ScalingKind::fixed, 0, 1, "5 5 5 5 5 5 5 5", "5 5 5 5 5 5 5 5", 0, 0.6);
    }
    void replicasHourByHour() {
        QFETCH(int, kind);
        QFETCH(int, extra);
        QFETCH(int, fewest);
        QFETCH(QByteArray, rented);
        QFETCH(QByteArray, serving);
        QFETCH(double, late);
        QFETCH(double, busiest);
        ScalingPolicy policy;
        policy.kind = static_cast<ScalingKind>(kind);
        policy.interval = 3600;
        policy.headroom = 0.5;
        policy.scaleDownDelay = 3600;
        policy.minReplicas = fewest;
        const ReplicaPlan plan =
            scaleReplicas(spike(), {.rate = 1, .stableRate = 1.25, .lead = 7200}, policy, extra);
        const auto text = [](const std::vector<int>& counts) {
            QByteArray out;
            for (std::size_t i = 7; i <= 14; ++i)
                out += (i > 7 ? " " : "") + QByteArray::number(counts[i]);
            return out;
        };
        QCOMPARE(text(plan.rented), rented);
        QCOMPARE(text(plan.serving), serving);
        QCOMPARE(plan.step, 3600.0);
        QCOMPARE(plan.requests, 26 * 3600.0);
        QCOMPARE(plan.late, late);
        QCOMPARE(plan.lateSeconds, late > 0 ? 3600.0 : 0.0);
        QCOMPARE(plan.busiest, busiest);
        QCOMPARE(plan.onTime(), 1 - late / (26 * 3600));
        TrafficProfile fourfold = spike(); // of four times the traffic on replicas that do four times as much
        for (double& each : fourfold.rates)
            each *= 4;
        const ReplicaPlan larger =
            scaleReplicas(fourfold, {.rate = 4, .stableRate = 5, .lead = 7200}, policy, extra);
        QVERIFY(larger.rented == plan.rented && larger.serving == plan.serving);
        QCOMPARE(larger.late, 4 * plan.late);
        QCOMPARE(larger.busiest, plan.busiest);
    }

    void stepsOfAPolicy() {
        ScalingPolicy policy;
        policy.interval = 5000; // 17.28 in a day: 17 steps
        QCOMPARE(scaleReplicas(spike(), {.rate = 1, .stableRate = 1, .lead = 60}, policy).serving.size(),
                 std::size_t{17});
        policy.interval = 1e6;
        const ReplicaPlan one = scaleReplicas(spike(), {.rate = 1, .stableRate = 1, .lead = 60}, policy);
        QCOMPARE(one.step, 86'400.0);
        QVERIFY(one.serving.size() == 1 && one.least() == one.most());
    }

    /// Hours are 12, prices of an hour of base, block and use in turn; the second instance is needed for 3
    /// hours.
    void splits_data() {
        QTest::addColumn<double>("base");
        QTest::addColumn<double>("block");
        QTest::addColumn<double>("use");
        QTest::addColumn<int>("given");         // -1: the cheapest
        QTest::addColumn<QByteArray>("bought"); // base / blocks / on demand
        QTest::addColumn<double>("dollars");
        const auto row = [](const char* name, double base, double block, double use, int given,
                            const char* bought, double dollars) {
            QTest::newRow(name) << base << block << use << given << QByteArray(bought) << dollars;
        };
        row("both by use", 0.6, 0, 1, -1, "0/0/2", 15);      // 14.4 against 12
        row("one as base", 0.4, 0, 1, -1, "1/0/1", 9.6 + 3); // 9.6 against 12 and 3
        row("as cheap as use", 0.5, 0, 1, -1, "1/0/1", 12 + 3);
        row("a block", 0.6, 0.45, 1, -1, "0/1/1", 10.8 + 3); // a day
        row("blocks alone", 0, 0.45, 0, -1, "0/2/0", 21.6);
        row("a base that is given", 0.6, 0, 1, 1, "1/0/1", 14.4 + 3);
        row("none is given", 0.4, 0, 1, 0, "0/0/2", 15);
        row("more than needed", 0.4, 0, 1, 3, "3/0/0", 28.8);
        row("nothing for the rest", 0.4, 0, 0, 1, "-", 0);
        row("no base price", 0, 0, 1, 1, "-", 0);
    }
    void splits() {
        QFETCH(double, base);
        QFETCH(double, block);
        QFETCH(double, use);
        QFETCH(int, given);
        QFETCH(QByteArray, bought);
        QFETCH(double, dollars);
        InstanceDemand need = demand(2, 3, 1);
        std::fill(need.counts.begin() + 12, need.counts.end(), 0);
        const auto price = [](double value) {
            return value > 0 ? std::optional(nanoDollars(value)) : std::nullopt;
        };
        SplitPrices prices;
        prices.base = price(base);
        prices.block = price(block);
        prices.onDemand = price(use);
        const auto split = cheapestSplit(need, prices, given < 0 ? std::nullopt : std::optional(given));
        QCOMPARE(split.has_value(), bought != "-");
        if (!split)
            return;
        QCOMPARE(QByteArray(QByteArray::number(split->base) + '/' + QByteArray::number(split->blocks) + '/' +
                            QByteArray::number(split->onDemand)),
                 bought);
        QVERIFY(std::abs(split->dollars - dollars) < 1e-9);
        QCOMPARE(split->usedHours, 15.0);
        QCOMPARE(split->baseHours, 24.0 * split->base);
        QCOMPARE(split->blockHours, 24.0 * split->blocks);
        QCOMPARE(split->onDemandHours, split->base > 1 || split->blocks == 2 ? 0.0
                                       : split->base + split->blocks == 1    ? 3.0
                                                                             : 15.0);
        QCOMPARE(need.hours(), 24.0);
    }

    /// Over a week: a block of a day; two if the last half hour of the day is needed, unless the next day is,
    /// too.
    void blocksOfAWeek() {
        const auto hours = [](std::vector<std::pair<int, int>> needed, double step) {
            InstanceDemand need;
            need.step = step;
            need.counts.assign(static_cast<std::size_t>(7 * 86'400 / step), 0);
            for (const auto& [day, hour] : needed)
                need.counts[static_cast<std::size_t>((day * 24 + hour) * 3600 / step)] = 1;
            SplitPrices prices;
            prices.block = nanoDollars(1);
            return cheapestSplit(need, prices)->blockHours;
        };
        QCOMPARE(hours({{2, 12}}, 3600), 24.0);
        QCOMPARE(hours({{2, 22}}, 3600), 24.0);
        QCOMPARE(hours({{2, 23}}, 1800), 24.0); // from 23:00 to 23:30
        InstanceDemand late;
        late.step = 1800;
        late.counts.assign(7 * 48, 0);
        late.counts[2 * 48 + 47] = 1;
        SplitPrices prices;
        prices.block = nanoDollars(1);
        QCOMPARE(cheapestSplit(late, prices)->blockHours, 48.0);
        late.counts[3 * 48] = 1;
        QCOMPARE(cheapestSplit(late, prices)->blockHours, 48.0);
        late.counts[6 * 48 + 47] = 1; // Sunday evening: Monday follows
        QCOMPARE(cheapestSplit(late, prices)->blockHours, 96.0);
        late.counts[0] = 1;
        QCOMPARE(cheapestSplit(late, prices)->blockHours, 96.0);
    }

    void demandsOfAPool() {
        ServiceOption two, three;
        two.slot = 2;
        two.plan.step = three.plan.step = 3600;
        two.plan.rented = {1, 2, 4, 0};
        three.slot = 8;
        three.plan.rented = {0, 1, 1, 0};
        PoolLimits pool;
        pool.gpus = 8;
        pool.spares = 1;
        pool.maxInstances = 3;
        // 2, 12, 16 and 0 GPUs of machines of 8, and a spare one.
        QVERIFY((demandOf({&two, &three}, pool).counts == std::vector<int>{2, 3, 3, 1}));
        QCOMPARE(demandOf({&two}, pool).step, 3600.0);
        pool.prices.onDemand = nanoDollars(2);
        QCOMPARE(poolDollars({&two, &three}, pool), 18.0); // 9 instance-hours
        pool.maxInstances = 2;
        QVERIFY(std::isinf(poolDollars({&two, &three}, pool)));
        pool.maxInstances = 3;
        pool.baseInstances = 1;
        QVERIFY(std::isinf(poolDollars({&two, &three}, pool))); // without a price
        QCOMPARE(pool.leastPrice(), 2.0);
        pool.prices.block = nanoDollars(1.5);
        QCOMPARE(pool.leastPrice(), 1.5);
        pool.prices.base = nanoDollars(1);
        QCOMPARE(pool.leastPrice(), 1.0);
        QVERIFY(std::isinf(PoolLimits{}.leastPrice()));
    }

    void bills() {
        std::string missing;
        const FleetPool pool = poolOf("h8");
        const Catalog& catalog = sharedCatalog();
        const auto prices = pricesOf(smallServing(), pool, catalog, catalog.defaultProfile, missing);
        QCOMPARE(missing, std::string());
        QCOMPARE(prices.size(), std::size_t{3});
        QCOMPARE(prices[0].price, nanoDollars(24));
        QCOMPARE(prices[0].terms.commitment.value(), std::string("1_year_no_upfront"));
        QCOMPARE(prices[1].price, nanoDollars(40));
        QCOMPARE(prices[2].price, nanoDollars(30));
        QCOMPARE(prices[1].region, std::string("us-east-2"));
        QCOMPARE(prices[1].source, std::string("sheet (2026-01)"));
        QCOMPARE(prices[1].date, std::string("2026-11-20"));
        const PoolLimits limits = limitsOf(pool, prices, catalog);
        QVERIFY(limits.prices.base == nanoDollars(24) && limits.prices.onDemand == nanoDollars(40));
        QVERIFY(limits.prices.block == nanoDollars(30) && !limits.prices.baseInBlocks);
        QVERIFY(limits.gpus == 8 && limits.maxInstances == 10);

        // 2 instances always and 2 more for 6 hours of each day: 730 hours of a month, of which 182.5.
        const PlannedPool planned = plannedPool(pool, 7, demand(4, 6, 2), limits, prices);
        QCOMPARE(planned.pool, std::size_t{7});
        QVERIFY(planned.least == 2 && planned.most == 4 && planned.lines.size() == 2);
        QCOMPARE(planned.lines[0].text, std::string("main: 2 x h8, base, Reserved (1 year, no upfront)"));
        QCOMPARE(planned.lines[0].amount, Cents{3'504'000}); // 1,460 hours at $24
        QCOMPARE(planned.lines[1].text, std::string("main: up to 2 x h8, burst, On-Demand"));
        QCOMPARE(planned.lines[1].amount, Cents{1'460'000}); // 365 hours at $40
        QCOMPARE(planned.lines[1].unit, std::string("instance-hours"));
        QCOMPARE(planned.total, Cents{4'964'000});
        // 20 hours by use cost more than a day in a block.
        FleetPool bursts = pool;
        bursts.base.reset();
        std::string none;
        const auto two = pricesOf(smallServing(), bursts, catalog, catalog.defaultProfile, none);
        const PlannedPool blocks =
            plannedPool(bursts, 0, demand(1, 20, 0), limitsOf(bursts, two, catalog), two);
        QCOMPARE(blocks.lines.size(), std::size_t{1});
        QCOMPARE(blocks.lines[0].text, std::string("main: up to 1 x h8, Capacity Blocks"));
        QCOMPARE(blocks.total, Cents{2'190'000}); // 730 hours at $30
        bursts.base = PurchaseTerms{.purchase = "capacity_block"};
        QVERIFY(limitsOf(bursts, {}, catalog).prices.baseInBlocks);
    }

    void termsWithoutAPrice() {
        FleetPool pool = poolOf("h8");
        pool.region = "us-west-2"; // On-Demand alone
        std::string missing;
        const Catalog& catalog = sharedCatalog();
        const auto prices = pricesOf(smallServing(), pool, catalog, catalog.defaultProfile, missing);
        QCOMPARE(prices.size(), std::size_t{1});
        QCOMPARE(prices[0].price, nanoDollars(44));
        const char* known = "prices are known for On-Demand in us-east-2, On-Demand in us-west-2, Capacity "
                            "Block in us-east-2";
        QCOMPARE(missing, std::string("No price is known for h8, Reserved in us-west-2; ") + known +
                              ". No price is known for h8, Capacity Block in us-west-2; " + known);
        const PoolLimits limits = limitsOf(pool, prices, catalog);
        QVERIFY(!limits.prices.base && limits.prices.onDemand == nanoDollars(44));
    }

    void slotsOfReplicas_data() {
        QTest::addColumn<int>("replica");
        QTest::addColumn<int>("machine");
        QTest::addColumn<int>("slot");
        const auto row = [](int replica, int machine, int slot) {
            QTest::addRow("%d of %d", replica, machine) << replica << machine << slot;
        };
        row(1, 8, 1);
        row(6, 8, 8);
        row(8, 8, 8);
        row(9, 8, 16);
        row(17, 8, 24);
        row(5, 72, 8);
        row(9, 72, 24);
        row(30, 72, 72);
        row(3, 6, 6);
        row(2, 6, 2);
    }
    void slotsOfReplicas() {
        QFETCH(int, replica);
        QFETCH(int, machine);
        QFETCH(int, slot);
        QCOMPARE(slotOf(replica, machine), std::int64_t{slot});
    }

    void optionsOfAService() {
        FleetService service = serviceOf(smallServing());
        QVERIFY(degreesToTry(service, 8) == std::vector<int>{0});
        service.searchLayouts = true;
        QVERIFY((degreesToTry(service, 8) == std::vector<int>{0, 2, 4, 8})); // 1 is its own
        QVERIFY((degreesToTry(service, 72) == std::vector<int>{0, 2, 4, 8, 16}));
        service.spec.plan.tensorParallel = 2;
        QVERIFY((degreesToTry(service, 4) == std::vector<int>{0, 1, 4}));
        service.spec.plan.pipelineParallel = 2;
        QVERIFY(degreesToTry(service, 8) == std::vector<int>{0});
        service.spec.plan.pipelineParallel = 1;
        service.spec.plan.attentionDataParallel = 2;
        QVERIFY(degreesToTry(service, 8) == std::vector<int>{0});
        service.spec.plan.attentionDataParallel.reset();
        service.spec.plan.disaggregated.prefill.workers = 1;
        QVERIFY(degreesToTry(service, 8) == std::vector<int>{0});

        ServiceOption small, large;
        small.slot = 2;
        small.facts = {.rate = 3, .stableRate = 4, .lead = 100};
        large.slot = 8;
        large.facts = {.rate = 12, .stableRate = 13, .lead = 100};
        QVERIFY(dominates(small, large)); // four of the small ones carry as much
        large.facts.rate = 12.1;
        QVERIFY(!dominates(small, large));
        large.facts.rate = 12;
        large.facts.lead = 99;
        QVERIFY(!dominates(small, large) && !dominates(large, small));

        const Catalog& catalog = sharedCatalog();
        QCOMPARE(weightLoadSeconds(6e9, 4, "s3-standard", catalog), 2.0); // at 12 GB/s
        QCOMPARE(weightLoadSeconds(12.5e9, 4, "unknown", catalog), 4.0);
        QCOMPARE(std::string(reasonText(RejectionReason::late)),
                 std::string("too many requests while replicas start"));
    }

    void oneReplica() {
        FleetService service = serviceOf(
            edited(smallServing(),
                   editOf("cluster.region=us-west-2; cluster.discount=0.1; cluster.oversubscription=2; "
                          "order.base.instances=1; plan.tensor_parallel=2; plan.data_parallel=4")));
        const Catalog& catalog = sharedCatalog();
        const FleetPool pool = poolOf("rack");
        const ScenarioSpec plain = replicaOn(service, pool, catalog, 0);
        QCOMPARE(plain.cluster.ultraserver.value(), std::string("rack"));
        QVERIFY(plain.cluster.ultraservers == 1 && !plain.cluster.instance && plain.cluster.gpus == 2);
        QVERIFY(plain.plan.dataParallel == 1 && plain.plan.tensorParallel == 2);
        QVERIFY(!plain.cluster.region && !plain.cluster.discount && !plain.cluster.oversubscription);
        QVERIFY(!plain.order.base.instances && plain.workload.requestRatePerS == 1e-3);
        const ScenarioSpec wide = replicaOn(service, poolOf("h8"), catalog, 16);
        QVERIFY(wide.cluster.instances == 2 && wide.cluster.gpus == 16 && wide.plan.tensorParallel == 16);
        service.spec =
            edited(smallServing(), editOf("plan.disaggregated.prefill.workers=4; "
                                          "plan.disaggregated.decode.workers=12; cluster.instances=2"));
        const ScenarioSpec apart = replicaOn(service, poolOf("h8"), catalog, 0);
        QVERIFY(apart.cluster.instances == 2 && !apart.cluster.gpus && !apart.plan.dataParallel);
    }

    void replicasThatKeepUp() {
        FleetService service = serviceOf(smallServing());
        service.scaling.interval = 3600;
        service.scaling.headroom = 0.5;
        service.scaling.scaleDownDelay = 3600;
        ServiceOption option;
        option.facts = {.rate = 1, .stableRate = 1.25, .lead = 7200};
        service.onTime = 0.8; // 10,800 of 93,600 requests are late: 88 % come in time
        QVERIFY(planReplicas(service, option));
        QCOMPARE(option.extra, 0);
        service.onTime = 0.99;
        QVERIFY(planReplicas(service, option));
        QCOMPARE(option.extra, 1);
        QCOMPARE(option.plan.late, 0.0);
        service.traffic.rates[10] = 300; // 65 more are not enough
        QVERIFY(planReplicas(service, option));
        QVERIFY(option.extra == 0 && option.plan.least() == 450);
    }

    void traces() {
        RequestTrace trace;
        trace.failed = 2;
        const int inputs[] = {100, 10, 40, 20, 30};
        for (int i = 0; i < 5; ++i)
            trace.requests.push_back(requestAt(1000.0 * i, inputs[i], 7));
        const TraceStatistics found = statisticsOf(trace, {infinite});
        QCOMPARE(found.input.mean, 40.0);
        QCOMPARE(found.input.cv, std::sqrt(1000.0) / 40); // squares 3,600 + 900 + 0 + 400 + 100 of five
        QCOMPARE(found.input.p50, 30.0);
        QCOMPARE(found.input.p90, 100.0);
        QCOMPARE(found.input.p99, 100.0);
        QCOMPARE(found.input.most, 100.0);
        QCOMPARE(found.output.cv, 0.0);
        QCOMPARE(found.seconds, 4000.0);
        QVERIFY(found.requests == 5 && found.failed == 2 && found.prefix.empty());
        QCOMPARE(found.arrivalCv, 1.0); // too few to say
        QCOMPARE(found.rates.rates.size(), std::size_t{2});
        QCOMPARE(found.rates.rates[0], 4.0 / 3600);
        QCOMPARE(found.rates.rates[1], 1.0 / 400); // 400 s of the second hour
        QVERIFY(statisticsOf({}, {}).requests == 0);
        const std::vector<double> sizes = usualCacheSizes();
        QVERIFY(std::is_sorted(sizes.begin(), sizes.end()) && std::isinf(sizes.back()) &&
                sizes.front() == 1e5);
    }

    /// Gaps of 1 and 3 s in turn: each is half of the mean off.
    void arrivals() {
        RequestTrace trace;
        double at = 0;
        for (int i = 0; i < 11; ++i) {
            trace.requests.push_back(requestAt(at));
            at += i % 2 == 0 ? 1 : 3;
        }
        QCOMPARE(statisticsOf(trace, {}).arrivalCv, 0.5);
        trace.requests.pop_back();
        QCOMPARE(statisticsOf(trace, {}).arrivalCv, 1.0); // nine gaps say little
        // The long gap to the next hour is no gap of an hour.
        trace.requests.push_back(requestAt(20));
        for (int i = 0; i < 11; ++i)
            trace.requests.push_back(requestAt(7000 + 10.0 * i));
        QCOMPARE(statisticsOf(trace, {}).arrivalCv, std::sqrt(0.25 / 2));
    }

    void profilesOfTraces() {
        RequestTrace trace;
        for (int i = 0; i < 360; ++i)
            trace.requests.push_back(requestAt(20.0 * i)); // two hours, less 20 s
        const TrafficProfile day = profileOf(trace);
        QCOMPARE(day.rates.size(), std::size_t{24});
        QCOMPARE(day.rates[0], 180 / 3600.0);
        QCOMPARE(day.rates[1], 180 / 3580.0);
        QCOMPARE(day.rates[2], 360 / 7180.0);  // the mean of the trace
        trace.start = 4 * 86'400 + 5 * 3600.0; // Monday, 5:00
        QCOMPARE(offsetInProfile(trace), 5 * 3600.0);
        QCOMPARE(profileOf(trace).rates[5], 180 / 3600.0);
        QCOMPARE(profileOf(trace).rates[4], 360 / 7180.0);
        trace.requests.push_back(requestAt(1.5 * 86'400));
        QCOMPARE(profileOf(trace).rates.size(), std::size_t{24});
        trace.requests.push_back(requestAt(1.5 * 86'400 + 1));
        QCOMPARE(profileOf(trace).rates.size(), std::size_t{168}); // more than a day and a half
    }

    void sharedPrompts() {
        QCOMPARE(cachedTokens(2, 16, 100), 32);
        QCOMPARE(cachedTokens(2, 50, 101), 100);
        QCOMPARE(cachedTokens(2, 50, 100), 99); // the last token is computed
        QCOMPARE(cachedTokens(0, 50, 1), 0);
        RequestTrace trace;
        trace.blockTokens = 10;
        trace.blocks = {1, 2, 3, 1, 2, 4, 1, 2, 3};
        for (std::uint32_t i = 0; i < 3; ++i) {
            trace.requests.push_back(requestAt(i, 30));
            trace.requests.back().firstBlock = 3 * i;
            trace.requests.back().blocks = 3;
        }
        // The second prompt finds two of its blocks, the third one all: 20 + 29 of 90 tokens.
        QCOMPARE(prefixHitShare(trace, infinite), 49.0 / 90);
        QCOMPARE(prefixHitShare(trace, 40), 49.0 / 90);
        QCOMPARE(prefixHitShare(trace, 30), 40.0 / 90); // block 4 has put 3 out
        QCOMPARE(prefixHitShare(trace, 9), 0.0);
    }

    void spreadOfObservedLengths() {
        Observation observed;
        observed.grid.start = 4 * 86'400; // a Monday
        observed.grid.step = 3600;
        observed.grid.points = 2;
        const auto table = [&](Signal signal, Statistic statistic, std::vector<double> values) {
            SignalTable out;
            out.signal = signal;
            out.statistic = statistic;
            out.rows.resize(values.size() / 2);
            out.values = std::move(values);
            observed.tables.push_back(out);
        };
        table(Signal::requestsPerSecond, {}, {2, 4});
        table(Signal::promptTokensPerSecond, {}, {200, 1000});
        table(Signal::generationTokensPerSecond, {}, {1, 2});
        // ln(p90 / p50) = 1.2815515655446004: a standard deviation of 1 of ln.
        table(Signal::promptTokens, Statistic::p50, {100, 100});
        table(Signal::promptTokens, Statistic::p90, {100 * std::exp(1.2815515655446004), std::nan("")});
        table(Signal::outputTokens, Statistic::p50, {100, 100});
        table(Signal::outputTokens, Statistic::p90, {90, 90});
        table(Signal::prefixHitShare, {}, {0.25, 0.75});
        const auto found = trafficOf(observed);
        QVERIFY(found);
        QCOMPARE(found->inputTokens.value(), 200.0); // 1,200 of 6 requests
        QCOMPARE(found->outputTokens.value(), 1.0);  // at least one token
        QVERIFY(std::abs(*found->inputTokensCv - std::sqrt(std::exp(1.0) - 1)) < 1e-12);
        QVERIFY(!found->outputTokensCv); // a quantile below the median
        QCOMPARE(found->prefixCacheHit.value(), 0.5);
        QCOMPARE(found->measuredHours, std::size_t{2});
        QCOMPARE(found->rates.rates.size(), std::size_t{24});
        QCOMPARE(found->rates.rates[0], 4.0);  // the hour before 1:00
        QCOMPARE(found->rates.rates[23], 2.0); // before midnight
        QCOMPARE(found->rates.rates[5], 3.0);  // the mean
        observed.tables.erase(observed.tables.begin() + 1, observed.tables.begin() + 3);
        table(Signal::promptTokens, Statistic::mean, {50, 70});
        table(Signal::outputTokens, Statistic::mean, {5, std::nan("")});
        QCOMPARE(trafficOf(observed)->inputTokens.value(), 60.0);
        QCOMPARE(trafficOf(observed)->outputTokens.value(), 5.0);
    }
};

QTEST_APPLESS_MAIN(TestFleetParts)

} // namespace tst_fleet_parts

#include "tst_fleet_parts.moc"
