// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/engine/engine.h"
#include "model/estimate/error_band.h"
#include "model/estimate/reinforcement.h"
#include "model/posttraining/response_lengths.h"
#include "model/validation/predict_row.h"
#include "model/validation/prediction.h"
#include "model/validation/published_scenario.h"
#include "model/workload/parameters.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace alidade {

namespace {

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool says(const std::string& text, std::string_view word) {
    return lower(text).find(word) != std::string::npos;
}

/// A published row as a scenario.
struct RlScenario {
    std::shared_ptr<const ScenarioSpec> spec;
    std::string lacks; ///< why there is none
    std::vector<std::string> assumed;
};

/// Words of sources, and those of a scenario.
struct SourceWord {
    std::string_view source;
    const char* word;
};

/// Where rollout and training run; nullopt for a word that no source has used so far. Without one they share
/// their GPUs, as most published runs do.
std::optional<std::string> placementOf(const std::string& mode) {
    constexpr std::array known{SourceWord{"", "colocated"},
                               SourceWord{"colocated", "colocated"},
                               SourceWord{"disaggregated", "split"},
                               SourceWord{"disaggregated_sync", "split"},
                               SourceWord{"disaggregated_async", "async"},
                               SourceWord{"one_step_off", "one_step_off"}};
    const auto found = std::ranges::find(known, mode, &SourceWord::source);
    return found == known.end() ? std::nullopt : std::optional<std::string>(found->word);
}

/// The path of the weights that the row's words name.
std::string pathOf(const PublishedReinforcement& row, const std::string& placement) {
    const std::string words =
        row.id + " " + row.source.table + " " + row.source.row + " " + row.source.title + " " + row.group;
    if (placement == "colocated")
        return "refit";
    if (says(row.id, "delta") && !says(row.id, "-full"))
        return "delta";
    if (says(row.id, "off") && says(row.id, "ckptengine"))
        return "broadcast";
    for (const auto& [word, path] : {std::pair("nixl", "rdma"),
                                     {"rdma", "rdma"},
                                     {"moonshot", "host_staged"},
                                     {"reshard", "reshard"},
                                     {"bucket", "bucketed"},
                                     {"ckptengine", "bucketed"},
                                     {"checkpoint engine", "bucketed"}}) {
        if (says(words, word))
            return path;
    }
    // NeMo RL sends shards to the ranks that need them.
    return says(row.framework, "verl") ? "broadcast" : says(row.framework, "nemo") ? "reshard" : "bucketed";
}

/// The method that a source names; nullopt for one that is not modeled. GSPO and GPG have the phases of GRPO,
/// and what is said of any method is predicted with it.
std::optional<std::string> algorithmOf(const std::string& words) {
    constexpr std::array known{SourceWord{"ppo", "ppo"},   SourceWord{"grpo", "grpo"},
                               SourceWord{"dapo", "dapo"}, SourceWord{"rloo", "rloo"},
                               SourceWord{"gspo", "grpo"}, SourceWord{"reinforce++", "reinforce++"},
                               SourceWord{"gpg", "grpo"},  SourceWord{"any", "grpo"}};
    const auto found =
        std::ranges::find_if(known, [&](const SourceWord& w) { return says(words, w.source); });
    return found == known.end() ? std::nullopt : std::optional<std::string>(found->word);
}

/// cv for which the lengths have the published longest response, or the published share of cut ones.
double cvOf(const PublishedReinforcement& row, double mean, double limit, double sequences, double usual) {
    const auto found = [&](const auto& rises, double target) {
        double low = 0.05, high = 3;
        for (int i = 0; i < 40; ++i) {
            const double middle = (low + high) / 2;
            (rises(ResponseLengths(mean, middle, limit)) < target ? low : high) = middle;
        }
        return low;
    };
    if (row.longestResponse && *row.longestResponse < 0.98 * limit && *row.longestResponse > mean)
        return found([&](const ResponseLengths& l) { return l.longestOf(sequences); }, *row.longestResponse);
    if (row.cutShare && *row.cutShare > 0)
        return found([](const ResponseLengths& l) { return l.cutShare(); }, *row.cutShare);
    return usual;
}

/// What is asked for; what is missing, for a person.
std::string fillWorkload(const PublishedReinforcement& row, RlScenario& out, WorkloadSpec& w) {
    ReinforcementSpec& r = w.reinforcement;
    const bool syncOnly = row.kind == "sync";
    r.algorithm = algorithmOf(row.algorithm);
    if (!r.algorithm)
        return "the method '" + row.algorithm + "' is not modeled";
    r.reference = !row.reference.empty() || (row.referenceTime && *row.referenceTime > 0) ||
                  (says(row.framework, "nemo") && says(row.algorithm, "grpo"));
    if (r.algorithm == "ppo" && row.critic.empty() && says(row.algorithm, "without critic"))
        r.algorithm = "reinforce++";
    const std::optional<int> sequences = row.sequences ? row.sequences
                                         : row.prompts && row.samples
                                             ? std::optional(*row.prompts * *row.samples)
                                             : std::nullopt;
    if (!sequences && !syncOnly)
        return "the source does not give the responses of a step";
    if (!row.responseTokens && !syncOnly)
        return "the source does not give the length of the responses";
    const int all = sequences.value_or(256);
    r.samplesPerPrompt = row.samples.value_or(1);
    if (all % *r.samplesPerPrompt != 0)
        r.samplesPerPrompt = 1;
    r.promptsPerStep = all / *r.samplesPerPrompt;
    constexpr double usualPrompt = 105; // tokens: of the maths problems that most published steps train on
    r.promptTokens = row.promptTokens.value_or(usualPrompt);
    if (!row.promptTokens)
        out.assumed.emplace_back("workload.prompt_tokens");
    const double mean = row.responseTokens.value_or(1000);
    r.responseTokens = mean;
    const double limit = row.responseLimit  ? *row.responseLimit
                         : row.contextLimit ? std::max(mean, *row.contextLimit - *r.promptTokens)
                                            : 4 * mean;
    if (!row.responseLimit && !row.contextLimit)
        out.assumed.emplace_back("workload.response_limit");
    r.responseLimit = std::max(limit, mean);
    constexpr double shortAnswer = 1000;
    if (row.longestResponse || row.cutShare)
        r.responseTokensCv = cvOf(row, mean, *r.responseLimit, all, mean <= shortAnswer ? 0.4 : 0.8);
    else
        out.assumed.emplace_back("workload.response_tokens_cv");
    const int updates = row.updates           ? *row.updates
                        : row.updateSequences ? std::max(1, all / std::max(1, *row.updateSequences))
                                              : 1;
    if (!row.updates && !row.updateSequences)
        out.assumed.emplace_back("workload.updates_per_step");
    r.updatesPerStep = std::min(updates, all);
    r.epochs = row.epochs.value_or(1);
    r.reward.kind = "rule";
    return {};
}

void fillPlans(const PublishedReinforcement& row, const std::string& placement, RlScenario& out,
               RolePlanSpec& roles) {
    roles.placement = placement;
    roles.weightSync = pathOf(row, placement);
    if (*roles.placement == "async") {
        roles.staleness = row.staleness.value_or(1);
        roles.partialRollout = row.partialRollout.value_or(*roles.staleness > 0);
    }
    PlanSpec& rollout = roles.rollout;
    // Published runs are older than SGLang 0.5.10.
    rollout.engine = says(row.engine, "sglang") ? "sglang-0.5.9" : "vllm";
    rollout.tensorParallel = row.rolloutTensor;
    rollout.pipelineParallel = row.rolloutPipeline;
    rollout.expertParallel = row.rolloutExpert;
    rollout.memoryUtilization = row.memoryUtilization;
    if (says(row.rolloutPrecision, "fp8"))
        rollout.weights = "fp8";
    else
        rollout.weights = "bf16"; // trained weights, also of models that are published in fewer bits
    if (!row.rolloutTensor)
        out.assumed.emplace_back("plan.rollout.tensor_parallel");
    PlanSpec& train = roles.train;
    const bool megatron = says(row.backend, "megatron");
    train.framework = megatron                         ? "megatron-core"
                      : says(row.backend, "deepspeed") ? "deepspeed"
                                                       : "transformers";
    train.tensorParallel = row.tensor;
    train.contextParallel = row.context;
    train.pipelineParallel = row.pipeline;
    train.expertParallel = row.expert;
    train.dataParallel = row.data;
    if (!megatron)
        train.sharding = says(row.backend, "deepspeed") ? "zero3" : "fsdp2";
    else if (!row.tensor)
        out.assumed.emplace_back("plan.train.tensor_parallel");
    // verl and its relatives recompute unless they are told not to; Megatron recipes where memory asks for
    // it.
    const bool recomputes = row.recompute.empty() ? !megatron : row.recompute != "none";
    train.recompute = std::vector<std::string>{recomputes ? "full" : "none"};
    if (row.recompute.empty())
        out.assumed.emplace_back("plan.train.recompute");
    if (says(row.offload, "optimizer on cpu") || says(row.offload, "adam on cpu"))
        train.offload.optimizer = 1;
    if (row.tokensPerGpu)
        roles.microbatchTokens = static_cast<std::int64_t>(*row.tokensPerGpu);
    else if (row.sequencesPerGpu)
        train.microBatch = *row.sequencesPerGpu;
    else if (row.contextLimit) // packed to the length that a sequence may have
        roles.microbatchTokens = static_cast<std::int64_t>(*row.contextLimit);
    roles.trainGpus = row.trainGpus ? std::optional<std::int64_t>(*row.trainGpus) : std::nullopt;
    roles.rolloutGpus = row.rolloutGpus ? std::optional<std::int64_t>(*row.rolloutGpus) : std::nullopt;
    if (*roles.placement == "colocated") {
        roles.trainGpus.reset();
        roles.rolloutGpus.reset();
    }
}

/// Degrees that the source does not give: the fewest GPUs of a replica that hold the weights.
void chooseDegrees(const PublishedReinforcement& row, const Architecture& model, double capacity,
                   RolePlanSpec& roles, int gpus) {
    const double bytes = 2 * static_cast<double>(countParameters(model).total);
    const int node = std::min(gpus, row.gpusPerNode);
    const auto holding = [&](double perGpu) {
        int degree = 1;
        while (degree < node && bytes / degree > perGpu)
            degree *= 2;
        return degree;
    };
    if (!row.rolloutTensor)
        roles.rollout.tensorParallel = holding(0.35 * capacity);
    if (!row.tensor && roles.train.framework == "megatron-core")
        roles.train.tensorParallel = holding(0.12 * capacity);
}

RlScenario scenarioOf(const PublishedReinforcement& row, const Catalog& catalog) {
    RlScenario out;
    const Architecture* model = row.modelId.empty() ? nullptr : catalog.model(row.modelId);
    if (!model) {
        out.lacks = "the catalog has no model '" + (row.modelId.empty() ? row.modelName : row.modelId) + "'";
        return out;
    }
    ScenarioSpec spec;
    spec.name = row.id;
    spec.workload.kind = WorkloadKind::reinforcementLearning;
    spec.workload.model = row.modelId;
    out.lacks = fillWorkload(row, out, spec.workload);
    if (!out.lacks.empty())
        return out;
    const std::optional<std::string> placement = placementOf(row.placement);
    if (!placement) {
        out.lacks = "the placement '" + row.placement + "' of rollout and training is not modeled";
        return out;
    }
    PublishedHardware hardware;
    hardware.gpu = row.gpu;
    const int apart = row.trainGpus.value_or(0) + row.rolloutGpus.value_or(0);
    hardware.gpus = placement == "colocated"                        ? (row.gpus ? row.gpus : row.trainGpus)
                    : apart > 0 && row.trainGpus && row.rolloutGpus ? std::optional(apart)
                                                                    : row.gpus;
    if (row.gpu.empty()) {
        out.lacks = "the source does not name the GPU";
        return out;
    }
    if (!hardware.gpus && row.kind == "sync") {
        hardware.gpus = 2 * row.gpusPerNode;
        out.assumed.emplace_back("cluster.gpus");
    }
    hardware.gpusPerNode = row.gpusPerNode;
    const std::size_t domain = row.gpu.find("NVL");
    hardware.scaleUpDomain = domain != std::string::npos
                                 ? std::max(row.gpusPerNode, std::atoi(row.gpu.c_str() + domain + 3))
                                 : row.gpusPerNode;
    hardware.network = row.network;
    out.lacks = publishedCluster(hardware, catalog, spec.cluster, out.assumed);
    if (!out.lacks.empty())
        return out;
    RolePlanSpec& roles = spec.roles.write();
    fillPlans(row, *placement, out, roles);
    const Gpu* gpu = catalog.gpu(*spec.cluster.custom.gpu);
    chooseDegrees(row, *model, gpu->memory.si(), roles,
                  static_cast<int>(placement == "colocated" ? *hardware.gpus : *hardware.gpus / 2));
    out.spec = std::make_shared<const ScenarioSpec>(std::move(spec));
    return out;
}

ValidationRow describe(const PublishedReinforcement& row, const RlScenario& scenario,
                       const Estimate& estimate, const Catalog& catalog) {
    ValidationRow out;
    out.id = row.id;
    out.group = row.group;
    out.quality = row.confidence;
    out.assumed = scenario.assumed;
    out.complete = true;
    out.kind = RowKind::reinforcement;
    out.rowKind = *estimate.scenario.roles.read().placement;
    out.model = row.modelName;
    const Architecture* model = catalog.model(row.modelId);
    out.family = model->moe ? "moe" : "dense";
    out.gpu = publishedGpu(row.gpu, catalog);
    out.precision = row.rolloutPrecision;
    out.framework = row.framework;
    out.sourceTitle = row.source.title;
    out.sourceLocator = row.source.locator;
    out.sourceTable = row.source.table;
    out.sourceRow = row.source.row;
    out.sourceDate = row.source.date;
    out.notes = row.notes;
    out.gpus = row.gpus.value_or(0);
    const ParameterCount count = countParameters(*model);
    out.parameters = static_cast<double>(count.total);
    out.activeParameters = static_cast<double>(count.active);
    out.scenario = scenario.spec;
    return out;
}

double phase(const Reinforcement& rl, std::string_view name) {
    double out = 0;
    for (const RlPhaseT<double>& each : rl.phases)
        if (each.name == name && (name != "weight_sync" || each.exposed > 0))
            out += each.seconds;
    return out;
}

} // namespace

void predictReinforcement(const PublishedReinforcement& row, const Catalog& catalog, const Profile& profile,
                          ValidationReport& report) {
    const auto skip = [&](std::string why) { report.skipped.push_back({row.id, std::move(why)}); };
    const bool measured = row.step || row.generation || row.logProb || row.update || row.sync;
    if (!measured)
        return skip("the source gives no time of a step or of its phases, only of a whole run or a rate");
    RlScenario scenario = scenarioOf(row, catalog);
    if (!scenario.spec)
        return skip(scenario.lacks);
    auto answer = estimate(*scenario.spec, catalog, profile, {.fixes = false});
    if (row.recompute.empty() && answer && answer->runs &&
        !answer->fits) { // recipes recompute where they must
        ScenarioSpec again = *scenario.spec;
        again.roles.write().train.recompute = std::vector<std::string>{"full"};
        if (auto other = estimate(again, catalog, profile, {.fixes = false}); other && other->runs) {
            answer = std::move(other);
            scenario.spec = std::make_shared<const ScenarioSpec>(std::move(again));
        }
    }
    if (!answer)
        return skip(answer.error());
    if (!answer->runs || !answer->reinforcement)
        return skip(firstError(*answer));
    const ValidationRow described = describe(row, scenario, *answer, catalog);
    const Reinforcement& rl = *answer->reinforcement;
    const auto add = [&](const char* quantity, const std::optional<double>& value, double seconds) {
        // The headline of reinforcement learning is a time: its band as it is.
        const HeadlineT<double>& h = *answer->headline;
        if (value && *value > 0 && seconds > 0) {
            addPrediction(report, described, quantity, *value,
                          {seconds, seconds * h.low / h.value, seconds * h.high / h.value});
        }
    };
    if (row.kind != "sync") {
        add("rl_step_s", row.step, rl.stepTime);
        add("generation_s", row.generation, phase(rl, "generation"));
        // One figure for both passes, unless the reference has its own.
        add("log_prob_s", row.logProb,
            phase(rl, "log_prob") + (row.referenceTime ? 0 : phase(rl, "reference")));
        add("update_s", row.update, phase(rl, "update"));
    }
    // Sources count what leaves the GPUs for the engines as part of handing the weights over.
    add("weight_sync_s", row.sync,
        phase(rl, "weight_sync") + (row.kind == "sync" ? 0 : phase(rl, "offload")));
    if (row.kind != "sync") {
        report.memoryOutcomes.push_back(
            {row.id, "ok", answer->fits, answer->memory ? outOfMemoryProbability(*answer->memory) : 0});
    }
}

} // namespace alidade
