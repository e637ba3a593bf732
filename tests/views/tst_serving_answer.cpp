// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "drive.h"
#include "model/engine/engine.h"
#include "model/scenario/fields.h"
#include "tests/views/counting_engine.h"
#include "tests/views/serving_document.h"
#include "views/cost/cost_table.h"
#include "views/cost/cost_view.h"
#include "views/cost/purchase_options.h"
#include "views/document/engine.h"
#include "views/document/text.h"
#include "views/kit/band_label.h"
#include "views/kit/cell_table.h"
#include "views/kit/data_table_view.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/step_bar.h"
#include "views/layers/communication_plot.h"
#include "views/layers/communication_view.h"
#include "views/layers/experts_view.h"
#include "views/layers/layer_rows.h"
#include "views/layers/layers_model.h"
#include "views/layers/layers_view.h"
#include "views/layers/step_layers.h"
#include "views/layers/step_switch.h"
#include "views/memory/memory_data.h"
#include "views/memory/memory_plot.h"
#include "views/memory/memory_view.h"
#include "views/roofline/roofline_plot.h"
#include "views/roofline/roofline_view.h"
#include "views/start/sample_card.h"
#include "views/suggestions/suggestions_view.h"
#include "views/summary/answer.h"
#include "views/summary/summary_view.h"
#include "views/theme/theme_controller.h"

#include <QLabel>

#include <map>

namespace tst_serving_answer {

using namespace alidade;
using namespace alidade::views;
using test::ServingDocument;

namespace {

Estimate closedLoop() {
    Estimate e = sample::servingEstimate();
    e.scenario.workload.requestRatePerS.reset();
    e.scenario.workload.concurrency = e.serving->concurrency;
    return e;
}

/// Whole steps: the layers of the sample that are of a phase.
bool allOf(const CommunicationData& data, const QString& phase) {
    return std::ranges::all_of(data.layers, [&](const LayerLanes& layer) {
        return std::ranges::all_of(layer.lanes, [&](const LayerLane& lane) {
            return std::ranges::all_of(lane.segments, [&](const LaneSegment& segment) {
                return segment.selection.phase.isEmpty() || segment.selection.phase == phase;
            });
        });
    });
}

} // namespace

class TestServingAnswer : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void headlineFollowsTheLoop();
    void metTargetsAreSaid();
    void doubtfulTargetIsSaid();
    void prefillBetweenAddsUp();
    void missedTargetIsNamed();
    void withoutTargetsNothingIsJudged();
    void simulationIsSaid();
    void overloadIsNoSteadyState();
    void whatDoesNotFitHasNoPrice();
    void labelsStandBeforeTheEstimate();
    void narrowStripKeepsWhatCounts();
    void partsSumToTheStep();
    void layersAddUpToTheStep_data();
    void layersAddUpToTheStep();
    void sharesLeaveTheBarsTheirRoom();
    void oneStepForAllViews();
    void prefillOnlyHasOneStep();
    void expertsOfServing();
    void memoryHasAColumnForEachPool();
    void memoryOfPoolsOnOtherMachines();
    void memoryOfOneGpu();
    void costTellsThePriceOfTokens();
    void purchaseOptionsCompareTokens();
    void suggestionTellsThePriceOfTokens();
    void cardTellsWhatIsServed();
};

void TestServingAnswer::headlineFollowsTheLoop() {
    const Answer open = answerOf(sample::servingEstimate());
    QCOMPARE(open.figures.size(), 6);
    QVERIFY(open.figures[0].label.startsWith(QStringLiteral("TPOT")));
    // Each latency has one name in all views, and says what that means.
    for (int i = 0; i < 3; ++i)
        QVERIFY2(!meaningOf(open.figures[i].label).isEmpty(), qPrintable(open.figures[i].label));
    QVERIFY(meaningOf(open.figures[5].label).isEmpty());
    const Answer closed = answerOf(closedLoop());
    QCOMPARE(closed.figures[0].label, QStringLiteral("Output"));
    QVERIFY(closed.figures[0].band.has_value());
    for (const Answer& answer : {open, closed}) {
        QCOMPARE(answer.paths.size(), answer.figures.size());
        for (const Figure& figure : answer.figures) {
            QVERIFY2(!figure.value.isEmpty(), qPrintable(figure.label));
            QVERIFY2(figure.band || !figure.note.isEmpty(), qPrintable(figure.label)); // never a bare number
        }
    }
}

void TestServingAnswer::metTargetsAreSaid() {
    const Answer answer = answerOf(sample::servingEstimate());
    QCOMPARE(answer.kind, BadgeKind::ok);
    QVERIFY2(answer.sentence.contains(QStringLiteral("meets its targets;")), qPrintable(answer.sentence));
    const Figure& ttft = answer.figures[1];
    QVERIFY(ttft.label.contains(QStringLiteral("p90")));
    QCOMPARE(ttft.trend, Figure::Trend::better);
    QVERIFY2(ttft.unit.contains(QStringLiteral("of 500")), qPrintable(ttft.unit));
}

void TestServingAnswer::doubtfulTargetIsSaid() {
    Estimate e = sample::servingEstimate();
    const double value = e.serving->ttftPercentiles.p90;
    const double high = std::exp(1.2815515655446004 * 0.3); // of the error that the sample assumes
    e.serving->ttftTarget = value * high * 1.01;
    QCOMPARE(answerOf(e).kind, BadgeKind::ok);
    QCOMPARE(answerOf(e).figures[1].trend, Figure::Trend::better);
    e.serving->ttftTarget = value * high * 0.99;
    const Answer answer = answerOf(e);
    QCOMPARE(answer.kind, BadgeKind::warn);
    QVERIFY2(answer.sentence.contains(QStringLiteral("TTFT only within its error band")),
             qPrintable(answer.sentence));
    QCOMPARE(answer.figures[1].trend, Figure::Trend::doubtful);
    QCOMPARE(answer.figures[1].difference, answer.figures[1].note); // its range, not what it has to spare
    QVERIFY(qFuzzyCompare(answer.figures[1].band->high, value * high));
    QCOMPARE(answer.figures[2].trend, Figure::Trend::better); // the error of the gaps is smaller
    QVERIFY(answer.figures[2].band.has_value());
    QVERIFY2(answer.figures[2].label.contains(quantity(e.serving->itlPercentiles.p99, Dimension::seconds)),
             qPrintable(answer.figures[2].label));
}

void TestServingAnswer::prefillBetweenAddsUp() {
    Estimate e = sample::servingEstimate();
    e.serving->tpot = e.serving->stepTime + 0.0118;
    const QString sum = answerOf(e).tokenTime;
    for (const double part : {e.serving->stepTime, 0.0118, e.serving->tpot})
        QVERIFY2(sum.contains(quantity(part, Dimension::seconds)), qPrintable(sum));
    QVERIFY(answerOf(e, ServingStep::prefill).tokenTime.isEmpty());
    e.serving->pools.push_back(e.serving->pools.front()); // a separate pool: nothing comes between
    QVERIFY(answerOf(e).tokenTime.isEmpty());
}

void TestServingAnswer::missedTargetIsNamed() {
    Estimate e = sample::servingDisaggregated(); // its TTFT is too long
    const Answer answer = answerOf(e);
    QCOMPARE(answer.kind, BadgeKind::warn);
    QVERIFY2(answer.sentence.contains(QStringLiteral("TTFT")), qPrintable(answer.sentence));
    QVERIFY2(!answer.sentence.contains(QStringLiteral("ITL")), qPrintable(answer.sentence));
    QCOMPARE(answer.figures[1].trend, Figure::Trend::worse);
    QCOMPARE(answer.figures[2].trend, Figure::Trend::better);
    e.serving->itlPercentiles.p90 = 0.05;
    QVERIFY(answerOf(e).sentence.contains(QStringLiteral("ITL")));
}

void TestServingAnswer::withoutTargetsNothingIsJudged() {
    Estimate e = sample::servingEstimate();
    e.serving->ttftTarget.reset();
    e.serving->itlTarget.reset();
    e.serving->meetsTargets.reset();
    e.serving->requestRateWithinTargets.reset();
    const Answer answer = answerOf(e);
    QCOMPARE(answer.kind, BadgeKind::ok);
    QVERIFY(!answer.sentence.contains(QStringLiteral("target")));
    QCOMPARE(answer.figures[1].trend, Figure::Trend::uncertain);
    QVERIFY(answer.figures[3].label.contains(QStringLiteral("stable")));
}

void TestServingAnswer::simulationIsSaid() {
    const auto says = [](const Estimate& e) {
        const auto badges = answerOf(e).badges;
        return std::ranges::any_of(
            badges, [](const auto& badge) { return badge.text == QStringLiteral("simulated"); });
    };
    Estimate e = sample::servingEstimate();
    QVERIFY(!says(e));
    e.serving->simulated = true;
    QVERIFY(says(e));
}

void TestServingAnswer::overloadIsNoSteadyState() {
    const Answer answer = answerOf(sample::servingOverloaded());
    QCOMPARE(answer.kind, BadgeKind::err);
    QVERIFY2(answer.sentence.contains(QStringLiteral("More requests")), qPrintable(answer.sentence));
    for (const int latency : {0, 1, 2})
        QVERIFY(answer.figures[latency].value.isEmpty()); // drawn as an en dash, with the reason
}

void TestServingAnswer::whatDoesNotFitHasNoPrice() {
    const Estimate e = sample::servingThatDoesNotFit();
    const Answer answer = answerOf(e);
    QCOMPARE(answer.kind, BadgeKind::err);
    QVERIFY(answer.figures[5].value.isEmpty());
    QCOMPARE(answer.figures[5].note, QStringLiteral("does not fit"));
    ServingDocument document(e, test::shippedCatalog());
    CostView cost(document.get());
    present(cost, {600, 400});
    document.open();
    QVERIFY2(wordsOn(cost).contains(QStringLiteral("No cost: the plan does not fit")),
             qPrintable(wordsOn(cost)));
    QVERIFY(!wordsOn(cost).contains(QLatin1Char('$')));
}

void TestServingAnswer::labelsStandBeforeTheEstimate() {
    ScenarioSpec spec = sample::servingScenario();
    QVERIFY(figureLabels(spec).first().startsWith(QStringLiteral("TPOT")));
    spec.workload.requestRatePerS.reset();
    QCOMPARE(figureLabels(spec).first(), QStringLiteral("Output"));
    QCOMPARE(figureLabels(sample::scenario()).first(), QStringLiteral("Step time"));
}

void TestServingAnswer::narrowStripKeepsWhatCounts() {
    ServingDocument document(closedLoop());
    SummaryView summary(document.get());
    present(summary, {760, 260});
    document.open();
    QStringList labels;
    for (const BandLabel* label : summary.findChildren<BandLabel*>())
        if (label->isVisible())
            labels.append(label->figure().label.section(QStringLiteral(" ("), 0, 0));
    QCOMPARE(labels, (QStringList{QStringLiteral("Output"), QStringLiteral("TTFT, p90"),
                                  QStringLiteral("ITL, p90"), QStringLiteral("Million output tokens")}));
}

void TestServingAnswer::partsSumToTheStep() {
    const Serving serving = sample::serving();
    const auto sum = [](const Answer& answer) {
        double seconds = 0;
        for (const BarSegment& segment : answer.segments)
            seconds += segment.value;
        return seconds;
    };
    const Answer decode = answerOf(sample::servingEstimate(), ServingStep::decode);
    const Answer prefill = answerOf(sample::servingEstimate(), ServingStep::prefill);
    QVERIFY(qFuzzyCompare(sum(decode), serving.stepTime));
    QVERIFY(qFuzzyCompare(sum(prefill), serving.prefillStepTime));
    QVERIFY(decode.stepTime.contains(QStringLiteral("decode")));
    QVERIFY(prefill.stepTime.contains(QStringLiteral("prefill")));
}

void TestServingAnswer::layersAddUpToTheStep_data() {
    QTest::addColumn<bool>("decodes");
    for (const char* name : {"serve-llama-3.1-70b-1xp5en.48xlarge", "serve-deepseek-r1-24xp5en.48xlarge",
                             "serve-gpt-oss-120b-1xp5.48xlarge"})
        QTest::newRow(name) << true;
}

/// Class by class, as in the bar of the step.
void TestServingAnswer::layersAddUpToTheStep() {
    const auto json = data::shippedScenario(QTest::currentDataTag());
    const auto spec = data::readScenario(*json, "sample.json");
    const auto estimate = modelEngine().estimate(*spec, *test::shippedCatalog());
    QVERIFY(estimate && estimate->serving);
    for (const ServingStep step : {ServingStep::decode, ServingStep::prefill}) {
        const StepLayers layers = stepLayers(*estimate, step);
        const LayerTable table = layerTable(layers, std::nullopt);
        QCOMPARE(table.groups.size(), static_cast<qsizetype>(layers.layers.size()) + 1);
        QCOMPARE(table.groups.last().head.name, QStringLiteral("Fixed cost of a step"));
        std::map<Bound, double> bar, rows;
        double whole = 0;
        for (const BarSegment& segment : answerOf(*estimate, step).segments) {
            bar[segment.bound] += segment.value;
            whole += segment.value;
        }
        for (qsizetype i = 0; i < table.groups.size(); ++i) {
            const bool layer = i < static_cast<qsizetype>(layers.layers.size());
            for (const TimePart& part : table.groups[i].head.parts)
                rows[part.bound] +=
                    part.seconds * (layer ? layers.layers[static_cast<std::size_t>(i)].count : 1);
        }
        for (const auto& [bound, seconds] : bar)
            QVERIFY2(std::abs(rows[bound] - seconds) < 1e-5 * whole, boundName(bound).data());
        // What is not a layer stands apart: no bar next to those of one layer, but its share of the step.
        const LayerRow& fixed = table.groups.last().head;
        QVERIFY(!fixed.noBar.isEmpty());
        double longest = 0, percents = 0;
        for (const LayerGroup& group : table.groups) {
            QVERIFY2(group.head.ofStep.endsWith(u'%'), qPrintable(group.head.ofStep));
            percents += group.head.ofStep.section(QChar(0x202f), 0, 0).section(u' ', 0, 0).toDouble();
            if (group.head.noBar.isEmpty())
                longest = std::max(longest, group.head.seconds);
        }
        QCOMPARE(table.longest, longest);
        QVERIFY2(std::abs(percents - 100) < 1.5, qPrintable(QString::number(percents)));
    }
}

/// Shares of the step behind the bars take their room from the names of the layers, not from the bars.
void TestServingAnswer::sharesLeaveTheBarsTheirRoom() {
    ServingDocument document;
    LayersView view(document.get());
    document.open();
    const QFontMetrics small(theme().font(FontRole::small));
    constexpr int bar = static_cast<int>(LayerColumn::bar);
    for (const int width : {1280, 720, 640}) {
        present(view, {width, 400});
        settle();
        int share = 0;
        const QAbstractItemModel* model = view.tree()->model();
        for (int row = 0; row < model->rowCount(); ++row)
            share =
                std::max(share, small.horizontalAdvance(model->index(row, bar).data(shareRole).toString()));
        QVERIFY(share > 0);
        QTRY_VERIFY2(view.tree()->columnWidth(bar) >= theme().px(150) + share,
                     qPrintable(QString::number(view.tree()->columnWidth(bar))));
    }
}

void TestServingAnswer::oneStepForAllViews() {
    ServingDocument document(sample::servingEstimate(), test::shippedCatalog());
    SummaryView summary(document.get());
    LayersView layers(document.get());
    CommunicationView communication(document.get());
    RooflineView roofline(document.get());
    for (QWidget* view : {static_cast<QWidget*>(&summary), static_cast<QWidget*>(&layers),
                          static_cast<QWidget*>(&communication), static_cast<QWidget*>(&roofline)})
        present(*view, {900, 360});
    document.open();
    auto* bar = summary.findChild<StepBar*>();
    const auto barSeconds = [&] {
        double seconds = 0;
        for (const BarSegment& segment : bar->segments())
            seconds += segment.value;
        return seconds;
    };
    const Serving serving = sample::serving();
    QVERIFY(qFuzzyCompare(barSeconds(), serving.stepTime));
    QVERIFY(layers.note().contains(QStringLiteral("decode step")));
    QVERIFY(allOf(communication.plot()->data(), QStringLiteral("decode")));
    QCOMPARE(roofline.phases()->currentIndex(), 0);
    QVERIFY(roofline.note().contains(QStringLiteral("decode")));

    auto* steps = summary.findChild<StepSwitch*>();
    QVERIFY(steps->isVisible());
    QTest::mouseClick(steps->button(1), Qt::LeftButton);
    settle();
    QVERIFY(qFuzzyCompare(barSeconds(), serving.prefillStepTime));
    QVERIFY(layers.note().contains(QStringLiteral("prefill step")));
    QVERIFY(allOf(communication.plot()->data(), QStringLiteral("prefill")));
    QCOMPARE(roofline.phases()->currentIndex(), 0);
    QCOMPARE(roofline.phases()->button(0)->text(), QStringLiteral("Prefill step"));
    QCOMPARE(roofline.plot()->data().points.first().selection.phase, QStringLiteral("prefill"));
    // "Both" is the roofline's own matter, and stays whichever step the others show.
    const qsizetype prefillOnly = roofline.plot()->data().points.size();
    QTest::mouseClick(roofline.phases()->button(1), Qt::LeftButton);
    const qsizetype both = roofline.plot()->data().points.size();
    QVERIFY(both > prefillOnly);
    QVERIFY(layers.note().contains(QStringLiteral("prefill step")));
    QTest::mouseClick(steps->button(0), Qt::LeftButton);
    QCOMPARE(roofline.plot()->data().points.size(), both);
    QVERIFY(layers.note().contains(QStringLiteral("decode step")));
    QTest::mouseClick(roofline.phases()->button(0), Qt::LeftButton);
    QCOMPARE(roofline.plot()->data().points.first().selection.phase, QStringLiteral("decode"));
    QCOMPARE(roofline.plot()->data().points.size(), both - prefillOnly);
    // One switch for all of them.
    QCOMPARE(layers.findChildren<StepSwitch*>().size() + communication.findChildren<StepSwitch*>().size() +
                 roofline.findChildren<StepSwitch*>().size(),
             0);
}

void TestServingAnswer::prefillOnlyHasOneStep() {
    Estimate e = sample::servingEstimate();
    e.serving->layers.clear();
    e.serving->breakdown.clear();
    ServingDocument document(e);
    LayersView layers(document.get());
    SummaryView summary(document.get());
    RooflineView roofline(document.get());
    present(layers, {800, 300});
    present(roofline, {800, 300});
    present(summary, {900, 360});
    document.open();
    QVERIFY(layers.note().contains(QStringLiteral("prefill step")));
    QVERIFY(roofline.note().contains(QStringLiteral("prefill step")));
    QVERIFY(!summary.findChild<StepSwitch*>()->button(0)->isEnabled());
    QVERIFY(answerOf(e).stepTime.contains(QStringLiteral("prefill")));
}

void TestServingAnswer::expertsOfServing() {
    Estimate e = sample::servingEstimate();
    ServingDocument document(e);
    ExpertsView experts(document.get());
    present(experts, {700, 320});
    document.open();
    QVERIFY(wordsOn(experts).contains(QStringLiteral("This model has no experts")));
    e.serving->expertLoad = ExpertLoad{.experts = 128,
                                       .expertsPerToken = 4,
                                       .expertRanks = 8,
                                       .expertsPerRank = 16,
                                       .tokensPerRank = 42,
                                       .tokensPerExpert = 2.6,
                                       .imbalance = 1.4,
                                       .paddedTokensPerExpert = 8,
                                       .capacityFactor = {}};
    document.answer(e);
    QVERIFY2(experts.note().contains(QStringLiteral("128 experts")), qPrintable(experts.note()));
}

void TestServingAnswer::memoryHasAColumnForEachPool() {
    Estimate e = sample::servingDisaggregated();
    e.serving->pools[1].memory.stages[0].parts[1].bytes -= 30e9;
    e.serving->pools[1].memory.stages[0].totalBytes -= 30e9;
    const MemoryData data = memoryData(e);
    QCOMPARE(data.stages.size(), 2);
    QCOMPARE(data.stages[0].mark, QStringLiteral("Prefill"));
    QCOMPARE(data.stages[1].mark, QStringLiteral("Decode"));
    QCOMPARE(data.worst, 0); // it has less room
    for (int i = 0; i < 2; ++i) {
        double sum = 0;
        for (const double part : data.stages[i].parts)
            sum += part;
        QVERIFY(qFuzzyCompare(sum, data.stages[i].total));
    }
    ServingDocument document(e);
    MemoryView view(document.get());
    present(view, {600, 320});
    document.open();
    QVERIFY2(view.aside().contains(QStringLiteral("prefill pool")), qPrintable(view.aside()));
    QTest::mouseClick(view.plot()->plot(), Qt::LeftButton, {}, view.plot()->column(1).center().toPoint());
    QCOMPARE(document->selection().pool, QStringLiteral("decode"));
    QVERIFY(!document->selection().stage); // a pool is not a stage of a pipeline
    QCOMPARE(view.plot()->selectedStage(), 1);
}

void TestServingAnswer::memoryOfPoolsOnOtherMachines() {
    Estimate e = sample::servingDisaggregated();
    QVERIFY(!memoryData(e).limitsDiffer());
    Memory& decode = e.serving->pools[1].memory;
    decode.capacityBytes = 180e9;
    decode.reserveBytes = 10e9;
    const MemoryData data = memoryData(e);
    QVERIFY(data.limitsDiffer());
    QCOMPARE(data.stages[1].usable, 170e9);
    QVERIFY(data.top() > 180e9);
    QVERIFY2(data.stages[1].card.rows[1].second.contains(QStringLiteral("170")),
             qPrintable(data.stages[1].card.rows[1].second));
}

void TestServingAnswer::memoryOfOneGpu() {
    const MemoryData data = memoryData(sample::servingEstimate());
    QCOMPARE(data.stages.size(), 1);
    QVERIFY(!memoryInWords(data).contains(QStringLiteral("Stage")));
    QVERIFY(answerOf(sample::servingEstimate()).detail.contains(QStringLiteral("each GPU")));
}

void TestServingAnswer::costTellsThePriceOfTokens() {
    const Estimate e = sample::servingEstimate();
    ServingDocument document(e, test::shippedCatalog());
    CostView view(document.get());
    present(view, {700, 420});
    document.open();
    const QString words = wordsOn(view);
    QVERIFY2(words.contains(quantity(*e.cost->dollarsPerMillionOutputTokens, Dimension::dollars)),
             qPrintable(words));
    QVERIFY(words.contains(quantity(*e.cost->dollarsPerMillionInputTokens, Dimension::dollars)));
    QVERIFY(words.contains(QStringLiteral("32 % of it prefill")));
    QVERIFY(!view.findChild<SegmentedButtons*>()->button(static_cast<int>(CostPeriod::run))->isVisible());
    const CostRow hour = costRows(e, CostPeriod::hour).first();
    const CostRow month = costRows(e, CostPeriod::month).first();
    QVERIFY(hour.quantity.startsWith(QStringLiteral("6 ")));
    QVERIFY2(month.quantity.startsWith(QStringLiteral("4,380 ")), qPrintable(month.quantity)); // 6 for 730 h
    QCOMPARE(hour.dollars, glance(380.16, Dimension::dollars));
    QCOMPARE(month.dollars, glance(380.16 * 730, Dimension::dollars));
    // In blocks it is paid for their days, and a month has no price.
    ScenarioSpec spec = test::sampleSpec("serve-deepseek-r1-1xu-p6e-gb200x72");
    spec.cluster.purchase = "capacity_block";
    const Estimate blocks = *test::estimateOf(spec, *test::shippedCatalog());
    QVERIFY(costRows(blocks, CostPeriod::month).isEmpty());
    ServingDocument prepaid(blocks, test::shippedCatalog());
    CostView ofBlocks(prepaid.get());
    present(ofBlocks, {700, 420});
    prepaid.open();
    const QString said = wordsOn(ofBlocks);
    QVERIFY2(said.contains(QStringLiteral("Capacity Block, 1 x u-p6e-gb200x72, 35 days")), qPrintable(said));
    QVERIFY(said.contains(glance(dollarsOf(blocks.cost->order->beforeTax), Dimension::dollars)));
    const auto* periods = ofBlocks.findChild<SegmentedButtons*>();
    QVERIFY(!periods->button(static_cast<int>(CostPeriod::month))->isVisible());
}

void TestServingAnswer::purchaseOptionsCompareTokens() {
    const Estimate e = sample::servingEstimate();
    PurchaseOptions options;
    options.setScenario(e.scenario, test::shippedCatalog(), e);
    QVERIFY(options.rowCount() > 0);
    QVERIFY(options.headerData(PurchaseOptions::runColumn, Qt::Horizontal, Qt::DisplayRole)
                .toString()
                .contains(QStringLiteral("output")));
    Estimate cheaper = e;
    cheaper.cost->dollarsPerMillionOutputTokens = *e.cost->dollarsPerMillionOutputTokens / 2;
    options.setEstimate(0, &cheaper);
    QCOMPARE(*options.options()[0].dollars, *cheaper.cost->dollarsPerMillionOutputTokens);
    QVERIFY(qFuzzyCompare(*options.options()[0].difference, -*cheaper.cost->dollarsPerMillionOutputTokens));
}

void TestServingAnswer::suggestionTellsThePriceOfTokens() {
    Suggestion suggestion;
    suggestion.change = {"Set weights to nvfp4", {{"plan.weights", "nvfp4"}}};
    suggestion.reason = "weights are read faster";
    suggestion.service = ServiceGain{.itl = 0.02,
                                     .itlDifference = -0.006,
                                     .dollarsPerMillionOutputTokens = 1.56,
                                     .dollarsPerMillionOutputTokensDifference = -0.31};
    const Engine engine{
        .estimate = [](const ScenarioSpec&, const Catalog&) -> Result<Estimate> {
            return sample::servingEstimate();
        },
        .suggest = [suggestion](const ScenarioSpec&, const Catalog&) { return std::vector{suggestion}; },
        .explain = {}};
    Document document(test::shippedCatalog(), engine);
    SuggestionsView view(&document);
    present(view, {500, 200});
    document.open(sample::servingScenario(), {});
    QTRY_VERIFY(!document.busy() && !document.suggestionsPending());
    settle();
    const QString words = wordsOn(view);
    for (const QString& wanted : {glance(1.56, Dimension::dollars), difference(-0.31, Dimension::dollars),
                                  difference(-0.006, Dimension::seconds)})
        QVERIFY2(words.contains(wanted), qPrintable(words));
}

void TestServingAnswer::cardTellsWhatIsServed() {
    SampleCard card(QStringLiteral("Chat"));
    const Estimate e = sample::servingEstimate();
    card.setEstimate(&e, {});
    const QString gap = quantity(e.serving->itlPercentiles.p90, Dimension::seconds);
    QVERIFY(card.accessibleDescription().contains(QStringLiteral("ITL p90 ") + gap));
    for (const char* words : {"Output", "TTFT p90", "fits"})
        QVERIFY2(card.accessibleDescription().contains(QLatin1String(words)),
                 qPrintable(card.accessibleDescription()));
    const Estimate missed = sample::servingDisaggregated();
    card.setEstimate(&missed, {});
    QVERIFY(card.accessibleDescription().contains(QStringLiteral("misses its targets")));
}

QTEST_MAIN(TestServingAnswer)

} // namespace tst_serving_answer

#include "tst_serving_answer.moc"
