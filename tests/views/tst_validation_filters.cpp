// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/validation_fixture.h"

namespace tst_validation_filters {

class TestValidationFilters : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void filtersNarrowRowsAndFigures();
    void countsFollowTheOtherFilters();
    void clearedFiltersShowAll();
    void nothingPassesIsSaid();
    void figuresAreThoseOfTheRows();
    void leftOutFiguresStandOnlyWithoutFilters();
    void legendMakesOthersStandBack();
    void classesAreCompared();
    void classOpensAsAFilter();
    void looksStayWhileFiltersChange();
    void worstRowsComeFirst();
    void memoryOutcomesThatDifferComeFirst();
    void skippedRowsSayWhy();
    void nearestRunsOnly();
    void servingRowsHaveTheirOwnWords();
};

void TestValidationFilters::filtersNarrowRowsAndFigures() {
    Fixture f;
    f.ready();
    f.choose(RunField::family, QStringLiteral("Mixture"));
    QCOMPARE(f.points().size(), 16);
    for (const RunPoint& point : f.points())
        QCOMPARE(point.row->family, std::string("moe"));
    QCOMPARE(f.table()->model()->rowCount(), 16);
    QVERIFY(f.view.sentence().contains(QStringLiteral("16 published rows")));
    f.choose(RunField::precision, QStringLiteral("MXFP8"));
    QCOMPARE(f.points().size(), 16); // the same rows in the sample
    QTest::mouseClick(f.view.filterPanel()->judgedOnly(), Qt::LeftButton, {}, QPoint(8, 8));
    QCOMPARE(f.points().size(), 12);
    QVERIFY(std::ranges::all_of(f.points(), [](const RunPoint& p) { return isJudged(*p.row); }));
}

void TestValidationFilters::countsFollowTheOtherFilters() {
    Fixture f;
    f.ready();
    const ValidationReport& report = *f.source.report();
    RunFilter moe = tokenRows;
    moe.wanted[RunField::family] = QStringLiteral("moe");
    int sum = 0;
    for (const RunChoice& choice : choicesOf(report, moe, RunField::gpu, *test::shippedCatalog())) {
        RunFilter both = moe;
        both.wanted[RunField::gpu] = choice.key;
        QCOMPARE(static_cast<int>(rowsOf(report.rows, both).size()), choice.count);
        sum += choice.count;
    }
    QCOMPARE(sum, 16);
    // A field's own choice does not hide its other values.
    QCOMPARE(choicesOf(report, moe, RunField::family, *test::shippedCatalog()).size(), 2);
    // Counts of GPUs are in their order.
    const auto counts = choicesOf(report, tokenRows, RunField::gpus, *test::shippedCatalog());
    QCOMPARE(counts.first().label, QStringLiteral("2 – 8"));
    QVERIFY(std::ranges::is_sorted(counts, {}, &RunChoice::key));
}

void TestValidationFilters::clearedFiltersShowAll() {
    Fixture f;
    f.ready();
    f.choose(RunField::gpu, QStringLiteral("GB200"));
    QVERIFY(f.points().size() < 36);
    QTest::mouseClick(f.view.filterPanel()->clearButton(), Qt::LeftButton);
    QCOMPARE(f.points().size(), 36);
    QCOMPARE(f.view.filter(), RunFilter{.quantity = tokens});
    QVERIFY(!f.view.filterPanel()->clearButton()->isEnabled());
}

void TestValidationFilters::nothingPassesIsSaid() {
    Fixture f;
    f.ready();
    f.view.setFilter({.quantity = tokens, .ids = {QStringLiteral("no-such-row")}});
    QCOMPARE(f.view.sentence(), QStringLiteral("No published row passes the filters."));
    QVERIFY(f.points().isEmpty());
    QVERIFY(f.view.filterPanel()->clearButton()->isEnabled());
    for (const BandLabel* figure : f.view.findChildren<BandLabel*>()) {
        QVERIFY(figure->figure().value.isEmpty());
        QVERIFY(!figure->figure().note.isEmpty());
    }
}

void TestValidationFilters::figuresAreThoseOfTheRows() {
    const ValidationReport report = sample::validationReport();
    const RunFilter filter = tokenRows;
    const auto rows = rowsOf(report.rows, filter);
    const ValidationSummary figures = errorFigures(rows);
    const ValidationAnswer answer = validationAnswer(report, filter, rows);
    QCOMPARE(answer.figures.size(), 6);
    const QList<double> wanted{figures.medianAbsError, figures.meanAbsError, figures.p90AbsError,
                               figures.bias,           figures.within20,     figures.bandCoverage};
    for (int i = 0; i < 6; ++i) {
        QString number = answer.figures[i].value;
        number.replace(QChar(0x2212), QLatin1Char('-'));
        QVERIFY2(std::abs(number.toDouble() / 100 - wanted[i]) < 0.0051, qPrintable(answer.figures[i].label));
        QVERIFY(!answer.figures[i].note.isEmpty());
    }
    QVERIFY(answer.detail.contains(QStringLiteral("24 sweeps")));
}

void TestValidationFilters::leftOutFiguresStandOnlyWithoutFilters() {
    ValidationReport report = sample::validationReport();
    ValidationSummary all;
    all.group = "all";
    all.quantity = "tokens_per_s_per_gpu";
    all.leaveOneOut = LeaveOneOut{"source", 0.071, 0.098};
    report.summary.push_back(all);
    RunFilter filter{.quantity = tokens};
    QCOMPARE(validationAnswer(report, filter, rowsOf(report.rows, filter)).figures[0].note,
             QStringLiteral("source left out: 7.1 %"));
    filter.judgedOnly = false;
    QVERIFY(!validationAnswer(report, filter, rowsOf(report.rows, filter))
                 .figures[0]
                 .note.contains(QStringLiteral("left out")));
}

void TestValidationFilters::legendMakesOthersStandBack() {
    Fixture f;
    f.ready();
    RunPlot* plot = f.view.scatter();
    QCOMPARE(plot->picture().classes.size(), 4);
    QTest::mouseClick(plot->plot(), Qt::LeftButton, {}, plot->legendPlace(1).center().toPoint());
    QCOMPARE(plot->emphasis(), 1);
    // Points that stand back cannot be chosen.
    const int back =
        static_cast<int>(std::ranges::find_if(f.points(), [](const RunPoint& p) { return p.place != 1; }) -
                         f.points().begin());
    plot->setFocus();
    for (int i = 0; i < 5; ++i)
        QTest::keyClick(plot, Qt::Key_Right);
    QVERIFY(f.currentId() != QString::fromStdString(f.points()[back].row->id));
    QTest::mouseClick(plot->plot(), Qt::LeftButton, {}, plot->legendPlace(1).center().toPoint());
    QCOMPARE(plot->emphasis(), -1);
}

void TestValidationFilters::classesAreCompared() {
    Fixture f;
    f.ready();
    ClassModel* model = f.view.classTable()->classes();
    QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(model->rowCount(), 4);
    int rows = 0;
    for (int i = 0; i < model->rowCount(); ++i) {
        const ErrorStrip& strip = model->row(i).strip;
        rows += model->row(i).figures.n;
        QCOMPARE(strip.errors.size(), model->row(i).figures.n);
        QVERIFY(strip.p10 <= strip.p25 && strip.p25 <= strip.median && strip.median <= strip.p75 &&
                strip.p75 <= strip.p90);
        QCOMPARE(strip.full, model->row(0).strip.full); // one scale for the table
    }
    QCOMPARE(rows, 48);
    f.view.colorBy()->setCurrentIndex(1);
    emit f.view.colorBy()->activated(1);
    QCOMPARE(model->rowCount(), 2);
    QCOMPARE(f.view.scatter()->picture().classes.size(), 2);
    QCOMPARE(model->headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("Family"));
    QTest::mouseClick(f.view.classTable()->viewport(), Qt::LeftButton, {},
                      f.view.classTable()->visualRect(f.view.classTable()->model()->index(1, 0)).center());
    QCOMPARE(f.view.scatter()->emphasis(), 1);
}

void TestValidationFilters::classOpensAsAFilter() {
    Fixture f;
    f.ready();
    f.view.classTable()->setFocus();
    QTest::keyClick(f.view.classTable(), Qt::Key_Down);
    QTest::keyClick(f.view.classTable(), Qt::Key_Return);
    QCOMPARE(f.view.filter().wanted.size(), 1);
    QCOMPARE(f.view.classTable()->classes()->rowCount(), 1);
}

void TestValidationFilters::looksStayWhileFiltersChange() {
    Fixture f;
    f.ready();
    const RunPoint before = f.points()[9];
    RunFilter only = f.view.filter();
    only.wanted[RunField::gpu] = QString::fromStdString(before.row->gpu);
    f.view.setFilter(only);
    QVERIFY(std::ranges::all_of(f.points(), [&](const RunPoint& p) { return p.place == before.place; }));
}

void TestValidationFilters::worstRowsComeFirst() {
    Fixture f;
    f.ready();
    QTest::mouseClick(f.view.pages()->button(ValidationView::worstPage), Qt::LeftButton);
    CellTable* worst = f.view.table(ValidationView::worstPage);
    QVERIFY(worst->isVisible());
    QCOMPARE(worst->cells()->rowCount(), 20);
    double last = INFINITY;
    for (int row = 0; row < 20; ++row) {
        const double size = worst->cells()->index(row, sizeOfErrorColumn).data(Qt::EditRole).toDouble();
        QVERIFY(size <= last);
        last = size;
    }
    QTest::mouseClick(worst->viewport(), Qt::LeftButton, {},
                      worst->visualRect(worst->model()->index(2, 0)).center());
    QCOMPARE(f.currentId(), worst->model()->index(2, worst->cells()->columnCount() - 1).data().toString());
}

void TestValidationFilters::memoryOutcomesThatDifferComeFirst() {
    Fixture f;
    f.ready();
    QTest::mouseClick(f.view.pages()->button(ValidationView::memoryPage), Qt::LeftButton);
    const CellTable* table = f.view.table(ValidationView::memoryPage);
    QVERIFY(table->isVisible());
    QStringList ids, predicted, verdicts;
    for (int row = 0; row < table->cells()->rowCount(); ++row) {
        ids.append(table->cells()->index(row, 0).data().toString());
        predicted.append(table->cells()->index(row, 2).data().toString());
        verdicts.append(table->cells()->index(row, 3).data().toString());
    }
    QCOMPARE(ids, (QStringList{QStringLiteral("out-yet-fits"), QStringLiteral("ran-yet-too-large"),
                               QStringLiteral("out-and-tight"), QStringLiteral("out-and-too-large"),
                               QStringLiteral("ran-and-fits")}));
    QCOMPARE(predicted, (QStringList{QStringLiteral("fits"), QStringLiteral("does not fit"),
                                     QStringLiteral("tight: 87 % likely to run out"),
                                     QStringLiteral("does not fit"), QStringLiteral("fits")}));
    const auto bars = f.view.findChildren<DockTitleBar*>();
    QVERIFY(std::ranges::any_of(bars, [](const DockTitleBar* bar) {
        return std::ranges::any_of(bar->findChildren<QLabel*>(), [](const QLabel* label) {
            return label->text().startsWith(QStringLiteral("3 of 5 agree"));
        });
    }));
    QCOMPARE(verdicts,
             (QStringList{QStringLiteral("differs"), QStringLiteral("differs"), QStringLiteral("agrees"),
                          QStringLiteral("agrees"), QStringLiteral("agrees")}));
}

void TestValidationFilters::skippedRowsSayWhy() {
    Fixture f;
    f.ready();
    QTest::mouseClick(f.view.pages()->button(ValidationView::skippedPage), Qt::LeftButton);
    const CellTable* table = f.view.table(ValidationView::skippedPage);
    QVERIFY(table->isVisible());
    QVERIFY(table->cells()->index(0, 1).data().toString().startsWith(QStringLiteral("neither the batch")));
    f.told.skipped.clear();
    f.document->setCatalog(std::make_shared<const Catalog>(*test::shippedCatalog()));
    QTRY_COMPARE(f.reports.load(), 2);
    f.ready();
    QVERIFY(!table->isVisible()); // a sentence is there instead
}

void TestValidationFilters::nearestRunsOnly() {
    Fixture f;
    f.ready();
    f.view.showRuns({QStringLiteral("tokens_per_s_per_gpu-3"), QStringLiteral("tokens_per_s_per_gpu-5")});
    QCOMPARE(f.points().size(), 2);
    QCOMPARE(f.view.filter().quantity, tokens); // one unit, so that they are drawn against measured
    QCOMPARE(f.currentId(), QStringLiteral("tokens_per_s_per_gpu-3"));
    f.view.showRuns({QStringLiteral("tokens_per_s_per_gpu-3"), QStringLiteral("step_time_s-5")});
    QCOMPARE(f.points().size(), 2);
    QCOMPARE(f.view.filter().quantity, allSpeeds);
    f.view.showRuns({QStringLiteral("deployment-3"), QStringLiteral("deployment-4")});
    QCOMPARE(f.points().size(), 2);
    QCOMPARE(f.view.filter().quantity, QStringLiteral("tpot_s")); // says more than the first token
}

void TestValidationFilters::servingRowsHaveTheirOwnWords() {
    Fixture f;
    f.ready();
    f.view.setFilter({.quantity = QStringLiteral("tpot_s")});
    QCOMPARE(f.points().size(), 7); // of quality A
    f.view.choose(runKey(*f.points()[0].row));
    QStringList said;
    for (const QLabel* label : f.view.runPanel()->findChildren<QLabel*>())
        said.append(label->text());
    const QString words = said.join(QLatin1Char('\n'));
    for (const char* part : {"TP 4, 1,024 in, 512 out, 64 at once", "TPOT", "vLLM", "server (closed loop)"})
        QVERIFY2(words.contains(QLatin1String(part)), qPrintable(words));
    f.choose(RunField::framework, QStringLiteral("TensorRT-LLM"));
    QCOMPARE(f.points().size(), 2);
    f.view.setFilter({.quantity = QStringLiteral("tpot_s"), .judgedOnly = false});
    QCOMPARE(f.points().size(), 10);
}

QTEST_MAIN(TestValidationFilters)

} // namespace tst_validation_filters

#include "tst_validation_filters.moc"
