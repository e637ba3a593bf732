// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a topology, a host list and a log of nccl-tests: no crash, a refusal names the file and says
// what is wrong, and what is accepted is sound and is written as text that is read again as the same.
#include "data/handoff/slurm_topology_file.h"
#include "data/import/nccl_log.h"
#include "data/topology/hostlist.h"
#include "data/topology/import.h"
#include "data/topology/topology_json.h"
#include "tests/topology_check.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace alidade;

namespace {

void require(bool holds) {
    if (!holds)
        std::abort();
}

/// What is written for Slurm is read again, with as many hosts.
void checkSlurm(const Topology& topology) {
    for (const data::SlurmPlugin plugin : {data::SlurmPlugin::tree, data::SlurmPlugin::block}) {
        for (const data::SlurmTopologyFormat format :
             {data::SlurmTopologyFormat::conf, data::SlurmTopologyFormat::yaml}) {
            const auto file = data::writeSlurmTopology(topology, format, plugin);
            require(file || !file.error().empty());
            if (file && file->hosts > 0) {
                const data::TopologyImport again = data::importTopology({{"again", file->text}});
                require(again.topology && again.topology->hosts.size() == file->hosts);
            }
        }
    }
}

void checkImport(std::string_view text) {
    const data::TopologyImport import = data::importTopology({{"t", std::string(text)}});
    require(import.topology.has_value() == import.faults.empty());
    for (const std::string& fault : import.faults) {
        const bool isCount =
            &fault == &import.faults.back() && fault.starts_with("and "); // "and 2 more faults"
        require((fault.starts_with("t:") || isCount) && fault.size() > 4);
    }
    if (!import.topology)
        return;
    require(!import.topology->hosts.empty() && checkTopology(*import.topology).empty());
    const std::string written = data::writeTopology(*import.topology);
    const data::TopologyImport again = data::importTopology({{"again", written}});
    require(again.topology.has_value() && data::writeTopology(*again.topology) == written);
    checkSlurm(*import.topology);
}

void checkLog(std::string_view text) {
    const data::NcclReading reading = data::readNcclLog(text, "t");
    require(reading.tables.empty() != reading.faults.empty());
    for (const data::NcclTable& table : reading.tables)
        require(!table.points.empty() && table.ranks > 0 && !table.op.empty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    constexpr std::size_t fewNames = 1000;
    checkImport(text);
    checkLog(text);
    if (const auto names = data::expandHostlist(text, fewNames))
        require(names->size() <= fewNames);
    return 0;
}
