// SPDX-License-Identifier: GPL-3.0-or-later
// The hosts of a running job in a topology.
#include "data/jobs/job_reader.h"
#include "model/scenario/host_choice.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace alidade::data {

using namespace handoff;

namespace {

/// "ip-10-0-0-1" of "ip-10-0-0-1.us-west-2.compute.internal"; an address stays whole.
std::string_view withoutDomain(std::string_view host) {
    const std::string_view first = host.substr(0, host.find('.'));
    return first.find_first_not_of("0123456789") == std::string_view::npos ? host : first;
}

/// Hosts of a topology by id, by name, and by both without their domains; of equal ones the first counts.
std::map<std::string, const Host*, std::less<>> hostsByName(const Topology& topology) {
    std::map<std::string, const Host*, std::less<>> out;
    for (const Host& host : topology.hosts)
        out.emplace(host.id, &host);
    for (const Host& host : topology.hosts)
        out.emplace(host.name, &host);
    for (const Host& host : topology.hosts)
        for (const std::string& name : {host.id, host.name})
            out.emplace(withoutDomain(name), &host);
    out.erase(std::string());
    return out;
}

/// What the job runs on, as the scenario names it.
const Instance* machineOf(const ScenarioSpec& spec, const Catalog& catalog) {
    if (const UltraServer* ultra = catalog.ultraserver(spec.cluster.ultraserver.value_or("")))
        return catalog.instance(ultra->instance);
    return catalog.instance(spec.cluster.instance.value_or(""));
}

/// The instance type that all of the hosts have; empty: none, or several.
std::string commonType(const std::vector<const Host*>& hosts) {
    for (const Host* host : hosts)
        if (host->instanceType != hosts.front()->instanceType)
            return {};
    return hosts.empty() ? std::string() : std::string(plainType(hosts.front()->instanceType));
}

const Host* hostNamed(const std::map<std::string, const Host*, std::less<>>& known, std::string_view name) {
    auto at = known.find(name);
    if (at == known.end())
        at = known.find(withoutDomain(name));
    return at == known.end() ? nullptr : at->second;
}

bool hasHosts(const Topology& topology, const std::vector<std::string>& hosts) {
    const auto known = hostsByName(topology);
    return std::ranges::all_of(hosts,
                               [&](const std::string& each) { return hostNamed(known, each) != nullptr; });
}

/// The hosts of the job in the topology, in the job's order; empty where some are missing, which is said.
std::vector<const Host*> findHosts(JobReader& reader, const Topology& topology) {
    const auto known = hostsByName(topology);
    std::vector<const Host*> found;
    std::vector<std::string> missing;
    for (const std::string& name : reader.out.hosts)
        if (const Host* host = hostNamed(known, name))
            found.push_back(host);
        else
            missing.push_back(name);
    if (missing.empty())
        return found;
    std::vector<std::string> names;
    for (const auto& [name, host] : known)
        names.push_back(name);
    const std::string near = nearestName(missing.front(), names);
    reader.contradict("cluster.placement: the job runs on " + missing.front() +
                      (missing.size() > 1 ? " and " + std::to_string(missing.size() - 1) + " more" : "") +
                      ", which " + topology.name + " does not have" +
                      (near.empty() ? std::string() : "; the nearest is '" + near + "'"));
    return {};
}

/// "gb-2" before "gb-10": numbers in names count as numbers.
bool isEarlier(const std::string& left, const std::string& right) {
    const auto digits = [](const std::string& text, std::size_t at) {
        return std::min(text.find_first_not_of("0123456789", at), text.size()) - at;
    };
    std::size_t a = 0, b = 0;
    while (a < left.size() && b < right.size()) {
        std::size_t inLeft = digits(left, a), inRight = digits(right, b);
        if (inLeft == 0 || inRight == 0) {
            if (left[a] != right[b])
                return left[a] < right[b];
            ++a;
            ++b;
            continue;
        }
        for (; inLeft > 1 && left[a] == '0'; --inLeft)
            ++a;
        for (; inRight > 1 && right[b] == '0'; --inRight)
            ++b;
        if (inLeft != inRight)
            return inLeft < inRight;
        if (const int order = left.compare(a, inLeft, right, b, inRight); order != 0)
            return order < 0;
        a += inLeft;
        b += inRight;
    }
    return left.size() - a < right.size() - b;
}

/// Hosts in the order of their names, so many in each domain.
void fillDomains(std::vector<Host>& hosts, std::int64_t each) {
    std::vector<Host*> order;
    for (Host& host : hosts)
        order.push_back(&host);
    std::ranges::stable_sort(order, [](const Host* a, const Host* b) { return isEarlier(a->name, b->name); });
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i]->domain = "ultraserver-" + std::to_string(i / static_cast<std::size_t>(each) + 1);
}

/// Sets the NVLink domains of hosts that are parts of UltraServers.
/// \returns what is assumed; empty: the job says all
std::string divide(const JobReading& reading, const UltraServer& ultra, std::vector<Host>& hosts) {
    const auto told =
        std::ranges::count_if(hosts, [&](const Host& host) { return reading.domains.contains(host.id); });
    if (told > 0) {
        for (Host& host : hosts)
            if (const auto domain = reading.domains.find(host.id); domain != reading.domains.end())
                host.domain = domain->second;
        const auto alone = static_cast<std::ptrdiff_t>(hosts.size()) - told;
        return alone == 0 ? std::string()
                          : std::to_string(alone) + " of the hosts, of which " + reading.domainsFrom +
                                " says nothing, are NVLink domains by themselves";
    }
    const bool segments = reading.segment > 0 && reading.segment <= ultra.instances;
    const std::int64_t each = segments ? reading.segment : ultra.instances;
    fillDomains(hosts, each);
    if (segments && static_cast<std::int64_t>(hosts.size()) <= each)
        return {};
    return (segments ? "each segment of " + std::to_string(each) + " hosts is in a separate UltraServer"
                     : "each " + std::to_string(each) + " hosts share one " + ultra.id) +
           ", in the order of their names; the job does not say which do";
}

} // namespace

void placeJob(JobReading& reading, const Topology& topology, const std::string& name,
              const Catalog& catalog) {
    const JobFiles noFiles;
    JobReader reader(reading, catalog, noFiles);
    reader.set("cluster.topology", name, topology.name, 0);
    if (reading.hosts.empty()) {
        reader.warn("the job does not say on which hosts of " + topology.name + " it runs: it is placed as " +
                    "the program would");
        return;
    }
    const std::vector<const Host*> hosts = findHosts(reader, topology);
    if (hosts.empty())
        return;
    if (const std::string type = commonType(hosts);
        machineOf(reading.spec, catalog) == nullptr && catalog.instance(type) != nullptr) {
        reader.set("cluster.instance", type, topology.name, 0);
        std::erase_if(reading.asks,
                      [](const std::string& each) { return each.starts_with("cluster.instance"); });
        if (!reading.gpus && !reading.spec.workload.isServing())
            reading.gpus = static_cast<std::int64_t>(hosts.size()) * catalog.instance(type)->gpus;
        reader.conclude();
    }
    const Instance* machine = machineOf(reading.spec, catalog);
    if (machine == nullptr)
        return; // which is asked for
    const auto count = static_cast<std::int64_t>(hosts.size());
    const bool assumed = std::ranges::any_of(
        reading.assumed, [](const ReadField& each) { return each.path == "cluster.instances"; });
    if (assumed || (!reader.has("cluster.instances") && reading.spec.cluster.instance))
        reader.set("cluster.instances", count, "the hosts of the job", 0);
    if (reading.spec.cluster.instances && *reading.spec.cluster.instances != count) {
        reader.contradict("cluster.placement: the job runs on " + std::to_string(count) +
                          " hosts, but the plan has " + std::to_string(*reading.spec.cluster.instances) +
                          " instances");
        return;
    }
    ClusterSpec placed = reading.spec.cluster;
    placed.placement.emplace();
    std::string list;
    for (const Host* host : hosts) {
        placed.placement->push_back(host->id);
        list += (list.empty() ? "" : ",") + host->id;
    }
    bool fits = true;
    for (const Problem& each :
         chooseHosts(placed, &topology, {machine->id, machine->gpus, static_cast<int>(count)}).problems) {
        fits = fits && each.severity != Severity::error;
        if (each.severity == Severity::error)
            reader.contradict("cluster.placement: " + each.message);
        else
            reader.warn(each.message);
    }
    if (fits)
        reader.set("cluster.placement", list, "the hosts of the job", 0);
}

std::optional<Topology> placeRunningJob(JobReading& reading, const std::vector<NamedTopology>& known,
                                        const std::string& newName, const Catalog& catalog) {
    if (reading.hosts.empty())
        return {};
    for (const NamedTopology& each : known)
        if (hasHosts(*each.topology, reading.hosts)) {
            placeJob(reading, *each.topology, each.name, catalog);
            return {};
        }
    const Instance* machine = machineOf(reading.spec, catalog);
    Topology made{.name = newName, .source = "hosts of a running job", .nodes = {}, .hosts = {}};
    std::set<std::string> seen;
    for (const std::string& name : reading.hosts)
        if (seen.insert(name).second) {
            made.hosts.push_back({.id = name, .name = name});
            if (machine != nullptr)
                made.hosts.back().instanceType = machine->id;
        }
    std::string assumption;
    if (const UltraServer* ultra = catalog.ultraserver(reading.spec.cluster.ultraserver.value_or("")))
        assumption = divide(reading, *ultra, made.hosts);
    placeJob(reading, made, newName, catalog);
    if (!assumption.empty()) {
        std::erase_if(reading.understood,
                      [](const ReadField& field) { return field.path == "cluster.topology"; });
        reading.assumed.push_back({"cluster.topology", newName, assumption, 0});
    }
    reading.warnings.push_back("no topology has the hosts of the job: " + newName +
                               " lists them, without the switches between them");
    return made;
}

} // namespace alidade::data
