// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/published_serving_scenario.h"

#include "model/validation/published_scenario.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

using Words = std::vector<std::string>;

/// Requests of an offline run that does not say how many: what the TensorRT-LLM performance overview (release
/// 1.0) queues at most of its lengths. Beyond what an engine holds, more of them only wait.
constexpr double offlineRequests = 1500;
/// Output of the decode benchmark of DeepSeek on 96 H100, which gives the prompt alone:
/// github.com/sgl-project/ sglang/issues/6017.
constexpr double decodeOutput = 100;
/// Bytes/s per direction of PCIe 5.0 x16.
constexpr double pcieRate = 64e9;

std::string number(const std::string& what) { return "the source does not give " + what; }

/// Joins what is missing: "the source does not give a, b".
std::string missing(const Words& needs) {
    std::string out;
    for (const std::string& each : needs)
        out += out.empty() ? number(each) : ", " + each;
    return out;
}

/// The row covers both stages of a deployment that keeps them apart.
bool isDisaggregated(const PublishedServing& row) {
    return row.phase == "e2e" && row.layout.prefill && row.layout.decode;
}

class ServingReader {
public:
    ServingReader(const PublishedServing& row, const Catalog& catalog, const Architecture& model,
                  ScenarioSpec& out, Words& assumed)
        : row_(row)
        , catalog_(catalog)
        , model_(model)
        , workload_(out.workload)
        , cluster_(out.cluster)
        , plan_(out.plan)
        , assumed_(assumed) {}

    /// What any model would need and the source does not give.
    std::string lacks() const;
    void lengths();
    void load();
    std::string cluster();
    void engine();
    void degrees();
    void pools();
    void formats();
    void rest();

private:
    void assume(const char* path) { assumed_.emplace_back(path); }
    /// A spread of lengths that the source gives, or the default.
    void spread(const std::optional<double>& given, std::optional<double>& field, const char* path) {
        given ? void(field = given) : assume(path);
    }
    std::optional<double> requestsUnderWay() const;
    std::string format(const std::string& word) const;

    const PublishedServing& row_;
    const Catalog& catalog_;
    const Architecture& model_;
    WorkloadSpec& workload_;
    ClusterSpec& cluster_;
    PlanSpec& plan_;
    Words& assumed_;
};

/// Requests that are under way, or queued at once; nullopt where the source does not say.
std::optional<double> ServingReader::requestsUnderWay() const {
    const PublishedLoad& load = row_.load;
    const auto batch =
        load.batch ? std::optional(1.0 * *load.batch * row_.layout.replicas.value_or(1)) : std::nullopt;
    if (load.mode == "offline" && publishedLoadKind(row_) == PublishedLoadKind::closedLoop) {
        const auto queued = load.requests ? std::optional<double>(*load.requests) : load.concurrency;
        return queued ? queued : batch;
    }
    return load.concurrency ? load.concurrency : batch;
}

std::string ServingReader::lacks() const {
    const PublishedLoad& load = row_.load;
    Words needs;
    if (!load.inputTokens && !row_.measured.itlLine)
        needs.emplace_back("the length of the prompts");
    if (!load.outputTokens && row_.phase == "e2e")
        needs.emplace_back("the length of the answers");
    // Where prompts wait in a queue, an engine fills itself; a pool that decodes has what it is given.
    const bool waiting = (load.mode == "offline" && row_.phase == "e2e") || row_.phase == "prefill";
    if (!waiting && !requestsUnderWay() && !load.requestRate)
        needs.emplace_back("the requests under way or their rate");
    if (!row_.hardware.gpus)
        needs.emplace_back("the number of GPUs");
    if (!row_.layout.tensor && !isDisaggregated(row_))
        needs.emplace_back("the degree of tensor parallelism");
    if (row_.weights.empty())
        needs.emplace_back("the number format of the weights");
    if (row_.speculation && !row_.speculation->acceptanceLength)
        needs.emplace_back("how many drafted tokens are accepted");
    return missing(needs);
}

void ServingReader::lengths() {
    const PublishedLoad& load = row_.load;
    workload_.kind = WorkloadKind::serving;
    if (row_.phase != "e2e")
        workload_.phase = row_.phase;
    double mean = 1;
    const bool wide = load.lengths.starts_with("uniform in [1, N]");
    if (wide || load.lengths.starts_with("uniform in [0.8 N, N]")) {
        const double low = wide ? 0 : 0.8, high = 1;
        const double cv = (high - low) / std::sqrt(12.0) / ((low + high) / 2);
        // Of the first the source gives the means of the run.
        mean = wide ? 1 : (low + high) / 2;
        workload_.inputTokensCv = cv;
        workload_.outputTokensCv = cv;
    } else if (load.lengths == "fixed") {
        workload_.inputTokensCv = 0;
        workload_.outputTokensCv = 0;
    } else {
        spread(load.inputCv, workload_.inputTokensCv, "workload.input_tokens_cv");
        spread(load.outputCv, workload_.outputTokensCv, "workload.output_tokens_cv");
    }
    if (load.outputTokens) {
        workload_.outputTokens = std::max(1.0, mean * *load.outputTokens);
    } else {
        workload_.outputTokens = row_.phase == "decode" ? decodeOutput : 1;
        assume("workload.output_tokens");
    }
    if (load.inputTokens) {
        workload_.inputTokens = mean * *load.inputTokens;
        if (saysWord(row_.notes, "estimated prompt length"))
            assume("workload.input_tokens");
    } else {
        workload_.inputTokens = referenceContext;
        assume("workload.input_tokens");
    }
    workload_.prefixCacheHit = load.prefixCacheHit;
}

void ServingReader::load() {
    if (publishedLoadKind(row_) == PublishedLoadKind::openLoop) {
        workload_.requestRatePerS = row_.load.requestRate;
        return;
    }
    workload_.concurrency = requestsUnderWay();
    if (!workload_.concurrency) {
        workload_.concurrency = offlineRequests;
        assume("workload.concurrency");
    }
}

std::string ServingReader::cluster() {
    PublishedHardware hardware;
    const bool rack = row_.hardware.gpu.starts_with("GB");
    const bool pcie = row_.hardware.interconnect == "PCIe";
    hardware.gpu = row_.hardware.gpu;
    hardware.gpus = row_.hardware.gpus;
    hardware.gpusPerNode = rack ? 4 : 8;
    hardware.scaleUpDomain = rack ? 72 : 8;
    hardware.network = row_.hardware.interconnect;
    hardware.instance = row_.hardware.instance;
    std::string lacks = publishedCluster(hardware, catalog_, cluster_, assumed_);
    if (lacks.empty() && pcie) {
        cluster_.custom.nvlinkBytesPerSPerGpuPerDirection = pcieRate;
        assume("cluster.custom.nvlink_bytes_per_s_per_gpu_per_direction");
    }
    return lacks;
}

void ServingReader::engine() {
    const Framework* engine = publishedEngine(row_, catalog_);
    if (engine)
        plan_.engine = engine->id;
    if (!engine || row_.engine.starts_with("unspecified"))
        assume("plan.engine");
    // Random tokens of set length are a vendor's benchmark: greedy, nothing read by a person. Who sends real
    // prompts also samples and streams the answers.
    const bool real = saysWord(row_.load.lengths, "prompts") || saysWord(row_.load.lengths, "ShareGPT") ||
                      row_.load.mode == "server (production)";
    if (!row_.load.sampling.empty())
        workload_.sampling = row_.load.sampling;
    plan_.tuning = !row_.load.tuning.empty() ? row_.load.tuning : real ? "as_run" : "vendor";
}

void ServingReader::degrees() {
    const PublishedServingLayout& p = row_.layout;
    int tensor = *p.tensor;
    int attention = p.attentionData.value_or(1);
    // TensorRT-LLM spreads its attention groups over the GPUs that --tp gives.
    if (!p.attentionData && model_.moe && saysWord(row_.notes, "enables attention data parallelism"))
        attention = std::exchange(tensor, 1);
    const int pipeline = p.pipeline.value_or(1);
    plan_.tensorParallel = tensor;
    plan_.pipelineParallel = pipeline;
    plan_.attentionDataParallel = attention;
    plan_.dataParallel =
        p.replicas.value_or(std::max(1, *row_.hardware.gpus / (tensor * pipeline * attention)));
    plan_.expertParallel = model_.moe ? p.expert : std::nullopt;
    if (model_.moe && !p.expert)
        assume("plan.expert_parallel");
}

void ServingReader::pools() {
    const auto fill = [](const PublishedPool& from, PoolSpec& to) {
        to.workers = from.instances;
        const int attention = from.attentionData.value_or(1);
        to.tensorParallel = from.tensor.value_or(std::max(1, from.gpus / attention));
        to.attentionDataParallel = attention;
        to.expertParallel = from.expert;
    };
    fill(*row_.layout.prefill, plan_.disaggregated.prefill);
    fill(*row_.layout.decode, plan_.disaggregated.decode);
    plan_.disaggregated.transfer = saysWord(row_.hardware.interconnect, "NVL72") ? "nvlink" : "efa";
}

/// The word of a plan for a number format. 16 bits cost the same whichever they are. Unless the row says what
/// shares a scale, FP8 checkpoints of models with many small experts are taken to keep one per block, as
/// DeepSeek's and Qwen's do, others one per tensor or channel.
std::string ServingReader::format(const std::string& word) const {
    constexpr int few = 16;
    const bool usual = model_.nativeWeightFormat.find("block") != std::string::npos ||
                       (model_.moe && model_.moe->routedExperts > few);
    const bool blocks = row_.scales.empty() ? usual : row_.scales == "block";
    return word == "fp16" ? "bf16" : word == "fp8" && blocks ? "fp8_block" : word;
}

void ServingReader::formats() {
    plan_.weights = format(row_.weights);
    if (row_.activations.empty())
        assume("plan.activations");
    else
        plan_.activations = format(row_.activations);
    if (row_.kvCache.empty()) {
        assume("plan.kv_cache");
        // Published runs on Blackwell ask for an FP8 cache alongside quantized weights (InferenceMAX recipes,
        // checkpoints of ModelOpt); with 16 bits several of them would not fit.
        const Gpu* gpu = catalog_.gpu(publishedGpu(row_.hardware.gpu, catalog_));
        if (gpu && gpu->architecture.starts_with("Blackwell") && *plan_.weights != "bf16")
            plan_.kvCache = "fp8";
    } else {
        plan_.kvCache = row_.kvCache == "fp16" ? "bf16" : row_.kvCache;
    }
}

/// The chance a of a drafted token that gives 1 + a + ... + a^drafted tokens a step.
double acceptanceOf(double length, int drafted) {
    double low = 0, high = 1;
    constexpr int halvings = 50;
    for (int i = 0; i < halvings; ++i) {
        const double middle = (low + high) / 2;
        double tokens = 1, term = 1;
        for (int k = 0; k < drafted; ++k)
            tokens += term *= middle;
        (tokens < length ? low : high) = middle;
    }
    return (low + high) / 2;
}

void ServingReader::rest() {
    plan_.maxBatch = row_.load.batch;
    if (row_.speculation) {
        const int drafted = row_.speculation->draftTokens.value_or(1);
        plan_.speculative.draftTokens = drafted;
        plan_.speculative.acceptance = acceptanceOf(*row_.speculation->acceptanceLength, drafted);
    }
}

} // namespace

PublishedLoadKind publishedLoadKind(const PublishedServing& row) {
    const PublishedLoad& load = row.load;
    if (load.mode == "static batch" || load.mode == "single-stream" ||
        saysWord(row.notes, "no in-flight batching")) {
        return PublishedLoadKind::staticBatch;
    }
    const bool open = load.mode == "server" || load.mode == "interactive";
    return open && load.requestRate ? PublishedLoadKind::openLoop : PublishedLoadKind::closedLoop;
}

PublishedServingScenario publishedServingScenario(const PublishedServing& row, const Catalog& catalog) {
    PublishedServingScenario out;
    out.architecture = catalog.model(row.architecture);
    if (!out.architecture) {
        out.lacks = "the catalog has no model '" + row.architecture + "'; add a catalog entry of that id";
        return out;
    }
    ScenarioSpec spec;
    spec.name = row.id;
    spec.workload.model = row.architecture;
    ServingReader reader(row, catalog, *out.architecture, spec, out.assumed);
    out.lacks = reader.lacks();
    if (out.lacks.empty())
        out.lacks = reader.cluster();
    if (!out.lacks.empty())
        return out;
    reader.lengths();
    reader.load();
    reader.engine();
    if (isDisaggregated(row))
        reader.pools();
    else
        reader.degrees();
    reader.formats();
    reader.rest();
    out.spec = std::make_shared<const ScenarioSpec>(std::move(spec));
    return out;
}

} // namespace alidade
