// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/run_cost.h"
#include "model/estimate/visit_memory.h"
#include "model/estimate/visit_reinforcement.h"
#include "model/estimate/visit_run.h"
#include "model/estimate/visit_serving.h"
#include "model/estimate/visit_training.h"
#include "model/scenario/visit.h"

#include <string>
#include <string_view>

namespace alidade {

// The documented form of an Estimate, once: which keys, in which order, what each number measures and means.
// The JSON writer and the look-up of a figure by its path are visitors. A visitor has these calls; the key is
// empty for an element of an array:
//     beginObject(key)  endObject()  beginArray(key)  endArray()
//     number(key, const N& value, Dimension, meaning)      computed by the model
//     constant(key, double value, Dimension, meaning)      a number that is not computed: of the scenario, a
//     time integer(key, std::int64_t value, meaning)            a count or an index text(key, value)
//     flag(key, bool)  null(key)         null: unknown architecture(key, const Architecture&) written out in
//     the scenario

/// The words of the documented JSON.
constexpr std::string_view severityName(Severity severity) {
    switch (severity) {
    case Severity::error:
        return "error";
    case Severity::warning:
        return "warning";
    case Severity::info:
        return "info";
    }
    return {};
}
constexpr std::string_view sourceKindName(SourceKind kind) {
    switch (kind) {
    case SourceKind::catalog:
        return "catalog";
    case SourceKind::fitted:
        return "fitted";
    case SourceKind::assumed:
        return "assumed";
    case SourceKind::user:
        return "user";
    case SourceKind::derived:
        return "derived";
    }
    return {};
}

template <class V>
void visitProblem(const Problem& problem, V& v) {
    v.beginObject({});
    v.text("severity", severityName(problem.severity));
    v.text("place", problem.place);
    v.text("message", problem.message);
    if (problem.fix) {
        v.beginObject("fix");
        v.text("text", problem.fix->text);
        v.beginObject("set");
        for (const auto& [path, value] : problem.fix->set)
            v.text(path, value);
        v.endObject();
        v.endObject();
    } else {
        v.null("fix");
    }
    v.endObject();
}

template <class N, class V>
void visitHeadline(const HeadlineT<N>& headline, V& v) {
    const Dimension dimension = headline.dimension();
    v.beginObject("headline");
    v.text("name", headline.name);
    v.number("value", headline.value, dimension, "the figure that sums the scenario up");
    v.text("unit", headline.unit);
    v.number("low", headline.low, dimension, "10 % quantile of the predictive error");
    v.number("high", headline.high, dimension, "90 % quantile of the predictive error");
    v.text("bottleneck", boundName(headline.bottleneck));
    v.number("bottleneck_share", headline.bottleneckShare, Dimension::ratio,
             "share of the step that the bottleneck takes");
    v.endObject();
}

/// The order of a cost: amounts in whole cents, so that lines and months add up to the totals exactly.
template <class N, class V>
void visitOrder(const CostT<N>& cost, V& v) {
    const Order& order = *cost.order;
    const N& like = cost.dollarsPerHour;
    const auto number = [&](std::string_view key, double value, Dimension dimension, const char* meaning) {
        v.number(key, derivedLeaf(like, value, "order", dimension, "as sold, to the cent"), dimension,
                 meaning);
    };
    const auto cents = [&](std::string_view key, Cents value, const char* meaning) {
        number(key, dollarsOf(value), Dimension::dollars, meaning);
    };
    v.beginArray("months");
    for (const OrderMonth& month : order.months) {
        v.beginObject({});
        v.text("month", month.name);
        cents("dollars", month.paid, "paid in this month");
        v.endObject();
    }
    v.endArray();
    v.beginObject("order");
    v.beginArray("lines");
    for (const OrderLine& line : order.lines) {
        v.beginObject({});
        v.text("name", line.text);
        number("quantity", static_cast<double>(line.quantity) / 1e3, Dimension::number, "how many units");
        v.text("unit", line.unit);
        if (line.price != 0) {
            number("dollars_per_unit", static_cast<double>(line.price) / 1e9, Dimension::dollars,
                   "price of one unit");
        }
        cents("dollars", line.amount, "quantity x price, rounded once to the cent");
        if (!line.from.empty()) {
            v.text("from", line.from);
            v.text("to", line.to);
        }
        v.endObject();
    }
    v.endArray();
    if (cost.dollarsPerRun) {
        v.number("before_tax_dollars", orderTotal(*cost.dollarsPerRun, order), Dimension::dollars,
                 "sum of the lines before tax");
    } else {
        cents("before_tax_dollars", order.beforeTax, "sum of the lines before tax");
    }
    if (cost.orderBand) {
        cents("low_before_tax_dollars", cost.orderBand->low, "at the 10 % quantile of the time");
        cents("high_before_tax_dollars", cost.orderBand->high, "at the 90 % quantile of the time");
    }
    cents("total_dollars", order.total, "sum of the lines");
    number("booked_hours", static_cast<double>(order.bookedHours) / 1e3, Dimension::number,
           "machine-hours that are paid");
    number("idle_hours", static_cast<double>(order.idleHours) / 1e3, Dimension::number,
           "machine-hours that are paid and not used");
    if (!order.end.empty())
        v.text("end", order.end);
    v.beginArray("remarks");
    for (const std::string& remark : order.remarks)
        v.text({}, remark);
    v.endArray();
    v.endObject();
}

template <class N, class V>
void visitCost(const CostT<N>& cost, V& v) {
    const auto optional = [&v](std::string_view key, const std::optional<N>& value, Dimension dimension,
                               std::string_view meaning) {
        if (value)
            v.number(key, *value, dimension, meaning);
    };
    constexpr Dimension dollars = Dimension::dollars;
    v.beginObject("cost");
    v.number("dollars_per_hour", cost.dollarsPerHour, Dimension::dollarsPerHour, "rent of the whole cluster");
    optional("dollars_per_run", cost.dollarsPerRun, dollars,
             "rent of the machines for the time of the whole run");
    optional("dollars_per_million_tokens", cost.dollarsPerMillionTokens, dollars,
             "rent for a million tokens (serving: input and output together)");
    optional("dollars_per_million_input_tokens", cost.dollarsPerMillionInputTokens, dollars,
             "rent of the prefill share for a million input tokens");
    optional("dollars_per_million_output_tokens", cost.dollarsPerMillionOutputTokens, dollars,
             "rent of the decode share for a million output tokens");
    // A GPU's share of a kilowatt-hour is not an SI figure: the unit is in the key.
    optional("energy_kwh", cost.energyKwh, Dimension::number, "energy of the whole run, kWh");
    v.beginArray("lines");
    for (const CostLineT<N>& line : cost.lines) {
        v.beginObject({});
        v.text("name", line.name);
        v.number("quantity", line.quantity, Dimension::number, "how many units");
        v.text("unit", line.unit);
        v.number("dollars_per_unit", line.dollarsPerUnit, dollars, "price of one unit");
        v.number("dollars", line.dollars, dollars, "quantity x price of one unit");
        v.endObject();
    }
    v.endArray();
    if (cost.order)
        visitOrder(cost, v);
    v.text("price_date", cost.priceDate);
    if (!cost.priceValidUntil.empty())
        v.text("price_valid_until", cost.priceValidUntil);
    v.text("price_source", cost.priceSource);
    v.text("region", cost.region);
    v.text("purchase", cost.purchase);
    if (cost.base) {
        v.beginObject("base");
        v.integer("items", cost.base->items, "instances or UltraServers that are bought in another way");
        v.integer("rest_items", cost.base->rest, "those that are bought as `purchase` above says");
        v.text("purchase", cost.base->purchase);
        if (!cost.base->commitment.empty())
            v.text("commitment", cost.base->commitment);
        v.endObject();
    }
    v.endObject();
}

template <class N, class V>
void visitAssumptions(const std::vector<AssumptionT<N>>& assumptions, V& v) {
    v.beginArray("assumptions");
    for (const AssumptionT<N>& each : assumptions) {
        v.beginObject({});
        v.text("name", each.name);
        v.text("label", each.label);
        v.number("value", each.value, each.dimension, "a value that the answer rests on");
        v.text("unit", each.unit);
        v.text("source", each.source);
        v.text("kind", sourceKindName(each.kind));
        v.endObject();
    }
    v.endArray();
}

template <class V>
void visitPlacement(const PlacementFacts& facts, V& v) {
    v.beginObject("topology");
    v.text("source", facts.source);
    v.integer("network_layers", facts.networkLayers, "layers of network nodes above the hosts");
    v.integer("hosts", facts.hosts, "machines of the fabric");
    v.integer("hosts_in_use", facts.hostsInUse, "machines with ranks on them");
    v.integer("spare_hosts", facts.spareHosts, "machines of this type without ranks");
    v.integer("excluded_hosts", facts.excludedHosts, "machines that the scenario leaves out");
    v.integer("leaves_in_use", facts.leavesInUse, "lowest network nodes with ranks below them");
    v.integer("nvlink_domain", facts.nvlinkDomain, "GPUs of the largest NVLink domain");
    v.constant("oversubscription", facts.oversubscription, Dimension::number,
               "bandwidth below a network node / bandwidth above it");
    v.beginArray("groups");
    for (const PlacedGroupFacts& group : facts.groups) {
        v.beginObject({});
        v.text("group", group.group);
        v.integer("ranks", group.ranks, "members of a group");
        v.integer("ranks_per_nvlink_domain", group.ranksPerNvlinkDomain,
                  "members that share a domain's network cards; of the worst group");
        v.integer("nvlink_domains", group.nvlinkDomains, "domains that the worst group spreads over");
        v.integer("groups", group.groups, "groups of this kind; counted if some straddle domains");
        v.integer("straddling_groups", group.straddling,
                  "groups that spread over several NVLink domains though one could hold them");
        v.constant("further_switches", group.furtherSwitches, Dimension::number,
                   "between neighbors, beyond what the machine's own fabric would have");
        v.constant("crowding", group.crowding, Dimension::number,
                   "what the network can carry / what oversubscribed switches leave of it");
        v.endObject();
    }
    v.endArray();
    v.endObject();
}

/// Shows the whole document to a visitor, in its order.
/// \param more called at its end, for what is said of an estimate besides
template <class N, class V, class More>
void visitEstimate(const EstimateT<N>& estimate, V&& v, More&& more) {
    v.beginObject({});
    v.integer("alidade", 1, "version of the document's format");
    v.beginObject("scenario"); // a scenario file again
    v.integer("alidade", 1, "version of the scenario's format");
    visitScenario(estimate.scenario, v);
    v.endObject();
    v.flag("runs", estimate.runs);
    v.flag("fits", estimate.fits);
    v.beginArray("problems");
    for (const Problem& problem : estimate.problems)
        visitProblem(problem, v);
    v.endArray();
    if (estimate.headline)
        visitHeadline(*estimate.headline, v);
    else
        v.null("headline");
    // The section of the other kind of workload is not applicable, and therefore absent.
    if (estimate.training)
        visitTraining(*estimate.training, v);
    else if (estimate.serving)
        visitServing(*estimate.serving, v);
    else if (estimate.reinforcement)
        visitReinforcement(*estimate.reinforcement, v);
    else
        v.null(wordOf(estimate.scenario.workload.kind.value_or(WorkloadKind::training)));
    if (estimate.run && estimate.training)
        visitRun(*estimate.run, *estimate.training, v);
    if (estimate.memory)
        visitMemory(*estimate.memory, v);
    else
        v.null("memory");
    if (estimate.cost)
        visitCost(*estimate.cost, v);
    else
        v.null("cost");
    if (estimate.topology)
        visitPlacement(*estimate.topology, v);
    visitAssumptions(estimate.assumptions, v);
    v.integer("gpus", estimate.gpus, "GPUs that the plan uses");
    v.text("catalog_version", estimate.catalogVersion);
    more();
    v.endObject();
}

template <class N, class V>
void visitEstimate(const EstimateT<N>& estimate, V&& v) {
    visitEstimate(estimate, v, [] {});
}

} // namespace alidade
