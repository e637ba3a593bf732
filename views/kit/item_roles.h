// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/paint.h"

#include <QMetaType>

#include <optional>

namespace alidade::views {

/// What models tell the kit's delegates, next to Qt's own roles.
enum ItemRole {
    boundRole = Qt::UserRole + 4000, ///< QVariant::fromValue(Bound): TagDelegate
    barRole,                         ///< QVariant::fromValue(BarCell): BarDelegate
    bandRole,                        ///< QVariant::fromValue(BandRange): BandDelegate
    groupRowRole,                    ///< bool, of any cell: the row heads a group
    inkRole,                         ///< QVariant::fromValue(Role): color of the text
    markRole,                        ///< QVariant::fromValue(CellMark): CatalogDelegate
    copyRole,                        ///< text for the clipboard where it differs from what is displayed
};

/// A stacked bar in a cell; the delegate holds the scale that all cells share.
struct BarCell {
    QList<BarSegment> segments;
};

/// Corners and state of a catalog cell.
struct CellMark {
    bool yours = false;    ///< accent corner at the top left, accent text
    bool disagree = false; ///< amber corner at the top right
    bool refused = false;  ///< drawn as an error
};

} // namespace alidade::views

Q_DECLARE_METATYPE(alidade::Bound)
Q_DECLARE_METATYPE(alidade::views::BarCell)
Q_DECLARE_METATYPE(alidade::views::BandRange)
Q_DECLARE_METATYPE(alidade::views::Role)
Q_DECLARE_METATYPE(alidade::views::CellMark)
