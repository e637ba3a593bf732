// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/plan/inputs.h"
#include "model/plan/run_plan.h"
#include "model/reliability/failure_causes.h"
#include "model/reliability/goodput.h"
#include "model/reliability/spares.h"

#include <algorithm>
#include <cmath>

namespace alidade {

// A whole training run: where its checkpoints go, what a failure costs, which share of the time counts. SI
// units.

/// Capacity of a file system that is sold: the least, or a multiple of the step (FSx for Lustre: 1,200 GiB,
/// 2,400 GiB and multiples of that; with EFA 4,800 GiB and multiples).
/// \param bytes wanted
/// \param step 0: any capacity above the least is sold
inline double soldCapacity(double bytes, double least, double step) {
    return bytes <= least ? least : step > 0 ? std::ceil(bytes / step - 1e-9) * step : bytes;
}

/// Checkpoints in the file system at a time, the one being written among them: as many as it has room for
/// where its capacity is not given. Older ones are deleted, or exported to S3 and released.
inline constexpr int keptCheckpoints = 3;

/// Capacity to provision where none is given: room for that many checkpoints, and throughput that takes one
/// within a minute, in the steps in which it is sold.
/// \param ratePerByte throughput per byte provisioned, 1/s; 0: unlimited
/// \returns bytes; 0 where capacity is not provisioned
inline double usualCapacity(double checkpointBytes, double ratePerByte, double least, double step) {
    if (!(least > 0))
        return 0;
    constexpr double writeSeconds = 60;
    const double wanted = std::max(keptCheckpoints * checkpointBytes,
                                   ratePerByte > 0 ? checkpointBytes / writeSeconds / ratePerByte : 0);
    return soldCapacity(wanted, least, step);
}

/// Shared storage of a run and what its nodes reach of it.
template <class N>
struct RunStorage {
    N hosts{};
    N capacity{}; ///< bytes provisioned; 0: not provisioned (S3)
    N clients{};  ///< bytes/s of all nodes together
    N system{};   ///< bytes/s of the file system; 0: unlimited
    N rate{};     ///< bytes/s: the smaller of the two
    bool clientsLimit = false;
};

/// What is provisioned and paid: the capacity that is given, or the usual one, as it is sold. 0: nothing is.
template <class N>
N provisionedCapacity(const InputsT<N>& in, const N& checkpointBytes) {
    const double least = valueOf(in[Input::storageLeast]), step = valueOf(in[Input::storageStep]);
    const double given = valueOf(in[Input::storageBytes]);
    if (given > 0) {
        const double sold = soldCapacity(given, least, step);
        return sold == given
                   ? in[Input::storageBytes]
                   : derivedLeaf(in[Input::storageBytes], sold, "provisioned_bytes", Dimension::bytes,
                                 "the capacity given, rounded up to what is sold");
    }
    return derivedLeaf(checkpointBytes,
                       usualCapacity(valueOf(checkpointBytes), valueOf(in[Input::storageRate]), least, step),
                       "provisioned_bytes", Dimension::bytes,
                       "room for three checkpoints, one of which is written within a minute");
}

template <class N>
RunStorage<N> runStorage(const InputsT<N>& in, const N& checkpointBytes) {
    using std::max;
    using std::min;
    RunStorage<N> out;
    out.hosts = named(max(N(1), in[Input::gpus] / in[Input::gpusPerHost]), "nodes", Dimension::number,
                      "GPUs / GPUs of a node");
    const N node = named(min(in[Input::storageClient], in[Input::gpusPerHost] * in[Input::checkpointWriter]),
                         "node_rate", Dimension::bytesPerSecond,
                         "the smaller of the client and its processes, one per GPU");
    out.clients =
        named(out.hosts * node, "clients_rate", Dimension::bytesPerSecond, "nodes x rate of a node");
    out.capacity = provisionedCapacity(in, checkpointBytes);
    if (valueOf(in[Input::storageRate]) > 0 && valueOf(out.capacity) > 0) {
        out.system = named(out.capacity * in[Input::storageRate], "file_system_rate",
                           Dimension::bytesPerSecond, "capacity x throughput per byte");
        out.clientsLimit = valueOf(out.clients) < valueOf(out.system);
        out.rate = named(min(out.clients, out.system), "storage_rate", Dimension::bytesPerSecond,
                         "the smaller of nodes and file system");
    } else {
        out.clientsLimit = true;
        out.rate = out.clients;
    }
    return out;
}

/// What the goodput of a run follows from, and the goodput. Seconds.
template <class N>
struct RunCore {
    N checkpointBytes{};
    RunStorage<N> storage;
    N mtbf{};         ///< between unexpected interruptions
    N copy{};         ///< of a checkpoint to host memory
    N write{};        ///< of a checkpoint to storage
    N stall{};        ///< for which a checkpoint stops training
    N drain{};        ///< after it, until storage has the checkpoint
    N restore{};      ///< reading the state back
    N recovery{};     ///< from a failure to the first step: detection, restart, restore
    N plannedStop{};  ///< of a planned interruption
    N bestInterval{}; ///< of training time; exact optimum
    N interval{};     ///< that the run uses
    /// Of the time in which no spare is left; of an elastic run, of the GPUs that are idle then, and of the
    /// time in which replicas are taken back. 0..1
    N waitingShare{};
    N plannedShare{}; ///< of the time in planned interruptions, 0..1
    N effective{};    ///< share of the other time in steps that count
    N goodput{};
};

/// Mean nodes under repair: failures that take a node x time of a repair.
template <class N>
N nodesInRepair(const InputsT<N>& in, const N& mtbf) {
    return named(N(nodeLossShare()) * in[Input::repairTime] / mtbf, "nodes_in_repair", Dimension::number,
                 "share of the failures that takes a node x repair / MTBF");
}

/// Time in which the state is read from storage. Replicas that get it over the network are sent what the
/// first one has read so far.
template <class N>
N readState(const RunPlan& plan, const InputsT<N>& in, const RunCore<N>& run) {
    using std::max;
    constexpr Dimension seconds = Dimension::seconds;
    using std::min;
    const N weights = min(run.checkpointBytes, in[Input::modelParameters] * in[Input::weightBytes]);
    if (plan.restartRead == RestartRead::all) {
        const N state = max(N(0), run.checkpointBytes - weights);
        const N bytes = named(run.checkpointBytes + (in[Input::weightCopies] - 1) * weights +
                                  (in[Input::stateCopies] - 1) * state,
                              "restart_bytes", Dimension::bytes, "what each rank holds, of all ranks");
        return named(bytes / run.storage.rate, "restart_read", seconds, "bytes of all ranks / storage rate");
    }
    if (!(valueOf(in[Input::weightCopies]) > 1) || !(valueOf(in[Input::networkBandwidth]) > 0))
        return run.write;
    const N ofGpu = named(weights * in[Input::weightCopies] / in[Input::gpus], "weights_of_gpu",
                          Dimension::bytes, "of one GPU");
    const N sent = named(ofGpu / (in[Input::networkBandwidth] * in[Input::networkEfficiency]), "broadcast",
                         seconds, "weights of a GPU / its network rate");
    return named(max(run.write, sent), "restart_read", seconds,
                 "the longer of reading once and sending it to the other replicas");
}

/// From the failure to running processes, without reading the state.
template <class N>
N restartSeconds(const RunPlan& plan, const InputsT<N>& in) {
    if (plan.mode == CheckpointMode::checkpointless)
        return in[Input::checkpointlessRestart];
    if (plan.standby)
        return in[Input::standbyRestart];
    const double doublings = std::max(0.0, std::log2(valueOf(in[Input::gpus]) / 512));
    return named(in[Input::restartTime] +
                     in[Input::restartGrowth] * derivedLeaf(in[Input::gpus], doublings, "doublings",
                                                            Dimension::number, "of the GPUs beyond 512"),
                 "restart", Dimension::seconds, "grows with each doubling of the job beyond 512 GPUs");
}

/// Stop of an elastic run that takes a replica back: a checkpoint, a restart, and reading the state.
template <class N>
N growthStop(const RunCore<N>& run) {
    return named(run.stall + run.drain + run.plannedStop, "growth_stop", Dimension::seconds,
                 "checkpoint, restart and reading the state");
}

/// Share of an elastic run that missing replicas and their return cost.
template <class N>
N elasticShare(const InputsT<N>& in, const RunCore<N>& run) {
    using std::min;
    const ElasticLoss loss =
        elasticLoss(valueOf(nodesInRepair(in, run.mtbf)), static_cast<int>(valueOf(in[Input::spares])),
                    valueOf(run.storage.hosts), valueOf(in[Input::elasticReplicas]));
    const N idle = derivedLeaf(run.mtbf, loss.idleShare, "idle_replicas", Dimension::ratio,
                               "replicas without all of their nodes, nodes in repair being Poisson");
    const N growths = derivedLeaf(run.mtbf, loss.growths * nodeLossShare(), "growths_per_failure",
                                  Dimension::number, "failures that find no spare node");
    return named(min(N(0.99), idle + growths * growthStop(run) / run.mtbf), "elastic_share", Dimension::ratio,
                 "idle replicas, and stops to take them back");
}

/// \param stepTime of training, > 0
/// \param checkpointBytes of one whole checkpoint
/// \param plannedGoodput the goodput is given in the scenario
template <class N>
RunCore<N> runCore(const RunPlan& plan, const InputsT<N>& in, const N& stepTime, const N& checkpointBytes,
                   bool plannedGoodput) {
    using std::max;
    using std::min;
    constexpr Dimension seconds = Dimension::seconds;
    RunCore<N> out;
    out.checkpointBytes = checkpointBytes;
    out.storage = runStorage(in, checkpointBytes);
    out.mtbf = jobMtbf(in[Input::gpus], in[Input::gpuHoursPerFailure]);
    const N hostLinks = valueOf(in[Input::hostBandwidth]) > 0
                            ? in[Input::gpus] * in[Input::hostBandwidth] * in[Input::hostEfficiency]
                            : out.storage.rate;
    const CheckpointTime<N> time = checkpointTime(checkpointBytes, hostLinks, out.storage.rate);
    out.copy = time.copy;
    out.write = time.write;
    const N shard = checkpointBytes / in[Input::gpus];
    const bool network = valueOf(in[Input::networkBandwidth]) > 0;
    const N overNetwork = network
                              ? named(shard / (in[Input::networkBandwidth] * in[Input::networkEfficiency]),
                                      "state_over_network", seconds, "state of a GPU / its network rate")
                              : N{};
    switch (plan.mode) {
    case CheckpointMode::async:
        out.stall =
            named(in[Input::checkpointStall] + out.copy, "checkpoint_stall", seconds, "copy to host memory");
        out.drain = out.write;
        out.restore = readState(plan, in, out);
        break;
    case CheckpointMode::sync:
        out.stall = named(in[Input::checkpointStall] + out.copy + out.write, "checkpoint_stall", seconds,
                          "until storage has the checkpoint");
        out.restore = readState(plan, in, out);
        break;
    case CheckpointMode::peer:
        out.stall = in[Input::peerStall];
        out.restore = overNetwork;
        break;
    case CheckpointMode::checkpointless:
        out.restore = overNetwork;
        break;
    }
    const N restart = restartSeconds(plan, in);
    out.recovery = named(in[Input::failureDetection] + restart + out.restore, "recovery", seconds,
                         "detection + restart + reading the state");
    out.plannedStop = named(restart + out.restore, "planned_stop", seconds, "restart + reading the state");

    const bool everyStep = plan.mode == CheckpointMode::peer || plan.mode == CheckpointMode::checkpointless;
    if (everyStep) {
        out.bestInterval = stepTime;
        out.interval = stepTime;
    } else {
        const N optimum =
            derivedLeaf(out.stall, optimalInterval(valueOf(out.stall), valueOf(out.mtbf)), "exact_optimum",
                        seconds, "MTBF x u with (u - 1) e^u + e^(-stall / MTBF) = 0 (Daly 2006, exact)");
        // A checkpoint has to be in storage before the next one starts, and none is taken within a step.
        out.bestInterval = named(max(max(optimum, stepTime), out.drain - out.stall), "best_interval", seconds,
                                 "exact optimum, at least a step and the write in the background");
        const bool given = valueOf(in[Input::checkpointInterval]) > 0;
        out.interval =
            given ? named(max(in[Input::checkpointInterval], out.drain - out.stall), "checkpoint_interval",
                          seconds, "as given, at least the write in the background")
                  : out.bestInterval;
    }
    // Work after the last checkpoint that storage has is done again: the write in the background adds to what
    // a failure costs. Exact for a write shorter than the interval.
    out.effective = ettr(out.interval, out.stall, out.mtbf,
                         named(out.recovery + out.drain, "recovery_and_drain", seconds));
    out.plannedShare = named(min(N(0.5), in[Input::plannedRatio] * out.plannedStop / out.mtbf),
                             "planned_share", Dimension::ratio, "planned interruptions x their stop");
    if (plan.elastic) {
        out.waitingShare = elasticShare(in, out);
    } else if (plan.countsSpares) {
        out.waitingShare = derivedLeaf(
            out.mtbf,
            outOfSpares(valueOf(nodesInRepair(in, out.mtbf)), static_cast<int>(valueOf(in[Input::spares]))),
            "waiting_share", Dimension::ratio,
            "probability that more nodes are in repair than there are spares (Poisson)");
    }
    out.goodput =
        plannedGoodput
            ? in[Input::plannedGoodput]
            : named(out.effective * (1 - out.plannedShare) * (1 - out.waitingShare), "goodput",
                    Dimension::ratio,
                    "share of the time in steps that count: failures, planned stops, waiting for nodes");
    return out;
}

} // namespace alidade
