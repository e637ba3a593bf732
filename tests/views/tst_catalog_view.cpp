// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "model/catalog/catalog.h"
#include "tests/views/counting_engine.h"
#include "views/catalog/catalog_model.h"
#include "views/catalog/catalog_sheet.h"
#include "views/catalog/catalog_table.h"
#include "views/catalog/catalog_view.h"
#include "views/catalog/provenance_panel.h"
#include "views/kit/item_roles.h"
#include "views/theme/theme_controller.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QTest>
#include <QUndoStack>

namespace tst_catalog_view {

using namespace alidade;
using namespace alidade::views;
using data::CatalogKind;

namespace {

struct Fixture {
    test::CountedModel model;
    Document document{test::shippedCatalog(), model.engine()};
    CatalogEditor editor{&document, test::shippedCatalog()};
};

const QString efaKey = QStringLiteral("efa_bandwidth_gb_per_s_per_direction");

QString cellOf(const CatalogSheet& sheet, const char* id, const char* key) {
    const int row = sheet.rowOf(QLatin1String(id));
    const int column = sheet.columnOf(QLatin1String(key));
    return row < 0 || column < 0 ? QStringLiteral("?") : sheet.rows[row].cells[column].shown;
}

} // namespace

class TestCatalogView : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void sheetsAreComplete();
    void valuesAreThoseOfTheCatalog();
    void modelIsSound();
    void modelFollowsEditsInPlace();
    void sortKeepsTheUnpublishedAtTheEnd();
    void filtersCompareNumbers();
    void oldPricesAreMarked();
    void entryOfTheScenarioIsChosen();
    void provenanceIsShown();
    void copiesAsTsv();
    void marks();
};

void TestCatalogView::sheetsAreComplete() {
    Fixture f;
    for (const CatalogKind kind : sheetKinds()) {
        const CatalogSheet sheet = sheetOf(f.editor, kind);
        QCOMPARE(static_cast<int>(sheet.rows.size()), entryCount(*test::shippedCatalog(), kind));
        QVERIFY(!sheet.rows.isEmpty());
        QCOMPARE(sheet.columns.first().key, QStringLiteral("id"));
        QVERIFY2(std::ranges::count(sheet.columns, true, &CatalogSheet::Column::common) >= 3,
                 qPrintable(sheet.title));
        for (const CatalogSheet::Row& row : sheet.rows) {
            QCOMPARE(row.cells.size(), sheet.columns.size());
            QVERIFY(provenanceOf(*test::shippedCatalog(), kind, row.id) != nullptr);
            for (const CatalogSheet::Cell& cell : row.cells)
                QVERIFY(!cell.shown.isEmpty() && !cell.yours);
        }
    }
}

void TestCatalogView::valuesAreThoseOfTheCatalog() {
    Fixture f;
    const CatalogSheet instances = sheetOf(f.editor, CatalogKind::instances);
    QCOMPARE(cellOf(instances, "p5.48xlarge", "gpu_memory_gb_total"), QStringLiteral("640"));
    QCOMPARE(cellOf(instances, "p5.48xlarge", "efa_bandwidth_gb_per_s_per_direction"), QStringLiteral("400"));
    QCOMPARE(cellOf(instances, "p5.48xlarge", "nvlink_bandwidth_tb_per_s_total_bidirectional"),
             QStringLiteral("7.2"));
    QCOMPARE(cellOf(sheetOf(f.editor, CatalogKind::efa), "efa3", "latency_vs_previous_percent"),
             QStringLiteral("−35"));
    const CatalogSheet models = sheetOf(f.editor, CatalogKind::models);
    QCOMPARE(cellOf(models, "llama-3.1-405b", "layers"), QStringLiteral("126"));
    QCOMPARE(cellOf(models, "deepseek-v3", "moe.routed_experts"), QStringLiteral("256"));
    QVERIFY(cellOf(models, "llama-3.1-405b", "computed_parameters").startsWith(QStringLiteral("405.9")));
}

void TestCatalogView::modelIsSound() {
    Fixture f;
    CatalogModel model(&f.editor);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    CatalogFilter filter;
    filter.setSourceModel(&model);
    QAbstractItemModelTester filterTester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (const CatalogKind kind : {CatalogKind::gpus, CatalogKind::instances, CatalogKind::efa}) {
        model.setKind(kind);
        QCOMPARE(filter.rowCount(), static_cast<int>(model.sheet().rows.size()));
    }
    // Entries come, go and come back under the testers' eyes.
    QString made;
    f.editor.duplicate(CatalogKind::efa, QStringLiteral("efa1"), &made);
    QVERIFY(model.sheet().rowOf(made) >= 0);
    f.editor.setText({CatalogKind::efa, made, QStringLiteral("nitro_version")}, QStringLiteral("9"));
    while (f.editor.undoStack()->canUndo())
        f.editor.undoStack()->undo();
    QCOMPARE(model.sheet().rowOf(made), -1);
    f.editor.undoStack()->redo();
    QVERIFY(model.sheet().rowOf(made) >= 0);
}

void TestCatalogView::modelFollowsEditsInPlace() {
    Fixture f;
    CatalogModel model(&f.editor);
    model.setKind(CatalogKind::instances);
    const QPersistentModelIndex last = model.index(model.rowCount() - 1, 0);
    const QString id = last.data().toString();
    const int column = model.sheet().columnOf(efaKey);
    const int row = model.sheet().rowOf(QStringLiteral("p5.48xlarge"));
    QVERIFY(model.setData(model.index(row, column), QStringLiteral("3200 Gbps"), Qt::EditRole));
    QCOMPARE(model.index(row, column).data().toString(), QStringLiteral("400")); // says what is shipped
    QVERIFY(model.setData(model.index(row, column), QStringLiteral("800 Gbps"), Qt::EditRole));
    QCOMPARE(model.index(row, column).data().toString(), QStringLiteral("100"));
    QString made;
    f.editor.duplicate(CatalogKind::instances, QStringLiteral("p5.48xlarge"), &made);
    QVERIFY(last.isValid());
    QCOMPARE(last.data().toString(), id);
}

void TestCatalogView::sortKeepsTheUnpublishedAtTheEnd() {
    Fixture f;
    CatalogModel model(&f.editor);
    model.setKind(CatalogKind::instances);
    CatalogFilter filter;
    filter.setSourceModel(&model);
    const int column = model.sheet().columnOf(efaKey);
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        filter.sort(column, order);
        bool ended = false;
        double last = order == Qt::AscendingOrder ? -1 : 1e300;
        for (int row = 0; row < filter.rowCount(); ++row) {
            const QVariant value = filter.index(row, column).data(Qt::EditRole);
            if (!value.isValid()) {
                ended = true;
                continue;
            }
            QVERIFY(!ended);
            QVERIFY(order == Qt::AscendingOrder ? value.toDouble() >= last : value.toDouble() <= last);
            last = value.toDouble();
        }
        QVERIFY(ended);
    }
}

void TestCatalogView::filtersCompareNumbers() {
    Fixture f;
    CatalogModel model(&f.editor);
    model.setKind(CatalogKind::instances);
    CatalogFilter filter;
    filter.setSourceModel(&model);
    const int gpus = model.sheet().columnOf(QStringLiteral("gpus"));
    filter.setColumnFilter(gpus, QStringLiteral(">= 8"));
    QVERIFY(filter.rowCount() > 0 && filter.rowCount() < model.rowCount());
    for (int row = 0; row < filter.rowCount(); ++row)
        QVERIFY(filter.index(row, gpus).data(Qt::EditRole).toDouble() >= 8);
    filter.setColumnFilter(0, QStringLiteral("P5"));
    for (int row = 0; row < filter.rowCount(); ++row)
        QVERIFY(filter.index(row, 0).data().toString().contains(QStringLiteral("p5")));
    filter.clearFilters();
    QCOMPARE(filter.rowCount(), model.rowCount());
    filter.setRowFilter(QStringLiteral("h200"));
    QVERIFY(filter.rowCount() > 0 && filter.rowCount() < model.rowCount());
    filter.setRowFilter({});
    filter.setTouchedOnly(true);
    QCOMPARE(filter.rowCount(), 0);
}

void TestCatalogView::oldPricesAreMarked() {
    Fixture f;
    CatalogModel model(&f.editor);
    model.setKind(CatalogKind::prices);
    const int column = model.sheet().columnOf(QStringLiteral("date"));
    int row = 0;
    while (model.sheet().rows[row].cells[column].shown != QStringLiteral("2026-09-19"))
        ++row;
    model.setToday(QDate(2026, 12, 18)); // 90 days later
    QCOMPARE(model.index(row, column).data().toString(), QStringLiteral("2026-09-19"));
    model.setToday(QDate(2026, 12, 19));
    QVERIFY(model.index(row, column).data().toString().contains(QStringLiteral("old")));
    QVERIFY(model.index(row, column).data(Qt::DecorationRole).isValid());
    QVERIFY(model.index(row, column).data(Qt::ToolTipRole).toString().contains(QStringLiteral("91")));
}

void TestCatalogView::entryOfTheScenarioIsChosen() {
    test::CountedModel model;
    Document document(test::shippedCatalog(), model.engine());
    document.open(test::sampleSpec(), {});
    CatalogView view(&document);
    present(view, {1200, 800});
    QCOMPARE(view.table()->currentIndex().siblingAtColumn(0).data().toString(),
             QStringLiteral("p5.48xlarge"));
    view.showKind(QStringLiteral("models"));
    QCOMPARE(view.table()->currentIndex().siblingAtColumn(0).data().toString(),
             QStringLiteral("llama-3.1-405b"));
    QTRY_VERIFY(!document.busy());
}

void TestCatalogView::provenanceIsShown() {
    test::CountedModel model;
    Document document(test::shippedCatalog(), model.engine());
    CatalogView view(&document);
    const Instance* instance = test::shippedCatalog()->instance("p5.48xlarge");
    QVERIFY(!instance->provenance.conflicts.empty());
    view.showCell({CatalogKind::instances, QStringLiteral("p5.48xlarge"), efaKey});
    QStringList said;
    for (const QLabel* label : view.findChild<ProvenancePanel*>()->findChildren<QLabel*>())
        if (!label->isHidden())
            said.append(label->text());
    const QString all = said.join(QLatin1Char('\n'));
    QVERIFY(all.contains(QStringLiteral("p5.48xlarge")));
    QVERIFY(all.contains(QString::fromStdString(instance->provenance.conflicts.front())));
    for (const Source& source : instance->provenance.sources)
        QVERIFY2(all.contains(QString::fromStdString(source.title).toHtmlEscaped()), source.title.c_str());
}

void TestCatalogView::copiesAsTsv() {
    test::CountedModel model;
    Document document(test::shippedCatalog(), model.engine());
    CatalogView view(&document);
    present(view, {1200, 800});
    view.showKind(QStringLiteral("efa"));
    view.table()->selectAll();
    view.table()->setFocus();
    QTest::keyClick(view.table(), Qt::Key_C, Qt::ControlModifier);
    const QString copied = QGuiApplication::clipboard()->text();
    QVERIFY2(copied.contains(QStringLiteral("efa3\t")), qPrintable(copied));
}

void TestCatalogView::marks() {
    Fixture f;
    CatalogModel model(&f.editor);
    model.setKind(CatalogKind::instances);
    const int row = model.sheet().rowOf(QStringLiteral("p5.48xlarge"));
    const int column = model.sheet().columnOf(efaKey);
    const auto mark = [&](int at, const QString& key) {
        return model.index(at, model.sheet().columnOf(key)).data(markRole).value<CellMark>();
    };
    // The recorded disagreement is about the drives, so it is there.
    QVERIFY(mark(row, QStringLiteral("local_nvme_tb_raw")).disagree);
    QVERIFY(!mark(row, efaKey).yours && !mark(row, efaKey).disagree && !mark(row, efaKey).refused);
    f.editor.setText(model.cellAt(model.index(row, column)), QStringLiteral("90 GB/s"));
    QVERIFY(mark(row, efaKey).yours);
    QVERIFY(model.index(row, column).data(Qt::ToolTipRole).toString().contains(QStringLiteral("400")));
    f.editor.setText(model.cellAt(model.index(row, column)), QStringLiteral("fast"));
    QVERIFY(mark(row, efaKey).refused);
    QCOMPARE(model.index(row, column).data().toString(), QStringLiteral("fast"));
    QString made;
    f.editor.duplicate(CatalogKind::instances, QStringLiteral("p5.48xlarge"), &made);
    QVERIFY(mark(model.sheet().rowOf(made), QStringLiteral("gpus")).yours);
}

QTEST_MAIN(TestCatalogView)

} // namespace tst_catalog_view

#include "tst_catalog_view.moc"
