// SPDX-License-Identifier: GPL-3.0-or-later
// Reinforcement learning as overrides of one of verl's trainers: one takes turns between rollout and training
// on the same GPUs, one trains on the responses of the step before alongside the next rollout, and one lets
// responses stream from a pool of engines to a pool that trains.
#include "data/handoff/job.h"
#include "data/handoff/megatron_words.h"
#include "data/handoff/verl_pools.h"
#include "model/scenario/fields.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

namespace alidade::data::handoff {

namespace {

std::string boolean(bool value) { return value ? "True" : "False"; }

/// verl pads all sequences to the longest prompt and the longest response.
struct Lengths {
    std::int64_t prompt = 0, response = 0;
    std::int64_t both() const { return prompt + response; }
};

class VerlWriter {
public:
    VerlWriter(const HandoffSource& source, Job& job)
        : source_(source)
        , job_(job)
        , spec_(source.estimate.scenario)
        , load_(spec_.workload.reinforcement)
        , roles_(spec_.roles.read())
        , train_(roles_.train)
        , rollout_(roles_.rollout)
        , placement_(roles_.placement.value_or("colocated")) {
        // The data have the longest prompt; the plan has the mean.
        const double mean = std::max(1.0, load_.promptTokens.value_or(512));
        lengths_.prompt =
            static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::ceil(2 * mean))));
        lengths_.response = static_cast<std::int64_t>(load_.responseLimit.value_or(1024));
        if (hasPools())
            pools_ = poolsOf(source_);
        trainGpus_ = hasPools() ? pools_.train.gpus() : source_.estimate.gpus;
        rolloutGpus_ = hasPools() ? pools_.rollout.gpus() : source_.estimate.gpus;
        trainGroup_ =
            degree(train_.tensorParallel) * degree(train_.pipelineParallel) * degree(train_.contextParallel);
        engineGpus_ = degree(rollout_.tensorParallel) * degree(rollout_.pipelineParallel) *
                      degree(rollout_.attentionDataParallel);
    }

    void write() {
        Program program = trainingProgram(source_);
        program.launcher = Launcher::ray;
        program.overrides = true;
        program.command = {"python3", "-m",
                           streams()    ? "verl.experimental.fully_async_policy.fully_async_main"
                           : hasPools() ? "verl.experimental.one_step_off_policy.main_ppo"
                                        : "verl.trainer.main_ppo"};
        if (megatron())
            program.command.push_back(std::string("--config-name=") +
                                      (streams()    ? "fully_async_"
                                       : hasPools() ? "one_step_off_"
                                                    : "") +
                                      "ppo_megatron_trainer");
        algorithm();
        data();
        if (hasPools())
            pools(program);
        actor();
        critic();
        engine();
        reward();
        trainer(program);
        leaveTheRest();
        program.arguments = std::move(out_);
        program.environment = environmentOf(source_, "verl", program);
        job_.programs.push_back(std::move(program));
    }

private:
    bool hasPools() const { return placement_ != "colocated"; }
    /// Whether the asynchronous trainer runs the plan. Without staleness its pools take turns.
    bool streams() const { return placement_ == "split" || placement_ == "async"; }
    bool written(std::string_view path) const { return !fieldWord(source_.written, path).empty(); }
    void said(std::string path) { said_.insert(std::move(path)); }
    void leave(const std::string& path, const std::string& why) {
        if (const std::string word = fieldWord(source_.written, path); !word.empty())
            leaveOut(job_.leftOut, path, word, why);
        said(path);
    }
    const std::string& method() const {
        static const std::string usual = "grpo";
        return load_.algorithm ? *load_.algorithm : usual;
    }
    std::int64_t degree(const std::optional<std::int64_t>& value) const { return value.value_or(1); }

    /// FSDP2 has neither tensor groups nor stages.
    bool megatron() const {
        const std::string sharding = train_.sharding.value_or("zero1");
        const bool whole = degree(train_.tensorParallel) == 1 && degree(train_.pipelineParallel) == 1 &&
                           degree(train_.expertParallel) == 1;
        return !whole || sharding == "zero1" || sharding == "none";
    }

    void algorithm() {
        static const std::map<std::string, std::string> words{{"ppo", "gae"},
                                                              {"grpo", "grpo"},
                                                              {"dapo", "grpo"},
                                                              {"reinforce++", "reinforce_plus_plus"},
                                                              {"rloo", "rloo"}};
        out_.set("algorithm.adv_estimator", words.at(method()));
        const bool reference = load_.reference.value_or(method() != "dapo");
        // PPO and REINFORCE++ subtract the KL term from the reward, the others add it to the loss.
        const bool inReward = method() == "ppo" || method() == "reinforce++";
        out_.set("algorithm.use_kl_in_reward", boolean(reference && inReward));
        out_.set("actor_rollout_ref.actor.use_kl_loss", boolean(reference && !inReward));
        if (method() == "dapo" && hasPools()) {
            leave("workload.algorithm",
                  "the trainers of two pools keep every group of responses; written as grpo");
        } else if (method() == "dapo") {
            out_.set("algorithm.filter_groups.enable", "True");
            out_.set("algorithm.filter_groups.metric", "acc");
        }
        for (const char* path : {"workload.kind", "workload.algorithm", "workload.reference"})
            said(path);
        leave("workload.kept_share", "the answers decide it");
    }

    void data() {
        const std::int64_t prompts = load_.promptsPerStep.value_or(1);
        const std::int64_t updates = std::max<std::int64_t>(1, load_.updatesPerStep.value_or(1));
        out_.set("data.train_files", "CHANGE_ME_TRAIN_FILES");
        out_.set("data.val_files", "CHANGE_ME_VALIDATION_FILES");
        const std::int64_t ofUpdate = (prompts + updates - 1) / updates;
        out_.set("data.train_batch_size", streams() ? 0 : prompts);
        out_.set("data.max_prompt_length", lengths_.prompt);
        out_.set("data.max_response_length", lengths_.response);
        out_.set("actor_rollout_ref.actor.ppo_mini_batch_size", ofUpdate);
        out_.set("actor_rollout_ref.actor.ppo_epochs", load_.epochs.value_or(1));
        if (prompts % updates != 0)
            leave("workload.updates_per_step", "the prompts of a step do not divide by it");
        if (streams())
            stream(prompts, ofUpdate);
        const std::int64_t ranks = std::max<std::int64_t>(1, trainGpus_ / trainGroup_);
        if (const std::int64_t responses = ofUpdate * load_.samplesPerPrompt.value_or(1);
            responses % ranks != 0)
            job_.warnings.push_back("verl stops: the " + std::to_string(responses) +
                                    " responses of an update do not divide by the " + std::to_string(ranks) +
                                    " data-parallel ranks of training");
        job_.warnings.push_back("data.max_prompt_length is " + std::to_string(lengths_.prompt) +
                                ", from the mean prompt of the plan: set it to the longest of the data");
        for (const char* path : {"workload.prompts_per_step", "workload.response_limit",
                                 "workload.updates_per_step", "workload.epochs"})
            said(path);
        leave("workload.prompt_tokens", "a mean; the data set determines it");
        leave("workload.response_tokens", "a mean; the model determines it");
        leave("workload.response_tokens_cv", "a property of the model");
    }

    /// The counts of the asynchronous trainer, which takes prompts one by one and has no batch of a step.
    /// \param ofUpdate prompts
    void stream(std::int64_t prompts, std::int64_t ofUpdate) {
        const std::int64_t updates = (prompts + ofUpdate - 1) / ofUpdate, ofStep = updates * ofUpdate;
        const bool turns = placement_ == "split";
        const double staleness = turns ? 0 : roles_.staleness.value_or(0.5);
        if (ofStep != prompts)
            leave("workload.prompts_per_step", "updates of as many prompts each make " +
                                                   std::to_string(ofStep) + "; " + std::to_string(ofUpdate) +
                                                   " are in each");
        out_.set("data.gen_batch_size", 1);
        // Training that has the responses of a whole step before it begins leaves the engines nothing to do
        // meanwhile; that which takes those of one update begins while the others are generated.
        out_.set("async_training.require_batches", turns ? updates : 1);
        out_.set("async_training.trigger_parameter_sync_step", turns ? 1 : updates);
        out_.set("async_training.staleness_threshold", turns ? "0" : fieldWord(spec_, "plan.staleness"));
        out_.set("async_training.partial_rollout", boolean(!turns && roles_.partialRollout.value_or(true)));
        // All that a step may have in flight: the engines have their own limit.
        const std::int64_t engines = std::max<std::int64_t>(1, rolloutGpus_ / engineGpus_);
        out_.set("async_training.concurrent_samples_per_replica",
                 static_cast<std::int64_t>(std::ceil((1 + staleness) * static_cast<double>(ofStep) /
                                                     static_cast<double>(engines))));
        // Without an end of its own the trainer stops after 100 prompts.
        out_.set("rollout.total_rollout_steps", load_.steps ? std::to_string(*load_.steps * ofStep) : "null");
        if (turns)
            job_.warnings.emplace_back("verl has no trainer for two pools that take turns: its asynchronous "
                                       "one takes turns without staleness");
    }

    void pools(Program& program) {
        // Packages of verl have the configurations that its own are made of; by default some are looked for
        // in the folder of its sources.
        out_.set("hydra.searchpath", "[pkg://verl.trainer.config]");
        out_.set("actor_rollout_ref.hybrid_engine", "False");
        program.nodes = std::max(program.nodes, static_cast<int>(pools_.instances));
        for (const auto& [path, gpus] :
             {std::pair("plan.train.gpus", trainGpus_), std::pair("plan.rollout.gpus", rolloutGpus_)})
            if (fieldNumber(source_.written, path, gpus) != gpus)
                leave(path, "its replicas use " + std::to_string(gpus));
        weightSync();
    }

    /// What moves the weights between two pools.
    void weightSync() {
        const std::string sync = roles_.weightSync.value_or("bucketed");
        const bool sglang = rollout_.engine.value_or("vllm").starts_with("sglang");
        std::string backend = "nccl";
        if (sync == "rdma")
            backend = "nixl";
        else if (sync == "host_staged")
            backend = "kimi_ckpt_engine";
        else if (sync == "delta" && sglang && !megatron())
            backend = "delta_sharded";
        else if (sync == "delta")
            leave("plan.weight_sync", "deltas go from FSDP2 to SGLang only; written as bucketed");
        else if (sync != "bucketed")
            leave("plan.weight_sync", "written as bucketed: NCCL broadcasts whole tensors in buckets");
        out_.set("actor_rollout_ref.rollout.checkpoint_engine.backend", backend);
    }

    void actor() {
        out_.set("actor_rollout_ref.model.path", repositoryOf(spec_, job_.warnings));
        said("workload.model");
        out_.set("actor_rollout_ref.actor.optim.lr", "CHANGE_ME_LEARNING_RATE");
        microBatches();
        engineOfTraining("actor_rollout_ref.actor.");
        recompute("actor_rollout_ref.actor.", "actor_rollout_ref.");
        for (const char* path : {"plan.train.gpus", "plan.train.precision", "plan.placement",
                                 "plan.staleness", "plan.partial_rollout"})
            said(path);
        checkReplicas("plan.train.data_parallel", trainGpus_ / trainGroup_);
        if (train_.precision.value_or("bf16") != "bf16")
            leave("plan.train.precision", "written as BF16");
        if (train_.optimizer.value_or("adam") == "adam")
            said("plan.train.optimizer");
    }

    /// There is no option for replicas: they fill the GPUs.
    void checkReplicas(const char* path, std::int64_t replicas) {
        const std::int64_t all = std::max<std::int64_t>(1, replicas);
        if (fieldNumber(source_.written, path, all) != all)
            leave(path, "verl uses all GPUs, which makes " + std::to_string(all));
        said(path);
    }

    void microBatches() {
        const bool counted = written("plan.train.micro_batch") && !written("plan.train.micro_batch_tokens");
        out_.set("actor_rollout_ref.actor.use_dynamic_bsz", boolean(!counted));
        if (counted) {
            const std::int64_t micro = degree(train_.microBatch);
            for (const char* key :
                 {"actor.ppo_micro_batch_size_per_gpu", "rollout.log_prob_micro_batch_size_per_gpu",
                  "ref.log_prob_micro_batch_size_per_gpu"})
                out_.set(std::string("actor_rollout_ref.") + key, micro);
            said("plan.train.micro_batch");
            return;
        }
        // The tokens of a rank are shared by the GPUs of its context group. verl stops where the longest
        // sequence does not fit into a micro-batch.
        const std::int64_t groups = degree(train_.contextParallel);
        const std::int64_t wanted = roles_.microbatchTokens.value_or(16384);
        const std::int64_t tokens = std::max(wanted, lengths_.both());
        out_.set("actor_rollout_ref.actor.ppo_max_token_len_per_gpu", (tokens + groups - 1) / groups);
        if (tokens != wanted) {
            leaveOut(job_.leftOut, "plan.train.micro_batch_tokens", std::to_string(wanted),
                     "a micro-batch has to hold the longest sequence; written as " + std::to_string(tokens));
            job_.warnings.push_back("a micro-batch of verl holds the longest sequence, " +
                                    std::to_string(tokens) + " tokens; the predicted figures are for " +
                                    std::to_string(wanted));
        }
        said("plan.train.micro_batch_tokens");
    }

    /// Degrees, sharding and offload of a role that trains.
    void engineOfTraining(const std::string& role) {
        const std::string sharding = train_.sharding.value_or("zero1");
        // A separate pool has no other use for the memory.
        const std::string offload = hasPools() ? "none" : roles_.phaseOffload.value_or("none");
        const std::string section = role + (megatron()          ? "megatron."
                                            : role == "critic." ? "fsdp."
                                                                : "fsdp_config.");
        for (const char* path :
             {"plan.train.tensor_parallel", "plan.train.pipeline_parallel", "plan.train.context_parallel",
              "plan.train.sequence_parallel", "plan.train.sharding", "plan.phase_offload"})
            said(path);
        out_.set(section + "param_offload", boolean(offload == "all"));
        out_.set(section + "optimizer_offload", boolean(offload == "all" || offload == "optimizer"));
        const std::string framework = train_.framework.value_or("megatron-core");
        if (!megatron()) {
            out_.set(role + "strategy", "fsdp2");
            out_.set(role + "ulysses_sequence_parallel_size", degree(train_.contextParallel));
            out_.set(section + "fsdp_size", sharding == "hsdp" ? train_.shardSize.value_or(8) : -1);
            out_.set(section + "reshard_after_forward", boolean(sharding != "zero2"));
            said("plan.train.shard_size");
            if (framework.starts_with("megatron"))
                leave("plan.train.framework", "trained by FSDP2, which shards as the plan does");
            return;
        }
        if (!framework.starts_with("megatron") && !framework.starts_with("nemo"))
            leave("plan.train.framework", "trained by Megatron-Core");
        said("plan.train.framework");
        out_.set(section + "grad_offload", boolean(offload == "all"));
        out_.set(section + "tensor_model_parallel_size", degree(train_.tensorParallel));
        out_.set(section + "pipeline_model_parallel_size", degree(train_.pipelineParallel));
        out_.set(section + "context_parallel_size", degree(train_.contextParallel));
        if (degree(train_.virtualPipeline) > 1)
            out_.set(section + "virtual_pipeline_model_parallel_size", *train_.virtualPipeline);
        said("plan.train.virtual_pipeline");
        if (source_.scenario.model.moe) {
            out_.set(section + "expert_model_parallel_size", degree(train_.expertParallel));
            out_.set(section + "expert_tensor_parallel_size", degree(train_.expertTensorParallel));
        }
        said("plan.train.expert_parallel");
        said("plan.train.expert_tensor_parallel");
        out_.set(section + "sequence_parallel",
                 boolean(train_.sequenceParallel.value_or(true) && degree(train_.tensorParallel) > 1));
        out_.set(section + "use_distributed_optimizer", boolean(sharding != "none"));
        if (sharding != "none" && sharding != "zero1")
            leave("plan.train.sharding", "Megatron-Core shards the optimizer; written as zero1");
    }

    /// \param owner of the model of the role
    void recompute(const std::string& role, const std::string& owner) {
        ScenarioSpec shown = spec_;
        shown.plan.recompute = train_.recompute;
        said("plan.train.recompute");
        if (!megatron()) {
            const std::vector<std::string> words = recomputedWords(shown);
            const bool full = std::ranges::find(words, "full") != words.end();
            out_.set(owner + "model.enable_gradient_checkpointing", boolean(full));
            if (!full && words != std::vector<std::string>{"none"})
                leave("plan.train.recompute", "the whole layer or nothing");
            return;
        }
        std::vector<LeftOut> left;
        for (const Setting& each : recomputeSettings(shown, left).all) {
            std::string key = each.name.substr(2);
            std::ranges::replace(key, '-', '_');
            std::string value;
            for (const std::string& word : each.values)
                value += (value.empty() ? "" : ",") + word;
            out_.set(role + "megatron.override_transformer_config." + key,
                     key == "recompute_modules" ? "[" + value + "]" : value);
        }
        for (const LeftOut& each : left)
            leaveOut(job_.leftOut, "plan.train.recompute", each.value, each.why);
    }

    void critic() {
        const bool trains = method() == "ppo";
        out_.set("critic.enable", boolean(trains));
        said("workload.critic");
        if (!trains)
            return;
        out_.set("critic.model.path", repositoryOfModel(load_.critic, "CHANGE_ME_CRITIC"));
        out_.set("critic.optim.lr", "CHANGE_ME_LEARNING_RATE");
        engineOfTraining("critic.");
        recompute("critic.", "critic.");
    }

    std::string repositoryOfModel(const std::optional<std::string>& model, const char* absent) {
        if (!model)
            return absent;
        ScenarioSpec other;
        other.workload.model = model;
        return repositoryOf(other, job_.warnings);
    }

    void engine() {
        const std::string engine = rollout_.engine.value_or("vllm");
        const std::string prefix = "actor_rollout_ref.rollout.";
        out_.set(prefix + "name", engine.starts_with("sglang") ? "sglang" : "vllm");
        said("plan.rollout.engine");
        if (!engine.starts_with("sglang") && !engine.starts_with("vllm"))
            leave("plan.rollout.engine", "written as vLLM");
        const auto set = [&](const char* key, const std::string& value, const char* path) {
            out_.set(prefix + key, value);
            said(path);
        };
        const auto count = [&](const char* key, const std::optional<std::int64_t>& value, const char* path) {
            if (value)
                set(key, std::to_string(*value), path);
        };
        set("n", std::to_string(load_.samplesPerPrompt.value_or(1)), "workload.samples_per_prompt");
        count("tensor_model_parallel_size", degree(rollout_.tensorParallel), "plan.rollout.tensor_parallel");
        count("pipeline_model_parallel_size", degree(rollout_.pipelineParallel),
              "plan.rollout.pipeline_parallel");
        count("data_parallel_size", degree(rollout_.attentionDataParallel),
              "plan.rollout.attention_data_parallel");
        count("expert_parallel_size", degree(rollout_.expertParallel), "plan.rollout.expert_parallel");
        count("max_num_seqs", rollout_.maxBatch, "plan.rollout.max_batch");
        count("max_num_batched_tokens", rollout_.chunkTokens, "plan.rollout.chunk_tokens");
        if (rollout_.memoryUtilization)
            set("gpu_memory_utilization", fieldWord(spec_, "plan.rollout.memory_utilization"),
                "plan.rollout.memory_utilization");
        set("enable_chunked_prefill", boolean(rollout_.mixedPrefill.value_or(true)),
            "plan.rollout.mixed_prefill");
        set("enforce_eager", boolean(!rollout_.cudaGraphs.value_or(true)), "plan.rollout.cuda_graphs");
        out_.set(prefix + "max_model_len", lengths_.both());
        if (rollout_.weights == "fp8")
            out_.set(prefix + "quantization", "fp8");
        else if (rollout_.weights && *rollout_.weights != "bf16")
            leave("plan.rollout.weights", "written as BF16");
        if (rollout_.kvCache.value_or("bf16") == "bf16")
            said("plan.rollout.kv_cache");
        const std::string sync = roles_.weightSync.value_or("refit");
        if (!hasPools() && sync != "refit" && sync != "bucketed")
            leave("plan.weight_sync", "written as refit, in buckets");
        for (const char* path : {"plan.rollout.weights", "plan.rollout.gpus", "plan.weight_sync"})
            said(path);
        checkReplicas("plan.rollout.data_parallel", rolloutGpus_ / engineGpus_);
    }

    void reward() {
        const std::string kind = load_.reward.kind.value_or("rule");
        if (kind == "model") {
            out_.set("reward.reward_model.enable", "True");
            out_.set("reward.reward_model.model_path",
                     repositoryOfModel(load_.reward.model, "CHANGE_ME_REWARD_MODEL"));
            out_.set("reward.reward_model.rollout.name",
                     out_.find("actor_rollout_ref.rollout.name")->value());
            out_.set("reward.reward_model.rollout.tensor_model_parallel_size",
                     degree(rollout_.tensorParallel));
        } else if (kind == "sandbox") {
            out_.set("reward.sandbox_fusion.url", "CHANGE_ME_SANDBOX_URL");
        } else {
            out_.set("reward.custom_reward_function.path", "CHANGE_ME_REWARD.py");
        }
        said("workload.reward.kind");
        said("workload.reward.model");
        leave("workload.reward.seconds", "a time that is measured");
    }

    void trainer(const Program& program) {
        out_.set("trainer.nnodes", hasPools() ? pools_.train.nodes : program.nodes);
        out_.set("trainer.n_gpus_per_node", hasPools() ? pools_.train.gpusPerNode : program.gpusPerNode);
        if (hasPools()) {
            out_.set("rollout.nnodes", pools_.rollout.nodes);
            out_.set("rollout.n_gpus_per_node", pools_.rollout.gpusPerNode);
        }
        if (load_.steps && !streams())
            out_.set("trainer.total_training_steps", *load_.steps);
        out_.set("trainer.total_epochs", "CHANGE_ME_EPOCHS");
        said("workload.steps");
        out_.set("trainer.save_freq", "CHANGE_ME_STEPS");
        out_.set("trainer.default_local_dir", "CHANGE_ME_CHECKPOINTS");
        out_.set("trainer.project_name", slugOf(source_));
        out_.set("trainer.experiment_name", slugOf(source_));
        out_.set("trainer.logger", "[console]");
    }

    /// What no override says is named, whatever fields there will be.
    void leaveTheRest() {
        for (const Field& field : fieldTable()) {
            const std::string path(field.path);
            if (said_.contains(path) || (!path.starts_with("plan.") && !path.starts_with("workload.")))
                continue;
            const std::string word = fieldWord(source_.written, path);
            const bool none = word == "none" || word == "0" || word == "false";
            if (!word.empty() && !(none && field.defaultDoc.starts_with(word)) &&
                !(field.degree && word == "1"))
                leaveOut(job_.leftOut, path, word, "no override of verl");
        }
    }

    const HandoffSource& source_;
    Job& job_;
    const ScenarioSpec& spec_;
    const ReinforcementSpec& load_;
    const RolePlanSpec& roles_;
    const PlanSpec &train_, &rollout_;
    const std::string placement_;
    VerlPools pools_;                              ///< where each role has GPUs of its own
    std::int64_t trainGpus_ = 1, rolloutGpus_ = 1; ///< the same ones where the roles take turns
    std::int64_t trainGroup_ = 1, engineGpus_ = 1; ///< of one replica
    Lengths lengths_;
    Settings out_;
    std::set<std::string> said_; ///< fields that the overrides have, or that are named as left out
};

} // namespace

void writeVerl(const HandoffSource& source, Job& job) { VerlWriter(source, job).write(); }

} // namespace alidade::data::handoff
