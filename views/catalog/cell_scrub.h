// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/catalog/catalog_editor.h"

#include <QElapsedTimer>
#include <QModelIndex>
#include <QObject>

#include <functional>
#include <optional>

class QWidget;

namespace alidade::views {

class CatalogTable;

/// Changes a number of the catalog like a slider: dragging sideways with Alt held on its cell, or Alt and the
/// wheel over it. All views follow; a drag, or turns of the wheel that follow each other quickly, are one
/// undo step.
class CellScrub : public QObject {
    Q_OBJECT

public:
    /// \param cellOf the cell of an index of the table
    CellScrub(CatalogTable* table, CatalogEditor* editor,
              std::function<CatalogCell(const QModelIndex&)> cellOf);

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool begin(const QModelIndex& index);
    void to(int steps);
    std::optional<QString> textAt(int steps) const;

    CatalogTable* table_;
    QWidget* viewport_; ///< of the table
    CatalogEditor* editor_;
    std::function<CatalogCell(const QModelIndex&)> cellOf_;
    CatalogCell cell_;
    QString before_, after_; ///< around the number of the text where the drag began
    double number_ = 0, size_ = 1;
    double start_ = 0; ///< pixels
    int steps_ = 0;
    int pushed_ = -1; ///< place in the undo stack after the step of this drag; -1: it has none
    bool dragging_ = false;
    QElapsedTimer sinceTurn_;
};

} // namespace alidade::views
