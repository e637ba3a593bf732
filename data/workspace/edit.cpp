// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/edit.h"

#include <QString>
#include <QStringDecoder>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace alidade::data {

namespace {

std::string named(const char* what, WorkspaceId id) { return std::string(what) + " " + std::to_string(id); }

bool isUtf8(const std::string& text) {
    QStringDecoder decoder(QStringDecoder::Utf8);
    const QString decoded = decoder(QByteArrayView(text.data(), static_cast<qsizetype>(text.size())));
    return !decoder.hasError();
}

/// Makes changes one by one; stops at the first one that is wrong.
class ContentEditor {
public:
    explicit ContentEditor(WorkspaceContent& content)
        : content_(content) {}

    std::vector<WorkspaceChange> undo; ///< in the order of the changes
    std::string error;                 ///< of the change that was wrong

    /// Takes everything back.
    void rollBack() {
        for (auto step = rollback_.rbegin(); step != rollback_.rend(); ++step)
            (*step)();
    }

    bool operator()(const PutFolder& change) {
        const Folder& folder = change.folder;
        if (!isSound("folder", folder.id, {&folder.name}) || !hasFolder(folder.parent))
            return false;
        undo.emplace_back(PutFolder{put(content_.folders, folder)});
        if (isInItself(folder.id))
            return refuse(named("folder", folder.id) + " would be in itself; choose another folder");
        return saw(folder.id);
    }

    bool operator()(const PutScenario& change) {
        const StoredScenario& scenario = change.scenario;
        std::vector<const std::string*> texts{&scenario.name, &scenario.model, &scenario.machine,
                                              &scenario.json};
        for (const std::string& tag : scenario.tags) {
            if (tag.empty() || tag.find(',') != std::string::npos)
                return refuse("a tag is '" + tag + "'; a tag has at least one character and no comma");
            texts.push_back(&tag);
        }
        if (!isSound("scenario", scenario.id, texts) || !hasFolder(scenario.folder))
            return false;
        if (const auto known = content_.scenarios.find(scenario.id);
            known != content_.scenarios.end() && scenario.version < known->second.version)
            return refuse(named("scenario", scenario.id) + " goes back to version " +
                          std::to_string(scenario.version) + "; numbers of versions only grow");
        StoredScenario former = put(content_.scenarios, scenario);
        former.version = scenario.version; // the history stays
        undo.emplace_back(PutScenario{std::move(former)});
        return saw(scenario.id);
    }

    bool operator()(const AddVersion& change) {
        const ScenarioVersion& version = change.version;
        const auto scenario = content_.scenarios.find(version.scenario);
        if (scenario == content_.scenarios.end())
            return refuse("there is no " + named("scenario", version.scenario) + "; add it first");
        if (version.number != scenario->second.version)
            return refuse("version " + std::to_string(version.number) + " comes after version " +
                          std::to_string(scenario->second.version) +
                          "; put the scenario with its number first");
        return areUtf8({&version.text, &version.name, &version.json});
    }

    bool operator()(const NameVersion& change) {
        const auto scenario = content_.scenarios.find(change.scenario);
        if (scenario == content_.scenarios.end() || change.number < 1 ||
            change.number > scenario->second.version)
            return refuse(named("scenario", change.scenario) + " has no version " +
                          std::to_string(change.number) + "; name one of its history");
        return areUtf8({&change.name});
    }

    bool operator()(const PutDocument& change) {
        const StoredDocument& document = change.document;
        if (!isSound("document", document.id, {&document.json}) || !areUtf8({&document.name}))
            return false;
        const auto before = content_.documents.find(document.id);
        const std::int64_t bytes = change.body ? static_cast<std::int64_t>(change.body->size())
                                   : before != content_.documents.end() ? before->second.bodyBytes
                                                                        : 0;
        if (document.bodyBytes != bytes)
            return refuse(named("document", document.id) + " says that its body has " +
                          std::to_string(document.bodyBytes) + " bytes; it has " + std::to_string(bytes));
        StoredDocument former = put(content_.documents, document);
        former.bodyBytes = document.bodyBytes; // the body stays
        undo.emplace_back(PutDocument{std::move(former), std::nullopt});
        return saw(document.id);
    }

    bool operator()(const PutSetting& change) {
        if (change.key.empty())
            return refuse("a setting has no name; give it one");
        const auto found = content_.settings.find(change.key);
        const bool known = found != content_.settings.end();
        const std::optional<std::string> former = known ? std::optional(found->second) : std::nullopt;
        undo.emplace_back(PutSetting{change.key, former});
        const auto set = [this, key = change.key](const std::optional<std::string>& value) {
            if (value)
                content_.settings[key] = *value;
            else
                content_.settings.erase(key);
        };
        rollback_.push_back([set, former] { set(former); });
        set(change.value);
        return areUtf8({&change.key});
    }

    bool operator()(const Purge& change) {
        const auto isDeleted = [&](const auto& map) {
            const auto found = map.find(change.id);
            return found != map.end() && found->second.deletedMs != 0;
        };
        if (!isDeleted(content_.folders) && !isDeleted(content_.scenarios) && !isDeleted(content_.documents))
            return refuse("nothing that is deleted has the id " + std::to_string(change.id) +
                          "; delete it first");
        const auto isInside = [&](const auto& each) { return each.second.folder == change.id; };
        const auto isBelow = [&](const auto& each) { return each.second.parent == change.id; };
        if (std::any_of(content_.scenarios.begin(), content_.scenarios.end(), isInside) ||
            std::any_of(content_.folders.begin(), content_.folders.end(), isBelow))
            return refuse(named("folder", change.id) + " is not empty; purge first what is in it");
        erase(content_.folders, change.id);
        erase(content_.scenarios, change.id);
        erase(content_.documents, change.id);
        return true;
    }

private:
    /// \returns what takes it back: the former value, or the new one as deleted
    template <class T>
    T put(std::map<WorkspaceId, T>& map, const T& value) {
        const auto found = map.find(value.id);
        rollback_.push_back([&content = content_, lastId = content_.lastId] { content.lastId = lastId; });
        if (found == map.end()) {
            rollback_.push_back([&map, id = value.id] { map.erase(id); });
            map.emplace(value.id, value);
            T deleted = value;
            deleted.deletedMs = std::max<UtcMs>(value.changedMs, 1);
            return deleted;
        }
        T former = std::exchange(found->second, value);
        rollback_.push_back([&map, former] { map[former.id] = former; });
        return former;
    }

    template <class T>
    void erase(std::map<WorkspaceId, T>& map, WorkspaceId id) {
        const auto found = map.find(id);
        if (found == map.end())
            return;
        rollback_.push_back([&map, former = found->second] { map.emplace(former.id, former); });
        map.erase(found);
    }

    bool refuse(std::string why) {
        error = std::move(why);
        return false;
    }

    bool areUtf8(const std::vector<const std::string*>& texts) {
        const bool all =
            std::all_of(texts.begin(), texts.end(), [](const std::string* text) { return isUtf8(*text); });
        return all || refuse("a text is not valid UTF-8; write it as UTF-8");
    }

    /// The first text is the one that must not be empty.
    bool isSound(const char* what, WorkspaceId id, const std::vector<const std::string*>& texts) {
        if (id <= 0)
            return refuse(named(what, id) + " has an invalid id; ids are positive");
        const int kinds = static_cast<int>(content_.folders.contains(id)) +
                          static_cast<int>(content_.scenarios.contains(id)) +
                          static_cast<int>(content_.documents.contains(id));
        const bool same = std::string_view(what) == "folder"     ? content_.folders.contains(id)
                          : std::string_view(what) == "scenario" ? content_.scenarios.contains(id)
                                                                 : content_.documents.contains(id);
        if (kinds > 0 && !same)
            return refuse(named(what, id) + " has the id of something else; take a new one");
        if (texts.front()->empty())
            return refuse(named(what, id) + " is empty; give it a name or content");
        return areUtf8(texts);
    }

    bool hasFolder(WorkspaceId id) {
        return id == 0 || content_.folders.contains(id) ||
               refuse("there is no " + named("folder", id) + "; add it first");
    }

    bool isInItself(WorkspaceId id) const {
        WorkspaceId at = content_.folders.at(id).parent;
        for (std::size_t steps = 0; at != 0 && at != id && steps < content_.folders.size(); ++steps)
            at = content_.folders.at(at).parent;
        return at != 0;
    }

    bool saw(WorkspaceId id) {
        content_.lastId = std::max(content_.lastId, id);
        return true;
    }

    WorkspaceContent& content_;
    std::vector<std::function<void()>> rollback_;
};

} // namespace

Result<WorkspaceEdit> apply(WorkspaceContent& content, const WorkspaceEdit& edit) {
    ContentEditor editor(content);
    for (const WorkspaceChange& change : edit.changes) {
        if (!std::visit(editor, change)) {
            editor.rollBack();
            return Error{editor.error};
        }
    }
    std::reverse(editor.undo.begin(), editor.undo.end());
    return WorkspaceEdit{std::move(editor.undo)};
}

WorkspaceEdit joined(WorkspaceEdit first, WorkspaceEdit second) {
    std::move(second.changes.begin(), second.changes.end(), std::back_inserter(first.changes));
    return first;
}

} // namespace alidade::data
