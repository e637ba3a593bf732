// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/window_fixture.h"
#include "views/cost/purchase_options.h"
#include "views/document/estimate_view.h"
#include "views/kit/cell_table.h"

#include <QHash>
#include <QTabBar>

#include <memory>

namespace tst_window_renewal {

/// An edit renews the views in front. One behind another tab waits, and is right when it comes to the front.
class TestWindowRenewal : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }

    void anEditRenewsTheViewsInFront();
    void aViewThatComesToTheFrontIsRight();
    void aViewThatWasFloatedIsRight();
    void pricesBehindATabCostNoEstimates();
};

namespace {

/// How often the table behind the picture of a view was filled.
class Fillings {
public:
    explicit Fillings(const ViewDock& dock) {
        const auto* view = qobject_cast<views::EstimateView*>(dock.view());
        if (view == nullptr)
            return;
        const views::CellTableModel* cells = view->dataTable()->cells();
        replaced_ = std::make_unique<QSignalSpy>(cells, &QAbstractItemModel::modelReset);
        renewed_ = std::make_unique<QSignalSpy>(cells, &QAbstractItemModel::headerDataChanged);
    }
    bool isCounted() const { return replaced_ != nullptr; }
    qsizetype count() const { return replaced_->count() + renewed_->count(); }

private:
    std::unique_ptr<QSignalSpy> replaced_, renewed_;
};

QString figuresOf(const ViewDock& dock) {
    const views::TextTable table = qobject_cast<views::EstimateView*>(dock.view())->dataTable()->textTable();
    QString figures;
    for (const QStringList& row : table.rows)
        figures += row.join(QLatin1Char('\t')) + QLatin1Char('\n');
    return figures;
}

} // namespace

void TestWindowRenewal::anEditRenewsTheViewsInFront() {
    Fixture f;
    f.openSample();
    settle();
    QHash<QString, std::shared_ptr<Fillings>> counts;
    for (const ViewDock* dock : f.window->plan().docks())
        counts.insert(dock->objectName(), std::make_shared<Fillings>(*dock));
    f.edit();
    f.settle();
    settle();
    int inFront = 0;
    int behind = 0;
    for (const ViewDock* dock : f.window->plan().docks()) {
        const Fillings& fillings = *counts[dock->objectName()];
        const bool isInFront = f.window->plan().isInFront(*dock);
        QCOMPARE(dock->view()->isSeen(), isInFront);
        if (!fillings.isCounted())
            continue;
        (isInFront ? inFront : behind) += 1;
        QVERIFY2(fillings.count() == (isInFront ? 1 : 0),
                 qPrintable(QStringLiteral("%1: %2").arg(dock->objectName()).arg(fillings.count())));
    }
    QVERIFY(inFront >= 3);
    QVERIFY(behind >= 3);
}

void TestWindowRenewal::aViewThatComesToTheFrontIsRight() {
    Fixture f;
    f.openSample();
    PlanPage& plan = f.window->plan();
    ViewDock* communication = plan.dock(QStringLiteral("communication"));
    plan.raise(QStringLiteral("communication"));
    settle();
    const QString before = figuresOf(*communication);
    QVERIFY(!before.isEmpty());
    plan.raise(QStringLiteral("layers"));
    settle();
    f.edit();
    f.settle();
    settle();
    QCOMPARE(figuresOf(*communication), before);

    // With the tab, as a person does it.
    const Fillings fillings(*communication);
    bool found = false;
    for (QTabBar* tabs : plan.findChildren<QTabBar*>())
        for (int i = 0; i < tabs->count(); ++i)
            if (tabs->isVisible() && tabs->tabText(i) == communication->windowTitle()) {
                found = true;
                QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(i).center());
            }
    QVERIFY(found);
    QTRY_VERIFY(plan.isInFront(*communication));
    QCOMPARE(fillings.count(), 1);
    QVERIFY(figuresOf(*communication) != before);
}

void TestWindowRenewal::aViewThatWasFloatedIsRight() {
    Fixture f;
    f.openSample();
    ViewDock* dock = f.window->plan().dock(QStringLiteral("communication"));
    f.edit();
    f.settle();
    settle();
    const Fillings fillings(*dock);
    dock->setFloating(true);
    QTRY_COMPARE(fillings.count(), 1);
    QVERIFY(dock->view()->isSeen());
}

/// Each price of the catalog is a separate estimate.
void TestWindowRenewal::pricesBehindATabCostNoEstimates() {
    Fixture f;
    f.openSample();
    settle();
    auto* prices = f.window->plan().findChild<views::PurchaseOptions*>();
    QVERIFY(prices != nullptr);
    const QSignalSpy renewed(prices, &QAbstractItemModel::modelReset);
    f.edit();
    f.settle();
    settle();
    QCOMPARE(renewed.count(), 0);
    f.window->plan().raise(QStringLiteral("cost"));
    QTRY_COMPARE(renewed.count(), 1);
    QTRY_VERIFY(prices->options().front().told);
}

QTEST_MAIN(TestWindowRenewal)

} // namespace tst_window_renewal

#include "tst_window_renewal.moc"
