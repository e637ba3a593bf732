// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/catalog/catalog_sheet.h"
#include "views/document/view.h"

class QListWidget;

namespace alidade::views {

class CatalogFilter;
class CatalogModel;
class DataTableView;
class DockTitleBar;
class ProvenancePanel;

/// What is known of hardware, prices and models: kinds at the left, one kind as a table (sorted, filtered by
/// column, columns to choose), and at the right where the chosen value comes from.
class CatalogView : public View {
    Q_OBJECT

public:
    explicit CatalogView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Catalog"); }
    QString iconName() const override { return QStringLiteral("catalog"); }

    void showKind(const QString& kind); ///< "instances"
    DataTableView* table() const { return table_; }

private:
    QWidget* makeKinds();
    QWidget* makeTable();
    void load();
    void showSheet(int index);
    void chooseUsed();
    void showProvenance();
    void renewTitle();

    QList<CatalogSheet> sheets_;
    std::shared_ptr<const Catalog> catalog_; ///< that the sheets point into
    QListWidget* kinds_;
    DockTitleBar* bar_;
    DataTableView* table_;
    CatalogModel* model_;
    CatalogFilter* filter_;
    ProvenancePanel* provenance_;
};

} // namespace alidade::views
