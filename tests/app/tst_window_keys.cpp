// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow serial
// Hands on the keyboard: keys go through the real window to whatever has the focus.
#include "app/window/palette.h"
#include "app/window/shortcut_list.h"
#include "app/window/shortcuts_window.h"
#include "tests/app/window_fixture.h"
#include "tests/views/gallery.h"
#include "views/catalog/catalog_view.h"
#include "views/kit/cell_table.h"
#include "views/kit/degree_field.h"
#include "views/kit/unit_field.h"
#include "views/scenario/field_row.h"
#include "views/scenario/scenario_view.h"

#include <QComboBox>
#include <QTabBar>

#include <array>
#include <set>

namespace tst_window_keys {

class TestWindowKeys : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void undoInAFieldTakesBackTheEdit();
    void undoOfTypingStaysInTheField();
    void escapeTakesTheMessageAlong();
    void typingOverARefusedValueDropsItsMessage();
    void paletteShowsADockAndNeverHidesIt();
    void paletteFindsEverything();
    void paletteOnTheStartPage();
    void everyDockHasItsKey();
    void nextViewGoesThroughAllThatAreSeen();
    void shortcutsAreThoseOfTheActions();
    void guideOpensAtTheViewWhoseTabWasChosen();
    void menusOfOtherPagesAreDisabled();
};

namespace {

/// To whatever has the focus, as the platform delivers it.
void press(const Fixture& f, Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(f.window->windowHandle(), key, modifiers);
}

void type(const Fixture& f, const QString& words) {
    for (const QChar c : words)
        QTest::keyClick(f.window->windowHandle(), c.toLatin1());
}

views::FieldRow* rowOf(const Fixture& f, const char* path) {
    auto* editor = f.window->findChild<views::ScenarioView*>();
    editor->edit(path);
    return editor->row(path);
}

bool isWithin(const QWidget* widget, const QWidget* around) {
    return widget != nullptr && (widget == around || around->isAncestorOf(widget));
}

/// A dock behind a tab is shown, too, but outside of the page.
bool isToBeSeen(const PlanPage& plan, const ViewDock& dock) {
    return dock.isVisible() && plan.rect().contains(dock.geometry().center());
}

struct TypedField {
    const char* path;
    const char* value; ///< not the sample's
};
/// One of each kind of editor that takes text.
constexpr std::array typedFields = {TypedField{"workload.global_batch", "4096"},
                                    TypedField{"workload.tokens", "2T"},
                                    TypedField{"plan.tensor_parallel", "4"}, TypedField{"name", "other"},
                                    TypedField{"cluster.instance", "p5e.48xlarge"}};

std::string valueOfField(const Fixture& f, const char* path) {
    const Field& field = *findField(path);
    return fieldText(field, field.get(f.document().spec()));
}

} // namespace

void TestWindowKeys::initTestCase() { beginWindowTest(); }

void TestWindowKeys::cleanup() { verifyNoWarnings(); }

void TestWindowKeys::undoInAFieldTakesBackTheEdit() {
    Fixture f;
    f.openSample();
    for (const auto& [path, value] : typedFields) {
        const std::string before = valueOfField(f, path);
        const views::FieldRow* row = rowOf(f, path);
        const QWidget* focused = QApplication::focusWidget();
        QVERIFY2(isWithin(focused, row), path);
        press(f, Qt::Key_A, Qt::ControlModifier);
        type(f, QLatin1String(value));
        press(f, Qt::Key_Return);
        const std::string after = valueOfField(f, path);
        QVERIFY2(after != before, path);
        f.settle();
        QVERIFY2(QApplication::focusWidget() == focused, path); // committing keeps it
        press(f, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY2(valueOfField(f, path) == before, path);
        press(f, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY2(valueOfField(f, path) == after, path);
        // Back to the default: a field that is rarely used hides only once it is left.
        press(f, Qt::Key_Backspace, Qt::ControlModifier | Qt::ShiftModifier);
        f.settle();
        QVERIFY2(QApplication::focusWidget() == focused, path);
        press(f, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY2(valueOfField(f, path) == after, path);
        press(f, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY2(valueOfField(f, path) == before, path);
    }
}

void TestWindowKeys::undoOfTypingStaysInTheField() {
    Fixture f;
    f.openSample();
    f.edit(); // a step that must not be taken back
    rowOf(f, "workload.global_batch");
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(field != nullptr);
    const QString before = field->text();
    press(f, Qt::Key_End);
    type(f, QStringLiteral("77"));
    QVERIFY(field->text() != before);
    press(f, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(field->text(), before);
    QCOMPARE(f.document().undoStack()->index(), 1);
    press(f, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(f.document().undoStack()->index(), 0);
}

void TestWindowKeys::escapeTakesTheMessageAlong() {
    Fixture f;
    f.openSample();
    constexpr std::array refused = {
        TypedField{"workload.global_batch", "minus"}, TypedField{"workload.tokens", "-3"},
        TypedField{"cluster.instance", "p55.48xlarge"}, TypedField{"plan.pipeline_split", "x"}};
    for (const auto& [path, typed] : refused) {
        const std::string before = valueOfField(f, path);
        const views::FieldRow* row = rowOf(f, path);
        const QWidget* focused = QApplication::focusWidget();
        const auto shown = [focused] {
            const auto* combo = qobject_cast<const QComboBox*>(focused);
            return combo != nullptr ? combo->currentText() : qobject_cast<const QLineEdit*>(focused)->text();
        };
        const QString text = shown();
        press(f, Qt::Key_A, Qt::ControlModifier);
        type(f, QLatin1String(typed));
        press(f, Qt::Key_Return);
        QVERIFY2(!row->message().isEmpty(), path);
        QCOMPARE(shown(), QLatin1String(typed)); // it can be mended
        press(f, Qt::Key_Escape);
        QCOMPARE(row->message(), QString());
        QCOMPARE(shown(), text);
        QVERIFY2(valueOfField(f, path) == before, path);
        QVERIFY2(QApplication::focusWidget() == focused, path);
        // Undo brings the refused text back as it does any typing, not an older scenario.
        press(f, Qt::Key_A, Qt::ControlModifier);
        type(f, QLatin1String(typed));
        press(f, Qt::Key_Return);
        press(f, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(row->message(), QString());
        QVERIFY2(valueOfField(f, path) == before, path);
        press(f, Qt::Key_Escape);
        QCOMPARE(shown(), text);
    }
}

void TestWindowKeys::typingOverARefusedValueDropsItsMessage() {
    Fixture f;
    f.openSample();
    const views::FieldRow* row = rowOf(f, "workload.global_batch");
    press(f, Qt::Key_A, Qt::ControlModifier);
    type(f, QStringLiteral("0"));
    press(f, Qt::Key_Return);
    QVERIFY(!row->message().isEmpty());
    press(f, Qt::Key_A, Qt::ControlModifier);
    type(f, QStringLiteral("1024"));
    QCOMPARE(row->message(), QString());
    press(f, Qt::Key_Return);
    QCOMPARE(row->message(), QString());
    QCOMPARE(*f.document().spec().workload.globalBatch, 1024);
    // Refused once more, then another value comes from elsewhere.
    press(f, Qt::Key_A, Qt::ControlModifier);
    type(f, QStringLiteral("0"));
    press(f, Qt::Key_Return);
    QVERIFY(!row->message().isEmpty());
    f.document().undoStack()->undo();
    QCOMPARE(row->message(), QString());
    QVERIFY(qobject_cast<QLineEdit*>(QApplication::focusWidget())->text() != QStringLiteral("0"));
}

void TestWindowKeys::paletteShowsADockAndNeverHidesIt() {
    Fixture f;
    f.openSample();
    PlanPage& plan = f.window->plan();
    const auto go = [&f] {
        press(f, Qt::Key_K, Qt::ControlModifier);
        type(f, QStringLiteral("Timeline"));
        QCOMPARE(f.window->locator().shown().value(0), QStringLiteral("Timeline"));
        press(f, Qt::Key_Return);
    };
    const ViewDock* timeline = plan.dock(QStringLiteral("timeline"));
    for (int i = 0; i < 3; ++i) { // behind a tab, in front, closed
        go();
        QTRY_VERIFY(isToBeSeen(plan, *timeline));
        QVERIFY(isWithin(QApplication::focusWidget(), timeline->view()));
        if (i == 1) {
            press(f, Qt::Key_W, Qt::ControlModifier);
            QVERIFY(!timeline->isVisible());
        }
    }
    f.window->showView(QStringLiteral("catalog"));
    go();
    QCOMPARE(f.window->page(), QStringLiteral("plan"));
    QTRY_VERIFY(isToBeSeen(plan, *timeline));
    // Reopened by the dock's own switch it comes to the front as well.
    ViewDock* cost = plan.dock(QStringLiteral("cost"));
    cost->close();
    cost->toggleViewAction()->trigger();
    QTRY_VERIFY(isToBeSeen(plan, *cost));
}

void TestWindowKeys::paletteFindsEverything() {
    struct Search {
        const char *typed, *found, *page;
    };
    constexpr std::array searches = {Search{"p6-b300.48xlarge", "p6-b300.48xlarge", "catalog"},
                                     Search{"Add Entry", "Add Entry", "catalog"},
                                     Search{"h100-sxm", "H100 SXM5 80 GB", "catalog"},
                                     Search{"validation", "Validation", "validation"},
                                     Search{"Global batch", "Global batch", "plan"},
                                     Search{"Import Catalog", "Import Catalog", "catalog"},
                                     Search{"cost", "Cost", "plan"},
                                     Search{"Export Report As JSON", "As JSON", "plan"},
                                     Search{"theme dark", "Dark", "plan"},
                                     Search{"preferences font", "Larger Text", "plan"},
                                     Search{"keyboard", "Keyboard Shortcuts", "plan"}};
    const auto theme = views::ThemeController::instance().choice();
    const double size = views::ThemeController::instance().bodyPointSize();
    Fixture f;
    f.openSample();
    for (const auto& [typed, found, page] : searches) {
        press(f, Qt::Key_K, Qt::ControlModifier);
        type(f, QLatin1String(typed));
        const QStringList shown = f.window->locator().shown();
        QVERIFY2(shown.contains(QLatin1String(found)), qPrintable(shown.join(QStringLiteral("; "))));
        if (qstrcmp(typed, "h100-sxm") == 0)
            saveGrab(*f.window, QStringLiteral("palette"));
        for (qsizetype i = 0; i < shown.indexOf(QLatin1String(found)); ++i)
            press(f, Qt::Key_Down);
        press(f, Qt::Key_Return);
        QCOMPARE(f.window->page(), QLatin1String(page));
        for (QWidget* top : QApplication::topLevelWidgets())
            if (top != f.window.get() && top->isVisible())
                top->close();
        f.window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(f.window.get()));
    }
    views::ThemeController::instance().setChoice(theme);
    views::ThemeController::instance().setBodyPointSize(size);
}

void TestWindowKeys::paletteOnTheStartPage() {
    Fixture f;
    QCOMPARE(f.window->page(), QStringLiteral("start"));
    const QWidget* before = QApplication::focusWidget();
    press(f, Qt::Key_K, Qt::ControlModifier);
    QVERIFY(f.window->locator().isVisible() && f.window->locator().hasFocus());
    press(f, Qt::Key_Escape);
    QVERIFY(!f.window->locator().isVisible());
    QCOMPARE(QApplication::focusWidget(), before);
    press(f, Qt::Key_K, Qt::ControlModifier);
    type(f, QStringLiteral("validation"));
    press(f, Qt::Key_Return);
    QCOMPARE(f.window->page(), QStringLiteral("validation"));
    QVERIFY(f.window->locator().isVisible()); // the bar is there on this page
}

void TestWindowKeys::everyDockHasItsKey() {
    Fixture f;
    f.openSample();
    std::set<QString> keys;
    for (const ViewDock* dock : f.window->plan().docks()) {
        const QKeySequence shortcut = dock->goAction()->shortcut();
        QVERIFY2(!shortcut.isEmpty(), qPrintable(dock->objectName()));
        QVERIFY2(keys.insert(shortcut.toString()).second, qPrintable(shortcut.toString()));
        const QKeyCombination key = shortcut[0];
        press(f, key.key(), key.keyboardModifiers());
        QTRY_VERIFY2(isToBeSeen(f.window->plan(), *dock), qPrintable(dock->objectName()));
        QVERIFY2(isWithin(QApplication::focusWidget(), dock->view()), qPrintable(dock->objectName()));
    }
}

void TestWindowKeys::nextViewGoesThroughAllThatAreSeen() {
    Fixture f;
    f.openSample();
    settle();
    std::set<const QWidget*> reached;
    std::size_t seen = 1; // the answer
    for (const ViewDock* dock : f.window->plan().docks())
        seen += isToBeSeen(f.window->plan(), *dock) ? 1 : 0;
    QVERIFY(seen >= 4);
    for (std::size_t i = 0; i < seen; ++i) {
        press(f, Qt::Key_F6);
        reached.insert(f.window->plan().presentView());
    }
    QCOMPARE(reached.size(), seen);
    const views::View* last = f.window->plan().presentView();
    press(f, Qt::Key_F6);
    press(f, Qt::Key_F6, Qt::ShiftModifier);
    QCOMPARE(f.window->plan().presentView(), last);
}

/// What the list says is what the keys do: each line of a menu is the shortcut of an action, and none is
/// missing.
void TestWindowKeys::shortcutsAreThoseOfTheActions() {
    Fixture f;
    f.openSample();
    press(f, Qt::Key_Question);
    auto* list = f.window->findChild<ShortcutsWindow*>();
    QVERIFY(list != nullptr && list->isVisible());
    saveGrab(*list, QStringLiteral("shortcuts"));
    const views::TextTable table = list->table()->textTable();
    const auto has = [&table](const QString& keys, const QString& does) {
        return std::ranges::any_of(table.rows,
                                   [&](const QStringList& row) { return row[0] == keys && row[1] == does; });
    };
    int withKeys = 0;
    const std::function<void(const QMenu*)> check = [&](const QMenu* menu) {
        for (const QAction* action : menu->actions()) {
            if (action->menu() != nullptr) {
                check(action->menu());
            } else if (!action->shortcut().isEmpty()) {
                ++withKeys;
                QString words = action->text();
                words.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
                if (action->objectName() == QLatin1String("undo"))
                    words = QStringLiteral("Undo");
                if (action->objectName() == QLatin1String("redo"))
                    words = QStringLiteral("Redo");
                QStringList keys;
                for (const QKeySequence& each : action->shortcuts())
                    keys.append(each.toString(QKeySequence::NativeText));
                keys.removeDuplicates();
                QVERIFY2(has(keys.join(QStringLiteral(", ")), words), qPrintable(words));
            }
        }
    };
    for (const QAction* top : f.window->menuBar()->actions())
        check(top->menu());
    QVERIFY(withKeys > 30);
    QVERIFY(has(QStringLiteral("Del"), QStringLiteral("Reset to Shipped"))); // of one table alone
    // A key that is changed changes in the list.
    QAction* full = nullptr;
    for (QAction* action : f.window->findChildren<QAction*>())
        if (action->shortcut() == QKeySequence(Qt::Key_F11))
            full = action;
    QVERIFY(full != nullptr);
    full->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_F11));
    const auto lines = shortcutsOf(*f.window);
    QVERIFY(std::ranges::any_of(
        lines, [](const ShortcutLine& line) { return line.keys == QStringLiteral("Ctrl+F11"); }));
    list->close();
}

void TestWindowKeys::guideOpensAtTheViewWhoseTabWasChosen() {
    Fixture f;
    f.openSample();
    settle();
    QTabBar* tabs = nullptr;
    int tab = -1;
    for (QTabBar* each : f.window->plan().findChildren<QTabBar*>())
        for (int i = 0; i < each->count(); ++i)
            if (each->isVisible() && each->tabText(i) == QStringLiteral("Timeline")) {
                tabs = each;
                tab = i;
            }
    QVERIFY(tabs != nullptr);
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(tab).center());
    press(f, Qt::Key_F1);
    auto* guide = f.window->findChild<views::GuideWindow*>();
    QVERIFY(guide != nullptr);
    QCOMPARE(guide->chapter(), QStringLiteral("timeline"));
    guide->close();
    f.window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(f.window.get()));
    // A click into a view, also where nothing takes keys.
    auto* memory = f.window->plan().dock(QStringLiteral("memory"))->view();
    QTest::mouseClick(memory, Qt::LeftButton, {}, QPoint(4, memory->height() - 4));
    press(f, Qt::Key_F1);
    QCOMPARE(guide->chapter(), QStringLiteral("memory"));
    guide->close();
}

void TestWindowKeys::menusOfOtherPagesAreDisabled() {
    Fixture f;
    const auto enabled = [&f](const QString& words) {
        for (const QAction* action : f.window->findChildren<QAction*>())
            if (plainText(action) == words)
                return action->isEnabled();
        qWarning("no action %s", qPrintable(words));
        return false;
    };
    QVERIFY(!enabled(QStringLiteral("Save As")));
    QVERIFY(!enabled(QStringLiteral("As PDF")));
    QVERIFY(!enabled(QStringLiteral("Estimate Again")));
    f.openSample();
    QVERIFY(enabled(QStringLiteral("Save As")));
    QVERIFY(enabled(QStringLiteral("As PDF")));
    QVERIFY(enabled(QStringLiteral("Restore Default Layout")));
    const auto catalogMenu = [&f] {
        for (const QAction* top : f.window->menuBar()->actions())
            if (plainText(top) == QStringLiteral("Catalog"))
                return top->isEnabled();
        return true;
    };
    QVERIFY(!catalogMenu());
    f.window->showView(QStringLiteral("catalog"));
    QVERIFY(catalogMenu());
    QVERIFY(!enabled(QStringLiteral("Restore Default Layout")));
    QVERIFY(!enabled(QStringLiteral("Keep a Snapshot")));
}

QTEST_MAIN(TestWindowKeys)

} // namespace tst_window_keys

#include "tst_window_keys.moc"
