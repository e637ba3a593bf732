// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace alidade {

// All times in seconds unless a name says otherwise. delta: seconds that a checkpoint blocks the run.
// Failures are exponential with the given mean time between failures, which is > 0.

/// Mean time between failures of a job.
double jobMtbf(double gpus, double gpuHoursPerFailure);

/// First-order optimum of the compute time between checkpoints (Young 1974).
double youngInterval(double delta, double mtbf);
/// Higher-order optimum (Daly 2006).
double dalyInterval(double delta, double mtbf);
/// Exact optimum: tau = mtbf u with (u - 1) e^u + e^(-delta / mtbf) = 0. 0 if a checkpoint costs nothing.
double optimalInterval(double delta, double mtbf);

/// Effective training time ratio, 0..1: time that counts / wall time.
/// \param interval compute time between checkpoints, > 0; \param restart from a failure to the first new step
double ettr(double interval, double delta, double mtbf, double restart);
/// Its first-order approximation, for comparison with published figures. May be below 0.
double ettrFirstOrder(double interval, double delta, double mtbf, double restart);
/// First order, by nodes (Kokolis et al. 2024, arXiv 2410.21680).
double ettrOfNodes(double nodes, double failuresPerNodeDay, double restart, double interval);
/// Shrink and continue: pay `reconfigure` per failure and run at 1 - lostFraction while the node is repaired.
double elasticEttr(double mtbf, double reconfigure, double repair, double lostFraction);

/// Where a checkpoint of so many bytes is written, bytes/s.
struct CheckpointPath {
    double nodes = 1;
    double deviceToHostPerNode = 0;
    double localStoragePerNode = 0;
    double fileSystem = 0; ///< the whole of it
};

struct CheckpointTime {
    double blocking = 0;     ///< synchronous: until the slowest tier has it
    double asynchronous = 0; ///< only the copy to the host holds up the run
    double drain = 0;        ///< background write after that copy
};

CheckpointTime checkpointTime(double bytes, const CheckpointPath& path);

/// Smallest number of spare nodes that covers the Poisson number in repair with at least this probability,
/// 0..1.
int spareNodes(double nodes, double failuresPerNodeDay, double repairHours, double probability);

} // namespace alidade
