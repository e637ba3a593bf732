// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/settings.h"
#include "data/jobs/import_job.h"
#include "data/jobs/shell_reader.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace alidade::data::handoff {

/// How many processes on how many instances a launcher starts, and where it says so.
struct Launch {
    std::optional<std::int64_t> nodes, gpusPerNode, gpus;
    int nodesLine = 0;
    std::string nodesFrom;
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

/// Collects what a job says. Values are checked by the field table; a second source that says something else
/// is a contradiction.
class JobReader {
public:
    JobReader(JobReading& out, std::string file, const Catalog& catalog, const JobFiles& files)
        : out(out)
        , catalog(catalog)
        , files_(files)
        , file_(std::move(file)) {}

    JobReading& out;
    const Catalog& catalog;

    /// Sets a field by its text. \returns whether it was a legal value
    bool set(const std::string& path, const std::string& text, const std::string& from, int line);
    bool set(const std::string& path, std::int64_t value, const std::string& from, int line) {
        return set(path, std::to_string(value), from, line);
    }
    /// The same for what the text does not say but implies by default.
    void assume(const std::string& path, const std::string& text, const std::string& why);
    bool has(const std::string& path) const;
    std::int64_t number(const std::string& path, std::int64_t absent) const {
        return fieldNumber(out.spec, path, absent);
    }

    void warn(const std::string& text);
    void contradict(const std::string& text);
    /// A file that the job names: one that it writes itself, or one that is beside it.
    std::optional<std::string> fileText(const std::string& name);
    void addFile(const std::string& name, std::string text) { written_[name] = std::move(text); }

    /// Fields of the tool's table, both ways of spelling.
    void readFields(const Tool& tool, Settings& settings);
    /// Names what was not used: known without a field, of another version, unknown.
    void nameTheRest(const Tool& tool, const Settings& settings);
    /// The model by a repository name; also the weight format of its suffix. \returns whether one was found
    bool readModelName(const std::string& name, const std::string& from, int line);
    /// The instance type in a partition, constraint or label.
    void readInstance(const std::string& text, const std::string& from, int line);
    const Architecture* model() const;

    void readCommand(const JobCommand& command);
    void readScript(const ShellScript& script, Launch launch, const std::string& role, std::int64_t replicas);
    void readShellText(std::string_view text, int line, Launch launch, const std::string& role,
                       std::int64_t replicas, const std::map<std::string, std::string>& given = {});
    void noteLaunch(const Launch& launch, std::int64_t replicas);
    /// What follows from the whole: GPUs, instances, replicas, what is still missing.
    void conclude();

    int depth = 0;
    Launch known;             ///< of the directives of the batch system
    std::int64_t servers = 0; ///< GPUs of servers read so far
    std::set<std::string> roles;

private:
    void note(const std::string& path, const std::string& from, int line);
    std::map<std::string, std::string> written_;
    std::map<std::string, int> lines_; ///< path → line of its source
    const JobFiles& files_;
    std::string file_;
};

/// Takes arguments apart by the options of a tool. Positional ones go to `rest`.
Settings parseArguments(const std::vector<ShellWord>& words, const Tool& tool, std::vector<ShellWord>& rest,
                        const std::map<std::string, Takes, std::less<>>* more = nullptr);

/// Keys of a TOML, YAML or JSON text with dots between, and their lines. \returns a fault, or nothing
std::string flattenToml(const std::string& text, const std::string& file, Settings& out);
std::string flattenYaml(const std::string& text, const std::string& file, Settings& out);

// Readers of one tool each. `settings` are options or keys.
void readMegatronLm(JobReader& reader, Settings& settings);
void readMegatronBridge(JobReader& reader, Settings& settings);
void readTorchtitan(JobReader& reader, Settings& settings, std::optional<std::int64_t> gpus);
void readDeepSpeed(JobReader& reader, Settings& settings);
void readAccelerate(JobReader& reader, Settings& settings);
void readTrainer(JobReader& reader, Settings& settings);
void readVerl(JobReader& reader, Settings& settings);
void readServer(JobReader& reader, const Tool& tool, Settings& settings, const std::vector<ShellWord>& rest,
                const JobCommand& command);

/// Kubernetes manifests, ParallelCluster, Accelerate or vLLM in YAML, and JSON of kubectl and squeue.
/// \returns whether the text was one of them
bool readYamlJob(JobReader& reader, const std::string& text, const std::string& file);
/// What `scontrol show job` prints. \returns whether the text was that
bool readScontrol(JobReader& reader, std::string_view text);

} // namespace alidade::data::handoff
