// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/file_session.h"
#include "app/window/main_window.h"
#include "data/catalog/catalog_reader.h"
#include "tests/bench/bench_clock.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/kit/cell_table.h"
#include "views/kit/rail.h"
#include "views/search/question_panel.h"
#include "views/search/search_source.h"
#include "views/search/search_view.h"
#include "views/theme/theme_controller.h"
#include "views/validation/validation_engine.h"
#include "views/validation/validation_source.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QElapsedTimer>
#include <QEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardPaths>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

using namespace alidade;

namespace {

constexpr int rounds = 9;

/// Sees when rows of a table have been painted after the next answer.
class RowWatch : public QObject {
public:
    RowWatch(views::CellTable* table, views::SearchSource* source)
        : table_(table) {
        table->viewport()->installEventFilter(this);
        installEventFilter(this);
        connect(source, &views::SearchSource::answered, this, [this] { isAnswered_ = true; });
    }
    bool isPainted = false;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == this && event->type() == QEvent::User)
            isPainted = true;
        else if (event->type() == QEvent::Paint && isAnswered_ && table_->model()->rowCount() > 0)
            QCoreApplication::postEvent(this, new QEvent(QEvent::User), Qt::HighEventPriority + 1);
        return false;
    }

private:
    views::CellTable* table_;
    bool isAnswered_ = false;
};

struct Bench {
    app::MainWindow window;
    views::SearchView* view = nullptr;

    static app::Settings settings() {
        app::Settings out;
        out.kept = false;
        return out;
    }
    explicit Bench(const char* sample)
        : window(data::loadShippedCatalog(), views::modelEngine("2026-01-01"), views::modelValidation(),
                 settings(), {}) {
        window.resize(1600, 1000);
        window.show();
        (void)QTest::qWaitForWindowExposed(&window, 20'000);
        window.files().openSample(QString::fromLatin1(sample));
        view = window.findChild<views::SearchView*>();
        for (QAction* action : window.findChild<views::Rail*>()->actions())
            if (action->data() == QLatin1String("search"))
                action->trigger();
        settle();
    }
    void settle() {
        (void)QTest::qWaitFor(
            [this] {
                return !window.document().busy() && !window.validation().busy() && !view->source()->busy() &&
                       window.document().estimate() != nullptr;
            },
            120'000);
        QTest::qWait(100);
    }
    /// Until what is done has painted rows, by the clock and in time of the GUI thread.
    template <class Do>
    std::pair<double, double> untilPainted(Do&& act) {
        RowWatch watch(view->list(), view->source());
        const double wall = milliseconds(CLOCK_MONOTONIC), gui = milliseconds(CLOCK_THREAD_CPUTIME_ID);
        act();
        QElapsedTimer patience;
        patience.start();
        while (!watch.isPainted && patience.elapsed() < 60'000)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
        return {milliseconds(CLOCK_MONOTONIC) - wall, milliseconds(CLOCK_THREAD_CPUTIME_ID) - gui};
    }
};

/// From a click on Search to the first rows, of a page without an answer.
void measureFirst(const char* name, const char* sample, bool allMachines) {
    std::vector<double> wall, gui;
    std::uint64_t tried = 0;
    std::size_t rows = 0;
    for (int i = 0; i < rounds; ++i) {
        Bench bench(sample);
        if (allMachines)
            bench.view->questionPanel()->box(QStringLiteral("cluster.instance"))->click();
        QTest::qWait(50);
        const auto [time, ofGui] = bench.untilPainted(
            [&bench] { QTest::mouseClick(bench.view->questionPanel()->searchButton(), Qt::LeftButton); });
        wall.push_back(time);
        gui.push_back(ofGui);
        tried = bench.view->answer()->result.counts.total();
        rows = bench.view->answer()->result.best.size();
        bench.view->source()->stop();
        bench.settle();
    }
    std::printf("%s, median of %d: first rows %.0f ms after the click (GUI thread %.0f ms), at most %.0f ms; "
                "%zu plans of %llu tried\n",
                name, rounds, median(wall), median(gui), *std::ranges::max_element(wall), rows,
                static_cast<unsigned long long>(tried));
    std::fflush(stdout);
}

/// From a limit that is typed after a search to the rows that keep it.
void measureLimit(const char* name, const char* sample, bool allMachines) {
    Bench bench(sample);
    if (allMachines)
        bench.view->questionPanel()->box(QStringLiteral("cluster.instance"))->click();
    QTest::mouseClick(bench.view->questionPanel()->searchButton(), Qt::LeftButton);
    bench.settle();
    const SearchResult whole = bench.view->answer()->result;
    QLineEdit* limit = bench.view->questionPanel()->limit(QStringLiteral("memory.headroom_bytes"));
    std::vector<double> wall, gui;
    for (int i = 0; i < 2 * rounds; ++i) {
        QTest::mouseClick(limit, Qt::LeftButton);
        limit->selectAll();
        QTest::keyClicks(limit, QStringLiteral("%1 GB").arg(i % 5 + 1));
        const auto [time, ofGui] = bench.untilPainted([limit] { QTest::keyClick(limit, Qt::Key_Return); });
        wall.push_back(time);
        gui.push_back(ofGui);
        bench.settle();
    }
    std::printf("%s, %llu plans of which %llu carry their load, median of %d: another limit after %.0f ms "
                "(GUI thread %.0f ms), of these %.0f ms without the window\n",
                name, static_cast<unsigned long long>(whole.plans),
                static_cast<unsigned long long>(whole.counts.evaluated), 2 * rounds, median(wall),
                median(gui), 1e3 * bench.view->answer()->seconds);
    std::fflush(stdout);
}

} // namespace

// The Search page in the real window, at 1600 x 1000: from a click to the first rows that are painted.
// Without QT_QPA_PLATFORM offscreen.
int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("alidade"));
    QApplication::setCursorFlashTime(0);
    QStandardPaths::setTestModeEnabled(true);
    views::ThemeController::instance().install();
    measureFirst("GPT-3 175B on 1,024 GPUs", "gpt-3-175b-128xp4d.24xlarge", false);
    measureFirst("GPT-3 175B on any machine", "gpt-3-175b-128xp4d.24xlarge", true);
    measureFirst("DeepSeek-V3 on 2,048 GPUs", "deepseek-v3-256xp5en.48xlarge", false);
    measureFirst("DeepSeek-V3 on any machine", "deepseek-v3-256xp5en.48xlarge", true);
    measureFirst("a service on any machine", "serve-llama-3.1-70b-1xp5en.48xlarge", true);
    measureLimit("GPT-3 175B on 1,024 GPUs", "gpt-3-175b-128xp4d.24xlarge", false);
    measureLimit("DeepSeek-V3 on 2,048 GPUs", "deepseek-v3-256xp5en.48xlarge", false);
    return 0;
}
