// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/catalog/catalog.h"
#include "model/scenario/spec.h"

#include <memory>
#include <stop_token>
#include <string>

namespace alidade::data {

/// The file of a topology that a scenario names: alongside the scenario's file, or, as on the command line,
/// relative to the working folder.
std::string topologyFile(const std::string& name, const std::string& scenarioFile);

/// The catalog with the topology that a scenario's cluster.topology names, under the name that the scenario
/// uses. The catalog itself if the scenario names none, or one that the catalog already has. A relative path
/// is relative to the folder of the scenario's file, or to the working folder if there is no such file; any
/// form that importTopology reads will do. The error is a whole line: "SCENARIO:/cluster/topology: ..." or a
/// fault in the topology's file. Waits for the disk; `stop` ends the read with an error.
Result<std::shared_ptr<const Catalog>> attachTopology(std::shared_ptr<const Catalog> catalog,
                                                      const ScenarioSpec& spec,
                                                      const std::string& scenarioFile,
                                                      const std::stop_token& stop = {});

} // namespace alidade::data
