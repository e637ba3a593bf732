// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/topology_words.h"

#include "model/topology/topology.h"
#include "views/document/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>

namespace alidade::views {
namespace {

struct TopologyWords {
    Q_DECLARE_TR_FUNCTIONS(TopologyWords)
};

/// The type that most hosts have, and how many; those without a type have none.
std::pair<std::string, int> mostFrequentType(const Topology& topology) {
    std::map<std::string_view, int> types;
    for (const Host& host : topology.hosts)
        if (!host.instanceType.empty())
            ++types[host.instanceType];
    const auto most = std::ranges::max_element(types, {}, [](const auto& each) { return each.second; });
    return most == types.end() ? std::pair(std::string(), 0)
                               : std::pair(std::string(most->first), most->second);
}

} // namespace

QString topologyHosts(const Topology& topology) {
    const auto hosts = static_cast<int>(topology.hosts.size());
    const auto [type, count] = mostFrequentType(topology);
    if (count == 0)
        return counted(hosts, TopologyWords::tr("host"), TopologyWords::tr("hosts"));
    const QString machines = TopologyWords::tr("%L1 × %2").arg(count).arg(text(type));
    return count == hosts ? machines
                          : TopologyWords::tr("%1 and %2")
                                .arg(machines, counted(hosts - count, TopologyWords::tr("other"),
                                                       TopologyWords::tr("others")));
}

} // namespace alidade::views
