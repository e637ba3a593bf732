// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/collectives/efa.h"
#include "model/collectives/expert_dispatch.h"
#include "model/collectives/multi_node.h"
#include "model/collectives/overlap.h"
#include "tests/oracle/adaptors.h"
#include "tests/oracle/reference/collectives.h"
#include "tests/oracle/reference/nccl_tuner.h"
#include "tests/oracle/reference/switch_hops.h"

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

Json busbw(const Json& a) {
    return busBandwidth(operation(a), number(a, "n"), number(a, "size"), number(a, "seconds"));
}

LinkRates<double> link(const Json& a, const char* alpha, const char* bandwidth) {
    return {.alpha = number(a, alpha), .bandwidth = number(a, bandwidth)};
}

Json nvls(const Json& a) {
    return nvlsTime(operation(a), number(a, "n"), number(a, "size"), link(a, "alpha", "B"),
                    number(a, "eff", 1));
}

Json hierarchical(const Json& a) {
    return hierarchicalAllReduce(number(a, "size"), number(a, "g"), number(a, "nodes"), link(a, "a1", "B1"),
                                 link(a, "a2", "B2"), number(a, "pipelined", 0) != 0);
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
    const auto cost = expertDispatch<double>({.tokens = number(a, "tokens"),
                                              .hidden = number(a, "h"),
                                              .elementBytes = number(a, "byte"),
                                              .experts = whole(a, "E", 0),
                                              .expertsPerToken = whole(a, "k", 0),
                                              .ranks = whole(a, "ep", 1),
                                              .ranksPerDomain = whole(a, "g", 1),
                                              .nodeLimit = whole(a, "limit_nodes", 0),
                                              .imbalance = number(a, "imbalance", 1)},
                                             link(a, "a1", "B1"), link(a, "a2", "B2"));
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
    return efaV4Time(number(a, "t_v3"), number(a, "wire_bytes"), number(a, "line_rate"));
}

Json hops(const Json& a) {
    return switchHops(a.at("nodes_a").get<std::vector<std::string>>(),
                      a.at("nodes_b").get<std::vector<std::string>>());
}

Json exposed(const Json& a) {
    return exposedComm(number(a, "comm"), number(a, "window"), number(a, "overlap", 1), number(a, "tail", 0));
}

Json chunked(const Json& a) {
    return chunkedOverlap(number(a, "compute"), number(a, "comm"), number(a, "chunks"));
}

Json ringAttention(const Json& a) {
    return ringAttentionTime(number(a, "step_compute"), number(a, "step_comm"), number(a, "cp"));
}

Json fsdpBytes(const Json& a) {
    return fsdpWireBytes(number(a, "params"), number(a, "n"), number(a, "microbatches", 1),
                         number(a, "reshard", 1) != 0);
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
