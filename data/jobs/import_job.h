// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/scenario/spec.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

namespace handoff {
class Tools;
}

/// A field of the scenario and where the text says it.
struct ReadField {
    std::string path, value;
    std::string from; ///< option or key: "--seq-length"; in another file "training.seq_len in job.toml"
    int line = 0;     ///< 1-based, of that file; 0: the text as a whole
};

/// An option or key that became no field.
struct ReadName {
    std::string name, value;
    int line = 0;
    std::string why; ///< "vLLM 0.8.5": where it exists; "in job.toml": which file has the line
};

/// What a job file says, as far as it can be read without running anything.
struct JobReading {
    std::string tool; ///< "megatron-lm", "kubernetes", "slurm", ...; empty: nothing was recognized
    ScenarioSpec spec;
    std::vector<ReadField> understood, assumed; ///< `from` of an assumption says why
    std::vector<ReadName> noField;              ///< known to the tool, without a field in a scenario
    std::vector<ReadName> otherVersions;        ///< exist only in other versions of the tool
    std::vector<ReadName> unknown;              ///< exist in no version
    std::vector<std::string> contradictions, warnings;
    std::vector<std::string> asks;         ///< fields that an estimate still needs
    std::vector<std::string> missingFiles; ///< files that the job reads and that were not given
    std::string unknownProgram;            ///< a program whose options mean nothing to us
    std::optional<std::int64_t> gpus;      ///< that the text implies
    std::vector<std::string> models;       ///< catalog models that fit, if more than one does
    std::vector<std::string> hosts; ///< that a running job has, in the order of its ranks where that is known
    std::map<std::string, std::string> domains; ///< NVLink domains of hosts that the job names; others too
    std::string domainsFrom;                    ///< "BlockName", "label nvidia.com/gpu.clique"
    std::int64_t segment = 0;        ///< so many hosts of the job share an NVLink domain; 0: not said
    std::vector<std::string> faults; ///< "FILE:3: what is wrong; how to fix it"
};

/// Gives the text of a file that a job names, such as its configuration; absent if there is none. The name is
/// as in the job.
using JobFiles = std::function<std::optional<std::string>(const std::string& name)>;

/// Reads a job: a command line or shell script, a batch script, a configuration (TOML, JSON, YAML),
/// Kubernetes manifests, or what `scontrol show job`, `squeue --json` and `kubectl get -o json` print. Shell
/// variables are followed as far as they are static; nothing is executed.
/// \param file is shown in messages
/// \param tools with a user's versions, of which the one counts that has the options of the job; nullptr: the
/// shipped ones
JobReading readJob(std::string_view text, const std::string& file, const Catalog& catalog,
                   const JobFiles& files = {}, const handoff::Tools* tools = nullptr);

/// Puts a topology into the scenario of a reading and, where the job runs, its hosts as the placement. Hosts
/// are found by id or name, with or without a domain. What does not fit (a host that the topology does not
/// have, another instance type, another number of hosts) is a contradiction, and the placement is left out.
/// \param name as the scenario names the topology
void placeJob(JobReading& reading, const Topology& topology, const std::string& name, const Catalog& catalog);

/// A topology under the name that a scenario calls it by.
struct NamedTopology {
    std::string name;
    const Topology* topology = nullptr;
};

/// Places a running job in the first topology that has all of its hosts, or else in a new one of these hosts
/// alone, whose switches are unknown. Hosts that are parts of UltraServers share NVLink domains as the job
/// says; else the order of their names fills one after the other, which is an assumption.
/// \param newName name of the new topology
/// \returns the new topology; nullopt: a known one has the hosts, or the job does not say where it runs
std::optional<Topology> placeRunningJob(JobReading& reading, const std::vector<NamedTopology>& known,
                                        const std::string& newName, const Catalog& catalog);

/// Returns whether the text looks like a job rather than like another importable file.
bool looksLikeJob(std::string_view text);
/// Returns whether it is what Slurm or Kubernetes print of a running job, be it with a topology or the nodes
/// of the cluster alongside it.
bool looksLikeRunningJob(std::string_view text);

} // namespace alidade::data
