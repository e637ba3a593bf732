// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/entity_rows.h"

#include "data/workspace/connection.h"

#include <array>

namespace alidade::data {

namespace {

constexpr std::array<const char*, 5> documentWords{"catalog_change", "profile", "topology", "measurement",
                                                   "snapshot"};

template <class T>
const T& cellIn(const TableShape& table, const Row& row, std::string_view column) {
    const std::size_t index = table.column(column);
    const T* value = index < row.size() ? std::get_if<T>(&row[index]) : nullptr;
    if (value == nullptr)
        throwFault(WorkspaceFault::Kind::damaged,
                   describe(table, row) + " has no '" + std::string(column) +
                       "' that this program can read; open it with a newer Alidade");
    return *value;
}

/// 0 in memory is NULL in the file: a reference to nothing.
Cell reference(WorkspaceId id) { return id == 0 ? Cell() : Cell(id); }

WorkspaceId referenceIn(const TableShape& table, const Row& row, std::string_view column) {
    const std::size_t index = table.column(column);
    const bool none = index < row.size() && std::holds_alternative<std::monostate>(row[index]);
    return none ? 0 : numberIn(table, row, column);
}

std::string joinedTags(const std::vector<std::string>& tags) {
    std::string out;
    for (const std::string& tag : tags)
        out += (out.empty() ? "" : ",") + tag;
    return out;
}

std::vector<std::string> tagsOf(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t comma = std::min(text.find(',', start), text.size());
        out.push_back(text.substr(start, comma - start));
        start = comma + 1;
    }
    return out;
}

} // namespace

std::int64_t numberIn(const TableShape& table, const Row& row, std::string_view column) {
    return cellIn<std::int64_t>(table, row, column);
}

const std::string& textIn(const TableShape& table, const Row& row, std::string_view column) {
    return cellIn<std::string>(table, row, column);
}

const std::string& bytesIn(const TableShape& table, const Row& row, std::string_view column) {
    return cellIn<Blob>(table, row, column).bytes;
}

const char* wordOf(DocumentKind kind) { return documentWords[static_cast<std::size_t>(kind)]; }

Row rowOf(const TableStore& store, const Folder& folder) {
    return store.rowOf("folders", {{"id", folder.id},
                                   {"parent", reference(folder.parent)},
                                   {"position", folder.position},
                                   {"name", folder.name},
                                   {"created", folder.createdMs},
                                   {"changed", folder.changedMs},
                                   {"deleted", folder.deletedMs}});
}

Folder folderOf(const TableShape& table, const Row& row) {
    return {.id = numberIn(table, row, "id"),
            .parent = referenceIn(table, row, "parent"),
            .position = numberIn(table, row, "position"),
            .name = textIn(table, row, "name"),
            .createdMs = numberIn(table, row, "created"),
            .changedMs = numberIn(table, row, "changed"),
            .deletedMs = numberIn(table, row, "deleted")};
}

Row rowOf(const TableStore& store, const StoredScenario& scenario) {
    return store.rowOf("scenarios", {{"id", scenario.id},
                                     {"folder", reference(scenario.folder)},
                                     {"position", scenario.position},
                                     {"name", scenario.name},
                                     {"tags", joinedTags(scenario.tags)},
                                     {"model", scenario.model},
                                     {"machine", scenario.machine},
                                     {"json", scenario.json},
                                     {"version", scenario.version},
                                     {"created", scenario.createdMs},
                                     {"changed", scenario.changedMs},
                                     {"deleted", scenario.deletedMs}});
}

StoredScenario scenarioOf(const TableShape& table, const Row& row) {
    return {.id = numberIn(table, row, "id"),
            .folder = referenceIn(table, row, "folder"),
            .position = numberIn(table, row, "position"),
            .name = textIn(table, row, "name"),
            .tags = tagsOf(textIn(table, row, "tags")),
            .model = textIn(table, row, "model"),
            .machine = textIn(table, row, "machine"),
            .json = textIn(table, row, "json"),
            .version = numberIn(table, row, "version"),
            .createdMs = numberIn(table, row, "created"),
            .changedMs = numberIn(table, row, "changed"),
            .deletedMs = numberIn(table, row, "deleted")};
}

Row rowOf(const TableStore& store, const ScenarioVersion& version) {
    return store.rowOf("versions", {{"scenario", version.scenario},
                                    {"number", version.number},
                                    {"time", version.timeMs},
                                    {"name", version.name},
                                    {"text", version.text},
                                    {"json", version.json}});
}

ScenarioVersion versionOf(const TableShape& table, const Row& row) {
    return {.scenario = numberIn(table, row, "scenario"),
            .number = numberIn(table, row, "number"),
            .timeMs = numberIn(table, row, "time"),
            .text = textIn(table, row, "text"),
            .name = textIn(table, row, "name"),
            .json = textIn(table, row, "json")};
}

Row rowOf(const TableStore& store, const StoredDocument& document) {
    return store.rowOf("documents", {{"id", document.id},
                                     {"kind", std::string(wordOf(document.kind))},
                                     {"position", document.position},
                                     {"name", document.name},
                                     {"json", document.json},
                                     {"body_bytes", document.bodyBytes},
                                     {"created", document.createdMs},
                                     {"changed", document.changedMs},
                                     {"deleted", document.deletedMs}});
}

StoredDocument documentOf(const TableShape& table, const Row& row) {
    const std::string& word = textIn(table, row, "kind");
    const auto kind = std::find(documentWords.begin(), documentWords.end(), word);
    if (kind == documentWords.end())
        throwFault(WorkspaceFault::Kind::damaged, describe(table, row) + " has the unknown kind '" + word +
                                                      "'; open it with a newer Alidade");
    return {.id = numberIn(table, row, "id"),
            .kind = static_cast<DocumentKind>(kind - documentWords.begin()),
            .position = numberIn(table, row, "position"),
            .name = textIn(table, row, "name"),
            .json = textIn(table, row, "json"),
            .bodyBytes = numberIn(table, row, "body_bytes"),
            .createdMs = numberIn(table, row, "created"),
            .changedMs = numberIn(table, row, "changed"),
            .deletedMs = numberIn(table, row, "deleted")};
}

Row rowOf(const TableStore& store, const History& history) {
    return store.rowOf("histories", {{"scenario", history.scenario},
                                     {"rows", history.seal.rows},
                                     {"named", history.named},
                                     {"sum", history.seal.sum}});
}

History historyOf(const TableShape& table, const Row& row) {
    return {.scenario = numberIn(table, row, "scenario"),
            .named = numberIn(table, row, "named"),
            .seal = {numberIn(table, row, "rows"), numberIn(table, row, "sum")}};
}

} // namespace alidade::data
