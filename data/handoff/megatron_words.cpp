// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/megatron_words.h"

#include "model/plan/recompute_words.h"

#include <algorithm>
#include <cctype>

namespace alidade::data::handoff {

namespace {

constexpr BridgeKey keys[] = {
    {"--use-distributed-optimizer", "ddp.use_distributed_optimizer", BridgeKey::Kind::flag},
    {"--use-megatron-fsdp", "ddp.use_megatron_fsdp", BridgeKey::Kind::flag},
    {"--data-parallel-sharding-strategy", "ddp.data_parallel_sharding_strategy"},
    {"--recompute-granularity", "model.recompute_granularity"},
    {"--recompute-method", "model.recompute_method"},
    {"--recompute-num-layers", "model.recompute_num_layers"},
    {"--recompute-modules", "model.recompute_modules", BridgeKey::Kind::list},
    {"--account-for-embedding-in-pipeline-split", "model.account_for_embedding_in_pipeline_split",
     BridgeKey::Kind::flag},
    {"--account-for-loss-in-pipeline-split", "model.account_for_loss_in_pipeline_split",
     BridgeKey::Kind::flag},
    {"--decoder-first-pipeline-num-layers", "model.num_layers_in_first_pipeline_stage"},
    {"--decoder-last-pipeline-num-layers", "model.num_layers_in_last_pipeline_stage"},
    {"--pipeline-model-parallel-layout", "model.pipeline_model_parallel_layout"},
    {"--optimizer-cpu-offload", "optimizer.optimizer_cpu_offload", BridgeKey::Kind::flag},
    {"--optimizer-offload-fraction", "optimizer.optimizer_offload_fraction"}};

std::string_view megatronModule(std::string_view word) {
    const RecomputeWord* known = findRecomputeWord(word);
    return known != nullptr ? known->megatron : std::string_view();
}

bool isEven(const std::vector<std::int64_t>& split) {
    return std::ranges::all_of(split, [&split](std::int64_t each) { return each == split.front(); });
}

/// Only the first and the last stage differ from the rest.
bool differsAtEnds(const std::vector<std::int64_t>& split) {
    for (std::size_t i = 1; i + 1 < split.size(); ++i)
        if (split[i] != split[1])
            return false;
    return split.size() > 2;
}

/// Parts of a pipeline in layer order: each stage's layers over its chunks, as evenly as they go.
std::string layoutOf(const std::vector<std::int64_t>& split, std::int64_t chunks, int prediction) {
    const auto stages = static_cast<std::int64_t>(split.size());
    std::string out;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        for (std::int64_t stage = 0; stage < stages; ++stage) {
            const std::int64_t all = split[static_cast<std::size_t>(stage)];
            // A stage that is short of layers is short of them at the end that the embedding or the head
            // takes.
            const bool first = stage + 1 < stages;
            const std::int64_t rest = all % chunks;
            const bool more = rest > 0 && (first ? chunk >= chunks - rest : chunk < rest);
            const std::int64_t layers = all / chunks + (more ? 1 : 0);
            const bool start = chunk == 0 && stage == 0;
            const bool end = chunk + 1 == chunks && stage + 1 == stages;
            if (start)
                out += 'E';
            if (layers > 0)
                out += layers == 1 ? "t" : "t*" + std::to_string(layers);
            if (end)
                out += (prediction > 0 ? std::string(static_cast<std::size_t>(prediction), 'm') : "") + "L";
            else
                out += '|';
        }
    }
    return out;
}

} // namespace

std::span<const BridgeKey> bridgeKeys() { return keys; }

std::vector<std::string> recomputedWords(const ScenarioSpec& spec) {
    return spec.plan.recompute.value_or(std::vector<std::string>{"none"});
}

Settings recomputeSettings(const ScenarioSpec& spec, std::vector<LeftOut>& left) {
    Settings out;
    const std::vector<std::string> words = recomputedWords(spec);
    const auto has = [&words](std::string_view word) {
        return std::ranges::find(words, word) != words.end();
    };
    if (words.empty() || has("none"))
        return out;
    if (has("full")) {
        out.set("--recompute-granularity", "full");
        out.set("--recompute-method", "uniform");
        out.set("--recompute-num-layers", "1");
        return out;
    }
    if (has("selective")) {
        out.set("--recompute-granularity", "selective");
        return out;
    }
    std::vector<std::string> named;
    for (const std::string& word : words) {
        const std::string_view module = megatronModule(word);
        if (module.empty())
            leaveOut(left, "plan.recompute", word,
                     word == "glu"
                         ? "the product of a dense MLP is not a separate module; 'mlp' recomputes more"
                         : "Megatron has no such module");
        else if (std::ranges::find(named, module) == named.end())
            named.emplace_back(module);
    }
    if (!named.empty()) {
        out.set("--recompute-granularity", "selective");
        out.setList("--recompute-modules", named);
    }
    return out;
}

Settings recomputeSettings(const HandoffSource& source, std::string_view fp8Recipe,
                           std::vector<LeftOut>& left) {
    ScenarioSpec spec = source.estimate.scenario;
    const Architecture& model = source.scenario.model;
    const bool delayed =
        spec.plan.precision == "fp8" && spec.plan.fp8Recipe.value_or(std::string(fp8Recipe)) == "delayed";
    std::vector<std::string> taken;
    for (const std::string& word : recomputedWords(spec)) {
        const std::string_view module = megatronModule(word);
        std::string why;
        if (module == "mla_up_proj" && !model.mla)
            why = "the model has no latent attention";
        else if (module == "moe_act" && (!model.moe || spec.plan.expertKernels == "loop"))
            why = "Megatron recomputes it in grouped experts only";
        else if (delayed && (module == "moe_act" || module == "layernorm"))
            why = "Megatron does not recompute it with delayed scaling";
        if (why.empty())
            taken.push_back(word);
        else
            leaveOut(left, "plan.recompute", word, why);
    }
    spec.plan.recompute = taken;
    return recomputeSettings(spec, left);
}

void leaveGraphsOut(const ScenarioSpec& spec, std::string_view name, Settings& out,
                    std::vector<LeftOut>& left) {
    const std::vector<std::string> words = recomputedWords(spec);
    if (!out.has(name) || std::ranges::find(words, "full") == words.end())
        return;
    std::erase_if(out.all, [name](const Setting& each) { return each.name == name; });
    leaveOut(left, "plan.cuda_graphs", "true",
             "Megatron records no parts of a step under full recomputation");
}

Settings pipelineSettings(const HandoffSource& source, std::vector<LeftOut>& left) {
    Settings out;
    const ScenarioSpec& spec = source.estimate.scenario;
    const std::int64_t stages = spec.plan.pipelineParallel.value_or(1);
    if (stages < 2)
        return out;
    const std::int64_t chunks = spec.plan.virtualPipeline.value_or(1);
    const std::string schedule = spec.plan.schedule.value_or("1f1b");
    if (schedule != "1f1b" && schedule != "interleaved")
        leaveOut(
            left, "plan.schedule", schedule,
            schedule.starts_with("dualpipe")
                ? "Megatron has 1F1B and the interleaved schedule; --overlap-moe-expert-parallel-comm comes "
                  "nearest"
                : "Megatron has 1F1B and the interleaved schedule");
    const std::vector<std::int64_t> split = spec.plan.pipelineSplit.value_or(std::vector<std::int64_t>{});
    const int prediction = source.scenario.model.mtpLayers;
    if (split.empty() || (isEven(split) && split.front() % chunks == 0))
        return out;
    std::vector<std::int64_t> counted = split;
    counted.front() += 1;
    counted.back() += 1;
    if (isEven(counted) && counted.front() % chunks == 0) {
        out.set("--account-for-embedding-in-pipeline-split");
        out.set("--account-for-loss-in-pipeline-split");
    } else if (chunks == 1 && differsAtEnds(split)) {
        out.set("--decoder-first-pipeline-num-layers", split.front());
        out.set("--decoder-last-pipeline-num-layers", split.back());
    } else {
        out.set("--pipeline-model-parallel-layout", layoutOf(split, chunks, prediction));
    }
    return out;
}

bool groupsExperts(const HandoffSource& source, std::vector<LeftOut>& left) {
    if (source.scenario.model.moe)
        return source.estimate.scenario.plan.expertKernels != "loop";
    if (const std::string word = fieldWord(source.written, "plan.expert_kernels"); !word.empty())
        leaveOut(left, "plan.expert_kernels", word, "the model has no experts");
    return false;
}

std::vector<std::int64_t> layersOfLayout(std::string_view layout) {
    // Brackets are opened out first; then letters are counted between the bars.
    std::string flat;
    const auto number = [&layout](std::size_t& at) {
        std::size_t count = 0;
        while (at < layout.size() && std::isdigit(static_cast<unsigned char>(layout[at])) != 0 &&
               count < 10'000)
            count = count * 10 + static_cast<std::size_t>(layout[at++] - '0');
        return std::min<std::size_t>(count, 10'000);
    };
    std::vector<std::size_t> open;
    std::size_t unit = 0; // where the last letter or bracket begins in `flat`
    for (std::size_t at = 0; at < layout.size();) {
        const char c = layout[at];
        if (c == '(') {
            open.push_back(flat.size());
            ++at;
        } else if (c == ')') {
            if (open.empty())
                return {};
            unit = open.back();
            open.pop_back();
            ++at;
        } else if (c == '*') {
            const std::string piece = flat.substr(std::min(unit, flat.size()));
            const std::size_t times = number(++at);
            if (times == 0 || flat.size() + piece.size() * times > 100'000)
                return {};
            for (std::size_t i = 1; i < times; ++i)
                flat += piece;
        } else if (std::string_view("Etm|L,").find(c) != std::string_view::npos) {
            if (c != ',') {
                unit = flat.size();
                flat += c;
            }
            ++at;
        } else {
            return {};
        }
    }
    std::vector<std::int64_t> out{0};
    for (const char c : flat)
        if (c == '|')
            out.push_back(0);
        else if (c == 't')
            ++out.back();
    return open.empty() ? out : std::vector<std::int64_t>{};
}

} // namespace alidade::data::handoff
