// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/plan/plan_words.h"
#include "model/scenario/fields_builder.h"
#include "model/serving/number_format.h"

namespace alidade::fields {

namespace {

void appendFormats(Lines& lines) {
    const auto format = [](std::string_view path, std::string_view label, auto member, std::string_view doc,
                           std::string_view absent) {
        return Line(path, label, member, doc).oneOf(numberFormatWords()).serving().absent(absent);
    };
    lines.push_back(format(
                        "plan.weights", "Weights", [](auto& s) -> auto& { return s.plan.weights; },
                        "number format of the weights", "the model's native format")
                        .common(FieldGroup::plan, 360));
    lines.push_back(format(
                        "plan.kv_cache", "KV cache", [](auto& s) -> auto& { return s.plan.kvCache; },
                        "number format of the key-value cache", "bf16")
                        .common(FieldGroup::plan, 370));
    lines.push_back(format(
        "plan.activations", "Activations", [](auto& s) -> auto& { return s.plan.activations; },
        "number format of the activations in matrix multiplications", "bf16"));
}

bool offloadsCache(const ScenarioSpec& spec, const Catalog&) {
    return spec.plan.kvOffloadBytes.value_or(0) > 0;
}

/// One pool of a disaggregated deployment. The paths are literals because they need static lifetime.
struct PoolPaths {
    std::string_view instance, workers, tensor, pipeline, expert, attentionData, maxBatch;
};

template <class Pool>
void appendPool(Lines& lines, const PoolPaths& paths, Pool pool) {
    lines.push_back(Line(
                        paths.instance, "Instance type",
                        [pool](auto& s) -> auto& { return pool(s).instance; },
                        "EC2 instance type of this pool")
                        .idOf("instances")
                        .serving()
                        .absent("the cluster's"));
    const auto degree = [&lines](std::string_view path, std::string_view label, auto member,
                                 std::string_view doc) {
        lines.push_back(Line(path, label, member, doc).degree().serving().absent("1"));
    };
    lines.push_back(Line(
                        paths.workers, "Replicas", [pool](auto& s) -> auto& { return pool(s).workers; },
                        "replicas of the model in this pool")
                        .unit("replicas")
                        .range(1, 65'536)
                        .serving()
                        .absent("1"));
    degree(
        paths.tensor, "Tensor", [pool](auto& s) -> auto& { return pool(s).tensorParallel; },
        "GPUs that share each matrix");
    degree(
        paths.pipeline, "Pipeline", [pool](auto& s) -> auto& { return pool(s).pipelineParallel; },
        "stages of the pipeline");
    degree(
        paths.expert, "Expert", [pool](auto& s) -> auto& { return pool(s).expertParallel; },
        "GPUs that share the experts of a layer");
    degree(
        paths.attentionData, "Attention data",
        [pool](auto& s) -> auto& { return pool(s).attentionDataParallel; },
        "attention groups per replica that process different requests");
    lines.push_back(
        Line(
            paths.maxBatch, "Largest batch", [pool](auto& s) -> auto& { return pool(s).maxBatch; },
            "maximum concurrent requests per replica, or per group with attention data parallelism")
            .unit("requests")
            .range(1, 1e7)
            .serving()
            .absent("limited by memory"));
}

void appendDisaggregated(Lines& lines) {
    appendPool(lines,
               {"plan.disaggregated.prefill.instance", "plan.disaggregated.prefill.workers",
                "plan.disaggregated.prefill.tensor_parallel", "plan.disaggregated.prefill.pipeline_parallel",
                "plan.disaggregated.prefill.expert_parallel",
                "plan.disaggregated.prefill.attention_data_parallel", "plan.disaggregated.prefill.max_batch"},
               [](auto& s) -> auto& { return s.plan.disaggregated.prefill; });
    appendPool(lines,
               {"plan.disaggregated.decode.instance", "plan.disaggregated.decode.workers",
                "plan.disaggregated.decode.tensor_parallel", "plan.disaggregated.decode.pipeline_parallel",
                "plan.disaggregated.decode.expert_parallel",
                "plan.disaggregated.decode.attention_data_parallel", "plan.disaggregated.decode.max_batch"},
               [](auto& s) -> auto& { return s.plan.disaggregated.decode; });
    lines.push_back(Line(
                        "plan.disaggregated.transfer", "Transfer",
                        [](auto& s) -> auto& { return s.plan.disaggregated.transfer; },
                        "fabric that carries the key-value cache from prefill to decode")
                        .oneOf({"nvlink", "efa"})
                        .serving()
                        .absent("efa"));
    lines.push_back(Line(
                        "plan.disaggregated.overlap", "Transfer overlap",
                        [](auto& s) -> auto& { return s.plan.disaggregated.overlap; },
                        "transfer the cache of finished layers while prefill continues")
                        .serving()
                        .absent("true"));
}

} // namespace

void appendServingPlan(Lines& lines) {
    lines.push_back(Line(
                        "plan.engine", "Engine", [](auto& s) -> auto& { return s.plan.engine; },
                        "serving engine; sets defaults and overheads")
                        .common(FieldGroup::machine, 440)
                        .idOf("engines")
                        .serving()
                        .absent("vllm"));
    lines.push_back(Line(
                        "plan.tuning", "Tuning", [](auto& s) -> auto& { return s.plan.tuning; },
                        "how the engine is set up: as in a vendor's benchmark, with tuned kernels, greedy "
                        "sampling and no streaming, or as servers usually run")
                        .oneOf({"as_run", "vendor"})
                        .serving()
                        .absent("as_run"));
    lines.push_back(Line(
                        "plan.attention_data_parallel", "Attention data",
                        [](auto& s) -> auto& { return s.plan.attentionDataParallel; },
                        "attention groups per replica that process different requests")
                        .common(FieldGroup::plan, 290)
                        .when(isOneFleet)
                        .degree()
                        .serving()
                        .absent("1"));
    appendFormats(lines);
    lines.push_back(Line(
                        "plan.memory_utilization", "Memory utilization",
                        [](auto& s) -> auto& { return s.plan.memoryUtilization; },
                        "share of the GPU memory that the engine may use")
                        .measures(Dimension::ratio)
                        .range(0.01, 1)
                        .serving()
                        .absent("the engine's default"));
    lines.push_back(Line(
                        "plan.max_batch", "Largest batch", [](auto& s) -> auto& { return s.plan.maxBatch; },
                        "maximum concurrent requests per replica")
                        .common(FieldGroup::plan, 380)
                        .unit("requests")
                        .range(1, 1e7)
                        .serving()
                        .absent("limited by memory"));
    lines.push_back(Line(
                        "plan.chunk_tokens", "Prefill chunk",
                        [](auto& s) -> auto& { return s.plan.chunkTokens; },
                        "prompt tokens processed per step")
                        .unit("tokens")
                        .countsTokens()
                        .range(1, 1e8)
                        .serving()
                        .absent("the engine's default"));
    lines.push_back(Line(
                        "plan.mixed_prefill", "Mixed prefill",
                        [](auto& s) -> auto& { return s.plan.mixedPrefill; },
                        "process prefill chunks in the same step as decodes instead of in separate steps")
                        .serving()
                        .absent("the engine's default"));
    lines.push_back(Line(
                        "plan.kv_block", "KV block size", [](auto& s) -> auto& { return s.plan.kvBlock; },
                        "tokens per block of the key-value cache; a sequence uses whole blocks")
                        .unit("tokens")
                        .countsTokens()
                        .range(1, 65'536)
                        .serving()
                        .absent("the engine's default"));
    lines.push_back(
        Line(
            "plan.kv_offload_bytes", "KV offload", [](auto& s) -> auto& { return s.plan.kvOffloadBytes; },
            "memory outside of the GPU that each GPU uses as a second tier of its key-value cache")
            .measures(Dimension::bytes)
            .range(0, 1e15)
            .serving()
            .absent("0"));
    lines.push_back(
        Line(
            "plan.kv_offload_tier", "KV offload to", [](auto& s) -> auto& { return s.plan.kvOffloadTier; },
            "where the second tier of the key-value cache is: memory of the host, its local drives, or "
            "a shared file system")
            .oneOf({cacheTierWords.begin(), cacheTierWords.end()})
            .when(offloadsCache)
            .serving()
            .absent("host"));
    lines.push_back(Line(
                        "plan.weights_offload", "Weights in host memory",
                        [](auto& s) -> auto& { return s.plan.weightsOffload; },
                        "share of the weights kept in host memory and streamed in each step")
                        .share()
                        .serving()
                        .absent("0"));
    lines.push_back(Line(
                        "plan.cuda_graphs", "CUDA graphs", [](auto& s) -> auto& { return s.plan.cudaGraphs; },
                        "launch kernels as recorded CUDA graphs to reduce host time")
                        .absent("false in training, true in serving"));
    lines.push_back(Line(
                        "plan.speculative.draft_tokens", "Draft tokens",
                        [](auto& s) -> auto& { return s.plan.speculative.draftTokens; },
                        "draft tokens proposed before each decode step")
                        .unit("tokens")
                        .countsTokens()
                        .range(1, 1024)
                        .serving()
                        .absent("no speculative decoding"));
    lines.push_back(Line(
                        "plan.speculative.acceptance", "Acceptance rate",
                        [](auto& s) -> auto& { return s.plan.speculative.acceptance; },
                        "share of draft tokens that are accepted")
                        .when(speculates)
                        .share()
                        .serving()
                        .absent("required for speculative decoding"));
    appendDisaggregated(lines);
}

} // namespace alidade::fields
