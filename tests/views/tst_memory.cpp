// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "gallery.h"
#include "sample_document.h"
#include "views/kit/states.h"
#include "views/memory/memory_plot.h"
#include "views/memory/memory_view.h"
#include "views/theme/theme_controller.h"

#include <QTemporaryDir>
#include <QTest>
#include <qcustomplot.h>

namespace tst_memory {

using namespace alidade;
using namespace alidade::views;

namespace {

/// The sample's memory dealt to another number of stages.
Estimate withStages(int count) {
    Estimate estimate = sample::estimate();
    auto& stages = estimate.memory->stages;
    const StageMemoryT<double> first = stages[1];
    stages.clear();
    for (int i = 0; i < count; ++i) {
        stages.push_back(first);
        stages.back().stage = i;
        stages.back().totalBytes = 0;
        for (auto& part : stages.back().parts) {
            part.bytes *= 1 - 0.3 * i / count;
            stages.back().totalBytes += part.bytes;
        }
    }
    estimate.memory->worstStage = 0;
    return estimate;
}

/// All stages as one that takes so many times the sample's memory of a stage.
Estimate oneStage(double factor) {
    Estimate estimate = withStages(1);
    auto& stage = estimate.memory->stages[0];
    for (auto& part : stage.parts)
        part.bytes *= factor;
    stage.totalBytes *= factor;
    estimate.fits = stage.totalBytes <= estimate.memory->capacityBytes - estimate.memory->reserveBytes;
    return estimate;
}

double bytesAt(const MemoryPlot& plot, double y) { return plot.plot()->yAxis->pixelToCoord(y); }

void clickAt(MemoryPlot* plot, const QPointF& place) {
    QTest::mouseClick(plot->plot(), Qt::LeftButton, {}, place.toPoint());
}

} // namespace

class TestMemory : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void barsAreTheParts();
    void tonesGoByFamily();
    void whiskersTakeTheBandOfTheWhole();
    void clickSelectsStageAndPart();
    void selectionFromElsewhereIsOutlined();
    void keysWalkStagesAndParts();
    void hoverTellsAll();
    void nominalFigureWhereItDiffers();
    void doesNotFitSaysByHowMuch();
    void manyStagesAndOne();
    void partsOfOneStageAreNamed_data();
    void partsOfOneStageAreNamed();
    void usableIsToldOnlyWhereItDiffers();
    void oneReplotForAnEstimate();
    void axisStaysWhileTheBarsFillIt();
    void dataTwinAndExport();
    void memoryOfAPlanThatDoesNotRun();
    void wordsForThoseWhoDoNotSee();
    void pictures();
};

void TestMemory::initTestCase() {
    ThemeController::instance().setChoice(ThemeChoice::light);
    ThemeController::instance().install();
}

void TestMemory::barsAreTheParts() {
    SampleDocument document;
    MemoryView view(document.get());
    present(view, {700, 300});
    document.estimateNow();
    const auto& stages = document->estimate()->memory->stages;
    QCOMPARE(view.plot()->data().stages.size(), 16);
    for (const int stage : {0, 1, 15}) {
        const auto& parts = stages[static_cast<std::size_t>(stage)].parts;
        double below = 0;
        for (int part = 0; part < static_cast<int>(parts.size()); ++part) {
            const QRectF rect = view.plot()->partRect(stage, part);
            const double bytes = parts[static_cast<std::size_t>(part)].bytes;
            QVERIFY(std::abs(bytesAt(*view.plot(), rect.bottom()) - below) < 1e3);
            QVERIFY(std::abs(bytesAt(*view.plot(), rect.top()) - below - bytes) < 1e3);
            below += bytes;
        }
        // The bars that are drawn end where the parts do.
        const auto* top = view.plot()->plot()->plottable(view.plot()->plot()->plottableCount() - 1);
        bool found = false;
        const QCPRange values = top->getValueRange(found, QCP::sdBoth);
        QVERIFY(found);
        QVERIFY(values.upper >= below * (1 - 1e-9));
    }
    QCOMPARE(view.aside(), QStringLiteral("worst: stage 1, 69.2 GB, 6.00 free"));
    QCOMPARE(view.plot()->data().stages[0].usable, 75.2e9);
}

void TestMemory::tonesGoByFamily() {
    QCOMPARE(memoryTone(QStringLiteral("Weights")), MemoryTone::held1);
    QCOMPARE(memoryTone(QStringLiteral("Gradients")), MemoryTone::held2);
    QCOMPARE(memoryTone(QStringLiteral("Optimizer states")), MemoryTone::held3);
    QCOMPARE(memoryTone(QStringLiteral("Activations")), MemoryTone::passing1);
    QCOMPARE(memoryTone(QStringLiteral("Logits and loss")), MemoryTone::passing2);
    QCOMPARE(memoryTone(QStringLiteral("CUDA context")), MemoryTone::overhead);
    QCOMPARE(memoryTone(QStringLiteral("Fragmentation")), MemoryTone::overhead);
}

void TestMemory::whiskersTakeTheBandOfTheWhole() {
    const Estimate estimate = sample::estimate();
    const MemoryData data = memoryData(estimate);
    for (const StageMemory& stage : data.stages) {
        QVERIFY(std::abs(stage.low / stage.total - 0.93) < 1e-9);
        QVERIFY(std::abs(stage.high / stage.total - 1.08) < 1e-9);
    }
    QCOMPARE(data.stages[data.worst].total, estimate.memory->totalBytes);
    QVERIFY(data.top() > data.stages[0].capacity);
}

void TestMemory::clickSelectsStageAndPart() {
    SampleDocument document;
    MemoryView view(document.get());
    present(view, {700, 300});
    document.estimateNow();
    document->setSelection({.layer = QStringLiteral("transformer")});
    clickAt(view.plot(), view.plot()->partRect(6, 3).center());
    QCOMPARE(document->selection().stage, std::optional(6));
    QCOMPARE(document->selection().memoryPart, QStringLiteral("activations"));
    QCOMPARE(document->selection().layer, QStringLiteral("transformer"));
    QCOMPARE(view.plot()->selectedStage(), 6);
    QCOMPARE(view.plot()->selectedPart(), 3);
    // Above the bar it is the stage as a whole.
    clickAt(view.plot(), view.plot()->column(9).topLeft() + QPointF(10, 4));
    QCOMPARE(document->selection().stage, std::optional(9));
    QCOMPARE(document->selection().memoryPart, QString());
}

void TestMemory::selectionFromElsewhereIsOutlined() {
    SampleDocument document;
    MemoryView view(document.get());
    present(view, {700, 300});
    document.estimateNow();
    QSignalSpy changed(document.get(), &Document::selectionChanged);
    document->setSelection({.stage = 3});
    QCOMPARE(view.plot()->selectedStage(), 3);
    QCOMPARE(view.plot()->selectedPart(), -1);
    document->setSelection({.stage = 99});
    QCOMPARE(view.plot()->selectedStage(), -1);
    QCOMPARE(changed.count(), 2);
}

void TestMemory::keysWalkStagesAndParts() {
    SampleDocument document;
    MemoryView view(document.get());
    present(view, {700, 300});
    document.estimateNow();
    view.plot()->setFocus();
    QTest::keyClick(view.plot(), Qt::Key_Right);
    QCOMPARE(document->selection().stage, std::optional(0));
    QTest::keyClick(view.plot(), Qt::Key_Right);
    QTest::keyClick(view.plot(), Qt::Key_Up);
    QCOMPARE(document->selection().stage, std::optional(1));
    QCOMPARE(document->selection().memoryPart, QStringLiteral("weights"));
    QTest::keyClick(view.plot(), Qt::Key_Up);
    QTest::keyClick(view.plot(), Qt::Key_Left);
    QCOMPARE(document->selection().stage, std::optional(0));
    QCOMPARE(document->selection().memoryPart, QStringLiteral("gradients"));
    QTRY_VERIFY(HoverCard::current());
    QTest::keyClick(view.plot(), Qt::Key_Escape);
    QVERIFY(document->selection().empty());
}

void TestMemory::hoverTellsAll() {
    SampleDocument document;
    MemoryView view(document.get());
    present(view, {700, 400});
    document.estimateNow();
    moveTo(view.plot()->plot(), view.plot()->partRect(1, 3).center().toPoint());
    QTRY_VERIFY(HoverCard::current());
    const CardContent card = HoverCard::current()->content();
    const auto& stage = document->estimate()->memory->stages[1];
    const auto part = [&](std::size_t i) { return gigabyteNumber(stage.parts[i].bytes); };
    QCOMPARE(card.title,
             QStringLiteral("Stage 1: %1 · activations %2 GB").arg(gigabyteText(stage.totalBytes), part(3)));
    QCOMPARE(card.rows[0].second, QStringLiteral("%1 – %2").arg(gigabyteNumber(0.93 * stage.totalBytes),
                                                                gigabyteText(1.08 * stage.totalBytes)));
    QCOMPARE(card.rows[1].second,
             QStringLiteral("75.2 usable of 80.0 GB, %1 free").arg(gigabyteText(75.2e9 - stage.totalBytes)));
    QCOMPARE(card.rows[2].second,
             QStringLiteral("%1: weights %2, gradients %3, optimizer states %4")
                 .arg(gigabyteText(stage.parts[0].bytes + stage.parts[1].bytes + stage.parts[2].bytes),
                      part(0), part(1), part(2)));
    QCOMPARE(card.rows[3].second,
             QStringLiteral("%1: activations %2, recompute and gathered inputs %3")
                 .arg(gigabyteText(stage.parts[3].bytes + stage.parts[4].bytes), part(3), part(4)));
    QVERIFY(card.rows[4].second.contains(QStringLiteral("CUDA context and fragmentation ")));
    QVERIFY(document->selection().empty());
}

void TestMemory::nominalFigureWhereItDiffers() {
    Estimate estimate = sample::estimate();
    QVERIFY(!memoryData(estimate).stages[0].card.rows[1].second.contains(QStringLiteral("nominal")));
    estimate.memory->nominalBytes = 85.9e9;
    QVERIFY(memoryData(estimate).stages[0].card.rows[1].second.startsWith(
        QStringLiteral("75.2 usable of 80.0 GB (nominal 85.9 GB), ")));
}

void TestMemory::doesNotFitSaysByHowMuch() {
    SampleDocument document(sample::estimateThatDoesNotFit());
    MemoryView view(document.get());
    present(view, {700, 300});
    document.estimateNow();
    const Memory& memory = *document->estimate()->memory;
    const double excess = memory.totalBytes - (memory.capacityBytes - memory.reserveBytes);
    QVERIFY(excess > 0);
    QCOMPARE(view.aside(),
             QStringLiteral("does not fit: stage 1, %1 of 75.2").arg(gigabyteText(memory.totalBytes)));
    QVERIFY(view.plot()->data().stages[1].card.rows[1].second.endsWith(
        QStringLiteral("%1 too much").arg(gigabyteText(excess))));
    QVERIFY(view.plot()->accessibleDescription().startsWith(QStringLiteral("It does not fit. Stage 1 ")));
    // Bars, whiskers and the words above them are inside the plot.
    QVERIFY(view.plot()->plot()->yAxis->range().upper > memory.highBytes * 1.1);
}

void TestMemory::manyStagesAndOne() {
    SampleDocument document(withStages(64));
    MemoryView view(document.get());
    present(view, {420, 260});
    document.estimateNow();
    QVERIFY(view.plot()->labelStep() > 1);
    QVERIFY(view.plot()->column(0).width() * view.plot()->labelStep() >= 14);
    QVERIFY(view.plot()->partRect(63, 0).right() <= view.plot()->plot()->axisRect()->rect().right() + 1);
    clickAt(view.plot(), view.plot()->partRect(40, 3).center());
    QCOMPARE(document->selection().stage, std::optional(40));
    document.answer(withStages(1));
    QCOMPARE(view.plot()->labelStep(), 1);
    QVERIFY(view.plot()->partRect(0, 0).width() < view.plot()->plot()->axisRect()->width() / 4.0);
    QCOMPARE(view.plot()->selectedStage(), -1);
}

void TestMemory::partsOfOneStageAreNamed_data() {
    QTest::addColumn<double>("factor");
    QTest::newRow("fits") << 1.0;
    QTest::newRow("a little too much") << 1.3;
    QTest::newRow("passes both limits") << 2.0;
    QTest::newRow("limits at the bottom") << 9.0;
}

/// However low or narrow the picture, and however high the bar: no name is cut off or is on another, on
/// the line of a limit, or on its words.
void TestMemory::partsOfOneStageAreNamed() {
    QFETCH(double, factor);
    for (const QSize size : {QSize(880, 150), QSize(880, 190), QSize(880, 260), QSize(880, 400),
                             QSize(490, 150), QSize(490, 260), QSize(700, 150)}) {
        SampleDocument document(oneStage(factor));
        MemoryView view(document.get());
        present(view, size);
        document.estimateNow();
        settle();
        const MemoryPlot& plot = *view.plot();
        const MemoryData& data = plot.data();
        const auto names = plot.partNames();
        const auto named = std::ranges::count_if(data.stages[0].parts,
                                                 [&](double bytes) { return bytes >= 0.0005 * data.top(); });
        // In small pictures the largest parts have names, in others all.
        QVERIFY(names.size() >= std::min<qsizetype>(named, 2));
        if (plot.plot()->axisRect()->height() > 190 && factor < 2)
            QCOMPARE(names.size(), named);
        const QRectF area = plot.plot()->axisRect()->rect();
        for (qsizetype i = 0; i < names.size(); ++i) {
            const QRectF& box = names[i].second;
            const QByteArray where = QStringLiteral("%1 at %2x%3")
                                         .arg(names[i].first)
                                         .arg(size.width())
                                         .arg(size.height())
                                         .toUtf8();
            QVERIFY2(area.left() < box.left() && box.right() < area.right(), where);
            QVERIFY2(area.top() <= box.top() && box.bottom() <= area.bottom() + 1, where);
            for (const double limit : {data.stages[0].capacity, data.stages[0].usable}) {
                const double y = plot.plot()->yAxis->coordToPixel(limit);
                QVERIFY2(y <= box.top() || box.bottom() <= y, where);
            }
            for (const auto& [words, place] : plot.limitWords())
                QVERIFY2(!box.adjusted(1, 1, -1, -1).intersects(place),
                         QByteArray(where + " on " + words.toUtf8()));
            for (qsizetype k = 0; k < i; ++k)
                QVERIFY2(!box.adjusted(1, 1, -1, -1).intersects(names[k].second), where);
        }
    }
}

void TestMemory::usableIsToldOnlyWhereItDiffers() {
    Estimate estimate = sample::estimate();
    for (const double reserve : {0.0, 1e6, 2e9}) {
        estimate.memory->reserveBytes = reserve;
        SampleDocument document(estimate);
        MemoryView view(document.get());
        present(view, {490, 260});
        document.estimateNow();
        settle();
        const auto words = view.plot()->limitWords();
        QCOMPARE(words.size(), reserve > 1e8 ? 2 : 1); // 1 MB is not seen in the figures
        QVERIFY(words.constLast().first.startsWith(QStringLiteral("capacity")));
    }
}

void TestMemory::oneReplotForAnEstimate() {
    SampleDocument document;
    MemoryView view(document.get());
    present(view, {700, 300});
    document.estimateNow();
    document->setSelection({.stage = 2});
    settle();
    QSignalSpy replots(view.plot()->plot(), &QCustomPlot::afterReplot);
    document.answer(sample::estimateThatDoesNotFit());
    QCOMPARE(replots.count(), 1);
    document.answer(withStages(64));
    QCOMPARE(replots.count(), 2);
}

void TestMemory::axisStaysWhileTheBarsFillIt() {
    SampleDocument document;
    MemoryView view(document.get());
    present(view, {700, 300});
    document.estimateNow();
    const QCPRange before = view.plot()->plot()->yAxis->range();
    Estimate smaller = sample::estimate();
    for (auto& stage : smaller.memory->stages) {
        stage.totalBytes *= 0.8;
        for (auto& part : stage.parts)
            part.bytes *= 0.8;
    }
    smaller.memory->totalBytes *= 0.8;
    document.answer(smaller);
    QCOMPARE(view.plot()->plot()->yAxis->range(), before);
    document.answer(sample::estimateThatDoesNotFit());
    QVERIFY(view.plot()->plot()->yAxis->range().upper > before.upper);
}

void TestMemory::dataTwinAndExport() {
    SampleDocument document;
    MemoryView view(document.get());
    present(view, {700, 300});
    document.estimateNow();
    view.plot()->setFocus();
    QTest::keyClick(view.plot(), Qt::Key_D, Qt::ControlModifier);
    QVERIFY(view.isDataShown());
    QCOMPARE(view.dataTable()->model()->rowCount(), 16);
    const TextTable table = view.dataTable()->textTable();
    QCOMPARE(table.headers.first(), QStringLiteral("Stage"));
    QCOMPARE(table.headers.last(), QStringLiteral("Free, GB"));
    QCOMPARE(table.rows[1][1], QStringLiteral("8"));
    const double free = 75.2 - document->estimate()->memory->stages[1].totalBytes / 1e9;
    QVERIFY(std::abs(table.rows[1].last().toDouble() - free) < 1e-4);
    document->setSelection({.stage = 12});
    QCOMPARE(view.dataTable()->currentIndex().siblingAtColumn(0).data().toString(), QStringLiteral("12"));
    QTest::keyClick(view.dataTable(), Qt::Key_Down);
    QCOMPARE(document->selection().stage, std::optional(13));
    saveGrab(view, QStringLiteral("memory-data"));
    view.setDataShown(false);
    // The legend is part of the picture.
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("memory.svg"));
    QCOMPARE(view.plot()->exportTo(path), QString());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString svg = QString::fromUtf8(file.readAll());
    for (const char* words : {"gradients", "capacity 80.0", "dashed: usable 75.2", "GB per GPU"})
        QVERIFY2(svg.contains(QLatin1StringView(words)), words);
}

void TestMemory::memoryOfAPlanThatDoesNotRun() {
    SampleDocument document(sample::estimateThatDoesNotRun());
    MemoryView view(document.get());
    present(view, {700, 300});
    const auto* notice = view.findChild<EmptyState*>();
    QCOMPARE(notice->accessibleName(), QStringLiteral("No memory to show yet"));
    document.estimateNow();
    QVERIFY(view.plot()->isVisible());
    QCOMPARE(view.plot()->data().stages[0].layers, 0);
    Estimate nothing = sample::estimateThatDoesNotRun();
    nothing.memory.reset();
    document.answer(nothing);
    QVERIFY(notice->isVisible());
    QCOMPARE(notice->accessibleName(), QStringLiteral("This plan does not run"));
}

void TestMemory::wordsForThoseWhoDoNotSee() {
    SampleDocument document;
    MemoryView view(document.get());
    present(view, {700, 300});
    document.estimateNow();
    QCOMPARE(view.plot()->accessibleName(), QStringLiteral("Memory per stage"));
    QCOMPARE(
        view.plot()->accessibleDescription(),
        QStringLiteral("It fits. Stage 1 is the fullest: 69.2 GB of 75.2 GB usable, 6.00 GB free. Most of "
                       "it is for activations, 44.0 GB. The band is 64.4 – 74.7 GB."));
    document->setSelection({.stage = 2});
    QVERIFY(view.plot()->accessibleDescription().startsWith(QStringLiteral("Stage 2: ")));
}

void TestMemory::pictures() {
    for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
        ThemeController::instance().setChoice(choice);
        SampleDocument document;
        MemoryView view(document.get());
        present(view, {700, 300});
        document.estimateNow();
        document->setSelection({.stage = 1});
        settle();
        saveGrab(view, QStringLiteral("memory"));
        document->clearSelection();
        document.answer(sample::estimateThatDoesNotFit());
        saveGrab(view, QStringLiteral("memory-does-not-fit"));
        document.answer(withStages(64));
        saveGrab(view, QStringLiteral("memory-64"));
        document.answer(withStages(1));
        saveGrab(view, QStringLiteral("memory-1"));
        for (const QSize size : {QSize(490, 260), QSize(490, 150), QSize(700, 150)}) {
            view.resize(size);
            for (const double factor : {1.0, 2.0, 9.0}) {
                document.answer(oneStage(factor));
                settle();
                saveGrab(
                    view,
                    QStringLiteral("memory-1-%1x%2-%3").arg(size.width()).arg(size.height()).arg(factor));
            }
        }
        document.answer(sample::estimateThatDoesNotFit());
        saveGrab(view, QStringLiteral("memory-low"));
    }
    ThemeController::instance().setChoice(ThemeChoice::light);
    ThemeController::instance().setBodyPointSize(12);
    SampleDocument document;
    MemoryView view(document.get());
    present(view, {560, 300});
    document.estimateNow();
    saveGrab(view, QStringLiteral("memory-12pt"));
    ThemeController::instance().setBodyPointSize(10);
}

QTEST_MAIN(TestMemory)

} // namespace tst_memory

#include "tst_memory.moc"
