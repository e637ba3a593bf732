// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/observation/signal_rows.h"
#include "model/observation/rule_expression.h"

#include <set>
#include <string>
#include <vector>

namespace alidade::data {

/// Who runs where, from the labels of a server's series.
struct ClusterMap {
    struct Gpu {
        std::string host;
        int gpu = 0;
        std::string batchJob; ///< scheduler's job that ran there at some time; empty: none
        bool operator==(const Gpu&) const = default;
    };
    struct Program { ///< a training job or an engine, as one of its series names it
        std::string job;
        std::string label;   ///< that the name stands in: "job_name"
        std::string host;    ///< that its exporter runs on, or that the figure is of
        bool ofNode = false; ///< the series is a node's own figure
    };
    HostAliases aliases;
    std::vector<Gpu> gpus;
    std::vector<Program> training, serving;
    std::vector<std::string> nodes;   ///< hosts of the node exporter
    std::vector<std::string> targets; ///< hosts whose GPU exporter should answer, whether it does or not
};

/// Series of the metrics that tell it; each may be empty.
struct MapSeries {
    std::vector<Labels> gpu, training, perNode, serving, node, up, uname;
};

/// \param mapping whose rules the series were asked with
ClusterMap clusterMap(const MapSeries& series, const MetricMapping& mapping);

/// The rules whose series tell it; nullptr where the mapping has none.
struct MapRules {
    const MetricRule *gpu = nullptr, *training = nullptr, *perNode = nullptr, *node = nullptr, *up = nullptr;
    std::vector<const MetricRule*> serving; ///< one of each make of engine
};
/// \param names of the server's metrics, sorted; a rule that it cannot answer is left out
MapRules mapRules(const MetricMapping& mapping, const std::vector<std::string>& names);

/// Whose hosts are whose.
struct JobHosts {
    JobSelection selection;
    std::vector<std::string> hosts; ///< sorted
    std::size_t gpus = 0;           ///< of these hosts
    std::string how;                ///< for a person: how the hosts were found
    std::string doubt;              ///< what may be wrong with that; empty: nothing
};

/// Whether the hosts can only be found by leaving out those that serve and those that idle.
bool needsIdleHosts(const ClusterMap& map, const std::string& job);

/// A training job's hosts are, in this order: those of the scheduler's jobs whose GPUs are on a host that the
/// job itself names; those that it names itself; all with GPUs but those that serve and those whose GPUs
/// idled. An engine's are those of its instances. Without a job: all with GPUs, else all there are.
/// An error names the jobs that there are.
/// \param idle hosts none of whose GPUs did anything
Result<JobHosts> jobHosts(const ClusterMap& map, const std::string& job, const std::set<std::string>& idle);

/// Names that `jobHosts` knows, training first, each once.
struct NamedJob {
    std::string job;
    bool training = true;
    bool operator==(const NamedJob&) const = default;
};
std::vector<NamedJob> namedJobs(const ClusterMap& map);

} // namespace alidade::data
