// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace alidade {

/// A switch, or a group of switches that the cloud reports as one.
struct NetworkNode {
    std::string id;  ///< "nn-0123456789abcdef0", or a switch's name
    int layer = 0;   ///< 0: top
    int parent = -1; ///< index into Topology::nodes; -1: none above
};

/// A machine as reported.
struct Host {
    std::string id{};   ///< instance id or host name; unique
    std::string name{}; ///< host name; may equal the id
    std::string instanceType{};
    std::string zone{};
    std::string domain{}; ///< NVLink domain (capacity block, clique, Slurm block); empty: the host alone
    int leaf = -1;        ///< index into Topology::nodes of the nearest switch; -1: unknown
    int gpus = 0;         ///< 0: those of its machine type
};

/// A cluster as reported by a cloud or scheduler. Nothing in it is computed.
struct Topology {
    std::string name;   ///< name in a scenario's cluster.topology
    std::string source; ///< "EC2 DescribeInstanceTopology, cluster.json"
    std::vector<NetworkNode> nodes;
    std::vector<Host> hosts;
    bool incomplete = false; ///< the source reported more hosts (EC2: a NextToken)

    int layers() const; ///< network layers; 0 if the network is unknown
};

} // namespace alidade
