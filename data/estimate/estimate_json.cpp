// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/estimate/estimate_json.h"

#include "data/catalog/custom_values_json.h"
#include "data/estimate/comparison_document.h"
#include "data/json/writer.h"
#include "data/report/differing_fields.h"
#include "data/scenario/scenario_writer.h"
#include "model/estimate/difference.h"
#include "model/estimate/visit.h"
#include "model/units/dimension.h"

namespace alidade::data {

std::string writeEstimate(const Estimate& estimate, std::span<const CustomValue> customValues) {
    ScenarioWriter writer;
    visitEstimate(estimate, writer, [&] { writeCustomValues(writer, customValues); });
    return writer.take();
}

namespace {

void writeDifferences(ScenarioWriter& writer, std::span<const ListedEstimate> estimates) {
    std::vector<const ScenarioSpec*> specs;
    for (const ListedEstimate& each : estimates)
        specs.push_back(&each.estimate->scenario);
    writer.beginArray("differences");
    for (const DifferingField& field : differingFields(specs)) {
        writer.beginObject({});
        writer.text("path", field.field->path);
        writer.beginArray("values");
        for (const std::string& text : field.texts)
            if (text.empty())
                writer.null({});
            else
                writer.text({}, text);
        writer.endArray();
        writer.endObject();
    }
    writer.endArray();
}

/// What each difference in time from the first estimate is made of.
void writeReasons(JsonWriter& writer, std::span<const ListedEstimate> estimates) {
    writer.beginArray("why");
    for (std::size_t i = 1; i < estimates.size(); ++i) {
        const auto difference = differenceOf(*estimates.front().estimate, *estimates[i].estimate);
        if (!difference)
            continue;
        writer.beginObject({});
        writer.integer("estimate", static_cast<std::int64_t>(i));
        writer.text("name", difference->name);
        writer.number("before_s", difference->before);
        writer.number("after_s", difference->after);
        writer.beginArray("parts");
        for (const DifferencePart& part : difference->parts) {
            writer.beginObject({});
            writer.text("bound", boundName(part.bound));
            writer.number("difference_s", part.seconds);
            writer.endObject();
        }
        writer.endArray();
        writer.endObject();
    }
    writer.endArray();
}

} // namespace

std::string writeEstimates(std::span<const ListedEstimate> estimates, bool why,
                           const Comparison* comparison) {
    ScenarioWriter writer;
    writer.beginObject({});
    writer.integer("alidade", 1);
    writer.beginArray("estimates");
    for (const ListedEstimate& each : estimates)
        visitEstimate(*each.estimate, writer, [&] { writeCustomValues(writer, each.customValues); });
    writer.endArray();
    writeDifferences(writer, estimates);
    if (why)
        writeReasons(writer, estimates);
    if (comparison != nullptr)
        writeComparison(writer, *comparison);
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
    ScenarioWriter writer;
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
