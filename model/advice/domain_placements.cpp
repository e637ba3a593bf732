// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/domain_placements.h"

#include "model/base/index.h"
#include "model/base/text.h"
#include "model/topology/placed_shape.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace alidade {

namespace {

constexpr std::size_t mostReplicaCounts = 3; ///< tried for each block: the largest that fit
constexpr std::size_t mostNames = 3;         ///< of hosts in a text

std::string joined(const std::vector<std::string>& words, const char* between) {
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : between) + word;
    return out;
}

class DomainPlacements {
public:
    DomainPlacements(const ScenarioSpec& spec, const Scenario& scenario, const ClusterMap& map)
        : spec_(spec)
        , scenario_(scenario)
        , map_(map)
        , perHost_(map.fabric.gpusPerHost) {
        for (int host = 0; host < map.fabric.hosts(); ++host)
            if (!map.excluded[at(host)] && !map.unfit[at(host)])
                usable_.push_back(host);
        groupByDomain();
    }

    std::vector<Fix> all() {
        const std::set<int> blocks = blocksOfHosts();
        for (const int block : blocks)
            for (const int replicas : replicaCounts(block))
                place(block, replicas);
        // Those that keep all replicas first; as found otherwise.
        std::ranges::stable_partition(out_, [](const Found& each) { return !each.reduces; });
        std::vector<Fix> fixes;
        for (Found& each : out_)
            fixes.push_back(std::move(each.fix));
        return fixes;
    }

private:
    struct Found {
        Fix fix;
        bool reduces = false;
    };

    void groupByDomain() {
        std::vector<int> place(at(map_.fabric.domains), -1);
        for (const int host : usable_) {
            int& index = place[at(domainOf(host))];
            if (index < 0) {
                index = static_cast<int>(domains_.size());
                domains_.emplace_back();
            }
            domains_[at(index)].push_back(host);
        }
    }
    int domainOf(int host) const { return map_.fabric.domainOf(host * perHost_); }
    int ranks() const { return map_.placement.ranks(); }
    int replicas() const { return map_.serving ? 1 : scenario_.plan.dataParallel; }

    /// Hosts that whole groups fill, for each kind that straddles, and for all of them together.
    std::set<int> blocksOfHosts() const {
        std::size_t largest = 0;
        for (const auto& domain : domains_)
            largest = std::max(largest, domain.size());
        std::int64_t together = perHost_;
        std::set<int> out;
        const auto add = [&](std::int64_t gpus) {
            const std::int64_t hosts = std::lcm(gpus, std::int64_t{perHost_}) / perHost_;
            if (hosts > 1 && hosts <= static_cast<std::int64_t>(largest))
                out.insert(static_cast<int>(hosts));
        };
        for (const GroupKind kind : allGroupKinds) {
            const bool straddles = std::ranges::any_of(scenario_.placement->groups, [&](const auto& each) {
                return each.group == groupWord(kind) && each.straddling > 0;
            });
            if (!straddles)
                continue;
            for (const PoolLayout& pool : map_.pools) {
                const std::int64_t block = blockOf(kind, pool.layout);
                add(block);
                together = std::min<std::int64_t>(std::lcm(together, block), ranks());
            }
        }
        add(together);
        return out;
    }

    /// The present replicas if whole blocks hold them, and the largest smaller numbers that divide the batch.
    std::vector<int> replicaCounts(int block) const {
        std::int64_t hosts = 0;
        for (const auto& domain : domains_)
            hosts += static_cast<std::int64_t>(domain.size()) / block * block;
        const auto fits = [&](int count) {
            return (std::int64_t{ranks()} / replicas() * count + perHost_ - 1) / perHost_ <= hosts;
        };
        std::vector<int> out;
        if (fits(replicas()))
            return {replicas()};
        const TrainingPlan& plan = scenario_.plan;
        const std::int64_t batch = scenario_.spec.workload.globalBatch.value_or(0);
        const std::int64_t experts = std::int64_t{plan.expertParallel} * plan.expertTensorParallel;
        for (int count = replicas() - 1; count >= 1 && out.size() < mostReplicaCounts; --count) {
            const std::int64_t dense = std::int64_t{plan.tensorParallel} * plan.contextParallel * count;
            if (fits(count) && batch % (std::int64_t{count} * plan.microBatch) == 0 && dense % experts == 0)
                out.push_back(count);
        }
        return out;
    }

    void place(int block, int replicas) {
        const int needed = ranks() / this->replicas() * replicas;
        std::vector<int> left; // more than whole blocks
        for (const auto& domain : domains_) {
            const auto whole = static_cast<std::ptrdiff_t>(domain.size()) / block * block;
            left.insert(left.end(), domain.begin() + whole, domain.end());
        }
        for (const PlacementKind kind : {PlacementKind::packed, PlacementKind::sorted}) {
            const auto placed = placement(kind, left, needed);
            if (!placed)
                continue;
            const std::vector<int> reached = inReach(kind, left, placed->hosts);
            const auto again = placement(kind, reached, needed);
            offer(kind, again && again->hosts == placed->hosts ? reached : left, replicas);
        }
        offerList(block, replicas, needed);
    }

    Result<Placement> placement(PlacementKind kind, const std::vector<int>& left, int ranks) const {
        PlacementRequest request{.kind = kind, .excluded = left, .ranks = ranks};
        request.equalBlocks = !map_.serving;
        for (int host = 0; host < map_.fabric.hosts(); ++host)
            if (map_.excluded[at(host)] || map_.unfit[at(host)])
                request.excluded.push_back(host);
        return alidade::place(map_.fabric, request);
    }

    /// Those of some hosts that would otherwise get ranks; the others may stay as spares.
    std::vector<int> inReach(PlacementKind kind, const std::vector<int>& left,
                             const std::vector<int>& used) const {
        std::vector<bool> reached(at(map_.fabric.domains), false);
        for (const int host : used)
            reached[at(domainOf(host))] = true;
        const int last = *std::ranges::max_element(used);
        std::vector<int> out;
        std::ranges::copy_if(left, std::back_inserter(out), [&](int host) {
            return kind == PlacementKind::packed ? host < last : reached[at(domainOf(host))];
        });
        return out;
    }

    void offer(PlacementKind kind, const std::vector<int>& left, int replicas) {
        std::vector<std::string> words = spec_.cluster.excludedHosts.value_or(std::vector<std::string>{});
        std::vector<std::string> names;
        for (const int host : left) {
            words.push_back(map_.hostIds[at(host)]);
            names.push_back(map_.hostNames[at(host)]);
        }
        Edit edit;
        if (!left.empty())
            edit.emplace_back("cluster.excluded_hosts", joined(words, ", "));
        const std::string order = kind == PlacementKind::packed ? "packed" : "sorted";
        const bool moves = spec_.cluster.placement.value_or(std::vector<std::string>{"packed"}) !=
                           std::vector<std::string>{order};
        if (moves)
            edit.emplace_back("cluster.placement", order);
        std::string text = left.empty() ? "" : "Leave out " + named(names);
        if (moves)
            text += (text.empty() ? "Place ranks " : ", place ranks ") + order;
        add(std::move(text), std::move(edit), replicas);
    }

    /// Domain by domain, the largest first: where hosts of a domain do not follow each other in the fabric.
    void offerList(int block, int replicas, int ranks) {
        std::vector<std::vector<int>> domains = domains_;
        std::ranges::stable_sort(domains, std::greater<>(),
                                 [&](const auto& each) { return static_cast<int>(each.size()) / block; });
        const std::size_t needed = at((ranks + perHost_ - 1) / perHost_);
        std::vector<std::string> list;
        for (const auto& domain : domains)
            for (std::size_t i = 0; i < domain.size() / at(block) * at(block) && list.size() < needed; ++i)
                list.push_back(map_.hostIds[at(domain[i])]);
        if (list.size() < needed)
            return;
        const std::string hosts = formatCount(static_cast<std::int64_t>(needed)) + " hosts";
        add("Place ranks on a list of " + hosts + ", NVLink domain by NVLink domain",
            {{"cluster.placement", joined(list, ", ")}}, replicas);
    }

    void add(std::string text, Edit edit, int replicas) {
        const bool reduces = replicas < this->replicas();
        if (reduces) {
            edit.emplace_back("plan.data_parallel", std::to_string(replicas));
            if (spec_.cluster.gpus)
                edit.emplace_back("cluster.gpus", "");
            text += (text.empty() ? "Run " : ", with ") + formatCount(replicas) + " instead of " +
                    formatCount(this->replicas()) + " replicas";
        }
        Edit changes = changesOf(spec_, edit);
        const bool known =
            std::ranges::any_of(out_, [&](const Found& other) { return other.fix.set == changes; });
        if (!changes.empty() && !known)
            out_.push_back({{std::move(text), std::move(changes)}, reduces});
    }

    /// "a, b and 5 more hosts"
    static std::string named(std::vector<std::string> names) {
        const std::size_t count = names.size();
        if (count > mostNames + 1) {
            names.resize(mostNames);
            return joined(names, ", ") + " and " + formatCount(static_cast<std::int64_t>(count - mostNames)) +
                   " more hosts";
        }
        if (count == 1)
            return names.front();
        const std::string last = names.back();
        names.pop_back();
        return joined(names, ", ") + " and " + last;
    }

    const ScenarioSpec& spec_;
    const Scenario& scenario_;
    const ClusterMap& map_;
    int perHost_;
    std::vector<int> usable_;
    std::vector<std::vector<int>> domains_; ///< usable hosts of each, in the order of the fabric
    std::vector<Found> out_;
};

} // namespace

bool straddlesDomains(const Scenario& scenario) {
    return scenario.placement &&
           std::ranges::any_of(scenario.placement->groups,
                               [](const PlacedGroupFacts& each) { return each.straddling > 0; });
}

std::vector<Fix> placementsInDomains(const ScenarioSpec& spec, const Scenario& scenario,
                                     const ClusterMap& map) {
    if (!straddlesDomains(scenario) || map.placement.ranks() == 0)
        return {};
    return DomainPlacements(spec, scenario, map).all();
}

} // namespace alidade
