// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/topology/placement.h"

#include "model/base/index.h"
#include "model/base/text.h"

#include <algorithm>
#include <numeric>

namespace alidade {

namespace {

/// Hosts in tree order: below each node, the fullest part comes first to use few switches. Equally full parts
/// keep the order of the fabric; names are ignored.
class TreeOrder {
public:
    TreeOrder(const Fabric& fabric, const std::vector<bool>& usable)
        : fabric_(fabric) {
        const std::size_t nodes = at(fabric.nodes());
        children_.resize(nodes);
        below_.assign(nodes, 0);
        std::vector<bool> seen(nodes, false);
        leaves_.resize(nodes);
        std::vector<int> unknown;
        for (int host = 0; host < fabric.hosts(); ++host) {
            if (!usable[at(host)])
                continue;
            const int leaf = fabric.leafOf(host);
            if (leaf < 0) {
                unknown.push_back(host);
                continue;
            }
            leaves_[at(leaf)].push_back(host);
            for (int node = leaf; node >= 0; node = fabric.parentOf(node)) {
                ++below_[at(node)];
                if (!seen[at(node)]) {
                    seen[at(node)] = true;
                    const int parent = fabric.parentOf(node);
                    (parent < 0 ? tops_ : children_[at(parent)]).push_back(node);
                }
            }
        }
        visitAll(tops_);
        hosts_.insert(hosts_.end(), unknown.begin(), unknown.end());
    }
    std::vector<int> take() { return std::move(hosts_); }

private:
    void visitAll(std::vector<int>& nodes) {
        std::ranges::stable_sort(nodes, std::greater<>(), [&](int node) { return below_[at(node)]; });
        for (const int node : nodes) {
            visitAll(children_[at(node)]);
            addLeaf(leaves_[at(node)]);
        }
    }
    /// Adds the hosts of one leaf, grouped by NVLink domain.
    void addLeaf(std::vector<int>& hosts) {
        const auto domain = [&](int host) { return fabric_.domainOf(host * fabric_.gpusPerHost); };
        std::vector<int> first(at(fabric_.domains), -1);
        for (std::size_t i = 0; i < hosts.size(); ++i) {
            int& place = first[at(domain(hosts[i]))];
            place = place < 0 ? static_cast<int>(i) : place;
        }
        std::ranges::stable_sort(hosts, std::less<>(), [&](int host) { return first[at(domain(host))]; });
        hosts_.insert(hosts_.end(), hosts.begin(), hosts.end());
    }

    const Fabric& fabric_;
    std::vector<std::vector<int>> children_, leaves_;
    std::vector<int> below_, tops_, hosts_;
};

/// Returns the hosts of each NVLink domain, with domains in order of first appearance in `hosts`.
std::vector<std::vector<int>> byDomain(const Fabric& fabric, const std::vector<int>& hosts) {
    std::vector<int> place(at(fabric.domains), -1);
    std::vector<std::vector<int>> out;
    for (const int host : hosts) {
        int& index = place[at(fabric.domainOf(host * fabric.gpusPerHost))];
        if (index < 0) {
            index = static_cast<int>(out.size());
            out.emplace_back();
        }
        out[at(index)].push_back(host);
    }
    return out;
}

/// Returns the hosts with equal numbers of each domain first; unchanged if no equal split exists.
std::vector<int> inEqualBlocks(const Fabric& fabric, std::vector<int> hosts, int ranks) {
    const int g = fabric.gpusPerHost;
    if (fabric.domains >= fabric.hosts())
        return hosts;
    const std::vector<std::vector<int>> domains = byDomain(fabric, hosts);
    std::size_t largest = 0;
    for (const auto& domain : domains)
        largest = std::max(largest, domain.size());
    for (int block = static_cast<int>(largest); block >= 1 && ranks > block * g; --block) {
        if (ranks % (block * g) != 0)
            continue;
        const auto wide = [&](const auto& domain) { return static_cast<int>(domain.size()) >= block; };
        if (std::ranges::count_if(domains, wide) < ranks / (block * g))
            continue;
        std::vector<int> out;
        for (const auto& domain : domains)
            if (wide(domain))
                out.insert(out.end(), domain.begin(), domain.begin() + block);
        return out;
    }
    return hosts;
}

} // namespace

Result<Placement> place(const Fabric& fabric, const PlacementRequest& request) {
    std::vector<bool> usable(at(fabric.hosts()), true);
    for (const int host : request.excluded)
        usable[at(host)] = false;
    std::vector<int> hosts;
    if (request.kind == PlacementKind::list) {
        std::ranges::copy_if(request.hosts, std::back_inserter(hosts),
                             [&](int host) { return usable[at(host)]; });
    } else if (request.kind == PlacementKind::sorted) {
        hosts = TreeOrder(fabric, usable).take();
    } else {
        hosts.resize(at(fabric.hosts()));
        std::iota(hosts.begin(), hosts.end(), 0);
        std::erase_if(hosts, [&](int host) { return !usable[at(host)]; });
    }
    const int needed = (request.ranks + fabric.gpusPerHost - 1) / fabric.gpusPerHost;
    if (static_cast<int>(hosts.size()) < needed) {
        return Error{"there are " + formatCount(static_cast<std::int64_t>(hosts.size())) +
                     " hosts to place ranks on; " + formatCount(request.ranks) + " GPUs need " +
                     formatCount(needed)};
    }
    if (request.equalBlocks && request.kind != PlacementKind::list)
        hosts = inEqualBlocks(fabric, std::move(hosts), request.ranks);
    hosts.resize(at(needed));
    Placement out;
    out.gpuOfRank.reserve(at(request.ranks));
    out.rankOfGpu.assign(at(fabric.gpus()), -1);
    for (int rank = 0; rank < request.ranks; ++rank) {
        const int gpu = hosts[at(rank / fabric.gpusPerHost)] * fabric.gpusPerHost + rank % fabric.gpusPerHost;
        out.gpuOfRank.push_back(gpu);
        out.rankOfGpu[at(gpu)] = rank;
    }
    out.hosts = std::move(hosts);
    return out;
}

} // namespace alidade
