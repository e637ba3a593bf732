// SPDX-License-Identifier: GPL-3.0-or-later
// The page that searches for the best plan, driven by mouse and keyboard.
#include "app/window/exporter.h"
#include "app/window/report_dialog.h"
#include "data/json/file.h"
#include "data/scenario/scenario_json.h"
#include "model/search/search_words.h"
#include "tests/app/search_fixture.h"
#include "tests/views/gallery.h"
#include "views/kit/cell_table.h"
#include "views/kit/rail.h"
#include "views/kit/segmented_buttons.h"
#include "views/report/report_preview.h"
#include "views/search/plan_panel.h"
#include "views/search/question_panel.h"
#include "views/search/search_plot.h"
#include "views/search/search_source.h"
#include "views/search/search_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace tst_window_search {

class TestWindowSearch : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }

    /// The document of the recommended plan: the program asks the question of the window again.
    void searchIsReported() {
        SearchFixture f;
        QVERIFY(!f.view->reportAction()->isEnabled());
        f.askLittle();
        f.type(f.question().limit(q("memory.headroom_bytes")), "1.5 GB");
        f.search();
        QVERIFY(f.view->reportAction()->isEnabled());
        f.view->reportAction()->trigger();
        auto* dialog = f.window->findChild<app::ReportDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(dialog->preview().isSettled() && dialog->preview().pageCount() > 5, 60'000);
        const app::ReportSource source = dialog->source();
        QVERIFY(source.search);
        QCOMPARE(data::writeScenario(source.spec), data::writeScenario(*f.view->recommended()));
        dialog->close();

        app::Exporter exporter(qEnvironmentVariable("ALIDADE_EXECUTABLE"));
        const QTemporaryDir folder;
        const QString file = folder.filePath(q("offer.html"));
        QSignalSpy finished(&exporter, &app::Exporter::finished), failed(&exporter, &app::Exporter::failed);
        exporter.start(source, file, {.title = q("Our offer")});
        QTRY_VERIFY_WITH_TIMEOUT(!finished.isEmpty() || !failed.isEmpty(), 60'000);
        QVERIFY2(failed.isEmpty(), qPrintable(failed.value(0).value(1).toString()));
        const std::string html = *data::readFile(file.toStdString());
        const SearchAnswer& answer = *source.search;
        for (const std::string& part :
             {std::string("Our offer"), std::string("The search for this plan"),
              std::string("The space has 64 plans"), searchHeadline(answer.question, answer.result),
              std::string("Memory headroom at least 1.50 GB")})
            QVERIFY2(html.find(part) != std::string::npos, part.c_str());

        // Another scenario has not been searched.
        f.files().openSample(q("deepseek-v3-256xp5en.48xlarge"));
        f.settle();
        QVERIFY(!f.view->recommended());
    }

    void findsPreviewsAndAdopts() {
        SearchFixture f;
        f.askLittle();
        QCOMPARE(f.question().sizeText(), q("64 plans"));
        f.search();
        QVERIFY2(f.view->sentence().contains(q("tep time")), qPrintable(f.view->sentence()));
        const int rows = f.view->list()->model()->rowCount();
        QVERIFY(rows > 3);
        QCOMPARE(f.cell(0, 0), q("1 ="));

        // The picture and the list choose each other's plans.
        const SearchResult& found = f.view->source()->answer()->result;
        QCOMPARE(found.sample.size(), static_cast<std::size_t>(found.counts.evaluated));
        f.clickPoint(1);
        QVERIFY(wordsOn(*f.view->planPanel()).contains(q("Plan 2 of the list")));
        QCOMPARE(f.view->list()->currentIndex().row(), 1);

        f.clickRow(2);
        const auto& plan = f.view->source()->answer()->result.best[2];
        QVERIFY(wordsOn(*f.view->planPanel()).contains(q("Plan 3 of the list")));
        const std::string before = fieldText(*findField("plan.tensor_parallel"),
                                             findField("plan.tensor_parallel")->get(f.document().spec()));
        QTest::mouseClick(f.view->planPanel()->previewButton(), Qt::LeftButton);
        QVERIFY(f.document().previewed() != nullptr);
        f.settle();
        QCOMPARE(f.document().estimate()->training->stepTime,
                 plan.figure(*findPlanFigure("training.step_time_s")));
        QCOMPARE(f.view->planPanel()->previewButton()->text(), q("End Preview"));
        QVERIFY(!f.view->isOutdated());
        QTest::mouseClick(f.view->planPanel()->previewButton(), Qt::LeftButton);
        QVERIFY(f.document().previewed() == nullptr);

        QTest::mouseClick(f.view->planPanel()->adoptButton(), Qt::LeftButton);
        f.settle();
        QCOMPARE(f.document().estimate()->training->stepTime,
                 plan.figure(*findPlanFigure("training.step_time_s")));
        QVERIFY(f.view->isOutdated());
        QCOMPARE(f.document().undoStack()->count(), 1);
        QTest::keyClick(f.window.get(), Qt::Key_Z, Qt::ControlModifier);
        f.settle();
        QCOMPARE(fieldText(*findField("plan.tensor_parallel"),
                           findField("plan.tensor_parallel")->get(f.document().spec())),
                 before);
        QVERIFY(!f.view->isOutdated());
    }

    /// All machines and their number at once, instances and UltraServers alike.
    void machinesVaryWithTheirNumber() {
        SearchFixture f;
        QCOMPARE(f.document().setField(*findField("workload.global_batch"), q("1152")), QString());
        f.settle();
        f.askLittle();
        const auto tick = [&f](const char* path) {
            f.question().box(q(path))->setFocus();
            QTest::keyClick(f.question().box(q(path)), Qt::Key_Space);
        };
        tick("cluster.instance");
        QVERIFY(f.question().box(q("cluster.instance"))->isChecked());
        const auto alone = f.question().question();
        QVERIFY(alone);
        tick("cluster.instances");
        const auto both = f.question().question();
        QVERIFY2(both, both ? "" : both.error().c_str());
        const auto machines = [](const SearchQuestion& question) {
            const auto found = std::ranges::find(question.free, "cluster.instance", &FreeField::path);
            return found == question.free.end() ? std::size_t(0) : found->choices.size();
        };
        QVERIFY(machines(*alone) > 1);
        QCOMPARE(machines(*both), machines(*alone));
        QVERIFY(f.button()->isEnabled());
        f.type(f.question().values(q("cluster.instance")), "p5.48xlarge,u-p6e-gb200x72");
        f.type(f.question().values(q("cluster.instances")), "16,64");
        f.search();
        // Each plan of the list says its machines and how many; the panel agrees.
        const SearchAnswer& answer = *f.view->answer();
        bool hasUltra = false;
        for (const FoundPlan& each : answer.result.best) {
            const std::string machines = valueInWords(each, answer.question.free[0]),
                              count = valueInWords(each, answer.question.free[1]);
            QVERIFY2(machines.starts_with(count + " x "), machines.c_str());
            hasUltra |= machines.ends_with("u-p6e-gb200x72");
        }
        QVERIFY(hasUltra);
    }

    /// Any figure of the plans can be an axis; the choice stays for the next search.
    void axesAreChosen() {
        SearchFixture f;
        f.askLittle();
        f.search();
        const auto choose = [](QComboBox* axis, const char* words) {
            axis->setFocus();
            for (int i = 0; i < axis->count() && axis->currentText() != q(words); ++i)
                QTest::keyClick(axis, i == 0 ? Qt::Key_Home : Qt::Key_Down);
            QCOMPARE(axis->currentText(), q(words));
        };
        const std::vector<FoundPlan> best = f.view->source()->answer()->result.best;
        QCOMPARE(f.view->verticalAxis()->currentText(), q("Step time"));
        QCOMPARE(f.view->horizontalAxis()->currentText(), q("Memory"));
        choose(f.view->verticalAxis(), "MFU");
        choose(f.view->horizontalAxis(), "Rent of the run");
        for (int round = 0; round < 2; ++round) {
            QCOMPARE(f.view->plot()->up()->path, std::string_view("training.mfu"));
            QCOMPARE(f.view->plot()->right()->path, std::string_view("cost.dollars_per_run"));
            // The dearer plan is farther right, the better used one higher.
            const QPointF first = f.view->plot()->placeOf(0),
                          last = f.view->plot()->placeOf(static_cast<int>(best.size()) - 1);
            const PlanFigure* cost = findPlanFigure("cost.dollars_per_run");
            QCOMPARE(best.back().figure(*cost) > best.front().figure(*cost), last.x() > first.x());
            const PlanFigure* mfu = findPlanFigure("training.mfu");
            QCOMPARE(best.back().figure(*mfu) < best.front().figure(*mfu), last.y() > first.y());
            QVERIFY(first != last);
            f.clickPoint(1);
            QVERIFY(wordsOn(*f.view->planPanel()).contains(q("Plan 2 of the list")));
            if (round == 0)
                f.search();
        }
    }

    /// Zooming into the picture leaves in the list what is in view; a double click brings all back.
    void pictureFiltersTheList() {
        SearchFixture f;
        f.askLittle();
        f.search();
        views::SearchPlot* picture = f.view->plot();
        const auto& best = f.view->source()->answer()->result.best;
        const int all = f.view->list()->model()->rowCount();
        QCOMPARE(all, static_cast<int>(best.size()));
        f.clickRow(0);
        const QPointF first = picture->placeOf(0);
        picture->setFocus();
        QTest::keyClick(picture, Qt::Key_Z);
        QWidget* surface = picture->plot();
        const QPoint from = (first - QPointF(12, 12)).toPoint(), to = (first + QPointF(12, 12)).toPoint();
        QTest::mousePress(surface, Qt::LeftButton, {}, from);
        QTest::mouseMove(surface, first.toPoint());
        QTest::mouseMove(surface, to);
        QTest::mouseRelease(surface, Qt::LeftButton, {}, to);
        QTRY_VERIFY(picture->isZoomed());
        QTRY_VERIFY(f.view->list()->model()->rowCount() < all);
        int inView = 0;
        for (int i = 0; i < static_cast<int>(best.size()); ++i)
            inView += picture->isInView(i) ? 1 : 0;
        QVERIFY(picture->isInView(0));
        QCOMPARE(f.view->list()->model()->rowCount(), inView);
        QCOMPARE(f.cell(0, 0), q("1 ="));
        QCOMPARE(f.view->list()->currentIndex().row(), 0);
        QVERIFY(wordsOn(*f.view).contains(q("%1 of %2: those in the picture").arg(inView).arg(all)));
        QTest::mouseDClick(surface, Qt::LeftButton, {}, surface->rect().center());
        QTRY_COMPARE(f.view->list()->model()->rowCount(), all);
    }

    /// What to know before choosing a plan is said in sentences.
    void marksAreSentences() {
        SearchFixture f;
        f.askLittle();
        f.search();
        const auto& best = f.view->source()->answer()->result.best;
        const auto marked = std::ranges::find_if(best, [](const FoundPlan& each) {
            return std::ranges::find(each.marks, "the high end of its memory band does not fit") !=
                   each.marks.end();
        });
        QVERIFY(marked != best.end());
        f.view->choose(QString::number(marked->index));
        QVERIFY(wordsOn(*f.view->planPanel()).contains(q(". The high end of its memory band does not fit.")));
    }

    /// One click on a reason shows a plan that failed for it, and it can be previewed, not adopted.
    void rejectedPlansAreShown() {
        SearchFixture f;
        f.askLittle();
        f.search();
        const auto* reasons = f.view->planPanel()->reasons();
        QVERIFY(reasons->model()->rowCount() > 0);
        const Rejection& first = f.view->source()->answer()->result.rejected.front();
        QTest::mouseClick(reasons->viewport(), Qt::LeftButton, {},
                          reasons->visualRect(reasons->model()->index(0, 1)).center());
        const QString said = wordsOn(*f.view->planPanel());
        QVERIFY2(said.contains(text(first.why)), qPrintable(said));
        QVERIFY(f.view->planPanel()->fields()->model()->rowCount() > 0);
        QVERIFY(!f.view->planPanel()->adoptButton()->isEnabled());
        QTest::mouseClick(f.view->planPanel()->previewButton(), Qt::LeftButton);
        QVERIFY(f.document().previewed() != nullptr);
        QVERIFY(f.document().previewed()->set == first.example);
        QCOMPARE(f.view->planPanel()->previewButton()->text(), q("End Preview"));
        QTest::mouseClick(f.view->planPanel()->previewButton(), Qt::LeftButton);
        QVERIFY(f.document().previewed() == nullptr);
        f.clickRow(1);
        QVERIFY(wordsOn(*f.view->planPanel()).contains(q("Plan 2 of the list")));
        QVERIFY(f.view->planPanel()->adoptButton()->isEnabled());
        // The other page says what decides.
        QVERIFY(reasons->isVisible());
        QTest::mouseClick(f.view->planPanel()->why()->button(1), Qt::LeftButton);
        QVERIFY(!reasons->isVisible());
        const QString decides = f.view->planPanel()->decidesText();
        QVERIFY2(decides.contains(q("within the error of the best")), qPrintable(decides));
        QVERIFY(wordsOn(*f.view->planPanel()).contains(decides.left(30)));
    }

    /// What the recommendation rests on ends with the published run that is most like it.
    void theNearestRunIsSaid() {
        SearchFixture f;
        f.askLittle();
        f.search();
        QTest::mouseClick(f.view->planPanel()->why()->button(1), Qt::LeftButton);
        const QString nearest = q("The published run most like it: Llama 3 8B on 8 H100");
        QTRY_VERIFY2(wordsOn(*f.view->planPanel()).contains(nearest), qPrintable(wordsOn(*f.view)));
        QVERIFY(wordsOn(*f.view->planPanel()).contains(q("; its predicted time is 30 % too long.")));
        QVERIFY(f.view->saved().contains(nearest.toUtf8())); // the workspace keeps it
        // A search that is asked again says it again.
        f.search();
        QTRY_VERIFY(wordsOn(*f.view->planPanel()).contains(nearest));
        QVERIFY(!f.view->answer()->nearest.empty());
        QVERIFY(f.view->answer() == f.view->source()->answer());
    }

    /// While the first answer is awaited nothing is behind what is said about it.
    void nothingShowsThroughTheWait() {
        SearchFixture f;
        QVERIFY(wordsOn(*f.view).contains(q("No search yet")));
        f.question().box(q("cluster.instance"))->setChecked(true);
        const QString size = f.question().sizeText();
        QVERIFY2(size.contains(q(" M plans")), qPrintable(size));
        QTest::mouseClick(f.button(), Qt::LeftButton);
        QVERIFY(f.view->source()->busy());
        QVERIFY(!wordsOn(*f.view).contains(q("No search yet")));
        QTRY_VERIFY2(wordsOn(*f.view).contains(q("Trying ") + size), qPrintable(wordsOn(*f.view)));
        QTest::mouseClick(f.button(), Qt::LeftButton); // stops it
        QTRY_VERIFY_WITH_TIMEOUT(!f.view->source()->busy() && f.view->source()->answer(), 60'000);
        QVERIFY(f.view->list()->isVisible());
    }

    /// A limit leaves plans out and says how many; two figures give the front.
    void limitsAndTwoFigures() {
        SearchFixture f;
        f.askLittle();
        f.type(f.question().limit(q("memory.headroom_bytes")), "20 GB");
        f.search();
        const auto& limited = f.view->source()->answer()->result;
        QVERIFY(limited.counts.missed > 0);
        bool said = false;
        const auto* reasons = f.view->planPanel()->reasons()->model();
        for (int i = 0; i < reasons->rowCount(); ++i)
            said |= reasons->index(i, 1).data().toString() == q("Memory headroom is below 20.0 GB");
        QVERIFY(said);
        f.type(f.question().limit(q("memory.headroom_bytes")), "");
        auto* second = f.question().second();
        second->setFocus();
        for (int i = 0; i < second->count() && second->currentText() != q("Most: Memory headroom"); ++i)
            QTest::keyClick(second, Qt::Key_Down);
        QCOMPARE(second->currentText(), q("Most: Memory headroom"));
        f.search();
        const auto& front = f.view->source()->answer()->result.front;
        QVERIFY(front.size() > 1);
        QCOMPARE(f.view->list()->model()->rowCount(), static_cast<int>(front.size()));
        QVERIFY(wordsOn(*f.view).contains(q("Pareto front")));
    }

    void whatIsNotUnderstoodIsSaid() {
        SearchFixture f;
        f.askLittle();
        for (const auto& [words, says] :
             {std::pair("1,two", "plan.micro_batch: "), std::pair("8..1", "must ascend")}) {
            f.type(f.question().values(q("plan.micro_batch")), words);
            QVERIFY2(wordsOn(f.question()).contains(q(says)), qPrintable(wordsOn(f.question())));
            QVERIFY(!f.button()->isEnabled());
        }
        f.type(f.question().values(q("plan.micro_batch")), "1");
        QVERIFY(f.button()->isEnabled());
        f.type(f.question().limit(q("training.run_time_s")), "90 GB");
        QVERIFY(!f.button()->isEnabled());
        f.type(f.question().limit(q("training.run_time_s")), "90 d");
        QVERIFY(f.button()->isEnabled());
        for (QCheckBox* box : f.question().findChildren<QCheckBox*>())
            if (box->isChecked())
                box->click();
        QVERIFY(wordsOn(f.question()).contains(q("at least one field")));
    }

    /// A long search is stopped by its own button; what it found is the answer.
    void stoppedSearchesAnswer() {
        SearchFixture f("deepseek-v3-256xp5en.48xlarge");
        f.question().box(q("cluster.instance"))->click();
        QTest::mouseClick(f.button(), Qt::LeftButton);
        QVERIFY(f.view->source()->busy());
        QCOMPARE(f.button()->text(), q("Stop"));
        QTest::qWait(700); // the window goes on in the meantime
        QTest::mouseClick(f.button(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!f.view->source()->busy(), 5'000);
        QCOMPARE(f.button()->text(), q("Search"));
        QVERIFY(!f.view->source()->answer()->result.complete);
        QVERIFY(wordsOn(*f.view).contains(q("Partial")));
    }

    /// The event loop turns while a search takes all cores: no tick of a timer is missed for long.
    void theWindowAnswersMeanwhile() {
        SearchFixture f("deepseek-v3-256xp5en.48xlarge");
        f.question().box(q("cluster.instance"))->click();
        int ticks = 0;
        QTimer timer;
        timer.setInterval(20);
        connect(&timer, &QTimer::timeout, this, [&ticks] { ++ticks; });
        timer.start();
        QTest::mouseClick(f.button(), Qt::LeftButton);
        QTest::qWait(1'000);
        QVERIFY(f.view->source()->busy());
        QVERIFY2(ticks >= 10, qPrintable(QString::number(ticks))); // of 50; a blocked loop has one or none
        f.view->source()->stop();
        QTRY_VERIFY(!f.view->source()->busy());
    }

    void servicesAreSearched() {
        SearchFixture f("serve-llama-3.1-70b-1xp5en.48xlarge");
        QVERIFY(f.question().limit(q("serving.tpot_s")) != nullptr);
        QVERIFY(f.question().limit(q("training.run_time_s")) == nullptr);
        f.search();
        QVERIFY(!f.view->source()->answer()->result.best.empty());
        QVERIFY(f.view->list()->model()->rowCount() > 0);
        // Another scenario of the other kind asks other things.
        f.files().openSample(q("llama-3.1-70b-64xp5.48xlarge"));
        f.settle();
        QTRY_VERIFY(f.question().limit(q("training.run_time_s")) != nullptr);
    }

    void nothingIsCutAtAnySize_data() {
        QTest::addColumn<QSize>("size");
        QTest::newRow("1280x720") << QSize(1280, 720);
        QTest::newRow("1600x1000") << QSize(1600, 1000);
        QTest::newRow("2560x1440") << QSize(2560, 1440);
    }
    void nothingIsCutAtAnySize() {
        QFETCH(QSize, size);
        SearchFixture f;
        f.askLittle();
        f.search();
        for (const auto choice : {views::ThemeChoice::light, views::ThemeChoice::dark}) {
            views::ThemeController::instance().setChoice(choice);
            f.window->resize(size);
            QTRY_COMPARE(f.window->size(), size);
            ::settle();
            for (const QWidget* part :
                 {static_cast<QWidget*>(f.button()), static_cast<QWidget*>(f.view->list()),
                  static_cast<QWidget*>(f.view->plot()),
                  static_cast<QWidget*>(f.view->planPanel()->adoptButton()),
                  static_cast<QWidget*>(f.view->planPanel()->reasons())}) {
                QVERIFY(part->isVisible());
                const QRect place(part->mapTo(f.view, QPoint()), part->size());
                QVERIFY2(f.view->rect().contains(place), qPrintable(part->accessibleName()));
            }
            for (const auto* table : {f.view->planPanel()->figures(), f.view->planPanel()->fields(),
                                      f.view->planPanel()->reasons()})
                QVERIFY2(table->horizontalHeader()->length() <= table->viewport()->width(),
                         qPrintable(table->accessibleName()));
            saveGrab(*f.window, q("search-%1").arg(size.width()));
        }
        views::ThemeController::instance().setChoice(views::ThemeChoice::light);
    }

    void everyControlHasAName() {
        const SearchFixture f;
        for (const QWidget* widget : f.view->findChildren<QWidget*>()) {
            if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus) ||
                widget->focusProxy() != nullptr)
                continue;
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            QVERIFY2(!widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty()),
                     widget->metaObject()->className());
        }
    }
};

QTEST_MAIN(TestWindowSearch)

} // namespace tst_window_search

#include "tst_window_search.moc"
