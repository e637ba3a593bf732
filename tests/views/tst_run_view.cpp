// SPDX-License-Identifier: GPL-3.0-or-later
// The page on the whole run, driven by mouse and keyboard.
#include "model/run/checkpoint_curve.h"
#include "tests/views/run_page.h"
#include "views/document/text.h"
#include "views/explore/explore_panel.h"
#include "views/kit/band_label.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/run/finish_plot.h"
#include "views/run/interval_plot.h"
#include "views/run/run_calendar_view.h"
#include "views/run/run_story.h"
#include "views/run/run_tables.h"
#include "views/run/run_words.h"
#include "views/run/spare_plot.h"
#include "views/scenario/field_row.h"
#include "views/theme/theme_controller.h"

#include <QDate>
#include <QLineEdit>
#include <QPaintEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace tst_run_view {

using namespace alidade;
using namespace alidade::views;

namespace {

QString q(const char* words) { return QString::fromUtf8(words); }

using test::Fields;
const Fields dated{{"run.start", "2027-01-04"}, {"run.deadline", "2027-03-20"}};
const Fields rare{
    {"run.start", "2027-01-04"}, {"run.deadline", "2027-03-20"}, {"run.checkpoint_interval_s", "20 min"}};

constexpr const char* usual = "llama-3.1-70b-64xp5.48xlarge";

struct Page : test::RunPage {
    explicit Page(const Fields& set = dated, const char* sample = usual, QSize size = {1400, 900})
        : RunPage(set, sample, size) {}
    void open(const Fields& set, const char* sample = usual) { RunPage::open(set, sample); }
    const Run& run() const { return *document->estimate()->run; }
    QString figure(int i) const { return view->figures()[i]->figure().value; }
    QString causeCell(int row, int column) const {
        return view->causes()->model()->index(row, column).data().toString();
    }
};

/// What of a widget is painted while this lives.
class Painted : public QObject {
public:
    explicit Painted(QWidget* widget) { widget->installEventFilter(this); }
    const QRegion& region() const { return region_; }
    double pixels() const {
        double out = 0;
        for (const QRect& each : region_)
            out += each.width() * each.height();
        return out;
    }
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::Paint)
            region_ += static_cast<QPaintEvent*>(event)->region();
        return false;
    }

private:
    QRegion region_;
};

/// A label that does not show all of its text, or a cell that is cut off; empty: none.
QString cutOffOn(const RunView& view) {
    for (const auto* label : view.findChildren<TextLabel*>())
        if (label->isVisible() && !label->wordWrap() && label->height() < label->sizeHint().height())
            return label->text();
    for (const auto* figure : view.figures())
        if (figure->isVisible() && (figure->height() < figure->sizeHint().height() ||
                                    figure->width() < figure->minimumSizeHint().width()))
            return figure->figure().label;
    for (const auto* button : view.findChildren<QPushButton*>())
        if (button->isVisible() && button->width() < button->fontMetrics().horizontalAdvance(button->text()))
            return button->text();
    for (const CellTable* table : {view.causes(), view.tiers(), view.deadlineSteps()}) {
        if (!table->isVisible())
            continue;
        for (int row = 0; row < table->model()->rowCount(); ++row)
            for (int column = 0; column < table->model()->columnCount(); ++column) {
                const QModelIndex index = table->model()->index(row, column);
                const QString text = index.data().toString();
                const QRect cell = table->visualRect(index);
                if (cell.width() < table->fontMetrics().horizontalAdvance(text) ||
                    cell.right() > table->viewport()->width())
                    return text;
            }
    }
    return view.calendar()->isVisible() ? view.calendar()->cutOff() : QString();
}

} // namespace

class TestRunView : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void cleanup() { ThemeController::instance().setBodyPointSize(10); }

    void figuresAreThoseOfTheEstimate() {
        const Page p;
        const Run& run = p.run();
        const auto value = [](double si, Dimension dimension) {
            return text(
                formatParts(si, dimension, {.significant = 3, .fixed = glanceUnit(dimension, si)}).number);
        };
        QCOMPARE(p.figure(0), value(run.days->p50 * 86'400, Dimension::seconds));
        QCOMPARE(p.figure(1), value(run.goodput, Dimension::ratio));
        QCOMPARE(p.figure(2), value(run.interruptions, Dimension::number));
        QCOMPARE(p.figure(3), value(run.days->p50 * (1 - run.goodput) * 86'400, Dimension::seconds));
        QCOMPARE(p.figure(4), value(run.checkpoint.count, Dimension::number));
        QCOMPARE(p.figure(5),
                 value(dollarsOf(p.document->estimate()->cost->order->beforeTax), Dimension::dollars));
        const auto band = p.view->figures()[0]->figure().band;
        QVERIFY(band && std::abs(band->low / (run.days->p10 * 86'400) - 1) < 1e-9 &&
                std::abs(band->high / (run.days->p90 * 86'400) - 1) < 1e-9);
        const auto goodput = p.view->figures()[1]->figure().band;
        QVERIFY(goodput && goodput->low < run.goodput && goodput->high > run.goodput && goodput->high < 1);
    }

    /// Days from 4 January: the last one is that in which the run ends.
    void sentenceSaysTheEndAndTheDeadline() {
        const Page p;
        const Run& run = p.run();
        const int last = static_cast<int>(std::ceil(run.days->p50)) - 1;
        const QString end = QLocale::c().toString(QDate(2027, 1, 4).addDays(last), q("d MMMM"));
        QVERIFY(p.view->story()->complete);
        const double chance = shareWithin(p.view->story()->ended, 76); // 20 March is the 76th day
        QCOMPARE(*p.view->finishPlot()->inTime(), chance);             // the curve says the same
        QCOMPARE(p.view->sentence(),
                 q("The run ends on %1; %2 outcomes meet the deadline of 20 March.").arg(end, outOf(chance)));
        for (const auto& [share, kind] : {std::pair(0.4, BadgeKind::err), std::pair(0.6, BadgeKind::warn)}) {
            const RunAnswer drawn = runAnswer(*p.document->estimate(), false, share);
            QVERIFY(drawn.kind == kind);
            QVERIFY2(drawn.sentence.contains(outOf(share)), qPrintable(drawn.sentence));
        }
        QCOMPARE(outOf(0.74), q("7 of 10"));
        QCOMPARE(outOf(0.97), q("97 of 100"));
        QCOMPARE(outOf(1), q("all but a few"));
    }

    /// The rows of the causes add up to the last one, and that to what the run loses.
    void causesAddUp() {
        const Page p;
        const int rows = p.view->causes()->model()->rowCount();
        QCOMPARE(rows, static_cast<int>(p.run().lost.size()) + 1);
        double sum = 0;
        for (int row = 0; row + 1 < rows; ++row)
            sum += p.view->causes()->model()->index(row, 4).data(Qt::EditRole).toDouble();
        const double total = p.view->causes()->model()->index(rows - 1, 4).data(Qt::EditRole).toDouble();
        QVERIFY(std::abs(sum - total) < 1e-9);
        const double hours = p.run().days->p50 * (1 - p.run().goodput) * 24; // too few for days
        QVERIFY2(std::abs(total - hours) < 1e-6 * total, qPrintable(QString::number(total)));
        QCOMPARE(p.causeCell(rows - 1, 0), q("All"));
        QCOMPARE(p.causeCell(0, 0), text(p.run().lost.front().cause));
    }

    void tiersAreThoseOfTheEstimate() {
        const Page p;
        const auto& tiers = p.run().checkpoint.tiers;
        QCOMPARE(p.view->tiers()->model()->rowCount(), static_cast<int>(tiers.size()));
        for (int i = 0; i < static_cast<int>(tiers.size()); ++i)
            QCOMPARE(p.view->tiers()->model()->index(i, 2).data(Qt::EditRole).toDouble(),
                     tiers[static_cast<std::size_t>(i)].seconds);
    }

    /// The note under the tiers tells the rate of the training data, and with several passes what a cache
    /// saves.
    void noteTellsTheTrainingData() {
        const Page p;
        const auto told = [&](const QString& words) {
            return std::ranges::any_of(p.view->findChildren<TextLabel*>(),
                                       [&](const TextLabel* each) { return each->text().contains(words); });
        };
        QVERIFY(told(q("Training data: ") + glance(p.run().dataRate, Dimension::bytesPerSecond)));
        QVERIFY(!told(q("It is read")));
        p.set("run.dataset_tokens", "1 T");
        QVERIFY(p.run().dataEpochs > 1);
        QVERIFY(told(q("It is read ") + quantity(p.run().dataEpochs, Dimension::number, {.significant = 2}) +
                     q(" times")));
    }

    void presentMarkFollowsTheInterval() {
        const Page p;
        QCOMPARE(p.view->intervalPlot()->presentMark(), p.view->intervalPlot()->bestMark());
        QVERIFY(!p.view->previewButton()->isVisible()); // there is nothing to win
        p.set("run.checkpoint_interval_s", "20 min");
        QCOMPARE(p.view->intervalPlot()->presentMark().x(), 20.0);
        QVERIFY(std::abs(p.view->intervalPlot()->presentMark().y() - p.run().goodput) < 1e-12);
        QVERIFY(p.view->intervalPlot()->presentMark().y() < p.view->intervalPlot()->bestMark().y());
    }

    /// What the curve says of another interval is what the estimate says when it is set.
    void curveAgreesWithTheEstimate() {
        const Page p;
        const Run before = p.run();
        p.set("run.checkpoint_interval_s", "45 min");
        QVERIFY(std::abs(goodputAt(before, 2'700) / p.run().goodput - 1) < 1e-9);
        QVERIFY(std::abs(daysAt(before, 2'700) / p.run().days->p50 - 1) < 1e-9);
    }

    void bestIntervalIsPreviewedAndAdopted() {
        Page p(rare, "llama-3.1-405b-2048xp5.48xlarge");
        QVERIFY(p.view->previewButton()->isVisible());
        const double promised = daysAt(p.run(), p.run().checkpoint.bestInterval);
        const int steps = p.document->undoStack()->count();
        QTest::mouseClick(p.view->previewButton(), Qt::LeftButton);
        QVERIFY(p.document->previewed() != nullptr);
        p.answered();
        QVERIFY(std::abs(p.run().days->p50 / promised - 1) < 1e-9);
        QCOMPARE(p.view->previewButton()->text(), q("End Preview"));
        QTest::keyClick(p.view.get(), Qt::Key_Escape);
        p.answered();
        QVERIFY(p.document->previewed() == nullptr && p.run().checkpoint.interval == 1'200);
        QTest::mouseClick(p.view->previewButton(), Qt::LeftButton);
        p.answered();
        QTest::mouseClick(p.view->adoptButton(), Qt::LeftButton);
        p.answered();
        QCOMPARE(p.document->undoStack()->count(), steps + 1);
        QVERIFY(!p.document->spec().run.checkpointIntervalS);
        QVERIFY(!p.view->previewButton()->isVisible() && !p.view->adoptButton()->isVisible());
        p.document->undoStack()->undo();
        p.answered();
        QCOMPARE(*p.document->spec().run.checkpointIntervalS, 1'200.0);
    }

    void aClickOnTheCurvePreviews() {
        const Page p;
        IntervalPlot* plot = p.view->intervalPlot();
        p.view->scrollArea()->ensureWidgetVisible(plot);
        settle();
        QTest::mouseClick(plot->plot(), Qt::LeftButton, {}, plot->placeOf(3'600).toPoint());
        QVERIFY(p.document->previewed() != nullptr);
        p.answered();
        QVERIFY(std::abs(p.run().checkpoint.interval / 3'600 - 1) < 0.1);
        const double before = p.run().checkpoint.interval;
        plot->setFocus();
        QTest::keyClick(plot, Qt::Key_Right);
        p.answered();
        QVERIFY(p.run().checkpoint.interval > before);
        QTest::keyClick(plot, Qt::Key_Return);
        QVERIFY(p.document->previewed() == nullptr);
        QCOMPARE(p.document->undoStack()->count(), 1);
    }

    /// The simulated outcomes lie where the closed form has them, and those in time are counted.
    void outcomesAgreeWithTheBand() {
        const Page p;
        const RunStoryPtr story = p.view->story();
        QVERIFY(story && story->complete);
        QCOMPARE(static_cast<int>(story->ended.size()), outcomesWanted);
        const auto& days = *p.run().days;
        QVERIFY2(std::abs(story->spread.p50 / days.p50 - 1) < 0.01,
                 qPrintable(QString::number(story->spread.p50)));
        QVERIFY2(std::abs(story->spread.p10 / days.p10 - 1) < 0.02,
                 qPrintable(QString::number(story->spread.p10)));
        QVERIFY2(std::abs(story->spread.p90 / days.p90 - 1) < 0.02,
                 qPrintable(QString::number(story->spread.p90)));
        int within = 0;
        for (const double each : story->ended)
            within += each <= 76 ? 1 : 0;
        QCOMPARE(*p.view->finishPlot()->inTime(), within / static_cast<double>(outcomesWanted));
        QCOMPARE(p.view->sparePlot()->bestSpares(), p.run().bestSpares);
    }

    /// The same scenario has the same outcomes, whatever came before.
    void outcomesAreReproducible() {
        Page p;
        const std::vector<double> first = p.view->story()->ended;
        p.set("run.checkpoint_interval_s", "45 min");
        QVERIFY(p.view->story()->ended != first);
        p.document->undoStack()->undo();
        p.answered();
        QVERIFY(p.view->story()->ended == first);
    }

    /// A newer scenario ends the simulation of an older one; only its own outcomes are shown.
    void newerScenarioSupersedes() {
        Page p;
        for (const char* interval : {"30 min", "40 min", "50 min"}) {
            QCOMPARE(p.document->setField(*findField("run.checkpoint_interval_s"), q(interval)), QString());
            QTRY_VERIFY_WITH_TIMEOUT(!p.document->busy(), 20'000); // and not for the simulation
        }
        p.answered();
        QVERIFY(p.view->story()->complete && p.view->story()->estimate == p.document->estimate());
        QCOMPARE(p.view->story()->process.interval, 3'000.0);
    }

    /// The calendar is of the first part of an answer; those after it bring outcomes alone.
    void laterPartsRenewTheOutcomesAlone() {
        const Page p;
        const auto* days = p.view->calendarPanel()->table()->cells();
        const auto* outcomes = p.view->finishPanel()->table()->cells();
        const QSignalSpy daysReset(days, &QAbstractItemModel::modelReset),
            daysChanged(days, &QAbstractItemModel::dataChanged),
            outcomesReset(outcomes, &QAbstractItemModel::modelReset),
            outcomesChanged(outcomes, &QAbstractItemModel::dataChanged);
        p.set("run.checkpoint_interval_s", "45 min");
        QCOMPARE(daysReset.count() + daysChanged.count(), 1);
        QVERIFY(outcomesReset.count() + outcomesChanged.count() >= 1);
        const RunStory& story = *p.view->story();
        QVERIFY(story.complete);
        QCOMPARE(days->rowCount(), static_cast<int>(story.days.size()));
        const OutcomeBars bars = outcomeBars(story);
        const std::size_t tails = (bars.before > 0 ? 1 : 0) + (bars.after > 0 ? 1 : 0);
        QCOMPARE(outcomes->rowCount(), static_cast<int>(bars.counts.size() + tails));
    }

    /// Below the days: the machines that are paid and how full the file system gets.
    void lanesOfMachinesAndStorage() {
        const Page p(dated, "llama-3.1-405b-2048xp5.48xlarge");
        const auto warned = [&p] {
            return std::ranges::any_of(p.document->estimate()->problems, [](const Problem& each) {
                return each.place == "/run/storage_bytes" &&
                       each.message.find("is full") != std::string::npos;
            });
        };
        const QString before = p.view->calendar()->description();
        QVERIFY2(before.contains(q("rented for ")) && before.contains(q("storage: at most ")),
                 qPrintable(before));
        QVERIFY(!warned());
        p.set("run.storage_bytes", "60 TB"); // less than what is read
        const StorageFill& fill = *p.view->story()->storage;
        const auto full = fill.fullAfter();
        QVERIFY(full && *full > 0 && *full < p.run().days->p50);
        const QString day =
            QDate(2027, 1, 4).addDays(static_cast<qint64>(*full)).toString(QStringLiteral("d MMMM"));
        QVERIFY2(p.view->calendar()->description().contains(q("full on ") + day),
                 qPrintable(p.view->calendar()->description()));
        QVERIFY(warned());
        // The change that the warning proposes is enough.
        const auto& problems = p.document->estimate()->problems;
        const auto warning = std::ranges::find_if(problems, [](const Problem& each) {
            return each.place == "/run/storage_bytes" && each.fix.has_value();
        });
        QVERIFY(warning != problems.end());
        p.set("run.storage_bytes", warning->fix->set.front().second.c_str());
        QVERIFY(!warned() && !p.view->story()->storage->fullAfter());
        // The card of a day says what is there by then.
        moveTo(p.view->calendar(), QPoint(p.view->calendar()->width() / 3, 170));
        p.set("run.storage", "s3-standard");
        QVERIFY(!p.view->story()->storage && !warned());
        QVERIFY(!p.view->calendar()->description().contains(q("storage:")));
        QCOMPARE(p.view->calendar()->cutOff(), QString());
    }

    void blocksEndAfterTheRun() {
        const Page p({{"run.start", "2027-01-04"}, {"cluster.purchase", "capacity_block"}});
        const auto& phases = p.view->story()->phases;
        QCOMPARE(phases.size(), std::size_t{2});
        QVERIFY(phases.back().kind == RunPhaseKind::unused && phases.back().to > p.run().days->p50);
        QVERIFY2(p.view->calendar()->description().contains(q("paid, not used: ")),
                 qPrintable(p.view->calendar()->description()));
    }

    /// The pointer changes the bars of two days; the picture is then the same as one drawn anew.
    void aHoverRepaintsTwoBars() {
        const Page p(dated, "llama-3.1-405b-2048xp5.48xlarge"); // with interruptions on nearly every day
        RunCalendarView* calendar = p.view->calendar();
        const auto place = [calendar](double share) {
            return QPoint(static_cast<int>(share * calendar->width()), 70);
        };
        for (const int outcome : {0, 1}) {
            QTest::mouseClick(p.view->outcomeSwitch()->button(outcome), Qt::LeftButton);
            moveTo(calendar, place(0.3));
            settle();
            QImage picture = calendar->grab().toImage();
            QRegion changed;
            {
                const Painted painted(calendar);
                moveTo(calendar, place(0.35));
                settle();
                changed = painted.region();
                const double all = calendar->width() * calendar->height();
                QVERIFY(!changed.isEmpty());
                QVERIFY2(painted.pixels() < 0.25 * all, qPrintable(QString::number(painted.pixels() / all)));
            }
            const QImage anew = calendar->grab().toImage();
            QVERIFY(picture != anew);
            calendar->render(&picture, changed.boundingRect().topLeft(), changed,
                             QWidget::DrawWindowBackground);
            QCOMPARE(picture, anew);
        }
    }

    void loupeGoesToOtherInterruptions() {
        const Page p;
        RunCalendarView* calendar = p.view->calendar();
        const int at = calendar->failure();
        QVERIFY(at >= 0);
        const QString before = calendar->description();
        calendar->setFocus();
        QTest::keyClick(calendar, Qt::Key_Right);
        QCOMPARE(calendar->failure(), at + 1);
        QVERIFY(calendar->description() != before);
        QTest::keyClick(calendar, Qt::Key_Left);
        QCOMPARE(calendar->description(), before);
        QTest::mouseClick(calendar, Qt::LeftButton, {}, QPoint(calendar->width() / 4, 70));
        const double day =
            p.view->story()->drawn.failures[static_cast<std::size_t>(calendar->failure())].at / 86'400;
        QVERIFY2(calendar->failure() != at && std::abs(day / p.run().days->p50 - 0.24) < 0.08,
                 qPrintable(QString::number(day / p.run().days->p50)));
    }

    void oneOutcomeIsItsOwnSum() {
        const Page p;
        const QString expected = p.view->calendar()->description();
        QTest::mouseClick(p.view->outcomeSwitch()->button(1), Qt::LeftButton);
        QVERIFY(p.view->calendar()->oneOutcome());
        QVERIFY(p.view->calendar()->description() != expected);
        const RunStory& story = *p.view->story();
        QVERIFY(std::abs(story.drawnShares.total() / story.drawn.seconds - 1) < 1e-9);
        QVERIFY(std::abs(story.expected.total() / (p.run().days->p50 * 86'400) - 1) < 1e-9);
        int interruptions = 0;
        for (const RunDay& each : story.days)
            interruptions += each.interruptions;
        QCOMPARE(interruptions, static_cast<int>(story.drawn.failures.size()));
    }

    void emptyStatesSayWhy() {
        Page p(dated, "serve-llama-3.1-70b-1xp5en.48xlarge");
        QVERIFY(p.view->isEmpty());
        QVERIFY2(wordsOn(*p.view).contains(q("A service has no end")), qPrintable(wordsOn(*p.view)));
        p.open({}, "grpo-qwen3-32b-8xp5en.48xlarge");
        QVERIFY(p.view->isEmpty() && wordsOn(*p.view).contains(q("reinforcement learning")));
        p.open({});
        QVERIFY(!p.view->isEmpty());
    }

    /// Start and deadline are set next to the calendar that they move.
    void datesAreTypedOnThePage() {
        Page p;
        FieldRow* deadline = p.view->dates().at(1);
        QCOMPARE(deadline->field().path, std::string_view("run.deadline"));
        auto* editor = deadline->findChild<QLineEdit*>();
        const auto type = [&](const QString& day) {
            editor->setFocus();
            editor->selectAll();
            QTest::keyClicks(editor, day);
            QTest::keyClick(editor, Qt::Key_Return);
        };
        type(q("2027-02-31"));
        QVERIFY2(deadline->message().contains(q("must be a date")), qPrintable(deadline->message()));
        QCOMPARE(*p.document->spec().run.deadline, std::string("2027-03-20"));
        type(q("2028-01-01"));
        QCOMPARE(*p.document->spec().run.deadline, std::string("2028-01-01"));
        QVERIFY(deadline->message().isEmpty());
        QTRY_COMPARE(QString::fromStdString(p.run().deadline), q("2028-01-01"));
        p.document->undoStack()->undo();
        QTRY_COMPARE(editor->text(), q("2027-03-20"));
    }

    void withoutTokensThereIsNoLength() {
        const Page p(Fields{{"run.start", "2027-01-04"}, {"workload.tokens", ""}});
        QVERIFY(!p.view->isEmpty() && !p.run().days);
        QVERIFY2(p.view->sentence().contains(q("Set the training tokens")), qPrintable(p.view->sentence()));
        QVERIFY(p.view->saysWhy(p.view->calendarPanel()) && p.view->saysWhy(p.view->finishPanel()));
        QVERIFY(!p.view->saysWhy(p.view->intervalPanel())); // which does not need a length
        QCOMPARE(p.view->tiers()->model()->rowCount(), static_cast<int>(p.run().checkpoint.tiers.size()));
        QSignalSpy asked(p.view.get(), &RunView::fieldRequested);
        for (auto* button : p.view->findChildren<QPushButton*>())
            if (button->isVisible() && button->text().contains(q("Tokens")))
                QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.first().first().toString(), q("workload.tokens"));
    }

    void withoutAStartThereAreDays() {
        const Page p(Fields{});
        QCOMPARE(p.view->sentence(),
                 q("The run takes %1.").arg(quantity(p.run().days->p50 * 86'400, Dimension::seconds)));
        QVERIFY(!p.view->finishPlot()->inTime());
        QVERIFY2(p.view->calendar()->description().contains(q("of day ")),
                 qPrintable(p.view->calendar()->description()));
    }

    /// Objects are not a file system: it has no capacity to fill.
    void withoutAFileSystem() {
        const Page p(Fields{{"run.storage", "s3-standard"}});
        QVERIFY(!p.view->isEmpty());
        QCOMPARE(p.run().storageBytes, 0.0);
        for (int row = 0; row < p.view->tiers()->model()->rowCount(); ++row)
            QCOMPARE(p.view->tiers()->model()->index(row, 4).data().toString(), q("–"));
    }

    void withoutAnInterval() {
        const Page p(Fields{{"run.checkpoint_mode", "checkpointless"}});
        QVERIFY(p.view->saysWhy(p.view->intervalPanel()));
        QVERIFY(!p.view->saysWhy(p.view->finishPanel()));
        QVERIFY(!p.view->previewButton()->isVisible());
    }

    void givenGoodputIsNotSimulated() {
        const Page p(Fields{{"plan.goodput", "0.9"}});
        QVERIFY(p.view->saysWhy(p.view->finishPanel()) && p.view->saysWhy(p.view->calendarPanel()));
        QVERIFY(!wordsOn(*p.view).contains(q("Simulating")));
        QCOMPARE(p.figure(1), q("90.0"));
    }

    void nothingIsCutOff_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("points");
        QTest::newRow("small") << QSize(1180, 600) << 10.0;
        QTest::newRow("usual") << QSize(1500, 900) << 10.0;
        QTest::newRow("large") << QSize(2440, 1300) << 10.0;
        QTest::newRow("large text") << QSize(1500, 900) << 12.0;
    }
    void nothingIsCutOff() {
        QFETCH(QSize, size);
        QFETCH(double, points);
        ThemeController::instance().setBodyPointSize(points);
        for (const char* sample : {"llama-3.1-405b-2048xp5.48xlarge", "llama-3.1-8b-1xp5.4xlarge"}) {
            Page p(rare, sample, size);
            for (const int outcome : {0, 1}) {
                QTest::mouseClick(p.view->outcomeSwitch()->button(outcome), Qt::LeftButton);
                settle();
                (void)p.view->grab();
                QCOMPARE(cutOffOn(*p.view), QString());
            }
            QCOMPARE(clash(p.view->intervalPlot()->labels()), QString());
            QCOMPARE(clash(p.view->finishPlot()->labels()), QString());
            QCOMPARE(clash(p.view->sparePlot()->labels()), QString());
            QVERIFY(p.view->intervalPlot()->labels().size() >= 4);
        }
    }

    /// Everything that takes keys has a name.
    void partsAreNamed() {
        const Page p(rare);
        for (const auto* each : p.view->findChildren<QWidget*>())
            if (each->isVisible() && (each->focusPolicy() & Qt::TabFocus) && each->accessibleName().isEmpty())
                QVERIFY2(qobject_cast<const BandLabel*>(each) != nullptr ||
                             qobject_cast<const QCustomPlot*>(each) != nullptr,
                         each->metaObject()->className());
    }
};

QTEST_MAIN(TestRunView)

} // namespace tst_run_view

#include "tst_run_view.moc"
