// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/published_quantity.h"

#include "model/validation/published_scenario.h"
#include "model/workload/flops.h"

namespace alidade {

namespace {

struct DefinitionWords {
    std::string_view words; ///< that the definition holds
    PublishedFlops convention;
};

/// The first whose words are there wins.
constexpr DefinitionWords definitions[] = {
    {"96*B*s*l*h^2", PublishedFlops::gptRecomputed},
    {"recompute counted)", PublishedFlops::gptRecomputed},
    {"\"up to\" 147 TFLOP/s", PublishedFlops::gptRecomputed},
    {"72*B*l*s*h^2", PublishedFlops::gptIteration},
    {"12*L*H*head_dim*S", PublishedFlops::full},
    {"(6N + 12*L*d*S)", PublishedFlops::allParameters},
    {"not halved", PublishedFlops::full},
    {"counted in full", PublishedFlops::full},
    {"without causal halving", PublishedFlops::full},
    {"as printed by Megatron-LM", PublishedFlops::full},
    {"as defined by NeMo", PublishedFlops::full},
};

} // namespace

PublishedFlops publishedFlops(std::string_view definition) {
    // "(no recompute counted)" says the opposite of "(recompute counted)".
    const bool excluded = saysWord(definition, "no recompute counted");
    for (const DefinitionWords& each : definitions) {
        const bool negated = excluded && each.words == "recompute counted)";
        if (!negated && saysWord(definition, each.words))
            return each.convention;
    }
    return PublishedFlops::causal;
}

double publishedFlopsPerToken(PublishedFlops convention, const Architecture& model, double s) {
    switch (convention) {
    case PublishedFlops::full:
        return trainFlopsPerToken(model, s, FlopsConvention::palm);
    case PublishedFlops::allParameters:
        return trainFlopsPerToken(model, s, FlopsConvention::sixN) +
               12.0 * model.layers * model.attentionHeads * model.headDim * s;
    case PublishedFlops::gptIteration:
        return megatronIterationFlops(1, s, model.layers, model.hiddenSize, model.vocabSize) / s;
    case PublishedFlops::gptRecomputed:
        return megatronIterationFlops(1, s, model.layers, model.hiddenSize, model.vocabSize,
                                      RecomputeFlops::full) /
               s;
    case PublishedFlops::causal:
        break;
    }
    return trainFlopsPerToken(model, s, FlopsConvention::causal, RecomputeFlops::none, model.mtpLayers);
}

std::optional<PublishedQuantity> publishedThroughput(const PublishedTraining& row, const ScenarioSpec& spec,
                                                     const Architecture& model) {
    const PublishedFigures& m = row.measured;
    const double length = static_cast<double>(*spec.workload.sequenceLength);
    const double gpus = row.hardware.gpus.value_or(1);
    const double tokens =
        static_cast<double>(*spec.workload.globalBatch) * length / gpus; // of a GPU and step
    const bool batchIsKnown = row.globalBatch.has_value() || row.tokensPerStep.has_value();
    if (m.stepTime && batchIsKnown)
        return PublishedQuantity{"step_time_s", *m.stepTime, 0};
    if (m.tokensPerSPerGpu || m.tokensPerS) {
        return PublishedQuantity{"tokens_per_s_per_gpu",
                                 m.tokensPerSPerGpu ? *m.tokensPerSPerGpu : *m.tokensPerS / gpus, tokens};
    }
    const double flops = publishedFlopsPerToken(publishedFlops(m.flopsDefinition), model, length) * tokens;
    if (m.flopsPerSPerGpu)
        return PublishedQuantity{"model_flops_per_s_per_gpu", *m.flopsPerSPerGpu, flops};
    const std::optional<double> share = m.mfu ? m.mfu : m.hfu;
    if (share && m.mfuPeak)
        return PublishedQuantity{"mfu", *share, flops / *m.mfuPeak};
    return std::nullopt;
}

} // namespace alidade
