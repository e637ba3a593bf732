// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/catalog_sheet.h"
#include "model/hardware/hardware.h"

#include <QList>
#include <QString>
#include <QStringList>
#include <QVariant>

#include <optional>
#include <string>

namespace alidade {
struct Catalog;
}

namespace alidade::views {

class CatalogEditor;

/// One kind of catalog entry as a table of texts.
struct CatalogSheet {
    struct Column {
        QString key;   ///< of the document: "hbm_capacity_gb", "moe.routed_experts"; the first column is "id"
        QString title; ///< with the unit: "Memory, GB"
        QString label; ///< "Memory"
        QString unit;  ///< "GB"; may be empty
        bool number = false;
        bool common = false;   ///< shown unless chosen otherwise
        bool editable = false; ///< a value of the document, not the id and nothing counted from others
    };
    struct Cell {
        QString shown;      ///< "–" where nothing is published
        QVariant compare;   ///< number or text, for sorting and filters; invalid where nothing is published
        bool yours = false; ///< the person changed it
        bool disputed = false; ///< sources disagree about it
        QString source{};      ///< "Title (date)", or that there is none
        QString shipped{};     ///< of a value of the person's: what it overrides, as shown
        QString refused{};     ///< a text that was committed and is not in force
        QString reason{};      ///< why it is not, or why a change is set aside
    };
    struct Row {
        QString id;
        QList<Cell> cells;
        QString name; ///< "8 x H100 SXM5 80 GB"
        data::EntryState state = data::EntryState::shipped;
        bool touched = false; ///< the entry or some value is the person's, or a text of it was refused

        bool own() const { return state == data::EntryState::added; }
        bool removed() const { return state == data::EntryState::removed; }
    };

    data::CatalogKind kind = data::CatalogKind::gpus;
    QString title; ///< "GPUs"
    QString group; ///< "Hardware"
    QString noun;  ///< of one entry: "GPU"
    QList<Column> columns;
    QList<Row> rows;

    int columnOf(const QString& key) const; ///< -1: none
    int rowOf(const QString& id) const;
};

/// Name of the sheet's kind in a document: "gpus".
QString kindName(data::CatalogKind kind);

/// The kinds in the order in which they are listed.
QList<data::CatalogKind> sheetKinds();
/// Number of entries.
int entryCount(const Catalog& catalog, data::CatalogKind kind);
/// Sources of an entry; nullptr: there is none of that id.
const Provenance* provenanceOf(const Catalog& catalog, data::CatalogKind kind, const QString& entry);

/// Which price of a machine its row shows.
struct PriceChoice {
    std::string region = "us-east-2";
    Purchase purchase = Purchase::onDemand;

    bool operator==(const PriceChoice&) const = default;
};
/// Key of the column of prices, which machines have besides the values of their entries.
inline constexpr QLatin1StringView priceKey("price");
/// The price that a row of a machine shows; nullptr: none is known.
const Price* priceOf(const Catalog& catalog, const QString& machine, const PriceChoice& choice);

/// The entries of a kind with the person's changes over them.
CatalogSheet sheetOf(const CatalogEditor& editor, data::CatalogKind kind, const PriceChoice& prices = {});
/// A value as it is in a cell: numbers with separators of thousands; "–" where nothing is published.
QString shownCell(const std::string& valueText, std::optional<double> number);

/// Whether one of an entry's recorded disagreements between sources is about this value.
bool isDisputed(const QStringList& conflicts, const CatalogSheet::Column& column);

} // namespace alidade::views
