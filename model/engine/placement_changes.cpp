// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/engine/placement_changes.h"

#include "model/advice/domain_placements.h"
#include "model/advice/edits.h"
#include "model/base/index.h"
#include "model/base/text.h"
#include "model/scenario/fields.h"

#include <algorithm>

namespace alidade {

namespace {

const EstimateOptions plain{.fixes = false};

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : ", ") + word;
    return out;
}

bool inUse(const ClusterMap& map, int host) {
    return std::ranges::find(map.placement.hosts, host) != map.placement.hosts.end();
}

/// Hosts that could take ranks and have none.
std::vector<int> sparesOf(const ClusterMap& map) {
    std::vector<bool> used(at(map.fabric.hosts()), false);
    for (const int host : map.placement.hosts)
        used[at(host)] = true;
    std::vector<int> out;
    for (int host = 0; host < map.fabric.hosts(); ++host)
        if (!used[at(host)] && !map.excluded[at(host)] && !map.unfit[at(host)])
            out.push_back(host);
    return out;
}

std::pair<std::string, std::string> excluding(const ScenarioSpec& spec, const ClusterMap& map,
                                              std::span<const int> hosts) {
    std::vector<std::string> words = spec.cluster.excludedHosts.value_or(std::vector<std::string>{});
    for (const int host : hosts)
        if (!map.excluded[at(host)])
            words.push_back(map.hostIds[at(host)]);
    return {"cluster.excluded_hosts", joined(words)};
}

std::vector<std::string> idsOf(const ClusterMap& map, std::span<const int> hosts) {
    std::vector<std::string> out;
    for (const int host : hosts)
        out.push_back(map.hostIds[at(host)]);
    return out;
}

/// Of machines without an imported topology, which are numbered as they are rented: hosts before the last one
/// that is needed that are excluded or removed.
std::vector<int> leftOut(const ClusterMap& map, std::span<const int> removed, std::size_t needed) {
    std::vector<int> out;
    for (int host = 0; host < map.fabric.hosts() && needed > 0; ++host)
        if (map.excluded[at(host)] || std::ranges::find(removed, host) != removed.end())
            out.push_back(host);
        else
            --needed;
    return out;
}

bool hasList(const ScenarioSpec& spec) {
    return spec.cluster.placement && !spec.cluster.placement->empty() &&
           spec.cluster.placement->front() != "packed" && spec.cluster.placement->front() != "sorted";
}

std::string hostWords(const ClusterMap& map, std::span<const int> hosts) {
    return hosts.size() == 1 ? map.hostNames[at(hosts.front())]
                             : formatCount(static_cast<std::int64_t>(hosts.size())) + " hosts";
}

/// With fewer replicas, as many as the GPUs and the batch allow, where the change does not run as it is.
Result<Fix> withFewerReplicas(const ScenarioSpec& spec, Fix fix, const Catalog& catalog,
                              const Profile& profile) {
    const auto changed = applyEdit(spec, fix.set);
    if (!changed)
        return Error{"this change is not valid for the scenario"};
    const auto runs = [&](const ScenarioSpec& each) {
        const auto scenario = resolve(each, catalog, profile);
        return scenario && scenario->runs();
    };
    if (runs(*changed))
        return fix;
    const auto present = resolve(spec, catalog, profile);
    if (!present)
        return Error{present.error()};
    const bool serving = present->isServing();
    int replicas = present->plan.dataParallel;
    if (serving && !present->pools.empty())
        replicas = present->pools.front().plan.workers;
    while (--replicas >= 1) {
        Edit edit = fix.set;
        edit.emplace_back("plan.data_parallel", std::to_string(replicas));
        if (spec.cluster.gpus)
            edit.emplace_back("cluster.gpus", "");
        const auto tried = applyEdit(spec, edit);
        if (tried && runs(*tried)) {
            fix.set = std::move(edit);
            return fix;
        }
    }
    return Error{"no replica of the plan fits the hosts that are left"};
}

} // namespace

Result<Fix> removeHosts(const ScenarioSpec& spec, const ClusterMap& map, std::span<const int> hosts,
                        const Catalog& catalog, const Profile& profile) {
    const auto working = std::ranges::count_if(hosts, [&](int host) { return inUse(map, host); });
    if (working == 0)
        return Error{"no rank runs on " + hostWords(map, hosts)};
    Fix fix{"Remove " + hostWords(map, hosts), {excluding(spec, map, hosts)}};
    if (!hasList(spec) && !sparesOf(map).empty() && !spec.cluster.ultraserver) {
        // The spares would stand in: rent as many machines less.
        auto rented = map.placement.hosts.size() - static_cast<std::size_t>(working);
        if (!spec.cluster.topology) {
            const std::vector<int> out = leftOut(map, hosts, rented);
            rented += out.size();
            fix.set = {{"cluster.excluded_hosts", joined(idsOf(map, out))}};
        }
        fix.set.emplace_back("cluster.instances", std::to_string(rented));
    }
    return withFewerReplicas(spec, std::move(fix), catalog, profile);
}

Result<Fix> excludeHosts(const ScenarioSpec& spec, const ClusterMap& map, std::span<const int> hosts,
                         const Catalog& catalog, const Profile& profile) {
    return withFewerReplicas(spec, {"Exclude " + hostWords(map, hosts), {excluding(spec, map, hosts)}},
                             catalog, profile);
}

Result<Fix> swapInSpare(const ScenarioSpec& spec, const ClusterMap& map, int host) {
    const std::vector<int> spares = sparesOf(map);
    if (!inUse(map, host))
        return Error{"no rank runs on " + map.hostNames[at(host)]};
    if (spares.empty())
        return Error{"all hosts are in use: there is no spare"};
    if (!hasList(spec)) {
        return Fix{"Swap a spare in for " + map.hostNames[at(host)],
                   {excluding(spec, map, std::span(&host, 1))}};
    }
    const int spare =
        *std::ranges::min_element(spares, {}, [&](int each) { return map.fabric.switches(host, each); });
    std::vector<std::string> list;
    for (const int each : map.placement.hosts)
        list.push_back(map.hostIds[at(each == host ? spare : each)]);
    return Fix{"Swap " + map.hostNames[at(spare)] + " in for " + map.hostNames[at(host)],
               {{"cluster.placement", joined(list)}}};
}

Result<Fix> drainNode(const ScenarioSpec& spec, const ClusterMap& map, int node, const Catalog& catalog,
                      const Profile& profile) {
    std::vector<int> hosts;
    for (int host = 0; host < map.fabric.hosts(); ++host) {
        int above = map.fabric.leafOf(host);
        while (above >= 0 && above != node)
            above = map.fabric.parentOf(above);
        if (above == node)
            hosts.push_back(host);
    }
    if (std::ranges::none_of(hosts, [&](int host) { return inUse(map, host); }))
        return Error{"no rank runs below " + map.nodeIds[at(node)]};
    if (std::ranges::all_of(map.placement.hosts,
                            [&](int host) { return std::ranges::binary_search(hosts, host); }) &&
        hosts.size() == at(map.fabric.hosts())) {
        return Error{"every host lies below " + map.nodeIds[at(node)]};
    }
    return withFewerReplicas(spec, {"Drain " + map.nodeIds[at(node)], {excluding(spec, map, hosts)}}, catalog,
                             profile);
}

std::vector<Fix> otherPlacements(const ScenarioSpec& spec) {
    std::vector<Fix> out;
    for (const char* placement : {"packed", "sorted"}) {
        for (const char* order : {"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"}) {
            const bool serving = spec.workload.isServing(); // whose replicas have one order
            const Edit edit = serving ? Edit{{"cluster.placement", placement}}
                                      : Edit{{"cluster.placement", placement}, {"cluster.rank_order", order}};
            Edit changes = changesOf(spec, edit);
            const auto same = [&](const Fix& fix) { return fix.set == changes; };
            if (!changes.empty() && std::ranges::none_of(out, same)) {
                std::string text = describeEdit(changes);
                out.push_back({std::move(text), std::move(changes)});
            }
        }
    }
    return out;
}

std::vector<Fix> placementWays(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile) {
    std::vector<Fix> out = otherPlacements(spec);
    const auto scenario = resolve(spec, catalog, profile);
    if (scenario && straddlesDomains(*scenario)) {
        const std::vector<Fix> inDomains =
            placementsInDomains(spec, *scenario, clusterMap(*scenario, catalog));
        out.insert(out.end(), inDomains.begin(), inDomains.end());
    }
    return out;
}

namespace {

PricedChange pricedAgainst(const Result<Estimate>& before, const ScenarioSpec& spec, const Fix& change,
                           const Catalog& catalog, const Profile& profile) {
    PricedChange out{.change = change};
    const auto changed = applyEdit(spec, change.set);
    const auto after = changed ? estimate(*changed, catalog, profile, plain)
                               : Result<Estimate>(Error{"this change is not valid for the scenario"});
    if (!after) {
        out.reason = after.error();
        return out;
    }
    out.runs = after->runs && after->fits;
    const auto error = std::ranges::find(after->problems, Severity::error, &Problem::severity);
    if (!out.runs) {
        out.reason = error == after->problems.end() ? "it does not run" : error->message;
        return out;
    }
    const auto step = [](const Estimate& e) {
        return e.training ? e.training->stepTime : e.serving ? e.serving->stepTime : 0;
    };
    out.stepTime = step(*after);
    const bool comparable = before && before->runs && before->fits;
    out.stepTimeDifference = comparable ? out.stepTime - step(*before) : 0;
    const auto tokens = [](const Estimate& e) {
        return e.training ? e.training->tokensPerSecond : e.serving ? e.serving->outputTokensPerSecond : 0;
    };
    out.tokensPerSecond = tokens(*after);
    out.tokensPerSecondDifference = comparable ? out.tokensPerSecond - tokens(*before) : 0;
    if (after->cost) {
        out.dollarsPerHour = after->cost->dollarsPerHour;
        out.dollarsPerRun = after->cost->dollarsPerRun;
    }
    if (comparable && after->cost && before->cost) {
        out.dollarsPerHourDifference = *out.dollarsPerHour - before->cost->dollarsPerHour;
        if (out.dollarsPerRun && before->cost->dollarsPerRun)
            out.dollarsPerRunDifference = *out.dollarsPerRun - *before->cost->dollarsPerRun;
    }
    if (comparable && after->topology && before->topology) {
        out.hostsInUse = after->topology->hostsInUse;
        out.hostsInUseDifference = out.hostsInUse - before->topology->hostsInUse;
    }
    return out;
}

} // namespace

PricedChange priced(const ScenarioSpec& spec, const Fix& change, const Catalog& catalog,
                    const Profile& profile) {
    return pricedAgainst(estimate(spec, catalog, profile, plain), spec, change, catalog, profile);
}

namespace {

/// What a placement gives up: 1: lists the hosts, so that the scheduler may not choose which spare comes in
/// for one; 2: leaves replicas out.
int sacrifice(const PricedChange& change) {
    const auto isList = [](const auto& field) {
        return field.first == "cluster.placement" && field.second != "packed" && field.second != "sorted";
    };
    return change.hostsInUseDifference < 0 ? 2 : std::ranges::any_of(change.change.set, isList) ? 1 : 0;
}

/// Seconds of a step by which it must be faster than what gives up less.
double leastGain(const PricedChange& change, int otherSacrifice) {
    return (sacrifice(change) > otherSacrifice ? leastGainOfCostlier : 1e-9) * change.stepTime;
}

} // namespace

bool isBetterPlacement(const PricedChange& a, const PricedChange& b) {
    if (a.runs != b.runs || !a.runs)
        return a.runs && !b.runs;
    const double gain = b.stepTime - a.stepTime;
    return sacrifice(a) < sacrifice(b) ? gain > -leastGain(b, sacrifice(a))
                                       : gain > leastGain(a, sacrifice(b));
}

std::optional<PricedChange> improvePlacement(const ScenarioSpec& spec, const Catalog& catalog,
                                             const Profile& profile) {
    const auto before = estimate(spec, catalog, profile, plain);
    std::optional<PricedChange> best;
    for (const Fix& fix : placementWays(spec, catalog, profile)) {
        PricedChange each = pricedAgainst(before, spec, fix, catalog, profile);
        if (each.runs && -each.stepTimeDifference > leastGain(each, 0) &&
            (!best || isBetterPlacement(each, *best))) {
            best = std::move(each);
        }
    }
    return best;
}

} // namespace alidade
