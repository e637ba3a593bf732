// SPDX-License-Identifier: GPL-3.0-or-later
// The command line as scripts see it: the real executable, its exit status, its two outputs and its files.
#include "data/json/json.h"
#include "program.h"

#include <QTemporaryDir>
#include <QtTest>

namespace tst_cli {

using Json = nlohmann::json;
using alidade::test::Outcome;
using alidade::test::Program;

namespace {

const QString sample = QStringLiteral("llama-3.1-405b-2048xp5.48xlarge");
const QString tooSmall = QStringLiteral("llama-3.1-8b-1xp5.4xlarge");

QStringList words(const char* line) { return QString::fromUtf8(line).split(u' ', Qt::SkipEmptyParts); }

Outcome run(const QStringList& arguments) { return Program().run(arguments); }

Json jsonOf(const QStringList& arguments) {
    const Outcome outcome = run(arguments + QStringList{QStringLiteral("--json")});
    if (outcome.status != 0) {
        qWarning("%s", outcome.err.constData());
        return {};
    }
    return Json::parse(outcome.out.toStdString());
}

QString write(const QTemporaryDir& folder, const char* name, const QByteArray& content) {
    QFile file(folder.filePath(QString::fromLatin1(name)));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write %s", name);
    return file.fileName();
}

bool plainText(const QByteArray& text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f;
    });
}

} // namespace

class TestCli : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QVERIFY2(QFile::exists(qEnvironmentVariable("ALIDADE_EXECUTABLE")), "no executable");
    }

    void whatIsRightEndsWithZero_data() {
        QTest::addColumn<QString>("line");
        for (const char* line : {"--help",
                                 "-h",
                                 "--version",
                                 "estimate --help",
                                 "compare --help",
                                 "report --help",
                                 "catalog --help",
                                 "catalog list --help",
                                 "catalog show --help",
                                 "catalog check --help",
                                 "import --help",
                                 "import model --help",
                                 "import topology --help",
                                 "import nccl-log --help",
                                 "export --help",
                                 "export ranks --help",
                                 "export search --help",
                                 "metrics --help",
                                 "catalog list gpus",
                                 "catalog list engines",
                                 "catalog list scenarios",
                                 "catalog check",
                                 "catalog show instances p5.48xlarge",
                                 "catalog show models llama-3.1-8b",
                                 "estimate llama-3.1-8b-1xp5.4xlarge",
                                 "estimate llama-3.1-405b-2048xp5.48xlarge --calibration default",
                                 "estimate llama-3.1-405b-2048xp5.48xlarge --set plan.tensor_parallel=3",
                                 "estimate llama-3.1-405b-2048xp5.48xlarge --timeline",
                                 "estimate serve-llama-3.1-8b-1xp5.4xlarge --load-curve --distribution",
                                 "estimate llama-3.1-405b-2048xp5.48xlarge --explain memory.parts[0].bytes",
                                 "compare llama-3.1-8b-1xp5.4xlarge llama-3.1-8b-8xp5.48xlarge",
                                 "estimate --set plan.tensor_parallel=4 llama-3.1-405b-2048xp5.48xlarge",
                                 "estimate llama-3.1-405b-2048xp5.48xlarge --explain training.mfu"}) {
            QTest::newRow(line) << QString::fromUtf8(line);
        }
    }
    void whatIsRightEndsWithZero() {
        QFETCH(QString, line);
        const Outcome outcome = run(words(line.toUtf8().constData()));
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        QVERIFY(!outcome.out.isEmpty());
        QCOMPARE(outcome.err, QByteArray());
        QVERIFY(plainText(outcome.out)); // no colors into a pipe
        QVERIFY(QString::fromUtf8(outcome.out).toUtf8() == outcome.out);
        if (line.contains(QStringLiteral("--help")))
            QVERIFY(outcome.out.contains("Example"));
    }

    void whatIsWrongIsSaidInOneLine_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("begin");
        QTest::addColumn<QString>("part");
        const auto row = [](const char* line, const char* begin, const char* part, int status = 2) {
            QTest::newRow(line) << QString::fromUtf8(line) << status << QString::fromUtf8(begin)
                                << QString::fromUtf8(part);
        };
        row("estimat x", "'estimat' is not a subcommand", "did you mean 'estimate'");
        row("foo", "'foo' is not a subcommand", "known: estimate, compare, report, catalog");
        row("--jsn", "there is no option '--jsn'", "--help");
        row("estimate", "estimate: SCENARIO", "alidade estimate --help");
        row("estimate a b", "estimate: 'b' is an unexpected argument", "alidade estimate --help");
        row("compare a", "compare: SCENARIO", "alidade compare --help");
        row("compare llama-3.1-8b-1xp5.4xlarge llama-3.1-8b-8xp5.48xlarge --baseline 3",
            "--baseline: ", "use 1 to 2");
        row("compare llama-3.1-8b-1xp5.4xlarge --every-machine p5e", "--every-machine: ", "p5e");
        row("compare llama-3.1-8b-1xp5.4xlarge x", "x: there is no such file", "");
        row("estimate a --jsn", "estimate: there is no option '--jsn'", "did you mean '--json'");
        row("estimate a --set", "estimate: --set", "alidade estimate --help");
        row("estimate llama-3.1-405b-2048xp5.48xlarg",
            "llama-3.1-405b-2048xp5.48xlarg: there is no such file",
            "did you mean 'llama-3.1-405b-2048xp5.48xlarge'");
        row("estimate /nowhere.json", "/nowhere.json: there is no such file", "");
        row("estimate /tmp", "/tmp: ", "specify a file");
        row("estimate llama-3.1-8b-1xp5.4xlarge --set plan.tp=4",
            "--set:/plan/tp: ", "'plan.tensor_parallel'");
        row("estimate llama-3.1-8b-1xp5.4xlarge --set plan.tensor_parallel=0",
            "--set:/plan/tensor_parallel: ", "1 to 65,536");
        row("estimate llama-3.1-8b-1xp5.4xlarge --set plan.precision=bf61",
            "--set:/plan/precision: ", "'bf16'");
        row("estimate llama-3.1-8b-1xp5.4xlarge --set plan.precision", "--set: ", "PATH=VALUE");
        row("estimate llama-3.1-8b-1xp5.4xlarge --set workload.tokens=3GB/s", "--set:/workload/tokens: ", "");
        row("estimate llama-3.1-8b-1xp5.4xlarge --set cluster.instance=p5.49xlarge",
            "llama-3.1-8b-1xp5.4xlarge:/cluster/instance: ", "p5.4");
        row("estimate llama-3.1-8b-1xp5.4xlarge --set workload.model=", "llama-3.1-8b-1xp5.4xlarge:/workload",
            "");
        row("estimate llama-3.1-8b-1xp5.4xlarge --explain training.step_tim_s",
            "--explain: ", "training.step_time_s");
        row("estimate llama-3.1-8b-1xp5.4xlarge --calibration mine", "--calibration: ", "default");
        row("estimate llama-3.1-8b-1xp5.4xlarge --catalog /nowhere", "/nowhere: ", "");
        row("catalog", "catalog: a subcommand is missing", "list, show, check");
        row("catalog lst", "catalog: there is no subcommand 'lst'", "did you mean 'list'");
        row("catalog list gpu", "catalog: there is no kind 'gpu'", "did you mean 'gpus'");
        row("catalog show gpus h100-sx", "catalog: no entry 'h100-sx'", "did you mean 'h100-sxm'");
        row("catalog check /nowhere", "/nowhere: ", "");
        row("import", "import: a subcommand is missing", "model");
        row("import model", "import model: FILE", "--help");
        row("import model /nowhere", "/nowhere: ", "");
        row("catalog show gpus h100", "catalog: no entry 'h100'", "did you mean 'h100-sxm'");
        row("estimate serve-llama-3.1-8b-1xp5.4xlarge --timeline", "--timeline is for training", "serving");
        row("estimate llama-3.1-405b-2048xp5.48xlarge --load-curve", "--load-curve is for serving",
            "training");
        row("estimate llama-3.1-405b-2048xp5.48xlarge --distribution", "--distribution is for serving",
            "training");
        row("estimate llama-3.1-405b-2048xp5.48xlarge --explain training.layers[9].seconds",
            "--explain: ", "is not a figure of this estimate");
        row("report llama-3.1-8b-1xp5.4xlarge", "report: ", "--help");
        row("report llama-3.1-8b-1xp5.4xlarge -o a.doc", "-o: ", ".pdf, .html, .xlsx, .csv, .json");
        row("report llama-3.1-8b-1xp5.4xlarge -o a", "-o: ", ".pdf");
        row("report llama-3.1-8b-1xp5.4xlarge -o a.pdf --paper a3", "--paper: ", "a4 or letter");
        row("report llama-3.1-8b-1xp5.4xlarge -o /nowhere/a.csv", "/nowhere/a.csv: ", "", 1);
        row("report llama-3.1-8b-1xp5.4xlarge -o /proc/a.pdf", "/proc/a.pdf: ", "", 1);
        row("llama-3.1-8b-1xp5.4xlarge more", "'more' is an unexpected argument", "");
    }
    void whatIsWrongIsSaidInOneLine() {
        QFETCH(QString, line);
        QFETCH(int, status);
        QFETCH(QString, begin);
        QFETCH(QString, part);
        const Outcome outcome = run(words(line.toUtf8().constData()));
        QVERIFY2(outcome.status == status, outcome.err.constData());
        QCOMPARE(outcome.out, QByteArray());
        const QString said = outcome.said();
        QVERIFY2(said.startsWith(QStringLiteral("alidade: ") + begin), qPrintable(said));
        QVERIFY2(said.contains(part), qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("; ")), qPrintable(said)); // what to do instead
        QVERIFY(plainText(outcome.err));
    }

    void faultsOfAFileHaveTheirPlace() {
        QTemporaryDir folder;
        const QString file = write(folder, "bad.json",
                                   R"({"alidade": 1, "plan": {"tensor_paralel": 8, "micro_batch": "two"},
                                       "cluster": {"instances": -4}})");
        const Outcome outcome = run({QStringLiteral("estimate"), file});
        QCOMPARE(outcome.status, 2);
        QCOMPARE(outcome.out, QByteArray());
        const QByteArray start = QByteArray("alidade: ").append(file.toUtf8()).append(':');
        QVERIFY2(outcome.err.startsWith(QByteArray(start).append('/')), outcome.err.constData());
        for (const char* pointer : {"/plan/tensor_paralel: ", "/plan/micro_batch: ", "/cluster/instances: "})
            QVERIFY2(outcome.err.contains(QByteArray(start).append(pointer)), outcome.err.constData());
        const QString broken = write(folder, "broken.json", "{ \"alidade\": 1, ");
        const Outcome second = run({QStringLiteral("estimate"), broken});
        QCOMPARE(second.status, 2);
        QVERIFY2(second.said().contains(QStringLiteral("line 1")), qPrintable(second.said()));
    }

    void aBrokenUserCatalogIsRefused() {
        QTemporaryDir folder;
        const QString file =
            write(folder, "mine.json", R"({"alidade": 1, "kind": "gpus", "version": "2026-01-01",
            "entries": [{"id": "h100-sxm", "hbm_capacity_gb": "eighty"}]})");
        for (const auto& line :
             {QStringList{QStringLiteral("estimate"), sample, QStringLiteral("--catalog"), file},
              QStringList{QStringLiteral("catalog"), QStringLiteral("list"), QStringLiteral("gpus"),
                          QStringLiteral("--catalog"), file},
              QStringList{QStringLiteral("catalog"), QStringLiteral("check"), file}}) {
            const Outcome outcome = run(line);
            QCOMPARE(outcome.status, 2);
            QCOMPARE(outcome.out, QByteArray());
            QVERIFY2(outcome.said().contains(QStringLiteral(":/entries/0/hbm_capacity_gb: ")),
                     outcome.err.constData());
        }
    }

    void aUserCatalogStandsOverTheShippedOne() {
        QTemporaryDir folder;
        const QString file =
            write(folder, "mine.json", R"({"alidade": 1, "kind": "instances", "version": "2026-01-01",
            "entries": [{"id": "p5.48xlarge", "gpu_memory_gb_total": 1000,
                         "sources": [{"title": "An offer", "date": "2026-01-01"}]}]})");
        const QStringList line{QStringLiteral("estimate"), sample};
        const Json before = jsonOf(line);
        const Json after = jsonOf(line + QStringList{QStringLiteral("--catalog"), file});
        QCOMPARE(before["memory"]["capacity_bytes"].get<double>(), 80e9);
        QCOMPARE(after["memory"]["capacity_bytes"].get<double>(), 125e9);
    }

    void everyShippedScenarioIsAnAnswer() {
        const Json list = jsonOf(words("catalog list scenarios"));
        QVERIFY(list.size() >= 6);
        for (const Json& entry : list) {
            const auto id = QString::fromStdString(entry["id"].get<std::string>());
            QVERIFY(!entry["name"].get<std::string>().empty());
            const Json document = jsonOf({QStringLiteral("estimate"), id});
            QCOMPARE(document["alidade"].get<int>(), 1);
            QVERIFY2(document["runs"].get<bool>(), qPrintable(id));
            QCOMPARE(document["fits"].get<bool>(), id != tooSmall);
            if (document.contains("reinforcement_learning")) {
                QVERIFY2(document["reinforcement_learning"]["step_time_s"].get<double>() > 0, qPrintable(id));
                QVERIFY(!document["reinforcement_learning"]["phases"].empty());
                continue; // phases of several pools overlap
            }
            const Json& answer = document[document.contains("serving") ? "serving" : "training"];
            const double step = answer["step_time_s"].get<double>();
            QVERIFY(step > 0);
            double sum = 0;
            for (const Json& part : answer["breakdown"])
                sum += part["seconds"].get<double>();
            QVERIFY(std::abs(sum - step) <= 1e-9 * step);
        }
    }

    void severalAreOneDocument() {
        const Json document = jsonOf({QStringLiteral("compare"), sample, tooSmall, QStringLiteral("--set"),
                                      QStringLiteral("workload.tokens=1T")});
        QCOMPARE(document["alidade"].get<int>(), 1);
        QCOMPARE(document["estimates"].size(), 2U);
        QVERIFY(document["estimates"][0] ==
                jsonOf({QStringLiteral("estimate"), sample, QStringLiteral("--set"),
                        QStringLiteral("workload.tokens=1T")}));
        QVERIFY(!document["estimates"][1]["fits"].get<bool>());
        const QByteArray page = run({QStringLiteral("compare"), sample, tooSmall}).out;
        const QByteArray words =
            run({QStringLiteral("compare"), QStringLiteral("llama-3.1-405b-2048xp5.48xlarge"),
                 QStringLiteral("llama-3.1-70b-64xp5.48xlarge")})
                .out;
        QVERIFY2(!words.contains("on_demand") && !words.contains("on demand") && !words.contains("16384"),
                 words.constData());
        QVERIFY2(page.contains("1 of 2 run and fit.") && page.contains("does not fit"), page.constData());
    }

    void aFixMakesItRunAndFit() {
        const Json before = jsonOf({QStringLiteral("estimate"), tooSmall});
        QVERIFY(!before["fits"].get<bool>());
        QStringList line{QStringLiteral("estimate"), tooSmall};
        for (const Json& problem : before["problems"]) {
            if (problem["severity"] == "error" && problem["fix"].is_object()) {
                for (const auto& [path, value] : problem["fix"]["set"].items()) {
                    line << QStringLiteral("--set")
                         << QString::fromStdString(path + "=" + value.get<std::string>());
                }
                break;
            }
        }
        QVERIFY(line.size() > 2);
        const Json after = jsonOf(line);
        QVERIFY(after["runs"].get<bool>() && after["fits"].get<bool>());
    }

    void settingAFieldIsTheSameAsWritingIt() {
        QTemporaryDir folder;
        const Json resolved = jsonOf({QStringLiteral("estimate"), sample})["scenario"];
        Json scenario = Json::parse(
            run(words("catalog show scenarios llama-3.1-405b-2048xp5.48xlarge")).out.toStdString());
        scenario["plan"]["pipeline_parallel"] = 8;
        scenario["workload"]["tokens"] = 2e12;
        const QString file = write(folder, "changed.json", QByteArray::fromStdString(scenario.dump()));
        const Json written = jsonOf({QStringLiteral("estimate"), file});
        const Json set = jsonOf({QStringLiteral("estimate"), sample, QStringLiteral("--set"),
                                 QStringLiteral("plan.pipeline_parallel=8"), QStringLiteral("--set"),
                                 QStringLiteral("workload.tokens=2T")});
        QVERIFY(written == set);
        QVERIFY(set["scenario"]["plan"]["pipeline_parallel"] != resolved["plan"]["pipeline_parallel"]);
        // What the estimate returns as its scenario is a scenario with the same answer.
        const QString filled =
            write(folder, "filled.json", QByteArray::fromStdString(set["scenario"].dump()));
        const Json again = jsonOf({QStringLiteral("estimate"), filled});
        QVERIFY(again["training"] == set["training"]);
    }

    void anExplanationHasItsDocumentedKeys() {
        const Json document = jsonOf({QStringLiteral("estimate"), sample, QStringLiteral("--explain"),
                                      QStringLiteral("training.layers.1.ops.0.seconds")});
        for (const char* key : {"path", "value", "unit", "formula", "terms", "inputs"})
            QVERIFY2(document.contains(key), key);
        QCOMPARE(document["unit"].get<std::string>(), std::string("s"));
        QVERIFY(!document["terms"].empty() && !document["inputs"].empty());
        for (const Json& input : document["inputs"])
            for (const char* key : {"name", "value", "unit", "source"})
                QVERIFY2(input.contains(key), key);
    }

    void theTimelineIsThereOnlyWhenAskedFor() {
        const Json without = jsonOf({QStringLiteral("estimate"), tooSmall});
        const Json with = jsonOf({QStringLiteral("estimate"), tooSmall, QStringLiteral("--timeline")});
        QVERIFY(!without["training"].contains("timeline"));
        QVERIFY(!with["training"]["timeline"].empty());
        QVERIFY(
            run({QStringLiteral("estimate"), sample, QStringLiteral("--timeline")}).out.contains("stage 15"));
    }

    void aCalibrationOfAScenarioIsBesideIt() {
        QTemporaryDir folder;
        Json scenario =
            Json::parse(run(words("catalog show scenarios llama-3.1-8b-1xp5.4xlarge")).out.toStdString());
        scenario["calibration"] = "mine.profile.json";
        const QString file = write(folder, "scenario.json", QByteArray::fromStdString(scenario.dump()));
        const Outcome missing = run({QStringLiteral("estimate"), file});
        QCOMPARE(missing.status, 2);
        QVERIFY2(missing.said().contains(QStringLiteral("scenario.json:/calibration: ")),
                 qPrintable(missing.said()));
        write(folder, "mine.profile.json",
              R"({"alidade": 1, "name": "mine", "date": "2026-01-01", "parameters": 3})");
        const Outcome broken = run({QStringLiteral("estimate"), file});
        QCOMPARE(broken.status, 2);
        QVERIFY2(broken.said().contains(QStringLiteral("mine.profile.json:/parameters: ")),
                 qPrintable(broken.said()));
        QVERIFY(run({QStringLiteral("estimate"), file, QStringLiteral("--calibration"),
                     QStringLiteral("default")})
                    .status == 0);
    }

    void reportsNeedNoDisplay_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("start");
        QTest::newRow("pdf") << QStringLiteral("a.pdf") << QByteArray("%PDF-");
        QTest::newRow("html") << QStringLiteral("a.html") << QByteArray("<");
        QTest::newRow("csv") << QStringLiteral("a.csv") << QByteArray();
        QTest::newRow("json") << QStringLiteral("a.json") << QByteArray("{");
    }
    void reportsNeedNoDisplay() {
        QFETCH(QString, name);
        QFETCH(QByteArray, start);
        QTemporaryDir folder;
        const QString file = folder.filePath(name);
        Program program;
        program.unset("HOME");
        program.unset("XDG_RUNTIME_DIR");
        const Outcome outcome = program.run({QStringLiteral("report"), sample, tooSmall, QStringLiteral("-o"),
                                             file, QStringLiteral("--paper"), QStringLiteral("letter")});
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        QCOMPARE(outcome.err, QByteArray());
        QVERIFY(outcome.out.contains(file.toUtf8()));
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray content = written.readAll();
        QVERIFY(content.size() > 1000 && content.startsWith(start));
    }

    void aWrongDayOfValidityIsRefused() {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("a.json"));
        for (const char* day : {"soon", "2999-13-01", "2001-01-31"}) {
            const Outcome outcome = run({QStringLiteral("report"), sample, QStringLiteral("-o"), file,
                                         QStringLiteral("--valid-until"), QString::fromLatin1(day)});
            QCOMPARE(outcome.status, 2);
            QVERIFY2(outcome.err.startsWith("alidade: --valid-until: "), outcome.err.constData());
            QVERIFY(!QFile::exists(file));
        }
    }

    void surroundingsDoNotMatter_data() {
        QTest::addColumn<QByteArray>("variable");
        QTest::addColumn<QByteArray>("value");
        QTest::newRow("no display") << QByteArray("DISPLAY") << QByteArray();
        QTest::newRow("no home") << QByteArray("HOME") << QByteArray();
        QTest::newRow("C locale") << QByteArray("LC_ALL") << QByteArray("C");
        QTest::newRow("German locale") << QByteArray("LC_ALL") << QByteArray("de_DE.UTF-8");
        QTest::newRow("platform that is none") << QByteArray("QT_QPA_PLATFORM") << QByteArray("nothing");
        QTest::newRow("time zone") << QByteArray("TZ") << QByteArray("Pacific/Auckland");
    }
    void surroundingsDoNotMatter() {
        QFETCH(QByteArray, variable);
        QFETCH(QByteArray, value);
        const QStringList line{QStringLiteral("estimate"), sample, QStringLiteral("--json")};
        const Outcome usual = run(line);
        Program program;
        if (value.isEmpty())
            program.unset(variable.constData());
        else
            program.set(variable.constData(), value.constData());
        const Outcome other = program.run(line);
        QCOMPARE(other.status, 0);
        QCOMPARE(other.err, QByteArray());
        QVERIFY(other.out == usual.out);
    }

    void aWindowWithoutADisplayIsRefused() {
        Program program;
        program.unset("DISPLAY");
        const Outcome outcome = program.run({});
        QCOMPARE(outcome.status, 1);
        QVERIFY2(outcome.said().contains(QStringLiteral("no display")), qPrintable(outcome.said()));
    }

    void aFullDiskIsNoSuccess() {
        Program program;
        program.writeTo(QStringLiteral("/dev/full"));
        const Outcome outcome = program.run({QStringLiteral("estimate"), sample, QStringLiteral("--json")});
        QCOMPARE(outcome.status, 1);
        QVERIFY2(outcome.said().startsWith(QStringLiteral("alidade: standard output: ")),
                 qPrintable(outcome.said()));
    }

    void aModelIsImportedAndUsed() {
        QTemporaryDir folder;
        const QString config = QStringLiteral(ALIDADE_TEST_DATA "/data/huggingface/llama-3.1-8b.json");
        const QString out = folder.filePath(QStringLiteral("mine.json"));
        const Outcome outcome =
            run({QStringLiteral("import"), QStringLiteral("model"), config, QStringLiteral("-o"), out});
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        QVERIFY(outcome.out.contains("8.03"));
        QVERIFY(run({QStringLiteral("catalog"), QStringLiteral("check"), out}).status == 0);
        QFile file(out);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Json catalog = Json::parse(file.readAll().toStdString());
        const auto id = QString::fromStdString(catalog["entries"][0]["id"].get<std::string>());
        const QStringList line{QStringLiteral("estimate"),  tooSmall,
                               QStringLiteral("--catalog"), out,
                               QStringLiteral("--set"),     QStringLiteral("workload.model=") + id};
        const Json mine = jsonOf(line);
        const Json shipped = jsonOf({QStringLiteral("estimate"), tooSmall});
        QVERIFY(mine["training"]["step_time_s"] == shipped["training"]["step_time_s"]);
        const Outcome printed = run({QStringLiteral("import"), QStringLiteral("model"), config});
        QVERIFY(Json::parse(printed.out.toStdString()) == catalog);
    }

    void versionsAreNamed() {
        const QByteArray out = run({QStringLiteral("--version")}).out;
        QVERIFY2(QRegularExpression(
                     QStringLiteral("^alidade \\d+\\.\\d+\\.\\d+ \\(catalog \\d{4}-\\d\\d-\\d\\d\\)\n$"))
                     .match(QString::fromUtf8(out))
                     .hasMatch(),
                 out.constData());
    }
};

QTEST_GUILESS_MAIN(TestCli)

} // namespace tst_cli

#include "tst_cli.moc"
