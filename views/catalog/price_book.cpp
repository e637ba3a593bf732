// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/price_book.h"

#include "model/catalog/price_choice.h"
#include "model/cost/capacity_block.h"
#include "model/estimate/estimate.h"
#include "model/scenario/charged_price.h"
#include "model/units/constants.h"
#include "model/units/parse.h"
#include "views/catalog/catalog_model.h"
#include "views/catalog/catalog_table.h"
#include "views/catalog/cell_field.h"
#include "views/cost/price_age.h"
#include "views/cost/purchase_options.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/data_table_view.h"
#include "views/kit/delegates.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/text_label.h"
#include "views/kit/unit_field.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

constexpr double usualDiscount = 0.2;
constexpr double mostDiscount = 0.99;

/// Rates with the marks of catalog cells, edited with the field that checks as one types.
class RateDelegate : public CatalogDelegate {
public:
    RateDelegate(const CatalogEditor* editor, const PriceRows* rows, QObject* parent)
        : CatalogDelegate(parent)
        , editor_(editor)
        , rows_(rows) {}

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&,
                          const QModelIndex& index) const override {
        const CatalogCell cell = rows_->cellAt(index.row());
        auto* field = new CellField(
            [this, cell](const QString& typed) {
                const data::CellReading reading = editor_->read(cell, typed);
                return reading ? QString() : text(reading.reason);
            },
            {}, parent);
        field->setAlignment(Qt::AlignRight);
        return field;
    }
    void setEditorData(QWidget* editor, const QModelIndex& index) const override {
        auto* field = qobject_cast<CellField*>(editor);
        if (field != nullptr && !field->isModified())
            field->begin(index.data(cellTextRole).toString());
    }
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
        auto* field = qobject_cast<CellField*>(editor);
        if (field != nullptr && field->text() != index.data(cellTextRole).toString())
            model->setData(index, field->text(), Qt::EditRole);
    }

private:
    const CatalogEditor* editor_;
    const PriceRows* rows_;
};

/// "4 of 64 instances, 1 of 32"
QString sizesText(const std::vector<int>& sizes) {
    QStringList parts;
    for (std::size_t i = 0; i < sizes.size();) {
        const auto end = std::find_if(sizes.begin() + static_cast<std::ptrdiff_t>(i), sizes.end(),
                                      [&](int size) { return size != sizes[i]; });
        const auto count = end - (sizes.begin() + static_cast<std::ptrdiff_t>(i));
        parts.append(parts.isEmpty() ? PriceBook::tr("%1 of %2 instances").arg(count).arg(sizes[i])
                                     : PriceBook::tr("%1 of %2").arg(count).arg(sizes[i]));
        i += static_cast<std::size_t>(count);
    }
    return parts.join(QStringLiteral(", "));
}

/// The part of the order that the book speaks of: the rest, unless the base is all there is.
OrderPart usedPart(const ScenarioSpec& spec) {
    return hasOrderPart(spec, OrderPart::rest) ? OrderPart::rest : OrderPart::base;
}

} // namespace

PriceBook::PriceBook(CatalogEditor* editor, QWidget* parent)
    : QWidget(parent)
    , editor_(editor)
    , bar_(new DockTitleBar(QString(), tr("Price book")))
    , machine_(new QComboBox)
    , region_(new QComboBox)
    , table_(new CatalogTable)
    , rows_(new PriceRows(editor, this))
    , blocks_(new TextLabel(FontRole::body, Role::text))
    , said_(new TextLabel(FontRole::body, Role::text))
    , discount_(new UnitField)
    , apply_(new QPushButton(tr("Apply to My Prices")))
    , use_(new QPushButton(tr("Use in the scenario"))) {
    setObjectName(QStringLiteral("priceBook"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (QComboBox* choice : {machine_, region_}) {
        choice->setAccessibleName(choice == machine_ ? tr("Machine") : tr("Region"));
        choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        choice->setMinimumContentsLength(16);
        bar_->addRight(choice);
        connect(choice, &QComboBox::activated, this, [this, choice] {
            if (choice == machine_)
                fillRegions();
            renew();
            choosePrice({});
        });
    }
    column->addWidget(bar_);
    makeTable();
    column->addWidget(table_, 1);
    column->addWidget(makeBlocks());
    column->addWidget(makeDiscount());
    connect(editor, &CatalogEditor::changed, this, [this] {
        if (isVisible())
            renew();
        else
            stale_ = true;
    });
    connect(&editor->document(), &Document::estimateChanged, this, [this] {
        if (isVisible())
            renewBlocks();
    });
}

DataTableView* PriceBook::table() const { return table_; }

void PriceBook::makeTable() {
    table_->setModel(rows_);
    auto* rates = new RateDelegate(editor_, rows_, table_);
    table_->setItemDelegate(rates);
    table_->setSortingEnabled(false);
    // After the table has closed the field, or it would take the current cell back.
    connect(rates, &QAbstractItemDelegate::closeEditor, this,
            [this](QWidget*, QAbstractItemDelegate::EndEditHint hint) {
                if (hint == QAbstractItemDelegate::SubmitModelCache) // Enter
                    QMetaObject::invokeMethod(this, &PriceBook::goDown, Qt::QueuedConnection);
            });
    table_->setAccessibleName(tr("Prices of the machine"));
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (current.isValid())
                    emit cellChosen(rows_->cellAt(current.row()));
            });
}

QWidget* PriceBook::makeBlocks() {
    auto* box = new QWidget;
    auto* row = new QVBoxLayout(box);
    row->setContentsMargins(theme().px(12), theme().px(8), theme().px(12), theme().px(4));
    row->addWidget(new TextLabel(FontRole::strong, Role::text, tr("Capacity Blocks for the open scenario")));
    blocks_->setObjectName(QStringLiteral("blockPlan"));
    blocks_->setWordWrap(true);
    row->addWidget(blocks_);
    return box;
}

QWidget* PriceBook::makeDiscount() {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(theme().px(12), theme().px(8), theme().px(12), theme().px(12));
    column->addWidget(new TextLabel(FontRole::strong, Role::text, tr("Your own discount")));
    auto* row = new QHBoxLayout;
    discount_->setObjectName(QStringLiteral("discount"));
    discount_->setAccessibleName(tr("Discount"));
    discount_->setFixedWidth(theme().px(90));
    discount_->setFormat([](double share) {
        return UnitText{QLocale::c().toString(share * 100, 'g', 6), QStringLiteral("%")};
    });
    discount_->setParse([](const QString& typed) {
        const Result<double> share = parseQuantity(typed.toStdString(), Dimension::ratio, "%");
        if (!share)
            return UnitParse{{}, text(share.error())};
        if (*share < 0 || *share > mostDiscount)
            return UnitParse{{}, tr("a discount is 0 to 99 %")};
        return UnitParse{*share, {}};
    });
    discount_->setValue(usualDiscount);
    row->addWidget(discount_);
    row->addWidget(new TextLabel(FontRole::body, Role::text2, tr("off the shipped price on demand")));
    apply_->setObjectName(QStringLiteral("applyDiscount"));
    apply_->setToolTip(tr("Changes the rates on demand above, in the regions shown; one undo step"));
    use_->setObjectName(QStringLiteral("useDiscount"));
    use_->setToolTip(tr("Gives the open scenario a custom price; the catalog stays as it is"));
    connect(apply_, &QPushButton::clicked, this, &PriceBook::applyDiscount);
    connect(use_, &QPushButton::clicked, this, &PriceBook::useInScenario);
    row->addSpacing(theme().px(12));
    row->addWidget(apply_);
    row->addWidget(use_);
    row->addStretch(1);
    column->addLayout(row);
    said_->setObjectName(QStringLiteral("bookSaid"));
    said_->setWordWrap(true);
    said_->hide();
    column->addWidget(said_);
    return box;
}

void PriceBook::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (std::exchange(stale_, false)) {
        fillMachines();
        renew();
    }
}

void PriceBook::fillMachines() {
    QStringList items;
    for (const Price& price : editor_->catalog().prices)
        if (const QString item = text(price.item); !items.contains(item))
            items.append(item);
    items.sort();
    const QString present = machine_->currentText();
    const QSignalBlocker quiet(machine_);
    machine_->clear();
    machine_->addItems(items);
    machine_->setCurrentText(present);
}

void PriceBook::fillRegions() {
    QStringList regions;
    for (const Price& price : editor_->catalog().prices)
        if (text(price.item) == machine_->currentText() && !regions.contains(text(price.region)))
            regions.append(text(price.region));
    regions.sort();
    const QString present = region_->currentData().toString();
    const QSignalBlocker quiet(region_);
    region_->clear();
    region_->addItem(tr("All regions"), QString());
    for (const QString& region : regions)
        region_->addItem(region, region);
    region_->setCurrentIndex(std::max(0, region_->findData(present)));
}

void PriceBook::showScenario() {
    fillMachines();
    const ClusterSpec& cluster = editor_->document().spec().cluster;
    showMachine(text(cluster.instance.value_or(cluster.ultraserver.value_or("p5.48xlarge"))));
}

void PriceBook::showMachine(const QString& item) {
    const int at = machine_->findText(item);
    {
        const QSignalBlocker quiet(machine_);
        machine_->setCurrentIndex(std::max(0, at));
    }
    fillRegions();
    renew();
    table_->resizeColumnsToContents();
    for (int i = 0; i < PriceRows::sourceColumn; ++i)
        table_->setColumnWidth(i, std::min(table_->columnWidth(i) + theme().px(8), theme().px(260)));
    const ScenarioSpec& spec = editor_->document().spec();
    const Price* used = nullptr;
    for (int row = 0; row < rows_->rowCount(); ++row) {
        const Price* price = rows_->priceAt(row);
        if ((used == nullptr || isPreferred(*price, *used)) && isInForce(*price, spec.pricingDay()) &&
            isPriceOfPart(*price, spec, usedPart(spec)))
            used = price;
    }
    choosePrice(used != nullptr ? text(used->id) : QString());
}

/// The panel next to the book shows the chosen price, also where the row was chosen before.
void PriceBook::choosePrice(const QString& id) {
    if (rows_->rowCount() == 0)
        return;
    int row = 0;
    for (int each = 0; each < rows_->rowCount(); ++each)
        if (text(rows_->priceAt(each)->id) == id)
            row = each;
    table_->setCurrentIndex(rows_->index(row, PriceRows::rateColumn));
    emit cellChosen(rows_->cellAt(row));
}

void PriceBook::goDown() {
    const QModelIndex below = rows_->index(table_->currentIndex().row() + 1, table_->currentIndex().column());
    if (below.isValid())
        table_->setCurrentIndex(below);
    table_->setFocus(Qt::OtherFocusReason);
}

void PriceBook::renew() {
    const int row = table_->currentIndex().row();
    const QString present = row >= 0 && row < rows_->rowCount() ? text(rows_->priceAt(row)->id) : QString();
    rows_->show(machine_->currentText(), region_->currentData().toString(), false);
    const int old = rows_->oldPrices();
    bar_->setSubtitle(
        tr("%1 prices; %2 older than %3 days").arg(rows_->rowCount()).arg(old).arg(oldPriceDays));
    const bool any = !rows_->discounted(0).isEmpty();
    apply_->setEnabled(any && editor_->readOnly().isEmpty());
    use_->setEnabled(any);
    renewBlocks();
    if (!present.isEmpty() && !table_->currentIndex().isValid())
        choosePrice(present);
}

void PriceBook::renewBlocks() {
    const auto estimate = editor_->document().estimate();
    const ClusterSpec* cluster = estimate ? &estimate->scenario.cluster : nullptr;
    const QString used =
        cluster == nullptr ? QString() : text(cluster->instance.value_or(cluster->ultraserver.value_or("")));
    if (used.isEmpty())
        return blocks_->setText(tr("There is no scenario with a machine yet."));
    if (used != machine_->currentText())
        return blocks_->setText(tr("The open scenario runs on %1.").arg(used));
    const auto count = static_cast<int>(cluster->instances.value_or(cluster->ultraservers.value_or(0)));
    if (!estimate->training || !estimate->training->runTime || count < 1)
        return blocks_->setText(tr("Blocks are for runs of known length; this scenario has none."));
    const double hours = *estimate->training->runTime / secondsPerHour;
    const QString need = tr("%1 instances for %2.")
                             .arg(quantity(count, Dimension::number, {.trimZeros = true}),
                                  quantity(hours * secondsPerHour, Dimension::seconds));
    const Result<CapacityBlockPlan> plan = planCapacityBlocks(
        count, hours, cluster->ultraserver ? ultraserverBlockEndHours : capacityBlockEndHours);
    if (!plan)
        return blocks_->setText(need + QLatin1Char(' ') +
                                tr("Capacity Blocks cannot cover that: %1.").arg(text(plan.error())));
    blocks_->setText(
        need + QLatin1Char(' ') +
        tr("Blocks: %1, %2 whole days each. Paid idle: %3 instance-hours, %4 of the cost.")
            .arg(sizesText(plan->sizes))
            .arg(plan->days)
            .arg(quantity(plan->idleHours(), Dimension::number, {.significant = 3}),
                 quantity(plan->idleHours() / plan->bookedHours, Dimension::ratio, {.significant = 2})));
}

void PriceBook::applyDiscount() {
    const double share = discount_->value().value_or(0);
    const QString size = quantity(share, Dimension::ratio, {.significant = 3, .trimZeros = true});
    const auto texts = rows_->discounted(share);
    const QStringList refused =
        editor_->setTexts(texts, tr("take %1 off %2 on demand").arg(size, machine_->currentText()),
                          tr("%1 off the shipped price on demand").arg(size));
    const auto wrong =
        std::ranges::count_if(refused, [](const QString& reason) { return !reason.isEmpty(); });
    emit said(
        wrong > 0
            ? refused.filter(QRegularExpression(QStringLiteral("."))).constFirst()
            : tr("%1 on-demand rates are now %2 lower. Undo reverts this.").arg(texts.size()).arg(size));
}

void PriceBook::useInScenario() {
    const ClusterSpec& cluster = editor_->document().spec().cluster;
    const auto texts = rows_->discounted(discount_->value().value_or(0));
    if (texts.isEmpty())
        return;
    // In the scenario's region, else the first that is shown.
    auto chosen = texts.constFirst();
    for (int row = 0; row < rows_->rowCount(); ++row)
        for (const auto& each : texts)
            if (each.first == rows_->cellAt(row) && cluster.region == rows_->priceAt(row)->region)
                chosen = each;
    const std::string of =
        usedPart(editor_->document().spec()) == OrderPart::base ? "order.base." : "cluster.";
    const QString reason = editor_->document().setFields(
        {{of + "purchase", "custom"}, {of + "dollars_per_instance_hour", chosen.second.toStdString()}},
        tr("pay $%1/h").arg(chosen.second));
    emit said(reason.isEmpty() ? tr("The open scenario pays $%1 per instance-hour.").arg(chosen.second)
                               : reason);
}

void PriceBook::say(const QString& sentence) {
    said_->setText(sentence);
    said_->setVisible(!sentence.isEmpty());
}

} // namespace alidade::views
