// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

namespace alidade::tests {

struct SlurmOptions {
    QString nodes;    ///< further lines of slurm.conf: nodes in the cloud that are powered down, partitions
    QString topology; ///< text of topology.conf for the tree plug-in; empty: there is none
};

/// A real Slurm on 127.0.0.1: munged, slurmctld and one slurmd, with ports, keys and a folder of their own,
/// all as the present user. Its node "alone" runs jobs of up to 16 cores. Ready when constructed; ended by
/// their own process ids, and waited for, when destroyed (or when this program dies).
class SlurmCluster {
public:
    /// Why none can run here, which fails a test; empty: it can.
    static QString missing();

    explicit SlurmCluster(const SlurmOptions& options = {});
    ~SlurmCluster();
    SlurmCluster(const SlurmCluster&) = delete;
    SlurmCluster& operator=(const SlurmCluster&) = delete;

    /// Why it takes no jobs, with the last lines of its logs; empty: it does.
    const QString& error() const { return error_; }
    /// With what the commands of Slurm find this cluster.
    QProcessEnvironment environment() const;

    struct Answer {
        int status = -1; ///< -1: it did not run
        QString out, err;
    };
    /// Runs a command, such as sbatch or a script that calls it.
    Answer run(const QString& program, const QStringList& arguments, const QString& folder = {}) const;
    /// Waits until no job is left, at most `ms`. \returns whether none is
    bool drains(int ms) const;

private:
    bool start(QProcess& process, const QString& program, const QStringList& arguments);
    bool writeFiles(const SlurmOptions& options);
    bool becomesReady() const;
    QString logs() const;

    QTemporaryDir folder_;
    QProcess munge_, controller_, node_;
    QString error_;
};

} // namespace alidade::tests
