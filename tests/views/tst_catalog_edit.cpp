// SPDX-License-Identifier: GPL-3.0-or-later
// A person edits the catalog: keys, clipboard, buttons and links of the real page.
// ctest: slow
#include "drive.h"
#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "tests/views/counting_engine.h"
#include "tests/views/gallery.h"
#include "views/catalog/catalog_editor.h"
#include "views/catalog/catalog_table.h"
#include "views/catalog/catalog_view.h"
#include "views/catalog/cell_field.h"
#include "views/catalog/compare_pane.h"
#include "views/catalog/compare_rows.h"
#include "views/catalog/entry_dialog.h"
#include "views/catalog/price_book.h"
#include "views/catalog/provenance_panel.h"
#include "views/catalog/refusal_list.h"
#include "views/cost/cost_view.h"
#include "views/kit/item_roles.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>

namespace tst_catalog_edit {

using namespace alidade;
using namespace alidade::views;
using data::CatalogKind;

namespace {

const QString p5 = QStringLiteral("p5.48xlarge");
const QString efaKey = QStringLiteral("efa_bandwidth_gb_per_s_per_direction");
const QString gpusKey = QStringLiteral("gpus");

class Page {
public:
    Page() { present(view, {1280, 800}); }

    CatalogTable& table() { return *view.table(); }
    QModelIndex at(const QString& entry, const QString& key) {
        view.showCell({CatalogKind::instances, entry, key});
        return table().currentIndex();
    }
    QString text(const QString& entry, const QString& key) { return at(entry, key).data().toString(); }
    CellField* field() { return table().viewport()->findChild<CellField*>(); }
    /// Types over the current cell and ends with Enter.
    void type(const QString& words) {
        QTest::keyClicks(&table(), words.left(1));
        QVERIFY(field() != nullptr);
        QTest::keyClicks(field(), words.mid(1));
        QTest::keyClick(field(), Qt::Key_Return);
        QTRY_VERIFY(field() == nullptr);
    }
    void paste(const QString& block) {
        QGuiApplication::clipboard()->setText(block);
        QTest::keyClick(&table(), Qt::Key_V, Qt::ControlModifier);
    }
    QString said() { return view.findChild<RefusalList*>()->said(); }
    QString words(QWidget* under) {
        QStringList all;
        for (const QLabel* label : under->findChildren<QLabel*>())
            if (!label->isHidden())
                all.append(label->text());
        return all.join(QLatin1Char('\n'));
    }
    CatalogEditor& editor() { return view.editor(); }
    double efa() { return editor().catalog().instance("p5.48xlarge")->efaPerDirection->si() / 1e9; }

    test::CountedModel model;
    Document document{test::shippedCatalog(), model.engine()};
    CatalogView view{&document};
};

} // namespace

class TestCatalogEdit : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void typingAUnit();
    void aWrongTextIsExplainedWhileTyping();
    void aRefusedTextHasAFixUnderTheTable();
    void escapeGivesUp();
    void deleteResets();
    void undoAndRedo();
    void pastingABlock();
    void pastingSaysWhatWasNotTaken();
    void oneTextIntoManyCells();
    void fillDownOrDuplicate();
    void addAndDelete();
    void changedByMe();
    void panelResetsAndNotes();
    void comparing();
    void anotherViewFollows();
    void columnsAndFilterRow();
    void priceBook();
    void typingDownThePriceBook();
    void pricesBesideInstances();
    void gpusByName();
    void aCopyIsInViewWhateverIsFiltered();
    void nothingIsCutOff();
};

void TestCatalogEdit::typingAUnit() {
    Page page;
    page.at(p5, efaKey);
    page.type(QStringLiteral("800 Gbps"));
    QCOMPARE(page.efa(), 100.0);
    QCOMPARE(page.text(p5, efaKey), QStringLiteral("100"));
    QVERIFY(page.at(p5, efaKey).data(markRole).value<CellMark>().yours);
    // F2 shows the value with its unit.
    QTest::keyClick(&page.table(), Qt::Key_F2);
    QVERIFY(page.field() != nullptr);
    QCOMPARE(page.field()->text(), QStringLiteral("100 GB/s"));
    QTest::keyClick(page.field(), Qt::Key_Return);
    QCOMPARE(page.editor().undoStack()->count(), 1); // nothing was changed
}

void TestCatalogEdit::aWrongTextIsExplainedWhileTyping() {
    Page page;
    page.at(p5, efaKey);
    QTest::keyClick(&page.table(), Qt::Key_F2);
    QVERIFY(page.field()->reason().isEmpty());
    page.field()->selectAll();
    QTest::keyClicks(page.field(), QStringLiteral("800 Gb"));
    QVERIFY(!page.field()->reason().isEmpty());
    QTest::keyClicks(page.field(), QStringLiteral("ps"));
    QVERIFY2(page.field()->reason().isEmpty(), qPrintable(page.field()->reason()));
}

void TestCatalogEdit::aRefusedTextHasAFixUnderTheTable() {
    Page page;
    const double before = page.efa();
    page.at(p5, efaKey);
    page.type(QStringLiteral("800 Gb"));
    QCOMPARE(page.efa(), before);
    QCOMPARE(page.text(p5, efaKey), QStringLiteral("800 Gb"));
    QVERIFY(page.at(p5, efaKey).data(markRole).value<CellMark>().refused);
    auto* list = page.view.findChild<RefusalList*>();
    QVERIFY(page.words(list).contains(QStringLiteral("800 Gb")));
    QLabel* fix = nullptr;
    for (QLabel* label : list->findChildren<QLabel*>(QStringLiteral("refusalFix")))
        if (!label->isHidden())
            fix = label;
    QVERIFY(fix != nullptr);
    const QString proposal = page.editor().refusals().constFirst().proposal;
    emit fix->linkActivated(QStringLiteral("fix"));
    QVERIFY(page.editor().refusals().isEmpty());
    QVERIFY(page.editor().read({CatalogKind::instances, p5, efaKey}, proposal));
    QVERIFY(!page.at(p5, efaKey).data(markRole).value<CellMark>().refused);
}

void TestCatalogEdit::escapeGivesUp() {
    Page page;
    page.at(p5, efaKey);
    QTest::keyClicks(&page.table(), QStringLiteral("7"));
    QVERIFY(page.field() != nullptr);
    QTest::keyClick(page.field(), Qt::Key_Escape);
    QTRY_VERIFY(page.field() == nullptr);
    QCOMPARE(page.editor().undoStack()->count(), 0);
}

void TestCatalogEdit::deleteResets() {
    Page page;
    const QString shipped = page.text(p5, efaKey);
    page.type(QStringLiteral("90"));
    QCOMPARE(page.text(p5, efaKey), QStringLiteral("90"));
    QTest::keyClick(&page.table(), Qt::Key_Delete);
    QCOMPARE(page.text(p5, efaKey), shipped);
    QTest::keyClick(&page.table(), Qt::Key_Delete);
    QVERIFY(!page.said().isEmpty()); // nothing of one's own is left to reset
}

void TestCatalogEdit::undoAndRedo() {
    Page page;
    page.at(p5, efaKey);
    page.type(QStringLiteral("90"));
    page.type(QStringLiteral("95"));
    page.editor().undoStack()->undo();
    QCOMPARE(page.text(p5, efaKey), QStringLiteral("90"));
    QVERIFY2(page.editor().undoStack()->redoText().contains(QStringLiteral("95")),
             qPrintable(page.editor().undoStack()->redoText()));
    page.editor().undoStack()->redo();
    QCOMPARE(page.text(p5, efaKey), QStringLiteral("95"));
    QTest::keyClick(&page.table(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(page.text(p5, efaKey), QStringLiteral("90"));
}

void TestCatalogEdit::pastingABlock() {
    Page page;
    const QModelIndex first = page.at(p5, gpusKey);
    const int row = first.row();
    const QModelIndex below = first.siblingAtRow(row + 1);
    const QList<int> columns = page.table().shownColumns();
    const int second = columns[columns.indexOf(first.column()) + 1];
    page.paste(QStringLiteral("4\t321,5\r\n2\t160\r\n"));
    QCOMPARE(first.data().toString(), QStringLiteral("4"));
    QCOMPARE(first.siblingAtColumn(second).data().toString(), QStringLiteral("321.5"));
    QCOMPARE(below.data().toString(), QStringLiteral("2"));
    QCOMPARE(page.editor().undoStack()->count(), 1);
    QVERIFY(page.said().contains(QStringLiteral("4 of 4")));
    page.editor().undoStack()->undo();
    QCOMPARE(first.data().toString(), QStringLiteral("8"));

    // What is copied here can be pasted here: the same cells once more change nothing.
    page.table().selectAll();
    QTest::keyClick(&page.table(), Qt::Key_C, Qt::ControlModifier);
    QTest::keyClick(&page.table(), Qt::Key_V, Qt::ControlModifier);
    QVERIFY2(page.editor().refusals().isEmpty(), qPrintable(page.said()));
    QVERIFY2(data::changesInForce(page.editor().user()).empty(), qPrintable(page.said()));
}

void TestCatalogEdit::pastingSaysWhatWasNotTaken() {
    Page page;
    page.at(p5, QStringLiteral("id"));
    page.paste(QStringLiteral("other-id\tno-such-gpu\t7"));
    QCOMPARE(page.text(p5, gpusKey), QStringLiteral("7"));
    QCOMPARE(page.editor().refusals().size(), 1); // the GPU that does not exist stays, marked
    QVERIFY2(page.said().contains(QStringLiteral("1 of 3")), qPrintable(page.said()));
    QVERIFY2(page.said().contains(QStringLiteral("duplicate the entry")), qPrintable(page.said()));
    page.editor().undoStack()->undo();
    QVERIFY(page.editor().refusals().isEmpty());
    // Thousands or decimals? Nobody knows, so it stays out.
    page.at(p5, gpusKey);
    page.paste(QStringLiteral("4\t3,350\n4\t38,5"));
    QVERIFY2(page.said().contains(QStringLiteral("3,350")), qPrintable(page.said()));
}

void TestCatalogEdit::oneTextIntoManyCells() {
    Page page;
    const QModelIndex first = page.at(p5, gpusKey);
    page.table().selectionModel()->select(QItemSelection(first, first.siblingAtRow(first.row() + 2)),
                                          QItemSelectionModel::ClearAndSelect);
    page.paste(QStringLiteral("6"));
    for (int i = 0; i < 3; ++i)
        QCOMPARE(first.siblingAtRow(first.row() + i).data().toString(), QStringLiteral("6"));
    QCOMPARE(page.editor().undoStack()->count(), 1);
}

void TestCatalogEdit::fillDownOrDuplicate() {
    Page page;
    const QModelIndex first = page.at(p5, efaKey);
    page.type(QStringLiteral("90"));
    page.table().selectionModel()->select(QItemSelection(first, first.siblingAtRow(first.row() + 2)),
                                          QItemSelectionModel::ClearAndSelect);
    QTest::keyClick(&page.table(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(first.siblingAtRow(first.row() + 2).data().toString(), QStringLiteral("90"));
    QVERIFY(page.said().startsWith(QStringLiteral("Filled down")));

    const auto count = page.editor().catalog().instances.size();
    page.at(p5, QStringLiteral("id"));
    QTest::keyClick(&page.table(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(page.editor().catalog().instances.size(), count + 1);
    // The id of the copy is being typed.
    QVERIFY(page.field() != nullptr);
    page.field()->selectAll();
    QTest::keyClicks(page.field(), QStringLiteral("lab.8x"));
    QTest::keyClick(page.field(), Qt::Key_Return);
    QTRY_VERIFY2(page.editor().catalog().instance("lab.8x") != nullptr, qPrintable(page.said()));
    QVERIFY(page.at(QStringLiteral("lab.8x"), gpusKey).data(markRole).value<CellMark>().yours);
}

void TestCatalogEdit::addAndDelete() {
    Page page;
    page.view.findChild<QAction*>(QStringLiteral("catalogAdd"))->trigger();
    auto* dialog = page.view.findChild<EntryDialog*>();
    QVERIFY(dialog != nullptr);
    dialog->findChild<QLineEdit*>(QStringLiteral("entryId"))->setText(QStringLiteral("lab.4x"));
    dialog->findChild<QLineEdit*>(QStringLiteral("gpu"))->setText(QStringLiteral("h100-sx"));
    dialog->findChild<QLineEdit*>(QStringLiteral("gpus"))->setText(QStringLiteral("4"));
    QPushButton* add = nullptr;
    for (QPushButton* button : dialog->findChildren<QPushButton*>())
        if (button->isDefault())
            add = button;
    QVERIFY(add != nullptr && !add->isEnabled()); // there is no such GPU
    dialog->findChild<QLineEdit*>(QStringLiteral("gpu"))->setText(QStringLiteral("h100-sxm"));
    QVERIFY(add->isEnabled());
    add->click();
    QVERIFY(page.editor().catalog().instance("lab.4x") != nullptr);
    QCOMPARE(page.table().currentIndex().siblingAtColumn(0).data().toString(), QStringLiteral("lab.4x"));
    page.view.findChild<QAction*>(QStringLiteral("catalogDelete"))->trigger();
    QVERIFY(page.editor().catalog().instance("lab.4x") == nullptr);
    page.editor().undoStack()->undo();
    QVERIFY(page.editor().catalog().instance("lab.4x") != nullptr);
}

void TestCatalogEdit::changedByMe() {
    Page page;
    page.at(p5, efaKey);
    page.type(QStringLiteral("90"));
    auto* mine = page.view.findChild<QAction*>(QStringLiteral("catalogMine"));
    QVERIFY(mine->text().contains(QLatin1Char('1')));
    mine->trigger();
    QCOMPARE(page.table().model()->rowCount(), 1);
    QCOMPARE(page.table().model()->index(0, 0).data().toString(), p5);
    mine->trigger();
    QVERIFY(page.table().model()->rowCount() > 1);
}

void TestCatalogEdit::panelResetsAndNotes() {
    Page page;
    const QString shipped = page.text(p5, efaKey);
    page.type(QStringLiteral("90"));
    auto* panel = page.view.findChild<ProvenancePanel*>();
    QTRY_VERIFY2(page.words(panel).contains(shipped), qPrintable(page.words(panel)));
    const auto visible = [&](const QString& name) {
        QWidget* found = nullptr;
        for (QWidget* each : panel->findChildren<QWidget*>(name))
            if (!each->isHidden())
                found = each;
        return found;
    };
    qobject_cast<QPushButton*>(visible(QStringLiteral("editNote")))->click();
    auto* note = qobject_cast<QLineEdit*>(visible(QStringLiteral("noteField")));
    QVERIFY(note != nullptr);
    QTest::keyClicks(note, QStringLiteral("measured on our rack"));
    QTest::keyClick(note, Qt::Key_Return);
    QTRY_VERIFY(page.words(panel).contains(QStringLiteral("measured on our rack")));
    qobject_cast<QPushButton*>(visible(QStringLiteral("resetToShipped")))->click();
    QCOMPARE(page.text(p5, efaKey), shipped);
    // The history stays.
    QTRY_VERIFY(page.words(panel).contains(QStringLiteral("reset to shipped")));
}

void TestCatalogEdit::comparing() {
    Page page;
    page.view.findChild<QAction*>(QStringLiteral("catalogCompare"))->trigger();
    auto* pane = page.view.findChild<ComparePane*>();
    QVERIFY(pane->isVisible());
    pane->compare(CatalogKind::instances, p5, QStringLiteral("p6-b200.48xlarge"));
    const auto of = [&](const QString& label) -> std::optional<ComparedValue> {
        for (const ComparedValue& value : pane->model()->values())
            if (value.label.startsWith(label))
                return value;
        return std::nullopt;
    };
    QTRY_VERIFY(of(QStringLiteral("Total GPU memory")) && pane->model()->hidden() > 0);
    QVERIFY(!of(QStringLiteral("GPUs"))); // both have eight
    const Catalog& catalog = page.editor().catalog();
    const auto memory = of(QStringLiteral("Total GPU memory"));
    QVERIFY(memory && memory->ratio);
    QCOMPARE(*memory->ratio, catalog.instance("p6-b200.48xlarge")->gpuMemory->si() /
                                 catalog.instance("p5.48xlarge")->gpuMemory->si());
    QVERIFY(of(QStringLiteral("BF16 dense, one GPU")));
    // It follows an edit.
    page.at(p5, gpusKey);
    page.type(QStringLiteral("4"));
    QTRY_VERIFY(of(QStringLiteral("GPUs")));
    QVERIFY(of(QStringLiteral("GPUs"))->firstYours);
    // Many calls in a row read the catalog once.
    QSignalSpy reads(pane->model(), &QAbstractItemModel::modelReset);
    for (int i = 0; i < 50; ++i)
        pane->compare(CatalogKind::instances, p5, QStringLiteral("p6-b300.48xlarge"));
    QTRY_COMPARE(reads.size(), 1);
}

void TestCatalogEdit::anotherViewFollows() {
    Page page;
    CostView cost(&page.document);
    present(cost, {700, 500});
    page.document.open(test::sampleSpec(), {});
    QTRY_VERIFY(page.document.estimate() && !page.document.busy());
    const QString before = cost.aside();
    QVERIFY(!before.isEmpty());
    // The price that the scenario pays, halved.
    const auto& cluster = page.document.estimate()->scenario.cluster;
    const Price* price =
        page.editor().catalog().price(*cluster.instance, *cluster.region, Purchase::onDemand);
    QVERIFY(price != nullptr);
    const CatalogCell rate{CatalogKind::prices, QString::fromStdString(price->id),
                           QStringLiteral("usd_per_hour")};
    page.view.showCell(rate);
    page.type(QStringLiteral("$%1/h").arg(price->rate.si() / 2));
    QTRY_VERIFY(!page.document.busy() && cost.aside() != before);
    page.editor().undoStack()->undo();
    QTRY_COMPARE(cost.aside(), before);
}

void TestCatalogEdit::columnsAndFilterRow() {
    Page page;
    const int shown = static_cast<int>(page.table().shownColumns().size());
    page.table().setColumnHidden(page.table().shownColumns().constLast(), true);
    QCOMPARE(static_cast<int>(page.table().shownColumns().size()), shown - 1);
    // A kind keeps its columns while one looks at another.
    page.view.showKind(QStringLiteral("gpus"));
    page.view.showKind(QStringLiteral("instances"));
    QCOMPARE(static_cast<int>(page.table().shownColumns().size()), shown - 1);
    // Each kind has its own: what the one before hides is none of the next one's.
    page.view.showKind(QStringLiteral("prices"));
    for (const char* key : {"item", "usd_per_hour", "date"}) {
        const int column = page.view.columnOf(QLatin1String(key));
        QVERIFY2(page.table().shownColumns().contains(column), key);
        QVERIFY(page.table().columnWidth(column) > 20);
    }
    page.view.showKind(QStringLiteral("instances"));
    const int all = page.table().model()->rowCount();
    page.view.findChild<QAction*>(QStringLiteral("catalogFilter"))->trigger();
    QVERIFY(page.table().isFilterRowVisible());
    page.table().setFilterText(page.at(p5, gpusKey).column(), QStringLiteral(">= 8"));
    QTRY_VERIFY(page.table().model()->rowCount() < all);
    QVERIFY(page.table().model()->rowCount() > 0);
}

void TestCatalogEdit::priceBook() {
    Page page;
    ScenarioSpec spec = test::sampleSpec();
    spec.cluster.instances = 256;
    spec.workload.tokens = 1e12;
    page.document.open(spec, {});
    QTRY_VERIFY(page.document.estimate() && !page.document.busy());
    page.view.showKind(QStringLiteral("price-book"));
    auto* book = page.view.findChild<PriceBook*>();
    QVERIFY(book->isVisible());
    QVERIFY(book->rows()->rowCount() > 3);
    for (int row = 0; row < book->rows()->rowCount(); ++row)
        QCOMPARE(QString::fromStdString(book->rows()->priceAt(row)->item), p5);
    book->rows()->setToday(QDate(2100, 1, 1));
    QCOMPARE(book->rows()->oldPrices(), book->rows()->rowCount());
    QVERIFY2(page.words(book).contains(QStringLiteral("4 of 64 instances")), qPrintable(page.words(book)));

    const auto texts = book->rows()->discounted(0.2);
    QVERIFY(!texts.isEmpty());
    const std::string id = texts.constFirst().first.entry.toStdString();
    const auto rate = [&] {
        for (const Price& price : page.editor().catalog().prices)
            if (price.id == id)
                return price.rate.si();
        return 0.0;
    };
    const double before = rate();
    book->findChild<QPushButton*>(QStringLiteral("applyDiscount"))->click();
    QVERIFY(std::abs(rate() / before - 0.8) < 1e-6);
    QCOMPARE(page.editor().undoStack()->count(), 1);
    page.editor().undoStack()->undo();
    QCOMPARE(rate(), before);

    book->findChild<QPushButton*>(QStringLiteral("useDiscount"))->click();
    QCOMPARE(page.document.spec().cluster.purchase.value_or(""), std::string("custom"));
    QVERIFY(page.document.spec().cluster.dollarsPerInstanceHour.value_or(0) > 0);
    QTRY_VERIFY(!page.document.busy());
}

void TestCatalogEdit::typingDownThePriceBook() {
    Page page;
    page.document.open(test::sampleSpec(), {});
    page.view.showKind(QStringLiteral("gpus"));
    page.view.showKind(QStringLiteral("price-book"));
    auto* book = page.view.findChild<PriceBook*>();
    auto* panel = page.view.findChild<ProvenancePanel*>();
    DataTableView& prices = *book->table();
    const auto current = [&] { return prices.currentIndex().row(); };
    QCOMPARE(panel->cell(), book->rows()->cellAt(current()));
    prices.setCurrentIndex(book->rows()->index(0, PriceRows::rateColumn));
    prices.setFocus();
    QStringList ids;
    for (int row = 0; row < 3; ++row)
        ids.append(book->rows()->cellAt(row).entry);
    // The dearest first: a table sorted by price would move the rows under the hands.
    for (int row = 0; row < 2; ++row) {
        QTest::keyClicks(&prices, QString::number(90 - row).left(1));
        auto* field = prices.viewport()->findChild<CellField*>();
        QVERIFY(field != nullptr);
        QTest::keyClicks(field, QString::number(90 - row).mid(1));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(current(), row + 1);
        QCOMPARE(prices.currentIndex().column(), int(PriceRows::rateColumn));
        QCOMPARE(panel->cell(), book->rows()->cellAt(row + 1));
        QTRY_VERIFY(prices.viewport()->findChild<CellField*>() == nullptr);
    }
    for (int row = 0; row < 3; ++row)
        QCOMPARE(book->rows()->cellAt(row).entry, ids[row]);
    QCOMPARE(book->rows()->priceAt(0)->rate.si(), 90.0);
    QCOMPARE(book->rows()->priceAt(1)->rate.si(), 89.0);
    // Another machine: the panel does not stay with the old one.
    book->showMachine(QStringLiteral("p4d.24xlarge"));
    QVERIFY(panel->cell().entry.startsWith(QStringLiteral("p4d.24xlarge")));
}

void TestCatalogEdit::pricesBesideInstances() {
    Page page;
    const auto rate = [&](const char* region) {
        return page.editor().catalog().price("p5.48xlarge", region, Purchase::onDemand)->rate.si();
    };
    QCOMPARE(page.at(p5, priceKey).data(Qt::EditRole).toDouble(), rate("us-east-2"));
    page.type(QStringLiteral("$50/h"));
    QCOMPARE(rate("us-east-2"), 50.0);
    QVERIFY(page.at(p5, priceKey).data(markRole).value<CellMark>().yours);

    auto* region = page.view.findChild<QComboBox*>(QStringLiteral("priceRegion"));
    QVERIFY(region != nullptr && region->isVisible());
    const int west = region->findText(QStringLiteral("us-west-2"));
    QVERIFY(west >= 0);
    region->setCurrentIndex(west);
    emit region->activated(west);
    QCOMPARE(page.at(p5, priceKey).data(Qt::EditRole).toDouble(), rate("us-west-2"));
    QVERIFY(!page.at(p5, priceKey).data(markRole).value<CellMark>().yours);
    page.view.showKind(QStringLiteral("gpus"));
    QVERIFY(!region->isVisible());
}

void TestCatalogEdit::gpusByName() {
    Page page;
    const QString gpu = QStringLiteral("gpu");
    const std::string name = page.editor().catalog().gpu("h100-sxm")->name;
    QCOMPARE(page.text(p5, gpu), QString::fromStdString(name));
    page.type(QString::fromStdString(page.editor().catalog().gpu("h200-sxm")->name));
    QCOMPARE(page.editor().catalog().instance("p5.48xlarge")->gpu, std::string("h200-sxm"));
    // NVMe is a column that every instance with drives has something in.
    QVERIFY(page.at(QStringLiteral("g6.xlarge"), QStringLiteral("local_nvme_gb_total")).data() != QVariant());
    page.view.showKind(QStringLiteral("gpus"));
    page.view.showKind(QStringLiteral("instances"));
    QVERIFY(page.table().shownColumns().contains(page.view.columnOf(QStringLiteral("local_nvme_gb_total"))));
}

void TestCatalogEdit::aCopyIsInViewWhateverIsFiltered() {
    Page page;
    page.at(p5, QStringLiteral("id"));
    page.view.findChild<QLineEdit*>(QStringLiteral("catalogWords"))->setText(QStringLiteral("640"));
    page.table().setCurrentIndex(page.table().model()->index(0, 0));
    page.view.findChild<QAction*>(QStringLiteral("catalogDuplicate"))->trigger();
    const QModelIndex made = page.table().currentIndex();
    QVERIFY(made.data().toString().endsWith(QStringLiteral("-2")));
    QVERIFY(page.table().viewport()->rect().intersects(page.table().visualRect(made)));
    QVERIFY(page.table().selectionModel()->isSelected(made));
}

void TestCatalogEdit::nothingIsCutOff() {
    for (const ThemeChoice look : {ThemeChoice::light, ThemeChoice::dark}) {
        ThemeController::instance().setChoice(look);
        Page page;
        page.document.open(test::sampleSpec(), {});
        QTRY_VERIFY(page.document.estimate() && !page.document.busy());
        page.at(p5, QStringLiteral("id"));
        QString made;
        page.editor().duplicate(CatalogKind::instances, p5, &made);
        page.editor().rename(CatalogKind::instances, made, QStringLiteral("lab-h100.8x"));
        page.at(QStringLiteral("lab-h100.8x"), efaKey);
        page.type(QStringLiteral("800 Gb"));
        page.at(p5, efaKey);
        page.type(QStringLiteral("90 GB/s"));
        page.editor().setNote({CatalogKind::instances, p5, efaKey},
                              QStringLiteral("measured with nccl-tests"));
        settle();
        saveGrab(page.view, QStringLiteral("catalog-edit"));
        QTest::keyClick(&page.table(), Qt::Key_F2);
        page.field()->selectAll();
        QTest::keyClicks(page.field(), QStringLiteral("90 GHz"));
        QVERIFY(!page.field()->reason().isEmpty());
        settle();
        saveGrab(page.view, QStringLiteral("catalog-typing"));
        QTest::keyClick(page.field(), Qt::Key_Escape);
        page.view.findChild<QAction*>(QStringLiteral("catalogFilter"))->trigger();
        page.view.findChild<QAction*>(QStringLiteral("catalogCompare"))->trigger();
        page.view.findChild<ComparePane*>()->compare(CatalogKind::instances, p5,
                                                     QStringLiteral("p6-b200.48xlarge"));
        settle();
        saveGrab(page.view, QStringLiteral("catalog-compare"));
        QVERIFY(page.view.minimumSizeHint().width() <= 1180); // 1280 wide without the rail
        page.view.showKind(QStringLiteral("prices"));
        settle();
        saveGrab(page.view, QStringLiteral("catalog-prices"));
        page.view.showKind(QStringLiteral("price-book"));
        settle();
        saveGrab(page.view, QStringLiteral("catalog-book"));
        page.view.showKind(QStringLiteral("gpus"));
        page.view.findChild<QAction*>(QStringLiteral("catalogAdd"))->trigger();
        auto* dialog = page.view.findChild<EntryDialog*>();
        dialog->findChild<QLineEdit*>(QStringLiteral("hbm_capacity_gb"))->setText(QStringLiteral("much"));
        settle();
        saveGrab(*dialog, QStringLiteral("catalog-add"));
    }
}

QTEST_MAIN(TestCatalogEdit)

} // namespace tst_catalog_edit

#include "tst_catalog_edit.moc"
