// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/values.h"

namespace alidade::data {
namespace {

template <class Shape>
void appendShape(std::vector<EntryValue>& out, const char* key, const std::optional<Shape>& shape) {
    const std::size_t first = out.size();
    appendFields(out, key, fieldsOf<Shape>(), shape.value_or(Shape{}));
    for (std::size_t i = first; !shape && i < out.size(); ++i)
        out[i].value = nlohmann::ordered_json(nlohmann::ordered_json::value_t::discarded);
}

std::string cardsText(const NetworkCardGroup& group) {
    std::string text = std::to_string(group.cards);
    if (group.peakPerDirection)
        text += " x " + numberText(group.peakPerDirection->si() * 8 / 1e9) + " Gbit/s";
    if (!group.role.empty())
        text += " (" + group.role + ")";
    return text;
}

} // namespace

void appendParts(std::vector<EntryValue>& out, const Instance& entry) {
    nlohmann::ordered_json cards(nlohmann::ordered_json::value_t::discarded);
    for (const NetworkCardGroup& group : entry.networkCardGroups) {
        if (cards.is_discarded())
            cards = nlohmann::ordered_json::array();
        cards.push_back(cardsText(group));
    }
    out.push_back(
        {"network_card_layout", "Network card layout", "", "network_card_layout", std::move(cards)});
}

void appendParts(std::vector<EntryValue>& out, const Architecture& entry) {
    for (const Group<Architecture>& group : architectureGroups())
        appendFields(out, group.key, group.fields, entry);
    appendShape(out, "mla", entry.mla);
    appendShape(out, "moe", entry.moe);
    appendShape(out, "sparse_indexer", entry.sparseIndexer);
    appendShape(out, "mamba2", entry.mamba2);
    appendShape(out, "gated_deltanet", entry.gatedDeltaNet);
}

void appendParts(std::vector<EntryValue>& out, const Framework& entry) {
    for (const auto& [path, value] : entry.defaults)
        out.push_back({"defaults." + path, "Default", "", "defaults", value});
    for (const auto& [path, value] : entry.moeDefaults)
        out.push_back({"moe_defaults." + path, "Default with experts", "", "moe_defaults", value});
    for (const auto& [path, value] : entry.quantizedDefaults)
        out.push_back({"quantized_defaults." + path, "Default with quantized weights", "",
                       "quantized_defaults", value});
    for (const auto& [path, value] : entry.smallGpuDefaults)
        out.push_back({"small_gpu_defaults." + path, "Default on Ampere and below 70 GiB", "",
                       "small_gpu_defaults", value});
    for (const auto& [path, value] : entry.overlapped)
        out.push_back({"overlapped." + path, "Overlapped", "", "overlapped", value});
}

std::string cardsShown(const nlohmann::ordered_json& cards) {
    std::string text;
    std::vector<JsonFault> faults;
    for (const nlohmann::ordered_json& card : cards) {
        NetworkCardGroup group;
        const nlohmann::json plain = card;
        ObjectReader in(plain, {}, faults);
        readFields(in, fieldsOf<NetworkCardGroup>(), group, Completeness::partial);
        text += (text.empty() ? "" : ", ") + cardsText(group);
    }
    return text;
}

std::string shownText(const nlohmann::ordered_json& value) {
    if (value.is_discarded() || value.is_null())
        return {};
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_boolean())
        return value.get<bool>() ? "yes" : "no";
    if (value.is_number_integer())
        return std::to_string(value.get<std::int64_t>());
    if (value.is_number())
        return numberText(value.get<double>());
    std::string text;
    for (const nlohmann::ordered_json& item : value)
        text += (text.empty() ? "" : ", ") + shownText(item);
    return text;
}

} // namespace alidade::data
