// SPDX-License-Identifier: GPL-3.0-or-later
// The jobs of a search on a cluster: scripts pass bash and ShellCheck, manifests the schema of a Job, and
// each word of the search reaches alidade as it was typed.
#include "data/handoff/search_job.h"
#include "tests/data/manifest_schema.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace tst_search_job {

using namespace alidade;
using data::Handoff;
using data::HandoffFile;
using data::SearchJob;
using nlohmann::json;

namespace {

SearchJob sampleJob(std::uint64_t shards) {
    SearchJob out;
    out.title = "Llama on $(touch x)\n#SBATCH --uid=root";
    out.name = "Plan B: two!";
    out.arguments = {"scenario.json", "--at-most", "training.step_time_s=12 s", "--fix",
                     "name=it's `touch x` $(touch x) $HOME $$ \"q\" \\ *"};
    out.common = {"--catalog", "catalog.json"};
    out.files = {{"scenario.json", "{\n  \"alidade\": 1\n}\n", false}, {"catalog.json", "{}\n", false}};
    out.plans = 100'000;
    out.shards = shards;
    out.threads = 3;
    out.program = "Alidade test";
    return out;
}

const HandoffFile& fileOf(const Handoff& handoff, const std::string& name) {
    const auto at = std::ranges::find(handoff.files, name, &HandoffFile::name);
    if (at == handoff.files.end())
        qFatal("there is no %s", name.c_str());
    return *at;
}

bool writeFile(const QString& path, const std::string& text, bool executable = false) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0)
        return false;
    return !executable || file.setPermissions(file.permissions() | QFile::ExeOwner);
}

/// An alidade that writes its words, each ended by a zero, to the file `said` in its folder.
bool writeRecorder(const QString& path) {
    return writeFile(path, "#!/bin/bash\nprintf '%s\\0' \"$@\" >\"$(dirname \"$0\")/said\"\n", true);
}

QStringList said(const QDir& folder) {
    QFile file(folder.filePath(QStringLiteral("said")));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QStringList out = QString::fromUtf8(file.readAll()).split(QChar(0));
    out.removeLast();
    return out;
}

QString run(const QString& program, const QStringList& arguments, const QString& folder,
            const QProcessEnvironment& environment) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setWorkingDirectory(folder);
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    if (!process.waitForFinished(60'000) || process.exitStatus() != QProcess::NormalExit)
        return program + QStringLiteral(" did not run");
    return process.exitCode() == 0 ? QString() : QString::fromUtf8(process.readAll());
}

/// What the kubelet makes of a word: $(NAME) of a variable, $$ for $.
QString ofKubelet(const std::string& word, const std::map<std::string, std::string>& variables) {
    std::string out;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (word[i] != '$' || i + 1 == word.size()) {
            out += word[i];
        } else if (word[i + 1] == '$') {
            out += word[++i];
        } else if (const std::size_t end = word.find(')', i);
                   word[i + 1] == '(' && end != std::string::npos) {
            const auto at = variables.find(word.substr(i + 2, end - i - 2));
            out += at == variables.end() ? word.substr(i, end - i + 1) : at->second;
            i = end;
        } else {
            out += word[i];
        }
    }
    return QString::fromStdString(out);
}

QStringList words(const std::vector<std::string>& list) {
    QStringList out;
    for (const std::string& each : list)
        out << QString::fromStdString(each);
    return out;
}

} // namespace

class TestSearchJob : public QObject {
    Q_OBJECT

private slots:
    void scriptsPassBashAndShellCheck() {
        if (QStandardPaths::findExecutable(QStringLiteral("shellcheck")).isEmpty())
            QFAIL("needs shellcheck: packaging/install-dependencies test");
        QTemporaryDir place;
        for (const std::uint64_t shards : {1U, 7U, 2000U}) {
            for (const std::string& target : data::searchTargets()) {
                SearchJob job = sampleJob(shards);
                job.arguments.back() = "name=it's \"q\" \\ *"; // of $ in quotes ShellCheck has doubts
                if (shards == 7) {
                    job.files.clear();
                    job.common.clear();
                }
                const auto handoff = data::writeSearchJob(job, target);
                QVERIFY2(handoff, handoff.error().c_str());
                const auto again = data::writeSearchJob(job, target);
                for (std::size_t i = 0; i < handoff->files.size(); ++i)
                    QCOMPARE(handoff->files[i].text, again->files[i].text);
                for (const HandoffFile& file : handoff->files) {
                    if (!file.name.ends_with(".sh") && !file.name.ends_with(".sbatch"))
                        continue;
                    const QString path = place.filePath(QString::fromStdString(file.name));
                    QVERIFY(writeFile(path, file.text));
                    const auto system = QProcessEnvironment::systemEnvironment();
                    QCOMPARE(run(QStringLiteral("bash"), {QStringLiteral("-n"), path}, place.path(), system),
                             QString());
                    QCOMPARE(run(QStringLiteral("shellcheck"),
                                 {QStringLiteral("-s"), QStringLiteral("bash"), path}, place.path(), system),
                             QString());
                    QVERIFY(file.text.find("\n#SBATCH --uid") == std::string::npos);
                }
            }
        }
    }

    void manifestsKeepToTheSchemaOfAJob() {
        const tests::SchemaCheck schemas(ALIDADE_TEST_DATA "/data/handoff/crds/");
        const auto handoff = data::writeSearchJob(sampleJob(16), "kubernetes-job");
        QVERIFY(handoff);
        const auto documents = YAML::LoadAll(fileOf(*handoff, "search.yaml").text);
        QCOMPARE(documents.size(), std::size_t{2});
        const json parts = tests::toJson(documents[1]);
        const json merge = tests::toJson(YAML::Load(fileOf(*handoff, "merge.yaml").text));
        for (const json& job : {parts, merge}) {
            QVERIFY(schemas.knows(job));
            QCOMPARE(schemas.fault(job), std::string());
            QCOMPARE(job["metadata"]["annotations"]["alidade.invalid/scenario"].get<std::string>(),
                     sampleJob(1).title);
        }
        QCOMPARE(parts["spec"]["completionMode"].get<std::string>(), std::string("Indexed"));
        QCOMPARE(parts["spec"]["completions"].get<int>(), 16);
        QCOMPARE(parts["metadata"]["name"].get<std::string>(), std::string("search-plan-b-two"));
        QCOMPARE(documents[0]["data"]["scenario.json"].as<std::string>(), sampleJob(1).files[0].text);
        json wrong = parts;
        wrong["spec"]["completion"] = 16;
        QVERIFY(!schemas.fault(wrong).empty());
    }

    void slurmPassesOnTheWordsAsTheyAre() {
        QTemporaryDir place;
        const auto handoff = data::writeSearchJob(sampleJob(3), "slurm-array");
        QVERIFY(handoff);
        for (const char* name : {"search.sbatch", "merge.sbatch"})
            QVERIFY(writeFile(place.filePath(QString::fromLatin1(name)), fileOf(*handoff, name).text));
        const QString recorder = place.filePath(QStringLiteral("alidade"));
        QVERIFY(writeRecorder(recorder));
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("ALIDADE"), recorder);
        environment.insert(QStringLiteral("SLURM_ARRAY_TASK_ID"), QStringLiteral("2"));
        QCOMPARE(run(QStringLiteral("bash"), {QStringLiteral("search.sbatch")}, place.path(), environment),
                 QString());
        QStringList expected{QStringLiteral("search"), QStringLiteral("--catalog"),
                             QStringLiteral("catalog.json")};
        expected += words(sampleJob(3).arguments);
        expected += words({"--threads", "3", "--shard", "2/3", "-o", "shards/2.json"});
        QCOMPARE(said(QDir(place.path())), expected);
        QCOMPARE(run(QStringLiteral("bash"), {QStringLiteral("merge.sbatch")}, place.path(), environment),
                 QString());
        QCOMPARE(said(QDir(place.path())),
                 words({"search", "--catalog", "catalog.json", "--merge", "shards/1.json", "shards/2.json",
                        "shards/3.json", "-o", "answer.json"}));
        QVERIFY(!QFile::exists(place.filePath(QStringLiteral("x"))));
    }

    void kubernetesPassesOnTheWordsAsTheyAre() {
        QTemporaryDir place;
        QVERIFY(writeRecorder(place.filePath(QStringLiteral("alidade"))));
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("PATH"),
                           place.path() + u':' + environment.value(QStringLiteral("PATH")));
        environment.insert(QStringLiteral("JOB_COMPLETION_INDEX"), QStringLiteral("1"));
        const std::map<std::string, std::string> variables{{"JOB_COMPLETION_INDEX", "1"},
                                                           {"touch x", "replaced"}};
        const auto handoff = data::writeSearchJob(sampleJob(3), "kubernetes-job");
        const auto runs = [&](const YAML::Node& job) {
            const YAML::Node container = job["spec"]["template"]["spec"]["containers"][0];
            QStringList command;
            for (const char* key : {"command", "args"})
                for (const auto& each : container[key])
                    command << ofKubelet(each.as<std::string>(), variables);
            return run(command.first(), command.mid(1), place.path(), environment);
        };
        QCOMPARE(runs(YAML::LoadAll(fileOf(*handoff, "search.yaml").text)[1]), QString());
        QStringList expected = words({"search", "--catalog", "catalog.json"});
        expected += words(sampleJob(3).arguments);
        expected += words({"--threads", "3", "--shard", "2/3", "-o", "/shards/2.json"});
        QCOMPARE(said(QDir(place.path())), expected);
        QCOMPARE(runs(YAML::Load(fileOf(*handoff, "merge.yaml").text)), QString());
        QCOMPARE(said(QDir(place.path())),
                 words({"search", "--catalog", "catalog.json", "--merge", "/shards/1.json", "/shards/2.json",
                        "/shards/3.json", "-o", "/shards/answer.json"}));
        QVERIFY(!QFile::exists(place.filePath(QStringLiteral("x"))));
    }

    void saysWhatDoesNotFit() {
        QVERIFY(data::writeSearchJob(sampleJob(2), "slurm-aray").error().find("'slurm-array'") !=
                std::string::npos);
        SearchJob big = sampleJob(2);
        big.files.front().text.assign(2'000'000, ' ');
        QVERIFY(data::writeSearchJob(big, "kubernetes-job").error().find("ConfigMap") != std::string::npos);
        QVERIFY(data::writeSearchJob(big, "slurm-array"));
        SearchJob small = sampleJob(5);
        small.plans = 1000; // four blocks
        const auto few = data::writeSearchJob(small, "slurm-array");
        QCOMPARE(few->warnings.size(), std::size_t{1});
        QVERIFY(fileOf(*few, "README.md").text.find(few->warnings.front()) != std::string::npos);
        QVERIFY(data::writeSearchJob(sampleJob(16), "slurm-array")->warnings.empty());
        QVERIFY(!data::writeSearchJob(sampleJob(1001), "slurm-array")->warnings.empty());
    }
};

QTEST_GUILESS_MAIN(TestSearchJob)

} // namespace tst_search_job

#include "tst_search_job.moc"
