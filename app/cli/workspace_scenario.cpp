// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/workspace_scenario.h"

#include "app/cli/inputs.h"
#include "app/cli/messages.h"
#include "data/catalog/profile_json.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/scenario/scenario_json.h"
#include "data/workspace/library.h"
#include "data/workspace/workspace.h"
#include "data/workspace/workspace_catalog.h"

#include <QFileInfo>

#include <cstdio>

namespace alidade::cli {

namespace {

constexpr std::string_view suffix = ".alidade";

std::shared_ptr<const data::WorkspaceContent> contentOfWorkspace(const std::string& file) {
    noteInput(file);
    data::Workspace::Opening opening =
        data::Workspace::open(file, {.access = data::WorkspaceOptions::Access::read});
    if (opening.fault) {
        using Kind = data::WorkspaceFault::Kind;
        const Kind kind = opening.fault->kind;
        const bool wrongFile = kind == Kind::missing || kind == Kind::notWorkspace || kind == Kind::damaged;
        throw Failure(wrongFile ? Failure::request : Failure::environment, opening.fault->message);
    }
    if (!opening.notice.empty())
        warn(opening.notice);
    return std::make_shared<const data::WorkspaceContent>(std::move(opening.content));
}

} // namespace

std::optional<WorkspaceReference> workspaceReference(const std::string& argument) {
    const std::size_t end = argument.find(std::string(suffix) + "#");
    if (end == std::string::npos || QFileInfo::exists(QString::fromStdString(argument)))
        return std::nullopt;
    const std::size_t hash = end + suffix.size();
    return WorkspaceReference{argument.substr(0, hash), argument.substr(hash + 1)};
}

OpenedScenario openWorkspaceScenario(const std::string& argument, const WorkspaceReference& reference) {
    if (reference.name.empty())
        refuseWorkspaceWithoutName(reference.file);
    OpenedScenario out;
    out.workspace = contentOfWorkspace(reference.file);
    const auto scenario = data::scenarioNamed(*out.workspace, reference.name);
    if (!scenario)
        throw Failure(Failure::request, reference.file + ": " + scenario.error());
    Result<ScenarioSpec> spec = data::specOf(**scenario);
    if (!spec)
        throw Failure(Failure::request, reference.file + "#" + spec.error());
    out.file = argument;
    out.name = (*scenario)->name;
    out.spec = *std::move(spec);
    return out;
}

void refuseWorkspaceWithoutName(const std::string& file) {
    const auto content = contentOfWorkspace(file);
    const auto scenarios = data::findScenarios(*content, {});
    throw Failure(Failure::request, file + ": is a workspace" +
                                        (scenarios.empty() ? ", and has no scenario; add one in the window"
                                                           : "; name one of its scenarios, '" + file + "#" +
                                                                 scenarios.front()->name + "'"));
}

std::shared_ptr<const Catalog> workspaceCatalog(const std::shared_ptr<const Catalog>& shipped,
                                                const OpenedScenario& scenario, bool shippedAlone) {
    const auto warnOf = [&](const std::string& text) { warn(scenario.file + ": " + text); };
    const data::StoredChanges stored =
        shippedAlone ? data::StoredChanges() : data::changesIn(*scenario.workspace);
    const data::AppliedCatalog applied = data::applyChanges(shipped, stored.user);
    for (const std::string& fault : stored.faults)
        warnOf(fault);
    for (const data::SetAside& aside : applied.setAside)
        warnOf(aside.message);
    const std::optional<std::string>& name = scenario.spec.cluster.topology;
    if (!name || !data::hasTopology(*scenario.workspace, *name))
        return applied.catalog;
    Result<Topology> topology = data::topologyIn(*scenario.workspace, *name);
    if (!topology)
        throw Failure(Failure::request, scenario.file + ":/cluster/topology: " + topology.error());
    auto out = std::make_shared<Catalog>(*applied.catalog);
    out->topologies.push_back(*std::move(topology));
    return out;
}

std::optional<Profile> workspaceProfile(const OpenedScenario& scenario, const std::string& name) {
    if (scenario.workspace == nullptr)
        return std::nullopt;
    for (const data::StoredDocument* each :
         data::documentsOf(*scenario.workspace, data::DocumentKind::profile)) {
        if (each->name != name)
            continue;
        const Result<nlohmann::json> document = data::parseJson(each->json);
        if (!document)
            throw Failure(Failure::request, scenario.file + ": profile '" + name + "': " + document.error());
        std::vector<data::JsonFault> faults;
        if (std::optional<Profile> profile = data::readProfile(*document, {}, faults))
            return profile;
        throw Failure(Failure::request,
                      data::faultText(scenario.file + ": profile '" + name + "'", faults.front()));
    }
    return std::nullopt;
}

} // namespace alidade::cli
