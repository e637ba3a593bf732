// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_table.h"

#include "data/catalog/entries.h"
#include "data/catalog/values.h"

#include <algorithm>

namespace alidade::data {
namespace {

std::string counted(const Catalog& catalog, int gpus, const std::string& gpu) {
    const Gpu* part = catalog.gpu(gpu);
    return std::to_string(gpus) + " x " + (part != nullptr ? part->name : gpu);
}

std::string money(DollarsPerHour rate) { return "$" + numberText(rate.si()) + "/h"; }

/// Returns the index of the column with this key, which is added if necessary.
std::size_t columnOf(CatalogTable& table, const EntryValue& value) {
    const auto found = std::ranges::find(table.columns, value.key, &CatalogColumn::key);
    if (found != table.columns.end())
        return static_cast<std::size_t>(found - table.columns.begin());
    table.columns.push_back({value.key, value.label, value.unit});
    return table.columns.size() - 1;
}

CatalogCell cellOf(const EntryValue& value, const Provenance& provenance) {
    CatalogCell cell;
    cell.text = shownText(value.value);
    if (cell.text.empty())
        return cell;
    if (value.value.is_number())
        cell.number = value.value.get<double>();
    cell.source = citation(provenance, value.sourceKey);
    return cell;
}

template <class T>
void addRow(CatalogTable& table, const Catalog& catalog, const T& entry) {
    CatalogRow& row = table.rows.emplace_back();
    row.id = entry.id;
    row.name = entryName(catalog, entry);
    row.notes = entry.provenance.notes;
    row.conflicts = entry.provenance.conflicts;
    row.user = entry.provenance.user;
    for (const EntryValue& value : valuesOf(entry)) {
        const std::size_t column = columnOf(table, value);
        row.cells.resize(std::max(row.cells.size(), table.columns.size()));
        row.cells[column] = cellOf(value, entry.provenance);
    }
}

void dropEmptyColumns(CatalogTable& table) {
    for (CatalogRow& row : table.rows)
        row.cells.resize(table.columns.size());
    for (std::size_t column = table.columns.size(); column-- > 0;) {
        if (std::ranges::any_of(table.rows,
                                [&](const CatalogRow& row) { return !row.cells[column].text.empty(); }))
            continue;
        table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
        for (CatalogRow& row : table.rows)
            row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(column));
    }
}

} // namespace

std::string entryName(const Catalog&, const Gpu& entry) { return entry.name; }
std::string entryName(const Catalog& catalog, const Instance& entry) {
    return counted(catalog, entry.gpus, entry.gpu);
}
std::string entryName(const Catalog& catalog, const UltraServer& entry) {
    return counted(catalog, entry.gpus, entry.gpu);
}
std::string entryName(const Catalog&, const EfaGeneration& entry) {
    return "EFA v" + std::to_string(entry.version);
}
std::string entryName(const Catalog&, const StorageTier& entry) { return entry.name; }
std::string entryName(const Catalog&, const Price& entry) {
    return money(entry.rate) + " (" + entry.date + (entry.current ? ")" : ", not current)");
}
std::string entryName(const Catalog&, const Architecture& entry) {
    return entry.name.empty() ? entry.id : entry.name;
}
std::string entryName(const Catalog&, const Framework& entry) { return entry.name; }

CatalogTable catalogTable(const Catalog& catalog, CatalogKind kind) {
    CatalogTable table;
    withEntries(catalog, kind, [&](const auto& entries) {
        for (const auto& entry : entries)
            addRow(table, catalog, entry);
    });
    dropEmptyColumns(table);
    return table;
}

} // namespace alidade::data
