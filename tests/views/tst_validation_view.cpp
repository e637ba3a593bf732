// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "gallery.h"
#include "model/validation/error_figures.h"
#include "model/validation/summaries.h"
#include "tests/views/counting_engine.h"
#include "tests/views/sample_document.h"
#include "tests/views/sample_validation.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/theme/theme_controller.h"
#include "views/validation/class_table.h"
#include "views/validation/filter_panel.h"
#include "views/validation/run_panel.h"
#include "views/validation/run_plot.h"
#include "views/validation/run_text.h"
#include "views/validation/validation_answer.h"
#include "views/validation/validation_source.h"
#include "views/validation/validation_view.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <qcustomplot.h>

#include <atomic>

using namespace alidade;
using namespace alidade::views;

namespace {

const QString tokens = QStringLiteral("tokens_per_s_per_gpu");
const RunFilter tokenRows{.quantity = tokens, .judgedOnly = false};

/// A validation of given rows, beside a document with the shipped catalog.
struct Fixture {
    SampleDocument document{sample::estimate(), test::shippedCatalog()};
    ValidationReport told = sample::validationReport();
    std::atomic<int> reports = 0;
    std::atomic<bool> fails = false, held = false;
    std::atomic<Qt::HANDLE> thread = nullptr;
    ValidationSource source{document.get(), engine()};
    ValidationView view{document.get(), &source};

    explicit Fixture(const QSize& size = {1500, 900}) { present(view, size); }
    ValidationEngine engine() {
        return {.report =
                    [this](const Catalog&, const std::stop_token& stop) {
                        ++reports;
                        thread = QThread::currentThreadId();
                        while (held && !stop.stop_requested())
                            QThread::msleep(1);
                        if (fails)
                            throw std::runtime_error("the rows are torn");
                        return told;
                    },
                .nearest =
                    [](const ValidationReport& report, const ScenarioSpec& spec, const Catalog&) {
                        std::vector<const ValidationRow*> near;
                        for (std::size_t i = 0; i < 3 && spec.workload.model; ++i)
                            near.push_back(&report.rows[10 + i]);
                        return near;
                    }};
    }
    /// Waits for the report; then all 48 rows in tokens per second are shown.
    void ready() {
        begin();
        view.setFilter(tokenRows);
        SampleDocument::settle();
    }
    void begin() { QTRY_VERIFY_WITH_TIMEOUT(!source.busy() && source.report(), 5000); }
    const QList<RunPoint>& points() const { return view.scatter()->picture().points; }
    CellTable* table() const { return view.table(ValidationView::runsPage); }
    QPoint pixelOf(int point) const { return view.scatter()->placeOf(point).toPoint(); }
    QString currentId() const {
        const QModelIndex now = table()->currentIndex();
        return now.isValid() ? now.siblingAtColumn(table()->cells()->columnCount() - 1).data().toString()
                             : QString();
    }
    void choose(RunField field, const QString& beginning) {
        QComboBox* combo = view.filterPanel()->combo(field);
        const int index = combo->findText(beginning, Qt::MatchStartsWith);
        QVERIFY2(index > 0, qPrintable(beginning));
        combo->setFocus();
        combo->setCurrentIndex(index);
        emit combo->activated(index);
    }
};

/// The point that is furthest from all others, so that a click means it.
int aloneOf(const Fixture& f) {
    int best = 0, most = -1;
    for (int i = 0; i < f.points().size(); ++i) {
        int nearest = 10'000;
        for (int other = 0; other < f.points().size(); ++other)
            if (other != i)
                nearest = std::min(nearest, (f.pixelOf(other) - f.pixelOf(i)).manhattanLength());
        if (nearest > most) {
            most = nearest;
            best = i;
        }
    }
    return best;
}

} // namespace

class TestValidationView : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void computesOffTheGuiThreadAndOnce();
    void laterCatalogIsComputedAgain();
    void failureIsSaidAndTriedAgain();
    void cancelledIsOfferedAgain();
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
    f.view.show();
    f.source.request();
    SampleDocument::settle();
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

void TestValidationView::cancelledIsOfferedAgain() {
    Fixture f;
    f.ready();
    f.held = true;
    f.document->setCatalog(std::make_shared<const Catalog>(*test::shippedCatalog()));
    auto* busy = f.view.findChild<BusyOverlay*>();
    QTRY_VERIFY_WITH_TIMEOUT(busy->cancelButton()->isVisible(), 4000);
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
    const QStringList wanted{QStringLiteral("Training"),    QStringLiteral("Speed, as step time"),
                             QStringLiteral("Step time"),   QStringLiteral("Tokens/s per GPU"),
                             QStringLiteral("Memory"),      QStringLiteral("Peak memory"),
                             QStringLiteral("Collectives"), QStringLiteral("Collective time")};
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
    // What is predicted as measured stands on the diagonal of the axes.
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
    for (QList<double>& of : places) { // as many are faster as are slower than the one that stands at 1
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
    // Beside the points it fits, as in every plot.
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
    // A collective is no scenario.
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
    QVERIFY(f.table()->hasFocus());
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

void TestValidationView::filtersNarrowRowsAndFigures() {
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

void TestValidationView::countsFollowTheOtherFilters() {
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
    // Counts of GPUs stand in their order.
    const auto counts = choicesOf(report, tokenRows, RunField::gpus, *test::shippedCatalog());
    QCOMPARE(counts.first().label, QStringLiteral("2 – 8"));
    QVERIFY(std::ranges::is_sorted(counts, {}, &RunChoice::key));
}

void TestValidationView::clearedFiltersShowAll() {
    Fixture f;
    f.ready();
    f.choose(RunField::gpu, QStringLiteral("GB200"));
    QVERIFY(f.points().size() < 36);
    QTest::mouseClick(f.view.filterPanel()->clearButton(), Qt::LeftButton);
    QCOMPARE(f.points().size(), 36);
    QCOMPARE(f.view.filter(), RunFilter{.quantity = tokens});
    QVERIFY(!f.view.filterPanel()->clearButton()->isEnabled());
}

void TestValidationView::nothingPassesIsSaid() {
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

void TestValidationView::figuresAreThoseOfTheRows() {
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

void TestValidationView::leftOutFiguresStandOnlyWithoutFilters() {
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

void TestValidationView::legendMakesOthersStandBack() {
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

void TestValidationView::classesAreCompared() {
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
    f.view.colourBy()->setCurrentIndex(1);
    emit f.view.colourBy()->activated(1);
    QCOMPARE(model->rowCount(), 2);
    QCOMPARE(f.view.scatter()->picture().classes.size(), 2);
    QCOMPARE(model->headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("Family"));
    QTest::mouseClick(f.view.classTable()->viewport(), Qt::LeftButton, {},
                      f.view.classTable()->visualRect(f.view.classTable()->model()->index(1, 0)).center());
    QCOMPARE(f.view.scatter()->emphasis(), 1);
}

void TestValidationView::classOpensAsAFilter() {
    Fixture f;
    f.ready();
    f.view.classTable()->setFocus();
    QTest::keyClick(f.view.classTable(), Qt::Key_Down);
    QTest::keyClick(f.view.classTable(), Qt::Key_Return);
    QCOMPARE(f.view.filter().wanted.size(), 1);
    QCOMPARE(f.view.classTable()->classes()->rowCount(), 1);
}

void TestValidationView::looksStayWhileFiltersChange() {
    Fixture f;
    f.ready();
    const RunPoint before = f.points()[9];
    RunFilter only = f.view.filter();
    only.wanted[RunField::gpu] = QString::fromStdString(before.row->gpu);
    f.view.setFilter(only);
    QVERIFY(std::ranges::all_of(f.points(), [&](const RunPoint& p) { return p.place == before.place; }));
}

void TestValidationView::worstRowsComeFirst() {
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

void TestValidationView::memoryOutcomesThatDifferComeFirst() {
    Fixture f;
    f.ready();
    QTest::mouseClick(f.view.pages()->button(ValidationView::memoryPage), Qt::LeftButton);
    const CellTable* table = f.view.table(ValidationView::memoryPage);
    QVERIFY(table->isVisible());
    QStringList ids, verdicts;
    for (int row = 0; row < table->cells()->rowCount(); ++row) {
        ids.append(table->cells()->index(row, 0).data().toString());
        verdicts.append(table->cells()->index(row, 3).data().toString());
    }
    QCOMPARE(ids, (QStringList{QStringLiteral("out-yet-fits"), QStringLiteral("ran-yet-too-large"),
                               QStringLiteral("out-and-too-large"), QStringLiteral("ran-and-fits")}));
    const auto bars = f.view.findChildren<DockTitleBar*>();
    QVERIFY(std::ranges::any_of(bars, [](const DockTitleBar* bar) {
        return std::ranges::any_of(bar->findChildren<QLabel*>(), [](const QLabel* label) {
            return label->text().startsWith(QStringLiteral("2 of 4 agree"));
        });
    }));
    QCOMPARE(verdicts, (QStringList{QStringLiteral("differs"), QStringLiteral("differs"),
                                    QStringLiteral("agrees"), QStringLiteral("agrees")}));
}

void TestValidationView::skippedRowsSayWhy() {
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
    QVERIFY(!table->isVisible()); // a sentence stands there instead
}

void TestValidationView::nearestRunsOnly() {
    Fixture f;
    f.ready();
    f.view.showRuns({QStringLiteral("tokens_per_s_per_gpu-3"), QStringLiteral("tokens_per_s_per_gpu-5")});
    QCOMPARE(f.points().size(), 2);
    QCOMPARE(f.view.filter().quantity, tokens); // one unit, so that they are drawn against measured
    QCOMPARE(f.currentId(), QStringLiteral("tokens_per_s_per_gpu-3"));
    f.view.showRuns({QStringLiteral("tokens_per_s_per_gpu-3"), QStringLiteral("step_time_s-5")});
    QCOMPARE(f.points().size(), 2);
    QCOMPARE(f.view.filter().quantity, allSpeeds);
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
    f.document.estimateNow(); // the same again is no change
    SampleDocument::settle();
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
    QCOMPARE(f.view.size(), size); // nothing asks for more room
    f.view.choose(runKey(*f.points()[20].row));
    for (const QWidget* part :
         {static_cast<QWidget*>(f.view.scatter()), static_cast<QWidget*>(f.view.classTable()),
          static_cast<QWidget*>(f.table()), static_cast<QWidget*>(f.view.runPanel())}) {
        QVERIFY(part->isVisible());
        const QRect place(part->mapTo(&f.view, QPoint()), part->size());
        QVERIFY2(f.view.rect().contains(place), qPrintable(part->accessibleName()));
        QVERIFY2(place.width() >= 300 && place.height() >= 120, qPrintable(part->accessibleName()));
    }
    SampleDocument::settle();
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
#include "tst_validation_view.moc"
