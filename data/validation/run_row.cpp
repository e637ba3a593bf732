// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/json.h"
#include "data/validation/published_json.h"
#include "data/validation/repository_source.h"
#include "data/validation/row_fields.h"
#include "model/units/constants.h"

#include <array>

namespace alidade::data {
namespace {

constexpr double ofBillion = 1e9, ofMega = 1e3; // parameters in billions, MWh in kWh

PublishedSource runSourceOf(ObjectReader row) {
    if (row.has("repo") || row.has("url"))
        return repositorySource(std::move(row));
    row.require({"title", "locator"});
    PublishedSource out{textOr(row, "title"), textOr(row, "locator"), textOr(row, "table"),
                        textOr(row, "row"), textOr(row, "date")};
    row.finish();
    return out;
}

/// Numbers of a source's own names: a sweep is a list, of which the first one counts.
std::optional<double> firstNumber(ObjectReader& from, std::string_view key) {
    const nlohmann::json* value = from.value(key);
    if (value != nullptr && value->is_array() && !value->empty())
        value = &value->front();
    return value != nullptr && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

std::optional<int> firstCount(ObjectReader& from, std::string_view key) {
    const auto number = firstNumber(from, key);
    return number && *number >= 1 && *number <= mostOfAnything ? std::optional(static_cast<int>(*number))
                                                               : std::nullopt;
}

std::string firstText(ObjectReader& from, std::string_view key) {
    const nlohmann::json* value = from.value(key);
    if (value != nullptr && value->is_array() && !value->empty())
        value = &value->front();
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

/// Members that only people read.
void allowAll(ObjectReader& row) {
    for (const std::string& key : row.keys())
        row.allow(key);
}

void addFigure(PublishedRun& out, const char* quantity, std::optional<double> value, bool atLeast = false) {
    if (value && *value > 0)
        out.figures.push_back({quantity, *value, atLeast});
}

/// A published share may be printed as more than 1: a percentage.
void addShare(PublishedRun& out, std::optional<double> value, bool atLeast) {
    if (value && *value > 0 && *value <= 1)
        addFigure(out, "goodput", value, atLeast);
}

void readReliabilityInputs(ObjectReader row, PublishedRun& out) {
    PublishedReliability& r = out.reliability;
    r.method = firstText(row, "method");
    r.mtbf = firstNumber(row, "mtbf_s");
    r.failuresPerNodeDay = firstNumber(row, "r_f_per_node_day");
    r.wallInterval = firstNumber(row, "failure_interval_wall_s");
    r.interval = firstNumber(row, "checkpoint_interval_s");
    r.stall = firstNumber(row, "checkpoint_blocking_s");
    r.recovery = firstNumber(row, "recovery_s");
    r.step = firstNumber(row, "step_s");
    r.standby = row.boolean("standby").value_or(false);
    if (const auto parameters = firstNumber(row, "model_params_b"))
        out.storage.parameters = *parameters * ofBillion;
    out.storage.bytesPerParameter = firstNumber(row, "bytes_per_parameter");
    out.storage.rate = firstNumber(row, "storage_bytes_per_s");
    if (const auto gpus = firstCount(row, "gpus"))
        out.gpus = gpus;
    if (const auto nodes = firstCount(row, "nodes"))
        out.nodes = nodes;
    allowAll(row);
}

void readReliabilityOutputs(ObjectReader row, PublishedRun& out) {
    addShare(out, firstNumber(row, "goodput"), false);
    addShare(out, firstNumber(row, "goodput_min"), true);
    addShare(out, firstNumber(row, "step_efficiency"), false);
    addFigure(out, "restore_s", firstNumber(row, "restore_s"));
    addFigure(out, "restore_s", firstNumber(row, "recovery_s"));
    addFigure(out, "checkpoint_s", firstNumber(row, "checkpoint_s"));
    addFigure(out, "checkpoint_s", firstNumber(row, "save_s"));
    addFigure(out, "checkpoint_stall_s", firstNumber(row, "stall_s"));
    addFigure(out, "checkpoint_bytes", firstNumber(row, "checkpoint_bytes"));
    allowAll(row);
}

/// Published shares of productive time among the values of a row without outputs.
void readReliabilityValues(ObjectReader row, PublishedRun& out) {
    addShare(out, firstNumber(row, "effective_training_time_min_fraction"), true);
    for (const char* key : {"ettr", "ettr_jobs_over_1024_gpus", "active_time_fraction"})
        addShare(out, firstNumber(row, key), false);
    allowAll(row);
}

std::optional<double> inBytesPerSecond(double value, const std::string& unit) {
    const std::pair<std::string_view, double> units[] = {
        {"GB/s", giga},         {"MB/s", 1e6},  {"MiB/s", bytesPerMib},       {"GiB/s", bytesPerGib},
        {"TiB/s", bytesPerTib}, {"TB/s", tera}, {"TiB/min", bytesPerTib / 60}};
    for (const auto& [name, factor] : units)
        if (unit == name)
            return value * factor;
    // MLPerf Storage prints MiB under this name.
    return unit.starts_with("MB/s (train_io") ? std::optional(value * bytesPerMib) : std::nullopt;
}

void readStorageInputs(ObjectReader row, PublishedStorage& out) {
    if (const auto parameters = scaled(row, "model_params_b", ofBillion))
        out.parameters = parameters;
    out.bytesPerParameter = scaled(row, "bytes_per_parameter");
    out.rate = scaled(row, "storage_bytes_per_s");
    out.drives = counted(row, "drives", 1);
    out.processes = counted(row, "processes", 1);
    out.servers = counted(row, "servers", 1);
    out.serverRate = scaled(row, "server_bytes_per_s");
    out.drive = textOr(row, "drive");
    out.tier = textOr(row, "tier");
    out.singleFile = row.boolean("single_file").value_or(false);
    out.capacity = scaled(row, "capacity_bytes");
    out.ratePerTib = scaled(row, "bytes_per_s_per_tib");
    out.accelerators = scaled(row, "accelerators");
    out.batchBytes = scaled(row, "batch_bytes");
    out.compute = scaled(row, "compute_s");
    out.utilization = scaled(row, "utilisation");
    row.finish();
}

void readStorageFigure(ObjectReader& row, PublishedRun& out) {
    const std::string operation = textOr(row, "operation"), unit = textOr(row, "unit");
    const auto value = scaled(row, "value");
    if (!value || !row.boolean("measured").value_or(true))
        return;
    const bool isTime = unit == "s";
    if (operation == "checkpoint_save" && isTime)
        addFigure(out, "checkpoint_s", value);
    else if (operation == "size" && unit == "bytes")
        addFigure(out, "checkpoint_bytes", value);
    else if (operation == "checkpoint_downtime" && isTime)
        addFigure(out, "checkpoint_stall_s", value);
    else if (operation == "read" || operation == "write")
        addFigure(out, "storage_bytes_per_s", inBytesPerSecond(*value, unit));
    out.storage.write = operation == "write" || operation == "checkpoint_save";
}

void readPowerMeasured(ObjectReader row, PublishedRun& out) {
    PublishedPower& p = out.power;
    p.outputTokensPerS = firstNumber(row, "output_tokens_per_s");
    p.seconds = firstNumber(row, "time_to_train_s_median");
    addFigure(out, "power_w", firstNumber(row, "avg_power_w"));
    addFigure(out, "power_w", firstNumber(row, "node_power_w_mean"));
    if (const auto highest = firstNumber(row, "max_power_w")) {
        p.highest = true;
        addFigure(out, "power_w", highest);
    }
    addFigure(out, "energy_j_per_output_token", firstNumber(row, "j_per_output_token"));
    if (const auto energy = firstNumber(row, "energy_mwh"))
        addFigure(out, "energy_kwh", *energy * ofMega);
    allowAll(row);
}

/// What the rows derive from what their source prints, where it does not print it itself.
void readPowerDerived(ObjectReader row, PublishedRun& out) {
    const auto fill = [&](const char* quantity, std::string_view key) {
        for (const PublishedFigure& figure : out.figures)
            if (figure.quantity == quantity)
                return;
        addFigure(out, quantity, firstNumber(row, key));
    };
    fill("power_w", "avg_power_w");
    fill("energy_j_per_output_token", "j_per_output_token");
    fill("energy_kwh", "energy_kwh_median");
    allowAll(row);
}

void readHardware(ObjectReader row, PublishedRun& out) {
    out.gpu = textOr(row, "gpu");
    out.gpus = firstCount(row, "gpus");
    out.nodes = firstCount(row, "nodes");
    out.instance = textOr(row, "instance");
    out.power.cooling = textOr(row, "cooling");
    allowAll(row);
}

/// What the three kinds of rows have in common.
void readCommon(ObjectReader& row, PublishedRun& out, std::string_view quality) {
    out.id = textOr(row, "id");
    out.rowKind = textOr(row, "kind");
    if (auto source = row.object("source"))
        out.source = runSourceOf(std::move(*source));
    out.quality = textOr(row, quality);
    out.notes = textOr(row, "notes");
    out.group = out.source.title;
}

std::optional<PublishedRun> finished(ObjectReader& row, PublishedRun out, std::size_t before) {
    row.finish();
    return faultCount(row.faults()) == before ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace

std::optional<PublishedRun> readReliabilityRow(ObjectReader& row) {
    const std::size_t before = faultCount(row.faults());
    row.require({"id", "kind", "source", "cluster", "confidence"});
    PublishedRun out;
    out.kind = PublishedRun::Kind::reliability;
    readCommon(row, out, "confidence");
    if (auto cluster = row.object("cluster"))
        readHardware(std::move(*cluster), out);
    const bool told = row.has("outputs") && !row.isNull("outputs");
    if (auto inputs = row.object("inputs"))
        readReliabilityInputs(std::move(*inputs), out);
    if (auto outputs = row.object("outputs"))
        readReliabilityOutputs(std::move(*outputs), out);
    if (auto values = row.object("values"); values && !told)
        readReliabilityValues(std::move(*values), out);
    row.allow("values");
    row.allow("derived");
    return finished(row, std::move(out), before);
}

std::optional<PublishedRun> readStorageRow(ObjectReader& row) {
    const std::size_t before = faultCount(row.faults());
    row.require({"id", "kind", "source", "operation", "value", "unit", "quality"});
    PublishedRun out;
    out.kind = PublishedRun::Kind::storage;
    readCommon(row, out, "quality");
    if (auto hardware = row.object("hardware")) {
        out.storage.processes = firstCount(*hardware, "processes");
        out.software = textOr(*hardware, "storage");
        readHardware(std::move(*hardware), out);
    }
    const auto processes = out.storage.processes;
    if (auto inputs = row.object("inputs"))
        readStorageInputs(std::move(*inputs), out.storage);
    out.storage.processes = out.storage.processes ? out.storage.processes : processes;
    out.storage.bytes = scaled(row, "payload_bytes");
    out.storage.ioBytes = scaled(row, "io_size_bytes");
    readStorageFigure(row, out);
    row.allow("detail");
    return finished(row, std::move(out), before);
}

std::optional<PublishedRun> readEnergyRow(ObjectReader& row) {
    const std::size_t before = faultCount(row.faults());
    row.require({"id", "kind", "group", "source", "model", "hardware", "boundary", "method", "quality"});
    PublishedRun out;
    out.kind = PublishedRun::Kind::power;
    readCommon(row, out, "quality");
    out.group = textOr(row, "group");
    PublishedPower& p = out.power;
    p.serving = out.rowKind == "serving";
    p.boundary = textOr(row, "boundary");
    p.method = textOr(row, "method");
    p.weights = textOr(row, "precision");
    out.software = textOr(row, "software");
    if (auto model = row.object("model")) {
        out.model = textOr(*model, "name");
        p.parameters = scaled(*model, "params_b", ofBillion);
        p.activeParameters = scaled(*model, "active_params_b", ofBillion);
        model->allow("kind");
        model->finish();
    }
    if (auto hardware = row.object("hardware"))
        readHardware(std::move(*hardware), out);
    if (auto workload = row.object("workload")) {
        p.batch = firstNumber(*workload, "avg_batch");
        p.task = textOr(*workload, "task");
    }
    p.capped = out.id.find("maxq") != std::string::npos;
    // Tokens are what the model's work is counted from; MLPerf counts samples.
    p.serving = p.serving && p.batch.has_value();
    if (auto measured = row.object("measured"))
        readPowerMeasured(std::move(*measured), out);
    if (auto derived = row.object("derived"))
        readPowerDerived(std::move(*derived), out);
    return finished(row, std::move(out), before);
}

} // namespace alidade::data
