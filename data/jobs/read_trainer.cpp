// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/job_reader.h"
#include "data/scenario/scenario_json.h"
#include "model/scenario/fields.h"

#include <algorithm>
#include <cmath>

// Accelerate, the Hugging Face Trainer, and programs that read a plan.

namespace alidade::data::handoff {

namespace {

void readCluster(JobReader& reader, Settings& settings, const char* machines, const char* processes) {
    Launch launch;
    if (const Setting* nodes = settings.use(machines)) {
        launch.nodes = reader.count(nodes);
        launch.nodesFrom = *nodes;
    }
    if (const Setting* all = settings.use(processes))
        launch.gpus = reader.count(all);
    reader.noteLaunch(launch, 1);
}

} // namespace

void readAccelerate(JobReader& reader, Settings& settings) {
    const Tool& accelerate = reader.toolFor("accelerate", settings);
    reader.set("workload.kind", std::string(wordOf(WorkloadKind::training)), "accelerate", 0);
    const Setting* type = settings.use("distributed_type");
    const Setting* replicate = settings.use("parallelism_config.parallelism_config_dp_replicate_size");
    const Setting* shard = settings.use("parallelism_config.parallelism_config_dp_shard_size");
    const Setting* reshard = settings.use("fsdp_config.fsdp_reshard_after_forward");
    const std::int64_t copies = reader.count(replicate).value_or(1),
                       parts =
                           shard == nullptr || shard->value() == "-1" ? 0 : reader.count(shard).value_or(0);
    settings.use("fsdp_config.fsdp_version");
    if (type != nullptr && type->value() == "FSDP") {
        std::string kind = copies > 1 && parts > 1 ? "hsdp" : "fsdp2";
        if (kind == "fsdp2" && isOff(reshard))
            kind = "zero2";
        reader.set("plan.sharding", kind, *type);
        if (kind == "hsdp")
            reader.set("plan.shard_size", parts, *shard);
        reader.assume("plan.framework", "transformers",
                      "Accelerate launches Trainers of Transformers and TRL");
    } else if (type != nullptr && (type->value() == "MULTI_GPU" || type->value() == "NO")) {
        reader.set("plan.sharding", "none", *type);
        reader.assume("plan.framework", "transformers",
                      "Accelerate launches Trainers of Transformers and TRL");
    }
    if (parts > 0)
        reader.set("plan.data_parallel", parts * std::max<std::int64_t>(1, copies), *shard);
    reader.readFields(accelerate, settings);
    if (const Setting* offload = settings.use("fsdp_config.fsdp_offload_params"); isOn(offload))
        reader.set("plan.offload.optimizer", "1", *offload);
    readCluster(reader, settings, "num_machines", "num_processes");
    reader.nameTheRest(accelerate, settings);
}

void readTrainer(JobReader& reader, Settings& settings) {
    const Tool& accelerate = reader.toolFor("accelerate", settings);
    reader.set("workload.kind", std::string(wordOf(WorkloadKind::training)), "the training script", 0);
    if (isOn(settings.use("--use_deepspeed"))) {
        reader.assume("plan.framework", "deepspeed", "--use_deepspeed");
        if (const Setting* stage = settings.use("--zero_stage"))
            reader.set("plan.sharding", stage->value() == "0" ? std::string("none") : "zero" + stage->value(),
                       *stage);
        if (const Setting* device = settings.use("--offload_optimizer_device");
            device != nullptr && device->value() == "cpu")
            reader.set("plan.offload.optimizer", "1", *device);
    }
    if (const Setting* mixed = settings.use("--mixed_precision"); mixed != nullptr && mixed->value() != "no")
        reader.set("plan.precision", mixed->value(), *mixed);
    if (settings.has("--num_machines") || settings.has("--num_processes"))
        readCluster(reader, settings, "--num_machines", "--num_processes");
    if (const Setting* model = settings.use("--model_name_or_path"))
        reader.readModelName(model->value(), *model);
    for (const char* name : {"--max_length", "--max_seq_length", "--block_size"})
        if (const Setting* length = settings.use(name))
            reader.set("workload.sequence_length", length->value(), *length);
    if (const Setting* micro = settings.use("--per_device_train_batch_size"))
        reader.set("plan.micro_batch", micro->value(), *micro);
    for (const char* name : {"bf16", "fp16"})
        if (const Setting* precision = settings.use(std::string("--") + name); isOn(precision))
            reader.set("plan.precision", name, *precision);
    const Setting* checkpointing = settings.use("--gradient_checkpointing");
    if (isOn(checkpointing))
        reader.set("plan.recompute", "full", *checkpointing);
    else if (settings.has("--per_device_train_batch_size"))
        reader.assume("plan.recompute", "none", "--gradient_checkpointing is not given");
    if (const Setting* optimizer = settings.use("--optim"))
        reader.set("plan.optimizer",
                   optimizer->value().find("8bit") != std::string::npos ? "adam_8bit" : "adam", *optimizer);
    if (const Setting* adapters = settings.use("--use_peft"); isOn(adapters)) {
        const Setting* rank = settings.use("--lora_r");
        reader.set("workload.finetune.kind", "lora", *adapters);
        if (const Setting* epochs = settings.use("--num_train_epochs"))
            reader.set("workload.finetune.epochs", epochs->value(), *epochs);
        if (rank != nullptr)
            reader.set("workload.finetune.rank", rank->value(), *rank);
        settings.use("--lora_alpha");
        if (const Setting* targets = settings.use("--lora_target_modules")) {
            const auto has = [targets](const char* word) {
                return std::ranges::find(targets->values, word) != targets->values.end();
            };
            const bool attention = has("q_proj") || has("v_proj"), mlp = has("up_proj") || has("down_proj");
            if (attention || mlp)
                reader.set("workload.finetune.targets",
                           attention && mlp ? "attention,mlp"
                           : mlp            ? "mlp"
                                            : "attention",
                           *targets);
        }
    }
    if (const Setting* config = settings.use("--deepspeed"))
        if (auto keys = reader.keysOf(config->value(), flattenYaml))
            readDeepSpeed(reader, *keys);
    const std::int64_t passes = reader.count(settings.use("--gradient_accumulation_steps")).value_or(0);
    const Setting* steps = settings.use("--max_steps");
    const std::int64_t model = reader.number("plan.tensor_parallel", 1) *
                               reader.number("plan.context_parallel", 1) *
                               reader.number("plan.pipeline_parallel", 1);
    if (const auto gpus = reader.out.gpus; gpus && passes > 0 && reader.has("plan.micro_batch") && model > 0)
        reader.assume("workload.global_batch",
                      std::to_string(reader.number("plan.micro_batch", 1) * passes *
                                     std::max<std::int64_t>(1, *gpus / model)),
                      "micro-batch x accumulation x replicas");
    if (const std::int64_t count =
            steps == nullptr || steps->value() == "-1" ? 0 : reader.count(steps).value_or(0);
        count > 0 && reader.has("workload.global_batch"))
        reader.set("workload.tokens",
                   std::to_string(count * reader.number("workload.global_batch", 0) *
                                  reader.number("workload.sequence_length", 0)),
                   *steps);
    reader.nameTheRest(accelerate, settings);
}

} // namespace alidade::data::handoff
