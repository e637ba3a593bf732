// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/reader.h"
#include "data/topology/reported.h"

#include <algorithm>
#include <unordered_map>

namespace alidade::data {

namespace {

std::string_view shortName(std::string_view name) { return name.substr(0, name.find('.')); }

void fillIn(std::string& value, const std::string& other) {
    if (value.empty())
        value = other;
}

/// Adds what a second report says of a host; the first keeps its name, type and NVLink domain.
void enrich(ReportedHost& host, const ReportedHost& other) {
    if (host.host.name == host.host.id)
        host.host.name = other.host.name;
    fillIn(host.host.instanceType, other.host.instanceType);
    fillIn(host.host.zone, other.host.zone);
    fillIn(host.host.domain, other.host.domain);
    host.host.gpus = host.host.gpus == 0 ? other.host.gpus : host.host.gpus;
}

const std::string& leafOf(const ReportedHost& host) {
    static const std::string none;
    return host.path.empty() ? none : host.path.back();
}

/// Hosts of one leaf in the first report that the second puts below two, or the other way round.
bool leavesDisagree(const std::vector<std::pair<std::string, std::string>>& leaves) {
    std::unordered_map<std::string, std::string> there, back;
    return std::ranges::any_of(leaves, [&](const auto& pair) {
        return there.try_emplace(pair.first, pair.second).first->second != pair.second ||
               back.try_emplace(pair.second, pair.first).first->second != pair.first;
    });
}

std::string some(std::size_t count, const std::string& what, const std::string& example) {
    return std::to_string(count) + (count == 1 ? " host " : " hosts ") + what + " (such as " + example +
           ") " + (count == 1 ? "is" : "are") + " left out.";
}

TopologyReport mergeTwo(TopologyReport first, const TopologyReport& second,
                        std::vector<std::string>& faults) {
    std::unordered_map<std::string_view, std::size_t> known;
    for (std::size_t i = 0; i < first.hosts.size(); ++i) {
        const Host& host = first.hosts[i].host;
        known.try_emplace(host.id, i);
        known.try_emplace(host.name, i);
        known.try_emplace(shortName(host.name), i);
    }
    std::vector<std::size_t> order; // the second's: a scheduler's file is what people order by
    std::vector<const ReportedHost*> partner(first.hosts.size(), nullptr);
    std::vector<std::pair<std::string, std::string>> leaves;
    const ReportedHost* strange = nullptr;
    for (const ReportedHost& other : second.hosts) {
        auto found = known.find(other.host.id);
        for (const std::string_view name : {std::string_view(other.host.name), shortName(other.host.name)})
            found = found == known.end() ? known.find(name) : found;
        if (found == known.end() || partner[found->second] != nullptr) {
            strange = strange == nullptr ? &other : strange;
            continue;
        }
        partner[found->second] = &other;
        order.push_back(found->second);
        const ReportedHost& mine = first.hosts[found->second];
        // Blocks are sizes that jobs are planned in; they need not be switches.
        if (!mine.path.empty() && !other.path.empty() && second.origin != TopologyOrigin::slurmBlock)
            leaves.emplace_back(leafOf(mine), leafOf(other));
    }
    TopologyReport out = std::move(first);
    if (order.empty()) {
        addFault(faults,
                 second.files.front() + ": none of its hosts is in " + out.files.front() +
                     " by id or name; import them one by one, or add the file that knows both names (kubectl "
                     "get nodes -o json)");
        return out;
    }
    // Switches of two origins have different names: all are the first's, or all the second's.
    const bool hasSwitches =
        std::ranges::any_of(out.hosts, [](const auto& each) { return !each.path.empty(); });
    std::vector<ReportedHost> hosts;
    for (const std::size_t i : order) {
        enrich(out.hosts[i], *partner[i]);
        if (!hasSwitches)
            out.hosts[i].path = partner[i]->path;
        hosts.push_back(std::move(out.hosts[i]));
    }
    for (std::size_t i = 0; i < partner.size(); ++i) {
        if (partner[i] == nullptr) {
            out.notes.push_back(some(partner.size() - order.size(), "that " + second.files.front() + " lacks",
                                     out.hosts[i].host.name));
            break;
        }
    }
    if (strange != nullptr) {
        out.notes.push_back(some(second.hosts.size() - order.size(), "that " + out.files.front() + " lacks",
                                 strange->host.name));
    }
    if (leavesDisagree(leaves)) {
        out.notes.push_back(out.files.front() + " and " + second.files.front() +
                            " divide the hosts among leaves differently; the switches of " +
                            out.files.front() + " are taken.");
    }
    out.hosts = std::move(hosts);
    std::ranges::copy(second.files, std::back_inserter(out.files));
    std::ranges::copy(second.notes, std::back_inserter(out.notes));
    out.incomplete = out.incomplete || second.incomplete;
    return out;
}

} // namespace

std::optional<TopologyReport> mergeReports(std::vector<TopologyReport> reports,
                                           std::vector<std::string>& faults) {
    const std::size_t before = faultCount(faults);
    std::ranges::stable_sort(reports, std::less(), &TopologyReport::origin);
    std::optional<TopologyReport> out;
    for (TopologyReport& report : reports)
        out = out ? mergeTwo(*std::move(out), report, faults) : std::move(report);
    return faultCount(faults) == before ? std::move(out) : std::nullopt;
}

} // namespace alidade::data
