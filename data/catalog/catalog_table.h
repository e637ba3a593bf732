// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/kind.h"
#include "model/catalog/catalog.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade::data {

struct CatalogColumn {
    std::string key;   ///< of the document: "hbm_capacity_gb", "moe.routed_experts"
    std::string label; ///< "Memory"
    std::string unit;  ///< "GB"; empty: none
};

struct CatalogCell {
    std::string text;             ///< without the unit; empty: unknown or not applicable
    std::optional<double> number; ///< in the column's unit, for sorting; only for numbers
    std::string source;           ///< "Title (date)", or a note that there is none
};

struct CatalogRow {
    std::string id;
    std::string name;
    std::vector<CatalogCell> cells; ///< one for each column
    std::vector<std::string> notes, conflicts;
    bool user = false; ///< from a user catalog
};

struct CatalogTable {
    std::vector<CatalogColumn> columns; ///< only those in which at least one row has a value
    std::vector<CatalogRow> rows;
};

/// Returns the entries of a kind as a table. Empty for scenarios.
CatalogTable catalogTable(const Catalog& catalog, CatalogKind kind);

/// Returns the display name of an entry: "8 x H100 SXM5 80 GB" for an instance.
std::string entryName(const Catalog& catalog, const Gpu& entry);
std::string entryName(const Catalog& catalog, const Instance& entry);
std::string entryName(const Catalog& catalog, const UltraServer& entry);
std::string entryName(const Catalog& catalog, const EfaGeneration& entry);
std::string entryName(const Catalog& catalog, const StorageTier& entry);
std::string entryName(const Catalog& catalog, const Price& entry);
std::string entryName(const Catalog& catalog, const Architecture& entry);
std::string entryName(const Catalog& catalog, const Framework& entry);

} // namespace alidade::data
