// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search/plan_panel.h"

#include "model/scenario/choice_names.h"
#include "model/search/search_words.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/text_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

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
    , fields_(makeTable(tr("Fields of the chosen plan")))
    , reasons_(makeTable(tr("Why other plans were rejected")))
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
    column->addWidget(fields_, 3);
    column->addLayout(buttons);
    column->addWidget(new DockTitleBar(QStringLiteral("info"), tr("Why not?")));
    column->addWidget(reasons_, 2);
    connect(preview_, &QPushButton::clicked, this, &PlanPanel::previewRequested);
    connect(adopt_, &QPushButton::clicked, this, &PlanPanel::adoptRequested);
    const auto choose = [this](const QModelIndex& index) {
        emit rejectionChosen(index.siblingAtColumn(1).data().toString());
    };
    connect(reasons_, &QAbstractItemView::clicked, this, choose);
    connect(reasons_, &QAbstractItemView::activated, this, choose);
}

void PlanPanel::show(const CatalogSearch& answer, const FoundPlan* plan, int rank) {
    const SearchResult& result = answer.result;
    QList<CellRow> figures, reasons;
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
    for (const Rejection& each : result.rejected) {
        const auto count = static_cast<double>(each.count);
        reasons.append(
            {text(each.why), {{quantity(count, Dimension::number), count, {}}, words(text(each.why))}});
    }
    figures_->setTable({{tr("Figure"), false, {}},
                        {tr("Present"), true, {}},
                        {tr("Chosen"), true, {}},
                        {tr("Change"), true, {}}},
                       figures);
    fitNames(figures_);
    figures_->show();
    if (plan != nullptr)
        showFields(answer, *plan);
    else
        fields_->setTable(fieldColumns(), {});
    reasons_->setTable({{tr("Plans"), true, {}}, {tr("Reason"), false, {}}}, reasons);
    // What is cut is said in full when it is clicked.
    reasons_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    reasons_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    reasons_->setToolTip(tr("Click a reason to see the first plan that failed for it"));
    QStringList marks;
    if (plan != nullptr) {
        marks.append(tr("Plan %1 of the list, compared with the present one.").arg(rank));
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

void PlanPanel::showRejected(const CatalogSearch& answer, const Rejection& rejection) {
    figures_->hide(); // it has none
    showFields(answer, {.index = rejection.index, .set = rejection.example, .figures = {}, .marks = {}});
    note_->setText(
        tr("The first of %1 plans that were rejected for this: %2.")
            .arg(quantity(static_cast<double>(rejection.count), Dimension::number), text(rejection.why)));
    preview_->setEnabled(true);
    adopt_->setEnabled(false);
}

/// Those that change come first.
void PlanPanel::showFields(const CatalogSearch& answer, const FoundPlan& plan) {
    QList<CellRow> changed, same;
    for (const FreeField& each : answer.question.free) {
        const Field* field = findField(each.path);
        QString before =
            field ? text(fieldTextInWords(*field, fieldText(*field, field->get(answer.question.base))))
                  : QString();
        if (before.isEmpty())
            before = tr("default");
        const QString after = text(valueInWords(plan, each));
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
