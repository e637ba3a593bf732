// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/file_session.h"
#include "app/window/library_desk.h"
#include "app/window/main_window.h"
#include "app/window/plan_page.h"
#include "app/window/run_window.h"
#include "app/window/workspace_session.h"
#include "data/catalog/catalog_reader.h"
#include "model/scenario/fields.h"
#include "tests/bench/bench_clock.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/kit/band_label.h"
#include "views/kit/field_label.h"
#include "views/kit/unit_field.h"
#include "views/scenario/field_row.h"
#include "views/scenario/scenario_view.h"
#include "views/start/start_page.h"
#include "views/summary/summary_view.h"
#include "views/theme/theme_controller.h"
#include "views/validation/validation_engine.h"
#include "views/validation/validation_source.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QFile>
#include <QMap>
#include <QMouseEvent>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QUndoStack>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

using namespace alidade;

namespace {

constexpr int edits = 31;
constexpr int starts = 11;
constexpr int quietMilliseconds = 150;

/// A moment, in milliseconds: by the clock, and how long this process and the GUI thread have worked.
struct Moment {
    double wall = 0, process = 0, gui = 0;

    static Moment now() {
        return {milliseconds(CLOCK_MONOTONIC), milliseconds(CLOCK_PROCESS_CPUTIME_ID),
                milliseconds(CLOCK_THREAD_CPUTIME_ID)};
    }
    Moment since(const Moment& start) const {
        return {wall - start.wall, process - start.process, gui - start.gui};
    }
};

bool isFigure(const QObject* painted) {
    const auto* figure = qobject_cast<const views::BandLabel*>(painted);
    return figure != nullptr && !figure->figure().value.isEmpty() && !figure->figure().dimmed;
}

bool isStartPage(const QObject* painted) { return qobject_cast<const views::StartPage*>(painted) != nullptr; }

/// Sees each widget that is painted, and when what was painted has reached the window: an event that comes
/// before all others that wait.
class PaintWatch : public QObject {
public:
    std::function<void(const QObject* widget)> painted;
    std::function<void()> frameDone;

    bool eventFilter(QObject* receiver, QEvent* event) override {
        if (event->type() == QEvent::Paint && receiver->isWidgetType()) {
            if (painted)
                painted(receiver);
            if (!pending_)
                QCoreApplication::postEvent(this, new QEvent(QEvent::User), Qt::HighEventPriority + 1);
            pending_ = true;
        } else if (event->type() == QEvent::User && receiver == this) {
            pending_ = false;
            if (frameDone)
                frameDone();
        }
        return false;
    }

private:
    bool pending_ = false;
};

// Start ---------------------------------------------------------------------------------------------------

bool (*startContent)(const QObject*) = nullptr; ///< what is waited for, in the process that is measured

/// MB. getrusage would count what the parent had before it started this program.
double mostResident() {
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly))
        return -1;
    for (const QByteArray& line : status.readAll().split('\n'))
        if (line.startsWith("VmHWM:"))
            return line.mid(6).trimmed().split(' ').first().toDouble() / 1024;
    return -1;
}

/// In the process that is measured: prints how long it took to the first content, and ends it.
void watchStart() {
    if (startContent == nullptr)
        return;
    auto* watch = new PaintWatch;
    const auto seen = std::make_shared<bool>(false);
    watch->painted = [seen](const QObject* widget) { *seen = *seen || startContent(widget); };
    watch->frameDone = [seen] {
        if (!*seen)
            return;
        const double start = qEnvironmentVariable("BENCH_WINDOW_START").toDouble();
        const Moment now = Moment::now();
        std::printf("%f %f %f %f\n", now.wall - start, now.process, now.gui, mostResident());
        std::fflush(stdout);
        std::_Exit(0);
    };
    QCoreApplication::instance()->installEventFilter(watch);
    watch->installEventFilter(watch);
}
Q_COREAPP_STARTUP_FUNCTION(watchStart)

/// \param sample empty: the start page
void measureStart(const char* name, const QString& sample) {
    const QTemporaryDir home; // the first start makes the personal workspace, the others find it
    std::vector<double> wall, process, gui, memory;
    for (int i = 0; i <= starts; ++i) {
        QProcess child;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("HOME"), home.path());
        environment.insert(QStringLiteral("BENCH_WINDOW_START"),
                           QString::number(milliseconds(CLOCK_MONOTONIC), 'f', 3));
        child.setProcessEnvironment(environment);
        child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--start"), sample});
        child.waitForFinished(60'000);
        const auto parts = child.readAllStandardOutput().trimmed().split(' ');
        if (parts.size() != 4 || i == 0)
            continue;
        wall.push_back(parts[0].toDouble());
        process.push_back(parts[1].toDouble());
        gui.push_back(parts[2].toDouble());
        memory.push_back(parts[3].toDouble());
    }
    std::printf("start to %s, median of %zu: %.0f ms, processor %.0f ms (GUI thread %.0f), at most %.0f MB "
                "resident\n",
                name, wall.size(), median(wall), median(process), median(gui), median(memory));
}

// Edits ---------------------------------------------------------------------------------------------------

/// A window with a workspace, as a person has it.
struct Bench {
    QTemporaryDir folder;
    app::MainWindow window;
    PaintWatch watch;
    QMap<QString, int> paints;
    bool ready = false; ///< the estimate of the edit is there
    bool fresh = false; ///< and its figures are being painted
    int frames = 0;
    std::optional<Moment> figures, last;

    explicit Bench(const QString& sample)
        : window(data::loadShippedCatalog(), views::modelEngine("2026-01-01"), views::modelValidation(),
                 settings(), {}) {
        window.resize(1600, 1000);
        window.show();
        (void)QTest::qWaitForWindowExposed(&window, 20'000);
        window.activateWindow();
        (void)QTest::qWaitForWindowActive(&window, 20'000);
        window.library().session().create(folder.filePath(QStringLiteral("bench.alidade")));
        window.files().openSample(sample);
        qApp->installEventFilter(&watch);
        watch.installEventFilter(&watch);
        watch.painted = [this](const QObject* widget) {
            ++paints[QLatin1String(widget->metaObject()->className())];
            fresh = fresh || (ready && isFigure(widget));
        };
        watch.frameDone = [this] {
            ++frames;
            last = Moment::now();
            if (fresh && !figures)
                figures = last;
        };
        QObject::connect(&window.document(), &views::Document::estimateChanged, &watch,
                         [this] { ready = true; });
        (void)QTest::qWaitFor([this] { return window.document().estimate() != nullptr; }, 60'000);
        settle();
    }

    static app::Settings settings() {
        app::Settings settings;
        settings.kept = false;
        return settings;
    }

    bool working() const {
        return window.document().busy() || window.document().suggestionsPending() ||
               window.validation().busy();
    }

    /// Nothing is painted any more.
    void settle() {
        QElapsedTimer quiet;
        quiet.start();
        int seen = frames;
        while (working() || quiet.elapsed() < quietMilliseconds) {
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 10);
            QTest::qWait(1);
            if (seen != frames || working())
                quiet.start();
            seen = frames;
        }
    }

    void measure(const char* name, std::string_view path, const QStringList& values) {
        auto* editor = window.plan().findChild<views::ScenarioView*>();
        editor->edit(path);
        auto* field = editor->row(path)->findChild<views::UnitField*>();
        if (field == nullptr)
            qFatal("%s has no field for a number", name);
        std::vector<double> toFigures, figuresGui, toLast, process, gui;
        QMap<QString, int> all;
        int allFrames = 0;
        for (int i = 0; i < edits + 2; ++i) {
            field->setFocus();
            field->selectAll();
            QTest::keyClicks(field, values[i % values.size()]);
            settle();
            ready = fresh = false;
            figures.reset();
            last.reset();
            paints.clear();
            const int before = frames;
            const Moment start = Moment::now();
            QTest::keyClick(field, Qt::Key_Return);
            QElapsedTimer patience;
            patience.start();
            while (!figures && patience.elapsed() < 20'000)
                QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
            settle();
            const Moment end = Moment::now();
            if (!figures)
                qFatal("%s: an edit brought no new figures", name);
            if (i < 2)
                continue; // warms up
            toFigures.push_back(figures->since(start).wall);
            figuresGui.push_back(figures->since(start).gui);
            toLast.push_back(last->since(start).wall);
            process.push_back(end.since(start).process);
            gui.push_back(last->since(start).gui);
            allFrames += frames - before;
            for (auto each = paints.cbegin(); each != paints.cend(); ++each)
                all[each.key()] += each.value();
        }
        const int widgets = std::accumulate(all.cbegin(), all.cend(), 0);
        std::printf(
            "%s, median of %d edits: figures after %.1f ms (GUI thread %.1f), last pixel after %.1f ms "
            "(GUI thread %.1f); process %.1f ms; %.1f frames, %.0f widgets painted an edit\n",
            name, edits, median(toFigures), median(figuresGui), median(toLast), median(gui), median(process),
            1.0 * allFrames / edits, 1.0 * widgets / edits);
        if (qEnvironmentVariableIsSet("BENCH_WINDOW_PAINTS"))
            for (auto each = all.cbegin(); each != all.cend(); ++each)
                std::printf("    %6.1f %s\n", 1.0 * each.value() / edits, qPrintable(each.key()));
        std::fflush(stdout);
    }

    /// A drag on the label of a number, there and back: from each move of the mouse to the repainted figures.
    void drag(const char* name, std::string_view path) {
        constexpr int steps = 500, sweepSteps = 10; // so many one way, then back
        auto* editor = window.plan().findChild<views::ScenarioView*>();
        editor->edit(path);
        auto* label = editor->row(path)->findChild<views::FieldLabel*>();
        settle();
        const Field& field = *findField(path);
        std::vector<FieldValue> had;
        const auto note = QObject::connect(&window.document(), &views::Document::specChanged, &watch,
                                           [&] { had.push_back(field.get(window.document().spec())); });
        const int undoBefore = window.document().undoStack()->count();
        const auto send = [&](QEvent::Type type, int step, Qt::MouseButtons buttons) {
            const QPoint at(20 - 4 * step, 5); // to smaller values: a larger batch may not fit
            QMouseEvent event(type, at, label->mapToGlobal(at), Qt::LeftButton, buttons, Qt::NoModifier);
            QCoreApplication::sendEvent(label, &event);
        };
        std::vector<double> wall, gui;
        int foreign = 0;
        send(QEvent::MouseButtonPress, 0, Qt::LeftButton);
        for (int i = 1; i <= steps; ++i) {
            const int phase = i % (2 * sweepSteps);
            ready = fresh = false;
            figures.reset();
            const Moment start = Moment::now();
            send(QEvent::MouseMove, phase <= sweepSteps ? phase : 2 * sweepSteps - phase, Qt::LeftButton);
            QElapsedTimer patience;
            patience.start();
            while (!figures && patience.elapsed() < 20'000)
                QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
            if (!figures)
                qFatal("%s: step %d of the drag, %s, brought no new figures", name, i,
                       had.empty() ? "without a change" : fieldText(field, had.back()).c_str());
            wall.push_back(figures->since(start).wall);
            gui.push_back(figures->since(start).gui);
            const FieldValue shown = field.get(window.document().estimate()->scenario);
            foreign += std::ranges::find(had, shown) == had.end() ? 1 : 0;
        }
        send(QEvent::MouseButtonRelease, 0, Qt::NoButton);
        QObject::disconnect(note);
        settle();
        std::ranges::sort(wall);
        std::printf(
            "%s, %d steps of a drag: repainted figures after %.1f ms at the median, %.1f ms at the 99th "
            "percentile (GUI thread %.1f ms); %d undo steps, %d estimates of values that it never had\n",
            name, steps, median(wall), wall[wall.size() * 99 / 100], median(gui),
            window.document().undoStack()->count() - undoBefore, foreign);
        std::fflush(stdout);
    }
};

} // namespace

// From a committed edit in a field to its new figures and to the last pixel, and from the start of the
// program to its first content, and along a drag: by the clock and in processor time, at 1600 x 1000, through
// the real window. Without QT_QPA_PLATFORM offscreen. BENCH_WINDOW_PAINTS=1 prints which widgets an edit
// paints.
int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const QString training = QStringLiteral("llama-3.1-405b-2048xp5.48xlarge");
    if (argc == 3 && qstrcmp(argv[1], "--start") == 0) {
        const QString sample = QString::fromLocal8Bit(argv[2]);
        startContent = sample.isEmpty() ? isStartPage : isFigure;
        argc = 1;
        return app::runWindow(argc, argv, sample);
    }
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("alidade"));
    QApplication::setCursorFlashTime(0); // nothing but the edit paints
    QStandardPaths::setTestModeEnabled(true);
    views::ThemeController::instance().install();
    const QString part = QString::fromLocal8Bit(argc > 1 ? argv[1] : "");
    if (part.isEmpty() || part == QLatin1String("training")) {
        Bench bench(training);
        bench.measure("global batch of training", "workload.global_batch",
                      {QStringLiteral("4096"), QStringLiteral("2048")});
    }
    if (part.isEmpty() || part == QLatin1String("serving")) {
        Bench bench(QStringLiteral("serve-llama-3.1-70b-1xp5en.48xlarge"));
        bench.measure("input length of serving", "workload.input_tokens",
                      {QStringLiteral("1600"), QStringLiteral("1500")});
    }
    if (part.isEmpty() || part == QLatin1String("drag")) {
        Bench dense(training);
        dense.drag("Llama 3.1 405B on 16,384 GPUs, global batch", "workload.global_batch");
        Bench experts(QStringLiteral("deepseek-v3-256xp5en.48xlarge"));
        experts.drag("DeepSeek-V3 on 2,048 GPUs, global batch", "workload.global_batch");
    }
    if (part.isEmpty() || part == QLatin1String("start")) {
        measureStart("the start page", {});
        measureStart("the figures of a sample", training);
    }
    return 0;
}
