// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/script.h"
#include "data/handoff/storage.h"
#include "data/handoff/text_writers.h"
#include "model/scenario/fields.h"
#include "model/units/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace alidade::data::handoff {

namespace {

/// Text of a person in Markdown: on one line, and without what would begin markup.
std::string markdownText(const std::string& text) {
    std::string out;
    for (const char c : text)
        if (static_cast<unsigned char>(c) < 0x20)
            out += ' ';
        else if (std::string_view("`*<>[]|\\").find(c) != std::string_view::npos)
            (out += '\\') += c;
        else
            out += c;
    return out;
}

std::string listOf(const std::string& title, const std::vector<std::string>& items) {
    if (items.empty())
        return {};
    std::string out = "\n## " + title + "\n\n";
    for (const std::string& item : items)
        out += "- " + markdownText(item) + "\n";
    return out;
}

/// How a person runs the scripts without a cluster that starts them.
std::string scriptLines(const Job& job) {
    std::string out;
    for (const Program& program : job.programs) {
        const std::string run = "bash " + scriptName(program) + "\n";
        if (program.nodes > 1)
            out += "On each instance, with its number and the name of the first one:\n\n    NODE_RANK=0 "
                   "HEAD=node0 " +
                   run;
        else if (program.isUneven())
            out += "On each of " + std::to_string(program.groups()) +
                   " instances, with its number:\n\n    INSTANCE=0 " + run;
        else
            out += "    " + run;
    }
    return out;
}

/// How the job is started where the file of the cluster makes only the cluster.
std::string jobLines(const HandoffSource& source, const Job& job, const Handoff& all) {
    const auto has = [&all](const auto& is) { return std::ranges::any_of(all.files, is); };
    const bool scripts = std::ranges::any_of(job.programs, [&](const Program& program) {
        return has([&](const HandoffFile& file) { return file.name == scriptName(program); });
    });
    if (!scripts || has([](const HandoffFile& file) { return file.name.ends_with(".sbatch"); }))
        return {};
    const Storage storage = storageOf(source);
    std::string out = "\nThen copy this folder to where all instances see it" + // they run Slurm
                      (storage.isLustre() ? ", below " + storage.folder : std::string()) +
                      ", and there, on a login node of that cluster:\n\n";
    // A type of GPU is there only where gres.conf names it; the count alone always is.
    const auto plain = [](const std::string& option) {
        const bool typed = option.starts_with("--gres=");
        return typed ? "--gres=gpu:" + option.substr(option.rfind(':') + 1) : option;
    };
    for (const Program& program : job.programs) {
        const int nodes = program.nodes > 1 ? program.nodes : program.groups();
        out += "    " + srunCommand(program);
        for (const std::string& each : slurmResources(source, program, nodes))
            out += plain(each) + " ";
        out += "--partition=gpu bash " + scriptName(program) + "\n";
    }
    for (const Program& program : job.programs)
        if (program.nodes > 1 && program.replicas > 1)
            out += "\n" + scriptName(program) + " is one server of " + std::to_string(program.replicas) +
                   ": run its line " + std::to_string(program.replicas) + " times.\n";
    return out;
}

std::string runLines(const HandoffSource& source, const Job& job, const std::string& cluster,
                     const Handoff& all) {
    const TargetInfo* target = handoffTarget(cluster);
    if (target == nullptr)
        return scriptLines(job);
    if (target->apply.empty()) // HyperPod with Slurm
        return "Put " + target->writes +
               " next to the lifecycle scripts in the S3 folder that the cluster is created with "
               "(LifeCycleConfig.SourceS3Uri of aws sagemaker create-cluster): they read it on each "
               "instance. Then make the cluster:\n\n    aws sagemaker create-cluster --cli-input-json "
               "file://create-cluster.json\n" +
               jobLines(source, job, all);
    std::string out;
    if (const TargetInfo* extra = handoffTarget(job.extra)) // what the job needs is made first
        out += "    " + extra->apply + extra->writes + "\n";
    for (const HandoffFile& file : all.files) // job-prefill.sbatch alongside job-decode.sbatch
        if (file.name == target->writes || file.name.ends_with(".sbatch"))
            out += "    " + target->apply + file.name + "\n";
    return out + jobLines(source, job, all);
}

/// The degrees that a reader looks for, also where the plan leaves them to their defaults.
constexpr std::array degrees{"cluster.instance",      "cluster.ultraserver",   "cluster.instances",
                             "plan.tensor_parallel",  "plan.context_parallel", "plan.pipeline_parallel",
                             "plan.virtual_pipeline", "plan.schedule",         "plan.expert_parallel",
                             "plan.data_parallel",    "plan.sharding",         "plan.micro_batch",
                             "plan.precision",        "plan.recompute",        "plan.optimizer",
                             "plan.weights",          "plan.kv_cache",         "plan.max_batch"};

/// Every field that the plan sets, as --set takes it. Lists of hosts are in separate files.
std::string planLines(const HandoffSource& source) {
    std::string out;
    for (const Field& field : fieldTable()) {
        const bool degree = std::ranges::find(degrees, field.path) != degrees.end();
        const std::string word =
            fieldWord(degree ? source.estimate.scenario : source.written, std::string(field.path));
        const bool ofPlan = field.path.starts_with("workload.") || field.path.starts_with("cluster.") ||
                            field.path.starts_with("plan.");
        if (ofPlan && !word.empty() && field.path != "cluster.placement" &&
            field.path != "cluster.excluded_hosts")
            out += "    " + std::string(field.path) + " = " + printable(word) + "\n";
    }
    return out;
}

} // namespace

void writeReadme(const HandoffSource& source, const Job& job, const std::string& cluster, Handoff& out) {
    std::string text =
        "# " + markdownText(source.estimate.scenario.name.value_or(source.estimate.modelName)) + "\n\n";
    text += "Written by " + source.program + " for " + job.toolName + " " + job.toolVersion;
    const TargetInfo* target = handoffTarget(cluster);
    if (target != nullptr)
        text += " and " + target->name + (target->version.empty() ? "" : " " + target->version);
    if (const TargetInfo* extra = handoffTarget(job.extra))
        text += ", with " + extra->name + " " + extra->version;
    text += ".\n\n";
    const std::string run = runLines(source, job, cluster, out);
    if (!run.empty())
        text += run;
    std::vector<std::string> predicted = predictionLines(source.estimate);
    predicted.insert(predicted.begin(), markdownText(source.estimate.modelName) + " on " +
                                            markdownText(source.estimate.clusterName));
    if (source.estimate.cost)
        predicted.push_back(
            "$" + std::to_string(static_cast<long long>(source.estimate.cost->dollarsPerHour + 0.5)) +
            " an hour");
    text += listOf("What Alidade predicts", predicted);
    std::vector<std::string> left;
    for (const LeftOut& each : out.leftOut)
        left.push_back(each.path + " = " + each.value + ": " + each.why);
    text += listOf("What these files do not express", left);
    text += listOf("Before you run it", out.warnings);
    text += listOf("Replace", out.placeholders);
    text += "\n## The plan\n\n" + planLines(source);
    out.files.push_back({"README.md", text, false});
}

} // namespace alidade::data::handoff
