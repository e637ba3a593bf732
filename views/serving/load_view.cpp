// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/serving/load_view.h"

#include "model/scenario/test_time_plan.h"
#include "views/document/detail_source.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/serving/load_plot.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QStackedWidget>
#include <qcustomplot.h>

namespace alidade::views {
namespace {

// Logical pixels at 10 pt.
constexpr int lowPlot = 190;    // one over the other, lower plots than this are side by side instead
constexpr int narrowPlot = 300; // unless they would be narrower than this
constexpr int aroundPlots = 70; // what is above and below them
constexpr int titlesFrom = 240; // logical pixels at 10 pt: height from which the load axis has its name

} // namespace

LoadView::LoadView(Document* document, QWidget* parent)
    : EstimateView(document, parent)
    , source_(new DetailSource(document->engine(), this))
    , before_(new BaselineDetail(*document, {.loadCurve = true, .fixes = false}, this))
    , pages_(new QStackedWidget)
    , none_(new EmptyState(iconName(), QString()))
    , ttft_(new LoadPlot(Latency::ttft))
    , itl_(new LoadPlot(Latency::itl))
    , sentence_(new TextLabel(FontRole::strong, Role::text))
    , offer_(new TextLabel(FontRole::small, Role::text2))
    , measures_(new SegmentedButtons)
    , use_(new QPushButton(tr("Set the load"))) {
    auto* picture = new QWidget;
    auto* box = new QVBoxLayout(picture);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addWidget(makeHead());
    plots_ = new QBoxLayout(QBoxLayout::TopToBottom);
    plots_->setSpacing(0);
    plots_->addWidget(ttft_, 1);
    plots_->addWidget(itl_, 1);
    box->addLayout(plots_, 1);
    box->addWidget(makeFoot());
    pages_->addWidget(picture);
    pages_->addWidget(none_);
    pages_->setFocusProxy(ttft_);
    setContent(pages_);
    computingOverlay_ = new BusyOverlay(pages_);
    connectPlots();
}

QWidget* LoadView::makeHead() {
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(14, 6, 12, 2);
    row->setSpacing(12);
    sentence_->setElided(true);
    measures_->setOptions(QStringList{tr("Requests/s"), tr("In flight")});
    measures_->setAccessibleName(tr("How load is counted"));
    row->addWidget(sentence_, 1);
    row->addWidget(measures_);
    connect(measures_, &SegmentedButtons::currentEdited, this, [this](int index) {
        measure_ = index == 0 ? LoadMeasure::requestRate : LoadMeasure::concurrency;
        showCurve();
    });
    return head;
}

QWidget* LoadView::makeFoot() {
    foot_ = new QWidget;
    auto* row = new QHBoxLayout(foot_);
    row->setContentsMargins(14, 2, 12, 6);
    row->setSpacing(12);
    offer_->setElided(true);
    row->addWidget(offer_, 1);
    row->addWidget(use_);
    QSizePolicy keepsPlace = use_->sizePolicy();
    keepsPlace.setRetainSizeWhenHidden(true); // nothing jumps when it comes
    use_->setSizePolicy(keepsPlace);
    connect(use_, &QPushButton::clicked, this, [this] { use(ttft_->selected()); });
    return foot_;
}

void LoadView::connectPlots() {
    connect(before_, &BaselineDetail::changed, this, &LoadView::showBaseline);
    for (LoadPlot* plot : {ttft_, itl_}) {
        LoadPlot* other = plot == ttft_ ? itl_ : ttft_;
        plot->setTableSource([this] { return dataTable()->textTable(); });
        connect(plot, &PlotBase::showDataRequested, this, [this] { setDataShown(true); });
        connect(plot, &LoadPlot::chosen, this, &LoadView::choose);
        connect(plot, &LoadPlot::used, this, &LoadView::use);
        // Both share the load axis.
        connect(plot->axis(PlotAxis::x), qOverload<const QCPRange&>(&QCPAxis::rangeChanged), other,
                [plot, other] { // the range that counts now: the plot may have limited the signaled one
                    other->axis(PlotAxis::x)->setRange(plot->axis(PlotAxis::x)->range());
                    other->redraw();
                });
    }
}

QString LoadView::sentence() const { return sentence_->text(); }

bool LoadView::canShow(const Estimate& estimate) const { return estimate.serving.has_value(); }

std::pair<QString, QString> LoadView::nothingIn(const Estimate& estimate) const {
    if (!estimate.training)
        return {};
    return {tr("A training run has no load"),
            tr("The latencies of requests are drawn here when the scenario serves a model.")};
}

void LoadView::showEstimate() {
    before_->renew();
    computing_ = true;
    // Over the curve before; without one the page says it.
    computingOverlay_->start(curve_ ? tr("Computing the curve") : QString(), false);
    if (!curve_) {
        none_->setText(tr("Computing the curve"), QString());
        pages_->setCurrentWidget(none_);
    }
    source_->ask(document().shownSpec(), document().catalog(), {.loadCurve = true, .fixes = false},
                 [this](const Result<Estimate>& result) {
                     const auto estimate = result ? std::make_shared<const Estimate>(*result) : nullptr;
                     return [this, estimate, error = text(result.error())] { take(estimate, error); };
                 });
}

void LoadView::take(const std::shared_ptr<const Estimate>& estimate, const QString& error) {
    computing_ = false;
    computingOverlay_->stop();
    if (!shown())
        return;
    const bool usable = estimate && estimate->serving && !estimate->serving->loadCurve.empty();
    curve_ = usable ? estimate : nullptr;
    if (!curve_) {
        none_->setText(tr("This plan has no curve"), error);
        pages_->setCurrentWidget(none_);
        setNote({});
        dataTable()->setTable({}, {});
        return;
    }
    pages_->setCurrentIndex(0);
    showCurve();
}

void LoadView::showCurve() {
    if (!curve_)
        return;
    const LoadData data = loadData(*curve_, measure_);
    measures_->button(0)->setText(data.unit == LoadUnit::samples ? tr("Samples/s") : tr("Requests/s"));
    measures_->setCurrentIndex(data.measure == LoadMeasure::requestRate ? 0 : 1);
    const QCPRange seen = ttft_->axis(PlotAxis::x)->range();
    const bool zoomed = (ttft_->isZoomed() || itl_->isZoomed()) && data.measure == ttft_->data().measure;
    ttft_->setData(data);
    itl_->setData(data);
    showBaseline();
    if (zoomed)
        ttft_->axis(PlotAxis::x)->setRange(seen);
    const ServingTable table = loadTable(data);
    dataTable()->setTable(table.columns, table.rows);
    sentence_->setText(loadHeadline(data));
    const double cv = curve_->scenario.workload.arrivalCv.value_or(1);
    setNote(isOpenLoop(curve_->scenario)
                ? tr("open loop, arrivals CV %1").arg(quantity(cv, Dimension::number, {.trimZeros = true}))
                : tr("closed loop"));
    choose(ttft_->selected());
}

/// The curve of the baseline, dashed, by the same measure of load.
void LoadView::showBaseline() {
    const auto& before = before_->estimate();
    const bool usable = before && before->serving && !before->serving->loadCurve.empty();
    const LoadData data = usable ? loadData(*before, ttft_->data().measure) : LoadData();
    for (LoadPlot* plot : {ttft_, itl_})
        plot->setBaseline(data);
}

void LoadView::choose(int point) {
    ttft_->setSelected(point);
    itl_->setSelected(point);
    dataTable()->setCurrentKey(point < 0 ? QString() : QString::number(point));
    use_->setVisible(point >= 0);
    arrange();
    if (point < 0) {
        offer_->setText(tr("A click on a curve offers to set the load there."));
        return;
    }
    const LoadPoint& chosen = ttft_->data().points[point];
    const CardContent card = loadCard(ttft_->data(), chosen);
    offer_->setText(HoverCard::words(card));
    const bool open = isOpenLoop(curve_->scenario);
    const LoadMeasure own = open ? LoadMeasure::requestRate : LoadMeasure::concurrency;
    use_->setText(tr("Set to %1")
                      .arg(loadText((open ? chosen.requestsPerSecond : chosen.concurrency) /
                                        sequencesPerQuestion(curve_->scenario.workload),
                                    own, setUnit())));
}

/// What the load of the scenario counts.
LoadUnit LoadView::setUnit() const {
    return loadUnit(curve_->scenario) == LoadUnit::samples ? LoadUnit::questions : LoadUnit::requests;
}

/// In the measure that the scenario is driven by, whatever the axis counts.
void LoadView::use(int point) {
    if (point < 0 || !curve_)
        return;
    const LoadPoint& chosen = ttft_->data().points[point];
    const bool open = isOpenLoop(curve_->scenario);
    const double load = (open ? chosen.requestsPerSecond : chosen.concurrency) /
                        sequencesPerQuestion(curve_->scenario.workload);
    const std::string path = open ? "workload.request_rate_per_s" : "workload.concurrency";
    const LoadMeasure own = open ? LoadMeasure::requestRate : LoadMeasure::concurrency;
    document().setFields({{path, loadNumber(load).toStdString()}},
                         tr("set the load to %1").arg(loadText(load, own, setUnit())));
}

void LoadView::chooseRow(const QString& key) { choose(key.toInt()); }

void LoadView::resizeEvent(QResizeEvent* event) {
    EstimateView::resizeEvent(event);
    arrange();
}

/// Side by side where there is more width than height; one over the other the lower one names the axis.
void LoadView::arrange() {
    const bool low = height() - theme().px(aroundPlots) < 2 * theme().px(lowPlot);
    const bool wide = low && width() >= 2 * theme().px(narrowPlot);
    plots_->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    const bool named = height() >= theme().px(titlesFrom);
    ttft_->setLoadAxisTitle(wide);
    itl_->setLoadAxisTitle(wide || named);
    foot_->setVisible(named || ttft_->selected() >= 0);
}

} // namespace alidade::views
