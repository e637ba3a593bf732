// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/published_scenario.h"

#include <algorithm>
#include <cctype>

namespace alidade {

namespace {

/// "Qwen3 235B-A22B" is "qwen3-235b-a22b".
std::string asId(std::string_view name) {
    std::string out;
    for (const char c : name)
        out += c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

/// The catalog's model whose id is the name or the longest beginning of it, if the sizes agree.
const Architecture* catalogModel(const PublishedModel& row, const Catalog& catalog) {
    const std::string name = asId(row.name);
    const Architecture* best = nullptr;
    for (const Architecture& each : catalog.models) {
        const bool same = name == each.id || name.starts_with(each.id + "-");
        if (same && (!best || each.id.size() > best->id.size()))
            best = &each;
    }
    const auto differs = [](const std::optional<int>& given, int known) { return given && *given != known; };
    if (best && (differs(row.layers, best->layers) || differs(row.hidden, best->hiddenSize) ||
                 differs(row.heads, best->attentionHeads))) {
        best = nullptr;
    }
    return best;
}

/// Takes over what the row says; true if that changes anything.
template <class T>
bool take(const std::optional<T>& given, T& field) {
    const bool changed = given && *given != field;
    field = given.value_or(field);
    return changed;
}

bool takeExperts(const PublishedModel& row, Architecture& out) {
    if (!row.moe)
        return false;
    const bool had = out.moe.has_value();
    MoeShape moe = out.moe.value_or(MoeShape{});
    const MoeShape before = moe;
    moe.routedExperts = row.moe->experts;
    moe.expertsPerToken = row.moe->perToken;
    moe.expertIntermediateSize = row.moe->expertFfn;
    take(row.moe->shared, moe.sharedExperts);
    take(row.moe->firstDenseLayers, moe.denseFirstLayers);
    if (row.moe->sharedExpertFfn)
        moe.sharedExpertIntermediateSizeTotal = *row.moe->sharedExpertFfn;
    else if (before.sharedExperts != moe.sharedExperts)
        moe.sharedExpertIntermediateSizeTotal = moe.sharedExperts * row.moe->expertFfn;
    out.moe = moe;
    return !had || before.routedExperts != moe.routedExperts ||
           before.expertsPerToken != moe.expertsPerToken || before.sharedExperts != moe.sharedExperts ||
           before.expertIntermediateSize != moe.expertIntermediateSize ||
           before.denseFirstLayers != moe.denseFirstLayers ||
           before.sharedExpertIntermediateSizeTotal != moe.sharedExpertIntermediateSizeTotal;
}

bool takeMixers(const PublishedModel& row, Architecture& out) {
    bool changed = false;
    if (row.mla && !out.mla) {
        out.mla = row.mla;
        changed = true;
    }
    if (row.mamba && !out.mamba2) {
        out.mamba2 = row.mamba;
        changed = true;
    }
    if (!row.layerPattern.empty() && row.layerPattern != out.hybridPattern) {
        out.hybridPattern = row.layerPattern;
        changed = true;
    }
    return changed;
}

/// What GPT-3 and its kin have besides their sizes: biases and layer norms; the row says nothing of them.
void asGpt(Architecture& out) {
    out.norm = Normalization::layerNorm;
    out.normHasBias = out.biasQkv = out.biasO = out.biasMlp = true;
}

std::string missing(const Architecture& a) {
    const std::pair<bool, const char*> needs[] = {
        {a.layers > 0, "the number of layers"},
        {a.hiddenSize > 0, "the hidden size"},
        {a.attentionHeads > 0 && a.kvHeads > 0 && a.headDim > 0, "the attention heads"},
        {a.ffnIntermediateSize > 0 || a.moe, "the width of the MLP"},
        {a.vocabSize > 0, "the vocabulary size"}};
    for (const auto& [there, what] : needs)
        if (!there)
            return "the source does not give " + std::string(what) + " of the model";
    return {};
}

} // namespace

std::string publishedArchitecture(const PublishedModel& row, const Catalog& catalog, Architecture& out,
                                  std::string& model, std::vector<std::string>& assumed) {
    const Architecture* known = catalogModel(row, catalog);
    out = known ? *known : Architecture{};
    bool changed = !known;
    changed |= take(row.layers, out.layers);
    changed |= take(row.hidden, out.hiddenSize);
    changed |= take(row.heads, out.attentionHeads);
    changed |= take(row.kvHeads, out.kvHeads);
    changed |= take(row.headDim, out.headDim);
    // Where every layer has experts, the row prints the width of one expert or nothing.
    if (!out.moe || out.ffnIntermediateSize > 0)
        changed |= take(row.ffn, out.ffnIntermediateSize);
    changed |= take(row.gatedFfn, out.ffnGated);
    changed |= take(row.vocab, out.vocabSize);
    changed |= take(row.tiedEmbeddings, out.tieEmbeddings);
    changed |= take(std::optional<int>(row.mtpLayers.value_or(0)), out.mtpLayers);
    changed |= takeExperts(row, out);
    changed |= takeMixers(row, out);
    if (known && !row.vocab)
        assumed.emplace_back("workload.model.vocab_size");
    if (!known) {
        out.id = out.name = row.name;
        if (!out.ffnGated && !row.mamba)
            asGpt(out);
        if (!row.tiedEmbeddings)
            assumed.emplace_back("workload.model.tie_embeddings");
    }
    model = changed ? std::string() : out.id;
    return missing(out);
}

} // namespace alidade
