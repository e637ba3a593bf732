// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/choice_names.h"

#include "model/scenario/fields.h"
#include "model/units/text.h"

#include <algorithm>
#include <array>
#include <span>

namespace alidade {

namespace {

/// Words that have the same name in every field; the field table has those that do not (Field::names).
constexpr std::array names = {
    ChoiceName{"training", "Training"},
    ChoiceName{"serving", "Serving"},
    ChoiceName{"top_p", "Top-p or top-k"},
    ChoiceName{"plain", "Greedy or by temperature"},
    ChoiceName{"majority", "Majority vote"},
    ChoiceName{"best_of_n", "Best of n"},
    ChoiceName{"beam_search", "Beam search"},
    ChoiceName{"as_run", "As usually run"},
    ChoiceName{"vendor", "As in the vendor's benchmark"},
    ChoiceName{"none", "None"},
    ChoiceName{"selective", "Selective"},
    ChoiceName{"full", "Full"},
    ChoiceName{"lora", "LoRA"},
    ChoiceName{"every_other_layer", "Every other layer"},
    ChoiceName{"per_op", "Per operation"},
    ChoiceName{"core_attention", "Core attention"},
    ChoiceName{"core_attn", "Core attention"},
    ChoiceName{"norms", "Norms"},
    ChoiceName{"layernorm", "Norms"},
    ChoiceName{"glu", "GLU product"},
    ChoiceName{"mlp", "Dense MLP"},
    ChoiceName{"moe", "Experts and their exchange"},
    ChoiceName{"moe_act", "Expert activation"},
    ChoiceName{"shared_experts", "Shared experts"},
    ChoiceName{"mla_up_proj", "MLA up-projections"},
    ChoiceName{"delayed", "Delayed scaling"},
    ChoiceName{"current", "Current scaling"},
    ChoiceName{"row", "Row-wise scaling"},
    ChoiceName{"block", "Block scaling"},
    ChoiceName{"zero1", "ZeRO-1"},
    ChoiceName{"zero2", "ZeRO-2"},
    ChoiceName{"zero3", "ZeRO-3"},
    ChoiceName{"fsdp2", "FSDP2"},
    ChoiceName{"hsdp", "HSDP"},
    ChoiceName{"fp16", "FP16"},
    ChoiceName{"bf16", "BF16"},
    ChoiceName{"fp8", "FP8"},
    ChoiceName{"fp8_block", "FP8, block-scaled"},
    ChoiceName{"mxfp8", "MXFP8"},
    ChoiceName{"mxfp4", "MXFP4"},
    ChoiceName{"nvfp4", "NVFP4"},
    ChoiceName{"int4", "INT4"},
    ChoiceName{"3_years_payment_not_stated", "3 years, payment option not stated"},
    ChoiceName{"gpipe", "GPipe"},
    ChoiceName{"1f1b", "1F1B"},
    ChoiceName{"interleaved", "Interleaved 1F1B"},
    ChoiceName{"zb-h1", "ZB-H1"},
    ChoiceName{"zb-v", "ZB-V"},
    ChoiceName{"dualpipe", "DualPipe"},
    ChoiceName{"dualpipe-v", "DualPipe-V"},
    ChoiceName{"ring", "Ring"},
    ChoiceName{"all_gather", "All-gather"},
    ChoiceName{"ulysses", "Ulysses"},
    ChoiceName{"efa2", "EFA v2"},
    ChoiceName{"efa3", "EFA v3"},
    ChoiceName{"efa4", "EFA v4"},
    ChoiceName{"efa", "EFA"},
    ChoiceName{"nvlink", "NVLink"},
    ChoiceName{"infiniband", "InfiniBand"},
    ChoiceName{"ethernet", "Ethernet"},
    ChoiceName{"packed", "Packed"},
    ChoiceName{"sorted", "Sorted"},
    ChoiceName{"adam", "Adam"},
    ChoiceName{"adam_bf16_moments", "Adam, BF16"},
    ChoiceName{"adam_8bit", "Adam, 8-bit"},
    ChoiceName{"muon", "Muon"},
    ChoiceName{"both", "Prefill and decode"},
    ChoiceName{"prefill", "Prefill only"},
    ChoiceName{"decode", "Decode only"},
    ChoiceName{"reinforcement_learning", "Reinforcement learning"},
    ChoiceName{"ppo", "PPO"},
    ChoiceName{"grpo", "GRPO"},
    ChoiceName{"dapo", "DAPO"},
    ChoiceName{"reinforce++", "REINFORCE++"},
    ChoiceName{"rloo", "RLOO"},
    ChoiceName{"colocated", "Colocated"},
    ChoiceName{"split", "Separate pools"},
    ChoiceName{"one_step_off", "One step off"},
    ChoiceName{"async", "Asynchronous"},
    ChoiceName{"one_replica", "One replica"},
    ChoiceName{"host", "Host memory"},
    ChoiceName{"nvme", "Local NVMe"},
    ChoiceName{"file_system", "File system"},
    ChoiceName{"refit", "Refit"},
    ChoiceName{"broadcast", "Broadcast"},
    ChoiceName{"bucketed", "In buckets"},
    ChoiceName{"host_staged", "Through host memory"},
    ChoiceName{"reshard", "Reshard"},
    ChoiceName{"rdma", "RDMA"},
    ChoiceName{"delta", "Changed weights only"},
    ChoiceName{"rule", "Rule"},
    ChoiceName{"model", "Reward model"},
    ChoiceName{"sandbox", "Sandbox"},
    ChoiceName{"sft", "SFT"},
    ChoiceName{"dpo", "DPO"},
    ChoiceName{"qlora", "QLoRA"},
    ChoiceName{"nccl", "NCCL"},
    ChoiceName{"deepep", "DeepEP"},
    ChoiceName{"hybridep", "HybridEP"},
    ChoiceName{"uccl", "UCCL"},
    ChoiceName{"fused", "Fused"},
    ChoiceName{"unfused", "Unfused"},
    ChoiceName{"chunked", "In chunks"},
    ChoiceName{"grouped", "Grouped"},
    ChoiceName{"loop", "Loop over experts"},
    ChoiceName{"all_to_all", "All-to-all of NCCL"},
    ChoiceName{"fa1", "FlashAttention-1"},
    ChoiceName{"fa2", "FlashAttention-2"},
    ChoiceName{"fa3", "FlashAttention-3"},
    ChoiceName{"fa4", "FlashAttention-4"},
    ChoiceName{"cudnn", "cuDNN"},
    ChoiceName{"sdpa", "As PyTorch chooses"},
    ChoiceName{"partial", "Parts of a layer"},
    ChoiceName{"optimizer", "Optimizer states"},
    ChoiceName{"sync", "Synchronous"},
    ChoiceName{"peer", "In peer memory"},
    ChoiceName{"checkpointless", "Without checkpoints"},
    ChoiceName{"true", "On"},
    ChoiceName{"false", "Off"},
};

constexpr bool hasDuplicates() {
    for (std::size_t i = 0; i < names.size(); ++i) {
        for (std::size_t j = i + 1; j < names.size(); ++j)
            if (names[i].word == names[j].word)
                return true;
    }
    return false;
}
static_assert(!hasDuplicates());

const char* nameAmong(std::span<const ChoiceName> known, std::string_view word) {
    const auto found = std::ranges::find(known, word, &ChoiceName::word);
    return found == known.end() ? nullptr : found->name;
}

} // namespace

const char* choiceName(std::string_view path, std::string_view word) {
    const Field* field = findField(path);
    const char* own = field == nullptr ? nullptr : nameAmong(field->names, word);
    return own == nullptr ? nameAmong(names, word) : own;
}

std::string nameOfChoice(std::string_view path, std::string_view word) {
    const char* name = choiceName(path, word);
    return name == nullptr ? std::string(word) : std::string(name);
}

std::string fieldTextInWords(const Field& field, std::string_view text) {
    if (field.choices.empty() && field.kind != FieldKind::flag)
        return std::string(text);
    std::string out;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        out += (out.empty() ? "" : ", ") + nameOfChoice(field.path, trimmed(text.substr(0, comma)));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return out;
}

} // namespace alidade
