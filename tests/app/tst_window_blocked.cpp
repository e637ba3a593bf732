// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: serial
#include "tests/app/window_fixture.h"
#include "views/document/workers.h"

#include <QFuture>
#include <QThreadPool>

#include <sys/stat.h>
#include <unistd.h>

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
        write(scenario,
              R"({"alidade": 1, "name": "x", "workload": {"kind": "training", "model": "llama-3.1-8b",
            "sequence_length": 8192, "global_batch": 128}, "cluster": {"instance": "p5.48xlarge", "instances": 2,
            "topology": "pipe.json"}, "plan": {"framework": "megatron-core"}})");
        f.files().openFile(scenario);
        f.settle();
        f.edit();
        f.settle();
        QVERIFY(!f.window->grab().isNull());
    }
};

QTEST_MAIN(TestWindowBlocked)
#include "tst_window_blocked.moc"
