// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/cluster_map.h"

#include "model/observation/mapping_choice.h"

#include <algorithm>
#include <charconv>

namespace alidade::data {
namespace {

/// The first rule of a scope that the server can answer, a steady gauge before counters that may be new.
const MetricRule* firstOf(const MetricMapping& mapping, SignalScope scope,
                          const std::vector<std::string>& names) {
    const auto fits = [&](const MetricRule& rule) {
        return signalInfo(rule.signal).scope == scope && readable(rule, names) &&
               rule.signal != Signal::nodeComputeTime && rule.signal != Signal::targetUp &&
               rule.signal != Signal::xid;
    };
    const auto found = std::ranges::find_if(mapping.rules, fits);
    return found == mapping.rules.end() ? nullptr : &*found;
}

const MetricRule* ifReadable(const MetricMapping& mapping, Signal signal,
                             const std::vector<std::string>& names) {
    const MetricRule* rule = mapping.rule(signal);
    return rule != nullptr && readable(*rule, names) ? rule : nullptr;
}

/// Which of the alternatives the series is named by.
std::string labelUsed(const Labels& labels, const std::string& names) {
    for (const std::string& each : alternatives(names))
        if (!labelValue(labels, each).empty())
            return each;
    return {};
}

const std::string& hostLabels(const MetricRule* rule, const LabelNames& labels) {
    return rule == nullptr || rule->host.empty() ? labels.host : rule->host;
}

template <class T>
void sortOnce(std::vector<T>& values) {
    std::ranges::sort(values);
    const auto rest = std::ranges::unique(values);
    values.erase(rest.begin(), rest.end());
}

/// Addresses with the name that the kernel says, where no two hosts say the same.
HostAliases aliasesOf(const std::vector<Labels>& uname) {
    HostAliases out;
    std::map<std::string, std::string> owner;
    std::set<std::string> shared;
    for (const Labels& labels : uname) {
        const std::string instance = hostName(labelValue(labels, "instance"), {});
        const std::string name = labelValue(labels, "nodename");
        if (instance.empty() || name.empty())
            continue;
        if (const auto [at, fresh] = owner.emplace(name, instance); !fresh && at->second != instance)
            shared.insert(name);
        if (instance != name)
            out[instance] = name;
    }
    std::erase_if(out, [&](const auto& alias) { return shared.contains(alias.second); });
    return out;
}

void addGpus(ClusterMap& map, const std::vector<Labels>& series, const MetricMapping& mapping,
             const std::string& hosts) {
    for (const Labels& labels : series) {
        ClusterMap::Gpu gpu;
        gpu.host = hostName(labelValue(labels, hosts), map.aliases);
        const std::string index = labelValue(labels, mapping.labels.gpu);
        if (std::from_chars(index.data(), index.data() + index.size(), gpu.gpu).ec != std::errc() ||
            gpu.host.empty())
            continue;
        gpu.batchJob = labelValue(labels, mapping.labels.batchJob);
        map.gpus.push_back(std::move(gpu));
    }
}

/// Targets of the exporters that GPUs were seen by, where their instances are named like their hosts.
void addTargets(ClusterMap& map, const MapSeries& series, const std::string& hosts) {
    std::set<std::string> exporters;
    for (const Labels& labels : series.gpu) {
        if (hostName(labelValue(labels, "instance"), map.aliases) !=
            hostName(labelValue(labels, hosts), map.aliases))
            return;
        exporters.insert(labelValue(labels, "job"));
    }
    for (const Labels& labels : series.up)
        if (const std::string job = labelValue(labels, "job"); !job.empty() && exporters.contains(job))
            map.targets.push_back(hostName(labelValue(labels, "instance"), map.aliases));
    sortOnce(map.targets);
}

} // namespace

MapRules mapRules(const MetricMapping& mapping, const std::vector<std::string>& names) {
    MapRules out;
    out.gpu = firstOf(mapping, SignalScope::gpu, names);
    out.training = firstOf(mapping, SignalScope::job, names);
    for (const MetricRule& rule : mapping.rules)
        if (signalInfo(rule.signal).scope == SignalScope::engine && readable(rule, names) &&
            std::ranges::find(out.serving, rule.source, &MetricRule::source) == out.serving.end())
            out.serving.push_back(&rule);
    out.perNode = ifReadable(mapping, Signal::nodeComputeTime, names);
    out.node = ifReadable(mapping, Signal::bootTime, names);
    out.up = ifReadable(mapping, Signal::targetUp, names);
    return out;
}

ClusterMap clusterMap(const MapSeries& series, const MetricMapping& mapping) {
    ClusterMap map;
    map.aliases = aliasesOf(series.uname);
    const LabelNames& names = mapping.labels;
    const auto hostsOfScope = [&](SignalScope scope) -> const std::string& {
        const auto rule = std::ranges::find_if(
            mapping.rules, [&](const MetricRule& each) { return signalInfo(each.signal).scope == scope; });
        return hostLabels(rule == mapping.rules.end() ? nullptr : &*rule, names);
    };
    const std::string& gpuHosts = hostsOfScope(SignalScope::gpu);
    addGpus(map, series.gpu, mapping, gpuHosts);
    for (const Labels& labels : series.training)
        map.training.push_back({labelValue(labels, names.job), labelUsed(labels, names.job),
                                hostName(labelValue(labels, "instance"), map.aliases), false});
    const std::string& nodeLabel = hostLabels(mapping.rule(Signal::nodeComputeTime), names);
    for (const Labels& labels : series.perNode)
        map.training.push_back({labelValue(labels, names.job), labelUsed(labels, names.job),
                                hostName(labelValue(labels, nodeLabel), map.aliases), true});
    for (const Labels& labels : series.serving)
        map.serving.push_back({labelValue(labels, names.model), labelUsed(labels, names.model),
                               hostName(labelValue(labels, names.engine), map.aliases), false});
    const std::string& bootLabel = hostLabels(mapping.rule(Signal::bootTime), names);
    for (const Labels& labels : series.node)
        if (std::string host = hostName(labelValue(labels, bootLabel), map.aliases); !host.empty())
            map.nodes.push_back(std::move(host));
    sortOnce(map.nodes);
    addTargets(map, series, gpuHosts);
    return map;
}

} // namespace alidade::data
