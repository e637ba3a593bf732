// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/catalog/catalog_sheet.h"

#include <QWidget>

class QAction;
class QComboBox;
class QTimer;

namespace alidade::views {

class CompareModel;
class DataTableView;
class DockTitleBar;

/// Two entries of a kind side by side, with the ratio of their numbers as bars. Equal values are hidden
/// unless asked for.
class ComparePane : public QWidget {
    Q_OBJECT

public:
    explicit ComparePane(CatalogEditor* editor, QWidget* parent = nullptr);

    /// Shows these entries once control returns to the event loop, and after every change of the catalog
    /// until the next call. Several calls in a row read the catalog once.
    void compare(data::CatalogKind kind, const QString& first, const QString& second);
    CompareModel* model() const { return model_; }
    DataTableView* table() const { return table_; }

    QSize sizeHint() const override;

signals:
    void closed();

private:
    void renew();
    void fillChoices(const CatalogSheet& sheet);

    CatalogEditor* editor_;
    data::CatalogKind kind_ = data::CatalogKind::instances;
    QString first_, second_;
    DockTitleBar* bar_;
    QComboBox *firstChoice_, *secondChoice_;
    QAction* equal_;
    QTimer* due_;
    DataTableView* table_;
    CompareModel* model_;
};

} // namespace alidade::views
