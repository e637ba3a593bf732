// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: serial alone
#include "app/window/run_window.h"
#include "tests/app/blocked_files.h"
#include "tests/app/window_fixture.h"
#include "views/document/latest_worker.h"
#include "views/document/workers.h"

#include <QAbstractButton>
#include <QFuture>
#include <QProcess>
#include <QThreadPool>
#include <QTimer>

#include <atomic>
#include <cstdio>
#include <future>
#include <sys/stat.h>
#include <unistd.h>

using test::BlockedFiles;

namespace {

constexpr auto childOption = "--child";
constexpr int generous = 60'000; // ms; only what hangs for good takes that long

QByteArray scenarioWith(const char* topology) {
    return QByteArrayLiteral(
               R"({"alidade": 1, "name": "x", "workload": {"kind": "training", "model": "llama-3.1-8b",
            "sequence_length": 8192, "global_batch": 128}, "cluster": {"instance": "p5.48xlarge", "instances": 2,
            "topology": ")") +
           topology + R"("}, "plan": {"framework": "megatron-core"}})";
}

/// What a person does in the child process while a file is being read that never comes.
void useAndCloseWindow() {
    MainWindow* window = nullptr;
    for (QWidget* each : QApplication::topLevelWidgets())
        if (auto* found = qobject_cast<MainWindow*>(each))
            window = found;
    if (window == nullptr || BlockedFiles::blocked() == 0) {
        QTimer::singleShot(10, qApp, useAndCloseWindow);
        return;
    }
    for (const char* page : {"catalog", "start", "validation"}) {
        window->showView(QString::fromLatin1(page));
        QTest::qWait(1);
        if (window->page() == QLatin1String(page) && !window->grab().isNull())
            std::puts(page);
    }
    window->close();
}

/// The program with a disk that does not answer.
int runChild(int argc, char** argv) {
    static const BlockedFiles disk;
    qAddPreRoutine([] { QTimer::singleShot(0, qApp, useAndCloseWindow); });
    const int status = runWindow(argc, argv, QString::fromLocal8Bit(argv[2]));
    std::puts("closed");
    std::fflush(stdout);
    leaveProcess(status);
}

} // namespace

/// Workers that wait for something that does not come: the window goes on.
class TestWindowBlocked : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }

    /// More of them than the machine has cores, as on a file system that does not answer.
    void blockedWorkersHoldUpNobody() {
        int pipe[2];
        QCOMPARE(::pipe(pipe), 0);
        constexpr int blocked = 16;
        QList<QFuture<void>> waits;
        for (int i = 0; i < blocked; ++i)
            waits.append(views::runOn(views::Work::waiting, [end = pipe[0]] {
                char byte;
                (void)!::read(end, &byte, 1);
            }));
        QTRY_COMPARE(views::workers(views::Work::waiting).activeThreadCount(), blocked);
        QCOMPARE(QThreadPool::globalInstance()->activeThreadCount(), 0); // painting's own
        {
            Fixture f;
            f.openSample();
            const auto before = f.document().estimate();
            f.edit();
            QTRY_VERIFY(f.document().estimate() != before);
            QVERIFY(!f.window->grab().isNull());
            QCOMPARE(views::runOn(views::Work::waiting, [] { return 7; }).result(), 7); // others get through
            QVERIFY(f.window->close() || f.files().question() != nullptr);              // and it can be left
        }
        QCOMPARE(::write(pipe[1], QByteArray(blocked, 'x').constData(), blocked), ssize_t(blocked));
        for (QFuture<void>& each : waits)
            each.waitForFinished();
        ::close(pipe[0]);
        ::close(pipe[1]);
    }

    /// A pipe where a scenario should be, and where its topology should be.
    void pipesAreRefused() {
        const QTemporaryDir folder;
        const QString pipe = folder.filePath(QStringLiteral("pipe.json"));
        QCOMPARE(::mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
        Fixture f;
        QSignalSpy refused(&f.files(), &FileSession::refused);
        f.files().openFile(pipe);
        QTRY_COMPARE(refused.size(), 1);
        QVERIFY2(refused[0][1].toString().contains(QStringLiteral("is a pipe")),
                 qPrintable(refused[0][1].toString()));
        const QString scenario = folder.filePath(QStringLiteral("scenario.json"));
        write(scenario, scenarioWith("pipe.json"));
        f.files().openFile(scenario);
        f.settle();
        f.edit();
        f.settle();
        QVERIFY(!f.window->grab().isNull());
    }

    void slowReadIsSaidAndCanceled() {
        const QTemporaryDir folder;
        const QString never = folder.filePath(QStringLiteral("never.json"));
        write(never, scenarioWith("none"));
        const BlockedFiles disk;
        Fixture f;
        f.openSample();
        const std::string before = data::writeScenario(f.document().spec());
        f.files().openFile(never);
        QTRY_COMPARE_WITH_TIMEOUT(f.window->notice().sentence(), QStringLiteral("Reading never.json"),
                                  generous);
        f.window->plan().setFocus();
        QTest::keyClick(f.window->windowHandle(), Qt::Key_Escape);
        QTRY_VERIFY(!f.window->notice().isVisible());
        QVERIFY(!f.files().isBusy());
        f.files().openFile(never); // and by its button
        QTRY_VERIFY_WITH_TIMEOUT(!f.window->notice().sentence().isEmpty(), generous);
        for (QPushButton* button : f.window->notice().findChildren<QPushButton*>())
            if (button->text() == QLatin1String("Cancel"))
                QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(!f.files().isBusy());
        QTRY_COMPARE_WITH_TIMEOUT(BlockedFiles::blocked(), 2, generous);
        BlockedFiles::release();
        QTRY_COMPARE_WITH_TIMEOUT(BlockedFiles::blocked(), 0, generous);
        ::settle();
        QCOMPARE(data::writeScenario(f.document().spec()),
                 before); // what was given up does not come after all
        f.files().openFile(never);
        QTRY_COMPARE_WITH_TIMEOUT(f.document().fileName(), never, generous);
    }

    void newerFileWins() {
        const QTemporaryDir folder;
        const QString never = folder.filePath(QStringLiteral("never.json"));
        const QString other = folder.filePath(QStringLiteral("other.json"));
        write(never, scenarioWith("none"));
        write(other, QByteArray::fromStdString(data::writeScenario(test::sampleSpec())));
        const BlockedFiles disk;
        Fixture f;
        f.files().openFile(never);
        QTRY_COMPARE_WITH_TIMEOUT(BlockedFiles::blocked(), 1, generous);
        f.files().openFile(other);
        QTRY_COMPARE_WITH_TIMEOUT(f.document().fileName(), other, generous);
        BlockedFiles::release();
        QTRY_COMPARE_WITH_TIMEOUT(BlockedFiles::blocked(), 0, generous);
        ::settle();
        QCOMPARE(f.document().fileName(), other);
    }

    /// Saves are written in their order, and the window stays until they are, or until it is told not to
    /// wait.
    void closingWaitsForASave_data() {
        QTest::addColumn<bool>("waits");
        QTest::newRow("keeps waiting") << true;
        QTest::newRow("does not wait") << false;
    }
    void closingWaitsForASave() {
        QFETCH(bool, waits);
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("plan.json"));
        Fixture f;
        f.openSample();
        int pipe[2];
        QCOMPARE(::pipe(pipe), 0);
        const int all = views::workers(views::Work::waiting).maxThreadCount();
        QList<QFuture<void>> waitsFor;
        for (int i = 0; i < all; ++i) // so that no write can begin
            waitsFor.append(views::runOn(views::Work::waiting, [end = pipe[0]] {
                char byte;
                (void)!::read(end, &byte, 1);
            }));
        f.files().setPatience(1);
        f.files().saveTo(file);
        f.edit();
        f.files().saveTo(file);
        QVERIFY(!f.window->close());
        QTRY_VERIFY(f.files().waitQuestion() != nullptr);
        QVERIFY(f.window->isVisible());
        QTRY_VERIFY(f.files().waitQuestion() != nullptr && f.files().waitQuestion()->isVisible());
        const auto release = [&] {
            QCOMPARE(::write(pipe[1], QByteArray(all, 'x').constData(), static_cast<std::size_t>(all)),
                     ssize_t(all));
            for (QFuture<void>& each : waitsFor)
                each.waitForFinished();
        };
        if (waits) {
            release();
            QTRY_VERIFY_WITH_TIMEOUT(!f.window->isVisible(), generous);
            QCOMPARE(contentOf(file).toStdString(), data::writeScenario(f.document().spec()));
        } else {
            const auto buttons = f.files().waitQuestion()->buttons();
            for (QAbstractButton* button : buttons)
                if (button->text().remove(QLatin1Char('&')) == QLatin1String("Do Not Wait"))
                    QTest::mouseClick(button, Qt::LeftButton);
            QTRY_VERIFY(!f.window->isVisible());
            QVERIFY(!QFile::exists(file));
            release();
        }
        ::close(pipe[0]);
        ::close(pipe[1]);
    }

    /// A job that is blocked for good is left behind, and what it posts later has no receiver.
    void blockedWorkerIsLeftBehind() {
        const int before = data::AbandonableThread::abandoned();
        std::promise<void> end;
        std::atomic<bool> arrived{false};
        {
            QObject owner;
            views::LatestWorker worker(&owner, views::Work::waiting);
            std::promise<void> began;
            worker.start(
                [&began, &arrived, go = end.get_future().share()](const views::LatestWorker::Turn& turn) {
                    began.set_value();
                    go.wait();
                    turn.post([&arrived] { arrived = true; });
                });
            began.get_future().wait();
        }
        QCOMPARE(data::AbandonableThread::abandoned(), before + 1);
        end.set_value();
        QTRY_COMPARE(data::AbandonableThread::abandoned(), before);
        ::settle();
        QVERIFY(!arrived);
    }

    /// The whole program with a scenario, or the topology that it names, on a disk that does not answer.
    void processEndsWhileAReadIsBlocked_data() {
        QTest::addColumn<QString>("scenario");
        QTest::addColumn<QString>("topology");
        QTest::newRow("scenario") << "never.json" << "none";
        QTest::newRow("topology") << "plan.json" << "never.json";
    }
    void processEndsWhileAReadIsBlocked() {
        QFETCH(QString, scenario);
        QFETCH(QString, topology);
        const QTemporaryDir folder;
        write(folder.filePath(QStringLiteral("never.json")), "{}");
        write(folder.filePath(scenario), scenarioWith(topology.toLatin1().constData()));
        QProcess child;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* variable : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
            environment.insert(QString::fromLatin1(variable), folder.path());
        child.setProcessEnvironment(environment);
        child.start(QCoreApplication::applicationFilePath(),
                    {QString::fromLatin1(childOption), folder.filePath(scenario)});
        QVERIFY2(child.waitForFinished(generous), qPrintable(child.errorString()));
        const QByteArray out = child.readAllStandardOutput();
        QCOMPARE(child.exitStatus(), QProcess::NormalExit);
        QCOMPARE(child.exitCode(), 0);
        QCOMPARE(out, QByteArray("catalog\nstart\nvalidation\nclosed\n"));
    }
};

int main(int argc, char** argv) {
    if (argc > 2 && qstrcmp(argv[1], childOption) == 0)
        return runChild(argc, argv);
    QApplication application(argc, argv);
    QApplication::setAttribute(Qt::AA_Use96Dpi, true); // as QTEST_MAIN does
    TestWindowBlocked test;
    QTEST_SET_MAIN_SOURCE_PATH
    return QTest::qExec(&test, argc, argv);
}
#include "tst_window_blocked.moc"
