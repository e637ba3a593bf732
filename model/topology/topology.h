// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace alidade {

/// A switch, or a group of switches that the cloud shows as one.
struct NetworkNode {
    std::string id;  ///< "nn-0123456789abcdef0", or a switch's name
    int layer = 0;   ///< 0: top
    int parent = -1; ///< index into Topology::nodes; -1: none above
};

/// A machine as it is reported.
struct Host {
    std::string id{};   ///< instance id or host name; unique
    std::string name{}; ///< host name; may equal the id
    std::string instanceType{};
    std::string zone{};
    std::string domain{}; ///< NVLink domain (capacity block, clique, Slurm block); empty: the host by itself
    int leaf = -1;        ///< index into Topology::nodes of the switch next to it; -1: unknown
    int gpus = 0;         ///< 0: as many as its machine has
};

/// What a cloud or a scheduler reports of a cluster; nothing in it is computed.
struct Topology {
    std::string name;   ///< what a scenario's cluster.topology calls it
    std::string source; ///< "EC2 DescribeInstanceTopology, cluster.json"
    std::vector<NetworkNode> nodes;
    std::vector<Host> hosts;
    bool incomplete = false; ///< the source said that it has more hosts (EC2: a NextToken)

    int layers() const; ///< network layers; 0 if nothing is known of the network
};

/// What no reader may hand on: parents or leaves out of range, a parent that is not above its child, two
/// hosts of one id. \returns an empty text, or what is wrong and where
std::string checkTopology(const Topology& topology);

} // namespace alidade
