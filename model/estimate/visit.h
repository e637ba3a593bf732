// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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
        for (const auto& [path, value] : problem.fix->set) {
            v.text(path, value);
        }
        v.endObject();
        v.endObject();
    } else {
        v.null("fix");
    }
    v.endObject();
}

template <class N, class V>
void visitHeadline(const HeadlineT<N>& headline, V& v) {
    const Dimension dimension = headline.unit == "tokens/s" ? Dimension::tokensPerSecond
                                : headline.unit == "s"      ? Dimension::seconds
                                                            : Dimension::number;
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

template <class N, class V>
void visitMemoryParts(const std::vector<MemoryPartT<N>>& parts, V& v) {
    v.beginArray("parts");
    for (const MemoryPartT<N>& part : parts) {
        v.beginObject({});
        v.text("name", part.name);
        v.number("bytes", part.bytes, Dimension::bytes, "memory of this part on one GPU at the peak");
        v.endObject();
    }
    v.endArray();
}

template <class N, class V>
void visitMemory(const MemoryT<N>& memory, V& v) {
    constexpr Dimension bytes = Dimension::bytes;
    v.beginObject("memory");
    v.number("capacity_bytes", memory.capacityBytes, bytes,
             "accelerator memory of the instance / accelerators");
    v.number("nominal_bytes", memory.nominalBytes, bytes, "the GPU's nominal memory");
    v.number("reserve_bytes", memory.reserveBytes, bytes, "memory kept free");
    v.number("total_bytes", memory.totalBytes, bytes, "peak of one GPU of the worst stage");
    v.number("headroom_bytes", memory.headroomBytes, bytes, "capacity - reserve - total");
    v.number("low_bytes", memory.lowBytes, bytes, "10 % quantile of the total");
    v.number("high_bytes", memory.highBytes, bytes, "90 % quantile of the total");
    v.integer("worst_stage", memory.worstStage, "pipeline stage that needs most memory, counted from 0");
    visitMemoryParts(memory.parts, v);
    v.beginArray("stages");
    for (const StageMemoryT<N>& stage : memory.stages) {
        v.beginObject({});
        v.integer("stage", stage.stage, "pipeline stage, counted from 0");
        v.number("total_bytes", stage.totalBytes, bytes, "peak of one GPU of this stage");
        visitMemoryParts(stage.parts, v);
        v.endObject();
    }
    v.endArray();
    v.endObject();
}

template <class N, class V>
void visitCost(const CostT<N>& cost, V& v) {
    const auto optional = [&v](std::string_view key, const std::optional<N>& value, Dimension dimension,
                               std::string_view meaning) {
        if (value) {
            v.number(key, *value, dimension, meaning);
        }
    };
    constexpr Dimension dollars = Dimension::dollars;
    v.beginObject("cost");
    v.number("dollars_per_hour", cost.dollarsPerHour, Dimension::dollarsPerHour, "rent of the whole cluster");
    optional("dollars_per_run", cost.dollarsPerRun, dollars, "rent for the time of the whole run");
    optional("dollars_per_million_tokens", cost.dollarsPerMillionTokens, dollars,
             "rent for a million tokens");
    // A GPU's share of a kilowatt-hour is no SI figure: the unit is in the key.
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
    v.text("price_date", cost.priceDate);
    v.text("price_source", cost.priceSource);
    v.text("region", cost.region);
    v.text("purchase", cost.purchase);
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

/// Shows the whole document to a visitor, in its order.
template <class N, class V>
void visitEstimate(const EstimateT<N>& estimate, V&& v) {
    v.beginObject({});
    v.integer("alidade", 1, "version of the document's format");
    v.beginObject("scenario"); // a scenario file again
    v.integer("alidade", 1, "version of the scenario's format");
    visitScenario(estimate.scenario, v);
    v.endObject();
    v.flag("runs", estimate.runs);
    v.flag("fits", estimate.fits);
    v.beginArray("problems");
    for (const Problem& problem : estimate.problems) {
        visitProblem(problem, v);
    }
    v.endArray();
    if (estimate.headline) {
        visitHeadline(*estimate.headline, v);
    } else {
        v.null("headline");
    }
    // The section of the other kind of workload is not applicable, and therefore absent.
    if (estimate.training) {
        visitTraining(*estimate.training, v);
    } else {
        v.null(estimate.scenario.workload.kind == "serving" ? "serving" : "training");
    }
    if (estimate.memory) {
        visitMemory(*estimate.memory, v);
    } else {
        v.null("memory");
    }
    if (estimate.cost) {
        visitCost(*estimate.cost, v);
    } else {
        v.null("cost");
    }
    visitAssumptions(estimate.assumptions, v);
    v.integer("gpus", estimate.gpus, "GPUs that the plan uses");
    v.text("catalog_version", estimate.catalogVersion);
    v.endObject();
}

} // namespace alidade
