// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: serial
// Figures that explain themselves, down to the catalog, and trials that show old and new.
#include "tests/app/window_fixture.h"
#include "tests/views/gallery.h"
#include "views/catalog/catalog_table.h"
#include "views/catalog/catalog_view.h"
#include "views/document/document.h"
#include "views/kit/band_label.h"
#include "views/kit/data_table_view.h"
#include "views/kit/hover_card.h"
#include "views/kit/segmented_buttons.h"
#include "views/layers/figure_path.h"
#include "views/layers/layers_view.h"
#include "views/roofline/roofline_plot.h"
#include "views/start/plan_dialog.h"
#include "views/theme/kit_style.h"

#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QTextBrowser>

namespace tst_window_explain {

class TestWindowExplain : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void termsLeadDownToTheCatalog();
    void namesAreWords();
    void hoveringAFigureShowsItsFormula();
    void everyOperationOfTheSamplesIsExplained_data();
    void everyOperationOfTheSamplesIsExplained();
    void rowOfLayersExplainsItself();
    void pointOfTheRooflineExplainsItself();
    void trialShowsOldAndNew();
    void planDialogMarksEveryFaultAtOnce();
    void planDialogPlansLora();
};

namespace {

void press(const Fixture& f, Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(f.window->windowHandle(), key, modifiers);
}

/// The links of what the dialog shows, in their order.
QStringList linksOf(const views::ExplainDialog& dialog, const QString& scheme) {
    static const QRegularExpression href(QStringLiteral("href=\"([^\"]+)\""));
    QStringList links;
    for (auto match = href.globalMatch(dialog.findChild<QTextBrowser*>()->toHtml()); match.hasNext();)
        if (const QString link = match.next().captured(1); link.startsWith(scheme))
            links.append(link);
    return links;
}

void click(const views::ExplainDialog& dialog, const QString& link) {
    emit dialog.findChild<QTextBrowser*>()->anchorClicked(QUrl(link));
}

views::ExplainDialog* dialogOf(const Fixture& f) { return f.window->findChild<views::ExplainDialog*>(); }

} // namespace

void TestWindowExplain::initTestCase() { beginWindowTest(); }

void TestWindowExplain::cleanup() { verifyNoWarnings(); }

void TestWindowExplain::termsLeadDownToTheCatalog() {
    Fixture f;
    f.openSample();
    f.window->showView(QStringLiteral("explain"));
    auto* dialog = dialogOf(f);
    QTRY_VERIFY(!linksOf(*dialog, QStringLiteral("step:")).isEmpty());
    const QString top = dialog->shownText();
    saveGrab(*dialog, QStringLiteral("explain"));
    // Down the formulas until one has only inputs.
    for (int depth = 0; depth < 20; ++depth) {
        const QStringList steps = linksOf(*dialog, QStringLiteral("step:"));
        if (steps.isEmpty())
            break;
        const QString before = dialog->shownText();
        click(*dialog, steps.first());
        QTRY_VERIFY(dialog->shownText() != before);
        QVERIFY2(!dialog->shownText().contains(QStringLiteral("has no formula")),
                 qPrintable(dialog->shownText()));
    }
    QVERIFY(linksOf(*dialog, QStringLiteral("step:")).isEmpty());
    saveGrab(*dialog, QStringLiteral("explain-step"));
    while (dialog->shownText() != top) {
        const QString before = dialog->shownText();
        QTest::keyClick(dialog, Qt::Key_Left, Qt::AltModifier);
        QTRY_VERIFY(dialog->shownText() != before);
    }
    // The HBM bandwidth is in the catalog, and the link goes to its cell.
    QString bandwidth;
    for (const QString& link : linksOf(*dialog, QStringLiteral("catalog:")))
        if (link.contains(QStringLiteral("hbm_bandwidth")))
            bandwidth = link;
    QCOMPARE(bandwidth, QStringLiteral("catalog:gpus/h100-sxm/hbm_bandwidth_gb_per_s"));
    click(*dialog, bandwidth);
    QCOMPARE(f.window->page(), QStringLiteral("catalog"));
    const auto* catalog = f.window->findChild<views::CatalogView*>();
    QCOMPARE(catalog->table()->currentIndex().data().toString(), QStringLiteral("3,350"));
    // A field of the scenario, and a fitted constant.
    const QStringList fields = linksOf(*dialog, QStringLiteral("field:"));
    QVERIFY(!fields.isEmpty());
    click(*dialog, fields.first());
    QCOMPARE(f.window->page(), QStringLiteral("plan"));
    const QStringList fitted = linksOf(*dialog, QStringLiteral("validation:"));
    QVERIFY(!fitted.isEmpty());
    click(*dialog, fitted.first());
    QCOMPARE(f.window->page(), QStringLiteral("validation"));
    dialog->close();
}

void TestWindowExplain::namesAreWords() {
    Fixture f;
    f.openSample();
    f.window->showView(QStringLiteral("explain"));
    auto* dialog = dialogOf(f);
    QTRY_VERIFY(!linksOf(*dialog, QStringLiteral("step:")).isEmpty());
    QVERIFY2(!dialog->shownText().contains(QLatin1Char('_')), qPrintable(dialog->shownText()));
    QVERIFY(dialog->shownText().contains(QStringLiteral("HBM bandwidth")));
    dialog->close();
}

void TestWindowExplain::hoveringAFigureShowsItsFormula() {
    Fixture f;
    f.openSample();
    const auto figures = f.window->plan().summary()->findChildren<views::BandLabel*>();
    views::BandLabel* step = figures.first();
    moveTo(step, step->rect().center());
    QTRY_VERIFY(views::HoverCard::current() != nullptr);
    const QString words = views::HoverCard::words(views::HoverCard::current()->content());
    saveGrab(*f.window, QStringLiteral("figure-card"));
    for (const char* part : {"Step time", "Formula", "In figures", "Inputs"})
        QVERIFY2(words.contains(QLatin1String(part)), qPrintable(words));
    QVERIFY(!words.contains(QLatin1Char('_')));
    // The keyboard gets it too, and it goes with the focus.
    moveTo(f.window.get(), QPoint(2, 2));
    QTRY_VERIFY(views::HoverCard::current() == nullptr);
    step->setFocus(Qt::TabFocusReason);
    QTRY_VERIFY(views::HoverCard::current() != nullptr);
    press(f, Qt::Key_Tab);
    QTRY_VERIFY(views::HoverCard::current() != nullptr &&
                !views::HoverCard::current()->content().title.startsWith(QStringLiteral("Step time")));
    f.window->locator().setFocus();
    QTRY_VERIFY(views::HoverCard::current() == nullptr);
}

void TestWindowExplain::everyOperationOfTheSamplesIsExplained_data() {
    QTest::addColumn<QString>("sample");
    QTest::newRow("training") << QStringLiteral("llama-3.1-405b-2048xp5.48xlarge");
    QTest::newRow("serving") << QStringLiteral("serve-llama-3.1-70b-1xp5en.48xlarge");
}

void TestWindowExplain::everyOperationOfTheSamplesIsExplained() {
    QFETCH(QString, sample);
    Fixture f;
    f.files().openSample(sample);
    f.settle();
    const auto estimate = f.document().estimate();
    QVERIFY(estimate != nullptr);
    const auto& layers = estimate->training ? estimate->training->layers : estimate->serving->layers;
    int explained = 0;
    for (const Layer& layer : layers)
        for (const Operation& each : layer.ops) {
            const auto figures = views::explainableFigures(
                *estimate, views::ServingStep::decode,
                {.layer = text(layer.kind),
                 .operation = text(each.name),
                 .phase = QString::fromLatin1(phaseName(each.phase).data(),
                                              qsizetype(phaseName(each.phase).size()))});
            QVERIFY2(!figures.isEmpty(), each.name.c_str());
            if (explained++ % 7 != 0) // each takes an evaluation
                continue;
            const auto answer = f.document().engine().explain(f.document().spec(), *f.document().catalog(),
                                                              figures.first().path.toStdString());
            QVERIFY2(answer, answer.error().c_str());
            QVERIFY2(std::abs(answer->value - each.seconds) <= 1e-9 * each.seconds, each.name.c_str());
        }
    QVERIFY(explained > 8);
}

void TestWindowExplain::rowOfLayersExplainsItself() {
    Fixture f;
    f.openSample();
    f.window->showView(QStringLiteral("layers"));
    auto* tree = f.window->findChild<views::LayersView*>()->tree();
    const QModelIndex layer = tree->model()->index(1, 0);
    tree->expand(layer);
    const QModelIndex row = tree->model()->index(0, 0, layer);
    tree->scrollTo(row);
    tree->setCurrentIndex(row);
    tree->setFocus();
    press(f, Qt::Key_Return);
    auto* dialog = dialogOf(f);
    QVERIFY(dialog != nullptr);
    QTRY_VERIFY2(dialog->shownText().contains(QStringLiteral("Inputs")), qPrintable(dialog->shownText()));
    QVERIFY2(dialog->shownText().contains(row.data().toString()), qPrintable(dialog->shownText()));
    dialog->close();
    QMenu* menu = askForMenu(tree);
    QVERIFY(menu != nullptr);
    int phases = 0;
    for (const QAction* action : menu->actions())
        phases += action->text().startsWith(QStringLiteral("Explain ")) ? 1 : 0;
    QVERIFY(phases >= 2); // forward and backward
    menu->close();
}

void TestWindowExplain::pointOfTheRooflineExplainsItself() {
    Fixture f;
    f.openSample();
    f.window->showView(QStringLiteral("roofline"));
    auto* plot = f.window->findChild<views::RooflinePlot*>();
    plot->setFocus();
    press(f, Qt::Key_Right);
    QVERIFY(plot->selected() >= 0);
    press(f, Qt::Key_Return);
    auto* dialog = dialogOf(f);
    QVERIFY(dialog != nullptr);
    QTRY_VERIFY2(dialog->shownText().contains(QStringLiteral("Inputs")), qPrintable(dialog->shownText()));
    dialog->close();
}

void TestWindowExplain::trialShowsOldAndNew() {
    Fixture f;
    f.openSample();
    const auto figures = f.window->plan().summary()->findChildren<views::BandLabel*>();
    const double stepTime = f.document().estimate()->training->stepTime;
    QStringList before;
    for (const views::BandLabel* each : figures) {
        QCOMPARE(each->figure().difference, QString());
        before.append(each->figure().value + QLatin1Char(' ') + each->figure().unit);
    }
    f.document().preview({"Set micro-batch to 2", {{"plan.micro_batch", "2"}}});
    f.settle();
    QTRY_VERIFY(!figures.first()->figure().difference.isEmpty());
    int changed = 0;
    for (qsizetype i = 0; i < figures.size(); ++i) {
        const views::Figure& now = figures[i]->figure();
        if (now.value + QLatin1Char(' ') + now.unit == before[i]) {
            QCOMPARE(now.difference, QStringLiteral("as before"));
        } else {
            QCOMPARE(now.difference, QStringLiteral("was ") + before[i].trimmed());
            ++changed;
        }
    }
    QVERIFY(changed >= 4);
    saveGrab(*f.window, QStringLiteral("trial"));
    // A shorter step is better, and so is the throughput that follows from it.
    QVERIFY(figures[0]->figure().trend != views::Figure::Trend::uncertain);
    QCOMPARE(figures[0]->figure().trend, figures[1]->figure().trend);
    const bool shorter = f.document().estimate()->training->stepTime < stepTime;
    QCOMPARE(figures[0]->figure().trend == views::Figure::Trend::better, shorter);
    press(f, Qt::Key_Escape);
    f.settle();
    for (qsizetype i = 0; i < figures.size(); ++i) {
        QTRY_COMPARE(figures[i]->figure().difference, QString());
        QCOMPARE(figures[i]->figure().value + QLatin1Char(' ') + figures[i]->figure().unit, before[i]);
    }
}

void TestWindowExplain::planDialogMarksEveryFaultAtOnce() {
    Fixture f;
    press(f, Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
    auto* dialog = f.window->findChild<views::PlanDialog*>();
    QVERIFY(dialog != nullptr);
    QVERIFY(QTest::qWaitForWindowActive(dialog));
    const auto field = [dialog](const char* path) {
        return dialog->findChild<QLineEdit*>(QString::fromLatin1(path));
    };
    QLineEdit* length = field("workload.sequence_length");
    QLineEdit* batch = field("workload.global_batch");
    QLineEdit* tokens = field("workload.tokens");
    length->setText(QStringLiteral("long"));
    batch->clear();
    QTest::keyClick(dialog->windowHandle(), Qt::Key_Return);
    QVERIFY(length->property(views::refusedProperty).toBool());
    QVERIFY(batch->property(views::refusedProperty).toBool());
    QVERIFY(!tokens->property(views::refusedProperty).toBool());
    QVERIFY(!length->accessibleDescription().isEmpty() && !batch->accessibleDescription().isEmpty());
    QCOMPARE(dialog->focusWidget(), length);
    QVERIFY(dialog->isVisible());
    saveGrab(*dialog, QStringLiteral("plan-faults"));
    QTest::keyClicks(length, QStringLiteral("4096"));
    QVERIFY(!length->property(views::refusedProperty).toBool()); // mended, as far as one can tell
    QVERIFY(batch->property(views::refusedProperty).toBool());
    QTest::keyClick(dialog->windowHandle(), Qt::Key_Escape);
    QTRY_VERIFY(!dialog->isVisible());
}

void TestWindowExplain::planDialogPlansLora() {
    Fixture f;
    press(f, Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
    auto* dialog = f.window->findChild<views::PlanDialog*>();
    QVERIFY(dialog != nullptr);
    auto* rank = dialog->findChild<QLineEdit*>(QStringLiteral("workload.finetune.rank"));
    QVERIFY(!rank->isVisible());
    auto* tuning = dialog->findChild<views::SegmentedButtons*>();
    tuning->setFocus();
    QTest::keyClick(tuning, Qt::Key_Right);
    QVERIFY(rank->isVisible());
    rank->setText(QStringLiteral("32"));
    for (QPushButton* button : dialog->findChildren<QPushButton*>())
        if (button->isDefault())
            QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(f.document().spec().workload.finetune.kind == "lora", 60'000);
    QCOMPARE(*f.document().spec().workload.finetune.rank, 32);
}

QTEST_MAIN(TestWindowExplain)

} // namespace tst_window_explain

#include "tst_window_explain.moc"
