// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/scenario/scenario_json.h"
#include "data/workspace/connection.h"
#include "data/workspace/entity_rows.h"
#include "data/workspace/library.h"
#include "data/workspace/page_carver.h"
#include "data/workspace/qt_text.h"
#include "data/workspace/workspace_state.h"
#include "model/base/text.h"

#include <QFile>

#include <algorithm>
#include <limits>
#include <set>

namespace alidade::data {

namespace {

using Kind = WorkspaceFault::Kind;

/// The bytes of the file, with a journal that a crash has left played back into them if SQLite can do it.
QByteArray bytesOf(const std::string& file) {
    const QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("workspace"));
    const QString journal = QStringLiteral("-journal");
    if (!QFile::copy(qt(file), copy))
        throwFault(Kind::io,
                   file + ": cannot be copied to be read; see that it may be read, and make room in the "
                          "folder for temporary files");
    QFile::setPermissions(copy, QFileDevice::ReadOwner | QFileDevice::WriteOwner);
    if (QFile::exists(qt(file) + journal) && QFile::copy(qt(file) + journal, copy + journal)) {
        try {
            pragma(*connect(copy.toStdString(), Opened::writable, {}), "schema_version");
        } catch (const SQLite::Exception&) { // then the pages are taken as they are
        }
    }
    QFile bytes(copy);
    if (!bytes.open(QIODevice::ReadOnly))
        throwFault(Kind::io, file + ": cannot be read, " + bytes.errorString().toStdString() + "; try again");
    return bytes.readAll();
}

/// Puts what was found together again.
class Rebuilder {
public:
    Rebuilder(const CarvedRows& rows, const Shapes& shapes, Recovery& report)
        : rows_(rows)
        , shapes_(shapes)
        , report_(report) {}

    WorkspaceEdit edit() {
        readAll();
        adoptOrphans();
        connectAgain();
        countLosses();
        WorkspaceEdit out;
        for (const auto& [id, folder] : folders_)
            out.changes.emplace_back(PutFolder{folder});
        for (const auto& [id, scenario] : scenarios_)
            out.changes.emplace_back(PutScenario{scenario});
        for (const ScenarioVersion& version : versions_)
            out.changes.emplace_back(AddVersion{version});
        for (auto [id, document] : documents_) {
            const auto body = bodies_.find(id);
            if (document.bodyBytes > 0 && body == bodies_.end()) {
                report_.lost.push_back("the body of the " + std::string(wordOf(document.kind)) + " '" +
                                       document.name + "'");
                document.bodyBytes = 0;
            }
            out.changes.emplace_back(
                PutDocument{document, body == bodies_.end() ? std::nullopt : std::optional(body->second)});
        }
        for (const auto& [key, value] : settings_)
            out.changes.emplace_back(PutSetting{key, value});
        return out;
    }

private:
    template <class Take>
    void each(const char* name, const Take& take) {
        const auto rows = rows_.find(name);
        if (rows == rows_.end())
            return;
        for (const auto& [key, row] : rows->second)
            take(shapes_.at(name), row);
    }

    void readAll() {
        each("folders", [&](const auto& table, const Row& row) {
            const Folder folder = folderOf(table, row);
            folders_[folder.id] = folder;
        });
        each("scenarios", [&](const auto& table, const Row& row) {
            const StoredScenario scenario = scenarioOf(table, row);
            scenarios_[scenario.id] = scenario;
        });
        each("versions",
             [&](const auto& table, const Row& row) { versions_.push_back(versionOf(table, row)); });
        each("documents", [&](const auto& table, const Row& row) {
            const StoredDocument document = documentOf(table, row);
            documents_[document.id] = document;
        });
        each("bodies", [&](const auto& table, const Row& row) {
            bodies_[numberIn(table, row, "document")] = bytesIn(table, row, "body");
        });
        each("settings", [&](const auto& table, const Row& row) {
            settings_[textIn(table, row, "key")] = bytesIn(table, row, "value");
        });
        found_ = {{"folders", folders_.size()},   {"scenarios", scenarios_.size()},
                  {"versions", versions_.size()}, {"documents", documents_.size()},
                  {"bodies", bodies_.size()},     {"settings", settings_.size()}};
    }

    /// A scenario whose row is gone but not its history is its newest version.
    void adoptOrphans() {
        std::map<WorkspaceId, const ScenarioVersion*> newest;
        for (const ScenarioVersion& version : versions_) {
            const ScenarioVersion*& known = newest[version.scenario];
            if (known == nullptr || known->number < version.number)
                known = &version;
        }
        for (const auto& [id, version] : newest) {
            if (const auto known = scenarios_.find(id); known != scenarios_.end()) {
                known->second.version = std::max(known->second.version, version->number);
                continue;
            }
            const auto reading = readScenario(version->json);
            if (!reading.spec) {
                std::erase_if(versions_,
                              [id = id](const ScenarioVersion& each) { return each.scenario == id; });
                continue;
            }
            const WorkspaceEdit made = addScenario({}, 0, *reading.spec, "Recovered", {}, version->timeMs);
            StoredScenario scenario = std::get<PutScenario>(made.changes.front()).scenario;
            scenario.id = id;
            scenario.json = version->json;
            scenario.version = version->number;
            report_.lost.push_back("place and tags of the scenario '" + scenario.name +
                                   "', which was put together from its history");
            scenarios_.emplace(id, std::move(scenario));
        }
    }

    void connectAgain() {
        for (auto& [id, folder] : folders_)
            if (folder.parent != 0 && !folders_.contains(folder.parent))
                folder.parent = 0;
        for (auto& [id, scenario] : scenarios_) {
            if (scenario.folder != 0 && !folders_.contains(scenario.folder)) {
                report_.lost.push_back("the folder of the scenario '" + scenario.name +
                                       "', which is at the top now");
                scenario.folder = 0;
            }
        }
    }

    void countLosses() {
        each("seals", [&](const auto& table, const Row& row) {
            const std::string& name = textIn(table, row, "name");
            sealed_.insert(name);
            const auto rows = static_cast<std::size_t>(numberIn(table, row, "rows"));
            if (found_.contains(name) && found_[name] < rows)
                report_.lost.push_back(formatCount(static_cast<std::int64_t>(rows - found_[name])) + " of " +
                                       formatCount(static_cast<std::int64_t>(rows)) + " " + name);
        });
        std::map<WorkspaceId, std::int64_t> numbers;
        for (const ScenarioVersion& version : versions_)
            ++numbers[version.scenario];
        std::set<WorkspaceId> counted;
        each("histories", [&](const auto& table, const Row& row) {
            const History history = historyOf(table, row);
            counted.insert(history.scenario);
            const std::int64_t gone = history.seal.rows - numbers[history.scenario];
            const auto owner = scenarios_.find(history.scenario);
            if (gone > 0)
                report_.lost.push_back(
                    formatCount(gone) + " of " + formatCount(history.seal.rows) + " versions of " +
                    (owner == scenarios_.end() ? "a lost scenario"
                                               : "the scenario '" + owner->second.name + "'"));
        });
        for (const char* name : {"folders", "scenarios", "documents", "bodies", "settings"})
            if (!sealed_.contains(name))
                report_.lost.push_back("the number of " + std::string(name) +
                                       " that there were: some may be missing");
        for (const auto& [id, scenario] : scenarios_)
            if (!counted.contains(id))
                report_.lost.push_back("the number of versions of the scenario '" + scenario.name +
                                       "': some may be missing");
        for (const char* name : {"folders", "scenarios", "versions", "documents", "settings"})
            if (found_[name] > 0)
                report_.kept.push_back(formatCount(static_cast<std::int64_t>(found_[name])) + " " + name);
    }

    const CarvedRows& rows_;
    const Shapes& shapes_;
    Recovery& report_;
    std::map<WorkspaceId, Folder> folders_;
    std::map<WorkspaceId, StoredScenario> scenarios_;
    std::vector<ScenarioVersion> versions_;
    std::map<WorkspaceId, StoredDocument> documents_;
    std::map<WorkspaceId, std::string> bodies_;
    std::map<std::string, std::string> settings_;
    std::map<std::string, std::size_t> found_;
    std::set<std::string> sealed_;
};

/// The rows of the version of the format of which there are most.
std::pair<CarvedRows, Shapes> rowsOf(const QByteArray& bytes) {
    std::pair<CarvedRows, Shapes> best;
    std::size_t most = 0;
    for (int version = static_cast<int>(workspaceMigrations().size()); version > 0; --version) {
        Shapes shapes = schemaOfVersion(workspaceMigrations(), version).shapes;
        CarvedRows rows = carveRows({bytes.constData(), static_cast<std::size_t>(bytes.size())}, shapes);
        std::size_t count = 0;
        for (const auto& [table, each] : rows)
            count += table == "seals" ? 0 : each.size(); // an empty workspace has those too
        if (count > most) {
            most = count;
            best = {std::move(rows), std::move(shapes)};
        }
    }
    return best;
}

Recovery rebuilt(const std::string& name) {
    Recovery out;
    out.file = resolvedPath(name);
    if (!QFile::exists(qt(out.file)))
        throwFault(Kind::missing, out.file + ": there is no such file; name a workspace");
    out.backups = backupsOf(out.file);
    const FileLock::Attempt lock = FileLock::tryLock(out.file);
    if (lock.outcome == FileLock::Outcome::inUse)
        throwFault(Kind::busy,
                   out.file + ": is open in another window (" + lock.holder + "); close it first");

    const auto [rows, shapes] = rowsOf(bytesOf(out.file));
    if (rows.empty())
        throwFault(Kind::damaged, out.file + ": nothing in it can be read" +
                                      (out.backups.empty() ? "; use a copy of it, if there is one elsewhere"
                                                           : "; open the backup " + out.backups.front()));
    const std::string temporary = temporaryName(out.file);
    const WorkspaceEdit edit = Rebuilder(rows, shapes, out).edit();
    createWorkspace(temporary, {}, [&](TableStore& store, SQLite::Database& database) {
        makeEdit(store, database, edit, store.readSeals(), std::numeric_limits<int>::max());
    });
    out.damagedFile = datedName(out.file, "corrupt");
    if (const std::string reason = renameWithJournal(out.file, out.damagedFile); !reason.empty()) {
        QFile::remove(qt(temporary));
        throwFault(Kind::io,
                   out.file + ": cannot be renamed, " + reason + "; see that its folder may be written");
    }
    if (const std::string reason = publish(temporary, out.file); !reason.empty()) {
        renameWithJournal(out.damagedFile, out.file);
        throwFault(Kind::io, out.file + ": cannot be written, " + reason + "; try again");
    }
    return out;
}

} // namespace

WorkspaceReply<Recovery> recover(const std::string& file) {
    try {
        return {rebuilt(file), {}};
    } catch (const FaultFound& found) {
        return {std::nullopt, found.fault};
    } catch (const SQLite::Exception& error) {
        return {std::nullopt, faultOf(error, file, nullptr)};
    }
}

} // namespace alidade::data
