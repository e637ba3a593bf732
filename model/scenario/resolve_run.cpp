// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/calendar.h"
#include "model/base/text.h"
#include "model/reliability/run_core.h"
#include "model/scenario/resolve_parts.h"
#include "model/units/constants.h"
#include "model/workload/parameters.h"

#include <algorithm>
#include <cmath>

namespace alidade::resolving {

namespace {

constexpr double usualClient = 12.5e9; ///< bytes/s: the 100 Gbit/s of a client without EFA
constexpr double blockBytes = 4096;    ///< of the IOPS that AWS publishes

/// What the steps read, how often, and what is kept of it near the GPUs.
void resolveData(Context& context) {
    const RunSpec& written = context.spec.run;
    RunPlan& plan = context.out.run;
    plan.shuffle = written.shuffle.value_or(true);
    plan.linkedRepository = written.linkedRepository.value_or(false);
    plan.nvmeCache = written.nvmeCache.value_or(false);
    const double tokens = context.out.inputs[Input::tokens],
                 epochs = std::max(1.0, context.spec.workload.finetune.epochs.value_or(1));
    set(context, Input::datasetTokens, written.datasetTokens.value_or(tokens / epochs),
        originOr(written.datasetTokens.has_value(), "all tokens of the run, or of an epoch of fine-tuning"),
        written.datasetTokens ? SourceKind::user : SourceKind::assumed);
    const bool bucketItself = context.out.spec.run.storage.value_or("").starts_with("s3");
    if (plan.linkedRepository && bucketItself) {
        warn(context, "run.linked_repository",
             "The data is read from S3 itself; a linked bucket adds nothing");
        plan.linkedRepository = false;
    }
    if (plan.nvmeCache && !(context.out.inputs[Input::nvmeCapacity] > 0)) {
        warn(context, "run.nvme_cache",
             "The catalog has no local drives for this machine; nothing is cached");
    } else if (plan.nvmeCache && tokens > 0 && tokens <= context.out.inputs[Input::datasetTokens]) {
        warn(context, "run.nvme_cache",
             "The run reads its data once; a cache pays from the second pass on (run.dataset_tokens)");
    }
}

const StorageTier* storageOf(const Catalog& catalog, std::string_view id) {
    const auto found = std::ranges::find(catalog.storage, id, &StorageTier::id);
    return found == catalog.storage.end() ? nullptr : &*found;
}

/// Says where a given capacity is not sold: runStorage() counts with the next one that is.
void warnOfRounding(Context& context, double bytes, bool efa) {
    const double least = context.out.inputs[Input::storageLeast],
                 step = context.out.inputs[Input::storageStep];
    const double sold = soldCapacity(bytes, least, step);
    if (sold <= bytes)
        return;
    const auto text = [](double size) { return formatCount(std::llround(size / bytesPerGib)) + " GiB"; };
    warn(context, "run.storage_bytes",
         "The file system is rounded up to " + text(sold) +
             (sold > least ? ": it is sold in steps of " + text(step) : ": the smallest that is sold") +
             (efa ? " with EFA" : ""));
}

/// The shared file system: throughput follows from the capacity, each client has its own limit.
void resolveFileSystem(Context& context) {
    std::optional<std::string>& filled = context.out.spec.run.storage;
    const bool written = filled.has_value();
    filled = filled.value_or(std::string(usualStorage));
    const StorageTier* tier = storageOf(context.catalog, *filled);
    if (!tier || (tier->service != "fsx_lustre" && tier->service != "s3")) {
        if (!written) { // a catalog without it: only its clients limit it
            filled.reset();
            set(context, Input::storageClient, usualClient, "assumed: 100 Gbit/s per node",
                SourceKind::assumed);
            return;
        }
        std::vector<std::string> shared;
        for (const StorageTier& each : context.catalog.storage)
            if (each.service == "fsx_lustre" || each.service == "s3")
                shared.push_back(each.id);
        const std::string near = nearestName(*filled, shared);
        illegal(context, "run.storage",
                quoted(*filled) + (tier ? " is not shared by the nodes" : " is not in the catalog") +
                    "; use an FSx for Lustre file system or S3" + (near.empty() ? "" : ", such as " + near));
        return;
    }
    const bool efa = tier->efaSupported && context.network.starts_with("efa");
    const auto cite = [&](std::string_view key) { return citation(tier->id, ": ", tier->provenance, key); };
    const auto kind = [&](std::string_view key) { return catalogKind(tier->provenance, key); };
    const ClientRate client = clientRate(context, *tier);
    set(context, Input::storageClient, client.bytesPerSecond, client.source, client.kind);
    if (tier->throughputPerTib) {
        set(context, Input::storageRate, tier->throughputPerTib->si() / bytesPerTib,
            cite("throughput_mb_per_s_per_tib"), kind("throughput_mb_per_s_per_tib"));
    }
    if (tier->readsPerSecond)
        set(context, Input::storageRequests, *tier->readsPerSecond, cite("reads_per_s"), kind("reads_per_s"));
    const auto& least = efa && tier->efaMinCapacity ? tier->efaMinCapacity : tier->minCapacity;
    const auto& step = efa && tier->efaMinCapacity ? tier->efaMinCapacity : tier->capacityStep;
    const std::string_view leastKey =
        efa && tier->efaMinCapacity ? "efa_min_capacity_gib" : "min_capacity_gib";
    const std::string_view stepKey = efa && tier->efaMinCapacity ? leastKey
                                     : step                      ? "capacity_step_gib"
                                                                 : leastKey;
    if (least) {
        set(context, Input::storageLeast, least->si(), cite(leastKey), kind(leastKey));
        set(context, Input::storageStep, (step ? step : least)->si(), cite(stepKey), kind(stepKey));
    }
    if (tier->dollarsPerGbMonth) {
        set(context, Input::storagePrice, *tier->dollarsPerGbMonth, cite("usd_per_gb_month"),
            kind("usd_per_gb_month"));
    }
    if (const auto& bytes = context.spec.run.storageBytes) {
        set(context, Input::storageBytes, *bytes, "scenario", SourceKind::user);
        warnOfRounding(context, *bytes, efa);
    }
}

void resolveObjectStore(Context& context) {
    const StorageTier* s3 = storageOf(context.catalog, "s3-standard");
    if (s3 && s3->readsPerSecond) {
        set(context, Input::objectRequests, *s3->readsPerSecond,
            citation(s3->id, ": ", s3->provenance, "reads_per_s"),
            catalogKind(s3->provenance, "reads_per_s"));
    }
    if (s3 && s3->clientMax) {
        set(context, Input::objectClient, s3->clientMax->si(),
            citation(s3->id, ": ", s3->provenance, "client_max_gbps"),
            catalogKind(s3->provenance, "client_max_gbps"));
    } else {
        set(context, Input::objectClient, usualClient, "assumed: 100 Gbit/s per node", SourceKind::assumed);
    }
}

void resolveSpares(Context& context) {
    const RunSpec& written = context.spec.run;
    RunPlan& plan = context.out.run;
    plan.elastic = written.elastic.value_or(false);
    plan.countsSpares = written.spares.has_value() || plan.elastic;
    set(context, Input::repairTime, written.repairS.value_or(secondsPerDay),
        originOr(written.repairS.has_value(), "assumed: a node is back after a day"),
        written.repairS ? SourceKind::user : SourceKind::assumed);
    if (!plan.countsSpares)
        return;
    const auto spares = static_cast<double>(written.spares.value_or(0));
    set(context, Input::spares, spares, originOr(written.spares.has_value(), "none"),
        written.spares ? SourceKind::user : SourceKind::assumed);
    if (!written.spares)
        return;
    // Of an UltraServer whole instances of the rented ones can be spare: they cost nothing more.
    const double hostsPerItem = context.out.inputs[Input::paidItems] > 0
                                    ? std::max(1.0, context.out.hosts / context.out.inputs[Input::paidItems])
                                    : 1;
    if (hostsPerItem <= 1) {
        set(context, Input::paidItems, context.out.inputs[Input::paidItems] + spares,
            "scenario: instances and spare instances", SourceKind::user);
        return;
    }
    const double idle = context.out.hosts - context.out.inputs[Input::gpus] / context.gpusPerNode;
    if (spares > idle) {
        warn(context, "run.spares",
             "The plan leaves " + formatCount(static_cast<std::int64_t>(std::max(0.0, idle))) +
                 " instances of the UltraServers free; set cluster.gpus lower, or rent another UltraServer");
    }
}

} // namespace

/// The local drives of a node. AWS publishes random 4 KiB operations; what they move is a lower bound of the
/// sequential rate (p4d.24xlarge: 6.6 GB/s so, 7.35 GB/s measured with checkpoints).
void resolveLocalDrives(Context& context) {
    const Instance* instance = context.catalog.instance(context.out.hostType);
    if (!instance)
        return;
    const auto put = [&](Input rate, const std::optional<int>& iops, std::string_view key, Input ofDrive) {
        if (iops) {
            set(context, rate, *iops * blockBytes,
                citation(instance->id, ": 4 KiB operations, ", instance->provenance, key),
                catalogKind(instance->provenance, key));
        } else if (instance->nvmeDrives) {
            set(context, rate, *instance->nvmeDrives * context.out.inputs[ofDrive],
                instance->id + ": drives x rate of a drive", SourceKind::derived);
        }
    };
    put(Input::nvmeWrite, instance->nvmeWriteIops, "local_nvme_write_iops", Input::nvmeDriveWrite);
    put(Input::nvmeRead, instance->nvmeReadIops, "local_nvme_read_iops", Input::nvmeDriveRead);
    if (instance->nvme) {
        set(context, Input::nvmeCapacity, instance->nvme->si(),
            citation(instance->id, ": ", instance->provenance, "local_nvme_gb_total"),
            catalogKind(instance->provenance, "local_nvme_gb_total"));
    }
}

ClientRate clientRate(const Context& context, const StorageTier& tier) {
    const Inputs& in = context.out.inputs;
    const bool efa = tier.efaSupported && context.network.starts_with("efa");
    const std::string_view key = efa ? "client_max_gbps_efa" : "client_max_gbps";
    const auto& most = efa ? tier.clientMaxEfa : tier.clientMax;
    ClientRate out{.bytesPerSecond = most ? most->si() : usualClient,
                   .source = citation(tier.id, ": ", tier.provenance, key),
                   .kind = catalogKind(tier.provenance, key)};
    if (efa && in[Input::networkBandwidth] > 0) // the network cards of a node
        out.bytesPerSecond = std::min(out.bytesPerSecond, in[Input::networkBandwidth] * context.gpusPerNode);
    const double tcp = in[Input::tcpClient];
    if (!efa && tier.service == "fsx_lustre" && tcp > 0 && tcp < out.bytesPerSecond) {
        const InputOrigin& origin = context.out.origins[static_cast<std::size_t>(Input::tcpClient)];
        out = {.bytesPerSecond = tcp, .source = origin.source, .kind = origin.kind};
    }
    return out;
}

/// How many replicas hold the same weights and optimizer state, and by how many an elastic run can shrink.
void resolveReplicas(Context& context) {
    const TrainingPlan& plan = context.out.plan;
    const double data = std::max(1, plan.dataParallel * plan.contextParallel),
                 outside = std::max(1.0, data / std::max(1, plan.shardGroup.ranks));
    set(context, Input::weightCopies, plan.sharding == Sharding::zero3 ? outside : data, "layout",
        SourceKind::derived);
    set(context, Input::stateCopies, plan.sharding == Sharding::none ? data : outside, "layout",
        SourceKind::derived);
    // Experts that are spread over several replicas need all of these.
    const double together =
        std::max(1.0, static_cast<double>(plan.expertParallel * plan.expertTensorParallel) /
                          std::max(1, plan.tensorParallel * plan.contextParallel));
    set(context, Input::elasticReplicas, std::max(1.0, plan.dataParallel / together), "layout",
        SourceKind::derived);
}

void resolveRun(Context& context) {
    const RunSpec& written = context.spec.run;
    RunSpec& filled = context.out.spec.run;
    RunPlan& plan = context.out.run;
    filled.checkpointMode = written.checkpointMode.value_or("async");
    plan.mode = read(context, checkpointModeWords, "run.checkpoint_mode", *filled.checkpointMode, plan.mode);
    plan.standby = written.standby.value_or(false);
    plan.restartRead = read(context, restartReadWords, "run.restart_read",
                            written.restartRead.value_or("one_replica"), plan.restartRead);
    const ParameterCount count = countParameters(context.out.model);
    set(context, Input::modelParameters, static_cast<double>(count.total + count.mtpTotal), "architecture",
        SourceKind::derived);
    set(context, Input::gpusPerHost, context.gpusPerNode, "machine", SourceKind::derived);
    set(context, Input::bytesPerToken, written.bytesPerToken.value_or(4),
        originOr(written.bytesPerToken.has_value(), "assumed: token ids of 32 bits"),
        written.bytesPerToken ? SourceKind::user : SourceKind::assumed);
    if (written.checkpointIntervalS) {
        const bool takes = plan.mode == CheckpointMode::async || plan.mode == CheckpointMode::sync;
        if (takes) {
            set(context, Input::checkpointInterval, *written.checkpointIntervalS, "scenario",
                SourceKind::user);
        } else {
            warn(context, "run.checkpoint_interval_s",
                 "The state is saved in every step in this mode; leave the interval out");
        }
    }
    if (written.start && written.deadline && *dayOfDate(*written.deadline) <= *dayOfDate(*written.start))
        warn(context, "run.deadline", "The deadline is not after the start of the run");
    resolveLocalDrives(context);
    resolveFileSystem(context);
    resolveObjectStore(context);
    resolveSpares(context);
    resolveReplicas(context);
    resolveData(context);
}

} // namespace alidade::resolving
