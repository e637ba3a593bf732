// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/script.h"
#include "data/handoff/text_writers.h"

#include <algorithm>

namespace alidade::data::handoff {

namespace {

constexpr const char* top = "#!/bin/bash\n";

std::string assignment(const EnvironmentVariable& each) {
    if (each.address)
        return "# " + each.why + "\n" + each.name + "=$(hostname -I | awk '{print $1}')\nexport " +
               each.name + "\n";
    return "# " + each.why + "\nexport " + each.name + "=" + shellQuote(each.value) + "\n";
}

std::string arrayOf(const std::string& name, const std::vector<std::vector<std::string>>& lines) {
    std::string out = name + "=(\n";
    for (const std::vector<std::string>& line : lines) {
        out += "   ";
        for (const std::string& word : line)
            out += " " + shellQuote(word);
        out += "\n";
    }
    return out + ")\n";
}

std::string quotedWords(const std::vector<std::string>& list) {
    std::string out;
    for (const std::string& word : list)
        out += (out.empty() ? "" : " ") + shellQuote(word);
    return out;
}

/// Options by which the instances of one server find each other. They hold variables, so they are not quoted.
std::string meeting(const Program& program) {
    if (program.nodes < 2)
        return {};
    const std::string nodes = std::to_string(program.nodes);
    switch (program.launcher) {
    case Launcher::vllm:
        // A group that is larger than an instance: vLLM infers the groups from the ranks of the instances.
        if (program.attentionGroups > 1 && program.attentionGroups < program.nodes)
            return "MEETING=(--nnodes " + nodes +
                   " --node-rank \"$NODE_RANK\" --master-addr \"$HEAD\"\n"
                   "    --data-parallel-address \"$HEAD\" --data-parallel-rpc-port 13345)\n"
                   "if [ \"$NODE_RANK\" -gt 0 ]; then\n    MEETING+=(--headless)\nfi\n";
        if (program.attentionGroups > 1) {
            const int local = std::max(1, program.attentionGroups / program.nodes);
            return "MEETING=(--data-parallel-size-local " + std::to_string(local) +
                   " --data-parallel-address \"$HEAD\" --data-parallel-rpc-port 13345)\n"
                   "if [ \"$NODE_RANK\" -gt 0 ]; then\n"
                   "    MEETING+=(--headless --data-parallel-start-rank \"$((NODE_RANK * " +
                   std::to_string(local) + "))\")\nfi\n";
        }
        return "MEETING=(--nnodes " + nodes +
               " --node-rank \"$NODE_RANK\" --master-addr \"$HEAD\")\n"
               "if [ \"$NODE_RANK\" -gt 0 ]; then\n    MEETING+=(--headless)\nfi\n";
    case Launcher::sglang:
        return "MEETING=(--nnodes " + nodes +
               " --node-rank \"$NODE_RANK\" --dist-init-addr \"$HEAD:5000\")\n";
    default:
        return {};
    }
}

/// The instances of a program that runs on Ray: the first one runs the program once all have joined it.
std::string rayCluster(const Program& program) {
    if (program.launcher != Launcher::ray || program.nodes < 2)
        return {};
    const std::string gpus = std::to_string(program.gpusPerNode), nodes = std::to_string(program.nodes);
    return "if [ \"$NODE_RANK\" -gt 0 ]; then\n"
           "    until ray health-check --address \"$HEAD:6379\" 2>/dev/null; do\n        sleep 5\n    done\n"
           "    # It ends with the first instance, whose status is that of the job.\n"
           "    ray start --address \"$HEAD:6379\" --num-gpus " +
           gpus +
           " --block || true\n    exit 0\nfi\n"
           "ray start --head --port 6379 --num-gpus " +
           gpus +
           "\ntrap 'ray stop' EXIT\n"
           "joined() {\n"
           "    python3 -c 'import ray; ray.init(address=\"auto\"); "
           "print(sum(node[\"Alive\"] for node in ray.nodes()))' | tail -n 1\n"
           "}\n"
           "until [ \"$(joined)\" -ge " +
           nodes + " ]; do\n    sleep 5\ndone\n";
}

std::string commandOf(const Program& program) {
    const std::string arguments = " \"${ARGS[@]}\"";
    switch (program.launcher) {
    case Launcher::torchrun:
        // A rendezvous numbers the instances by the spelling of their names, which splits UltraServers.
        if (program.ordered || program.nodes > 1)
            return "torchrun --nnodes=" + std::to_string(program.nodes) +
                   " --nproc_per_node=" + std::to_string(program.gpusPerNode) +
                   " \\\n    --node_rank=\"$NODE_RANK\" --master_addr=\"$HEAD\" --master_port=29500 \\\n   "
                   " " +
                   quotedWords(program.command) + arguments;
        return "torchrun --nnodes=" + std::to_string(program.nodes) +
               " --nproc_per_node=" + std::to_string(program.gpusPerNode) +
               " \\\n    --rdzv_backend=c10d --rdzv_endpoint=\"$HEAD:29500\" \\\n    " +
               quotedWords(program.command) + arguments;
    case Launcher::accelerate:
        return "accelerate launch --config_file accelerate.yaml --machine_rank \"$NODE_RANK\" \\\n"
               "    --main_process_ip \"$HEAD\" --main_process_port 29500 \\\n    " +
               quotedWords(program.command) + arguments;
    case Launcher::trtllm:
        return (program.nodes > 1 ? "trtllm-llmapi-launch " : "") + quotedWords(program.command) + arguments;
    case Launcher::ray:
        return quotedWords(program.command) + arguments;
    default:
        return quotedWords(program.command) + arguments + (program.nodes > 1 ? " \"${MEETING[@]}\"" : "");
    }
}

/// Starts the servers that share an instance, and ends when one of them fails, with its status.
std::string serversOf(const Program& program) {
    const std::string gpus = std::to_string(program.gpusPerNode);
    const std::string groups = std::to_string(program.groups());
    std::string count = std::to_string(program.replicas / program.groups());
    std::string out = "# " + count + " servers share an instance.\n";
    if (program.isUneven()) {
        out = "# " + std::to_string(program.replicas) + " servers on " + groups +
              " instances.\nSERVERS=$(( (" + std::to_string(program.replicas + program.groups() - 1) +
              " - INSTANCE) / " + groups + " ))\n";
        count = "SERVERS";
    }
    const std::string loop = "for ((i = 0; i < " + count + "; i++)); do\n";
    out += "# The first one that fails ends the others and gives its status.\n"
           "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n";
    // Each has its own port for the other pool, as for its requests.
    const std::string channel = program.launcher == Launcher::vllm && program.role != "serve"
                                    ? "VLLM_NIXL_SIDE_CHANNEL_PORT=$((5600 + i * " + gpus + ")) "
                                    : std::string();
    out += loop + "    first=$((i * " + gpus + "))\n    " + channel +
           "CUDA_VISIBLE_DEVICES=$(seq -s, \"$first\" \"$((first + " +
           std::to_string(program.gpusPerNode - 1) + "))\") \\\n        " + commandOf(program) +
           " --port \"$((" + std::to_string(program.port()) + " + i))\" &\ndone\n";
    return out + loop + "    wait -n\ndone\n";
}

} // namespace

std::string scriptBody(const Program& program) {
    std::string out;
    for (const EnvironmentVariable& each : program.environment)
        out += assignment(each);
    if (!program.environment.empty())
        out += "\n";
    Program shown = program;
    const int copies = program.perNode();
    if (copies > 1) // each copy has its own port
        std::erase_if(shown.arguments.all, [](const Setting& each) { return each.name == "--port"; });
    out += arrayOf("ARGS", argumentLines(shown)) + meeting(program) + "\n" + rayCluster(program);
    return out + (copies < 2 ? commandOf(shown) + "\n" : serversOf(shown));
}

std::string firstHost() {
    // sed reads to the end: head closes the pipe on a long list, which pipefail takes for a failure.
    return "$(scontrol show hostnames \"${SLURM_JOB_NODELIST:?or HEAD is the name of the first instance}\" | "
           "sed -n 1p)";
}

std::string scriptName(const Program& program) {
    if (program.role == "train" || program.role == "serve")
        return program.role + ".sh";
    return "serve-" + program.role + ".sh";
}

std::string scriptText(const HandoffSource& source, const Job& job, const Program& program) {
    std::vector<std::string> head = headerLines(source, job, "");
    head.push_back("Runs on each of " + std::to_string(program.nodes) +
                   (program.nodes == 1 ? " instance" : " instances") + " of a " +
                   (program.role == "train" ? "job" : "server") +
                   (program.nodes > 1 ? "; NODE_RANK and HEAD come from Slurm, or from you." : "."));
    std::string out = top + commentOf(head) + "set -euo pipefail\n\n";
    const bool alone = program.nodes == 1;
    const bool rank = alone ? program.launcher == Launcher::accelerate ||
                                  (program.ordered && program.launcher != Launcher::ray)
                            : program.launcher != Launcher::trtllm;
    const bool meets =
        rank || program.launcher == Launcher::torchrun || program.launcher == Launcher::accelerate;
    if (rank)
        out += std::string("NODE_RANK=${NODE_RANK:-${SLURM_PROCID:") +
               (alone ? "-0" : "?or NODE_RANK is the number of this instance, from 0") + "}}\n";
    if (meets)
        out += "HEAD=${HEAD:-" + (alone ? std::string("localhost") : firstHost()) + "}\n";
    if (program.isUneven())
        out += "# number of this instance, 0 to " + std::to_string(program.groups() - 1) +
               "\nINSTANCE=${INSTANCE:-${SLURM_ARRAY_TASK_ID:-${SLURM_PROCID:-0}}}\n";
    return out + scriptBody(program);
}

void writeShell(const HandoffSource& source, const Job& job, Handoff& out) {
    for (const Program& program : job.programs)
        out.files.push_back({scriptName(program), scriptText(source, job, program), true});
}

} // namespace alidade::data::handoff
