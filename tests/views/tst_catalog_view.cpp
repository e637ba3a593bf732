// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/catalog/catalog.h"
#include "tests/views/counting_engine.h"
#include "views/catalog/catalog_model.h"
#include "views/catalog/catalog_sheet.h"
#include "views/catalog/catalog_view.h"
#include "views/catalog/provenance_panel.h"
#include "views/kit/data_table_view.h"
#include "views/kit/item_roles.h"
#include "views/theme/theme_controller.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QTest>

using namespace alidade;
using namespace alidade::views;

namespace {

const CatalogSheet& sheetOf(const QList<CatalogSheet>& sheets, const char* kind) {
    const auto found = std::ranges::find(sheets, QLatin1String(kind), &CatalogSheet::kind);
    Q_ASSERT(found != sheets.end());
    return *found;
}

int columnOf(const CatalogSheet& sheet, const char* key) {
    const auto found = std::ranges::find(sheet.columns, QLatin1String(key), &CatalogSheet::Column::key);
    return found == sheet.columns.end() ? -1 : static_cast<int>(found - sheet.columns.begin());
}

QString cellOf(const CatalogSheet& sheet, const char* id, const char* key) {
    const auto row = std::ranges::find(sheet.rows, QLatin1String(id), &CatalogSheet::Row::id);
    const int column = columnOf(sheet, key);
    return row == sheet.rows.end() || column < 0 ? QStringLiteral("?") : row->cells[column].shown;
}

} // namespace

class TestCatalogView : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void sheetsAreComplete();
    void valuesAreThoseOfTheCatalog();
    void modelIsSound();
    void sortKeepsTheUnpublishedAtTheEnd();
    void filtersCompareNumbers();
    void entryOfTheScenarioIsChosen();
    void provenanceIsShown();
    void copiesAsTsv();
    void marks();
};

void TestCatalogView::sheetsAreComplete() {
    const auto catalog = test::shippedCatalog();
    const QList<CatalogSheet> sheets = sheetsOf(*catalog);
    QCOMPARE(sheetOf(sheets, "gpus").rows.size(), static_cast<qsizetype>(catalog->gpus.size()));
    QCOMPARE(sheetOf(sheets, "models").rows.size(), static_cast<qsizetype>(catalog->models.size()));
    for (const CatalogSheet& sheet : sheets) {
        QCOMPARE(sheet.columns.first().key, QStringLiteral("id"));
        QVERIFY2(std::ranges::count(sheet.columns, true, &CatalogSheet::Column::common) >= 3,
                 qPrintable(sheet.kind));
        for (const CatalogSheet::Row& row : sheet.rows) {
            QCOMPARE(row.cells.size(), sheet.columns.size());
            QVERIFY(row.provenance != nullptr);
            for (const CatalogSheet::Cell& cell : row.cells)
                QVERIFY(!cell.shown.isEmpty());
        }
    }
}

void TestCatalogView::valuesAreThoseOfTheCatalog() {
    const QList<CatalogSheet> sheets = sheetsOf(*test::shippedCatalog());
    const CatalogSheet& instances = sheetOf(sheets, "instances");
    QCOMPARE(cellOf(instances, "p5.48xlarge", "gpu_memory_gb_total"), QStringLiteral("640"));
    QCOMPARE(cellOf(instances, "p5.48xlarge", "efa_bandwidth_gb_per_s_per_direction"), QStringLiteral("400"));
    QCOMPARE(cellOf(instances, "p5.48xlarge", "nvlink_bandwidth_tb_per_s_total_bidirectional"),
             QStringLiteral("7.2"));
    QCOMPARE(cellOf(sheetOf(sheets, "efa"), "efa3", "latency_vs_previous_percent"), QStringLiteral("−35"));
    QCOMPARE(cellOf(sheetOf(sheets, "models"), "llama-3.1-405b", "layers"), QStringLiteral("126"));
    QVERIFY(cellOf(sheetOf(sheets, "models"), "llama-3.1-405b", "computed_parameters")
                .startsWith(QStringLiteral("405.9")));
}

void TestCatalogView::modelIsSound() {
    CatalogModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    CatalogFilter filter;
    filter.setSourceModel(&model);
    QAbstractItemModelTester filterTester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (const CatalogSheet& sheet : sheetsOf(*test::shippedCatalog())) {
        model.setSheet(sheet);
        QCOMPARE(filter.rowCount(), static_cast<int>(sheet.rows.size()));
    }
}

void TestCatalogView::sortKeepsTheUnpublishedAtTheEnd() {
    CatalogModel model;
    const QList<CatalogSheet> sheets = sheetsOf(*test::shippedCatalog());
    const CatalogSheet& instances = sheetOf(sheets, "instances");
    model.setSheet(instances);
    CatalogFilter filter;
    filter.setSourceModel(&model);
    const int column = columnOf(instances, "efa_bandwidth_gb_per_s_per_direction");
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
    CatalogModel model;
    const QList<CatalogSheet> sheets = sheetsOf(*test::shippedCatalog());
    const CatalogSheet& instances = sheetOf(sheets, "instances");
    model.setSheet(instances);
    CatalogFilter filter;
    filter.setSourceModel(&model);
    const int gpus = columnOf(instances, "gpus");
    filter.setColumnFilter(gpus, QStringLiteral(">= 8"));
    QVERIFY(filter.rowCount() > 0 && filter.rowCount() < model.rowCount());
    for (int row = 0; row < filter.rowCount(); ++row)
        QVERIFY(filter.index(row, gpus).data(Qt::EditRole).toDouble() >= 8);
    filter.setColumnFilter(0, QStringLiteral("P5"));
    for (int row = 0; row < filter.rowCount(); ++row)
        QVERIFY(filter.index(row, 0).data().toString().contains(QStringLiteral("p5")));
    filter.clearFilters();
    QCOMPARE(filter.rowCount(), model.rowCount());
}

void TestCatalogView::entryOfTheScenarioIsChosen() {
    test::CountedModel model;
    Document document(test::shippedCatalog(), model.engine());
    document.open(test::sampleSpec(), {});
    CatalogView view(&document);
    view.resize(1200, 800);
    view.show();
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
    view.showKind(QStringLiteral("instances"));
    const Instance* instance = test::shippedCatalog()->instance("p5.48xlarge");
    QVERIFY(!instance->provenance.conflicts.empty());
    for (int row = 0; row < view.table()->model()->rowCount(); ++row)
        if (view.table()->model()->index(row, 0).data().toString() == QStringLiteral("p5.48xlarge"))
            view.table()->setCurrentIndex(view.table()->model()->index(row, 3));
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
    view.resize(1200, 800);
    view.show();
    view.showKind(QStringLiteral("efa"));
    view.table()->selectAll();
    view.table()->setFocus();
    QTest::keyClick(view.table(), Qt::Key_C, Qt::ControlModifier);
    const QString copied = QGuiApplication::clipboard()->text();
    QVERIFY2(copied.contains(QStringLiteral("efa3\t")), qPrintable(copied));
}

void TestCatalogView::marks() {
    Catalog catalog;
    catalog.gpus.push_back({.id = "mine", .name = "Mine"});
    catalog.gpus.back().provenance.user = true;
    catalog.gpus.back().provenance.conflicts = {"somebody says otherwise"};
    const QList<CatalogSheet> sheets = sheetsOf(catalog);
    CatalogModel model;
    model.setSheet(sheetOf(sheets, "gpus"));
    const auto mark = model.index(0, 0).data(markRole).value<CellMark>();
    QVERIFY(mark.yours && mark.disagree);
    QVERIFY(!model.index(0, 1).data(markRole).value<CellMark>().disagree);
    QVERIFY(!model.index(0, 1).data(Qt::ToolTipRole).toString().isEmpty());
}

QTEST_MAIN(TestCatalogView)
#include "tst_catalog_view.moc"
