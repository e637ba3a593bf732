// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "model/scenario/fields.h"
#include "tests/views/counting_engine.h"
#include "tests/views/serving_document.h"
#include "views/document/text.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/unit_field.h"
#include "views/scenario/field_row.h"
#include "views/scenario/kind_rows.h"
#include "views/scenario/scenario_view.h"
#include "views/scenario/words.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QToolButton>

namespace tst_editor_serving {

using namespace alidade;
using namespace alidade::views;
using test::ServingDocument;

namespace {

struct Editor {
    ServingDocument document;
    ScenarioView view;

    explicit Editor(const Estimate& estimate = sample::servingEstimate())
        : document(estimate, test::shippedCatalog())
        , view(document.get()) {
        present(view, {320, 900});
        document.open();
    }
    const ScenarioSpec& spec() { return document->spec(); }
    FieldRow& row(const char* path) {
        FieldRow* found = view.row(path);
        Q_ASSERT(found);
        return *found;
    }
    void chooseKind(int index) {
        QTest::mouseClick(row("workload.kind").findChild<SegmentedButtons*>()->button(index), Qt::LeftButton);
        document.settle();
    }
    void chooseLoop(int index) {
        QTest::mouseClick(view.loop()->buttons()->button(index), Qt::LeftButton);
        document.settle();
    }
    void type(const char* path, const char* words) {
        auto* field = row(path).findChild<UnitField*>();
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, QLatin1String(words));
        QTest::keyClick(field, Qt::Key_Return);
        document.settle();
    }
};

} // namespace

class TestEditorServing : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void showsTheFieldsOfServing();
    void loopSwitchKeepsBothValues();
    void openLoopKeepsTheLoad();
    void loopForgetsAnotherScenario();
    void kindSwitchFillsInWhatIsNeeded();
    void kindSwitchToTrainingSharesTheBatch();
    void kindSwitchAndBackLosesNothing();
    void targetsAreUndoable();
    void poolsAreFoldedAway();
    void engineIsChosenFromTheCatalog();
};

void TestEditorServing::showsTheFieldsOfServing() {
    Editor e;
    for (const char* path :
         {"workload.kind", "workload.model", "workload.input_tokens", "workload.output_tokens",
          "workload.request_rate_per_s", "workload.ttft_slo_s", "workload.itl_slo_s", "plan.tensor_parallel",
          "plan.weights", "plan.kv_cache", "plan.max_batch", "plan.engine"})
        QVERIFY2(e.row(path).isVisible(), path);
    for (const Field& field : fieldTable())
        if (field.appliesTo == AppliesTo::training)
            QVERIFY2(!e.view.row(field.path)->isVisible(), qPrintable(text(field.path)));
    // Every field of serving can be reached.
    e.document->setField(*findField("plan.speculative.draft_tokens"), QStringLiteral("3"));
    e.document.settle();
    for (QToolButton* more : e.view.findChildren<QToolButton*>())
        if (more->isCheckable() && !more->isHidden())
            more->setChecked(true);
    for (const Field& field : fieldTable())
        if (field.appliesTo == AppliesTo::serving && fieldApplies(field, e.spec(), *e.document->catalog()))
            QVERIFY2(e.view.row(field.path)->isVisible(), qPrintable(text(field.path)));
}

void TestEditorServing::loopSwitchKeepsBothValues() {
    Editor e;
    QCOMPARE(e.view.loop()->buttons()->currentIndex(), 1);
    QVERIFY(!e.row("workload.concurrency").isVisible());
    e.chooseLoop(0);
    QVERIFY(!e.spec().workload.requestRatePerS);
    QVERIFY(e.spec().workload.concurrency);
    QVERIFY(e.row("workload.concurrency").isVisible());
    QVERIFY(!e.row("workload.request_rate_per_s").isVisible());
    e.type("workload.concurrency", "321");
    e.chooseLoop(1);
    QCOMPARE(*e.spec().workload.requestRatePerS, 96.0); // what it was
    QVERIFY(!e.spec().workload.concurrency);
    e.chooseLoop(0);
    QCOMPARE(*e.spec().workload.concurrency, 321.0);
    // Each switch is one step.
    QCOMPARE(e.document->undoStack()->count(), 4);
    for (int i = 0; i < 4; ++i)
        e.document->undoStack()->undo();
    QCOMPARE(*e.spec().workload.requestRatePerS, 96.0);
    QVERIFY(!e.spec().workload.concurrency);
}

void TestEditorServing::openLoopKeepsTheLoad() {
    Estimate closed = sample::servingEstimate();
    closed.scenario.workload.requestRatePerS.reset();
    closed.scenario.workload.concurrency = 1000;
    closed.serving->requestsPerSecond = 77.7;
    Editor e(closed);
    e.chooseLoop(1);
    QVERIFY(std::abs(*e.spec().workload.requestRatePerS / 77.7 - 1) < 1e-2);
}

void TestEditorServing::loopForgetsAnotherScenario() {
    Editor e;
    e.chooseLoop(0);
    e.type("workload.concurrency", "321");
    e.chooseLoop(1);
    ScenarioSpec other = sample::servingScenario();
    other.workload.requestRatePerS = 5;
    e.document->open(other, QStringLiteral("other.json"));
    e.document.settle();
    e.chooseLoop(0);
    QVERIFY(*e.spec().workload.concurrency != 321.0);
}

void TestEditorServing::kindSwitchFillsInWhatIsNeeded() {
    Estimate training = sample::estimate();
    Editor e(training);
    e.chooseKind(1);
    QCOMPARE(*e.spec().workload.kind, WorkloadKind::serving);
    QVERIFY(e.spec().workload.inputTokens && e.spec().workload.outputTokens);
    QVERIFY(e.spec().workload.concurrency.has_value() != e.spec().workload.requestRatePerS.has_value());
    QCOMPARE(e.document->undoStack()->count(), 1);
    QVERIFY(e.row("workload.input_tokens").isVisible());
    QVERIFY(!e.row("workload.global_batch").isVisible());
    QVERIFY(e.view.loop()->isVisible());
    e.document->undoStack()->undo();
    e.document.settle();
    QCOMPARE(*e.spec().workload.kind, WorkloadKind::training);
    QVERIFY(!e.spec().workload.inputTokens && !e.spec().workload.concurrency);
    QVERIFY(e.row("workload.global_batch").isVisible());
    QVERIFY(!e.view.loop()->isVisible());
}

void TestEditorServing::kindSwitchToTrainingSharesTheBatch() {
    Editor e; // 48 GPUs
    e.chooseKind(0);
    QCOMPARE(*e.spec().workload.kind, WorkloadKind::training);
    QVERIFY(e.spec().workload.globalBatch && *e.spec().workload.globalBatch % 48 == 0);
    QVERIFY(e.row("workload.global_batch").isVisible());
}

void TestEditorServing::kindSwitchAndBackLosesNothing() {
    Estimate training = sample::estimate();
    Editor e(training);
    e.chooseKind(1);
    e.type("workload.input_tokens", "1234");
    e.chooseKind(0);
    QCOMPARE(*e.spec().workload.globalBatch, 2048);
    QCOMPARE(*e.spec().plan.microBatch, 1);
    e.chooseKind(1);
    QCOMPARE(*e.spec().workload.inputTokens, 1234.0);
}

void TestEditorServing::targetsAreUndoable() {
    Editor e;
    e.type("workload.ttft_slo_s", "250 ms");
    QCOMPARE(*e.spec().workload.ttftSloS, 0.25);
    QCOMPARE(e.document->undoStack()->count(), 1);
    e.document->undoStack()->undo();
    QCOMPARE(*e.spec().workload.ttftSloS, 0.5);
}

void TestEditorServing::poolsAreFoldedAway() {
    Editor e;
    FieldRow& workers = e.row("plan.disaggregated.prefill.workers");
    QVERIFY(!workers.isVisible());
    QToolButton* more = nullptr;
    for (QToolButton* each : e.view.findChildren<QToolButton*>())
        if (each->accessibleName().contains(QStringLiteral("Prefill pool")))
            more = each;
    QVERIFY(more && more->isVisible());
    QTest::mouseClick(more, Qt::LeftButton);
    QVERIFY(workers.isVisible());
    QVERIFY(!e.row("plan.disaggregated.decode.workers").isVisible());
    QTest::mouseClick(more, Qt::LeftButton);
    QVERIFY(!workers.isVisible());
    // What is set is always to be seen.
    const Field& degree = *findField("plan.pipeline_parallel");
    QVERIFY(fieldApplies(degree, e.document->shownSpec(), *e.document->catalog()));
    e.document->setField(*findField("plan.disaggregated.decode.workers"), QStringLiteral("8"));
    e.document.settle();
    QVERIFY(e.row("plan.disaggregated.decode.workers").isVisible());
    // Each pool has its own degrees: what the plan says of them is not in force.
    ScenarioSpec apart = e.document->shownSpec();
    QVERIFY(fieldApplies(degree, apart, *e.document->catalog())); // it is written
    apart.plan.pipelineParallel.reset();
    QVERIFY(!fieldApplies(degree, apart, *e.document->catalog()));
    apart.plan.disaggregated = {};
    QVERIFY(fieldApplies(degree, apart, *e.document->catalog()));
}

void TestEditorServing::engineIsChosenFromTheCatalog() {
    Editor e;
    auto* combo = e.row("plan.engine").findChild<QComboBox*>();
    QCOMPARE(combo->count(), static_cast<int>(test::shippedCatalog()->engines.size()));
    QVERIFY(combo->count() > 0);
}

QTEST_MAIN(TestEditorServing)

} // namespace tst_editor_serving

#include "tst_editor_serving.moc"
