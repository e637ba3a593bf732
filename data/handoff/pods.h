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
    int domain = 0; ///< number of its UltraServer
};

/// How the instances of a job are spread over UltraServers, each of which is an NVLink domain of its own.
struct Domains {
    int count = 0; ///< 0: no UltraServers
    int hosts = 0; ///< instances of the job in one of them
    bool areSeveral() const { return count > 1; }
};
/// Whether an object of the kind has room for a template of pods for each UltraServer.
inline bool isSplit(const std::string& kind) {
    return kind == "jobset" || kind == "kai" || kind == "volcano";
}
Domains domainsOf(const HandoffSource& source, const Job& job);

/// What a container asks for.
nlohmann::ordered_json podResources(const Program& program, const Instance* machine);

/// The environment of a container.
nlohmann::ordered_json podEnvironment(const Program& program);

/// The words after the command, with the places of configuration files in the pod.
std::vector<std::string> podArguments(const Job& job, const Program& program);

nlohmann::ordered_json containerOf(const Pod& pod);
nlohmann::ordered_json podSpecOf(const Pod& pod, const std::string& slug);

/// Name, the label of its queue where the kind has one, and the name of the scenario.
nlohmann::ordered_json metadataOf(const HandoffSource& source, const Job& job, const std::string& name,
                                  const std::string& kind);

/// Says what becomes of several UltraServers where all pods have one template.
void tellDomains(const HandoffSource& source, Job& job, bool split);

/// Objects that the pods of a job refer to: configuration files, storage, the domains of UltraServers.
/// \param split whether the pods of each UltraServer have a template of their own
std::vector<nlohmann::ordered_json> podObjects(const HandoffSource& source, const Job& job,
                                               const std::string& slug, bool split);

} // namespace alidade::data::handoff
