// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/metrics_page.h"
#include "data/catalog/mapping_json.h"
#include "data/json/json.h"
#include "data/json/writer.h"

#include <array>
#include <cmath>

namespace alidade::cli {

namespace {

using data::JsonWriter;
using Json = nlohmann::ordered_json;

/// The same value, written as this program writes JSON.
void writeValue(JsonWriter& writer, std::string_view key, const Json& value) {
    if (value.is_object()) {
        writer.beginObject(key);
        for (const auto& [name, each] : value.items())
            writeValue(writer, name, each);
        writer.endObject();
    } else if (value.is_array()) {
        writer.beginArray(key);
        for (const Json& each : value)
            writeValue(writer, {}, each);
        writer.endArray();
    } else if (value.is_string()) {
        writer.text(key, value.get_ref<const std::string&>());
    } else if (value.is_boolean()) {
        writer.flag(key, value.get<bool>());
    } else if (value.is_number_integer()) {
        writer.integer(key, value.get<std::int64_t>());
    } else if (value.is_number()) {
        writer.number(key, value.get<double>());
    } else {
        writer.null(key);
    }
}

std::string_view statisticId(Statistic statistic) {
    constexpr std::array<std::string_view, 6> ids{"value", "mean", "p50", "p90", "p95", "p99"};
    return ids.at(static_cast<std::size_t>(statistic));
}

void writeEntity(JsonWriter& writer, const Entity& entity) {
    if (!entity.host.empty())
        writer.text("host", entity.host);
    if (entity.gpu >= 0)
        writer.integer("gpu", entity.gpu);
    if (!entity.part.empty())
        writer.text("part", entity.part);
}

void writeTable(JsonWriter& writer, const SignalTable& table, const TimeGrid& grid, bool series) {
    const SignalInfo& info = signalInfo(table.signal);
    const TableFigures figures = figuresOf(table, grid);
    writer.beginObject({});
    writer.text("id", info.id);
    writer.text("statistic", statisticId(table.statistic));
    writer.text("metric", table.metric);
    writer.text("expression", table.expression);
    writer.text("unit", info.unit);
    writer.integer("rows", static_cast<std::int64_t>(table.rows.size()));
    writer.number("mean", figures.mean);
    writer.number("last", figures.last);
    writer.number("last_s", figures.lastTime);
    if (info.kind == SignalKind::events)
        writer.number("sum", figures.sum);
    if (table.signOnly)
        writer.flag("sign_only", true);
    if (!table.note.empty())
        writer.text("note", table.note);
    if (series) {
        writer.beginArray("series");
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            writer.beginObject({});
            writeEntity(writer, table.rows[i]);
            writer.beginArray("values");
            for (const double value : table.row(i, grid.points))
                writer.number({}, value);
            writer.endArray();
            writer.endObject();
        }
        writer.endArray();
    }
    writer.endObject();
}

void writeTexts(JsonWriter& writer, std::string_view key, const std::vector<std::string>& texts) {
    writer.beginArray(key);
    for (const std::string& text : texts)
        writer.text({}, text);
    writer.endArray();
}

} // namespace

std::string metricsJson(const Observed& answer, bool series) {
    const Observation& observation = answer.observation;
    const TimeGrid& grid = observation.grid;
    JsonWriter writer;
    writer.beginObject({});
    writer.integer("alidade", 1);
    writer.text("server", observation.server);
    writer.text("application", answer.server.application);
    answer.server.version.empty() ? writer.null("version") : writer.text("version", answer.server.version);
    writer.number("start_s", grid.start);
    writer.number("end_s", grid.end());
    writer.number("step_s", grid.step);
    writer.integer("points", static_cast<std::int64_t>(grid.points));
    writer.number("newest_s", answer.noData.newest.value_or(observation.newest));
    observation.job.empty() ? writer.null("job") : writer.text("job", observation.job);
    writer.beginArray("jobs");
    for (const data::JobChoice& job : answer.jobs) {
        writer.beginObject({});
        writer.text("job", job.job);
        writer.text("kind", job.kind);
        writer.integer("hosts", job.hosts);
        writer.endObject();
    }
    writer.endArray();
    writeTexts(writer, "hosts", observation.hosts);
    writer.beginArray("signals");
    for (const SignalTable& table : observation.tables)
        writeTable(writer, table, grid, series);
    writer.endArray();
    writer.beginArray("blanks");
    for (const BlankSpan& blank : observation.blanks) {
        writer.beginObject({});
        writer.text("id", signalInfo(blank.signal).id);
        writeEntity(writer, blank.where);
        writer.number("start_s", blank.start);
        writer.number("end_s", blank.end);
        writer.endObject();
    }
    writer.endArray();
    writeValue(writer, "gaps", gapsJson(answer.noData.gaps));
    writer.beginArray("missing");
    for (const MissingSignal& missing : observation.missing) {
        writer.beginObject({});
        writer.text("id", signalInfo(missing.signal).id);
        writer.text("why", missing.why);
        writer.endObject();
    }
    writer.endArray();
    writeTexts(writer, "warnings", observation.warnings);
    writeTexts(writer, "notes", answer.mapping.notes);
    writeValue(writer, "mapping", Json::parse(data::writeMapping(answer.mapping)));
    writer.endObject();
    return writer.take();
}

} // namespace alidade::cli
