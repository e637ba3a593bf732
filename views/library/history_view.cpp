// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/library/history_view.h"

#include "data/scenario/scenario_json.h"
#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/begin_edit.h"
#include "views/kit/cell_table.h"
#include "views/kit/states.h"
#include "views/library/history.h"
#include "views/library/history_model.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QDateTime>
#include <QHeaderView>
#include <QLocale>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace alidade::views {
namespace {

constexpr int timeWidth = 124, versionWidth = 110; // logical pixels at 10 pt; the edits get the rest

} // namespace

HistoryView::HistoryView(Document* document, History* history, QWidget* parent)
    : View(document, parent)
    , history_(history)
    , model_(new HistoryModel(history, this))
    , table_(new DataTableView)
    , difference_(new CellTable)
    , splitter_(new QSplitter(Qt::Vertical))
    , stack_(new QStackedWidget)
    , empty_(new EmptyState(QStringLiteral("history"), tr("No history"),
                            tr("A scenario of the library keeps each edit here.")))
    , restore_(new QAction(icon(QLatin1StringView("reset")), tr("Restore"), this))
    , name_(new QAction(icon(QLatin1StringView("version")), tr("Name This Version"), this))
    , copy_(new QAction(icon(QLatin1StringView("copy")), tr("Open as a Separate Scenario"), this))
    , pin_(new QAction(icon(QLatin1StringView("pin")), tr("Pin as Baseline"), this)) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(stack_);
    table_->setObjectName(QStringLiteral("history"));
    table_->setAccessibleName(tr("History"));
    table_->setModel(model_);
    table_->setSortingEnabled(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::EditKeyPressed);
    table_->setColumnWidth(HistoryModel::time, theme().px(timeWidth));
    table_->setColumnWidth(HistoryModel::version, theme().px(versionWidth));
    table_->horizontalHeader()->setStretchLastSection(false);
    table_->horizontalHeader()->setSectionResizeMode(HistoryModel::edit, QHeaderView::Stretch);
    difference_->setAccessibleName(tr("Differences from the current scenario"));
    splitter_->addWidget(table_);
    splitter_->addWidget(difference_);
    splitter_->setChildrenCollapsible(false);
    splitter_->setStretchFactor(0, 2);
    splitter_->setStretchFactor(1, 1);
    stack_->addWidget(empty_);
    stack_->addWidget(splitter_);

    restore_->setToolTip(tr("Restores the selected version; Undo reverts it"));
    addTitleAction(restore_);
    table_->addActions({restore_, name_, copy_, pin_});
    name_->setShortcut(QKeySequence(Qt::Key_F2));
    name_->setShortcutContext(Qt::WidgetShortcut);
    connect(restore_, &QAction::triggered, this, &HistoryView::restore);
    connect(name_, &QAction::triggered, this, [this] {
        if (table_->currentIndex().isValid())
            beginEdit(*table_, table_->currentIndex().siblingAtColumn(HistoryModel::version));
    });
    connect(copy_, &QAction::triggered, this, [this] {
        if (const data::ScenarioVersion* entry = history_->find(chosen().value_or(0)))
            emit openCopy(entry->name.empty() ? this->document().displayName() : text(entry->name),
                          QByteArray::fromStdString(entry->json));
    });
    connect(pin_, &QAction::triggered, this, &HistoryView::pin);
    connect(table_, &QTableView::doubleClicked, this, &HistoryView::restore);
    connect(model_, &HistoryModel::named, this, &HistoryView::nameVersion);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &HistoryView::renewDifference);
    connect(history, &History::changed, this, &HistoryView::renew);
    connect(document, &Document::specChanged, this, &HistoryView::renewDifference);
    renew();
}

void HistoryView::updateEstimate() {
    if (outdated_)
        renewDifference();
}

void HistoryView::renew() {
    model_->renew();
    const bool any = !history_->versions().empty();
    stack_->setCurrentWidget(any ? static_cast<QWidget*>(splitter_) : empty_);
    if (!history_->fault().isEmpty())
        empty_->setText(tr("The history cannot be read"), history_->fault());
    else if (history_->isLoading())
        empty_->setText(tr("Reading the history"), {});
    else
        empty_->setText(tr("No history"), tr("A scenario of the library keeps each edit here."));
    setAside(any ? counted(static_cast<int>(history_->versions().size()), tr("edit"), tr("edits"))
                 : QString());
    renewDifference();
}

void HistoryView::choose(std::int64_t number) {
    if (const int row = model_->rowOf(number); row >= 0)
        table_->selectRow(row);
}

std::optional<std::int64_t> HistoryView::chosen() const {
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    if (rows.isEmpty())
        return std::nullopt;
    return model_->number(rows.first().row());
}

std::optional<ScenarioSpec> HistoryView::chosenSpec() const {
    const data::ScenarioVersion* entry = history_->find(chosen().value_or(0));
    if (entry == nullptr)
        return std::nullopt;
    const Result<ScenarioSpec> spec = data::readScenario(entry->json, "history");
    return spec ? std::optional(*spec) : std::nullopt;
}

QList<FieldDifference> HistoryView::differences() const {
    const auto then = chosenSpec();
    return then ? differencesOf(*then, document().spec()) : QList<FieldDifference>();
}

/// What is not seen is worked out when it is.
void HistoryView::renewDifference() {
    const bool any = chosen().has_value();
    for (QAction* action : {restore_, name_, copy_, pin_})
        action->setEnabled(any);
    outdated_ = !isSeen();
    if (outdated_)
        return outdate();
    QList<CellRow> rows;
    for (const FieldDifference& each : differences()) {
        const auto shown = [](const QString& value) { return value.isEmpty() ? QStringLiteral("–") : value; };
        rows.append({each.path,
                     {{each.label, {}, {}},
                      {shown(each.then), {}, {}},
                      {shown(each.now), {}, {}},
                      {each.change, {}, {}}}});
    }
    restore_->setEnabled(any && !rows.isEmpty());
    difference_->setTable(
        {{tr("Field"), false, {}}, {tr("Then"), false, {}}, {tr("Now"), false, {}}, {tr("Change"), true, {}}},
        rows);
    auto* titles = difference_->horizontalHeader();
    titles->setStretchLastSection(false);
    for (int column = 0; column < 3; ++column)
        titles->setSectionResizeMode(column, QHeaderView::Stretch);
    titles->setSectionResizeMode(3, QHeaderView::ResizeToContents);
    difference_->setVisible(any);
    setNote(!any ? QString()
            : rows.isEmpty()
                ? tr("the selected version is the current one")
                : tr("%1 then and now")
                      .arg(counted(static_cast<int>(rows.size()), tr("field differs"), tr("fields differ"))));
}

void HistoryView::pin() {
    const data::ScenarioVersion* entry = history_->find(chosen().value_or(0));
    const auto spec = chosenSpec();
    if (entry == nullptr || !spec)
        return;
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(entry->timeMs);
    document().baselines().pin(
        *spec, entry->name.empty() ? tr("%1, %2").arg(document().displayName(),
                                                      QLocale::c().toString(when, QStringLiteral("HH:mm:ss")))
                                   : text(entry->name));
}

void HistoryView::restore() {
    const data::ScenarioVersion* entry = history_->find(chosen().value_or(0));
    const auto spec = chosenSpec();
    if (entry == nullptr || !spec || differences().isEmpty())
        return;
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(entry->timeMs);
    document().replaceSpec(
        *spec, entry->name.empty()
                   ? tr("restore %1").arg(QLocale::c().toString(when, QStringLiteral("yyyy-MM-dd HH:mm:ss")))
                   : tr("restore %1").arg(text(entry->name)));
}

} // namespace alidade::views
