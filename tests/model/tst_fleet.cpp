// SPDX-License-Identifier: GPL-3.0-or-later
// Traffic, scaling, purchase and assignment of a fleet, each against a plainer way to find the same.
#include "model/fleet/assignment.h"
#include "model/fleet/autoscaling.h"
#include "model/fleet/observed_traffic.h"
#include "model/fleet/prefix_cache.h"
#include "model/fleet/purchase_split.h"
#include "model/fleet/request_trace.h"
#include "model/fleet/service_options.h"
#include "model/fleet/traffic.h"
#include "model/serving/simulation.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace tst_fleet {

using namespace alidade;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

TrafficProfile day(double low, double high) {
    TrafficProfile out;
    out.rates.assign(24, low);
    std::fill(out.rates.begin() + 8, out.rates.begin() + 20, high);
    return out;
}

/// A step that is linear in its work, with a memory floor under the compute.
struct LinearStep {
    double operator()(const StepWork& w) const {
        return 0.008 + 4e-5 * w.prefillTokens + 5e-5 * w.decodeSequences +
               1e-8 * w.decodeSequences * w.decodeContext;
    }
};

EngineLimits roomyEngine() {
    return {.maxSequences = 128,
            .kvBytes = 1e6,
            .chunkTokens = 2048,
            .memory = {.bytesPerToken = 1, .blockTokens = 16}};
}

/// Dollars of a period if so many instances are the base and each other one is bought by day or by hour,
/// hour by hour and day by day as they are needed.
double dollarsWithBase(const std::vector<int>& hours, int base, double basePrice, double blockPrice,
                       double usePrice) {
    const int most = *std::max_element(hours.begin(), hours.end());
    double out = base * basePrice * static_cast<double>(hours.size());
    double blocksBelow = infinite;
    for (int level = 1; level <= most; ++level) {
        double used = 0, days = 0;
        const std::size_t count = hours.size() / 24;
        for (std::size_t d = 0; d < count; ++d) {
            const auto first = hours.begin() + static_cast<std::ptrdiff_t>(24 * d);
            const auto needed = std::count_if(first, first + 24, [&](int n) { return n >= level; });
            used += static_cast<double>(needed);
            if (needed > 0) {
                const auto next = hours.begin() + static_cast<std::ptrdiff_t>(24 * ((d + 1) % count));
                const bool nextNeeded = std::any_of(next, next + 24, [&](int n) { return n >= level; });
                days += *(first + 23) >= level && !nextNeeded ? 2 : 1;
            }
        }
        blocksBelow = std::min({blocksBelow, 24 * days, static_cast<double>(hours.size())});
        out += level > base ? std::min(used * usePrice, blocksBelow * blockPrice) : 0;
    }
    return out;
}

ServiceOption optionOf(std::size_t pool, std::int64_t slot, std::vector<int> replicas) {
    ServiceOption out;
    out.pool = pool;
    out.slot = slot;
    out.plan.step = 3600;
    out.plan.rented = out.plan.serving = std::move(replicas);
    return out;
}

} // namespace

class TestFleet : public QObject {
    Q_OBJECT

private slots:
    void aShapeHasItsPeakTroughAndMean_data() {
        QTest::addColumn<double>("mean");
        QTest::newRow("peaky") << 20.0;
        QTest::newRow("half way") << 55.0;
        QTest::newRow("broad") << 90.0;
    }
    void aShapeHasItsPeakTroughAndMean() {
        QFETCH(double, mean);
        const TrafficProfile profile =
            trafficOf({.peak = 100, .trough = 10, .mean = mean, .peakHour = 14.5, .weekend = 0.5, .days = 7});
        QCOMPARE(profile.rates.size(), std::size_t{168});
        QVERIFY(std::abs(profile.peak() - 100) < 1e-9);
        QCOMPARE(profile.rates[14], profile.peak());
        const TrafficProfile workday{.rates = {profile.rates.begin(), profile.rates.begin() + 24}};
        QVERIFY(std::abs(workday.trough() - 10) < 1e-9);
        QVERIFY(std::abs(workday.mean() - mean) < 1e-6 * mean);
        QVERIFY(std::abs(profile.rates[5 * 24 + 14] - 50) < 1e-9);
    }

    void betweenTheHoursNoRequestIsLost() {
        const TrafficProfile profile{.rates = {1, 5, 2, 9, 0, 4}};
        double sum = 0;
        constexpr int steps = 6000;
        for (int i = 0; i < steps; ++i)
            sum += profile.rateAt((i + 0.5) * profile.period() / steps);
        QVERIFY(std::abs(sum / steps - profile.mean()) < 1e-6);
        QCOMPARE(profile.rateAt(2.5 * 3600), 2.0);
        QCOMPARE(profile.rateAt(-0.5 * 3600), 4.0);
    }

    void replicasAreLateByTheirLead() {
        // From 2 to 20 requests/s within an hour; a replica carries 1 and takes 10 minutes.
        const TrafficProfile traffic = day(2, 20);
        const ReplicaFacts replica{.rate = 1, .stableRate = 1.2, .lead = 600};
        ScalingPolicy policy{.headroom = 0, .scaleDownDelay = 0};
        const ReplicaPlan reactive = scaleReplicas(traffic, replica, policy);
        QVERIFY(reactive.late > 0);
        policy.kind = ScalingKind::scheduled;
        const ReplicaPlan scheduled = scaleReplicas(traffic, replica, policy);
        QCOMPARE(scheduled.late, 0.0);
        policy.kind = ScalingKind::fixed;
        const ReplicaPlan fixed = scaleReplicas(traffic, replica, policy);
        QCOMPARE(fixed.late, 0.0);
        QCOMPARE(fixed.least(), 20);
        const auto hours = [](const ReplicaPlan& plan) {
            double sum = 0;
            for (const int count : plan.rented)
                sum += count * plan.step / 3600;
            return sum;
        };
        QVERIFY(hours(reactive) < hours(fixed));
        QVERIFY(hours(scheduled) < hours(fixed));
        QCOMPARE(fixed.requests, traffic.mean() * 86400);
        // The ramp takes an hour: 18 requests/s more. With 10 minutes of lead 3 replicas are missing, which
        // as many extra ones make up for; the minute of the measurement takes another one.
        policy.kind = ScalingKind::reactive;
        QVERIFY(scaleReplicas(traffic, replica, policy, 2).late > 0);
        QCOMPARE(scaleReplicas(traffic, replica, policy, 4).late, 0.0);
    }

    void aQueueOutlastsTheShortage() {
        // One replica always, at most 1 request/s; for half a day 1.5 come.
        const ReplicaFacts replica{.rate = 1, .stableRate = 1, .lead = 1e6};
        const ReplicaPlan plan = scaleReplicas(day(0.2, 1.5), replica, {.headroom = 0});
        double over = 0;
        for (std::size_t i = 0; i < plan.serving.size(); ++i) {
            over += day(0.2, 1.5).rateAt((static_cast<double>(i) + 0.5) * plan.step) > plan.serving[i]
                        ? plan.step
                        : 0;
        }
        QVERIFY(over > 0);
        QVERIFY(plan.lateSeconds > over + 3600);
    }

    void theSplitIsTheCheapestOne() {
        std::mt19937 random(7);
        for (int trial = 0; trial < 300; ++trial) {
            InstanceDemand demand{.step = 3600, .counts = {}};
            const int days = trial % 2 == 0 ? 7 : 1;
            const int most = 1 + static_cast<int>(random() % 6);
            for (int i = 0; i < 24 * days; ++i) {
                const bool night = i % 24 < 8, idle = random() % 4 == 0;
                demand.counts.push_back(
                    night || idle ? 0 : static_cast<int>(random() % static_cast<unsigned>(most + 1)));
            }
            demand.counts[12] = most;
            const double base = 0.3 + 0.01 * static_cast<double>(random() % 60);
            const double block = 0.5 + 0.01 * static_cast<double>(random() % 60);
            const auto split = cheapestSplit(
                demand, {.base = nanoDollars(base), .block = nanoDollars(block), .onDemand = nanoDollars(1)});
            double best = infinite;
            for (int count = 0; count <= most; ++count)
                best = std::min(best, dollarsWithBase(demand.counts, count, base, block, 1));
            QVERIFY(split);
            QVERIFY2(std::abs(split->dollars - best) < 1e-6, qPrintable(QString::number(trial)));
            const auto fixed =
                cheapestSplit(demand, {.base = nanoDollars(base), .onDemand = nanoDollars(1)}, 2);
            QCOMPARE(fixed->base, 2);
            QVERIFY(std::abs(fixed->dollars - dollarsWithBase(demand.counts, 2, base, 1e9, 1)) < 1e-6);
        }
    }

    void theBaseIsTheQuantileOfTheDemand() {
        // k instances are needed in 25 - k hours of a day; a base at 60 % of the price pays from 14.4 hours.
        InstanceDemand demand{.step = 3600, .counts = {}};
        for (int i = 1; i <= 24; ++i)
            demand.counts.push_back(i);
        const auto split = cheapestSplit(demand, {.base = nanoDollars(0.6), .onDemand = nanoDollars(1)});
        QCOMPARE(split->base, 10); // the 10th is needed for 15 hours, the 11th for 14
        QCOMPARE(split->onDemand, 14);
        QVERIFY(!cheapestSplit(demand, {}));
        QVERIFY(!cheapestSplit(demand, {.base = nanoDollars(1)}, 3)); // nothing buys the rest
    }

    void anAccountHoldsOnlySoManyInstancesInBlocks() {
        const InstanceDemand demand{.step = 3600, .counts = std::vector<int>(24, 257)};
        const SplitPrices prices{.base = nanoDollars(1), .block = {}, .onDemand = {}};
        QVERIFY(cheapestSplit(demand, prices));
        SplitPrices blocks = prices;
        blocks.baseInBlocks = true;
        QVERIFY(!cheapestSplit(demand, blocks));
        QVERIFY(!cheapestSplit(demand, {.base = {}, .block = nanoDollars(1), .onDemand = {}}));
        QVERIFY(cheapestSplit({.step = 3600, .counts = std::vector<int>(24, 256)}, blocks));
    }

    void assignmentsAreTheCheapestTwo() {
        std::mt19937 random(11);
        for (int trial = 0; trial < 60; ++trial) {
            const std::size_t services = 2 + random() % 3;
            std::vector<PoolLimits> pools;
            for (int p = 0; p < 3; ++p) {
                PoolLimits pool{.gpus = 8,
                                .maxInstances = 3 + static_cast<int>(random() % 6),
                                .spares = static_cast<int>(random() % 2),
                                .prices = {},
                                .baseInstances = {}};
                pool.prices.onDemand = nanoDollars(10 + static_cast<double>(random() % 20));
                pool.prices.base = nanoDollars(5 + static_cast<double>(random() % 20));
                pools.push_back(pool);
            }
            std::vector<std::vector<ServiceOption>> options(services);
            for (auto& each : options) {
                const int count = 2 + static_cast<int>(random() % 4);
                for (int i = 0; i < count; ++i) {
                    std::vector<int> replicas;
                    const auto phase = random() % 24;
                    for (unsigned hour = 0; hour < 24; ++hour)
                        replicas.push_back(1 + static_cast<int>((hour + phase) % 24 / 5));
                    each.push_back(optionOf(random() % 3, std::int64_t{1} << (random() % 4), replicas));
                }
            }
            // All of them, one after the other.
            std::vector<double> all;
            std::vector<std::size_t> choice(services, 0);
            for (bool more = true; more;) {
                double sum = 0;
                for (std::size_t p = 0; p < pools.size(); ++p) {
                    std::vector<const ServiceOption*> here;
                    for (std::size_t s = 0; s < services; ++s)
                        if (options[s][choice[s]].pool == p)
                            here.push_back(&options[s][choice[s]]);
                    sum += here.empty() ? 0 : poolDollars(here, pools[p]);
                }
                all.push_back(sum);
                more = false;
                for (std::size_t s = 0; s < services && !more; ++s) {
                    more = ++choice[s] < options[s].size();
                    choice[s] = more ? choice[s] : 0;
                }
            }
            std::sort(all.begin(), all.end());
            const AssignmentSearch found = cheapestAssignments(options, pools);
            QCOMPARE(found.best.found(), std::isfinite(all[0]));
            if (std::isfinite(all[0]))
                QVERIFY(std::abs(found.best.dollars - all[0]) < 1e-6);
            if (std::isfinite(all[1])) {
                QVERIFY(std::abs(found.second.dollars - all[1]) < 1e-6);
                QVERIFY(found.second.choice != found.best.choice);
            }
            QVERIFY(found.tried <= all.size());
        }
    }

    void peaksAtDifferentHoursShareMachines() {
        // 8 GPUs at night and 8 by day fit on one machine at a time, alone each of them takes one.
        std::vector<int> night(24, 0), noon(24, 0);
        std::fill(night.begin(), night.begin() + 12, 8);
        std::fill(noon.begin() + 12, noon.end(), 8);
        const ServiceOption first = optionOf(0, 1, night), second = optionOf(0, 1, noon);
        const PoolLimits pool{.gpus = 8, .maxInstances = 4, .prices = {}, .baseInstances = {}};
        const InstanceDemand both = demandOf({&first, &second}, pool);
        QCOMPARE(*std::max_element(both.counts.begin(), both.counts.end()), 1);
    }

    void slotsFillMachines_data() {
        QTest::addColumn<int>("replica");
        QTest::addColumn<int>("machine");
        QTest::addColumn<int>("slot");
        QTest::newRow("a power of two") << 2 << 8 << 2;
        QTest::newRow("three of eight") << 3 << 8 << 4;
        QTest::newRow("five of eight") << 5 << 8 << 8;
        QTest::newRow("two machines") << 16 << 8 << 16;
        QTest::newRow("one and a half") << 12 << 8 << 16;
        QTest::newRow("of an UltraServer") << 8 << 72 << 8;
        QTest::newRow("a third of it") << 20 << 72 << 24;
    }
    void slotsFillMachines() {
        QFETCH(int, replica);
        QFETCH(int, machine);
        QFETCH(int, slot);
        QCOMPARE(slotOf(replica, machine), std::int64_t{slot});
    }

    void aPrefixCacheKeepsWhatWasUsedLast() {
        PrefixCache cache(4);
        const std::vector<std::uint32_t> a{1, 2, 3}, b{1, 2, 4}, c{7, 8};
        QCOMPARE(cache.use(a), std::size_t{0});
        QCOMPARE(cache.use(b), std::size_t{2});
        QCOMPARE(cache.held(a), std::size_t{3}); // 1, 2, 3, 4
        cache.use(c);                            // puts 3 out, then 4
        QCOMPARE(cache.held(a), std::size_t{2});
        QCOMPARE(cache.held(c), std::size_t{2});
    }

    void statisticsOfATrace() {
        RequestTrace trace;
        trace.blockTokens = 512;
        // Two prompts that share 1024 of 1536 tokens, and one of its own.
        trace.requests = {{.time = 0, .input = 1536, .output = 10, .firstBlock = 0, .blocks = 3},
                          {.time = 10, .input = 1536, .output = 30, .firstBlock = 3, .blocks = 3},
                          {.time = 7200, .input = 1000, .output = 20, .firstBlock = 6, .blocks = 2}};
        trace.blocks = {0, 1, 2, 0, 1, 3, 4, 5};
        const TraceStatistics found = statisticsOf(trace, {0, infinite});
        QCOMPARE(found.requests, std::uint64_t{3});
        QCOMPARE(found.output.mean, 20.0);
        QCOMPARE(found.output.p50, 20.0);
        QCOMPARE(found.prefix[0].share, 0.0);
        QCOMPARE(found.prefix[1].share, 1024.0 / (1536 + 1536 + 1000));
        QCOMPARE(found.rates.rates.size(), std::size_t{3});
        QCOMPARE(found.rates.rates[0], 2.0 / 3600);
    }

    void arrivalsWithinAnHourAreMeasuredByThemselves() {
        RequestTrace steady, poisson;
        std::mt19937_64 random(3);
        std::exponential_distribution<double> gap(1);
        double at = 0;
        for (int i = 0; i < 20000; ++i) {
            // Twice the rate in every second hour, and even within it.
            steady.requests.push_back({.time = at});
            at += static_cast<int>(at / 3600) % 2 == 0 ? 1 : 0.5;
        }
        at = 0;
        for (int i = 0; i < 20000; ++i) {
            poisson.requests.push_back({.time = at});
            at += gap(random);
        }
        QVERIFY(statisticsOf(steady, {}).arrivalCv < 0.01);
        QVERIFY(std::abs(statisticsOf(poisson, {}).arrivalCv - 1) < 0.03);
    }

    void aDatedTraceKeepsItsPlaceInTheWeek() {
        RequestTrace trace;
        trace.start = 1700157423; // 2023-11-16 17:57:03, a Thursday
        for (int i = 0; i < 3 * 86400; i += 10)
            trace.requests.push_back({.time = static_cast<double>(i)});
        QCOMPARE(offsetInProfile(trace), 3 * 86400.0 + 17 * 3600 + 57 * 60 + 3);
        trace.start = -40890000000.; // a typing error: the year 674
        QVERIFY(offsetInProfile(trace) >= 0 && offsetInProfile(trace) < 7 * 86400.0);
        QVERIFY(std::abs(profileOf(trace).mean() - 0.1) < 1e-3);
        trace.start = 1700157423;
        const TrafficProfile profile = profileOf(trace);
        QCOMPARE(profile.rates.size(), std::size_t{168});
        QVERIFY(std::abs(profile.rates[3 * 24 + 20] - 0.1) < 1e-3);
        QVERIFY(std::abs(profile.mean() - 0.1) < 1e-3);
    }

    void recordedRequestsArePlayedAsDrawnOnes() {
        // A metronome of equal requests: what is drawn and what is recorded are the same.
        const RequestLoad load{
            .inputTokens = 700, .outputTokens = 150, .requestsPerSecond = 5, .arrivalCv = 0};
        const SimulationResult drawn =
            simulate(load, roomyEngine(), LinearStep{}, {.requests = 400, .warmUp = 0});
        EngineSimulation engine(roomyEngine(), 3600);
        for (int i = 1; i <= 400; ++i) {
            playRecorded(engine, i * 0.2, LinearStep{});
            engine.send({.time = i * 0.2, .input = 700, .output = 150});
        }
        playRecorded(engine, infinite, LinearStep{});
        QCOMPARE(engine.open(), std::size_t{0});
        QCOMPARE(engine.played().size(), std::size_t{400});
        std::vector<double> e2e;
        for (const PlayedRequest& each : engine.played()) {
            e2e.push_back(each.e2e);
            QCOMPARE(each.output, 150);
        }
        std::sort(e2e.begin(), e2e.end());
        QVERIFY(std::abs(percentilesOf(e2e).p50 / percentilesOf(drawn.e2e).p50 - 1) < 0.01);
        TimeDistribution gaps;
        for (const TimeDistribution& each : engine.gaps())
            gaps.add(each);
        QVERIFY(std::abs(gaps.mean() / drawn.state.itl - 1) < 0.01);
    }

    void trafficIsReadFromAnObservation() {
        // Two engines over two days in steps of an hour; the second one is silent on the second day.
        Observation observed;
        observed.grid = {.start = 1700006400, .step = 3600, .points = 48}; // Wednesday 00:00
        SignalTable requests{.signal = Signal::requestsPerSecond};
        requests.rows = {{.host = "a"}, {.host = "b"}};
        SignalTable prompts{.signal = Signal::promptTokensPerSecond};
        prompts.rows = requests.rows;
        for (int row = 0; row < 2; ++row) {
            for (int i = 0; i < 48; ++i) {
                const bool silent = row == 1 && i >= 24;
                requests.values.push_back(silent ? std::nan("") : 1.0 + i % 24);
                prompts.values.push_back(silent ? std::nan("") : 500 * (1.0 + i % 24));
            }
        }
        QVERIFY(!trafficOf(observed));
        observed.tables = {requests, prompts};
        const auto found = trafficOf(observed);
        QVERIFY2(found, found.error().c_str());
        QCOMPARE(found->rates.rates.size(), std::size_t{168});
        // The value at an instant is the mean of the hour before it.
        QCOMPARE(found->rates.rates[2 * 24 + 9], 2 * 11.0);
        QCOMPARE(found->rates.rates[3 * 24 + 9], 11.0);
        QCOMPARE(found->measuredHours, std::size_t{48});
        QVERIFY(std::abs(*found->inputTokens - 500) < 1e-9);
        QVERIFY(!found->outputTokens);
    }
};

QTEST_APPLESS_MAIN(TestFleet)

} // namespace tst_fleet

#include "tst_fleet.moc"
