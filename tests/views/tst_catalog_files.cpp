// SPDX-License-Identifier: GPL-3.0-or-later
// A person's catalog as a file, and under a newer shipped one.
#include "data/catalog/user_catalog.h"
#include "drive.h"
#include "model/catalog/catalog.h"
#include "tests/views/counting_engine.h"
#include "views/catalog/catalog_editor.h"
#include "views/catalog/catalog_files.h"
#include "views/catalog/catalog_view.h"
#include "views/catalog/conflict_dialog.h"
#include "views/theme/theme_controller.h"

#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <QUndoStack>

namespace tst_catalog_files {

using namespace alidade;
using namespace alidade::views;
using data::CatalogKind;

namespace {

const CatalogCell bandwidth{CatalogKind::gpus, QStringLiteral("h100-sxm"),
                            QStringLiteral("hbm_bandwidth_gb_per_s")};
const CatalogCell power{CatalogKind::gpus, QStringLiteral("h100-sxm"), QStringLiteral("tdp_w")};

struct Page {
    test::CountedModel model;
    Document document{test::shippedCatalog(), model.engine()};
    CatalogView view{&document};

    Page() { present(view, {1200, 800}); }
    CatalogEditor& editor() { return view.editor(); }
    double gbPerSecond() { return editor().catalog().gpu("h100-sxm")->memoryBandwidth.si() / 1e9; }
    ImportDialog* dialog() { return view.findChild<ImportDialog*>(); }
};

/// The shipped catalog of a later day, with another bandwidth.
std::shared_ptr<const Catalog> newerCatalog() {
    auto newer = std::make_shared<Catalog>(*test::shippedCatalog());
    newer->version = "2099-01-01";
    for (Gpu& gpu : newer->gpus)
        if (gpu.id == "h100-sxm")
            gpu.memoryBandwidth = BytesPerSecond::si(3.9e12);
    return newer;
}

} // namespace

class TestCatalogFiles : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void whatIsExportedCanBeImported();
    void partOfAnImportCanBeLeftOut();
    void aBrokenFileChangesNothing();
    void aNewerCatalogAsks();
    void allConflictsAtOnce();
};

void TestCatalogFiles::whatIsExportedCanBeImported() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("mine.json"));
    Page mine;
    mine.editor().setText(bandwidth, QStringLiteral("3 TB/s"));
    mine.editor().setNote(bandwidth, QStringLiteral("measured"));
    QSignalSpy said(mine.view.files(), &CatalogFiles::said);
    mine.view.files()->exportTo(file);
    QTRY_COMPARE(said.count(), 1);
    QVERIFY(QFile::exists(file));

    Page other;
    other.view.files()->importFile(file);
    QTRY_VERIFY(other.dialog() != nullptr);
    QCOMPARE(other.dialog()->findChild<QTreeWidget*>()->topLevelItemCount(), 1);
    other.dialog()->findChild<QPushButton*>(QStringLiteral("acceptImport"))->click();
    QTRY_COMPARE(other.gbPerSecond(), 3000.0);
    QCOMPARE(other.editor().user().changes.back().note, std::string("measured"));
    QCOMPARE(other.editor().undoStack()->count(), 1);
    other.editor().undoStack()->undo();
    QVERIFY(other.editor().user().changes.empty());
}

void TestCatalogFiles::partOfAnImportCanBeLeftOut() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("mine.json"));
    Page mine;
    mine.editor().setText(bandwidth, QStringLiteral("3 TB/s"));
    mine.editor().setText(power, QStringLiteral("650"));
    QSignalSpy said(mine.view.files(), &CatalogFiles::said);
    mine.view.files()->exportTo(file);
    QTRY_COMPARE(said.count(), 1);

    Page other;
    const double before = other.gbPerSecond();
    other.view.files()->importFile(file);
    QTRY_VERIFY(other.dialog() != nullptr);
    auto* list = other.dialog()->findChild<QTreeWidget*>();
    QCOMPARE(list->topLevelItemCount(), 2);
    list->topLevelItem(0)->setCheckState(0, Qt::Unchecked);
    other.dialog()->findChild<QPushButton*>(QStringLiteral("acceptImport"))->click();
    QTRY_COMPARE(other.editor().catalog().gpu("h100-sxm")->power->si(), 650.0);
    QCOMPARE(other.gbPerSecond(), before);
}

void TestCatalogFiles::aBrokenFileChangesNothing() {
    QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("broken.json"));
    QFile file(name);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"alidade\": 1, \"kind\": \"gpus\", \"entries\": [");
    file.close();
    Page page;
    QSignalSpy said(page.view.files(), &CatalogFiles::said);
    page.view.files()->importFile(name);
    QTRY_COMPARE(said.count(), 1);
    QVERIFY2(said[0][0].toString().contains(QStringLiteral("broken.json")),
             qPrintable(said[0][0].toString()));
    QVERIFY(page.editor().user().changes.empty());
    page.view.files()->importFile(folder.filePath(QStringLiteral("none.json")));
    QTRY_COMPARE(said.count(), 2);
}

void TestCatalogFiles::aNewerCatalogAsks() {
    Page page;
    auto* bar = page.view.findChild<ConflictBar*>();
    page.editor().setText(bandwidth, QStringLiteral("3 TB/s"));
    page.editor().setText(power, QStringLiteral("650"));
    QVERIFY(bar->isHidden());
    page.editor().setShipped(newerCatalog());
    QVERIFY(!bar->isHidden());
    QCOMPARE(page.editor().conflicts().size(), std::size_t(1)); // the power was not touched
    QCOMPARE(page.gbPerSecond(), 3000.0);                       // until it is settled, the person's counts
    bar->findChild<QPushButton*>(QStringLiteral("settleConflicts"))->click();
    auto* dialog = page.view.findChild<ConflictDialog*>();
    QVERIFY(dialog != nullptr);
    dialog->findChild<QPushButton*>(QStringLiteral("takeShipped"))->click();
    QCOMPARE(page.gbPerSecond(), 3900.0);
    QVERIFY(bar->isHidden());
    QVERIFY(!dialog->isVisible());
    page.editor().undoStack()->undo();
    QCOMPARE(page.gbPerSecond(), 3000.0);
    QVERIFY(!bar->isHidden());
}

void TestCatalogFiles::allConflictsAtOnce() {
    Page page;
    page.editor().setText(bandwidth, QStringLiteral("3 TB/s"));
    page.editor().setShipped(newerCatalog());
    page.view.findChild<ConflictBar*>()->findChild<QPushButton*>(QStringLiteral("settleConflicts"))->click();
    page.view.findChild<ConflictDialog*>()->findChild<QPushButton*>(QStringLiteral("keepAll"))->click();
    QVERIFY(page.editor().conflicts().empty());
    QCOMPARE(page.gbPerSecond(), 3000.0);
}

QTEST_MAIN(TestCatalogFiles)

} // namespace tst_catalog_files

#include "tst_catalog_files.moc"
