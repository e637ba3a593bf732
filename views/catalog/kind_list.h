// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace alidade::views {

inline constexpr int kindSheetRole = Qt::UserRole;     ///< index of the sheet; a heading has none
inline constexpr int kindCountRole = Qt::UserRole + 1; ///< number of entries

/// A kind with the number of its entries; headings in small type.
class KindDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace alidade::views
