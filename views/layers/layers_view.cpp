// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/layers_view.h"

#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/cell_table.h"
#include "views/kit/delegates.h"
#include "views/kit/hover_card.h"
#include "views/layers/figure_path.h"
#include "views/layers/layer_delegates.h"
#include "views/layers/layers_model.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QHeaderView>
#include <QMouseEvent>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {
namespace {

constexpr int narrowestName = 140; // logical pixels at 10 pt
constexpr int narrowestBar = 150;  // logical pixels at 10 pt, next to the shares of the step

/// Sorts operations inside their layer; layers stay in the order of the model.
class LayerOrder : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    bool lessThan(const QModelIndex& a, const QModelIndex& b) const override {
        if (!a.parent().isValid())
            return sortOrder() == Qt::AscendingOrder ? a.row() < b.row() : a.row() > b.row();
        return QSortFilterProxyModel::lessThan(a, b);
    }
};

} // namespace

LayersView::LayersView(Document* document, QWidget* parent)
    : EstimateView(document, parent)
    , model_(new LayersModel(this))
    , order_(new LayerOrder(this))
    , tree_(new DataTreeView)
    , bars_(new LayerBarDelegate(this)) {
    makeTree();
    auto* content = new QWidget;
    auto* box = new QVBoxLayout(content);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addWidget(tree_, 1);
    content->setFocusProxy(tree_);
    setContent(content);
    connect(document, &Document::servingStepChanged, this, [this] {
        if (shown()) {
            showEstimate();
            updateSelection();
        }
    });
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] {
        if (shown())
            renewRows();
        fitColumns();
    });
}

void LayersView::makeTree() {
    order_->setSourceModel(model_);
    order_->setSortRole(sortRole);
    tree_->setModel(order_);
    tree_->setAccessibleName(tr("Layers and their operations"));
    tree_->setSortingEnabled(true);
    tree_->header()->setSortIndicatorClearable(true);
    tree_->sortByColumn(-1, Qt::AscendingOrder);
    tree_->setItemDelegateForColumn(static_cast<int>(LayerColumn::name), new LayerNameDelegate(tree_));
    tree_->setItemDelegateForColumn(static_cast<int>(LayerColumn::limit), new TagDelegate(tree_));
    tree_->setItemDelegateForColumn(static_cast<int>(LayerColumn::bar), bars_);
    tree_->setExpandsOnDoubleClick(true);
    tree_->header()->setStretchLastSection(true);
    tree_->viewport()->setMouseTracking(true);
    tree_->viewport()->installEventFilter(this);
    connect(order_, &QAbstractItemModel::modelReset, this, [this] {
        const int heaviest = model_->table().heaviest;
        if (heaviest >= 0)
            tree_->expand(order_->mapFromSource(model_->index(heaviest, 0)));
        fitColumns();
    });
    connect(tree_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &LayersView::chooseIndex);
    connect(tree_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &LayersView::renewExplainActions);
    // A click on the current row chooses it again after something else was chosen elsewhere.
    connect(tree_, &QAbstractItemView::clicked, this, &LayersView::chooseIndex);
}

bool LayersView::canShow(const Estimate& estimate) const {
    return !stepLayers(estimate, document().servingStep()).layers.empty();
}

void LayersView::showEstimate() {
    renewRows();
    const PhaseTable phases = phaseTable(stepLayers(*shown(), document().servingStep()));
    dataSelections_ = phases.selections;
    dataTable()->setTable(phases.columns, phases.rows);
}

void LayersView::renewRows() {
    LayerTable table =
        layerTable(stepLayers(*shown(), document().servingStep()), document().selection().stage);
    const BaselineDifference* difference = baseline();
    const FigureChange* time = difference != nullptr ? difference->timeChange() : nullptr;
    if (time != nullptr)
        setBefore(table, layerTable(stepLayers(*difference->before, document().servingStep()), {}),
                  time->logSd);
    tree_->setColumnHidden(static_cast<int>(LayerColumn::difference), time == nullptr);
    bars_->setLongest(table.longest);
    QString longestShare;
    for (const LayerGroup& group : table.groups)
        longestShare = std::max(longestShare, group.head.ofStep,
                                [](const QString& a, const QString& b) { return a.size() < b.size(); });
    bars_->setLongestShare(longestShare);
    model_->setTable(table);
    tree_->setAccessibleDescription(layersInWords(table));
    const QString unit = text(table.time.label);
    setNote(table.serving ? tr("%1 per %2 and GPU").arg(unit, table.per)
                          : tr("%1 per %2 and GPU, forward + backward").arg(unit, table.per));
    if (time != nullptr)
        fitColumns();
    tree_->viewport()->update();
    renewExplainActions();
}

void LayersView::fitColumns() {
    const QFontMetrics heads(theme().font(FontRole::small));
    const QFontMetrics figures(theme().font(FontRole::strong));
    const int padding = 2 * theme().px(8) + 2;
    tree_->setIndentation(theme().px(18));
    int others = 0;
    for (int column = 1; column < layerColumns - 1; ++column) {
        int width =
            heads.horizontalAdvance(model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        for (const QModelIndex& row : rows())
            width = std::max(width, figures.horizontalAdvance(
                                        row.siblingAtColumn(column).data(Qt::DisplayRole).toString()));
        tree_->setColumnWidth(column, width + padding);
        others += tree_->isColumnHidden(column) ? 0 : width + padding;
    }
    int names = theme().px(narrowestName);
    const QAbstractItemDelegate* delegate = tree_->itemDelegateForColumn(0);
    for (const QModelIndex& row : rows()) {
        QStyleOptionViewItem option;
        option.initFrom(tree_);
        const int depth = row.parent().isValid() ? 2 : 1;
        names = std::max(names, delegate->sizeHint(option, row).width() + depth * tree_->indentation());
    }
    // Names give way to the bars, and figures to nothing.
    const int room = tree_->viewport()->width() - others - theme().px(narrowestBar) - bars_->widthOfShares();
    tree_->setColumnWidth(0, std::max(std::min(names, room), theme().px(narrowestName)));
}

QModelIndexList LayersView::rows() const {
    QModelIndexList rows;
    for (int group = 0; group < model_->rowCount(); ++group) {
        const QModelIndex head = model_->index(group, 0);
        rows.append(head);
        for (int i = 0; i < model_->rowCount(head); ++i)
            rows.append(model_->index(i, 0, head));
    }
    return rows;
}

void LayersView::updateSelection() {
    const Selection& selection = document().selection();
    setAside(selection.stage ? tr("Stage %1").arg(*selection.stage) : QString());
    if (!shown())
        return;
    const QScopedValueRollback follow(following_, true);
    renewRows();
    const QModelIndex place = order_->mapFromSource(model_->find(selection));
    if (!place.isValid()) {
        tree_->setCurrentIndex({});
        tree_->clearSelection();
    } else if (place.siblingAtColumn(0) != tree_->currentIndex().siblingAtColumn(0)) {
        tree_->expand(place.parent());
        tree_->setCurrentIndex(place);
        tree_->scrollTo(place);
    }
    QString key;
    for (qsizetype i = 0; i < dataSelections_.size() && key.isEmpty(); ++i) {
        const Selection& row = dataSelections_[i];
        if (row.layer == selection.layer && row.operation == selection.operation &&
            (selection.phase.isEmpty() || row.phase == selection.phase) &&
            (selection.group.isEmpty() || row.group == selection.group))
            key = dataTable()->cells()->key(static_cast<int>(i));
    }
    dataTable()->setCurrentKey(key);
}

void LayersView::select(const Selection& chosen) {
    Selection selection = document().selection();
    selection.layer = chosen.layer;
    selection.operation = chosen.operation;
    selection.phase = chosen.phase;
    selection.group = chosen.group;
    document().setSelection(selection);
}

void LayersView::chooseIndex(const QModelIndex& index) {
    if (!following_ && index.isValid())
        select(model_->row(order_->mapToSource(index)).selection);
}

void LayersView::chooseRow(const QString& key) { select(dataSelections_[dataTable()->cells()->rowOf(key)]); }

/// The menu of a row, and Enter, explain its time.
void LayersView::renewExplainActions() {
    qDeleteAll(explain_);
    explain_.clear();
    const QModelIndex row = tree_->currentIndex();
    if (!row.isValid() || !shown())
        return;
    const auto figures = explainableFigures(*shown(), document().servingStep(),
                                            model_->row(order_->mapToSource(row)).selection);
    for (const ExplainableFigure& each : figures) {
        auto* action =
            new QAction(icon(QLatin1StringView("explain")), tr("Explain %1").arg(each.label), this);
        connect(action, &QAction::triggered, this,
                [this, each] { emit explainRequested(each.label, each.path); });
        explain_.append(action);
    }
    if (!explain_.isEmpty()) {
        explain_.first()->setShortcuts({QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)});
        explain_.first()->setShortcutContext(Qt::WidgetShortcut);
    }
    tree_->addActions(explain_);
}

void LayersView::hover(const QPoint& position) {
    const QModelIndex index = tree_->indexAt(position);
    if (!index.isValid())
        return HoverCard::hideFor(tree_->viewport());
    const QRect row = tree_->visualRect(index);
    HoverCard::showFor(tree_->viewport(), QRect(position.x(), row.top(), 1, row.height()),
                       model_->row(order_->mapToSource(index)).card);
}

bool LayersView::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::MouseMove:
        if (static_cast<QMouseEvent*>(event)->buttons() == Qt::NoButton)
            hover(static_cast<QMouseEvent*>(event)->position().toPoint());
        break;
    case QEvent::Leave:
    case QEvent::MouseButtonPress:
    case QEvent::Wheel:
        HoverCard::hideFor(tree_->viewport());
        break;
    case QEvent::Resize:
        fitColumns();
        break;
    default:
        break;
    }
    return EstimateView::eventFilter(watched, event);
}

} // namespace alidade::views
