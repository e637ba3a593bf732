// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/observation_targets.h"
#include "data/handoff/text_writers.h"
#include "model/collectives/collective_op.h"
#include "model/explore/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace alidade::data::handoff {

namespace {

/// One run of a program of nccl-tests.
struct Run {
    CollectiveOp op{};
    int nodes = 1;
    std::string why;
    double share = 0; ///< of the variance of the headline that its log removes
    std::vector<std::string> constants{};
};

/// The constants of the calibration that a log tells about, by the beginning of their paths.
struct Told {
    std::string_view path;
    std::optional<CollectiveOp> op; ///< nullopt: any
    bool network;                   ///< between NVLink domains
};
constexpr Told toldConstants[] = {
    {collectiveName(CollectiveOp::allGather), CollectiveOp::allGather, false},
    {collectiveName(CollectiveOp::reduceScatter), CollectiveOp::reduceScatter, false},
    {collectiveName(CollectiveOp::allReduce), CollectiveOp::allReduce, false},
    {collectiveName(CollectiveOp::allToAll), CollectiveOp::allToAll, false},
    {"dispatch_", CollectiveOp::allToAll, false},
    {"nvlink_step_latency", std::nullopt, false},
    {"network_all_to_all_", CollectiveOp::allToAll, true},
    {"network_dispatch_", CollectiveOp::allToAll, true},
    {"network_host_time", CollectiveOp::allToAll, true},
    {"network_proxy_factor", CollectiveOp::allToAll, true},
    {"network_", std::nullopt, true}};

const Told* toldOf(const std::string& path) {
    const auto* const at = std::ranges::find_if(
        toldConstants, [&path](const Told& each) { return path.starts_with(each.path); });
    return at == std::end(toldConstants) ? nullptr : at;
}

/// The runs whose groups are those of the plan.
std::vector<Run> runsOf(const HandoffSource& source) {
    const PlanSpec& plan = source.estimate.scenario.plan;
    const int node = std::max(1, source.scenario.gpusPerNode);
    const auto instancesOf = [node](std::int64_t gpus) {
        return static_cast<int>((std::max<std::int64_t>(1, gpus) + node - 1) / node);
    };
    const int hosts = instancesOf(source.estimate.gpus); // those that the plan fills
    std::vector<Run> out;
    const auto run = [&](CollectiveOp op, int instances, const std::string& why) {
        const int nodes = std::max(1, std::min(instances, hosts));
        const auto same =
            std::ranges::find_if(out, [&](const Run& each) { return each.op == op && each.nodes == nodes; });
        if (same == out.end())
            out.push_back({op, nodes, why});
        else
            same->why += ", " + why;
    };
    const std::int64_t tensor = plan.tensorParallel.value_or(1);
    if (!source.estimate.scenario.workload.isServing()) {
        if (tensor > 1) {
            run(CollectiveOp::allGather, instancesOf(tensor), "tensor parallelism");
            run(CollectiveOp::reduceScatter, instancesOf(tensor), "tensor parallelism");
        }
        if (plan.dataParallel.value_or(1) > 1) {
            run(CollectiveOp::reduceScatter, hosts, "gradients over all instances");
            run(CollectiveOp::allGather, hosts, "parameters over all instances");
        }
        if (plan.pipelineParallel.value_or(1) > 1)
            run(CollectiveOp::sendReceive, 2, "activations between the stages of a pipeline");
        if (const std::int64_t experts = plan.expertParallel.value_or(1); experts > 1)
            run(CollectiveOp::allToAll, instancesOf(experts * plan.expertTensorParallel.value_or(1)),
                "tokens to their experts");
        return out;
    }
    const bool pools = plan.disaggregated.prefill.workers || plan.disaggregated.decode.workers;
    const std::int64_t widest = pools ? std::max(plan.disaggregated.prefill.tensorParallel.value_or(1),
                                                 plan.disaggregated.decode.tensorParallel.value_or(1))
                                      : tensor;
    if (widest > 1)
        run(CollectiveOp::allReduce, instancesOf(widest), "tensor parallelism of a replica");
    int replica = 1;
    for (const Program& program : servingPrograms(source))
        replica = std::max(replica, program.nodes);
    if (source.scenario.model.moe)
        run(CollectiveOp::allToAll, replica, "tokens to their experts");
    if (pools)
        run(CollectiveOp::sendReceive, 2, "key-value cache from prefill to decode");
    return out;
}

bool isNetwork(const HandoffSource& source, const Run& run) {
    return run.nodes * source.scenario.gpusPerNode > std::max(1, source.scenario.nvlinkDomain);
}

/// Gives each constant's share to the first run that tells about it: another one tells no more.
void shareOut(const HandoffSource& source, const std::vector<Ignorance>& ignorance, std::vector<Run>& runs) {
    for (const Ignorance& each : ignorance) {
        const Told* told = toldOf(each.path);
        if (told == nullptr)
            continue;
        const auto run = std::ranges::find_if(runs, [&](const Run& candidate) {
            return isNetwork(source, candidate) == told->network && (!told->op || candidate.op == *told->op);
        });
        if (run == runs.end())
            continue;
        run->share += each.shareOfVariance;
        run->constants.push_back(each.path);
    }
}

std::string percent(double share) {
    const double value = share * 100;
    return (value >= 1 ? std::to_string(std::lround(value)) : std::string("less than 1")) + " %";
}

std::string launchOf(const HandoffSource& source, const Run& run) {
    const std::string gpus = std::to_string(std::max(1, source.scenario.gpusPerNode));
    const std::string nodes = std::to_string(run.nodes), program(ncclTestsName(run.op));
    return (run.nodes == 1 ? program + "_perf -b 1M -e 8G -f 2 -g " + gpus
                           : "srun --nodes=" + nodes + " --ntasks-per-node=" + gpus + " --mpi=pmix " +
                                 program + "_perf -b 1M -e 8G -f 2 -g 1") +
           " | tee " + program + "-" + nodes + "-nodes.log\n";
}

} // namespace

std::string ncclTestsText(const HandoffSource& source) {
    const Profile& profile = source.profile != nullptr
                                 ? *source.profile
                                 : source.catalog.profileOrDefault(source.written.calibration);
    const std::string figure = headlineFigure(source.estimate);
    const Result<Sensitivity> known = sensitivity(source.written, source.catalog, profile, figure,
                                                  SensitivityRange{.step = 0.1, .ownError = true});
    std::vector<Run> runs = source.estimate.gpus > 1 ? runsOf(source) : std::vector<Run>();
    std::vector<std::string> head{source.estimate.scenario.name.value_or(source.estimate.modelName)};
    const bool shares = known && !known->ignorance.empty();
    if (shares) {
        shareOut(source, known->ignorance, runs);
        std::ranges::stable_sort(runs, std::greater{}, &Run::share);
        std::erase_if(runs, [](const Run& each) { return !(each.share > 0); });
    }
    if (runs.empty()) {
        head.emplace_back(source.estimate.gpus > 1
                              ? "No run of nccl-tests narrows the band of this plan."
                              : "One GPU sends nothing to another: no run of nccl-tests narrows the band.");
    } else {
        head.emplace_back(
            "Measurements of nccl-tests that narrow the band of this plan most; read the logs with");
        head.emplace_back("'alidade calibrate SCENARIO --nccl-log FILE'");
    }
    if (shares) {
        const Ignorance& first = known->ignorance.front();
        if (runs.empty() || first.shareOfVariance > runs.front().share)
            head.push_back("Most of the variance of " + figure + ", " + percent(first.shareOfVariance) +
                           ", is " +
                           (first.path == "residual"
                                ? std::string("what the model leaves out: calibrating on the running job "
                                              "narrows it")
                                : "from " + first.path + ": " + first.measurement));
    }
    std::string out = "#!/bin/bash\n" + commentOf(head) + "set -euo pipefail\n\n";
    for (const Run& run : runs) {
        std::vector<std::string> words{run.why};
        if (run.share > 0) {
            std::string list;
            for (const std::string& each : run.constants)
                list += (list.empty() ? "" : ", ") + each;
            words.push_back(percent(run.share) + " of the variance of " + figure + ": " + list);
        }
        out += commentOf(words) + launchOf(source, run) + "\n";
    }
    return runs.empty() ? out + "echo 'nothing to measure with nccl-tests'\n" : out;
}

} // namespace alidade::data::handoff
