// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAbstractItemView;
class QModelIndex;

namespace alidade::views {

/// Opens the editor of a cell, as Rename in a menu does. An editor that is open elsewhere in the view is
/// committed first. Does nothing if the cell cannot be edited, is being edited already, or if that commit
/// removed it; QAbstractItemView::edit() warns in these cases.
void beginEdit(QAbstractItemView& view, const QModelIndex& index);

} // namespace alidade::views
