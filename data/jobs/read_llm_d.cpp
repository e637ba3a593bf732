// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/job_reader.h"
#include "data/jobs/yaml_nodes.h"

namespace alidade::data::handoff {

namespace {

void addWords(const YAML::Node& list, const std::vector<std::string_view>& lines,
              std::vector<ShellWord>& out) {
    if (list.IsDefined() && list.IsSequence())
        for (const auto& each : list)
            out.push_back(wordOf(each, lines));
}

/// The command that the chart makes of a container: its own with what it takes from the values, or the
/// container's.
std::vector<ShellWord> commandWords(const YAML::Node& container, const YAML::Node& pool,
                                    const YAML::Node& model, const std::vector<std::string_view>& lines) {
    std::vector<ShellWord> out;
    const std::string kind = scalar(at(container, "modelCommand"));
    if (kind.empty() || kind == "custom") {
        addWords(at(container, "command"), lines, out);
    } else {
        const std::string uri = scalar(model);
        const std::size_t slashes = uri.find("://");
        out = {{"vllm", lineOf(container), false},
               {"serve", lineOf(container), false},
               {slashes == std::string::npos ? uri : uri.substr(slashes + 3), lineOf(model), false}};
        for (const auto& [key, option] :
             {std::pair{"tensor", "--tensor-parallel-size"}, std::pair{"data", "--data-parallel-size"},
              std::pair{"dataLocal", "--data-parallel-size-local"}}) {
            const YAML::Node degree = at(pool, {"parallelism", key});
            if (whole(degree).value_or(1) > 1) {
                out.push_back({option, lineOf(degree), false});
                out.push_back({scalar(degree), lineOf(degree), false});
            }
        }
    }
    addWords(at(container, "args"), lines, out);
    return out;
}

} // namespace

bool readLlmD(JobReader& reader, const YAML::Node& document) {
    const YAML::Node model = at(document, {"modelArtifacts", "uri"});
    const YAML::Node decode = at(document, "decode");
    if (scalar(model).empty() || !decode.IsDefined() || !decode.IsMap())
        return false;
    const auto serves = [&document](const char* role) {
        const YAML::Node pool = at(document, role);
        return pool.IsDefined() && pool.IsMap() && booleanWord(scalar(at(pool, "create"))).value_or(true) &&
               whole(at(pool, "replicas")).value_or(1) > 0;
    };
    const bool pools = serves("prefill") && serves("decode");
    for (const char* role : {"prefill", "decode"}) {
        const YAML::Node pool = at(document, role);
        const YAML::Node containers = serves(role) ? at(pool, "containers") : YAML::Node();
        if (!containers.IsDefined() || !containers.IsSequence() || containers.size() == 0)
            continue;
        const YAML::Node type = at(pool, {"nodeSelector", "node.kubernetes.io/instance-type"});
        if (!scalar(type).empty())
            reader.readInstance(scalar(type), "nodeSelector", lineOf(type));
        const YAML::Node container = containers[0];
        JobCommand command;
        command.arguments = commandWords(container, pool, model, reader.yaml);
        command.replicas = whole(at(pool, "replicas")).value_or(1);
        command.role = pools ? role : "";
        command.launch.nodes = whole(at(pool, {"parallelism", "workers"})).value_or(1);
        command.launch.nodesFrom = reader.said("parallelism.workers");
        command.launch.gpusPerNode = whole(at(container, {"resources", "limits", "nvidia.com/gpu"}));
        if (!command.arguments.empty())
            reader.readCommand(command);
        if (command.launch.gpusPerNode && *command.launch.nodes > 1 && !pools)
            reader.noteLaunch(command.launch, command.replicas);
    }
    for (const YAML::Node& object : at(document, "extraObjects"))
        if (const auto nodes = whole(at(object, {"spec", "numNodes"}));
            scalar(at(object, "kind")) == "ComputeDomain" && nodes && *nodes > 0) {
            reader.domainHosts = std::max(reader.domainHosts, *nodes);
            ++reader.domains;
        }
    reader.out.tool = "kubernetes";
    return true;
}

} // namespace alidade::data::handoff
