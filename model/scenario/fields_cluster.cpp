// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hardware/purchase.h"
#include "model/scenario/fields_builder.h"
#include "model/topology/group_kind.h"

#include <algorithm>
#include <vector>

namespace alidade::fields {

namespace {

std::string checkRankOrder(const FieldValue& value) {
    const std::string& text = std::get<std::string>(value);
    const auto sorted = [](std::string_view order) {
        std::vector<std::string_view> out;
        for (std::size_t at = 0; at <= order.size(); at += out.back().size() + 1)
            out.push_back(order.substr(at, order.find('-', at) - at));
        std::ranges::sort(out);
        return out;
    };
    if (sorted(text) == sorted(usualRankOrder))
        return {};
    return "it must name tp, cp, ep, dp and pp once each, fastest first, such as " +
           std::string(usualRankOrder);
}

void appendCustom(Lines& lines) {
    constexpr double fastest = 1e15; // bytes/s; a thousand times the fastest link of 2026
    // Any part of a custom machine replaces a named one.
    const auto custom = [&lines](Line line) {
        lines.push_back(line.excludes({"cluster.instance", "cluster.ultraserver", "cluster.ultraservers"})
                            .when(describesMachine));
    };
    custom(Line(
               "cluster.custom.gpu", "GPU", [](auto& s) -> auto& { return s.cluster.custom.gpu; },
               "GPU of a machine that is not in the catalog")
               .idOf("gpus")
               .absent("required for a custom machine"));
    custom(Line(
               "cluster.custom.gpus_per_node", "GPUs per node",
               [](auto& s) -> auto& { return s.cluster.custom.gpusPerNode; }, "GPUs in one node")
               .unit("GPUs")
               .range(1, 1024)
               .absent("8"));
    custom(Line(
               "cluster.custom.nvlink_domain", "NVLink domain",
               [](auto& s) -> auto& { return s.cluster.custom.nvlinkDomain; }, "GPUs connected by NVLink")
               .unit("GPUs")
               .range(1, 65'536)
               .absent("the GPUs of a node"));
    custom(Line(
               "cluster.custom.nvlink_bytes_per_s_per_gpu_per_direction", "NVLink per GPU and direction",
               [](auto& s) -> auto& { return s.cluster.custom.nvlinkBytesPerSPerGpuPerDirection; },
               "NVLink bandwidth per GPU in one direction")
               .measures(Dimension::bytesPerSecond)
               .range(1, fastest)
               .absent("the GPU's NVLink bandwidth"));
    custom(Line(
               "cluster.custom.network_bytes_per_s_per_gpu_per_direction", "Network per GPU and direction",
               [](auto& s) -> auto& { return s.cluster.custom.networkBytesPerSPerGpuPerDirection; },
               "network bandwidth per GPU in one direction")
               .measures(Dimension::bytesPerSecond)
               .range(1, fastest)
               .absent("no network between nodes"));
    custom(Line(
               "cluster.custom.network", "Network", [](auto& s) -> auto& { return s.cluster.custom.network; },
               "kind of network between nodes")
               .oneOf({"efa2", "efa3", "efa4", "infiniband", "ethernet"})
               .absent("infiniband"));
    custom(Line(
               "cluster.custom.memory_bytes_per_gpu", "Memory per GPU",
               [](auto& s) -> auto& { return s.cluster.custom.memoryBytesPerGpu; },
               "GPU memory available to programs")
               .measures(Dimension::bytes)
               .range(1e6, 1e15)
               .absent("the GPU's nominal memory"));
}

void appendSize(Lines& lines) {
    lines.push_back(Line(
                        "cluster.instances", "Instances",
                        [](auto& s) -> auto& { return s.cluster.instances; }, "number of rented instances")
                        .common(FieldGroup::cluster, 160)
                        .unit("instances")
                        .when(countsInstances)
                        .range(1, 1e6)
                        .excludes({"cluster.ultraservers"})
                        .absent("1"));
    lines.push_back(Line(
                        "cluster.ultraservers", "UltraServers",
                        [](auto& s) -> auto& { return s.cluster.ultraservers; },
                        "number of rented UltraServers")
                        .common(FieldGroup::cluster, 170)
                        .unit("UltraServers")
                        .when(rentsUltraservers)
                        .range(1, 1e6)
                        .excludes({"cluster.instances"})
                        .absent("1"));
    lines.push_back(Line(
                        "cluster.gpus", "GPUs in use", [](auto& s) -> auto& { return s.cluster.gpus; },
                        "GPUs that the plan may use; the rest are idle but billed")
                        .unit("GPUs")
                        .range(1, 1e9)
                        .absent("all"));
}

} // namespace

Line& Line::purchaseOption() {
    std::vector<std::string_view> offered;
    for (const PurchaseTexts& each : purchaseTexts) {
        (each.word == purchaseWord(Purchase::spot) ? field_.unoffered : offered).push_back(each.word);
        field_.names.push_back({each.word, each.name});
    }
    return oneOf(std::move(offered));
}

Line& Line::commitmentTerm() {
    std::vector<std::string_view> offered;
    for (const CommitmentTexts& each : commitmentTexts) {
        offered.push_back(each.word);
        field_.names.push_back({each.word, each.name});
    }
    field_.isTermOfPrice = true;
    return oneOf(std::move(offered));
}

void appendCluster(Lines& lines) {
    lines.push_back(Line(
                        "cluster.instance", "Instance type",
                        [](auto& s) -> auto& { return s.cluster.instance; }, "EC2 instance type")
                        .common(FieldGroup::cluster, 140)
                        .when(rentsInstances)
                        .idOf("instances")
                        .excludes({"cluster.ultraserver", "cluster.ultraservers", "cluster.custom"})
                        .absent("an UltraServer or a custom machine is set instead"));
    lines.push_back(Line(
                        "cluster.ultraserver", "UltraServer",
                        [](auto& s) -> auto& { return s.cluster.ultraserver; }, "EC2 UltraServer type")
                        .common(FieldGroup::cluster, 150)
                        .when(rentsUltraservers)
                        .idOf("ultraservers")
                        .excludes({"cluster.instance", "cluster.instances", "cluster.custom"})
                        .absent("an instance type or a custom machine is set instead"));
    appendCustom(lines);
    appendSize(lines);
    lines.push_back(Line(
                        "cluster.topology", "Topology", [](auto& s) -> auto& { return s.cluster.topology; },
                        "imported network topology")
                        .absent("a fabric without oversubscription"));
    lines.push_back(Line(
                        "cluster.rank_order", "Rank order",
                        [](auto& s) -> auto& { return s.cluster.rankOrder; },
                        "order in which parallel groups take adjacent ranks, fastest first")
                        .obeys(checkRankOrder)
                        .absent(usualRankOrder));
    lines.push_back(Line(
                        "cluster.placement", "Placement",
                        [](auto& s) -> auto& { return s.cluster.placement; },
                        "how ranks are placed on hosts: packed, sorted, or a list of hosts")
                        .alone({"packed", "sorted"})
                        .absent("packed"));
    lines.push_back(Line(
                        "cluster.excluded_hosts", "Excluded hosts",
                        [](auto& s) -> auto& { return s.cluster.excludedHosts; },
                        "hosts that the plan must not use, by ID or name; they are still billed")
                        .absent("none"));
    lines.push_back(Line(
                        "cluster.oversubscription", "Oversubscription",
                        [](auto& s) -> auto& { return s.cluster.oversubscription; },
                        "downlink bandwidth of a network switch / its uplink bandwidth")
                        .range(1, 100)
                        .absent("1, a non-blocking network (as AWS describes EFA)"));
    lines.push_back(
        Line(
            "cluster.region", "Region", [](auto& s) -> auto& { return s.cluster.region; },
            "AWS Region whose prices apply")
            .common(FieldGroup::cluster, 180)
            .absent("us-east-2 if the machine has a price there, else the first Region with a price"));
    lines.push_back(Line(
                        "cluster.purchase", "Purchase", [](auto& s) -> auto& { return s.cluster.purchase; },
                        "purchase option for the instances")
                        .common(FieldGroup::cluster, 190)
                        .purchaseOption()
                        .absent("on_demand, or a Capacity Block if there is no other option"));
    lines.push_back(
        Line(
            "cluster.dollars_per_instance_hour", "Price",
            [](auto& s) -> auto& { return s.cluster.dollarsPerInstanceHour; },
            "price per instance (or UltraServer) hour: custom, of a Savings Plan or of a training plan")
            .common(FieldGroup::cluster, 200)
            .when(hasCustomPrice)
            .measures(Dimension::dollarsPerHour)
            .range(0, 1e9)
            .absent("the catalog price"));
    lines.push_back(
        Line(
            "cluster.commitment", "Commitment", [](auto& s) -> auto& { return s.cluster.commitment; },
            "term and payment option of a reservation or Savings Plan, which are billed for the whole "
            "term")
            .commitmentTerm()
            .absent("any that has a price; of a Savings Plan 1_year_no_upfront"));
    lines.push_back(Line(
                        "cluster.discount", "Discount", [](auto& s) -> auto& { return s.cluster.discount; },
                        "discount on the catalog price under a private agreement")
                        .measures(Dimension::ratio)
                        .range(0, 1)
                        .absent("0"));
}

} // namespace alidade::fields
