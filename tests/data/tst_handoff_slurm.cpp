// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// A real Slurm takes every batch script that is handed over, on nodes of the instance types of the catalog,
// and runs one with its ranks on the hosts of the plan.
#include "data/handoff/tables.h"
#include "data/jobs/import_job.h"
#include "tests/cluster/slurm_cluster.h"
#include "tests/data/handed_over.h"
#include "tests/data/sample_topology.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace tst_handoff_slurm {

using namespace alidade;
using namespace tests;
using data::HandoffFile;

namespace {

constexpr int nodesOfALeaf = 64;

/// Nodes in the cloud that are powered down, as many of a type as the largest shipped scenario has: the
/// controller plans with them without any daemon there.
SlurmOptions machinesOfTheScenarios() {
    std::map<std::string, int> most;
    for (const auto& [id, source] : shipped())
        if (int& nodes = most[source.scenario->hostType]; source.scenario->hosts > nodes)
            nodes = source.scenario->hosts;
    SlurmOptions out;
    QStringList all, switches;
    for (const auto& [type, nodes] : most) {
        const Instance* machine = catalog().instance(type);
        const auto known = data::handoff::resourcesOf(type);
        if (machine == nullptr || !machine->vcpus)
            continue;
        const int leaves = (nodes + nodesOfALeaf - 1) / nodesOfALeaf;
        const QString prefix = QStringLiteral("t%1-").arg(all.size());
        const QString name = QStringLiteral("%1[1-%2]").arg(prefix).arg(leaves * nodesOfALeaf);
        out.nodes +=
            QStringLiteral("NodeName=%1 CPUs=%2 RealMemory=2000000 Gres=gpu:%3%4 Feature=%5 State=CLOUD\n")
                .arg(name)
                .arg(*machine->vcpus)
                .arg(known ? QString::fromStdString(known->gres) + QStringLiteral(":") : QString())
                .arg(machine->gpus)
                .arg(QString::fromStdString(type));
        all << name;
        for (int leaf = 0; leaf < leaves; ++leaf) {
            switches << QStringLiteral("s%1").arg(switches.size());
            out.topology += QStringLiteral("SwitchName=%1 Nodes=%2[%3-%4]\n")
                                .arg(switches.last(), prefix)
                                .arg(leaf * nodesOfALeaf + 1)
                                .arg((leaf + 1) * nodesOfALeaf);
        }
    }
    out.topology += QStringLiteral("SwitchName=own Nodes=alone\nSwitchName=top Switches=own,%1\n")
                        .arg(switches.join(QStringLiteral(",")));
    out.nodes +=
        QStringLiteral("PartitionName=gpu Nodes=%1 MaxTime=INFINITE State=UP OverSubscribe=EXCLUSIVE\n")
            .arg(all.join(QStringLiteral(",")));
    return out;
}

bool writeText(const QString& path, const std::string& text) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text.data(), static_cast<qint64>(text.size())) >= 0;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

/// Without directives that this release does not know; those are in the list of options with their release.
std::string checkable(const std::string& script) {
    std::istringstream lines(script);
    std::string out;
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("#SBATCH --segment="))
            out += line + "\n";
    return replaced(replaced(out, "CHANGE_ME_PARTITION", "gpu"), "CHANGE_ME_TIME", "24:00:00");
}

} // namespace

class TestHandoffSlurm : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (const QString why = SlurmCluster::missing(); !why.isEmpty())
            QFAIL(qPrintable(why));
        cluster_ = std::make_unique<SlurmCluster>(machinesOfTheScenarios());
        QVERIFY2(cluster_->error().isEmpty(), qPrintable(cluster_->error()));
    }

    void everyScriptIsTaken() {
        QTemporaryDir place;
        int scripts = 0;
        for (const auto& [id, source] : shipped()) {
            const bool serving = source.spec.workload.isServing();
            for (const std::string& tool : data::handoffTargetsFor(source.spec)) {
                if (!isTool(tool, serving))
                    continue;
                const auto handoff = handedOff(source, {tool, "slurm"});
                QVERIFY2(handoff, handoff.error().c_str());
                for (const HandoffFile& file : handoff->files) {
                    if (!file.name.ends_with(".sbatch"))
                        continue;
                    const QString path = place.filePath(QString::fromStdString(file.name));
                    QVERIFY(writeText(path, checkable(file.text)));
                    const SlurmCluster::Answer answer = cluster_->run(
                        QStringLiteral("sbatch"), {QStringLiteral("--test-only"), path}, place.path());
                    QVERIFY2(answer.status == 0,
                             (id + " " + tool + " " + file.name + ": " + answer.err.toStdString()).c_str());
                    ++scripts;
                }
            }
        }
        QVERIFY2(scripts > 60, std::to_string(scripts).c_str());
        // The check itself finds an option that does not exist, and an instance type that is not there;
        // quotes make one option of what has a blank in it.
        for (const char* line : {"#SBATCH --gress=gpu:8\n", "#SBATCH --constraint=p9.48xlarge\n",
                                 "#SBATCH '--constraint=p5.48xlarge --partition=gpu'\n"}) {
            const QString path = place.filePath(QStringLiteral("wrong.sbatch"));
            QVERIFY(writeText(path, std::string("#!/bin/bash\n") + line + "true\n"));
            QVERIFY2(cluster_->run(QStringLiteral("sbatch"), {QStringLiteral("--test-only"), path}).status !=
                         0,
                     line);
        }
    }

    /// The script of a placed plan runs on the one real node, with a torchrun that says what it was given.
    void ranksGoToTheHostsOfThePlan() {
        ScenarioSpec spec = shipped().at("llama-3.1-8b-8xp5.48xlarge").spec;
        spec.cluster.instances = 1;
        spec.cluster.topology = "cluster.json";
        Topology topology = sampleTopology({.instanceType = "p5.48xlarge", .hosts = 1});
        topology.hosts.front().name = "alone";
        Catalog placed = catalog();
        placed.topologies.push_back(topology);
        const auto resolved = resolve(spec, placed, placed.defaultProfile);
        const auto answer = estimate(spec, placed, placed.defaultProfile);
        QVERIFY2(resolved && answer, answer.error().c_str());
        const auto handoff =
            data::handOff({spec, *answer, *resolved, placed, "Alidade test"}, {"megatron-lm", "slurm"});
        QVERIFY2(handoff, handoff.error().c_str());
        QTemporaryDir place;
        for (const HandoffFile& file : handoff->files) {
            std::istringstream lines(file.text);
            std::string text;
            for (std::string line; std::getline(lines, line);) // the node has no GPUs and few cores
                if (!line.starts_with("#SBATCH --gres") && !line.starts_with("#SBATCH --constraint") &&
                    !line.starts_with("#SBATCH --cpus-per-task"))
                    text += line + "\n";
            QVERIFY(
                writeText(place.filePath(QString::fromStdString(file.name)),
                          replaced(replaced(text, "CHANGE_ME_PARTITION", "alone"), "CHANGE_ME_TIME", "5")));
        }
        const QString torchrun = place.filePath(QStringLiteral("torchrun"));
        QVERIFY(writeText(torchrun, "#!/bin/bash\necho \"$SLURM_PROCID $SLURMD_NODENAME $*\" >>ran\n"));
        QFile(torchrun).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        const SlurmCluster::Answer submitted = cluster_->run(
            QStringLiteral("bash"),
            {QStringLiteral("-c"), QStringLiteral("PATH=$PWD:$PATH sbatch job.sbatch")}, place.path());
        QVERIFY2(submitted.status == 0, qPrintable(submitted.err));
        QVERIFY(cluster_->drains(60'000));
        QFile ran(place.filePath(QStringLiteral("ran")));
        QString log;
        for (const QString& each : QDir(place.path()).entryList({QStringLiteral("*.out")})) {
            QFile out(place.filePath(each));
            log += out.open(QIODevice::ReadOnly) ? QString::fromUtf8(out.readAll()) : QString();
        }
        QVERIFY2(ran.open(QIODevice::ReadOnly), qPrintable(log));
        const QByteArray said = ran.readAll();
        QVERIFY2(said.startsWith("0 alone --nnodes=1 --nproc_per_node=8 --node_rank=0 --master_addr=alone"),
                 said);
        QCOMPARE(said.count('\n'), 1);
    }

    /// What Slurm says of a job that waits is read back as its machines.
    void waitingJobsAreRead() {
        const Planned& source = shipped().at("llama-3.1-8b-8xp5.48xlarge");
        const auto handoff = handedOff(source, {"megatron-lm", "slurm"});
        QTemporaryDir place;
        for (const HandoffFile& file : handoff->files)
            QVERIFY(writeText(place.filePath(QString::fromStdString(file.name)), checkable(file.text)));
        const SlurmCluster::Answer submitted = cluster_->run(
            QStringLiteral("sbatch"),
            {QStringLiteral("--parsable"), QStringLiteral("--hold"), QStringLiteral("job.sbatch")},
            place.path());
        QVERIFY2(submitted.status == 0, qPrintable(submitted.err));
        const QString job = submitted.out.trimmed();
        const data::JobFiles files = [&](const std::string& name) -> std::optional<std::string> {
            for (const HandoffFile& file : handoff->files)
                if (name.ends_with(file.name))
                    return file.text;
            return {};
        };
        for (const QStringList& command :
             {QStringList{QStringLiteral("scontrol"), QStringLiteral("show"), QStringLiteral("job"), job},
              QStringList{QStringLiteral("squeue"), QStringLiteral("--json")}}) {
            const SlurmCluster::Answer said = cluster_->run(command.first(), command.mid(1));
            QVERIFY2(said.status == 0, qPrintable(said.err));
            const data::JobReading read = data::readJob(said.out.toStdString(), "job", catalog(), files);
            QVERIFY2(read.faults.empty(), read.faults.empty() ? "" : read.faults.front().c_str());
            QCOMPARE(read.spec.cluster.instance.value_or(""), std::string("p5.48xlarge"));
            QVERIFY2(read.gpus == 64, qPrintable(said.out));
            if (command.first() == QStringLiteral("scontrol")) // which names the script
                QCOMPARE(read.spec.plan.tensorParallel, source.estimate->scenario.plan.tensorParallel);
        }
        QCOMPARE(cluster_->run(QStringLiteral("scancel"), {job}).status, 0);
        QVERIFY(cluster_->drains(20'000));
    }

    void cleanupTestCase() { cluster_.reset(); }

private:
    std::unique_ptr<SlurmCluster> cluster_;
};

QTEST_GUILESS_MAIN(TestHandoffSlurm)

} // namespace tst_handoff_slurm

#include "tst_handoff_slurm.moc"
