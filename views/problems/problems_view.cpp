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
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr int severityWidth = 96; // logical pixels at 10 pt
constexpr int placeWidth = 190;
constexpr int placeFrom = 640;     // below this width the field is left out: a click leads there anyway
constexpr double mostForFix = 0.4; // of the width

/// Sentences are read in full: they wrap.
class SentenceDelegate : public CellDelegate {
public:
    using CellDelegate::CellDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QSize oneLine = CellDelegate::sizeHint(option, index);
        const int room = option.rect.width() - 2 * padding();
        if (!wraps(index) || room <= 0)
            return oneLine;
        const QFontMetrics metrics(theme().font(FontRole::body));
        const QRect text = metrics.boundingRect(QRect(0, 0, room, QWIDGETSIZE_MAX), Qt::TextWordWrap,
                                                index.data(Qt::DisplayRole).toString());
        return {oneLine.width(), std::max(oneLine.height(), text.height() + theme().px(7))};
    }

protected:
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override {
        if (!wraps(index))
            return CellDelegate::paintContent(painter, option, index);
        painter->setFont(option.font);
        painter->setPen(option.palette.color(QPalette::Text));
        painter->drawText(option.rect.adjusted(padding(), 0, -padding(), -1),
                          static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextWordWrap, option.text);
    }

private:
    static int padding() { return theme().px(8); }
    static bool wraps(const QModelIndex& index) {
        return index.column() == ProblemsModel::messageColumn || index.column() == ProblemsModel::fixColumn;
    }
};

} // namespace

ProblemsView::ProblemsView(Document* document, QWidget* parent)
    : View(document, parent)
    , model_(new ProblemsModel(this))
    , table_(new DataTableView(this))
    , empty_(new EmptyState(QStringLiteral("check"), tr("No problems"),
                            tr("Anything that stops the scenario or deserves attention is listed here."), {},
                            this)) {
    setObjectName(QStringLiteral("problemsView"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(table_);
    column->addWidget(empty_);
    table_->setModel(model_);
    table_->setItemDelegate(new SentenceDelegate(table_));
    table_->setSortingEnabled(false);
    table_->setAccessibleName(title());
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    QHeaderView* header = table_->horizontalHeader();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(ProblemsModel::messageColumn, QHeaderView::Stretch);
    table_->setWordWrap(true);

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

void ProblemsView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    arrangeColumns();
}

/// All that there is to say has room: the sentence and the change wrap, the field gives way.
void ProblemsView::arrangeColumns() {
    const int room = width();
    const QFontMetrics metrics(theme().font(FontRole::body));
    int fix = 0;
    for (const Problem& problem : model_->problems())
        if (problem.fix)
            fix = std::max(fix, metrics.horizontalAdvance(text(problem.fix->text)));
    table_->setColumnHidden(ProblemsModel::placeColumn, room < theme().px(placeFrom));
    table_->setColumnHidden(ProblemsModel::fixColumn, fix == 0);
    table_->setColumnWidth(ProblemsModel::severityColumn, theme().px(severityWidth));
    table_->setColumnWidth(ProblemsModel::placeColumn, theme().px(placeWidth));
    table_->setColumnWidth(ProblemsModel::fixColumn,
                           std::min(fix + theme().px(24), static_cast<int>(std::lround(room * mostForFix))));
    table_->resizeRowsToContents();
}

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
    arrangeColumns();
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
