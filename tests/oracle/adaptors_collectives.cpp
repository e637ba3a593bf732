// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/collectives/efa.h"
#include "model/collectives/expert_exchange.h"
#include "model/collectives/multi_node.h"
#include "model/collectives/overlap.h"
#include "model/topology/fabric.h"
#include "tests/oracle/adaptors.h"
#include "tests/oracle/reference/collectives.h"
#include "tests/oracle/reference/nccl_tuner.h"
#include "tests/oracle/training_setup.h"

#include <algorithm>

namespace alidade::oracle {

using namespace reference;

namespace {

CollectiveOp operation(const Json& a) {
    static const std::map<std::string, CollectiveOp> words = [] {
        std::map<std::string, CollectiveOp> all;
        for (const CollectiveOp op :
             {CollectiveOp::allReduce, CollectiveOp::allGather, CollectiveOp::reduceScatter,
              CollectiveOp::allToAll, CollectiveOp::broadcast, CollectiveOp::reduce,
              CollectiveOp::sendReceive}) {
            all[std::string(collectiveName(op))] = op;
        }
        return all;
    }();
    return choose(words, word(a, "op", ""));
}

Json collective(const Json& a) {
    const auto algorithm = choose<CollectiveAlgorithm>({{"ring", CollectiveAlgorithm::ring},
                                                        {"tree", CollectiveAlgorithm::tree},
                                                        {"pat", CollectiveAlgorithm::pat},
                                                        {"fitted", CollectiveAlgorithm::fitted}},
                                                       word(a, "algo", ""));
    const LinkRates<double> rates{
        .alpha = number(a, "alpha"), .gamma = number(a, "gamma", 0), .bandwidth = number(a, "B")};
    return collectiveTime(operation(a), algorithm, number(a, "n"), number(a, "size"), rates);
}

GroupShape insideDomain(int ranks) { return {.ranks = ranks, .ranksPerNvlinkDomain = ranks}; }

/// What nccl-tests reports: bytes on the wire of one rank over the time.
Json busbw(const Json& a) {
    FabricRates<double> rates;
    rates.nvlink.allGather = rates.nvlink.reduceScatter = {.bandwidth = 1};
    const GroupShape group = insideDomain(whole(a, "n", 1));
    return collectiveOnGroup(operation(a), number(a, "size"), group, rates).wireBytes / number(a, "seconds");
}

LinkRates<double> link(const Json& a, const char* alpha, const char* bandwidth) {
    return {.alpha = number(a, alpha), .bandwidth = number(a, bandwidth)};
}

Json nvls(const Json& a) {
    return nvlsTime(operation(a), number(a, "n"), number(a, "size"), link(a, "alpha", "B"),
                    number(a, "eff", 1));
}

/// Domains of `g` ranks, one network card each.
FabricRates<double> twoFabrics(const Json& a) {
    FabricRates<double> rates;
    rates.nvlink.allGather = rates.nvlink.reduceScatter = {.bandwidth = number(a, "B1")};
    rates.nvlink.dispatch = link(a, "a1", "B1");
    rates.nvlink.stepLatency = number(a, "a1");
    rates.nvlink.ownShare = 0;
    rates.network.latency = rates.network.dispatchLatency = number(a, "a2");
    rates.network.nicBandwidth = number(a, "B2");
    rates.network.dispatchEfficiency = 1;
    return rates;
}

/// Reduce-scatter inside each domain, ring all-reduce on each rail, all-gather inside: one after the other as
/// in a step with replicas of sharding groups, or `pipelined` chunk by chunk, so that the rails hide the
/// rest.
Json hierarchical(const Json& a) {
    const FabricRates<double> rates = twoFabrics(a);
    const double bytes = number(a, "size");
    const GroupShape domain = insideDomain(whole(a, "g", 1));
    const GroupShape rail{.ranks = whole(a, "nodes", 1)};
    const auto ring = [&](CollectiveOp op, double buffer, const GroupShape& group) {
        return collectiveOnGroup(op, buffer, group, rates, CollectiveAlgorithm::ring).seconds;
    };
    const double inside =
        ring(CollectiveOp::reduceScatter, bytes, domain) + ring(CollectiveOp::allGather, bytes, domain);
    const double across = ring(CollectiveOp::allReduce, bytes / domain.ranks, rail);
    return across + (number(a, "pipelined", 0) != 0 ? exposedComm(inside, across) : inside);
}

Json flatRing(const Json& a) {
    return flatRingBusBandwidth(number(a, "g"), number(a, "nodes"), number(a, "B1"), number(a, "B2"),
                                number(a, "eff", 1));
}

Json allToAll(const Json& a) {
    return allToAllTime(number(a, "size"), number(a, "n"), number(a, "g"), link(a, "a1", "B1"),
                        link(a, "a2", "B2"));
}

Json groups(const Json& a) {
    return expectedGroups(whole(a, "E", 0), whole(a, "k", 0), whole(a, "groups", 0), whole(a, "limit", 0));
}

Json dispatch(const Json& a) {
    const ExchangeShape<double> shape{.tokens = number(a, "tokens"),
                                      .hidden = number(a, "h"),
                                      .elementBytes = number(a, "byte"),
                                      .experts = whole(a, "E", 0),
                                      .expertsPerToken = whole(a, "k", 0),
                                      .nodeLimit = whole(a, "limit_nodes", 0),
                                      .imbalance = number(a, "imbalance", 1)};
    const GroupShape group{.ranks = whole(a, "ep", 1), .ranksPerNvlinkDomain = whole(a, "g", 1)};
    const auto cost = expertExchange(ExchangeKind::fused, shape, group, twoFabrics(a));
    return {{"net_bytes", cost.networkBytes}, {"nvlink_bytes", cost.nvlinkBytes}, {"seconds", cost.seconds}};
}

Json maxLoad(const Json& a) { return maxLoadFactor(number(a, "mean"), number(a, "bins")); }

Json nccl(const Json& a) {
    return ncclTunerSeconds(
        {.algorithm = choose<NcclAlgorithm>({{"ring", NcclAlgorithm::ring}, {"tree", NcclAlgorithm::tree}},
                                            word(a, "algo", "")),
         .protocol = choose<NcclProtocol>(
             {{"LL", NcclProtocol::ll}, {"LL128", NcclProtocol::ll128}, {"Simple", NcclProtocol::simple}},
             word(a, "proto", "")),
         .ranks = whole(a, "ranks", 1),
         .nodes = whole(a, "nodes", 1),
         .bytes = number(a, "size"),
         .graphBandwidth = number(a, "busbw_graph"),
         .pluginLatencyMicros = number(a, "net_latency_us", 0),
         .networkOverheadMicros = number(a, "net_overhead_us", 2),
         .lowLatencyBandwidth = number(a, "ll_max", 0)});
}

Json efaAlpha(const Json& a) { return efaLatency(number(a, "alpha_v2"), whole(a, "gen", 2)); }

Json efaV4(const Json& a) {
    return efaV4Time(number(a, "t_v3"), number(a, "wire_bytes"), number(a, "line_rate"), 1.18, 0.97);
}

/// Switches between two instances, from their lists of network nodes, top layer first (EC2
/// DescribeInstanceTopology).
Json hops(const Json& a) {
    Topology topology;
    for (const char* key : {"nodes_a", "nodes_b"}) {
        int parent = -1, layer = 0;
        for (const auto& id : a.at(key).get<std::vector<std::string>>()) {
            const auto known = std::find_if(topology.nodes.begin(), topology.nodes.end(),
                                            [&](const NetworkNode& node) { return node.id == id; });
            const auto index = static_cast<int>(known - topology.nodes.begin());
            if (known == topology.nodes.end())
                topology.nodes.push_back({id, layer, parent});
            parent = index;
            ++layer;
        }
        topology.hosts.push_back({.id = key, .leaf = parent, .gpus = 8});
    }
    return importedFabric(topology, {.gpusPerHost = 8, .nvlinkDomain = 8}).switches(0, 1);
}

Json exposed(const Json& a) {
    return exposedComm(number(a, "comm"), number(a, "window"), number(a, "overlap", 1), number(a, "tail", 0));
}

/// Compute and communication over equal chunks: the last one is the tail that nothing hides.
Json chunked(const Json& a) {
    const double comm = number(a, "comm"), compute = number(a, "compute");
    if (comm > compute)
        throw Refused("the program hides no chunk of compute behind communication");
    return compute + exposedComm(comm, compute, 1.0, comm / number(a, "chunks"));
}

/// The attention of a layer with what its context group exchanges.
Json ringAttention(const Json& a) {
    TrainingSetup setup(Architecture{}, 1, whole(a, "cp", 1));
    setup.plan.contextKind = ContextKind::ring;
    setup.plan.contextGroup = insideDomain(whole(a, "cp", 1));
    LayerContext<double> c = setup.context();
    c.fabric.nvlink.sendReceive = {.bandwidth = 1 / number(a, "step_comm")};
    LayerCost<double> out;
    LayerBuilder<double> layer(c, out);
    RooflineTime<double> kernel;
    kernel.total = number(a, "step_compute") * number(a, "cp");
    layer.kernel("Core attention", Phase::forward, kernel, 1);
    contextCollectives(c, {.shape = {}, .keyValueBytes = 1, .queryBytes = 0}, kernel.total, 0.0, false,
                       layer);
    return layer.elapsed(Phase::forward);
}

/// Bytes that a rank sends for a fully sharded layer: 16-bit weights, FP32 gradients.
Json fsdpBytes(const Json& a) {
    if (number(a, "microbatches", 1) != 1 || number(a, "reshard", 1) == 0)
        throw Refused("the program gathers and reduces in every micro-batch");
    TrainingSetup setup{Architecture{}};
    setup.plan.sharding = Sharding::zero3;
    setup.plan.shardGroup = insideDomain(whole(a, "n", 1));
    setup.in[Input::gatherBytes] = 2;
    setup.in[Input::gradientReduceBytes] = 4;
    LayerKind kind;
    kind.split = static_cast<std::int64_t>(number(a, "params"));
    const LayerContext<double> c = setup.context();
    LayerCost<double> out;
    LayerBuilder<double> layer(c, out);
    shardedLayerTraffic(c, kind, layer);
    double bytes = 0;
    for (const CommCost<double>& each : out.communication)
        bytes += each.wireBytes;
    return bytes;
}

} // namespace

void addCollectives(Adaptors& table) {
    table["collective_time"] = collective;
    table["busbw"] = busbw;
    table["nvls_time"] = nvls;
    table["hierarchical_all_reduce"] = hierarchical;
    table["flat_ring_bus_bandwidth"] = flatRing;
    table["all_to_all_time"] = allToAll;
    table["expected_groups"] = groups;
    table["ep_dispatch_time"] = dispatch;
    table["max_load_factor"] = maxLoad;
    table["nccl_ring_tree_time"] = nccl;
    table["efa_alpha"] = efaAlpha;
    table["efa_v4_time"] = efaV4;
    table["switch_hops"] = hops;
    table["exposed_comm"] = exposed;
    table["chunked_overlap"] = chunked;
    table["ring_attention_time"] = ringAttention;
    table["fsdp_wire_bytes"] = fsdpBytes;
}

} // namespace alidade::oracle
