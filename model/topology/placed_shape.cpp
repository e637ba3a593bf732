// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/topology/placed_shape.h"

#include "model/base/index.h"
#include "model/topology/group_walk.h"

#include <algorithm>
#include <numeric>

namespace alidade {

namespace {

/// Walks the groups of a kind and records the worst values.
class ShapeWalk {
public:
    ShapeWalk(TrafficPattern traffic, const GroupPattern& pattern, const Placement& placement,
              const Fabric& fabric, int firstRank)
        : traffic_(traffic)
        , pattern_(pattern)
        , placement_(placement)
        , fabric_(fabric)
        , firstRank_(firstRank)
        , partOfDomain_(at(fabric.domains), -1)
        , membersOfHost_(at(fabric.hosts()), 0) {
        if (fabric.oversubscription > 1) {
            demand_.assign(at(fabric.nodes()), 0);
            below_.assign(at(fabric.nodes()), 0);
        }
        out_ = {.ranks = pattern.ranks,
                .ranksPerNvlinkDomain = pattern.ranks,
                .ranksPerNode = pattern.ranks,
                .spannedDomains = 1};
    }

    /// \param base rank (from the layout's first) of index 0 of the group's index space
    /// \param copies groups placed on the same hosts in the same way, including this one
    void visit(std::int64_t base, std::int64_t firstIndex, int copies) {
        collect(base, firstIndex);
        int fewest = pattern_.ranks;
        for (const Part& part : parts_)
            fewest = std::min(fewest, part.members);
        for (const int host : hosts_) {
            out_.ranksPerNode = std::min(out_.ranksPerNode, membersOfHost_[at(host)]);
            membersOfHost_[at(host)] = 0;
        }
        out_.ranksPerNvlinkDomain = std::min(out_.ranksPerNvlinkDomain, fewest);
        out_.spannedDomains = std::max(out_.spannedDomains, static_cast<int>(parts_.size()));
        if (parts_.size() > 1) {
            countSwitches();
            if (!demand_.empty())
                addDemand(fewest, copies);
        }
        for (const Part& part : parts_)
            partOfDomain_[at(part.domain)] = -1;
    }

    GroupShape finish() {
        for (std::size_t node = 0; node < demand_.size(); ++node) {
            const double gpus = 1.0 * fabric_.nodeHosts[node] * fabric_.gpusPerHost;
            if (gpus > 0)
                out_.crowding = std::max(out_.crowding, demand_[node] * fabric_.oversubscription / gpus);
        }
        return out_;
    }

private:
    /// Members in one NVLink domain. Libraries visit a domain once.
    struct Part {
        int domain = 0, host = 0, members = 0;
    };

    void collect(std::int64_t base, std::int64_t firstIndex) {
        parts_.clear();
        hosts_.clear();
        for (std::int64_t n = 0; n < pattern_.ranks; ++n) {
            const std::int64_t k = firstIndex + n * pattern_.step;
            const int gpu = placement_.gpuOfRank[at(firstRank_ + base + patternOffset(pattern_, k))];
            const int host = fabric_.hostOf(gpu), domain = fabric_.domainOf(gpu);
            if (membersOfHost_[at(host)]++ == 0)
                hosts_.push_back(host);
            int& part = partOfDomain_[at(domain)];
            if (part < 0) {
                part = static_cast<int>(parts_.size());
                parts_.push_back({domain, host, 0});
            }
            ++parts_[at(part)].members;
        }
    }

    std::size_t steps() const { // between parts; a pipeline does not return to its first stage
        return traffic_ == TrafficPattern::neighbors ? parts_.size() - 1 : parts_.size();
    }
    int hostAfter(std::size_t i) const { return parts_[i + 1 < parts_.size() ? i + 1 : 0].host; }

    void countSwitches() {
        double sum = 0, most = 0;
        for (std::size_t i = 0; i < steps(); ++i) {
            const int switches = std::max(1, fabric_.switches(parts_[i].host, hostAfter(i)));
            sum += switches;
            most = std::max<double>(most, switches);
        }
        // An all-to-all is limited by the farthest pair; in a tree, some neighbors are as far apart as any
        // pair.
        const double hops = traffic_ == TrafficPattern::allToAll ? most : sum / static_cast<double>(steps());
        out_.hops = std::max(out_.hops, hops);
    }

    /// Adds the load of the group on the trunks that it crosses, in network shares of one GPU.
    void addDemand(int fewest, int copies) {
        if (traffic_ == TrafficPattern::allToAll) {
            addScattered(fewest, copies);
            return;
        }
        const double cards = traffic_ == TrafficPattern::ring ? fewest : 1;
        for (std::size_t i = 0; i < steps(); ++i) {
            int a = fabric_.leafOf(parts_[i].host), b = fabric_.leafOf(hostAfter(i));
            while (a != b && a >= 0) {
                const int layerA = fabric_.nodeLayer[at(a)];
                const int layerB = b < 0 ? -1 : fabric_.nodeLayer[at(b)];
                if (layerA >= layerB) {
                    demand_[at(a)] += cards * copies;
                    a = fabric_.parentOf(a);
                }
                if (layerB >= layerA)
                    b = fabric_.parentOf(b);
            }
        }
    }

    void addScattered(int fewest, int copies) {
        touched_.clear();
        for (const Part& part : parts_) {
            for (int node = fabric_.leafOf(part.host); node >= 0; node = fabric_.parentOf(node)) {
                if (below_[at(node)] == 0)
                    touched_.push_back(node);
                below_[at(node)] += part.members;
            }
        }
        for (const int node : touched_) {
            const double inside = below_[at(node)], outside = pattern_.ranks - inside;
            demand_[at(node)] += copies * inside * outside / (pattern_.ranks - fewest);
            below_[at(node)] = 0;
        }
    }

    TrafficPattern traffic_;
    const GroupPattern& pattern_;
    const Placement& placement_;
    const Fabric& fabric_;
    int firstRank_;
    std::vector<int> partOfDomain_, membersOfHost_;
    std::vector<Part> parts_;
    std::vector<int> hosts_;
    std::vector<double> demand_; ///< of each trunk, in network shares of one GPU; empty: non-blocking
    std::vector<int> below_, touched_;
    GroupShape out_;
};

/// Returns the number of adjacent ranks, starting at a multiple of it, whose groups are on the same hosts and
/// domains.
std::int64_t alikeRanks(const GroupPattern& p, const Fabric& fabric, int firstRank) {
    std::int64_t unit = std::gcd(fabric.gpusPerHost, firstRank);
    unit = p.inner > 1 ? std::gcd(unit, p.innerStride) : unit;
    unit = p.outer > 1 ? std::gcd(unit, p.outerStride) : unit;
    for (int gpu = 1; gpu < std::min(fabric.gpus(), fabric.gpusPerHost); ++gpu)
        if (fabric.domainOf(gpu) != fabric.domainOf(gpu - 1))
            return 1; // a host with several domains
    return unit;
}

} // namespace

GroupShape shapeOf(GroupKind kind, TrafficPattern pattern, const RankLayout& layout,
                   const Placement& placement, const Fabric& fabric, int firstRank) {
    const GroupPattern& p = layout.pattern(kind);
    if (p.ranks <= 1)
        return {};
    ShapeWalk walk(pattern, p, placement, fabric, firstRank);
    const std::int64_t unit = alikeRanks(p, fabric, firstRank);
    forEachGroup(p, layout.ranks(), unit, [&](std::int64_t base, std::int64_t first) {
        walk.visit(base, first, static_cast<int>(unit));
    });
    return walk.finish();
}

GroupCount countGroups(GroupKind kind, const RankLayout& layout, const Placement& placement,
                       const Fabric& fabric, int firstRank) {
    const GroupPattern& p = layout.pattern(kind);
    GroupCount out;
    if (p.ranks <= 1)
        return out;
    const auto domain = [&](std::int64_t rank) {
        return fabric.domainOf(placement.gpuOfRank[at(firstRank + rank)]);
    };
    forEachGroup(p, layout.ranks(), 1, [&](std::int64_t base, std::int64_t firstIndex) {
        const int first = domain(base + patternOffset(p, firstIndex));
        bool inside = true;
        for (std::int64_t n = 1; inside && n < p.ranks; ++n)
            inside = domain(base + patternOffset(p, firstIndex + n * p.step)) == first;
        ++out.groups;
        out.straddling += inside ? 0 : 1;
    });
    return out;
}

std::int64_t blockOf(GroupKind kind, const RankLayout& layout) {
    const GroupPattern& p = layout.pattern(kind);
    if (p.ranks <= 1)
        return 1;
    if (p.outer == 1)
        return p.innerStride * (p.step == 1 ? p.ranks : p.inner); // a part of the index space, or all of it
    return std::max(p.innerStride * p.inner, p.outerStride * p.outer);
}

} // namespace alidade
