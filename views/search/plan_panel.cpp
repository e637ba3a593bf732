// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search/plan_panel.h"

#include "model/search/plan_walker.h"
#include "model/search/search_words.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/text_label.h"
#include "views/search/plan_words.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace alidade::views {

namespace {

Cell words(const QString& text) { return {text, {}, {}}; }

Cell figure(const PlanFigure& figure, double value) {
    return {std::isfinite(value) ? glance(value, figure.dimension) : QStringLiteral("–"), value, {}};
}

QString change(double now, double then) {
    if (!std::isfinite(now) || !std::isfinite(then) || now == 0)
        return QStringLiteral("–");
    return difference(then / now - 1, Dimension::ratio);
}

/// What a plan is judged by, and what it costs.
std::vector<const PlanFigure*> comparedFigures(const SearchQuestion& question) {
    std::vector<const PlanFigure*> out = shownFigures(question);
    for (const char* path : {"training.run_time_s", "cost.dollars_per_run", "cost.dollars_per_hour",
                             "cost.dollars_per_million_tokens", "memory.total_bytes", "gpus"}) {
        const PlanFigure* figure = findPlanFigure(path);
        if (figure->isOf(question.base.workload) && std::ranges::find(out, figure) == out.end())
            out.push_back(figure);
    }
    return out;
}

QList<CellColumn> fieldColumns() {
    return {{PlanPanel::tr("Field"), false, {}},
            {PlanPanel::tr("Present"), false, {}},
            {PlanPanel::tr("Chosen"), false, {}}};
}

/// All columns are in view: the names take the room that is left, and are cut where there is none.
void fitNames(CellTable* table) {
    QHeaderView* header = table->horizontalHeader();
    for (int i = 0; i < header->count(); ++i)
        header->setSectionResizeMode(i, i == 0 ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
}

CellTable* makeTable(const QString& name) {
    auto* table = new CellTable;
    table->setAccessibleName(name);
    table->setSortingEnabled(false);
    table->horizontalHeader()->setStretchLastSection(false);
    // The names give way to the figures in a narrow window.
    table->horizontalHeader()->setMinimumSectionSize(theme().px(40));
    return table;
}

} // namespace

PlanPanel::PlanPanel(QWidget* parent)
    : QWidget(parent)
    , note_(new TextLabel(FontRole::small, Role::text2))
    , figures_(makeTable(tr("Figures of the chosen plan")))
    , examples_(makeTable(tr("Plans that failed for one reason")))
    , fields_(makeTable(tr("Fields of the chosen plan")))
    , reasons_(makeTable(tr("Why other plans were rejected")))
    , why_(new SegmentedButtons)
    , decides_(new TextLabel(FontRole::small, Role::text))
    , preview_(new QPushButton(tr("Preview")))
    , adopt_(new QPushButton(tr("Adopt"))) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    note_->setWordWrap(true);
    adopt_->setProperty(primaryProperty, true);
    preview_->setToolTip(tr("Show it in all views; Esc goes back"));
    adopt_->setToolTip(tr("Make it the scenario; one step to undo"));
    for (QPushButton* button : {preview_, adopt_})
        button->setAccessibleName(button->text());
    auto* buttons = new QHBoxLayout;
    const int side = theme().px(12);
    buttons->setContentsMargins(side, theme().px(8), side, theme().px(8));
    buttons->setSpacing(theme().px(8));
    buttons->addWidget(preview_, 1);
    buttons->addWidget(adopt_, 1);
    auto* noted = new QHBoxLayout;
    noted->setContentsMargins(side, theme().px(6), side, theme().px(6));
    noted->addWidget(note_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(noted);
    column->addWidget(figures_, 3);
    column->addWidget(examples_, 3);
    examples_->hide();
    column->addWidget(fields_, 3);
    column->addLayout(buttons);
    auto* bar = new DockTitleBar(QStringLiteral("info"), tr("Reasons"));
    why_->setOptions(QStringList{tr("Why not?"), tr("What decides")});
    why_->setCurrentIndex(0);
    why_->setAccessibleName(tr("Reasons"));
    bar->addRight(why_);
    column->addWidget(bar);
    decides_->setWordWrap(true);
    decides_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    decides_->setContentsMargins(side, theme().px(6), side, theme().px(6));
    decides_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidgetResizable(true);
    scroll->setWidget(decides_);
    auto* pages = new QStackedWidget;
    pages->addWidget(reasons_);
    pages->addWidget(scroll);
    column->addWidget(pages, 2);
    connect(why_, &SegmentedButtons::currentEdited, pages, &QStackedWidget::setCurrentIndex);
    connect(preview_, &QPushButton::clicked, this, &PlanPanel::previewRequested);
    connect(adopt_, &QPushButton::clicked, this, &PlanPanel::adoptRequested);
    const auto choose = [this](const QModelIndex& index) {
        emit rejectionChosen(index.siblingAtColumn(1).data().toString());
    };
    connect(examples_, &CellTable::currentKeyChanged, this, &PlanPanel::exampleChosen);
    connect(reasons_, &QAbstractItemView::clicked, this, choose);
    connect(reasons_, &QAbstractItemView::activated, this, choose);
}

void PlanPanel::show(const CatalogSearch& answer, const FoundPlan* plan, int rank) {
    const SearchResult& result = answer.result;
    QList<CellRow> figures;
    if (plan != nullptr) {
        for (const PlanFigure* each : comparedFigures(answer.question)) {
            const double value = plan->figure(*each);
            const auto now =
                std::ranges::find(result.present.figures, each, &std::pair<const PlanFigure*, double>::first);
            if (std::isnan(value))
                continue;
            const double before = now == result.present.figures.end() ? std::nan("") : now->second;
            figures.append({text(each->path),
                            {words(text(each->label)), figure(*each, before), figure(*each, value),
                             words(change(before, value))}});
        }
    }
    figures_->setTable({{tr("Figure"), false, {}},
                        {tr("Present"), true, {}},
                        {tr("Chosen"), true, {}},
                        {tr("Change"), true, {}}},
                       figures);
    fitNames(figures_);
    figures_->show();
    examples_->hide();
    if (plan != nullptr)
        showFields(answer, *plan);
    else
        fields_->setTable(fieldColumns(), {});
    QStringList marks;
    if (plan != nullptr) {
        marks.append(rank > 0 ? tr("Plan %1 of the list, compared with the present one.").arg(rank)
                              : tr("A plan that is not in the list, compared with the present one."));
        for (const std::string& mark : plan->marks) {
            QString sentence = text(mark) + u'.';
            sentence[0] = sentence[0].toUpper();
            marks.append(sentence);
        }
    } else {
        marks.append(tr("Select a plan to see what it changes."));
    }
    note_->setText(marks.join(u' '));
    preview_->setEnabled(plan != nullptr);
    adopt_->setEnabled(plan != nullptr);
}

QString PlanPanel::decidesText() const { return decides_->text(); }

void PlanPanel::showReasons(const CatalogSearch& answer, bool more) {
    QStringList decides;
    const auto add = [&decides](const std::vector<std::string>& lines) {
        for (const std::string& each : lines)
            if (!each.empty())
                decides.append(text(each));
    };
    if (answer.goesOn) {
        decides.append(tr("The search continues."));
    } else {
        add(recommendationBasis(answer));
        if (const auto effects = effectTexts(answer.question, answer.result); !effects.empty()) {
            decides.append(tr("The best plan with each value, against the best of all:"));
            add(effects);
        }
        add(gapTexts(answer.question, answer.result));
    }
    decides_->setText(decides.join(QStringLiteral("\n\n")));
    QList<CellRow> reasons;
    for (const Rejection& each : answer.result.rejected) {
        const auto count = static_cast<double>(each.count);
        reasons.append(
            {text(each.why), {{quantity(count, Dimension::number), count, {}}, words(text(each.why))}});
    }
    const QList<CellColumn> columns{{tr("Plans"), true, {}}, {tr("Reason"), false, {}}};
    if (more)
        reasons_->renewTable(columns, reasons);
    else
        reasons_->setTable(columns, reasons);
    // What is cut is said in full when it is clicked.
    reasons_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    reasons_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    reasons_->setToolTip(tr("Click a reason to see plans that failed for it"));
}

void PlanPanel::showRejected(const CatalogSearch& answer, const Rejection& rejection) {
    figures_->hide(); // they have none
    std::vector<std::uint64_t> places{rejection.index};
    places.insert(places.end(), rejection.further.begin(), rejection.further.end());
    std::vector<FoundPlan> plans;
    for (const std::uint64_t each : places)
        plans.push_back({.index = each, .set = editOf(answer.question, each), .figures = {}, .marks = {}});
    QList<CellColumn> columns{{tr("Rejected"), true, tr("Place in the space")}};
    std::vector<const FreeField*> fields; // those that differ first
    for (const bool differing : {true, false})
        for (const FreeField& each : answer.question.free)
            if (differs(plans, each) == differing)
                fields.push_back(&each);
    for (const FreeField* each : fields)
        columns.append({text(labelOfFree(*each)), false, {}});
    QList<CellRow> rows;
    for (const FoundPlan& each : plans) {
        const auto place = static_cast<double>(each.index);
        QList<Cell> cells{{QString::number(each.index), place, {}}};
        for (const FreeField* field : fields)
            cells.append(words(text(valueInWords(each, *field))));
        rows.append({QString::number(each.index), cells});
    }
    examples_->setTable(columns, rows);
    examples_->resizeColumnsToContents();
    examples_->show();
    examples_->setCurrentKey(QString::number(rejection.index));
    showExample(answer, plans.front());
    note_->setText(
        tr("%1 of %2 plans that were rejected for this: %3.")
            .arg(plans.size())
            .arg(quantity(static_cast<double>(rejection.count), Dimension::number), text(rejection.why)));
}

void PlanPanel::showExample(const CatalogSearch& answer, const FoundPlan& plan) {
    showFields(answer, plan);
    preview_->setEnabled(true);
    adopt_->setEnabled(false);
}

/// Those that change come first.
void PlanPanel::showFields(const CatalogSearch& answer, const FoundPlan& plan) {
    QList<CellRow> changed, same;
    for (const FreeField& each : answer.question.free) {
        const QString before = planValue(answer, {}, each), after = planValue(answer, plan.set, each);
        QList<CellRow>& rows = before == after ? same : changed;
        rows.append({text(each.path),
                     {words(text(labelOfFree(each))), words(before),
                      words(before == after ? tr("the same") : after)}});
    }
    fields_->setTable(fieldColumns(), changed + same);
    QHeaderView* header = fields_->horizontalHeader();
    for (int i = 0; i < header->count(); ++i) // values may be long, such as those of "Recompute"
        header->setSectionResizeMode(i, i == 0 ? QHeaderView::ResizeToContents : QHeaderView::Stretch);
}

void PlanPanel::setPreviewed(bool previewed) {
    preview_->setText(previewed ? tr("End Preview") : tr("Preview"));
    preview_->setAccessibleName(preview_->text());
}

} // namespace alidade::views
