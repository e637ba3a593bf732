// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/live_exclude.h"

#include "model/catalog/catalog.h"
#include "model/engine/placement_changes.h"
#include "model/scenario/scenario.h"

#include <QCoreApplication>

#include <algorithm>

namespace alidade::app {

namespace {

QString sentence(const char* words) { return QCoreApplication::translate("alidade::app::LiveDesk", words); }

std::string withoutDomain(const std::string& name) { return name.substr(0, name.find('.')); }

} // namespace

Result<Fix> excludeFromPlan(const ScenarioSpec& spec, const Catalog& catalog, const QStringList& hosts) {
    if (!spec.cluster.topology || catalog.topology(*spec.cluster.topology) == nullptr)
        return Error{sentence(QT_TRANSLATE_NOOP("alidade::app::LiveDesk",
                                                "The plan's hosts have no names. Import the topology of the "
                                                "running cluster and use it in the scenario first."))
                         .toStdString()};
    const Result<Scenario> scenario = resolve(spec, catalog, catalog.defaultProfile);
    if (!scenario)
        return Error{scenario.error()};
    const ClusterMap map = clusterMap(*scenario, catalog);
    std::vector<int> found;
    QStringList unknown;
    for (const QString& each : hosts) {
        const std::string name = each.toStdString();
        const auto is = [&](const std::string& other) {
            return other == name || withoutDomain(other) == withoutDomain(name);
        };
        int at = -1;
        for (std::size_t i = 0; i < map.hostNames.size() && at < 0; ++i)
            if (is(map.hostNames[i]) || is(map.hostIds[i]))
                at = static_cast<int>(i);
        if (at < 0)
            unknown.append(each);
        else if (!map.excluded[static_cast<std::size_t>(at)])
            found.push_back(at);
    }
    if (!unknown.isEmpty())
        return Error{
            sentence(QT_TRANSLATE_NOOP("alidade::app::LiveDesk", "The scenario's topology has no host %1."))
                .arg(unknown.join(QStringLiteral(", ")))
                .toStdString()};
    if (found.empty())
        return Error{sentence(QT_TRANSLATE_NOOP("alidade::app::LiveDesk", "They are left out already."))
                         .toStdString()};
    std::ranges::sort(found);
    return excludeHosts(spec, map, found, catalog, catalog.defaultProfile);
}

} // namespace alidade::app
