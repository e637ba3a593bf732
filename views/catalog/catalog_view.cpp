// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/catalog_view.h"

#include "model/catalog/catalog.h"
#include "views/catalog/catalog_model.h"
#include "views/catalog/kind_list.h"
#include "views/catalog/provenance_panel.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/data_table_view.h"
#include "views/kit/delegates.h"
#include "views/kit/dock_title_bar.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QListWidget>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

/// Room that a column may take at first; long texts stand in the panel at the right.
constexpr int widestColumn = 210;
constexpr int firstKind = 1; // instances

} // namespace

CatalogView::CatalogView(Document* document, QWidget* parent)
    : View(document, parent)
    , kinds_(new QListWidget)
    , bar_(new DockTitleBar(QStringLiteral("catalog"), {}))
    , table_(new DataTableView)
    , model_(new CatalogModel(this))
    , filter_(new CatalogFilter(this))
    , provenance_(new ProvenancePanel) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* splitter = new QSplitter(this);
    splitter->addWidget(makeKinds());
    splitter->addWidget(makeTable());
    splitter->addWidget(provenance_);
    splitter->setChildrenCollapsible(false);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({theme().px(176), theme().px(1000), theme().px(340)});
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(splitter);
    connect(document, &Document::catalogChanged, this, &CatalogView::load);
    load();
}

QWidget* CatalogView::makeKinds() {
    kinds_->setObjectName(QStringLiteral("catalogKinds"));
    kinds_->setAccessibleName(tr("Kinds of entries"));
    kinds_->setFrameShape(QFrame::NoFrame);
    kinds_->setItemDelegate(new KindDelegate(kinds_));
    kinds_->setMinimumWidth(theme().px(150));
    connect(kinds_, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item != nullptr)
            showSheet(item->data(kindSheetRole).toInt());
    });
    return kinds_;
}

QWidget* CatalogView::makeTable() {
    auto* middle = new QWidget;
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar_);
    column->addWidget(table_, 1);
    auto* filter = new QAction(tr("Filter"), this);
    filter->setCheckable(true);
    filter->setToolTip(tr("A row of filters under the headers (Ctrl+F): text, or >= 8"));
    connect(filter, &QAction::toggled, table_, &DataTableView::setFilterRowVisible);
    bar_->addRight(filter)->setAccessibleName(filter->text());
    auto* copy = new QAction(tr("Copy table"), this);
    copy->setToolTip(tr("All rows that are shown, as TSV"));
    connect(copy, &QAction::triggered, this, [this] {
        table_->selectAll();
        table_->manners().copy(TableFormat::tsv);
    });
    bar_->addRight(copy)->setAccessibleName(copy->text());

    filter_->setSourceModel(model_);
    table_->setModel(filter_);
    table_->setItemDelegate(new CatalogDelegate(table_));
    table_->setSortingEnabled(true);
    table_->setAccessibleName(tr("Entries"));
    connect(table_, &DataTableView::filterChanged, this, [this](int at, const QString& words) {
        filter_->setColumnFilter(at, words);
        renewTitle();
    });
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &CatalogView::showProvenance);
    return middle;
}

void CatalogView::load() {
    catalog_ = document().catalog();
    sheets_ = sheetsOf(*catalog_);
    kinds_->clear();
    QString group;
    for (int i = 0; i < sheets_.size(); ++i) {
        if (sheets_[i].group != group) {
            group = sheets_[i].group;
            auto* heading = new QListWidgetItem(group, kinds_);
            heading->setFlags(Qt::NoItemFlags);
        }
        auto* item = new QListWidgetItem(sheets_[i].title, kinds_);
        item->setData(kindSheetRole, i);
        item->setData(kindCountRole, static_cast<int>(sheets_[i].rows.size()));
    }
    showKind(sheets_[firstKind].kind);
}

void CatalogView::showKind(const QString& kind) {
    for (int i = 0; i < kinds_->count(); ++i) {
        const QVariant sheet = kinds_->item(i)->data(kindSheetRole);
        if (sheet.isValid() && sheets_[sheet.toInt()].kind == kind)
            kinds_->setCurrentRow(i);
    }
}

void CatalogView::showSheet(int index) {
    for (int column = 0; column < model_->columnCount(); ++column)
        table_->setFilterText(column, {});
    filter_->clearFilters();
    const CatalogSheet& sheet = sheets_[index];
    model_->setSheet(sheet);
    table_->sortByColumn(-1, Qt::AscendingOrder); // the catalog's own order
    table_->resizeColumnsToContents();
    for (int column = 0; column < sheet.columns.size(); ++column) {
        table_->setColumnHidden(column, !sheet.columns[column].common);
        table_->setColumnWidth(column, std::min(table_->columnWidth(column), theme().px(widestColumn)));
    }
    table_->horizontalHeader()->setStretchLastSection(false);
    chooseUsed();
    renewTitle();
}

/// The entry that the scenario uses, so that the panel has something to say; without one the first.
void CatalogView::chooseUsed() {
    const ScenarioSpec& spec = document().spec();
    QStringList used;
    for (const auto& id :
         {spec.workload.model, spec.cluster.instance, spec.cluster.ultraserver, spec.plan.framework})
        if (id)
            used.append(text(*id));
    const CatalogSheet& sheet = model_->sheet();
    const auto row =
        std::ranges::find_if(sheet.rows, [&](const auto& each) { return used.contains(each.id); });
    const int at = row == sheet.rows.end() ? 0 : static_cast<int>(row - sheet.rows.begin());
    const QModelIndex index = filter_->mapFromSource(model_->index(at, 0));
    table_->setCurrentIndex(index);
    table_->scrollTo(index, QAbstractItemView::PositionAtCenter);
    showProvenance();
}

void CatalogView::renewTitle() {
    const CatalogSheet& sheet = model_->sheet();
    bar_->setTitle(sheet.title);
    const auto all = static_cast<int>(sheet.rows.size());
    const int shown = filter_->rowCount();
    bar_->setSubtitle(shown == all
                          ? tr("%1 entries, catalog of %2").arg(QString::number(all), text(catalog_->version))
                          : tr("%1 of %2").arg(shown).arg(all));
}

void CatalogView::showProvenance() {
    const QModelIndex index = filter_->mapToSource(table_->currentIndex());
    if (!index.isValid()) {
        provenance_->showNothing();
        return;
    }
    const CatalogSheet& sheet = model_->sheet();
    const CatalogSheet::Row& row = sheet.rows[index.row()];
    const CatalogSheet::Column& column = sheet.columns[index.column()];
    provenance_->showValue(row.id, column.key, column.title, row.cells[index.column()].shown,
                           *row.provenance);
}

} // namespace alidade::views
