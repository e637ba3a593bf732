// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/topology.h"

#include <compare>
#include <cstdint>
#include <vector>

namespace alidade {

/// Links of a cluster, from the GPU up.
enum class LinkKind : std::uint8_t {
    nvlink, ///< from one GPU to the switches of its NVLink domain; index: GPU
    nic,    ///< one GPU's share of its host's network cards; index: GPU
    uplink, ///< from one host to its leaf switch (all its network cards); index: host
    trunk,  ///< from one network node to the node above it; index: node
};

struct LinkId {
    LinkKind kind = LinkKind::nvlink;
    int index = 0;
    auto operator<=>(const LinkId&) const = default;
};

/// Hardware speeds of a fabric in SI units; bandwidths in one direction.
struct FabricSpeeds {
    double nvlinkBandwidth = 0;  ///< bytes/s per GPU; 0: no NVLink
    double networkBandwidth = 0; ///< bytes/s of one GPU's share of the network cards; 0: no network
    double networkLatency = 0;   ///< seconds for a small message through one switch
    double hopLatency = 0;       ///< seconds for each additional switch
    int networkCards = 0;        ///< per host; 0: unknown
};

/// The tree of a cluster: GPUs in hosts, hosts in NVLink domains and below network nodes, with the speed of
/// each link. Uses flat arrays to keep 100,000 GPUs cheap; names are stored elsewhere (ClusterMap). GPU g is
/// local GPU g % gpusPerHost of host g / gpusPerHost.
struct Fabric {
    FabricSpeeds speeds;
    int gpusPerHost = 1;
    int layers = 0;              ///< network layers
    double oversubscription = 1; ///< bandwidth below a node / bandwidth of its trunk; 1: non-blocking
    bool assumed = false;        ///< catalog network: the number of hosts per leaf is assumed
    std::vector<int> hostLeaf;   ///< network node of each host; -1: unknown
    std::vector<int> gpuDomain;  ///< NVLink domain of each GPU
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
    double latency(LinkId link) const;   ///< seconds added by crossing the link
    int sharedBy(LinkId link) const;     ///< GPUs below the link, whose traffic it can carry

    /// Returns the switches between two hosts: 1 below a common leaf, two more for each layer that they do
    /// not share, 0 for a host and itself.
    int switches(int hostA, int hostB) const;
};

/// Hosts per leaf and nodes per node of a catalog fabric. An assumption, because AWS does not publish these
/// numbers.
inline constexpr int assumedHostsPerLeaf = 16;
inline constexpr int assumedNodesPerNode = 16;
/// Network layers assumed if the catalog does not specify them.
inline constexpr int assumedLayers = 3;

/// The parameters of the fabric of a named machine.
struct FabricShape {
    int hosts = 1, gpusPerHost = 1;
    int nvlinkDomain = 1; ///< GPUs
    int layers = assumedLayers;
    FabricSpeeds speeds{};
    double oversubscription = 1;
};

/// Returns the fabric of a catalog (or custom) machine. Leaves do not split UltraServers.
Fabric catalogFabric(const FabricShape& shape);

/// Returns the fabric of an imported topology, with its hosts in the topology's order. A host without a
/// domain is its own domain (of the catalog's size, if that is smaller than the host).
/// \param shape of the machine that the scenario names; its `hosts` and `layers` are ignored
Fabric importedFabric(const Topology& topology, const FabricShape& shape);

/// Returns the links of a message from GPU to GPU in order: over NVLink inside a domain, otherwise over the
/// network. Empty for a GPU and itself.
std::vector<LinkId> path(const Fabric& fabric, int gpuA, int gpuB);

} // namespace alidade
