// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/begin_edit.h"

#include <QAbstractItemView>
#include <QPersistentModelIndex>

namespace alidade::views {

void beginEdit(QAbstractItemView& view, const QModelIndex& index) {
    const auto canBegin = [&view](const QModelIndex& cell) {
        return cell.isValid() && (cell.flags() & Qt::ItemIsEditable) && (cell.flags() & Qt::ItemIsEnabled) &&
               !view.isPersistentEditorOpen(cell); // true for any open editor of the cell
    };
    if (!canBegin(index))
        return;
    const QPersistentModelIndex kept(index);
    view.setFocus(Qt::OtherFocusReason); // an editor commits when it loses the focus
    if (canBegin(kept))
        view.edit(kept);
}

} // namespace alidade::views
