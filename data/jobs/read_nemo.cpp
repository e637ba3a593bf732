// SPDX-License-Identifier: GPL-3.0-or-later
// NeMo 1, whose configuration is one YAML file with Hydra overrides, and the command line of NeMo 2. Both
// start Megatron-Core: their keys are read as the options of Megatron-LM that say the same. Keys:
// https://docs.nvidia.com/nemo-framework/user-guide/24.07/llms/llama/trainingpredefined.html (NeMo 1) and
// https://docs.nvidia.com/nemo-framework/user-guide/latest/nemo-2.0/features/cli.html (NeMo 2).
#include "data/jobs/job_reader.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace alidade::data::handoff {

namespace {

struct NemoKey {
    std::string_view key, option;
    bool flag = false; ///< the option stands alone where the key is true
};

constexpr std::array nemoKeys{
    NemoKey{"model.tensor_model_parallel_size", "--tensor-model-parallel-size"},
    NemoKey{"model.pipeline_model_parallel_size", "--pipeline-model-parallel-size"},
    NemoKey{"model.context_parallel_size", "--context-parallel-size"},
    NemoKey{"model.expert_model_parallel_size", "--expert-model-parallel-size"},
    NemoKey{"model.sequence_parallel", "--sequence-parallel", true},
    NemoKey{"model.moe_grouped_gemm", "--moe-grouped-gemm", true},
    NemoKey{"model.micro_batch_size", "--micro-batch-size"},
    NemoKey{"model.global_batch_size", "--global-batch-size"},
    NemoKey{"model.encoder_seq_length", "--seq-length"},
    NemoKey{"model.data.seq_length", "--seq-length"},
    NemoKey{"model.num_layers", "--num-layers"},
    NemoKey{"model.hidden_size", "--hidden-size"},
    NemoKey{"model.ffn_hidden_size", "--ffn-hidden-size"},
    NemoKey{"model.num_attention_heads", "--num-attention-heads"},
    NemoKey{"model.num_query_groups", "--num-query-groups"},
    NemoKey{"model.num_moe_experts", "--num-experts"},
    NemoKey{"model.moe_router_topk", "--moe-router-topk"},
    NemoKey{"model.activations_checkpoint_granularity", "--recompute-granularity"},
    NemoKey{"model.activations_checkpoint_method", "--recompute-method"},
    NemoKey{"model.activations_checkpoint_num_layers", "--recompute-num-layers"},
    NemoKey{"trainer.max_steps", "--train-iters"},
    NemoKey{"trainer.strategy.tensor_model_parallel_size", "--tensor-model-parallel-size"},
    NemoKey{"trainer.strategy.pipeline_model_parallel_size", "--pipeline-model-parallel-size"},
    NemoKey{"trainer.strategy.context_parallel_size", "--context-parallel-size"},
    NemoKey{"trainer.strategy.expert_model_parallel_size", "--expert-model-parallel-size"},
    NemoKey{"trainer.strategy.expert_tensor_parallel_size", "--expert-tensor-parallel-size"},
    NemoKey{"trainer.strategy.sequence_parallel", "--sequence-parallel", true},
    NemoKey{"trainer.strategy.ddp.use_distributed_optimizer", "--use-distributed-optimizer", true},
    NemoKey{"optim.config.use_distributed_optimizer", "--use-distributed-optimizer", true},
    NemoKey{"data.micro_batch_size", "--micro-batch-size"},
    NemoKey{"data.global_batch_size", "--global-batch-size"},
    NemoKey{"data.seq_length", "--seq-length"},
    NemoKey{"model.config.seq_length", "--seq-length"},
    NemoKey{"model.config.recompute_granularity", "--recompute-granularity"},
    NemoKey{"model.config.recompute_method", "--recompute-method"},
    NemoKey{"model.config.recompute_num_layers", "--recompute-num-layers"}};

bool isNothing(const std::string& word) {
    return word.empty() || word == "null" || word == "None" || word == "~";
}

/// The recipe "llama3_70b" of "llama3_70b(num_nodes=16)", whose arguments are settings of the trainer.
std::string recipeOf(const Setting& factory, Settings& settings) {
    const std::string& text = factory.value();
    const std::size_t open = text.find('(');
    for (std::size_t at = open; at != std::string::npos && at + 1 < text.size();) {
        const std::size_t end = std::min(text.find_first_of(",)", at + 1), text.size());
        std::string word = text.substr(at + 1, end - at - 1);
        std::erase(word, ' ');
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        if (equals != std::string::npos && (name == "num_nodes" || name == "num_gpus_per_node"))
            settings.all.insert(settings.all.begin(),
                                {name == "num_nodes" ? "trainer.num_nodes" : "trainer.devices",
                                 {word.substr(equals + 1)},
                                 factory.line,
                                 false,
                                 factory.file});
        at = end < text.size() && text[end] == ',' ? end : std::string::npos;
    }
    return text.substr(0, open);
}

void readRecipe(JobReader& reader, Settings& settings) {
    const Setting* factory = settings.use("--factory");
    if (factory == nullptr)
        return;
    const Setting from = *factory; // more settings move it
    const std::string recipe = recipeOf(from, settings);
    const ModelNames* best = nullptr;
    for (const ModelNames& each : modelNames())
        if (!each.bridge.empty() && recipe.starts_with(each.bridge) &&
            reader.catalog.model(each.model) != nullptr &&
            (best == nullptr || best->bridge.size() < each.bridge.size()))
            best = &each;
    if (best != nullptr)
        reader.set("workload.model", best->model, from);
    else
        reader.warn("the catalog has no model for the recipe '" + recipe + "'");
}

void readPrecision(Settings& settings, Settings& options) {
    const auto put = [&options](const Setting& from, const char* name, const char* value) {
        options.all.push_back({name, {}, from.line, false, from.file});
        if (value != nullptr)
            options.all.back().values = {value};
    };
    for (const char* key : {"trainer.precision", "trainer.plugins.precision"})
        if (const Setting* word = settings.use(key)) {
            if (word->value().starts_with("bf16"))
                put(*word, "--bf16", nullptr);
            else if (word->value().starts_with("16"))
                put(*word, "--fp16", nullptr);
        }
    const Setting* hybrid = settings.use("model.fp8_hybrid");
    for (const char* key : {"model.fp8", "trainer.plugins.fp8"})
        if (const Setting* on = settings.use(key); on != nullptr && !isNothing(on->value()) && !isOff(on))
            put(*on, "--fp8-format", key[0] == 'm' && !isOn(hybrid) ? "e4m3" : "hybrid");
    // The name of the optimizer says how its states are split.
    if (const Setting* optimizer = settings.use("model.optim.name");
        optimizer != nullptr &&
        (optimizer->value() == "distributed_fused_adam" || optimizer->value() == "mcore_distributed_optim"))
        put(*optimizer, "--use-distributed-optimizer", nullptr);
}

} // namespace

bool isNemo(const Settings& keys) {
    return keys.has("trainer.num_nodes") && keys.has("model.tensor_model_parallel_size");
}

void readNemo(JobReader& reader, Settings& settings) {
    if (reader.out.tool.empty() || reader.out.tool == "slurm")
        reader.out.tool = "nemo";
    readRecipe(reader, settings);
    reader.assume("plan.framework", "nemo-24", "the program is NeMo's");
    reader.noteLaunch(settings, "trainer.num_nodes", "trainer.devices");
    Settings options;
    std::vector<std::pair<std::string, std::string>> names; // option → key that said it
    for (const NemoKey& each : nemoKeys) {
        const Setting* key = settings.use(each.key);
        if (key == nullptr || isNothing(key->value()) || (each.flag && !isOn(key)))
            continue;
        options.all.push_back(*key);
        options.all.back().name = each.option;
        options.all.back().used = false;
        if (each.flag)
            options.all.back().values.clear();
        names.emplace_back(each.option, each.key);
    }
    readPrecision(settings, options);
    readMegatronLm(reader, options);
    for (const char* key : {"model.virtual_pipeline_model_parallel_size",
                            "trainer.strategy.virtual_pipeline_model_parallel_size"})
        if (const Setting* chunks = settings.use(key); chunks != nullptr && !isNothing(chunks->value()))
            reader.set("plan.virtual_pipeline", chunks->value(), *chunks);
    for (ReadField& each : reader.out.understood)
        for (const auto& [option, key] : names)
            if (each.from == option || each.from.starts_with(option + " in "))
                each.from.replace(0, option.size(), key);
    for (const Setting& each : settings.all)
        if (!each.used)
            reader.out.noField.push_back(JobReader::unread(each));
}

} // namespace alidade::data::handoff
