// SPDX-License-Identifier: GPL-3.0-or-later
// Wherever a command reads a file, a pipe, a device or a folder is refused at once: nothing is waited for.
#include "tests/app/program.h"

#include <QDir>
#include <QFile>
#include <QHash>
#include <QImage>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

namespace tst_cli_no_files {

using namespace alidade::test;

namespace {

const QString training = QStringLiteral("llama-3.1-8b-8xp5.48xlarge");

struct Place {
    const char* words; ///< "FILE" is what is not a file
    bool takesFolders = false;
};

constexpr Place places[] = {
    {"FILE"},
    {"estimate FILE"},
    {"estimate FILE.alidade"},
    {"estimate FILE.alidade#name"},
    {"estimate SCENARIO"},
    {"estimate PLAN --catalog FILE", true},
    {"estimate PLAN --calibration FILE"},
    {"compare PLAN FILE"},
    {"report FILE -o OUT.json"},
    {"export hosts FILE"},
    {"export search FILE --to slurm-array"},
    {"import model FILE"},
    {"import nccl-log FILE"},
    {"import topology FILE"},
    {"validate FILE"},
    {"catalog check FILE", true},
    {"catalog list gpus --catalog FILE", true},
    {"calibrate PLAN --nccl-log FILE"},
    {"calibrate PLAN --steps FILE"},
    {"calibrate PLAN --prometheus http://127.0.0.1:1 --mapping FILE"},
    {"health --prometheus http://127.0.0.1:1 --mapping FILE"},
    {"health --prometheus http://127.0.0.1:1 --policy FILE"},
    {"watch --prometheus http://127.0.0.1:1 --plan FILE"},
    {"metrics --prometheus http://127.0.0.1:1 --token-file FILE"},
    {"metrics --prometheus http://127.0.0.1:1 --user me --password-file FILE"},
    {"metrics --prometheus https://127.0.0.1:1 --ca FILE"},
};

} // namespace

class TestCliNoFiles : public QObject {
    Q_OBJECT

private slots:
    void refused_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("kind");
        for (const Place& place : places)
            for (const char* kind : {"pipe", "device", "directory"})
                if (!place.takesFolders || qstrcmp(kind, "directory") != 0)
                    QTest::addRow("%s, %s", place.words, kind)
                        << QString::fromLatin1(place.words) << QString::fromLatin1(kind);
    }
    void refused() {
        QFETCH(QString, words);
        QFETCH(QString, kind);
        const QTemporaryDir folder;
        // A link, so that every kind can have every suffix.
        const auto make = [&](const QString& name) {
            const QString file = folder.filePath(name);
            if (kind == QLatin1String("pipe"))
                QCOMPARE(::mkfifo(qPrintable(file), 0600), 0);
            else
                QVERIFY(QFile::link(
                    kind == QLatin1String("device") ? QStringLiteral("/dev/zero") : folder.path(), file));
        };
        make(QStringLiteral("odd"));
        make(QStringLiteral("odd.alidade"));
        const QString scenario = folder.filePath(QStringLiteral("plan.json"));
        QFile out(scenario);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(R"({"alidade": 1, "workload": {"kind": "training", "model": "llama-3.1-8b",
            "sequence_length": 8192, "global_batch": 128}, "cluster": {"instance": "p5.48xlarge", "instances": 2,
            "topology": "odd"}, "plan": {"framework": "megatron-core"}})");
        out.close();
        // One pass, so that no placeholder is sought in the random name of the folder.
        const QHash<QString, QString> placeholders{
            {QStringLiteral("FILE"), folder.filePath(QStringLiteral("odd"))},
            {QStringLiteral("SCENARIO"), scenario},
            {QStringLiteral("PLAN"), training},
            {QStringLiteral("OUT"), folder.filePath(QStringLiteral("out"))}};
        QStringList list;
        for (const QString& word : words.split(QLatin1Char(' '))) {
            QString filled;
            qsizetype end = 0;
            static const QRegularExpression placeholder(QStringLiteral("FILE|SCENARIO|PLAN|OUT"));
            for (auto match = placeholder.globalMatch(word); match.hasNext();) {
                const QRegularExpressionMatch found = match.next();
                filled += word.mid(end, found.capturedStart() - end) + placeholders.value(found.captured());
                end = found.capturedEnd();
            }
            list.append(filled + word.mid(end));
        }
        const Outcome outcome = Program().run(list);
        QVERIFY2(outcome.status == 2, outcome.err.constData());
        QCOMPARE(outcome.out, QByteArray());
        QVERIFY2(outcome.said().contains(QStringLiteral("is a ") + kind), outcome.err.constData());
        QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("out.json"))));
    }

    /// `alidade FILE` with another kind of file opens the window, which says what it is, or takes it.
    void windowTellsOtherFiles_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("said");
        QTest::newRow("catalog") << QByteArray(R"({"alidade": 1, "changes": []})") << "not imported";
        QTest::newRow("no JSON") << QByteArray("hello") << "cannot be imported";
        QTest::newRow("broken JSON") << QByteArray(R"({"alidade": 1, )") << "not imported";
        QTest::newRow("topology") << QByteArray("SwitchName=s1 Nodes=n[1-4]\n") << "Imported other";
    }
    void windowTellsOtherFiles() {
        QFETCH(QByteArray, content);
        QFETCH(QString, said);
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("other.conf"));
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(content);
        out.close();
        Program program;
        program.set("QT_QPA_PLATFORM", "offscreen");
        for (const char* variable : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
            program.set(variable, qPrintable(folder.path()));
        const QString picture = folder.filePath(QStringLiteral("window.png"));
        const Outcome outcome = program.run({QStringLiteral("--grab"), picture, file});
        QCOMPARE(outcome.status, 0);
        QVERIFY2(outcome.err.contains(said.toUtf8()) && outcome.err.contains("other"),
                 outcome.err.constData());
        QVERIFY(QFile::exists(picture));
        QFile again(file);
        QVERIFY(again.open(QIODevice::ReadOnly));
        QCOMPARE(again.readAll(), content);
    }

    /// A file is read after the window shows itself, and brings its own page; the one that was asked for is
    /// in the picture all the same.
    void pictureOfAFileIsOfTheViewThatWasAskedFor() {
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("plan.json"));
        QVERIFY(QFile::copy(
            QStringLiteral(ALIDADE_TEST_DATA "/../catalogs/scenarios/llama-3.1-8b-8xp5.48xlarge.json"),
            file));
        Program program;
        program.set("QT_QPA_PLATFORM", "offscreen");
        for (const char* variable : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
            program.set(variable, qPrintable(folder.path()));
        QList<QImage> middles; // the status line says how long an estimate took
        for (const char* view : {"layers", "topology"}) {
            const QString picture = folder.filePath(QStringLiteral("window.png"));
            const Outcome outcome = program.run({file, QStringLiteral("--grab"), picture,
                                                 QStringLiteral("--view"), QString::fromLatin1(view)});
            QVERIFY2(outcome.status == 0, outcome.err.constData());
            middles.append(QImage(picture).copy(600, 300, 500, 400));
            QVERIFY(!middles.last().isNull());
        }
        QVERIFY(middles[0] != middles[1]); // both were of the plan
    }
};

QTEST_GUILESS_MAIN(TestCliNoFiles)

} // namespace tst_cli_no_files

#include "tst_cli_no_files.moc"
