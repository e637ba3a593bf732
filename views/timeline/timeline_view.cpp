// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_view.h"

#include "views/document/baselines.h"
#include "views/document/detail_source.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/scenario/words.h"
#include "views/theme/theme_controller.h"
#include "views/timeline/timeline_foot.h"
#include "views/timeline/timeline_overview.h"
#include "views/timeline/timeline_plot.h"
#include "views/timeline/timeline_text.h"

#include <QAction>
#include <QHBoxLayout>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <qcustomplot.h>

#include <algorithm>

namespace alidade::views {
namespace {

constexpr int mostRows = 20'000;  // of the table; a file has them all
constexpr int footFrom = 520;     // logical pixels at 10 pt: height from which the foot has a place
constexpr int overviewFrom = 300; // the same for the overview
enum FootGroup { blockGroup, rangeGroup, stageGroup };

} // namespace

TimelineView::TimelineView(Document* document, QWidget* parent)
    : EstimateView(document, parent)
    , source_(new DetailSource(document->engine(), this))
    , before_(new BaselineDetail(*document, {.timeline = true, .fixes = false}, this))
    , plot_(new TimelinePlot)
    , overview_(new TimelineOverview)
    , foot_(new TimelineFoot)
    , sentence_(new TextLabel(FontRole::strong, Role::text))
    , waiting_(new TextLabel(FontRole::small, Role::text2))
    , pages_(new QStackedWidget)
    , none_(new EmptyState(iconName(), QString())) {
    pages_->addWidget(makePicture());
    pages_->addWidget(none_);
    pages_->setFocusProxy(plot_);
    setContent(pages_);
    playingOverlay_ = new BusyOverlay(pages_);
    plot_->setTableSource([this] { return data_ ? timelineTextTable(*data_) : TextTable(); });
    connect(plot_, &PlotBase::showDataRequested, this, [this] { setDataShown(true); });
    connect(plot_, &TimelinePlot::chosen, this, &TimelineView::choose);
    connect(plot_, &TimelinePlot::timeRangeChanged, this, &TimelineView::showRange);
    connect(overview_, &TimelineOverview::timeRangeWanted, plot_, &TimelinePlot::setTimeRange);
    connect(dataAction(), &QAction::toggled, this, &TimelineView::fillTable);
    connect(before_, &BaselineDetail::changed, this, &TimelineView::showBaseline);
}

QWidget* TimelineView::makePicture() {
    auto* picture = new QWidget;
    auto* box = new QVBoxLayout(picture);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(14, 8, 14, 2);
    head->setSpacing(12);
    sentence_->setElided(true);
    waiting_->setElided(true);
    head->addWidget(sentence_);
    head->addWidget(waiting_, 1);
    box->addLayout(head);
    box->addWidget(overview_);
    box->addWidget(plot_, 1);
    box->addWidget(foot_);
    return picture;
}

QString TimelineView::sentence() const { return sentence_->text(); }

bool TimelineView::canShow(const Estimate& estimate) const {
    return estimate.training && estimate.training->stages.size() > 1;
}

std::pair<QString, QString> TimelineView::nothingIn(const Estimate& estimate) const {
    if (estimate.serving)
        return {tr("Serving has no schedule of micro-batches"),
                tr("Requests come and go; how long they take is drawn under “Latency and load”.")};
    if (!estimate.training)
        return {};
    return {
        tr("This plan has no pipeline"),
        tr("All layers are on one stage, so no stage waits for another. With a pipeline parallel degree of "
           "2 or more its schedule is drawn here.")};
}

/// Where the baseline's schedule ends.
void TimelineView::showBaseline() {
    const auto& before = before_->estimate();
    const double end = before && before->training ? before->training->timelineMakespan : 0;
    plot_->setBaseline(end, end > 0 && baseline() != nullptr
                                ? tr("%1, %2").arg(quantity(end, Dimension::seconds), baseline()->name)
                                : QString());
}

void TimelineView::showEstimate() {
    before_->renew();
    playing_ = true;
    playingOverlay_->start(tr("Simulating the schedule"), false);
    const auto& plan = shown()->scenario.plan;
    setNote(choiceText("plan.schedule", plan.schedule.value_or(std::string())));
    if (!data_) {
        none_->setText(tr("Simulating the schedule"), QString());
        pages_->setCurrentWidget(none_);
    }
    // Made of the events on the worker: a long schedule has more than 100,000.
    source_->ask(document().shownSpec(), document().catalog(), {.timeline = true, .fixes = false},
                 [this](const Result<Estimate>& result) {
                     const auto data = result ? std::make_shared<const TimelineData>(*result) : nullptr;
                     return [this, data, error = text(result.error())] { take(data, error); };
                 });
}

void TimelineView::take(const std::shared_ptr<const TimelineData>& data, const QString& error) {
    playing_ = false;
    playingOverlay_->stop();
    if (!shown())
        return;
    data_ = data && !data->empty() ? data : nullptr;
    if (!data_) {
        none_->setText(tr("This schedule cannot be drawn"),
                       error.isEmpty() ? tr("The estimate uses its closed form.") : error);
        pages_->setCurrentWidget(none_);
        setNote({});
        dataTable()->setTable({}, {});
        return;
    }
    const QString shape =
        data_->chunks() > 1
            ? tr("%1 stages × %2 chunks, %3 micro-batches")
                  .arg(data_->stages())
                  .arg(data_->chunks())
                  .arg(data_->microbatches())
            : tr("%1 stages, %2 micro-batches").arg(data_->stages()).arg(data_->microbatches());
    const QString name = choiceText("plan.schedule", data_->schedule());
    setNote(name.isEmpty() ? shape : name + QStringLiteral(", ") + shape);
    sentence_->setText(differenceInWords(*data_));
    waiting_->setText(waitingInWords(*data_));
    overview_->setData(data_);
    plot_->setData(data_);
    pages_->setCurrentIndex(0);
    fillTable();
    updateSelection();
    showRange();
}

void TimelineView::fillTable() {
    if (!data_ || !isDataShown())
        return;
    const auto [from, to] = plot_->timeRange();
    QList<CellRow> rows;
    int left = 0;
    for (int stage = 0; stage < data_->stages(); ++stage)
        for (int i = data_->firstEndingAfter(stage, from); i < data_->first(stage + 1); ++i) {
            if (data_->events()[static_cast<std::size_t>(i)].start >= to)
                break;
            if (rows.size() < mostRows)
                rows.append(timelineRow(*data_, i));
            else
                ++left;
        }
    dataTable()->setTable(timelineColumns(*data_), rows);
    setAside(left > 0 ? tr("%1 more blocks: zoom in, or export all as CSV").arg(left) : QString());
    updateSelection();
}

void TimelineView::updateSelection() {
    if (!shown() || !data_ || choosing_)
        return;
    const Selection& selection = document().selection();
    const bool known = selection.stage && *selection.stage >= 0 && *selection.stage < data_->stages();
    const int stage = known ? *selection.stage : -1;
    // A block stays chosen for as long as its stage does.
    plot_->setSelected(stage, stage == plot_->selectedStage() ? plot_->selectedEvent() : -1);
    showFoot();
}

void TimelineView::choose(int stage, int event) {
    {
        const QScopedValueRollback guard(choosing_, true);
        plot_->setSelected(stage, event);
        Selection selection = document().selection();
        selection.stage = stage;
        document().setSelection(selection);
    }
    if (event >= 0)
        dataTable()->setCurrentKey(QString::number(event));
    showFoot();
}

void TimelineView::chooseRow(const QString& key) {
    const int event = key.toInt();
    choose(data_->events()[static_cast<std::size_t>(event)].stage, event);
}

void TimelineView::showRange() {
    const auto [from, to] = plot_->timeRange();
    overview_->setTimeRange(from, to);
    const QRectF lane = plot_->lane(0);
    const int left = plot_->plot()->x() + static_cast<int>(lane.left());
    overview_->setMargins(left, std::max(overview_->width() - left - static_cast<int>(lane.width()), 0));
    showFoot();
}

void TimelineView::showFoot() {
    if (!data_ || foot_->isHidden())
        return;
    const auto [from, to] = plot_->timeRange();
    const int event = plot_->selectedEvent();
    const int stage = plot_->selectedStage();
    foot_->setGroup(blockGroup, event >= 0 ? eventCard(*data_, event) : keysCard());
    foot_->setGroup(rangeGroup, rangeCard(*data_, from, to));
    foot_->setGroup(stageGroup, stage >= 0 ? stageCard(*data_, stage) : CardContent());
}

void TimelineView::resizeEvent(QResizeEvent* event) {
    EstimateView::resizeEvent(event);
    foot_->setVisible(height() >= theme().px(footFrom));
    overview_->setVisible(height() >= theme().px(overviewFrom));
    showFoot();
}

} // namespace alidade::views
