// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/scenario/fields.h"
#include "model/scenario/layout_resolver.h"
#include "model/scenario/resolve_parts.h"
#include "model/training/step_cost.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace alidade {

namespace resolving {

namespace {

std::string sizes(std::string_view what, std::int64_t size, std::string_view by, std::int64_t divisor) {
    return std::string(by) + " " + std::to_string(divisor) + " does not divide the " + formatCount(size) +
           " " + std::string(what);
}

void checkTensorParallel(Context& context) {
    const TrainingPlan& plan = context.out.plan;
    const Architecture& m = context.out.model;
    const int t = plan.tensorParallel;
    const auto divides = [&](std::int64_t size, std::string_view what) {
        if (size % t != 0) {
            illegal(context, "plan.tensor_parallel",
                    sizes(what, size, "Tensor", t) + " of " + context.out.modelName);
        }
    };
    // One cause, one message: the first size that does not divide.
    if (m.attentionHeads % t != 0) {
        divides(m.attentionHeads, "attention heads");
    } else if (m.kvHeads > 0 && !m.mla && m.kvHeads % t != 0 && t % m.kvHeads != 0) {
        illegal(context, "plan.tensor_parallel",
                "Tensor " + std::to_string(t) + " neither divides the " + std::to_string(m.kvHeads) +
                    " KV heads of " + context.out.modelName + " nor is a multiple of them");
    } else {
        divides(m.ffnIntermediateSize, "columns of the MLP");
    }
    const auto sequence = static_cast<std::int64_t>(context.out.inputs[Input::sequenceLength]);
    if (plan.sequenceParallel && sequence % t != 0) {
        illegal(context, "plan.sequence_parallel",
                sizes("tokens of a sequence", sequence, "Tensor", t) + "; pad the sequence to " +
                    formatCount((sequence + t - 1) / t * t) + " or set sequence parallel to false");
    }
    if (m.moe && t > 1 && !plan.sequenceParallel) {
        illegal(
            context, "plan.sequence_parallel",
            "Experts with tensor parallelism need sequence parallelism (a rank routes its own tokens); set "
            "sequence parallel to true");
    }
    if (t > context.out.nvlinkDomain) {
        warn(context, "plan.tensor_parallel", [&] {
            return "Tensor " + std::to_string(t) + " is wider than the NVLink domain of " +
                   std::to_string(context.out.nvlinkDomain) + " GPUs: its traffic crosses the network";
        });
    }
}

void checkContextParallel(Context& context) {
    const TrainingPlan& plan = context.out.plan;
    const Architecture& m = context.out.model;
    const int c = plan.contextParallel;
    if (c <= 1)
        return;
    const auto sequence = static_cast<std::int64_t>(context.out.inputs[Input::sequenceLength]);
    const bool ulysses = plan.contextKind == ContextKind::ulysses;
    // Causal work is balanced by giving each rank two chunks (zig-zag); Ulysses needs only one.
    const std::int64_t chunks = std::int64_t{ulysses ? 1 : 2} * c;
    if (sequence % chunks != 0) {
        illegal(context, "plan.context_parallel",
                "Context " + std::to_string(c) + " needs a sequence length that is a multiple of " +
                    formatCount(chunks) + " tokens, not " + formatCount(sequence) + "; pad it to " +
                    formatCount((sequence + chunks - 1) / chunks * chunks));
    }
    if (ulysses && m.attentionHeads % (std::int64_t{plan.tensorParallel} * c) != 0) {
        illegal(context, "plan.context_parallel",
                "Ulysses distributes the " + std::to_string(m.attentionHeads) + " attention heads of " +
                    context.out.modelName +
                    " over tensor x context = " + std::to_string(plan.tensorParallel * c) +
                    ", which does not divide them; use ring or all_gather");
    }
    const auto linear = [](const LayerKind& k) {
        return k.mixer == Mixer::mamba2 || k.mixer == Mixer::gatedDeltaNet;
    };
    if (std::any_of(plan.kinds.begin(), plan.kinds.end(), linear)) {
        warn(context, "plan.context_parallel",
             "State exchange between context ranks in linear-time layers is assumed to be free");
    }
}

void checkExperts(Context& context) {
    const PlanSpec& written = context.spec.plan;
    const TrainingPlan& plan = context.out.plan;
    const Architecture& m = context.out.model;
    if (!m.moe) {
        const auto needsExperts = [&](const std::optional<std::int64_t>& degree, std::string_view path) {
            if (degree.value_or(1) > 1)
                illegal(context, path, context.out.modelName + " has no experts; set it to 1");
        };
        needsExperts(written.expertParallel, "plan.expert_parallel");
        needsExperts(written.expertTensorParallel, "plan.expert_tensor_parallel");
        return;
    }
    const int e = plan.expertParallel, etp = plan.expertTensorParallel;
    if (m.moe->routedExperts % e != 0) {
        illegal(context, "plan.expert_parallel",
                sizes("routed experts of " + context.out.modelName, m.moe->routedExperts, "Expert", e));
    }
    if (m.moe->expertIntermediateSize % etp != 0) {
        illegal(context, "plan.expert_tensor_parallel",
                sizes("columns of an expert", m.moe->expertIntermediateSize, "Expert tensor", etp));
    }
    const std::int64_t ranks = std::int64_t{plan.tensorParallel} * plan.contextParallel * plan.dataParallel;
    if (ranks % (std::int64_t{e} * etp) != 0) {
        illegal(context, "plan.expert_parallel",
                "Expert " + std::to_string(e) + (etp > 1 ? " x expert tensor " + std::to_string(etp) : "") +
                    " does not divide the " + formatCount(ranks) +
                    " GPUs of a pipeline stage (tensor x context x data)");
    }
}

void checkNodeLimit(Context& context) {
    const TrainingPlan& plan = context.out.plan;
    const Architecture& m = context.out.model;
    if (const std::int64_t limit = plan.nodeLimit;
        m.moe && limit > 0 &&
        limit * (m.moe->routedExperts / std::max(1, plan.expertGroup.domains())) < m.moe->expertsPerToken) {
        illegal(context, "plan.node_limit",
                "A node limit of " + formatCount(limit) + " leaves fewer experts than the " +
                    std::to_string(m.moe->expertsPerToken) + " that each token uses");
    }
}

void checkStageCounts(Context& context) {
    const TrainingPlan& plan = context.out.plan;
    const int p = plan.pipelineParallel, v = plan.virtualPipeline, layers = context.out.model.layers;
    const auto& split = plan.stageLayers;
    if (p > static_cast<int>(mostStages)) {
        illegal(context, "plan.pipeline_parallel",
                "A pipeline may have at most " + std::to_string(mostStages) + " stages");
    } else if (context.spec.plan.pipelineSplit) {
        if (static_cast<int>(split.size()) != p || std::accumulate(split.begin(), split.end(), 0) != layers ||
            std::any_of(split.begin(), split.end(), [](int n) { return n < 0; })) {
            illegal(context, "plan.pipeline_split",
                    "The split needs " + std::to_string(p) + " numbers that sum to the " +
                        std::to_string(layers) + " layers of " + context.out.modelName);
        }
    } else if (v > 1 && p * v > layers + 2) {
        illegal(context, "plan.virtual_pipeline",
                std::to_string(p) + " stages x " + std::to_string(v) + " chunks exceed the " +
                    std::to_string(layers) + " layers of " + context.out.modelName);
    } else if (p > layers) {
        illegal(context, "plan.pipeline_parallel",
                std::to_string(p) + " stages exceed the " + std::to_string(layers) + " layers of " +
                    context.out.modelName);
    }
}

void warnOfChunks(Context& context) {
    const TrainingPlan& plan = context.out.plan;
    const int p = plan.pipelineParallel, v = plan.virtualPipeline, layers = context.out.model.layers;
    if (v > 1 && layers % (p * v) != 0 && !plan.placeholders && !context.spec.plan.pipelineSplit) {
        warn(context, "plan.virtual_pipeline",
             std::to_string(layers) + " layers do not divide into " + std::to_string(p) + " stages x " +
                 std::to_string(v) +
                 " chunks: they are distributed unevenly, which Megatron-Core does with a pipeline layout");
    }
    if (v > 1 && p > 1 && plan.microbatches < p) {
        warn(context, "plan.virtual_pipeline",
             formatCount(plan.microbatches) + " micro-batches are fewer than the " + std::to_string(p) +
                 " stages: Megatron-Core rejects this with virtual chunks; a flexible schedule as in the "
                 "Llama 3 paper (section 3.3.2) allows it, with a larger bubble");
    }
}

void checkSchedule(Context& context) {
    const TrainingPlan& plan = context.out.plan;
    if (plan.pipelineParallel <= 1 || plan.schedule == PipelineSchedule::interleaved)
        return; // interleavings that Megatron-Core rejects are warned about above
    if (auto why =
            scheduleRefusal(plan.schedule, plan.pipelineParallel, plan.microbatches, chunksPerStage(plan))) {
        illegal(context, "plan.schedule", std::move(*why));
    }
}

void checkBatch(Context& context) {
    const TrainingPlan& plan = context.out.plan;
    const auto batch = static_cast<std::int64_t>(context.out.inputs[Input::globalBatch]);
    const std::int64_t perReplica = std::int64_t{plan.dataParallel} * plan.microBatch;
    if (batch % perReplica != 0) {
        illegal(context, "workload.global_batch",
                "A global batch of " + formatCount(batch) + " is not divisible by data " +
                    formatCount(plan.dataParallel) + " x micro-batch " + std::to_string(plan.microBatch));
    }
}

} // namespace

void checkLegality(Context& context) {
    if (!context.out.modeled)
        return; // these rules apply to training plans
    checkTensorParallel(context);
    checkContextParallel(context);
    checkExperts(context);
    checkNodeLimit(context);
    checkStageCounts(context);
    warnOfChunks(context);
    checkSchedule(context);
    checkBatch(context);
}

namespace {

struct Rule {
    void (*check)(Context&);
    LayoutFields decidedBy; ///< in addition to the degrees
};

/// Checks rules in turn up to the first that is broken.
void checkInTurn(Context& context, std::initializer_list<Rule> rules) {
    for (const Rule& each : rules) {
        if (ends(context))
            return;
        context.decidedBy |= each.decidedBy;
        each.check(context);
    }
}

constexpr LayoutFields stageFields = layoutFieldBit("plan.virtual_pipeline") |
                                     layoutFieldBit("plan.pipeline_split") | layoutFieldBit("plan.schedule");
constexpr LayoutFields expertFields =
    layoutFieldBit("plan.expert_parallel") | layoutFieldBit("plan.expert_tensor_parallel");

} // namespace

void checkDegrees(Context& context) {
    checkInTurn(context, {{checkExperts, expertFields}});
    if (!context.spec.plan.pipelineSplit)
        checkInTurn(context, {{checkStageCounts, stageFields}});
    checkInTurn(context, {{checkBatch, layoutFieldBit("plan.micro_batch")}, {checkSchedule, stageFields}});
}

void checkTensorAndContext(Context& context) {
    checkInTurn(context, {{checkTensorParallel, layoutFieldBit("plan.sequence_parallel")},
                          {checkContextParallel, layoutFieldBit("plan.context_parallel_kind")}});
}

void checkLayout(Context& context) {
    if (!context.out.modeled)
        return;
    checkInTurn(context, {{checkNodeLimit, expertFields}});
    if (context.spec.plan.pipelineSplit)
        checkInTurn(context, {{checkStageCounts, stageFields}});
}

} // namespace resolving

std::vector<std::int64_t> legalDegrees(const Field& field, const ScenarioSpec& spec, const Catalog& catalog,
                                       std::string* why) {
    std::vector<std::int64_t> legal;
    if (!field.degree)
        return legal;
    const auto base = resolve(spec, catalog, catalog.defaultProfile);
    if (!base)
        return legal;
    // All possible degrees: divisors of the scenario's sizes and of the cluster.
    std::set<std::int64_t> candidates{1};
    const auto addDivisors = [&](std::int64_t n) {
        for (std::int64_t d = 1; d * d <= n; ++d)
            if (n % d == 0)
                candidates.insert({d, n / d});
    };
    const Scenario& s = *base;
    // A value that runs, if the scenario is modeled; otherwise one that breaks no rule.
    const auto acceptable = [&s](const Scenario& other) { return s.modeled ? other.runs() : other.legal; };
    addDivisors(static_cast<std::int64_t>(s.inputs[Input::gpus]));
    addDivisors(s.model.layers);
    addDivisors(s.model.layers + 2);
    addDivisors(static_cast<std::int64_t>(s.inputs[Input::globalBatch]));
    const std::string here = pointerOf(field.path);
    std::string rule;
    LayoutResolver layouts(catalog, catalog.defaultProfile); // editors ask for all fields after each edit
    const LayoutFields bit = layoutFieldBit(field.path);
    for (const std::int64_t value : candidates) {
        if (static_cast<double>(value) < field.minimum || static_cast<double>(value) > field.maximum)
            continue;
        ScenarioSpec changed = spec;
        field.set(changed, FieldValue(value));
        const auto& outcome = bit != 0 ? layouts.resolve(changed, bit) : layouts.resolve(changed);
        if (outcome && acceptable(*outcome)) {
            legal.push_back(value);
        } else if (outcome && rule.empty()) {
            for (const Problem& problem : outcome->problems) {
                if (problem.severity == Severity::error) {
                    rule = problem.message;
                    break;
                }
            }
        }
    }
    if (why)
        *why = rule;
    return legal;
}

} // namespace alidade
