// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "model/scenario/fields.h"
#include "tests/views/counting_engine.h"
#include "views/document/text.h"
#include "views/kit/band_label.h"
#include "views/kit/degree_field.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/unit_field.h"
#include "views/scenario/field_row.h"
#include "views/scenario/menu_combo.h"
#include "views/scenario/scenario_view.h"
#include "views/summary/summary_view.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

namespace tst_editor {

using namespace alidade;
using namespace alidade::views;

namespace {

struct Editor {
    test::CountedModel model;
    std::unique_ptr<Document> document;
    std::unique_ptr<ScenarioView> view;

    explicit Editor(const ScenarioSpec& spec = test::sampleSpec()) {
        document = std::make_unique<Document>(test::shippedCatalog(), model.engine());
        view = std::make_unique<ScenarioView>(document.get());
        present(*view, {320, 900});
        document->open(spec, {});
        settle();
    }
    void settle() { QTRY_VERIFY_WITH_TIMEOUT(!document->busy(), 20'000); }
    FieldRow& row(const char* path) const {
        FieldRow* found = view->row(path);
        Q_ASSERT(found);
        return *found;
    }
    template <class T>
    T& editor(const char* path) const {
        T* found = row(path).findChild<T*>();
        Q_ASSERT(found);
        return *found;
    }
    void type(const char* path, const char* words) const {
        auto& field = editor<UnitField>(path);
        field.setFocus();
        field.selectAll();
        QTest::keyClicks(&field, QLatin1String(words));
        QTest::keyClick(&field, Qt::Key_Return);
    }
};

} // namespace

class TestEditor : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void everyFieldHasARow();
    void oneStepOfTensorIsOneEstimateForAllFigures();
    void unitsAreRead_data();
    void unitsAreRead();
    void largeNumbersHaveSeparators();
    void refusedTextStaysAndIsExplained();
    void illegalDegreesAreNotOffered();
    void derivedDegreeIsText();
    void defaultsAreShownWithTheirOrigin();
    void resetTakesTheValueBack();
    void choosingAnUltraServerLeavesTheInstance();
    void unknownIdIsRefused();
    void wordsThatStandAloneReplaceTheOthers();
    void ownPriceOpensItsField();
    void problemIsShownAtItsField();
    void stepsOfOneGestureAreOneUndoStep();
    void previewIsShownAndNotOfferedForReset();
    void fieldsAppearWhereTheyMeanSomething_data();
    void fieldsAppearWhereTheyMeanSomething();
    void recomputeOffersWhatTheModelHas();
    void everyFocusableWidgetHasAName();
};

void TestEditor::everyFieldHasARow() {
    Editor e;
    for (const Field& field : fieldTable())
        QVERIFY2(e.view->row(field.path) != nullptr, qPrintable(text(field.path)));
}

void TestEditor::oneStepOfTensorIsOneEstimateForAllFigures() {
    Editor e;
    SummaryView summary(e.document.get());
    present(summary, {1200, 240});
    QStringList before;
    for (const BandLabel* label : summary.findChildren<BandLabel*>())
        before.append(label->figure().value);
    const int count = e.model.estimates;
    QSignalSpy changed(e.document.get(), &Document::estimateChanged);

    LegalSpinBox* spin = e.editor<DegreeField>("plan.tensor_parallel").spinBox();
    QCOMPARE(spin->value(), 8);
    spin->setFocus();
    QTest::keyClick(spin, Qt::Key_Down);
    QCOMPARE(*e.document->spec().plan.tensorParallel, 4);
    e.settle();
    QCOMPARE(e.model.estimates - count, 1);
    QCOMPARE(changed.count(), 1);
    QStringList after;
    for (const BandLabel* label : summary.findChildren<BandLabel*>())
        after.append(label->figure().value);
    QCOMPARE(after.size(), 6);
    for (int i = 0; i < 6; ++i)
        QVERIFY2(after[i] != before[i], qPrintable(before[i]));
    QCOMPARE(e.document->undoStack()->undoText(), QStringLiteral("set Tensor to 4"));
}

void TestEditor::unitsAreRead_data() {
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("typed");
    QTest::addColumn<QByteArray>("stored");
    QTest::newRow("tokens with a prefix")
        << QByteArray("workload.tokens") << QByteArray("1.5 T") << QByteArray("1.5 T tokens");
    QTest::newRow("thousands") << QByteArray("workload.sequence_length") << QByteArray("16,384")
                               << QByteArray("16384");
    QTest::newRow("its own unit") << QByteArray("workload.global_batch") << QByteArray("512 sequences")
                                  << QByteArray("512");
    QTest::newRow("plain") << QByteArray("cluster.instances") << QByteArray("1024") << QByteArray("1024");
}

void TestEditor::unitsAreRead() {
    QFETCH(QByteArray, path);
    QFETCH(QByteArray, typed);
    QFETCH(QByteArray, stored);
    Editor e;
    e.type(path.constData(), typed.constData());
    const Field* field = findField(path.constData());
    QCOMPARE(text(fieldText(*field, field->get(e.document->spec()))), QString::fromUtf8(stored));
    QVERIFY(e.row(path.constData()).message().isEmpty());
}

/// At rest, as text everywhere has them; while it is being typed the number has none, which would move the
/// caret.
void TestEditor::largeNumbersHaveSeparators() {
    Editor e;
    e.type("workload.sequence_length", "16384");
    e.type("cluster.instances", "2048");
    e.row("workload.global_batch").edit();
    const auto texts = e.view->findChildren<UnitField*>();
    const QRegularExpression bare(QStringLiteral("(^|[^.\\d,])\\d{4,}"));
    int separated = 0;
    for (const UnitField* field : texts) {
        separated += field->text().contains(QLatin1Char(',')) ? 1 : 0;
        QVERIFY2(field->hasFocus() || !bare.match(field->text()).hasMatch(), qPrintable(field->text()));
    }
    QVERIFY(separated >= 2);
    QVERIFY(e.editor<UnitField>("workload.sequence_length").text().startsWith(QStringLiteral("16,384")));
    QVERIFY(e.editor<UnitField>("cluster.instances").text().startsWith(QStringLiteral("2,048")));
}

void TestEditor::refusedTextStaysAndIsExplained() {
    Editor e;
    e.type("workload.tokens", "80 GB");
    auto& field = e.editor<UnitField>("workload.tokens");
    QCOMPARE(field.text(), QStringLiteral("80 GB"));
    QVERIFY(!e.row("workload.tokens").message().isEmpty());
    QCOMPARE(*e.document->spec().workload.tokens, 15.6e12);
    QCOMPARE(e.document->undoStack()->count(), 0);
    // Another edit does not wipe it out.
    e.type("workload.global_batch", "1024");
    e.settle();
    QCOMPARE(field.text(), QStringLiteral("80 GB"));
    // A mended text does.
    e.type("workload.tokens", "8 T");
    QVERIFY(e.row("workload.tokens").message().isEmpty());
    QCOMPARE(*e.document->spec().workload.tokens, 8e12);
}

void TestEditor::illegalDegreesAreNotOffered() {
    Editor e;
    const QList<int> legal = e.editor<DegreeField>("plan.tensor_parallel").spinBox()->legalValues();
    QVERIFY(legal.contains(8));
    QVERIFY(!legal.contains(3)); // 128 heads
    QVERIFY(std::ranges::is_sorted(legal));
    LegalSpinBox* spin = e.editor<DegreeField>("plan.tensor_parallel").spinBox();
    spin->setFocus();
    spin->selectAll();
    QTest::keyClicks(spin, QStringLiteral("3"));
    QTest::keyClick(spin, Qt::Key_Return);
    QVERIFY(*e.document->spec().plan.tensorParallel != 3);
}

void TestEditor::derivedDegreeIsText() {
    Editor e;
    auto labels = e.row("plan.data_parallel").findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->isVisible() && label->text() == QStringLiteral("128, follows from the rest");
    }));
    QVERIFY(!e.editor<DegreeField>("plan.data_parallel").isVisible());
}

void TestEditor::defaultsAreShownWithTheirOrigin() {
    Editor e;
    auto& overlap = e.editor<UnitField>("plan.overlap.tensor");
    QVERIFY(overlap.text().isEmpty());
    QCOMPARE(overlap.placeholderText(), QStringLiteral("0 %, default"));
    QVERIFY(e.row("plan.overlap.tensor").toolTip().contains(text(findField("plan.overlap.tensor")->doc)));
}

void TestEditor::resetTakesTheValueBack() {
    Editor e;
    auto* reset = e.row("plan.micro_batch").findChild<QToolButton*>();
    QVERIFY(reset->isVisible());
    QTest::mouseClick(reset, Qt::LeftButton);
    QVERIFY(!e.document->spec().plan.microBatch);
    QVERIFY(!reset->isVisible());
    e.document->undoStack()->undo();
    QCOMPARE(*e.document->spec().plan.microBatch, 1);
    // The same from the keyboard.
    auto& tokens = e.editor<UnitField>("workload.tokens");
    tokens.setFocus();
    QTest::keyClick(&tokens, Qt::Key_Backspace, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!e.document->spec().workload.tokens);
}

void TestEditor::choosingAnUltraServerLeavesTheInstance() {
    Editor e;
    auto& combo = e.editor<QComboBox>("cluster.instance");
    const int index = combo.findText(QStringLiteral("u-p6e-gb200x72"));
    QVERIFY(index >= 0);
    combo.setCurrentIndex(index);
    emit combo.activated(index);
    QVERIFY(!e.document->spec().cluster.instance);
    QCOMPARE(*e.document->spec().cluster.ultraserver, std::string("u-p6e-gb200x72"));
    QCOMPARE(*e.document->spec().cluster.ultraservers, (16384 + 71) / 72); // as many GPUs as before
    QVERIFY(e.row("cluster.ultraservers").isVisible());
    QVERIFY(!e.row("cluster.instances").isVisible());
    e.document->undoStack()->undo();
    QCOMPARE(*e.document->spec().cluster.instance, std::string("p5.48xlarge"));
    QCOMPARE(*e.document->spec().cluster.instances, 2048);
}

void TestEditor::unknownIdIsRefused() {
    Editor e;
    auto& combo = e.editor<QComboBox>("workload.model");
    combo.lineEdit()->setFocus();
    combo.lineEdit()->selectAll();
    QTest::keyClicks(combo.lineEdit(), QStringLiteral("Llama 3.1 406B"));
    QTest::keyClick(combo.lineEdit(), Qt::Key_Return);
    QCOMPARE(*e.document->spec().workload.model, std::string("llama-3.1-405b"));
    QVERIFY2(e.row("workload.model").message().contains(QStringLiteral("Llama 3.1 405B")),
             qPrintable(e.row("workload.model").message()));
    combo.lineEdit()->selectAll();
    QTest::keyClicks(combo.lineEdit(), QStringLiteral("llama-3.1-70b")); // an id does as well
    QTest::keyClick(combo.lineEdit(), Qt::Key_Return);
    QCOMPARE(*e.document->spec().workload.model, std::string("llama-3.1-70b"));
    QVERIFY(e.row("workload.model").message().isEmpty());
}

void TestEditor::wordsThatStandAloneReplaceTheOthers() {
    Editor e;
    const auto actions = e.editor<MenuCombo>("plan.recompute").menu()->actions();
    const auto trigger = [&](const char* word) {
        for (QAction* action : actions)
            if (action->data().toString() == QLatin1String(word))
                action->trigger();
    };
    QCOMPARE(*e.document->spec().plan.recompute, (std::vector<std::string>{"norms", "glu"}));
    trigger("full");
    QCOMPARE(*e.document->spec().plan.recompute, (std::vector<std::string>{"full"}));
    trigger("core_attention");
    QCOMPARE(*e.document->spec().plan.recompute, (std::vector<std::string>{"core_attention"}));
    trigger("norms");
    QCOMPARE(*e.document->spec().plan.recompute, (std::vector<std::string>{"core_attention", "norms"}));
    trigger("core_attention");
    QCOMPARE(*e.document->spec().plan.recompute, (std::vector<std::string>{"norms"}));
}

void TestEditor::ownPriceOpensItsField() {
    Editor e;
    QVERIFY(!e.row("cluster.dollars_per_instance_hour").isVisible());
    e.document->setField(*findField("cluster.purchase"), QStringLiteral("custom"));
    QVERIFY(e.row("cluster.dollars_per_instance_hour").isVisible());
    e.type("cluster.dollars_per_instance_hour", "$38/h");
    QCOMPARE(*e.document->spec().cluster.dollarsPerInstanceHour, 38.0);
}

void TestEditor::problemIsShownAtItsField() {
    ScenarioSpec spec = test::sampleSpec();
    spec.plan.tensorParallel = 24;
    Editor e(spec);
    QVERIFY(!e.document->estimate()->runs);
    QVERIFY(!e.row("plan.tensor_parallel").message().isEmpty());
    e.document->setField(*findField("plan.tensor_parallel"), QStringLiteral("8"));
    e.settle();
    QVERIFY(e.row("plan.tensor_parallel").message().isEmpty());
}

void TestEditor::stepsOfOneGestureAreOneUndoStep() {
    Editor e;
    LegalSpinBox* spin = e.editor<DegreeField>("plan.tensor_parallel").spinBox();
    spin->setFocus();
    QTest::keyClick(spin, Qt::Key_Down);
    QTest::keyClick(spin, Qt::Key_Down);
    QTest::keyClick(spin, Qt::Key_Down);
    QCOMPARE(*e.document->spec().plan.tensorParallel, 1);
    QCOMPARE(e.document->undoStack()->count(), 1);
    e.document->undoStack()->undo();
    QCOMPARE(*e.document->spec().plan.tensorParallel, 8);
}

void TestEditor::previewIsShownAndNotOfferedForReset() {
    Editor e;
    e.document->preview({"Set tensor parallel to 4", {{"plan.tensor_parallel", "4"}}});
    QCOMPARE(e.editor<DegreeField>("plan.tensor_parallel").value(), 4);
    QVERIFY(!e.row("plan.tensor_parallel").findChild<QToolButton*>()->isVisible());
    e.document->endPreview();
    QCOMPARE(e.editor<DegreeField>("plan.tensor_parallel").value(), 8);
}

void TestEditor::fieldsAppearWhereTheyMeanSomething_data() {
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("condition"); // field and value that bring it
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const char* path, const char* condition, const char* value) {
        QTest::newRow(path) << QByteArray(path) << QByteArray(condition) << QByteArray(value);
    };
    row("plan.expert_parallel", "workload.model", "deepseek-v3");
    row("plan.node_limit", "workload.model", "deepseek-v3");
    row("plan.overlap.expert", "workload.model", "mixtral-8x22b");
    row("workload.finetune.rank", "workload.finetune.kind", "lora");
    row("workload.finetune.targets", "workload.finetune.kind", "lora");
    row("plan.context_parallel_kind", "plan.context_parallel", "2");
    row("plan.shard_size", "plan.sharding", "hsdp");
    row("plan.fp8_recipe", "plan.precision", "fp8");
}

void TestEditor::fieldsAppearWhereTheyMeanSomething() {
    QFETCH(QByteArray, path);
    QFETCH(QByteArray, condition);
    QFETCH(QByteArray, value);
    Editor e;
    QVERIFY(!e.row(path.constData()).isVisible());
    e.document->setField(*findField(condition.toStdString()), QString::fromUtf8(value));
    e.settle();
    QVERIFY(e.row(path.constData()).isVisible());
    e.document->undoStack()->undo();
    QVERIFY(!e.row(path.constData()).isVisible());
}

void TestEditor::recomputeOffersWhatTheModelHas() {
    Editor e;
    const auto offered = [&e] {
        QStringList words;
        for (const QAction* action : e.editor<MenuCombo>("plan.recompute").menu()->actions())
            if (action->isVisible() && !action->isSeparator())
                words.append(action->text());
        return words;
    };
    QVERIFY(offered().contains(QStringLiteral("GLU product")));
    QVERIFY(!offered().contains(QStringLiteral("Expert activation")));
    QCOMPARE(offered().count(QStringLiteral("Norms")), 1); // two words, one meaning
    e.document->setField(*findField("workload.model"), QStringLiteral("mixtral-8x22b"));
    e.settle();
    QVERIFY(offered().contains(QStringLiteral("Expert activation")));
    QVERIFY(!offered().contains(QStringLiteral("MLA up-projections")));
}

void TestEditor::everyFocusableWidgetHasAName() {
    Editor e;
    for (QToolButton* more : e.view->findChildren<QToolButton*>())
        if (more->isCheckable())
            more->setChecked(true);
    for (const QWidget* widget : e.view->findChildren<QWidget*>())
        if (widget->isVisible() && widget->focusPolicy() != Qt::NoFocus && widget->focusProxy() == nullptr)
            QVERIFY2(!widget->accessibleName().isEmpty(),
                     qPrintable(QStringLiteral("%1 in %2")
                                    .arg(QLatin1String(widget->metaObject()->className()),
                                         widget->parentWidget()->objectName())));
}

QTEST_MAIN(TestEditor)

} // namespace tst_editor

#include "tst_editor.moc"
