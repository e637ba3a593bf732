// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/job_reader.h"
#include "data/jobs/read_container.h"
#include "data/jobs/shell_branches.h"
#include "data/scenario/scenario_json.h"
#include "model/scenario/fields.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>
#include <span>

namespace alidade::data::handoff {

namespace {

/// More than any job has; products of counts stay in range.
constexpr std::int64_t mostServers = 1'000'000'000;

std::string baseName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::optional<std::int64_t> integer(const std::string& text) {
    if (text.empty() || text.size() > 9 ||
        !std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; }))
        return {};
    return std::strtoll(text.c_str(), nullptr, 10);
}

/// GPUs of "gpu:h100:8", "gpu:8", "8" or "h100:8".
std::optional<std::int64_t> gpusOf(const std::string& text) {
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string one = text.substr(at, comma - at);
        if (one.starts_with("gpu") || text.find(',') == std::string::npos)
            if (const auto number = integer(one.substr(one.find_last_of(':') + 1)))
                return number;
        at = comma + 1;
    }
    return {};
}

const std::set<std::string, std::less<>>& torchrunFlags() {
    static const std::set<std::string, std::less<>> all{"--standalone", "--no_python", "--no-python",
                                                        "--run_path", "--run-path"};
    return all;
}

/// The words after the options of a launcher, whose options all take a value but for some.
struct Words {
    std::vector<ShellWord> all;
    std::size_t at = 0;
    bool more() const { return at < all.size(); }
    const std::string& text() const { return all[at].text; }
    const std::string& after() const {
        static const std::string none;
        return at + 1 < all.size() ? all[at + 1].text : none;
    }
    std::vector<ShellWord> rest() const {
        return {all.begin() + static_cast<std::ptrdiff_t>(std::min(at, all.size())), all.end()};
    }
};

/// Words by which torchrun counts the processes of an instance itself, and what a person has yet to fill in.
bool torchrunCounts(std::string_view value) {
    return value.empty() || value.find("CHANGE_ME") != std::string_view::npos || value == "gpu" ||
           value == "cpu" || value == "auto" || value == "xpu";
}

void readTorchrun(Words& words, Launch& launch, JobReader& reader) {
    while (words.more() && words.text().starts_with('-')) {
        std::string name = words.text().substr(0, words.text().find('='));
        const std::size_t equals = words.text().find('=');
        if (name == "-m" || name == "--module")
            return;
        const int line = words.all[words.at].line;
        std::string value;
        bool open = words.all[words.at].open;
        if (equals != std::string::npos) {
            value = words.text().substr(equals + 1);
        } else if (!torchrunFlags().contains(name) && words.at + 1 < words.all.size()) {
            ++words.at;
            value = words.text();
            open = words.all[words.at].open;
        }
        ++words.at;
        const std::string written = name;
        std::ranges::replace(name, '_', '-');
        const auto number = open ? std::nullopt : integer(value.substr(value.find_last_of(':') + 1));
        if (name == "--nnodes" && number) {
            launch.nodes = number;
            launch.nodesFrom = reader.said("--nnodes", line);
        } else if (name == "--nproc-per-node" && number) {
            launch.gpusPerNode = number;
        } else if ((name == "--nnodes" || name == "--nproc-per-node") && !open && !torchrunCounts(value)) {
            reader.contradict("line " + std::to_string(line) + ": " + written + " " + value.substr(0, 60) +
                              " is not a number");
        }
    }
}

void readSrun(Words& words, Launch& launch, const JobReader& reader) {
    const Tool& slurm = tool("slurm");
    static const std::set<std::string, std::less<>> others{"--container-image",   "--container-mounts",
                                                           "--cpu-bind",          "--mpi",
                                                           "--container-workdir", "--container-name"};
    static const std::string valued = "NncCJptoeDAwxdGqK";
    while (words.more() && words.text().starts_with('-')) {
        const std::size_t equals = words.text().find('=');
        std::string name = words.text().substr(0, equals);
        std::string value = equals == std::string::npos ? std::string() : words.text().substr(equals + 1);
        if (!name.starts_with("--") && name.size() > 2 && valued.find(name[1]) != std::string::npos &&
            equals == std::string::npos) {
            value = name.substr(2);
            name = name.substr(0, 2);
        } else if (equals == std::string::npos) {
            const auto at = slurm.options.find(name);
            const bool takes =
                (at != slurm.options.end() && at->second == Takes::one) || others.contains(name) ||
                (!name.starts_with("--") && name.size() == 2 && valued.find(name[1]) != std::string::npos);
            if (takes && words.at + 1 < words.all.size()) {
                ++words.at;
                value = words.text();
            }
        }
        ++words.at;
        if (name == "-N" || name == "--nodes")
            if (const auto number = integer(value)) {
                launch.nodes = number;
                launch.nodesFrom = reader.said(name);
            }
    }
}

void skipMpi(Words& words) {
    static const std::set<std::string, std::less<>> flags{"--oversubscribe", "--allow-run-as-root",
                                                          "-oversubscribe", "-v"};
    while (words.more() && words.text().starts_with('-')) {
        const bool alone = flags.contains(words.text()) || words.text().find('=') != std::string::npos;
        const bool two = words.text() == "-mca" || words.text() == "--mca";
        words.at += alone ? 1 : two ? 3 : 2;
    }
}

/// Counts how often each command runs in all tasks of a job array: the number of a task may say how many
/// servers it starts.
void countTasks(ShellScript& script, std::string_view text, int line, const Launch& launch,
                std::map<std::string, std::string> given) {
    constexpr std::size_t mostBytes = 4u << 20; // to read in all
    const bool differ = text.find("SLURM_ARRAY_TASK_ID") != std::string_view::npos &&
                        static_cast<std::size_t>(launch.tasks) <= mostBytes / text.size();
    std::vector<std::int64_t> times(script.commands.size());
    for (std::int64_t task = 0; differ && task < launch.tasks; ++task) {
        given["SLURM_ARRAY_TASK_ID"] = std::to_string(launch.firstTask + task * launch.taskStep);
        const std::vector<ShellCommand> commands = readShell(text, line, given).commands;
        for (std::size_t i = 0; i < std::min(times.size(), commands.size()); ++i)
            times[i] += commands[i].times;
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
        ShellCommand& command = script.commands[i];
        const std::int64_t all = differ ? times[i] : launch.tasks * command.times;
        command.times = static_cast<int>(std::min(all, mostServers));
    }
}

/// A script whose line breaks are none of the file.
void putInLine(ShellScript& script, int line) {
    for (ShellCommand& command : script.commands)
        for (ShellWord& word : command.words) {
            word.line = line;
            word.oneLine = true;
        }
    for (ShellWord& word : script.directives)
        word.line = line;
    for (auto& [name, word] : script.environment)
        word.line = line;
}

/// Options of a module of Dynamo under the names of its engine.
std::vector<ShellWord> engineWords(std::vector<ShellWord> words, const DynamoEngine& engine) {
    for (ShellWord& word : words) {
        const std::size_t equals = word.text.find('=');
        const std::string name = word.text.substr(0, equals);
        for (const auto& [own, theirs] : engine.renamed)
            if (name == theirs)
                word.text = own + (equals == std::string::npos ? "" : word.text.substr(equals));
    }
    return words;
}

} // namespace

std::map<std::string, std::string> slurmVariables(const std::vector<ShellWord>& directives) {
    std::map<std::string, std::string> out;
    for (std::size_t i = 0; i < directives.size(); ++i) {
        const std::string& word = directives[i].text;
        const std::string next = i + 1 < directives.size() ? directives[i + 1].text : std::string();
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const std::string value = equals != std::string::npos                 ? word.substr(equals + 1)
                                  : word.starts_with("-N") && word.size() > 2 ? word.substr(2)
                                                                              : next;
        if ((name == "--nodes" || word.starts_with("-N")) && integer(value))
            out["SLURM_NNODES"] = out["SLURM_JOB_NUM_NODES"] = value;
        if (name == "--ntasks-per-node" && integer(value))
            out["SLURM_NTASKS_PER_NODE"] = value;
        if (name == "--gpus-per-node" || name == "--gres")
            if (const auto gpus = gpusOf(value))
                out["SLURM_GPUS_ON_NODE"] = out["SLURM_GPUS_PER_NODE"] = std::to_string(*gpus);
    }
    return out;
}

void JobReader::readShellText(std::string_view text, int line, Launch launch, const std::string& role,
                              std::int64_t replicas, const std::map<std::string, std::string>& given,
                              bool oneLine) {
    if (depth >= 8)
        return;
    ++depth;
    ShellScript script = readShell(text, line, given);
    if (oneLine)
        putInLine(script, line);
    if (launch.tasks > 1) {
        countTasks(script, text, line, launch, given);
        replicas /= launch.tasks; // which counts each task already
    }
    readScript(script, std::move(launch), role, replicas);
    --depth;
}

void JobReader::readScript(const ShellScript& script, Launch launch, const std::string& role,
                           std::int64_t replicas) {
    for (const auto& [name, value] : script.files)
        addFile(name, value);
    std::vector<ShellWord> rest;
    Settings options = parseArguments(script.directives, tool("slurm"), rest);
    for (const ShellWord& each : script.directives)
        if (each.text.starts_with("-N") && each.text.size() > 2 && integer(each.text.substr(2)))
            options.all.push_back({"--nodes", {each.text.substr(2)}, each.line});
    for (Setting& each : options.all)
        each.file = script_;
    if (!options.all.empty()) {
        if (out.tool.empty())
            out.tool = "slurm";
        if (const Setting* nodes = options.use("--nodes"); nodes != nullptr && integer(nodes->value())) {
            launch.nodes = known.nodes = integer(nodes->value());
            launch.nodesFrom = known.nodesFrom = *nodes;
        }
        for (const char* name : {"--gpus-per-node", "--gres"})
            if (const Setting* gpus = options.use(name))
                if (const auto number = gpusOf(gpus->value()))
                    launch.gpusPerNode = known.gpusPerNode = number;
        if (const Setting* array = options.use("--array")) {
            // FIRST-LAST, with :STEP and, not more than so many at once, %N
            const std::string value = array->value().substr(0, array->value().find('%'));
            const std::size_t dash = value.find('-'), colon = value.find(':');
            const auto first = integer(value.substr(0, dash));
            const auto last =
                dash == std::string::npos
                    ? std::nullopt
                    : integer(value.substr(dash + 1, colon == std::string::npos ? colon : colon - dash - 1));
            const auto step = colon == std::string::npos ? std::optional<std::int64_t>(1)
                                                         : integer(value.substr(colon + 1));
            if (first && last && step && *last >= *first && *step > 0) {
                launch.firstTask = *first;
                launch.taskStep = *step;
                launch.tasks = (*last - *first) / *step + 1;
                replicas = std::min(replicas * launch.tasks, mostServers);
            }
        }
        for (const char* name : {"--constraint", "--partition"})
            if (const Setting* machine = options.use(name); machine != nullptr && !has("cluster.instance"))
                readInstance(machine->value(), name, machine->line);
        if (const Setting* segment = options.use("--segment"))
            domainHosts = integer(segment->value()).value_or(0);
        for (const char* name : {"--job-name", "--ntasks-per-node", "--ntasks", "--cpus-per-task",
                                 "--exclusive", "--mem", "--time", "--output", "--error", "--switches",
                                 "--wait-all-nodes", "--account", "--qos", "--cpus-per-gpu"})
            options.use(name);
        for (const Setting& each : options.all)
            if (!tool("slurm").options.contains(each.name))
                out.unknown.push_back(unread(each));
            else if (!each.used)
                out.noField.push_back(unread(each));
    }
    for (const auto& [name, value] : script.environment)
        if (const auto at = unwantedVariables().find(name); at != unwantedVariables().end())
            warn(said(name, value.line), name + " should not be set: " + at->second);
    for (const ShellChoice& each : script.choices)
        warn(said(each.name, each.line), choiceText(each));
    for (const ShellCommand& command : script.commands) {
        if (command.times == 0)
            continue;
        JobCommand job;
        job.arguments = command.words;
        job.launch = launch;
        job.replicas = std::min(replicas * command.times, mostServers);
        job.role = role;
        readCommand(job);
    }
    if (!options.all.empty() && !out.gpus && launch.nodes && !out.spec.workload.isServing())
        noteLaunch(launch, replicas);
}

void JobReader::noteLaunch(Settings& settings, std::string_view nodes, std::string_view gpusPerNode) {
    Launch launch;
    if (const Setting* all = settings.use(nodes)) {
        launch.nodes = count(all);
        launch.nodesFrom = *all;
    }
    if (const Setting* gpus = settings.use(gpusPerNode))
        launch.gpusPerNode = count(gpus);
    noteLaunch(launch, 1);
}

void JobReader::noteLaunch(const Launch& launch, std::int64_t replicas) {
    if (launch.nodes) {
        if (known.nodes && known.nodes != launch.nodes && launch.nodesFrom.name != known.nodesFrom.name &&
            known.nodesFrom.line > 0)
            contradict("cluster.instances: " + launch.nodesFrom.name + " says " +
                       std::to_string(*launch.nodes) + ", but " + known.nodesFrom.name + " in " +
                       placeOf(known.nodesFrom) + " says " + std::to_string(*known.nodes));
        known.nodes = launch.nodes;
        known.nodesFrom = launch.nodesFrom;
    }
    if (launch.gpusPerNode)
        known.gpusPerNode = launch.gpusPerNode;
    if (launch.gpus)
        known.gpus = launch.gpus;
    if (!out.spec.workload.isServing()) {
        if (launch.gpus)
            out.gpus = launch.gpus;
        else if (known.nodes && known.gpusPerNode)
            out.gpus = *known.nodes * *known.gpusPerNode;
    }
    // Servers that share an instance are counted by their GPUs.
    if (known.nodes && (!out.spec.workload.isServing() || *known.nodes > 1) && launch.nodes)
        set("cluster.instances", *known.nodes * (out.spec.workload.isServing() ? replicas : 1),
            known.nodesFrom);
}

void JobReader::readCommand(const JobCommand& command) {
    Words words{command.arguments};
    Launch launch = command.launch;
    std::string program, module;
    bool accelerated = false;
    Settings launcherOptions;
    const auto parse = [this](const std::vector<ShellWord>& all, const Tool& tool,
                              std::vector<ShellWord>& rest,
                              const std::map<std::string, Takes, std::less<>>* more) {
        Settings settings = parseArguments(all, tool, rest, more);
        for (std::vector<Setting>* list : {&settings.all, &settings.open})
            for (Setting& each : *list)
                each.file = script_;
        return settings;
    };
    for (int steps = 0; words.more() && steps < 64 && program.empty(); ++steps) {
        const std::string name = baseName(words.text());
        if (assignedName(words.text()) > 0 || name == "env" || name == "exec" || name == "nohup" ||
            name == "sudo" || name == "time" || name == "trtllm-llmapi-launch" || name == "uv" ||
            name == "run" || name == "numactl") {
            ++words.at;
        } else if ((name == "docker" || name == "podman") && words.after() == "run") {
            words = {insideContainer(std::span(words.all).subspan(words.at + 2))};
        } else if (name == "srun" || name == "sbatch") {
            ++words.at;
            readSrun(words, launch, *this);
        } else if (name == "mpirun" || name == "mpiexec") {
            ++words.at;
            skipMpi(words);
        } else if (name == "bash" || name == "sh" || name == "/bin/sh") {
            ++words.at;
            while (words.more() && words.text().starts_with('-') &&
                   words.text().find('c') == std::string::npos)
                ++words.at;
            if (words.more() && words.text().starts_with('-') && words.at + 1 < words.all.size()) {
                ++words.at;
                const ShellWord& inner = words.all[words.at];
                return readShellText(inner.text, inner.line, launch, command.role, command.replicas, {},
                                     inner.oneLine);
            }
            if (!words.more())
                return;
            std::map<std::string, std::string> given;
            if (launch.nodes)
                given["SLURM_NNODES"] = given["SLURM_JOB_NUM_NODES"] = std::to_string(*launch.nodes);
            return readScriptFile(words.text(), launch, command.role, command.replicas, given);
        } else if (name.starts_with("python")) {
            ++words.at;
            while (words.more() && words.text().starts_with('-') && words.text() != "-m")
                ++words.at;
            if (words.more() && words.text() == "-m") {
                module = words.after();
                words.at += 2;
                if (module == "torch.distributed.run" || module == "torch.distributed.launch") {
                    readTorchrun(words, launch, *this);
                    module.clear();
                    if (words.more() && (words.text() == "-m" || words.text() == "--module")) {
                        module = words.after();
                        words.at += 2;
                    }
                }
                if (!module.empty())
                    program = module;
            }
        } else if (name == "torchrun" || name == "torchrun.py") {
            ++words.at;
            readTorchrun(words, launch, *this);
            if (words.more() && (words.text() == "-m" || words.text() == "--module")) {
                program = module = words.after();
                words.at += 2;
            }
        } else if (name == "accelerate" && words.after() == "launch") {
            words.at += 2;
            accelerated = true;
            const Tool& accelerate = tool("accelerate");
            std::vector<ShellWord> options;
            while (words.more() && words.text().starts_with('-')) {
                const auto kind = accelerate.options.find(words.text().substr(0, words.text().find('=')));
                options.push_back(words.all[words.at]);
                const bool value = words.text().find('=') == std::string::npos &&
                                   (kind == accelerate.options.end() || kind->second != Takes::nothing) &&
                                   !words.after().starts_with('-') && !words.after().ends_with(".py");
                ++words.at;
                if (value && words.more())
                    options.push_back(words.all[words.at++]);
            }
            std::vector<ShellWord> rest;
            launcherOptions = parse(options, accelerate, rest, nullptr);
        } else if (name == "deepspeed") {
            ++words.at;
            while (words.more() && words.text().starts_with('-'))
                words.at += words.text().find('=') == std::string::npos ? 2 : 1;
        } else if (name == "nemo" && words.after() == "llm") {
            program = "nemo";
            words.at += 3; // and pretrain, finetune or train
        } else if ((name == "vllm" || name == "sglang") && words.after() == "serve") {
            program = name;
            words.at += 2;
        } else if (name == "trtllm-serve" && words.after() == "disaggregated") {
            program = "trtllm-serve disaggregated";
            words.at += 2;
        } else if (name == "trtllm-serve") {
            program = name;
            words.at += words.after() == "serve" ? 2 : 1;
        } else {
            program = words.text();
            ++words.at;
        }
    }
    const std::vector<ShellWord> arguments = words.rest();
    const std::string last = baseName(program);
    std::vector<ShellWord> rest;
    const auto known_ = [this](const char* id) {
        if (out.tool.empty() || out.tool == "slurm")
            out.tool = id;
    };
    const auto overrides = [&](Settings& settings) {
        for (const ShellWord& each : rest)
            if (const std::size_t equals = each.text.find('='); equals != std::string::npos && equals > 0) {
                std::string key = each.text.substr(0, equals);
                key.erase(0, key.find_first_not_of("+~"));
                std::vector<Setting>& list = each.open ? settings.open : settings.all;
                list.push_back(said(key, each.line));
                list.back().values = {each.text.substr(equals + 1)};
            }
    };
    if (last.starts_with("pretrain_") || last == "pretrain_arguments") {
        known_("megatron-lm");
        noteLaunch(launch, command.replicas);
        Settings settings = parse(arguments, toolFor("megatron-lm", arguments), rest, nullptr);
        readMegatronLm(*this, settings);
        if (settings.has("--num-experts") && !has("plan.expert_kernels"))
            assume("plan.expert_kernels", "loop", "--moe-grouped-gemm is not given");
    } else if (last == "run_recipe.py") {
        known_("megatron-bridge");
        noteLaunch(launch, command.replicas);
        Settings settings = parse(arguments, toolFor("megatron-bridge", arguments), rest, nullptr);
        overrides(settings);
        readMegatronBridge(*this, settings);
    } else if (program == "nemo" || (last.starts_with("megatron_") && last.ends_with(".py"))) {
        static const std::map<std::string, Takes, std::less<>> own{
            {"--factory", Takes::one},   {"--config-path", Takes::one}, {"--config-name", Takes::one},
            {"--executor", Takes::one},  {"--yes", Takes::nothing},     {"-y", Takes::nothing},
            {"--dryrun", Takes::nothing}};
        noteLaunch(launch, command.replicas);
        Settings given = parse(arguments, tool("slurm"), rest, &own);
        Settings settings;
        if (const Setting* name = given.use("--config-name"))
            settings = keysOf(name->value() + (name->value().ends_with(".yaml") ? "" : ".yaml"), flattenYaml)
                           .value_or(Settings());
        settings.all.insert(settings.all.end(), given.all.begin(), given.all.end());
        std::erase_if(settings.all, [](const Setting& each) {
            return each.name.starts_with("--config") || each.name == "--yes" || each.name == "-y";
        });
        overrides(settings);
        readNemo(*this, settings);
    } else if (program == "trtllm-serve disaggregated") {
        static const std::map<std::string, Takes, std::less<>> own{{"-c", Takes::one},
                                                                   {"--config_file", Takes::one}};
        Settings given = parse(arguments, tool("tensorrt-llm"), rest, &own);
        const Setting* config = given.use("-c");
        if (config == nullptr)
            config = given.use("--config_file");
        if (config != nullptr)
            if (const auto keys = keysOf(config->value(), flattenYaml))
                readDisaggregated(*this, *keys);
    } else if (program == "torchtitan.train" || program.ends_with("torchtitan/train.py")) {
        if (out.tool.empty())
            out.tool = "torchtitan";
        noteLaunch(launch, command.replicas);
        Settings settings;
        Settings given = parse(arguments, toolFor("torchtitan", arguments), rest, nullptr);
        for (std::vector<Setting>* list : {&given.all, &given.open})
            for (Setting& each : *list) {
                each.name.erase(0, each.name.find_first_not_of('-'));
                std::ranges::replace(each.name, '-', '_');
            }
        if (const Setting* config = given.use("job.config_file"))
            settings = keysOf(config->value(), flattenToml).value_or(Settings());
        for (Setting& each : given.all)
            settings.all.push_back(std::move(each));
        settings.open = std::move(given.open);
        readTorchtitan(*this, settings, out.gpus);
    } else if (program.starts_with("verl.") || program.starts_with("recipe.one_step_off_policy.") ||
               program.starts_with("recipe.fully_async_policy.")) {
        known_("verl");
        rest = arguments;
        Settings settings;
        overrides(settings);
        readVerl(*this, settings, program);
    } else if (program == "vllm" || program == "vllm.entrypoints.openai.api_server" ||
               program == "dynamo.vllm") {
        known_("vllm");
        const std::map<std::string, Takes, std::less<>> more{{"--disaggregation-mode", Takes::one}};
        const Tool& vllm = toolFor("vllm", arguments);
        Settings settings = parse(arguments, vllm, rest, &more);
        readServer(*this, vllm, settings, rest, command);
    } else if (program == "sglang" || program == "sglang.launch_server" || program == "dynamo.sglang") {
        known_("sglang");
        const Tool& sglang = toolFor("sglang", arguments);
        Settings settings = parse(arguments, sglang, rest, nullptr);
        readServer(*this, sglang, settings, rest, command);
    } else if (program == "trtllm-serve" || program == "dynamo.trtllm") {
        known_("tensorrt-llm");
        const std::map<std::string, Takes, std::less<>> more{{"--disaggregation-mode", Takes::one},
                                                             {"--model", Takes::one}};
        const bool wrapped = program == "dynamo.trtllm";
        const std::vector<ShellWord> own =
            wrapped ? engineWords(arguments, *dynamoEngine("tensorrt-llm")) : arguments;
        const Tool& trtllm = toolFor("tensorrt-llm", own);
        Settings settings = parse(own, trtllm, rest, wrapped ? &more : nullptr);
        readServer(*this, trtllm, settings, rest, command);
    } else if (accelerated || last.ends_with(".py")) {
        const Tool& accelerate = tool("accelerate");
        Settings settings = parse(arguments, accelerate, rest, &accelerate.trainer);
        const bool trainer = accelerated || std::ranges::any_of(settings.all, [&](const Setting& each) {
                                 return each.name == "--deepspeed" ||
                                        each.name == "--per_device_train_batch_size" ||
                                        each.name == "--model_name_or_path";
                             });
        noteLaunch(launch, command.replicas);
        if (const Setting* plan = settings.find("--plan"); plan != nullptr && !accelerated) {
            if (const auto text = fileText(plan->value())) {
                const auto spec = readScenario(*text, plan->value());
                if (spec) {
                    for (const Field& field : fieldTable())
                        if (const std::string word = fieldText(field, field.get(*spec)); !word.empty())
                            set(std::string(field.path), word, plan->value(), 0);
                    known_("fsdp2");
                    return;
                }
                warn(spec.error());
            }
        }
        if (!trainer) {
            if (!launch.nodes && !launch.gpusPerNode)
                return; // a helper that the script calls
            out.unknownProgram = program;
            set("workload.kind", std::string(wordOf(WorkloadKind::training)), "torchrun", 0);
            for (const Setting& each : settings.all)
                out.noField.push_back(unread(each, "an option of " + last));
            return;
        }
        known_(accelerated ? "accelerate" : "deepspeed");
        if (const Setting* config = launcherOptions.use("--config_file"))
            if (auto keys = keysOf(config->value(), flattenYaml))
                readAccelerate(*this, *keys);
        for (Setting& each : launcherOptions.all)
            settings.all.push_back(std::move(each));
        readTrainer(*this, settings);
    }
}

} // namespace alidade::data::handoff
