// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/topology.h"

#include <compare>
#include <cstdint>
#include <vector>

namespace alidade {

/// Links of a cluster from the GPU up.
enum class LinkKind : std::uint8_t {
    nvlink, ///< of one GPU, to the switches of its NVLink domain; index: GPU
    nic,    ///< share of one GPU in the network cards of its host; index: GPU
    uplink, ///< of one host, to its leaf (all its network cards); index: host
    trunk,  ///< of one network node, to the node above it; index: node
};

struct LinkId {
    LinkKind kind = LinkKind::nvlink;
    int index = 0;
    auto operator<=>(const LinkId&) const = default;
};

/// What the hardware of a fabric can do; SI units, bandwidths in one direction.
struct FabricSpeeds {
    double nvlinkBandwidth = 0;  ///< bytes/s of one GPU; 0: no NVLink
    double networkBandwidth = 0; ///< bytes/s of one GPU's share of the network cards; 0: no network
    double networkLatency = 0;   ///< s, a small message below one switch
    double hopLatency = 0;       ///< s, each further switch
    int networkCards = 0;        ///< of one host; 0: not known
};

/// The tree of a cluster: GPUs in hosts, hosts in NVLink domains and below network nodes, with the speed of
/// each link. Flat arrays, so that 100,000 GPUs stay cheap; names are kept elsewhere (ClusterMap). GPU g is
/// local GPU g % gpusPerHost of host g / gpusPerHost.
struct Fabric {
    FabricSpeeds speeds;
    int gpusPerHost = 1;
    int layers = 0; ///< network layers
    double oversubscription =
        1;                ///< of trunks: bandwidth below a node / bandwidth of its trunk; 1: non-blocking
    bool assumed = false; ///< the network is the catalog's: how many hosts a leaf has is an assumption
    std::vector<int> hostLeaf;  ///< network node of each host; -1: unknown
    std::vector<int> gpuDomain; ///< NVLink domain of each GPU
    int domains = 0;
    std::vector<int> nodeParent; ///< of each network node; -1: top
    std::vector<int> nodeLayer;  ///< 0: top
    std::vector<int> nodeHosts;  ///< hosts below

    int hosts() const { return static_cast<int>(hostLeaf.size()); }
    int gpus() const { return static_cast<int>(gpuDomain.size()); }
    int nodes() const { return static_cast<int>(nodeParent.size()); }
    int hostOf(int gpu) const { return gpu / gpusPerHost; }
    int domainOf(int gpu) const { return gpuDomain[static_cast<std::size_t>(gpu)]; }
    int leafOf(int host) const { return hostLeaf[static_cast<std::size_t>(host)]; }
    int parentOf(int node) const { return nodeParent[static_cast<std::size_t>(node)]; }

    int linkCount(LinkKind kind) const;
    double bandwidth(LinkId link) const; ///< bytes/s in one direction
    double latency(LinkId link) const;   ///< s that crossing it adds
    int sharedBy(LinkId link) const;     ///< GPUs whose traffic it can carry: those below it

    /// Switches between two hosts: 1 below a common leaf, two more for each layer that they do not share;
    /// 0 for a host and itself.
    int switches(int hostA, int hostB) const;
};

/// Hosts below one leaf, and nodes below one node, of a fabric from the catalog. AWS does not publish them:
/// an assumption.
inline constexpr int assumedHostsPerLeaf = 16;
inline constexpr int assumedNodesPerNode = 16;
/// Network layers where the catalog does not say.
inline constexpr int assumedLayers = 3;

/// What makes up the fabric of a named machine.
struct FabricShape {
    int hosts = 1, gpusPerHost = 1;
    int nvlinkDomain = 1; ///< GPUs
    int layers = assumedLayers;
    FabricSpeeds speeds{};
    double oversubscription = 1;
};

/// The fabric of a catalog (or custom) machine. UltraServers are not torn apart by leaves.
Fabric catalogFabric(const FabricShape& shape);

/// The fabric of an imported topology; hosts are those of the topology, in its order. Hosts without a domain
/// are domains of their own (of the catalog's size, if that is smaller than the host).
/// \param shape of the machine that the scenario names; its `hosts` and `layers` play no part
Fabric importedFabric(const Topology& topology, const FabricShape& shape);

/// The way of a message, link by link, from GPU to GPU: over NVLink inside a domain, else over the network.
/// Empty for a GPU and itself.
std::vector<LinkId> path(const Fabric& fabric, int gpuA, int gpuB);

} // namespace alidade
