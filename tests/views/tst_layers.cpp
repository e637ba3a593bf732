// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "gallery.h"
#include "sample_document.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"
#include "views/kit/states.h"
#include "views/layers/layer_delegates.h"
#include "views/layers/layers_model.h"
#include "views/layers/layers_view.h"
#include "views/theme/theme_controller.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QTest>

namespace tst_layers {

using namespace alidade;
using namespace alidade::views;

namespace {

const QString transformer = QStringLiteral("transformer");
const QString upAndGate = QStringLiteral("mlp up and gate");

/// The shown row with this text in its first column.
QModelIndex rowNamed(const DataTreeView& tree, const QString& name) {
    for (QModelIndex row = tree.model()->index(0, 0); row.isValid(); row = tree.indexBelow(row))
        if (row.data().toString() == name)
            return row;
    return {};
}

QStringList shownNames(const DataTreeView& tree) {
    QStringList names;
    for (QModelIndex row = tree.model()->index(0, 0); row.isValid(); row = tree.indexBelow(row))
        names.append(row.data().toString());
    return names;
}

QString cell(const QModelIndex& row, LayerColumn column) {
    return row.siblingAtColumn(static_cast<int>(column)).data().toString();
}

const Layer& transformerOf(const Estimate& estimate) { return estimate.training->layers[1]; }

double secondsOf(const Layer& layer, const std::string& name) {
    double sum = 0;
    for (const Operation& op : layer.ops)
        sum += op.name == name ? op.seconds : 0;
    return sum;
}

QString milliseconds(double seconds) {
    return text(formatParts(seconds, Dimension::seconds, {.fixed = ScaledUnit{1e-3, "ms"}}).number);
}

void clickRow(DataTreeView& tree, const QModelIndex& row) {
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(row).center());
}

} // namespace

class TestLayers : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void figuresAreThoseOfTheEstimate();
    void partsAddUpToTheLayer();
    void layerSlowerThanItsParts();
    void modelIsConsistent();
    void clickAndKeysSelect();
    void selectionFromElsewhereIsShown();
    void escapeClearsTheSelection();
    void stageTellsItsLayers();
    void sortingKeepsTheLayers();
    void menuSortsWithoutAMouse();
    void copiesForSpreadsheets();
    void cardTellsAll();
    void newEstimateKeepsThePlace();
    void barsKeepTheirScale();
    void dataTwinHasEveryPhase();
    void dataTwinIsLinked();
    void emptyBusyAndError();
    void planThatDoesNotRunOffersTheFix();
    void wordsForThoseWhoDoNotSee();
    void pictures();
};

void TestLayers::initTestCase() {
    ThemeController::instance().setChoice(ThemeChoice::light);
    ThemeController::instance().install();
}

void TestLayers::figuresAreThoseOfTheEstimate() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {720, 500});
    document.estimateNow();
    const Layer& layer = transformerOf(*document->estimate());
    const Operation& forward = layer.ops[5];
    QCOMPARE(text(forward.name), upAndGate);

    const QModelIndex row = rowNamed(*view.tree(), upAndGate);
    QVERIFY(row.isValid());
    QCOMPARE(cell(row, LayerColumn::flops), QStringLiteral("3.57"));
    QCOMPARE(cell(row, LayerColumn::bytes), QStringLiteral("0.610"));
    QCOMPARE(cell(row, LayerColumn::intensity), QStringLiteral("5,852"));
    QCOMPARE(cell(row, LayerColumn::roof), QStringLiteral("74 %"));
    QCOMPARE(cell(row, LayerColumn::time), milliseconds(secondsOf(layer, forward.name)));
    QCOMPARE(row.siblingAtColumn(1).data(boundRole).value<Bound>(), Bound::compute);

    const QModelIndex head = rowNamed(*view.tree(), QStringLiteral("Transformer layer"));
    QCOMPARE(head.data(countRole).toString(), QStringLiteral("× 126"));
    QCOMPARE(cell(head, LayerColumn::time), milliseconds(layer.seconds));
    QCOMPARE(view.note(), QStringLiteral("ms per micro-batch and GPU, forward + backward"));
    QVERIFY(rowNamed(*view.tree(), QStringLiteral("All-gather, 1 + 1")).isValid());
    QVERIFY(rowNamed(*view.tree(), QStringLiteral("Send and receive, 1 + 0")).isValid());
}

void TestLayers::partsAddUpToTheLayer() {
    const Estimate estimate = sample::estimate();
    const LayerTable table = layerTable(stepLayers(estimate, ServingStep::decode), {});
    QCOMPARE(table.groups.size(), 3);
    for (qsizetype i = 0; i < table.groups.size(); ++i) {
        const LayerGroup& group = table.groups[i];
        const double whole = estimate.training->layers[static_cast<std::size_t>(i)].seconds;
        double byClass = 0;
        for (const TimePart& part : group.head.parts)
            byClass += part.seconds;
        double byRow = 0;
        for (const LayerRow& row : group.rows)
            byRow += row.seconds;
        QVERIFY(std::abs(byClass - whole) < 1e-12);
        QVERIFY(std::abs(byRow - whole) < 1e-12);
        QVERIFY(std::ranges::is_sorted(group.head.parts, {},
                                       [](const TimePart& part) { return stackPosition(part.bound); }));
    }
    // What is recomputed stands between the passes.
    const LayerRow& norm = table.groups[1].rows[0];
    QCOMPARE(norm.parts.size(), 3);
    QVERIFY(norm.parts[1].pass == Pass::recompute);
}

void TestLayers::layerSlowerThanItsParts() {
    Estimate estimate = sample::estimate();
    estimate.training->layers[1].seconds += 0.004;
    const LayerTable table = layerTable(stepLayers(estimate, ServingStep::decode), {});
    const LayerRow& host = table.groups[1].rows.last();
    QCOMPARE(host.name, QStringLiteral("Waiting for the host"));
    QCOMPARE(host.bound, Bound::latency);
    QVERIFY(std::abs(host.seconds - 0.004) < 1e-12);
}

void TestLayers::modelIsConsistent() {
    LayersModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    Estimate estimate = sample::estimate();
    model.setTable(layerTable(stepLayers(estimate, ServingStep::decode), {}));
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.rowCount(model.index(1, 0)), 11);
    model.setTable(layerTable(stepLayers(estimate, ServingStep::decode), 3));
    estimate.training->layers[1].ops.resize(3);
    model.setTable(layerTable(stepLayers(estimate, ServingStep::decode), {}));
    QCOMPARE(model.rowCount(model.index(1, 0)), 7); // three operations, three collectives, and the rest
    model.setTable({});
    QCOMPARE(model.rowCount(), 0);
}

void TestLayers::clickAndKeysSelect() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {720, 500});
    document.estimateNow();
    document->setSelection({.stage = 4});
    clickRow(*view.tree(), rowNamed(*view.tree(), upAndGate));
    QCOMPARE(document->selection().layer, transformer);
    QCOMPARE(document->selection().operation, upAndGate);
    QCOMPARE(document->selection().stage, std::optional(4));
    QTest::keyClick(view.tree(), Qt::Key_Down);
    QCOMPARE(document->selection().operation, QStringLiteral("glu product"));
    clickRow(*view.tree(), rowNamed(*view.tree(), QStringLiteral("All-gather, 1 + 1")));
    QCOMPARE(document->selection().operation, QStringLiteral("all_gather"));
    QCOMPARE(document->selection().group, QStringLiteral("tp"));
    clickRow(*view.tree(), rowNamed(*view.tree(), QStringLiteral("Head and loss")));
    QCOMPARE(document->selection().layer, QStringLiteral("head"));
    QCOMPARE(document->selection().operation, QString());
}

void TestLayers::selectionFromElsewhereIsShown() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {720, 200});
    document.estimateNow();
    QSignalSpy changed(document.get(), &Document::selectionChanged);
    document->setSelection({.layer = QStringLiteral("head"),
                            .operation = QStringLiteral("cross entropy"),
                            .phase = QStringLiteral("forward")});
    // The folded layer opens, the row scrolls into the window, and nothing is sent back.
    const QModelIndex row = rowNamed(*view.tree(), QStringLiteral("cross entropy"));
    QVERIFY(row.isValid());
    QVERIFY(view.tree()->selectionModel()->isSelected(row));
    QVERIFY(view.tree()->viewport()->rect().contains(view.tree()->visualRect(row).center()));
    QCOMPARE(changed.count(), 1);
    QCOMPARE(document->selection().phase, QStringLiteral("forward"));
    document->clearSelection();
    QVERIFY(!view.tree()->selectionModel()->hasSelection());
    // The row that was current can be chosen again.
    clickRow(*view.tree(), row);
    QCOMPARE(document->selection().operation, QStringLiteral("cross entropy"));
}

void TestLayers::escapeClearsTheSelection() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {720, 500});
    document.estimateNow();
    clickRow(*view.tree(), rowNamed(*view.tree(), upAndGate));
    QTest::keyClick(view.tree(), Qt::Key_Escape);
    QVERIFY(document->selection().empty());
}

void TestLayers::stageTellsItsLayers() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {720, 500});
    document.estimateNow();
    document->setSelection({.stage = 15});
    const QModelIndex head = rowNamed(*view.tree(), QStringLiteral("Transformer layer"));
    QCOMPARE(head.data(countRole).toString(), QStringLiteral("× 126, 7 on stage 15"));
    QCOMPARE(view.aside(), QStringLiteral("Stage 15"));
    QCOMPARE(rowNamed(*view.tree(), QStringLiteral("Head and loss")).data(countRole).toString(),
             QStringLiteral("× 1, stage 15"));
}

void TestLayers::sortingKeepsTheLayers() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {720, 500});
    document.estimateNow();
    const QStringList before = shownNames(*view.tree());
    QHeaderView* header = view.tree()->header();
    const auto clickHeader = [&](LayerColumn column) {
        const int x = header->sectionViewportPosition(static_cast<int>(column)) + 10;
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, QPoint(x, header->height() / 2));
    };
    clickHeader(LayerColumn::time);
    clickHeader(LayerColumn::time); // descending
    const QModelIndex head = rowNamed(*view.tree(), QStringLiteral("Transformer layer"));
    double last = 1e9;
    for (int i = 0; i < view.tree()->model()->rowCount(head); ++i) {
        const double seconds = view.tree()
                                   ->model()
                                   ->index(i, static_cast<int>(LayerColumn::time), head)
                                   .data(sortRole)
                                   .toDouble();
        QVERIFY(seconds <= last);
        last = seconds;
    }
    const QStringList heads{QStringLiteral("Embedding"), QStringLiteral("Transformer layer"),
                            QStringLiteral("Head and loss")};
    QStringList shown = shownNames(*view.tree());
    shown.removeIf([&](const QString& name) { return !heads.contains(name); });
    QCOMPARE(shown, heads);
    clickHeader(LayerColumn::time); // the third click brings the natural order back
    QCOMPARE(shownNames(*view.tree()), before);
}

void TestLayers::menuSortsWithoutAMouse() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {720, 500});
    document.estimateNow();
    const QStringList before = shownNames(*view.tree());
    const auto choose = [&](const QString& entry) {
        view.tree()->manners().showMenu(view.mapToGlobal(QPoint(20, 20)));
        bool found = false;
        for (const QMenu* menu : view.tree()->findChildren<QMenu*>())
            for (QAction* action : menu->actions())
                if (!found && menu->title() == QStringLiteral("Sort by") && action->text() == entry) {
                    found = true;
                    action->trigger();
                }
        for (QMenu* menu : view.tree()->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly))
            delete menu;
        return found;
    };
    QVERIFY(choose(QStringLiteral("ms")));
    QCOMPARE(view.tree()->header()->sortIndicatorOrder(), Qt::AscendingOrder);
    QVERIFY(choose(QStringLiteral("ms")));
    QCOMPARE(view.tree()->header()->sortIndicatorOrder(), Qt::DescendingOrder);
    const QModelIndex head = rowNamed(*view.tree(), QStringLiteral("Transformer layer"));
    QCOMPARE(view.tree()->model()->index(0, 0, head).data().toString(), upAndGate);
    QVERIFY(choose(QStringLiteral("As given")));
    QCOMPARE(shownNames(*view.tree()), before);
}

void TestLayers::copiesForSpreadsheets() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {720, 500});
    document.estimateNow();
    clickRow(*view.tree(), rowNamed(*view.tree(), upAndGate));
    QTest::keyClick(view.tree(), Qt::Key_C, Qt::ControlModifier);
    const QStringList copied = QApplication::clipboard()->text().split(QLatin1Char('\n'));
    QVERIFY2(
        copied[0].startsWith(QStringLiteral("Operation\tLimit\tTFLOP fwd\tGB fwd\tFLOP/B\tof roof\tms\t")),
        qPrintable(copied[0]));
    QCOMPARE(copied[1], QStringLiteral("mlp up and gate\tCompute\t3.57\t0.61\t5852.46\t74 %\t14.7376\t"
                                       "Compute 4.88, Compute 9.8576"));
    view.tree()->manners().copy(TableFormat::markdown);
    QVERIFY(QApplication::clipboard()->text().startsWith(
        QStringLiteral("| Operation | Limit | TFLOP fwd | GB fwd | FLOP/B | of roof | ms |")));
    view.tree()->setColumnHidden(static_cast<int>(LayerColumn::bytes), true);
    view.tree()->manners().copy(TableFormat::csv);
    QVERIFY(QApplication::clipboard()->text().startsWith(
        QStringLiteral("Operation,Limit,TFLOP fwd,FLOP/B,of roof,ms,")));
    QTest::keyClick(view.tree(), Qt::Key_Home); // no key is held any more
}

void TestLayers::cardTellsAll() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {720, 500});
    document.estimateNow();
    const Layer& layer = transformerOf(*document->estimate());
    const QModelIndex row = rowNamed(*view.tree(), upAndGate);
    moveTo(view.tree()->viewport(), view.tree()->visualRect(row).center());
    QTRY_VERIFY(HoverCard::current());
    const CardContent card = HoverCard::current()->content();
    QCOMPARE(card.title, upAndGate);
    QCOMPARE(card.tag, std::optional(Bound::compute));
    const Operation& forward = layer.ops[5];
    QCOMPARE(card.rows[0].second, quantity(forward.flops, Dimension::flop) + QStringLiteral(", ") +
                                      quantity(forward.bytes, Dimension::bytes) + QStringLiteral(", ") +
                                      quantity(forward.seconds, Dimension::seconds));
    QCOMPARE(card.rows[2].second, QStringLiteral("5,852 FLOP/byte, 74 % of the roof"));
    QCOMPARE(card.rows.last().second,
             quantity(secondsOf(layer, forward.name) / layer.seconds, Dimension::ratio, {.significant = 2}));
    // The accessible description of the row says the same.
    QCOMPARE(row.data(Qt::AccessibleDescriptionRole).toString(), HoverCard::words(card));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(view.tree()->viewport(), &leave);
    QVERIFY(!HoverCard::current());
}

void TestLayers::newEstimateKeepsThePlace() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {720, 220});
    document.estimateNow();
    view.tree()->expandAll();
    view.tree()->verticalScrollBar()->setValue(70);
    const QStringList before = shownNames(*view.tree());
    QSignalSpy resets(view.tree()->model(), &QAbstractItemModel::modelReset);
    Estimate slower = sample::estimate();
    for (Layer& layer : slower.training->layers) {
        layer.seconds *= 1.5;
        for (Operation& op : layer.ops)
            op.seconds *= 1.5;
        for (Communication& c : layer.communication)
            c.exposed *= 1.5;
    }
    document.answer(slower);
    QCOMPARE(resets.count(), 0);
    QCOMPARE(shownNames(*view.tree()), before);
    QCOMPARE(view.tree()->verticalScrollBar()->value(), 70);
    QCOMPARE(cell(rowNamed(*view.tree(), upAndGate), LayerColumn::time),
             milliseconds(secondsOf(transformerOf(slower), upAndGate.toStdString())));
}

void TestLayers::barsKeepTheirScale() {
    LayerBarDelegate bars;
    bars.setLongest(0.04);
    bars.setLongest(0.03);
    QCOMPARE(bars.scale(), 0.04);
    bars.setLongest(0.019);
    QCOMPARE(bars.scale(), 0.019);
    bars.setLongest(0.05);
    QCOMPARE(bars.scale(), 0.05);
}

void TestLayers::dataTwinHasEveryPhase() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {720, 500});
    document.estimateNow();
    view.tree()->setFocus();
    QTest::keyClick(view.tree(), Qt::Key_D, Qt::ControlModifier);
    QVERIFY(view.isDataShown());
    QTRY_VERIFY(view.dataTable()->hasFocus());
    QVERIFY(view.dataTable()->isVisible());
    QVERIFY(!view.tree()->isVisible());
    std::size_t entries = 0;
    for (const Layer& layer : document->estimate()->training->layers)
        entries += layer.ops.size() + layer.communication.size();
    QCOMPARE(view.dataTable()->model()->rowCount(), static_cast<int>(entries));
    const TextTable table = view.dataTable()->textTable();
    QCOMPARE(table.headers.mid(0, 4), QStringList({QStringLiteral("Layer"), QStringLiteral("Operation"),
                                                   QStringLiteral("Phase"), QStringLiteral("Limit")}));
    QVERIFY(std::ranges::any_of(table.rows, [](const QStringList& row) {
        return row[1] == QLatin1String("glu product") && row[2] == QLatin1String("Recompute");
    }));
    QTest::keyClick(view.dataTable(), Qt::Key_D, Qt::ControlModifier);
    QVERIFY(view.tree()->isVisible());
}

void TestLayers::dataTwinIsLinked() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {900, 500});
    document.estimateNow();
    view.setDataShown(true);
    document->setSelection(
        {.layer = transformer, .operation = upAndGate, .phase = QStringLiteral("backward_weight")});
    const QModelIndex row = view.dataTable()->currentIndex();
    QCOMPARE(row.siblingAtColumn(1).data().toString(), upAndGate);
    QCOMPARE(row.siblingAtColumn(2).data().toString(), QStringLiteral("Backward, weight"));
    QTest::keyClick(view.dataTable(), Qt::Key_Up);
    QCOMPARE(document->selection().operation, QStringLiteral("attention output"));
    QCOMPARE(document->selection().phase, QStringLiteral("backward_weight"));
    // Sorted by time the longest operation is on top, and stays linked.
    view.dataTable()->sortByColumn(8, Qt::DescendingOrder);
    view.dataTable()->scrollToTop();
    QTest::mouseClick(view.dataTable()->viewport(), Qt::LeftButton, {}, QPoint(20, 8));
    QCOMPARE(document->selection().layer, QStringLiteral("head"));
    QCOMPARE(document->selection().operation, QStringLiteral("output projection"));
}

void TestLayers::emptyBusyAndError() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {500, 300});
    QVERIFY(!view.tree()->isVisible());
    const auto* notice = view.findChild<EmptyState*>();
    QVERIFY(notice->isVisible());
    QCOMPARE(notice->accessibleName(), QStringLiteral("No layer to show yet"));
    document.estimateNow();
    QVERIFY(view.tree()->isVisible());

    document.hold();
    document->recompute();
    auto* busy = view.findChild<BusyOverlay*>();
    QVERIFY(busy->isBusy());
    QTRY_VERIFY(busy->isVisible()); // after 300 ms; the old rows stay under it
    QVERIFY(view.tree()->isVisible());
    document.release();
    QTRY_VERIFY(!busy->isVisible());

    document.fail("/workload/model: there is no model of this name");
    const auto* error = view.findChild<ErrorState*>();
    QVERIFY(error->isVisible());
    QVERIFY(error->accessibleName().contains(QStringLiteral("/workload/model")));
    QVERIFY(view.tree()->isVisible());
    saveGrab(view, QStringLiteral("layers-error"));
    QSignalSpy changed(document.get(), &Document::busyChanged);
    QTest::mouseClick(error->button(), Qt::LeftButton);
    QCOMPARE(changed.count(), 1);
    QTRY_VERIFY(!document->busy());
}

void TestLayers::planThatDoesNotRunOffersTheFix() {
    SampleDocument document(sample::estimateThatDoesNotRun());
    LayersView view(document.get());
    present(view, {500, 300});
    document.estimateNow();
    const auto* notice = view.findChild<EmptyState*>();
    QVERIFY(notice->isVisible());
    QCOMPARE(notice->accessibleDescription(),
             QStringLiteral("Tensor parallel 24 does not divide the 128 attention heads."));
    QCOMPARE(notice->button()->text(), QStringLiteral("Set tensor parallel to 8"));
    saveGrab(view, QStringLiteral("layers-does-not-run"));
    document->setFields({{"plan.tensor_parallel", "4"}}, QStringLiteral("another"));
    QTest::mouseClick(notice->button(), Qt::LeftButton);
    QCOMPARE(document->spec().plan.tensorParallel, std::optional(8));
    QTRY_VERIFY(!document->busy());
}

void TestLayers::wordsForThoseWhoDoNotSee() {
    SampleDocument document;
    LayersView view(document.get());
    present(view, {720, 500});
    document.estimateNow();
    QCOMPARE(view.accessibleName(), QStringLiteral("Layers"));
    QVERIFY(!view.tree()->accessibleName().isEmpty());
    QVERIFY(
        view.tree()->accessibleDescription().contains(QStringLiteral("Transformer layer takes 38.9 ms: ")));
    QVERIFY(!view.dataTable()->accessibleName().isEmpty());
}

void TestLayers::pictures() {
    for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
        ThemeController::instance().setChoice(choice);
        SampleDocument document;
        LayersView view(document.get());
        present(view, {720, 320});
        document.estimateNow();
        document->setSelection({.layer = transformer, .operation = upAndGate, .stage = 1});
        saveGrab(view, QStringLiteral("layers"));
        view.setDataShown(true);
        saveGrab(view, QStringLiteral("layers-data"));
        view.setDataShown(false);
        view.resize(1180, 560);
        settle();
        saveGrab(view, QStringLiteral("layers-large"));
    }
    ThemeController::instance().setChoice(ThemeChoice::light);
}

QTEST_MAIN(TestLayers)

} // namespace tst_layers

#include "tst_layers.moc"
