// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/job.h"

#include "model/base/text.h"
#include "model/units/format.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace alidade::data::handoff {

namespace {

std::string seconds(double value) { return formatQuantity(value, Dimension::seconds); }

const Instance* instanceOf(const HandoffSource& source, const std::optional<std::string>& id) {
    return source.catalog.instance(id.value_or(source.scenario.hostType));
}

/// Sets where a program of `gpus` GPUs runs.
void place(const HandoffSource& source, Program& program, const std::optional<std::string>& instance,
           int gpus) {
    const Instance* machine = instanceOf(source, instance);
    program.instance = machine == nullptr ? std::string() : machine->id;
    program.instanceGpus = machine == nullptr ? std::max(1, source.scenario.gpusPerNode) : machine->gpus;
    program.gpusPerNode = std::min(gpus, program.instanceGpus);
    program.nodes = std::max(1, (gpus + program.instanceGpus - 1) / program.instanceGpus);
}

std::string degreesLine(const HandoffSource& source) {
    const ScenarioSpec& spec = source.estimate.scenario;
    std::string out;
    for (const auto& [path, word] : {std::pair{"plan.tensor_parallel", "tensor"},
                                     {"plan.context_parallel", "context"},
                                     {"plan.pipeline_parallel", "pipeline"},
                                     {"plan.virtual_pipeline", "virtual pipeline"},
                                     {"plan.expert_parallel", "expert"},
                                     {"plan.attention_data_parallel", "attention data"},
                                     {"plan.data_parallel", spec.workload.isServing() ? "replicas" : "data"},
                                     {"plan.train.tensor_parallel", "training tensor"},
                                     {"plan.train.pipeline_parallel", "training pipeline"},
                                     {"plan.train.context_parallel", "training context"},
                                     {"plan.train.expert_parallel", "training expert"},
                                     {"plan.rollout.tensor_parallel", "rollout tensor"},
                                     {"plan.rollout.expert_parallel", "rollout expert"}})
        if (const std::int64_t degree = fieldNumber(spec, path, 1); degree > 1)
            out += (out.empty() ? "" : ", ") + std::string(word) + " " + formatCount(degree);
    const DisaggregatedSpec& pools = spec.plan.disaggregated;
    if (pools.prefill.workers)
        out += (out.empty() ? "" : ", ") + formatCount(*pools.prefill.workers) + " prefill and " +
               formatCount(pools.decode.workers.value_or(1)) + " decode workers";
    return formatCount(source.estimate.gpus) + " GPUs" + (out.empty() ? "" : ": " + out);
}

} // namespace

std::vector<std::vector<std::string>> argumentLines(const Program& program) {
    std::vector<std::vector<std::string>> out;
    for (const Setting& each : program.arguments.all) {
        if (program.overrides) {
            out.push_back({each.name + "=" + each.value()});
            continue;
        }
        std::vector<std::string> line{each.name};
        line.insert(line.end(), each.values.begin(), each.values.end());
        out.push_back(std::move(line));
    }
    return out;
}

std::vector<std::string> predictionLines(const Estimate& estimate) {
    std::vector<std::string> out;
    if (estimate.training) {
        const Training& training = *estimate.training;
        out.push_back("step time " + seconds(training.stepTime) + ", " +
                      formatQuantity(training.tokensPerSecond, Dimension::tokensPerSecond) + ", MFU " +
                      formatQuantity(training.mfu, Dimension::ratio));
    }
    if (estimate.serving) {
        const Serving& serving = *estimate.serving;
        out.push_back("TTFT " + seconds(serving.ttft) + ", ITL " + seconds(serving.itl) + ", " +
                      formatQuantity(serving.outputTokensPerSecond, Dimension::tokensPerSecond) + " output");
    }
    if (estimate.headline)
        out.push_back(estimate.headline->name + " " +
                      formatQuantity(estimate.headline->value, estimate.headline->dimension()) +
                      " (80 % band " +
                      formatQuantity(estimate.headline->low, estimate.headline->dimension()) + " to " +
                      formatQuantity(estimate.headline->high, estimate.headline->dimension()) + ")");
    if (estimate.memory)
        out.push_back(
            "memory " + formatQuantity(estimate.memory->totalBytes, Dimension::bytes, {.binary = true}) +
            " of " + formatQuantity(estimate.memory->capacityBytes, Dimension::bytes, {.binary = true}) +
            " per GPU" + (estimate.fits ? "" : ": does not fit"));
    return out;
}

std::vector<std::string> headerLines(const HandoffSource& source, const Job& job,
                                     const std::string& cluster) {
    std::vector<std::string> out;
    out.push_back(source.estimate.scenario.name.value_or(source.estimate.modelName));
    out.push_back("Written by " + source.program + " for " + job.toolName + " " + job.toolVersion +
                  (cluster.empty() ? "" : " on " + cluster));
    out.push_back(source.estimate.modelName + " on " + source.estimate.clusterName);
    out.push_back(degreesLine(source));
    for (const std::string& line : predictionLines(source.estimate))
        out.push_back("predicted: " + line);
    for (const LeftOut& each : job.leftOut)
        out.push_back("not expressed: " + each.path + " = " + each.value + " (" + each.why + ")");
    for (const std::string& warning : job.warnings)
        out.push_back("note: " + warning);
    return out;
}

std::string regionOf(std::string_view place) {
    std::string out;
    for (std::size_t at = 0; at < place.size();) {
        const std::size_t dash = std::min(place.find('-', at), place.size());
        const std::string_view part = place.substr(at, dash - at);
        const std::size_t digits = std::min(part.find_first_not_of("0123456789"), part.size());
        if (digits > 0 && !out.empty()) // the zone a of us-east-1 is us-east-1a
            return out + "-" + std::string(part.substr(0, digits));
        if (part.empty() || part.find_first_not_of("abcdefghijklmnopqrstuvwxyz") != std::string_view::npos)
            break;
        (out += out.empty() ? "" : "-") += part;
        at = dash + 1;
    }
    return "CHANGE_ME_REGION";
}

std::string slugOf(std::string_view words) {
    std::string out;
    for (const char c : words) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (plain)
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!out.empty() && out.back() != '-')
            out += '-';
    }
    out = out.substr(0, 30);
    while (!out.empty() && out.back() == '-')
        out.pop_back();
    return out.empty() || std::isdigit(static_cast<unsigned char>(out.front())) != 0 ? "job-" + out : out;
}

std::string slugOf(const HandoffSource& source) {
    return slugOf(std::string_view(source.estimate.scenario.workload.model.value_or("model")));
}

std::string repositoryOf(const ScenarioSpec& spec, std::vector<std::string>& warnings) {
    const ModelNames* names = namesOf(spec.workload.model.value_or(""));
    if (names == nullptr || names->huggingFace.empty()) {
        const std::string note = "no repository is known for the model";
        if (std::ranges::find(warnings, note) == warnings.end())
            warnings.push_back(note);
        return "CHANGE_ME_MODEL";
    }
    const std::string weights = spec.plan.weights.value_or("");
    for (const std::string& each : names->huggingFace)
        for (const auto& [suffix, format] : weightSuffixes())
            if (!weights.empty() && format == weights && each.ends_with(suffix))
                return each;
    return names->huggingFace.front();
}

Program trainingProgram(const HandoffSource& source) {
    Program out;
    out.role = "train";
    place(source, out, {}, std::max(1, source.estimate.gpus));
    return out;
}

std::vector<Program> servingPrograms(const HandoffSource& source) {
    const ScenarioSpec& spec = source.estimate.scenario;
    const DisaggregatedSpec& pools = spec.plan.disaggregated;
    std::vector<Program> out;
    const auto add = [&](const std::string& role, const std::optional<std::string>& instance,
                         std::int64_t gpus, std::int64_t groups, std::int64_t replicas) {
        Program program;
        program.role = role;
        program.replicas = static_cast<int>(replicas);
        program.attentionGroups = static_cast<int>(groups);
        place(source, program, instance, static_cast<int>(gpus));
        out.push_back(std::move(program));
    };
    const auto addPool = [&](const std::string& role, const PoolSpec& pool) {
        const std::int64_t groups = pool.attentionDataParallel.value_or(1);
        add(role, pool.instance, pool.tensorParallel.value_or(1) * pool.pipelineParallel.value_or(1) * groups,
            groups, pool.workers.value_or(1));
    };
    if (pools.prefill.workers || pools.decode.workers) {
        addPool("prefill", pools.prefill);
        addPool("decode", pools.decode);
        return out;
    }
    const std::int64_t groups = spec.plan.attentionDataParallel.value_or(1);
    add("serve", {}, spec.plan.tensorParallel.value_or(1) * spec.plan.pipelineParallel.value_or(1) * groups,
        groups, spec.plan.dataParallel.value_or(1));
    return out;
}

bool sendsOverEfa(const HandoffSource& source, const Program& program) {
    const Instance* machine = source.catalog.instance(program.instance);
    return (program.role == "prefill" || program.role == "decode") && machine != nullptr &&
           machine->efaGeneration && source.estimate.scenario.plan.disaggregated.transfer != "nvlink";
}

double tokensOf(const HandoffSource& source) {
    const Scenario& scenario = source.scenario;
    return scenario.hasTokens ? scenario.inputs[Input::tokens] : 0;
}

bool tunesAllWeights(const HandoffSource& source) {
    const auto& written = source.written.workload.finetune;
    return source.estimate.scenario.workload.finetune.kind == "full" && (written.kind || written.examples);
}

std::string checkpointSteps(const HandoffSource& source) {
    const Estimate& planned = source.estimate;
    if (!planned.run || !planned.training || !(planned.training->stepTime > 0))
        return "CHANGE_ME_SAVE_INTERVAL";
    const double steps = planned.run->checkpoint.interval / planned.training->stepTime;
    if (!(steps > 0) || steps > 1e9)
        return "CHANGE_ME_SAVE_INTERVAL";
    return std::to_string(std::max(1LL, std::llround(steps)));
}

std::vector<EnvironmentVariable> environmentOf(const HandoffSource& source, std::string_view tool,
                                               const Program& program) {
    const Instance* machine = source.catalog.instance(program.instance);
    const bool efa = machine != nullptr && machine->efaGeneration && program.leavesInstance();
    const bool ultraserver = source.estimate.scenario.cluster.ultraserver.has_value();
    const std::string sharding = source.estimate.scenario.plan.sharding.value_or("zero1");
    const PlanSpec& plan = source.estimate.scenario.plan;
    const bool ordered = plan.tensorParallel.value_or(1) > 1 || plan.contextParallel.value_or(1) > 1;
    const bool blackwell =
        source.scenario.model.id.empty() ? false : machine != nullptr && machine->id.starts_with("p6");
    const bool megatron =
        tool.starts_with("megatron") && (sharding == "none" || sharding == "zero1") && ordered && !blackwell;
    // The rollout engines of verl give their memory back, for which theirs must not be expandable.
    const bool torch = program.role == "train" && tool != "verl";
    const bool overNvlink = source.estimate.scenario.plan.disaggregated.transfer == "nvlink";
    const bool pool = program.role == "prefill" || program.role == "decode";
    const std::string ofPool = pool ? "pool " + std::string(tool) : std::string();
    const std::string overEfa = sendsOverEfa(source, program) ? "efa " + ofPool : std::string();
    const std::string ofNvlink =
        overNvlink && pool ? (ultraserver ? "mnnvl " : "nvlink ") + ofPool : std::string();
    std::vector<EnvironmentVariable> out;
    for (const EnvironmentVariable& each : environmentTable())
        if ((each.when == "efa" && efa) || (each.when == "ultraserver" && ultraserver) ||
            (each.when == "megatron" && megatron) || (each.when == "torch" && torch) || each.when == ofPool ||
            each.when == overEfa || each.when == ofNvlink)
            out.push_back(each);
    return out;
}

} // namespace alidade::data::handoff
