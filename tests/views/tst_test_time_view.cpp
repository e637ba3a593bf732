// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "tests/data/serving_fixture.h"
#include "tests/views/serving_document.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/segmented_buttons.h"
#include "views/serving/accuracy_dialog.h"
#include "views/serving/load_plot.h"
#include "views/serving/load_view.h"
#include "views/serving/test_time_plot.h"
#include "views/serving/test_time_view.h"
#include "views/theme/theme_controller.h"

#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <qcustomplot.h>

namespace tst_test_time_view {

using namespace alidade;
using namespace alidade::views;
using test::ServingDocument;

namespace {

ScenarioSpec questions(std::int64_t samples, double perSecond = 0.2) {
    ScenarioSpec s = test::chat();
    s.workload.outputTokensCv = 0.8;
    s.workload.requestRatePerS = perSecond;
    s.workload.testTime.samples = samples;
    s.workload.testTime.selection = "best_of_n";
    s.workload.testTime.verifier = "qwen3-8b";
    return s;
}

/// The shipped catalog, and a service of questions on it.
struct Service {
    explicit Service(const ScenarioSpec& spec = questions(4))
        : document(test::run(spec), test::shippedCatalog())
        , view(document.get()) {}

    void open(const QSize& size = {760, 320}) {
        present(view, size);
        document.open();
        wait();
    }
    void wait() {
        QTRY_VERIFY_WITH_TIMEOUT(!view.isComputing(), 120'000);
        settle();
    }
    TestTimePlot& latency() { return *view.plot(TestTimeMeasure::latency); }

    ServingDocument document;
    TestTimeView view;
};

int rowOf(const TestTimeData& data, double at) {
    for (int i = 0; i < data.rows.size(); ++i)
        if (data.at(data.rows[i]) == at)
            return i;
    return -1;
}

TypedAccuracy typed(const char* table, const char* target) {
    AccuracyDialog dialog({});
    dialog.table()->setPlainText(QString::fromLatin1(table));
    dialog.target()->setText(QString::fromLatin1(target));
    return dialog.typed();
}

} // namespace

class TestTestTimeView : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(test::shippedCatalog());
        ThemeController::instance().install();
    }

    void pointsAreEstimates() {
        Service service;
        service.open();
        const TestTimeData& data = service.latency().data();
        QVERIFY(data.rows.size() >= 5);
        QCOMPARE(data.rows[data.present].samples, std::int64_t{4});
        for (const TestTimeRow& row : data.rows) {
            const Estimate e = test::run(questions(row.samples), {.loadLimit = false});
            QVERIFY(test::close(row.figures->latencyMedian, e.serving->testTime->latencyMedian));
            QVERIFY(test::close(data.value(row, TestTimeMeasure::dollars),
                                *e.serving->testTime->dollarsPer1000Questions));
        }
        for (int i = 1; i < data.rows.size(); ++i) {
            QVERIFY(service.latency().placeOf(i).x() > service.latency().placeOf(i - 1).x());
            QVERIFY(service.latency().placeOf(i).y() < service.latency().placeOf(i - 1).y());
        }
        QVERIFY(service.latency().hasPresent());
        QVERIFY(!service.view.plot(TestTimeMeasure::accuracy)->isVisible()); // no table was given
        const TestTime& t = *data.rows[data.present].figures;
        QVERIFY2(service.view.sentence().startsWith(QStringLiteral("4 samples")) &&
                     service.view.sentence().contains(quantity(t.latencyMedian, Dimension::seconds)),
                 qPrintable(service.view.sentence()));
        QVERIFY2(service.view.detail().contains(QStringLiteral("scored by Qwen3 8B")) &&
                     service.view.detail().contains(
                         quantity(t.verifierShare, Dimension::ratio, {.significant = 3})),
                 qPrintable(service.view.detail()));
        QCOMPARE(service.view.dataTable()->textTable().rows.size(), data.rows.size());
    }

    void aClickOffersTheSamples() {
        Service service;
        service.open();
        const int eight = rowOf(service.latency().data(), 8);
        TestTimePlot& dollars = *service.view.plot(TestTimeMeasure::dollars);
        QTest::mouseClick(dollars.plot(), Qt::LeftButton, {}, dollars.placeOf(eight).toPoint());
        QCOMPARE(service.latency().selected(), eight);
        QVERIFY(service.view.useButton()->isVisible());
        QCOMPARE(service.view.useButton()->text(), QStringLiteral("Set to 8 samples"));
        QVERIFY(service.view.offer().contains(QStringLiteral("8 samples")));
        QCOMPARE(service.document->undoStack()->count(), 0); // so far it is only offered
        QTest::mouseClick(service.view.useButton(), Qt::LeftButton);
        QCOMPARE(service.document->undoStack()->count(), 1);
        QCOMPARE(*service.document->spec().workload.testTime.samples, std::int64_t{8});
        service.document->undoStack()->undo();
        QCOMPARE(*service.document->spec().workload.testTime.samples, std::int64_t{4});
    }

    void keysWalkAndEnterUses() {
        Service service;
        service.open();
        service.latency().setFocus();
        QTest::keyClick(&service.latency(), Qt::Key_Right);
        QCOMPARE(service.latency().selected(), 0);
        QTest::keyClick(&service.latency(), Qt::Key_Right);
        QTest::keyClick(&service.latency(), Qt::Key_Return);
        QCOMPARE(*service.document->spec().workload.testTime.samples, std::int64_t{2});
    }

    void budgetsAreTheOtherAxis() {
        Service service;
        service.open();
        QTest::mouseClick(service.view.axes()->button(1), Qt::LeftButton);
        service.wait();
        const TestTimeData& data = service.latency().data();
        QCOMPARE(data.axis, TestTimeAxis::budget);
        QCOMPARE(data.present, -1); // the scenario has none
        QVERIFY(data.rows.size() >= 6 && data.rows.front().samples == 4);
        for (int i = 1; i < data.rows.size(); ++i)
            QVERIFY(data.at(data.rows[i]) > data.at(data.rows[i - 1]) &&
                    data.rows[i].figures->latency > data.rows[i - 1].figures->latency);
        const double budget = data.at(data.rows[2]);
        QTest::mouseClick(service.latency().plot(), Qt::LeftButton, {},
                          service.latency().placeOf(2).toPoint());
        QTest::mouseClick(service.view.useButton(), Qt::LeftButton);
        QCOMPARE(*service.document->spec().workload.testTime.thinkingBudget, budget);
    }

    void aTableAddsTheAccuracy() {
        Service service;
        service.open();
        QTest::mouseClick(service.view.accuracyButton(), Qt::LeftButton);
        auto* dialog = service.view.findChild<AccuracyDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QTest::keyClicks(dialog->table(), QStringLiteral("k,pass_at_k"));
        QTest::keyClick(dialog->table(), Qt::Key_Return);
        QTest::keyClicks(dialog->table(), QStringLiteral("1,0.4"));
        QTest::keyClick(dialog->table(), Qt::Key_Return);
        QTest::keyClicks(dialog->table(), QStringLiteral("16,0.8"));
        QTest::keyClicks(dialog->target(), QStringLiteral("70 %"));
        QVERIFY2(dialog->okButton()->isEnabled(), qPrintable(dialog->error()));
        QTest::mouseClick(dialog->okButton(), Qt::LeftButton);
        QTRY_VERIFY(service.view.plot(TestTimeMeasure::accuracy)->isVisible());
        service.wait();
        TestTimePlot& accuracy = *service.view.plot(TestTimeMeasure::accuracy);
        const TestTimeRow& four = accuracy.data().rows[rowOf(accuracy.data(), 4)];
        QVERIFY(test::close(accuracy.data().value(four, TestTimeMeasure::accuracy), 0.6));
        QVERIFY2(service.view.sentence().contains(QStringLiteral("takes at least 8 samples")),
                 qPrintable(service.view.sentence()));
    }

    void aTableOverBudgetsTurnsTheAxis() {
        ScenarioSpec one = questions(1);
        one.workload.testTime.selection.reset();
        one.workload.testTime.verifier.reset();
        Service service(one);
        service.open();
        service.view.setAccuracy(typed("thinking_tokens,accuracy\n100,0.5\n400,0.7\n", "60 %"));
        service.wait();
        QCOMPARE(service.view.axes()->currentIndex(), 1);
        const TestTimeData& data = service.latency().data();
        QCOMPARE(data.rows.size(), qsizetype{2});
        QVERIFY2(service.view.sentence().contains(QStringLiteral("takes at least 200 tokens")),
                 qPrintable(service.view.sentence()));
    }

    void wrongTablesAreTold_data() {
        QTest::addColumn<QString>("table");
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("said");
        QTest::newRow("falls") << QStringLiteral("k,pass_at_k\n1,0.5\n4,0.3") << QString()
                               << QStringLiteral("falls");
        QTest::newRow("no table") << QString() << QStringLiteral("0.9") << QStringLiteral("needs a table");
        QTest::newRow("no accuracy") << QStringLiteral("k,pass_at_k\n1,0.5") << QStringLiteral("120 %")
                                     << QStringLiteral("not a valid accuracy");
    }
    void wrongTablesAreTold() {
        QFETCH(QString, table);
        QFETCH(QString, target);
        QFETCH(QString, said);
        AccuracyDialog dialog({});
        dialog.table()->setPlainText(table);
        dialog.target()->setText(target);
        QVERIFY(!dialog.okButton()->isEnabled());
        QVERIFY2(dialog.error().contains(said), qPrintable(dialog.error()));
        dialog.table()->clear();
        dialog.target()->clear();
        QVERIFY(dialog.okButton()->isEnabled() && dialog.error().isEmpty());
    }

    void tablesAreImported() {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("pass.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({ "k": [1, 4], "pass_at_k": [0.41, 0.62] })");
        file.close();
        AccuracyDialog dialog({});
        dialog.importFrom(file.fileName());
        QTRY_VERIFY(dialog.typed().curve.has_value());
        QCOMPARE(dialog.typed().curve->points.size(), std::size_t{2});
        dialog.importFrom(folder.filePath(QStringLiteral("none.csv")));
        QTRY_VERIFY(dialog.error().contains(QStringLiteral("none.csv")));
    }

    /// More questions than the service can answer: no latency there, but a price at full load.
    void overloadHasNoLatency() {
        Service service(questions(4, 3));
        service.open();
        const TestTimeData& data = service.latency().data();
        const TestTimeRow& most = data.rows.back();
        QVERIFY(most.overloaded);
        QVERIFY(std::isnan(data.value(most, TestTimeMeasure::latency)));
        QVERIFY(data.beside(most, TestTimeMeasure::dollars) > 0);
        QVERIFY(service.latency().placeOf(static_cast<int>(data.rows.size()) - 1).isNull());
    }

    /// The engine counts samples, the scenario questions.
    void loadsSayWhatTheyCount() {
        ServingDocument document(test::run(questions(4), {.loadCurve = true}), test::shippedCatalog());
        LoadView view(document.get());
        present(view, {640, 460});
        document.open();
        QTRY_VERIFY(!view.isComputing());
        settle();
        QVERIFY2(view.sentence().contains(QStringLiteral("now 0.8 samples/s")), qPrintable(view.sentence()));
        LoadPlot& plot = *view.plot(Latency::ttft);
        QTest::mouseClick(plot.plot(), Qt::LeftButton, {}, plot.placeOf(3).toPoint());
        QVERIFY2(view.useButton()->text().contains(QStringLiteral("questions/s")),
                 qPrintable(view.useButton()->text()));
        const double wanted = plot.data().points[3].requestsPerSecond / 4;
        QTest::mouseClick(view.useButton(), Qt::LeftButton);
        QVERIFY(test::close(*document->spec().workload.requestRatePerS, wanted, 5e-3));
    }

    void plotsKeepTheirRoom_data() {
        QTest::addColumn<QSize>("size");
        QTest::newRow("1280 x 720") << QSize(420, 230);
        QTest::newRow("1920 x 1080") << QSize(640, 330);
        QTest::newRow("2560 x 1440") << QSize(900, 480);
    }
    void plotsKeepTheirRoom() {
        QFETCH(QSize, size);
        Service service;
        service.open(size);
        for (const TestTimeMeasure measure : {TestTimeMeasure::latency, TestTimeMeasure::dollars}) {
            const QWidget& plot = *service.view.plot(measure);
            QVERIFY(plot.isVisible() && plot.width() >= 180 && plot.height() >= 100);
            const PlacedLabels& labels = service.view.plot(measure)->labels();
            QCOMPARE(labels.size(), qsizetype{2}); // both curves are named
            QCOMPARE(clash(labels), QString());
        }
        QVERIFY(service.view.sizeHint().isValid() && service.view.minimumSizeHint().width() <= size.width());
    }
};

QTEST_MAIN(TestTestTimeView)

} // namespace tst_test_time_view

#include "tst_test_time_view.moc"
