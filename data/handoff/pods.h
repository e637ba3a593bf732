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

/// How the instances of a job are spread over UltraServers, each of which is a separate NVLink domain.
struct Domains {
    int count = 0; ///< 0: no UltraServers
    int hosts = 0; ///< instances of the job in one of them
    bool areSeveral() const { return count > 1; }
};
Domains domainsOf(const HandoffSource& source, const Job& job);

/// The servers of one program in one UltraServer, or the instances of a training program there.
struct Share {
    int domain = 0;   ///< number of the UltraServer
    int replicas = 0; ///< servers; 1 of a training program
    int first = 0;    ///< the first of its instances, of all of the training program
    int nodes = 0;    ///< instances
};
/// How a program is divided over several UltraServers, in their order; one share of all where there are not
/// several, or where a server is larger than one.
std::vector<Share> sharesOf(const HandoffSource& source, const Job& job, const Program& program);

/// Whether each UltraServer of several has its own pods and claim. The chart of llm-d has one template
/// of pods, and a server that is larger than an UltraServer has one as well.
bool isSplit(const HandoffSource& source, const Job& job, const std::string& kind);

/// Keeps the pods of one UltraServer in its clique, as far as NVLink reaches.
void keepTogether(const Pod& pod, const std::string& slug, nlohmann::ordered_json& podTemplate);

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
/// \param split whether the pods of each UltraServer have their own claim
std::vector<nlohmann::ordered_json> podObjects(const HandoffSource& source, const Job& job,
                                               const std::string& slug, bool split);

} // namespace alidade::data::handoff
