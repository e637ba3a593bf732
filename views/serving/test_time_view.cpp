// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/serving/test_time_view.h"

#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/serving/test_time_plot.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QStackedWidget>
#include <qcustomplot.h>

namespace alidade::views {
namespace {

// Logical pixels at 10 pt.
constexpr int leastPlotWidth = 210; ///< narrower ones are one over the other
constexpr int footFrom = 280;       ///< height from which the offer has a line before a point is chosen
constexpr int detailFrom = 240;     ///< and the second line of the head

} // namespace

TestTimeView::TestTimeView(Document* document, QWidget* parent)
    : EstimateView(document, parent)
    , worker_(this, Work::computing)
    , pages_(new QStackedWidget)
    , none_(new EmptyState(iconName(), QString()))
    , plots_{new TestTimePlot(TestTimeMeasure::latency), new TestTimePlot(TestTimeMeasure::dollars),
             new TestTimePlot(TestTimeMeasure::accuracy)}
    , sentence_(new TextLabel(FontRole::strong, Role::text))
    , detail_(new TextLabel(FontRole::small, Role::text2))
    , offer_(new TextLabel(FontRole::small, Role::text2))
    , axes_(new SegmentedButtons)
    , ask_(new QPushButton(tr("Accuracy…")))
    , use_(new QPushButton) {
    auto* picture = new QWidget;
    auto* box = new QVBoxLayout(picture);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addWidget(makeHead());
    detail_->setElided(true);
    detail_->setContentsMargins(14, 0, 12, 2);
    box->addWidget(detail_);
    row_ = new QBoxLayout(QBoxLayout::LeftToRight);
    row_->setSpacing(0);
    for (TestTimePlot* plot : plots_) {
        row_->addWidget(plot, 1);
        connectPlot(*plot);
    }
    plot(TestTimeMeasure::accuracy)->hide();
    box->addLayout(row_, 1);
    box->addWidget(makeFoot());
    pages_->addWidget(picture);
    pages_->addWidget(none_);
    pages_->setFocusProxy(plots_.front());
    setContent(pages_);
    computing_ = new BusyOverlay(pages_);
}

QWidget* TestTimeView::makeHead() {
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(14, 6, 12, 2);
    row->setSpacing(12);
    sentence_->setElided(true);
    axes_->setOptions(QStringList{tr("Samples"), tr("Budget")});
    axes_->setAccessibleName(tr("What varies"));
    axes_->setCurrentIndex(0);
    ask_->setToolTip(tr("Type or import measured accuracies"));
    row->addWidget(sentence_, 1);
    row->addWidget(axes_);
    row->addWidget(ask_);
    connect(axes_, &SegmentedButtons::currentEdited, this, [this] {
        choose(-1);
        compute();
    });
    connect(ask_, &QPushButton::clicked, this, &TestTimeView::askAccuracy);
    return head;
}

QWidget* TestTimeView::makeFoot() {
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
    use_->hide();
    connect(use_, &QPushButton::clicked, this, [this] { use(plots_.front()->selected()); });
    return foot_;
}

void TestTimeView::connectPlot(TestTimePlot& plot) {
    plot.setTableSource([this] { return dataTable()->textTable(); });
    connect(&plot, &PlotBase::showDataRequested, this, [this] { setDataShown(true); });
    connect(&plot, &TestTimePlot::chosen, this, &TestTimeView::choose);
    connect(&plot, &TestTimePlot::used, this, &TestTimeView::use);
}

QString TestTimeView::sentence() const { return sentence_->text(); }
QString TestTimeView::detail() const { return detail_->text(); }
QString TestTimeView::offer() const { return offer_->text(); }

TestTimeAxis TestTimeView::axis() const {
    return axes_->currentIndex() == 1 ? TestTimeAxis::budget : TestTimeAxis::samples;
}

const TestTimeData& TestTimeView::data() const { return plots_.front()->data(); }

bool TestTimeView::canShow(const Estimate& estimate) const {
    return estimate.serving.has_value() && estimate.serving->prompts && estimate.serving->answers;
}

std::pair<QString, QString> TestTimeView::nothingIn(const Estimate& estimate) const {
    if (estimate.training)
        return {tr("A training run answers no questions"),
                tr("Samples and thinking budgets are compared here when the scenario serves a model.")};
    if (estimate.serving)
        return {tr("A single pool cannot answer a question"),
                tr("Samples and thinking budgets require prefill and decode.")};
    return {};
}

void TestTimeView::askAccuracy() {
    auto* dialog = new AccuracyDialog(accuracy_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { setAccuracy(dialog->typed()); });
    dialog->open();
}

void TestTimeView::setAccuracy(const TypedAccuracy& accuracy) {
    accuracy_ = accuracy;
    if (accuracy.curve)
        axes_->setCurrentIndex(accuracy.curve->measure == AccuracyMeasure::thinking ? 1 : 0);
    choose(-1);
    compute();
}

void TestTimeView::showEstimate() { compute(); }

void TestTimeView::compute() {
    if (!shown())
        return;
    const auto catalog = document().catalog();
    const ScenarioSpec spec = document().shownSpec();
    const auto profile = profileOf(spec, *catalog);
    if (!profile)
        return showNone(tr("No constants to estimate with"), text(profile.error()));
    auto asked = std::make_shared<Answered>();
    asked->scenario = spec;
    asked->axis = axis();
    asked->question =
        testTimeQuestion(shown()->scenario.workload, axis(), accuracy_.curve, accuracy_.accuracy);
    computing_->start(tr("Estimating samples and budgets"), false);
    busy_ = true;
    worker_.start([this, asked, spec, catalog, profile = Profile(**profile),
                   generation = ++generation_](const LatestWorker::Turn& turn) {
        Result<TestTimeTable> table =
            testTimeTable(spec, *catalog, profile, asked->question, turn.superseded());
        if (turn.isSuperseded())
            return;
        if (table)
            asked->table = *std::move(table);
        else
            asked->error = table.error();
        turn.post([this, asked, generation] {
            if (generation == generation_)
                take(asked);
        });
    });
}

void TestTimeView::showNone(const QString& why, const QString& detail) {
    answered_.reset();
    none_->setText(why, detail);
    pages_->setCurrentWidget(none_);
    dataTable()->setTable({}, {});
    setNote({});
}

void TestTimeView::take(const std::shared_ptr<const Answered>& answered) {
    busy_ = false;
    computing_->stop();
    if (!shown())
        return;
    if (!answered->error.empty())
        return showNone(tr("These questions cannot be estimated"), text(answered->error));
    answered_ = answered;
    pages_->setCurrentIndex(0);
    const TestTimeData newest =
        testTimeData(answered->scenario, answered->axis, answered->question, answered->table);
    for (TestTimePlot* plot : plots_)
        plot->setData(newest);
    plot(TestTimeMeasure::accuracy)->setVisible(newest.curve.has_value());
    const ServingTable table = testTimeCells(newest);
    dataTable()->setTable(table.columns, table.rows);
    const QString target = targetInWords(newest);
    sentence_->setText(target.isEmpty() ? testTimeHeadline(newest)
                                        : testTimeHeadline(newest) + QLatin1Char(' ') + target);
    detail_->setText(newest.present < 0 ? QString()
                                        : testTimeDetail(answered->scenario, newest.rows[newest.present]));
    const bool unused = accuracy_.curve && !newest.curve;
    setNote(!unused                                ? QString()
            : newest.axis == TestTimeAxis::samples ? tr("the accuracies are over budgets")
                                                   : tr("the accuracies are over samples"));
    choose(plots_.front()->selected());
}

void TestTimeView::choose(int row) {
    for (TestTimePlot* plot : plots_)
        plot->setSelected(row);
    dataTable()->setCurrentKey(row < 0 ? QString() : QString::number(row));
    use_->setVisible(row >= 0 && row != data().present);
    arrange();
    if (row < 0) {
        offer_->setText(axis() == TestTimeAxis::samples
                            ? tr("A click on a curve offers to set the samples there.")
                            : tr("A click on a curve offers to set the thinking budget there."));
        return;
    }
    const TestTimeRow& chosen = data().rows[row];
    offer_->setText(HoverCard::words(testTimeCard(data(), chosen)));
    use_->setText(tr("Set to %1").arg(testTimePlace(data().at(chosen), data().axis)));
}

void TestTimeView::use(int row) {
    if (row < 0 || !answered_ || row == data().present)
        return;
    const bool samples = data().axis == TestTimeAxis::samples;
    const double at = data().at(data().rows[row]);
    document().setFields({{samples ? "workload.samples" : "workload.thinking_budget",
                           std::to_string(static_cast<std::int64_t>(at))}},
                         samples ? tr("set the samples to %1").arg(testTimePlace(at, data().axis))
                                 : tr("set the thinking budget to %1").arg(testTimePlace(at, data().axis)));
}

void TestTimeView::resizeEvent(QResizeEvent* event) {
    EstimateView::resizeEvent(event);
    arrange();
}

/// Side by side where each has room.
void TestTimeView::arrange() {
    const int shownPlots = plot(TestTimeMeasure::accuracy)->isHidden() ? 2 : 3;
    row_->setDirection(width() >= shownPlots * theme().px(leastPlotWidth) ? QBoxLayout::LeftToRight
                                                                          : QBoxLayout::TopToBottom);
    foot_->setVisible(height() >= theme().px(footFrom) || plots_.front()->selected() >= 0);
    detail_->setVisible(height() >= theme().px(detailFrom));
    for (TestTimePlot* plot : plots_)
        plot->setAxisName(height() >= theme().px(footFrom));
}

} // namespace alidade::views
