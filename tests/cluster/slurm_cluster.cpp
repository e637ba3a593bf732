// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cluster/slurm_cluster.h"

#include "tests/cluster/child.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QHostAddress>
#include <QRandomGenerator>
#include <QStandardPaths>
#include <QTcpServer>
#include <QThread>

#include <pwd.h>
#include <unistd.h>

namespace alidade::tests {
namespace {

constexpr int slurmReadyMs = 60'000;

/// Debian keeps daemons where a person's PATH does not look.
QString daemonPath(const QString& name) {
    const QString found = QStandardPaths::findExecutable(name);
    return found.isEmpty() ? QStandardPaths::findExecutable(name, {QStringLiteral("/usr/sbin")}) : found;
}

bool writeText(const QString& path, const QByteArray& text) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

QString lastOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()).right(1500) : QString();
}

} // namespace

QString SlurmCluster::missing() {
    for (const char* name : {"munged", "slurmctld", "slurmd", "sbatch"})
        if (daemonPath(QString::fromLatin1(name)).isEmpty())
            return QStringLiteral("%1 is not installed; on Debian: packaging/install-dependencies test")
                .arg(QString::fromLatin1(name));
    return {};
}

SlurmCluster::SlurmCluster(const SlurmOptions& options) {
    if (!writeFiles(options)) {
        error_ = QStringLiteral("cannot write into ") + folder_.path();
        return;
    }
    const auto at = [this](const char* name) { return folder_.filePath(QString::fromLatin1(name)); };
    const QString config = at("slurm.conf");
    const bool started = start(
        munge_, QStringLiteral("munged"),
        {QStringLiteral("--foreground"), QStringLiteral("--socket=") + at("munge.socket"),
         QStringLiteral("--key-file=") + at("munge.key"), QStringLiteral("--pid-file=") + at("munge.pid"),
         QStringLiteral("--seed-file=") + at("munge.seed"), QStringLiteral("--num-threads=2")});
    QElapsedTimer timer;
    timer.start();
    while (started && !QFile::exists(at("munge.socket")) && timer.elapsed() < slurmReadyMs)
        QThread::msleep(20);
    if (!started ||
        !start(controller_, QStringLiteral("slurmctld"),
               {QStringLiteral("-D"), QStringLiteral("-c"), QStringLiteral("-f"), config}) ||
        !start(node_, QStringLiteral("slurmd"),
               {QStringLiteral("-D"), QStringLiteral("-N"), QStringLiteral("alone"), QStringLiteral("-f"),
                config}) ||
        !becomesReady())
        error_ = QStringLiteral("Slurm is not ready; its logs end with:\n") + logs();
}

SlurmCluster::~SlurmCluster() {
    // Steps of jobs end with the jobs; then the daemons, the one that all ask for credentials last.
    if (node_.state() != QProcess::NotRunning && error_.isEmpty()) {
        run(QStringLiteral("scancel"),
            {QStringLiteral("--quiet"), QStringLiteral("--user=") + QString::number(::getuid())});
        drains(10'000);
    }
    endChild(node_);
    endChild(controller_);
    endChild(munge_);
}

bool SlurmCluster::writeFiles(const SlurmOptions& options) {
    // munged refuses a socket that others cannot reach.
    QFile::setPermissions(folder_.path(), QFile::permissions(folder_.path()) | QFile::ReadGroup |
                                              QFile::ExeGroup | QFile::ReadOther | QFile::ExeOther);
    QByteArray key(1024, '\0');
    for (char& each : key)
        each = static_cast<char>(QRandomGenerator::system()->bounded(256));
    const QString keyFile = folder_.filePath(QStringLiteral("munge.key"));
    const passwd* user = ::getpwuid(::getuid());
    QTcpServer first, second; // both at once, so that they differ
    first.listen(QHostAddress::LocalHost, 0);
    second.listen(QHostAddress::LocalHost, 0);
    const QString text =
        QStringLiteral("ClusterName=check\n"
                       "SlurmctldHost=localhost(127.0.0.1)\n"
                       "SlurmctldPort=%2\n"
                       "SlurmdPort=%3\n"
                       "SlurmUser=%4\n"
                       "SlurmdUser=%4\n"
                       "AuthType=auth/munge\n"
                       "AuthInfo=socket=%1/munge.socket\n"
                       "CredType=cred/munge\n"
                       "StateSaveLocation=%1/state\n"
                       "SlurmdSpoolDir=%1/spool\n"
                       "SlurmctldPidFile=%1/slurmctld.pid\n"
                       "SlurmdPidFile=%1/slurmd.pid\n"
                       "SlurmctldParameters=cloud_dns\n"
                       "SlurmdParameters=config_overrides\n" // more cores than there are
                       "ProctrackType=proctrack/pgid\n"      // cgroups belong to root
                       "TaskPlugin=task/none\n"
                       "JobAcctGatherType=jobacct_gather/none\n"
                       "MpiDefault=none\n"
                       "SelectType=select/cons_tres\n"
                       "SelectTypeParameters=CR_CPU\n"
                       "SchedulerParameters=batch_sched_delay=0,sched_interval=1\n"
                       "MinJobAge=2\n"
                       "GresTypes=gpu\n"
                       "SuspendProgram=/bin/true\n"
                       "ResumeProgram=/bin/true\n"
                       "%5"
                       "NodeName=alone NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN\n"
                       "PartitionName=alone Nodes=alone Default=YES MaxTime=INFINITE State=UP\n"
                       "%6")
            .arg(folder_.path())
            .arg(first.serverPort())
            .arg(second.serverPort())
            .arg(user == nullptr ? QStringLiteral("root") : QString::fromLocal8Bit(user->pw_name),
                 options.topology.isEmpty() ? QString() : QStringLiteral("TopologyPlugin=topology/tree\n"),
                 options.nodes);
    return writeText(keyFile, key) && QFile::setPermissions(keyFile, QFile::ReadOwner) &&
           writeText(folder_.filePath(QStringLiteral("slurm.conf")), text.toUtf8()) &&
           (options.topology.isEmpty() ||
            writeText(folder_.filePath(QStringLiteral("topology.conf")), options.topology.toUtf8())) &&
           QDir(folder_.path()).mkpath(QStringLiteral("state")) &&
           QDir(folder_.path()).mkpath(QStringLiteral("spool"));
}

bool SlurmCluster::start(QProcess& process, const QString& program, const QStringList& arguments) {
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setStandardOutputFile(folder_.filePath(program + QStringLiteral(".out")));
    process.setProcessEnvironment(environment());
    endWithParent(process);
    process.start(daemonPath(program), arguments);
    return process.waitForStarted();
}

QProcessEnvironment SlurmCluster::environment() const {
    QProcessEnvironment out = QProcessEnvironment::systemEnvironment();
    out.insert(QStringLiteral("SLURM_CONF"), folder_.filePath(QStringLiteral("slurm.conf")));
    return out;
}

SlurmCluster::Answer SlurmCluster::run(const QString& program, const QStringList& arguments,
                                       const QString& folder) const {
    QProcess process;
    process.setProcessEnvironment(environment());
    process.setWorkingDirectory(folder.isEmpty() ? folder_.path() : folder);
    process.start(program, arguments);
    Answer out;
    if (!process.waitForFinished(120'000))
        return out;
    out.status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    out.out = QString::fromUtf8(process.readAllStandardOutput());
    out.err = QString::fromUtf8(process.readAllStandardError());
    return out;
}

bool SlurmCluster::drains(int ms) const {
    QElapsedTimer timer;
    timer.start();
    do {
        const Answer left = run(QStringLiteral("squeue"), {QStringLiteral("--noheader")});
        if (left.status == 0 && left.out.trimmed().isEmpty())
            return true;
        QThread::msleep(200);
    } while (timer.elapsed() < ms);
    return false;
}

bool SlurmCluster::becomesReady() const {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < slurmReadyMs) {
        const Answer state =
            run(QStringLiteral("sinfo"), {QStringLiteral("--noheader"), QStringLiteral("--nodes=alone"),
                                          QStringLiteral("--format=%T")});
        if (state.status == 0 && state.out.trimmed() == QStringLiteral("idle"))
            return true;
        if (controller_.state() == QProcess::NotRunning || node_.state() == QProcess::NotRunning)
            return false;
        QThread::msleep(100);
    }
    return false;
}

QString SlurmCluster::logs() const {
    QString out;
    for (const char* name : {"munged.out", "slurmctld.out", "slurmd.out"})
        out += lastOf(folder_.filePath(QString::fromLatin1(name))) + u'\n';
    return out;
}

} // namespace alidade::tests
