// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/compare_pane.h"

#include "views/catalog/catalog_editor.h"
#include "views/catalog/compare_rows.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/data_table_view.h"
#include "views/kit/delegates.h"
#include "views/kit/dock_title_bar.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QPainter>
#include <QSignalBlocker>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

constexpr int longestBar = 160; // logical pixels at 10 pt
const QString usualRegion = QStringLiteral("us-east-1");

/// More is a full bar, less a hollow one; the length says how far the ratio is from one.
class RatioDelegate : public CellDelegate {
public:
    using CellDelegate::CellDelegate;

protected:
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override {
        const QVariant ratio = index.data(ratioRole);
        const auto* model = qobject_cast<const CompareModel*>(index.model());
        if (!ratio.isValid() || model == nullptr || !(model->longestBar() > 0))
            return;
        const double pad = theme().px(8);
        QRectF room = QRectF(option.rect).adjusted(pad, 0, -pad, -1);
        room.setWidth(std::min<double>(room.width(), theme().px(longestBar)));
        const double share = ratioLength(ratio.toDouble()) / model->longestBar();
        const double height = theme().px(9);
        QRectF bar(room.left(), room.center().y() - height / 2, std::max(1.0, room.width() * share), height);
        const bool more = ratio.toDouble() >= 1;
        painter->setPen(more ? Qt::NoPen : QPen(theme().color(Role::text3), 1));
        painter->setBrush(more ? QBrush(theme().color(Role::text3)) : QBrush(Qt::NoBrush));
        if (!more)
            bar.adjust(0.5, 0.5, -0.5, -0.5);
        painter->drawRect(bar);
    }
};

} // namespace

ComparePane::ComparePane(CatalogEditor* editor, QWidget* parent)
    : QWidget(parent)
    , editor_(editor)
    , bar_(new DockTitleBar(QStringLiteral("compare"), tr("Compare")))
    , firstChoice_(new QComboBox)
    , secondChoice_(new QComboBox)
    , equal_(new QAction(tr("Equal values"), this))
    , due_(new QTimer(this))
    , table_(new DataTableView)
    , model_(new CompareModel(this)) {
    setObjectName(QStringLiteral("comparePane"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar_);
    column->addWidget(table_, 1);
    for (QComboBox* choice : {firstChoice_, secondChoice_}) {
        choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        choice->setMinimumContentsLength(14);
        choice->setAccessibleName(choice == firstChoice_ ? tr("First entry") : tr("Second entry"));
        bar_->addRight(choice);
        connect(choice, &QComboBox::activated, this,
                [this] { compare(kind_, firstChoice_->currentText(), secondChoice_->currentText()); });
    }
    equal_->setCheckable(true);
    equal_->setToolTip(tr("Show equal values too"));
    connect(equal_, &QAction::toggled, this, &ComparePane::renew);
    bar_->addRight(equal_)->setAccessibleName(equal_->text());
    auto* copy = new QAction(tr("Copy as table"), this);
    connect(copy, &QAction::triggered, this, [this] {
        table_->selectAll();
        table_->manners().copy(TableFormat::tsv);
    });
    bar_->addRight(copy)->setAccessibleName(copy->text());
    auto* close = new QAction(icon(QLatin1StringView("close")), tr("Close"), this);
    connect(close, &QAction::triggered, this, &ComparePane::closed);
    bar_->addRight(close)->setAccessibleName(tr("Close the comparison"));

    table_->setModel(model_);
    table_->setSortingEnabled(false);
    table_->setItemDelegateForColumn(CompareModel::barColumn, new RatioDelegate(table_));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setAccessibleName(tr("Values of two entries"));
    // Undoing an edit of many rows changes the selection once per row; reading the catalog each time took
    // seconds.
    due_->setSingleShot(true);
    due_->setInterval(0);
    connect(due_, &QTimer::timeout, this, &ComparePane::renew);
    connect(editor, &CatalogEditor::changed, this, [this] {
        if (isVisible())
            due_->start();
    });
}

QSize ComparePane::sizeHint() const { return {theme().px(600), theme().px(290)}; }

void ComparePane::compare(data::CatalogKind kind, const QString& first, const QString& second) {
    kind_ = kind;
    first_ = first;
    second_ = second;
    due_->start();
}

void ComparePane::fillChoices(const CatalogSheet& sheet) {
    QStringList ids;
    for (const CatalogSheet::Row& row : sheet.rows)
        if (!row.removed())
            ids.append(row.id);
    for (QComboBox* choice : {firstChoice_, secondChoice_}) {
        const QSignalBlocker quiet(choice);
        choice->clear();
        choice->addItems(ids);
        choice->setCurrentText(choice == firstChoice_ ? first_ : second_);
    }
}

void ComparePane::renew() {
    const CatalogSheet sheet = sheetOf(*editor_, kind_);
    fillChoices(sheet);
    const auto region = editor_->document().spec().cluster.region;
    model_->setValues(first_, second_,
                      comparedValues(*editor_, sheet, first_, second_, region ? text(*region) : usualRegion),
                      equal_->isChecked());
    bar_->setSubtitle(model_->hidden() == 0
                          ? tr("all values")
                          : tr("values that differ; %1 equal ones hidden").arg(model_->hidden()));
    table_->resizeColumnsToContents();
    for (int i = CompareModel::labelColumn; i <= CompareModel::secondColumn; ++i)
        table_->setColumnWidth(i, std::clamp(table_->columnWidth(i), theme().px(120), theme().px(230)));
    table_->horizontalHeader()->setStretchLastSection(true);
}

} // namespace alidade::views
