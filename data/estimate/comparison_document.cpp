// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/estimate/comparison_document.h"

#include <optional>
#include <string_view>
#include <vector>

namespace alidade::data {

namespace {

void writeNumbers(JsonWriter& writer, std::string_view key,
                  const std::vector<std::optional<double>>& values) {
    writer.beginArray(key);
    for (const auto& value : values)
        if (value)
            writer.number({}, *value);
        else
            writer.null({});
    writer.endArray();
}

void writeFigure(JsonWriter& writer, const FigureRow& row) {
    writer.beginObject({});
    writer.text("path", row.figure->path);
    if (row.best)
        writer.integer("best", static_cast<std::int64_t>(*row.best));
    else
        writer.null("best");
    writeNumbers(writer, "values", row.values);
    writer.beginArray("changes");
    for (const auto& change : row.changes) {
        if (!change) {
            writer.null({});
            continue;
        }
        writer.beginObject({});
        writer.number("ratio", change->ratio());
        writer.number("log_sd", change->logSd);
        writer.flag("certain", change->certain);
        writer.endObject();
    }
    writer.endArray();
    writer.endObject();
}

void writeReasons(JsonWriter& writer, const Reasons& reasons) {
    writer.beginObject({});
    writer.text("name", reasons.name);
    writer.text("unit", reasons.dimension == Dimension::ratio ? "ratio" : "s");
    writer.beginArray("parts");
    for (const ReasonRow& row : reasons.rows) {
        writer.beginObject({});
        writer.text("name", row.name);
        writeNumbers(writer, "amounts", row.amounts);
        writer.endObject();
    }
    writer.endArray();
    writeNumbers(writer, "totals", reasons.totals);
    writer.endObject();
}

} // namespace

void writeComparison(JsonWriter& writer, const Comparison& comparison) {
    writer.beginObject("comparison");
    writer.integer("baseline", static_cast<std::int64_t>(comparison.baseline));
    writer.text("sentence", comparison.sentence);
    writer.text("detail", comparison.detail);
    writer.beginArray("figures");
    for (const FigureRow& row : comparison.figures)
        writeFigure(writer, row);
    writer.endArray();
    writer.beginArray("reasons");
    for (const Reasons& reasons : comparison.reasons)
        writeReasons(writer, reasons);
    writer.endArray();
    writer.endObject();
}

} // namespace alidade::data
