// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/posttraining/response_lengths.h"
#include "model/scenario/resolve_parts.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace alidade::resolving {

namespace {

/// Sets the sizes of parts that only some architectures have.
void setParts(Context& context, const std::function<void(Input, double)>& put) {
    const Architecture& m = context.out.model;
    TrainingPlan& plan = context.out.plan;
    if (m.mla) {
        put(Input::mlaQueryRank, m.mla->qLoraRank);
        put(Input::mlaKvRank, m.mla->kvLoraRank);
        put(Input::mlaNopeDim, m.mla->qkNopeHeadDim);
        put(Input::mlaRopeDim, m.mla->qkRopeHeadDim);
        put(Input::valueHeadDim, m.mla->vHeadDim);
        plan.latentAttention = true;
        plan.queryCompressed = m.mla->qLoraRank > 0;
    }
    if (m.moe) {
        put(Input::routedExperts, m.moe->routedExperts);
        put(Input::expertsPerToken, m.moe->expertsPerToken);
        put(Input::expertFfnSize, m.moe->expertIntermediateSize);
        put(Input::expertHiddenSize, m.moe->latentSize > 0 ? m.moe->latentSize : m.hiddenSize);
        plan.latentExperts = m.moe->latentSize > 0;
        put(Input::sharedFfnSize, m.moe->sharedExpertIntermediateSizeTotal);
    }
    if (m.mamba2) {
        put(Input::mambaInner, 1.0 * m.mamba2->heads * m.mamba2->headDim);
        put(Input::mambaStates, 2.0 * m.mamba2->groups * m.mamba2->state);
        put(Input::mambaHeads, m.mamba2->heads);
        put(Input::mambaState, m.mamba2->state);
    }
    if (m.gatedDeltaNet) {
        put(Input::deltaKeys, 1.0 * m.gatedDeltaNet->keyHeads * m.gatedDeltaNet->keyHeadDim);
        put(Input::deltaValues, 1.0 * m.gatedDeltaNet->valueHeads * m.gatedDeltaNet->valueHeadDim);
        put(Input::deltaHeads, m.gatedDeltaNet->valueHeads);
    }
    if (m.mtpLayers > 0)
        put(Input::mtpDepth, m.mtpLayers);
    plan.headNorms = m.qkNorm != QkNorm::none;
    plan.norms = m.normsPerLayer;
    plan.attentionGate = m.attentionOutputGate;
    // cuDNN and FlashAttention have no fast path for learned sinks with small heads (gpt-oss).
    plan.unfusedProduct = m.moe && m.moe->expertBias;
    plan.unfusedAttention = m.attentionSinks && m.headDim > 0 && m.headDim <= 64;
}

void setArchitecture(Context& context) {
    const Architecture& m = context.out.model;
    const SharedText source = citation("", "", m.provenance, "layers");
    const SourceKind kind =
        context.spec.workload.architecture ? SourceKind::user : catalogKind(m.provenance, "layers");
    const auto put = [&](Input input, double value) { set(context, input, value, source, kind); };
    put(Input::layers, m.layers);
    put(Input::hiddenSize, m.hiddenSize);
    put(Input::attentionHeads, m.attentionHeads);
    put(Input::kvHeads, m.kvHeads);
    put(Input::headDim, m.headDim);
    put(Input::ffnSize, m.ffnIntermediateSize);
    put(Input::ffnMatrices, m.ffnGated ? 3 : 2);
    put(Input::vocabulary, m.vocabSize);
    put(Input::finalNormParameters, m.hiddenSize * (m.normHasBias ? 2.0 : 1.0));
    put(Input::learnedPositions, m.learnedPositions);
    context.out.plan.gatedFfn = m.ffnGated;
    context.out.plan.tiedEmbeddings = m.tieEmbeddings;
    setParts(context, put);
}

std::string resolveModel(Context& context) {
    const WorkloadSpec& workload = context.spec.workload;
    if (workload.architecture) {
        context.out.model = *workload.architecture;
    } else if (workload.model) {
        const Architecture* known = context.catalog.model(*workload.model);
        if (!known) {
            std::vector<std::string> ids;
            for (const Architecture& model : context.catalog.models)
                ids.push_back(model.id);
            const std::string near = nearestName(*workload.model, ids);
            return "/workload/model: there is no model '" + *workload.model + "' in the catalog" +
                   (near.empty() ? "" : "; the nearest is '" + near + "'");
        }
        context.out.model = *known;
    } else {
        return "/workload/model: no model is set; choose one from the catalog, for example "
               "\"llama-3.1-405b\"";
    }
    const Architecture& m = context.out.model;
    context.out.modelName = m.name.empty() ? m.id : m.name;
    if (m.layers <= 0 || m.hiddenSize <= 0 || m.vocabSize <= 0)
        return "/workload/model: an architecture needs layers, hidden_size and vocab_size above zero";
    for (const std::string& part : m.notModeled)
        warn(context, "workload.model", context.out.modelName + ", not modeled: " + part);
    return {};
}

/// Examples of a data set: how long they are, how sequences hold them, and the tokens of all epochs.
void resolveExamples(Context& context) {
    const FinetuneSpec& written = context.spec.workload.finetune;
    FinetuneSpec& filled = context.out.spec.workload.finetune;
    const double sequence = context.out.inputs[Input::sequenceLength];
    double ofExample = sequence; // tokens that an example takes, padding included
    if (written.exampleTokens) {
        // An estimate: no published spread of the lengths of an instruction data set was found.
        filled.exampleTokensCv = written.exampleTokensCv.value_or(0.6);
        filled.packed = written.packed.value_or(true);
        const ResponseLengths lengths(*written.exampleTokens, *filled.exampleTokensCv, sequence);
        if (*filled.packed) {
            // Attention within examples: as many of their token-weighted length.
            set(context, Input::attendedTokens, std::min(sequence, lengths.secondMoment() / lengths.mean()),
                written.exampleTokensCv
                    ? SharedText("packed examples, E[l^2] / E[l]")
                    : SharedText("packed examples, E[l^2] / E[l]; the CV of their lengths is an estimate"),
                SourceKind::derived);
            ofExample = lengths.mean();
        } else {
            const auto micro = static_cast<double>(context.spec.plan.microBatch.value_or(1));
            ofExample = std::min(sequence, std::ceil(micro > 1 ? lengths.longestOf(micro) : lengths.mean()));
            set(context, Input::sequenceLength, ofExample, "padded to the longest of a micro-batch",
                SourceKind::derived);
        }
    } else if (written.packed || written.exampleTokensCv) {
        warn(context, "workload.finetune.example_tokens",
             "Packing needs the mean length of an example; set it, or leave packing out");
    }
    if (written.examples) {
        filled.epochs = written.epochs.value_or(1);
        const double pairs = written.method == "dpo" ? 2 : 1;
        set(context, Input::tokens,
            static_cast<double>(*written.examples) * *filled.epochs * pairs * ofExample,
            "examples x epochs x their tokens", SourceKind::derived);
        context.out.hasTokens = true;
    }
}

} // namespace

std::string resolveWorkload(Context& context) {
    const WorkloadSpec& workload = context.spec.workload;
    WorkloadSpec& filled = context.out.spec.workload;
    if (std::string wrong = resolveModel(context); !wrong.empty())
        return wrong;
    filled.kind = workload.kind.value_or(WorkloadKind::training);
    if (filled.isServing()) {
        setArchitecture(context);
        return resolveServingWorkload(context);
    }
    if (filled.isReinforcement()) {
        setArchitecture(context);
        return resolveReinforcementWorkload(context);
    }
    const SharedText user = "scenario";
    const double s = static_cast<double>(workload.sequenceLength.value_or(
        context.out.model.maxContextTokens > 0 ? std::min(context.out.model.maxContextTokens, 8192) : 8192));
    set(context, Input::sequenceLength, s,
        workload.sequenceLength ? user : "default: 8,192, or the model's context",
        workload.sequenceLength ? SourceKind::user : SourceKind::assumed);
    filled.sequenceLength = static_cast<std::int64_t>(s);
    if (!workload.globalBatch) {
        return "/workload/global_batch: the global batch is missing; set the sequences per step, for example "
               "2048";
    }
    const bool pairs = workload.finetune.method == "dpo";
    set(context, Input::globalBatch, static_cast<double>(*workload.globalBatch) * (pairs ? 2 : 1),
        pairs ? SharedText("scenario: chosen and rejected answer of each pair") : user, SourceKind::user);
    resolveExamples(context);
    if (workload.tokens) {
        set(context, Input::tokens, *workload.tokens, user, SourceKind::user);
        context.out.hasTokens = true;
    }
    setArchitecture(context);
    filled.finetune.kind = workload.finetune.kind.value_or("full");
    const FinetuneSpec& finetune = workload.finetune;
    if (*filled.finetune.kind == "full" && (finetune.rank || finetune.targets)) {
        warn(context, "workload.finetune.kind",
             "Rank and targets apply only to lora and qlora; leave them out");
    }
    if (context.out.model.maxContextTokens > 0 && s > context.out.model.maxContextTokens) {
        warn(context, "workload.sequence_length",
             "The sequence exceeds the " + std::to_string(context.out.model.maxContextTokens) +
                 "-token context of " + context.out.modelName);
    }
    return {};
}

} // namespace alidade::resolving
