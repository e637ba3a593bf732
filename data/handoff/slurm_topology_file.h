// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/topology/topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alidade::data {

enum class SlurmTopologyFormat : std::uint8_t {
    conf, ///< topology.conf
    yaml, ///< topology.yaml, of Slurm 25.05 and later
};

enum class SlurmPlugin : std::uint8_t {
    tree,  ///< topology/tree: switches
    block, ///< topology/block: NVLink domains
};

/// "tree", "block"
std::string slurmPluginName(SlurmPlugin plugin);

/// A topology as Slurm reads it.
struct SlurmTopologyFile {
    std::string text;
    std::size_t switches = 0, hosts = 0; ///< written; switches are the blocks of topology/block
    std::vector<std::string> notes;      ///< what of the topology it does not say, as sentences
};

/// The plugin that says most of a topology: a tree where network layers are known, unless they are the blocks
/// that a topology of blocks was read as.
SlurmPlugin slurmPluginOf(const Topology& topology);

/// Writes switches or blocks; hosts have their names (not their ids), compressed as host lists.
/// importTopology reads it back: a tree as the same layers, blocks as the same domains, and as layers where
/// these are blocks of BlockSizes. Several top nodes get a switch above them, because Slurm runs no job
/// across unconnected trees.
/// \returns an error where a name is none that Slurm could read, two hosts share one, or the topology has
/// nothing that the plugin describes
Result<SlurmTopologyFile> writeSlurmTopology(const Topology& topology, SlurmTopologyFormat format,
                                             SlurmPlugin plugin);

} // namespace alidade::data
