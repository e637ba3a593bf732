// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/topology/link_traffic.h"

#include "model/base/index.h"
#include "model/topology/group_walk.h"

#include <algorithm>
#include <numeric>

namespace alidade {

namespace {

std::size_t slotOf(LinkKind kind) { return static_cast<std::size_t>(kind); }

double bytesOn(const GroupTraffic& traffic, int stage) {
    const auto& bytes = traffic.bytesOnStage;
    return bytes.empty() ? 0 : bytes[std::min(at(stage), bytes.size() - 1)];
}

/// Distributes the bytes of one kind of group over links.
class TrafficWalk {
public:
    TrafficWalk(const Fabric& fabric, const Placement& placement, const RankLayout& layout, int firstRank,
                const GroupTraffic& traffic, std::array<std::vector<double>, 4>& bytes)
        : fabric_(fabric)
        , placement_(placement)
        , pattern_(layout.pattern(traffic.kind))
        , layout_(layout)
        , firstRank_(firstRank)
        , traffic_(traffic)
        , nvlink_(bytes[slotOf(LinkKind::nvlink)])
        , nic_(bytes[slotOf(LinkKind::nic)])
        , uplink_(bytes[slotOf(LinkKind::uplink)])
        , trunk_(bytes[slotOf(LinkKind::trunk)])
        , partOfDomain_(at(fabric.domains), -1) {
        for (const LinkKind kind : {LinkKind::nvlink, LinkKind::nic, LinkKind::uplink, LinkKind::trunk})
            bytes[slotOf(kind)].assign(at(fabric.linkCount(kind)), 0);
        members_.reserve(at(pattern_.ranks));
        below_.assign(at(fabric.nodes()), 0);
    }

    void walk() {
        forEachGroup(pattern_, layout_.ranks(), 1, [&](std::int64_t base, std::int64_t first) {
            members_.clear();
            for (std::int64_t n = 0; n < pattern_.ranks; ++n) {
                const std::int64_t rank = base + patternOffset(pattern_, first + n * pattern_.step);
                members_.push_back(placement_.gpuOfRank[at(firstRank_ + rank)]);
            }
            const double bytes = bytesOn(traffic_, layout_.coordinates(static_cast<int>(base)).pipeline);
            if (traffic_.pattern == TrafficPattern::neighbors) {
                alongPipeline();
            } else if (bytes > 0) {
                divide();
                if (traffic_.pattern == TrafficPattern::allToAll)
                    toAll(bytes);
                else if (traffic_.pattern == TrafficPattern::tree && parts_.size() > 1)
                    overTree(bytes);
                else if (traffic_.pattern == TrafficPattern::pat && parts_.size() > 1)
                    overDistances(bytes);
                else
                    aroundRing(bytes);
                for (const Part& part : parts_)
                    partOfDomain_[at(part.domain)] = -1;
            }
        });
    }

private:
    struct Part {
        int domain = 0, leaf = 0, members = 0;
    };

    /// Collects the members of each NVLink domain, in ring order.
    void divide() {
        parts_.clear();
        for (const int gpu : members_) {
            int& part = partOfDomain_[at(fabric_.domainOf(gpu))];
            if (part < 0) {
                part = static_cast<int>(parts_.size());
                parts_.push_back({fabric_.domainOf(gpu), fabric_.leafOf(fabric_.hostOf(gpu)), 0});
            }
            ++parts_[at(part)].members;
        }
    }

    void send(int gpu, double overNvlink, double overNetwork) {
        nvlink_[at(gpu)] += overNvlink;
        nic_[at(gpu)] += overNetwork;
        uplink_[at(fabric_.hostOf(gpu))] += overNetwork;
    }

    /// Each member sends `bytes` to the next. Traffic leaves a domain once, over the cards of all its
    /// members.
    void aroundRing(double bytes) {
        if (parts_.size() == 1) {
            for (const int gpu : members_)
                send(gpu, bytes, 0);
            return;
        }
        for (const int gpu : members_) {
            const double out = bytes / parts_[at(partOfDomain_[at(fabric_.domainOf(gpu))])].members;
            send(gpu, bytes - out, out);
        }
        for (std::size_t i = 0; i < parts_.size(); ++i)
            climb(parts_[i].leaf, parts_[i + 1 < parts_.size() ? i + 1 : 0].leaf, bytes);
    }

    /// A double binary tree over the domains (Sanders, Speck, Traff 2009): each carries half of the buffer up
    /// and down. The busiest domain has two children and a parent in one tree and is a leaf in the other: of
    /// its bytes each edge carries a quarter in each direction, with two domains half.
    void overTree(double bytes) {
        const auto domains = static_cast<int>(parts_.size());
        const double perDomain = bytes * traffic_.networkShare * pattern_.ranks / domains;
        const double edge = perDomain / (domains > 2 ? 4 : 2);
        std::vector<double> out(parts_.size(), 0);
        const auto oneWay = [&](int from, int to) {
            out[at(from)] += edge;
            climb(parts_[at(from)].leaf, parts_[at(to)].leaf, edge);
        };
        for (int domain = 1; domain < domains; ++domain) {
            const int parent = treeParent(domain, domains);
            // The second tree is the first one seen from the other end, or shifted by one: inner nodes of one
            // are leaves of the other.
            const auto twin = [&](int each) {
                return domains % 2 == 0 ? domains - 1 - each : (each + 1) % domains;
            };
            for (const auto& [child, above] :
                 {std::pair(domain, parent), std::pair(twin(domain), twin(parent))}) {
                oneWay(child, above);
                oneWay(above, child);
            }
        }
        spread(out, bytes * (1 - traffic_.networkShare));
    }

    /// Parent in the binary tree whose nodes are in order: leaves are odd, and each level above has one
    /// more zero at the end.
    static int treeParent(int node, int nodes) {
        const int lowest = node & -node;
        const int right = (node ^ lowest) | (lowest << 1);
        return right < nodes ? right : node ^ lowest;
    }

    /// Parallel aggregated trees (NCCL 2.23): every chunk goes down its own binomial tree, so that a
    /// domain sends a chunk 2^j further on for each number below their count whose lowest bit that is.
    void overDistances(double bytes) {
        const auto domains = static_cast<int>(parts_.size());
        const double chunk = bytes * pattern_.ranks / domains / (domains - 1);
        std::vector<double> out(parts_.size(), 0);
        for (int offset = 1; offset < domains; ++offset) {
            const int distance = offset & -offset;
            for (int domain = 0; domain < domains; ++domain) {
                out[at(domain)] += chunk;
                climb(parts_[at(domain)].leaf, parts_[at((domain + distance) % domains)].leaf, chunk);
            }
        }
        spread(out, 0);
    }

    /// \param out bytes that each domain sends over the network cards of its members
    void spread(const std::vector<double>& out, double overNvlink) {
        for (const int gpu : members_) {
            const int part = partOfDomain_[at(fabric_.domainOf(gpu))];
            send(gpu, overNvlink, out[at(part)] / parts_[at(part)].members);
        }
    }

    /// Each member sends equally to all others.
    void toAll(double bytes) {
        int fewest = pattern_.ranks;
        for (const Part& part : parts_)
            fewest = std::min(fewest, part.members);
        const double ranks = pattern_.ranks, farthest = ranks - fewest;
        const auto overNetwork = [&](const Part& part) {
            return farthest > 0 ? bytes * traffic_.networkShare * (ranks - part.members) / farthest : 0;
        };
        for (const int gpu : members_) {
            const double out = overNetwork(parts_[at(partOfDomain_[at(fabric_.domainOf(gpu))])]);
            send(gpu, bytes - out, out);
        }
        const auto upwards = [&](auto each) {
            for (const Part& part : parts_)
                for (int node = part.leaf; node >= 0; node = fabric_.parentOf(node))
                    each(node, part);
        };
        if (parts_.size() > 1) {
            upwards([&](int node, const Part& part) { below_[at(node)] += part.members; });
            upwards([&](int node, const Part& part) {
                trunk_[at(node)] +=
                    part.members * overNetwork(part) * (ranks - below_[at(node)]) / (ranks - part.members);
            });
            upwards([&](int node, const Part&) { below_[at(node)] = 0; });
        }
    }

    void alongPipeline() {
        const double bytes = bytesOn(traffic_, 0);
        for (std::size_t i = 0; i + 1 < members_.size(); ++i)
            bothWays(members_[i], members_[i + 1], bytes);
        if (traffic_.wrapBytes > 0)
            bothWays(members_.back(), members_.front(), traffic_.wrapBytes);
    }
    void bothWays(int a, int b, double bytes) {
        if (fabric_.domainOf(a) == fabric_.domainOf(b)) {
            send(a, bytes, 0);
            send(b, bytes, 0);
            return;
        }
        send(a, 0, bytes);
        send(b, 0, bytes);
        const int leafA = fabric_.leafOf(fabric_.hostOf(a)), leafB = fabric_.leafOf(fabric_.hostOf(b));
        climb(leafA, leafB, bytes);
        climb(leafB, leafA, bytes);
    }

    /// Adds the bytes from one leaf up to the first node above both.
    void climb(int from, int to, double bytes) {
        while (from != to && from >= 0) {
            const int here = fabric_.nodeLayer[at(from)];
            const int there = to < 0 ? -1 : fabric_.nodeLayer[at(to)];
            if (here >= there) {
                trunk_[at(from)] += bytes;
                from = fabric_.parentOf(from);
            }
            if (there >= here)
                to = fabric_.parentOf(to);
        }
    }

    const Fabric& fabric_;
    const Placement& placement_;
    const GroupPattern& pattern_;
    const RankLayout& layout_;
    int firstRank_;
    const GroupTraffic& traffic_;
    std::vector<double>&nvlink_, &nic_, &uplink_, &trunk_;
    std::vector<int> partOfDomain_, members_, below_;
    std::vector<Part> parts_;
};

} // namespace

LinkTraffic::LinkTraffic(const Fabric& fabric)
    : speeds_(fabric.speeds)
    , gpusPerHost_(fabric.gpusPerHost) {
    trunkCapacity_.reserve(at(fabric.nodes()));
    for (int node = 0; node < fabric.nodes(); ++node)
        trunkCapacity_.push_back(fabric.bandwidth({LinkKind::trunk, node}));
}

void LinkTraffic::add(const Fabric& fabric, const Placement& placement, const RankLayout& layout,
                      int firstRank, const std::vector<GroupTraffic>& groups, double stepSeconds) {
    if (placement.ranks() < firstRank + layout.ranks())
        return;
    for (const GroupTraffic& traffic : groups) {
        if (layout.pattern(traffic.kind).ranks > 1) {
            Carried& carried = carried_.emplace_back();
            carried.kind = traffic.kind;
            carried.seconds = traffic.seconds;
            carried.stepSeconds = stepSeconds;
            TrafficWalk(fabric, placement, layout, firstRank, traffic, carried.bytes).walk();
        }
    }
}

double LinkTraffic::capacity(LinkId link) const {
    switch (link.kind) {
    case LinkKind::nvlink:
        return speeds_.nvlinkBandwidth;
    case LinkKind::nic:
        return speeds_.networkBandwidth;
    case LinkKind::uplink:
        return speeds_.networkBandwidth * gpusPerHost_;
    case LinkKind::trunk:
        break;
    }
    return trunkCapacity_[at(link.index)];
}

double LinkTraffic::bytes(LinkId link, GroupKind kind) const {
    double out = 0;
    for (const Carried& carried : carried_)
        out += carried.kind == kind ? carried.bytes[slotOf(link.kind)][at(link.index)] : 0;
    return out;
}

double LinkTraffic::totalBytes(LinkKind link, GroupKind kind) const {
    double out = 0;
    for (const Carried& carried : carried_) {
        const auto& bytes = carried.bytes[slotOf(link)];
        out += carried.kind == kind ? std::accumulate(bytes.begin(), bytes.end(), 0.0) : 0;
    }
    return out;
}

LinkLoad LinkTraffic::load(LinkId link) const {
    LinkLoad out;
    const double rate = capacity(link);
    for (const Carried& carried : carried_) {
        const double bytes = carried.bytes[slotOf(link.kind)][at(link.index)];
        if (bytes <= 0)
            continue;
        out.bytes += bytes;
        out.groups = static_cast<GroupKinds>(out.groups | bitOf(carried.kind));
        if (rate > 0 && carried.stepSeconds > 0)
            out.meanShare += bytes / (rate * carried.stepSeconds);
        if (rate > 0 && carried.seconds > 0)
            out.activeShare = std::max(out.activeShare, bytes / (rate * carried.seconds));
    }
    return out;
}

std::vector<float> LinkTraffic::meanShares(LinkKind kind) const {
    std::vector<float> out;
    for (const Carried& carried : carried_) {
        const auto& bytes = carried.bytes[slotOf(kind)];
        out.resize(bytes.size(), 0);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            const double rate = capacity({kind, static_cast<int>(i)}) * carried.stepSeconds;
            out[i] += rate > 0 ? static_cast<float>(bytes[i] / rate) : 0;
        }
    }
    return out;
}

} // namespace alidade
