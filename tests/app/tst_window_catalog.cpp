// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: serial
// The person's catalog in the window: kept in the workspace, undone from the Edit menu, followed by the plan.
#include "data/workspace/workspace_catalog.h"
#include "model/estimate/estimate.h"
#include "tests/app/workspace_fixture.h"
#include "views/catalog/catalog_editor.h"
#include "views/catalog/catalog_view.h"

namespace tst_window_catalog {

class TestWindowCatalog : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void changeIsThereAfterARestart();
    void undoOfTheEditMenuTakesItBack();
    void anotherWorkspaceHasItsOwnChanges();
    void readOnlyWorkspaceRefusesEdits();
    void planFollowsAPrice();

private:
    static views::CatalogEditor& editor(const WorkspaceFixture& w) {
        return w.window().findChild<views::CatalogView*>()->editor();
    }
    static std::size_t stored(const WorkspaceFixture& w) {
        return data::changesIn(w.session().content()).user.changes.size();
    }
    static QAction* undo(const WorkspaceFixture& w) {
        for (QAction* action : w.window().findChildren<QAction*>())
            if (action->shortcut() == QKeySequence(QKeySequence::Undo) &&
                action->text().startsWith(QStringLiteral("Undo")))
                return action;
        return nullptr;
    }
    const views::CatalogCell power_{data::CatalogKind::gpus, QStringLiteral("h100-sxm"),
                                    QStringLiteral("tdp_w")};
};

void TestWindowCatalog::initTestCase() { beginWindowTest(); }

void TestWindowCatalog::cleanup() { verifyNoWarnings(); }

void TestWindowCatalog::changeIsThereAfterARestart() {
    WorkspaceFixture w;
    QCOMPARE(editor(w).setText(power_, QStringLiteral("650 W")), QString());
    w.settle();
    QCOMPARE(stored(w), 1u);
    w.restart();
    QCOMPARE(stored(w), 1u);
    QCOMPARE(editor(w).user().changes.size(), 1u);
    QCOMPARE(w.document().catalog()->gpu("h100-sxm")->power->si(), 650.0);
}

void TestWindowCatalog::undoOfTheEditMenuTakesItBack() {
    WorkspaceFixture w;
    const double before = w.document().catalog()->gpu("h100-sxm")->power->si();
    QCOMPARE(editor(w).setText(power_, QStringLiteral("650 W")), QString());
    QVERIFY(w.window().showView(QStringLiteral("catalog")));
    QAction* action = undo(w);
    QVERIFY(action != nullptr && action->isEnabled());
    action->trigger();
    w.settle();
    QCOMPARE(stored(w), 0u);
    QCOMPARE(w.document().catalog()->gpu("h100-sxm")->power->si(), before);
}

void TestWindowCatalog::anotherWorkspaceHasItsOwnChanges() {
    WorkspaceFixture w;
    QCOMPARE(editor(w).setText(power_, QStringLiteral("650 W")), QString());
    w.settle();
    w.session().create(w.file(QStringLiteral("Other.alidade")));
    QTRY_COMPARE_WITH_TIMEOUT(w.session().name(), QStringLiteral("Other"), 20'000);
    QCOMPARE(editor(w).user().changes.size(), 0u);
    QVERIFY(w.document().catalog()->gpu("h100-sxm")->power->si() != 650.0);
    w.session().open(w.file());
    QTRY_COMPARE_WITH_TIMEOUT(w.session().name(), QStringLiteral("Plans"), 20'000);
    QCOMPARE(w.document().catalog()->gpu("h100-sxm")->power->si(), 650.0);
}

void TestWindowCatalog::readOnlyWorkspaceRefusesEdits() {
    WorkspaceFixture w;
    Settings settings = freshSettings();
    Fixture second(settings);
    second.window->library().session().open(w.file());
    QTRY_VERIFY_WITH_TIMEOUT(second.window->library().session().isOpen(), 20'000);
    views::CatalogEditor& editor = second.window->findChild<views::CatalogView*>()->editor();
    QVERIFY(!editor.setText(power_, QStringLiteral("650 W")).isEmpty());
    QCOMPARE(editor.user().changes.size(), 0u);
}

void TestWindowCatalog::planFollowsAPrice() {
    WorkspaceFixture w;
    w.openAndEdit();
    const auto dollars = [&] {
        const auto estimate = w.document().estimate();
        return estimate && estimate->cost ? estimate->cost->dollarsPerHour : 0.0;
    };
    QTRY_VERIFY_WITH_TIMEOUT(!w.document().busy() && dollars() > 0, 20'000);
    const double before = dollars();
    const views::CatalogCell price{data::CatalogKind::prices,
                                   QStringLiteral("p5.48xlarge/us-east-2/on_demand"),
                                   QStringLiteral("usd_per_hour")};
    QCOMPARE(editor(w).setText(price, QStringLiteral("$38/h")), QString());
    QTRY_COMPARE_WITH_TIMEOUT(dollars(), 64 * 38.0, 20'000);
    QVERIFY(before != dollars());
}

QTEST_MAIN(TestWindowCatalog)

} // namespace tst_window_catalog

#include "tst_window_catalog.moc"
