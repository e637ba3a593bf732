// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/delegates.h"

namespace alidade::views {

class CatalogEditor;
class CatalogModel;

/// Draws the cells of the catalog, and edits them with a field that checks as one types.
class CatalogCellDelegate : public CatalogDelegate {
    Q_OBJECT

public:
    /// \param model of the sheet; the view's may override it
    CatalogCellDelegate(const CatalogEditor* editor, const CatalogModel* model, QObject* parent = nullptr);

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;

private:
    const CatalogEditor* editor_;
    const CatalogModel* model_;
};

} // namespace alidade::views
