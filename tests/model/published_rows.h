// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/published.h"
#include "model/validation/published_reinforcement.h"

namespace alidade::tests {

/// Pre-training of 8B on H100, eight data-parallel ranks with ZeRO-1; batch and software are not said.
inline PublishedTraining rowOf8Ranks(int gpus, int tensor, int pipeline) {
    PublishedTraining row;
    row.id = "row";
    row.outcome = "ok";
    row.model.name = "Llama 3.1 8B";
    row.hardware.gpu = "H100";
    row.hardware.gpus = gpus;
    row.parallelism.tensor = tensor;
    row.parallelism.pipeline = pipeline;
    row.parallelism.context = 1;
    row.parallelism.data = 8;
    row.parallelism.zeroStage = 1;
    row.precision = "BF16";
    row.recompute = "none";
    return row;
}

/// Two nodes as 2 x 1 x 8 (tensor, pipeline, data), everything said.
inline PublishedTraining trainingRowOf16() {
    PublishedTraining row = rowOf8Ranks(16, 2, 1);
    row.kind = "benchmark";
    row.group = "group";
    row.confidence = "high";
    row.model.vocab = 128256;
    row.model.sequenceLength = 4096;
    row.hardware.network = "400 Gb/s per GPU";
    row.parallelism.sequence = true;
    row.globalBatch = 64;
    row.microBatch = 1;
    row.software = "Megatron-Core 0.9.1";
    row.notes = "notes";
    row.source = {.title = "title", .locator = "locator", .table = "table", .row = "3", .date = "2025"};
    row.measured.stepTime = 2;
    return row;
}

/// 64 prompts of 8 responses on two nodes, rollout and training in turn.
inline PublishedReinforcement reinforcementRowOf16() {
    PublishedReinforcement row;
    row.id = "row";
    row.kind = "step";
    row.group = "group";
    row.confidence = "high";
    row.framework = "verl";
    row.algorithm = "GRPO";
    row.modelId = "llama-3.1-8b";
    row.modelName = "Llama";
    row.gpu = "H100";
    row.gpus = 16;
    row.network = "400 Gb/s per GPU";
    row.placement = "colocated";
    row.engine = "vLLM";
    row.rolloutTensor = 1;
    row.backend = "FSDP";
    row.recompute = "full";
    row.prompts = 64;
    row.samples = 8;
    row.promptTokens = 200;
    row.responseTokens = 500;
    row.responseLimit = 2000;
    row.updates = 4;
    row.tokensPerGpu = 16384;
    row.step = 100;
    row.source = {.title = "title", .locator = "locator", .table = "table", .row = "3", .date = "2025"};
    return row;
}

} // namespace alidade::tests
