// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of entries that are not plain fields: network cards, shapes of layers, defaults of software.
#include "data/catalog/field_io.h"

namespace alidade::data {
namespace {

using Json = nlohmann::ordered_json;

template <class Shape>
void readShape(ObjectReader& in, const char* key, std::optional<Shape>& out, Completeness completeness) {
    if (in.isNull(key)) {
        in.allow(key);
        out.reset();
        return;
    }
    if (std::optional<ObjectReader> inner = in.object(key)) {
        const bool partial = completeness == Completeness::partial && out.has_value();
        if (!out)
            out.emplace();
        readFields(*inner, fieldsOf<Shape>(), *out, partial ? Completeness::partial : Completeness::whole);
        inner->finish();
    }
}

template <class Shape>
void writeShape(Json& out, const char* key, const std::optional<Shape>& shape) {
    if (shape)
        writeFields(out[key] = Json::object(), fieldsOf<Shape>(), *shape);
}

/// Reads texts by plan field. A later document replaces the ones that it names.
void readTexts(ObjectReader& in, const char* key, std::vector<std::pair<std::string, std::string>>& out) {
    std::optional<ObjectReader> texts = in.object(key);
    if (!texts)
        return;
    for (const std::string& path : texts->keys()) {
        const std::optional<std::string> value = texts->text(path);
        if (!value)
            continue;
        const auto known =
            std::find_if(out.begin(), out.end(), [&](const auto& entry) { return entry.first == path; });
        if (known != out.end())
            known->second = *value;
        else
            out.emplace_back(path, *value);
    }
}

} // namespace

void readParts(ObjectReader& in, Instance& out, Completeness) {
    if (!in.has("network_card_layout"))
        return;
    out.networkCardGroups.clear();
    for (ObjectReader& group : in.objects("network_card_layout")) {
        readFields(group, fieldsOf<NetworkCardGroup>(), out.networkCardGroups.emplace_back(),
                   Completeness::whole);
        group.finish();
    }
}

void readParts(ObjectReader& in, Architecture& out, Completeness completeness) {
    for (const Group<Architecture>& group : architectureGroups()) {
        if (std::optional<ObjectReader> inner = in.object(group.key)) {
            readFields(*inner, group.fields, out, Completeness::partial);
            inner->finish();
        }
    }
    readShape(in, "mla", out.mla, completeness);
    readShape(in, "moe", out.moe, completeness);
    readShape(in, "sparse_indexer", out.sparseIndexer, completeness);
    readShape(in, "mamba2", out.mamba2, completeness);
    readShape(in, "gated_deltanet", out.gatedDeltaNet, completeness);
}

void readParts(ObjectReader& in, Framework& out, Completeness) {
    readTexts(in, "defaults", out.defaults);
    readTexts(in, "moe_defaults", out.moeDefaults);
    readTexts(in, "quantized_defaults", out.quantizedDefaults);
    readTexts(in, "small_gpu_defaults", out.smallGpuDefaults);
    readTexts(in, "overlapped", out.overlapped);
}

void writeParts(Json& out, const Instance& entry) {
    for (const NetworkCardGroup& group : entry.networkCardGroups)
        writeFields(out["network_card_layout"].emplace_back(Json::object()), fieldsOf<NetworkCardGroup>(),
                    group);
}

void writeParts(Json& out, const Architecture& entry) {
    for (const Group<Architecture>& group : architectureGroups()) {
        Json inner = Json::object();
        writeFields(inner, group.fields, entry);
        if (!inner.empty())
            out[group.key] = std::move(inner);
    }
    writeShape(out, "mla", entry.mla);
    writeShape(out, "moe", entry.moe);
    writeShape(out, "sparse_indexer", entry.sparseIndexer);
    writeShape(out, "mamba2", entry.mamba2);
    writeShape(out, "gated_deltanet", entry.gatedDeltaNet);
}

void writeParts(Json& out, const Framework& entry) {
    for (const auto& [path, value] : entry.defaults)
        out["defaults"][path] = value;
    for (const auto& [path, value] : entry.moeDefaults)
        out["moe_defaults"][path] = value;
    for (const auto& [path, value] : entry.quantizedDefaults)
        out["quantized_defaults"][path] = value;
    for (const auto& [path, value] : entry.smallGpuDefaults)
        out["small_gpu_defaults"][path] = value;
    for (const auto& [path, value] : entry.overlapped)
        out["overlapped"][path] = value;
}

template <>
std::vector<std::string> partKeys<Instance>() {
    return {"network_card_layout"};
}

template <>
std::vector<std::string> partKeys<Architecture>() {
    return {"bias", "sliding_window", "mla", "moe", "sparse_indexer", "mamba2", "gated_deltanet"};
}

template <>
std::vector<std::string> partKeys<Framework>() {
    return {"defaults", "moe_defaults", "quantized_defaults", "small_gpu_defaults", "overlapped"};
}

} // namespace alidade::data
