// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/choice_names.h"

#include "model/scenario/fields.h"
#include "model/units/text.h"

#include <algorithm>
#include <array>

namespace alidade {

namespace {

struct Name {
    std::string_view word;
    const char* name;
};

constexpr std::array names = {
    Name{"training", "Training"},
    Name{"serving", "Serving"},
    Name{"top_p", "Top-p or top-k"},
    Name{"plain", "Greedy or by temperature"},
    Name{"majority", "Majority vote"},
    Name{"best_of_n", "Best of n"},
    Name{"beam_search", "Beam search"},
    Name{"as_run", "As usually run"},
    Name{"vendor", "As in the vendor's benchmark"},
    Name{"none", "None"},
    Name{"selective", "Selective"},
    Name{"full", "Full"},
    Name{"lora", "LoRA"},
    Name{"every_other_layer", "Every other layer"},
    Name{"per_op", "Per operation"},
    Name{"core_attention", "Core attention"},
    Name{"core_attn", "Core attention"},
    Name{"norms", "Norms"},
    Name{"layernorm", "Norms"},
    Name{"glu", "GLU product"},
    Name{"mlp", "Dense MLP"},
    Name{"moe", "Experts and their exchange"},
    Name{"moe_act", "Expert activation"},
    Name{"shared_experts", "Shared experts"},
    Name{"mla_up_proj", "MLA up-projections"},
    Name{"delayed", "Delayed scaling"},
    Name{"current", "Current scaling"},
    Name{"block", "Block scaling"},
    Name{"zero1", "ZeRO-1"},
    Name{"zero2", "ZeRO-2"},
    Name{"zero3", "ZeRO-3"},
    Name{"fsdp2", "FSDP2"},
    Name{"hsdp", "HSDP"},
    Name{"fp16", "FP16"},
    Name{"bf16", "BF16"},
    Name{"fp8", "FP8"},
    Name{"fp8_block", "FP8, block-scaled"},
    Name{"mxfp8", "MXFP8"},
    Name{"mxfp4", "MXFP4"},
    Name{"nvfp4", "NVFP4"},
    Name{"int4", "INT4"},
    Name{"1_year_no_upfront", "1 year, no upfront"},
    Name{"1_year_partial_upfront", "1 year, partial upfront"},
    Name{"1_year_all_upfront", "1 year, all upfront"},
    Name{"3_years_no_upfront", "3 years, no upfront"},
    Name{"3_years_partial_upfront", "3 years, partial upfront"},
    Name{"3_years_all_upfront", "3 years, all upfront"},
    Name{"3_years_payment_not_stated", "3 years, payment option not stated"},
    Name{"on_demand", "On-Demand"},
    Name{"capacity_block", "Capacity Block"},
    Name{"reserved", "Reserved"},
    Name{"spot", "Spot"},
    Name{"custom", "Custom price"},
    Name{"savings_plan", "Savings Plan"},
    Name{"training_plan", "Training plan"},
    Name{"gpipe", "GPipe"},
    Name{"1f1b", "1F1B"},
    Name{"interleaved", "Interleaved 1F1B"},
    Name{"zb-h1", "ZB-H1"},
    Name{"zb-v", "ZB-V"},
    Name{"dualpipe", "DualPipe"},
    Name{"dualpipe-v", "DualPipe-V"},
    Name{"ring", "Ring"},
    Name{"all_gather", "All-gather"},
    Name{"ulysses", "Ulysses"},
    Name{"efa2", "EFA v2"},
    Name{"efa3", "EFA v3"},
    Name{"efa4", "EFA v4"},
    Name{"efa", "EFA"},
    Name{"nvlink", "NVLink"},
    Name{"infiniband", "InfiniBand"},
    Name{"ethernet", "Ethernet"},
    Name{"packed", "Packed"},
    Name{"sorted", "Sorted"},
    Name{"adam", "Adam"},
    Name{"adam_bf16_moments", "Adam, BF16"},
    Name{"adam_8bit", "Adam, 8-bit"},
    Name{"muon", "Muon"},
    Name{"both", "Prefill and decode"},
    Name{"prefill", "Prefill only"},
    Name{"decode", "Decode only"},
    Name{"reinforcement_learning", "Reinforcement learning"},
    Name{"ppo", "PPO"},
    Name{"grpo", "GRPO"},
    Name{"dapo", "DAPO"},
    Name{"reinforce++", "REINFORCE++"},
    Name{"rloo", "RLOO"},
    Name{"colocated", "Colocated"},
    Name{"split", "Separate pools"},
    Name{"one_step_off", "One step off"},
    Name{"async", "Asynchronous"},
    Name{"one_replica", "One replica"},
    Name{"all", "Every rank"},
    Name{"host", "Host memory"},
    Name{"nvme", "Local NVMe"},
    Name{"file_system", "File system"},
    Name{"refit", "Refit"},
    Name{"broadcast", "Broadcast"},
    Name{"bucketed", "In buckets"},
    Name{"host_staged", "Through host memory"},
    Name{"reshard", "Reshard"},
    Name{"rdma", "RDMA"},
    Name{"delta", "Changed weights only"},
    Name{"rule", "Rule"},
    Name{"model", "Reward model"},
    Name{"sandbox", "Sandbox"},
    Name{"sft", "SFT"},
    Name{"dpo", "DPO"},
    Name{"qlora", "QLoRA"},
    Name{"nccl", "NCCL"},
    Name{"deepep", "DeepEP"},
    Name{"hybridep", "HybridEP"},
    Name{"uccl", "UCCL"},
    Name{"fused", "Fused"},
    Name{"unfused", "Unfused"},
    Name{"chunked", "In chunks"},
    Name{"grouped", "Grouped"},
    Name{"loop", "Loop over experts"},
    Name{"all_to_all", "All-to-all of NCCL"},
    Name{"fa1", "FlashAttention-1"},
    Name{"fa2", "FlashAttention-2"},
    Name{"fa3", "FlashAttention-3"},
    Name{"fa4", "FlashAttention-4"},
    Name{"cudnn", "cuDNN"},
    Name{"sdpa", "As PyTorch chooses"},
    Name{"partial", "Parts of a layer"},
    Name{"optimizer", "Optimizer states"},
    Name{"all", "All"},
    Name{"sync", "Synchronous"},
    Name{"peer", "In the memory of other nodes"},
    Name{"checkpointless", "Without checkpoints"},
    Name{"true", "On"},
    Name{"false", "Off"},
};

} // namespace

const char* choiceName(std::string_view word) {
    const auto found = std::ranges::find(names, word, &Name::word);
    return found == names.end() ? nullptr : found->name;
}

std::string nameOfChoice(std::string_view word) {
    const char* name = choiceName(word);
    return name == nullptr ? std::string(word) : std::string(name);
}

std::string fieldTextInWords(const Field& field, std::string_view text) {
    if (field.choices.empty() && field.kind != FieldKind::flag) {
        return std::string(text);
    }
    std::string out;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        out += (out.empty() ? "" : ", ") + nameOfChoice(trimmed(text.substr(0, comma)));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return out;
}

} // namespace alidade
