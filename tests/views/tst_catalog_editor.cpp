// SPDX-License-Identifier: GPL-3.0-or-later
// The editor of the catalog without widgets: one undo step an edit, and every view follows.
#include "data/catalog/catalog_sheet.h"
#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "tests/views/counting_engine.h"
#include "views/catalog/catalog_editor.h"
#include "views/catalog/catalog_effect.h"
#include "views/catalog/price_book.h"
#include "views/catalog/price_rows.h"
#include "views/kit/data_table_view.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>

namespace tst_catalog_editor {

using namespace alidade;
using namespace alidade::views;
using data::CatalogKind;

namespace {

const CatalogCell bandwidth{CatalogKind::gpus, QStringLiteral("h100-sxm"),
                            QStringLiteral("hbm_bandwidth_gb_per_s")};
const CatalogCell efa{CatalogKind::instances, QStringLiteral("p5.48xlarge"),
                      QStringLiteral("efa_bandwidth_gb_per_s_per_direction")};

struct Fixture {
    test::CountedModel model;
    Document document{test::shippedCatalog(), model.engine()};
    CatalogEditor editor{&document, test::shippedCatalog()};

    Fixture() {
        editor.setAuthor(QStringLiteral("Ada"));
        editor.setClock([] { return std::string("2026-11-21T10:00:00Z"); });
    }
    double gbPerSecond() const { return editor.catalog().gpu("h100-sxm")->memoryBandwidth.si() / 1e9; }
    std::string shownEfa() const {
        return data::effectiveValue(*editor.shipped(), editor.user(), editor.applied(), efa.kind,
                                    efa.entry.toStdString(), efa.key.toStdString())
            ->text;
    }
};

double shippedBandwidth() { return test::shippedCatalog()->gpu("h100-sxm")->memoryBandwidth.si() / 1e9; }

} // namespace

class TestCatalogEditor : public QObject {
    Q_OBJECT

private slots:
    void anEditIsOneUndoStep();
    void unitsAreConverted();
    void aRefusedTextIsKeptAndTheValueStays();
    void theShippedValueAgainIsNoChange();
    void resetAndUndo();
    void notesAreOnTheChange();
    void entriesComeAndGo();
    void renameKeepsTheValues();
    void theDocumentFollows();
    void importedTopologiesStay();
    void whoStoresChangesHearsOfEach();
    void readOnlySaysWhy();
    void loadingIsNoUndoStep();
    void theEffectOnTheScenario();
    void theEffectOfThePriceOfABase();
    void thePriceBookOfABase();
};

void TestCatalogEditor::anEditIsOneUndoStep() {
    Fixture f;
    const double before = f.gbPerSecond();
    QCOMPARE(f.editor.setText(bandwidth, QStringLiteral("3000")), QString());
    QCOMPARE(f.gbPerSecond(), 3000.0);
    QCOMPARE(f.editor.undoStack()->count(), 1);
    QVERIFY(f.editor.undoStack()->undoText().contains(QStringLiteral("h100-sxm")));
    f.editor.undoStack()->undo();
    QCOMPARE(f.gbPerSecond(), before);
    QVERIFY(f.editor.user().changes.empty());
    f.editor.undoStack()->redo();
    QCOMPARE(f.gbPerSecond(), 3000.0);
    QCOMPARE(f.editor.user().changes.back().who, std::string("Ada"));
}

void TestCatalogEditor::unitsAreConverted() {
    Fixture f;
    QCOMPARE(f.editor.setText(efa, QStringLiteral("400 Gbps")), QString());
    QCOMPARE(f.shownEfa(), std::string("50"));
    QCOMPARE(f.editor.setText(bandwidth, QStringLiteral("3.5 TB/s")), QString());
    QCOMPARE(f.gbPerSecond(), 3500.0);
    QVERIFY(f.editor.read(bandwidth, f.editor.editText(bandwidth)));
}

void TestCatalogEditor::aRefusedTextIsKeptAndTheValueStays() {
    Fixture f;
    const std::string before = f.shownEfa();
    const QString reason = f.editor.setText(efa, QStringLiteral("800 Gb"));
    QVERIFY(!reason.isEmpty());
    QCOMPARE(f.shownEfa(), before);
    const RefusedText* kept = f.editor.refusal(efa);
    QVERIFY(kept != nullptr);
    QCOMPARE(kept->text, QStringLiteral("800 Gb"));
    QCOMPARE(kept->reason, reason);
    // What is proposed is accepted, and then nothing is refused any more.
    QVERIFY(!kept->proposal.isEmpty());
    QCOMPARE(f.editor.setText(efa, kept->proposal), QString());
    QVERIFY(f.editor.refusal(efa) == nullptr);
    f.editor.undoStack()->undo();
    QVERIFY(f.editor.refusal(efa) != nullptr);
    f.editor.undoStack()->undo();
    QVERIFY(f.editor.refusal(efa) == nullptr);
}

void TestCatalogEditor::theShippedValueAgainIsNoChange() {
    Fixture f;
    f.editor.setText(bandwidth, QString::number(shippedBandwidth()));
    QCOMPARE(f.editor.undoStack()->count(), 0);
    f.editor.setText(bandwidth, QStringLiteral("3000"));
    f.editor.setText(bandwidth, QString::number(shippedBandwidth()));
    QCOMPARE(f.gbPerSecond(), shippedBandwidth());
    QVERIFY(data::changesInForce(f.editor.user()).empty());
}

void TestCatalogEditor::resetAndUndo() {
    Fixture f;
    f.editor.setText(bandwidth, QStringLiteral("3000"));
    f.editor.setText(efa, QStringLiteral("800 Gb"));
    QCOMPARE(f.editor.reset({bandwidth, efa}), QString());
    QCOMPARE(f.gbPerSecond(), shippedBandwidth());
    QVERIFY(f.editor.refusals().isEmpty());
    QVERIFY(!f.editor.reset({bandwidth}).isEmpty());
    f.editor.undoStack()->undo();
    QCOMPARE(f.gbPerSecond(), 3000.0);
    QCOMPARE(f.editor.refusals().size(), 1);
}

void TestCatalogEditor::notesAreOnTheChange() {
    Fixture f;
    QVERIFY(!f.editor.setNote(bandwidth, QStringLiteral("why")).isEmpty());
    f.editor.setText(bandwidth, QStringLiteral("3000"));
    QCOMPARE(f.editor.setNote(bandwidth, QStringLiteral("measured on our rack")), QString());
    const auto at =
        data::changeInForce(f.editor.user(), bandwidth.kind, "h100-sxm", "hbm_bandwidth_gb_per_s");
    QVERIFY(at.has_value());
    QCOMPARE(f.editor.user().changes[*at].note, std::string("measured on our rack"));
    QCOMPARE(f.gbPerSecond(), 3000.0);
    f.editor.undoStack()->undo();
    QCOMPARE(f.editor.user().changes.back().note, std::string());
}

void TestCatalogEditor::entriesComeAndGo() {
    Fixture f;
    QString made;
    QCOMPARE(f.editor.duplicate(CatalogKind::instances, QStringLiteral("p5.48xlarge"), &made), QString());
    QVERIFY(f.editor.catalog().instance(made.toStdString()) != nullptr);
    QVERIFY(f.editor.isOwn(CatalogKind::instances, made));
    QCOMPARE(f.editor.remove(CatalogKind::instances, {made}, data::WithDependants::refuse), QString());
    QVERIFY(f.editor.catalog().instance(made.toStdString()) == nullptr);
    f.editor.undoStack()->undo();
    QVERIFY(f.editor.catalog().instance(made.toStdString()) != nullptr);

    // A GPU that machines name stays until they go with it.
    const QString reason =
        f.editor.remove(CatalogKind::gpus, {QStringLiteral("h100-sxm")}, data::WithDependants::refuse);
    QVERIFY2(reason.contains(QStringLiteral("p5")), qPrintable(reason));
    QVERIFY(f.editor.catalog().gpu("h100-sxm") != nullptr);

    const int steps = f.editor.undoStack()->count();
    QVERIFY(!f.editor.add(CatalogKind::gpus, QStringLiteral("mine"), {}).isEmpty());
    QCOMPARE(f.editor.undoStack()->count(), steps);
    QCOMPARE(f.editor.add(CatalogKind::gpus, QStringLiteral("mine"),
                          {{QStringLiteral("name"), QStringLiteral("Mine")},
                           {QStringLiteral("hbm_capacity_gb"), QStringLiteral("80 GiB")}}),
             QString());
    QVERIFY(std::abs(f.editor.catalog().gpu("mine")->memory.si() - 80 * 1073741824.0) < 1);
}

void TestCatalogEditor::renameKeepsTheValues() {
    Fixture f;
    QString made;
    f.editor.duplicate(CatalogKind::gpus, QStringLiteral("h100-sxm"), &made);
    f.editor.setText({CatalogKind::gpus, made, bandwidth.key}, QStringLiteral("5000"));
    QCOMPARE(f.editor.rename(CatalogKind::gpus, made, QStringLiteral("lab")), QString());
    QVERIFY(f.editor.catalog().gpu(made.toStdString()) == nullptr);
    QCOMPARE(f.editor.catalog().gpu("lab")->memoryBandwidth.si() / 1e9, 5000.0);
    QVERIFY(!f.editor.rename(CatalogKind::gpus, QStringLiteral("lab"), QStringLiteral("h100-sxm")).isEmpty());
    f.editor.undoStack()->undo();
    QVERIFY(f.editor.catalog().gpu("lab") == nullptr);
}

void TestCatalogEditor::theDocumentFollows() {
    Fixture f;
    f.document.open(test::sampleSpec(), {});
    QTRY_VERIFY(f.document.estimate() && !f.document.busy());
    const double before = f.document.estimate()->training->stepTime;
    f.editor.setText({CatalogKind::gpus, QStringLiteral("h100-sxm"), QStringLiteral("dense_bf16_tflops")},
                     QStringLiteral("500"));
    QTRY_VERIFY(!f.document.busy());
    QVERIFY(f.document.estimate()->training->stepTime > before);
    f.editor.undoStack()->undo();
    QTRY_VERIFY(!f.document.busy());
    QCOMPARE(f.document.estimate()->training->stepTime, before);
}

void TestCatalogEditor::importedTopologiesStay() {
    Fixture f;
    const auto with = [](const char* name) {
        auto catalog = std::make_shared<Catalog>(*test::shippedCatalog());
        catalog->topologies.emplace_back().name = name;
        return catalog;
    };
    f.document.setCatalog(with("first"));
    f.editor.setText(bandwidth, QStringLiteral("3000"));
    QCOMPARE(f.document.catalog()->topologies.size(), std::size_t(1));
    f.document.setCatalog(with("second"));
    QCOMPARE(f.document.catalog()->topologies.front().name, std::string("second"));
    QCOMPARE(f.document.catalog()->gpu("h100-sxm")->memoryBandwidth.si() / 1e9, 3000.0);
    f.editor.undoStack()->undo();
    QCOMPARE(f.document.catalog()->topologies.front().name, std::string("second"));
    QCOMPARE(f.document.catalog()->gpu("h100-sxm")->memoryBandwidth.si() / 1e9, shippedBandwidth());
}

void TestCatalogEditor::whoStoresChangesHearsOfEach() {
    Fixture f;
    std::vector<data::CatalogChange> stored;
    connect(&f.editor, &CatalogEditor::changesAdded, this,
            [&](const auto& changes) { stored.insert(stored.end(), changes.begin(), changes.end()); });
    connect(&f.editor, &CatalogEditor::changesTaken, this,
            [&](int count) { stored.resize(stored.size() - static_cast<std::size_t>(count)); });
    f.editor.setText(bandwidth, QStringLiteral("3000"));
    f.editor.setTexts({{bandwidth, QStringLiteral("3100")}, {efa, QStringLiteral("300 GB/s")}},
                      QStringLiteral("two"));
    QCOMPARE(stored.size(), f.editor.user().changes.size());
    QCOMPARE(stored.size(), std::size_t(3));
    f.editor.undoStack()->undo();
    QCOMPARE(stored.size(), std::size_t(1));
    f.editor.undoStack()->redo();
    f.editor.setText(efa, QStringLiteral("nonsense")); // stores nothing
    QVERIFY(stored == f.editor.user().changes);

    // Loading what was stored gives the same catalog.
    Fixture later;
    later.editor.setUserCatalog({.changes = stored});
    QCOMPARE(later.gbPerSecond(), 3100.0);
    QCOMPARE(later.shownEfa(), std::string("300"));
}

void TestCatalogEditor::readOnlySaysWhy() {
    Fixture f;
    QSignalSpy told(&f.editor, &CatalogEditor::readOnlyChanged);
    f.editor.setReadOnly(QString()); // as it is: no table has to be written anew
    QCOMPARE(told.count(), 0);
    f.editor.setReadOnly(QStringLiteral("It is open in another window"));
    QCOMPARE(told.count(), 1);
    QCOMPARE(f.editor.setText(bandwidth, QStringLiteral("3000")), f.editor.readOnly());
    QCOMPARE(f.editor.duplicate(CatalogKind::gpus, bandwidth.entry), f.editor.readOnly());
    QCOMPARE(f.editor.undoStack()->count(), 0);
    QCOMPARE(f.gbPerSecond(), shippedBandwidth());
}

void TestCatalogEditor::loadingIsNoUndoStep() {
    Fixture f;
    f.editor.setText(bandwidth, QStringLiteral("3000"));
    const data::UserCatalog user = f.editor.user();
    f.editor.setText(bandwidth, QStringLiteral("3100"));
    QSignalSpy added(&f.editor, &CatalogEditor::changed);
    f.editor.setUserCatalog(user);
    QCOMPARE(added.count(), 1);
    QCOMPARE(f.editor.undoStack()->count(), 0);
    QCOMPARE(f.gbPerSecond(), 3000.0);
}

void TestCatalogEditor::theEffectOnTheScenario() {
    Fixture f;
    f.document.open(test::sampleSpec(), {});
    CatalogEffect effect(&f.editor);
    std::optional<EffectReport> told;
    connect(&effect, &CatalogEffect::known, this, [&](const EffectReport& report) { told = report; });
    const CatalogCell peak{CatalogKind::gpus, QStringLiteral("h100-sxm"),
                           QStringLiteral("dense_bf16_tflops")};
    effect.ask(peak);
    QTRY_VERIFY(told);
    QVERIFY(told->used && told->rows.isEmpty()); // it is the shipped value
    f.editor.setText(peak, QStringLiteral("500"));
    told.reset();
    effect.ask(peak);
    QTRY_VERIFY(told);
    QVERIFY(told->compared && !told->rows.isEmpty());
    QCOMPARE(told->rows.constFirst().name, QStringLiteral("Step"));
    QVERIFY(told->rows.constFirst().before != told->rows.constFirst().after);
    const CatalogCell other{CatalogKind::gpus, QStringLiteral("b200-sxm"),
                            QStringLiteral("dense_bf16_tflops")};
    told.reset();
    effect.ask(other);
    QTRY_VERIFY(told);
    QVERIFY(!told->used);
    QTRY_VERIFY(!f.document.busy());
}

/// The price of a base is one that the scenario uses, and a change of it changes what the run costs.
void TestCatalogEditor::theEffectOfThePriceOfABase() {
    Fixture f;
    ScenarioSpec spec = test::sampleSpec();
    spec.cluster.region = "us-east-2";
    spec.cluster.purchase = "on_demand";
    const std::string blocks = *spec.cluster.instance + "/us-east-2/capacity_block";
    const CatalogCell rate{CatalogKind::prices, QString::fromStdString(blocks),
                           QStringLiteral("usd_per_hour")};
    const auto told = [&](const ScenarioSpec& of) {
        f.document.open(of, {});
        CatalogEffect effect(&f.editor);
        std::optional<EffectReport> report;
        connect(&effect, &CatalogEffect::known, this, [&](const EffectReport& each) { report = each; });
        effect.ask(rate);
        [&] { QTRY_VERIFY(report); }();
        return report.value_or(EffectReport{});
    };
    QVERIFY(!told(spec).used);
    spec.order.base.instances = 1;
    spec.order.base.purchase = "capacity_block";
    QVERIFY(told(spec).used);
    QCOMPARE(f.editor.setText(rate, QStringLiteral("45")), QString());
    const EffectReport report = told(spec);
    QVERIFY(report.compared);
    QVERIFY(std::ranges::any_of(
        report.rows, [](const EffectRow& row) { return row.name == QLatin1String("Cost per hour"); }));
    QTRY_VERIFY(!f.document.busy());
}

/// The book shows the price that is paid: that of the base where it is all there is, which is also what a
/// rate from the book is for.
void TestCatalogEditor::thePriceBookOfABase() {
    Fixture f;
    PriceBook book(&f.editor);
    ScenarioSpec spec = test::sampleSpec();
    spec.cluster.instances = 256;
    spec.cluster.purchase = "on_demand";
    spec.cluster.region = "us-east-2";
    spec.order.base.purchase = "capacity_block";
    const auto shown = [&](std::int64_t base) {
        spec.order.base.instances = base;
        f.document.open(spec, {});
        book.showScenario();
        return book.rows()->priceAt(book.table()->currentIndex().row())->purchase;
    };
    QCOMPARE(shown(16), Purchase::onDemand);
    QCOMPARE(shown(256), Purchase::capacityBlock);
    book.findChild<QPushButton*>(QStringLiteral("useDiscount"))->click();
    QCOMPARE(f.document.spec().order.base.purchase.value_or(""), std::string("custom"));
    QVERIFY(f.document.spec().order.base.dollarsPerInstanceHour.value_or(0) > 0);
    QVERIFY(!f.document.spec().cluster.dollarsPerInstanceHour);
    QTRY_VERIFY(!f.document.busy());
}

QTEST_MAIN(TestCatalogEditor)

} // namespace tst_catalog_editor

#include "tst_catalog_editor.moc"
