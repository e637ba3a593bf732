// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/script.h"
#include "data/handoff/storage.h"
#include "data/handoff/text_writers.h"
#include "data/topology/host_lists.h"
#include "model/estimate/cluster_map.h"
#include "model/units/text.h"

#include <algorithm>
#include <set>

namespace alidade::data::handoff {

namespace {

/// Where the plan puts its ranks, as far as hosts have names.
struct Places {
    std::string hosts; ///< one line an instance, in the order of ranks; empty: Slurm chooses
    std::string table; ///< of ranks
};

/// Hosts in the order in which their ranks come; each once, since one launcher runs all ranks of a host.
std::string hostsInOrder(const ClusterMap& map) {
    std::string out;
    std::set<std::string> seen;
    for (int rank = 0; rank < map.placement.ranks(); ++rank) {
        const int gpu = map.placement.gpuOfRank[static_cast<std::size_t>(rank)];
        const std::string& host = map.hostNames[static_cast<std::size_t>(map.fabric.hostOf(gpu))];
        if (seen.insert(host).second)
            out += host + "\n";
    }
    return out;
}

Places placesOf(const HandoffSource& source, Job& job) {
    const ClusterMap map = clusterMap(source.scenario, source.catalog);
    if (map.fabric.assumed || map.placement.ranks() == 0)
        return {};
    if (const std::string fault = hostNameFault(map); !fault.empty()) {
        job.warnings.push_back("Slurm chooses the hosts: " + fault);
        return {};
    }
    Places out;
    out.table = rankTable(map);
    const Program& program = job.programs.front();
    if (job.programs.size() > 1 || program.replicas > 1)
        job.warnings.emplace_back("Slurm chooses the hosts of each server; ranks.csv has those of the plan");
    else if (!hostsInRankOrder(map))
        job.warnings.emplace_back(
            "the ranks of an instance are not in a row, which a launcher for each instance "
            "cannot say; ranks.csv has the plan's");
    else
        out.hosts = hostsInOrder(map);
    return out;
}

/// An option that keeps instances together, and what it asks of the cluster. Both empty: nothing is asked.
struct Together {
    std::string option, note;
};

Together togetherOf(const Program& program, const UltraServer* ultra) {
    if (program.ordered || program.nodes < 2)
        return {};
    if (ultra == nullptr && program.nodes > 16)
        return {};
    if (ultra == nullptr)
        return {"--switches=1@24:00:00",
                "--switches asks the tree topology plug-in for one leaf switch, for a day at most."};
    // A job has a whole number of segments, each of which is in one UltraServer: 128 instances are 8 x 16.
    int segment = std::min(program.nodes, ultra->instances);
    while (segment > 1 && program.nodes % segment != 0)
        --segment;
    if (segment < 2)
        return {};
    return {"--segment=" + std::to_string(segment),
            "--segment needs Slurm 24.05 and the block topology plug-in: " + std::to_string(segment) +
                " instances in one UltraServer."};
}

bool startsByMpi(const Program& program) { return program.launcher == Launcher::trtllm && program.nodes > 1; }

} // namespace

std::vector<std::string> slurmResources(const HandoffSource& source, const Program& program, int nodes) {
    const auto resources = resourcesOf(program.instance);
    const Instance* machine = source.catalog.instance(program.instance);
    const bool mpi = startsByMpi(program);
    const int gpus = program.nodes > 1 || program.perNode() > 1 || program.role == "train"
                         ? program.instanceGpus
                         : program.gpusPerNode;
    const int asked = std::min(gpus, program.perNode() > 1 ? program.perNode() * program.gpusPerNode : gpus);
    std::vector<std::string> out;
    out.push_back("--nodes=" + std::to_string(nodes));
    out.push_back("--ntasks-per-node=" + std::to_string(mpi ? program.gpusPerNode : 1));
    // The GPU type is there only where gres.conf names it, which ParallelCluster and PCS do by NVML.
    out.push_back("--gres=gpu:" + (resources ? resources->gres + ":" : std::string()) +
                  std::to_string(asked));
    if (machine != nullptr && machine->vcpus && !mpi)
        out.push_back("--cpus-per-task=" + std::to_string(std::max(1, *machine->vcpus / 2)));
    out.emplace_back("--mem=0");
    out.emplace_back("--exclusive");
    return out;
}

std::string srunCommand(const Program& program) {
    return startsByMpi(program) ? "srun --mpi=pmix " : "srun ";
}

void writeSlurm(const HandoffSource& source, Job& job, Handoff& out) {
    const ScenarioSpec& spec = source.estimate.scenario;
    const Places places = placesOf(source, job);
    if (!places.hosts.empty())
        job.programs.front().ordered = true;
    for (const Program& program : job.programs) {
        const std::string suffix = job.programs.size() > 1 ? "-" + program.role : "";
        std::vector<std::string> options{"--job-name=" + slugOf(source) + suffix};
        for (const std::string& each : slurmResources(source, program, program.nodes))
            options.push_back(each);
        if (program.groups() > 1)
            options.push_back("--array=0-" + std::to_string(program.groups() - 1));
        if (!program.instance.empty())
            options.push_back("--constraint=" + program.instance);
        options.emplace_back("--partition=CHANGE_ME_PARTITION");
        options.emplace_back("--time=CHANGE_ME_TIME");
        options.emplace_back("--output=%x-%j.out");
        if (program.ordered)
            options.emplace_back("--nodelist=./hosts.txt"); // a slash makes it a file
        const Together together =
            togetherOf(program, source.catalog.ultraserver(spec.cluster.ultraserver.value_or("")));
        if (!together.option.empty())
            options.push_back(together.option);
        std::string text = "#!/bin/bash\n";
        for (const std::string& each : options) // an id of a catalog may have a blank or a line break in it
            text += "#SBATCH " + shellQuote(printable(each)) + "\n";
        text += commentOf(headerLines(source, job, "Slurm"));
        if (const std::string line = storageLine(storageOf(source)); !line.empty())
            text += commentOf({"The plan counts on " + line + "."});
        if (program.ordered)
            text += "# hosts.txt has the instances in the order of their ranks, ranks.csv the place of each "
                    "rank.\n";
        if (!together.note.empty())
            text += commentOf({together.note});
        if (!program.instance.empty())
            text += "# --constraint and the type in --gres are as ParallelCluster names them: leave them out "
                    "where sbatch finds no such nodes.\n";
        text += "# On HyperPod add --auto-resume=1 to srun.\nset -euo pipefail\n\n";
        if (program.ordered)
            text += "HEAD=$(head -n 1 hosts.txt)\nexport HEAD\nexport SLURM_HOSTFILE=hosts.txt\n";
        else if (program.nodes > 1 || program.launcher == Launcher::torchrun ||
                 program.launcher == Launcher::accelerate)
            text += "HEAD=" + firstHost() + "\nexport HEAD\n";
        // From 22.05 on srun does not take the cores over from sbatch, and each rank would have one.
        if (!startsByMpi(program))
            text += "export SRUN_CPUS_PER_TASK=$SLURM_CPUS_ON_NODE\n";
        text += srunCommand(program) + (program.ordered ? "--distribution=arbitrary " : "") + "bash " +
                scriptName(program) + "\n";
        out.files.insert(out.files.begin() + static_cast<std::ptrdiff_t>(&program - job.programs.data()),
                         HandoffFile{"job" + suffix + ".sbatch", text, false});
    }
    writeShell(source, job, out);
    if (!places.table.empty())
        out.files.push_back({"ranks.csv", places.table, false});
    if (!places.hosts.empty())
        out.files.push_back({"hosts.txt", places.hosts, false});
}

} // namespace alidade::data::handoff
