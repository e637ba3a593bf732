// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/attach.h"

#include "data/json/file.h"
#include "data/topology/import.h"

#include <filesystem>

namespace alidade::data {

Result<std::shared_ptr<const Catalog>> attachTopology(std::shared_ptr<const Catalog> catalog,
                                                      const ScenarioSpec& spec,
                                                      const std::string& scenarioFile) {
    if (!spec.cluster.topology || catalog->topology(*spec.cluster.topology) != nullptr) {
        return catalog;
    }
    const std::string& name = *spec.cluster.topology;
    const std::filesystem::path folder = std::filesystem::path(scenarioFile).parent_path();
    // Beside the scenario; what is set on the command line is relative to where that is typed. An absolute
    // path stays itself.
    std::error_code none;
    const std::string beside = (folder / name).string();
    const std::string file =
        !std::filesystem::exists(beside, none) && std::filesystem::exists(name, none) ? name : beside;
    std::string place = scenarioFile;
    place += ":/cluster/topology: ";
    const Result<std::string> text = readFile(file, topologyBytes);
    if (!text) {
        return Error{place + "'" + file + "', " + text.error() +
                     "; name a file that alidade import topology has written or reads"};
    }
    TopologyImport read = importTopology({{file, *text}});
    if (!read.topology) {
        return Error{read.faults.front()};
    }
    read.topology->name = name;
    auto out = std::make_shared<Catalog>(*catalog);
    out->topologies.push_back(*std::move(read.topology));
    return std::shared_ptr<const Catalog>(std::move(out));
}

} // namespace alidade::data
