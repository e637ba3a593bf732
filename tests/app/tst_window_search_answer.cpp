// SPDX-License-Identifier: GPL-3.0-or-later
// Answers of the search page: on the way, of single plans, and as the workspace keeps them.
#include "data/catalog/kind.h"
#include "model/search/plan_walker.h"
#include "model/search/search.h"
#include "tests/app/search_fixture.h"
#include "tests/app/workspace_fixture.h"
#include "views/catalog/catalog_editor.h"
#include "views/catalog/catalog_view.h"
#include "views/search/plan_panel.h"
#include "views/search/search_changes.h"
#include "views/search/search_list.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QScrollBar>

#include <algorithm>
#include <set>

namespace tst_window_search_answer {

namespace {

QStringList keysOf(const views::CellTable* table) {
    QStringList out;
    for (int i = 0; i < table->cells()->rowCount(); ++i)
        out.append(table->cells()->key(i));
    return out;
}

/// A search over millions of plans, which takes long enough to be watched.
struct LongSearch : SearchFixture {
    LongSearch() {
        question().box(q("cluster.instance"))->click();
        QTest::mouseClick(button(), Qt::LeftButton);
    }
    ~LongSearch() {
        view->source()->stop();
        [this] { QTRY_VERIFY_WITH_TIMEOUT(!view->source()->busy(), 60'000); }();
    }
    /// Until something is in the list while the search goes on.
    void awaitFirst() const {
        QTRY_VERIFY_WITH_TIMEOUT(view->list()->model()->rowCount() > 3, 30'000);
        QVERIFY(view->source()->busy());
    }
    void awaitMore(int count) const {
        QSignalSpy answered(view->source(), &views::SearchSource::answered);
        QTRY_VERIFY_WITH_TIMEOUT(answered.count() >= count, 60'000);
        QVERIFY(view->source()->busy());
    }
};

} // namespace

class TestWindowSearchAnswer : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }

    /// What a search has found so far is shown, marked as partial, and can be used.
    void partialAnswersAreShown() {
        LongSearch f;
        f.awaitFirst();
        QVERIFY(f.view->source()->answer()->goesOn);
        const QString said = wordsOn(*f.view);
        for (const char* words : {"Partial: ", "So far", "Best plans so far"})
            QVERIFY2(said.contains(q(words)), qPrintable(said));
        QTRY_VERIFY2(wordsOn(*f.view).contains(q("Trying ") + f.question().sizeText()),
                     qPrintable(wordsOn(*f.view)));
        // Nothing is said about plans that were not tried.
        for (const char* words : {"of this space", "Recommended"})
            QVERIFY2(!said.contains(q(words)), qPrintable(said));
        QVERIFY(!f.view->recommended());
        QVERIFY(!f.view->reportAction()->isEnabled());
        const auto tried = f.view->source()->answer()->result.counts.total();
        f.awaitMore(2);
        QVERIFY(f.view->source()->answer()->result.counts.total() > tried);
        // The picture gets its points on the way, each with its class.
        const views::CatalogSearch& answer = *f.view->source()->answer();
        QVERIFY(!answer.result.sample.empty());
        for (const SampledPlan& each : answer.result.sample)
            QVERIFY(answer.picture.bottlenecks.contains(each.index));
    }

    /// The plan that a person has chosen stays chosen, wherever it stands by then.
    void theChosenPlanStays() {
        LongSearch f;
        f.awaitFirst();
        f.clickRow(2);
        const QString key = f.view->list()->cells()->key(f.view->list()->currentIndex().row());
        QVERIFY(!key.isEmpty());
        f.awaitMore(3);
        const int row = f.view->list()->cells()->rowOf(key);
        QCOMPARE(f.view->list()->currentIndex().row(), row);
        QVERIFY2(wordsOn(*f.view->planPanel())
                     .contains(row < 0 ? q("not in the list") : q("Plan %1 of the list").arg(row + 1)),
                 qPrintable(wordsOn(*f.view->planPanel())));
        QTest::mouseClick(f.view->planPanel()->previewButton(), Qt::LeftButton);
        QVERIFY(f.document().previewed() != nullptr);
        f.document().endPreview();
    }

    /// Under the pointer nothing moves: what is new waits until the pointer goes.
    void nothingJumpsUnderThePointer() {
        LongSearch f;
        f.awaitFirst();
        QWidget* rows = f.view->list()->viewport();
        QTest::mouseMove(rows, rows->rect().center());
        QTRY_VERIFY(rows->underMouse());
        const QStringList before = keysOf(f.view->list());
        const std::shared_ptr<const SearchAnswer> shown = f.view->answer();
        f.awaitMore(3);
        QCOMPARE(keysOf(f.view->list()), before);
        QVERIFY(f.view->answer() == shown);
        QTRY_VERIFY(wordsOn(*f.view).contains(q("New plans appear once the pointer leaves")));
        QTest::mouseMove(&f.question(), QPoint(5, 5));
        QTRY_VERIFY(f.view->answer() != shown);
    }

    /// A pointer that happened to be where the plans appear, and has not moved since, is no reason to wait.
    void aRestingPointerHoldsNothing() {
        SearchFixture f;
        f.question().box(q("cluster.instance"))->click();
        QTest::mouseMove(f.view, QPoint(f.view->width() / 2, f.view->height() * 3 / 4));
        f.button()->click();
        QTRY_VERIFY_WITH_TIMEOUT(f.view->list()->model()->rowCount() > 3, 30'000);
        QTRY_VERIFY(f.view->list()->viewport()->underMouse());
        const std::shared_ptr<const SearchAnswer> shown = f.view->answer();
        QTRY_VERIFY_WITH_TIMEOUT(f.view->answer() != shown, 60'000);
        QVERIFY(wordsOn(*f.view).contains(q("Partial: ")));
        f.view->source()->stop();
        QTRY_VERIFY_WITH_TIMEOUT(!f.view->source()->busy(), 60'000);
    }

    /// A table keeps the row that a person looks at where it is while others come before it.
    void rowsStayWhereTheyAre() {
        views::CellTable table;
        const auto fill = [&table](int from, bool renews) {
            QList<views::CellRow> rows;
            for (int i = from; i < 200; ++i)
                rows.append({QString::number(i), {{QString::number(i), {}, {}}}});
            if (renews)
                table.renewTable({{q("Number"), false, {}}}, rows);
            else
                table.setTable({{q("Number"), false, {}}}, rows);
        };
        fill(50, false);
        table.resize(200, 300);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        table.setCurrentKey(q("120"));
        table.scrollTo(table.currentIndex(), QAbstractItemView::PositionAtCenter);
        const int top = table.visualRect(table.currentIndex()).top();
        const QModelIndex first = table.indexAt(QPoint(1, 1));
        const QString firstKey = table.cells()->key(first.row());
        const int firstTop = table.visualRect(first).top();
        fill(0, true);
        QCOMPARE(table.cells()->key(table.currentIndex().row()), q("120"));
        QCOMPARE(table.visualRect(table.currentIndex()).top(), top);
        QCOMPARE(table.cells()->key(table.indexAt(QPoint(1, 1)).row()), firstKey);
        QCOMPARE(table.visualRect(table.indexAt(QPoint(1, 1))).top(), firstTop);
    }

    /// A point of the picture is a plan like one of the list: shown, previewed and adopted.
    void sampledPlansAreChosen() {
        SearchFixture f;
        f.question().values(q("plan.tensor_parallel"))->setFocus();
        f.search();
        const views::CatalogSearch& answer = *f.view->source()->answer();
        views::SearchPlot* picture = f.view->plot();
        const auto& sample = answer.result.sample;
        std::set<std::uint64_t> listed;
        for (const FoundPlan& each : answer.result.best)
            listed.insert(each.index);
        std::set<Bound> classes;
        std::size_t alone = sample.size(); // far from every plan of the list
        for (std::size_t i = 0; i < sample.size(); ++i) {
            QVERIFY(picture->boundOfSampled(i).has_value());
            classes.insert(*picture->boundOfSampled(i));
            const QPointF at = picture->placeOfSampled(i);
            bool isNear = false;
            for (std::size_t k = 0; k < answer.result.best.size(); ++k)
                isNear |= (picture->placeOf(static_cast<int>(k)) - at).manhattanLength() < 40;
            if (!isNear && !listed.contains(sample[i].index) && alone == sample.size())
                alone = i;
        }
        QVERIFY(classes.size() > 1);
        QVERIFY(alone < sample.size());
        QTest::mouseClick(picture->plot(), Qt::LeftButton, {}, picture->placeOfSampled(alone).toPoint());
        QVERIFY2(wordsOn(*f.view->planPanel()).contains(q("not in the list, compared with the present one")),
                 qPrintable(wordsOn(*f.view->planPanel())));
        QCOMPARE(f.view->list()->currentIndex().row(), -1);
        QVERIFY(f.view->planPanel()->figures()->model()->rowCount() > 3);
        QTest::mouseClick(f.view->planPanel()->previewButton(), Qt::LeftButton);
        QVERIFY(f.document().previewed() != nullptr);
        f.settle();
        const double stepTime = f.document().estimate()->training->stepTime;
        const auto same = std::ranges::find_if(sample, [&](const SampledPlan& each) {
            return each.values[0] == stepTime &&
                   f.document().previewed()->set == editOf(answer.question, each.index);
        });
        QVERIFY(same != sample.end());
        QTest::mouseClick(f.view->planPanel()->adoptButton(), Qt::LeftButton);
        f.settle();
        QCOMPARE(f.document().estimate()->training->stepTime, stepTime);
        QCOMPARE(f.document().undoStack()->count(), 1);
    }

    /// A rectangle of the brush leaves in the list what is inside; turning the brush off brings all back.
    void theBrushFiltersTheList() {
        SearchFixture f;
        f.askLittle();
        f.search();
        views::SearchPlot* picture = f.view->plot();
        const int all = f.view->list()->model()->rowCount();
        picture->brushAction()->trigger();
        const QPoint first = picture->placeOf(0).toPoint();
        QWidget* surface = picture->plot();
        QTest::mousePress(surface, Qt::LeftButton, {}, first - QPoint(12, 12));
        QTest::mouseMove(surface, first);
        QTest::mouseMove(surface, first + QPoint(12, 12));
        QTest::mouseRelease(surface, Qt::LeftButton, {}, first + QPoint(12, 12));
        QTRY_VERIFY(picture->hasBrush());
        QVERIFY(!picture->isZoomed());
        QTRY_VERIFY(f.view->list()->model()->rowCount() < all);
        int inside = 0;
        for (int i = 0; i < all; ++i) {
            const QPointF away = picture->placeOf(i) - first;
            inside += std::abs(away.x()) <= 13 && std::abs(away.y()) <= 13 ? 1 : 0;
        }
        QVERIFY(inside > 0);
        QVERIFY(std::abs(f.view->list()->model()->rowCount() - inside) <= 1);
        QCOMPARE(f.cell(0, 0), q("1 ="));
        f.clickPoint(0); // a click still chooses
        QVERIFY(wordsOn(*f.view->planPanel()).contains(q("Plan 1 of the list")));
        picture->brushAction()->trigger();
        QVERIFY(!picture->hasBrush());
        QTRY_COMPARE(f.view->list()->model()->rowCount(), all);
    }

    /// A reason lists several of the plans that failed for it, each to be looked at.
    void aReasonListsItsPlans() {
        SearchFixture f;
        f.askLittle();
        f.search();
        const Rejection& first = f.view->source()->answer()->result.rejected.front();
        QVERIFY(!first.further.empty());
        const auto* reasons = f.view->planPanel()->reasons();
        QTest::mouseClick(reasons->viewport(), Qt::LeftButton, {},
                          reasons->visualRect(reasons->model()->index(0, 1)).center());
        views::CellTable* examples = f.view->planPanel()->examples();
        QVERIFY(examples->isVisible());
        QCOMPARE(examples->model()->rowCount(), static_cast<int>(first.further.size()) + 1);
        examples->setFocus();
        QTest::keyClick(examples, Qt::Key_Down);
        QTest::mouseClick(f.view->planPanel()->previewButton(), Qt::LeftButton);
        QVERIFY(f.document().previewed() != nullptr);
        QVERIFY(f.document().previewed()->set == editOf(f.view->answer()->question, first.further.front()));
        QVERIFY(!f.view->planPanel()->adoptButton()->isEnabled());
        QTest::mouseClick(f.view->planPanel()->previewButton(), Qt::LeftButton);
        f.clickRow(0);
        QVERIFY(!examples->isVisible());
    }

    /// Another limit or figure after a search ranks the same plans anew, without a click; the answer is that
    /// of a search. What changes the plans waits for one.
    void limitsRankAnew() {
        SearchFixture f;
        f.askLittle();
        f.search();
        const std::shared_ptr<const SearchAnswer> first = f.view->answer();
        QCOMPARE(first->result.counts.missed, std::uint64_t{0});
        const auto agreesWithASearch = [&f] {
            const SearchAnswer& shown = *f.view->answer();
            const Catalog& catalog = *f.document().catalog();
            const SearchResult found = search(shown.question, catalog, catalog.defaultProfile);
            QVERIFY(std::ranges::equal(found.best, shown.result.best, [](const auto& a, const auto& b) {
                return a.index == b.index && a.figures == b.figures && a.equalToBest == b.equalToBest;
            }));
            QCOMPARE(shown.result.counts.missed, found.counts.missed);
            QCOMPARE(shown.result.sample.size(), found.sample.size());
        };
        f.type(f.question().limit(q("memory.headroom_bytes")), "20 GB");
        QTRY_VERIFY(f.view->answer()->result.counts.missed > 0 && !f.view->source()->busy());
        QTRY_COMPARE(f.view->answer()->result.sample.size(),
                     static_cast<std::size_t>(f.view->answer()->result.counts.evaluated));
        agreesWithASearch();
        QVERIFY(f.view->recommended());
        QCOMPARE(f.button()->text(), q("Search"));
        const auto* reasons = f.view->planPanel()->reasons()->model();
        QVERIFY(!reasons->match(reasons->index(0, 1), Qt::DisplayRole, q("Memory headroom is below 20.0 GB"))
                     .isEmpty());
        QLineEdit* limit = f.question().limit(q("memory.headroom_bytes"));
        QTest::mouseClick(limit, Qt::LeftButton);
        limit->selectAll();
        QTest::keyClick(limit, Qt::Key_Delete);
        QTest::keyClick(limit, Qt::Key_Return);
        QTRY_COMPARE(f.view->answer()->result.counts.missed, std::uint64_t{0});
        QTest::keyClick(f.question().objective(), Qt::Key_Down);
        QTRY_VERIFY(f.view->answer()->question.objectives != first->question.objectives);
        QTRY_VERIFY(!f.view->source()->busy());
        agreesWithASearch();

        // Another value is another plan, and the bad end of a band is not remembered.
        const std::shared_ptr<const SearchAnswer> last = f.view->answer();
        f.type(f.question().values(q("plan.micro_batch")), "1,2");
        f.type(f.question().limit(q("memory.headroom_bytes")), "1 GB");
        QTest::mouseClick(f.question().robust(), Qt::LeftButton);
        QVERIFY(!f.view->source()->busy());
        ::settle();
        QVERIFY(f.view->answer()->question.free.size() == last->question.free.size() &&
                f.view->answer()->question.limits.empty());
        f.search();
        QCOMPARE(f.view->answer()->result.plans, 2 * last->result.plans);
        QCOMPARE(f.view->answer()->question.limits.size(), std::size_t{1});
    }

    /// Any other field can be varied, too.
    void fieldsAreAdded() {
        SearchFixture f;
        f.askLittle();
        QVERIFY(f.question().box(q("plan.sequence_parallel")) == nullptr);
        QTest::mouseClick(f.question().addButton(), Qt::LeftButton);
        QTRY_VERIFY(f.question().addMenu()->isVisible());
        QAction* wanted = nullptr;
        QStringList offered;
        for (QAction* group : f.question().addMenu()->actions())
            for (QAction* each : group->menu()->actions()) {
                offered.append(each->data().toString());
                if (each->data().toString() == q("plan.sequence_parallel"))
                    wanted = each;
            }
        QVERIFY(wanted != nullptr);
        QVERIFY2(offered.contains(q("plan.offload.optimizer")) &&
                     !offered.contains(q("plan.tensor_parallel")),
                 qPrintable(offered.join(u' ')));
        wanted->trigger();
        f.question().addMenu()->close();
        QVERIFY(f.question().box(q("plan.sequence_parallel"))->isChecked());
        QCOMPARE(f.question().sizeText(), q("128 plans"));
        f.search();
        QCOMPARE(f.view->answer()->result.plans, std::uint64_t{128});
    }

    /// What all plans share is in a line above the table, with its values.
    void sharedValuesAreSaid() {
        SearchFixture f;
        f.askLittle();
        f.type(f.question().values(q("plan.tensor_parallel")), "4");
        f.search();
        const QString shared = f.view->answerList()->sharedText();
        for (const char* words : {"Tensor 4", "Context 1", "Micro-batch 1"})
            QVERIFY2(shared.contains(q(words)), qPrintable(shared));
        QVERIFY2(!shared.contains(q("default")), qPrintable(shared));
        QVERIFY(!wordsOn(*f.view->planPanel()).contains(q("default")));
        const views::CellTable* fields = f.view->planPanel()->fields();
        for (int row = 0; row < fields->model()->rowCount(); ++row)
            QVERIFY(fields->model()->index(row, 1).data().toString() != q("default"));
    }

    /// The workspace brings a search back with its scenario; after a change of the catalog it can be run
    /// again and says what changed.
    void searchesAreKept() {
        WorkspaceFixture w;
        w.openAndEdit();
        const auto page = [&w] {
            for (QAction* action : w.window().findChild<views::Rail*>()->actions())
                if (action->data() == QLatin1String("search"))
                    action->trigger();
            return w.window().findChild<SearchView*>();
        };
        SearchView* view = page();
        view->questionPanel()->values(q("plan.tensor_parallel"))->setText(q("2,4,8"));
        view->questionPanel()->values(q("plan.pipeline_parallel"))->setText(q("2,4"));
        view->questionPanel()->values(q("plan.context_parallel"))->setText(q("1"));
        view->questionPanel()->limit(q("memory.headroom_bytes"))->setText(q("1 GB"));
        QTest::mouseClick(view->questionPanel()->searchButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!view->source()->busy() && view->answer(), 20'000);
        const SearchAnswer before = *view->answer();
        const QString sentence = view->sentence();
        w.settle();
        w.restart();
        view = page();
        QTRY_VERIFY_WITH_TIMEOUT(view->answer() != nullptr, 20'000);
        QCOMPARE(view->sentence(), sentence);
        QVERIFY(!view->isOutdated() && !view->isStale());
        QVERIFY(views::isSameQuestion(view->answer()->question, before.question));
        QVERIFY(std::ranges::equal(
            view->answer()->result.best, before.result.best,
            [](const FoundPlan& a, const FoundPlan& b) { return a.set == b.set && a.figures == b.figures; }));
        QCOMPARE(view->questionPanel()->values(q("plan.tensor_parallel"))->text(), q("2,4,8"));
        QVERIFY(view->questionPanel()->question()->plans() == before.question.plans());
        QVERIFY(!view->againButton()->isVisible());

        // A faster GPU: every step takes less time.
        views::CatalogEditor& editor = w.window().findChild<views::CatalogView*>()->editor();
        const QString refused =
            editor.setText({data::CatalogKind::gpus, q("h100-sxm"), q("dense_bf16_tflops")}, q("1500"));
        QCOMPARE(refused, QString());
        QTRY_VERIFY(view->isStale());
        QTRY_VERIFY(view->againButton()->isVisible());
        w.settle();
        w.restart(); // it is stale after a restart, too
        view = page();
        QTRY_VERIFY_WITH_TIMEOUT(view->answer() != nullptr, 20'000);
        QVERIFY(view->isStale());
        QTRY_VERIFY(view->againButton()->isVisible());
        QTest::mouseClick(view->againButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!view->source()->busy() && !view->isStale(), 20'000);
        const PlanFigure& figure = *before.question.objectives.front();
        QVERIFY(view->answer()->result.best.front().figure(figure) <
                before.result.best.front().figure(figure));
        QVERIFY2(view->changedText().contains(q("Since the last search: step time of the best plan")),
                 qPrintable(view->changedText()));
        QVERIFY(view->answerList()->changesAction()->isVisible());
        view->answerList()->changesAction()->trigger();
        QVERIFY(view->answerList()->changes()->isVisible());
        QVERIFY(view->answerList()->changes()->model()->rowCount() > 0);
        QVERIFY(!view->againButton()->isVisible());
    }

    /// Another scenario has no answer of this one.
    void answersBelongToTheirScenario() {
        SearchFixture f;
        f.askLittle();
        f.search();
        f.files().openSample(q("deepseek-v3-256xp5en.48xlarge"));
        f.settle();
        QVERIFY(!f.view->answer());
        f.showPage();
        QVERIFY(wordsOn(*f.view).contains(q("No search yet")));
    }
};

QTEST_MAIN(TestWindowSearchAnswer)

} // namespace tst_window_search_answer

#include "tst_window_search_answer.moc"
