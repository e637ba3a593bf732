// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/catalog_sheet.h"

#include "data/catalog/catalog_keys.h"
#include "data/catalog/entries.h"
#include "model/workload/parameters.h"
#include "views/catalog/catalog_editor.h"
#include "views/catalog/sheet_columns.h"
#include "views/document/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace alidade::views {

namespace {

struct SheetTexts {
    Q_DECLARE_TR_FUNCTIONS(CatalogView)
};

using Cell = CatalogSheet::Cell;
using Column = CatalogSheet::Column;
using Row = CatalogSheet::Row;
using data::CatalogKind;
using data::ValueKind;

Column columnFor(const data::CatalogKey& key, const SheetInfo& info) {
    Column column;
    column.key = text(key.key);
    column.label = text(key.label);
    column.unit = text(key.unit);
    column.title = column.unit.isEmpty() ? column.label : column.label + QStringLiteral(", ") + column.unit;
    column.number = key.value == ValueKind::number || key.value == ValueKind::wholeNumber;
    column.common = info.common.contains(column.key);
    column.editable = key.value != ValueKind::fixed;
    return column;
}

Cell cellFor(const data::EffectiveValue& value) {
    Cell cell;
    cell.shown = shownCell(value.text, value.number);
    if (value.number)
        cell.compare = *value.number;
    else if (!value.text.empty())
        cell.compare = text(value.text);
    cell.source = text(value.source);
    cell.yours = value.changed();
    cell.reason = text(value.problem);
    if (cell.yours && !value.shipped.empty())
        cell.shipped = shownCell(value.shippedText, data::numberOf(value.shipped));
    return cell;
}

/// Catalogs hold no computed total, so it is here as what it is: counted from the other columns.
void addParameterCounts(CatalogSheet& sheet, const Catalog& catalog) {
    const int place = 2; // after id and name
    Column column;
    column.key = QStringLiteral("computed_parameters");
    column.title = column.label = SheetTexts::tr("Parameters, counted");
    column.number = true;
    column.common = true;
    sheet.columns.insert(place, column);
    for (Row& row : sheet.rows) {
        Cell cell{.shown = QStringLiteral("–"), .compare = {}};
        if (const Architecture* model = catalog.model(row.id.toStdString())) {
            const double count = static_cast<double>(countParameters(*model).total);
            cell.shown = quantity(count, Dimension::tokens, {.significant = 4});
            cell.compare = count;
        }
        row.cells.insert(place, cell);
    }
}

/// GPUs are known by their names; ids are for files.
void nameGpus(CatalogSheet& sheet, const Catalog& catalog) {
    const int place = sheet.columnOf(QStringLiteral("gpu"));
    for (Row& row : sheet.rows) {
        Cell& cell = row.cells[place];
        const Gpu* gpu = catalog.gpu(cell.compare.toString().toStdString());
        if (gpu == nullptr || gpu->name.empty())
            continue;
        cell.shown = text(gpu->name);
        cell.compare = cell.shown;
    }
}

void addPrices(CatalogSheet& sheet, const CatalogEditor& editor, const PriceChoice& choice) {
    const int memory = sheet.columnOf(QStringLiteral("gpu_memory_gb_total"));
    const int place = (memory >= 0 ? memory : sheet.columnOf(QStringLiteral("gpus"))) + 1;
    Column column;
    column.key = priceKey;
    column.label = SheetTexts::tr("Price");
    column.unit = QStringLiteral("$/h");
    column.title = SheetTexts::tr("Price, $/h");
    column.number = true;
    column.common = true;
    column.editable = true;
    sheet.columns.insert(place, column);
    for (Row& row : sheet.rows) {
        Cell cell{.shown = QStringLiteral("–"), .compare = {}};
        if (const Price* price = priceOf(editor.catalog(), row.id, choice)) {
            cell.shown = quantity(price->rate.si(), Dimension::number, {.significant = 5, .trimZeros = true});
            cell.compare = price->rate.si();
            cell.yours = price->provenance.user;
            cell.disputed = !price->provenance.conflicts.empty();
            cell.source = text(citation(price->provenance, "usd_per_hour"));
        }
        row.cells.insert(place, cell);
    }
}

void addRefusals(CatalogSheet& sheet, const CatalogEditor& editor) {
    for (const RefusedText& refused : editor.refusals()) {
        if (refused.cell.kind != sheet.kind)
            continue;
        const int row = sheet.rowOf(refused.cell.entry);
        const int column = sheet.columnOf(refused.cell.key);
        if (row < 0 || column < 0)
            continue;
        Cell& cell = sheet.rows[row].cells[column];
        cell.refused = refused.text;
        cell.reason = refused.reason;
        sheet.rows[row].touched = true;
    }
}

QStringList conflictsOf(const data::SheetRow& row, const std::vector<data::CatalogKey>& keys) {
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (keys[i].key == "conflicts" && !row.cells[i].text.empty())
            return {text(row.cells[i].text)};
    return {};
}

Row rowFor(const data::SheetRow& entry, const CatalogSheet& sheet, const QStringList& conflicts) {
    Row row;
    row.id = text(entry.id);
    row.name = text(entry.name);
    row.state = entry.state;
    row.touched = entry.state != data::EntryState::shipped;
    Cell id{.shown = row.id, .compare = row.id};
    id.reason = text(entry.problem);
    row.cells.append(id);
    for (const data::EffectiveValue& value : entry.cells)
        row.cells.append(cellFor(value));
    for (qsizetype i = 0; i < row.cells.size() && !conflicts.isEmpty(); ++i)
        row.cells[i].disputed = isDisputed(conflicts, sheet.columns[i]);
    // What could not be attributed to a value is about the entry.
    const bool attributed = std::ranges::any_of(row.cells, &Cell::disputed);
    row.cells[0].disputed = !conflicts.isEmpty() && !attributed;
    return row;
}

} // namespace

int CatalogSheet::columnOf(const QString& key) const {
    const auto found = std::ranges::find(columns, key, &Column::key);
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

int CatalogSheet::rowOf(const QString& id) const {
    const auto found = std::ranges::find(rows, id, &Row::id);
    return found == rows.end() ? -1 : static_cast<int>(found - rows.begin());
}

QString kindName(CatalogKind kind) { return text(data::name(kind)); }

int entryCount(const Catalog& catalog, CatalogKind kind) {
    std::size_t count = 0;
    data::withEntries(catalog, kind, [&count](const auto& entries) { count = entries.size(); });
    return static_cast<int>(count);
}

const Provenance* provenanceOf(const Catalog& catalog, CatalogKind kind, const QString& entry) {
    const Provenance* found = nullptr;
    data::withEntries(catalog, kind, [&, id = entry.toStdString()](const auto& entries) {
        for (const auto& each : entries)
            if (each.id == id)
                found = &each.provenance;
    });
    return found;
}

QString shownCell(const std::string& valueText, std::optional<double> number) {
    // Catalog values are given, not computed, so no digit is rounded away.
    constexpr int digits = 9;
    if (number)
        return quantity(*number, Dimension::number, {.significant = digits, .trimZeros = true});
    return valueText.empty() ? QStringLiteral("–") : text(valueText);
}

const Price* priceOf(const Catalog& catalog, const QString& machine, const PriceChoice& choice) {
    return catalog.price(machine.toStdString(), choice.region, choice.purchase);
}

CatalogSheet sheetOf(const CatalogEditor& editor, CatalogKind kind, const PriceChoice& prices) {
    const SheetInfo info = sheetInfo(kind);
    CatalogSheet sheet;
    sheet.kind = kind;
    sheet.title = info.title;
    sheet.group = info.group;
    sheet.noun = info.noun;
    Column id;
    id.key = QStringLiteral("id");
    id.title = id.label = info.idTitle;
    id.common = true;
    sheet.columns.append(id);
    const std::vector<data::CatalogKey>& keys = data::catalogKeys(kind);
    for (const data::CatalogKey& key : keys)
        sheet.columns.append(columnFor(key, info));
    for (const data::SheetRow& entry :
         data::catalogSheet(*editor.shipped(), editor.user(), editor.applied(), kind))
        sheet.rows.append(rowFor(entry, sheet, conflictsOf(entry, keys)));
    if (kind == CatalogKind::models)
        addParameterCounts(sheet, editor.catalog());
    if (kind == CatalogKind::instances || kind == CatalogKind::ultraservers) {
        nameGpus(sheet, editor.catalog());
        addPrices(sheet, editor, prices);
    }
    addRefusals(sheet, editor);
    return sheet;
}

} // namespace alidade::views
