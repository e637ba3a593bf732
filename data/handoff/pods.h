// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/job.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace alidade::data::handoff {

/// One program of a job as a pod of a kind of object. `head` and `rank` are what a shell in the pod knows the
/// first instance and its own number by.
struct Pod {
    const HandoffSource& source;
    const Job& job;
    const Program& program;
    std::string kind, head, rank;
};

/// What a container asks for.
nlohmann::ordered_json podResources(const Program& program, const Instance* machine);

/// The environment of a container.
nlohmann::ordered_json podEnvironment(const Program& program);

/// The words after the command, with the places of configuration files in the pod.
std::vector<std::string> podArguments(const Job& job, const Program& program);

nlohmann::ordered_json containerOf(const Pod& pod);
nlohmann::ordered_json podSpecOf(const Pod& pod, const std::string& slug);

/// Name, the label of its queue where the kind has one, and the name of the scenario.
nlohmann::ordered_json metadataOf(const HandoffSource& source, const std::string& name,
                                  const std::string& kind);

/// Objects that the pods of a job refer to: configuration files, storage, the domain of an UltraServer.
std::vector<nlohmann::ordered_json> podObjects(const HandoffSource& source, const Job& job,
                                               const std::string& slug);

} // namespace alidade::data::handoff
