// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/catalog/catalog_editor.h"

#include <QModelIndex>

namespace alidade::views {

/// Where the cells of a pasted block go, and what of them goes nowhere.
struct BlockPlan {
    QList<CatalogEditor::CellText> texts;
    QStringList left; ///< "Instance of p5.48xlarge: the id of a shipped entry stays"
};

/// Puts a block over the cells of a table, the first one at the first of `selection`. One single text goes
/// into every selected cell. Numbers of number columns are read as writtenNumber() says; what can be read in
/// two ways is left out.
/// \param columns that are shown, from left to right
BlockPlan planBlock(const QList<QStringList>& block, const QModelIndexList& selection,
                    const QList<int>& columns);

/// The text of the topmost selected cell of each column for the selected cells below it.
BlockPlan planFill(const QModelIndexList& selection);

/// Why a cell cannot be edited.
QString lockedReason(const QModelIndex& index);

/// What became of a block, in one or two sentences: "6 of 9 cells pasted. 1 is refused and marked. ...".
/// \param refusals what CatalogEditor::setTexts() gave back for the plan
QString blockReport(const BlockPlan& plan, const QStringList& refusals);

} // namespace alidade::views
