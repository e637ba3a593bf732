// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/filter_panel.h"

#include "views/catalog/kind_list.h"
#include "views/document/text.h"
#include "views/kit/text_label.h"
#include "views/kit/wheel_guard.h"
#include "views/theme/theme_controller.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QListWidget>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

constexpr int quantityRole = kindCountRole + 1;

QString withCount(const QString& label, int count) {
    return QStringLiteral("%1  (%2)").arg(label, quantity(count, Dimension::number));
}

QListWidgetItem* addHeading(QListWidget* list, const QString& words) {
    auto* heading = new QListWidgetItem(words, list);
    heading->setFlags(Qt::NoItemFlags);
    return heading;
}

} // namespace

FilterPanel::FilterPanel(QWidget* parent)
    : QWidget(parent)
    , quantities_(new QListWidget)
    , judged_(new QCheckBox(tr("Complete rows only")))
    , ids_(new TextLabel(FontRole::small, Role::text2))
    , clear_(new QPushButton(tr("Clear filters"))) {
    setObjectName(QStringLiteral("validationFilters"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    quantities_->setAccessibleName(tr("Quantity"));
    quantities_->setFrameShape(QFrame::NoFrame);
    quantities_->setItemDelegate(new KindDelegate(quantities_));
    quantities_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    quantities_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(quantities_, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (telling_ && item != nullptr)
            changed([&](RunFilter& f) { f.quantity = item->data(quantityRole).toString(); });
    });

    auto* body = new QWidget;
    body->setAutoFillBackground(true);
    body->setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, theme().px(4), 0, theme().px(12));
    column->setSpacing(0);
    column->addWidget(quantities_);
    auto* grid = new QGridLayout;
    const int side = theme().px(14);
    grid->setContentsMargins(side, theme().px(12), side, 0);
    grid->setHorizontalSpacing(theme().px(8));
    grid->setVerticalSpacing(theme().px(6));
    grid->setColumnStretch(1, 1);
    grid->addWidget(new TextLabel(FontRole::small, Role::text2, tr("Only these rows")), 0, 0, 1, 2);
    int line = 1;
    for (const RunField field : runFields) {
        auto* combo = new QComboBox;
        combo->setObjectName(QStringLiteral("filter%1").arg(static_cast<int>(field)));
        combo->setAccessibleName(runFieldName(field));
        combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        combo->setMinimumContentsLength(8);
        combo->view()->setTextElideMode(Qt::ElideRight);
        WheelGuard::install(combo);
        connect(combo, &QComboBox::activated, this, [this, field, combo](int index) {
            changed([&](RunFilter& f) {
                if (index == 0)
                    f.wanted.remove(field);
                else
                    f.wanted[field] = combo->itemData(index).toString();
            });
        });
        combos_[field] = combo;
        grid->addWidget(new TextLabel(FontRole::body, Role::text2, runFieldName(field)), line, 0);
        grid->addWidget(combo, line++, 1);
    }
    judged_->setToolTip(
        tr("Batch, degrees and precision are published, of a benchmark or production run, by a "
           "source of high or medium quality (of serving and collectives: A or B): the rows by which "
           "accuracy is judged"));
    judged_->setAccessibleName(judged_->text());
    clear_->setAccessibleName(clear_->text());
    connect(judged_, &QCheckBox::clicked, this,
            [this](bool on) { changed([on](RunFilter& f) { f.judgedOnly = on; }); });
    grid->addWidget(judged_, line++, 0, 1, 2);
    ids_->setWordWrap(true);
    grid->addWidget(ids_, line++, 0, 1, 2);
    grid->addWidget(clear_, line++, 0, 1, 2);
    connect(clear_, &QPushButton::clicked, this,
            [this] { changed([](RunFilter& f) { f = RunFilter{.quantity = f.quantity}; }); });
    column->addLayout(grid);
    column->addStretch(1);

    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(body);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);
}

QSize FilterPanel::sizeHint() const { return {theme().px(252), theme().px(600)}; }

void FilterPanel::changed(const std::function<void(RunFilter&)>& change) {
    RunFilter next = filter_;
    change(next);
    if (next != filter_)
        emit edited(next);
}

void FilterPanel::showQuantities(const ValidationReport& report) {
    quantities_->clear();
    QString group;
    int height = 2 * quantities_->frameWidth();
    const auto grow = [&](const QListWidgetItem* item) {
        height += quantities_->sizeHintForRow(quantities_->row(item));
    };
    for (const RunChoice& choice : quantitiesOf(report, filter_.judgedOnly)) {
        const QString of = quantityGroup(choice.key);
        if (of != group)
            grow(addHeading(quantities_, of));
        group = of;
        auto* item = new QListWidgetItem(choice.label, quantities_);
        item->setData(kindSheetRole, 0);
        item->setData(kindCountRole, quantity(choice.count, Dimension::number));
        item->setData(quantityRole, choice.key);
        grow(item);
        if (choice.key == filter_.quantity)
            quantities_->setCurrentItem(item);
    }
    quantities_->setFixedHeight(height + theme().px(4));
}

void FilterPanel::show(const ValidationReport& report, const RunFilter& filter, const Catalog& catalog) {
    const QScopedValueRollback quiet(telling_, false);
    filter_ = filter;
    showQuantities(report);
    for (const RunField field : runFields) {
        QComboBox* combo = combos_[field];
        const QList<RunChoice> choices = choicesOf(report, filter, field, catalog);
        const QString wanted = filter.wanted.value(field, QStringLiteral("-"));
        int all = 0, at = 0;
        for (const RunChoice& choice : choices)
            all += choice.count;
        combo->clear();
        combo->addItem(withCount(tr("All"), all));
        for (const RunChoice& choice : choices) {
            combo->addItem(withCount(choice.label, choice.count), choice.key);
            combo->setItemData(combo->count() - 1, choice.label, Qt::ToolTipRole);
            if (choice.key == wanted)
                at = combo->count() - 1;
        }
        combo->setCurrentIndex(at);
        combo->setEnabled(choices.size() > 1 || at > 0);
        combo->setToolTip(at > 0 ? combo->itemText(at) : QString());
        combo->view()->setMinimumWidth(
            std::min(theme().px(460), combo->view()->sizeHintForColumn(0) + theme().px(28)));
    }
    RunFilter judgedFilter = filter;
    judgedFilter.judgedOnly = true;
    judged_->setText(
        withCount(tr("Complete rows only"), static_cast<int>(rowsOf(report.rows, judgedFilter).size())));
    judged_->setChecked(filter.judgedOnly);
    ids_->setText(filter.ids.isEmpty()
                      ? QString()
                      : tr("Only the %1 nearest to the scenario.")
                            .arg(counted(static_cast<int>(filter.ids.size()), tr("row"), tr("rows"))));
    ids_->setVisible(!filter.ids.isEmpty());
    clear_->setEnabled(filter.isChanged());
}

} // namespace alidade::views
