// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/problems/problems_view.h"

#include "model/estimate/estimate.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/data_table_view.h"
#include "views/kit/delegates.h"
#include "views/kit/states.h"
#include "views/problems/problems_model.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QHeaderView>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

ProblemsView::ProblemsView(Document* document, QWidget* parent)
    : View(document, parent)
    , model_(new ProblemsModel(this))
    , table_(new DataTableView(this))
    , empty_(new EmptyState(QStringLiteral("check"), tr("No problem is known"),
                            tr("What would stop the scenario, or deserves doubt, is listed here."), {},
                            this)) {
    setObjectName(QStringLiteral("problemsView"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(table_);
    column->addWidget(empty_);
    table_->setModel(model_);
    table_->setItemDelegate(new CellDelegate(table_));
    table_->setSortingEnabled(false);
    table_->setAccessibleName(title());
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    QHeaderView* header = table_->horizontalHeader();
    header->setSectionResizeMode(ProblemsModel::messageColumn, QHeaderView::Stretch);
    header->setSectionResizeMode(ProblemsModel::fixColumn, QHeaderView::ResizeToContents);
    header->resizeSection(ProblemsModel::severityColumn, theme().px(96));
    header->resizeSection(ProblemsModel::placeColumn, theme().px(190));

    auto* fix = new QAction(tr("Make the change"), this);
    fix->setShortcut(Qt::CTRL | Qt::Key_Return);
    fix->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    table_->addAction(fix);
    connect(fix, &QAction::triggered, this, [this] { applyFix(table_->currentIndex().row()); });
    connect(table_, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { go(index.row()); });
    connect(table_, &QAbstractItemView::clicked, this, [this](const QModelIndex& index) {
        if (index.column() == ProblemsModel::fixColumn)
            applyFix(index.row());
        else if (index.column() == ProblemsModel::placeColumn)
            go(index.row());
    });
    updateEstimate();
}

QSize ProblemsView::sizeHint() const { return {theme().px(900), theme().px(150)}; }

int ProblemsView::count() const { return model_->rowCount(); }

void ProblemsView::updateEstimate() {
    const auto estimate = document().estimate();
    std::vector<Problem> problems;
    if (!document().error().isEmpty()) {
        const QString error = document().error();
        problems.push_back({.severity = Severity::error,
                            .place = error.section(QStringLiteral(": "), 0, 0).toStdString(),
                            .message = error.section(QStringLiteral(": "), 1).toStdString(),
                            .fix = std::nullopt});
    } else if (estimate) {
        problems = estimate->problems;
    }
    model_->setProblems(std::move(problems));
    table_->setVisible(count() > 0);
    empty_->setVisible(count() == 0);
    const auto of = [this](Severity severity) {
        return static_cast<int>(std::ranges::count(model_->problems(), severity, &Problem::severity));
    };
    QStringList parts;
    if (const int errors = of(Severity::error))
        parts.append(counted(errors, tr("error"), tr("errors")));
    if (const int warnings = of(Severity::warning))
        parts.append(counted(warnings, tr("warning"), tr("warnings")));
    if (const int notes = of(Severity::info); notes > 0)
        parts.append(counted(notes, tr("note"), tr("notes")));
    setAside(parts.join(QStringLiteral(", ")));
}

void ProblemsView::step(int direction) {
    if (count() == 0)
        return;
    const int present = table_->currentIndex().row();
    const int next =
        present < 0 ? (direction > 0 ? 0 : count() - 1) : (present + direction + count()) % count();
    table_->setCurrentIndex(model_->index(next, ProblemsModel::messageColumn));
    go(next);
}

void ProblemsView::go(int row) {
    if (row < 0 || row >= count())
        return;
    Selection selection = document().selection();
    const QString place = text(model_->problems()[static_cast<std::size_t>(row)].place);
    if (selection.problem == place) { // go there again
        selection.problem.clear();
        document().setSelection(selection);
    }
    selection.problem = place;
    document().setSelection(selection);
}

void ProblemsView::applyFix(int row) {
    if (row < 0 || row >= count())
        return;
    if (const auto& fix = model_->problems()[static_cast<std::size_t>(row)].fix) {
        const Fix change = *fix; // the list is about to be replaced
        document().setFields(change.set, text(change.text));
    }
}

} // namespace alidade::views
