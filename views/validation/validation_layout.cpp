// SPDX-License-Identifier: GPL-3.0-or-later
// How the parts of the validation are together.
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/band_label.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/kit/verdict_label.h"
#include "views/theme/theme_controller.h"
#include "views/validation/class_table.h"
#include "views/validation/filter_panel.h"
#include "views/validation/run_panel.h"
#include "views/validation/run_plot.h"
#include "views/validation/run_text.h"
#include "views/validation/validation_source.h"
#include "views/validation/validation_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace alidade::views {

namespace {

constexpr int figureCount = 6;
constexpr std::array figuresToSpare = {1, 3}; // mean and bias
constexpr int allFiguresWidth = 800;          // of the strip, logical pixels at 10 pt
constexpr int longestFieldName = 11;          // characters
constexpr int widestRunColumn = 160;

int agreeing(const ValidationReport* report) {
    return report == nullptr
               ? 0
               : static_cast<int>(std::ranges::count_if(report->memoryOutcomes, &MemoryOutcome::agrees));
}

/// A title bar over what it names.
QWidget* titled(DockTitleBar* bar, QWidget* what) {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(what, 1);
    return box;
}

} // namespace

ValidationView::ValidationView(Document* document, ValidationSource* source, QWidget* parent)
    : View(document, parent)
    , source_(source)
    , catalog_(document->catalog())
    , states_(new QStackedWidget(this))
    , nothing_(new QWidget)
    , empty_(new EmptyState(iconName(), tr("No prediction yet")))
    , error_(new ErrorState({}))
    , filters_(new FilterPanel)
    , verdict_(new VerdictLabel)
    , field_(new QComboBox)
    , kindButtons_(new SegmentedButtons)
    , pageButtons_(new SegmentedButtons)
    , plot_(new RunPlot)
    , classes_(new ClassTable)
    , tablePages_(new QStackedWidget)
    , noRow_(new EmptyState(QStringLiteral("check"), {}))
    , panel_(new RunPanel) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(title());

    auto* pictures = new QSplitter(Qt::Horizontal);
    pictures->addWidget(makeScatter());
    pictures->addWidget(makeClasses());
    auto* rows = new QSplitter(Qt::Horizontal);
    rows->addWidget(makeTables());
    rows->addWidget(titled(new DockTitleBar(QStringLiteral("explain"), tr("The chosen run")), panel_));
    auto* evidence = new QSplitter(Qt::Vertical);
    evidence->addWidget(pictures);
    evidence->addWidget(rows);
    auto* answer = new QWidget;
    auto* column = new QVBoxLayout(answer);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeStrip());
    column->addWidget(evidence, 1);
    auto* whole = new QSplitter(Qt::Horizontal);
    whole->addWidget(filters_);
    whole->addWidget(answer);
    for (QSplitter* splitter : {pictures, rows, evidence, whole}) {
        splitter->setChildrenCollapsible(false);
        splitter->setHandleWidth(1);
    }
    for (QSplitter* splitter : {pictures, rows}) {
        splitter->setStretchFactor(0, 3);
        splitter->setStretchFactor(1, 2);
        splitter->setSizes({theme().px(780), theme().px(500)});
    }
    evidence->setStretchFactor(0, 3);
    evidence->setStretchFactor(1, 2);
    evidence->setSizes({theme().px(430), theme().px(330)});
    whole->setStretchFactor(1, 1);
    whole->setSizes({theme().px(252), theme().px(1280)});
    content_ = whole;

    for (QWidget* page : {nothing_, content_, static_cast<QWidget*>(empty_), static_cast<QWidget*>(error_)})
        states_->addWidget(page);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(states_);
    busy_ = new BusyOverlay(this);
    connectParts();
    renewReport();
}

QWidget* ValidationView::makeStrip() {
    auto* strip = new QWidget;
    auto* column = new QVBoxLayout(strip);
    const int side = theme().px(18);
    column->setContentsMargins(side, theme().px(12), side, theme().px(12));
    column->setSpacing(theme().px(8));
    column->addWidget(verdict_);
    auto* row = new QHBoxLayout;
    row->setSpacing(theme().px(14));
    for (int i = 0; i < figureCount; ++i) {
        auto* figure = new BandLabel;
        figure->setSeparator(i > 0);
        figures_.append(figure);
        row->addWidget(figure, 1);
    }
    column->addLayout(row);
    return strip;
}

QWidget* ValidationView::makeScatter() {
    plotBar_ = new DockTitleBar(QStringLiteral("validation"), tr("Predicted against measured"));
    for (const RunField field : runFields)
        field_->addItem(runFieldName(field));
    field_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    field_->setMinimumContentsLength(longestFieldName);
    field_->setAccessibleName(tr("Color and group by"));
    field_->setToolTip(tr("Color by"));
    kindButtons_->setAccessibleName(tr("Plot"));
    kindButtons_->setOptions({tr("Against measured"), tr("Error")});
    kindButtons_->setCurrentIndex(0);
    kindButtons_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    plotBar_->addRight(kindButtons_);
    plot_->setTableSource([this] { return tables_[runsPage]->textTable(); });
    return titled(plotBar_, plot_);
}

QWidget* ValidationView::makeClasses() {
    auto* bar = new DockTitleBar(QStringLiteral("layers"), tr("Error by class"));
    bar->addRightText(tr("by"));
    bar->addRight(field_);
    return titled(bar, classes_);
}

QWidget* ValidationView::makeTables() {
    tableBar_ = new DockTitleBar(QStringLiteral("table"), tr("Rows"));
    pageButtons_->setAccessibleName(tr("Which rows are listed"));
    pageButtons_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    pageButtons_->setOptions({tr("All"), tr("Worst"), tr("Memory outcomes"), tr("Skipped")});
    pageButtons_->setCurrentIndex(runsPage);
    tableBar_->addRight(pageButtons_);
    const QStringList names{tr("Published rows"), tr("Worst rows"), tr("Published memory outcomes"),
                            tr("Rows that are not predicted")};
    for (int page = 0; page < pageCount; ++page) {
        auto* table = new CellTable;
        table->setAccessibleName(names[page]);
        tables_.append(table);
        tablePages_->addWidget(table);
    }
    tablePages_->addWidget(noRow_);
    return titled(tableBar_, tablePages_);
}

void ValidationView::renewPlotTitle() {
    const bool against = kind_ == RunPictureKind::against;
    const QString name = against ? tr("Predicted against measured") : tr("Error over the number of GPUs");
    plotBar_->setTitle(name);
    plotBar_->setSubtitle(quantityName(filter_.quantity));
    plot_->setAccessibleName(name);
}

void ValidationView::showPage(int page) {
    pageButtons_->setCurrentIndex(page);
    CellTable* table = tables_[page];
    const int count = table->cells()->rowCount();
    const QStringList notes{
        counted(count, tr("row"), tr("rows")), tr("the %1 largest errors").arg(count),
        tr("%1 of %2 agree; those that differ first").arg(agreeing(report_.get())).arg(count),
        tr("what is missing from the source")};
    const QStringList nothing{
        tr("No published row passes the filters"), tr("No published row passes the filters"),
        tr("No published run reports whether it ran out of memory"), tr("Every published row is predicted")};
    tableBar_->setSubtitle(notes[page]);
    noRow_->setText(nothing[page], {});
    tablePages_->setCurrentWidget(count > 0 ? static_cast<QWidget*>(table) : noRow_);
}

void ValidationView::showEvent(QShowEvent* event) {
    source_->request();
    View::showEvent(event);
    fit();
}

void ValidationView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    fit();
}

/// Widths from the first rows, none so wide that it drives the figures out of sight.
void ValidationView::fitColumns() {
    if (columnsFitted_ || rows_.empty())
        return;
    columnsFitted_ = true;
    for (const int page : {runsPage, worstPage}) {
        tables_[page]->resizeColumnsToContents();
        for (int column = 0; column < tables_[page]->cells()->columnCount(); ++column)
            tables_[page]->setColumnWidth(
                column, std::min(tables_[page]->columnWidth(column), theme().px(widestRunColumn)));
        tables_[page]->setColumnHidden(sizeOfErrorColumn, true); // for those who sort by it
    }
}

/// As many figures as have room, and columns that leave room for the others.
void ValidationView::fit() {
    const bool all = width() - filters_->width() >= theme().px(allFiguresWidth);
    for (const int i : figuresToSpare)
        figures_[i]->setVisible(all);
}

} // namespace alidade::views
