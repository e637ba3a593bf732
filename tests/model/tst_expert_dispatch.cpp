// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/collectives/expert_exchange.h"

#include <QTest>

#include <cmath>

namespace tst_expert_dispatch {

using namespace alidade;

namespace {

/// H100 nodes with InfiniBand of 50 GB/s per GPU.
FabricRates<double> rates() {
    FabricRates<double> out;
    out.nvlink.allToAll = {8.2e-6, 4.1e-9, 354e9};
    out.nvlink.stepLatency = 0.84e-6;
    out.nvlink.dispatch = {27e-6, 0, 300e9};
    out.network.latency = 7.3e-6;
    out.network.nicBandwidth = 50e9;
    out.network.fill = 1.65e-8;
    out.network.dispatchLatency = 9e-6;
    out.network.dispatchEfficiency = 0.9;
    return out;
}

/// DeepSeek-V3: 4,096 tokens in FP8 with a scale for 128 elements.
ExchangeShape<double> deepSeek() {
    return {.tokens = 4096, .hidden = 7168, .elementBytes = 1.03125, .experts = 256, .expertsPerToken = 8};
}

GroupShape group(int ranks, int perDomain) {
    return {.ranks = ranks, .ranksPerNvlinkDomain = perDomain, .ranksPerNode = std::min(perDomain, 8)};
}

constexpr ExchangeKind allKinds[] = {ExchangeKind::fused, ExchangeKind::flat, ExchangeKind::lowLatency};

CollectiveCost<double> exchange(ExchangeKind kind, const ExchangeShape<double>& shape,
                                const GroupShape& where) {
    return expertExchange(kind, shape, where, rates());
}

bool near(double a, double b, double share) { return std::abs(a / b - 1) <= share; }

} // namespace

class TestExpertDispatch : public QObject {
    Q_OBJECT

private slots:
    void aGroupOfOneIsFree() {
        for (const ExchangeKind kind : allKinds)
            QCOMPARE(exchange(kind, deepSeek(), group(1, 1)).seconds, 0.0);
    }

    void insideADomainNothingTouchesTheNetwork_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("domain");
        QTest::newRow("a node") << 8 << 8;
        QTest::newRow("half an UltraServer") << 32 << 36;
        QTest::newRow("an UltraServer") << 64 << 72;
    }
    void insideADomainNothingTouchesTheNetwork() {
        QFETCH(int, ranks);
        QFETCH(int, domain);
        FabricRates<double> cut = rates();
        cut.network = {}; // no bandwidth at all: whatever crosses takes for ever
        for (const ExchangeKind kind : allKinds) {
            const auto cost = expertExchange(kind, deepSeek(), group(ranks, domain), cut);
            QCOMPARE(cost.networkBytes, 0.0);
            QCOMPARE(cost.fabric, std::optional(Bound::nvlink));
            QVERIFY(std::isfinite(cost.seconds) && cost.seconds > 0);
        }
    }

    /// 5.29 nodes for each token of which one is its own (cost of DeepSeek-V3 on 64 GPUs).
    void oneCopyForEachNode() {
        const auto cost = exchange(ExchangeKind::fused, deepSeek(), group(64, 8));
        const double token = 7168 * 1.03125;
        QVERIFY(near(cost.networkBytes, 4096 * token * 5.2947 * 7 / 8, 1e-4));
        QVERIFY(near(cost.nvlinkBytes, 4096 * token * 7.6758 * 7 / 8, 1e-4));
        QCOMPARE(cost.wireBytes, cost.networkBytes + cost.nvlinkBytes);
    }

    void fewerNodesSendFewerBytes() {
        ExchangeShape<double> shape = deepSeek();
        double before = exchange(ExchangeKind::fused, shape, group(64, 8)).networkBytes;
        for (const int limit : {6, 4, 2, 1}) {
            shape.nodeLimit = limit;
            const double bytes = exchange(ExchangeKind::fused, shape, group(64, 8)).networkBytes;
            QVERIFY(bytes < before);
            before = bytes;
        }
    }

    /// Flat copies go once for each expert, so two experts in one node cost twice.
    void fusedSendsLessThanFlat() {
        const auto fused = exchange(ExchangeKind::fused, deepSeek(), group(64, 8));
        for (const ExchangeKind kind : {ExchangeKind::flat, ExchangeKind::lowLatency}) {
            const auto copies = exchange(kind, deepSeek(), group(64, 8));
            QVERIFY(near(copies.networkBytes, 4096 * 7168 * 1.03125 * 8 * 56 / 64, 1e-9));
            QVERIFY(copies.networkBytes > 1.4 * fused.networkBytes);
            QVERIFY(copies.seconds > fused.seconds);
        }
    }

    /// Eight experts on sixteen ranks: each lies on two of them, which both need the token, by whatever way.
    void expertsSplitOverRanks() {
        const ExchangeShape<double> mixtral{
            .tokens = 128, .hidden = 4096, .elementBytes = 1, .experts = 8, .expertsPerToken = 2};
        const double token = 128 * 4096;
        const auto direct = exchange(ExchangeKind::lowLatency, mixtral, group(16, 8));
        QVERIFY(near(direct.wireBytes, token * 4 * 15 / 16, 1e-9));
        QVERIFY(near(direct.networkBytes, token * 4 * 8 / 16, 1e-9));
        ExchangeShape<double> spread = mixtral;
        spread.balanced = true; // each expert on its own ranks, as a uniform choice has it here
        const auto fused = exchange(ExchangeKind::fused, mixtral, group(16, 8));
        QCOMPARE(fused.nvlinkBytes, token * 4 * 7 / 8);
        QCOMPARE(exchange(ExchangeKind::fused, spread, group(16, 8)).nvlinkBytes, fused.nvlinkBytes);
        ExchangeShape<double> four = mixtral; // as if the choice were of four halves
        four.experts = 16;
        four.expertsPerToken = 4;
        QCOMPARE(exchange(ExchangeKind::flat, mixtral, group(16, 8)).seconds,
                 exchange(ExchangeKind::flat, four, group(16, 8)).seconds);
    }

    void combineInSixteenBitsTakesTwiceAsLong() {
        ExchangeShape<double> combine = deepSeek();
        combine.elementBytes = 2;
        const auto back = exchange(ExchangeKind::fused, combine, group(64, 8));
        const auto there = exchange(ExchangeKind::fused, deepSeek(), group(64, 8));
        QVERIFY(near(back.seconds - back.latency, (there.seconds - there.latency) * 2 / 1.03125, 1e-12));
    }

    void aLargerDomainIsFaster() {
        const double wide = exchange(ExchangeKind::fused, deepSeek(), group(64, 72)).seconds;
        const double nodes = exchange(ExchangeKind::fused, deepSeek(), group(64, 8)).seconds;
        QVERIFY(2 * wide < nodes);
    }

    void sharersDivideTheCards() {
        GroupShape alone = group(64, 8), crowded = alone;
        crowded.sharers = 2;
        for (const ExchangeKind kind : {ExchangeKind::fused, ExchangeKind::lowLatency}) {
            const auto one = exchange(kind, deepSeek(), alone), two = exchange(kind, deepSeek(), crowded);
            QVERIFY(near(two.seconds - two.latency, 2 * (one.seconds - one.latency), 1e-12));
            QCOMPARE(two.networkBytes, one.networkBytes);
        }
        QVERIFY(exchange(ExchangeKind::flat, deepSeek(), crowded).seconds >
                1.8 * exchange(ExchangeKind::flat, deepSeek(), alone).seconds);
    }

    /// Inside a domain the links are shared, not the cards; other domains are hops away.
    void sharersDivideTheLinks() {
        GroupShape alone = group(8, 8), crowded = alone;
        crowded.sharers = 3;
        const auto one = exchange(ExchangeKind::fused, deepSeek(), alone);
        const auto three = exchange(ExchangeKind::fused, deepSeek(), crowded);
        QVERIFY(near(one.seconds - one.latency, one.nvlinkBytes / 300e9, 1e-12));
        QVERIFY(near(three.seconds - three.latency, 3 * one.nvlinkBytes / 300e9, 1e-12));
        QCOMPARE(one.latency, 27e-6);
    }

    /// Latency: the kernel, the network, and each switch after the first. Cards of a rank add up.
    void hopsAndCards() {
        FabricRates<double> far = rates();
        far.network.hopLatency = 2e-6;
        GroupShape where = group(64, 8);
        where.hops = 4;
        where.nicsPerRank = 2;
        const auto cost = expertExchange(ExchangeKind::lowLatency, deepSeek(), where, far);
        QVERIFY(near(cost.latency, 27e-6 + 9e-6 + 3 * 2e-6, 1e-12));
        QVERIFY(near(cost.seconds - cost.latency, cost.networkBytes / (2 * 50e9 * 0.9), 1e-12));
        where.crowding = 2; // oversubscribed trunks leave half of the line
        const auto crowded = expertExchange(ExchangeKind::lowLatency, deepSeek(), where, far);
        QVERIFY(near(crowded.seconds - crowded.latency, cost.networkBytes / (50e9 * 0.9), 1e-12));
    }

    void moreLoadIsNeverFaster() {
        for (const ExchangeKind kind : allKinds) {
            for (const GroupShape& where : {group(8, 8), group(64, 8), group(64, 72)}) {
                ExchangeShape<double> more = deepSeek(), skewed = deepSeek();
                more.tokens *= 2;
                skewed.imbalance = 1.3;
                const double base = exchange(kind, deepSeek(), where).seconds;
                QVERIFY(exchange(kind, more, where).seconds > base);
                QVERIFY(exchange(kind, skewed, where).seconds > base);
                QVERIFY(exchange(kind, skewed, where).seconds < 1.3 * base);
            }
        }
    }

    void fewTokensAreLatency() {
        ExchangeShape<double> few = deepSeek();
        few.tokens = 1;
        const auto cost = exchange(ExchangeKind::lowLatency, few, group(64, 8));
        QVERIFY(cost.latencyBound);
        QCOMPARE(cost.bound(), Bound::latency);
        QVERIFY(cost.latency >= 36e-6 && cost.seconds < 38e-6);
    }

    /// DeepEP, docs/legacy.md: low-latency kernels, 128 tokens on H800 with InfiniBand of 50 GB/s.
    void lowLatencyAsMeasured_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<double>("dispatch");
        QTest::addColumn<double>("combine");
        QTest::newRow("16") << 16 << 118e-6 << 195e-6;
        QTest::newRow("32") << 32 << 155e-6 << 273e-6;
        QTest::newRow("64") << 64 << 173e-6 << 314e-6;
        QTest::newRow("256") << 256 << 194e-6 << 360e-6;
    }
    void lowLatencyAsMeasured() {
        QFETCH(int, ranks);
        QFETCH(double, dispatch);
        QFETCH(double, combine);
        ExchangeShape<double> shape = deepSeek();
        shape.tokens = 128;
        QVERIFY(near(exchange(ExchangeKind::lowLatency, shape, group(ranks, 8)).seconds, dispatch, 0.1));
        shape.elementBytes = 2;
        QVERIFY(near(exchange(ExchangeKind::lowLatency, shape, group(ranks, 8)).seconds, combine, 0.1));
    }

    /// Synthetic tests spread a token's experts over as many ranks as there are experts.
    void balancedRoutingHitsMoreRanks() {
        ExchangeShape<double> balanced = deepSeek();
        balanced.balanced = true;
        const double even = exchange(ExchangeKind::fused, balanced, group(8, 8)).nvlinkBytes;
        QVERIFY(near(even, 4096 * 7168 * 1.03125 * 7, 1e-12));
        QVERIFY(exchange(ExchangeKind::fused, deepSeek(), group(8, 8)).nvlinkBytes < even);
    }

    void tracedIsTheSameModel() {
        Trace trace;
        FabricRates<Traced> traced;
        const FabricRates<double> plain = rates();
        const auto leaf = [&](double value, const char* name) {
            return Traced::leaf(trace, value, name, Dimension::number, "test", SourceKind::catalog);
        };
        traced.nvlink.allToAll = {plain.nvlink.allToAll.alpha, plain.nvlink.allToAll.gamma,
                                  plain.nvlink.allToAll.bandwidth};
        traced.nvlink.stepLatency = plain.nvlink.stepLatency;
        traced.nvlink.dispatch = {leaf(27e-6, "dispatch_latency"), 0, leaf(300e9, "dispatch_rate")};
        traced.network.latency = plain.network.latency;
        traced.network.nicBandwidth = leaf(50e9, "network_bandwidth");
        traced.network.fill = plain.network.fill;
        traced.network.dispatchLatency = plain.network.dispatchLatency;
        traced.network.dispatchEfficiency = plain.network.dispatchEfficiency;
        const ExchangeShape<double> s = deepSeek();
        const ExchangeShape<Traced> t{.tokens = leaf(s.tokens, "tokens"),
                                      .hidden = s.hidden,
                                      .elementBytes = s.elementBytes,
                                      .experts = s.experts,
                                      .expertsPerToken = s.expertsPerToken};
        for (const ExchangeKind kind : allKinds) {
            for (const GroupShape& where : {group(8, 8), group(64, 8)}) {
                const auto named = expertExchange(kind, t, where, traced);
                const auto bare = expertExchange(kind, s, where, plain);
                QCOMPARE(valueOf(named.seconds), bare.seconds);
                QCOMPARE(valueOf(named.wireBytes), bare.wireBytes);
                QCOMPARE(named.fabric, bare.fabric);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestExpertDispatch)

} // namespace tst_expert_dispatch

#include "tst_expert_dispatch.moc"
