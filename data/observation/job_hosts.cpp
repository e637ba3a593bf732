// SPDX-License-Identifier: GPL-3.0-or-later
// How the hosts of a job are found.
#include "data/json/reader.h"
#include "data/observation/cluster_map.h"

#include <algorithm>

namespace alidade::data {
namespace {

using Hosts = std::set<std::string>;

std::vector<std::string> listOf(const Hosts& hosts) { return {hosts.begin(), hosts.end()}; }

Hosts hostsOf(const std::vector<ClusterMap::Program>& programs, const std::string& job, bool nodesOnly) {
    Hosts out;
    for (const ClusterMap::Program& each : programs)
        if (each.job == job && !each.host.empty() && (each.ofNode || !nodesOnly))
            out.insert(each.host);
    return out;
}

Hosts gpuHosts(const ClusterMap& map) {
    Hosts out;
    for (const ClusterMap::Gpu& gpu : map.gpus)
        out.insert(gpu.host);
    return out;
}

Hosts servingHosts(const ClusterMap& map) {
    Hosts out;
    for (const ClusterMap::Program& engine : map.serving)
        out.insert(engine.host);
    return out;
}

/// The scheduler's jobs with a GPU on one of these hosts.
Hosts batchJobsOn(const ClusterMap& map, const Hosts& hosts) {
    Hosts out;
    for (const ClusterMap::Gpu& gpu : map.gpus)
        if (!gpu.batchJob.empty() && hosts.contains(gpu.host))
            out.insert(gpu.batchJob);
    return out;
}

Hosts hostsOfBatchJobs(const ClusterMap& map, const Hosts& jobs) {
    Hosts out;
    for (const ClusterMap::Gpu& gpu : map.gpus)
        if (jobs.contains(gpu.batchJob))
            out.insert(gpu.host);
    return out;
}

bool isBatchJob(const ClusterMap& map, const std::string& job) {
    return !job.empty() &&
           std::ranges::any_of(map.gpus, [&](const ClusterMap::Gpu& gpu) { return gpu.batchJob == job; });
}

const ClusterMap::Program* named(const std::vector<ClusterMap::Program>& programs, const std::string& job) {
    const auto found = std::ranges::find(programs, job, &ClusterMap::Program::job);
    return found == programs.end() ? nullptr : &*found;
}

std::size_t gpusOf(const ClusterMap& map, const std::vector<std::string>& hosts) {
    std::set<std::pair<std::string, int>> out;
    for (const ClusterMap::Gpu& gpu : map.gpus)
        if (std::ranges::binary_search(hosts, gpu.host))
            out.emplace(gpu.host, gpu.gpu);
    return out.size();
}

JobHosts everything(const ClusterMap& map) {
    JobHosts out;
    Hosts hosts = gpuHosts(map);
    hosts.insert(map.targets.begin(), map.targets.end());
    out.how = "all hosts with GPUs";
    if (hosts.empty()) {
        hosts.insert(map.nodes.begin(), map.nodes.end());
        for (const auto* programs : {&map.training, &map.serving}) {
            for (const ClusterMap::Program& each : *programs)
                if (!each.host.empty())
                    hosts.insert(each.host);
        }
        out.how = "all hosts that some exporter names";
    }
    out.hosts = listOf(hosts);
    return out;
}

JobHosts ofBatchJobs(const ClusterMap& map, const Hosts& jobs, const Hosts& own, const std::string& why) {
    JobHosts out;
    Hosts hosts = hostsOfBatchJobs(map, jobs);
    hosts.insert(own.begin(), own.end());
    out.hosts = listOf(hosts);
    std::string list;
    for (const std::string& job : jobs)
        list += (list.empty() ? "" : ", ") + job;
    out.how = "hosts of the scheduler's job " + list + why;
    return out;
}

JobHosts ofTraining(const ClusterMap& map, const std::string& job, const Hosts& idle) {
    const Hosts perNode = hostsOf(map.training, job, true);
    const Hosts own = hostsOf(map.training, job, false);
    if (const Hosts batch = batchJobsOn(map, own); !batch.empty())
        return ofBatchJobs(map, batch, perNode, ", which has GPUs where the job's own metrics are from");
    JobHosts out;
    if (!perNode.empty()) {
        out.hosts = listOf(perNode);
        out.how = "hosts that the job itself reports";
        return out;
    }
    const Hosts serving = servingHosts(map);
    Hosts rest;
    std::size_t idled = 0;
    for (const std::string& host : gpuHosts(map)) {
        if (serving.contains(host))
            continue;
        if (idle.contains(host) && !own.contains(host))
            ++idled;
        else
            rest.insert(host);
    }
    out.hosts = listOf(rest.empty() ? own : rest);
    out.how = "all hosts with GPUs but " + std::to_string(serving.size()) + " that serve and " +
              std::to_string(idled) + " that idled";
    Hosts jobs;
    for (const ClusterMap::Program& each : map.training)
        jobs.insert(each.job);
    if (jobs.size() > 1)
        out.doubt = std::to_string(jobs.size()) +
                    " training jobs and no label that identifies their hosts: figures "
                    "of GPUs and nodes cover all of them. dcgm-exporter's job mapping "
                    "(label hpc_job) or a metric with each node's name identifies them";
    return out;
}

} // namespace

bool needsIdleHosts(const ClusterMap& map, const std::string& job) {
    return named(map.training, job) != nullptr && hostsOf(map.training, job, true).empty() &&
           batchJobsOn(map, hostsOf(map.training, job, false)).empty();
}

std::vector<NamedJob> namedJobs(const ClusterMap& map) {
    std::vector<NamedJob> out;
    const auto add = [&out](const std::string& job, bool training) {
        if (!job.empty() && std::ranges::find(out, NamedJob{job, training}) == out.end())
            out.push_back({job, training});
    };
    for (const ClusterMap::Program& each : map.training)
        add(each.job, true);
    if (out.empty()) { // only the scheduler names them
        const Hosts serving = servingHosts(map);
        for (const ClusterMap::Gpu& gpu : map.gpus)
            if (!serving.contains(gpu.host))
                add(gpu.batchJob, true);
    }
    for (const ClusterMap::Program& each : map.serving)
        add(each.job, false);
    return out;
}

Result<JobHosts> jobHosts(const ClusterMap& map, const std::string& job, const std::set<std::string>& idle) {
    JobHosts out;
    if (job.empty()) {
        out = everything(map);
    } else if (const ClusterMap::Program* training = named(map.training, job)) {
        out = ofTraining(map, job, idle);
        out.selection.kind = JobSelection::Kind::training;
        out.selection.matcher = labelMatcher(training->label, job);
    } else if (const ClusterMap::Program* engine = named(map.serving, job)) {
        out.hosts = listOf(hostsOf(map.serving, job, false));
        out.how = "hosts of its engines";
        out.selection.kind = JobSelection::Kind::serving;
        out.selection.matcher = labelMatcher(engine->label, job);
    } else if (isBatchJob(map, job)) {
        out = ofBatchJobs(map, {job}, {}, "");
        out.selection.kind = JobSelection::Kind::training;
    } else {
        std::vector<std::string> known;
        for (const NamedJob& each : namedJobs(map))
            known.push_back(each.job);
        return Error{
            "there is no job '" + job + "' in this time" +
            (known.empty() ? "; no training job and no engine has metrics there" : suggestion(job, known))};
    }
    out.gpus = gpusOf(map, out.hosts);
    // The server knows some hosts by their addresses only: its answers are sorted out here.
    if (!job.empty() && map.aliases.empty())
        out.selection.hosts = out.hosts;
    return out;
}

} // namespace alidade::data
