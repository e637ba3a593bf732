// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/attach.h"

#include "data/json/file.h"
#include "data/topology/import.h"

#include <filesystem>

namespace alidade::data {

std::string topologyFile(const std::string& name, const std::string& scenarioFile) {
    std::error_code none;
    const std::string beside =
        (std::filesystem::path(scenarioFile).parent_path() / name).string(); // an absolute path stays itself
    return !std::filesystem::exists(beside, none) && std::filesystem::exists(name, none) ? name : beside;
}

Result<std::shared_ptr<const Catalog>> attachTopology(std::shared_ptr<const Catalog> catalog,
                                                      const ScenarioSpec& spec,
                                                      const std::string& scenarioFile,
                                                      const std::stop_token& stop) {
    if (!spec.cluster.topology || catalog->topology(*spec.cluster.topology) != nullptr)
        return catalog;
    const std::string& name = *spec.cluster.topology;
    const std::string file = topologyFile(name, scenarioFile);
    std::string place = scenarioFile;
    place += ":/cluster/topology: ";
    const Result<std::string> text = readFile(file, topologyBytes, stop);
    if (!text) {
        return Error{place + "'" + file + "' " + text.error() +
                     "; name a file that alidade import topology has written or reads"};
    }
    TopologyImport read = importTopology({{file, *text}});
    if (!read.topology)
        return Error{read.faults.front()};
    read.topology->name = name;
    auto out = std::make_shared<Catalog>(*catalog);
    out->topologies.push_back(*std::move(read.topology));
    return std::shared_ptr<const Catalog>(std::move(out));
}

} // namespace alidade::data
