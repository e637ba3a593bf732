// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search/search_list.h"

#include "model/scenario/fields.h"
#include "model/search/search_words.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/text_label.h"
#include "views/search/plan_words.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <vector>

namespace alidade::views {

namespace {

Cell cellOf(const QString& text) {
    bool isNumber = false;
    const double number = text.toDouble(&isNumber);
    return {text, isNumber ? QVariant(number) : QVariant(), {}};
}

CellColumn columnOf(const FreeField& each) {
    const Field* field = findField(each.path);
    return {text(labelOfFree(each)), field != nullptr && field->kind == FieldKind::integer, {}};
}

} // namespace

SearchList::SearchList(QWidget* parent)
    : QWidget(parent)
    , bar_(new DockTitleBar(QStringLiteral("table"), tr("Best plans")))
    , shared_(new TextLabel(FontRole::small, Role::text2))
    , table_(new CellTable)
    , changes_(new CellTable)
    , showChanges_(new QAction(tr("What Changed"), this)) {
    table_->setAccessibleName(tr("Best plans"));
    changes_->setAccessibleName(tr("What changed since the last search"));
    showChanges_->setCheckable(true);
    showChanges_->setVisible(false);
    showChanges_->setToolTip(tr("Plans that entered or left the list since the last search"));
    changesButton_ = bar_->addRight(showChanges_);
    shared_->setElided(true);
    shared_->setContentsMargins(theme().px(12), theme().px(4), theme().px(12), theme().px(4));
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addWidget(bar_);
    box->addWidget(shared_);
    box->addWidget(table_, 1);
    box->addWidget(changes_, 1);
    connect(showChanges_, &QAction::toggled, this, &SearchList::renewParts);
    renewParts();
}

void SearchList::renewParts() {
    const bool shows = showChanges_->isChecked() && showChanges_->isVisible();
    changesButton_->setVisible(showChanges_->isVisible());
    changes_->setVisible(shows);
    table_->setVisible(!shows);
    shared_->setVisible(!shows && !shared_->text().isEmpty());
}

QString SearchList::sharedText() const { return shared_->text(); }

void SearchList::setAnswer(const CatalogSearch& answer, const std::function<bool(int)>& isInView, bool more) {
    const std::vector<FoundPlan>& plans = listedPlans(answer.result);
    if (!more)
        kept_.clear();
    QStringList shared;
    const auto figures = shownFigures(answer.question);
    std::vector<const PlanFigure*> columnsOfFigures;
    for (const PlanFigure* each : figures) {
        const auto said = [each](const FoundPlan& plan) {
            return glance(plan.figure(*each), each->dimension);
        };
        const bool isAsked =
            std::ranges::find(answer.question.objectives, each) != answer.question.objectives.end();
        const bool isSame = plans.size() > 1 && std::ranges::all_of(plans, [&](const FoundPlan& plan) {
                                return said(plan) == said(plans.front());
                            });
        if (isAsked || !isSame || kept_.contains(text(each->path))) {
            columnsOfFigures.push_back(each);
            kept_.append(text(each->path));
        } else {
            shared.append(text(each->label) + u' ' + said(plans.front()));
        }
    }
    std::vector<const FreeField*> fields;
    for (const FreeField& each : answer.question.free) {
        if (differs(plans, each) || kept_.contains(text(each.path))) {
            fields.push_back(&each);
            kept_.append(text(each.path));
        } else if (!plans.empty()) {
            shared.append(text(labelOfFree(each)) + u' ' + planValue(answer, plans.front().set, each));
        }
    }
    shared_->setText(shared.isEmpty() ? QString()
                                      : tr("All listed plans have: %1").arg(shared.join(tr(", "))));

    QList<CellColumn> columns{{tr("#"), true, tr("A plan marked = is within the error of the first")}};
    for (const PlanFigure* each : columnsOfFigures)
        columns.append({text(each->label), true, {}});
    columns.append({tr("Low – high"), true, tr("8 of 10 outcomes lie between")});
    for (const FreeField* each : fields)
        columns.append(columnOf(*each));
    QList<CellRow> rows;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (!isInView(static_cast<int>(i)))
            continue;
        const FoundPlan& plan = plans[i];
        QList<Cell> cells{{QString::number(i + 1) + (plan.equalToBest ? QStringLiteral(" =") : QString()),
                           static_cast<double>(i + 1),
                           {}}};
        for (const PlanFigure* each : columnsOfFigures) {
            const double value = plan.figure(*each);
            cells.append({glance(value, each->dimension), value, {}});
        }
        const Dimension dimension = figures.front()->dimension;
        cells.append({glance(plan.low, dimension) + QStringLiteral(" – ") + glance(plan.high, dimension),
                      plan.low,
                      {}});
        for (const FreeField* each : fields)
            cells.append(cellOf(text(valueInWords(plan, *each))));
        rows.append({QString::number(plan.index), cells});
    }
    const bool newColumns = table_->cells()->columnCount() != columns.size();
    if (more)
        table_->renewTable(columns, rows);
    else
        table_->setTable(columns, rows);
    if (!more || newColumns)
        table_->resizeColumnsToContents();
    const bool front = !answer.result.front.empty();
    bar_->setTitle(front ? tr("Pareto front") : answer.goesOn ? tr("Best plans so far") : tr("Best plans"));
    const auto inView = static_cast<std::size_t>(rows.size());
    bar_->setSubtitle(plans.empty() ? QString()
                      : inView < plans.size()
                          ? tr("%1 of %2: those in the picture; double-click it to see all")
                                .arg(QString::number(inView), QString::number(plans.size()))
                      : front ? tr("no other plan is better in both figures")
                              : tr("= is within the error of the first"));
    renewParts();
}

void SearchList::setChanges(const CatalogSearch& answer, const std::optional<SearchChanges>& changes) {
    showChanges_->setVisible(changes && !changes->plans.empty());
    if (!showChanges_->isVisible())
        showChanges_->setChecked(false);
    QList<CellRow> rows;
    QList<CellColumn> columns;
    if (changes) {
        const QString label = text(changes->figure->label);
        columns = {{tr("Change"), false, {}},
                   {tr("# before"), true, tr("Place in the list before")},
                   {tr("# now"), true, tr("Place in the list now")},
                   {tr("%1 before").arg(label), true, {}},
                   {tr("%1 now").arg(label), true, {}}};
        for (const FreeField& each : answer.question.free)
            columns.append(columnOf(each));
        const auto place = [](const std::optional<int>& at) {
            return at ? Cell{QString::number(*at), static_cast<double>(*at), {}}
                      : Cell{QStringLiteral("–"), {}, {}};
        };
        const auto figure = [&changes](const std::optional<double>& value) {
            return value ? Cell{quantity(*value, changes->figure->dimension), *value, {}}
                         : Cell{QStringLiteral("–"), {}, {}};
        };
        for (const SearchChanges::Plan& each : changes->plans) {
            QList<Cell> cells{cellOf(!each.before  ? tr("Entered")
                                     : !each.after ? tr("Left")
                                                   : tr("Other figure")),
                              place(each.before), place(each.after), figure(each.was), figure(each.is)};
            for (const FreeField& field : answer.question.free)
                cells.append(cellOf(text(valueInWords(each.plan, field))));
            rows.append({QString::number(rows.size()), cells});
        }
    }
    changes_->setTable(columns, rows);
    changes_->resizeColumnsToContents();
    renewParts();
}

} // namespace alidade::views
