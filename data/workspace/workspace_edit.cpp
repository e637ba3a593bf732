// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/connection.h"
#include "data/workspace/entity_rows.h"
#include "data/workspace/workspace_state.h"

#include <SQLiteCpp/Statement.h>
#include <set>

namespace alidade::data {

namespace {

/// One edit on its way into the tables. The number of statements for a change does not depend on how much is
/// stored.
class EditMaker {
public:
    EditMaker(TableStore& store, SQLite::Database& database, Seals& seals, int versionsKept)
        : store_(store)
        , database_(database)
        , seals_(seals)
        , versionsKept_(versionsKept) {}

    void operator()(const PutFolder& change) { put("folders", rowOf(store_, change.folder)); }

    void operator()(const PutScenario& change) { put("scenarios", rowOf(store_, change.scenario)); }

    void operator()(const AddVersion& change) {
        const ScenarioVersion& version = change.version;
        History history = historyOfScenario(version.scenario);
        if (const auto before =
                store_.readOne("versions", {version.scenario, version.number})) { // made once more
            take(history, versionOf(store_.shape("versions"), *before), *before);
        }
        add(history, version);
        prune(history);
        put("histories", rowOf(store_, history));
    }

    void operator()(const NameVersion& change) {
        const auto row = store_.readOne("versions", {change.scenario, change.number});
        if (!row)
            throwFault(WorkspaceFault::Kind::refused, "there is no version " + std::to_string(change.number) +
                                                          " of scenario " + std::to_string(change.scenario) +
                                                          " any more; name a newer one");
        ScenarioVersion version = versionOf(store_.shape("versions"), *row);
        History history = historyOfScenario(change.scenario);
        take(history, version, *row);
        version.name = change.name;
        add(history, version);
        put("histories", rowOf(store_, history));
    }

    void operator()(const PutDocument& change) {
        put("documents", rowOf(store_, change.document));
        if (!change.body)
            return;
        if (change.body->empty())
            erase("bodies", {change.document.id});
        else
            put("bodies",
                store_.rowOf("bodies", {{"document", change.document.id}, {"body", Blob{*change.body}}}));
    }

    void operator()(const PutSetting& change) {
        if (change.value)
            put("settings", store_.rowOf("settings", {{"key", change.key}, {"value", Blob{*change.value}}}));
        else
            erase("settings", {change.key});
    }

    void operator()(const Purge& change) {
        // An id belongs to one of the three.
        store_.eraseWhere("versions", change.id);
        for (const char* table : {"histories", "scenarios", "bodies", "documents", "folders"})
            erase(table, {change.id});
    }

    void finish() {
        for (const std::string& table : touched_)
            store_.writeSeal(table, seals_.at(table));
    }

private:
    std::int64_t checksumIn(const std::string& table, const Row& row) const {
        return std::get<std::int64_t>(row[store_.shape(table).checksum]);
    }

    void put(const std::string& table, Row row) {
        const auto before = store_.put(table, row);
        Seal& seal = touch(table);
        if (before)
            seal.take(*before);
        seal.add(checksumIn(table, row));
    }

    void erase(const std::string& table, const std::vector<Cell>& keys) {
        if (const auto before = store_.erase(table, keys))
            touch(table).take(*before);
    }

    Seal& touch(const std::string& table) {
        touched_.insert(table);
        return seals_.at(table);
    }

    History historyOfScenario(WorkspaceId scenario) {
        const auto row = store_.readOne("histories", {scenario});
        return row ? historyOf(store_.shape("histories"), *row)
                   : History{.scenario = scenario, .named = 0, .seal = {}};
    }

    void add(History& history, const ScenarioVersion& version) {
        Row row = rowOf(store_, version);
        store_.put("versions", row);
        history.seal.add(checksumIn("versions", row));
        history.named += version.name.empty() ? 0 : 1;
    }

    void take(History& history, const ScenarioVersion& version, const Row& row) {
        history.seal.take(checksumIn("versions", row));
        history.named -= version.name.empty() ? 0 : 1;
    }

    void prune(History& history) {
        const std::int64_t tooMany = history.seal.rows - history.named - versionsKept_;
        if (tooMany <= 0)
            return;
        std::vector<std::int64_t> numbers;
        SQLite::Statement oldest(database_, "SELECT number FROM versions WHERE scenario = ? AND name = '' "
                                            "ORDER BY number LIMIT ?");
        oldest.bind(1, history.scenario);
        oldest.bind(2, tooMany);
        while (oldest.executeStep())
            numbers.push_back(oldest.getColumn(0).getInt64());
        for (const std::int64_t number : numbers)
            if (const auto checksum = store_.erase("versions", {history.scenario, number}))
                history.seal.take(*checksum);
    }

    TableStore& store_;
    SQLite::Database& database_;
    Seals& seals_;
    int versionsKept_;
    std::set<std::string> touched_;
};

} // namespace

Seals makeEdit(TableStore& store, SQLite::Database& database, const WorkspaceEdit& edit, Seals seals,
               int versionsKept) {
    EditMaker maker(store, database, seals, versionsKept);
    for (const WorkspaceChange& change : edit.changes)
        std::visit(maker, change);
    maker.finish();
    return seals;
}

} // namespace alidade::data
