// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "data/topology/reported.h"

namespace alidade::data {

/// The document of a topology, as catalogs/SCHEMA.md describes it: one line for each node and host.
std::string writeTopology(const Topology& topology);

/// Reads such a document. Faults have their JSON pointer.
std::optional<TopologyReport> readTopologyReport(const nlohmann::json& document, const std::string& file,
                                                 const std::string& pointer, std::vector<JsonFault>& faults);

} // namespace alidade::data
