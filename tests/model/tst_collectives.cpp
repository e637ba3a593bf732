// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/collectives/expert_dispatch.h"
#include "model/collectives/group_collective.h"
#include "model/collectives/overlap.h"

#include <QTest>

#include <bit>
#include <random>

using namespace alidade;

namespace {

constexpr double gib = 1024.0 * 1024 * 1024;
constexpr CollectiveOp allOps[] = {
    CollectiveOp::allReduce, CollectiveOp::allGather, CollectiveOp::reduceScatter, CollectiveOp::allToAll,
    CollectiveOp::broadcast, CollectiveOp::reduce,    CollectiveOp::sendReceive};

/// H100 nodes with EFA of 50 GB/s per GPU: laws fitted to public nccl-tests logs.
template <class N = double>
FabricRates<N> h100Rates() {
    FabricRates<N> rates;
    rates.nvlink = {.allReduce = {N(15.5e-6), N(8.33e-9), N(493.5e9)},
                    .allGather = {N(10.6e-6), N(5.6e-9), N(370e9)},
                    .reduceScatter = {N(10.2e-6), N(3.1e-9), N(345e9)},
                    .allToAll = {N(9.8e-6), N(3.6e-9), N(327e9)},
                    .sendReceive = {N(5e-6), N(0), N(370e9)},
                    .stepLatency = N(3.4e-6)};
    rates.network.latency = N(20e-6);
    rates.network.nicBandwidth = N(50e9);
    rates.network.efficiency = N(0.92);
    return rates;
}

double seconds(CollectiveOp op, double bytes, const GroupShape& group, const FabricRates<double>& rates) {
    return collectiveOnGroup(op, bytes, group, rates).seconds;
}

double allReduceBusBandwidth(double bytes, const GroupShape& group, const FabricRates<double>& rates) {
    return busBandwidth<double>(CollectiveOp::allReduce, group.ranks, bytes,
                                seconds(CollectiveOp::allReduce, bytes, group, rates));
}

/// Full nodes of eight GPUs.
GroupShape wholeNodes(int nodes) {
    return {.ranks = 8 * nodes, .ranksPerNvlinkDomain = 8, .ranksPerNode = 8};
}

struct Draw {
    std::mt19937_64 engine{20240917};
    int whole(int low, int high) { return std::uniform_int_distribution(low, high)(engine); }
    double real(double low, double high) { return std::uniform_real_distribution(low, high)(engine); }
    double bytes() { return std::exp2(real(8, 35)); }
    CollectiveOp op() { return allOps[static_cast<std::size_t>(whole(0, 6))]; }
    GroupShape group() {
        const int perDomain = 1 << whole(0, 6);
        return {.ranks = perDomain * whole(1, 40),
                .ranksPerNvlinkDomain = perDomain,
                .ranksPerNode = std::min(perDomain, 8),
                .nicsPerRank = whole(1, 4) / 2.0,
                .hops = 1 + 2 * whole(0, 2),
                .sharers = static_cast<double>(whole(1, 3))};
    }
};

/// Counts the members of every group in every unit of a long row of machines.
int fewestMembers(int ranks, int stride, int unit) {
    int fewest = ranks;
    for (int block = 0; block < 72; ++block) {
        for (int offset = 0; offset < stride; ++offset) {
            int members = 0;
            for (int i = 0; i < ranks; ++i) {
                const int gpu = (block * ranks + i) * stride + offset;
                ++members;
                if (i + 1 == ranks || gpu / unit != (gpu + stride) / unit) { // the next one lies elsewhere
                    fewest = std::min(fewest, members);
                    members = 0;
                }
            }
        }
    }
    return fewest;
}

} // namespace

class TestCollectives : public QObject {
    Q_OBJECT

private slots:
    void groupOfOneIsFree() {
        for (const CollectiveOp op : allOps) {
            const auto cost = collectiveOnGroup(op, gib, GroupShape{}, h100Rates());
            QCOMPARE(cost.seconds, 0.0);
            QCOMPARE(cost.wireBytes, 0.0);
            QVERIFY(!cost.fabric);
        }
    }

    void insideOneDomainNothingTouchesTheNetwork_data() {
        QTest::addColumn<int>("domain");
        QTest::newRow("a node") << 8;
        QTest::newRow("half an UltraServer") << 36;
        QTest::newRow("an UltraServer") << 72;
    }
    void insideOneDomainNothingTouchesTheNetwork() {
        QFETCH(int, domain);
        FabricRates<double> cut = h100Rates();
        cut.network = {}; // no bandwidth at all: whatever crosses takes for ever
        for (int ranks = 2; ranks <= domain; ++ranks) {
            const GroupShape group{
                .ranks = ranks, .ranksPerNvlinkDomain = ranks, .ranksPerNode = std::min(ranks, 4)};
            for (const CollectiveOp op : allOps) {
                const auto cost = collectiveOnGroup(op, gib, group, cut);
                QCOMPARE(cost.fabric, std::optional(Bound::nvlink));
                QCOMPARE(cost.seconds, seconds(op, gib, group, h100Rates()));
                QVERIFY(std::isfinite(cost.seconds));
            }
        }
    }

    void oneRankTooManyCrossesTheNetwork() {
        const GroupShape group{.ranks = 9, .ranksPerNvlinkDomain = 8, .ranksPerNode = 8};
        QCOMPARE(collectiveOnGroup(CollectiveOp::allGather, gib, group, h100Rates()).fabric,
                 std::optional(Bound::efa));
        FabricRates<double> other = h100Rates();
        other.network.kind = Bound::network;
        QCOMPARE(collectiveOnGroup(CollectiveOp::allGather, gib, group, other).fabric,
                 std::optional(Bound::network));
    }

    /// nccl-tests logs of aws-samples/awsome-distributed-training, all-reduce.
    void measuredAllReduce() {
        const auto near = [](double a, double b, double share) { return std::abs(a / b - 1) <= share; };
        const double oneNode = seconds(CollectiveOp::allReduce, gib, wholeNodes(1), h100Rates());
        QVERIFY2(near(oneNode, 4.253e-3, 0.03), qPrintable(QString::number(oneNode)));
        const double two = allReduceBusBandwidth(16 * gib, wholeNodes(2), h100Rates());
        QVERIFY2(near(two, 487.1e9, 0.10), qPrintable(QString::number(two)));
        const double sixteen = allReduceBusBandwidth(16 * gib, wholeNodes(16), h100Rates());
        QVERIFY2(near(sixteen, 369.9e9, 0.02), qPrintable(QString::number(sixteen)));
    }

    void oneGpuPerNodeHasOneRail() {
        const GroupShape rail{.ranks = 64, .ranksPerNvlinkDomain = 1, .ranksPerNode = 1};
        const double alone = allReduceBusBandwidth(4 * gib, rail, h100Rates());
        QVERIFY(alone <= 46e9 && alone > 0.95 * 46e9);
        // Eight ranks in each of eight nodes see eight rails at once.
        QVERIFY(allReduceBusBandwidth(4 * gib, wholeNodes(8), h100Rates()) > 7 * alone);
    }

    void neverFasterThanTheNetworkCards() {
        Draw draw;
        for (int i = 0; i < 2000; ++i) {
            const GroupShape group = draw.group();
            FabricRates<double> rates = h100Rates();
            rates.network.speedup = draw.whole(0, 1) ? 1.18 : 1;
            const double bytes = draw.bytes();
            if (group.insideOneDomain()) {
                continue;
            }
            const double n = group.domains(), line = 50e9 * group.nicsPerRank / group.sharers;
            const double rails = line * group.ranksPerNvlinkDomain;
            QVERIFY(seconds(CollectiveOp::allReduce, bytes, group, rates) >= 2 * (n - 1) / n * bytes / rails);
            QVERIFY(seconds(CollectiveOp::allGather, bytes, group, rates) >= (n - 1) / n * bytes / rails);
            QVERIFY(seconds(CollectiveOp::reduceScatter, bytes, group, rates) >= (n - 1) / n * bytes / rails);
            QVERIFY(seconds(CollectiveOp::allToAll, bytes, group, rates) >=
                    (n - 1) / n * bytes / line * (1 - 1e-12));
        }
    }

    void moreBytesOrSharersOrHopsAreNeverFaster() {
        Draw draw;
        for (int i = 0; i < 2000; ++i) {
            const GroupShape group = draw.group();
            const CollectiveOp op = draw.op();
            const double bytes = draw.bytes();
            FabricRates<double> rates = h100Rates();
            rates.network.hopLatency = 1e-6;
            const double base = seconds(op, bytes, group, rates);
            QVERIFY(seconds(op, 1.5 * bytes, group, rates) >= base);
            GroupShape crowded = group, far = group;
            crowded.sharers *= 2;
            far.hops += 2;
            QVERIFY(seconds(op, bytes, crowded, rates) >= base);
            QVERIFY(seconds(op, bytes, far, rates) >= base);
        }
    }

    /// Twice all bandwidths and half of all latencies: half of the time.
    void timeScalesWithTheRates() {
        Draw draw;
        const auto faster = [](LinkRates<double>& r) { r = {r.alpha / 2, r.gamma / 2, r.bandwidth * 2}; };
        FabricRates<double> twice = h100Rates();
        for (LinkRates<double>* r :
             {&twice.nvlink.allReduce, &twice.nvlink.allGather, &twice.nvlink.reduceScatter,
              &twice.nvlink.allToAll, &twice.nvlink.sendReceive}) {
            faster(*r);
        }
        twice.nvlink.stepLatency /= 2;
        twice.network.latency /= 2;
        twice.network.nicBandwidth *= 2;
        for (int i = 0; i < 500; ++i) {
            const GroupShape group = draw.group();
            const CollectiveOp op = draw.op();
            const double bytes = draw.bytes(), once = seconds(op, bytes, group, h100Rates());
            QVERIFY(std::abs(2 * seconds(op, bytes, group, twice) - once) <= 1e-12 * once);
        }
    }

    void smallMessagesAreLatency() {
        for (const GroupShape& group : {wholeNodes(1), wholeNodes(32)}) {
            const auto small = collectiveOnGroup(CollectiveOp::allReduce, 1024.0, group, h100Rates());
            QVERIFY(small.latencyBound);
            QCOMPARE(small.bound(), Bound::latency);
            const auto large = collectiveOnGroup(CollectiveOp::allReduce, 16 * gib, group, h100Rates());
            QVERIFY(!large.latencyBound);
            QCOMPARE(large.bound(), *large.fabric);
        }
    }

    void theAlgorithmFollowsTheSize() {
        const auto algorithm = [](double bytes, const GroupShape& group) {
            return collectiveOnGroup(CollectiveOp::allReduce, bytes, group, h100Rates()).algorithm;
        };
        QCOMPARE(algorithm(1024, wholeNodes(32)), CollectiveAlgorithm::tree);
        QCOMPARE(algorithm(64 * gib, wholeNodes(32)), CollectiveAlgorithm::ring);
        QCOMPARE(algorithm(64 * gib, wholeNodes(2)), CollectiveAlgorithm::hierarchical);
        const GroupShape rail{.ranks = 128, .ranksPerNvlinkDomain = 1, .ranksPerNode = 1};
        const auto gather = [&](double bytes) {
            return collectiveOnGroup(CollectiveOp::allGather, bytes, rail, h100Rates()).algorithm;
        };
        QCOMPARE(gather(1024), CollectiveAlgorithm::pat);
        QCOMPARE(gather(64 * gib), CollectiveAlgorithm::ring);
    }

    /// EFAv4 gains 18 %, but large messages already use 92 % of the line.
    void efaV4StopsAtTheLine() {
        FabricRates<double> v4 = h100Rates();
        v4.network.speedup = 1.18;
        const auto gain = [&](double bytes) {
            return seconds(CollectiveOp::allReduce, bytes, wholeNodes(16), h100Rates()) /
                   seconds(CollectiveOp::allReduce, bytes, wholeNodes(16), v4);
        };
        QVERIFY(std::abs(gain(1024 * 1024) - 1.18) < 1e-9);
        QVERIFY(std::abs(gain(64 * gib) - 0.97 / 0.92) < 0.01);
    }

    void tracedIsTheSameModel() {
        Draw draw;
        Trace trace;
        FabricRates<Traced> traced = h100Rates<Traced>();
        traced.network.nicBandwidth = Traced::leaf(trace, 50e9, "nic_bandwidth", Dimension::bytesPerSecond,
                                                   "test", SourceKind::catalog);
        for (int i = 0; i < 300; ++i) {
            const GroupShape group = draw.group();
            const CollectiveOp op = draw.op();
            const double bytes = draw.bytes();
            const auto plain = collectiveOnGroup(op, bytes, group, h100Rates());
            const auto named = collectiveOnGroup(op, Traced(bytes), group, traced);
            QCOMPARE(valueOf(named.seconds), plain.seconds);
            QCOMPARE(valueOf(named.wireBytes), plain.wireBytes);
            QCOMPARE(named.algorithm, plain.algorithm);
            QCOMPARE(named.latencyBound, plain.latencyBound);
        }
    }

    /// The closed form against a count of every group over a long row of machines.
    void aGroupThatOneDomainHoldsStaysInIt() {
        // Two tensor-parallel ranks times three replicas on one node of eight GPUs.
        const GroupShape data = stridedGroup(3, 2, 8, 8, 6);
        QVERIFY(data.insideOneDomain());
        QCOMPARE(data.ranksPerNode, 3);
        // Degrees that multiply past 32 bits are illegal plans, but must not crash.
        QVERIFY(stridedGroup(65536, 65536LL * 65536, 8, 8, 16384).ranks == 65536);
    }

    void stridedGroupsAreTheFewestOfAnyUnit() {
        for (const int unit : {1, 4, 8, 72}) {
            for (const int stride : {1, 2, 3, 4, 6, 8, 12, 16}) {
                for (const int ranks : {1, 2, 3, 4, 6, 8, 9, 12, 16, 24}) {
                    const int fewest = fewestMembers(ranks, stride, unit);
                    const int found = membersPerUnit(ranks, stride, unit, 1 << 20);
                    const bool aligned = unit % stride == 0 || stride % unit == 0;
                    QVERIFY2(aligned ? found == fewest : found <= fewest,
                             qPrintable(QStringLiteral("unit %1 stride %2 ranks %3: %4, counted %5")
                                            .arg(unit)
                                            .arg(stride)
                                            .arg(ranks)
                                            .arg(found)
                                            .arg(fewest)));
                }
            }
        }
    }

    void rankOrderDecidesTheRails() {
        const GroupShape tensor = stridedGroup(8, 1, 8, 8, 4096), data = stridedGroup(16, 8, 8, 8, 4096);
        QVERIFY(tensor.insideOneDomain());
        QCOMPARE(data.ranksPerNode, 1);
        QCOMPARE(data.domains(), 16);
        const GroupShape wide =
            stridedGroup(16, 1, 4, 72, 288); // 16 ranks over four trays of one UltraServer
        QVERIFY(!wide.insideOneDomain());    // the fifth group of 16 lies on two UltraServers of 72
        QVERIFY(stridedGroup(8, 1, 4, 72, 288).insideOneDomain());
        QCOMPARE(stridedGroup(8, 1, 4, 72, 288).ranksPerNode, 4);
    }

    void expertsInOneDomainStayThere() {
        DispatchShape<double> shape{.tokens = 4096,
                                    .hidden = 7168,
                                    .elementBytes = 1,
                                    .experts = 256,
                                    .expertsPerToken = 8,
                                    .ranks = 64,
                                    .ranksPerDomain = 64};
        const LinkRates<double> nvlink{1e-5, 0, 320e9}, network{2e-5, 0, 46e9};
        const auto near = expertDispatch(shape, nvlink, network);
        QCOMPARE(near.networkBytes, 0.0);
        shape.ranksPerDomain = 8;
        const auto far = expertDispatch(shape, nvlink, network);
        QVERIFY(far.networkBytes > 0 && far.seconds > near.seconds);
        shape.nodeLimit = 4;
        QVERIFY(expertDispatch(shape, nvlink, network).networkBytes < far.networkBytes);
    }

    void expectedGroupsByExperiment() {
        Draw draw;
        constexpr int experts = 64, chosen = 6, groups = 8, rounds = 20000;
        double hits = 0;
        for (int round = 0; round < rounds; ++round) {
            unsigned picked = 0;
            std::uint64_t taken = 0;
            for (int left = chosen; left > 0;) {
                const int expert = draw.whole(0, experts - 1);
                if (!(taken >> expert & 1)) {
                    taken |= std::uint64_t{1} << expert;
                    picked |= 1U << (expert / (experts / groups));
                    --left;
                }
            }
            hits += std::popcount(picked);
        }
        QVERIFY(std::abs(hits / rounds - expectedGroups(experts, chosen, groups)) < 0.03);
    }

    void exposedTimeLiesBetweenTailAndAll() {
        Draw draw;
        for (int i = 0; i < 1000; ++i) {
            const double comm = draw.real(0, 1), window = draw.real(0, 1), overlap = draw.real(0, 1);
            const double tail = comm / draw.whole(1, 16);
            const double exposed = exposedComm(comm, window, overlap, tail);
            QVERIFY(exposed >= tail && exposed <= comm * (1 + 1e-12));
            const double chunks = draw.whole(1, 16), mixed = chunkedOverlap(window, comm, chunks);
            QVERIFY(mixed >= std::max(window, comm) && mixed <= (window + comm) * (1 + 1e-12));
        }
    }
};

QTEST_APPLESS_MAIN(TestCollectives)
#include "tst_collectives.moc"
