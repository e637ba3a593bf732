// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/library.h"

#include "data/scenario/scenario_json.h"

#include <algorithm>
#include <set>

namespace alidade::data {

namespace {

WorkspaceId nextId(const WorkspaceContent& content, UtcMs now) { return std::max(content.lastId + 1, now); }

const StoredScenario* scenarioOf(const WorkspaceContent& content, WorkspaceId id) {
    const auto found = content.scenarios.find(id);
    return found == content.scenarios.end() ? nullptr : &found->second;
}

const Folder* folderOf(const WorkspaceContent& content, WorkspaceId id) {
    const auto found = content.folders.find(id);
    return found == content.folders.end() ? nullptr : &found->second;
}

/// "Name", or "Name 2" where that is taken.
std::string freeName(const std::set<std::string>& taken, std::string_view wanted) {
    const std::string base(wanted.empty() ? "Untitled" : wanted);
    std::string name = base;
    for (int number = 2; taken.contains(name); ++number)
        name = base + " " + std::to_string(number);
    return name;
}

std::string freeScenarioName(const WorkspaceContent& content, WorkspaceId folder, std::string_view wanted,
                             WorkspaceId besides = 0) {
    std::set<std::string> taken;
    for (const StoredScenario* each : scenariosIn(content, folder))
        if (each->id != besides)
            taken.insert(each->name);
    return freeName(taken, wanted);
}

std::string freeFolderName(const WorkspaceContent& content, WorkspaceId parent, std::string_view wanted,
                           WorkspaceId besides = 0) {
    std::set<std::string> taken;
    for (const Folder* each : foldersIn(content, parent))
        if (each->id != besides)
            taken.insert(each->name);
    return freeName(taken, wanted);
}

std::string machineOf(const ClusterSpec& cluster) {
    const auto times = [](const std::optional<std::int64_t>& count, const std::string& what) {
        return count ? std::to_string(*count) + " x " + what : what;
    };
    if (cluster.instance)
        return times(cluster.instances, *cluster.instance);
    if (cluster.ultraserver)
        return times(cluster.ultraservers, *cluster.ultraserver);
    return cluster.custom.gpu ? times(cluster.gpus, *cluster.custom.gpu) : std::string();
}

/// Takes what lists and searches show from the spec.
void describe(StoredScenario& scenario, const ScenarioSpec& spec) {
    scenario.model =
        spec.workload.model ? *spec.workload.model
        : spec.workload.architecture
            ? spec.workload.architecture->id.empty() ? "own architecture" : spec.workload.architecture->id
            : std::string();
    scenario.machine = machineOf(spec.cluster);
    scenario.json = writeScenario(spec);
}

template <class T>
std::int64_t behind(const std::vector<const T*>& all) {
    std::int64_t out = 0;
    for (const T* each : all)
        out = std::max(out, each->position + 1);
    return out;
}

AddVersion versionOf(const StoredScenario& scenario, std::string_view text, UtcMs now) {
    return {{.scenario = scenario.id,
             .number = scenario.version,
             .timeMs = now,
             .text = std::string(text),
             .name = {},
             .json = scenario.json}};
}

/// Puts `moved` at a place among the others, with positions 0, 1, 2, ... where they are not so already.
template <class T, class Change>
WorkspaceEdit placed(std::vector<const T*> others, T moved, std::size_t position, Change change) {
    std::erase_if(others, [&](const T* each) { return each->id == moved.id; });
    position = std::min(position, others.size());
    WorkspaceEdit out;
    moved.position = static_cast<std::int64_t>(position);
    out.changes.push_back(change(std::move(moved)));
    for (std::size_t i = 0; i < others.size(); ++i) {
        const auto wanted = static_cast<std::int64_t>(i < position ? i : i + 1);
        if (others[i]->position != wanted) {
            T shifted = *others[i];
            shifted.position = wanted;
            out.changes.push_back(change(std::move(shifted)));
        }
    }
    return out;
}

WorkspaceChange putScenario(StoredScenario scenario) { return PutScenario{std::move(scenario)}; }
WorkspaceChange putFolder(Folder folder) { return PutFolder{std::move(folder)}; }

bool liesIn(const WorkspaceContent& content, WorkspaceId folder, WorkspaceId ancestor) {
    for (std::size_t steps = 0; folder != 0 && steps <= content.folders.size(); ++steps) {
        if (folder == ancestor)
            return true;
        const Folder* each = folderOf(content, folder);
        folder = each == nullptr ? 0 : each->parent;
    }
    return false;
}

} // namespace

WorkspaceEdit addScenario(const WorkspaceContent& content, WorkspaceId folder, const ScenarioSpec& spec,
                          std::string_view name, std::string_view text, UtcMs now) {
    StoredScenario scenario;
    scenario.id = nextId(content, now);
    scenario.folder = folder;
    scenario.position = behind(scenariosIn(content, folder));
    scenario.name = freeScenarioName(content, folder,
                                     spec.name && !spec.name->empty() ? std::string_view(*spec.name) : name);
    scenario.version = 1;
    scenario.createdMs = scenario.changedMs = now;
    ScenarioSpec named = spec;
    named.name = scenario.name;
    describe(scenario, named);
    WorkspaceEdit out;
    out.changes.emplace_back(PutScenario{scenario});
    out.changes.emplace_back(versionOf(scenario, text, now));
    return out;
}

WorkspaceId addedId(const WorkspaceEdit& edit) {
    if (edit.changes.empty())
        return 0;
    const WorkspaceChange& first = edit.changes.front();
    if (const auto* scenario = std::get_if<PutScenario>(&first))
        return scenario->scenario.id;
    if (const auto* folder = std::get_if<PutFolder>(&first))
        return folder->folder.id;
    if (const auto* document = std::get_if<PutDocument>(&first))
        return document->document.id;
    return 0;
}

WorkspaceEdit changeScenario(const WorkspaceContent& content, WorkspaceId scenario, const ScenarioSpec& spec,
                             std::string_view text, UtcMs now) {
    const StoredScenario* before = scenarioOf(content, scenario);
    if (before == nullptr)
        return {};
    StoredScenario after = *before;
    ScenarioSpec named = spec;
    if (spec.name && !spec.name->empty())
        after.name = *spec.name;
    else
        named.name = after.name; // so that its history tells it too
    describe(after, named);
    after.version += 1;
    after.changedMs = now;
    WorkspaceEdit out;
    out.changes.emplace_back(PutScenario{after});
    out.changes.emplace_back(versionOf(after, text, now));
    return out;
}

WorkspaceEdit nameVersion(const WorkspaceContent& content, WorkspaceId scenario, std::string_view name) {
    const StoredScenario* found = scenarioOf(content, scenario);
    if (found == nullptr)
        return {};
    return {{NameVersion{scenario, found->version, std::string(name)}}};
}

WorkspaceEdit renameScenario(const WorkspaceContent& content, WorkspaceId scenario, std::string_view name,
                             UtcMs now) {
    const StoredScenario* before = scenarioOf(content, scenario);
    const std::string free =
        before == nullptr ? std::string() : freeScenarioName(content, before->folder, name, scenario);
    if (before == nullptr || free == before->name)
        return {};
    Result<ScenarioSpec> spec = specOf(*before);
    if (spec) {
        ScenarioSpec renamed = *std::move(spec);
        renamed.name = free;
        return changeScenario(content, scenario, renamed, "Renamed to " + free, now);
    }
    StoredScenario after = *before; // its content is of another version: it keeps what it has
    after.name = free;
    after.changedMs = now;
    return {{PutScenario{after}}};
}

WorkspaceEdit setTags(const WorkspaceContent& content, WorkspaceId scenario, std::vector<std::string> tags,
                      UtcMs now) {
    const StoredScenario* before = scenarioOf(content, scenario);
    if (before == nullptr)
        return {};
    std::sort(tags.begin(), tags.end());
    tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
    StoredScenario after = *before;
    after.tags = std::move(tags);
    after.changedMs = now;
    return {{PutScenario{after}}};
}

WorkspaceEdit duplicateScenario(const WorkspaceContent& content, WorkspaceId scenario, UtcMs now) {
    const StoredScenario* original = scenarioOf(content, scenario);
    if (original == nullptr)
        return {};
    StoredScenario copy = *original;
    copy.id = nextId(content, now);
    copy.name = freeScenarioName(content, original->folder, original->name);
    copy.version = 1;
    copy.createdMs = copy.changedMs = now;
    copy.deletedMs = 0;
    if (Result<ScenarioSpec> spec = specOf(*original)) {
        ScenarioSpec renamed = *std::move(spec);
        renamed.name = copy.name;
        describe(copy, renamed);
    }
    const auto siblings = scenariosIn(content, original->folder);
    const auto place = std::find(siblings.begin(), siblings.end(), original);
    WorkspaceEdit out =
        placed(siblings, copy, static_cast<std::size_t>(place - siblings.begin()) + 1, putScenario);
    out.changes.emplace_back(versionOf(copy, "Copy of " + original->name, now));
    return out;
}

WorkspaceEdit moveScenario(const WorkspaceContent& content, WorkspaceId scenario, WorkspaceId folder,
                           std::size_t position, UtcMs now) {
    const StoredScenario* before = scenarioOf(content, scenario);
    if (before == nullptr || (folder != 0 && folderOf(content, folder) == nullptr))
        return {};
    StoredScenario after = *before;
    if (after.folder != folder)
        after.changedMs = now;
    after.folder = folder;
    return placed(scenariosIn(content, folder), after, position, putScenario);
}

WorkspaceEdit addFolder(const WorkspaceContent& content, WorkspaceId parent, std::string_view name,
                        UtcMs now) {
    Folder folder;
    folder.id = nextId(content, now);
    folder.parent = parent;
    folder.position = behind(foldersIn(content, parent));
    folder.name = freeFolderName(content, parent, name);
    folder.createdMs = folder.changedMs = now;
    return {{PutFolder{folder}}};
}

WorkspaceEdit renameFolder(const WorkspaceContent& content, WorkspaceId folder, std::string_view name,
                           UtcMs now) {
    const Folder* before = folderOf(content, folder);
    if (before == nullptr)
        return {};
    Folder after = *before;
    after.name = freeFolderName(content, before->parent, name, folder);
    if (after.name == before->name)
        return {};
    after.changedMs = now;
    return {{PutFolder{after}}};
}

WorkspaceEdit moveFolder(const WorkspaceContent& content, WorkspaceId folder, WorkspaceId parent,
                         std::size_t position, UtcMs now) {
    const Folder* before = folderOf(content, folder);
    if (before == nullptr || (parent != 0 && folderOf(content, parent) == nullptr) ||
        liesIn(content, parent, folder))
        return {};
    Folder after = *before;
    if (after.parent != parent)
        after.changedMs = now;
    after.parent = parent;
    return placed(foldersIn(content, parent), after, position, putFolder);
}

WorkspaceEdit remove(const WorkspaceContent& content, WorkspaceId id, UtcMs now) {
    WorkspaceEdit out;
    const auto mark = [&](const auto& each, auto change) {
        if (each.deletedMs != 0)
            return;
        auto gone = each;
        gone.deletedMs = now;
        out.changes.push_back(change(std::move(gone)));
    };
    if (const StoredScenario* scenario = scenarioOf(content, id))
        mark(*scenario, putScenario);
    if (const auto found = content.documents.find(id); found != content.documents.end())
        mark(found->second, [](StoredDocument document) -> WorkspaceChange {
            return PutDocument{std::move(document), std::nullopt};
        });
    if (folderOf(content, id) != nullptr) {
        for (const auto& [each, folder] : content.folders)
            if (liesIn(content, each, id))
                mark(folder, putFolder);
        for (const auto& [each, scenario] : content.scenarios)
            if (liesIn(content, scenario.folder, id))
                mark(scenario, putScenario);
    }
    return out;
}

WorkspaceEdit restore(const WorkspaceContent& content, WorkspaceId id, UtcMs now) {
    WorkspaceEdit out;
    const auto mark = [&](const auto& each, auto change) {
        if (each.deletedMs == 0)
            return;
        auto back = each;
        back.deletedMs = 0;
        back.changedMs = now;
        out.changes.push_back(change(std::move(back)));
    };
    const auto markAbove = [&](WorkspaceId folder) {
        for (std::size_t steps = 0; folder != 0 && steps <= content.folders.size(); ++steps) {
            const Folder& each = content.folders.at(folder);
            mark(each, putFolder);
            folder = each.parent;
        }
    };
    if (const StoredScenario* scenario = scenarioOf(content, id)) {
        markAbove(scenario->folder);
        mark(*scenario, putScenario);
    }
    if (const auto found = content.documents.find(id); found != content.documents.end())
        mark(found->second, [](StoredDocument document) -> WorkspaceChange {
            return PutDocument{std::move(document), std::nullopt};
        });
    if (const Folder* folder = folderOf(content, id)) {
        // What went together comes back together.
        const UtcMs time = folder->deletedMs;
        markAbove(folder->parent);
        for (const auto& [each, inner] : content.folders)
            if (inner.deletedMs == time && liesIn(content, each, id))
                mark(inner, putFolder);
        for (const auto& [each, scenario] : content.scenarios)
            if (scenario.deletedMs == time && liesIn(content, scenario.folder, id))
                mark(scenario, putScenario);
    }
    return out;
}

WorkspaceEdit purgeDeleted(const WorkspaceContent& content, UtcMs before) {
    WorkspaceEdit out;
    const auto isOld = [&](const auto& each) { return each.deletedMs != 0 && each.deletedMs < before; };
    std::set<WorkspaceId> kept; // folders in which something stays
    const auto keep = [&](WorkspaceId folder) {
        while (folder != 0 && kept.insert(folder).second)
            folder = content.folders.at(folder).parent;
    };
    for (const auto& [id, scenario] : content.scenarios)
        if (isOld(scenario))
            out.changes.emplace_back(Purge{id});
        else
            keep(scenario.folder);
    for (const auto& [id, document] : content.documents)
        if (isOld(document))
            out.changes.emplace_back(Purge{id});
    std::vector<std::pair<std::size_t, WorkspaceId>> folders; // by depth: the inner ones go first
    for (const auto& [id, folder] : content.folders)
        if (!isOld(folder))
            keep(id);
    for (const auto& [id, folder] : content.folders) {
        if (kept.contains(id))
            continue;
        std::size_t depth = 0;
        for (WorkspaceId at = folder.parent; at != 0; at = content.folders.at(at).parent)
            ++depth;
        folders.emplace_back(depth, id);
    }
    std::sort(folders.rbegin(), folders.rend());
    for (const auto& [depth, id] : folders)
        out.changes.emplace_back(Purge{id});
    return out;
}

WorkspaceEdit addDocument(const WorkspaceContent& content, DocumentKind kind, std::string_view name,
                          std::string json, std::string body, UtcMs now) {
    StoredDocument document;
    document.id = nextId(content, now);
    document.kind = kind;
    document.position = behind(documentsOf(content, kind));
    document.name = name;
    document.json = std::move(json);
    document.bodyBytes = static_cast<std::int64_t>(body.size());
    document.createdMs = document.changedMs = now;
    return {{PutDocument{std::move(document), std::move(body)}}};
}

WorkspaceEdit changeDocument(const WorkspaceContent& content, WorkspaceId document, std::string_view name,
                             std::string json, UtcMs now) {
    const auto found = content.documents.find(document);
    if (found == content.documents.end())
        return {};
    StoredDocument after = found->second;
    after.name = name;
    after.json = std::move(json);
    after.changedMs = now;
    return {{PutDocument{std::move(after), std::nullopt}}};
}

Result<ScenarioSpec> specOf(const StoredScenario& scenario) {
    return readScenario(scenario.json, scenario.name);
}

} // namespace alidade::data
