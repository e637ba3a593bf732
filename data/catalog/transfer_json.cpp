// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/transfer_json.h"

#include "data/catalog/provenance_json.h"

namespace alidade::data {
namespace {

constexpr NumberRange volume{1, 1e12, "GB"}, rate{0, 100, "$/GB"};

std::vector<TransferTier> readTiers(ObjectReader& in) {
    std::vector<TransferTier> out;
    double before = 0;
    std::vector<ObjectReader> tiers = in.objects("tiers");
    for (std::size_t i = 0; i < tiers.size(); ++i) {
        ObjectReader& each = tiers[i];
        each.require({"usd_per_gb"});
        out.push_back({each.number("up_to_gb", volume), each.number("usd_per_gb", rate).value_or(0)});
        const auto& upTo = out.back().upToGb;
        if (upTo.has_value() != (i + 1 < tiers.size()))
            each.fault("up_to_gb", "every tier but the last one ends; give up_to_gb to all but the last");
        else if (upTo && !(*upTo > before))
            each.fault("up_to_gb", "tiers ascend; enter more than " + numberText(before));
        before = upTo.value_or(before);
        each.finish();
    }
    if (out.empty())
        in.fault("tiers", "there is no tier; enter at least one");
    return out;
}

} // namespace

std::optional<TransferPrices> readTransferPrices(const nlohmann::json& document,
                                                 std::vector<JsonFault>& faults) {
    const std::size_t before = faultCount(faults);
    ObjectReader in(document, {}, faults);
    in.require({"alidade", "kind", "internet"});
    in.integer("alidade", 1, 1);
    in.choice("kind", {std::string(dataTransferKind)});
    if (const auto version = in.text("version"); version && !isDate(*version))
        in.fault("version", "'" + *version + "' is not a date; use the form \"2026-11-20\"");
    in.texts("notes");
    const SourceIndex sources = readSourceIndex(in);
    TransferPrices out;
    if (std::optional<ObjectReader> internet = in.object("internet")) {
        internet->require({"tiers"});
        out.tiers = readTiers(*internet);
        readProvenance(*internet, sources, out.provenance);
        internet->finish();
    }
    in.finish();
    return faultCount(faults) == before ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace alidade::data
