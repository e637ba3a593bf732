// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/serving_plans.h"

#include "model/serving/number_format.h"
#include "model/workload/parameters.h"

#include <algorithm>
#include <array>

namespace alidade {

namespace {

constexpr int mostTensorServing = 64, mostAttentionData = 64, mostPipelineServing = 8;

bool dividesHeads(const Architecture& model, int tensor) {
    const bool grouped =
        model.mla || model.kvHeads <= 0 || model.kvHeads % tensor == 0 || tensor % model.kvHeads == 0;
    return model.attentionHeads % tensor == 0 && model.ffnIntermediateSize % tensor == 0 && grouped;
}

/// Lower bound of the bytes of weights on one GPU.
double weightBytes(const Scenario& base, const ServingLayout& layout) {
    const ParameterCount count = countParameters(base.model);
    const double dense =
        base.inputs[Input::denseWeightBytes] * static_cast<double>(count.total - count.experts);
    const double experts = base.inputs[Input::expertWeightBytes] * static_cast<double>(count.experts);
    return (dense / layout.tensor + experts / (layout.tensor * layout.attentionData)) / layout.pipeline;
}

const Gpu* gpuOf(const ClusterSpec& cluster, const Catalog& catalog) {
    if (cluster.custom.gpu)
        return catalog.gpu(*cluster.custom.gpu);
    const UltraServer* ultra = catalog.ultraserver(cluster.ultraserver.value_or(""));
    const Instance* instance = catalog.instance(cluster.instance.value_or(""));
    return ultra ? catalog.gpu(ultra->gpu) : instance ? catalog.gpu(instance->gpu) : nullptr;
}

/// Adds a layout with each way to spread experts over the GPUs of a stage: whole experts per GPU, or split
/// like the MLP, which cannot be combined with attention data parallelism.
void addExpertChoices(std::vector<ServingLayout>& out, ServingLayout layout, const Architecture& model) {
    const int stage = layout.tensor * layout.attentionData;
    if (model.moe && stage <= model.moe->routedExperts && stage > 1) {
        layout.expert = stage;
        out.push_back(layout);
    }
    if (!model.moe || (layout.attentionData == 1 && model.moe->expertIntermediateSize % stage == 0)) {
        layout.expert = 1;
        out.push_back(layout);
    }
}

class Edits {
public:
    explicit Edits(const ScenarioSpec& spec)
        : spec_(spec) {}
    void add(const Edit& edit) {
        Edit changes = changesOf(spec_, edit);
        const bool known = std::ranges::find(out_, changes) != out_.end();
        if (!changes.empty() && !known)
            out_.push_back(std::move(changes));
    }
    void add(const char* path, std::string text) { add(Edit{{path, std::move(text)}}); }
    std::vector<Edit> take() { return std::move(out_); }

private:
    const ScenarioSpec& spec_;
    std::vector<Edit> out_;
};

} // namespace

std::vector<ServingLayout> servingLayouts(const Scenario& base) {
    std::vector<ServingLayout> out;
    const std::int64_t gpus = base.spec.cluster.gpus.value_or(1);
    const double room = std::min(base.inputs[Input::capacity],
                                 base.inputs[Input::deviceMemory] * base.inputs[Input::memoryUtilization]);
    const int most = base.model.moe ? mostAttentionData : 1;
    for (int t = 1; t <= std::min(mostTensorServing, base.nvlinkDomain); t *= 2) {
        for (int a = 1; a <= most; a *= 2) {
            for (int p = 1; p <= mostPipelineServing; p *= 2) {
                const ServingLayout layout{.tensor = t, .pipeline = p, .attentionData = a};
                const bool wide = p == 1 || (t * a >= base.gpusPerNode && p <= base.model.layers);
                if (wide && layout.gpus() <= gpus && dividesHeads(base.model, t) &&
                    weightBytes(base, layout) < room) {
                    addExpertChoices(out, layout, base.model);
                }
            }
        }
    }
    std::ranges::stable_sort(out, {}, &ServingLayout::gpus);
    return out;
}

Edit editOf(const ServingLayout& layout, const Scenario& base) {
    const auto degree = [](int n) { return n == 1 ? std::string() : std::to_string(n); };
    Edit out{{"plan.tensor_parallel", std::to_string(layout.tensor)},
             {"plan.pipeline_parallel", degree(layout.pipeline)},
             {"plan.attention_data_parallel", degree(layout.attentionData)},
             {"plan.data_parallel", ""},
             {"cluster.gpus", ""}};
    if (base.model.moe)
        out.emplace_back("plan.expert_parallel", std::to_string(layout.expert));
    return out;
}

std::vector<Edit> narrowerFormats(const ScenarioSpec& spec, const Scenario& base, const Catalog& catalog) {
    const Gpu* gpu = gpuOf(spec.cluster, catalog);
    const auto weights = numberFormat(base.spec.plan.weights.value_or("bf16"));
    const auto cache = numberFormat(base.spec.plan.kvCache.value_or("bf16"));
    Edits out(spec);
    if (!gpu || !weights || !cache)
        return out.take();
    const bool narrowCache = gpu->fp8 && bitsOf(*cache) > 8;
    if (narrowCache)
        out.add("plan.kv_cache", "fp8");
    for (const auto& [word, bits, has] :
         {std::tuple{"fp8", 8, gpu->fp8.has_value()}, {"nvfp4", 4, gpu->fp4.has_value()}}) {
        if (has && bitsOf(*weights) > bits) {
            out.add("plan.weights", word);
            if (narrowCache)
                out.add({{"plan.weights", word}, {"plan.kv_cache", "fp8"}});
        }
    }
    return out.take();
}

std::vector<Edit> servingPlanEdits(const ScenarioSpec& spec, const Scenario& base) {
    Edits out(spec);
    for (const char* path :
         {"plan.data_parallel", "cluster.gpus", "plan.expert_parallel", "plan.attention_data_parallel",
          "plan.pipeline_parallel", "plan.max_batch", "plan.weights_offload", "plan.speculative.draft_tokens",
          "plan.memory_utilization", "plan.activations", "cluster.rank_order", "cluster.placement"}) {
        out.add(path, "");
    }
    for (int t = 1; t <= std::min(mostTensorServing, base.nvlinkDomain); t *= 2) {
        if (dividesHeads(base.model, t)) {
            out.add("plan.tensor_parallel", std::to_string(t));
            out.add({{"plan.tensor_parallel", std::to_string(t)}, {"plan.data_parallel", ""}});
        }
    }
    for (const char* n : {"2", "4", "8"})
        out.add({{"plan.pipeline_parallel", n}, {"plan.data_parallel", ""}});
    if (base.model.moe) {
        for (int n = 1; n <= mostAttentionData; n *= 2) {
            out.add("plan.expert_parallel", std::to_string(n));
            out.add({{"plan.attention_data_parallel", std::to_string(n)}, {"plan.data_parallel", ""}});
        }
    }
    for (const char* tokens : {"1024", "2048", "4096", "8192", "16384"})
        out.add("plan.chunk_tokens", tokens);
    for (const char* requests : {"16", "32", "64", "128", "256", "512", "1024"})
        out.add("plan.max_batch", requests);
    out.add("plan.memory_utilization", "95 %");
    out.add("plan.cuda_graphs", "true");
    return out.take();
}

std::vector<Edit> poolEdits(const ScenarioSpec& spec, const Scenario& base) {
    Edits out(spec);
    if (base.pools.size() < 2)
        return out.take();
    for (const std::string name : {"prefill", "decode"}) {
        const ServingPlan& plan = base.pools[name == "prefill" ? 0 : 1].plan;
        const std::string path = "plan.disaggregated." + name + ".";
        for (const double factor : {0.5, 0.75, 1.25, 1.5, 2.0, 3.0, 4.0}) {
            const int workers =
                static_cast<int>(factor < 1 ? plan.workers * factor : plan.workers * factor + 0.5);
            if (workers > 0 && workers != plan.workers)
                out.add((path + "workers").c_str(), std::to_string(workers));
        }
        for (const int step : {plan.workers - 1, plan.workers + 1})
            if (step > 0)
                out.add((path + "workers").c_str(), std::to_string(step));
        for (int t = 1; t <= std::min(mostTensorServing, base.nvlinkDomain); t *= 2)
            if (dividesHeads(base.model, t))
                out.add((path + "tensor_parallel").c_str(), std::to_string(t));
    }
    return out.take();
}

std::optional<Scenario> plainService(const ScenarioSpec& spec, const Catalog& catalog,
                                     const Profile& profile) {
    ScenarioSpec plain = spec;
    PlanSpec& plan = plain.plan;
    for (auto* degree : {&plan.tensorParallel, &plan.pipelineParallel, &plan.attentionDataParallel,
                         &plan.expertParallel, &plan.dataParallel}) {
        degree->reset();
    }
    plan.disaggregated = {};
    plain.cluster.gpus.reset();
    auto scenario = resolve(plain, catalog, profile);
    return scenario && scenario->modeled ? std::optional(*std::move(scenario)) : std::nullopt;
}

} // namespace alidade
