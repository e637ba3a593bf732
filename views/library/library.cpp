// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/library/library.h"

#include "data/workspace/workspace_writer.h"
#include "views/document/text.h"

#include <QDateTime>
#include <QRegularExpression>
#include <QUndoCommand>
#include <QUndoStack>

#include <algorithm>
#include <utility>

namespace alidade::views {

namespace {

/// As many as anyone takes back.
constexpr int mostLibrarySteps = 200;

template <class T>
const T* present(const std::map<data::WorkspaceId, T>& all, data::WorkspaceId id) {
    const auto found = all.find(id);
    return found == all.end() || found->second.deletedMs != 0 ? nullptr : &found->second;
}

bool sameName(const std::string& one, const QString& other) {
    return text(one).compare(other, Qt::CaseInsensitive) == 0;
}

/// Those that the library lists; the others are made and deleted elsewhere.
bool isLibraryDocument(data::DocumentKind kind) {
    return kind == data::DocumentKind::topology || kind == data::DocumentKind::measurement;
}

/// Its index among the scenarios of its folder, for moving it back.
std::size_t siblingIndexOf(const data::WorkspaceContent& content, const data::StoredScenario& scenario) {
    const auto siblings = data::scenariosIn(content, scenario.folder);
    const auto found = std::ranges::find(siblings, &scenario);
    return static_cast<std::size_t>(found - siblings.begin());
}

std::vector<std::string> utf8(const QStringList& texts) {
    std::vector<std::string> out;
    for (const QString& each : texts)
        out.push_back(each.toStdString());
    return out;
}

} // namespace

data::UtcMs utcNow() { return QDateTime::currentMSecsSinceEpoch(); }

QStringList tagsFrom(const QString& typed) {
    static const QRegularExpression between(QStringLiteral("[,;]"));
    QStringList tags;
    for (const QString& part : typed.split(between))
        if (const QString tag = part.simplified(); !tag.isEmpty() && !tags.contains(tag, Qt::CaseInsensitive))
            tags.append(tag);
    tags.sort(Qt::CaseInsensitive);
    return tags;
}

QStringList tagsOf(const data::StoredScenario& scenario) {
    QStringList tags;
    for (const std::string& tag : scenario.tags)
        tags.append(text(tag));
    return tags;
}

void Library::Draft::make(data::WorkspaceEdit next) {
    if (!data::apply(content, next))
        return; // the caller's mistake; the rest stands
    edit = data::joined(std::move(edit), std::move(next));
}

/// Made anew each time from what is there: an undo puts back what the step has changed and nothing that came
/// after it, such as edits of the scenario itself.
class Library::Step : public QUndoCommand {
public:
    Step(Library& library, const QString& undoText, Maker redo, Maker undo, std::uint64_t change = 0)
        : QUndoCommand(undoText)
        , library_(library)
        , redo_(std::move(redo))
        , undo_(std::move(undo))
        , change_(change) {}

    std::uint64_t change() const { return change_; }

    void redo() override {
        QUndoCommand::redo();
        setObsolete(!library_.commit(redo_));
    }
    void undo() override {
        QUndoCommand::undo();
        setObsolete(!library_.commit(undo_));
    }

private:
    Library& library_;
    Maker redo_, undo_;
    std::uint64_t change_; ///< 0: takes one back
};

Library::Library(data::WorkspaceWriter& writer, QObject* parent)
    : QObject(parent)
    , writer_(writer)
    , undo_(new QUndoStack(this)) {
    undo_->setUndoLimit(mostLibrarySteps);
    connect(&writer, &data::WorkspaceWriter::opened, this, [this] {
        undo_->clear();
        changes_.clear();
        emit opened();
        emit changed();
    });
    connect(&writer, &data::WorkspaceWriter::changed, this, &Library::changed);
}

Library::~Library() = default;

const data::WorkspaceContent& Library::content() const { return writer_.content(); }
bool Library::isOpen() const { return writer_.isOpen(); }
bool Library::isWritable() const { return writer_.isOpen() && !writer_.isReadOnly(); }

const data::StoredScenario* Library::scenario(data::WorkspaceId id) const {
    return present(content().scenarios, id);
}
const data::Folder* Library::folder(data::WorkspaceId id) const { return present(content().folders, id); }
const data::StoredDocument* Library::document(data::WorkspaceId id) const {
    return present(content().documents, id);
}

bool Library::commit(const Maker& maker) {
    Draft draft{content(), {}};
    maker(draft);
    if (draft.edit.changes.empty())
        return false;
    const auto taken = writer_.commit(draft.edit);
    if (!taken)
        emit refused(text(taken.error()));
    return static_cast<bool>(taken);
}

void Library::perform(const QString& undoText, Maker redo, Maker undo) {
    if (!isWritable())
        return;
    const std::uint64_t change = ++lastChange_;
    changes_[change] = {undoText, redo, undo};
    while (changes_.size() > static_cast<std::size_t>(mostLibrarySteps))
        changes_.erase(changes_.begin());
    undo_->push(new Step(*this, undoText, std::move(redo), std::move(undo), change));
}

QStringList Library::topologyUsers(const std::string& topology) const {
    QStringList users;
    for (const auto& [id, each] : content().scenarios) {
        if (each.deletedMs != 0 || each.json.find("\"topology\"") == std::string::npos)
            continue;
        const Result<ScenarioSpec> spec = data::specOf(each);
        if (spec && spec->cluster.topology == topology)
            users.append(text(each.name));
    }
    return users;
}

bool Library::takeBack(std::uint64_t change) {
    const auto found = changes_.find(change);
    if (found == changes_.end() || !isWritable() || found->second.takenBack)
        return false;
    const auto madeBy = [&](int index) {
        const auto* step = static_cast<const Step*>(undo_->command(index));
        return step != nullptr && step->change() == change;
    };
    int at = undo_->count() - 1;
    while (at >= 0 && !madeBy(at))
        --at;
    if (at >= undo_->index()) // it is undone already
        return false;
    if (at >= 0 && at == undo_->index() - 1) {
        undo_->undo();
        return true;
    }
    found->second.takenBack = true;
    const Change taken = found->second;
    undo_->push(new Step(*this, tr("take back “%1”").arg(taken.text), taken.undo, taken.redo));
    return true;
}

WorkspaceIds Library::trash() const {
    struct Gone {
        data::UtcMs when;
        data::WorkspaceId id;
    };
    std::vector<Gone> gone;
    const auto goesWith = [this](data::WorkspaceId folder, data::UtcMs when) {
        const auto found = content().folders.find(folder);
        return found != content().folders.end() && found->second.deletedMs == when;
    };
    for (const auto& [id, each] : content().folders)
        if (each.deletedMs != 0 && !goesWith(each.parent, each.deletedMs))
            gone.push_back({each.deletedMs, id});
    for (const auto& [id, each] : content().scenarios)
        if (each.deletedMs != 0 && !goesWith(each.folder, each.deletedMs))
            gone.push_back({each.deletedMs, id});
    for (const auto& [id, each] : content().documents)
        if (each.deletedMs != 0 && isLibraryDocument(each.kind))
            gone.push_back({each.deletedMs, id});
    std::ranges::sort(
        gone, [](const Gone& a, const Gone& b) { return std::pair(a.when, a.id) > std::pair(b.when, b.id); });
    WorkspaceIds ids;
    for (const Gone& each : gone)
        ids.push_back(each.id);
    return ids;
}

QString Library::trashName(data::WorkspaceId id) const {
    const auto nameIn = [id](const auto& all) {
        const auto found = all.find(id);
        return found != all.end() && found->second.deletedMs != 0 ? text(found->second.name) : QString();
    };
    for (const QString& name :
         {nameIn(content().scenarios), nameIn(content().folders), nameIn(content().documents)})
        if (!name.isEmpty())
            return name;
    return {};
}

void Library::restore(const WorkspaceIds& ids) {
    if (ids.empty())
        return;
    const QString words = ids.size() == 1 ? trashName(ids.front()) : tr("%1 items").arg(ids.size());
    const auto marking = [ids](bool deleted) {
        return [ids, deleted](Draft& draft) {
            for (const data::WorkspaceId id : ids)
                draft.make(deleted ? data::remove(draft.content, id, utcNow())
                                   : data::restore(draft.content, id, utcNow()));
        };
    };
    perform(tr("restore %1").arg(words), marking(false), marking(true));
}

void Library::emptyTrash() {
    if (!isWritable())
        return;
    data::WorkspaceEdit purge = data::purgeDeleted(content(), utcNow() + 1);
    // What the catalog has deleted is not in the trash: its own undo can still bring it back.
    std::erase_if(purge.changes, [this](const data::WorkspaceChange& change) {
        const auto* each = std::get_if<data::Purge>(&change);
        const auto found = each != nullptr ? content().documents.find(each->id) : content().documents.end();
        return found != content().documents.end() && !isLibraryDocument(found->second.kind);
    });
    if (purge.changes.empty())
        return;
    const auto taken = writer_.commit(purge);
    if (!taken) {
        emit refused(text(taken.error()));
        return;
    }
    undo_->clear(); // what it could bring back is gone
    changes_.clear();
}

/// Adding is undone by deleting, and done again by taking the deletion back: ids stay, and with them the
/// history that has come about meanwhile.
WorkspaceIds Library::performAdding(const QString& undoText,
                                    const std::function<WorkspaceIds(Draft&)>& maker) {
    const auto ids = std::make_shared<WorkspaceIds>();
    perform(
        undoText,
        [ids, maker](Draft& draft) {
            if (ids->empty())
                *ids = maker(draft);
            else
                for (const data::WorkspaceId id : *ids)
                    draft.make(data::restore(draft.content, id, utcNow()));
        },
        [ids](Draft& draft) {
            for (const data::WorkspaceId id : *ids)
                draft.make(data::remove(draft.content, id, utcNow()));
        });
    const bool made = std::ranges::all_of(*ids, [this](data::WorkspaceId id) {
        return scenario(id) != nullptr || folder(id) != nullptr || document(id) != nullptr;
    });
    return made ? *ids : WorkspaceIds();
}

WorkspaceIds Library::add(std::vector<NewScenario> scenarios, data::WorkspaceId folder,
                          const QString& undoText) {
    return add(std::move(scenarios), folder, {}, undoText);
}

WorkspaceIds Library::add(std::vector<NewDocument> documents, const QString& undoText) {
    return add({}, 0, std::move(documents), undoText);
}

WorkspaceIds Library::add(std::vector<NewScenario> scenarios, data::WorkspaceId folder,
                          std::vector<NewDocument> documents, const QString& undoText) {
    return performAdding(
        undoText, [scenarios = std::move(scenarios), folder, documents = std::move(documents)](Draft& draft) {
            WorkspaceIds ids;
            const auto make = [&](data::WorkspaceEdit edit) {
                ids.push_back(data::addedId(edit));
                draft.make(std::move(edit));
            };
            for (const NewScenario& each : scenarios)
                make(data::addScenario(draft.content, folder, each.spec, each.name.toStdString(),
                                       each.text.toStdString(), utcNow()));
            for (const NewDocument& each : documents)
                make(data::addDocument(draft.content, each.kind, each.name.toStdString(), each.json,
                                       each.body, utcNow()));
            return ids;
        });
}

WorkspaceIds Library::duplicate(const WorkspaceIds& scenarios) {
    return performAdding(tr("duplicate %1").arg(named(scenarios)), [scenarios](Draft& draft) {
        WorkspaceIds ids;
        for (const data::WorkspaceId id : scenarios) {
            data::WorkspaceEdit edit = data::duplicateScenario(draft.content, id, utcNow());
            if (edit.changes.empty())
                continue;
            ids.push_back(data::addedId(edit));
            draft.make(std::move(edit));
        }
        return ids;
    });
}

data::WorkspaceId Library::addFolder(data::WorkspaceId parent, const QString& name) {
    const QString base = name.simplified().isEmpty() ? tr("New folder") : name.simplified();
    QString wanted = base;
    const auto siblings = data::foldersIn(content(), parent);
    const auto taken = [&] {
        return std::ranges::any_of(
            siblings, [&](const data::Folder* sibling) { return sameName(sibling->name, wanted); });
    };
    for (int number = 2; taken(); ++number)
        wanted = tr("%1 %2").arg(base).arg(number);
    const WorkspaceIds ids =
        performAdding(tr("add the folder %1").arg(wanted), [parent, wanted](Draft& draft) {
            data::WorkspaceEdit edit = data::addFolder(draft.content, parent, wanted.toStdString(), utcNow());
            const data::WorkspaceId id = data::addedId(edit);
            draft.make(std::move(edit));
            return WorkspaceIds{id};
        });
    return ids.empty() ? 0 : ids.front();
}

void Library::remove(const WorkspaceIds& ids) {
    perform(
        tr("delete %1").arg(named(ids)),
        [ids](Draft& draft) {
            for (const data::WorkspaceId id : ids)
                draft.make(data::remove(draft.content, id, utcNow()));
        },
        [ids](Draft& draft) {
            for (const data::WorkspaceId id : ids)
                draft.make(data::restore(draft.content, id, utcNow()));
        });
}

void Library::move(const WorkspaceIds& scenarios, data::WorkspaceId target) {
    struct Place {
        data::WorkspaceId id, folder;
        std::size_t position;
    };
    std::vector<Place> before;
    for (const data::WorkspaceId id : scenarios)
        if (const data::StoredScenario* each = scenario(id); each != nullptr && each->folder != target)
            before.push_back({id, each->folder, siblingIndexOf(content(), *each)});
    if (before.empty() || (target != 0 && folder(target) == nullptr))
        return;
    const QString words = target == 0 ? tr("take %1 out of its folder").arg(named(scenarios))
                                      : tr("move %1 to %2").arg(named(scenarios), text(folder(target)->name));
    perform(
        words,
        [before, target](Draft& draft) {
            for (const Place& each : before)
                draft.make(data::moveScenario(draft.content, each.id, target,
                                              data::scenariosIn(draft.content, target).size(), utcNow()));
        },
        [before](Draft& draft) {
            for (const Place& each : before)
                draft.make(data::moveScenario(draft.content, each.id, each.folder, each.position, utcNow()));
        });
}

void Library::setTags(const WorkspaceIds& scenarios, const QStringList& tags) {
    std::vector<std::pair<data::WorkspaceId, std::vector<std::string>>> before;
    for (const data::WorkspaceId id : scenarios)
        if (const data::StoredScenario* each = scenario(id); each != nullptr && tagsOf(*each) != tags)
            before.emplace_back(id, each->tags);
    if (before.empty())
        return;
    perform(
        tags.isEmpty() ? tr("take the tags off %1").arg(named(scenarios))
                       : tr("tag %1 with %2").arg(named(scenarios), tags.join(QStringLiteral(", "))),
        [before, after = utf8(tags)](Draft& draft) {
            for (const auto& [id, old] : before)
                draft.make(data::setTags(draft.content, id, after, utcNow()));
        },
        [before](Draft& draft) {
            for (const auto& [id, old] : before)
                draft.make(data::setTags(draft.content, id, old, utcNow()));
        });
}

QString Library::rename(data::WorkspaceId id, const QString& name) {
    const data::StoredScenario* item = scenario(id);
    const QString wanted = name.simplified();
    if (item == nullptr || !isWritable())
        return tr("The library is read-only.");
    if (wanted == text(item->name))
        return {};
    if (wanted.isEmpty())
        return tr("A scenario needs a name.");
    for (const data::StoredScenario* other : data::scenariosIn(content(), item->folder))
        if (other != item && sameName(other->name, wanted))
            return tr("This folder already has a scenario %1.").arg(wanted);
    const auto maker = [id](const std::string& to) {
        return [id, to](Draft& draft) { draft.make(data::renameScenario(draft.content, id, to, utcNow())); };
    };
    perform(tr("rename %1 to %2").arg(text(item->name), wanted), maker(wanted.toStdString()),
            maker(item->name));
    return {};
}

QString Library::renameFolder(data::WorkspaceId id, const QString& name) {
    const data::Folder* item = folder(id);
    const QString wanted = name.simplified();
    if (item == nullptr || !isWritable())
        return tr("The library is read-only.");
    if (wanted == text(item->name))
        return {};
    if (wanted.isEmpty())
        return tr("A folder needs a name.");
    if (wanted.contains(QLatin1Char('/')))
        return tr("A folder name cannot contain a slash.");
    for (const data::Folder* other : data::foldersIn(content(), item->parent))
        if (other != item && sameName(other->name, wanted))
            return tr("There is already a folder %1 here.").arg(wanted);
    const auto maker = [id](const std::string& to) {
        return [id, to](Draft& draft) { draft.make(data::renameFolder(draft.content, id, to, utcNow())); };
    };
    perform(tr("rename the folder %1 to %2").arg(text(item->name), wanted), maker(wanted.toStdString()),
            maker(item->name));
    return {};
}

QString Library::moveFolder(data::WorkspaceId id, data::WorkspaceId parent) {
    const data::Folder* item = folder(id);
    if (item == nullptr || !isWritable())
        return tr("The library is read-only.");
    if (item->parent == parent)
        return {};
    for (const data::Folder* outer = folder(parent); outer != nullptr; outer = folder(outer->parent))
        if (outer == item)
            return tr("A folder cannot be put into itself.");
    for (const data::Folder* other : data::foldersIn(content(), parent))
        if (sameName(other->name, text(item->name)))
            return tr("There is already a folder %1 there.").arg(text(item->name));
    const auto siblings = data::foldersIn(content(), item->parent);
    const auto place = static_cast<std::size_t>(std::ranges::find(siblings, item) - siblings.begin());
    perform(
        tr("move the folder %1").arg(text(item->name)),
        [id, parent](Draft& draft) {
            draft.make(data::moveFolder(draft.content, id, parent,
                                        data::foldersIn(draft.content, parent).size(), utcNow()));
        },
        [id, old = item->parent, place](Draft& draft) {
            draft.make(data::moveFolder(draft.content, id, old, place, utcNow()));
        });
    return {};
}

QString Library::named(const WorkspaceIds& ids) const {
    if (ids.size() != 1)
        return tr("%1 items").arg(ids.size());
    if (const auto* item = scenario(ids.front()))
        return text(item->name);
    if (const auto* item = folder(ids.front()))
        return tr("the folder %1").arg(text(item->name));
    if (const auto* item = document(ids.front()))
        return text(item->name);
    return tr("1 item");
}

} // namespace alidade::views
