// SPDX-License-Identifier: GPL-3.0-or-later
// How the page on the whole run is put together.
#include "views/document/document.h"
#include "views/explore/explore_panel.h"
#include "views/kit/band_label.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/kit/verdict_label.h"
#include "views/run/finish_plot.h"
#include "views/run/interval_plot.h"
#include "views/run/run_calendar_view.h"
#include "views/run/run_tables.h"
#include "views/run/run_view.h"
#include "views/run/run_words.h"
#include "views/run/spare_plot.h"
#include "views/scenario/field_row.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace alidade::views {

namespace {

// Logical pixels at 10 pt.
constexpr int plotHeight = 160, tableHeight = 80;
constexpr int wideWidth = 1330; ///< from here on three columns are side by side
constexpr int dateWidth = 268;  ///< of a date with its label

/// A patch of a fill and its word.
class PieceLegend : public QWidget {
public:
    explicit PieceLegend(RunPiece piece)
        : piece_(piece) {
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(theme().px(20), 0, theme().px(6), 0);
        row->addWidget(new TextLabel(FontRole::small, Role::text2, pieceTitle(piece)));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        QRectF patch(theme().px(2), 0, theme().px(13), theme().px(10));
        patch.moveTop((height() - patch.height()) / 2);
        paintPiece(painter, patch, piece_);
    }

private:
    RunPiece piece_;
};

/// A hairline between neighbors.
QWidget* withLine(QWidget* part, bool left) {
    auto* frame = new QWidget;
    frame->setAutoFillBackground(true);
    frame->setBackgroundRole(QPalette::Mid);
    auto* box = new QHBoxLayout(frame);
    box->setContentsMargins(left ? 1 : 0, 0, 0, 0);
    box->addWidget(part);
    return frame;
}

void makePlain(CellTable* table, const QString& name) {
    table->setAccessibleName(name);
    table->setSortingEnabled(false);
    table->setFrameShape(QFrame::NoFrame);
    table->horizontalHeader()->setStretchLastSection(false); // the first column takes the room that is left
}

} // namespace

RunView::RunView(Document* document, QWidget* parent)
    : View(document, parent)
    , task_(this, [this](const RunStoryPtr& story, bool finished) { take(story, finished); })
    , states_(new QStackedWidget)
    , empty_(new EmptyState(iconName(), tr("No run to draw yet"))) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(title());
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeStrip());
    column->addWidget(makeBody(), 1);
    states_->addWidget(empty_);
    states_->addWidget(content);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(states_);
    connectParts();
    coverWhileBusy();
}

QWidget* RunView::makeStrip() {
    verdict_ = new VerdictLabel;
    preview_ = new QPushButton;
    adopt_ = new QPushButton(tr("Adopt"));
    adopt_->setProperty(primaryProperty, true);
    adopt_->setAccessibleName(adopt_->text());
    adopt_->setToolTip(tr("Make it the scenario; one step to undo (Enter)"));
    field_ = new QPushButton;
    auto* head = new QHBoxLayout;
    head->setSpacing(theme().px(8));
    head->addWidget(verdict_, 1);
    head->addWidget(field_);
    head->addWidget(preview_);
    head->addWidget(adopt_);
    auto* row = new QHBoxLayout;
    row->setSpacing(theme().px(14));
    for (int i = 0; i < runFigureCount; ++i) {
        auto* figure = new BandLabel;
        figure->setSeparator(i > 0);
        figures_.append(figure);
        connect(figure, &BandLabel::explainRequested, this, [this, i] { explain(i); });
        row->addWidget(figure, 1);
    }
    auto* strip = new QWidget;
    auto* lines = new QVBoxLayout(strip);
    const int side = theme().px(18);
    lines->setContentsMargins(side, theme().px(10), side, theme().px(10));
    lines->setSpacing(theme().px(8));
    lines->addLayout(head);
    lines->addLayout(row);
    return strip;
}

QWidget* RunView::makeBody() {
    makeCalendarPanel();
    makeIntervalPanel();
    makeTablePanels();
    makeOutcomePanels();
    auto* body = new QWidget;
    auto* grid = new QGridLayout(body);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(0);
    body->setObjectName(QStringLiteral("runBody"));
    grid->addWidget(calendarPanel_, 0, 0, 1, 3);
    grid->addWidget(intervalPanel_, 1, 0);
    grid->addWidget(tierPanel_, 2, 0);
    grid->addWidget(withLine(causePanel_, true), 1, 1);
    grid->addWidget(withLine(sparePanel_, true), 2, 1);
    grid->addWidget(withLine(finishPanel_, true), 1, 2, 2, 1);
    constexpr std::array shares{10, 11, 10}; // of the width
    for (int i = 0; i < 3; ++i)
        grid->setColumnStretch(i, shares[static_cast<std::size_t>(i)]);
    grid->setRowStretch(1, 1);
    grid->setRowStretch(2, 1);
    scroll_ = new QScrollArea;
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setWidgetResizable(true);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->setWidget(body);
    return scroll_;
}

ExplorePanel* RunView::makePanel(const QString& icon, const QString& title, QWidget* content) {
    auto* panel = new ExplorePanel(icon, title);
    panel->controls()->setContentsMargins(0, 0, 0, 0);
    auto* why = new EmptyState(icon, QString());
    panel->addPage(content);
    panel->addPage(why);
    parts_.insert(panel, {content, why});
    return panel;
}

void RunView::say(ExplorePanel* part, const QString& what, const QString& why) {
    const Part& pages = parts_[part];
    const bool shows = what.isEmpty();
    if (!shows) {
        pages.why->setText(what, why);
        part->setDataShown(false);
        part->bar()->setSubtitle({});
    }
    part->dataButton()->defaultAction()->setEnabled(shows);
    part->showPage(shows ? pages.content : pages.why);
}

bool RunView::saysWhy(const ExplorePanel* part) const { return parts_[part].why->isVisible(); }

void RunView::makeCalendarPanel() {
    calendar_ = new RunCalendarView;
    calendarPanel_ = makePanel(QStringLiteral("timeline"), tr("From start to finish"), calendar_);
    for (const RunPiece piece : {RunPiece::work, RunPiece::redone, RunPiece::stopped, RunPiece::starting})
        calendarPanel_->bar()->addRight(new PieceLegend(piece));
    outcomeSwitch_ = new SegmentedButtons;
    outcomeSwitch_->setOptions(QStringList{tr("Expected"), tr("One outcome")});
    outcomeSwitch_->setCurrentIndex(0);
    outcomeSwitch_->setAccessibleName(tr("Plot"));
    calendarPanel_->bar()->addRight(outcomeSwitch_);
    calendarPanel_->bar()->addRight(calendarPanel_->dataButton()); // as in the other parts, last
    auto* controls = calendarPanel_->controls();
    controls->setContentsMargins(theme().px(12), theme().px(4), theme().px(12), theme().px(2));
    for (const char* path : {"run.start", "run.deadline"}) {
        auto* row = makeFieldRow(*findField(path), document(), calendarPanel_);
        row->setFixedWidth(theme().px(dateWidth));
        controls->addWidget(row);
        dates_.append(row);
    }
    controls->addStretch(1);
}

void RunView::makeIntervalPanel() {
    interval_ = new IntervalPlot;
    interval_->setMinimumHeight(theme().px(plotHeight));
    intervalPanel_ = makePanel(QStringLiteral("cost"), tr("Checkpoint interval"), interval_);
    intervalPanel_->connectPlot(interval_);
}

void RunView::makeTablePanels() {
    causes_ = new CellTable;
    makePlain(causes_, tr("Interruptions by cause"));
    shares_ = new ShareDelegate(causes_);
    shares_->setBarColumn(4);
    causes_->setItemDelegate(shares_);
    auto* causePage = new QWidget;
    auto* causeColumn = new QVBoxLayout(causePage);
    causeColumn->setContentsMargins(0, 0, 0, 0);
    causeColumn->addWidget(causes_);
    causeColumn->addStretch(1);
    causePanel_ = makePanel(QStringLiteral("warning"), tr("Interruptions by cause"), causePage);
    tiers_ = new CellTable;
    makePlain(tiers_, tr("Checkpoint tiers"));
    tierNote_ = new TextLabel(FontRole::small, Role::text2);
    tierNote_->setWordWrap(true);
    tierNote_->setContentsMargins(theme().px(12), theme().px(6), theme().px(12), theme().px(6));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(tiers_);
    column->addWidget(tierNote_);
    column->addStretch(1);
    tierPanel_ = makePanel(QStringLiteral("memory"), tr("Checkpoint tiers"), page);
    for (ExplorePanel* each : {causePanel_, tierPanel_})
        each->dataButton()->hide(); // the picture is the table
}

void RunView::makeOutcomePanels() {
    spares_ = new SparePlot;
    spares_->setMinimumHeight(theme().px(plotHeight));
    worths_ = new CellTable;
    makePlain(worths_, tr("What single changes are worth"));
    auto* sparePage = new QWidget;
    auto* spareColumn = new QVBoxLayout(sparePage);
    spareColumn->setContentsMargins(0, 0, 0, 0);
    spareColumn->setSpacing(0);
    spareColumn->addWidget(spares_, 1);
    spareColumn->addWidget(worths_);
    sparePanel_ = makePanel(QStringLiteral("add"), tr("Cost of spares and of waiting"), sparePage);
    sparePanel_->connectPlot(spares_);
    finish_ = new FinishPlot;
    steps_ = new CellTable;
    makePlain(steps_, tr("Ways to meet the deadline"));
    steps_->setToolTip(tr("Enter or a click previews a step with those above it"));
    steps_->hide();
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(finish_, 1);
    column->addWidget(steps_);
    finishPanel_ = makePanel(QStringLiteral("serving"), tr("Days to finish"), page);
    finishPanel_->connectPlot(finish_);
}

void RunView::connectParts() {
    // Without a button they need no more room than a picture.
    for (Notice* each : scroll_->findChildren<Notice*>())
        each->setMinimumHeight(theme().px(plotHeight - 20));
    for (ExplorePanel* each : {calendarPanel_, intervalPanel_, sparePanel_, finishPanel_})
        each->dataButton()->setAccessibleName(tr("Show the data behind the picture"));
    connect(preview_, &QPushButton::clicked, this, &RunView::previewBest);
    connect(adopt_, &QPushButton::clicked, this, [this] { document().adoptPreview(); });
    connect(field_, &QPushButton::clicked, this, &RunView::followField);
    connect(interval_, &IntervalPlot::chosen, this, &RunView::previewInterval);
    connect(interval_, &IntervalPlot::adopted, this, [this] {
        if (document().previewed() != nullptr)
            document().adoptPreview();
    });
    for (const auto signal : {&QAbstractItemView::clicked, &QAbstractItemView::activated})
        connect(steps_, signal, this, [this](const QModelIndex& index) { previewStep(index.row()); });
    connect(outcomeSwitch_, &SegmentedButtons::currentEdited, this, [this](int index) {
        calendar_->setOneOutcome(index == 1);
        if (story_)
            nameOutcome();
    });
    connect(finishPanel_, &ExplorePanel::stopRequested, this, [this] { task_.stop(); });
    connect(&document(), &Document::specChanged, this, &RunView::renewDates);
    connect(&document(), &Document::previewChanged, this, [this] {
        if (!isEmpty())
            renewButtons();
    });
    connect(empty_, &Notice::triggered, this, [this] {
        if (!document().error().isEmpty() || !document().estimate())
            return document().recompute();
        applyFix();
    });
}

bool RunView::event(QEvent* event) {
    const bool handled = View::event(event);
    if (event->type() == QEvent::FontChange)
        renewHeights();
    return handled;
}

void RunView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    renewHeights();
}

/// A table shows all its rows; in a narrow window the columns are below each other.
void RunView::renewHeights() {
    for (CellTable* each : {causes_, tiers_, steps_, worths_}) {
        each->resizeColumnsToContents();
        if (each->model()->columnCount() > 0)
            each->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
        int height = each->horizontalHeader()->sizeHint().height() + 2;
        for (int row = 0; row < each->model()->rowCount(); ++row)
            height += each->rowHeight(row);
        each->setFixedHeight(std::max(height, theme().px(tableHeight)));
    }
    auto* grid = static_cast<QGridLayout*>(scroll_->widget()->layout());
    const bool wide = width() >= theme().px(wideWidth);
    QWidget* finish = finishPanel_->parentWidget();
    const int at = grid->indexOf(finish);
    int row = 0, column = 0, rows = 0, columns = 0;
    grid->getItemPosition(at, &row, &column, &rows, &columns);
    if (wide == (column == 2))
        return;
    grid->removeWidget(finish);
    if (wide)
        grid->addWidget(finish, 1, 2, 2, 1);
    else
        grid->addWidget(finish, 3, 0, 1, 2);
    grid->removeWidget(calendarPanel_);
    grid->addWidget(calendarPanel_, 0, 0, 1, wide ? 3 : 2);
    grid->setColumnStretch(2, wide ? 10 : 0);
    finish_->setMinimumHeight(wide ? 0 : theme().px(plotHeight + 60));
}

} // namespace alidade::views
