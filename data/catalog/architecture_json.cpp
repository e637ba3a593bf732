// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/architecture_json.h"

#include "data/catalog/field_io.h"
#include "data/json/reader.h"

namespace alidade::data {

std::optional<Architecture> readArchitecture(const nlohmann::json& value, const std::string& pointer,
                                             std::vector<JsonFault>& faults) {
    const std::size_t before = faultCount(faults);
    ObjectReader in(value, pointer, faults);
    Architecture out;
    if (in.isObject()) {
        out.id = in.text("id").value_or("");
        readFields(in, fieldsOf<Architecture>(), out, Completeness::whole);
        readParts(in, out, Completeness::whole);
        out.provenance.notes = in.texts("notes");
        out.provenance.conflicts = in.texts("conflicts");
        in.allow("sources");
        in.finish();
    }
    if (faultCount(faults) == before)
        checkArchitecture(out, pointer, faults);
    return faultCount(faults) == before ? std::optional(std::move(out)) : std::nullopt;
}

Result<Architecture> readArchitecture(const nlohmann::json& value) {
    std::vector<JsonFault> faults;
    std::optional<Architecture> architecture = readArchitecture(value, {}, faults);
    if (architecture)
        return std::move(*architecture);
    return Error{faults.front().pointer + ": " + faults.front().message};
}

void checkArchitecture(const Architecture& a, const std::string& pointer, std::vector<JsonFault>& faults) {
    const auto fault = [&](const char* key, std::string message) {
        addFault(faults, {below(pointer, key), std::move(message)});
    };
    if (a.kvHeads > 0 && a.attentionHeads % a.kvHeads != 0)
        fault("kv_heads", std::to_string(a.kvHeads) + " does not divide the " +
                              std::to_string(a.attentionHeads) + " attention heads; use a divisor");
    if (!a.hybridPattern.empty()) {
        if (a.hybridPattern.size() != static_cast<std::size_t>(a.layers))
            fault("hybrid_pattern", std::to_string(a.hybridPattern.size()) + " letters for " +
                                        std::to_string(a.layers) + " layers; use one letter per layer");
        if (a.hybridPattern.find_first_not_of("M-*E") != std::string::npos)
            fault("hybrid_pattern", "'" + a.hybridPattern + "' has letters other than M, -, * and E");
        if (a.hybridPattern.find('M') != std::string::npos && !a.mamba2)
            fault("mamba2", "missing; the layer pattern has Mamba-2 layers");
        if (a.hybridPattern.find('E') != std::string::npos && !a.moe)
            fault("moe", "missing; the layer pattern has layers with a mixture of experts");
    }
    for (const std::string& part : a.nvfp4Kept)
        if (part != "attention" && part != "attention_inputs" && part != "mlp")
            fault("nvfp4_kept",
                  "'" + part + "' is not valid; use \"attention\", \"attention_inputs\" or \"mlp\"");
    if (a.moe) {
        if (a.moe->expertsPerToken > a.moe->routedExperts)
            fault("moe", "a token uses " + std::to_string(a.moe->expertsPerToken) + " of " +
                             std::to_string(a.moe->routedExperts) + " experts; use at most that number");
        if (a.moe->denseFirstLayers > a.layers)
            fault("moe", std::to_string(a.moe->denseFirstLayers) + " dense first layers of " +
                             std::to_string(a.layers) + "; use at most that number");
        if ((a.moe->sharedExperts == 0) != (a.moe->sharedExpertIntermediateSizeTotal == 0))
            fault(
                "moe",
                "shared_experts and shared_expert_intermediate_size_total must be given both or not at all");
        const bool hasDense = a.moe->denseFirstLayers > 0 || a.moe->layerStep > 1;
        if (hasDense && a.ffnIntermediateSize == 0)
            fault("ffn_intermediate_size", "missing; some layers have a dense MLP");
    } else if (a.ffnIntermediateSize == 0 &&
               (a.hybridPattern.empty() || a.hybridPattern.find('-') != std::string::npos)) {
        fault("ffn_intermediate_size", "missing; without a mixture of experts each layer has a dense MLP");
    }
    if (a.fullAttentionInterval > 0 && !a.gatedDeltaNet)
        fault("gated_deltanet", "missing; full_attention_interval implies layers with linear attention");
}

nlohmann::ordered_json architectureToJson(const Architecture& architecture) {
    nlohmann::ordered_json out = nlohmann::ordered_json::object();
    if (!architecture.id.empty())
        out["id"] = architecture.id;
    writeFields(out, fieldsOf<Architecture>(), architecture);
    writeParts(out, architecture);
    if (!architecture.provenance.notes.empty())
        out["notes"] = architecture.provenance.notes;
    if (!architecture.provenance.conflicts.empty())
        out["conflicts"] = architecture.provenance.conflicts;
    return out;
}

std::string architectureToCatalogText(const Architecture& architecture) {
    nlohmann::ordered_json document;
    document["alidade"] = 1;
    document["kind"] = "models";
    nlohmann::ordered_json entry = architectureToJson(architecture);
    for (const Source& source : architecture.provenance.sources) {
        nlohmann::ordered_json s = {{"title", source.title}};
        if (!source.path.empty())
            s["path"] = source.path;
        entry["sources"].push_back(std::move(s));
    }
    document["entries"].push_back(std::move(entry));
    return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

} // namespace alidade::data
