// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade::data::handoff {

/// What follows an option.
enum class Takes : std::uint8_t {
    nothing,
    one,
    many,
    maybe ///< a Boolean: alone, with a value, or as --no-NAME
};

/// A setting of a word of the table: option or key and its value; empty value: an option alone.
using WordSettings = std::vector<std::pair<std::string, std::string>>;

/// How a field of the scenario is spelled.
struct FieldSpelling {
    std::string path;
    std::string option;                        ///< option or key; empty: `words` names them
    std::map<std::string, std::string> values; ///< scenario word → word of the tool; empty: as it is
    std::map<std::string, std::string> also;   ///< further words of the tool → scenario word
    std::map<std::string, WordSettings> words; ///< scenario word → settings
    std::string omit;                          ///< value that needs no option
    std::string needs;                         ///< degree that must be above 1
};

/// One version of a tool: its options and the fields that they represent.
struct Tool {
    std::string id, name, kind, version, program;
    std::map<std::string, Takes, std::less<>> options;
    std::map<std::string, std::string, std::less<>> aliases;
    std::map<std::string, std::string, std::less<>> otherVersions; ///< name → where it exists
    std::set<std::string, std::less<>> keys;                       ///< of its configuration file
    std::set<std::string, std::less<>> switches, lists;            ///< of these: Booleans, lists
    std::vector<std::string> anyBelow;                             ///< prefixes under which any key is legal
    std::map<std::string, std::string, std::less<>> sameAs;        ///< two spellings of one setting
    std::map<std::string, Takes, std::less<>> trainer;             ///< of scripts that follow the launcher
    std::set<std::string, std::less<>> human;                      ///< options that take 16k
    std::map<std::string, std::string, std::less<>> since;         ///< option → first version
    std::vector<FieldSpelling> fields;
    std::map<std::string, std::string> inexpressible; ///< path → why
    bool abbreviations = false;                       ///< a unique beginning of an option is that option

    const FieldSpelling* field(std::string_view path) const;
    bool knowsKey(std::string_view key) const;
};

/// The usual version of a tool; a program's fault if there is none of the id.
const Tool& tool(std::string_view id);

/// Names by which other tools know the models of the catalog.
struct ModelNames {
    std::string model; ///< catalog id
    std::vector<std::string> huggingFace;
    std::string titanName, titanFlavor, bridge;
    bool bridgeTunes = true; ///< there are recipes for fine-tuning too, not for pre-training alone
};
const std::vector<ModelNames>& modelNames();
const ModelNames* namesOf(std::string_view model);
/// Suffix of a repository name → weight format, longest first.
const std::vector<std::pair<std::string, std::string>>& weightSuffixes();

/// What a job on an instance asks for.
struct InstanceResources {
    int gpus = 0, efaDevices = 0;
    std::string gres;            ///< GPU type in gpu:TYPE:N
    std::string parallelCluster; ///< the first version that supports it; empty: any
};
/// Absent for instances that the table does not hold.
std::optional<InstanceResources> resourcesOf(std::string_view instance);

struct EnvironmentVariable {
    std::string name, value, when, why;
    bool address = false; ///< the value is the address of the instance or pod
};
const std::vector<EnvironmentVariable>& environmentTable();
/// Name → why it should not be set.
const std::map<std::string, std::string>& unwantedVariables();
/// Kubernetes labels of network layers, widest first, down to the host.
const std::vector<std::string>& topologyLabels();

/// Fields (or sections) that no program of a job has an option for → why.
const std::map<std::string, std::string>& outsideTheJob();
/// Whether the files of a cluster target say such a field after all.
bool expressesField(const std::string& cluster, const std::string& path);

/// Where jobs find storage of a service of the catalog: "fsx_lustre", "s3", "instance_store".
const std::string& storageFolder(const std::string& service);
/// The driver by which Kubernetes mounts it.
const std::string& storageDriver(const std::string& service);

/// How Dynamo runs an engine.
struct DynamoEngine {
    std::string framework, module;                           ///< "vllm", "dynamo.vllm"
    std::string model;                                       ///< option that names the repository
    std::map<std::string, std::string, std::less<>> renamed; ///< option of the engine → of the module
    std::set<std::string, std::less<>> left;                 ///< options that the module sets itself
};
/// nullptr: an engine that it does not run.
const DynamoEngine* dynamoEngine(std::string_view tool);
const std::string& dynamoVersion();

} // namespace alidade::data::handoff
