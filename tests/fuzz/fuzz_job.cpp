// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a job: no crash, nothing executed; a fault names the file, and what was read is a scenario
// that its own reader accepts, on a topology too. And as the table of a version of a tool.
#include "data/catalog/catalog_reader.h"
#include "data/handoff/tools.h"
#include "data/jobs/import_job.h"
#include "data/scenario/scenario_json.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace alidade;

namespace {

void require(bool holds) {
    if (!holds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto catalog = data::loadShippedCatalog().catalog;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    data::JobReading reading = data::readJob(text, "job", *catalog);
    data::looksLikeJob(text);
    for (const std::string& fault : reading.faults)
        require(fault.starts_with("job:") && fault.size() > 6);
    for (const data::ReadField& each : reading.understood)
        require(!each.path.empty() && each.line >= 0);
    require(data::readScenario(data::writeScenario(reading.spec), "again") ? true : !reading.faults.empty());
    Topology topology{.name = "cluster", .source = {}, .nodes = {}, .hosts = {}, .incomplete = false};
    for (const char* host : {"p5-1", "p5-2", "p5-3", "p5-4", "ip-10-0-1-1"})
        topology.hosts.push_back({.id = host, .name = host});
    data::placeJob(reading, topology, "cluster", *catalog);
    require(!reading.spec.cluster.placement ||
            reading.spec.cluster.placement->size() == reading.hosts.size());
    data::JobReading running = data::readJob(text, "job", *catalog);
    if (const auto made = data::placeRunningJob(running, {}, "new", *catalog))
        require(!made->hosts.empty() && made->hosts.size() <= running.hosts.size());
    data::handoff::Tools tools = data::handoff::Tools::shipped();
    std::vector<std::string> faults;
    tools.add({{"job", std::string(text)}}, faults);
    for (const std::string& fault : faults)
        require(fault.starts_with("job:"));
    return 0;
}
