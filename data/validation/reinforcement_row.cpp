// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/json.h"
#include "data/validation/published_json.h"
#include "data/validation/row_fields.h"

namespace alidade::data {
namespace {

/// A model in words, or an object with a name.
std::string modelWords(ObjectReader& row, std::string_view key) {
    const nlohmann::json* value = row.value(key);
    if (value == nullptr)
        return {};
    if (value->is_string())
        return value->get<std::string>();
    return value->is_object() ? value->value("name", std::string("model")) : value->dump();
}

void readModels(ObjectReader models, PublishedReinforcement& out) {
    models.require({"actor"});
    if (auto actor = models.object("actor")) {
        out.modelId = textOr(*actor, "id");
        out.modelName = textOr(*actor, "name");
        ignoreKeys(*actor, {"params_b", "active_params_b", "note", "notes"});
        actor->finish();
    }
    out.reference = modelWords(models, "reference");
    out.critic = modelWords(models, "critic");
    out.reward = modelWords(models, "reward");
    models.finish();
}

void readRollout(ObjectReader row, PublishedReinforcement& out) {
    out.engine = textOr(row, "engine");
    out.rolloutTensor = counted(row, "tp", 1);
    out.rolloutPipeline = counted(row, "pp", 1);
    out.rolloutExpert = counted(row, "ep", 1);
    out.rolloutPrecision = textOr(row, "precision");
    out.speculative = textOr(row, "speculative");
    out.memoryUtilization = row.number("gpu_memory_utilization", {0, 1, {}});
    ignoreKeys(row, {"version", "dp", "note", "notes", "max_num_seqs", "kv_cache", "enforce_eager"});
    row.finish();
}

void readTraining(ObjectReader row, PublishedReinforcement& out) {
    out.backend = textOr(row, "backend");
    out.tensor = counted(row, "tp", 1);
    out.context = counted(row, "cp", 1);
    out.pipeline = counted(row, "pp", 1);
    out.expert = counted(row, "ep", 1);
    out.data = counted(row, "dp", 1);
    out.sharding = textOr(row, "sharding");
    out.trainPrecision = textOr(row, "precision");
    out.recompute = textOr(row, "recompute");
    out.offload = textOr(row, "offload");
    out.tokensPerGpu = scaled(row, "max_tokens_per_gpu");
    out.sequencesPerGpu = counted(row, "micro_batch_sequences", 1);
    ignoreKeys(row, {"lora_rank", "version", "note", "notes", "optimizer"});
    row.finish();
}

void readBatch(ObjectReader row, PublishedReinforcement& out) {
    out.prompts = counted(row, "prompts", 1);
    out.samples = counted(row, "samples_per_prompt", 1);
    out.sequences = counted(row, "sequences", 1);
    out.updateSequences = counted(row, "update_sequences", 1);
    out.updates = counted(row, "updates_per_step", 1);
    out.epochs = counted(row, "epochs", 1);
    ignoreKeys(row, {"note", "notes"});
    row.finish();
}

void readLengths(ObjectReader row, PublishedReinforcement& out) {
    out.promptTokens = scaled(row, "prompt_mean");
    out.responseTokens = scaled(row, "response_mean");
    out.responseLimit = scaled(row, "response_limit");
    out.longestResponse = scaled(row, "response_max");
    out.contextLimit = scaled(row, "context_limit");
    out.cutShare = row.number("clip_ratio", {0, 1, {}});
    ignoreKeys(row, {"prompt_limit", "prompt_max", "distribution", "note", "notes"});
    row.finish();
}

void readMeasured(ObjectReader row, PublishedReinforcement& out) {
    out.step = scaled(row, "step_s");
    out.generation = scaled(row, "generation_s");
    out.logProb = scaled(row, "log_prob_s");
    out.referenceTime = scaled(row, "reference_s");
    const auto actor = scaled(row, "update_actor_s"), training = scaled(row, "training_s");
    out.update = actor ? actor : training;
    out.sync = scaled(row, "weight_sync_s");
    ignoreKeys(row, {"generation_engine_s",
                     "exposed_generation_s",
                     "values_s",
                     "reward_s",
                     "advantage_s",
                     "update_critic_s",
                     "reshard_s",
                     "offload_reload_s",
                     "validation_s",
                     "total_tokens",
                     "generated_tokens",
                     "tokens_per_s",
                     "tokens_per_s_per_gpu",
                     "tokens_definition",
                     "mfu",
                     "peak_mem_gib",
                     "peak_mem_definition",
                     "cpu_mem_gib",
                     "hours",
                     "steps",
                     "note",
                     "notes"});
    row.finish();
}

void readPlaces(ObjectReader& row, PublishedReinforcement& out) {
    if (auto part = row.object("hardware")) {
        out.gpu = textOr(*part, "gpu");
        out.gpus = counted(*part, "gpus", 1);
        out.gpusPerNode = part->integer("gpus_per_node", 1, mostOfAnything).value_or(out.gpusPerNode);
        out.network = textOr(*part, "network");
        ignoreKeys(*part, {"scale_up_domain", "instance", "note", "notes"});
        part->finish();
    }
    if (auto part = row.object("placement")) {
        out.placement = textOr(*part, "mode");
        out.trainGpus = counted(*part, "train_gpus", 1);
        out.rolloutGpus = counted(*part, "rollout_gpus", 1);
        out.staleness = scaled(*part, "max_staleness_steps");
        out.partialRollout = part->boolean("partial_rollout");
        ignoreKeys(*part, {"note", "notes"});
        part->finish();
    }
}

} // namespace

std::optional<PublishedReinforcement> readReinforcementRow(ObjectReader& row) {
    const std::size_t before = faultCount(row.faults());
    row.require({"id", "kind", "group", "source", "models", "hardware", "placement", "measured"});
    PublishedReinforcement out;
    out.id = textOr(row, "id");
    out.kind = wordOf(row, "kind", {"step", "run", "phase", "sync"});
    out.group = textOr(row, "group");
    out.algorithm = textOr(row, "algorithm");
    out.confidence = wordOf(row, "confidence", {"high", "medium", "low"});
    out.notes = textOr(row, "notes");
    out.inferred = row.texts("inferred");
    ignoreKeys(row, {"outcome", "derived"});
    if (auto part = row.object("source")) {
        out.source = {textOr(*part, "title"), textOr(*part, "locator"), textOr(*part, "table"),
                      textOr(*part, "row"), textOr(*part, "date")};
        ignoreKeys(*part, {"note", "notes", "url"});
        part->finish();
    }
    if (auto part = row.object("framework")) {
        out.framework = textOr(*part, "name");
        ignoreKeys(*part, {"version", "note", "notes"});
        part->finish();
    }
    if (auto part = row.object("models"))
        readModels(std::move(*part), out);
    readPlaces(row, out);
    if (auto part = row.object("rollout"))
        readRollout(std::move(*part), out);
    if (auto part = row.object("training"))
        readTraining(std::move(*part), out);
    if (auto part = row.object("batch"))
        readBatch(std::move(*part), out);
    if (auto part = row.object("lengths"))
        readLengths(std::move(*part), out);
    if (auto part = row.object("measured"))
        readMeasured(std::move(*part), out);
    row.finish();
    return faultCount(row.faults()) == before ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace alidade::data
