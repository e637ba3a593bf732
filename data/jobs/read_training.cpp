// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/megatron_words.h"
#include "data/jobs/job_reader.h"
#include "data/json/json.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <initializer_list>

namespace alidade::data::handoff {

namespace {

std::optional<double> numeral(const Setting* setting) {
    if (setting == nullptr || setting->values.empty())
        return {};
    std::string text = setting->value();
    std::erase(text, '_');
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(value)
               ? std::optional(value)
               : std::nullopt;
}

/// The same of a setting that has to be one: what is none is a contradiction that names its line.
std::optional<double> numeral(JobReader& reader, const Setting* setting) {
    const auto value = numeral(setting);
    if (!value && setting != nullptr && !setting->values.empty() && !setting->value().empty() &&
        setting->value().find("CHANGE_ME") == std::string::npos)
        reader.contradict((placeOf(*setting).empty() ? "" : placeOf(*setting) + ": ") + setting->name + " " +
                          setting->value().substr(0, 60) + " is not a number");
    return value;
}

std::string plainNumber(double value) {
    nlohmann::json number = value;
    if (value >= 0 && value < 9e15 && value == std::floor(value))
        number = static_cast<std::int64_t>(value);
    return number.dump();
}

void setTokens(JobReader& reader, double tokens, const Setting& from) {
    if (tokens > 0)
        reader.set("workload.tokens", plainNumber(tokens), from);
}

/// Whether words of a job name the family of a model: "/fsx/llama2/tokenizer.model" that of llama-2-70b. The
/// length of what they have in common; 0: nothing.
std::size_t namesFamily(std::string_view words, const std::string& model) {
    const auto letters = [](std::string_view text) {
        std::string out;
        for (const char c : text)
            if (std::isalnum(static_cast<unsigned char>(c)) != 0)
                out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return out;
    };
    const std::string family = letters(model.substr(0, model.find_last_of('-')));
    return letters(words).find(family) == std::string::npos ? 0 : family.size();
}

/// The catalog's models of a shape; 0 matches anything.
void matchShape(JobReader& reader, Settings& settings) {
    const auto number = [&](const char* name) {
        const auto value = numeral(reader, settings.use(name));
        return value && *value > 0 && *value < 1e9 ? static_cast<int>(*value) : 0;
    };
    const int layers = number("--num-layers"), hidden = number("--hidden-size"),
              heads = number("--num-attention-heads"), ffn = number("--ffn-hidden-size"),
              groups = number("--num-query-groups"), experts = number("--num-experts"),
              vocabulary = number("--vocab-size"), expertFfn = number("--moe-ffn-hidden-size");
    for (const char* name : {"--group-query-attention",
                             "--kv-channels",
                             "--max-position-embeddings",
                             "--position-embedding-type",
                             "--rotary-base",
                             "--normalization",
                             "--swiglu",
                             "--disable-bias-linear",
                             "--add-qkv-bias",
                             "--untie-embeddings-and-output-weights",
                             "--qk-layernorm",
                             "--multi-latent-attention",
                             "--q-lora-rank",
                             "--kv-lora-rank",
                             "--qk-head-dim",
                             "--qk-pos-emb-head-dim",
                             "--v-head-dim",
                             "--moe-router-topk",
                             "--moe-shared-expert-intermediate-size",
                             "--moe-layer-freq",
                             "--mtp-num-layers",
                             "--moe-router-score-function"})
        settings.use(name);
    const bool queryBias = isOn(settings.find("--add-qkv-bias"));
    const Setting* tokenizer = settings.use("--tokenizer-model");
    if (tokenizer != nullptr && tokenizer->value().find('/') != std::string::npos &&
        !tokenizer->value().starts_with('/') && !tokenizer->value().starts_with('.'))
        if (reader.readModelName(tokenizer->value(), *tokenizer))
            return;
    const Setting* place = settings.find("--num-layers");
    if (layers == 0 || hidden == 0 || place == nullptr)
        return;
    std::vector<std::string> found;
    const auto same = [](int given, int known) { return given == 0 || given == known; };
    for (const Architecture& each : reader.catalog.models) {
        const bool moe = each.moe.has_value();
        if (each.layers != layers || each.hiddenSize != hidden || !same(heads, each.attentionHeads) ||
            !same(groups, each.kvHeads) || (experts > 0) != moe ||
            (moe && !same(experts, each.moe->routedExperts)))
            continue;
        const bool sameFfn = !moe ? same(ffn, each.ffnIntermediateSize)
                                  : same(expertFfn > 0 ? expertFfn : ffn, each.moe->expertIntermediateSize) ||
                                        same(ffn, each.ffnIntermediateSize);
        if (sameFfn && (groups > 0 || each.mla || moe || each.kvHeads == each.attentionHeads) &&
            (vocabulary == 0 || std::abs(vocabulary - each.vocabSize) < 1024) &&
            (queryBias || !each.biasQkv || each.biasO))
            found.push_back(each.id);
    }
    if (found.empty()) {
        reader.warn("the catalog has no model of " + std::to_string(layers) + " layers of " +
                    std::to_string(hidden) + "; import its config.json with 'alidade import model'");
        return;
    }
    // Of models of one shape the newest is last in the catalog; only the tokenizer may say which.
    Setting shape = *place;
    shape.name = "--num-layers, --hidden-size, ...";
    std::string words = tokenizer == nullptr ? std::string() : tokenizer->value();
    if (const Setting* type = settings.find("--tokenizer-type"))
        words += " " + type->value();
    const auto family = [&words](const std::string& id) { return namesFamily(words, id); };
    std::ranges::stable_sort(found, {}, family);
    const bool named = family(found.back()) > 0;
    reader.set("workload.model", found.back(), shape);
    if (found.size() > 1 && (!named || family(found[found.size() - 2]) == family(found.back())))
        reader.out.models = found;
}

void readMegatronSharding(JobReader& reader, Settings& settings) {
    const Setting* optimizer = settings.use("--use-distributed-optimizer");
    const Setting* fsdp = settings.use("--use-megatron-fsdp");
    const Setting* torch = settings.use("--use-torch-fsdp2");
    const Setting* kind = settings.use("--data-parallel-sharding-strategy");
    const Setting* instances = settings.use("--num-distributed-optimizer-instances");
    settings.use("--outer-dp-sharding-strategy");
    if (isOn(torch)) {
        reader.set("plan.sharding", "fsdp2", *torch);
    } else if (isOn(fsdp)) {
        const std::string word = kind == nullptr ? "no_shard" : kind->value();
        const std::string sharding = word == "optim_grads_params" ? (instances != nullptr ? "hsdp" : "zero3")
                                     : word == "optim_grads"      ? "zero2"
                                     : word == "optim"            ? "zero1"
                                                                  : "none";
        reader.set("plan.sharding", sharding, kind == nullptr ? *fsdp : *kind);
    } else if (isOn(optimizer)) {
        reader.set("plan.sharding", "zero1", *optimizer);
    } else {
        reader.assume("plan.sharding", "none", "neither the distributed optimizer nor FSDP is enabled");
    }
}

void readMegatronRecompute(JobReader& reader, Settings& settings) {
    const Setting* granularity = settings.use("--recompute-granularity");
    const Setting* modules = settings.use("--recompute-modules");
    const Setting* old = settings.use("--recompute-activations");
    settings.use("--recompute-method");
    settings.use("--recompute-num-layers");
    if (granularity == nullptr) {
        if (old != nullptr)
            reader.set("plan.recompute", "selective", *old);
        else
            reader.assume("plan.recompute", "none", "recomputation is not enabled");
        return;
    }
    if (granularity->value() == "full" || modules == nullptr || modules->values.empty()) {
        reader.set("plan.recompute", granularity->value(), *granularity);
        return;
    }
    std::string list;
    for (const std::string& each : modules->values)
        list += (list.empty() ? "" : ",") + each;
    reader.set("plan.recompute", list, *modules);
}

/// A run that begins with the weights of another one trains all of them.
void readStartingWeights(JobReader& reader, Settings& settings, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (const Setting* start = settings.use(name);
            start != nullptr && !isOff(start) && !reader.has("workload.finetune.kind"))
            reader.set("workload.finetune.kind", "full", *start);
}

void readMegatronPipeline(JobReader& reader, Settings& settings) {
    const std::int64_t stages = reader.number("plan.pipeline_parallel", 1);
    const Setting* perStage = settings.use("--num-layers-per-virtual-pipeline-stage");
    const Setting* layout = settings.use("--pipeline-model-parallel-layout");
    const Setting* first = settings.use("--decoder-first-pipeline-num-layers");
    const Setting* last = settings.use("--decoder-last-pipeline-num-layers");
    const bool embedding = isOn(settings.use("--account-for-embedding-in-pipeline-split"));
    const bool loss = isOn(settings.use("--account-for-loss-in-pipeline-split"));
    const auto layers = numeral(settings.find("--num-layers"));
    const std::int64_t all = layers && *layers < 1e5 ? static_cast<std::int64_t>(*layers) : 0;
    if (stages < 2)
        return;
    if (const auto each = numeral(perStage); each && *each >= 1 && all > 0)
        reader.set("plan.virtual_pipeline", all / stages / static_cast<std::int64_t>(*each), *perStage);
    std::vector<std::int64_t> split;
    const Setting* place = nullptr;
    if (layout != nullptr) {
        const std::vector<std::int64_t> parts = layersOfLayout(layout->value());
        if (parts.empty() || parts.size() % static_cast<std::size_t>(stages) != 0) {
            reader.warn(*layout, "the layout has " + std::to_string(parts.size()) +
                                     " parts, which is not a multiple of " + std::to_string(stages) +
                                     " stages");
        } else {
            split.assign(static_cast<std::size_t>(stages), 0);
            for (std::size_t i = 0; i < parts.size(); ++i)
                split[i % split.size()] += parts[i];
            place = layout;
            if (const std::size_t chunks = parts.size() / split.size(); chunks > 1)
                reader.set("plan.virtual_pipeline", static_cast<std::int64_t>(chunks), *layout);
        }
    } else if ((first != nullptr || last != nullptr) && all > 0 && stages > 2) {
        const std::int64_t ends =
            static_cast<std::int64_t>(numeral(first).value_or(0) + numeral(last).value_or(0));
        const std::int64_t fixed = (first != nullptr ? 1 : 0) + (last != nullptr ? 1 : 0);
        split.assign(static_cast<std::size_t>(stages), (all - ends) / (stages - fixed));
        if (first != nullptr)
            split.front() = static_cast<std::int64_t>(numeral(first).value_or(0));
        if (last != nullptr)
            split.back() = static_cast<std::int64_t>(numeral(last).value_or(0));
        place = first != nullptr ? first : last;
    } else if ((embedding || loss) && all > 0) {
        const std::int64_t slots = all + (embedding ? 1 : 0) + (loss ? 1 : 0);
        if (slots % stages == 0) {
            split.assign(static_cast<std::size_t>(stages), slots / stages);
            split.front() -= embedding ? 1 : 0;
            split.back() -= loss ? 1 : 0;
            place = settings.find(embedding ? "--account-for-embedding-in-pipeline-split"
                                            : "--account-for-loss-in-pipeline-split");
        }
    }
    if (split.empty() || place == nullptr)
        return;
    std::string list;
    for (const std::int64_t each : split)
        list += (list.empty() ? "" : ",") + std::to_string(each);
    reader.set("plan.pipeline_split", list, *place);
}

void readMegatronRest(JobReader& reader, Settings& settings) {
    const std::int64_t tensor = reader.number("plan.tensor_parallel", 1);
    const Setting* sequence = settings.use("--sequence-parallel");
    if (tensor > 1) {
        if (sequence != nullptr)
            reader.set("plan.sequence_parallel", "true", *sequence);
        else
            reader.assume("plan.sequence_parallel", "false", "--sequence-parallel is not given");
    }
    if (reader.out.spec.plan.precision == "fp8" && !reader.out.spec.plan.fp8Recipe)
        reader.assume("plan.fp8_recipe", "delayed", "the default of --fp8-recipe");
    if (const Setting* offload = settings.use("--optimizer-cpu-offload")) {
        const Setting* share = settings.use("--optimizer-offload-fraction");
        reader.set("plan.offload.optimizer", share == nullptr ? "1" : share->value(), *offload);
    }
    // The flexible dispatcher is a fused exchange with each of its back ends.
    if (const Setting* dispatcher = settings.use("--moe-token-dispatcher-type");
        dispatcher != nullptr && dispatcher->value() == "flex" && !reader.has("plan.expert_exchange"))
        reader.set("plan.expert_exchange", "fused", *dispatcher);
    if (const Setting* order = settings.use("--use-tp-pp-dp-mapping"))
        reader.set("cluster.rank_order", "tp-cp-ep-pp-dp", *order);
    if (settings.has("--num-experts") && !reader.has("plan.expert_tensor_parallel") && tensor > 1)
        reader.assume("plan.expert_tensor_parallel", std::to_string(tensor),
                      "--expert-tensor-parallel-size is absent, so it is the tensor size");
    const Setting* groups = settings.use("--moe-router-num-groups");
    const Setting* limit = settings.use("--moe-router-group-topk");
    if (groups != nullptr && limit != nullptr && reader.number("plan.expert_parallel", 1) > 8 &&
        numeral(groups).value_or(0) * 8 == static_cast<double>(reader.number("plan.expert_parallel", 1)))
        reader.set("plan.node_limit", limit->value(), *limit);
}

/// A key of the bridge as the option of Megatron-LM.
Setting asOption(const Setting& key, const BridgeKey& same) {
    Setting out = key;
    out.name = same.option;
    if (same.kind == BridgeKey::Kind::flag)
        out.values.clear();
    if (same.kind != BridgeKey::Kind::list)
        return out;
    std::string list = key.value();
    std::erase_if(list, [](char c) { return c == '[' || c == ']' || c == '"' || c == '\'' || c == ' '; });
    out.values.clear();
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        out.values.push_back(list.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

} // namespace

void readMegatronLm(JobReader& reader, Settings& settings) {
    reader.set("workload.kind", std::string(wordOf(WorkloadKind::training)), "pretrain_gpt.py", 0);
    reader.assume("plan.framework", "megatron-core", "the program is Megatron-LM's");
    if (const Setting* length = settings.use("--seq-length"))
        reader.set("workload.sequence_length", length->value(), *length);
    reader.readFields(reader.toolFor("megatron-lm", settings), settings);
    matchShape(reader, settings);
    readMegatronSharding(reader, settings);
    readMegatronRecompute(reader, settings);
    readStartingWeights(reader, settings, {"--pretrained-checkpoint", "--finetune"});
    readMegatronPipeline(reader, settings);
    readMegatronRest(reader, settings);
    if (const Setting* grouped = settings.use("--moe-grouped-gemm");
        grouped != nullptr && settings.has("--num-experts"))
        reader.set("plan.expert_kernels", "grouped", *grouped);
    const auto length = static_cast<double>(reader.number("workload.sequence_length", 0));
    const Setting* samples = settings.use("--train-samples");
    const Setting* steps = settings.use("--train-iters");
    const bool grows = settings.has("--rampup-batch-size") || settings.has("--step-batch-size-schedule");
    if (const auto count = numeral(reader, samples))
        setTokens(reader, *count * length, *samples);
    else if (const auto iterations = numeral(reader, steps); iterations && !grows)
        setTokens(reader,
                  *iterations * length * static_cast<double>(reader.number("workload.global_batch", 0)),
                  *steps);
    else if (steps != nullptr && grows)
        reader.warn("the batch grows in steps, so " + steps->name + " does not give the tokens");
    reader.nameTheRest(reader.toolFor("megatron-lm", settings), settings);
}

void readMegatronBridge(JobReader& reader, Settings& settings) {
    const Tool& bridge = reader.toolFor("megatron-bridge", settings);
    reader.set("workload.kind", std::string(wordOf(WorkloadKind::training)), "run_recipe.py", 0);
    reader.assume("plan.framework", "megatron-bridge", "the program is Megatron-Bridge's");
    for (const char* name : {"--model", "--recipe"})
        if (const Setting* recipe = settings.use(name)) {
            std::string best;
            for (const ModelNames& each : modelNames())
                if (!each.bridge.empty() && recipe->value().starts_with(each.bridge) &&
                    reader.catalog.model(each.model) != nullptr) {
                    const ModelNames* before = namesOf(best);
                    if (before == nullptr || before->bridge.size() < each.bridge.size())
                        best = each.model;
                }
            if (!best.empty())
                reader.set("workload.model", best, *recipe);
            else
                reader.warn("the catalog has no model for the recipe '" + recipe->value() + "'");
        }
    const Setting* mode = settings.use("--mode");
    if (mode != nullptr && mode->value() == "sft")
        reader.set("workload.finetune.kind", "full", *mode);
    if (mode != nullptr && (mode->value() == "lora" || mode->value() == "dora")) {
        reader.set("workload.finetune.kind", "lora", *mode);
        if (const Setting* rank = settings.use("peft.dim"))
            reader.set("workload.finetune.rank", rank->value(), *rank);
        settings.use("peft.alpha");
        if (const Setting* targets = settings.use("peft.target_modules")) {
            const bool attention = targets->value().find("linear_qkv") != std::string::npos;
            const bool mlp = targets->value().find("linear_fc1") != std::string::npos;
            reader.set("workload.finetune.targets",
                       attention && mlp ? "attention,mlp"
                       : mlp            ? "mlp"
                                        : "attention",
                       *targets);
        }
    }
    for (Setting& each : settings.all)
        if (each.name == "mixed_precision" && each.value().find("fp8") != std::string::npos &&
            each.value().find("mxfp8") == std::string::npos) {
            each.used = true;
            reader.set("plan.precision", "fp8", each);
            reader.set("plan.fp8_recipe",
                       each.value().find("delayed") != std::string::npos      ? "delayed"
                       : each.value().find("subchannel") != std::string::npos ? "block"
                                                                              : "current",
                       each);
        }
    reader.readFields(bridge, settings);
    if (const Setting* grouped = settings.use("model.moe_grouped_gemm"))
        reader.set("plan.expert_kernels", isOn(grouped) ? "grouped" : "loop", *grouped);
    // What has the same meaning as in Megatron-LM, by its names there.
    Settings options;
    for (const BridgeKey& each : bridgeKeys())
        if (const Setting* key = settings.use(each.key);
            key != nullptr && (each.kind != BridgeKey::Kind::flag || isOn(key)))
            options.all.push_back(asOption(*key, each));
    if (const Architecture* model = reader.model())
        options.set("--num-layers", model->layers);
    if (settings.has("ddp.use_distributed_optimizer") || settings.has("ddp.use_megatron_fsdp"))
        readMegatronSharding(reader, options);
    if (settings.has("model.recompute_granularity"))
        readMegatronRecompute(reader, options);
    readMegatronPipeline(reader, options);
    if (const Setting* offload = options.find("--optimizer-cpu-offload")) {
        const Setting* share = options.find("--optimizer-offload-fraction");
        reader.set("plan.offload.optimizer", share == nullptr ? "1" : share->value(), *offload);
    }
    const Setting* steps = settings.use("train.train_iters");
    if (const auto count = numeral(reader, steps))
        setTokens(reader,
                  *count * static_cast<double>(reader.number("workload.global_batch", 0)) *
                      static_cast<double>(reader.number("workload.sequence_length", 0)),
                  *steps);
    reader.nameTheRest(bridge, settings);
}

void readTorchtitan(JobReader& reader, Settings& settings, std::optional<std::int64_t> gpus) {
    const Tool& titan = reader.toolFor("torchtitan", settings);
    for (Setting& each : settings.all)
        for (std::string& value : each.values)
            if (std::ranges::all_of(value, [](char c) { return (c >= '0' && c <= '9') || c == '_'; }))
                std::erase(value, '_');
    reader.set("workload.kind", std::string(wordOf(WorkloadKind::training)), "torchtitan.train", 0);
    const bool configured = settings.has("model.name") || settings.has("model.flavor");
    const Setting* name = settings.use("model.name");
    const Setting* flavor = settings.use("model.flavor");
    const Setting* assets = settings.use("model.hf_assets_path");
    std::vector<std::string> fits;
    if (name != nullptr && flavor != nullptr)
        for (const ModelNames& each : modelNames())
            if (each.titanName == name->value() && each.titanFlavor == flavor->value())
                fits.push_back(each.model);
    if (!fits.empty())
        reader.set("workload.model", fits.back(), *flavor);
    else if (assets != nullptr)
        reader.readModelName(assets->value(), *assets);
    for (const auto& [key, absent] : {std::pair{"training.global_batch_size", "-1"}})
        if (Setting* each = settings.use(key); each != nullptr && each->value() == absent)
            std::erase_if(settings.all, [&key = key](const Setting& one) { return one.name == key; });
    if (numeral(settings.find("parallelism.pipeline_parallel_degree")).value_or(1) < 2) {
        settings.use("parallelism.pipeline_parallel_schedule");
        std::erase_if(settings.all, [](const Setting& each) {
            return each.name == "parallelism.pipeline_parallel_schedule";
        });
    }
    reader.readFields(titan, settings);
    const std::int64_t stages = reader.number("plan.pipeline_parallel", 1);
    const Setting* micro = settings.use(stages > 1 ? "parallelism.pipeline_parallel_microbatch_size"
                                                   : "training.local_batch_size");
    settings.use("training.local_batch_size");
    if (micro != nullptr)
        reader.set("plan.micro_batch", micro->value(), *micro);
    readStartingWeights(reader, settings, {"checkpoint.initial_load_path", "checkpoint.initial_load_in_hf"});
    const Setting* replicate = settings.use("parallelism.data_parallel_replicate_degree");
    const Setting* shard = settings.use("parallelism.data_parallel_shard_degree");
    const Setting* reshard = settings.use("parallelism.fsdp_reshard_after_forward");
    const auto copies = static_cast<std::int64_t>(std::clamp(numeral(replicate).value_or(1), 1.0, 1e6));
    const auto parts = static_cast<std::int64_t>(std::clamp(numeral(shard).value_or(-1), -1.0, 1e6));
    const std::int64_t model =
        reader.number("plan.tensor_parallel", 1) * reader.number("plan.context_parallel", 1) * stages;
    const Setting* place = shard != nullptr ? shard : replicate;
    if (configured || place != nullptr) {
        std::string kind = copies > 1 ? (parts == 1 ? "none" : "hsdp") : "fsdp2";
        if (kind == "fsdp2" && reshard != nullptr && reshard->value() == "never")
            kind = "zero2";
        if (kind == "fsdp2" && reshard != nullptr && reshard->value() == "always")
            kind = "zero3";
        if (place != nullptr)
            reader.set("plan.sharding", kind, *place);
        else
            reader.assume("plan.sharding", kind, "torchtitan shards over all replicas");
        if (kind == "hsdp" && parts > 0)
            reader.set("plan.shard_size", parts, *place);
        if (parts > 0) {
            reader.set("plan.data_parallel", parts * copies, *place);
            if (!gpus && !reader.out.gpus)
                reader.out.gpus = parts * copies * model;
        }
    }
    const Setting* layers = settings.use("parallelism.pipeline_parallel_layers_per_stage");
    if (const auto each = numeral(layers); each && *each >= 1 && reader.model() != nullptr && stages > 1) {
        const double slots = reader.model()->layers + 2;
        const auto all = static_cast<std::int64_t>(std::ceil(slots / *each));
        reader.set("plan.virtual_pipeline", std::max<std::int64_t>(1, all / stages), *layers);
    }
    const Setting* converters = settings.use("model.converters");
    std::string all;
    if (converters != nullptr)
        for (const std::string& each : converters->values)
            all += each + ",";
    const bool mx =
        all.find("linear.mx") != std::string::npos || all.find("grouped_mm.mx") != std::string::npos;
    const bool fp8 = all.find("float8") != std::string::npos;
    const Setting* mixed = settings.use("training.mixed_precision_param");
    if (mx || fp8) {
        reader.set("plan.precision", mx ? "mxfp8" : "fp8", *converters);
        if (fp8) {
            const Setting* recipe = settings.use("quantize.linear.float8.recipe_name");
            const bool byRow = recipe != nullptr && recipe->value().starts_with("rowwise");
            reader.set("plan.fp8_recipe", byRow ? "row" : "current",
                       recipe != nullptr ? *recipe : *converters);
        }
    } else if (mixed != nullptr) {
        reader.set("plan.precision", mixed->value() == "float16" ? "fp16" : "bf16", *mixed);
    } else if (configured) {
        reader.assume("plan.precision", "bf16", "training.mixed_precision_param is bfloat16 by default");
    }
    if (const Setting* compile = settings.use("compile.enable"))
        reader.set("plan.framework", isOn(compile) ? "torchtitan" : "torchtitan-eager", *compile);
    else
        reader.assume("plan.framework", configured ? "torchtitan-eager" : "torchtitan",
                      configured ? "compile.enable is off by default" : "the program is torchtitan's");
    if (const Setting* offload = settings.use("training.enable_cpu_offload"); isOn(offload))
        reader.set("plan.offload.optimizer", "1", *offload);
    const Setting* steps = settings.use("training.steps");
    if (gpus && !reader.has("workload.global_batch") && reader.has("plan.micro_batch") && model > 0 &&
        stages == 1)
        reader.assume(
            "workload.global_batch",
            std::to_string(std::max<std::int64_t>(1, *gpus / model) * reader.number("plan.micro_batch", 1)),
            "local batch x replicas");
    if (const auto count = numeral(reader, steps); count && reader.has("workload.global_batch"))
        setTokens(reader,
                  *count * static_cast<double>(reader.number("workload.global_batch", 0)) *
                      static_cast<double>(reader.number("workload.sequence_length", 0)),
                  *steps);
    reader.nameTheRest(titan, settings);
}

void readDeepSpeed(JobReader& reader, Settings& settings) {
    const Tool& deepspeed = reader.toolFor("deepspeed", settings);
    reader.set("workload.kind", std::string(wordOf(WorkloadKind::training)), "DeepSpeed", 0);
    reader.assume("plan.framework", "deepspeed", "the configuration is DeepSpeed's");
    std::erase_if(settings.all, [](const Setting& each) { return each.value() == "auto"; });
    const Setting* stage = settings.use("zero_optimization.stage");
    const Setting* mics = settings.use("zero_optimization.mics_shard_size");
    if (stage != nullptr) {
        const std::string& word = stage->value();
        reader.set("plan.sharding",
                   mics != nullptr ? "hsdp"
                   : word == "0"   ? "none"
                   : word == "1"   ? "zero1"
                   : word == "2"   ? "zero2"
                   : word == "3"   ? "zero3"
                                   : word,
                   *stage);
        if (mics != nullptr)
            reader.set("plan.shard_size", mics->value(), *mics);
    }
    reader.readFields(deepspeed, settings);
    const Setting* steps = settings.use("gradient_accumulation_steps");
    const Setting* batch = settings.find("train_batch_size");
    if (const auto passes = numeral(steps);
        passes && *passes >= 1 && batch != nullptr && reader.has("plan.micro_batch")) {
        const auto data = static_cast<double>(reader.number("workload.global_batch", 0)) /
                          static_cast<double>(reader.number("plan.micro_batch", 1)) / *passes;
        if (data >= 1 && data == std::floor(data)) {
            reader.set("plan.data_parallel", plainNumber(data), *batch);
            if (!reader.out.gpus && !reader.known.gpus)
                reader.out.gpus = static_cast<std::int64_t>(data) * reader.number("plan.tensor_parallel", 1);
        } else {
            reader.contradict(
                "train_batch_size is not train_micro_batch_size_per_gpu x gradient_accumulation_steps x "
                "a whole number of replicas");
        }
    }
    if (const Setting* device = settings.use("zero_optimization.offload_optimizer.device");
        device != nullptr && device->value() == "cpu") {
        const Setting* ratio = settings.use("zero_optimization.offload_optimizer.ratio");
        reader.set("plan.offload.optimizer", ratio == nullptr ? "1" : ratio->value(), *device);
    }
    if (isOn(settings.use("expert_parallel.enabled")))
        if (const Setting* degree = settings.use("expert_parallel.autoep_size"))
            reader.set("plan.expert_parallel", degree->value(), *degree);
    if (const Setting* degree = settings.use("expert_parallel.expert_tensor_parallel_size"))
        reader.set("plan.expert_tensor_parallel", degree->value(), *degree);
    reader.nameTheRest(deepspeed, settings);
}

} // namespace alidade::data::handoff
