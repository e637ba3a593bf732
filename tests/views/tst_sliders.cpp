// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers are dragged on their labels and turned with Alt and the wheel.
#include "drive.h"
#include "model/catalog/catalog.h"
#include "model/scenario/fields.h"
#include "tests/views/counting_engine.h"
#include "views/catalog/catalog_editor.h"
#include "views/catalog/catalog_table.h"
#include "views/catalog/catalog_view.h"
#include "views/kit/degree_field.h"
#include "views/kit/field_label.h"
#include "views/kit/unit_field.h"
#include "views/scenario/field_row.h"
#include "views/scenario/scenario_view.h"
#include "views/theme/theme_controller.h"

#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>
#include <QWheelEvent>

namespace tst_sliders {

using namespace alidade;
using namespace alidade::views;

namespace {

struct Editor {
    test::CountedModel model;
    Document document{test::shippedCatalog(), model.engine()};
    ScenarioView view{&document};

    Editor() {
        present(view, {320, 900});
        document.open(test::sampleSpec(), {});
        settle();
    }
    void settle() { QTRY_VERIFY_WITH_TIMEOUT(!document.busy(), 20'000); }
    FieldLabel* label(const char* path) const {
        auto* found = view.row(path)->findChild<FieldLabel*>();
        view.row(path)->edit(); // into sight
        return found;
    }
    std::string text(const char* path) const {
        const Field* field = findField(path);
        return fieldText(*field, field->get(document.spec()));
    }
};

void press(QWidget* widget, const QPoint& at, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mousePress(widget, Qt::LeftButton, modifiers, at);
}

void move(QWidget* widget, const QPoint& at, Qt::KeyboardModifiers modifiers = {}) {
    QMouseEvent event(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                      modifiers);
    QCoreApplication::sendEvent(widget, &event);
}

void turn(QWidget* widget, const QPoint& at, int notches, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(at, widget->mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(widget, &event);
}

/// Layouts and paints of a widget.
class EventCount : public QObject {
public:
    explicit EventCount(QWidget* watched) { watched->installEventFilter(this); }
    bool eventFilter(QObject*, QEvent* event) override {
        layouts += event->type() == QEvent::LayoutRequest ? 1 : 0;
        paints += event->type() == QEvent::Paint ? 1 : 0;
        return false;
    }
    int layouts = 0, paints = 0;
};

} // namespace

class TestSliders : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }

    /// However long a drag takes, it is one undo step, and the estimate is that of where it ends.
    void aSlowDragIsOneUndoStep() {
        Editor e;
        const char* path = "workload.global_batch";
        const std::string before = e.text(path);
        FieldLabel* label = e.label(path);
        press(label, {5, 5});
        std::vector<std::string> seen;
        QObject::connect(&e.document, &Document::specChanged, label, [&] { seen.push_back(e.text(path)); });
        for (const int x : {13, 21, 29, 37}) {
            move(label, {x, 5});
            QTest::qWait(400); // longer than what separates two steps of a key
        }
        QTest::mouseRelease(label, Qt::LeftButton, {}, {37, 5});
        QVERIFY(seen.size() >= 4);
        QVERIFY(e.text(path) != before);
        QCOMPARE(e.document.undoStack()->count(), 1);
        e.settle();
        QCOMPARE(e.document.estimate()->scenario.workload.globalBatch,
                 e.document.spec().workload.globalBatch);
        e.document.undoStack()->undo();
        QCOMPARE(e.text(path), before);
        // The next drag is a separate step.
        for (int i = 0; i < 2; ++i) {
            press(label, {5, 5});
            move(label, {13, 5});
            QTest::mouseRelease(label, Qt::LeftButton, {}, {13, 5});
        }
        QCOMPARE(e.document.undoStack()->count(), 2);
    }

    /// Each estimate of a drag reaches every field. One that it does not change is neither laid out nor
    /// painted anew: a layout goes up to the window.
    void aDragLeavesOtherFieldsAlone() {
        Editor e;
        FieldLabel* label = e.label("workload.global_batch");
        auto* other = e.view.row("plan.context_parallel")->findChild<DegreeField*>();
        const QList<int> legal = other->spinBox()->legalValues();
        press(label, {20, 5});
        move(label, {16, 5});
        e.settle();
        QTest::qWait(50); // what opening the document and the start of the drag painted
        EventCount count(other);
        for (const int x : {12, 8, 4}) {
            move(label, {x, 5});
            e.settle();
            QTest::qWait(20);
        }
        QTest::mouseRelease(label, Qt::LeftButton, {}, {4, 5});
        QTest::qWait(50);
        QVERIFY(e.document.undoStack()->count() == 1);
        QCOMPARE(other->spinBox()->legalValues(), legal);
        QCOMPARE(count.layouts, 0);
        QCOMPARE(count.paints, 0);
    }

    /// A batch that is a multiple of a power of two stays one, so that the plan stays legal.
    void stepsStayLegal() {
        Editor e;
        FieldLabel* label = e.label("workload.global_batch");
        for (const int x : {9, 13, 21, 33}) {
            press(label, {5, 5});
            move(label, {x, 5});
            QTest::mouseRelease(label, Qt::LeftButton, {}, {x, 5});
            e.settle();
            QVERIFY2(e.document.estimate()->runs, e.text("workload.global_batch").c_str());
            e.document.undoStack()->undo();
        }
    }

    void degreesGoAlongTheirLegalValues() {
        Editor e;
        const char* path = "plan.tensor_parallel";
        FieldLabel* label = e.label(path);
        const auto* field = e.view.row(path)->findChild<DegreeField*>();
        const QList<int> legal = field->spinBox()->legalValues();
        const auto at = legal.indexOf(field->value());
        QVERIFY(at > 0);
        press(label, {40, 5});
        move(label, {36, 5}); // one step down
        QCOMPARE(e.text(path), std::to_string(legal[at - 1]));
        move(label, {-400, 5}); // the end
        QCOMPARE(e.text(path), std::to_string(legal.first()));
        QTest::mouseRelease(label, Qt::LeftButton, {}, {-400, 5});
        QCOMPARE(e.document.undoStack()->count(), 1);
    }

    /// A field that shows its default is dragged from there.
    void defaultsAreDraggedFrom() {
        Editor e;
        const char* path = "plan.overlap.tensor";
        QCOMPARE(e.document.setFields({{"plan.framework", "nemo-24"}}, QStringLiteral("set the framework")),
                 QString()); // which overlaps
        e.settle();
        const double present = *std::get_if<double>(
            std::make_unique<FieldValue>(findField(path)->get(e.document.estimate()->scenario)).get());
        QVERIFY(e.text(path).empty());
        FieldLabel* label = e.label(path);
        press(label, {20, 5});
        move(label, {12, 5});
        QTest::mouseRelease(label, Qt::LeftButton, {}, {12, 5});
        QVERIFY(!e.text(path).empty());
        const double now = std::get<double>(findField(path)->get(e.document.spec()));
        QVERIFY2(now < present && now > present / 2,
                 qPrintable(QStringLiteral("%1 of %2").arg(now).arg(present)));
    }

    void escapeGoesBack() {
        Editor e;
        const char* path = "workload.global_batch";
        const std::string before = e.text(path);
        FieldLabel* label = e.label(path);
        press(label, {5, 5});
        move(label, {45, 5});
        QVERIFY(e.text(path) != before);
        QTest::keyClick(&e.view, Qt::Key_Escape);
        QCOMPARE(e.text(path), before);
        move(label, {85, 5});
        QCOMPARE(e.text(path), before);
        QTest::mouseRelease(label, Qt::LeftButton, {}, {85, 5});
    }

    void altAndTheWheelStepWithoutFocus() {
        Editor e;
        const char* path = "workload.global_batch";
        const std::string before = e.text(path);
        FieldLabel* label = e.label(path);
        auto* field = e.view.row(path)->findChild<UnitField*>();
        e.view.row("plan.micro_batch")->edit();
        turn(field, {5, 5}, 1, {});
        QCOMPARE(e.text(path), before); // the panel scrolls
        turn(field, {5, 5}, 1, Qt::AltModifier);
        const std::string once = e.text(path);
        QVERIFY(once != before);
        turn(label, {5, 5}, -1, Qt::AltModifier);
        QCOMPARE(e.text(path), before);
        auto* tensor = e.view.row("plan.tensor_parallel")->findChild<DegreeField*>();
        const int degree = tensor->value();
        turn(tensor->spinBox(), {5, 5}, -1, Qt::AltModifier);
        QVERIFY(tensor->value() < degree);
    }

    /// In the catalog: all views follow, and a drag is one undo step and one change.
    void catalogNumbersAreDragged() {
        test::CountedModel model;
        Document document{test::shippedCatalog(), model.engine()};
        CatalogView view{&document};
        present(view, {1280, 800});
        const QString key = QStringLiteral("efa_bandwidth_gb_per_s_per_direction");
        const CatalogCell cell{data::CatalogKind::instances, QStringLiteral("p5.48xlarge"), key};
        view.showCell(cell);
        CatalogTable& table = *view.table();
        const QPoint at = table.visualRect(table.currentIndex()).center();
        const auto value = [&] { return document.catalog()->instance("p5.48xlarge")->efaPerDirection->si(); };
        const double before = value();
        QSignalSpy changed(&document, &Document::catalogChanged);
        press(table.viewport(), at, Qt::AltModifier);
        for (const int x : {8, 16, 24})
            move(table.viewport(), at + QPoint(x, 0), Qt::AltModifier);
        QTest::mouseRelease(table.viewport(), Qt::LeftButton, Qt::AltModifier, at + QPoint(24, 0));
        QVERIFY(changed.count() >= 3);
        QVERIFY(value() > before);
        const double dragged = value();
        QCOMPARE(view.editor().undoStack()->count(), 1);
        QCOMPARE(view.editor().user().changes.size(), std::size_t{1});
        view.editor().undoStack()->undo();
        QCOMPARE(value(), before);
        turn(table.viewport(), at, 2, Qt::AltModifier);
        turn(table.viewport(), at, 4, Qt::AltModifier);
        QCOMPARE(value(), dragged);
        QCOMPARE(view.editor().undoStack()->count(), 1);
        // A word is not a number.
        view.showCell({data::CatalogKind::instances, QStringLiteral("p5.48xlarge"), QStringLiteral("gpu")});
        turn(table.viewport(), table.visualRect(table.currentIndex()).center(), 2, Qt::AltModifier);
        QCOMPARE(view.editor().undoStack()->count(), 1);
    }
};

QTEST_MAIN(TestSliders)

} // namespace tst_sliders

#include "tst_sliders.moc"
