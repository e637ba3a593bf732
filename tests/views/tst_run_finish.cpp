// SPDX-License-Identifier: GPL-3.0-or-later
// The histogram of the days to finish: what is beyond its bars stands apart and says so.
#include "tests/views/gallery.h"
#include "tests/views/run_page.h"
#include "views/explore/explore_panel.h"
#include "views/kit/cell_table.h"
#include "views/run/finish_plot.h"
#include "views/run/run_story.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tst_run_finish {

using namespace alidade;
using namespace alidade::views;
using namespace alidade::test;

namespace {

constexpr const char* sample = "llama-3.1-405b-2048xp5.48xlarge";
constexpr QSize size(1280, 800);

QStringList wordsOf(const FinishPlot& plot) {
    QStringList out;
    for (const auto& [words, place] : plot.labels())
        out << words;
    return out;
}

} // namespace

class TestRunFinish : public QObject {
    Q_OBJECT

private slots:
    void tailsAreNoBarsOfTheirOwnDays() {
        const RunPage p({}, sample, size);
        const RunStoryPtr story = p.view->story();
        QVERIFY(story && story->complete);
        const OutcomeBars bars = outcomeBars(*story);
        QVERIFY(bars.after > 0 && bars.before > 0);
        QCOMPARE(std::accumulate(bars.counts.begin(), bars.counts.end(), bars.before + bars.after),
                 story->ended.size());
        // Each bar holds the outcomes of its own days, the last one too.
        const auto within = [&](double from, double to) {
            return static_cast<std::size_t>(
                std::ranges::count_if(story->ended, [=](double days) { return days >= from && days < to; }));
        };
        const double last = bars.high - bars.width;
        QVERIFY(bars.counts.back() <= within(last, bars.high + 1e-6 * bars.width));
        QCOMPARE(bars.counts[1], within(bars.low + bars.width, bars.low + 2 * bars.width));
        QCOMPARE(bars.counts.back() + bars.after, story->spread.histogram.back());
        QCOMPARE(bars.counts.front() + bars.before, story->spread.histogram.front());

        (void)p.view->grab();
        const QStringList words = wordsOf(*p.view->finishPlot());
        QVERIFY2(std::ranges::any_of(
                     words, [](const QString& each) { return each.startsWith(QLatin1String("> ")); }),
                 qPrintable(words.join(QLatin1Char('|'))));
        saveGrab(*p.view->finishPanel(), QStringLiteral("run-finish"));
    }

    /// Every outcome is the same: one bar, and nothing beyond it.
    void oneOutcomeHasNoTails() {
        RunStory story;
        story.ended = {5, 5, 5};
        story.spread.histogramLow = 5;
        story.spread.histogram = {3};
        const OutcomeBars bars = outcomeBars(story);
        QCOMPARE(bars.before + bars.after, std::size_t{0});
        QCOMPARE(bars.counts, (std::vector<std::size_t>{3}));
    }

    /// The table next to the picture has all outcomes.
    void theTableHasTheTailsToo() {
        const RunPage p({}, sample, size);
        const auto* cells = p.view->finishPanel()->table()->cells();
        const OutcomeBars bars = outcomeBars(*p.view->story());
        QCOMPARE(cells->rowCount(), static_cast<int>(bars.counts.size() + 2));
    }
};

QTEST_MAIN(TestRunFinish)

} // namespace tst_run_finish

#include "tst_run_finish.moc"
