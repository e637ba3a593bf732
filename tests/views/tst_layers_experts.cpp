// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "gallery.h"
#include "sample_document.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/layers/experts_plot.h"
#include "views/layers/experts_view.h"
#include "views/theme/theme_controller.h"

#include <QAbstractButton>
#include <QTemporaryDir>
#include <QTest>
#include <qcustomplot.h>

namespace tst_layers_experts {

using namespace alidade;
using namespace alidade::views;

namespace {

ExpertLoadT<double> sampleLoad() {
    return {.experts = 256,
            .expertsPerToken = 8,
            .expertRanks = 64,
            .expertsPerRank = 4,
            .tokensPerRank = 4096,
            .tokensPerExpert = 1024,
            .imbalance = 1.25,
            .paddedTokensPerExpert = 1088,
            .capacityFactor = {}};
}

Estimate withExperts(const ExpertLoadT<double>& load = sampleLoad()) {
    Estimate estimate = sample::estimate();
    estimate.training->expertLoad = load;
    return estimate;
}

void shown(SampleDocument& document, ExpertsView& view, const QSize& size = {800, 420}) {
    present(view, size);
    document.estimateNow();
    settle();
}

} // namespace

class TestLayersExperts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void loadsAreThoseOfChance();
    void barsAndLinesStandAtTheirTokens();
    void costOfImbalanceIsSaid();
    void capacityInPlaceOfImbalance();
    void expertsInPlaceOfGpus();
    void allExpertsOnEachGpu();
    void keysAndHover();
    void dataTwinAndExport();
    void modelWithoutExperts();
    void pictures();
};

void TestLayersExperts::initTestCase() {
    ThemeController::instance().setChoice(ThemeChoice::light);
    ThemeController::instance().install();
}

void TestLayersExperts::loadsAreThoseOfChance() {
    const ExpertLoads gpus = expertLoads(sampleLoad(), ExpertSharing::gpus);
    QCOMPARE(gpus.loads.size(), 64);
    QVERIFY(std::ranges::is_sorted(gpus.loads, std::greater()));
    double sum = 0;
    for (const double load : gpus.loads)
        sum += load;
    QVERIFY(std::abs(sum / 64 - 4096) < 1e-6);
    QCOMPARE(gpus.busiest, 5120.0);
    QVERIFY(gpus.top() > 5120);
    const ExpertLoads experts = expertLoads(sampleLoad(), ExpertSharing::experts);
    QCOMPARE(experts.loads.size(), 256);
    QCOMPARE(experts.mean, 1024.0);
    QCOMPARE(experts.padded, 1088.0);
}

void TestLayersExperts::barsAndLinesStandAtTheirTokens() {
    SampleDocument document(withExperts());
    ExpertsView view(document.get());
    shown(document, view);
    const ExpertsPlot& plot = *view.plot();
    QCPAxis* tokens = view.plot()->plot()->yAxis;
    for (const int i : {0, 20, 63}) {
        QVERIFY(std::abs(tokens->pixelToCoord(plot.barRect(i).top()) - plot.data().loads[i]) < 1);
        QVERIFY(std::abs(tokens->pixelToCoord(plot.barRect(i).bottom())) < 1);
    }
    QVERIFY(plot.lineY(5120) < plot.barRect(0).top());
    QVERIFY(plot.barRect(63).right() <= view.plot()->plot()->axisRect()->rect().right() + 1);
    QCOMPARE(view.note(), QStringLiteral("256 experts, 8 per token, over 64 GPUs, 4 each"));
}

void TestLayersExperts::costOfImbalanceIsSaid() {
    SampleDocument document(withExperts());
    ExpertsView view(document.get());
    shown(document, view);
    QCOMPARE(
        view.sentence(),
        QStringLiteral(
            "By chance the busiest of 64 GPUs would get 1.04 × the mean. The estimate does not use that: it "
            "takes Expert imbalance 1.25 ×, at which the others wait 20 % of the experts' time."));
    QCOMPARE(view.plot()->accessibleDescription(), view.sentence());
}

void TestLayersExperts::capacityInPlaceOfImbalance() {
    ExpertLoadT<double> load = sampleLoad();
    load.capacityFactor = 1.5;
    load.imbalance = 1;
    SampleDocument document(withExperts(load));
    ExpertsView view(document.get());
    shown(document, view);
    QCOMPARE(view.plot()->data().capacity, std::optional(6144.0));
    QVERIFY(view.sentence().startsWith(QStringLiteral("Each expert processes 1.50 × the mean")));
    QVERIFY(!view.sentence().contains(QStringLiteral("wait")));
    QCOMPARE(expertCard(view.plot()->data(), 0).rows.last(),
             std::pair(QStringLiteral("Capacity"), QStringLiteral("6,144")));
}

void TestLayersExperts::expertsInPlaceOfGpus() {
    SampleDocument document(withExperts());
    ExpertsView view(document.get());
    shown(document, view);
    QTest::mouseClick(view.sharing()->button(1), Qt::LeftButton);
    QCOMPARE(view.plot()->data().loads.size(), 256);
    QCOMPARE(view.sentence(),
             QStringLiteral("By chance the busiest of 256 experts gets 1.09 × the mean of 1,024 tokens. "
                            "Padding adds 6.2 %."));
    QCOMPARE(view.dataTable()->model()->rowCount(), 256);
    // The choice outlives an estimate.
    document.answer(withExperts());
    QCOMPARE(view.plot()->data().sharing, ExpertSharing::experts);
    QTest::mouseClick(view.sharing()->button(0), Qt::LeftButton);
    QCOMPARE(view.plot()->data().loads.size(), 64);
}

void TestLayersExperts::allExpertsOnEachGpu() {
    ExpertLoadT<double> load = sampleLoad();
    load.expertRanks = 1;
    load.expertsPerRank = 256;
    load.imbalance = 1;
    SampleDocument document(withExperts(load));
    ExpertsView view(document.get());
    shown(document, view);
    QCOMPARE(view.plot()->data().sharing, ExpertSharing::experts);
    QVERIFY(!view.sharing()->button(0)->isEnabled());
    QVERIFY(view.note().endsWith(QStringLiteral("all on each GPU")));
}

void TestLayersExperts::keysAndHover() {
    SampleDocument document(withExperts());
    ExpertsView view(document.get());
    shown(document, view);
    view.plot()->setFocus();
    QTest::keyClick(view.plot(), Qt::Key_Right);
    QTest::keyClick(view.plot(), Qt::Key_Right);
    QCOMPARE(view.plot()->selected(), 1);
    QTest::keyClick(view.plot(), Qt::Key_Left);
    QTest::keyClick(view.plot(), Qt::Key_Left);
    QCOMPARE(view.plot()->selected(), 0);
    moveTo(view.plot()->plot(), view.plot()->barRect(63).center().toPoint());
    QTRY_VERIFY(HoverCard::current() &&
                HoverCard::current()->content().title == QStringLiteral("GPU 64 of 64 by load"));
    const CardContent card = HoverCard::current()->content();
    QCOMPARE(card, expertCard(view.plot()->data(), 63));
    QCOMPARE(card.rows.last().first, QStringLiteral("Waits for the busiest"));
    QTest::mouseClick(view.plot()->plot(), Qt::LeftButton, {}, view.plot()->barRect(10).center().toPoint());
    QCOMPARE(view.plot()->selected(), 10);
}

void TestLayersExperts::dataTwinAndExport() {
    SampleDocument document(withExperts());
    ExpertsView view(document.get());
    shown(document, view);
    view.plot()->setFocus();
    QTest::keyClick(view.plot(), Qt::Key_D, Qt::ControlModifier);
    QVERIFY(view.isDataShown());
    const TextTable table = view.dataTable()->textTable();
    QCOMPARE(table.rows.size(), 64);
    QVERIFY(std::abs(table.rows[0][1].toDouble() - view.plot()->data().loads[0]) < 0.1);
    QTest::keyClick(view.dataTable(), Qt::Key_Down);
    QVERIFY(view.plot()->selected() >= 0);
    view.setDataShown(false);
    const QTemporaryDir folder;
    QCOMPARE(view.plot()->exportTo(folder.filePath(QStringLiteral("load.svg"))), QString());
    QFile file(folder.filePath(QStringLiteral("load.svg")));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString svg = QString::fromUtf8(file.readAll());
    for (const char* words : {"mean 4,096", "busiest in the estimate 5,120", "routed tokens"})
        QVERIFY2(svg.contains(QLatin1StringView(words)), words);
}

void TestLayersExperts::modelWithoutExperts() {
    SampleDocument document;
    ExpertsView view(document.get());
    shown(document, view);
    auto* notice = view.findChild<EmptyState*>();
    QVERIFY(notice->isVisible());
    QCOMPARE(notice->accessibleName(), QStringLiteral("This model has no experts"));
    document.answer(withExperts());
    QVERIFY(view.plot()->isVisible());
    document.answer(sample::estimateThatDoesNotRun());
    QCOMPARE(notice->accessibleName(), QStringLiteral("This plan does not run"));
}

void TestLayersExperts::pictures() {
    for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
        ThemeController::instance().setChoice(choice);
        SampleDocument document(withExperts());
        ExpertsView view(document.get());
        shown(document, view, {800, 420});
        saveGrab(view, QStringLiteral("experts"));
        QTest::mouseClick(view.sharing()->button(1), Qt::LeftButton);
        settle();
        saveGrab(view, QStringLiteral("experts-each"));
        QTest::mouseClick(view.sharing()->button(0), Qt::LeftButton);
        ExpertLoadT<double> load = sampleLoad();
        load.capacityFactor = 1.25;
        load.tokensPerRank = 60;
        load.imbalance = 1;
        document.answer(withExperts(load));
        view.resize(520, 260);
        settle();
        saveGrab(view, QStringLiteral("experts-low"));
    }
    ThemeController::instance().setChoice(ThemeChoice::light);
}

QTEST_MAIN(TestLayersExperts)

} // namespace tst_layers_experts

#include "tst_layers_experts.moc"
