// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/workspace.h"

#include "data/workspace/connection.h"
#include "data/workspace/entity_rows.h"
#include "data/workspace/workspace_state.h"

#include <QFile>

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <algorithm>

namespace alidade::data {

namespace {

using Kind = WorkspaceFault::Kind;

/// Kinds after which the connection is as good as before.
bool leavesConnection(Kind kind) {
    return kind == Kind::refused || kind == Kind::damaged || kind == Kind::busy;
}

} // namespace

Workspace::Workspace(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

Workspace::~Workspace() = default;

const std::string& Workspace::file() const { return state_->file; }

bool Workspace::isReadOnly() const { return state_->readOnly; }

void Workspace::State::reconnect() {
    if (database != nullptr)
        return;
    auto fresh = connect(place, readOnly ? Opened::readOnly : Opened::writable, options.vfs);
    auto tables = std::make_unique<TableStore>(*fresh, file);
    const bool familiar = tables->shapes().contains("seals");
    const Seals found = familiar ? tables->readSeals() : Seals{};
    if (found != seals && found != doubtful)
        throwFault(Kind::replaced,
                   file + ": was replaced or written by another program while it was open; save a "
                          "copy of what is here, or open it again to see what is there");
    seals = found;
    database = std::move(fresh);
    store = std::move(tables);
}

std::optional<WorkspaceFault> Workspace::State::attempt(const std::function<void()>& work) {
    std::optional<WorkspaceFault> fault;
    try {
        reconnect();
        work();
    } catch (const FaultFound& found) {
        fault = found.fault;
    } catch (const SQLite::Exception& error) {
        fault = faultOf(error, file, database.get());
    }
    if (fault && !leavesConnection(fault->kind)) {
        store.reset();
        database.reset();
    }
    return fault;
}

std::optional<WorkspaceFault> Workspace::apply(const WorkspaceEdit& edit) {
    if (state_->readOnly)
        return WorkspaceFault{Kind::readOnly,
                              state_->file + ": was opened read-only; save a copy to change it"};
    return state_->attempt([&] {
        State& state = *state_;
        SQLite::Transaction transaction(*state.database, SQLite::TransactionBehavior::IMMEDIATE);
        try {
            const Seals found = state.store->readSeals();
            if (found != state.seals)
                throwFault(Kind::replaced,
                           state.file + ": was written by another program while it was open; save a copy "
                                        "of what is here, or open it again to see what is there");
            Seals after = makeEdit(*state.store, *state.database, edit, found, state.options.versionsKept);
            if (hasMoved(*state.database))
                throwFault(Kind::replaced,
                           state.file + ": was moved, deleted or replaced while it was open; put it back "
                                        "and try again, or save a copy");
            state.doubtful = after;
            transaction.commit();
            state.seals = std::move(after);
            state.doubtful.reset();
        } catch (const SQLite::Exception& error) {
            // Here, while the system still knows the reason: rolling back forgets it.
            throw FaultFound{faultOf(error, state.file, state.database.get())};
        }
    });
}

WorkspaceContent Workspace::State::readContent(const Seals& sums) {
    WorkspaceContent out;
    const auto each = [&](const char* name, const auto& take) {
        const TableShape& table = store->shape(name);
        for (const Row& row : store->readAll(name, sums.at(name)))
            take(table, row);
    };
    const auto seen = [&](WorkspaceId id) {
        out.lastId = std::max(out.lastId, id);
        return id;
    };
    each("folders", [&](const TableShape& table, const Row& row) {
        Folder folder = folderOf(table, row);
        out.folders.emplace(seen(folder.id), std::move(folder));
    });
    each("scenarios", [&](const TableShape& table, const Row& row) {
        StoredScenario scenario = scenarioOf(table, row);
        out.scenarios.emplace(seen(scenario.id), std::move(scenario));
    });
    each("documents", [&](const TableShape& table, const Row& row) {
        StoredDocument document = documentOf(table, row);
        out.documents.emplace(seen(document.id), std::move(document));
    });
    each("settings", [&](const TableShape& table, const Row& row) {
        out.settings.emplace(textIn(table, row, "key"), bytesIn(table, row, "value"));
    });
    each("histories", [](const TableShape&, const Row&) {});
    if (store->storedSum("bodies") != sums.at("bodies"))
        throwFault(Kind::damaged,
                   file + ": the table 'bodies' has lost or doubled rows; recover the workspace or open "
                          "a backup of it");
    return out;
}

WorkspaceReply<WorkspaceContent> Workspace::content() {
    WorkspaceReply<WorkspaceContent> out;
    const auto fault = state_->attempt([&] {
        SQLite::Transaction oneState(*state_->database);
        out.value = state_->readContent(state_->store->readSeals());
    });
    if (fault) {
        out.value.reset();
        out.fault = *fault;
    }
    return out;
}

WorkspaceReply<std::vector<ScenarioVersion>> Workspace::versions(WorkspaceId scenario) {
    WorkspaceReply<std::vector<ScenarioVersion>> out;
    const auto fault = state_->attempt([&] {
        SQLite::Transaction oneState(*state_->database);
        TableStore& store = *state_->store;
        std::vector<ScenarioVersion> versions;
        Seal sum;
        const TableShape& table = store.shape("versions");
        for (const Row& row : store.readWhere("versions", scenario)) {
            sum.add(std::get<std::int64_t>(row[table.checksum]));
            versions.push_back(versionOf(table, row));
        }
        const auto history = store.readOne("histories", {scenario});
        if ((history ? historyOf(store.shape("histories"), *history).seal : Seal{}) != sum)
            throwFault(Kind::damaged, state_->file + ": the history of scenario " + std::to_string(scenario) +
                                          " is not whole; recover the workspace or open a backup of it");
        out.value = std::move(versions);
    });
    if (fault)
        out.fault = *fault;
    return out;
}

WorkspaceReply<std::string> Workspace::body(WorkspaceId document) {
    WorkspaceReply<std::string> out;
    const auto fault = state_->attempt([&] {
        SQLite::Transaction oneState(*state_->database);
        TableStore& store = *state_->store;
        const auto owner = store.readOne("documents", {document});
        if (!owner)
            throwFault(Kind::refused, state_->file + ": there is no document " + std::to_string(document) +
                                          "; open the workspace again");
        const auto row = store.readOne("bodies", {document});
        std::string body = row ? bytesIn(store.shape("bodies"), *row, "body") : std::string();
        const auto expected = numberIn(store.shape("documents"), *owner, "body_bytes");
        if (expected != static_cast<std::int64_t>(body.size()))
            throwFault(Kind::damaged, state_->file + ": the body of document " + std::to_string(document) +
                                          " is missing; recover the workspace or open a backup of it");
        out.value = std::move(body);
    });
    if (fault)
        out.fault = *fault;
    return out;
}

std::optional<WorkspaceFault> Workspace::verify() {
    return state_->attempt([&] {
        SQLite::Transaction oneState(*state_->database);
        SQLite::Statement check(*state_->database, "PRAGMA integrity_check(1)");
        if (check.executeStep() && check.getColumn(0).getString() != "ok")
            throwFault(Kind::damaged, state_->file + ": " + check.getColumn(0).getString() +
                                          "; recover the workspace or open a backup of it");
        state_->store->verifyEverything();
    });
}

void copyDatabase(SQLite::Database& from, const std::string& file) {
    const std::string temporary = temporaryName(file);
    std::string reason;
    try {
        SQLite::Database to(temporary, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        SQLite::Backup backup(to, from);
        backup.executeStep();
    } catch (const SQLite::Exception& error) {
        QFile::remove(QString::fromStdString(temporary));
        reason = error.what();
    }
    if (reason.empty())
        reason = publish(temporary, file);
    if (!reason.empty()) {
        QFile::remove(QString::fromStdString(temporary));
        throwFault(Kind::io, file + ": cannot be written, " + reason + "; choose another place");
    }
}

std::optional<WorkspaceFault> Workspace::copyTo(const std::string& file) {
    return state_->attempt([&] { copyDatabase(*state_->database, resolvedPath(file)); });
}

} // namespace alidade::data
