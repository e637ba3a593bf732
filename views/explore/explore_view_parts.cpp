// SPDX-License-Identifier: GPL-3.0-or-later
// How the Explore page is put together.
#include "model/catalog/catalog.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/explore/explore_panel.h"
#include "views/explore/explore_view.h"
#include "views/explore/goal_bar.h"
#include "views/explore/heat_plot.h"
#include "views/explore/outcome_plot.h"
#include "views/explore/pick_combo.h"
#include "views/explore/sweep_plot.h"
#include "views/explore/tornado_plot.h"
#include "views/explore/uncertain_dialog.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/kit/verdict_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace alidade::views {

namespace {

constexpr int multiplesShown = 4;

QWidget* pageOf(std::initializer_list<QWidget*> parts) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (QWidget* each : parts)
        column->addWidget(each);
    return page;
}

QSplitter* splitterOf(Qt::Orientation orientation, QWidget* first, QWidget* second) {
    auto* out = new QSplitter(orientation);
    out->addWidget(first);
    out->addWidget(second);
    out->setChildrenCollapsible(false);
    out->setHandleWidth(1);
    return out;
}

} // namespace

ExploreView::ExploreView(Document* document, QWidget* parent)
    : View(document, parent)
    , source_(new ExploreSource(this))
    , states_(new QStackedWidget)
    , empty_(new EmptyState(iconName(), tr("Nothing to explore yet"), tr("Open a scenario first."))) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(title());
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeStrip());
    makeLinePanel();
    makeGridPanel();
    makeSensitivityPanel();
    makeDoubtPanel();
    auto* left = splitterOf(Qt::Vertical, linePanel_, gridPanel_);
    auto* right = splitterOf(Qt::Vertical, sensitivityPanel_, doubtPanel_);
    auto* both = splitterOf(Qt::Horizontal, left, right);
    left->setSizes({theme().px(420), theme().px(380)});
    right->setSizes({theme().px(420), theme().px(380)});
    both->setSizes({theme().px(850), theme().px(640)});
    both->setStretchFactor(0, 4);
    both->setStretchFactor(1, 3);
    column->addWidget(both, 1);
    states_->addWidget(empty_);
    states_->addWidget(content);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(states_);
    connectParts();
    renewButtons();
}

QWidget* ExploreView::makeStrip() {
    verdict_ = new VerdictLabel;
    goal_ = new GoalBar;
    preview_ = new QPushButton(tr("Preview"));
    adopt_ = new QPushButton(tr("Adopt"));
    adopt_->setProperty(primaryProperty, true);
    adopt_->setAccessibleName(adopt_->text());
    auto* strip = new QWidget;
    auto* lines = new QVBoxLayout(strip);
    const int side = theme().px(14);
    lines->setContentsMargins(side, theme().px(10), side, theme().px(10));
    lines->setSpacing(theme().px(8));
    auto* row = new QHBoxLayout;
    row->setSpacing(theme().px(8));
    row->addWidget(goal_, 1);
    row->addWidget(preview_);
    row->addWidget(adopt_);
    lines->addWidget(verdict_);
    lines->addLayout(row);
    return strip;
}

void ExploreView::makeLinePanel() {
    linePanel_ = new ExplorePanel(QStringLiteral("explore"), tr("One field"));
    across_ = new PickCombo(tr("Field that varies"));
    values_ = new QLineEdit;
    values_->setPlaceholderText(tr("usual values"));
    values_->setAccessibleName(tr("Values of the field"));
    values_->setToolTip(
        tr("Values to try: 8..64, 8..64:20 (points), 8..64:step 8, 1..512:log, or a list 1,2,4; "
           "empty: the usual ones that are legal"));
    lineFigure_ = new PickCombo(tr("Figure of the curve"));
    several_ = new QCheckBox(tr("Several"));
    several_->setToolTip(tr("Four figures side by side, over the same values"));
    optimize_ = new QCheckBox(tr("Best plan at each point"));
    optimize_->setToolTip(
        tr("Searches the other degrees, the micro-batch and recomputation at each point, so that "
           "the curve shows the best plan there instead of the present one"));
    for (QCheckBox* each : {several_, optimize_})
        each->setAccessibleName(each->text());
    QHBoxLayout* row = linePanel_->controls();
    row->addWidget(across_, 2);
    row->addWidget(values_, 1);
    row->addWidget(lineFigure_, 2);
    row->addWidget(several_);
    row->addWidget(optimize_);
    line_ = new SweepPlot;
    linePanel_->addPage(line_);
    linePanel_->connectPlot(line_);
    multiplesPage_ = new QWidget;
    auto* grid = new QGridLayout(multiplesPage_);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(0);
    for (int i = 0; i < multiplesShown; ++i) {
        multiples_.append(new SweepPlot(false));
        grid->addWidget(multiples_.last(), i / 2, i % 2);
    }
    linePanel_->addPage(multiplesPage_);
}

void ExploreView::makeGridPanel() {
    gridPanel_ = new ExplorePanel(QStringLiteral("table"), tr("Two fields"));
    gridAcross_ = new PickCombo(tr("Field across"));
    gridUp_ = new PickCombo(tr("Field upwards"));
    gridFigure_ = new PickCombo(tr("Figure of the cells"));
    QHBoxLayout* row = gridPanel_->controls();
    row->addWidget(gridAcross_, 1);
    row->addWidget(gridUp_, 1);
    row->addWidget(gridFigure_, 1);
    grid_ = new HeatPlot;
    gridPanel_->addPage(grid_);
    gridPanel_->connectPlot(grid_);
}

void ExploreView::makeSensitivityPanel() {
    sensitivityPanel_ = new ExplorePanel(QStringLiteral("layers"), tr("Sensitivity"));
    weighed_ = new PickCombo(tr("Figure to analyze"));
    rangeSwitch_ = new SegmentedButtons;
    rangeSwitch_->setOptions(QStringList{tr("10 % each"), tr("Own error")});
    rangeSwitch_->setCurrentIndex(0);
    rangeSwitch_->setToolTip(
        tr("Each input 10 % lower and higher, or each constant of the calibration from its own "
           "10 % to its 90 % quantile"));
    QHBoxLayout* row = sensitivityPanel_->controls();
    row->addWidget(weighed_, 1);
    row->addStretch(1);
    row->addWidget(rangeSwitch_);
    tornado_ = new TornadoPlot;
    sensitivityPanel_->addPage(tornado_);
    sensitivityPanel_->connectPlot(tornado_);
}

void ExploreView::makeDoubtPanel() {
    doubtPanel_ = new ExplorePanel(QStringLiteral("info"), tr("Uncertainty"));
    doubtSwitch_ = new SegmentedButtons;
    doubtSwitch_->setOptions(QStringList{tr("Largest sources of error"), tr("Distribution")});
    doubtSwitch_->setCurrentIndex(0);
    QHBoxLayout* row = doubtPanel_->controls();
    row->addWidget(doubtSwitch_);
    row->addStretch(1);
    const int side = theme().px(12);
    doubtText_ = new TextLabel(FontRole::small, Role::text2);
    odds_ = new TextLabel(FontRole::strong, Role::text);
    for (TextLabel* each : {doubtText_, odds_}) {
        each->setWordWrap(true);
        each->setContentsMargins(side, theme().px(4), side, theme().px(4));
    }
    ignorance_ = new CellTable;
    ignorance_->setAccessibleName(tr("Largest sources of error"));
    ignorance_->setSortingEnabled(false);
    ignorancePage_ = pageOf({doubtText_, ignorance_});
    static_cast<QVBoxLayout*>(ignorancePage_->layout())->setStretchFactor(ignorance_, 1);

    outcomeFigure_ = new PickCombo(tr("Figure of the distribution"));
    limit_ = new QLineEdit;
    limit_->setPlaceholderText(tr("a limit"));
    limit_->setAccessibleName(tr("Limit of the figure"));
    limit_->setToolTip(tr("A deadline, a budget or a target, with its unit"));
    uncertainButton_ = new QPushButton(tr("Uncertain Inputs…"));
    auto* asked = new QWidget;
    auto* askedRow = new QHBoxLayout(asked);
    askedRow->setContentsMargins(side, theme().px(4), side, 0);
    askedRow->setSpacing(theme().px(6));
    askedRow->addWidget(outcomeFigure_, 2);
    askedRow->addWidget(limit_, 1);
    askedRow->addWidget(uncertainButton_);
    outcome_ = new OutcomePlot;
    drivers_ = new CellTable;
    drivers_->setAccessibleName(tr("What drives the figure"));
    drivers_->setSortingEnabled(false);
    auto* halves = splitterOf(Qt::Horizontal, outcome_, drivers_);
    halves->setStretchFactor(0, 3);
    halves->setStretchFactor(1, 2);
    outcomePage_ = pageOf({asked, odds_, halves});
    static_cast<QVBoxLayout*>(outcomePage_->layout())->setStretchFactor(halves, 1);
    doubtPanel_->addPage(ignorancePage_);
    doubtPanel_->addPage(outcomePage_);
}

void ExploreView::connectParts() {
    connect(source_, &ExploreSource::changed, this, &ExploreView::take);
    // Asked anew
    connect(across_, &PickCombo::picked, this, [this] {
        values_->clear(); // of another field
        askLine();
    });
    connect(values_, &QLineEdit::editingFinished, this, [this] {
        if (values_->isModified()) {
            values_->setModified(false);
            askLine();
        }
    });
    // Another figure of the same points, unless they are the best for one figure.
    connect(lineFigure_, &PickCombo::picked, this, [this] {
        if (optimize_->isChecked())
            askLine();
        else
            showLine();
    });
    connect(several_, &QCheckBox::toggled, this, &ExploreView::showLine);
    connect(optimize_, &QCheckBox::toggled, this, &ExploreView::askLine);
    connect(gridAcross_, &PickCombo::picked, this, &ExploreView::askGrid);
    connect(gridUp_, &PickCombo::picked, this, &ExploreView::askGrid);
    connect(gridFigure_, &PickCombo::picked, this, &ExploreView::showGrid);
    connect(weighed_, &PickCombo::picked, this, &ExploreView::askSensitivity);
    connect(rangeSwitch_, &SegmentedButtons::currentEdited, this, &ExploreView::askSensitivity);
    connect(goal_, &GoalBar::asked, this, [this] {
        renewTargets();
        askGoal();
    });
    connect(outcomeFigure_, &PickCombo::picked, this, [this] {
        limit_->clear();
        askOutcomes();
    });
    connect(limit_, &QLineEdit::editingFinished, this, [this] {
        if (limit_->isModified()) {
            limit_->setModified(false);
            askOutcomes();
        }
    });
    connect(doubtSwitch_, &SegmentedButtons::currentEdited, this,
            [this](int index) { doubtPanel_->showPage(index == 1 ? outcomePage_ : ignorancePage_); });
    connect(uncertainButton_, &QPushButton::clicked, this, &ExploreView::editUncertain);

    // Chosen
    const auto connectPlot = [this](SweepPlot* plot) {
        connect(plot, &SweepPlot::chosen, this, [this](int point) { choosePoint(source_->line(), point); });
        connect(plot, &SweepPlot::adopted, this, &ExploreView::adopt);
    };
    connectPlot(line_);
    for (SweepPlot* each : std::as_const(multiples_))
        connectPlot(each);
    connect(grid_, &HeatPlot::chosen, this, [this](int point) { choosePoint(source_->grid(), point); });
    connect(grid_, &HeatPlot::adopted, this, &ExploreView::adopt);
    connect(linePanel_->table(), &CellTable::currentKeyChanged, this,
            [this](const QString& key) { choosePoint(source_->line(), key.toInt()); });
    connect(gridPanel_->table(), &CellTable::currentKeyChanged, this,
            [this](const QString& key) { choosePoint(source_->grid(), key.toInt()); });
    for (CellTable* each : {linePanel_->table(), gridPanel_->table()})
        connect(each, &QAbstractItemView::activated, this, &ExploreView::adopt);
    const auto sweep = [this](const QString& path) {
        if (across_->findData(path) < 0)
            return;
        across_->setPath(path);
        values_->clear();
        askLine();
    };
    connect(tornado_, &TornadoPlot::sweepRequested, this, sweep);
    connect(sensitivityPanel_->table(), &CellTable::currentKeyChanged, this,
            [this](const QString& key) { weighedInput_ = key; });
    connect(sensitivityPanel_->table(), &QAbstractItemView::activated, this,
            [this, sweep] { sweep(weighedInput_); });
    connect(preview_, &QPushButton::clicked, this, &ExploreView::togglePreview);
    connect(adopt_, &QPushButton::clicked, this, &ExploreView::adopt);

    // Stopped
    using Part = ExploreSource::Part;
    connect(linePanel_, &ExplorePanel::stopRequested, this, [this] { source_->stop(Part::line); });
    connect(gridPanel_, &ExplorePanel::stopRequested, this, [this] { source_->stop(Part::grid); });
    connect(sensitivityPanel_, &ExplorePanel::stopRequested, this,
            [this] { source_->stop(Part::sensitivity); });
    connect(doubtPanel_, &ExplorePanel::stopRequested, this, [this] { source_->stop(Part::outcomes); });

    connect(&document(), &Document::aboutToOpen, this, [this] {
        choice_ = {};
        forget();
    });
    connect(&document(), &Document::catalogChanged, this, &ExploreView::outdate);
    connect(&document(), &Document::previewChanged, this, &ExploreView::renewButtons);
}

} // namespace alidade::views
