// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/script.h"
#include "data/handoff/text_writers.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace alidade::data::handoff {

namespace {

/// Text of a person in Markdown: on one line, and without what would begin markup.
std::string markdownText(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20)
            out += ' ';
        else if (std::string_view("`*<>[]|\\").find(c) != std::string_view::npos)
            (out += '\\') += c;
        else
            out += c;
    }
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

std::string runLines(const Job& job, const std::string& cluster, const Handoff& all) {
    std::string out;
    const TargetInfo* target = handoffTarget(cluster);
    for (const HandoffFile& file : all.files) {
        // One file of each role: job-prefill.sbatch beside job-decode.sbatch.
        const bool taken =
            target != nullptr && (file.name == target->writes || file.name.ends_with(".sbatch"));
        if (taken && !target->apply.empty())
            out += "    " + target->apply + file.name + "\n";
        else if (cluster.empty() && file.name.ends_with(".sh"))
            out += "    bash " + file.name + "\n";
    }
    if (job.programs.size() == 1 && job.programs.front().nodes > 1 && cluster.empty())
        out = "On each instance, with its number and the name of the first one:\n\n    NODE_RANK=0 "
              "HEAD=node0 bash " +
              scriptName(job.programs.front()) + "\n";
    return out;
}

} // namespace

void writeReadme(const HandoffSource& source, const Job& job, const std::string& cluster, Handoff& out) {
    const ScenarioSpec& spec = source.estimate.scenario;
    std::string text = "# " + markdownText(spec.name.value_or(source.estimate.modelName)) + "\n\n";
    text += "Written by " + source.program + " for " + job.toolName + " " + job.toolVersion;
    const TargetInfo* target = handoffTarget(cluster);
    if (target != nullptr)
        text += " and " + target->name + (target->version.empty() ? "" : " " + target->version);
    text += ".\n\n";
    const std::string run = runLines(job, cluster, out);
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
    text += "\n## The plan\n\n";
    for (const char* path : {"workload.model",         "workload.sequence_length",
                             "workload.global_batch",  "workload.tokens",
                             "cluster.instance",       "cluster.ultraserver",
                             "cluster.instances",      "plan.tensor_parallel",
                             "plan.context_parallel",  "plan.pipeline_parallel",
                             "plan.virtual_pipeline",  "plan.schedule",
                             "plan.expert_parallel",   "plan.expert_tensor_parallel",
                             "plan.data_parallel",     "plan.attention_data_parallel",
                             "plan.sharding",          "plan.micro_batch",
                             "plan.precision",         "plan.fp8_recipe",
                             "plan.recompute",         "plan.optimizer",
                             "plan.weights",           "plan.kv_cache",
                             "plan.max_batch",         "plan.chunk_tokens",
                             "plan.memory_utilization"})
        if (const std::string word = fieldWord(spec, path); !word.empty())
            text += "    " + std::string(path) + " = " + word + "\n";
    out.files.push_back({"README.md", text, false});
}

} // namespace alidade::data::handoff
