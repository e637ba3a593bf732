// SPDX-License-Identifier: GPL-3.0-or-later
// `alidade export search`: the parts and the merge that it writes give the answer of one machine, whatever
// the search reads next to its scenario.
#include "data/json/json.h"
#include "tests/app/program.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace tst_cli_export_search {

using namespace alidade::test;
using Json = nlohmann::json;

namespace {

QStringList words(std::initializer_list<const char*> list) {
    QStringList out;
    for (const char* each : list)
        out << QString::fromUtf8(each);
    return out;
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool write(const QString& path, const QByteArray& content) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

/// Without what differs from run to run.
QByteArray answerOf(const QByteArray& document) {
    Json answer = Json::parse(document.toStdString());
    answer.erase("seconds");
    answer.erase("plans_per_second");
    return QByteArray::fromStdString(answer.dump(1));
}

/// Runs a part or the merge as Slurm would, in the folder of the jobs.
QString runScript(const QString& folder, const QString& script, int task) {
    QProcess process;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("ALIDADE"), qEnvironmentVariable("ALIDADE_EXECUTABLE"));
    environment.insert(QStringLiteral("SLURM_ARRAY_TASK_ID"), QString::number(task));
    environment.insert(QStringLiteral("SLURM_CPUS_PER_TASK"), QStringLiteral("1"));
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(folder);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QStringLiteral("bash"), {script});
    const bool ended = process.waitForFinished(60'000) && process.exitCode() == 0;
    return ended ? QString() : QString::fromUtf8(process.readAll());
}

} // namespace

class TestCliExportSearch : public QObject {
    Q_OBJECT

private slots:
    /// A scenario file with a topology and a catalog next to it, which go with the jobs.
    void partsNeedNothingOfThisMachine() {
        const QTemporaryDir home;
        const auto at = [&home](const char* name) { return home.filePath(QString::fromLatin1(name)); };
        Json spec = Json::parse(
            program_.run(words({"estimate", "llama-3.1-8b-8xp5.48xlarge", "--json"})).out.toStdString());
        spec = spec.at("scenario");
        spec["name"] = "it's $(touch x)";
        QVERIFY(write(at("plan.json"), QByteArray::fromStdString(spec.dump())));
        const QByteArray changed =
            "{\"alidade\": 1, \"kind\": \"gpus\", \"entries\": [{\"id\": \"h100-sxm\", "
            "\"hbm_bandwidth_gb_per_s\": 2500}]}";
        QVERIFY(write(at("mine.json"), changed));
        const QStringList asked{at("plan.json"),
                                QStringLiteral("--catalog"),
                                at("mine.json"),
                                QStringLiteral("--at-least"),
                                QStringLiteral("memory.headroom_bytes=1 GB"),
                                QStringLiteral("--objective"),
                                QStringLiteral("training.step_time_s,memory.total_bytes"),
                                QStringLiteral("--free"),
                                QStringLiteral("plan.micro_batch=1,2,4"),
                                QStringLiteral("--free"),
                                QStringLiteral("plan.recompute"),
                                QStringLiteral("--fix"),
                                QStringLiteral("plan.tensor_parallel=2")};
        const Outcome whole = program_.run(QStringList{QStringLiteral("search")} + asked +
                                           QStringList{QStringLiteral("--json")});
        QVERIFY2(whole.status == 0, whole.err.constData());
        const QString folder = at("jobs");
        const Outcome exported = program_.run(
            QStringList{QStringLiteral("export"), QStringLiteral("search")} + asked +
            words({"--to", "slurm-array", "--shards", "3", "--threads", "1", "-o"}) + QStringList{folder});
        QVERIFY2(exported.status == 0, exported.err.constData());
        QVERIFY(QFile::remove(at("plan.json")) && QFile::remove(at("mine.json")));
        for (int task = 1; task <= 3; ++task)
            QCOMPARE(runScript(folder, QStringLiteral("search.sbatch"), task), QString());
        QCOMPARE(runScript(folder, QStringLiteral("merge.sbatch"), 0), QString());
        QCOMPARE(answerOf(contentOf(folder + QStringLiteral("/answer.json"))), answerOf(whole.out));
        QVERIFY(QFile(folder + QStringLiteral("/submit.sh")).permissions() & QFile::ExeOwner);
        QVERIFY(!QFile::exists(folder + QStringLiteral("/x")));
    }

    /// A shipped scenario needs no file.
    void shippedScenariosAreNamed() {
        const Outcome outcome =
            program_.run(words({"export", "search", "llama-3.1-8b-8xp5.48xlarge", "--machine", "all", "--to",
                                "kubernetes-job", "--shards", "2", "--json"}));
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        const Json document = Json::parse(outcome.out.toStdString());
        QVERIFY(document.at("placeholders") == Json::array({"CHANGE_ME_CLAIM", "CHANGE_ME_IMAGE"}));
        QStringList names;
        for (const Json& file : document.at("files"))
            names << QString::fromStdString(file.at("name").get<std::string>());
        QCOMPARE(names, words({"submit.sh", "search.yaml", "merge.yaml", "README.md"}));
        QVERIFY(document.at("files").at(1).at("text").get<std::string>().find("ConfigMap") ==
                std::string::npos);
    }

    void wrongRequestsAreRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        const char* id = "llama-3.1-8b-8xp5.48xlarge";
        const auto row = [](const char* name, std::initializer_list<const char*> arguments,
                            const char* says) {
            QTest::newRow(name) << words({"export", "search"}) + words(arguments) << QString::fromUtf8(says);
        };
        row("nothing", {}, "a SCENARIO and --to");
        row("no target", {id}, "a SCENARIO and --to");
        row("target", {id, "--to", "slurm"}, "no target 'slurm'");
        row("field", {id, "--to", "slurm-array", "--free", "plan.tensor"}, "there is no field 'plan.tensor'");
        row("scenario", {"nowhere.json", "--to", "slurm-array"}, "there is no such file");
    }
    void wrongRequestsAreRefused() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const Outcome outcome = program_.run(arguments);
        QCOMPARE(outcome.status, 2);
        QVERIFY(outcome.out.isEmpty());
        QVERIFY2(outcome.said().contains(says), outcome.err.constData());
    }

private:
    Program program_;
};

QTEST_GUILESS_MAIN(TestCliExportSearch)

} // namespace tst_cli_export_search

#include "tst_cli_export_search.moc"
