// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/settings.h"
#include "data/handoff/tools.h"
#include "data/jobs/import_job.h"
#include "data/jobs/shell_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace alidade::data::handoff {

/// How many processes on how many instances a launcher starts, and where it says so.
struct Launch {
    std::optional<std::int64_t> nodes, gpusPerNode, gpus;
    Setting nodesFrom;
    std::int64_t firstTask = 0, taskStep = 1, tasks = 1; ///< of the job array that runs it
};

/// One program of a job with its arguments taken apart.
struct JobCommand {
    std::vector<ShellWord> arguments; ///< after the program
    std::string program;              ///< "pretrain_gpt.py", "vllm"
    Launch launch;
    Settings launcherOptions; ///< of `accelerate launch`
    std::int64_t replicas = 1;
    std::string role; ///< "prefill" or "decode" where the surroundings say so
};

/// Keys of a TOML, YAML or JSON text with dots between, and their lines. \returns a fault, or nothing
using Flatten = std::string(const std::string& text, const std::string& file, Settings& out);

/// Collects what a job says. Values are checked by the field table; a second source that says something else
/// is a contradiction.
class JobReader {
public:
    JobReader(JobReading& out, const Catalog& catalog, const JobFiles& files,
              const Tools& tools = Tools::shipped())
        : out(out)
        , catalog(catalog)
        , files_(files)
        , tools_(tools) {}

    JobReading& out;
    const Catalog& catalog;

    /// Sets a field by its text. \returns whether it was a legal value
    bool set(const std::string& path, const std::string& text, const Setting& from);
    bool set(const std::string& path, std::int64_t value, const Setting& from) {
        return set(path, std::to_string(value), from);
    }
    bool set(const std::string& path, const std::string& text, const std::string& from, int line) {
        return set(path, text, said(from, line));
    }
    bool set(const std::string& path, std::int64_t value, const std::string& from, int line) {
        return set(path, std::to_string(value), said(from, line));
    }
    /// The same for what the text does not say but implies by default.
    void assume(const std::string& path, const std::string& text, const std::string& why);
    bool has(const std::string& path) const;
    /// A name in the script that is being read; line 0: the text as a whole.
    Setting said(std::string name, int line = 0) const { return {std::move(name), {}, line, false, script_}; }
    /// An option or key that became no field.
    static ReadName unread(const Setting& setting, std::string why = {});
    std::int64_t number(const std::string& path, std::int64_t absent) const {
        return fieldNumber(out.spec, path, absent);
    }

    void warn(const std::string& text);
    /// \param from is named by its line
    void warn(const Setting& from, const std::string& text);
    void contradict(const std::string& text);
    /// A file that the job names: one that it writes itself, or one that is alongside it.
    std::optional<std::string> fileText(const std::string& name);
    /// The keys of a configuration that the job names; none if it is not there or cannot be read.
    std::optional<Settings> keysOf(const std::string& name, Flatten* flatten);
    void addFile(const std::string& name, std::string text) { written_[name] = std::move(text); }

    /// The version of a tool that has the options or keys of the job.
    const Tool& toolFor(std::string_view id, const std::vector<std::string>& names);
    const Tool& toolFor(std::string_view id, const std::vector<ShellWord>& words);
    const Tool& toolFor(std::string_view id, const Settings& settings);
    /// Fields of the tool's table, both ways of spelling.
    void readFields(const Tool& tool, Settings& settings);
    /// Asks for the fields whose values are known to a running shell only.
    void nameTheOpen(const Tool& tool, const Settings& settings);
    /// Names what was not used: known without a field, of another version, unknown.
    void nameTheRest(const Tool& tool, const Settings& settings);
    /// The model by a repository name; also the weight format of its suffix. \returns whether one was found
    bool readModelName(const std::string& name, const Setting& from,
                       const std::string& path = "workload.model");
    /// The instance type in a partition, constraint or label.
    void readInstance(const std::string& text, const std::string& from, int line);
    const Architecture* model() const;

    void readCommand(const JobCommand& command);
    void readScript(const ShellScript& script, Launch launch, const std::string& role, std::int64_t replicas);
    void readShellText(std::string_view text, int line, Launch launch, const std::string& role,
                       std::int64_t replicas, const std::map<std::string, std::string>& given = {},
                       bool oneLine = false);
    /// A script that the job names.
    void readScriptFile(const std::string& name, const Launch& launch, const std::string& role,
                        std::int64_t replicas, const std::map<std::string, std::string>& given = {});
    void noteLaunch(const Launch& launch, std::int64_t replicas);
    /// The same from the settings of a program that starts its own processes.
    void noteLaunch(Settings& settings, std::string_view nodes, std::string_view gpusPerNode);
    /// The hosts of a running job, as a host list of Slurm.
    void noteHosts(const std::string& list, const Setting& from);
    /// The hosts of an NVLink domain, as a host list of Slurm. Of several that have a host the smallest
    /// counts.
    void noteDomain(const std::string& name, const std::string& list, const Setting& from);
    /// The type of its GPUs, by which the instance is found that a job does not name; empty: not told.
    void noteGpuType(const std::string& type, const std::string& from, int line);
    /// One more of them; an empty name and one that is known already count for nothing.
    void addHost(const std::string& name);
    /// What follows from the whole: GPUs, instances, replicas, what is still missing.
    void conclude();

    /// A whole number above 0; absent where nothing is said. What is not such a number is a contradiction
    /// that names its line.
    /// \param human whether 16k is one
    std::optional<std::int64_t> count(const Setting* from, bool human = false);
    /// A field that the text sets, to what cannot be read from it.
    void askFor(const std::string& path);
    bool isAskedFor(const std::string& path) const { return std::ranges::find(open_, path) != open_.end(); }

    /// "prefill" or "decode" where the script or the object that is being read has that in its name.
    std::string pool() const;

    int depth = 0;
    std::int64_t domains = 0;           ///< of NVLink across instances: ComputeDomains of the text
    std::int64_t domainHosts = 0;       ///< instances of the largest of them, or of a segment of Slurm
    std::string object;                 ///< name of the manifest that is being read
    std::vector<std::string_view> yaml; ///< the lines that the marks of its nodes point into
    Launch known;                       ///< of the directives of the batch system
    std::int64_t servers = 0;           ///< GPUs of servers read so far
    bool repeated = false; ///< a server is written out more than once: one instance more, or a replica
    std::set<std::string> roles;

private:
    void note(const std::string& path, const Setting& from);
    void assumeInstance();
    void countDomains();
    void assumeUltraServers(const Instance& machine);
    std::vector<std::string> open_;
    std::set<std::string> hosts_;
    std::map<std::string, std::size_t> domainSizes_;
    Setting gpuType_; ///< its value as Slurm has it; none: not told
    std::map<std::string, std::string> written_;
    std::map<std::string, std::string> places_; ///< path → "line 5 of job.toml"
    const JobFiles& files_;
    const Tools& tools_;
    std::string script_; ///< that is being read; empty: the job itself
};

/// "line 5", "line 5 of job.toml"; empty where no line is known.
std::string placeOf(const Setting& setting);

/// Letters and digits alone, in lower case: names as they are compared.
std::string bare(std::string_view text);
/// What a Boolean word says in YAML, TOML, Python and on a command line; absent: it is none.
std::optional<bool> booleanWord(std::string_view word);
/// Whether a setting is there and says so; an option alone does.
bool isOn(const Setting* setting);
bool isOff(const Setting* setting);

/// Takes arguments apart by the options of a tool. Positional ones go to `rest`.
Settings parseArguments(const std::vector<ShellWord>& words, const Tool& tool, std::vector<ShellWord>& rest,
                        const std::map<std::string, Takes, std::less<>>* more = nullptr);

Flatten flattenToml, flattenYaml;

// Readers of one tool each. `settings` are options or keys.
void readMegatronLm(JobReader& reader, Settings& settings);
void readMegatronBridge(JobReader& reader, Settings& settings);
/// Whether keys are those of a NeMo 1 configuration.
bool isNemo(const Settings& keys);
void readNemo(JobReader& reader, Settings& settings);
void readTorchtitan(JobReader& reader, Settings& settings, std::optional<std::int64_t> gpus);
void readDeepSpeed(JobReader& reader, Settings& settings);
void readAccelerate(JobReader& reader, Settings& settings);
void readTrainer(JobReader& reader, Settings& settings);
/// \param program the module that is run
void readVerl(JobReader& reader, Settings& settings, std::string_view program);
void readServer(JobReader& reader, const Tool& tool, Settings& settings, const std::vector<ShellWord>& rest,
                const JobCommand& command);

/// Both pools of the configuration of `trtllm-serve disaggregated`.
void readDisaggregated(JobReader& reader, const Settings& keys);

/// Kubernetes manifests, ParallelCluster, Accelerate or vLLM in YAML, and JSON of kubectl and squeue.
/// \returns whether the text was one of them
bool readYamlJob(JobReader& reader, const std::string& text, const std::string& file);
/// What `scontrol show job` prints. \returns whether the text was that
bool readScontrol(JobReader& reader, std::string_view text);

} // namespace alidade::data::handoff
