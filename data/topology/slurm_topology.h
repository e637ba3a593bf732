// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/topology/reported.h"

#include <string_view>

namespace alidade::data {

/// One switch or block as a configuration writes it.
struct SlurmSwitch {
    std::string name;
    std::string nodes, children; ///< host lists; empty: not written
    std::size_t line = 0;
};

/// What topology.conf and topology.yaml describe alike.
struct SlurmDescription {
    bool blocks = false; ///< topology/block; else topology/tree
    std::vector<SlurmSwitch> switches;
    std::string blockSizes; ///< as written; empty: none
    std::size_t sizesLine = 0;
};

/// Reads a topology.conf with switches (topology/tree) or blocks (topology/block).
/// Faults are whole lines, "FILE:line: what is wrong; how to fix it"; then there is no value.
std::optional<TopologyReport> readSlurmTopology(std::string_view text, const std::string& fileName,
                                                std::vector<std::string>& faults);

/// The hosts of a description, with the switches above them, or with the blocks of each size that they lie
/// in. Switches without hosts or with both kinds of children, cycles, a switch or a host below two switches
/// and several trees are faults.
std::optional<TopologyReport> reportOf(const SlurmDescription& description, const std::string& fileName,
                                       std::vector<std::string>& faults);

} // namespace alidade::data
