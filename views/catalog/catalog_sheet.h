// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/hardware/provenance.h"

#include <QList>
#include <QString>
#include <QVariant>

namespace alidade {
struct Catalog;
}

namespace alidade::views {

/// One kind of catalog entry as a table of texts.
struct CatalogSheet {
    struct Column {
        QString key;   ///< of the document: "hbm_capacity_gb"; the first column is "id"
        QString title; ///< with the unit: "Memory, GB"
        bool number = false;
        bool common = false; ///< shown unless chosen otherwise
    };
    struct Cell {
        QString shown;    ///< "–" where nothing is published
        QVariant compare; ///< number or text, for sorting and filters; invalid where nothing is published
    };
    struct Row {
        QString id;
        QList<Cell> cells;
        const Provenance* provenance = nullptr; ///< in the catalog
    };

    QString kind;  ///< "gpus"
    QString title; ///< "GPUs"
    QString group; ///< "Hardware"
    QList<Column> columns;
    QList<Row> rows;
};

/// The sheets of a catalog, in the order in which they are listed. They point into the catalog.
QList<CatalogSheet> sheetsOf(const Catalog& catalog);

} // namespace alidade::views
