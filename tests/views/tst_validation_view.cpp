// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/validation_fixture.h"

namespace tst_validation_view {

class TestValidationView : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void computesOffTheGuiThreadAndOnce();
    void laterCatalogIsComputedAgain();
    void failureIsSaidAndTriedAgain();
    void canceledIsOfferedAgain();
    void beginsWithAllSpeedsThatCount();
    void pointsStandAtTheirValues();
    void unitsShareTheAxesAsSpeeds();
    void errorsOfSpeedsAreThoseOfTheStepTime();
    void clickChoosesEverywhere();
    void tableRowChoosesThePoint();
    void doubleClickOpensTheScenario();
    void buttonOpensTheScenario();
    void keysWalkAndOpen();
    void cardNamesTheSource();
    void nearestFollowTheEstimate();
    void exportsCsvAndPng();
    void escapeTakesBack();
    void nothingIsCutAtAnySize_data();
    void nothingIsCutAtAnySize();
    void everyControlHasAName();
};

void TestValidationView::computesOffTheGuiThreadAndOnce() {
    Fixture f;
    f.ready();
    QCOMPARE(f.reports.load(), 1);
    QVERIFY(f.thread.load() != QThread::currentThreadId());
    f.view.hide();
    present(f.view);
    f.source.request();
    settle();
    QCOMPARE(f.reports.load(), 1);
}

void TestValidationView::laterCatalogIsComputedAgain() {
    Fixture f;
    f.ready();
    f.told.rows.resize(3);
    f.document->setCatalog(std::make_shared<const Catalog>(*test::shippedCatalog()));
    QTRY_COMPARE(f.reports.load(), 2);
    f.ready();
    QCOMPARE(f.points().size(), 3);
}

void TestValidationView::failureIsSaidAndTriedAgain() {
    Fixture f;
    f.ready();
    f.fails = true;
    f.document->setCatalog(std::make_shared<const Catalog>(*test::shippedCatalog()));
    QTRY_COMPARE(f.source.error(), QStringLiteral("the rows are torn"));
    auto* card = f.view.findChild<ErrorState*>();
    QTRY_VERIFY(card->isVisible());
    f.fails = false;
    QTest::mouseClick(card->button(), Qt::LeftButton);
    f.ready();
    QTRY_VERIFY(f.view.scatter()->isVisible());
}

void TestValidationView::canceledIsOfferedAgain() {
    Fixture f;
    f.ready();
    f.held = true;
    f.document->setCatalog(std::make_shared<const Catalog>(*test::shippedCatalog()));
    auto* busy = f.view.findChild<BusyOverlay*>();
    QTRY_VERIFY(busy->cancelButton()->isVisible());
    QTest::mouseClick(busy->cancelButton(), Qt::LeftButton);
    QTRY_VERIFY(!f.source.busy());
    auto* empty = f.view.findChild<EmptyState*>();
    for (EmptyState* each : f.view.findChildren<EmptyState*>())
        if (each->isVisible())
            empty = each;
    QVERIFY(empty->button()->isVisible());
    f.held = false;
    QTest::mouseClick(empty->button(), Qt::LeftButton);
    f.ready();
    QVERIFY(f.view.scatter()->isVisible());
}

void TestValidationView::beginsWithAllSpeedsThatCount() {
    Fixture f;
    f.begin();
    QCOMPARE(f.view.filter(), RunFilter{.quantity = allSpeeds});
    QVERIFY(f.view.filterPanel()->judgedOnly()->isChecked());
    QVERIFY(!f.view.filterPanel()->clearButton()->isEnabled());
    QCOMPARE(f.points().size(), 36 + 12); // of every four rows one is not complete
    QVERIFY2(f.view.sentence().startsWith(QStringLiteral("Half of the 48 published rows")),
             qPrintable(f.view.sentence()));
    const QListWidget* list = f.view.filterPanel()->quantities();
    QStringList names;
    for (int i = 0; i < list->count(); ++i)
        names.append(list->item(i)->text());
    const QStringList wanted{QStringLiteral("Training"),       QStringLiteral("Speed, as step time"),
                             QStringLiteral("Step time"),      QStringLiteral("Tokens/s per GPU"),
                             QStringLiteral("Memory"),         QStringLiteral("Peak memory"),
                             QStringLiteral("Serving"),        QStringLiteral("TTFT"),
                             QStringLiteral("TPOT"),           QStringLiteral("Collectives"),
                             QStringLiteral("Collective time")};
    QCOMPARE(names, wanted);
    QTest::mouseClick(f.view.filterPanel()->judgedOnly(), Qt::LeftButton, {}, QPoint(8, 8));
    QCOMPARE(f.points().size(), 64);
}

void TestValidationView::pointsStandAtTheirValues() {
    Fixture f;
    f.ready();
    const RunPlot* plot = f.view.scatter();
    for (int i = 0; i < f.points().size(); ++i) {
        const RunPoint& point = f.points()[i];
        QCOMPARE(point.x, point.row->measured);
        QCOMPARE(point.y, point.row->predicted);
        const QPointF place = plot->placeOf(i);
        QVERIFY(QRectF(plot->plot()->axisRect()->rect()).contains(place));
        QVERIFY(std::abs(plot->axis(PlotAxis::x)->pixelToCoord(place.x()) / point.row->measured - 1) < 1e-6);
    }
    // What is predicted as measured is on the diagonal of the axes.
    QCOMPARE(plot->axis(PlotAxis::x)->range().lower, plot->axis(PlotAxis::y)->range().lower);
    QCOMPARE(plot->axis(PlotAxis::x)->range().upper, plot->axis(PlotAxis::y)->range().upper);
}

void TestValidationView::unitsShareTheAxesAsSpeeds() {
    Fixture f;
    f.ready();
    f.view.setFilter({.quantity = allSpeeds, .judgedOnly = false});
    QCOMPARE(f.points().size(), 64);
    QHash<std::string, QList<double>> places;
    for (const RunPoint& point : f.points()) {
        const bool isTime = point.row->quantity == "step_time_s";
        const double speed =
            isTime ? point.row->measured / point.row->predicted : point.row->predicted / point.row->measured;
        QVERIFY(std::abs(point.y / point.x - speed) < 1e-12); // above the line: predicted too fast
        places[point.row->quantity].append(point.x);
    }
    for (QList<double>& of : places) { // as many are faster as are slower than the one that is at 1
        std::ranges::sort(of);
        QVERIFY(std::ranges::any_of(of, [](double x) { return std::abs(x - 1) < 1e-12; }));
        QVERIFY(of.first() < 1 && of.last() > 1);
    }
}

void TestValidationView::errorsOfSpeedsAreThoseOfTheStepTime() {
    Fixture f;
    f.ready();
    f.view.setFilter({.quantity = allSpeeds, .judgedOnly = false});
    QTest::mouseClick(f.view.kinds()->button(1), Qt::LeftButton);
    QCOMPARE(f.view.scatter()->picture().kind, RunPictureKind::errors);
    std::vector<std::pair<double, double>> errors;
    for (const RunPoint& point : f.points()) {
        // A rate that is predicted too high is a step time that is predicted too low.
        const double time = point.row->quantity == "step_time_s" ? point.row->predicted / point.row->measured
                                                                 : point.row->measured / point.row->predicted;
        QVERIFY(std::abs(point.y - (time - 1)) < 1e-12);
        errors.emplace_back(time - 1, point.row->weight);
    }
    const QString bias = errorText(weightedQuantile(errors, 0.5));
    const Figure shown = f.view.findChildren<BandLabel*>()[3]->figure();
    QCOMPARE(shown.value + QLatin1Char(' ') + shown.unit, bias);
    // The rows are listed with the same errors, the furthest off first.
    const CellTable* worst = f.view.table(ValidationView::worstPage);
    const auto most =
        std::ranges::max_element(f.points(), {}, [](const RunPoint& p) { return std::abs(p.y); });
    QVERIFY(std::abs(worst->cells()->index(0, errorColumn).data(Qt::EditRole).toDouble() - 100 * most->y) <
            1e-9);
    // In one unit the error is that of the unit.
    f.view.setFilter(tokenRows);
    for (const RunPoint& point : f.points())
        QCOMPARE(point.y, point.row->error);
}

void TestValidationView::clickChoosesEverywhere() {
    Fixture f;
    f.ready();
    const int point = aloneOf(f);
    const QString id = QString::fromStdString(f.points()[point].row->id);
    QTest::mouseClick(f.view.scatter()->plot(), Qt::LeftButton, {}, f.pixelOf(point));
    QCOMPARE(f.currentId(), id);
    QStringList words;
    for (const QLabel* label : f.view.runPanel()->findChildren<QLabel*>())
        words.append(label->text());
    QVERIFY(words.contains(id));
    QVERIFY(words.join(QLatin1Char(' ')).contains(QStringLiteral("Table 5, row")));
    QVERIFY(words.contains(errorText(f.points()[point].row->error)));
}

void TestValidationView::tableRowChoosesThePoint() {
    Fixture f;
    f.ready();
    f.table()->setFocus();
    QTest::keyClick(f.table(), Qt::Key_Home, Qt::ControlModifier);
    QTest::keyClick(f.table(), Qt::Key_Down);
    QTest::keyClick(f.table(), Qt::Key_Down);
    QCOMPARE(f.currentId(), QStringLiteral("tokens_per_s_per_gpu-2"));
    QVERIFY(f.view.scatter()->accessibleDescription().contains(QStringLiteral("row 2,")));
    // Sorted by error, the chosen row is still the same.
    f.table()->sortByColumn(errorColumn, Qt::AscendingOrder);
    QCOMPARE(f.currentId(), QStringLiteral("tokens_per_s_per_gpu-2"));
    QCOMPARE(f.table()->model()->index(0, errorColumn).data().toString(), QStringLiteral("−23.0"));
}

void TestValidationView::doubleClickOpensTheScenario() {
    Fixture f;
    f.ready();
    QSignalSpy opened(&f.view, &ValidationView::openScenario);
    const int point = aloneOf(f);
    const QCPRange before = f.view.scatter()->axis(PlotAxis::x)->range();
    QTest::mouseDClick(f.view.scatter()->plot(), Qt::LeftButton, {}, f.pixelOf(point));
    QCOMPARE(opened.count(), 1);
    QCOMPARE(opened.first().first().value<ScenarioSpec>().workload.model, std::string("llama-3.1-8b"));
    // Next to the points it fits, as in every plot.
    wheelAt(f.view.scatter()->plot(), QPointF(f.pixelOf(point)), 3);
    QVERIFY(f.view.scatter()->axis(PlotAxis::x)->range().size() < before.size());
    const QRect inside = f.view.scatter()->plot()->axisRect()->rect();
    QTest::mouseDClick(f.view.scatter()->plot(), Qt::LeftButton, {}, inside.bottomRight() - QPoint(8, 8));
    QCOMPARE(opened.count(), 1);
    QCOMPARE(f.view.scatter()->axis(PlotAxis::x)->range().upper, before.upper);
}

void TestValidationView::buttonOpensTheScenario() {
    Fixture f;
    f.ready();
    QSignalSpy opened(&f.view, &ValidationView::openScenario);
    QVERIFY(!f.view.runPanel()->openButton()->isVisible()); // nothing is chosen
    f.view.choose(runKey(*f.points()[4].row));
    QTRY_VERIFY(f.view.runPanel()->openButton()->isVisible());
    QTest::mouseClick(f.view.runPanel()->openButton(), Qt::LeftButton);
    QCOMPARE(opened.count(), 1);
    // A collective is not a scenario.
    f.view.setFilter({.quantity = QStringLiteral("time_s"), .judgedOnly = false});
    f.view.choose(runKey(*f.points()[4].row));
    QVERIFY(!f.view.runPanel()->openButton()->isVisible());
}

void TestValidationView::keysWalkAndOpen() {
    Fixture f;
    f.ready();
    QSignalSpy opened(&f.view, &ValidationView::openScenario);
    f.view.scatter()->setFocus();
    QTest::keyClick(f.view.scatter(), Qt::Key_Right);
    QCOMPARE(f.currentId(), QStringLiteral("tokens_per_s_per_gpu-0")); // the leftmost
    QTest::keyClick(f.view.scatter(), Qt::Key_Right);
    QCOMPARE(f.currentId(), QStringLiteral("tokens_per_s_per_gpu-1"));
    QTest::keyClick(f.view.scatter(), Qt::Key_Return);
    QCOMPARE(opened.count(), 1);
    QTest::keyClick(f.table(), Qt::Key_Return);
    QCOMPARE(opened.count(), 2);
    QTest::keyClick(f.view.scatter(), Qt::Key_D, Qt::ControlModifier);
    QTRY_VERIFY(f.table()->hasFocus());
}

void TestValidationView::cardNamesTheSource() {
    Fixture f;
    f.ready();
    const int point = aloneOf(f);
    moveTo(f.view.scatter()->plot(), f.pixelOf(point));
    QTRY_VERIFY(HoverCard::current() != nullptr);
    const ValidationRow& row = *f.points()[point].row;
    const QString words = HoverCard::words(HoverCard::current()->content());
    QVERIFY2(words.contains(QStringLiteral("Table 5, row ") + QString::fromStdString(row.sourceRow)),
             qPrintable(words));
    QVERIFY(words.contains(errorText(row.error)));
    QVERIFY(words.contains(QStringLiteral("TP 4")));
    QVERIFY(HoverCard::current()->content().rows.size() <= 5);
    const auto assumed = std::ranges::find_if(f.told.rows, [](const auto& r) { return !r.assumed.empty(); });
    QVERIFY(HoverCard::words(runCard(*assumed, *test::shippedCatalog()))
                .contains(QStringLiteral("Assumed: micro-batch, vocab size")));
}

void TestValidationView::nearestFollowTheEstimate() {
    Fixture f;
    f.ready();
    QVERIFY(f.source.nearest().rows.empty()); // no scenario yet
    QSignalSpy changed(&f.source, &ValidationSource::nearestChanged);
    f.document.estimateNow();
    QTRY_COMPARE(f.source.nearest().rows.size(), std::size_t{3});
    QCOMPARE(changed.count(), 1);
    QCOMPARE(f.source.nearest().rows[0]->id, std::string("tokens_per_s_per_gpu-10"));
    f.document.estimateNow(); // the same again is not a change
    settle();
    QCOMPARE(changed.count(), 1);
}

void TestValidationView::exportsCsvAndPng() {
    Fixture f;
    f.ready();
    QTemporaryDir folder;
    const QString csv = folder.filePath(QStringLiteral("rows.csv"));
    QCOMPARE(f.view.scatter()->exportTo(csv), QString());
    QFile file(csv);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray content = file.readAll();
    QCOMPARE(content.count('\n'), 49); // headers and rows
    QVERIFY(content.contains("tokens_per_s_per_gpu-47"));
    const QString png = folder.filePath(QStringLiteral("rows.png"));
    QCOMPARE(f.view.scatter()->exportTo(png), QString());
    QVERIFY(QImage(png).width() > f.view.scatter()->width());
}

void TestValidationView::escapeTakesBack() {
    Fixture f;
    f.ready();
    f.view.choose(runKey(*f.points()[3].row));
    f.view.scatter()->setEmphasis(1);
    f.view.scatter()->setFocus();
    QTest::keyClick(f.view.scatter(), Qt::Key_Escape);
    QCOMPARE(f.view.scatter()->emphasis(), -1);
    QVERIFY(!f.currentId().isEmpty());
    QTest::keyClick(f.view.scatter(), Qt::Key_Escape);
    QVERIFY(f.currentId().isEmpty());
}

void TestValidationView::nothingIsCutAtAnySize_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("1210x700") << QSize(1210, 700);
    QTest::newRow("1530x900") << QSize(1530, 900);
    QTest::newRow("2490x1340") << QSize(2490, 1340);
}

void TestValidationView::nothingIsCutAtAnySize() {
    QFETCH(QSize, size);
    Fixture f(size);
    f.ready();
    QTRY_COMPARE(f.view.size(), size); // nothing asks for more room
    f.view.choose(runKey(*f.points()[20].row));
    for (const QWidget* part :
         {static_cast<QWidget*>(f.view.scatter()), static_cast<QWidget*>(f.view.classTable()),
          static_cast<QWidget*>(f.table()), static_cast<QWidget*>(f.view.runPanel())}) {
        QVERIFY(part->isVisible());
        const QRect place(part->mapTo(&f.view, QPoint()), part->size());
        QVERIFY2(f.view.rect().contains(place), qPrintable(part->accessibleName()));
        QVERIFY2(place.width() >= 300 && place.height() >= 120, qPrintable(part->accessibleName()));
    }
    settle();
    saveGrab(f.view, QStringLiteral("validation-%1").arg(size.width()));
}

void TestValidationView::everyControlHasAName() {
    Fixture f;
    f.ready();
    for (const QWidget* widget : f.view.findChildren<QWidget*>()) {
        if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus) ||
            widget->focusProxy() != nullptr)
            continue;
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        QVERIFY2(!widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty()),
                 widget->metaObject()->className());
    }
}

QTEST_MAIN(TestValidationView)

} // namespace tst_validation_view

#include "tst_validation_view.moc"
