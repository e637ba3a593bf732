// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// Files that commands write: complete or not at all, and never over an input.
#include "tests/app/program.h"
#include "tests/full_disk.h"

#include <QDir>
#include <QRegularExpression>
#include <QTest>

#include <filesystem>

namespace tst_cli_files {

using namespace alidade::test;

namespace {

const QString training = QStringLiteral("llama-3.1-70b-64xp5.48xlarge");
const QString data = QStringLiteral(ALIDADE_TEST_DATA "/data/");

QByteArray contentAt(const QString& file) {
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray("unreadable");
}

void put(const QString& file, const QByteArray& content) {
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly));
    QCOMPARE(out.write(content), content.size());
}

/// Words of a command line, "OUT" for the file that it writes.
QStringList command(const QString& words, const QString& out) {
    QStringList list = words.split(QLatin1Char(' '));
    list.replaceInStrings(QStringLiteral("OUT"), out);
    list.replaceInStrings(QStringLiteral("DATA/"), data);
    list.replaceInStrings(QStringLiteral("PLAN"), training);
    return list;
}

} // namespace

class TestCliFiles : public QObject {
    Q_OBJECT

    static void writers() {
        QTest::addColumn<QString>("words");
        for (const char* words :
             {"report PLAN -o OUT.pdf", "report PLAN -o OUT.html", "report PLAN -o OUT.csv",
              "report PLAN -o OUT.json", "report PLAN -o OUT.xlsx", "export hosts PLAN -o OUT",
              "export rankfile PLAN -o OUT", "export ranks PLAN -o OUT",
              "import model DATA/huggingface/llama-3.1-8b.json -o OUT",
              "import nccl-log DATA/nccl-logs/aws-p5-2node-allreduce.txt -o OUT",
              "calibrate PLAN --nccl-log DATA/nccl-logs/aws-p5-2node-allreduce.txt -o OUT"})
            QTest::newRow(words) << QString::fromLatin1(words);
    }

private slots:
    void fullDiskLeavesTheOldFile_data() { writers(); }
    void fullDiskLeavesTheOldFile() {
        QFETCH(QString, words);
        FullDisk disk;
        const QString out = disk.path(QStringLiteral("out"));
        const QStringList arguments = command(words, out);
        const QString file = arguments[arguments.indexOf(QStringLiteral("-o")) + 1];
        put(file, "old");
        disk.fill();
        const Outcome outcome = Program().run(arguments);
        QCOMPARE(outcome.status, 1);
        QCOMPARE(outcome.out, QByteArray());
        QVERIFY2(outcome.said().startsWith(QStringLiteral("alidade: ") + file +
                                           QStringLiteral(": cannot be written: ")),
                 outcome.err.constData());
        QCOMPARE(outcome.err.count('\n'), 1);
        QCOMPARE(contentAt(file), QByteArray("old"));
        QCOMPARE(disk.names(), QStringList{QFileInfo(file).fileName()});
        disk.drain();
        QCOMPARE(Program().run(arguments).status, 0);
        QVERIFY(contentAt(file).size() > 100);
    }

    /// Each process has its own order of hash tables, and its own clock.
    void eachProcessWritesTheSameBytes_data() { writers(); }
    void eachProcessWritesTheSameBytes() {
        QFETCH(QString, words);
        const QTemporaryDir dir;
        QByteArray first;
        for (int i = 0; i < 4; ++i) {
            const QStringList line = command(words, dir.filePath(QStringLiteral("made")));
            QCOMPARE(Program().run(line).status, 0);
            const QByteArray content = contentAt(line.last());
            QVERIFY(!content.isEmpty());
            first = i == 0 ? content : first;
            QVERIFY2(content == first, qPrintable(line.last()));
        }
    }

    void inputIsNeverWrittenOver_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("input"); // what IN is at first
        QTest::addColumn<QString>("name");
        const QString scenario =
            QStringLiteral(ALIDADE_TEST_DATA "/../catalogs/scenarios/") + training + QStringLiteral(".json");
        const QString log = data + QStringLiteral("nccl-logs/aws-p5-2node-allreduce.txt");
        const QString model = data + QStringLiteral("huggingface/llama-3.1-8b.json");
        const QString json = QStringLiteral("in.json"), text = QStringLiteral("in.txt");
        QTest::newRow("scenario") << QStringLiteral("report IN -o OUT") << scenario << json;
        QTest::newRow("second scenario") << QStringLiteral("report PLAN IN -o OUT") << scenario << json;
        QTest::newRow("hosts") << QStringLiteral("export hosts IN -o OUT") << scenario << json;
        QTest::newRow("ranks") << QStringLiteral("export ranks IN -o OUT") << scenario << json;
        QTest::newRow("model") << QStringLiteral("import model IN -o OUT") << model << json;
        QTest::newRow("log") << QStringLiteral("import nccl-log IN -o OUT") << log << text;
        QTest::newRow("calibrated scenario")
            << QStringLiteral("calibrate IN --nccl-log DATA/nccl-logs/aws-p5-2node-allreduce.txt -o OUT")
            << scenario << json;
        QTest::newRow("log of a calibration")
            << QStringLiteral("calibrate PLAN --nccl-log IN -o OUT") << log << text;
        QTest::newRow("rows") << QStringLiteral("validate IN --fit -o OUT") << QStringLiteral("rows") << json;
        QTest::newRow("catalog") << QStringLiteral("report PLAN --catalog IN -o OUT")
                                 << QStringLiteral("catalog") << json;
        QTest::newRow("folder of catalogs")
            << QStringLiteral("report PLAN --catalog FOLDER -o OUT") << QStringLiteral("catalog") << json;
        QTest::newRow("topology")
            << QStringLiteral("export hosts llama-3.1-8b-1xp5.4xlarge --set cluster.topology=IN -o OUT")
            << QStringLiteral("topology") << json;
        QTest::newRow("imported topology")
            << QStringLiteral("import topology IN -o OUT") << QStringLiteral("topology") << json;
        QTest::newRow("profile") << QStringLiteral("report PLAN --calibration IN -o OUT")
                                 << QStringLiteral("profile") << json;
    }
    void inputIsNeverWrittenOver() {
        QFETCH(QString, words);
        QFETCH(QString, input);
        QFETCH(QString, name);
        QTemporaryDir outer, folder;
        const QString in = folder.filePath(name);
        put(in, madeOf(input));
        const QByteArray before = contentAt(in);
        const QString suffix = QFileInfo(name).suffix();
        const QString link = outer.filePath(QStringLiteral("link.") + suffix);
        const QString second = outer.filePath(QStringLiteral("second.") + suffix);
        std::filesystem::create_symlink(in.toStdString(), link.toStdString());
        std::filesystem::create_hard_link(in.toStdString(), second.toStdString());
        for (const QString& out : {in, link, second}) {
            QStringList arguments = command(words, out);
            arguments.replaceInStrings(QRegularExpression(QStringLiteral("\\bIN$")), in);
            arguments.replaceInStrings(QStringLiteral("FOLDER"), folder.path());
            const Outcome outcome = Program().run(arguments);
            QVERIFY2(
                outcome.said().startsWith(QStringLiteral("alidade: -o: '") + out + QStringLiteral("' is ")),
                outcome.err.constData());
            QCOMPARE(outcome.status, 2);
            QCOMPARE(outcome.out, QByteArray());
            QCOMPARE(contentAt(in), before);
        }
    }

private:
    /// A file's content, or a small document of a kind.
    static QByteArray madeOf(const QString& input) {
        if (input == QLatin1String("catalog"))
            return R"({"alidade": 1, "kind": "gpus", "version": "2026-11-20", "entries": []})";
        if (input == QLatin1String("topology"))
            return R"({"Instances": [{"InstanceId": "i-1", "InstanceType": "p5.4xlarge", "NetworkNodes": ["nn-1", "nn-2", "nn-3"]}]})";
        if (input == QLatin1String("rows"))
            return contentAt(QStringLiteral(ALIDADE_TEST_DATA "/../catalogs/validation/collectives.json"));
        if (input == QLatin1String("profile")) {
            QTemporaryDir dir;
            const QString file = dir.filePath(QStringLiteral("profile.json"));
            Program().run(command(
                QStringLiteral("calibrate PLAN --nccl-log DATA/nccl-logs/aws-p5-2node-allreduce.txt -o OUT"),
                file));
            return contentAt(file);
        }
        return contentAt(input);
    }
};

QTEST_GUILESS_MAIN(TestCliFiles)

} // namespace tst_cli_files

#include "tst_cli_files.moc"
