// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/live_kinds.h"
#include "model/calibration/positive_fit.h"
#include "model/units/constants.h"
#include "model/validation/collective_case.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace alidade {

namespace {

constexpr double largeBytes = 1 << 20;    ///< from which on bandwidth matters
constexpr double bulkBytes = bytesPerGib; ///< from which on nothing else does
constexpr double smallMessages = 3;       ///< spreads of theirs count for so many of large ones
constexpr double likeRows = 8;            ///< sizes of a table that count as half of a long one
constexpr double aboveLine = 1.03;        ///< what clocks and rounding may add to the line rate
constexpr std::size_t leastSizes = 5;

/// Bytes that one rank's share of the network must carry, by whatever algorithm.
double leastNetworkBytes(CollectiveOp op, double bytes, const GroupShape& group) {
    const double domains = group.domains(), n = group.ranks, q = group.ranksPerNvlinkDomain;
    switch (op) {
    case CollectiveOp::allReduce:
        return 2 * (domains - 1) / domains * bytes / q;
    case CollectiveOp::allGather:
    case CollectiveOp::reduceScatter:
        return (domains - 1) / domains * bytes / q;
    case CollectiveOp::allToAll:
        return bytes * (n - q) / n;
    default:
        return 0;
    }
}

std::string titleOf(const MeasuredCollective& table) {
    std::string name(collectiveName(table.op));
    std::ranges::replace(name, '_', '-');
    return name + " of " + std::to_string(table.ranks) + " GPUs on " + std::to_string(table.nodes) +
           (table.nodes == 1 ? " node" : " nodes");
}

/// One table on the scenario's machine.
struct BoundTable {
    const MeasuredCollective* table = nullptr;
    CollectiveCase law; ///< of any size: bytes and measured are not set
};

GroupShape groupOf(const MeasuredCollective& table, const Scenario& scenario) {
    const int perNode = std::max(1, table.ranks / std::max(1, table.nodes));
    const int domain = scenario.nvlinkDomain > scenario.gpusPerNode
                           ? scenario.nvlinkDomain
                           : std::min(scenario.nvlinkDomain, perNode);
    return {
        .ranks = table.ranks, .ranksPerNvlinkDomain = std::min(table.ranks, domain), .ranksPerNode = perNode};
}

/// \returns the figure that is physically impossible, with the likely cause
std::string impossible(const MeasuredCollective& table, const GroupShape& group, double line) {
    for (const MeasuredCollective::Point& p : table.points) {
        const double rate =
            group.insideOneDomain() ? 0 : leastNetworkBytes(table.op, p.bytes, group) / p.seconds;
        if (rate > aboveLine * line) {
            return table.log + ": " + titleOf(table) + " moves " + figureText(rate / 1e9, " GB/s") +
                   " over the network of a GPU that has " + figureText(line / 1e9, " GB/s") +
                   ", which is physically impossible; likely the log is from another instance type or "
                   "another number of nodes than the scenario's";
        }
    }
    return {};
}

/// Median difference between the figures in place and out of place of one size, relative.
double spreadOfTable(const MeasuredCollective& table) {
    std::map<double, std::pair<double, double>> sizes; // out of place, in place
    for (const MeasuredCollective::Point& p : table.points)
        (p.inPlace ? sizes[p.bytes].second : sizes[p.bytes].first) = p.seconds;
    std::vector<double> differences;
    for (const auto& [bytes, both] : sizes)
        if (both.first > 0 && both.second > 0)
            differences.push_back(std::abs(both.first / both.second - 1) / std::sqrt(2.0));
    const double middle = spreadOf(differences).median;
    return std::isfinite(middle) ? middle : 0;
}

/// The table's own law, alpha + gamma sqrt(w) + w/B, and what large messages reach.
void describe(const BoundTable& bound, const Inputs& inputs, LiveCalibration& out) {
    const MeasuredCollective& table = *bound.table;
    std::vector<double> bytes, seconds, planned;
    for (const MeasuredCollective::Point& p : table.points) {
        CollectiveCase one = bound.law;
        one.bytes = p.bytes;
        bytes.push_back(p.bytes);
        seconds.push_back(p.seconds);
        planned.push_back(collectiveSeconds(one, inputs));
    }
    const CollectiveLaw now = fitCollective(table.op, table.ranks, bytes, seconds);
    const CollectiveLaw before = fitCollective(table.op, table.ranks, bytes, planned);
    const std::string title = titleOf(table), id = std::string(collectiveName(table.op)) + "_" +
                                                   std::to_string(table.ranks) + "_gpus";
    const auto add = [&](const char* name, const char* label, const char* unit, double was, double is) {
        out.parameters.push_back(measuredFigure(id + "_" + name, title + ": " + label, unit, was, is,
                                                is / (1 + now.meanAbsError), is * (1 + now.meanAbsError),
                                                "alpha + gamma sqrt(w) + w/B through " +
                                                    std::to_string(bytes.size()) + " rows, mean error " +
                                                    figureText(100 * now.meanAbsError, " %")));
    };
    add("alpha", "latency", "s", before.alpha, now.alpha);
    add("gamma", "fill", "s/sqrt(bytes)", before.gamma, now.gamma);
    add("bandwidth", "bandwidth", "bytes/s", before.bandwidth, now.bandwidth);
    const GroupShape& group = bound.law.group;
    const double line = inputs[Input::networkBandwidth] * group.ranksPerNvlinkDomain;
    // Over two domains an all-reduce sends the buffer once, not twice: its bandwidth is above the ring's.
    if (!group.insideOneDomain() && (group.domains() > 2 || table.op != CollectiveOp::allReduce)) {
        const double error = now.meanAbsError;
        out.parameters.push_back(
            measuredFigure(id + "_network_efficiency", title + ": network efficiency of large messages",
                           "ratio", before.bandwidth / line, now.bandwidth / line,
                           now.bandwidth / line / (1 + error), now.bandwidth / line * (1 + error),
                           "bandwidth of the law / network of a node; calibrates network_efficiency"));
    }
    const auto largest = static_cast<std::size_t>(std::ranges::max_element(bytes) - bytes.begin());
    const double wire = bytes[largest] * wireFactor<double>(table.op, table.ranks);
    out.parameters.push_back(
        measuredFigure(id + "_bus_bandwidth", title + ": bus bandwidth of the largest size", "bytes/s",
                       wire / planned[largest], wire / seconds[largest], wire / seconds[largest],
                       wire / seconds[largest], "as nccl-tests counts it"));
}

std::vector<LivePoint> pointsOf(const std::vector<BoundTable>& tables, const LiveConstants& constants,
                                double misfit) {
    std::vector<LivePoint> out;
    std::map<double, int> sizes;
    for (const BoundTable& bound : tables) {
        const MeasuredCollective& table = *bound.table;
        const double measured = std::max(spreadOfTable(table), leastSd);
        const double rows = static_cast<double>(table.points.size());
        for (const MeasuredCollective::Point& p : table.points) {
            CollectiveCase one = bound.law;
            one.bytes = p.bytes;
            // The law is least sure where libraries change their algorithms, and surest of bandwidth.
            const double sd = p.bytes >= bulkBytes ? measured : std::max(measured, misfit);
            LivePoint point{.measured = p.seconds,
                            .sd = p.bytes < largeBytes ? smallMessages * sd : sd,
                            .weight = likeRows / (likeRows + rows),
                            .predict = [&constants, one](const std::vector<double>& theta) {
                                return collectiveSeconds(one, constants.inputs(theta));
                            }};
            point.group = sizes.try_emplace(p.bytes, static_cast<int>(sizes.size())).first->second;
            out.push_back(std::move(point));
        }
    }
    return out;
}

} // namespace

Result<LiveCalibration> calibrateCollectives(const ScenarioSpec& spec, const Catalog& catalog,
                                             const Profile& profile,
                                             const std::vector<MeasuredCollective>& tables) {
    LiveCalibration out;
    for (const MeasuredCollective& table : tables)
        out.source += (out.source.empty() ? "" : ", ") + table.log;
    const Result<LiveConstants> constants = LiveConstants::of(spec, catalog, profile, out.source);
    if (!constants)
        return Error{constants.error()};
    const Scenario& scenario = constants->scenario();
    out.evidence = CalibrationEvidence::collectives;
    out.quantity = "time of a collective";
    std::vector<BoundTable> bound;
    bool network = false;
    for (const MeasuredCollective& table : tables) {
        if (table.ranks < 2 || table.points.size() < leastSizes) {
            return Error{table.log + ": a table of " + std::to_string(table.points.size()) + " rows and " +
                         std::to_string(table.ranks) + " GPUs; at least " + std::to_string(leastSizes) +
                         " rows of a collective over two or more GPUs are required"};
        }
        BoundTable each;
        each.table = &table;
        each.law.op = table.op;
        each.law.group = groupOf(table, scenario);
        const double line = scenario.inputs[Input::networkBandwidth];
        if (!each.law.group.insideOneDomain() && line <= 0) {
            return Error{
                table.log + ": " + titleOf(table) +
                ", and the scenario's machine has no network; use a scenario for the machine of the log"};
        }
        if (const std::string wrong = impossible(table, each.law.group, line); !wrong.empty())
            return Error{wrong};
        network = network || !each.law.group.insideOneDomain();
        describe(each, scenario.inputs, out);
        bound.push_back(std::move(each));
    }
    if (bound.empty()) {
        return Error{
            "no collective measurements; use the output of all_reduce_perf or a similar nccl-tests program"};
    }
    // What the law leaves out shows in a first fit: it is the uncertainty of the second.
    LiveCalibration first;
    fitLive(*constants, pointsOf(bound, *constants, 0), first, MapOptions().huber);
    fitLive(*constants, pointsOf(bound, *constants, first.after.median), out, MapOptions().huber);
    for (const BoundTable& each : bound) {
        out.samples += each.table->points.size();
        out.spread = std::max(out.spread, spreadOfTable(*each.table));
    }
    if (!network) {
        out.notes.push_back(
            "No log crosses the network, so its constants are unchanged. Add a log of two or more nodes.");
    }
    return out;
}

} // namespace alidade
