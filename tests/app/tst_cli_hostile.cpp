// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// Text from outside: never raw on a terminal, and never more of it than somebody can read.
#include "model/units/text.h"
#include "tests/app/program.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

namespace tst_cli_hostile {

using namespace alidade;
using test::Outcome;
using test::Program;

namespace {

/// Sets the title of a terminal, in two ways; turns the direction of writing; is not UTF-8.
const QByteArray hostile = "\x1b]0;owned\x07 \xc2\x9d"
                           "0;owned\xc2\x9c \xe2\x80\xaetxt.exe \xff\xfe";

/// With double quotes for single ones.
QByteArray json(QByteArray text) { return text.replace('\'', '"'); }

/// What a terminal gets holds nothing that it obeys.
bool isPrintable(const QByteArray& output) {
    return printable(output.toStdString(), "\n") == output.toStdString();
}

} // namespace

class TestCliHostile : public QObject {
    Q_OBJECT

    QTemporaryDir dir_;
    QString put(const QString& name, const QByteArray& content) {
        QFile file(dir_.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size() ? file.fileName()
                                                                                        : QString();
    }
    static QByteArray scenario(const QByteArray& name) {
        return json("{'alidade': 1, 'name': '") + name +
               json(
                   "', 'workload': {'kind': 'training', 'model': 'llama-3.1-70b', 'sequence_length': 8192, "
                   "'global_batch': 512},                 "
                   "'cluster': {'instance': 'p5.48xlarge', 'instances': 8}, 'plan': {'tensor_parallel': 8}}");
    }

private slots:
    void nothingReachesTheTerminalRaw_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QStringList>("arguments");
        const auto row = [](const char* title, const char* name, const QByteArray& content,
                            const char* words) {
            QTest::newRow(title) << QString::fromLatin1(name) << content
                                 << QString::fromLatin1(words).split(QLatin1Char(' '));
        };
        const QByteArray escaped = QByteArray("\\u001b]0;owned\\u0007 \\u009d0;owned\\u009c \\u202etxt.exe");
        row("header of steps", "steps.csv", hostile + "\n1\n2\n",
            "calibrate llama-3.1-8b-1xp5.4xlarge --steps FILE");
        row("value of steps", "steps.csv", "step_time_s\n" + hostile + "\n",
            "calibrate llama-3.1-8b-1xp5.4xlarge --steps FILE");
        row("topology", "t.json",
            json("{'Instances': [{'InstanceId': '") + escaped + json("', 'NetworkNodes': []}]}"),
            "import topology FILE");
        row("type of a host", "t.json",
            json("{'Instances': [{'InstanceId': 'i-1', 'InstanceType': '") + escaped +
                json("', 'AvailabilityZone': '") + escaped + json("', 'NetworkNodes': ['a', 'b', 'c']}]}"),
            "import topology FILE");
        row("Slurm", "topology.conf", "SwitchName=s0 Nodes=" + hostile + "\n", "import topology FILE");
        row("YAML", "topology.yaml",
            "---\n- topology: " + hostile + "\n  tree:\n    switches:\n      - switch: " + hostile + "\n",
            "import topology FILE");
        row("log", "run.log",
            "# nccl-tests " + hostile + "\n#  size count type redop root time algbw busbw\n 8 2 " + hostile +
                " x\n",
            "import nccl-log FILE");
        row("name of a scenario", "s.json", scenario(escaped), "estimate FILE");
        row("name of a scenario, compared", "s.json", scenario(escaped), "compare FILE FILE");
        row("bytes of a scenario", "s.json", scenario(hostile), "estimate FILE");
        row("unknown key", "s.json", "{\"alidade\": 1, \"" + escaped + "\": 5}", "estimate FILE");
        row("model", "s.json", json("{'alidade': 1, 'workload': {'model': '") + escaped + "\"}}",
            "estimate FILE");
        row("catalog", "c.json",
            json("{'alidade': 1, 'kind': 'gpus', 'version': '2026-11-20', 'entries': [{'id': '") + escaped +
                json("', 'x': 1}]}"),
            "catalog check FILE");
        row("Hugging Face", "config.json", json("{'model_type': '") + escaped + "\"}", "import model FILE");
        row("argument", "s.json", scenario("x"), "estimate FILE --set plan.HOSTILE=1");
        row("option", "s.json", scenario("x"), "estimate FILE --HOSTILE");
        row("no file", "s.json", scenario("x"), "estimate HOSTILE.json");
        row("no subcommand", "s.json", scenario("x"), "HOSTILE");
    }
    void nothingReachesTheTerminalRaw() {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        QFETCH(QStringList, arguments);
        const QString file = put(name, content);
        arguments.replaceInStrings(QStringLiteral("FILE"), file);
        arguments.replaceInStrings(QStringLiteral("HOSTILE"),
                                   QStringLiteral("\u001b]0;owned\u0007\u009d\u202e"));
        const Outcome outcome = Program().run(arguments);
        QVERIFY2(outcome.status == 0 || outcome.status == 2, outcome.err.constData());
        QVERIFY2(isPrintable(outcome.out), outcome.out.toHex(' ').constData());
        QVERIFY2(isPrintable(outcome.err), outcome.err.toHex(' ').constData());
        QVERIFY(outcome.status == 0 || outcome.out.isEmpty());
        for (const QByteArray& line : outcome.err.split('\n'))
            QVERIFY2(QString::fromUtf8(line).size() <= 300, line.constData());
    }

    void jsonKeepsWhatItEscapes() {
        const QString file = put(QStringLiteral("s.json"), scenario(json("a\\u009bb\\u202ec")));
        const Outcome outcome = Program().run({QStringLiteral("estimate"), file, QStringLiteral("--json")});
        QCOMPARE(outcome.status, 0);
        QVERIFY(isPrintable(outcome.out));
        QVERIFY(outcome.out.contains(json("'a\\u009bb\\u202ec'")));
    }

    void manyFaultsAreCounted_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("most"); // of faults
        QByteArray keys = "{\"alidade\": 1", rows = "[1";
        for (int i = 0; i < 200'000; ++i)
            keys += ", \"key " + QByteArray::number(i) + "\": 1";
        for (int i = 0; i < 500'000; ++i)
            rows += ",1";
        keys += "}";
        rows += "]";
        const QStringList estimate{QStringLiteral("estimate"), QStringLiteral("FILE")};
        QTest::newRow("unknown keys") << keys << estimate << 200'000;
        QTest::newRow("measurements")
            << rows << QStringList{QStringLiteral("validate"), QStringLiteral("FILE")} << 500'001;
        QTest::newRow("catalog")
            << QByteArray(json("{'alidade': 1, 'kind': 'gpus', 'version': '2026-11-20', 'entries': ") + rows +
                          "}")
            << QStringList{QStringLiteral("catalog"), QStringLiteral("check"), QStringLiteral("FILE")}
            << 500'001;
        QTest::newRow("hosts") << QByteArray(json("{'Instances': ") + rows + "}")
                               << QStringList{QStringLiteral("import"), QStringLiteral("topology"),
                                              QStringLiteral("FILE")}
                               << 500'001;
        QTest::newRow("steps") << QByteArray("step_time_s\n" + QByteArray("x\n").repeated(200'000))
                               << QStringList{QStringLiteral("calibrate"),
                                              QStringLiteral("llama-3.1-8b-1xp5.4xlarge"),
                                              QStringLiteral("--steps"), QStringLiteral("FILE")}
                               << 200'000;
        QTest::newRow("a long key") << QByteArray("{\"alidade\": 1, \"" + QByteArray(900'000, 'k') + "\": 1}")
                                    << estimate << 1;
    }
    void manyFaultsAreCounted() {
        QFETCH(QByteArray, content);
        QFETCH(QStringList, arguments);
        QFETCH(int, most);
        const QString file = put(QStringLiteral("many.json"), content);
        arguments.replaceInStrings(QStringLiteral("FILE"), file);
        const Outcome outcome = Program().run(arguments);
        QCOMPARE(outcome.status, 2);
        const QStringList lines = QString::fromUtf8(outcome.err.trimmed()).split(QLatin1Char('\n'));
        QVERIFY2(lines.size() <= 21, outcome.err.left(3000).constData());
        for (const QString& line : lines)
            QVERIFY2(line.size() <= 300, qPrintable(line));
        if (most > 20)
            QVERIFY2(lines.last().contains(QStringLiteral("and %1 more faults").arg(most - 20)),
                     qPrintable(lines.last()));
    }
};

QTEST_GUILESS_MAIN(TestCliHostile)

} // namespace tst_cli_hostile

#include "tst_cli_hostile.moc"
