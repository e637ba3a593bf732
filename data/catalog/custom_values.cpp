// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/custom_values.h"

#include "data/catalog/catalog_keys.h"
#include "data/catalog/entries.h"
#include "data/catalog/entry_json.h"
#include "data/catalog/values.h"
#include "model/scenario/charged_price.h"

#include <algorithm>
#include <array>
#include <set>

namespace alidade::data {
namespace {

constexpr std::array comparedKinds{CatalogKind::gpus,   CatalogKind::instances,  CatalogKind::ultraservers,
                                   CatalogKind::efa,    CatalogKind::storage,    CatalogKind::prices,
                                   CatalogKind::models, CatalogKind::frameworks, CatalogKind::engines};
constexpr std::string_view rateKey = "usd_per_hour";

/// Returns the singular name of a kind: "price" for prices.
std::string_view oneOf(CatalogKind kind) {
    switch (kind) {
    case CatalogKind::gpus:
        return "GPU";
    case CatalogKind::instances:
        return "instance type";
    case CatalogKind::ultraservers:
        return "UltraServer";
    case CatalogKind::efa:
        return "EFA generation";
    case CatalogKind::storage:
        return "storage tier";
    case CatalogKind::prices:
        return "price";
    case CatalogKind::models:
        return "model";
    case CatalogKind::frameworks:
        return "framework";
    case CatalogKind::engines:
        return "engine";
    case CatalogKind::scenarios:
        break;
    }
    return "entry";
}

CustomValue wholeCustomEntry(CatalogKind kind, const std::string& id, bool added) {
    return {.kind = kind,
            .entry = id,
            .key = {},
            .label = std::string(oneOf(kind)),
            .value = added ? "added" : "removed",
            .shipped = added ? "none" : "shipped",
            .number = {},
            .shippedNumber = {},
            .date = {},
            .source = {}};
}

std::optional<double> numberIn(const nlohmann::ordered_json& json) {
    return json.is_number() ? std::optional(json.get<double>()) : std::nullopt;
}

std::string textWithUnit(const EntryValue& value) {
    std::string text = value.value.is_array() && value.key == "network_card_layout" ? cardsShown(value.value)
                                                                                    : shownText(value.value);
    if (text.empty())
        return "unknown";
    const std::string unit = value.unit == nullptr ? std::string() : value.unit;
    return value.value.is_number() && !unit.empty() ? text + ' ' + unit : text;
}

void cite(CustomValue& out, const Provenance& provenance, std::string_view key) {
    if (const Source* source = sourceOf(provenance, key)) {
        out.date = source->date;
        out.source = source->title;
    }
}

/// Appends the differences between two entries of one id.
template <class T>
void compareEntries(std::vector<CustomValue>& out, CatalogKind kind, const T& mine, const T& shipped) {
    const std::vector<EntryValue> values = valuesOf(mine), before = valuesOf(shipped);
    std::vector<CustomValue> found;
    const auto differ = [&](const EntryValue& here, const EntryValue* now, const EntryValue* then) {
        CustomValue each{.kind = kind,
                         .entry = mine.id,
                         .key = here.key,
                         .label = here.label,
                         .value = now != nullptr ? textWithUnit(*now) : "unknown",
                         .shipped = then != nullptr ? textWithUnit(*then) : "unknown",
                         .number = now != nullptr ? numberIn(now->value) : std::nullopt,
                         .shippedNumber = then != nullptr ? numberIn(then->value) : std::nullopt,
                         .date = {},
                         .source = {}};
        cite(each, mine.provenance, here.sourceKey);
        found.push_back(std::move(each));
    };
    for (const EntryValue& now : values) {
        const auto then = std::ranges::find(before, now.key, &EntryValue::key);
        const bool same = then != before.end() && canonicalText(then->value) == canonicalText(now.value);
        if (!same)
            differ(now, &now, then == before.end() ? nullptr : &*then);
    }
    for (const EntryValue& then : before)
        if (std::ranges::find(values, then.key, &EntryValue::key) == values.end() &&
            canonicalText(then.value) != "null")
            differ(then, nullptr, &then);
    const bool ownRate = std::ranges::find(found, rateKey, &CustomValue::key) != found.end();
    if (kind == CatalogKind::prices && ownRate) // the date belongs to the rate
        std::erase_if(found, [](const CustomValue& each) { return each.key == "date"; });
    std::ranges::move(found, std::back_inserter(out));
}

template <class T>
void compareLists(std::vector<CustomValue>& out, CatalogKind kind, const std::vector<T>& mine,
                  const std::vector<T>& shipped) {
    for (const T& entry : mine) {
        if (!entry.provenance.user)
            continue;
        const auto known = std::ranges::find(shipped, entry.id, &T::id);
        if (known != shipped.end()) {
            compareEntries(out, kind, entry, *known);
            continue;
        }
        CustomValue added = wholeCustomEntry(kind, entry.id, true);
        if (!entry.provenance.sources.empty()) { // the last one names who added it
            added.date = entry.provenance.sources.back().date;
            added.source = entry.provenance.sources.back().title;
        }
        out.push_back(std::move(added));
    }
    if (mine.size() == shipped.size() && std::ranges::equal(mine, shipped, {}, &T::id, &T::id))
        return;
    for (const T& entry : shipped)
        if (std::ranges::find(mine, entry.id, &T::id) == mine.end())
            out.push_back(wholeCustomEntry(kind, entry.id, false));
}

/// The ids of the entries that a scenario uses, by kind.
class EntriesInUse {
public:
    EntriesInUse(const ScenarioSpec& spec, const Catalog& catalog)
        : spec_(spec)
        , catalog_(catalog) {
        note(CatalogKind::models, spec.workload.model);
        note(CatalogKind::frameworks, spec.plan.framework);
        note(CatalogKind::engines, spec.plan.engine);
        note(CatalogKind::gpus, spec.cluster.custom.gpu);
        noteMachine(spec.cluster.instance);
        noteMachine(spec.plan.disaggregated.prefill.instance);
        noteMachine(spec.plan.disaggregated.decode.instance);
        if (spec.cluster.ultraserver) {
            note(CatalogKind::ultraservers, spec.cluster.ultraserver);
            if (const UltraServer* ultra = catalog.ultraserver(*spec.cluster.ultraserver)) {
                noteMachine(ultra->instance);
                note(CatalogKind::gpus, ultra->gpu);
            }
        }
    }

    bool has(const CustomValue& value) const {
        if (value.kind == CatalogKind::prices)
            return isItsPrice(value.entry);
        return ids_.contains({value.kind, value.entry});
    }

private:
    void note(CatalogKind kind, const std::optional<std::string>& id) {
        if (id && !id->empty())
            ids_.insert({kind, *id});
    }

    void noteMachine(const std::optional<std::string>& id) {
        note(CatalogKind::instances, id);
        const Instance* instance = id ? catalog_.instance(*id) : nullptr;
        if (instance == nullptr)
            return;
        note(CatalogKind::gpus, instance->gpu);
        if (instance->efaGeneration) {
            if (const EfaGeneration* efa = catalog_.efaGeneration(*instance->efaGeneration))
                note(CatalogKind::efa, efa->id);
        }
    }

    bool rents(const std::string& item) const {
        return ids_.contains({CatalogKind::instances, item}) ||
               ids_.contains({CatalogKind::ultraservers, item});
    }

    bool isItsPrice(const std::string& id) const {
        const auto found = std::ranges::find(catalog_.prices, id, &Price::id);
        if (found == catalog_.prices.end()) // a removed price affects every scenario with its machine
            return rents(id.substr(0, id.find('/')));
        return rents(found->item) && isPriceOf(*found, spec_);
    }

    const ScenarioSpec& spec_;
    const Catalog& catalog_;
    std::set<std::pair<CatalogKind, std::string>> ids_;
};

} // namespace

std::vector<CustomValue> customValues(const Catalog& shipped, const Catalog& effective) {
    std::vector<CustomValue> out;
    if (&shipped == &effective)
        return out;
    for (const CatalogKind kind : comparedKinds) {
        withEntries(effective, kind, [&](const auto& mine) {
            withEntries(shipped, kind, [&](const auto& theirs) {
                if constexpr (std::is_same_v<decltype(mine), decltype(theirs)>)
                    compareLists(out, kind, mine, theirs);
            });
        });
    }
    return out;
}

std::vector<CustomValue> customValuesUsed(std::span<const CustomValue> all, const ScenarioSpec& filled,
                                          const Catalog& effective) {
    std::vector<CustomValue> out;
    if (all.empty())
        return out;
    const EntriesInUse used(filled, effective);
    std::ranges::copy_if(all, std::back_inserter(out),
                         [&](const CustomValue& value) { return used.has(value); });
    for (CustomValue& value : out) {
        const auto price = value.kind == CatalogKind::prices
                               ? std::ranges::find(effective.prices, value.entry, &Price::id)
                               : effective.prices.end();
        if (price == effective.prices.end())
            continue;
        value.ofRest = isPriceOfPart(*price, filled, OrderPart::rest);
        value.ofBase = isPriceOfPart(*price, filled, OrderPart::base);
    }
    return out;
}

CustomRates customRates(std::span<const CustomValue> values) {
    const auto rateOf = [values](bool CustomValue::* isOfPart) {
        const auto found = std::ranges::find_if(values, [isOfPart](const CustomValue& value) {
            return value.*isOfPart && (value.key == rateKey || value.value == "added");
        });
        return found == values.end() ? nullptr : &*found;
    };
    return {.rest = rateOf(&CustomValue::ofRest), .base = rateOf(&CustomValue::ofBase)};
}

std::string customValuesPhrase(std::size_t count) {
    if (count == 0)
        return {};
    return count == 1 ? "with 1 custom value" : "with " + std::to_string(count) + " custom values";
}

std::string describe(const CustomValue& value) {
    if (value.key.empty())
        return value.value + " " + value.label + " " + value.entry;
    return value.label + " of " + value.entry + ": " + value.value + " instead of " + value.shipped;
}

} // namespace alidade::data
