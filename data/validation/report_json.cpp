// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/validation/report_json.h"

#include "data/catalog/custom_values_json.h"
#include "data/json/writer.h"

namespace alidade::data {
namespace {

void writeRow(JsonWriter& json, const ValidationRow& row) {
    json.beginObject({});
    json.text("id", row.id);
    json.text("quantity", row.quantity);
    json.number("measured", row.measured);
    json.number("predicted", row.predicted);
    json.number("error", row.error);
    json.number("low", row.low);
    json.number("high", row.high);
    json.number("weight", row.weight);
    json.text("group", row.group);
    json.text("quality", row.quality);
    json.beginArray("assumed");
    for (const std::string& field : row.assumed)
        json.text({}, field);
    json.endArray();
    json.flag("complete", row.complete);
    json.text("kind", rowKindName(row.kind));
    for (const auto& [key, text] : {std::pair<const char*, const std::string*>{"row_kind", &row.rowKind},
                                    {"model", &row.model},
                                    {"family", &row.family},
                                    {"operation", &row.operation},
                                    {"gpu", &row.gpu},
                                    {"precision", &row.precision},
                                    {"framework", &row.framework},
                                    {"release", &row.release}}) {
        if (!text->empty())
            json.text(key, *text);
    }
    json.integer("gpus", row.gpus);
    json.beginObject("source");
    json.text("title", row.sourceTitle);
    json.text("locator", row.sourceLocator);
    json.text("table", row.sourceTable);
    json.text("row", row.sourceRow);
    json.text("date", row.sourceDate);
    json.endObject();
    json.endObject();
}

void writeSummary(JsonWriter& json, const ValidationSummary& summary) {
    json.beginObject({});
    json.text("group", summary.group);
    json.text("quantity", summary.quantity);
    json.integer("n", summary.n);
    json.integer("groups", summary.groups);
    json.number("median_abs_error", summary.medianAbsError);
    json.number("mean_abs_error", summary.meanAbsError);
    json.number("p90_abs_error", summary.p90AbsError);
    json.number("bias", summary.bias);
    json.number("within_10", summary.within10);
    json.number("within_20", summary.within20);
    json.number("band_coverage", summary.bandCoverage);
    json.number("band_half_width", summary.bandHalfWidth);
    if (summary.leaveOneOut) {
        json.beginObject("leave_one_out");
        json.text("by", summary.leaveOneOut->by);
        json.number("median_abs_error", summary.leaveOneOut->medianAbsError);
        json.number("mean_abs_error", summary.leaveOneOut->meanAbsError);
        json.number("band_coverage", summary.leaveOneOut->bandCoverage);
        json.endObject();
    } else {
        json.null("leave_one_out");
    }
    json.endObject();
}

} // namespace

std::string writeValidation(const ValidationReport& report, std::span<const CustomValue> customValues) {
    JsonWriter json;
    json.beginObject({});
    json.beginArray("rows");
    for (const ValidationRow& row : report.rows)
        writeRow(json, row);
    json.endArray();
    json.beginArray("memory_outcomes");
    for (const MemoryOutcome& outcome : report.memoryOutcomes) {
        json.beginObject({});
        json.text("id", outcome.id);
        json.text("outcome", outcome.outcome);
        json.flag("fits", outcome.fits);
        json.number("out_of_memory_probability", outcome.outOfMemoryProbability);
        json.endObject();
    }
    json.endArray();
    json.beginArray("summary");
    for (const ValidationSummary& summary : report.summary)
        writeSummary(json, summary);
    json.endArray();
    json.beginArray("skipped");
    for (const SkippedRow& row : report.skipped) {
        json.beginObject({});
        json.text("id", row.id);
        json.text("why", row.why);
        json.endObject();
    }
    json.endArray();
    if (!report.regret.empty()) {
        json.beginArray("regret");
        for (const RegretSummary& each : report.regret) {
            json.beginObject({});
            json.text("group", each.group);
            json.integer("choices", each.choices);
            json.number("mean_regret", each.mean);
            json.number("worst_regret", each.worst);
            json.text("worst_choice", each.worstChoice);
            json.integer("pairs", each.pairs);
            json.number("pairs_ordered", each.ordered);
            json.beginArray("misordered");
            for (const MisorderedPair& pair : each.misordered) {
                json.beginObject({});
                json.text("faster", pair.faster);
                json.text("slower", pair.slower);
                json.number("measured_ratio", pair.measuredRatio);
                json.number("predicted_ratio", pair.predictedRatio);
                json.endObject();
            }
            json.endArray();
            json.endObject();
        }
        json.endArray();
    }
    writeCustomValues(json, customValues);
    json.endObject();
    return json.take();
}

} // namespace alidade::data
