// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/search_job.h"

#include "data/handoff/job.h"
#include "data/handoff/text_writers.h"
#include "data/json/json.h"
#include "model/base/text.h"

#include <algorithm>

namespace alidade::data {

using namespace handoff;

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* inputFolder = "/etc/alidade";
constexpr std::uint64_t blockOfPlans = 256;      ///< that a search hands out at once
constexpr std::uint64_t usualArraySize = 1000;   ///< Slurm's MaxArraySize is 1001 and excludes itself
constexpr std::size_t mostConfigMap = 1'000'000; ///< bytes; the API server refuses more than 1 MiB

std::string countOf(std::uint64_t number) { return formatCount(static_cast<std::int64_t>(number)); }

std::vector<std::string> headingOf(const SearchJob& job, const std::string& what) {
    return {job.title, "Written by " + job.program + ": " + what,
            countOf(job.plans) + " plans in " + countOf(job.shards) + (job.shards == 1 ? " part" : " parts")};
}

std::string joinedWords(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : " ") + shellQuote(word);
    return out;
}

/// "ARGS=(" and one word a line; empty: no such array.
std::string arrayLines(const std::string& name, const std::vector<std::string>& words) {
    std::string out = name + "=(\n";
    for (const std::string& word : words)
        out += "    " + shellQuote(word) + "\n";
    return out + ")\n";
}

std::string readmeOf(const SearchJob& job, const std::string& how, const Handoff& all) {
    std::string out = "# Search\n\n" + countOf(job.plans) + " plans in " + countOf(job.shards) +
                      (job.shards == 1 ? " part" : " parts") + ", written by " + job.program + ".\n\n" + how;
    out +=
        "\nEvery machine needs the same version of alidade. Parts may run in any order and be repeated; the "
        "merged answer is the one that `alidade search` gives on one machine. The last step refuses parts "
        "whose figures it does not find again, as of another scenario or catalog.\n";
    if (!all.warnings.empty()) {
        out += "\n## Before you run it\n\n";
        for (const std::string& each : all.warnings)
            out += "- " + each + "\n";
    }
    if (!all.placeholders.empty()) {
        out += "\n## Replace\n\n";
        for (const std::string& each : all.placeholders)
            out += "- " + each + "\n";
    }
    return out;
}

void writeSlurmArray(const SearchJob& job, Handoff& out) {
    const std::string name = "search-" + slugOf(std::string_view(job.name));
    const std::string shards = std::to_string(job.shards);
    std::vector<std::string> arguments = job.common;
    arguments.insert(arguments.end(), job.arguments.begin(), job.arguments.end());
    const std::string program = "ALIDADE=${ALIDADE:-alidade} # on each node\n";

    std::string part = "#!/bin/bash\n#SBATCH --job-name=" + name + "\n#SBATCH --array=1-" + shards +
                       "\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=" + std::to_string(job.threads) +
                       "\n#SBATCH --output=search-%a.log\n";
    part += commentOf(headingOf(job, "one part of a search for each task of the array"));
    part += "set -euo pipefail\n\n" + program + arrayLines("ARGS", arguments);
    part += "mkdir -p shards\n"
            "\"$ALIDADE\" search \"${ARGS[@]}\" --threads \"${SLURM_CPUS_PER_TASK:-" +
            std::to_string(job.threads) + "}\" \\\n    --shard \"$SLURM_ARRAY_TASK_ID/" + shards +
            "\" -o \"shards/$SLURM_ARRAY_TASK_ID.json\"\n";

    std::string merge =
        "#!/bin/bash\n#SBATCH --job-name=" + name +
        "-merge\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\n#SBATCH --output=answer.txt\n";
    merge += commentOf(headingOf(job, "the parts of a search become its answer"));
    merge += "set -euo pipefail\n\n" + program + "SHARDS=()\nfor ((i = 1; i <= " + shards +
             "; i++)); do\n    SHARDS+=(\"shards/$i.json\")\ndone\n\"$ALIDADE\" search " +
             (job.common.empty() ? "" : joinedWords(job.common) + " ") +
             "--merge \"${SHARDS[@]}\" -o answer.json\n";

    std::string submit = "#!/bin/bash\n";
    std::vector<std::string> heading = headingOf(job, "starts the parts and, once all are done, the merge");
    heading.emplace_back("Options of sbatch may follow: ./submit.sh --partition=NAME --time=1:00:00");
    submit += commentOf(heading);
    submit += "set -euo pipefail\n"
              "cd -- \"$(dirname -- \"${BASH_SOURCE[0]}\")\"\n\n"
              "SHARDS=$(sbatch --parsable \"$@\" search.sbatch)\n"
              "SHARDS=${SHARDS%%;*} # a federation appends the cluster\n"
              "MERGE=$(sbatch --parsable --dependency=\"afterok:$SHARDS\" --kill-on-invalid-dep=yes \"$@\" "
              "merge.sbatch)\n"
              "echo \"Job $SHARDS searches, job ${MERGE%%;*} merges; the answer comes to answer.txt and "
              "answer.json\"\n";
    out.files = {{"submit.sh", submit, true}, {"search.sbatch", part, false}, {"merge.sbatch", merge, false}};
    out.files.insert(out.files.end(), job.files.begin(), job.files.end());
    if (job.shards > usualArraySize)
        out.warnings.push_back("MaxArraySize of Slurm is 1001 unless the cluster raised it: " +
                               countOf(job.shards) + " parts need more");
    out.files.push_back(
        {"README.md",
         readmeOf(job,
                  "    ./submit.sh --partition=NAME\n\nThe folder has to be on a file system that "
                  "all nodes share. Repeat parts that failed with `sbatch --array=3,7 "
                  "search.sbatch`, then `sbatch merge.sbatch`.\n",
                  out),
         false});
}

/// The kubelet replaces $(NAME) and takes $$ for $.
std::string literally(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += c == '$' ? std::string("$$") : std::string(1, c);
    return out;
}

Json podOf(const SearchJob& job, const std::string& name, const std::string& script,
           const std::vector<std::string>& arguments, int cores) {
    Json container = {{"name", "search"}, {"image", "CHANGE_ME_IMAGE"}};
    Json mounts = Json::array({{{"name", "shards"}, {"mountPath", "/shards"}}});
    Json volumes =
        Json::array({{{"name", "shards"}, {"persistentVolumeClaim", {{"claimName", "CHANGE_ME_CLAIM"}}}}});
    if (!job.files.empty()) {
        container["workingDir"] = inputFolder;
        mounts.push_back({{"name", "input"}, {"mountPath", inputFolder}});
        volumes.push_back({{"name", "input"}, {"configMap", {{"name", name}}}});
    }
    // The shell gets the words of the search as arguments, so that it expands nothing in them.
    container["command"] = Json::array({"sh", "-c", literally(script), "search"});
    Json words = Json::array();
    for (const std::string& each : arguments)
        words.push_back(literally(each));
    if (!words.empty())
        container["args"] = words;
    container["resources"] = {{"requests", {{"cpu", std::to_string(cores)}}}};
    container["volumeMounts"] = mounts;
    return {{"spec",
             {{"restartPolicy", "Never"}, {"containers", Json::array({container})}, {"volumes", volumes}}}};
}

Json jobOf(const SearchJob& job, const std::string& name) {
    return {{"apiVersion", "batch/v1"},
            {"kind", "Job"},
            {"metadata", {{"name", name}, {"annotations", {{"alidade.invalid/scenario", job.title}}}}}};
}

/// \returns why it cannot be written, or nothing
std::string writeKubernetesJob(const SearchJob& job, Handoff& out) {
    const std::string name = "search-" + slugOf(std::string_view(job.name));
    const std::string shards = std::to_string(job.shards);
    std::vector<Json> documents;
    if (!job.files.empty()) {
        Json data = Json::object();
        std::size_t bytes = 0;
        for (const HandoffFile& file : job.files) {
            data[file.name] = file.text;
            bytes += file.text.size();
        }
        if (bytes > mostConfigMap)
            return "the files of the scenario have " + countOf(bytes) +
                   " bytes and a ConfigMap holds 1 MiB; use slurm-array";
        documents.push_back(
            {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}}}, {"data", data}});
    }
    std::vector<std::string> arguments = job.common;
    arguments.insert(arguments.end(), job.arguments.begin(), job.arguments.end());
    arguments.insert(arguments.end(), {"--threads", std::to_string(job.threads)});
    Json parts = jobOf(job, name);
    parts["spec"] = {{"completionMode", "Indexed"},
                     {"completions", job.shards},
                     {"parallelism", job.shards},
                     {"backoffLimitPerIndex", 2}};
    parts["spec"]["template"] =
        podOf(job, name,
              "shard=$((JOB_COMPLETION_INDEX + 1))\nexec alidade search \"$@\" --shard \"$shard/" + shards +
                  "\" -o \"/shards/$shard.json\"\n",
              arguments, job.threads);
    documents.push_back(parts);

    Json merge = jobOf(job, name + "-merge");
    merge["spec"] = {{"backoffLimit", 2}};
    merge["spec"]["template"] = podOf(job, name,
                                      "set -- \"$@\" --merge\ni=1\nwhile [ \"$i\" -le " + shards +
                                          " ]; do\n    set -- \"$@\" \"/shards/$i.json\"\n    i=$((i + "
                                          "1))\ndone\nexec alidade search \"$@\" -o /shards/answer.json\n",
                                      job.common, 1);

    std::string submit = "#!/bin/bash\n";
    std::vector<std::string> heading = headingOf(job, "runs the parts and, once all are done, the merge");
    heading.emplace_back("Options of kubectl may follow: ./submit.sh --namespace=NAME");
    submit += commentOf(heading);
    submit += "set -euo pipefail\ncd -- \"$(dirname -- \"${BASH_SOURCE[0]}\")\"\n\nJOB=" + shellQuote(name) +
              "\nOPTIONS=(\"$@\")\n\n"
              "# Waits until a job is complete; fails once it has failed.\n"
              "finish() {\n"
              "    local state\n"
              "    while true; do\n"
              "        state=$(kubectl get job \"$1\" \"${OPTIONS[@]}\" \\\n"
              "            -o jsonpath='{.status.conditions[?(@.status==\"True\")].type}')\n"
              "        case $state in\n"
              "            *Failed*)\n"
              "                echo \"job $1 failed: kubectl describe job $1\" >&2\n"
              "                return 1\n"
              "                ;;\n"
              "            *Complete*) return 0 ;;\n"
              "        esac\n"
              "        sleep 5\n"
              "    done\n"
              "}\n\n"
              "kubectl apply \"${OPTIONS[@]}\" -f search.yaml\n"
              "finish \"$JOB\"\n"
              "kubectl apply \"${OPTIONS[@]}\" -f merge.yaml\n"
              "finish \"$JOB-merge\"\n"
              "kubectl logs \"${OPTIONS[@]}\" \"job/$JOB-merge\"\n";
    out.files = {
        {"submit.sh", submit, true},
        {"search.yaml",
         commentOf(headingOf(job, "one part of a search for each index of the Job")) + yamlText(documents),
         false},
        {"merge.yaml", commentOf(headingOf(job, "the parts of a search become its answer")) + yamlText(merge),
         false}};
    out.placeholders = {"CHANGE_ME_CLAIM", "CHANGE_ME_IMAGE"};
    out.files.push_back(
        {"README.md",
         readmeOf(job,
                  "    ./submit.sh --namespace=NAME\n\nCHANGE_ME_IMAGE is an image with alidade and sh; "
                  "CHANGE_ME_CLAIM is a volume claim that all pods may write (ReadWriteMany), such as one of "
                  "FSx for "
                  "Lustre or EFS. The answer is printed, and comes to answer.json in that volume.\n",
                  out),
         false});
    return {};
}

} // namespace

const std::vector<std::string>& searchTargets() {
    static const std::vector<std::string> all{"slurm-array", "kubernetes-job"};
    return all;
}

Result<Handoff> writeSearchJob(const SearchJob& job, const std::string& target) {
    Handoff out;
    if (const std::uint64_t blocks = (job.plans + blockOfPlans - 1) / blockOfPlans; blocks < job.shards)
        out.warnings.push_back("a search hands out blocks of 256 plans, and this one has " + countOf(blocks) +
                               ": additional parts would be idle");
    if (target == "slurm-array") {
        writeSlurmArray(job, out);
        return out;
    }
    if (target == "kubernetes-job") {
        if (std::string fault = writeKubernetesJob(job, out); !fault.empty())
            return Error{std::move(fault)};
        return out;
    }
    const std::string near = nearestName(target, searchTargets());
    return Error{
        "no target '" + target + "' for a search; " +
        (near.empty() ? "there are slurm-array and kubernetes-job" : "did you mean '" + near + "'?")};
}

} // namespace alidade::data
