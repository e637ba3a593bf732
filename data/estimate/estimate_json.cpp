// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/estimate/estimate_json.h"

#include "data/json/writer.h"
#include "model/estimate/visit.h"
#include "model/units/dimension.h"

namespace alidade::data {

std::string writeEstimate(const Estimate& estimate) {
    JsonWriter writer;
    visitEstimate(estimate, writer);
    return writer.take();
}

std::string writeEstimates(std::span<const Estimate* const> estimates) {
    JsonWriter writer;
    writer.beginObject({});
    writer.integer("alidade", 1);
    writer.beginArray("estimates");
    for (const Estimate* each : estimates) {
        visitEstimate(*each, writer);
    }
    writer.endArray();
    writer.endObject();
    return writer.take();
}

namespace {

void writeTerms(JsonWriter& writer, std::string_view key, const std::vector<ExplainedTerm>& terms) {
    writer.beginArray(key);
    for (const ExplainedTerm& term : terms) {
        writer.beginObject({});
        writer.text("name", term.name);
        writer.number("value", term.value);
        writer.text("unit", baseUnitName(term.dimension));
        writer.text("source", term.source);
        writer.text("kind", sourceKindName(term.kind));
        writer.endObject();
    }
    writer.endArray();
}

} // namespace

std::string writeExplanation(const Explanation& explanation) {
    JsonWriter writer;
    writer.beginObject({});
    writer.text("path", explanation.path);
    writer.number("value", explanation.value);
    writer.text("unit", baseUnitName(explanation.dimension));
    writer.text("name", explanation.name);
    writer.text("source", explanation.source);
    writer.text("formula", explanation.formula);
    writeTerms(writer, "terms", explanation.terms);
    writeTerms(writer, "inputs", explanation.inputs);
    writer.endObject();
    return writer.take();
}

} // namespace alidade::data
