// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "model/catalog/catalog.h"
#include "model/scenario/fields.h"
#include "tests/data/sample_estimate.h"
#include "tests/views/counting_engine.h"
#include "tests/views/serving_document.h"
#include "told_document.h"
#include "views/compare/compare_view.h"
#include "views/cost/cost_table.h"
#include "views/cost/cost_view.h"
#include "views/cost/purchase_options.h"
#include "views/document/text.h"
#include "views/kit/data_table_view.h"
#include "views/kit/states.h"
#include "views/problems/problems_model.h"
#include "views/problems/problems_view.h"
#include "views/start/plan_dialog.h"
#include "views/suggestions/suggestions_view.h"
#include "views/theme/theme_controller.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QSet>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>

#include <algorithm>
#include <cmath>

namespace tst_side_views {

using namespace alidade;
using namespace alidade::views;

namespace {

struct Told : ToldDocument {
    Told()
        : ToldDocument(test::shippedCatalog()) {}
};

QList<QPushButton*> buttonsOf(const QWidget& view) {
    QList<QPushButton*> shown;
    for (QPushButton* button : view.findChildren<QPushButton*>())
        if (button->isVisible())
            shown.append(button);
    return shown;
}

} // namespace

class TestSideViews : public QObject {
    Q_OBJECT

private slots:
    void blocksBesideAPlanArePaidOnce();
    void initTestCase() { ThemeController::instance().install(); }
    void suggestionsSayWhatTheyBring();
    void suggestionsFollowTheTheme();
    void tryPreviewsAndEnterAdopts();
    void escapeGoesBack();
    void emptySuggestionsSayWhy();
    void costOfEachPeriod();
    void costWithoutAPriceSaysSo();
    void otherPricesAreEstimates();
    void whatHasNoFigureSaysWhy();
    void linesOfTheCostHaveRoom();
    void blocksArePaidByWholeDays();
    void blocksOfARunWithoutLength();
    void usingAPriceIsOneStep();
    void problemsAreSortedAndSound();
    void fixIsOneClick();
    void usualLayoutsDiffer();
    void machinesKeepTheScenarioThatWasSearched();
};

void TestSideViews::suggestionsSayWhatTheyBring() {
    Told told;
    SuggestionsView view(told.document.get());
    present(view, {500, 400});
    told.open();
    const QString words = wordsOn(view);
    QVERIFY(words.contains(QStringLiteral("Set Tensor overlap to 0.8")));
    QVERIFY(words.contains(QStringLiteral("tensor-parallel traffic hides behind the matrix products")));
    for (const Suggestion& suggestion : sample::suggestions()) {
        const QString gain = difference(suggestion.stepTimeDifference, Dimension::seconds) +
                             QStringLiteral(", ") +
                             difference(*suggestion.dollarsPerRunDifference, Dimension::dollars);
        QVERIFY(gain.startsWith(QStringLiteral("−")));
        QVERIFY2(words.contains(gain), qPrintable(words));
    }
    QCOMPARE(buttonsOf(view).size(), 3);

    // New figures are written into the rows that are there; a row too many goes.
    const QPointer<QPushButton> first = buttonsOf(view).first();
    first->setFocus();
    told.suggestions.front().change.text = "Set recompute to full";
    told.suggestions.front().change.set = {{"plan.recompute", "full"}};
    told.suggestions.pop_back();
    QCOMPARE(told.document->setField(*findField("workload.global_batch"), QStringLiteral("4096")), QString());
    QTRY_COMPARE(buttonsOf(view).size(), 2);
    QCOMPARE(buttonsOf(view).first(), first.data());
    QVERIFY(first->accessibleName().contains(QStringLiteral("Recompute")));
    QVERIFY(!wordsOn(view).contains(QStringLiteral("Set Tensor overlap to 0.8")));
    QVERIFY(first->hasFocus());
    QTest::mouseClick(first, Qt::LeftButton);
    QVERIFY(told.document->previewed() != nullptr);
    QCOMPARE(told.document->previewed()->set, told.suggestions.front().change.set);
}

void TestSideViews::suggestionsFollowTheTheme() {
    Told told;
    told.suggestions.front().change.set = {{"cluster.purchase", "capacity_block"}};
    SuggestionsView view(told.document.get());
    present(view, {500, 400});
    told.open();
    const auto price = [&view] {
        for (const QLabel* label : view.findChildren<QLabel*>())
            if (label->isVisible() && label->accessibleName() == QStringLiteral("Price"))
                return label->pixmap().toImage();
        return QImage();
    };
    QTRY_VERIFY(!price().isNull());
    const QImage light = price();
    const ThemeChoice before = ThemeController::instance().choice();
    ThemeController::instance().setChoice(theme().isDark() ? ThemeChoice::light : ThemeChoice::dark);
    QTRY_VERIFY(!price().isNull() && price() != light);
    QCOMPARE(buttonsOf(view).size(), 3);
    ThemeController::instance().setChoice(before);
}

void TestSideViews::tryPreviewsAndEnterAdopts() {
    Told told;
    SuggestionsView view(told.document.get());
    present(view, {500, 400});
    told.open();
    QTRY_COMPARE(buttonsOf(view).size(), 3);
    QTest::mouseClick(buttonsOf(view).first(), Qt::LeftButton);
    QVERIFY(told.document->previewed() != nullptr);
    QCOMPARE(*told.document->spec().plan.overlap.tensor, 0.0);
    QTRY_COMPARE(*told.document->estimate()->scenario.plan.overlap.tensor, 0.8);
    QTRY_COMPARE(buttonsOf(view).size(), 3); // the list stays while one is tried
    QCOMPARE(buttonsOf(view).first()->text(), QStringLiteral("Adopt"));
    QTest::keyClick(&view, Qt::Key_Return);
    QVERIFY(told.document->previewed() == nullptr);
    QCOMPARE(*told.document->spec().plan.overlap.tensor, 0.8);
    QCOMPARE(told.document->undoStack()->count(), 1);
}

void TestSideViews::escapeGoesBack() {
    Told told;
    SuggestionsView view(told.document.get());
    present(view, {500, 400});
    told.open();
    QTRY_VERIFY(buttonsOf(view).size() > 1);
    QTest::mouseClick(buttonsOf(view)[1], Qt::LeftButton);
    QTRY_VERIFY(!told.document->busy());
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(told.document->previewed() == nullptr);
    QCOMPARE(told.document->undoStack()->count(), 0);
    QTRY_VERIFY(!buttonsOf(view).empty() && buttonsOf(view).first()->text() == QStringLiteral("Try"));
}

void TestSideViews::emptySuggestionsSayWhy() {
    Told told;
    told.suggestions.clear();
    SuggestionsView view(told.document.get());
    present(view, {500, 400});
    QVERIFY(wordsOn(view).contains(QStringLiteral("No plan to improve yet")));
    told.open();
    QVERIFY(wordsOn(view).contains(QStringLiteral("No single change improves this plan")));
    told.answer = sample::estimateThatDoesNotFit();
    told.open();
    QVERIFY(wordsOn(view).contains(QStringLiteral("The plan must run and fit first")));
    told.answer = Error{"/workload/model: nobody knows it"};
    told.open();
    QVERIFY(wordsOn(view).contains(QStringLiteral("nobody knows it")));
    QCOMPARE(buttonsOf(view).size(), 1); // Try again
}

void TestSideViews::costOfEachPeriod() {
    const Estimate estimate = sample::estimate();
    const double hours = *hoursOf(CostPeriod::run, estimate);
    QVERIFY(std::abs(hours * 3600 - *estimate.training->runTime) < 1);
    for (const CostPeriod period : {CostPeriod::hour, CostPeriod::day, CostPeriod::month, CostPeriod::run}) {
        const QList<CostRow> rows = costRows(estimate, period);
        QCOMPARE(rows.size(), static_cast<qsizetype>(estimate.cost->lines.size()));
        double shares = 0;
        for (const CostRow& row : rows)
            shares += row.share;
        QVERIFY(std::abs(shares - 1) < 1e-9);
    }
    QCOMPARE(costTotal(estimate, CostPeriod::hour), QStringLiteral("$113 k"));
    QCOMPARE(costTotal(estimate, CostPeriod::day), QStringLiteral("$2.71 M"));
    // A run is the order, whose total has the storage in it.
    ScenarioSpec spec = test::sampleSpec();
    spec.order.tax = 0.1;
    const Estimate ordered = *test::estimateOf(spec, *test::shippedCatalog());
    const QList<CostRow> lines = costRows(ordered, CostPeriod::run);
    QCOMPARE(lines.size(), 2);
    QVERIFY(lines[1].name.startsWith(QStringLiteral("FSx for Lustre")));
    QCOMPARE(std::llround(100 * (lines[0].value + lines[1].value)), ordered.cost->order->beforeTax);
    QCOMPARE(costTotal(ordered, CostPeriod::run),
             glance(dollarsOf(ordered.cost->order->beforeTax), Dimension::dollars));
    Estimate endless = estimate;
    endless.training->runTime.reset();
    QVERIFY(costTotal(endless, CostPeriod::run).isEmpty());
    QCOMPARE(costRows(endless, CostPeriod::day).size(), 1);
}

void TestSideViews::costWithoutAPriceSaysSo() {
    Told told;
    Estimate priceless = sample::estimate();
    priceless.cost.reset();
    told.answer = priceless;
    CostView view(told.document.get());
    present(view, {500, 400});
    told.open();
    QVERIFY(wordsOn(view).contains(QStringLiteral("No price")));
    told.answer = sample::estimateThatDoesNotRun();
    told.open();
    QVERIFY(wordsOn(view).contains(QStringLiteral("No cost: the plan does not run")));
}

void TestSideViews::otherPricesAreEstimates() {
    test::CountedModel model;
    Document document(test::shippedCatalog(), model.engine());
    document.open(test::sampleSpec(), {});
    QTRY_VERIFY_WITH_TIMEOUT(!document.busy(), 20'000);
    PurchaseOptions options;
    QAbstractItemModelTester tester(&options, QAbstractItemModelTester::FailureReportingMode::QtTest);
    options.setScenario(document.spec(), document.catalog(), *document.estimate());
    QVERIFY(options.rowCount() > 1);
    QCOMPARE(std::ranges::count(options.options(), true, &PurchaseOptions::Option::present), 1);
    QVERIFY(std::ranges::is_sorted(options.options(), {},
                                   [](const PurchaseOptions::Option& o) { return o.price->rate; }));
    QSignalSpy changed(&options, &QAbstractItemModel::dataChanged);
    const std::vector<ScenarioSpec> variants = options.variants();
    QCOMPARE(static_cast<int>(variants.size()), options.rowCount());
    for (int row = 0; row < options.rowCount(); ++row) {
        const auto estimate = test::estimateOf(variants[static_cast<std::size_t>(row)], *document.catalog());
        QVERIFY(estimate);
        options.setEstimate(row, &*estimate);
        const auto& option = options.options()[static_cast<std::size_t>(row)];
        QCOMPARE(option.dollars.has_value(), option.refusal.isEmpty());
        // A reservation is paid for its term, whatever the run takes.
        if (option.price->purchase == Purchase::reserved) {
            const ClusterSpec& cluster = document.spec().cluster;
            const double years = option.price->terms.starts_with("3") ? 3 : 1;
            const double term =
                option.price->rate.si() * years * 8760 * static_cast<double>(*cluster.instances);
            QVERIFY(std::abs(*estimate->cost->dollarsPerRun - term) < 0.01);
            QCOMPARE(*option.dollars, dollarsOf(estimate->cost->order->beforeTax));
            QVERIFY(option.idleShare && *option.idleShare > 0.5);
        }
        if (option.present)
            QVERIFY(std::abs(*option.difference) <= 1e-9 * *option.dollars);
    }
    // Views fit their columns to all rows at each change: many answers are one.
    QTRY_COMPARE(changed.size(), 1);
    QCOMPARE(changed[0][0].toModelIndex().row(), 0);
    QCOMPARE(changed[0][1].toModelIndex().row(), options.rowCount() - 1);
}

/// No cell has a dash, a gap or a mark without a reason.
void TestSideViews::whatHasNoFigureSaysWhy() {
    test::CountedModel model;
    Document document(test::shippedCatalog(), model.engine());
    document.open(test::sampleSpec(), {});
    QTRY_VERIFY_WITH_TIMEOUT(!document.busy(), 20'000);
    PurchaseOptions options;
    options.setScenario(document.spec(), document.catalog(), *document.estimate());
    options.setToday(QDate(2100, 1, 1));
    const auto at = [&](int row, int column, int role) {
        return options.index(row, column).data(role).toString();
    };
    const std::vector<ScenarioSpec> variants = options.variants();
    int reservations = 0, refused = 0;
    for (int row = 0; row < options.rowCount(); ++row) {
        const auto& option = options.options()[static_cast<std::size_t>(row)];
        if (option.refusal.isEmpty())
            QCOMPARE(at(row, PurchaseOptions::runColumn, Qt::DisplayRole), QStringLiteral("estimating"));
        const auto estimate = test::estimateOf(variants[static_cast<std::size_t>(row)], *document.catalog());
        options.setEstimate(row, estimate ? &*estimate : nullptr);
        QVERIFY2(at(row, PurchaseOptions::dateColumn, Qt::DisplayRole).contains(QStringLiteral(" days old")),
                 qPrintable(at(row, PurchaseOptions::dateColumn, Qt::DisplayRole)));
        const QString shown = at(row, PurchaseOptions::runColumn, Qt::DisplayRole);
        const QString reason = at(row, PurchaseOptions::runColumn, Qt::ToolTipRole);
        if (option.price->purchase == Purchase::reserved && option.dollars) {
            ++reservations;
            QVERIFY2(reason.contains(QStringLiteral("whole term")), qPrintable(reason));
        }
        if (option.dollars)
            continue;
        QCOMPARE(at(row, PurchaseOptions::differenceColumn, Qt::DisplayRole), QStringLiteral("–"));
        QCOMPARE(at(row, PurchaseOptions::differenceColumn, Qt::ToolTipRole), reason);
        if (!option.refusal.isEmpty()) {
            ++refused;
            QCOMPARE(shown, QStringLiteral("not bookable"));
            QVERIFY2(reason.contains(option.refusal), qPrintable(reason));
        }
    }
    QVERIFY(reservations > 0 && refused > 0);
}

/// Figures of money are never cut off.
void TestSideViews::linesOfTheCostHaveRoom() {
    Told told;
    CostView view(told.document.get());
    present(view, {860, 200});
    told.open();
    auto* table = view.findChild<DataTableView*>();
    QVERIFY(table->model()->rowCount() > 0);
    settle();
    for (int column = 0; column < table->model()->columnCount(); ++column) {
        if (table->isColumnHidden(column)) // the change from a baseline
            continue;
        const QString words = table->model()->index(0, column).data().toString();
        QVERIFY2(table->columnWidth(column) > QFontMetrics(table->font()).horizontalAdvance(words) + 8,
                 qPrintable(words));
    }
}

void TestSideViews::blocksArePaidByWholeDays() {
    test::CountedModel model;
    Document document(test::shippedCatalog(), model.engine());
    ScenarioSpec spec = test::sampleSpec();
    spec.cluster.instances = 256;
    spec.workload.tokens = 1e12;
    document.open(spec, {});
    QTRY_VERIFY_WITH_TIMEOUT(!document.busy(), 20'000);
    PurchaseOptions options;
    options.setScenario(document.spec(), document.catalog(), *document.estimate());
    options.setToday(QDate(2100, 1, 1));
    const std::vector<ScenarioSpec> variants = options.variants();
    int blocks = 0;
    for (int row = 0; row < options.rowCount(); ++row) {
        const auto& option = options.options()[static_cast<std::size_t>(row)];
        QVERIFY(options.index(row, PurchaseOptions::dateColumn)
                    .data()
                    .toString()
                    .contains(QStringLiteral("old")));
        if (option.price->purchase != Purchase::capacityBlock)
            continue;
        ++blocks;
        QVERIFY(option.blocks);
        const auto estimate = test::estimateOf(variants[static_cast<std::size_t>(row)], *document.catalog());
        options.setEstimate(row, &*estimate);
        const double booked = 256 * 24.0 * option.blocks->days * option.price->rate.si();
        QVERIFY(std::abs(*estimate->cost->dollarsPerRun / booked - 1) < 1e-6);
        QCOMPARE(*option.dollars, dollarsOf(estimate->cost->order->beforeTax)); // with the storage
        QVERIFY(*option.dollars > 256 * *estimate->training->runTime / 3600 * option.price->rate.si());
    }
    QVERIFY(blocks > 0);
}

/// A block is booked by whole days, but a run without a length asks for none: its cells say that.
void TestSideViews::blocksOfARunWithoutLength() {
    test::CountedModel model;
    Document document(test::shippedCatalog(), model.engine());
    document.open(test::sampleSpec(), {});
    QTRY_VERIFY_WITH_TIMEOUT(!document.busy(), 20'000);
    Estimate endless = *document.estimate();
    endless.training->runTime.reset();
    endless.cost->dollarsPerRun.reset();
    PurchaseOptions options;
    options.setScenario(document.spec(), document.catalog(), endless);
    int blocks = 0;
    for (int row = 0; row < options.rowCount(); ++row) {
        options.setEstimate(row, &endless);
        const auto toolTip = [&](int column) {
            return options.index(row, column).data(Qt::ToolTipRole).toString();
        };
        const bool block =
            options.options()[static_cast<std::size_t>(row)].price->purchase == Purchase::capacityBlock;
        blocks += block ? 1 : 0;
        QCOMPARE(toolTip(PurchaseOptions::idleColumn).contains(QStringLiteral("Only Capacity Blocks")),
                 !block);
        if (block)
            QCOMPARE(toolTip(PurchaseOptions::idleColumn), toolTip(PurchaseOptions::runColumn));
    }
    QVERIFY(blocks > 0);
}

void TestSideViews::usingAPriceIsOneStep() {
    test::CountedModel model;
    Document document(test::shippedCatalog(), model.engine());
    CostView view(&document);
    present(view, {700, 600});
    document.open(test::sampleSpec(), {});
    QTRY_VERIFY_WITH_TIMEOUT(!document.busy(), 20'000);
    auto* table = view.findChildren<DataTableView*>().last();
    QTRY_VERIFY(table->model()->rowCount() > 1);
    const QModelIndex cheapest = table->model()->index(0, 0);
    const QString region = cheapest.siblingAtColumn(PurchaseOptions::regionColumn).data().toString();
    emit table->activated(cheapest);
    QCOMPARE(QString::fromStdString(*document.spec().cluster.region), region);
    QCOMPARE(document.undoStack()->count(), 1);
}

void TestSideViews::problemsAreSortedAndSound() {
    ProblemsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setProblems({{Severity::info, "/plan/goodput", "A note.", std::nullopt},
                       {Severity::error, "/plan/tensor_parallel", "An error.", Fix{"Use 8", {}}},
                       {Severity::warning, "/cluster/region", "A warning.", std::nullopt}});
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.index(0, ProblemsModel::severityColumn).data().toString(), QStringLiteral("Error"));
    QCOMPARE(model.index(0, ProblemsModel::placeColumn).data().toString(),
             QStringLiteral("plan.tensor_parallel"));
    QCOMPARE(model.index(0, ProblemsModel::fixColumn).data().toString(), QStringLiteral("Use 8"));
    QCOMPARE(model.index(2, ProblemsModel::severityColumn).data().toString(), QStringLiteral("Note"));
}

void TestSideViews::fixIsOneClick() {
    Told told;
    told.answer = sample::estimateThatDoesNotRun();
    ProblemsView view(told.document.get());
    present(view, {900, 200});
    told.open();
    told.document->setField(*findField("plan.tensor_parallel"), QStringLiteral("24"));
    QTRY_VERIFY(!told.document->busy());
    QCOMPARE(view.count(), 1);
    auto* table = view.findChild<DataTableView*>();
    emit table->clicked(table->model()->index(0, ProblemsModel::fixColumn));
    QCOMPARE(*told.document->spec().plan.tensorParallel, 8);
    QCOMPARE(told.document->undoStack()->count(), 2);
    view.step(1);
    QCOMPARE(told.document->selection().problem, QStringLiteral("/plan/tensor_parallel"));
}

void TestSideViews::usualLayoutsDiffer() {
    const std::vector<ScenarioSpec> layouts = usualLayouts(test::sampleSpec());
    QVERIFY(layouts.size() >= 20);
    QSet<QString> texts;
    for (const ScenarioSpec& layout : layouts)
        texts.insert(QString::fromStdString(data::writeScenario(layout)));
    QCOMPARE(texts.size(), static_cast<qsizetype>(layouts.size()));
}

/// An edit while the machines are searched changes the open scenario, and not the plans that are found.
void TestSideViews::machinesKeepTheScenarioThatWasSearched() {
    Document document(test::shippedCatalog(), modelEngine());
    CompareView view(&document);
    present(view, {1400, 900});
    document.open(test::sampleSpec("llama-3.1-8b-1xp5.4xlarge"), QStringLiteral("job.json"));
    QTRY_VERIFY_WITH_TIMEOUT(!document.busy(), 20'000);
    const auto searched = document.spec().workload.tokens;
    for (const bool edited : {false, true}) {
        view.sameJobOnEveryMachine();
        QVERIFY(view.machines()->busy());
        if (edited)
            QCOMPARE(document.setField(*findField("workload.tokens"), QStringLiteral("3e9")), QString());
        QCOMPARE(document.spec().workload.tokens == searched, !edited);
        QTRY_VERIFY_WITH_TIMEOUT(!view.machines()->busy(), 120'000);
        QVERIFY(view.list().size() > 1);
        for (const data::ListedScenario& each : view.list().scenarios())
            if (each.kind == data::ListedScenario::Kind::fixed)
                QVERIFY(each.spec.workload.tokens == searched);
        QVERIFY2(view.remark().contains(QStringLiteral("at the start of the search")) == edited,
                 qPrintable(view.remark()));
    }
}

/// Blocks next to machines that are billed by time end, so that a month has what is billed by time, and the
/// blocks as they are ordered.
void TestSideViews::blocksBesideAPlanArePaidOnce() {
    ScenarioSpec spec = test::sampleSpec("serve-llama-3.1-70b-1xp5en.48xlarge");
    spec.cluster.instances = 3;
    spec.cluster.region = "us-east-2";
    spec.cluster.purchase = "capacity_block";
    spec.order.days = 34;
    spec.order.base.instances = 1;
    spec.order.base.purchase = "savings_plan";
    spec.order.base.dollarsPerInstanceHour = 40;
    const Estimate e = *test::estimateOf(spec, *test::shippedCatalog());
    const Cost& cost = *e.cost;
    QVERIFY(cost.base && cost.base->rest == 2);
    const auto dollars = [](const QList<CostRow>& rows) {
        double sum = 0;
        for (const CostRow& row : rows)
            sum += row.value;
        return sum;
    };
    QVERIFY(std::abs(dollars(costRows(e, CostPeriod::hour)) - cost.dollarsPerHour) < 1e-9);
    QVERIFY(std::abs(dollars(costRows(e, CostPeriod::day)) - 24 * cost.dollarsPerHour) < 1e-6);
    const QList<CostRow> month = costRows(e, CostPeriod::month);
    QCOMPARE(month.size(), qsizetype{2});
    QVERIFY(!month[0].prepaid && month[0].name.startsWith(QStringLiteral("Base: 1 x")));
    QCOMPARE(month[0].value, 40.0 * 730);
    QVERIFY(month[1].prepaid);
    QVERIFY2(month[1].name.contains(QStringLiteral("Rest: Capacity Block, 2 x p5en.48xlarge, 35 days")),
             qPrintable(month[1].name));
    const auto block = std::ranges::find_if(cost.order->lines, [](const OrderLine& line) {
        return line.text.starts_with("Rest: Capacity Block");
    });
    QVERIFY(block != cost.order->lines.end());
    QCOMPARE(std::llround(month[1].value * 100), block->amount);
    const QString once = glance(dollarsOf(block->amount), Dimension::dollars);
    QCOMPARE(costTotal(e, CostPeriod::month),
             QStringLiteral("%1, and %2 prepaid").arg(glance(40.0 * 730, Dimension::dollars), once));
    test::ServingDocument document(e, test::shippedCatalog());
    CostView view(document.get());
    present(view, {900, 420});
    document.open();
    const QString words = wordsOn(view);
    QVERIFY2(
        words.contains(QStringLiteral("ordered: Rest: Capacity Block, 2 x p5en.48xlarge, 35 days, ") + once),
        qPrintable(words));
    // The same where the base is in blocks.
    std::swap(spec.order.base.purchase, spec.cluster.purchase);
    spec.cluster.dollarsPerInstanceHour = 40;
    spec.order.base.dollarsPerInstanceHour.reset();
    const Estimate other = *test::estimateOf(spec, *test::shippedCatalog());
    const QList<CostRow> rows = costRows(other, CostPeriod::month);
    QCOMPARE(rows.size(), qsizetype{2});
    QCOMPARE(rows[0].value, 2 * 40.0 * 730);
    QVERIFY(rows[1].prepaid && rows[1].name.contains(QStringLiteral("Base: Capacity Block, 1 x")));
}

QTEST_MAIN(TestSideViews)

} // namespace tst_side_views

#include "tst_side_views.moc"
