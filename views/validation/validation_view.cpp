// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/validation_view.h"

#include "model/catalog/catalog.h"
#include "model/validation/nearest.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/band_label.h"
#include "views/kit/cell_table.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/kit/verdict_label.h"
#include "views/theme/theme_controller.h"
#include "views/validation/class_table.h"
#include "views/validation/filter_panel.h"
#include "views/validation/run_panel.h"
#include "views/validation/run_plot.h"
#include "views/validation/run_text.h"
#include "views/validation/validation_answer.h"
#include "views/validation/validation_source.h"

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPushButton>
#include <QStackedWidget>

#include <algorithm>

namespace alidade::views {

namespace {

constexpr std::size_t worstRows = 20;
constexpr int idWidth = 280; // logical pixels at 10 pt

} // namespace

void ValidationView::connectParts() {
    connect(filters_, &FilterPanel::edited, this, &ValidationView::setFilter);
    connect(plot_, &RunPlot::chosen, this, &ValidationView::choose);
    connect(plot_, &RunPlot::opened, this, &ValidationView::open);
    connect(plot_, &RunPlot::emphasized, this, [this](int place) {
        classes_->clearChosen();
        emphasize(place);
    });
    connect(plot_, &PlotBase::showDataRequested, this, [this] {
        showPage(runsPage);
        tables_[runsPage]->setFocus(Qt::ShortcutFocusReason);
    });
    connect(classes_, &ClassTable::chosen, this, [this](const QString& key) {
        const QList<RunClass>& classes = plot_->picture().classes;
        const auto own = std::ranges::find(classes, key, &RunClass::key);
        const auto other = std::ranges::find(classes, otherRuns, &RunClass::key);
        emphasize(static_cast<int>((own != classes.end() ? own : other) - classes.begin()));
    });
    connect(classes_, &ClassTable::opened, this, [this](const QString& key) {
        RunFilter next = filter_;
        next.wanted[by_] = key;
        setFilter(next);
    });
    for (const int page : {runsPage, worstPage}) {
        connect(tables_[page], &CellTable::currentKeyChanged, this, &ValidationView::choose);
        connect(tables_[page], &QAbstractItemView::activated, this, [this] { open(chosen_); });
    }
    connect(panel_, &RunPanel::openRequested, this, [this] { open(chosen_); });
    connect(pageButtons_, &SegmentedButtons::currentEdited, this, &ValidationView::showPage);
    connect(kindButtons_, &SegmentedButtons::currentEdited, this, [this](int index) {
        kind_ = index == 0 ? RunPictureKind::against : RunPictureKind::errors;
        renewPicture();
    });
    connect(field_, &QComboBox::activated, this, [this](int index) {
        by_ = runFields[static_cast<std::size_t>(index)];
        emphasize(-1);
        renewPicture();
    });
    connect(source_, &ValidationSource::reportChanged, this, &ValidationView::renewReport);
    connect(busy_, &BusyOverlay::cancelRequested, source_, &ValidationSource::cancel);
    connect(error_, &Notice::triggered, source_, &ValidationSource::tryAgain);
    connect(empty_, &Notice::triggered, source_, &ValidationSource::tryAgain);
}

void ValidationView::renewReport() {
    if (source_->busy())
        busy_->start(tr("Predicting the published runs"));
    else
        busy_->stop();
    const auto report = source_->report();
    if (report && report != report_) {
        report_ = report;
        catalog_ = source_->catalog();
        const QList<RunChoice> quantities = quantitiesOf(*report_, filter_.judgedOnly);
        if (!quantities.isEmpty() && !std::ranges::count(quantities, filter_.quantity, &RunChoice::key))
            filter_.quantity = quantities.first().key;
        renewRows();
        renewTables();
    }
    if (!report && report_ && source_->busy())
        return; // the old rows are under the veil
    if (!report && !source_->error().isEmpty()) {
        error_->setText(tr("The published runs could not be predicted"), source_->error());
        states_->setCurrentWidget(error_);
    } else if (!report && source_->busy()) {
        states_->setCurrentWidget(nothing_); // the veil says what is going on
    } else if (!report || report->rows.empty()) {
        empty_->setText(report ? tr("There are no published runs") : tr("No prediction yet"),
                        report ? QString() : tr("The predictions were canceled."));
        empty_->setAction(report ? QString() : tr("Predict them"));
        states_->setCurrentWidget(empty_);
    } else {
        states_->setCurrentWidget(content_);
    }
}

void ValidationView::setFilter(const RunFilter& filter) {
    const bool otherQuantity = filter.quantity != filter_.quantity;
    filter_ = filter;
    if (otherQuantity)
        emphasize(-1);
    if (report_)
        renewRows();
}

void ValidationView::showRuns(const QStringList& ids) {
    RunFilter next{.quantity = allSpeeds, .judgedOnly = false, .ids = QSet<QString>(ids.begin(), ids.end())};
    if (report_) {
        // One unit where all of them have it; all speeds are offered only where there are several. Serving
        // has no common unit: what most of the rows tell, and of such quantities the one that says most.
        QSet<QString> units;
        QHash<QString, std::pair<int, std::ptrdiff_t>> served; // rows, and how far behind the quantity stands
        for (const ValidationRow& row : report_->rows) {
            if (!next.ids.contains(text(row.id)))
                continue;
            if (isSpeed(row)) {
                units.insert(text(row.quantity));
            } else if (row.kind == RowKind::serving) {
                auto& [count, place] = served[text(row.quantity)];
                ++count;
                place = -static_cast<std::ptrdiff_t>(servingRank(row));
            }
        }
        if (units.size() == 1)
            next.quantity = *units.begin();
        else if (units.isEmpty() && !served.isEmpty())
            next.quantity =
                std::ranges::max(served.keys(), {}, [&](const QString& key) { return served[key]; });
    }
    setFilter(next);
    if (!rows_.empty())
        choose(runKey(*rows_.front()));
}

void ValidationView::renewRows() {
    rows_ = rowsOf(report_->rows, filter_);
    times_.clear();
    figured_ = rows_;
    if (filter_.quantity == allSpeeds) {
        for (const ValidationRow* row : rows_) {
            times_.push_back(*row);
            times_.back().error = errorAsTime(*row);
        }
        figured_ = rowsOf(times_, filter_);
    }
    filters_->show(*report_, filter_, *catalog_);
    const ValidationAnswer answer = validationAnswer(*report_, filter_, figured_);
    verdict_->setVerdict(BadgeKind::neutral, answer.sentence, answer.detail);
    for (qsizetype i = 0; i < figures_.size(); ++i)
        figures_[i]->setFigure(answer.figures[i]);

    const bool asTimes = filter_.quantity == allSpeeds;
    const RunTable all = runTable(rows_, *catalog_, asTimes);
    tables_[runsPage]->setTable(all.columns, all.rows);
    std::vector<const ValidationRow*> worst = rows_;
    std::ranges::stable_sort(worst, std::greater(), [asTimes](const ValidationRow* r) {
        return std::abs(asTimes ? errorAsTime(*r) : r->error);
    });
    worst.resize(std::min(worst.size(), worstRows));
    const RunTable bad = runTable(worst, *catalog_, asTimes);
    tables_[worstPage]->setTable(bad.columns, bad.rows);
    fitColumns();
    renewPicture();
    const bool still =
        std::ranges::any_of(rows_, [this](const ValidationRow* row) { return runKey(*row) == chosen_; });
    choose(still ? chosen_ : QString());
    showPage(pageButtons_->currentIndex());
}

void ValidationView::renewPicture() {
    if (!report_)
        return;
    // All rows of the quantity decide on the looks, so that these stay while filters change.
    const QList<RunClass> classes =
        runClasses(rowsOf(report_->rows, RunFilter{.quantity = filter_.quantity}), by_, *catalog_);
    const QHash<QString, double> medians =
        filter_.quantity == allSpeeds ? speedMedians(*report_) : QHash<QString, double>();
    plot_->setPicture(runPicture(report_, rows_, classes, by_, kind_, medians), catalog_);
    plot_->setEmphasis(plot_->emphasis());
    plot_->setChosen(chosen_);
    classes_->setRows(runFieldName(by_), classRows(figured_, classes, by_, *catalog_));
    renewPlotTitle();
}

void ValidationView::renewTables() {
    const RunTable outcomes = outcomeTable(*report_);
    tables_[memoryPage]->setTable(outcomes.columns, outcomes.rows);
    const RunTable skipped = skippedTable(*report_);
    tables_[skippedPage]->setTable(skipped.columns, skipped.rows);
    for (const int page : {memoryPage, skippedPage}) {
        tables_[page]->horizontalHeader()->setStretchLastSection(true);
        tables_[page]->setColumnWidth(0, std::min(tables_[page]->columnWidth(0), theme().px(idWidth)));
    }
    showPage(pageButtons_->currentIndex());
}

QString ValidationView::sentence() const { return verdict_->sentence(); }

void ValidationView::emphasize(int place) { plot_->setEmphasis(place); }

const ValidationRow* ValidationView::rowOf(const QString& key) const {
    const auto found =
        std::ranges::find_if(rows_, [&](const ValidationRow* row) { return runKey(*row) == key; });
    return found == rows_.end() ? nullptr : *found;
}

void ValidationView::choose(const QString& key) {
    const ValidationRow* row = rowOf(key);
    chosen_ = row != nullptr ? key : QString();
    plot_->setChosen(chosen_);
    for (const int page : {runsPage, worstPage})
        tables_[page]->setCurrentKey(chosen_);
    if (row != nullptr)
        panel_->showRun(*row, *catalog_);
    else
        panel_->showNothing();
}

void ValidationView::open(const QString& key) {
    const ValidationRow* row = rowOf(key);
    if (row != nullptr && row->scenario)
        emit openScenario(*row->scenario);
}

void ValidationView::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape || (plot_->emphasis() < 0 && chosen_.isEmpty()))
        return View::keyPressEvent(event);
    if (plot_->emphasis() >= 0) {
        classes_->clearChosen();
        emphasize(-1);
    } else {
        choose({});
    }
}

} // namespace alidade::views
