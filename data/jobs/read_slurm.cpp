// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs that Slurm runs, as its commands print them.
#include "data/jobs/job_reader.h"
#include "data/jobs/yaml_nodes.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <yaml-cpp/yaml.h>

namespace alidade::data::handoff {

namespace {

/// "gb200" in "cpu=144,gres/gpu=4,gres/gpu:gb200=4" and in "gres:gpu:gb200:4"; empty: the type is not told.
std::string gpuTypeOf(const std::string& text) {
    const std::size_t at = text.find("gpu:");
    if (at == std::string::npos)
        return {};
    const std::string word = text.substr(at + 4, text.find_first_of(":=,(", at + 4) - (at + 4));
    return word.find_first_not_of("0123456789") == std::string::npos ? std::string() : word;
}

/// GPUs in "gres:gpu:h100:8", which is there where the cluster does not account for GPUs.
std::optional<std::int64_t> gpusPerNodeOf(const std::string& text) {
    const std::size_t gpu = text.find("gpu:");
    const std::size_t colon = text.find_last_of(':', text.find_first_of(",(", gpu));
    if (gpu == std::string::npos || colon == std::string::npos)
        return {};
    const std::int64_t number = std::strtoll(text.c_str() + colon + 1, nullptr, 10);
    return number > 0 && number <= 1000 ? std::optional(number) : std::nullopt;
}

/// ParallelCluster names a node "QUEUE-st-COMPUTE-1", or -dy- where it comes and goes; the compute resource
/// is named after its instance type as a rule.
void readNodeName(JobReader& reader, const std::string& from, int line) {
    if (reader.has("cluster.instance") || reader.out.hosts.empty())
        return;
    const std::string& host = reader.out.hosts.front();
    for (const std::string_view mark : {"-st-", "-dy-"})
        if (const std::size_t at = host.find(mark), end = host.rfind('-');
            at != std::string::npos && end > at + mark.size())
            reader.readInstance(host.substr(at + mark.size(), end - at - mark.size()), from, line);
}

} // namespace

bool readSqueue(JobReader& reader, const YAML::Node& document) {
    const YAML::Node jobs = at(document, "jobs");
    if (!jobs.IsDefined() || !jobs.IsSequence() || jobs.size() == 0)
        return false;
    const YAML::Node job = jobs[0];
    const YAML::Node nodes = at(job, "node_count");
    if (!nodes.IsDefined())
        return false;
    reader.out.tool = "slurm";
    Launch launch;
    launch.nodes = nodes.IsMap() ? whole(at(nodes, "number")) : whole(nodes);
    launch.nodesFrom = reader.said("node_count", lineOf(nodes));
    const std::string resources = scalar(at(job, "tres_alloc_str")).empty()
                                      ? scalar(at(job, "tres_req_str"))
                                      : scalar(at(job, "tres_alloc_str"));
    if (const std::size_t gpus = resources.find("gres/gpu="); gpus != std::string::npos)
        launch.gpus =
            std::clamp<std::int64_t>(std::strtoll(resources.c_str() + gpus + 9, nullptr, 10), 1, 10'000'000);
    launch.gpusPerNode = gpusPerNodeOf(scalar(at(job, "tres_per_node")));
    for (const char* key : {"tres_alloc_str", "tres_req_str", "tres_per_node"})
        reader.noteGpuType(gpuTypeOf(scalar(at(job, key))), key, lineOf(at(job, key)));
    for (const char* key : {"features", "partition"})
        if (const std::string text = scalar(at(job, key)); !text.empty() && !reader.has("cluster.instance"))
            reader.readInstance(text, key, lineOf(at(job, key)));
    reader.noteLaunch(launch, 1);
    // "job_resources" has them as text, then as a list in a map (Slurm 24.05).
    for (const YAML::Node& list :
         {at(job, "nodes"), at(job, {"job_resources", "nodes"}), at(job, {"job_resources", "nodes", "list"})})
        if (reader.out.hosts.empty() && !scalar(list).empty())
            reader.noteHosts(scalar(list), reader.said("nodes", lineOf(list)));
    for (const char* key : {"script", "command"})
        if (const std::string text = scalar(at(job, key)); !text.empty())
            reader.readShellText(key == std::string_view("script") ? text : "bash " + text, 1, {}, "", 1);
    readNodeName(reader, "nodes", lineOf(job));
    if (jobs.size() > 1)
        reader.warn(std::to_string(jobs.size()) + " jobs: the first one was read");
    return true;
}

bool readScontrol(JobReader& reader, std::string_view text) {
    if (text.find("JobId=") == std::string_view::npos || text.find("NumNodes=") == std::string_view::npos)
        return false;
    reader.out.tool = "slurm";
    Launch launch;
    Setting hosts;
    std::string script, block;
    int line = 1;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
        const std::string word(text.substr(at, end - at));
        const std::size_t equals = word.find('=');
        const std::string key = word.substr(0, equals);
        const std::string value = equals == std::string::npos ? std::string() : word.substr(equals + 1);
        if (key == "NumNodes") {
            launch.nodes = std::clamp<std::int64_t>(std::strtoll(value.c_str(), nullptr, 10), 1, 1'000'000);
            launch.nodesFrom = reader.said(key, line);
        } else if (key == "Features" || key == "Partition") {
            if (!reader.has("cluster.instance"))
                reader.readInstance(value, key, line);
        } else if ((key == "AllocTRES" || key == "ReqTRES" || key == "TRES") &&
                   value.find("gres/gpu=") != std::string::npos) {
            launch.gpus = std::clamp<std::int64_t>(
                std::strtoll(value.c_str() + value.find("gres/gpu=") + 9, nullptr, 10), 1, 10'000'000);
            reader.noteGpuType(gpuTypeOf(value), key, line);
        } else if (key == "TresPerNode") {
            launch.gpusPerNode = gpusPerNodeOf(value);
            reader.noteGpuType(gpuTypeOf(value), key, line);
        } else if (key == "SegmentSize") { // Slurm 24.05
            reader.domainHosts = std::strtoll(value.c_str(), nullptr, 10);
        } else if (key == "BlockName") { // of scontrol show topology, alongside the job
            block = value;
        } else if (key == "Nodes" && !block.empty()) {
            reader.noteDomain(block, value, reader.said("BlockName", line));
        } else if (key == "Command" && value != "(null)") {
            script = value;
        } else if (key == "NodeList" && value != "(null)") {
            hosts = reader.said(key, line);
            hosts.values = {value};
        }
        for (at = end; at < text.size() &&
                       (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n');
             ++at)
            if (text[at] == '\n') {
                ++line;
                block.clear();
            }
    }
    reader.noteLaunch(launch, 1);
    if (!hosts.name.empty())
        reader.noteHosts(hosts.value(), hosts);
    if (!script.empty())
        reader.readScriptFile(script, {}, "", 1);
    readNodeName(reader, hosts.name, hosts.line);
    reader.out.tool = "slurm";
    return true;
}

} // namespace alidade::data::handoff
