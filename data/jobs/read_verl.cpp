// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/job_reader.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

// Overrides of verl, as reinforcement learning.

namespace alidade::data::handoff {

namespace {

const std::string actor = "actor_rollout_ref.actor.";

/// Whether a switch is on, and where it is said: the first of its names that is given.
struct Switch {
    const Setting* from = nullptr;
    bool on = false;
};

Switch switchOf(Settings& settings, std::initializer_list<std::string> names) {
    Switch out;
    for (const std::string& name : names)
        if (const Setting* each = settings.use(name); each != nullptr && !out.on)
            out = {each, isOn(each)};
    return out;
}

void readAlgorithm(JobReader& reader, Settings& settings) {
    static const std::map<std::string, std::string> words{
        {"gae", "ppo"}, {"grpo", "grpo"}, {"reinforce_plus_plus", "reinforce++"}, {"rloo", "rloo"}};
    const Switch filtered = switchOf(settings, {"algorithm.filter_groups.enable"});
    settings.use("algorithm.filter_groups.metric");
    const Setting* estimator = settings.use("algorithm.adv_estimator");
    if (estimator == nullptr)
        reader.assume("workload.algorithm", "ppo", "algorithm.adv_estimator is gae if it is not given");
    else if (const auto word = words.find(estimator->value()); word == words.end())
        reader.warn(*estimator, estimator->name + " " + estimator->value().substr(0, 60) +
                                    " is not an algorithm of a plan");
    else if (word->second == "grpo" && filtered.on)
        reader.set("workload.algorithm", "dapo", *filtered.from);
    else
        reader.set("workload.algorithm", word->second, *estimator);
    const Switch reference = switchOf(settings, {"algorithm.use_kl_in_reward", actor + "use_kl_loss"});
    if (reference.from != nullptr)
        reader.set("workload.reference", reference.on ? "true" : "false", *reference.from);
    else
        reader.assume("workload.reference", "false", "no Kullback-Leibler term is enabled");
}

void readUpdates(JobReader& reader, Settings& settings) {
    const Setting* mini = settings.use(actor + "ppo_mini_batch_size");
    const auto size = reader.count(mini);
    const std::int64_t prompts = reader.number("workload.prompts_per_step", 0);
    if (size && prompts > 0)
        reader.set("workload.updates_per_step", (prompts + *size - 1) / *size, *mini);
    const Switch packed = switchOf(settings, {actor + "use_dynamic_bsz"});
    const Setting* tokens = settings.use(actor + "ppo_max_token_len_per_gpu");
    if (const auto each = packed.on ? reader.count(tokens) : std::nullopt; each && *each < 1'000'000'000)
        reader.set("plan.train.micro_batch_tokens", *each * reader.number("plan.train.context_parallel", 1),
                   *tokens);
}

void readRecompute(JobReader& reader, Settings& settings, bool megatron) {
    const Switch layers = switchOf(settings, {"actor_rollout_ref.model.enable_gradient_checkpointing"});
    const std::string section = actor + "megatron.override_transformer_config.recompute_";
    const Setting* granularity = settings.use(section + "granularity");
    const Setting* modules = settings.use(section + "modules");
    settings.use(section + "method");
    settings.use(section + "num_layers");
    if (!megatron) {
        if (layers.from != nullptr)
            reader.set("plan.train.recompute", layers.on ? "full" : "none", *layers.from);
        else
            reader.assume("plan.train.recompute", "full", "gradient checkpointing is on if it is not said");
        return;
    }
    if (granularity == nullptr) {
        reader.assume("plan.train.recompute", "none", "recomputation is not enabled");
        return;
    }
    std::string list;
    if (modules != nullptr && granularity->value() != "full") {
        std::string word;
        for (const char c : modules->value() + ",")
            if (std::string_view("[]'\" ").find(c) != std::string_view::npos)
                continue;
            else if (c != ',')
                word += c;
            else if (!word.empty())
                list += (list.empty() ? "" : ",") + std::exchange(word, {});
    }
    reader.set("plan.train.recompute", list.empty() ? granularity->value() : list,
               list.empty() ? *granularity : *modules);
}

/// How the states of the actor are kept, and what leaves the GPUs while it does not train.
void readSharding(JobReader& reader, Settings& settings, bool megatron) {
    const Switch all =
        switchOf(settings, {actor + "megatron.param_offload", actor + "fsdp_config.param_offload"});
    const Switch optimizer =
        switchOf(settings, {actor + "megatron.optimizer_offload", actor + "fsdp_config.optimizer_offload"});
    settings.use(actor + "megatron.grad_offload");
    if (all.on || optimizer.on)
        reader.set("plan.phase_offload", all.on ? "all" : "optimizer", all.on ? *all.from : *optimizer.from);
    const Setting* strategy = settings.use(actor + "strategy");
    if (megatron) {
        reader.assume("plan.train.framework", "megatron-core", "the options of its actor are Megatron's");
        const Switch sharded = switchOf(settings, {actor + "megatron.use_distributed_optimizer"});
        if (sharded.from != nullptr)
            reader.set("plan.train.sharding", sharded.on ? "zero1" : "none", *sharded.from);
        else
            reader.assume("plan.train.sharding", "zero1", "verl distributes the optimizer of Megatron");
        return;
    }
    if (const Setting* groups = settings.use(actor + "ulysses_sequence_parallel_size"))
        if (const auto size = reader.count(groups))
            reader.set("plan.train.context_parallel", *size, *groups);
    const Switch reshard = switchOf(settings, {actor + "fsdp_config.reshard_after_forward"});
    const Setting* size = settings.use(actor + "fsdp_config.fsdp_size");
    if (const auto shards = size != nullptr && size->value() != "-1" ? reader.count(size) : std::nullopt) {
        reader.set("plan.train.sharding", "hsdp", *size);
        reader.set("plan.train.shard_size", *shards, *size);
    } else if (reshard.from != nullptr && !reshard.on) {
        reader.set("plan.train.sharding", "zero2", *reshard.from);
    } else if (strategy != nullptr) {
        reader.set("plan.train.sharding", "fsdp2", *strategy);
    } else {
        reader.assume("plan.train.sharding", "fsdp2", "the actor is trained by FSDP if nothing else is said");
    }
}

/// The models alongside the policy.
void readOthers(JobReader& reader, Settings& settings) {
    const Setting* critic = settings.use("critic.model.path");
    if (critic != nullptr && reader.out.spec.workload.reinforcement.algorithm == "ppo")
        reader.readModelName(critic->value(), *critic, "workload.critic");
    const Switch scored = switchOf(settings, {"reward.reward_model.enable"});
    const Setting* scorer = settings.use("reward.reward_model.model_path");
    if (scored.on) {
        reader.set("workload.reward.kind", "model", *scored.from);
        if (scorer != nullptr)
            reader.readModelName(scorer->value(), *scorer, "workload.reward.model");
    } else if (const Setting* sandbox = settings.use("reward.sandbox_fusion.url")) {
        reader.set("workload.reward.kind", "sandbox", *sandbox);
    } else if (const Setting* rule = settings.use("reward.custom_reward_function.path")) {
        reader.set("workload.reward.kind", "rule", *rule);
    }
}

/// The trainers of verl, by where they have their roles.
enum class Trainer : std::uint8_t { turns, oneStepOff, streams, separate, unknown };

Trainer trainerOf(Settings& settings, std::string_view program) {
    if (program.find("one_step_off_policy") != std::string_view::npos)
        return Trainer::oneStepOff;
    if (program.find("fully_async_policy") != std::string_view::npos)
        return Trainer::streams;
    if (program != "verl.trainer.main_ppo")
        return Trainer::unknown;
    const Setting* mode = settings.use("trainer.v1.trainer_mode");
    if (mode == nullptr || mode->value() == "sync")
        return Trainer::turns;
    return mode->value() == "separate_async" ? Trainer::separate : Trainer::unknown;
}

bool isOpen(const Settings& settings, const std::string& name) {
    return std::ranges::any_of(settings.open, [&name](const Setting& each) { return each.name == name; }) &&
           !settings.has(name);
}

/// A count that the trainer has a default for; absent: only a running shell knows it, or it is none.
std::optional<std::int64_t> countOr(JobReader& reader, Settings& settings, const std::string& name,
                                    std::int64_t absent) {
    if (isOpen(settings, name))
        return {};
    const Setting* from = settings.use(name);
    return from == nullptr ? absent : reader.count(from);
}

/// The GPUs of a role that has its own.
/// \param section of the counts: "trainer."
void readPool(JobReader& reader, Settings& settings, const std::string& section, const std::string& path) {
    const auto nodes = countOr(reader, settings, section + "nnodes", 1);
    const auto each = countOr(reader, settings, section + "n_gpus_per_node", 8);
    const Setting* from = settings.find(section + "n_gpus_per_node");
    if (from == nullptr)
        from = settings.find(section + "nnodes");
    if (!nodes || !each)
        reader.askFor(path);
    else if (from != nullptr)
        reader.set(path, *nodes * *each, *from);
    else
        reader.assume(path, "8", section + "nnodes is 1, of 8 GPUs, if it is not given");
}

void readWeightSync(JobReader& reader, Settings& settings) {
    static const std::map<std::string, std::string> words{{"nccl", "bucketed"},
                                                          {"nixl", "rdma"},
                                                          {"mooncake", "rdma"},
                                                          {"kimi_ckpt_engine", "host_staged"},
                                                          {"delta_sharded", "delta"}};
    const Setting* backend = settings.use("actor_rollout_ref.rollout.checkpoint_engine.backend");
    if (backend == nullptr)
        return;
    if (const auto word = words.find(backend->value()); word != words.end())
        reader.set("plan.weight_sync", word->second, *backend);
    else
        reader.warn(*backend, backend->name + " " + backend->value().substr(0, 60) +
                                  " does not move weights between pools of GPUs");
}

/// The counts of the asynchronous trainer. It has no batch of a step: a step is what it trains on between two
/// synchronizations of the weights.
void readStream(JobReader& reader, Settings& settings) {
    std::erase_if(settings.all, [](const Setting& each) { return each.name == "data.train_batch_size"; });
    for (const char* name : {"data.gen_batch_size", "async_training.concurrent_samples_per_replica"})
        settings.use(name);
    const std::string section = "async_training.";
    const auto batches = countOr(reader, settings, section + "require_batches", 1);
    const auto rounds = countOr(reader, settings, section + "trigger_parameter_sync_step", 4);
    const Setting* mini = settings.use(actor + "ppo_mini_batch_size");
    const Setting* total = settings.use("rollout.total_rollout_steps");
    const auto prompts = reader.count(mini);
    constexpr std::int64_t most = 1'000'000; // beyond any count of a job, and far from overflow
    if (prompts && batches && rounds && *prompts <= most && *batches <= most && *rounds <= most) {
        const std::int64_t ofStep = *prompts * *batches * *rounds;
        reader.set("workload.prompts_per_step", ofStep, *mini);
        if (const auto all = reader.count(total); all && *all >= ofStep)
            reader.set("workload.steps", *all / ofStep, *total);
    }
    const Setting* staleness = settings.use(section + "staleness_threshold");
    const Setting* partial = settings.use(section + "partial_rollout");
    const bool none = staleness != nullptr && staleness->value().starts_with('0') &&
                      staleness->value().find_first_not_of("0.") == std::string::npos;
    // Training that waits for the responses of a whole step, which wait for its weights, takes turns.
    if (none && rounds == 1) {
        reader.assume("plan.placement", "split", "without staleness the asynchronous trainer takes turns");
        return;
    }
    reader.assume("plan.placement", "async", "responses stream to the trainer");
    if (staleness != nullptr)
        reader.set("plan.staleness", staleness->value(), *staleness);
    else if (isOpen(settings, section + "staleness_threshold"))
        reader.askFor("plan.staleness");
    else
        reader.assume("plan.staleness", "0.1", section + "staleness_threshold is 0.1 if it is not given");
    if (partial != nullptr)
        reader.set("plan.partial_rollout", isOn(partial) ? "true" : "false", *partial);
}

/// Where the roles have their GPUs; where each has its own, also how many.
void readPlacement(JobReader& reader, Settings& settings, Trainer trainer) {
    if (trainer == Trainer::turns)
        reader.assume("plan.placement", "colocated", "verl.trainer.main_ppo runs its roles in turns");
    if (trainer == Trainer::unknown)
        reader.askFor("plan.placement");
    if (trainer == Trainer::turns || trainer == Trainer::unknown) {
        reader.noteLaunch(settings, "trainer.nnodes", "trainer.n_gpus_per_node");
        return;
    }
    if (trainer == Trainer::oneStepOff)
        reader.assume("plan.placement", "one_step_off",
                      "the trainer uses the responses of the previous step during the next rollout");
    if (trainer == Trainer::separate) {
        reader.assume("plan.placement", "async", "trainer.v1.trainer_mode is separate_async");
        reader.askFor("plan.staleness");
    }
    for (const char* name : {"actor_rollout_ref.hybrid_engine", "hydra.searchpath"})
        settings.use(name);
    readPool(reader, settings, "trainer.", "plan.train.gpus");
    readPool(reader, settings, trainer == Trainer::separate ? "actor_rollout_ref.rollout." : "rollout.",
             "plan.rollout.gpus");
    readWeightSync(reader, settings);
    if (!reader.has("plan.train.gpus") || !reader.has("plan.rollout.gpus"))
        return;
    Launch launch;
    launch.gpus = reader.number("plan.train.gpus", 0) + reader.number("plan.rollout.gpus", 0);
    launch.nodes = reader.known.nodes;
    launch.nodesFrom = reader.known.nodesFrom;
    reader.noteLaunch(launch, 1);
}

} // namespace

void readVerl(JobReader& reader, Settings& settings, std::string_view program) {
    const Tool& verl = reader.toolFor("verl", settings);
    std::erase_if(settings.all, [](const Setting& each) {
        return !each.values.empty() && (each.value() == "null" || each.value() == "None");
    });
    reader.set("workload.kind", std::string(wordOf(WorkloadKind::reinforcementLearning)), "verl", 0);
    const Setting* config = settings.use("--config-name");
    const bool megatron = (config != nullptr && config->value().find("megatron") != std::string::npos) ||
                          std::ranges::any_of(settings.all, [](const Setting& each) {
                              return each.name.starts_with(actor + "megatron.") ||
                                     (each.name == actor + "strategy" && each.value() == "megatron");
                          });
    if (const Setting* model = settings.use("actor_rollout_ref.model.path"))
        reader.readModelName(model->value(), *model);
    const Trainer trainer = trainerOf(settings, program);
    if (trainer == Trainer::streams)
        readStream(reader, settings);
    reader.readFields(verl, settings);
    readAlgorithm(reader, settings);
    readSharding(reader, settings, megatron);
    readUpdates(reader, settings);
    const Setting* experts = settings.use("actor_rollout_ref.rollout.expert_parallel_size");
    if (const auto degree = reader.count(experts); degree && *degree > 1)
        reader.set("plan.rollout.expert_parallel", *degree, *experts);
    readRecompute(reader, settings, megatron);
    readOthers(reader, settings);
    readPlacement(reader, settings, trainer);
    reader.nameTheRest(verl, settings);
}

} // namespace alidade::data::handoff
