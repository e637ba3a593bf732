// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/reader.h"
#include "data/workspace/library.h"

#include <QString>
#include <QStringList>

#include <algorithm>
#include <set>
#include <tuple>

namespace alidade::data {

namespace {

QString folded(const std::string& text) { return QString::fromStdString(text).toCaseFolded(); }

/// Not deleted, of one place, in order.
template <class T, class Belongs, class Before>
std::vector<const T*> sorted(const std::map<WorkspaceId, T>& all, Belongs belongs, Before before) {
    std::vector<const T*> out;
    for (const auto& [id, each] : all)
        if (each.deletedMs == 0 && belongs(each))
            out.push_back(&each);
    std::sort(out.begin(), out.end(), [&](const T* a, const T* b) { return before(*a, *b); });
    return out;
}

constexpr auto byPosition = [](const auto& a, const auto& b) {
    return std::tie(a.position, a.name, a.id) < std::tie(b.position, b.name, b.id);
};

/// What a word of a search may look at.
struct Searched {
    QString name, tags, model, machine, folder;

    bool has(const QString& word) const {
        const auto after = [&](const char* prefix) {
            const QString text = QString::fromLatin1(prefix);
            return word.startsWith(text) ? word.mid(text.size()) : QString();
        };
        if (const QString tag = after("tag:"); !tag.isEmpty())
            return tags.contains(tag);
        if (const QString wanted = after("model:"); !wanted.isEmpty())
            return model.contains(wanted);
        return name.contains(word) || tags.contains(word) || model.contains(word) || machine.contains(word) ||
               folder.contains(word);
    }
};

std::string fullName(const WorkspaceContent& content, const StoredScenario& scenario) {
    const std::string path = folderPath(content, scenario.folder);
    return path.empty() ? scenario.name : path + "/" + scenario.name;
}

} // namespace

std::vector<const Folder*> foldersIn(const WorkspaceContent& content, WorkspaceId parent) {
    return sorted(content.folders, [&](const Folder& each) { return each.parent == parent; }, byPosition);
}

std::vector<const StoredScenario*> scenariosIn(const WorkspaceContent& content, WorkspaceId folder) {
    return sorted(
        content.scenarios, [&](const StoredScenario& each) { return each.folder == folder; }, byPosition);
}

std::vector<const StoredDocument*> documentsOf(const WorkspaceContent& content, DocumentKind kind) {
    return sorted(
        content.documents, [&](const StoredDocument& each) { return each.kind == kind; },
        [](const StoredDocument& a, const StoredDocument& b) {
            return std::tie(a.position, a.id) < std::tie(b.position, b.id);
        });
}

std::vector<std::string> tagsInUse(const WorkspaceContent& content) {
    std::set<std::string> out;
    for (const auto& [id, scenario] : content.scenarios)
        if (scenario.deletedMs == 0)
            out.insert(scenario.tags.begin(), scenario.tags.end());
    return {out.begin(), out.end()};
}

std::string folderPath(const WorkspaceContent& content, WorkspaceId folder) {
    std::string out;
    for (std::size_t steps = 0; folder != 0 && steps <= content.folders.size(); ++steps) {
        const auto found = content.folders.find(folder);
        if (found == content.folders.end())
            break;
        out = out.empty() ? found->second.name : found->second.name + "/" + out;
        folder = found->second.parent;
    }
    return out;
}

std::vector<const StoredScenario*> findScenarios(const WorkspaceContent& content, std::string_view text) {
    const QString whole = folded(std::string(text)).simplified();
    const QStringList words = whole.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    struct Hit {
        const StoredScenario* scenario;
        bool first;
    };
    std::vector<Hit> hits;
    for (const auto& [id, scenario] : content.scenarios) {
        if (scenario.deletedMs != 0)
            continue;
        QString tags;
        for (const std::string& tag : scenario.tags)
            tags += folded(tag) + QLatin1Char('\n');
        const Searched searched{folded(scenario.name), tags, folded(scenario.model), folded(scenario.machine),
                                folded(folderPath(content, scenario.folder))};
        if (std::all_of(words.begin(), words.end(), [&](const QString& word) { return searched.has(word); }))
            hits.push_back({&scenario, !whole.isEmpty() && searched.name.startsWith(whole)});
    }
    std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
        return std::tuple(!a.first, -a.scenario->changedMs, a.scenario->id) <
               std::tuple(!b.first, -b.scenario->changedMs, b.scenario->id);
    });
    std::vector<const StoredScenario*> out;
    for (const Hit& hit : hits)
        out.push_back(hit.scenario);
    return out;
}

Result<const StoredScenario*> scenarioNamed(const WorkspaceContent& content, std::string_view name) {
    std::vector<const StoredScenario*> exact; // by the whole path, which goes before a name in some folder
    std::vector<const StoredScenario*> found;
    std::vector<std::string> known;
    for (const auto& [id, scenario] : content.scenarios) {
        if (scenario.deletedMs != 0)
            continue;
        const std::string full = fullName(content, scenario);
        if (full == name)
            exact.push_back(&scenario);
        else if (scenario.name == name)
            found.push_back(&scenario);
        known.push_back(scenario.name);
        if (full != scenario.name)
            known.push_back(full);
    }
    if (exact.size() == 1)
        return exact.front();
    if (exact.size() > 1)
        return Error{"there are " + std::to_string(exact.size()) + " scenarios '" + std::string(name) +
                     "' in one folder; rename one of them"};
    if (found.size() == 1)
        return found.front();
    if (found.empty())
        return Error{"there is no scenario '" + std::string(name) + "'" + suggestion(name, known)};
    std::string which;
    for (const StoredScenario* each : found)
        which += (which.empty() ? "" : " or ") + ("'" + fullName(content, *each) + "'");
    return Error{"there are " + std::to_string(found.size()) + " scenarios '" + std::string(name) +
                 "'; write " + which};
}

} // namespace alidade::data
