// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/topology/reported.h"

#include <string_view>

namespace alidade::data {

/// Reads Slurm's topology.yaml: the topology that is the cluster's default, or the only one; a tree or
/// blocks. Faults are whole lines, "FILE:line: what is wrong; how to fix it"; then there is no value.
std::optional<TopologyReport> readSlurmYaml(std::string_view text, const std::string& fileName,
                                            std::vector<std::string>& faults);

} // namespace alidade::data
