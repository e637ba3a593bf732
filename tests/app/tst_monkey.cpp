// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow alone
#include "app/window/file_session.h"
#include "app/window/library_desk.h"
#include "app/window/main_window.h"
#include "app/window/workspace_session.h"
#include "tests/app/monkey_hands.h"
#include "tests/app/watchdog.h"
#include "views/document/engine.h"
#include "views/theme/theme_controller.h"
#include "views/validation/validation_engine.h"

#include <QApplication>
#include <QDesktopServices>
#include <QDir>
#include <QEventLoop>
#include <QNetworkProxy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>

using namespace alidade;

namespace {

int fromEnvironment(const char* name, int otherwise) {
    bool isNumber = false;
    const int value = qEnvironmentVariableIntValue(name, &isNumber);
    return isNumber ? value : otherwise;
}

/// What was done last, for the report of a fault.
class Diary {
public:
    void begin(unsigned seed) {
        const std::lock_guard lock(mutex_);
        seed_ = seed;
        count_ = 0;
        last_.clear();
    }
    void add(const QString& action) {
        const std::lock_guard lock(mutex_);
        ++count_;
        last_.push_back(action.toStdString());
        if (last_.size() > 25)
            last_.pop_front();
    }
    std::string text() {
        const std::lock_guard lock(mutex_);
        std::string out =
            "seed " + std::to_string(seed_) + ", action " + std::to_string(count_) + "; the last ones:";
        for (const std::string& each : last_)
            out += "\n  " + each;
        return out;
    }

private:
    std::mutex mutex_;
    unsigned seed_ = 0;
    int count_ = 0;
    std::deque<std::string> last_;
};
Diary diary;
QtMessageHandler oldHandler = nullptr;

/// Qt's warnings are faults of ours, what the platform of a test cannot do apart.
void judge(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    static const QStringList platform{QStringLiteral("This plugin does not support"),
                                      QStringLiteral("Mouse event at"), QStringLiteral("Mouse event \""),
                                      QStringLiteral("QXcbConnection: XCB error"),
                                      QStringLiteral("QXcbClipboard"),
                                      // The X server's late answer to a floating dock that was shown, hidden
                                      // and shown again; Qt goes on.
                                      QStringLiteral("QXcbWindow::setNetWmStateOnUnmappedWindow()")};
    const bool ours =
        std::ranges::none_of(platform, [&](const QString& words) { return message.contains(words); });
    oldHandler(type, context, message);
    if (type == QtDebugMsg || type == QtInfoMsg || !ours)
        return;
    std::fprintf(stderr, "A warning of Qt: %s\n%s\n", qPrintable(message), diary.text().c_str());
    std::abort();
}

} // namespace

/// Thousands of random actions in the real window, with the real model behind it. Nothing may freeze, crash,
/// or make Qt warn. In the environment: ALIDADE_MONKEY_SEEDS ("1 2 3"), ALIDADE_MONKEY_ACTIONS (of each), and
/// ALIDADE_MONKEY_GAP_MS, how long the event loop may stand still.
class TestMonkey : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QApplication::setApplicationName(QStringLiteral("alidade"));
        QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        // Nothing leaves this machine.
        QNetworkProxy::setApplicationProxy(
            QNetworkProxy(QNetworkProxy::HttpProxy, QStringLiteral("127.0.0.1"), 1));
        for (const QString& scheme :
             {QStringLiteral("http"), QStringLiteral("https"), QStringLiteral("file")})
            QDesktopServices::setUrlHandler(scheme, this, "ignore");
        views::ThemeController::instance().install();
        QVERIFY(folder_.isValid());
        QVERIFY(QDir::setCurrent(folder_.path()));
        oldHandler = qInstallMessageHandler(judge);
    }
    void cleanupTestCase() {
        qInstallMessageHandler(oldHandler);
        for (const QString& scheme : schemes_)
            QDesktopServices::unsetUrlHandler(scheme);
    }

    void nothingBreaks_data() {
        QTest::addColumn<unsigned>("seed");
        const QString seeds = qEnvironmentVariable("ALIDADE_MONKEY_SEEDS", QStringLiteral("1"));
        for (const QString& seed : seeds.split(QLatin1Char(' '), Qt::SkipEmptyParts))
            QTest::newRow(qPrintable(seed)) << seed.toUInt();
    }
    void nothingBreaks() {
        QFETCH(unsigned, seed);
        const int actions = fromEnvironment("ALIDADE_MONKEY_ACTIONS", 400);
        diary.begin(seed);
        test::Watchdog watchdog(std::chrono::milliseconds(fromEnvironment("ALIDADE_MONKEY_GAP_MS", 2000)),
                                [] { return diary.text(); });
        app::Settings settings;
        settings.kept = false;
        app::MainWindow window(data::loadShippedCatalog(), views::modelEngine("2026-01-01"),
                               views::modelValidation(), settings,
                               qEnvironmentVariable("ALIDADE_EXECUTABLE"));
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window, 20'000));
        window.library().session().create(folder_.filePath(QStringLiteral("monkey%1.alidade").arg(seed)));
        window.files().openSample(QStringLiteral("deepseek-v3-256xp5en.48xlarge"));
        test::MonkeyHands hands(window, seed);
        QEventLoop loop;
        int done = 0;
        std::function<void()> tick = [&] {
            watchdog.beat();
            if (done >= actions && hands.steps.isEmpty()) {
                if (QWidget* above = QApplication::activePopupWidget() ? QApplication::activePopupWidget()
                                                                       : QApplication::activeModalWidget())
                    above->close(); // what is still open keeps its own event loop
                else
                    return loop.quit();
            }
            if (done < actions && hands.steps.isEmpty()) {
                diary.add(hands.think());
                ++done;
            }
            // A step that opens a menu may return only when that is closed: then the next one comes from
            // inside it.
            bool inside = false;
            QTimer blocked;
            blocked.setSingleShot(true);
            blocked.callOnTimeout(&loop, [&] {
                inside = true;
                tick();
            });
            blocked.start(250);
            if (!hands.steps.isEmpty())
                hands.steps.takeFirst()();
            blocked.stop();
            watchdog.beat();
            if (!inside) // and sometimes it waits for an answer
                QTimer::singleShot(done % 50 == 49 ? 20 : 0, &loop, tick);
        };
        QTimer::singleShot(0, &loop, tick);
        loop.exec();
        QCOMPARE(done, actions);
    }

public slots:
    void ignore(const QUrl&) {}

private:
    const QStringList schemes_{QStringLiteral("http"), QStringLiteral("https"), QStringLiteral("file")};
    QTemporaryDir folder_;
};

QTEST_MAIN(TestMonkey)
#include "tst_monkey.moc"
