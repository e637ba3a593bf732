// SPDX-License-Identifier: GPL-3.0-or-later
// What the sheets of the catalog are called and which columns most people look for.
#pragma once

#include "data/catalog/kind.h"

#include <QString>
#include <QStringList>

namespace alidade::views {

struct SheetInfo {
    QString title;      ///< "GPUs"
    QString group;      ///< "Hardware"
    QString noun;       ///< "GPU"
    QString idTitle;    ///< head of the first column
    QStringList common; ///< keys of the columns that are shown at first
};

SheetInfo sheetInfo(data::CatalogKind kind);

} // namespace alidade::views
