// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/job.h"
#include "data/handoff/text_writers.h"
#include "data/json/json.h"

#include <algorithm>
#include <cmath>

namespace alidade::data::handoff {

namespace {

void writeModel(const ScenarioSpec& spec, Settings& out, Job& job) {
    const ModelNames* names = namesOf(spec.workload.model.value_or(""));
    if (names == nullptr || names->titanName.empty()) {
        job.warnings.push_back("torchtitan " + job.toolVersion +
                               " has no flavor for this model: add one to its registry");
        leaveOut(job.leftOut, "workload.model", spec.workload.model.value_or("one of your own"),
                 "not in torchtitan");
        out.set("model.name", "CHANGE_ME_MODEL");
        out.set("model.flavor", "CHANGE_ME_FLAVOR");
    } else {
        out.set("model.name", names->titanName);
        out.set("model.flavor", names->titanFlavor);
    }
    const std::string repository = repositoryOf(spec, job.warnings);
    out.set("model.hf_assets_path", "./assets/hf/" + repository.substr(repository.find_last_of('/') + 1));
}

void writeTitanSharding(const ScenarioSpec& spec, Settings& out, std::vector<LeftOut>& left) {
    const std::string kind = spec.plan.sharding.value_or("fsdp2");
    const std::int64_t data = spec.plan.dataParallel.value_or(1);
    std::int64_t shard = data;
    if (kind == "hsdp") {
        shard = std::clamp<std::int64_t>(spec.plan.shardSize.value_or(8), 1, data);
        if (shard == data)
            leaveOut(left, "plan.sharding", kind, "one group of all replicas; written as FSDP2");
    } else if (kind == "none")
        shard = 1;
    else if (kind == "zero1")
        leaveOut(left, "plan.sharding", kind,
                 "torchtitan has no ZeRO-1; written as FSDP2 that keeps the parameters");
    out.set("parallelism.data_parallel_replicate_degree", data / shard);
    out.set("parallelism.data_parallel_shard_degree", shard);
    if (kind == "zero2" || kind == "zero1")
        out.set("parallelism.fsdp_reshard_after_forward", "never");
    else if (kind == "zero3")
        out.set("parallelism.fsdp_reshard_after_forward", "always");
}

void writeBatch(const HandoffSource& source, Settings& out) {
    const ScenarioSpec& spec = source.estimate.scenario;
    const std::int64_t micro = spec.plan.microBatch.value_or(1);
    const std::int64_t data = spec.plan.dataParallel.value_or(1);
    const std::int64_t global = spec.workload.globalBatch.value_or(data * micro);
    const bool stages = spec.plan.pipelineParallel.value_or(1) > 1;
    // With a pipeline a local batch is the micro-batches of one step of it.
    out.set("training.local_batch_size", stages ? global / data : micro);
    if (stages)
        out.set("parallelism.pipeline_parallel_microbatch_size", micro);
    if (const double tokens = tokensOf(source); tokens > 0)
        out.set("training.steps", static_cast<std::int64_t>(std::ceil(
                                      tokens / static_cast<double>(global) /
                                      static_cast<double>(spec.workload.sequenceLength.value_or(1)))));
}

void writeTitanPrecision(const HandoffSource& source, Settings& out, std::vector<LeftOut>& left) {
    const ScenarioSpec& spec = source.estimate.scenario;
    const std::string precision = spec.plan.precision.value_or("bf16");
    const bool experts = source.scenario.model.moe.has_value();
    out.set("training.mixed_precision_param", precision == "fp16" ? "float16" : "bfloat16");
    if (precision == "bf16")
        return;
    if (precision == "fp16" || precision == "nvfp4") {
        leaveOut(left, "plan.precision", precision,
                 "torchtitan 0.2.2 trains in BF16, FP8 and MXFP8; written as BF16");
        out.all.back().values = {"bfloat16"};
        return;
    }
    const std::string kind = precision == "fp8" ? "float8" : "mx";
    std::vector<std::string> converters{"quantize.linear." + kind};
    if (experts)
        converters.push_back("quantize.grouped_mm." + kind);
    out.setList("model.converters", converters);
    if (precision == "mxfp8")
        out.set("quantize.linear.mx.recipe_name", "mxfp8_cublas");
    else
        out.setList("quantize.linear.float8.filter_fqns", {"output"});
    if (experts)
        out.setList("quantize.grouped_mm." + kind + ".fqns", {"experts"});
    if (const std::string recipe = spec.plan.fp8Recipe.value_or("current"); precision == "fp8") {
        if (recipe == "row")
            out.set("quantize.linear.float8.recipe_name", "rowwise");
        else if (recipe != "current")
            leaveOut(left, "plan.fp8_recipe", recipe,
                     "torchtitan scales FP8 dynamically, by tensor or by row; written as by tensor");
    }
}

nlohmann::ordered_json titanDocument(const Settings& settings, const Tool& tool) {
    nlohmann::ordered_json out = nlohmann::ordered_json::object();
    for (const Setting& each : settings.all)
        setPath(out, each.name,
                tool.lists.contains(each.name) || each.values.size() > 1 ? nlohmann::ordered_json(each.values)
                : each.name == "activation_checkpoint.selective_ac_option" || each.name == "model.flavor"
                    ? nlohmann::ordered_json(each.value())
                    : valueOf(each.value()));
    return out;
}

} // namespace

void writeTorchtitan(const HandoffSource& source, Job& job) {
    const ScenarioSpec& spec = source.estimate.scenario;
    Settings out;
    writeModel(spec, out, job);
    writeFields(*job.tool, spec, out, job.leftOut);
    if (fieldWord(spec, "plan.recompute") == "selective")
        leaveOut(job.leftOut, "plan.recompute", "selective",
                 "torchtitan selects by operation; written as per_op");
    writeBatch(source, out);
    writeTitanSharding(spec, out, job.leftOut);
    writeTitanPrecision(source, out, job.leftOut);
    const std::int64_t stages = spec.plan.pipelineParallel.value_or(1);
    const std::int64_t chunks = spec.plan.virtualPipeline.value_or(1);
    const std::int64_t slots =
        source.scenario.model.layers + 2; // the embedding and the output count as one each
    if (stages > 1 && chunks > 1) {
        const std::int64_t each = (slots + stages * chunks - 1) / (stages * chunks);
        out.set("parallelism.pipeline_parallel_layers_per_stage", each);
        if ((slots + each - 1) / each != stages * chunks)
            leaveOut(job.leftOut, "plan.virtual_pipeline", std::to_string(chunks),
                     "the layers do not divide into that many chunks of one size");
    }
    if (spec.plan.tensorParallel.value_or(1) > 1) {
        out.set("parallelism.enable_async_tensor_parallel",
                spec.plan.overlap.tensor.value_or(0) > 0 ? "true" : "false");
        if (!spec.plan.sequenceParallel.value_or(true))
            leaveOut(job.leftOut, "plan.sequence_parallel", "false", "always on with tensor parallelism");
    }
    if (const double share = spec.plan.offload.optimizer.value_or(0); share > 0) {
        out.set("training.enable_cpu_offload", "true");
        if (share < 1)
            leaveOut(job.leftOut, "plan.offload.optimizer", fieldWord(spec, "plan.offload.optimizer"),
                     "all of the state or none of it");
    }
    if (spec.cluster.rankOrder.value_or("tp-cp-ep-dp-pp") != "tp-cp-ep-dp-pp")
        leaveOut(job.leftOut, "cluster.rank_order", *spec.cluster.rankOrder, "no such key");
    // What it reads and where it writes where nothing is said is for a try.
    out.set("job.dump_folder", "CHANGE_ME_CHECKPOINTS");
    out.set("training.dataset", "c4");
    job.warnings.emplace_back("training.dataset is c4: replace it with your data set");
    out.set("checkpoint.enable", "true");
    out.set("checkpoint.interval", checkpointSteps(source));
    if (const Setting* assets = out.find("model.hf_assets_path");
        assets != nullptr && tunesAllWeights(source)) {
        const std::string folder = assets->value(); // the weights are alongside the tokenizer
        out.set("checkpoint.initial_load_path", folder);
        out.set("checkpoint.initial_load_in_hf", "true");
    }
    job.savesAsPlanned = true;
    out.set("compile.enable", spec.plan.framework == "torchtitan-eager" ? "false" : "true");
    Program program = trainingProgram(source);
    program.command = {"-m", job.tool->program};
    program.arguments.set("--job.config_file", "job.toml");
    program.environment = environmentOf(source, "torchtitan", program);
    job.files.push_back({"job.toml", tomlText(titanDocument(out, *job.tool))});
    job.programs.push_back(std::move(program));
}

} // namespace alidade::data::handoff
