// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/entities.h"
#include "data/workspace/table_store.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace alidade::data {

// Entities as rows and back. Reading goes by the names of columns, so that a newer file may have more of
// them; a column that is missing or holds another kind of value is a FaultFound.

Row rowOf(const TableStore& store, const Folder& folder);
Row rowOf(const TableStore& store, const StoredScenario& scenario);
Row rowOf(const TableStore& store, const ScenarioVersion& version);
Row rowOf(const TableStore& store, const StoredDocument& document);

Folder folderOf(const TableShape& table, const Row& row);
StoredScenario scenarioOf(const TableShape& table, const Row& row);
ScenarioVersion versionOf(const TableShape& table, const Row& row);
StoredDocument documentOf(const TableShape& table, const Row& row);

/// What the versions of a scenario must add up to.
struct History {
    WorkspaceId scenario = 0;
    std::int64_t named = 0;
    Seal seal;
};
Row rowOf(const TableStore& store, const History& history);
History historyOf(const TableShape& table, const Row& row);

std::int64_t numberIn(const TableShape& table, const Row& row, std::string_view column);
const std::string& textIn(const TableShape& table, const Row& row, std::string_view column);
const std::string& bytesIn(const TableShape& table, const Row& row, std::string_view column);

/// "catalog_change", ...
const char* wordOf(DocumentKind kind);

} // namespace alidade::data
