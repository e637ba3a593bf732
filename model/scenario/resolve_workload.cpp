// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/resolve_parts.h"
#include "model/workload/parameters.h"

namespace alidade::resolving {

namespace {

/// What stands in the way of the dense transformer model, in words; empty: nothing.
std::string unmodelledArchitecture(const Architecture& model, double sequenceLength) {
    const std::string notYet = " is not modelled yet; no figure is given rather than a dense guess";
    if (model.moe) {
        return "A mixture of experts (" + model.name + ")" + notYet;
    }
    if (model.mla) {
        return "Multi-head latent attention (" + model.name + ")" + notYet;
    }
    if (!model.hybridPattern.empty() || model.mamba2 || model.gatedDeltaNet) {
        return "A hybrid of attention and state-space layers (" + model.name + ")" + notYet;
    }
    if (model.attentionChunk > 0 && sequenceLength > model.attentionChunk) {
        return "Chunked attention shorter than the sequence (" + model.name + ")" + notYet;
    }
    if (model.slidingWindow > 0 && sequenceLength > model.slidingWindow) {
        return "A sliding attention window shorter than the sequence (" + model.name + ")" + notYet;
    }
    return {};
}

void setArchitecture(Context& context) {
    const Architecture& m = context.out.model;
    const std::string source = citation(m.provenance, "layers");
    const SourceKind kind = context.spec.workload.architecture ? SourceKind::user : SourceKind::catalog;
    const auto put = [&](Input input, double value) { set(context, input, value, source, kind); };
    const BlockParameters attention = attentionParameters(m);
    const BlockParameters mlp = mlpParameters(m.hiddenSize, m.ffnIntermediateSize, m.ffnGated, m.biasMlp);
    put(Input::layers, m.layers);
    put(Input::hiddenSize, m.hiddenSize);
    put(Input::attentionHeads, m.attentionHeads);
    put(Input::kvHeads, m.kvHeads);
    put(Input::headDim, m.headDim);
    put(Input::ffnSize, m.ffnIntermediateSize);
    put(Input::ffnMatrices, m.ffnGated ? 3 : 2);
    put(Input::vocabulary, m.vocabSize);
    put(Input::otherLayerParameters,
        static_cast<double>(attention.other + mlp.other + layerNormParameters(m)));
    put(Input::finalNormParameters, m.hiddenSize * (m.normHasBias ? 2.0 : 1.0));
    put(Input::learnedPositions, m.learnedPositions);
    context.out.plan.gatedFfn = m.ffnGated;
    context.out.plan.tiedEmbeddings = m.tieEmbeddings;
}

std::string resolveModel(Context& context) {
    const WorkloadSpec& workload = context.spec.workload;
    if (workload.architecture) {
        context.out.model = *workload.architecture;
    } else if (workload.model) {
        const Architecture* known = context.catalog.model(*workload.model);
        if (!known) {
            std::vector<std::string> ids;
            for (const Architecture& model : context.catalog.models) {
                ids.push_back(model.id);
            }
            const std::string near = nearestName(*workload.model, ids);
            return "/workload/model: there is no model '" + *workload.model + "' in the catalog" +
                   (near.empty() ? "" : "; the nearest is '" + near + "'");
        }
        context.out.model = *known;
    } else {
        return "/workload/model: a model is missing; name one of the catalog, for example \"llama-3.1-405b\"";
    }
    const Architecture& m = context.out.model;
    context.out.modelName = m.name.empty() ? m.id : m.name;
    if (m.layers <= 0 || m.hiddenSize <= 0 || m.vocabSize <= 0) {
        return "/workload/model: an architecture needs layers, hidden_size and vocab_size above zero";
    }
    return {};
}

} // namespace

std::string resolveWorkload(Context& context) {
    const WorkloadSpec& workload = context.spec.workload;
    WorkloadSpec& filled = context.out.spec.workload;
    if (std::string wrong = resolveModel(context); !wrong.empty()) {
        return wrong;
    }
    filled.kind = workload.kind.value_or("training");
    if (*filled.kind == "serving") {
        notModelled(context, "workload.kind", "Serving is not modelled yet; only training gives figures");
        setArchitecture(context);
        return {};
    }
    const std::string user = "scenario";
    const double s = static_cast<double>(workload.sequenceLength.value_or(
        context.out.model.maxContextTokens > 0 ? std::min(context.out.model.maxContextTokens, 8192) : 8192));
    set(context, Input::sequenceLength, s,
        workload.sequenceLength ? user : "default: 8,192, or the model's context",
        workload.sequenceLength ? SourceKind::user : SourceKind::assumed);
    filled.sequenceLength = static_cast<std::int64_t>(s);
    if (!workload.globalBatch) {
        return "/workload/global_batch: the global batch is missing; give the sequences of one step, for "
               "example 2048";
    }
    set(context, Input::globalBatch, static_cast<double>(*workload.globalBatch), user, SourceKind::user);
    if (workload.tokens) {
        set(context, Input::tokens, *workload.tokens, user, SourceKind::user);
        context.out.hasTokens = true;
    }
    setArchitecture(context);
    if (const std::string gap = unmodelledArchitecture(context.out.model, s); !gap.empty()) {
        notModelled(context, "workload.model", gap);
    }
    filled.finetune.kind = workload.finetune.kind.value_or("full");
    if (*filled.finetune.kind == "lora") {
        notModelled(context, "workload.finetune.kind",
                    "LoRA fine-tuning is not modelled yet; set it to full");
    }
    if (context.out.model.maxContextTokens > 0 && s > context.out.model.maxContextTokens) {
        warn(context, "workload.sequence_length",
             "The sequence is longer than the " + std::to_string(context.out.model.maxContextTokens) +
                 " tokens that " + context.out.modelName + " was published with");
    }
    return {};
}

} // namespace alidade::resolving
