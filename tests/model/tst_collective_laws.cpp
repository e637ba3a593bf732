// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/collectives/efa.h"
#include "model/collectives/expert_exchange.h"
#include "model/collectives/one_shot.h"
#include "model/collectives/overlap.h"

#include <QTest>

#include <cmath>

namespace tst_collective_laws {

using namespace alidade;

namespace {

/// Links of which every term of a law is a small number.
FabricRates<double> links() {
    FabricRates<double> r;
    r.nvlink = {.allReduce = {30, 2, 10},
                .allGather = {3, 0.5, 8},
                .reduceScatter = {4, 0.25, 4},
                .allToAll = {6, 0.125, 2},
                .sendReceive = {7, 0.5, 16},
                .stepLatency = 2,
                .ownShare = 0.5,
                .bulkSteps = 3,
                .dispatch = {11, 0, 5}};
    r.network = {.kind = Bound::efa,
                 .latency = 10,
                 .hopLatency = 4,
                 .nicBandwidth = 2,
                 .efficiency = 0.5,
                 .treeEfficiency = 0.8,
                 .patEfficiency = 0.75,
                 .speedup = 1,
                 .speedupLimit = 0.9,
                 .fill = 0.5,
                 .allToAllEfficiency = 0.25,
                 .bulkSync = 2,
                 .lowLatencyShare = 0.125,
                 .dispatchLatency = 9,
                 .dispatchEfficiency = 0.5};
    return r;
}

/// Four ranks on one domain, whose links another group uses too.
constexpr GroupShape oneDomain{.ranks = 4, .ranksPerNvlinkDomain = 4, .ranksPerNode = 4, .sharers = 2};

/// Eight ranks on four domains. A rank has 1.5 cards of 2 bytes/s, shared with another group, and 1.25 times
/// too few switches above: 1.2 bytes/s, of which half is reached. A message passes two switches more than
/// one: 10 + 2 x 4 = 18 s, and the bulk protocol waits for two starts of a kernel: 24 s; a step inside takes
/// 2 s, or 6 s.
constexpr GroupShape fourDomains{.ranks = 8,
                                 .ranksPerNvlinkDomain = 2,
                                 .ranksPerNode = 2,
                                 .nicsPerRank = 1.5,
                                 .hops = 3,
                                 .sharers = 2,
                                 .crowding = 1.25};

CollectiveCost<double> cost(CollectiveOp op, double bytes, const GroupShape& group,
                            const FabricRates<double>& rates = links(),
                            std::optional<CollectiveAlgorithm> only = {}) {
    return collectiveOnGroup(op, bytes, group, rates, only);
}

} // namespace

/// Every law of a collective against its terms counted by hand: steps, fill time of a pipeline (gamma
/// sqrt(w)), and bytes over bandwidth (Thakur et al. 2005; NCCL, src/graph/tuning.cc).
class TestCollectiveLaws : public QObject {
    Q_OBJECT

private slots:
    /// n - 1 of n parts travel in n - 1 steps of a ring, 3/4 of 64 bytes in three; each rank copies half of
    /// its own part too. Two groups halve the bandwidth.
    void ringsInADomain() {
        const auto gather = cost(CollectiveOp::allGather, 64, oneDomain);
        QCOMPARE(gather.seconds, 3 + 3 * 2 + 0.5 * std::sqrt(48) + 48 / 4.0 + 0.5 * 16 / 4);
        QCOMPARE(gather.latency, 9.0);
        QCOMPARE(gather.wireBytes, 48.0);
        QCOMPARE(gather.nvlinkBytes, 48.0);
        QCOMPARE(gather.networkBytes, 0.0);
        QCOMPARE(gather.algorithm, CollectiveAlgorithm::ring);
        const auto scatter = cost(CollectiveOp::reduceScatter, 64, oneDomain);
        QCOMPARE(scatter.seconds, 4 + 3 * 2 + 0.25 * std::sqrt(48) + 48 / 2.0 + 0.5 * 16 / 2);
        // Broadcast and reduce send the whole buffer and keep no part.
        QCOMPARE(cost(CollectiveOp::broadcast, 64, oneDomain).seconds, 3 + 3 * 2 + 0.5 * 8 + 64 / 4.0);
        QCOMPARE(cost(CollectiveOp::reduce, 64, oneDomain).seconds, 4 + 3 * 2 + 0.25 * 8 + 64 / 2.0);
        QCOMPARE(cost(CollectiveOp::sendReceive, 64, oneDomain).seconds, 7 + 2 + 0.5 * 8 + 64 / 8.0);
        const auto exchange = cost(CollectiveOp::allToAll, 64, oneDomain); // no ring: no steps
        QCOMPARE(exchange.seconds, 6 + 0.125 * std::sqrt(48) + 48 / 1.0 + 0.5 * 16 / 1);
        QCOMPARE(exchange.algorithm, CollectiveAlgorithm::direct);
        QCOMPARE(exchange.latency, 6.0);
    }

    /// A ring reduces and gathers: twice the steps, twice 3/4 of the buffer. The switches take 1 + 1/4 of it
    /// in each direction, and fill a pipeline as deep as the ranks (8 for gamma as it stands).
    void allReduceInADomain() {
        const double ring = 3 + 6 * 2 + 0.5 * std::sqrt(96) + 96 / 4.0 + 0.5 * 16 / 4;
        const double inSwitch = 30 + 80 / 5.0 + 2 * std::sqrt(80 * 4 / 8.0);
        const auto fastest = cost(CollectiveOp::allReduce, 64, oneDomain);
        QCOMPARE(fastest.seconds, ring);
        QCOMPARE(fastest.algorithm, CollectiveAlgorithm::ring);
        const auto forced =
            cost(CollectiveOp::allReduce, 64, oneDomain, links(), CollectiveAlgorithm::inSwitch);
        QCOMPARE(forced.seconds, inSwitch);
        QCOMPARE(forced.latency, 30.0);
        QCOMPARE(forced.nvlinkBytes, 80.0);
        QCOMPARE(forced.wireBytes, 96.0); // nccl-tests' factor, whatever the algorithm
        const auto large = cost(CollectiveOp::allReduce, 6400, oneDomain);
        QCOMPARE(large.seconds, 30 + 8000 / 5.0 + 2 * std::sqrt(8000 * 4 / 8.0));
        QCOMPARE(large.algorithm, CollectiveAlgorithm::inSwitch);
        QCOMPARE(cost(CollectiveOp::allReduce, 6400, oneDomain, links(), CollectiveAlgorithm::ring).seconds,
                 3 + 6 * 2 + 0.5 * std::sqrt(9600) + 9600 / 4.0 + 0.5 * 1600 / 4);
        FabricRates<double> none = links();
        none.nvlink.allReduce.bandwidth = 0;
        QCOMPARE(cost(CollectiveOp::allReduce, 64, oneDomain, none, CollectiveAlgorithm::inSwitch).seconds,
                 ring);
    }

    /// A time that is more than half latency counts as latency.
    void latencyOrFabric() {
        FabricRates<double> r = links();
        r.nvlink.reduceScatter.gamma = 0;
        // 10 s of latency; 3/4 b / 2 + b / 8 / 2 = 7 b / 16 of transfer
        QCOMPARE(cost(CollectiveOp::reduceScatter, 22, oneDomain, r).bound(), Bound::latency);
        QCOMPARE(cost(CollectiveOp::reduceScatter, 24, oneDomain, r).bound(), Bound::nvlink);
        QCOMPARE(cost(CollectiveOp::allReduce, 1, GroupShape{}, r).bound(), Bound::latency);
    }

    /// A ring over all cards of a domain: 3 steps between domains and 4 inside; 7/8 of 80 bytes over min(4, 2
    /// x 0.6) bytes/s. Half of what a rank sends leaves the domain.
    void ringsAcrossDomains() {
        const auto ring = cost(CollectiveOp::allGather, 80, fourDomains);
        QCOMPARE(ring.seconds, 3 + 3 * 24 + 4 * 6 + 0.5 * std::sqrt(70) + 70 / 1.2);
        QCOMPARE(ring.latency, 99.0);
        QCOMPARE(ring.networkBytes, 35.0);
        QCOMPARE(ring.nvlinkBytes, 35.0);
        QCOMPARE(ring.algorithm, CollectiveAlgorithm::ring);
        QCOMPARE(ring.fabric, std::optional(Bound::efa));
        // Small messages: steps of 18 and 2 s, an eighth of the bandwidth.
        const auto quick = cost(CollectiveOp::allGather, 8, fourDomains);
        QCOMPARE(quick.seconds, 3 + 3 * 18 + 4 * 2 + 7 / (2 * 1.2 / 8));
        QCOMPARE(quick.latency, 65.0);
        QCOMPARE(quick.networkBytes, 3.5);
        QCOMPARE(quick.nvlinkBytes, 3.5);
        QCOMPARE(quick.algorithm, CollectiveAlgorithm::lowLatency);
        QCOMPARE(cost(CollectiveOp::allGather, 8, fourDomains, links(), CollectiveAlgorithm::ring).seconds,
                 99 + 0.5 * std::sqrt(7) + 7 / 1.2);
        // An all-reduce goes round twice.
        const auto twice = cost(CollectiveOp::allReduce, 80, fourDomains, links(), CollectiveAlgorithm::ring);
        QCOMPARE(twice.seconds, 3 + 2 * 3 * 24 + 2 * 4 * 6 + 0.5 * std::sqrt(140) + 140 / 1.2);
        QCOMPARE(twice.networkBytes, 70.0);
        // NVLink may be the slower one, with many cards.
        GroupShape rich = fourDomains;
        rich.nicsPerRank = 15;
        QCOMPARE(cost(CollectiveOp::allGather, 80, rich, links(), CollectiveAlgorithm::ring).seconds,
                 99 + 0.5 * std::sqrt(70) + 70 / 4.0);
        // Nothing is lost below switches that are wide enough, and to one that is passed anyway.
        GroupShape plain = fourDomains;
        plain.crowding = 1;
        plain.hops = 1;
        QCOMPARE(cost(CollectiveOp::allGather, 80, plain).seconds,
                 3 + 3 * 16 + 4 * 6 + 0.5 * std::sqrt(70) + 70 / 1.5);
    }

    /// A double binary tree over four domains is two deep: 2 x 2 steps between domains and, along the chain
    /// of a domain, 2 x 1 inside; each domain sends the buffer twice at 2 x 0.6 x 0.8 bytes/s.
    void treesAcrossDomains() {
        FabricRates<double> chain = links();
        chain.nvlink.allReduce.bandwidth = 0;
        const auto tree = cost(CollectiveOp::allReduce, 80, fourDomains, chain);
        QCOMPARE(tree.seconds, 3 + 4 * 24 + 2 * 6 + 0.5 * std::sqrt(80) + 160 / 0.96);
        QCOMPARE(tree.latency, 111.0);
        QCOMPARE(tree.networkBytes, 80.0);
        QCOMPARE(tree.nvlinkBytes, 160.0);
        QCOMPARE(tree.algorithm, CollectiveAlgorithm::tree);
        GroupShape wide = fourDomains; // four ranks in each: the chain has three steps, there and back
        wide.ranks *= 2;
        wide.ranksPerNode *= 2;
        wide.ranksPerNvlinkDomain *= 2;
        QCOMPARE(cost(CollectiveOp::allReduce, 80, wide, chain, CollectiveAlgorithm::tree).latency,
                 3.0 + 4 * 24 + 6 * 6);
        const auto quick = cost(CollectiveOp::allReduce, 4, fourDomains, chain);
        QCOMPARE(quick.seconds, 3 + 4 * 18 + 2 * 2 + 8 / 0.3);
        QCOMPARE(quick.networkBytes, 4.0);
        QCOMPARE(quick.nvlinkBytes, 8.0);
        QCOMPARE(quick.algorithm, CollectiveAlgorithm::lowLatency);
        // In the switches of each domain: 1 + 1/2 of the buffer over NVLink.
        const auto inSwitch =
            cost(CollectiveOp::allReduce, 80, fourDomains, links(), CollectiveAlgorithm::hierarchical);
        QCOMPARE(inSwitch.seconds, 30 + 4 * 24 + 0.5 * std::sqrt(80) + 160 / 0.96);
        QCOMPARE(inSwitch.latency, 126.0);
        QCOMPARE(inSwitch.nvlinkBytes, 120.0);
        QCOMPARE(inSwitch.algorithm, CollectiveAlgorithm::hierarchical);
        FabricRates<double> slow = links();
        slow.nvlink.allReduce.bandwidth = 0.5;
        QCOMPARE(
            cost(CollectiveOp::allReduce, 80, fourDomains, slow, CollectiveAlgorithm::hierarchical).seconds,
            30 + 4 * 24 + 0.5 * std::sqrt(80) + 120 / 0.25);
        slow.nvlink.allReduce.bandwidth = 0;
        slow.nvlink.allGather.bandwidth = 0.5; // of the chain, which then takes longer than the cards
        QCOMPARE(
            cost(CollectiveOp::allReduce, 80, fourDomains, slow, CollectiveAlgorithm::hierarchical).seconds,
            79 + 160 / 0.3); // low latency instead of 111 + 640
        // Each half of the buffer has its root in one of two domains: it leaves once, one step up and one
        // down.
        GroupShape two = fourDomains;
        two.ranks = 4;
        const auto pair = cost(CollectiveOp::allReduce, 80, two, links(), CollectiveAlgorithm::hierarchical);
        QCOMPARE(pair.seconds, 30 + 2 * 24 + 0.5 * std::sqrt(80) + 80 / 1.2);
        QCOMPARE(pair.networkBytes, 40.0);
        // And the fastest of all where the switches start at once.
        FabricRates<double> ready = links();
        ready.nvlink.allReduce.alpha = 1;
        const auto best = cost(CollectiveOp::allReduce, 80, fourDomains, ready);
        QCOMPARE(best.algorithm, CollectiveAlgorithm::hierarchical);
        QCOMPARE(best.seconds, 1 + 4 * 24 + 0.5 * std::sqrt(80) + 160 / 0.96);
    }

    /// With one rank in each of four domains: trees of depth two, for gathering and scattering.
    void aggregatedTrees() {
        GroupShape rails = fourDomains;
        rails.ranks = 4;
        rails.ranksPerNvlinkDomain = rails.ranksPerNode = 1;
        for (const CollectiveOp op : {CollectiveOp::allGather, CollectiveOp::reduceScatter}) {
            const auto tree = cost(op, 40, rails);
            QCOMPARE(tree.seconds, 3 + 2 * 24 + 30 / (0.6 * 0.75));
            QCOMPARE(tree.latency, 51.0);
            QCOMPARE(tree.networkBytes, 30.0);
            QCOMPARE(tree.nvlinkBytes, 0.0);
            QCOMPARE(tree.algorithm, CollectiveAlgorithm::pat);
        }
        // A ring of four steps has more bandwidth.
        const auto ring = cost(CollectiveOp::allGather, 4000, rails);
        QCOMPARE(ring.algorithm, CollectiveAlgorithm::ring);
        QCOMPARE(ring.seconds, 3 + 3 * 24 + 0.5 * std::sqrt(3000) + 3000 / 0.6);
        QCOMPARE(cost(CollectiveOp::allGather, 40, rails, links(), CollectiveAlgorithm::ring).seconds,
                 3 + 3 * 24 + 0.5 * std::sqrt(30) + 30 / 0.6);
        QCOMPARE(cost(CollectiveOp::broadcast, 40, rails).algorithm, CollectiveAlgorithm::ring);
    }

    /// Between two domains a rank has its own cards: 3 + 24 s and 0.6 bytes/s, or 3 + 18 s and an eighth
    /// of 1.2.
    void transfers() {
        const auto bulk = cost(CollectiveOp::sendReceive, 80, fourDomains);
        QCOMPARE(bulk.seconds, 27 + 80 / 0.6);
        QCOMPARE(bulk.latency, 27.0);
        QCOMPARE(bulk.networkBytes, 80.0);
        const auto quick = cost(CollectiveOp::sendReceive, 0.6, fourDomains);
        QCOMPARE(quick.seconds, 21 + 0.6 / 0.15);
        QCOMPARE(quick.latency, 21.0);
        QCOMPARE(quick.networkBytes, 0.6);
        QCOMPARE(quick.algorithm, CollectiveAlgorithm::lowLatency);
    }

    /// 6 of 8 peers are behind the network, a message to each; the slower fabric decides, at a quarter of the
    /// line rate.
    void allToAllAcrossDomains() {
        const auto far = cost(CollectiveOp::allToAll, 80, fourDomains);
        QCOMPARE(far.seconds, 6 + 18 + 6 * 2 + 0.5 * std::sqrt(60) + 60 / 0.3);
        QCOMPARE(far.latency, 36.0);
        QCOMPARE(far.networkBytes, 60.0);
        QCOMPARE(far.nvlinkBytes, 10.0);
        FabricRates<double> slow = links();
        slow.nvlink.allToAll.bandwidth = 0.05;
        QCOMPARE(cost(CollectiveOp::allToAll, 80, fourDomains, slow).seconds,
                 36 + 0.5 * std::sqrt(60) + 10 / 0.025);
        // The law alone: a message to each peer inside, one start outside.
        const LinkRates<double> inside{3, 0, 2}, across{5, 0, 1};
        QCOMPARE(allToAllTime<double>(80, 4, 4, inside, across), 3 * 3 + 60 / 2.0);
        QCOMPARE(allToAllTime<double>(80, 8, 4, inside, across), 5 + 40 / 1.0);
        QCOMPARE(allToAllTime<double>(80, 8, 4, {20, 0, 2}, across), 3 * 20 + 30 / 2.0);
    }

    /// A faster generation divides times, down to a share of the line rate.
    void speedUp() {
        FabricRates<double> r = links();
        r.network.speedup = 2;
        const auto ring = cost(CollectiveOp::allGather, 80, fourDomains, r, CollectiveAlgorithm::ring);
        QCOMPARE(ring.seconds, (99 + 0.5 * std::sqrt(70) + 70 / 1.2) / 2);
        QCOMPARE(ring.latency, 49.5);
        QCOMPARE(cost(CollectiveOp::allToAll, 80, fourDomains, r).seconds,
                 (36 + 0.5 * std::sqrt(60) + 60 / 0.3) / 2);
        r.network.speedupLimit = 0.4;
        QCOMPARE(cost(CollectiveOp::allToAll, 80, fourDomains, r).seconds, 60 / (1.2 * 0.4));
        // AWS: 18 % faster; here at most 97 % of the line rate.
        QCOMPARE(efaV4Time<double>(118, 50, 1, 1.18, 0.97), 100.0);
        QCOMPARE(efaV4Time<double>(118, 194, 1, 1.18, 0.97), 200.0);
    }

    /// Steps and bytes of the plain law.
    void alphaGammaBeta() {
        const LinkRates<double> link{3, 0.5, 8};
        QCOMPARE(collectiveTime<double>(CollectiveOp::allReduce, CollectiveAlgorithm::ring, 4, 64, link),
                 6 * 3 + 0.5 * std::sqrt(96) + 96 / 8.0);
        QCOMPARE(collectiveTime<double>(CollectiveOp::allGather, CollectiveAlgorithm::ring, 4, 64, link),
                 3 * 3 + 0.5 * std::sqrt(48) + 48 / 8.0);
        QCOMPARE(collectiveTime<double>(CollectiveOp::sendReceive, CollectiveAlgorithm::ring, 4, 64, link),
                 3 + 0.5 * 8 + 64 / 8.0);
        QCOMPARE(collectiveTime<double>(CollectiveOp::allReduce, CollectiveAlgorithm::tree, 9, 72, link),
                 2 * 4 * 3 + 0.5 * 12 + 144 / 8.0);
        QCOMPARE(collectiveTime<double>(CollectiveOp::allGather, CollectiveAlgorithm::pat, 9, 72, link),
                 4 * 3 + 0.5 * 8 + 64 / 8.0);
        QCOMPARE(nvlsTime<double>(CollectiveOp::allReduce, 4, 64, link, 0.5), 3 + 80 / 4.0);
        QCOMPARE(nvlsTime<double>(CollectiveOp::allGather, 4, 64, link, 0.5), 3 + 64 / 4.0);
        QCOMPARE(flatRingBusBandwidth<double>(4, 2, 10, 3, 0.5), 5.0);
        QCOMPARE(flatRingBusBandwidth<double>(2, 2, 10, 3, 0.5), 3.0);
        QCOMPARE(flatRingBusBandwidth<double>(2, 1, 10, 3, 0.5), 5.0);
        QCOMPARE(oneShotAllReduceTime<double>(16, 4, links().nvlink), 2 * 3 / 3.0 + 16 * 3 / 8.0);
        QCOMPARE(exposedComm<double>(10, 4, 0.5, 3), 3 + (10 - 3 - 2.0));
        QCOMPARE(exposedComm<double>(10, 40, 0.5, 3), 3.0);
        QCOMPARE(exposedComm<double>(10, 4), 6.0);
    }

    /// A token chooses 3 of 16 experts. It misses a domain with 4 of them in C(12, 3) of C(16, 3) = 220 of
    /// 560 choices and a rank with 2 in 364 of 560: it reaches 4 x 340 / 560 = 17/7 of 4 domains and 8 x 196
    /// / 560 = 2.8 of 8 ranks. The hottest rank has 10 x 1.5 tokens of 4 x 2 bytes, 120. To its own domain
    /// goes one in four copies; a rank of a domain gets its copy from the network in one of two cases.
    void fusedExchange() {
        const auto fused = exchange(ExchangeKind::fused, fourDomains);
        QCOMPARE(fused.networkBytes, 120 * 17 / 7.0 * 0.75);
        QCOMPARE(fused.nvlinkBytes, 120 * 2.8 / 2);
        QCOMPARE(fused.wireBytes, 120 * (17 / 7.0 * 0.75 + 1.4));
        QCOMPARE(fused.latency, 11 + 9 + 2 * 4.0);
        QCOMPARE(fused.seconds, 28 + 120 * 17 / 7.0 * 0.75 / 0.6);
        QCOMPARE(fused.fabric, std::optional(Bound::efa));
        QVERIFY(!fused.latencyBound);
        GroupShape plain = fourDomains;
        plain.crowding = 1;
        QCOMPARE(exchange(ExchangeKind::fused, plain).seconds, 28 + 120 * 17 / 7.0 * 0.75 / 0.75);
        plain.nicsPerRank = 150; // NVLink is slower
        const auto nvlink = exchange(ExchangeKind::fused, plain);
        QCOMPARE(nvlink.seconds, 28 + 168 * 2 / 5.0);
        QCOMPARE(nvlink.fabric, std::optional(Bound::nvlink));
        // Inside one domain of eight ranks.
        GroupShape inside{.ranks = 8, .ranksPerNvlinkDomain = 8, .ranksPerNode = 8, .sharers = 2};
        const auto near = exchange(ExchangeKind::fused, inside);
        QCOMPARE(near.nvlinkBytes, 120 * 2.8 * 7 / 8);
        QCOMPARE(near.networkBytes, 0.0);
        QCOMPARE(near.seconds, 11 + 120 * 2.8 * 7 / 8 * 2 / 5);
        QCOMPARE(near.latency, 11.0);
    }

    /// Direct kernels send a copy for each expert: 6 of 8 ranks are in other domains, 1 of 8 is a neighbor. A
    /// library's all-to-all sends as many. Balanced experts are on as many ranks as there can be.
    void otherExchanges() {
        const auto direct = exchange(ExchangeKind::lowLatency, fourDomains);
        QCOMPARE(direct.networkBytes, 120 * 3 * 0.75);
        QCOMPARE(direct.nvlinkBytes, 120 * 3 / 8.0);
        const auto flat = exchange(ExchangeKind::flat, fourDomains);
        QCOMPARE(flat.seconds, cost(CollectiveOp::allToAll, 360, fourDomains).seconds);
        ExchangeShape<double> s = tokens();
        s.balanced = true;
        QCOMPARE(expertExchange(ExchangeKind::fused, s, fourDomains, links()).nvlinkBytes, 120 * 3 / 2.0);
        s.experts = 4; // two ranks share each, and both need the token
        QCOMPARE(expertExchange(ExchangeKind::lowLatency, s, fourDomains, links()).networkBytes,
                 120 * 6 * 0.75);
        s = tokens();
        s.nodeLimit = 1; // all in one domain
        QCOMPARE(expertExchange(ExchangeKind::fused, s, fourDomains, links()).networkBytes, 120 * 0.75);
        // A few tokens are latency.
        s.tokens = 0.1;
        QVERIFY(expertExchange(ExchangeKind::fused, s, fourDomains, links()).latencyBound);
    }

    /// Expected groups: of 6 experts in 3 pairs a choice of 2 misses a pair in C(4, 2) of C(6, 2) = 6 of 15
    /// cases.
    void expectedGroupsOfExperts() {
        QCOMPARE(expectedGroups(6, 2, 3), 3 * 9 / 15.0);
        QCOMPARE(expectedGroups(6, 2, 3, 2), 2 * 5 / 6.0); // two pairs: missed in 1 of C(4, 2) = 6
        QCOMPARE(expectedGroups(6, 2, 3, 3), 3 * 9 / 15.0);
        QCOMPARE(expectedGroups(6, 5, 3), 3.0); // no pair can be missed
        QCOMPARE(expectedGroups(6, 4, 3), 3 * 14 / 15.0);
        QCOMPARE(expectedGroups(2, 1, 6), 3.0); // three groups share an expert
        QCOMPARE(expectedGroups(2, 1, 6, 2), 2.0);
        QCOMPARE(sharesOfExpert(4, 8), 2.0);
        QCOMPARE(sharesOfExpert(8, 4), 1.0);
        // Blom 1958: the largest of two normals lies 0.5895 deviations above the mean, Phi^-1(1.625 / 2.25).
        QCOMPARE(maxLoadFactor(4, 1), 1.0);
        QVERIFY(std::abs(maxLoadFactor(4, 2) - (1 + 0.5895 / 2)) < 1e-4);
    }

    /// The words of operations are those of nccl-tests, which writes one without underscores.
    void words() {
        QCOMPARE(collectiveOf("alltoall"), std::optional(CollectiveOp::allToAll));
        QCOMPARE(collectiveOf("all_to_all"), std::optional(CollectiveOp::allToAll));
        QCOMPARE(collectiveOf("reduce_scatter"), std::optional(CollectiveOp::reduceScatter));
        QCOMPARE(collectiveOf("send_recv"), std::optional(CollectiveOp::sendReceive));
        QVERIFY(!collectiveOf("gather"));
        QVERIFY(isMeasured(CollectiveOp::allToAll));
        QVERIFY(!isMeasured(CollectiveOp::broadcast));
    }

private:
    static ExchangeShape<double> tokens() {
        return {.tokens = 10,
                .hidden = 4,
                .elementBytes = 2,
                .experts = 16,
                .expertsPerToken = 3,
                .imbalance = 1.5};
    }
    static CollectiveCost<double> exchange(ExchangeKind kind, const GroupShape& group) {
        return expertExchange(kind, tokens(), group, links());
    }
};

QTEST_APPLESS_MAIN(TestCollectiveLaws)

} // namespace tst_collective_laws

#include "tst_collective_laws.moc"
