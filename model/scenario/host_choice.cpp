// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/host_choice.h"

#include "model/base/text.h"
#include "model/catalog/catalog.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

namespace alidade {

namespace {

constexpr std::string_view catalogHostPrefix = "host-";

/// Looks up hosts by ID or name.
class HostNames {
public:
    HostNames(const Topology* topology, int hosts)
        : topology_(topology)
        , hosts_(hosts) {
        if (!topology)
            return;
        byName_.reserve(2 * topology->hosts.size());
        int index = 0;
        for (const Host& host : topology->hosts)
            byName_.emplace(host.id, index++);
        index = 0;
        for (const Host& host : topology->hosts) // an ID takes precedence over a name
            byName_.emplace(host.name, index++);
    }

    /// Returns -1 if there is no such host.
    int find(const std::string& word) const {
        if (topology_) {
            const auto found = byName_.find(word);
            return found == byName_.end() || word.empty() ? -1 : found->second;
        }
        int number = 0;
        if (word.starts_with(catalogHostPrefix)) {
            const char* end = word.data() + word.size();
            const auto [last, failed] = std::from_chars(word.data() + catalogHostPrefix.size(), end, number);
            number = failed == std::errc() && last == end ? number : 0;
        }
        return number >= 1 && number <= hosts_ ? number - 1 : -1;
    }

    std::string unknown(const std::string& word) const {
        if (!topology_) {
            return "there is no host '" + word +
                   "'; hosts without an imported topology are named host-1 to " + catalogHostName(hosts_ - 1);
        }
        std::vector<std::string> names;
        for (const Host& host : topology_->hosts) {
            names.push_back(host.id);
            if (!host.name.empty() && host.name != host.id)
                names.push_back(host.name);
        }
        const std::string near = nearestName(word, names);
        return "there is no host '" + word + "' in " + topology_->name +
               (near.empty() ? "; use the ID or name of a host" : "; the nearest is '" + near + "'");
    }

private:
    const Topology* topology_;
    int hosts_;
    std::unordered_map<std::string_view, int> byName_;
};

/// Finds the hosts of the topology that do not match the machine. \returns a text about the first one
std::string findUnfit(const Topology& topology, const HostMachine& machine, HostChoice& out) {
    std::string why;
    std::map<std::string, int, std::less<>> types;
    for (std::size_t i = 0; i < topology.hosts.size(); ++i) {
        const Host& host = topology.hosts[i];
        const std::string_view type = plainType(host.instanceType);
        const bool otherType = !machine.type.empty() && !type.empty() && type != machine.type;
        if (!otherType && (host.gpus == 0 || host.gpus == machine.gpus))
            continue;
        out.unfit.push_back(static_cast<int>(i));
        if (otherType)
            ++types[std::string(type)];
        if (why.empty()) {
            why = otherType ? host.id + " is a " + std::string(type) + ", not a " + machine.type
                            : host.id + " has " + std::to_string(host.gpus) + " GPUs, not " +
                                  std::to_string(machine.gpus);
        }
    }
    if (out.unfit.size() == topology.hosts.size() && !types.empty()) {
        const auto most = std::ranges::max_element(types, {}, [](const auto& each) { return each.second; });
        return topology.name + " has no " + machine.type + "; it has " + formatCount(most->second) + " x " +
               most->first + "; use that instance type or leave the topology out";
    }
    return why;
}

void report(HostChoice& out, Severity severity, std::string_view field, std::string message) {
    out.problems.push_back({severity, pointerOf(field), std::move(message), {}});
}

/// Returns the indices of some hosts; reports the first invalid one.
std::vector<int> lookUp(const std::vector<std::string>& words, std::string_view field, const HostNames& names,
                        const std::vector<bool>& unfit, HostChoice& out) {
    std::vector<int> found;
    std::string wrong;
    std::vector<bool> seen(unfit.size(), false);
    for (const std::string& word : words) {
        const int host = names.find(word);
        std::string why;
        if (host < 0) {
            why = names.unknown(word);
        } else if (unfit[static_cast<std::size_t>(host)] && field == "cluster.placement") {
            why = "host '" + word + "' is not of this scenario's machine type; leave it out";
        } else if (seen[static_cast<std::size_t>(host)]) {
            why = "host '" + word + "' is listed twice, by ID and by name; list it once";
        } else {
            seen[static_cast<std::size_t>(host)] = true;
            found.push_back(host);
        }
        if (!why.empty() && wrong.empty())
            wrong = std::move(why);
    }
    if (!wrong.empty()) {
        wrong[0] = wrong[0] == 't' ? 'T' : wrong[0] == 'h' ? 'H' : wrong[0];
        report(out, Severity::error, field, std::move(wrong));
    }
    return found;
}

} // namespace

std::string catalogHostName(int host) { return std::string(catalogHostPrefix) + std::to_string(host + 1); }

std::string_view plainType(std::string_view instanceType) {
    return instanceType.starts_with("ml.") ? instanceType.substr(3) : instanceType;
}

PlacementRequest HostChoice::request(int ranks, bool equalBlocks) const {
    PlacementRequest out{
        .kind = kind, .hosts = listed, .excluded = excluded, .ranks = ranks, .equalBlocks = equalBlocks};
    out.excluded.insert(out.excluded.end(), unfit.begin(), unfit.end());
    return out;
}

HostChoice chooseHosts(const ClusterSpec& cluster, const Topology* topology, const HostMachine& machine) {
    HostChoice out;
    const int hosts = topology ? static_cast<int>(topology->hosts.size()) : machine.hosts;
    std::string why = topology ? findUnfit(*topology, machine, out) : std::string();
    out.fit = hosts - static_cast<int>(out.unfit.size());
    if (hosts == 0) {
        report(out, Severity::error, "cluster.topology", topology->name + " has no hosts");
    } else if (!why.empty()) {
        const bool none = out.fit == 0;
        report(out, none ? Severity::error : Severity::warning, "cluster.topology",
               none ? why
                    : formatCount(static_cast<std::int64_t>(out.unfit.size())) + " of the " +
                          formatCount(hosts) + " hosts of " + topology->name + " are left out: " + why);
    }
    const std::vector<std::string> packed{"packed"};
    const std::vector<std::string>& words = cluster.placement ? *cluster.placement : packed;
    const bool list = words != packed && words != std::vector<std::string>{"sorted"};
    out.kind = list ? PlacementKind::list : words == packed ? PlacementKind::packed : PlacementKind::sorted;
    out.usable = out.fit;
    // If no host fits, there is nothing more to check.
    if (out.fit == 0 || (!list && !cluster.excludedHosts))
        return out;
    const HostNames names(topology, hosts);
    std::vector<bool> blocked(static_cast<std::size_t>(hosts), false);
    for (const int host : out.unfit)
        blocked[static_cast<std::size_t>(host)] = true;
    if (list)
        out.listed = lookUp(words, "cluster.placement", names, blocked, out);
    if (cluster.excludedHosts) {
        out.excluded = lookUp(*cluster.excludedHosts, "cluster.excluded_hosts", names, blocked, out);
        for (const int host : out.excluded)
            blocked[static_cast<std::size_t>(host)] = true;
    }
    const auto open = [&blocked](int host) { return !blocked[static_cast<std::size_t>(host)]; };
    out.usable =
        static_cast<int>(list ? std::ranges::count_if(out.listed, open) : std::ranges::count(blocked, false));
    const bool isWrong = std::ranges::any_of(
        out.problems, [](const Problem& each) { return each.severity == Severity::error; });
    if (out.usable == 0 && !isWrong) {
        const std::string which = list           ? "Every host of cluster.placement is"
                                  : out.fit == 1 ? "The only host is"
                                                 : "All " + formatCount(out.fit) + " hosts are";
        report(out, Severity::error, "cluster.excluded_hosts", which + " excluded; keep at least one");
    }
    return out;
}

} // namespace alidade
